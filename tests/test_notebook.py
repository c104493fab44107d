"""What the notebook shows is what it shows when it is run again."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]


def test_the_notebook_runs(tmp_path: Path) -> None:
    pytest.importorskip("ipykernel")
    nbclient, nbformat = pytest.importorskip("nbclient"), pytest.importorskip("nbformat")
    kept = nbformat.read(ROOT / "docs" / "quixo.ipynb", as_version=4)
    run = nbformat.read(ROOT / "docs" / "quixo.ipynb", as_version=4)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the notebook's tools say of each other
        client = nbclient.NotebookClient(
            run, timeout=120, kernel_name="python3", resources={"metadata": {"path": str(tmp_path)}}
        )
        client.execute()
    assert _shown(run) == _shown(kept)


def _shown(notebook: Any) -> list[Any]:
    """What a reader sees: the picture or the page, not the words that stand in for it."""
    return [
        output.get("text")
        or {
            kind: text
            for kind, text in output["data"].items()
            if kind != "text/plain" or len(output["data"]) == 1
        }
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
    ]
