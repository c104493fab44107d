"""Pairings and pavings, found and checked."""

import pytest
from golden.animals import LOSERS, MAKER_BREAKER

from inarow.positional.polyominoes import placements, polyomino
from inarow.positional.rules import Game
from inarow.positional.search.pairings import find_pairing, find_paving
from inarow.verify.positional.pairing import PairingReport, verify_pairing, verify_paving


@pytest.mark.parametrize("name", LOSERS)
def test_losers_are_blocked_everywhere(name: str) -> None:
    shape = polyomino(name)
    paving = find_paving(shape)
    assert paving is not None
    assert verify_paving(shape, paving.period, paving.pairs).verdict == "proven"
    # What blocks the plane blocks a board: each placement contains a pair, wherever it is repeated.
    side = 9
    rows, columns = paving.period
    pairs = []
    for (row, column), (other_row, other_column) in paving.pairs:
        for down in range(-rows, side + rows, rows):
            for right in range(-columns, side + columns, columns):
                ends = [(row + down, column + right), (other_row + down, other_column + right)]
                if all(0 <= place < side for end in ends for place in end):
                    pairs.append([place[0] * side + place[1] for place in ends])
    assert verify_pairing(side * side, placements(shape, side, side), pairs).verdict == "proven"


@pytest.mark.parametrize("name", MAKER_BREAKER)
def test_winners_cannot_be_blocked(name: str) -> None:
    side, _ = MAKER_BREAKER[name]
    assert find_paving(polyomino(name)) is None
    if side < 6:
        assert find_pairing(Game.named(f"polyomino:{name}:{side}")) is None


def test_pairing_on_a_board() -> None:
    game = Game.named("mnk:5x5x5")
    pairs = find_pairing(game)
    assert pairs is not None
    assert verify_pairing(game.cells, game.lines, pairs).verdict == "proven"


def test_pairs_that_do_not_block() -> None:
    for pairs, reason in [
        ([(0, 1), (1, 2)], "cell 1 is in two pairs"),
        ([(0, 4)], "cell 4 is not on the board of 4 cells"),
        ([(-1, 1)], "cell -1 is not on the board of 4 cells"),
        ([(0, 2)], "no pair is in the line of the cells 0, 1"),
    ]:
        assert verify_pairing(4, [0b0011], pairs) == PairingReport("wrong", reason)
    report = verify_paving(polyomino("tic"), (2, 2), [((0, 0), (0, 1)), ((1, 0), (1, 1))])
    assert (report.verdict, report.reason.partition("[")[0]) == ("wrong", "no pair is in ")
    report = verify_paving(polyomino("fatty"), (2, 2), [((0, 0), (0, 1)), ((0, 1), (1, 1))])
    assert report == PairingReport("wrong", "the cell (0, 1) is in two pairs")
