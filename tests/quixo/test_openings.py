"""The openings of 5×5: lines of the book with names."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from inarow.errors import MissingTable
from inarow.quixo.openings import make_openings, shipped_openings
from inarow.quixo.prober import open_prober
from inarow.quixo.rules import Position, Quixo


def nodes(lines: list[dict[str, Any]], begin: Position) -> Iterator[tuple[Position, dict[str, Any]]]:
    for line in lines:
        yield begin, line
        yield from nodes(line["lines"], begin.play(line["move"]))


def test_the_shipped_tree_can_be_made_again() -> None:
    with open_prober(Quixo(5)) as prober:
        assert make_openings(prober) == shipped_openings(Quixo(5))


def test_lines_are_legal_and_different() -> None:
    found = list(nodes(shipped_openings(Quixo(5))["lines"], Quixo(5).start()))
    assert len(found) > 100
    for begin, line in found:
        assert str(begin.play(line["move"])) == line["position"]
        after = [
            begin.play(other["move"]).canonical().mover_word for before, other in found if before is begin
        ]
        assert len(set(after)) == len(after)
    names = [line["name"] for _, line in found if line["name"]]
    assert len(set(names)) == len(names) > 15
    assert names[0] == "Tower"


def test_other_boards_have_none() -> None:
    with pytest.raises(MissingTable, match="no openings of Quixo 4×4"):
        shipped_openings(Quixo(4))
