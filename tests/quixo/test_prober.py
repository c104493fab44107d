"""Answers without a table: the shipped book against itself and the results, the search past it."""

import random
from math import comb

import numpy as np
import pytest

import inarow
from inarow._native.quixo import Locator
from inarow.quixo.prober import Bookworm, promise
from inarow.quixo.results import results
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.search import search
from inarow.quixo.table.book import Book, shipped_book

RULES = Quixo(5)


@pytest.fixture(scope="module")
def book() -> Book:
    found = shipped_book(RULES)
    assert found is not None
    return found


@pytest.fixture(scope="module")
def bookworm() -> Bookworm:
    return Bookworm(RULES)


def random_position(chance: random.Random, marks: int, split: int | None = None) -> Position:
    cells = chance.sample(range(25), marks)
    split = chance.randint(0, marks) if split is None else split
    x, o = (sum(1 << cell for cell in part) for part in (cells[:split], cells[split:]))
    return Position(RULES, x, o)


def test_the_book_is_ours_and_small(book: Book) -> None:
    """Its checksum, as docs/results/quixo.md has it."""
    assert book.sha256 == "7ce5b40557b8635aa31a18dcea994daf2410c6c935189ef706c8e00048499517"
    assert len(book) < 20_000_000
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
    locator = Locator(5)
    for a, b in book.pairs:
        if a + b > 6:
            continue
        entries = book.entries(a, b).reshape(1 if a == b else 2, -1, comb(25 - a, b))
        for plane, (x, o) in enumerate([(a, b), (b, a)][: len(entries)]):
            found: dict[int, list[int]] = {}
            for block, of_block in enumerate(entries[plane]):
                word = locator.word(a, b, 0, block, 0) >> 32
                images = len({image(word, g) for g in range(8)})
                values, counts = np.unique(of_block, return_counts=True)
                for value, count in zip(values.tolist(), counts.tolist(), strict=True):
                    if value != 32767:
                        won = value > 32767
                        row = found.setdefault(65535 - value if won else value, [0, 0])
                        row[not won] += count * images
            assert {p: tuple(row) for p, row in found.items()} == counted[x, o]


def image(mask: int, symmetry: int) -> int:
    cells = [divmod(cell, 5) for cell in range(25) if mask >> cell & 1]
    for _ in range(symmetry & 3):
        cells = [(column, 4 - row) for row, column in cells]
    if symmetry & 4:
        cells = [(row, 4 - column) for row, column in cells]
    return sum(1 << row * 5 + column for row, column in cells)


def test_the_book_agrees_with_itself(bookworm: Bookworm) -> None:
    """Each value follows from those after the moves; with plies, so do these."""
    chance = random.Random(7)
    for _ in range(150):
        position = random_position(chance, chance.randint(0, 9))
        if position.terminal:
            continue
        here = bookworm.book and bookworm.book.get(position.mover_word)
        assert here
        after = []
        for move in position.legal_moves():
            assert bookworm.book
            child = bookworm.book.get(position.play(move).mover_word)
            assert child is not None
            after.append(child)
        values = {child.value for child in after}
        expected = "win" if "loss" in values else "draw" if "draw" in values else "loss"
        assert here.value == expected, position
        if (position.x | position.o).bit_count() < 8 and here.plies is not None:
            plies = [child.plies for child in after if child.value != here.value]
            known = [count for count in plies if count is not None]
            assert here.plies == 1 + (min(known) if here.value == "win" else max(known)), position


def test_the_book_agrees_with_the_search(bookworm: Bookworm) -> None:
    chance, found = random.Random(8), 0
    for _ in range(300):
        position = random_position(chance, 8, chance.randint(7, 8))
        searched = search(position, 5)
        assert bookworm.book
        booked = bookworm.book.get(position.mover_word)
        assert booked
        if booked.plies is not None and booked.plies <= 5:
            found += 1
            assert searched == booked
        else:
            assert searched is None
    assert found > 20


def test_probes_tell_their_source(bookworm: Bookworm) -> None:
    start = bookworm.probe(RULES.start())
    assert (start.value, start.plies, start.source, start.reason) == ("draw", None, "book", None)
    assert {move.value for move in start.moves} == {"draw"}
    far = bookworm.probe(RULES.parse("x.oox/x...o/xo..o/x.o.x/ox..o x"))
    assert far.source == "search"
    assert far.to_json()["source"] == "search"
    quiet = bookworm.probe(RULES.parse("xo.xo/ox.../....x/o...o/x.ox. x"))
    assert (quiet.value, quiet.source) == (None, "search")
    assert quiet.to_json()["value"] is None
    assert quiet.reason == "the book ends at 10 marks, and nobody wins by force within 8 plies"


def test_moves_come_best_first(bookworm: Bookworm) -> None:
    chance = random.Random(9)
    order: dict[str | None, int] = {"win": 0, "draw": 1, None: 2, "loss": 3}
    for marks in (4, 8, 10, 14):
        moves = bookworm.probe(random_position(chance, marks)).moves
        assert [order[move.value] for move in moves] == sorted(order[move.value] for move in moves)


def test_a_line_goes_as_far_as_is_known(bookworm: Bookworm) -> None:
    assert list(bookworm.line(RULES.start())) == []
    begin = RULES.parse("xxx../x..../...../...../o.o.. x")
    probe = bookworm.probe(begin)
    assert (probe.value, probe.source) == ("win", "book")
    line = list(bookworm.line(begin))
    assert 0 < len(line) < (probe.plies or 0)
    assert [move.plies for move in line] == [(probe.plies or 0) - i for i in range(len(line))]


def test_other_rules_have_no_book() -> None:
    bookworm = Bookworm(Quixo(5, 4))
    probe = bookworm.probe(Quixo(5, 4).start())
    assert (probe.value, probe.source) == (None, "search")
    assert probe.reason == "there is no book, and nobody wins by force within 8 plies"
    with pytest.raises(inarow.WrongTable, match="asked of"):
        bookworm.probe(RULES.start())


def test_promise_changes_its_sign_with_the_mover() -> None:
    position = RULES.parse("xx.../...../..o../...../..... x")
    assert promise(position) == -promise(RULES.parse("xx.../...../..o../...../..... o"))
