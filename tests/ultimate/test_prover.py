"""The prover of Ultimate Tic-Tac-Toe against brute force, and on what is known."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from oracle.ultimate_endings import forces_win, late_position

from inarow._native import ultimate as native
from inarow.errors import InarowError
from inarow.ultimate.prover import Proof, prove
from inarow.ultimate.rules import SYMMETRIES, Position, Ultimate

MEMORY = 16 << 20
# Xavier's opening, with field 8 left: section 2 of the paper.
OPENING = "44 40 04 41 14 42 24 43 34 45 54 46 64 47 74 48"
# ... and his middlegame, Olivia putting off the move to 0 as long as she can.
MIDDLEGAME = f"{OPENING} 88 87 78 86 68 85 58 83 38 82 28 81 18 80 08 84 00"


def proof(position: Position | str, plies: int) -> Proof:
    begin = Ultimate().parse(position) if isinstance(position, str) else position
    return prove(begin, plies, memory=MEMORY)


late_positions = st.builds(late_position, st.integers(0, 10**9), st.integers(1, 5))


@settings(max_examples=150, deadline=None)
@given(late_positions, st.integers(-1, 6))
def test_late_positions_are_as_brute_force_says(position: Position, ahead: int) -> None:
    plies = min(81, max(1, position.ply + ahead))
    found = proof(position, plies)
    assert found.wins == forces_win(position, plies)
    wanted = position.turn == "x"
    assert found.first_moves == tuple(
        move for move in position.legal_moves() if forces_win(position.play(move), plies) == wanted
    )


@settings(max_examples=25, deadline=None)
@given(st.builds(late_position, st.integers(0, 10**9), st.integers(6, 16)), st.data())
def test_symmetry_and_time_change_nothing_they_should_not(position: Position, data: st.DataObject) -> None:
    plies = data.draw(st.integers(position.ply + 1, min(81, position.ply + 13)))
    found = proof(position, plies)
    to = data.draw(st.sampled_from(SYMMETRIES))
    turned = proof(position.image(to), plies)
    assert turned.wins == found.wins
    assert set(turned.first_moves) == {move.image(to) for move in found.first_moves}
    if found.wins and plies < 81:
        assert proof(position, plies + 1).wins


def test_xavier_is_on_time_in_the_middlegame_and_a_small_table_is_enough() -> None:
    # Theorem of the paper: 43 plies at most.
    assert proof(MIDDLEGAME, 43).wins
    small = prove(Ultimate().parse(MIDDLEGAME), 41, memory=1 << 20)
    large = prove(Ultimate().parse(MIDDLEGAME), 41, memory=MEMORY)
    assert (small.wins, small.first_moves) == (large.wins, large.first_moves)
    with pytest.raises(InarowError, match="only the open variant"):
        prove(Ultimate("closed").start(), 29)


@pytest.mark.parametrize("moves", [[81], [-1], [40, 40], [0, 9]])
def test_the_core_takes_legal_moves_only(moves: list[int]) -> None:
    with pytest.raises(ValueError, match="cannot be played"):
        native.Prover(MEMORY).wins(moves, 29, None)
