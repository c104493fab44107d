"""The checker of dictionaries against a plain one in Python, and on dictionaries that others published."""

import random
from collections.abc import Callable
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from golden.dictionaries import THREE_OF_FOUR
from hypothesis import example, given, settings
from hypothesis import strategies as st
from oracle.positional import fewest_threats

from inarow._native import verify_positional as native
from inarow.errors import InarowError
from inarow.positional.dictionary.reached import complete
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game, Position
from inarow.symmetry import SymmetryKind, image
from inarow.verify.positional.dictionary import Counterexample, WrongDictionary, verify_dictionary

GAMES = [
    Game.named("mnk:3x3x3"),
    Game.named("mnk:3x3x3", maker_breaker=True),
    Game.named("mnk:3x2x2"),
    Game.named("mnk:4x2x3"),
    Game.named("mnk:4x2x3", maker_breaker=True),
    Game.named("polyomino:v-tromino:3"),
    Game.named("polyomino:v-tromino:3", maker_breaker=False),
    Game("a star", 7, [0b0000011, 0b0000101, 0b0111000, 0b1001001, 0b1010010]),
    Game("without symmetry", 8, [0b111, 0b11010, 0b1110000, 0b10000101, 0b11001000]),
]


# --- A plain checker ---


class Reference:
    """Rolls out by the book; a forced win is taken as won."""

    def __init__(self, game: Game, symmetry: SymmetryKind, entries: list[Entry], assisted: bool) -> None:
        self.game, self.entries, self.assisted = game, entries, assisted
        self.symmetries = game.symmetries(symmetry)
        self.counts = dict.fromkeys(("win", "block", "dictionary", "forced", "failed"), 0)
        self.reached: set[tuple[int, int]] = set()

    def canonical(self, x: int, o: int) -> tuple[int, int]:
        return min((image(x, to), image(o, to)) for to in self.symmetries)

    def look_up(self, x: int, o: int) -> int | None:
        """The answer of the first entry of which the position is an image."""
        images = product(self.entries, self.symmetries)
        found = (to[it.move] for it, to in images if (image(it.x, to), image(it.o, to)) == (x, o))
        return next(found, None)

    def roll_out(self, x: int = 0, o: int = 0) -> None:
        x, o = self.canonical(x, o)
        if (x, o) in self.reached:
            return
        self.reached.add((x, o))
        rule, move = self.decide(x, o)
        after = x if move is None else x | 1 << move
        wins, replies = self.game.wins(after), free(self.game, after, o)
        goes_on = move is not None and not wins
        self.counts["failed" if goes_on and not replies else rule] += 1
        for reply in replies if goes_on else ():
            self.roll_out(after, o | 1 << reply)

    def decide(self, x: int, o: int) -> tuple[str, int | None]:
        """The rule that applies, and the move to go on with."""
        game = self.game
        empty = free(game, x, o)
        if Position(game, x, o).is_over:
            return "failed", None
        if self.assisted:
            winning = [cell for cell in empty if game.wins(x | 1 << cell)]
            if winning:
                return "win", winning[0]
            losing = [cell for cell in empty if not game.maker_breaker and game.wins(o | 1 << cell)]
            if losing:
                return ("block", losing[0]) if len(losing) == 1 else ("failed", None)
        answer = self.look_up(x, o)
        if answer is not None:
            return "dictionary", answer
        if self.assisted and fewest_threats(Position(game, x, o)) < float("inf"):
            return "forced", None
        return "failed", None


def free(game: Game, x: int, o: int) -> list[int]:
    return [cell for cell in range(game.cells) if not (x | o) >> cell & 1]


def some_dictionary(game: Game, symmetry: SymmetryKind, seed: int) -> list[Entry]:
    """Answers to most positions that come up when they are played by, some others, and some twice."""
    chance = random.Random(seed)
    lack = chance.choice([0.0, 0.02, 0.2])
    entries: list[Entry] = []
    player = Reference(game, symmetry, [], assisted=False)
    level = {(0, 0)}
    while level:
        following = set()
        for x, o in sorted(level):
            empty = free(game, x, o)
            if Position(game, x, o).is_over or chance.random() < lack:
                continue
            winning = [cell for cell in empty if game.wins(x | 1 << cell)]
            threatened = [cell for cell in empty if game.wins(o | 1 << cell)]
            move = chance.choice(winning or threatened or empty)
            to = chance.choice(player.symmetries)
            entries.append(Entry(image(x, to), image(o, to), to[move]))
            if not winning:
                after = x | 1 << move
                following |= {player.canonical(after, o | 1 << cell) for cell in empty if cell != move}
        level = following
    for _ in range(chance.randrange(6)):
        marks = chance.sample(range(game.cells), 2 * chance.randrange(game.cells // 2) + 1)
        half = len(marks) // 2
        x, o = (sum(1 << cell for cell in some) for some in (marks[1 : half + 1], marks[half + 1 :]))
        entries.append(Entry(x, o, marks[0]))
    chance.shuffle(entries)
    return entries


def assert_sound(player: Reference, found: Counterexample) -> None:
    """It is a game by the rules, X's moves are the dictionary's, and it ends as it says."""
    game = player.game
    position = game.start()
    for move in found.moves:
        if position.turn == "x":
            answer = player.look_up(position.x, position.o)
            assert answer is not None
            # Which of the equal answers it is depends on the image that is looked up.
            played, expected = (player.canonical(position.x | 1 << it, position.o) for it in (move, answer))
            assert played == expected
        position = position.play(move)
    assert (position.text, len(found.moves) % 2) == (found.position, 0)
    answer = player.look_up(position.x, position.o)
    if found.reason == "unanswered":
        assert (answer, position.is_over) == (None, False)
    elif found.reason == "lost":
        assert position.winner == "o"
    else:
        assert found.reason == "drawn"
        assert len(free(game, position.x, position.o)) <= 1
        assert position.is_over or (answer is not None and not game.wins(position.x | 1 << answer))


@settings(max_examples=150, deadline=None)
@given(
    st.sampled_from(GAMES),
    st.sampled_from(["none", "geometric", "full"]),
    st.booleans(),
    st.integers(0, 2**32),
)
@example(game=GAMES[1], symmetry="geometric", assisted=True, seed=493)
def test_agrees_with_a_plain_checker(game: Game, symmetry: SymmetryKind, assisted: bool, seed: int) -> None:
    entries = some_dictionary(game, symmetry, seed)
    reference = Reference(game, symmetry, entries, assisted)
    reference.roll_out()
    report = verify_dictionary(
        game, entries, symmetry=symmetry, assisted=assisted, proof_only=True, threads=1
    )
    found = report.to_json()["positions"]
    assert found.pop("total") == len(reference.reached)
    assert found == reference.counts
    assert report.exhaustive == (reference.counts["failed"] == 0)
    assert report.verdict == ("proven" if report.exhaustive else "wrong")
    assert report.reason == (
        "X wins every game, if it carries out the forced wins it has"
        if report.exhaustive
        else str(report.counterexample)
    )
    assert len(entries) - report.unused_entries == reference.counts["dictionary"]
    if report.counterexample is not None and not assisted:
        assert_sound(reference, report.counterexample)
    full = verify_dictionary(game, entries, symmetry=symmetry, assisted=assisted, threads=1)
    assert full.positions.total >= report.positions.total
    if full.exhaustive:
        assert report.exhaustive
    elif report.exhaustive:  # a forced win was spoiled by an answer on its way
        assert full.positions.dictionary > report.positions.dictionary


# --- Published dictionaries ---


@pytest.mark.parametrize("maker_breaker", [False, True])
def test_three_in_a_row_on_four_by_four(maker_breaker: bool) -> None:
    game = Game.named("mnk:4x4x3", maker_breaker)
    dictionary = Dictionary.parse(THREE_OF_FOUR)
    report = verify_dictionary(game, dictionary, symmetry="geometric", assisted=False)
    assert (report.exhaustive, report.unused_lines, report.longest_game_plies) == (True, (), 5)
    assert (report.positions.dictionary, report.positions.total) == (58, 58)
    # The first two lines suffice a player who sees a win.
    assisted = verify_dictionary(game, dictionary, symmetry="geometric", assisted=True)
    assert (assisted.exhaustive, assisted.unused_lines) == (True, tuple(range(3, 13)))
    # Without symmetries it has no answer to O's first reply at cell 2.
    alone = verify_dictionary(game, dictionary, symmetry="none", assisted=False)
    assert alone.counterexample == Counterexample((5, 2), "..o..x..........", "unanswered")


PUBLISHED = [
    # name, file, positions, lines never used, whether it wins as well if O may make the shape first
    ("v-tromino:3", "harary-v-tromino-b3-m3", 11, 0, True),
    ("i-tromino:4", "harary-i-tromino-b4-m3", 58, 0, True),
    ("l-tetromino:4", "harary-l-tetromino-b4-m4", 306, 0, True),
    ("z-tetromino:3", "harary-z-tetromino-b3-m5", 32, 0, True),
    ("z-tetromino:5", "harary-z-tetromino-b5-m4", 1007, 0, True),
    ("t-tetromino:5", "harary-t-tetromino-b5-m4", 1008, 3, True),
    ("n-pentomino:6", "harary-n-pentomino-b6-m6", 80_275, 63, False),
    ("i-tetromino:7", "harary-i-tetromino-b7-m7", 72_710, 1892, False),
]


@pytest.mark.parametrize(("name", "file", "positions", "unused", "maker_maker"), PUBLISHED)
def test_polyominoes(
    outside_data: Callable[[str], Path], name: str, file: str, positions: int, unused: int, maker_maker: bool
) -> None:
    dictionary = Dictionary.read(outside_data(f"{file}.txt"))
    game = Game.named(f"polyomino:{name}")
    report = verify_dictionary(game, dictionary, symmetry="geometric", assisted=False)
    assert (report.exhaustive, report.conflicts) == (True, ())
    assert (report.positions.total, len(report.unused_lines)) == (positions, unused)
    game = Game.named(f"polyomino:{name}", maker_breaker=False)
    report = verify_dictionary(game, dictionary, symmetry="geometric", assisted=False)
    assert report.exhaustive == maker_maker
    if report.counterexample is not None:
        assert report.counterexample.reason == "lost"


@pytest.mark.parametrize(
    "file", ["patashnik-qubic.txt", pytest.param("patashnik-qubic-951.txt", marks=pytest.mark.exhaustive)]
)
def test_patashnik(outside_data: Callable[[str], Path], file: str) -> None:
    dictionary = Dictionary.read(outside_data(file))
    game = Game.named("qubic")
    report = verify_dictionary(game, dictionary, assisted=True, proof_only=True)
    assert (report.exhaustive, report.unused_lines, report.conflicts) == (True, (), ())
    assert (report.positions.dictionary, report.positions.total) == (2929, 528_788)
    # Every entry is needed: without one, a game comes to it.
    entries = dictionary.entries()
    dropped = entries.pop(1234)
    report = verify_dictionary(game, entries, assisted=True, proof_only=True)
    assert report.counterexample is not None
    gap = game.parse(report.counterexample.position)
    assert gap.canonical() == Position(game, dropped.x, dropped.o).canonical()


# --- Properties ---


def test_a_dictionary_is_checked_as_text() -> None:
    game = Game.named("mnk:4x4x3")
    text = f"# numbers are those of the text\n\n{THREE_OF_FOUR}"
    report = verify_dictionary(game, text, assisted=True)
    assert report.exhaustive
    assert report.unused_lines == tuple(range(5, 15))
    written = Dictionary.parse(text)  # without the blank line
    assert verify_dictionary(game, written, assisted=True).unused_lines == tuple(range(4, 14))


def test_a_game_is_plain_data() -> None:
    game: Any = SimpleNamespace(cells=4, lines=(0b0111, 0b1110), maker_breaker=True, shape=(1, 1, 4))
    report = verify_dictionary(game, [(0, 0, 1)], assisted=True)
    assert report.verdict == "wrong"
    assert report.counterexample == Counterexample((1, 0), "ox..", "unanswered")


def test_two_threats_of_o_are_a_failure() -> None:
    """X at 0 gains nothing; O at 1 threatens 2 and 3, of which an assisted player can block one."""
    game = Game("slow", 5, [0b00110, 0b01010, 0b11101])
    report = verify_dictionary(game, [Entry(0, 0, 0)], symmetry="none", assisted=True)
    assert report.counterexample == Counterexample((0, 1), "xo...", "two threats")


@pytest.mark.parametrize(
    ("lines", "symmetries"),
    [
        *((lines, [[0, 1]]) for lines in ([4], [0], [1, 1])),
        *(([1], symmetries) for symmetries in ([], [[0, 0]], [[0, 2]], [[1, 0]], [[0, 1, 2]])),
    ],
)
def test_what_is_no_game_is_refused(lines: list[int], symmetries: list[list[int]]) -> None:
    """Lines off the board or twice, and symmetries of another board or that map lines to none."""
    images = np.array(symmetries or np.zeros((0, 2)), np.uint8)
    answers, moves = np.zeros((0, 2, 1), np.uint64), np.zeros(0, np.uint8)
    with pytest.raises(ValueError, match=r"line|symmetr"):
        native.roll_out(2, lines, False, images, answers, moves, False, False, 1, 1 << 20, 0, None)
    if lines != [1, 1]:  # where they count once
        with pytest.raises(ValueError, match=r"line|symmetr"):
            native.walk_defence(2, lines, True, images, [], None)


def test_boards_of_more_than_64_cells() -> None:
    lines = [[2, 60], [2, 69], [2, 70], [0, 1, 60, 63], [3, 64, 65]]
    game = Game("wide", 71, [sum(1 << cell for cell in line) for line in lines])
    entries = [Entry(0, 0, 2)]
    whole = complete(game, entries, symmetry="full")
    reference = Reference(game, "full", list(whole), assisted=False)
    reference.roll_out()
    assert reference.counts["failed"] == 0
    report = verify_dictionary(game, whole, assisted=False)
    assert report.exhaustive
    assert report.positions.total == len(reference.reached) == len(whole)
    short = verify_dictionary(game, list(whole)[:-1], assisted=False)
    assert short.counterexample is not None
    assert_sound(Reference(game, "full", list(whole)[:-1], assisted=False), short.counterexample)


def test_the_first_answer_counts() -> None:
    game = Game.named("mnk:3x2x2")
    # The middle of a long side wins. A corner does too, but not as an answer to what comes after.
    right = [Entry(0, 0, 1), Entry(0, 0, 4), Entry(0, 0, 0), Entry(0, 0, 1)]
    report = verify_dictionary(game, right, symmetry="geometric", assisted=True)
    assert report.exhaustive
    assert report.conflicts == ((3, 1),)
    assert report.unused_lines == (2, 3, 4)


@pytest.mark.parametrize(
    ("entry", "message"),
    [
        (Entry(0, 0, 9), "line 2: the move is not on the board of 9 cells"),
        (Entry(3, 4, 8), "line 2: 2 x and 1 o: X is not to move"),
        (Entry(1 << 64, 1, 2), "line 2: not on the board of 9 cells"),
        (Entry(-1, 1, 2), "line 2: not on the board of 9 cells"),
        (Entry(1, 2, -3), "line 2: not on the board of 9 cells"),
    ],
)
def test_entries_must_be_of_the_board(entry: Entry, message: str) -> None:
    with pytest.raises(WrongDictionary, match=message):
        verify_dictionary(Game.named("mnk:3x3x3"), [Entry(0, 0, 4), entry], assisted=False)


def test_dictionaries_must_be_of_the_board() -> None:
    for dictionary in (Dictionary.parse(THREE_OF_FOUR), complete(Game.named("mnk:4x4x3"), [Entry(0, 0, 5)])):
        with pytest.raises(WrongDictionary, match="for 16 cells, but mnk:3x3x3 has 9"):
            verify_dictionary(Game.named("mnk:3x3x3"), dictionary, assisted=False)


def test_progress_and_stopping() -> None:
    game = Game.named("mnk:5x4x3")
    calls: list[tuple[int, int]] = []
    report = verify_dictionary(
        game, [Entry(0, 0, 7)], symmetry="none", assisted=True, progress=lambda *call: calls.append(call)
    )
    assert calls == sorted(calls)
    assert calls[-1][0] == report.positions.total

    def stop(positions: int, plies: int) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        verify_dictionary(game, [Entry(0, 0, 7)], assisted=True, progress=stop)
    with pytest.raises(InarowError, match=r"need more than 1\.0 kB of memory"):
        verify_dictionary(game, [Entry(0, 0, 7)], assisted=True, memory=1000)
