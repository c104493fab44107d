"""What the documents show in Python is what Python shows."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


LIBRARIES = {"docs/tutorials/cluster.md": "distributed", "docs/agents.md": "pettingzoo"}  # that are needed


@pytest.mark.parametrize(
    "name",
    [
        *("README.md", "docs/datasets.md", "docs/dictionaries.md", "docs/engine-protocol.md"),
        *("docs/ultimate.md", "docs/tutorials/first-probe.md", "docs/tutorials/arrays.md"),
        *("docs/tutorials/opponent.md", "docs/tutorials/dictionary.md", "docs/tutorials/verify.md"),
        *LIBRARIES,
    ],
)
def test_the_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip(LIBRARIES.get(name, "inarow"))
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(ROOT / name), module_relative=False)
    assert results.attempted >= 4
    assert results.failed == 0
