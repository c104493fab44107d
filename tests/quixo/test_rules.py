"""The rules of Quixo against the paper, against a plain model of the board, and against themselves."""

import pickle
import re
from collections.abc import Callable

import pytest
from golden import quixo_paper as paper
from hypothesis import given, settings
from hypothesis import strategies as st
from quixo.boards import previous

from inarow._native import quixo as native_quixo
from inarow._native.quixo import Rules as NativeRules
from inarow.errors import NotationError
from inarow.quixo.rules import MAX_CELLS, DoubleLine, Move, Position, Quixo
from inarow.values import Mark

SHAPES = [(rows, columns) for rows in range(2, 14) for columns in range(2, 14) if rows * columns <= 26]
ALL_RULES = [
    Quixo(rows, columns, line, double_line)
    for rows, columns in SHAPES
    for line in range(2, max(rows, columns) + 1)
    for double_line in ("loses", "wins")
]
each_shape = pytest.mark.parametrize(("rows", "columns"), SHAPES)


@st.composite
def positions(draw: st.DrawFn, over: bool | None = None) -> Position:
    """Any board of any rules; `over` says whether the game must, or must not, have ended."""
    rules = draw(st.sampled_from(ALL_RULES))
    # Mostly empty tiles, or most boards would be won already.
    cells = draw(st.lists(st.sampled_from("...xo"), min_size=rules.cells, max_size=rules.cells))
    x = sum(1 << cell for cell, mark in enumerate(cells) if mark == "x")
    o = sum(1 << cell for cell, mark in enumerate(cells) if mark == "o")
    if over:
        line = draw(st.sampled_from(rules.lines))
        x, o = x | line, o & ~line
    turn: Mark = draw(st.sampled_from(("x", "o")))
    position = Position(rules, x, o, turn)
    if over is False and position.is_over:
        position = Position(rules, 0, 0, turn)
    return position


def grid_after(position: Position, move: Move) -> str:
    """The board text after a move, made by taking the tile out of a list and putting it in again."""
    rows = [list(row) for row in str(position).split(" ")[0].split("/")]
    text = position.rules.move_text(move)
    letter, number, to_letter, to_number = re.fullmatch(r"([a-m])(\d+)([a-m])(\d+)", text).groups()  # type: ignore[union-attr]
    column, row = "abcdefghijklm".index(letter), len(rows) - int(number)
    to_column, to_row = "abcdefghijklm".index(to_letter), len(rows) - int(to_number)
    if row == to_row:
        del rows[row][column]
        rows[row].insert(to_column, position.turn)
    else:
        tiles = [r[column] for r in rows]
        del tiles[row]
        tiles.insert(to_row, position.turn)
        for r, tile in zip(rows, tiles, strict=True):
            r[column] = tile
    return "/".join("".join(r) for r in rows)


# --- The paper ---


def test_move_of_figure_4() -> None:
    s, b, c = paper.FIGURE_4_S, paper.FIGURE_4_B, paper.FIGURE_4_C
    before = Quixo().from_word(s, "o")
    assert str(before) == "..oo./.xo../xxxox/ox.../.ox.. o"
    after = before.play("e4a4")
    assert after.x << 32 | after.o == (((s & b) >> 1) & b) | (s & ~b) | c
    assert str(after) == "..oo./o.xo./xxxox/ox.../.ox.. x"


# --- The rules ---


@each_shape
def test_moves_take_from_the_border_and_push_in_at_an_end(rows: int, columns: int) -> None:
    moves = Quixo(rows, columns).moves
    assert len(moves) == len(set(moves)) <= 74
    assert list(moves) == sorted(moves)
    places = [divmod(cell, columns) for cell in range(rows * columns)]
    expected = set()
    for taken, (row, column) in enumerate(places):
        for pushed, (to_row, to_column) in enumerate(places):
            on_border = row in (0, rows - 1) or column in (0, columns - 1)
            across = row == to_row and to_column in (0, columns - 1)
            along = column == to_column and to_row in (0, rows - 1)
            if on_border and taken != pushed and (across or along):
                expected.add(Move(taken, pushed))
    assert set(moves) == expected


@pytest.mark.parametrize(
    ("rows", "columns", "line", "count"),
    [
        *((2, 2, 2, 6), (3, 3, 3, 8), (4, 4, 4, 10), (4, 4, 3, 24), (5, 5, 5, 12), (5, 5, 4, 28)),
        *((5, 5, 3, 48), (5, 5, 2, 72), (4, 5, 5, 4), (4, 5, 4, 17), (2, 12, 12, 2)),
        *((2, 12, 2, 56), (3, 2, 3, 2)),
    ],
)  # fmt: skip
def test_number_of_lines(rows: int, columns: int, line: int, count: int) -> None:
    lines = Quixo(rows, columns, line).lines
    assert len(set(lines)) == len(lines) == count
    assert {mask.bit_count() for mask in lines} == {line}


@each_shape
def test_the_core_has_the_same_board(rows: int, columns: int) -> None:
    for rules in ALL_RULES:
        if (rules.rows, rules.columns) != (rows, columns):
            continue
        native = rules.native
        assert (native.rows, native.columns) == (rows, columns)
        assert native.ends == rules.ends == (1, -1, 1 if rules.double_line == "wins" else -1)
        assert native.lines == list(rules.lines)
        assert sorted(native.moves) == [(move.taken, move.pushed) for move in rules.moves]
        assert sorted(map(tuple, native.symmetries)) == sorted(rules.symmetries)
        assert rules.native is native


def test_the_core_refuses_boards_there_are_not() -> None:
    ends = Quixo(3).ends
    for rows, columns in [(1, 5), (5, 1), (0, 0), (-2, -2)]:
        with pytest.raises(ValueError, match="at least 2 rows and 2 columns, and at most 26 cells"):
            NativeRules(rows, columns, [3], ends)
    assert MAX_CELLS == native_quixo.MAX_WIDE_CELLS
    with pytest.raises(ValueError, match=f"at most {MAX_CELLS} cells"):
        NativeRules(5, 13, [3], ends)
    for line in (1, 1 << 9, 0):
        with pytest.raises(ValueError, match="a line is of two cells of the board at least"):
            NativeRules(3, 3, [line], ends)
    with pytest.raises(ValueError, match="a game has lines"):
        NativeRules(3, 3, [], ends)
    with pytest.raises(ValueError, match="the lines are not as symmetric as the board"):
        NativeRules(3, 3, [0b111], ends)
    with pytest.raises(ValueError, match="a line of one mark alone wins or loses"):
        NativeRules(3, 3, Quixo(3).lines, (0, 1, 1))
    with pytest.raises(ValueError, match="a game ends with -1, 0 or 1"):
        NativeRules(3, 3, Quixo(3).lines, (1, -1, 2))


def test_lines_off_the_main_diagonals_count() -> None:
    assert Position.parse(".x.../..x../...x./....x/..... o", line=4).winner == "x"
    assert Position.parse(".x.../..x../...x./....x/..... o").winner is None


def test_a_board_is_square_and_a_line_as_long_as_it_is_unless_said() -> None:
    assert Quixo() == Quixo(5, 5) == Quixo(5, line=5) == Quixo(5, None, None, double_line="loses")
    assert hash(Quixo(4)) == hash(Quixo(4, 4, 4))
    assert (Quixo(3, 5).line, Quixo(5, 3).line) == (5, 5)


def test_what_rules_are_called() -> None:
    rules = Quixo(4, 5, line=3, double_line="wins")
    assert str(rules) == "Quixo 4×5, line 3, double line wins"
    assert rules.size_text == "4×5"
    assert rules.name == "4x5-line3-wins"
    assert eval(repr(rules), {"Quixo": Quixo}) == rules


def test_rules_as_json() -> None:
    for rules in ALL_RULES:
        data = rules.to_json()
        assert list(data) == ["rows", "columns", "line", "double_line"]
        assert Quixo.from_json({"game": "quixo", **data}) == rules
    # Earlier versions knew squares only.
    assert Quixo.from_json({"size": 4, "line": 3, "double_line": "wins"}) == Quixo(4, 4, 3, "wins")
    with pytest.raises(KeyError, match="columns"):
        Quixo.from_json({"rows": 4, "line": 4, "double_line": "loses"})


def test_sizes_as_people_write_them() -> None:
    sizes = {"4x5": (4, 5), "4": (4, 4), "12X2": (12, 2), "3×4": (3, 4)}
    assert {text: Quixo.parse_size(text) for text in sizes} == sizes
    for text in ("", "x", "4x", "x4", "4x5x6", "4 5", "4.5", "-4", "four", "٤"):
        with pytest.raises(NotationError, match="a size is rows x columns, as in 4x5"):
            Quixo.parse_size(text)


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ({"rows": 9}, "a board of 9×9 has 81 cells: must be at most 64"),
        ({"rows": 5, "columns": 13}, "a board of 5×13 has 65 cells: must be at most 64"),
        ({"rows": 1}, "rows 1: must be 2 to 26"),
        ({"columns": 1}, "columns 1: must be 2 to 26"),
        ({"columns": 27}, "columns 27: must be 2 to 26"),
        ({"rows": "5"}, "rows '5': must be"),
        ({"rows": 5.0}, r"rows 5\.0: must be"),
        ({"rows": 5, "line": 1}, "line 1: must be 2, 3, 4 or 5 on a board of 5×5"),
        ({"rows": 3, "columns": 4, "line": 5}, "line 5: must be 2, 3 or 4 on a board of 3×4"),
        ({"rows": 2, "line": 3}, "line 3: must be 2 on a board of 2×2"),
        ({"line": "5"}, "line '5': must be"),
        ({"double_line": "ties"}, "double_line 'ties': must be 'loses', 'wins' or 'draws'"),
    ],
)
def test_rules_there_are_not(bad: dict[str, object], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        Quixo(**bad)  # type: ignore[arg-type]


@given(positions(over=False))
def test_play_against_lists_of_tiles(position: Position) -> None:
    for move in position.legal_moves():
        after = position.play(move)
        assert str(after) == f"{grid_after(position, move)} {'o' if position.turn == 'x' else 'x'}"
        assert after.last_move == move


@given(positions(over=False))
def test_exactly_the_legal_moves_can_be_played(position: Position) -> None:
    legal = position.legal_moves()
    for move in position.rules.moves:
        assert position.is_legal(move) == (move in legal)
        if move not in legal:
            with pytest.raises(ValueError, match="the opponent's"):
                position.play(move)
    inside = position.rules.columns + 1 if min(position.rules.rows, position.rules.columns) > 2 else 0
    assert not position.is_legal(Move(inside, inside))
    with pytest.raises(ValueError, match="no such move"):
        position.play(Move(inside, inside))


@given(positions())
def test_successors_are_what_the_moves_lead_to(position: Position) -> None:
    successors = position.successors()
    assert successors == tuple((position.play(move), move) for move in position.legal_moves())
    assert all(child.last_move == move for child, move in successors)


@given(positions(over=False))
@settings(max_examples=50)
def test_moves_are_undone(position: Position) -> None:
    """By the helper of other tests, which walks back."""
    for move in position.legal_moves():
        assert (position, move) in previous(position.play(move))


@pytest.mark.parametrize(
    ("before", "double_line", "winner", "result"),
    [
        # The push brings the O at a2 down into the lowest row's line and fills the upper row with Xs.
        (".xx/o../.oo x", "loses", "o", "win"),
        (".xx/o../.oo x", "wins", "x", "loss"),
        (".x./o../.oo x", "loses", "o", "win"),  # a move may win for the opponent
        (".xx/.o./..o x", "loses", "x", "loss"),
    ],
)
def test_who_wins_by_a_line(before: str, double_line: DoubleLine, winner: str, result: str) -> None:
    after = Quixo(3, double_line=double_line).parse(before).play("a1a3")
    assert (after.winner, after.result, after.turn) == (winner, result, "o")
    assert (after.swap().winner, after.swap().result) == ("x" if winner == "o" else "o", result)


# --- Symmetries ---


@pytest.mark.parametrize(
    "images",
    [
        "xo./.../... ..x/..o/... .../.../.ox .../o../x.. .ox/.../... .../..o/..x .../.../xo. x../o../...",
        "xo./... .../.ox .ox/... .../xo.",
    ],
)
def test_symmetries_come_in_the_documented_order(images: str) -> None:
    position = Position.parse(f"{images.split()[0]} x")
    assert [image.text[:-2] for image in position.symmetries()] == images.split()


@each_shape
def test_symmetries_keep_the_lines_and_the_moves(rows: int, columns: int) -> None:
    rules = Quixo(rows, columns, min(rows, columns))
    assert rules.symmetries[0] == tuple(range(rules.cells))
    assert len(set(rules.symmetries)) == (8 if rows == columns else 4)
    for to in rules.symmetries:
        assert sorted(to) == list(range(rules.cells))
        assert {sum(1 << to[c] for c in range(rules.cells) if mask >> c & 1) for mask in rules.lines} == set(
            rules.lines
        )
        assert {Move(to[move.taken], to[move.pushed]) for move in rules.moves} == set(rules.moves)


@given(positions(over=False))
@settings(max_examples=50)
def test_symmetries_commute_with_play(position: Position) -> None:
    for move in position.legal_moves():
        for nth, image in enumerate(position.play(move).symmetries()):
            assert image.last_move is not None
            assert position.symmetries()[nth].play(image.last_move) == image


@given(positions())
def test_canonical_is_one_for_all_images(position: Position) -> None:
    canonical = position.canonical()
    assert canonical in position.symmetries()
    assert {image.canonical() for image in position.symmetries()} == {canonical}
    assert canonical.mover_word == min(image.mover_word for image in position.symmetries())
    assert canonical == position.swap().canonical().swap()


@given(positions())
def test_swap_keeps_what_the_side_to_move_sees(position: Position) -> None:
    swapped = position.swap()
    assert swapped.swap() == position
    assert swapped.mover_word == position.mover_word
    assert (swapped.mover, swapped.other) == (position.mover, position.other)
    assert swapped.result == position.result
    assert swapped.legal_moves() == position.legal_moves()
    assert (swapped.x, swapped.o) == (position.o, position.x)


# --- Words ---


@given(positions())
def test_words_round_trip(position: Position) -> None:
    rules = position.rules
    assert rules.from_word(position.x << 32 | position.o, position.turn) == position
    same = rules.from_word(position.mover_word)
    assert same == (position if position.turn == "x" else position.swap())
    assert same.counts == (position.mover.bit_count(), position.other.bit_count())


def test_numbers_that_are_no_boards() -> None:
    rules = Quixo(4)
    with pytest.raises(ValueError, match="X mask 0x10000: a board of 4×4 has 16 bits"):
        rules.from_word(1 << 48)
    with pytest.raises(ValueError, match="both have 0x1"):
        rules.from_word(1 << 32 | 1)
    with pytest.raises(ValueError, match="must not be negative"):
        rules.from_word(-1)
    with pytest.raises(ValueError, match="turn 'z': must be 'x' or 'o'"):
        rules.from_word(0, "z")  # type: ignore[arg-type]


# --- Notation ---


def test_bit_order() -> None:
    position = Position.parse("x..../...../...../...../....o x")
    assert (position.x, position.o) == (1 << 24, 1)
    assert Quixo().parse_move("e1a1") == Move(taken=0, pushed=4)
    assert Quixo().parse_move("a5e5") == Move(taken=24, pushed=20)
    rectangle = Position.parse("x.../..../...o x")
    assert (rectangle.x, rectangle.o) == (1 << 11, 1)
    assert Quixo(12, 2).parse_move("a1a12") == Move(taken=1, pushed=23)
    assert Quixo(12, 2).parse_move("b12b1") == Move(taken=22, pushed=0)
    assert Quixo(2, 12).parse_move("l1a1") == Move(taken=0, pushed=11)


@given(positions())
def test_texts_round_trip(position: Position) -> None:
    rules = position.rules
    assert position.text == str(position)
    for text in (position.text, position.url_text, position.text.upper()):
        assert rules.parse(text) == position
        assert Position.parse(text, rules.line, rules.double_line) == position
    assert eval(repr(position), {"Position": Position}) == position
    assert pickle.loads(pickle.dumps(position)) == position


@given(st.text("xo./ _X", max_size=40) | st.text(max_size=40))
def test_any_text_is_a_position_or_an_error(text: str) -> None:
    try:
        assert str(Position.parse(text)) == text.replace("_", " ").lower()
        place = 0
    except NotationError as error:
        place = error.column
    assert 0 <= place <= len(text)


BAD_MOVES = [
    ("z1a4", 0, "no column 'z'; must be a to d"),
    ("e1a1", 0, "no column 'e'; must be a to d"),
    ("a5a1", 1, "no row '5'; must be 1 to 4"),
    ("a0a1", 1, "no row '0'; must be 1 to 4"),
    ("a1z4", 2, "no column 'z'"),
    ("a1a9", 3, "no row '9'"),
    ("b2b4", 0, "border"),
    ("a1a1", 2, "pushed in where it was taken"),
    ("a1a2", 2, "not an end of the row or column of a1"),
    ("a1d4", 2, "not an end of the row or column of a1"),
    ("a1a4x", 4, "continues"),
    ("a1a44", 3, "no row '44'"),
    ("a1a04", 3, "no row '04'"),
    ("a12a1", 1, "no row '12'"),
    ("ab", 1, "no row 'b'"),
    ("a1a", 3, "ends early"),
    ("a", 1, "ends early"),
    ("", 0, "ends early"),
]
BAD_POSITIONS = [
    ("..../.z../..../.... x", 6, "'z' is not a cell"),
    ("..../...../..../.... x", 9, "row too long"),
    (".../..../..../.... x", 3, "row too short; a board of 4×4 has rows of 4"),
    ("..../..../..../... x", 18, "row too short"),
    (".... x", 4, "a board of one row"),
    ("..../..../..../....", 19, "side to move is missing"),
    ("..../..../..../.... ", 20, "side to move is missing"),
    ("..../..../..../.... z", 20, "'z' is not a side"),
    ("..../..../..../.... x ", 21, "continues"),
    ("..../..../..../.... xo", 21, "continues"),
    ("." * 27 + "/ x", 27, "a row of 27 cells; must be 2 to 26"),
    ("./. x", 1, "a row of 1 cells; must be 2 to 26"),
    ("", 0, "a row of 0 cells"),
    ("/".join(["....."] * 13) + " x", 77, "a board of 13×5 has 65 cells; must be at most 64"),
]
BAD_ON_4X3 = [
    ("..../..../.../... x", 3, "row too long; a board of 4×3 has rows of 3"),
    ("../../../.. x", 2, "row too short; a board of 4×3 has rows of 3"),
    (".../.../... x", 11, "too few rows; a board of 4×3 has 4"),
    (".../.../.../.../... x", 15, "too many rows; a board of 4×3 has 4"),
]


@pytest.mark.parametrize(
    ("read", "text", "column", "reason"),
    [
        *((Quixo(4).parse_move, *bad) for bad in BAD_MOVES),
        *((Position.parse, *bad) for bad in BAD_POSITIONS),
        *((Quixo(4, 3).parse, *bad) for bad in BAD_ON_4X3),
    ],
)
def test_errors_point_at_the_place(
    read: Callable[[str], object], text: str, column: int, reason: str
) -> None:
    with pytest.raises(NotationError, match=reason) as caught:
        read(text)
    assert (caught.value.text, caught.value.column) == (text, column)
    assert str(caught.value).endswith("\n  " + " " * min(column, 40) + "^")


def test_error_message_stays_short_and_aligned() -> None:
    error = NotationError("bad", "a\nb\t" + "." * 500 + "!" + "." * 500, 504)
    _, text, caret = str(error).split("\n")
    assert len(text) <= 82
    assert text[caret.index("^")] == "!"
    again = pickle.loads(pickle.dumps(error))
    assert (str(again), again.column) == (str(error), error.column)


def test_last_move_is_no_part_of_equality() -> None:
    played = Quixo(3).start().play("c2a2")
    read = Position.parse(str(played))
    assert played.last_move is not None
    assert read.last_move is None
    assert played == read
    assert len({played, read}) == 1


@given(positions())
def test_winning_cells_are_those_of_the_winners_lines(position: Position) -> None:
    mask = position.x if position.winner == "x" else position.o if position.winner == "o" else 0
    cells = {
        cell
        for line in position.rules.lines
        if line & mask == line
        for cell in range(position.rules.cells)
        if line >> cell & 1
    }
    assert position.winning_cells == tuple(sorted(cells))
    assert bool(position.winning_cells) == position.is_over


def test_ascii() -> None:
    rows = Quixo(12, 2).start().play("a1a12").ascii().splitlines()
    assert (rows[0], rows[11], rows[12]) == ("12  [x] .", " 1  (.) .", "     a  b")
    assert Quixo(3).parse(".xx/.o./..o x").play("a1a3").ascii() == (
        " 3  [x] x  x\n"
        " 2   .  o  .\n"
        " 1  (.) .  o\n"
        "     a  b  c\n"
        "x has won\n"
        "last move a1a3: [ ] pushed in, ( ) taken"
    )
