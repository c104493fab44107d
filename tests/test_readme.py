"""What the README shows in Python is what Python shows."""

import doctest
from pathlib import Path

import pytest

README = Path(__file__).parents[1] / "README.md"


def test_the_examples_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    results = doctest.testfile(str(README), module_relative=False)
    assert results.attempted >= 5
    assert results.failed == 0
