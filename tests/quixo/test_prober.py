"""A prober merges what is at hand: tables, the book, the shipped results, a search."""

from __future__ import annotations

import pickle
import random
import threading
from collections.abc import Iterator
from contextlib import ExitStack
from importlib.resources import files
from math import comb
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pytest
from quixo.boards import previous, random_board
from quixo.edges import random_position
from quixo.forms import Forms, change_outcomes

import inarow
from inarow._native.quixo import Locator
from inarow.locking import locked
from inarow.quixo.probe import Probe
from inarow.quixo.prober import Prober, SearchLimits, open_prober
from inarow.quixo.results import longest_win, results
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.search import search
from inarow.quixo.solver.solve import solve
from inarow.quixo.solver.user_table import user_table
from inarow.quixo.table.book import Book, book_name, open_book, shipped_book
from inarow.quixo.table.copy import copy_table
from inarow.quixo.table.table import open_table
from inarow.values import Value

RULES = Quixo(5)
QUIET = "xo.xo/ox.../....x/o...o/x.ox. x"  # past the book, and decided within 8 plies by nobody
NODES = 1 << 10
WON_IN_7 = "o.oxx/xxxo./xx.x./oxo.o/oox.. x"


@pytest.fixture(scope="module")
def book() -> Book:
    found = shipped_book(RULES)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def prober() -> Iterator[Prober]:
    """Of 5×5, without a table; its answers do not depend on the time."""
    with open_prober(RULES, search_nodes=NODES, search_seconds=60) as prober:
        yield prober


def test_the_book_is_ours_and_small(book: Book) -> None:
    """Its checksum, as docs/results/quixo.md has it."""
    data = (files("inarow") / "data" / "quixo" / book_name(RULES)).read_bytes()
    assert data[-32:].hex() == "06f611e2ac92e6f93475457d5cc27ac15bedaecf58e78e606717daba3168f33a"
    assert len(data) < 21_000_000
    assert (book.plies_marks, book.outcome_marks) == (8, 10)
    assert len(book.pairs) == sum(n // 2 + 1 for n in range(11))


def test_its_classes_have_the_counts_of_the_results(book: Book) -> None:
    counted = {(c.x, c.o): (c.win, c.draw, c.loss) for c in results(RULES).statistics.classes}
    assert {(x, o): tuple(rest) for x, o, *rest in book.classes} == {
        pair: counts for pair, counts in counted.items() if sum(pair) <= 10
    }


def test_entries_sum_up_to_the_counts(book: Book) -> None:
    """Up to six marks, each entry as often as its block has images."""
    counted = {
        (c.x, c.o): {plies: (won, lost) for plies, won, lost in c.by_plies}
        for c in results(RULES).statistics.classes
    }
    locator = Locator(Quixo(5).native)
    for a, b in book.pairs:
        if a + b > 6:
            continue
        entries = book.entries(a, b).reshape(1 if a == b else 2, -1, comb(25 - a, b))
        for plane, (x, o) in enumerate([(a, b), (b, a)][: len(entries)]):
            found: dict[int, list[int]] = {}
            for block, of_block in enumerate(entries[plane]):
                word = locator.word(a, b, 0, block, 0) >> 32
                images = len(set(RULES.from_word(word << 32).symmetries()))
                values, counts = np.unique(of_block, return_counts=True)
                for value, count in zip(values.tolist(), counts.tolist(), strict=True):
                    if value != 32767:
                        won = value > 32767
                        row = found.setdefault(65535 - value if won else value, [0, 0])
                        row[not won] += count * images
            assert {p: tuple(row) for p, row in found.items()} == counted[x, o]


def test_the_book_agrees_with_itself(book: Book) -> None:
    """Each value follows from those after the moves; with plies, so do these."""
    chance = random.Random(7)
    for _ in range(150):
        position = random_position(RULES, chance, chance.randint(0, 9))
        if position.is_over:
            continue
        here = book.get(position.mover_word)
        assert here
        after = []
        for move in position.legal_moves():
            child = book.get(position.play(move).mover_word)
            assert child is not None
            after.append(child)
        values = {child.value for child in after}
        expected = "win" if "loss" in values else "draw" if "draw" in values else "loss"
        assert here.value == expected, position
        if (position.x | position.o).bit_count() < 8 and here.plies is not None:
            plies = [child.plies for child in after if child.value != here.value]
            known = [count for count in plies if count is not None]
            assert here.plies == 1 + (min(known) if here.value == "win" else max(known)), position


def test_the_book_agrees_with_the_search(book: Book) -> None:
    chance, found = random.Random(8), 0
    for _ in range(400):
        position = random_position(RULES, chance, 8, chance.randint(7, 8))
        searched = search(position, 5)
        booked = book.get(position.mover_word)
        assert booked
        if booked.plies is not None and booked.plies <= 5:
            found += 1
            assert searched == booked
        elif searched is not None:  # known from its class, but not in how many plies
            assert (searched.value, searched.plies) == (booked.value, None)
    assert found > 20


def test_probes_tell_their_source(prober: Prober) -> None:
    start = prober.probe(RULES.start())
    assert (start.value, start.plies, start.source, start.reason) == ("draw", None, "book", None)
    assert {move.value for move in start.moves} == {"draw"}
    far = prober.probe(RULES.parse("x.oox/x...o/xo..o/x.o.x/ox..o x"))
    assert far.source == "search"
    assert far.to_json()["source"] == "search"
    quiet = prober.probe(RULES.parse(QUIET))
    assert (quiet.value, quiet.source) == (None, "search")
    assert quiet.to_json()["value"] is None
    assert quiet.reason == "the book ends at 10 marks, and nobody wins by force within 8 plies"


def test_moves_come_best_first(prober: Prober) -> None:
    chance = random.Random(9)
    order: dict[str | None, int] = {"win": 0, "draw": 1, None: 2, "loss": 3}
    for marks in (4, 8, 10, 14):
        moves = prober.probe(random_position(RULES, chance, marks)).moves
        assert [order[move.value] for move in moves] == sorted(order[move.value] for move in moves)


def test_a_line_goes_as_far_as_is_known(prober: Prober) -> None:
    assert list(prober.line(RULES.start())) == []
    begin = RULES.parse("xxx../x..../...../...../o.o.. x")
    probe = prober.probe(begin)
    assert (probe.value, probe.source) == ("win", "book")
    line = list(prober.line(begin))
    assert 0 < len(line) < (probe.plies or 0)
    assert [move.plies for move in line] == [(probe.plies or 0) - i for i in range(len(line))]


# --- Shipped results ---


@pytest.mark.parametrize("line", [3, 4, 5])
@pytest.mark.parametrize("double_line", ["loses", "wins"])
def test_the_start_of_5x5_is_known_under_all_rules(line: int, double_line: Any) -> None:
    rules = Quixo(5, line=line, double_line=double_line)
    known = results(rules).start
    with open_prober(rules) as prober:
        start = prober.probe(rules.start())
        assert prober.statistics == results(rules).statistics
    assert known is not None
    assert (start.value, start.plies, start.reason) == (known.value, known.plies, None)
    assert start.source == ("book" if rules == RULES else "results")


def test_the_longest_win_is_followed_to_its_end(prober: Prober) -> None:
    game = longest_win()
    begin = game[0].swap().symmetries()[3]
    probe = prober.probe(begin)
    assert (str(probe), probe.source, probe.reason) == ("win in 169", "results", None)
    assert (probe.moves[0].plies, probe.moves[0].source) == (169, "results")
    # A loss of unknown length does not come before one that is known to be the longest.
    lost = prober.probe(game[1])
    assert (str(lost), lost.moves[0].plies) == ("loss in 168", 168)
    assert {move.value for move in lost.moves} == {"loss"}
    line = list(prober.line(begin))
    assert [move.plies for move in line] == list(range(169, 0, -1))
    assert line[-1].position.winner == begin.turn


def test_a_win_follows_from_a_move_that_is_known_to_win(prober: Prober) -> None:
    """One ply before the longest win: the book and the search know nothing, the move says it all."""
    lost = longest_win()[1]
    parents = [before for before, _ in previous(lost) if before != longest_win()[0]]
    found = 0
    for before in parents:
        probe = prober.probe(before)
        assert probe.value == "win"
        found += probe.plies is None
        if probe.plies is None:
            assert (probe.moves[0].plies, probe.source) == (169, "results")
            assert probe.reason == "not all of its moves are known, and it takes more than 8 plies"
    assert found > 0


def test_other_rules_have_no_book() -> None:
    rules = Quixo(5, line=4)
    with open_prober(rules) as prober:
        probe = prober.probe(rules.parse(".x.../...../...../...../..... o"))
        assert (probe.value, probe.source) == ("loss", "results")  # as all positions with one mark are
        assert probe.reason == "not all of its moves are known, and it takes more than 8 plies"
        with pytest.raises(inarow.WrongTable, match="this prober is of"):
            prober.probe(RULES.start())


def test_get_has_a_default_for_what_is_not_known(prober: Prober) -> None:
    assert prober.get(RULES.parse(QUIET), None) is None
    known = prober.get(RULES.start(), None)
    assert known is not None
    assert known.value == "draw"


def test_the_words_say_what_is_known(prober: Prober) -> None:
    assert "no table" in prober.describe()
    assert "up to 10 marks" in prober.describe()
    assert "within 8 plies" in prober.describe()
    assert not prober.is_fast


# --- Tables ---


@pytest.mark.parametrize(
    "rules", [Quixo(3), Quixo(3, 4), Quixo(2, 5, 3, "wins")], ids=lambda rules: rules.name
)
def test_more_sources_know_more_and_all_are_right(
    rules: Quixo, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Every set of sources against the whole table, and against every smaller set."""
    solve(rules, tmp_path / "whole")
    solve(rules, tmp_path / "book", store=False)
    book = open_book(tmp_path / "book" / book_name(rules))
    solve(rules, tmp_path / "outcomes", outcomes_only=True)
    solve(rules, tmp_path / "upper", stop_at=rules.cells // 2 + 1)
    chance = random.Random(12)
    with ExitStack() as opened:
        whole, outcomes, upper = (
            opened.enter_context(open_table(tmp_path / name)) for name in ("whole", "outcomes", "upper")
        )
        limits = SearchLimits(plies=4, nodes=30, seconds=60)
        probers: dict[frozenset[object], Prober] = {}
        for there in (None, book):
            monkeypatch.setattr("inarow.quixo.prober.shipped_book", lambda rules, there=there: there)
            for some in ([], [upper], [outcomes], [upper, outcomes], [outcomes, upper], [whole]):
                sources = frozenset({*some, there} - {None})
                probers[sources] = Prober(rules, some, opened.pop_all(), limits)
        for _ in range(60):
            position = random_board(rules, chance)
            position = chance.choice([position, position.swap()])
            truth = whole.probe(position)
            found = {tables: prober.probe(position) for tables, prober in probers.items()}
            for tables, probe in found.items():
                for known, right in zip(facts(probe), facts(truth), strict=True):
                    assert known in (None, right), (position, tables)
                for fewer, less in found.items():
                    if fewer < tables:
                        for known, before in zip(facts(probe), facts(less), strict=True):
                            assert before in (None, known), (position, tables, fewer)


def facts(probe: Probe) -> list[Value | int | None]:
    """The values and plies that a probe knows, None for each that it does not; those of a draw are None."""
    found: list[Value | int | None] = [probe.value, probe.plies]
    for move in sorted(probe.moves, key=lambda move: move.move):
        found += [move.value, move.plies]
    return found


SHALLOW = SearchLimits(plies=2, nodes=4, seconds=60)


def test_outcomes_alone_are_a_tables(four: Forms) -> None:
    prober = Prober(Quixo(4), [four.outcomes], ExitStack(), SHALLOW)
    drawn = prober.probe(Quixo(4).parse("oxxo/x.x./ooo./.xxo x"))
    assert (drawn.value, drawn.source, drawn.reason) == ("draw", "table", None)
    assert "not how fast" in prober.describe()
    assert not prober.is_fast


def test_a_gap_of_a_table_is_named(tmp_path: Path) -> None:
    solve(Quixo(3), tmp_path, outcomes_only=True, stop_at=5)
    with open_table(tmp_path) as part:
        prober = Prober(Quixo(3), [part], ExitStack(), SHALLOW)
        start = prober.probe(Quixo(3).start())
        assert start.value is None
        assert start.reason is not None
        assert "the table lacks it" in start.reason
        assert "--outcomes-only" in start.reason
        assert "some of the positions" in prober.describe()


def test_sources_that_contradict_each_other_are_refused(three: Forms, tmp_path: Path) -> None:
    copy_table(three.folder / "outcomes", tmp_path)
    change_outcomes(tmp_path, 2, 2, lambda plane, codes: 2 - codes)
    with open_table(tmp_path) as wrong:
        prober = Prober(Quixo(3), [wrong], ExitStack(), SHALLOW)
        with pytest.raises(inarow.DamagedFile, match=r"says loss, the .* win in 1: one of them is"):
            prober.probe(Quixo(3).parse("xx./oo./... x"))


def test_a_small_board_is_solved_once(monkeypatch: pytest.MonkeyPatch) -> None:
    reports: list[tuple[int, int]] = []
    rules = Quixo(3, double_line="wins")
    with open_prober(rules, progress=lambda *report: reports.append(report)) as first:
        assert first.is_fast
        assert first.probe(rules.start()).source == "table"
        assert "every position" in first.describe()
        assert sum(first.statistics.states.values()) == 3**9
        assert len(list(first.line(rules.start()))) == first.probe(rules.start()).plies
    assert reports[-1][0] == reports[-1][1]
    monkeypatch.setattr("inarow.quixo.solver.user_table.solve", None)
    monkeypatch.setattr("inarow.quixo.solver.user_table.table_in_memory", None)
    with open_prober(rules, progress=lambda *_: pytest.fail("solved again")) as second:
        assert second.probe(rules.start()).value == "win"


def test_without_a_home_a_board_is_solved_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In memory: nothing is written anywhere."""
    (tmp_path / "home").write_text("a file, where no folder can be made")
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path / "home"))
    monkeypatch.setattr("tempfile.mkstemp", None)
    monkeypatch.setattr("tempfile.mkdtemp", None)
    with open_prober(Quixo(3)) as prober:
        assert str(prober.probe(Quixo(3).start())) == "win in 7"
        assert prober.statistics == inarow.solve(Quixo(3)).statistics
        assert prober.is_fast
        assert len(list(prober.line(Quixo(3).start()))) == 7


def test_while_another_process_solves_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    folder = user_table(Quixo(3))
    folder.mkdir(parents=True)
    with locked(folder, "testing"), open_prober(Quixo(3)) as prober:
        assert str(prober.probe(Quixo(3).start())) == "win in 7"
    assert list(folder.iterdir()) == []


def test_what_a_table_of_a_small_board_lacks_is_solved(tmp_path: Path) -> None:
    solve(Quixo(3), tmp_path / "outcomes", outcomes_only=True)
    solve(Quixo(3), tmp_path / "part", stop_at=5)
    for name in ("outcomes", "part"):
        with open_prober(Quixo(3), [tmp_path / name]) as prober:
            assert prober.is_fast
            assert str(prober.probe(Quixo(3).start())) == "win in 7"


def test_tables_of_other_rules(tmp_path: Path) -> None:
    solve(Quixo(2), tmp_path / "2x2")
    solve(Quixo(3), tmp_path / "3x3")
    with pytest.raises(inarow.WrongTable, match=r"2×2.* not of Quixo 3×3"):
        open_prober(Quixo(3), [tmp_path / "2x2"])
    with (
        open_table(tmp_path / "3x3") as table,
        open_prober(Quixo(2), [table, tmp_path / "2x2"]) as prober,
    ):
        assert str(prober.probe(Quixo(2).start())) == "win in 3"
        prober.close()
        assert table.probe(Quixo(3).start()).plies == 7  # what was given open stays open


def test_threads_may_share_a_prober(prober: Prober) -> None:
    chance = random.Random(11)
    positions = [random_position(RULES, chance, 14) for _ in range(6)]
    alone = [prober.probe(position) for position in positions]
    together: dict[int, Any] = {}

    def probe(nth: int) -> None:
        together[nth] = prober.probe(positions[nth % 6])

    threads = [threading.Thread(target=probe, args=(nth,)) for nth in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [together[nth] for nth in range(12)] == alone * 2


# --- A probe in a notebook, and its moves ---


@pytest.fixture
def probe(three: Forms) -> Probe:
    return three.compact.probe(Position.parse("x../..o/... x"))


def rows(probe: Probe) -> list[list[str]]:
    tree = ElementTree.fromstring(probe._repr_html_())
    return [["".join(cell.itertext()) for cell in row.iter("td")] for row in tree.iter("tr")]


def test_every_move_is_in_the_row_of_its_outcome(probe: Probe) -> None:
    position, *outcomes = rows(probe)
    assert position == ["▲ win in 5", "X to move"]
    listed = [(words[2:], move) for words, moves in outcomes for move in moves.split()]
    assert listed == [
        (f"{move.value} in {move.plies}", Quixo(3).move_text(move.move)) for move in probe.moves
    ]


def test_the_board_is_drawn(probe: Probe) -> None:
    assert probe.position.svg(240) in probe._repr_html_()


def test_a_game_that_is_over_has_no_moves() -> None:
    over = Position.parse("xxx/oo./... o")
    assert rows(Probe(over, "loss", 0, ())) == [["▼ loss in 0", "game over"]]


def test_moves_that_are_made_later_are_a_tuple_to_everyone(probe: Probe) -> None:
    moves = tuple(probe.moves)
    assert probe.moves == moves
    assert moves == probe.moves
    assert hash(probe.moves) == hash(moves)
    assert repr(probe.moves) == repr(moves)
    assert probe.moves[1:3] == moves[1:3]
    assert probe.moves != moves[1:]
    again = pickle.loads(pickle.dumps(probe))
    assert again == probe
    assert type(again.moves) is tuple
