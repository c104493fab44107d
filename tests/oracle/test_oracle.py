"""The oracle is held to the definition of the values, to published results, and to its own symmetries."""

import pytest
from oracle import quixo

VARIANTS: list[tuple[int, int, int, str, dict[str, bool]]] = [
    (rows, columns, line, double_line, {})
    for rows, columns in ((2, 2), (2, 3), (3, 2), (2, 4))
    for line in range(2, max(rows, columns) + 1)
    for double_line in ("loses", "wins")
]
VARIANTS += [
    (3, 3, 3, "loses", {}),
    (2, 4, 3, "draws", {"misere": True}),
    (2, 4, 4, "loses", {"wrap": True}),
    (2, 4, 2, "draws", {"wrap": True, "diagonals": False}),
]
each_variant = pytest.mark.parametrize(("rows", "columns", "line", "double_line", "flags"), VARIANTS)


def board_of(x_mask: int, o_mask: int, cells: int) -> str:
    bits = range(cells - 1, -1, -1)
    return "".join("X" if x_mask >> k & 1 else "O" if o_mask >> k & 1 else "." for k in bits)


def test_bit_order() -> None:
    assert quixo.masks("X..O") == (0b1000, 0b0001)
    assert quixo.masks("X........") == (1 << 8, 0)  # upper left
    assert quixo.masks("..O......") == (0, 1 << 6)  # upper right
    assert quixo.masks("......X..") == (1 << 2, 0)  # lower left
    assert quixo.masks("........O") == (0, 1)  # lower right


def test_tiles_shift_toward_the_hole() -> None:
    # The right tile of the middle row, pushed in on the left, at the top and at the bottom.
    from_right = {"...XXO...", "..XXO....", "...XO...X"}
    assert quixo.push("XO.", 2, 0) == "XXO"
    assert from_right <= quixo.moves("...XO....", 3, 3)
    # The middle tile is never taken, nor is a tile of the other player.
    assert quixo.moves("OOOOXOOOO", 3, 3) == set()


def test_lines() -> None:
    assert len(quixo.runs(3, 3, 3)) == 2 * 8
    assert len(quixo.runs(3, 3, 2)) == 2 * (6 + 6 + 4 + 4)
    assert len(quixo.runs(2, 2, 2)) == 2 * 6
    assert quixo.has_line("..X.X.X..", "X", 3, 3, 3)
    assert not quixo.has_line("XX.......", "X", 3, 3, 3)
    assert quixo.has_line(".X.X.....", "X", 3, 3, 2)  # a short diagonal


def test_moves_and_lines_of_a_rectangle() -> None:
    # All tiles are empty, so only the place of entry matters, and every place is an end of its column.
    assert quixo.moves("......", 2, 3) == {"X.....", "..X...", "...X..", ".....X", ".X....", "....X."}
    # Of "X.." over "O..": the X goes to the other end of its row or its column, or another one comes in.
    assert quixo.moves("X..O..", 2, 3) == {
        *("..XO..", "O..X.."),
        *("XX.O..", "X.XO..", "X..XO.", "X..OX.", "X..O.X"),
    }
    assert len(quixo.runs(2, 3, 3)) == 2 * 2
    assert len(quixo.runs(2, 3, 2)) == 2 * (4 + 3 + 2 + 2)


def test_lines_of_both_players() -> None:
    board = "XXXOOO..."
    assert quixo.terminal(board, 3, 3, 3, "loses") == "win"
    assert quixo.terminal(board, 3, 3, 3, "wins") == "loss"


def test_published_result() -> None:
    """On the 3x3 board the first player wins in 7 (Tanaka et al., 2020)."""
    assert quixo.solve(3, 3, 3, "loses")[0, 0] == ("win", 7)


@each_variant
def test_values_agree_with_those_of_the_children(
    rows: int, columns: int, line: int, double_line: str, flags: dict[str, bool]
) -> None:
    values = quixo.solve(rows, columns, line, double_line, **flags)
    assert len(values) == 3 ** (rows * columns)
    for (x_mask, o_mask), value in values.items():
        board = board_of(x_mask, o_mask, rows * columns)
        over = quixo.terminal(board, rows, columns, line, double_line, **flags)
        if over is not None:
            assert value == (over, None if over == "draw" else 0)
            continue
        after = [values[quixo.masks(child)] for child in quixo.children(board, rows, columns)]
        assert after  # a player who cannot move faces a border full of the other's marks, which is a line
        losses = [plies for outcome, plies in after if outcome == "loss" and plies is not None]
        wins = [plies for outcome, plies in after if outcome == "win" and plies is not None]
        if losses:
            assert value == ("win", min(losses) + 1)
        elif len(wins) == len(after):
            assert value == ("loss", max(wins) + 1)
        else:
            assert value == ("draw", None)


@pytest.mark.parametrize(("rows", "columns", "line"), [(2, 2, 2), (2, 3, 2), (3, 3, 3), (2, 4, 3)])
def test_reachable_boards(rows: int, columns: int, line: int) -> None:
    reached = quixo.reachable(rows, columns, line, "loses")
    assert (0, 0) in reached
    assert reached <= quixo.solve(rows, columns, line, "loses").keys()
    # The first move leaves one mark, which is the other player's when the turn comes round.
    assert all(o_mask != 0 for x_mask, o_mask in reached if (x_mask, o_mask) != (0, 0))
    if (rows, columns) == (3, 3):
        # No sequence of moves puts a lone mark in the middle.
        assert (0, 1 << 4) not in reached
