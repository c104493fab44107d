"""What the documents show in Python is what Python shows."""

import doctest
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.mark.parametrize(
    "name",
    [
        *(
            "README.md",
            "docs/datasets.md",
            "docs/dictionaries.md",
            "docs/engine-protocol.md",
            "docs/ultimate.md",
        ),
        *("docs/tutorials/first-probe.md", "docs/tutorials/arrays.md", "docs/tutorials/opponent.md"),
        *("docs/tutorials/dictionary.md", "docs/tutorials/verify.md"),
    ],
)
def test_the_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(ROOT / name), module_relative=False)
    assert results.attempted >= 5
    assert results.failed == 0


def test_the_examples_with_a_cluster_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed", reason="Dask is not installed: pip install 'inarow[dask]'")
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(ROOT / "docs/tutorials/cluster.md"), module_relative=False)
    assert (results.attempted, results.failed) == (4, 0)


def test_the_examples_for_agents_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed: pip install 'inarow[gym]'")
    test_the_examples_run("docs/agents.md", tmp_path, monkeypatch)
