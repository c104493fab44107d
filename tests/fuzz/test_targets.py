"""Every target of the fuzzer, with its corpus and with changes of it; tests/fuzz/run.py looks for more."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from fuzz.targets import TARGETS, close
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

CORPUS = Path(__file__).parent / "corpus"


@pytest.fixture(scope="module", autouse=True)
def server() -> Iterator[None]:
    yield
    close()


def corpus(name: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((CORPUS / name).iterdir())]


@pytest.mark.parametrize("name", TARGETS)
def test_the_corpus(name: str) -> None:
    for data in [b"", *corpus(name)]:
        TARGETS[name](data)


@pytest.mark.parametrize("name", TARGETS)
def test_changes_of_the_corpus(name: str) -> None:
    seeds = corpus(name)

    @settings(max_examples=40, deadline=None, database=None, suppress_health_check=list(HealthCheck))
    @given(st.sampled_from(seeds), st.data())
    def change(seed: bytes, data: st.DataObject) -> None:
        changed = bytearray(seed)
        for _ in range(data.draw(st.integers(1, 4))):
            begin = data.draw(st.integers(0, len(changed)))
            end = data.draw(st.integers(begin, min(len(changed), begin + 8)))
            changed[begin:end] = data.draw(st.binary(max_size=8))
        TARGETS[name](bytes(changed))

    change()
