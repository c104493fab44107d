"""The rules of Quixo against the paper, against a plain model of the board, and against themselves."""

import pickle
import re
from dataclasses import FrozenInstanceError, replace
from math import comb

import pytest
from golden import quixo_paper as paper
from hypothesis import given, settings
from hypothesis import strategies as st

from inarow._native import quixo as native_quixo
from inarow._native.quixo import Rules as NativeRules
from inarow.errors import NotationError
from inarow.quixo.rules import MAX_CELLS, Move, Position, Quixo, order, unorder
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
    letter, number, to_letter, to_number = re.fullmatch(r"([a-l])(\d+)([a-l])(\d+)", text).groups()  # type: ignore[union-attr]
    column, row = "abcdefghijkl".index(letter), len(rows) - int(number)
    to_column, to_row = "abcdefghijkl".index(to_letter), len(rows) - int(to_number)
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


@pytest.mark.parametrize(("x", "pop", "rank"), paper.TABLE_1)
def test_order_of_table_1(x: int, pop: int, rank: int) -> None:
    assert (x.bit_count(), order(x)) == (pop, rank)
    assert unorder(pop, rank) == x


def test_figure_4_is_the_board_described() -> None:
    assert str(Quixo().from_word(paper.FIGURE_4_S, "o")) == "..oo./.xo../xxxox/ox.../.ox.. o"


def test_move_of_figure_4() -> None:
    s, b, c = paper.FIGURE_4_S, paper.FIGURE_4_B, paper.FIGURE_4_C
    after = Quixo().from_word(s, "o").play("e4a4")
    assert after.word == (((s & b) >> 1) & b) | (s & ~b) | c
    assert str(after) == "..oo./o.xo./xxxox/ox.../.ox.. x"


def test_index_of_figure_5() -> None:
    position = Quixo().from_word(paper.FIGURE_5_WORD)
    assert position.counts == (8, 5)
    assert (position.x, position.o) == (paper.FIGURE_5_S_X, paper.FIGURE_5_O)
    index = order(paper.FIGURE_5_S_X) * comb(25 - 8, 5) + order(paper.FIGURE_5_S_O)
    assert position.paper_index == index
    assert Quixo().from_index(8, 5, index) == position


@given(st.data())
@settings(max_examples=20)
def test_shift_formulas_agree_with_play(data: st.DataObject) -> None:
    cells = data.draw(st.lists(st.sampled_from("...xo"), min_size=25, max_size=25))
    position = Quixo().parse("/".join("".join(cells[row : row + 5]) for row in range(0, 25, 5)) + " x")
    s = position.word
    for move in position.legal_moves():
        taken, pushed = map(position.rules.cell_text, (move.taken, move.pushed))
        if taken[1] == pushed[1]:
            shift = paper.SHIFTS_5X5["right" if taken > pushed else "left"]
        else:
            shift = paper.SHIFTS_5X5["up" if taken > pushed else "down"]
        low, high = sorted((move.taken, move.pushed))
        segment = sum(1 << cell for cell in range(low, high + 1, abs(shift)))
        b, c = segment << 32 | segment, 1 << 32 + move.pushed
        shifted = (s & b) << shift if shift > 0 else (s & b) >> -shift
        assert position.play(move).word == (shifted & b) | (s & ~b) | c


def test_tables_add_up_to_all_boards() -> None:
    assert sum(paper.TABLE_2_5X5.values()) == 3**25
    assert sum(wins for _, wins, _ in paper.TABLE_3_4X4) == paper.TOTALS_4X4["win"]
    assert sum(losses for _, _, losses in paper.TABLE_3_4X4) == paper.TOTALS_4X4["loss"]
    assert comb(25, 8) * comb(17, 8) == pytest.approx(paper.LARGEST_CLASS_5X5, rel=0.02)


def test_finished_4x4_boards_of_table_3() -> None:
    # With X to move a line of Xs has won, whether or not there is one of Os: that is the first row.
    rules = Quixo(4)
    with_line = [mask for mask in range(1 << 16) if rules.has_line(mask)]
    won = sum(1 << 16 - mask.bit_count() for mask in with_line)
    within = [0] * (1 << 16)  # for each set of cells, how many of its subsets have a line
    for mask in with_line:
        within[mask] = 1
    for bit in range(16):
        for mask in range(1 << 16):
            if mask >> bit & 1:
                within[mask] += within[mask ^ 1 << bit]
    both = sum(within[0xFFFF ^ mask] for mask in with_line)
    assert (0, won, won - both) == paper.TABLE_3_4X4[0]


def test_first_player_wins_3x3_in_as_many_moves_as_the_paper_says() -> None:
    # The definition of the outcomes, applied step by step to all boards: it tests the rules as a whole.
    rules = Quixo(3)
    results: dict[int, tuple[str | None, int]] = {}
    children: dict[int, set[int]] = {}
    for x in range(10):
        for o in range(10 - x):
            for index in range(comb(9, x) * comb(9 - x, o)):
                position = rules.from_index(x, o, index)
                if position.is_over:
                    results[position.mover_word] = (position.result, 0)
                else:
                    moves = position.legal_moves()
                    children[position.mover_word] = {position.play(move).mover_word for move in moves}
    start = rules.start().mover_word
    steps = 0
    while start not in results:
        steps += 1
        found: dict[int, tuple[str | None, int]] = {}
        for word, after in children.items():
            outcomes = {results[child][0] if child in results else None for child in after}
            if word not in results and "loss" in outcomes:
                found[word] = ("win", steps)
            elif word not in results and outcomes == {"win"}:
                found[word] = ("loss", steps)
        assert found
        results.update(found)
    assert results[start] == paper.START[3]


# --- The rules ---


@pytest.mark.parametrize(
    ("rows", "columns", "count"),
    [(2, 2, 8), (3, 3, 20), (4, 4, 32), (5, 5, 44), (2, 3, 14), (4, 5, 38), (2, 12, 68), (12, 2, 68)],
)
def test_number_of_moves(rows: int, columns: int, count: int) -> None:
    rules = Quixo(rows, columns)
    assert len(rules.moves) == count
    assert rules.start().legal_moves() == rules.moves


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
    assert replace(Quixo(5), line=4).line == 4
    assert (Quixo(3, 5).line, Quixo(5, 3).line) == (5, 5)
    assert (Quixo(3, 5).cells, Quixo(3, 5).is_square, Quixo(3).is_square) == (15, False, True)


def test_what_rules_are_called() -> None:
    rules = Quixo(4, 5, line=3, double_line="wins")
    assert str(rules) == "Quixo 4×5, line 3, double line wins"
    assert rules.size_text == "4×5"
    assert rules.name == "4x5-line3-wins"
    assert eval(repr(rules), {"Quixo": Quixo}) == rules


@pytest.mark.parametrize("rules", ALL_RULES[::7], ids=str)
def test_rules_as_json(rules: Quixo) -> None:
    data = rules.to_json()
    assert list(data) == ["rows", "columns", "line", "double_line"]
    assert Quixo.from_json({"game": "quixo", **data}) == rules


def test_json_of_earlier_versions_has_a_size() -> None:
    assert Quixo.from_json({"size": 4, "line": 3, "double_line": "wins"}) == Quixo(4, 4, 3, "wins")
    with pytest.raises(KeyError, match="columns"):
        Quixo.from_json({"rows": 4, "line": 4, "double_line": "loses"})


@pytest.mark.parametrize(
    ("text", "size"), [("4x5", (4, 5)), ("4", (4, 4)), ("12X2", (12, 2)), ("3×4", (3, 4))]
)
def test_sizes_as_people_write_them(text: str, size: tuple[int, int]) -> None:
    assert Quixo.parse_size(text) == size


@pytest.mark.parametrize("text", ["", "x", "4x", "x4", "4x5x6", "4 5", "4.5", "-4", "four", "٤"])
def test_texts_that_are_no_size(text: str) -> None:
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


@given(positions(over=True))
def test_no_moves_when_the_game_is_over(position: Position) -> None:
    assert position.is_over
    assert position.legal_moves() == ()
    assert position.result == ("win" if position.winner == position.turn else "loss")
    with pytest.raises(ValueError, match="the game is over"):
        position.play(position.rules.moves[0])


@each_shape
def test_every_move_is_undone(rows: int, columns: int) -> None:
    # A push cycles the tiles of its segment: as many pushes as the segment has tiles undo it.
    rules = Quixo(rows, columns)
    for move in rules.moves:
        low, high = sorted((move.taken, move.pushed))
        length = (high - low) // (1 if low // columns == high // columns else columns) + 1
        moved = {move.taken: move.pushed}
        for tile in set(range(rules.cells)) - {move.taken}:
            # A single O, followed through the push that X makes.
            moved[tile] = Position(rules, 0, 1 << tile).play(move).o.bit_length() - 1
        assert sorted(moved.values()) == list(range(rules.cells))
        where = list(range(rules.cells))
        for _ in range(length):
            where = [moved[tile] for tile in where]
        assert where == list(range(rules.cells))


@given(positions())
def test_successors_are_what_the_moves_lead_to(position: Position) -> None:
    successors = position.successors()
    assert successors == tuple((position.play(move), move) for move in position.legal_moves())
    assert all(child.last_move == move for child, move in successors)


@given(positions(over=False))
@settings(max_examples=50)
def test_previous_holds_where_a_move_came_from(position: Position) -> None:
    for move in position.legal_moves():
        assert (position, move) in position.play(move).previous()


@given(positions())
def test_every_previous_leads_here(position: Position) -> None:
    before = position.previous()
    assert len(set(before)) == len(before)
    for earlier, move in before:
        assert not earlier.is_over
        assert earlier.play(move) == position


@pytest.mark.parametrize("text", ["..../.o../..../.... x", "..../..../..../.... o", "..x./..../..../.... x"])
def test_states_without_a_previous_one(text: str) -> None:
    assert Position.parse(text).previous() == ()


@pytest.mark.parametrize(("double_line", "winner", "result"), [("loses", "o", "win"), ("wins", "x", "loss")])
def test_lines_of_both_marks(double_line: str, winner: str, result: str) -> None:
    # The push brings the O at a2 down into the lowest row's line and fills the upper row with Xs.
    rules = Quixo(3, double_line=double_line)  # type: ignore[arg-type]
    after = rules.parse(".xx/o../.oo x").play("a1a3")
    assert str(after) == "xxx/.../ooo o"
    assert (after.winner, after.result) == (winner, result)
    assert (after.swap().winner, after.swap().result) == ("x" if winner == "o" else "o", result)


def test_a_move_may_win_for_the_opponent() -> None:
    after = Quixo(3).parse(".x./o../.oo x").play("a1a3")
    assert (after.winner, after.turn, after.result) == ("o", "o", "win")


def test_a_line_wins_for_who_made_it() -> None:
    after = Quixo(3).parse(".xx/.o./..o x").play("a1a3")
    assert (after.winner, after.result) == ("x", "loss")


# --- Symmetries ---


@given(positions())
def test_symmetries_are_a_group(position: Position) -> None:
    images = position.symmetries()
    assert len(images) == (8 if position.rules.is_square else 4)
    assert images[0] == position
    for image in images:
        assert set(image.symmetries()) == set(images)
        assert image.turn == position.turn
        assert image.winner == position.winner


def test_symmetries_come_in_the_documented_order() -> None:
    position = Position.parse("xo./.../... x")
    assert [image.url_text[:-2] for image in position.symmetries()] == [
        "xo./.../...",
        "..x/..o/...",
        ".../.../.ox",
        ".../o../x..",
        ".ox/.../...",
        ".../..o/..x",
        ".../.../xo.",
        "x../o../...",
    ]


def test_symmetries_of_a_rectangle() -> None:
    assert [image.url_text[:-2] for image in Position.parse("xo./... x").symmetries()] == [
        "xo./...",
        ".../.ox",
        ".ox/...",
        ".../xo.",
    ]


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
    assert swapped.word == (position.word << 32 | position.word >> 32) & (1 << 64) - 1


# --- Words and indices ---


@given(positions())
def test_words_and_indices_round_trip(position: Position) -> None:
    rules = position.rules
    assert rules.from_word(position.word, position.turn) == position
    assert rules.from_word(position.mover_word).paper_index == position.paper_index
    x, o = rules.from_word(position.mover_word).counts
    assert rules.from_index(x, o, position.paper_index).mover_word == position.mover_word


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (3, 3), (2, 4), (3, 2)])
def test_indices_number_every_class(rows: int, columns: int) -> None:
    rules = Quixo(rows, columns)
    boards = set()
    for x in range(rules.cells + 1):
        for o in range(rules.cells + 1 - x):
            count = comb(rules.cells, x) * comb(rules.cells - x, o)
            for index in range(count):
                position = rules.from_index(x, o, index)
                assert position.counts == (x, o)
                assert rules.index(position.x, position.o) == index
                boards.add(position.word)
            with pytest.raises(ValueError, match=f"index {count}: .* 0 to {count - 1}"):
                rules.from_index(x, o, count)
    assert len(boards) == 3**rules.cells


@given(st.integers(0, 2**25 - 1))
def test_unorder_is_the_inverse_of_order(mask: int) -> None:
    assert unorder(mask.bit_count(), order(mask)) == mask


def test_numbers_that_are_no_boards() -> None:
    rules = Quixo(4)
    with pytest.raises(ValueError, match="X mask 0x10000: a board of 4×4 has 16 bits"):
        rules.from_word(1 << 48)
    with pytest.raises(ValueError, match="both have 0x1"):
        rules.from_word(1 << 32 | 1)
    with pytest.raises(ValueError, match="both have 0x1"):
        rules.index(1, 1)
    with pytest.raises(ValueError, match="must not be negative"):
        rules.from_word(-1)
    with pytest.raises(ValueError, match="turn 'z': must be 'x' or 'o'"):
        rules.from_word(0, "z")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="class of 9 Xs and 8 Os: there are 16 cells"):
        rules.from_index(9, 8, 0)
    with pytest.raises(ValueError, match="must not be negative"):
        order(-1)
    with pytest.raises(ValueError, match="neither may be negative"):
        unorder(-1, 0)
    with pytest.raises(ValueError, match="with pop 0 there is only ord 0"):
        unorder(0, 1)


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


@each_shape
def test_move_texts_round_trip(rows: int, columns: int) -> None:
    rules = Quixo(rows, columns)
    texts = {rules.move_text(move) for move in rules.moves}
    assert len(texts) == len(rules.moves)
    for move in rules.moves:
        assert rules.parse_move(rules.move_text(move)) == move
        assert rules.parse_move(rules.move_text(move).upper()) == move


@given(st.text("abcdelABCL0123459", max_size=7) | st.text(max_size=5), st.sampled_from(SHAPES))
def test_any_move_text_is_a_move_or_an_error(text: str, shape: tuple[int, int]) -> None:
    rules = Quixo(*shape)
    try:
        move = rules.parse_move(text)
    except NotationError as error:
        place = error.column
    else:
        place = 0
        assert move in rules.moves
        assert rules.move_text(move) == text.lower()
    assert 0 <= place <= len(text)


@given(st.text("xo./ _X", max_size=40) | st.text(max_size=40))
def test_any_text_is_a_position_or_an_error(text: str) -> None:
    try:
        position = Position.parse(text)
    except NotationError as error:
        place = error.column
    else:
        place = 0
        assert str(position) == text.replace("_", " ").lower()
    assert 0 <= place <= len(text)


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
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
    ],
)
def test_bad_moves_point_at_the_place(text: str, column: int, reason: str) -> None:
    with pytest.raises(NotationError, match=reason) as caught:
        Quixo(4).parse_move(text)
    assert (caught.value.text, caught.value.column) == (text, column)
    assert str(caught.value).split("\n")[1:] == [f"  {text}", "  " + " " * column + "^"]


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
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
    ],
)
def test_bad_positions_point_at_the_place(text: str, column: int, reason: str) -> None:
    with pytest.raises(NotationError, match=reason) as caught:
        Position.parse(text)
    assert (caught.value.text, caught.value.column) == (text, column)
    assert str(caught.value).split("\n")[1:] == [f"  {text}", "  " + " " * column + "^"]


def test_boards_of_more_cells_than_can_be_drawn() -> None:
    text = "/".join(["....."] * 13) + " x"
    with pytest.raises(NotationError, match="a board of 13×5 has 65 cells; must be at most 64") as caught:
        Position.parse(text)
    assert caught.value.column == 77


@pytest.mark.parametrize(
    ("text", "column", "reason"),
    [
        ("..../..../.../... x", 3, "row too long; a board of 4×3 has rows of 3"),
        ("../../../.. x", 2, "row too short; a board of 4×3 has rows of 3"),
        (".../.../... x", 11, "too few rows; a board of 4×3 has 4"),
        (".../.../.../.../... x", 15, "too many rows; a board of 4×3 has 4"),
    ],
)
def test_rules_parse_only_boards_of_their_shape(text: str, column: int, reason: str) -> None:
    with pytest.raises(NotationError, match=reason) as caught:
        Quixo(4, 3).parse(text)
    assert caught.value.column == column


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


def test_positions_do_not_change() -> None:
    position = Quixo().start()
    with pytest.raises(FrozenInstanceError):
        position.x = 1  # type: ignore[misc]
    assert not hasattr(position, "__dict__")


@given(positions())
def test_ascii_is_plain_and_narrow(position: Position) -> None:
    moves = position.legal_moves()
    for shown in (position, position.play(moves[0]) if moves else position):
        text = shown.ascii()
        assert text.isascii()
        assert max(map(len, text.splitlines())) < 80


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


def test_ascii_of_a_tall_board() -> None:
    rows = Quixo(12, 2).start().play("a1a12").ascii().splitlines()
    assert (rows[0], rows[11], rows[12]) == ("12  [x] .", " 1  (.) .", "     a  b")


def test_ascii_of_a_won_game() -> None:
    assert Quixo(3).parse(".xx/.o./..o x").play("a1a3").ascii() == (
        " 3  [x] x  x\n"
        " 2   .  o  .\n"
        " 1  (.) .  o\n"
        "     a  b  c\n"
        "x has won\n"
        "last move a1a3: [ ] pushed in, ( ) taken"
    )
