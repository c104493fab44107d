"""`inarow quixo export`."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
from cli.calling import Inarow


def test_export(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    out = tmp_path / "data.npz"
    options = "--table", table3, "--out", out, "--sample", "50", "--seed", "3", "--value", "loss", "--moves"
    result = inarow("quixo", "export", *options)
    assert (result.code, result.err) == (0, "")
    assert f"50 positions in {out}" in result.out
    with np.load(out) as data:
        assert data["tiles"].shape == (50, 9)
        assert set(data["value"].tolist()) == {-1}
        assert "move_values" in data
    result = inarow("quixo", "export", *options, "--json")
    assert json.loads(result.out) == {
        "game": "quixo",
        "rows": 3,
        "columns": 3,
        "line": 3,
        "double_line": "loses",
        "file": str(out),
        "positions": 50,
        "bytes": out.stat().st_size,
    }


def test_a_small_board_needs_no_table(inarow: Inarow, tmp_path: Path) -> None:
    out = tmp_path / "data.npz"
    assert inarow("quixo", "export", "--size", "2x3", "--out", out, "--json").code == 0
    with np.load(out) as data:
        assert data["word"].size == 3**6


def test_what_cannot_be_exported(inarow: Inarow, table3: Path, tmp_path: Path) -> None:
    out = tmp_path / "data.npz"
    for code, options, message in (
        (3, ("--size", "5"), "inarow quixo solve --size 5 --out DIR"),
        (2, ("--table", table3, "--size", "4"), "is a table of Quixo 3×3"),
        (2, ("--table", table3, "--seed", "1"), "--seed is for --sample"),
        (2, ("--table", table3, "--sample", "5", "--value", "draw"), "no such position"),
        (3, ("--table", tmp_path / "none"), "none"),
    ):
        result = inarow("quixo", "export", "--out", out, *options)
        assert (result.code, result.out) == (code, "")
        assert message in result.err
    assert not out.exists()
