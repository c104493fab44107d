"""Pairings and pavings, found and checked."""

import pytest
from golden.animals import LOSERS, MAKER_BREAKER

from inarow.positional.polyominoes import placements, polyomino
from inarow.positional.rules import Game
from inarow.positional.search.pairings import find_pairing, find_paving
from inarow.verify.positional.pairing import NotHeld, check_pairing, check_paving


@pytest.mark.parametrize("name", LOSERS)
def test_losers_are_held_everywhere(name: str) -> None:
    shape = polyomino(name)
    paving = find_paving(shape)
    assert paving is not None
    check_paving(shape, paving.period, paving.pairs)
    # What holds in the plane holds on a board: each place has a pair, with all of its periods.
    side = 9
    rows, columns = paving.period
    pairs = []
    for (row, column), (other_row, other_column) in paving.pairs:
        for down in range(-rows, side + rows, rows):
            for right in range(-columns, side + columns, columns):
                ends = [(row + down, column + right), (other_row + down, other_column + right)]
                if all(0 <= place < side for end in ends for place in end):
                    pairs.append([place[0] * side + place[1] for place in ends])
    check_pairing(side * side, placements(shape, side, side), pairs)


@pytest.mark.parametrize("name", MAKER_BREAKER)
def test_winners_cannot_be_held(name: str) -> None:
    side, _ = MAKER_BREAKER[name]
    assert find_paving(polyomino(name)) is None
    if side < 6:
        assert find_pairing(Game.named(f"polyomino:{name}:{side}")) is None


def test_pairing_on_a_board() -> None:
    game = Game.named("mnk:5x5x5")
    pairs = find_pairing(game)
    assert pairs is not None
    check_pairing(game.cells, game.lines, pairs)


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        ([(0, 1), (1, 2)], "cell 1 is in two pairs"),
        ([(0, 4)], "cell 4 is not on the board"),
        ([(0, 2)], "no pair is in the line of the cells 0, 1"),
    ],
)
def test_pairs_that_do_not_hold(pairs: list[tuple[int, int]], message: str) -> None:
    with pytest.raises(NotHeld, match=message):
        check_pairing(4, [0b0011], pairs)


def test_a_paving_that_does_not_hold() -> None:
    with pytest.raises(NotHeld, match="no pair is in"):
        check_paving(polyomino("tic"), (2, 2), [((0, 0), (0, 1)), ((1, 0), (1, 1))])
    with pytest.raises(NotHeld, match="in two pairs"):
        check_paving(polyomino("fatty"), (2, 2), [((0, 0), (0, 1)), ((0, 1), (1, 1))])
