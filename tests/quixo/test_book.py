"""Books: what they say is what the table says, and damaged ones are refused."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from quixo.entries import widened
from quixo.forms import Forms, change_outcomes, contents
from quixo.test_solve import all_pairs

import inarow
from inarow.errors import DamagedFile, WrongTable
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.engines.scratch import SCRATCH_NAME
from inarow.quixo.table.book import (
    OUTCOME_MARKS,
    PLIES_MARKS,
    Book,
    book_name,
    open_book,
    shipped_book,
    write_book,
)
from inarow.quixo.table.copy import copy_table
from inarow.quixo.table.folder import TableFolder
from inarow.quixo.table.location import NEARLY_FULL, nearly_full_marks
from inarow.quixo.table.manifest import Manifest
from inarow.quixo.table.pairs import entry_count, pairs_of
from inarow.quixo.table.store import INVALID, MISSING
from inarow.quixo.table.table import Table, open_table

NAMES = {1: "win", 0: "draw", -1: "loss"}


@pytest.fixture
def table(four: Forms) -> Table:
    return four.compact


@pytest.fixture
def book(book_of_four: Book) -> Book:
    return book_of_four


def test_what_is_kept_without_a_table(kept: Path) -> None:
    assert sorted(file.name for file in kept.iterdir()) == [
        "4x4-line4-loses.book",
        "4x4-line4-loses.json",
    ]


def test_a_book_has_the_entries_that_the_core_finds(book: Book) -> None:
    solved = all_pairs(Quixo(4))
    assert sorted(book.pairs) == sorted(pair for pair in solved if sum(pair) <= OUTCOME_MARKS)
    for a, b in book.pairs:
        expected = widened(solved[a, b])
        found = book.entries(a, b)
        if a + b > PLIES_MARKS:
            expected = np.where(expected < 32767, 0, np.where(expected > 32767, 65535, expected))
        assert np.array_equal(found, expected), (a, b)


def test_a_pair_with_very_many_plies_is_kept_without_them(tmp_path: Path) -> None:
    """As one of 5×5 has, when the double line wins."""
    rules = Quixo(3)
    entries = np.arange(entry_count(rules, 4, 2), dtype=np.uint16)  # losses in 0, 1, 2 … plies
    assert entries.size > 256
    write_book(tmp_path / "b", rules, [(4, 2, entries)], [], 8, 10)
    assert not np.any(open_book(tmp_path / "b").entries(4, 2))


def random_words(cells: int, count: int) -> list[int]:
    """Of positions with few marks, some more than books have."""
    chance = random.Random(1)
    words = []
    for _ in range(count):
        marks = chance.randrange(min(cells, OUTCOME_MARKS + 1) + 1)
        split = chance.randint(0, marks)
        places = enumerate(chance.sample(range(cells), marks))
        words.append(sum(1 << cell + (32 if i < split else 0) for i, cell in places))
    return words


def assert_same(book: Book, table: Table, words: list[int]) -> None:
    for word in words:
        position = table.rules.from_word(word)
        marks = sum(position.counts)
        found, known = book.get(position.mover_word), table.probe(position)
        if marks > OUTCOME_MARKS:
            assert found is None
        else:
            assert found is not None
            assert found.value == known.value
            assert found.plies == (known.plies if marks <= PLIES_MARKS else None)


def test_a_book_knows_what_the_table_knows(book: Book, table: Table) -> None:
    assert_same(book, table, random_words(16, 3000))


@pytest.mark.parametrize("rules", [Quixo(3, 4), Quixo(7, 2, line=3, double_line="wins")], ids=str)
def test_books_of_rectangles(rules: Quixo, tmp_path: Path) -> None:
    inarow.solve(rules, tmp_path / "table")
    inarow.solve(rules, tmp_path / "book", store=False)
    book = open_book(tmp_path / "book" / f"{rules.name}.book")
    assert book.rules == rules
    assert_same(book, open_table(tmp_path / "table"), random_words(rules.cells, 1000))


def test_many_positions_at_once(book: Book, table: Table) -> None:
    words = np.array([*random_words(16, 500), 1 << 16, 1 << 32 | 1], np.uint64)
    values, plies = book.native.probe_many(words)
    assert values[-2:].tolist() == [INVALID] * 2
    for word, value, count in zip(words[:-2].tolist(), values.tolist(), plies.tolist(), strict=False):
        outcome = book.get(word)
        assert (outcome is None) == (value == MISSING)
        if outcome is not None:
            assert (outcome.value, outcome.plies) == (NAMES[value], None if count < 0 else count)


def test_the_counts_of_its_classes(book: Book, table: Table) -> None:
    counted = {(c.x, c.o): (c.win, c.draw, c.loss) for c in table.statistics.classes}
    assert len(book.classes) == sum(x + o <= OUTCOME_MARKS for x, o in counted)
    assert {(x, o): tuple(rest) for x, o, *rest in book.classes}.items() <= counted.items()


def test_words_that_are_no_positions(book: Book) -> None:
    for word in (1 << 32 | 1, 1 << 16, 1 << 48):
        with pytest.raises(ValueError, match="not a position"):
            book.get(word)


@settings(max_examples=60, deadline=None)
@given(st.data())
def test_a_changed_byte_is_noticed(kept: Path, data: st.DataObject) -> None:
    whole = (kept / book_name(Quixo(4))).read_bytes()
    at = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:at] + bytes([whole[at] ^ data.draw(st.integers(1, 255))]) + whole[at + 1 :]
    with pytest.raises(inarow.DamagedFile, match="some book"):
        Book(changed, "some book")


@settings(max_examples=30, deadline=None)
@given(st.data())
def test_a_shortened_book_is_noticed(kept: Path, data: st.DataObject) -> None:
    whole = (kept / book_name(Quixo(4))).read_bytes()
    with pytest.raises(inarow.DamagedFile, match="some book"):
        Book(whole[: data.draw(st.integers(0, len(whole) - 1))], "some book")


def test_other_files_are_no_books(four: Forms) -> None:
    with pytest.raises(inarow.DamagedFile, match="not a book"):
        open_book(four.folder / "compact" / "pair-01-00.values")


def test_there_is_no_book_of_small_boards() -> None:
    assert shipped_book(Quixo(4)) is None


# --- Tables of outcomes have the plies of nearly full boards, and whoever reads such a table knows them ---


RULES = Quixo(3)


@pytest.fixture
def whole(three: Forms) -> Path:
    return three.folder / "compact"


@pytest.fixture
def outcomes(three: Forms) -> Path:
    return three.folder / "outcomes"


def some_positions() -> list[Position]:
    choose = random.Random(7)
    texts = ["".join(choose.choices("xo.", k=9)) for _ in range(300)]
    return [RULES.parse(f"{text[:3]}/{text[3:6]}/{text[6:]}_x") for text in texts]


def test_their_plies_are_known(whole: Path, outcomes: Path) -> None:
    with inarow.open_table(whole) as known, inarow.open_table(outcomes) as table:
        for position in some_positions():
            expected, found = known.probe(position), table.probe(position)
            assert found.value == expected.value
            if sum(position.counts) >= nearly_full_marks(RULES):
                assert found == expected
        positions = some_positions()
        for outcome, exact in zip(table.outcomes(positions), known.outcomes(positions), strict=True):
            assert outcome is not None
            assert exact is not None
            assert outcome.plies in (None, exact.plies)


def test_nothing_is_kept_for_boards_that_are_not_nearly_full(outcomes: Path, tmp_path: Path) -> None:
    assert not (outcomes / NEARLY_FULL / SCRATCH_NAME).exists()
    inarow.solve(RULES, tmp_path, outcomes_only=True, stop_at=8)
    assert (tmp_path / NEARLY_FULL / SCRATCH_NAME).exists()  # for those with 7 and 6 marks


def test_tables_with_and_without_plies_are_told_apart(outcomes: Path) -> None:
    with pytest.raises(WrongTable, match=r"a table without plies .* table with plies of"):
        TableFolder(outcomes, RULES)


def test_a_run_that_stopped_early_completes_them(outcomes: Path, tmp_path: Path) -> None:
    inarow.solve(RULES, tmp_path, outcomes_only=True, stop_at=8)
    pairs = [record.pair for record in Manifest.load(tmp_path / NEARLY_FULL).pairs]
    assert pairs == list(pairs_of(RULES, 8))
    inarow.solve(RULES, tmp_path, outcomes_only=True)
    assert contents(tmp_path / NEARLY_FULL) == contents(outcomes / NEARLY_FULL)


def test_progress_ends_with_all_entries(tmp_path: Path) -> None:
    seen: list[tuple[int, int]] = []
    inarow.solve(RULES, tmp_path, outcomes_only=True, progress=lambda *at: seen.append(at))
    assert seen == sorted(seen)
    assert len({total for _, total in seen}) == 1
    assert seen[-1][0] == seen[-1][1]


def test_they_are_copied(outcomes: Path, tmp_path: Path) -> None:
    copy_table(outcomes, tmp_path / "copy")
    assert contents(tmp_path / "copy" / NEARLY_FULL) == contents(outcomes / NEARLY_FULL)
    (tmp_path / "without").mkdir()
    for name in contents(outcomes):
        (tmp_path / "without" / name).write_bytes((outcomes / name).read_bytes())
    copy_table(tmp_path / "without", tmp_path / "copy without")
    assert not (tmp_path / "copy without" / NEARLY_FULL).exists()
    with inarow.open_table(tmp_path / "copy without") as table:  # as older releases wrote them
        assert table.nearly_full is None


def test_those_of_another_game_are_refused(outcomes: Path, tmp_path: Path) -> None:
    copy_table(outcomes, tmp_path / "table")
    other = Quixo(3, double_line="wins")
    for path in (tmp_path / "table" / NEARLY_FULL).iterdir():
        path.unlink()
    inarow.solve(other, tmp_path / "table" / NEARLY_FULL)
    with pytest.raises(WrongTable, match="belongs to a table of"):
        inarow.open_table(tmp_path / "table")


def test_a_contradiction_is_refused(outcomes: Path, tmp_path: Path) -> None:
    copy_table(outcomes, tmp_path / "table")
    change_outcomes(tmp_path / "table", 4, 3, lambda plane, codes: 2 - codes)
    with (
        inarow.open_table(tmp_path / "table") as table,
        pytest.raises(DamagedFile, match=f"{NEARLY_FULL} contradict each other"),
    ):
        table.probe(RULES.parse("xxo/oox/x.._x"))
