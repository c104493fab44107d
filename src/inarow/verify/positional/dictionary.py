"""Check a strategy dictionary by rolling out every game that its player can come into.

X moves first and plays by the dictionary; O replies with every empty cell. If X has an answer wherever a game
comes to, and every game ends with a line of X's, the dictionary is exhaustive: it proves that the game is a
win for the first player.

A *plain* player looks the position up, or an image of it under the symmetries in use, and plays the answer.
An *assisted* one needs no answers where the move is obvious. In this order, it completes a line if it can;
blocks the cell where O would complete one; looks the position up; makes the first move of a forced win: moves
that each threaten to complete a line and so force O's reply, until one threatens two cells at once.

The checker in C++ behind this has its own rules: it takes the lines and the symmetries as plain data, and
makes sure that the symmetries take lines to lines.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import InitVar, dataclass, field
from typing import Any, Literal, TypeAlias, overload

import numpy as np
from numpy.typing import NDArray

from inarow._native import verify_positional as _verify_dictionary
from inarow.errors import InarowError
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game, Position, SymmetryKind

__all__ = [
    "Counterexample",
    "Counts",
    "DictionaryReport",
    "Entries",
    "NotExhaustive",
    "WrongDictionary",
    "complete",
    "prune",
    "verify_dictionary",
]

Reason = Literal["unanswered", "two threats", "lost", "drawn"]
Progress: TypeAlias = Callable[[int, int], None]

_REASONS: tuple[Reason, ...] = ("unanswered", "two threats", "lost", "drawn")
_WIN, _BLOCK, _DICTIONARY, _FORCED = (1 << rule for rule in range(4))  # rules as bits
_SAID: dict[Reason, str] = {
    "unanswered": "X has no answer",
    "two threats": "O threatens two cells, and X can block only one",
    "lost": "O has won",
    "drawn": "the board fills up without a line",
}


class WrongDictionary(InarowError):
    """A dictionary is not one for the game it is to be checked for."""


class NotExhaustive(InarowError):
    """A dictionary lacks an answer, so that it cannot be completed."""

    exit_code = 1

    def __init__(self, counterexample: Counterexample) -> None:
        super().__init__(f"the dictionary is not exhaustive: {counterexample}")
        self.counterexample = counterexample


@dataclass(frozen=True)
class Counterexample:
    """A game that the dictionary does not win: X's and O's moves by turns from the empty board, O's last.

    The reason is "unanswered" where X has no move to make, "two threats" where O threatens two cells and X
    can block only one (of an assisted player), "lost" where O has won, and "drawn" where no cell is left, or
    one that does not give X a line.
    """

    moves: tuple[int, ...]
    position: Position
    reason: Reason

    def __str__(self) -> str:
        moves = " ".join(map(str, self.moves)) if self.moves else "the empty board"
        return f"{_SAID[self.reason]} at {self.position.text} after {moves}"

    def to_json(self) -> dict[str, Any]:
        return {"moves": list(self.moves), "position": self.position.text, "reason": self.reason}


@dataclass(frozen=True)
class Counts:
    """Positions with X to move that were reached, up to symmetry, by the rule that gave X's move.

    In those that `failed` no rule did, or the game was over and not won.
    """

    win: int
    block: int
    dictionary: int
    forced: int
    failed: int

    @property
    def total(self) -> int:
        return self.win + self.block + self.dictionary + self.forced + self.failed


@dataclass(frozen=True)
class DictionaryReport:
    """What a roll-out found.

    A position may be answered more than once, as such or by images of it: the first answer counts, and the
    others are never used. `conflicts` are lines with an answer that differs from an earlier one, each with
    the line of that earlier one; both may be right. Lines have the numbers they have in their file; entries
    that come without lines are numbered from 1.
    """

    positions: Counts
    counterexample: Counterexample | None  # one in the fewest moves
    unused_lines: tuple[int, ...]  # that X never plays by
    unused_entries: int  # of all lines
    conflicts: tuple[tuple[int, int], ...]
    longest_game_plies: int  # of the games that X wins; forced wins count to their end
    longest_forced_threats: int  # in forced wins as found, not always the shortest
    seconds: float

    @property
    def exhaustive(self) -> bool:
        return self.counterexample is None

    def to_json(self) -> dict[str, Any]:
        counts = self.positions
        return {
            "exhaustive": self.exhaustive,
            "counterexample": None if self.counterexample is None else self.counterexample.to_json(),
            "positions": {
                "total": counts.total,
                "win": counts.win,
                "block": counts.block,
                "dictionary": counts.dictionary,
                "forced": counts.forced,
                "failed": counts.failed,
            },
            "unused_lines": list(self.unused_lines),
            "unused_entries": self.unused_entries,
            "conflicts": [list(pair) for pair in self.conflicts],
            "longest_game_plies": self.longest_game_plies,
            "longest_forced_threats": self.longest_forced_threats,
            "seconds": self.seconds,
        }


class Entries(Sequence[Entry]):
    """Entries kept in arrays, for when they are millions.

    `positions[i]` are the words of X's cells and those of O's, cell c being bit c % 64 of word c // 64;
    boards of up to 64 cells have one word.
    """

    def __init__(self, cells: int, positions: NDArray[np.uint64], moves: NDArray[np.uint8]) -> None:
        self.cells = cells
        self.positions = positions
        self.moves = moves

    @classmethod
    def of(cls, cells: int, entries: Iterable[Entry]) -> Entries:
        width = 8 * _words(cells)
        kept = list(entries)
        try:
            masks = b"".join(mask.to_bytes(width, "little") for entry in kept for mask in (entry.x, entry.o))
            moves = bytes(entry.move for entry in kept)
        except (OverflowError, ValueError):
            raise WrongDictionary(f"an entry is not on the board of {cells} cells") from None
        words = np.frombuffer(masks, "<u8").astype(np.uint64)
        return cls(cells, words.reshape(len(kept), 2, _words(cells)), np.frombuffer(moves, np.uint8))

    def __len__(self) -> int:
        return len(self.moves)

    def __iter__(self) -> Iterator[Entry]:
        at_once = 1 << 16
        for first in range(0, len(self), at_once):
            words = self.positions[first : first + at_once].tolist()
            moves = self.moves[first : first + at_once].tolist()
            for (x, o), move in zip(words, moves, strict=True):
                yield Entry(_mask(x), _mask(o), move)

    @overload
    def __getitem__(self, index: int) -> Entry: ...
    @overload
    def __getitem__(self, index: slice) -> Entries: ...
    def __getitem__(self, index: int | slice) -> Entry | Entries:
        if isinstance(index, slice):
            return Entries(self.cells, self.positions[index], self.moves[index])
        x, o = self.positions[index].tolist()
        return Entry(_mask(x), _mask(o), int(self.moves[index]))


def verify_dictionary(
    game: Game,
    dictionary: Dictionary | Iterable[Entry],
    *,
    symmetry: SymmetryKind = "full",
    assisted: bool,
    proof_only: bool = False,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> DictionaryReport:
    """Roll out every game of X's, who plays by the dictionary, and say whether X wins them all.

    With `proof_only` a forced win is taken as won: X could carry it through. Else it is rolled out to its end
    like everything else, with X going through the rules anew at each move; the dictionary comes before forced
    wins, and a bad answer on the way may spoil one.
    `threads` is all of the machine's unless said; the report is the same for any number. `memory_limit` is in
    bytes, three quarters of the machine's unless said. `progress` is called now and then with the number of
    positions so far and the plies that led to the last of them.

    :raises WrongDictionary: if an entry is not one for the board of the game.
    """
    started = time.perf_counter()
    rolling = _RollingOut(game, dictionary, symmetry, threads, memory_limit, progress)
    result = rolling.run(assisted=assisted, proof_only=proof_only)
    numbers, used = rolling.numbers, result.used.astype(bool)
    of_used_line = np.zeros(numbers.max(initial=0) + 1, bool)
    of_used_line[numbers[used]] = True
    return DictionaryReport(
        positions=Counts(*result.positions),
        counterexample=_counterexample(game, result),
        unused_lines=tuple(np.unique(numbers[~of_used_line[numbers]]).tolist()),
        unused_entries=int(np.count_nonzero(~used)),
        conflicts=tuple((int(numbers[later]), int(numbers[first])) for later, first in result.conflicts),
        longest_game_plies=result.longest_game,
        longest_forced_threats=result.longest_threats,
        seconds=time.perf_counter() - started,
    )


def prune(
    game: Game,
    dictionary: Dictionary | Iterable[Entry],
    *,
    symmetry: SymmetryKind = "full",
    assisted: bool,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Entries:
    """The entries that X plays by in some game, in the order of the dictionary.

    A player who has no others plays the same games, so that they are exhaustive if the dictionary is.
    """
    rolling = _RollingOut(game, dictionary, symmetry, threads, memory_limit, progress)
    used = rolling.run(assisted=assisted).used.astype(bool)
    return Entries(game.cells, rolling.entries.positions[used], rolling.entries.moves[used])


def complete(
    game: Game,
    dictionary: Dictionary | Iterable[Entry],
    *,
    symmetry: SymmetryKind = "full",
    obvious: bool = True,
    threads: int | None = None,
    memory_limit: int | None = None,
    progress: Progress | None = None,
) -> Entries:
    """What a plain player needs to play as an assisted one does with the dictionary.

    One entry for each position up to symmetry, in its canonical form, those of fewer plies first. Without the
    `obvious` ones those are left out where X completes a line or blocks O's.

    :raises NotExhaustive: if the assisted player does not win all games.
    """
    rolling = _RollingOut(game, dictionary, symmetry, threads, memory_limit, progress)
    kept = _DICTIONARY | _FORCED | (_WIN | _BLOCK if obvious else 0)
    result = rolling.run(assisted=True, kept=kept)
    counterexample = _counterexample(game, result)
    if counterexample is not None:
        raise NotExhaustive(counterexample)
    return Entries(game.cells, result.kept_positions, result.kept_moves)


# --- What the checker takes and gives ---


@dataclass
class _RollingOut:
    """What the roll-outs here have in common."""

    game: Game
    dictionary: InitVar[Dictionary | Iterable[Entry]]
    symmetry: SymmetryKind
    threads: int | None
    memory_limit: int | None
    progress: Progress | None
    entries: Entries = field(init=False)
    numbers: NDArray[np.int64] = field(init=False)  # for each entry, that of its line

    def __post_init__(self, dictionary: Dictionary | Iterable[Entry]) -> None:
        cells = self.game.cells
        if isinstance(dictionary, Dictionary | Entries) and dictionary.cells != cells:
            reason = f"the dictionary is for {dictionary.cells} cells, but {self.game.name} has {cells}"
            raise WrongDictionary(reason)
        if isinstance(dictionary, Dictionary):
            numbers = [line.number or n for n, line in enumerate(dictionary.lines, 1)]
            stands_for = [max(1, line.options.bit_count()) for line in dictionary.lines]
            self.entries = Entries.of(cells, dictionary.entries())
            self.numbers = np.repeat(numbers, stands_for)
        else:
            self.entries = dictionary if isinstance(dictionary, Entries) else Entries.of(cells, dictionary)
            self.numbers = np.arange(1, len(self.entries) + 1)

    def run(self, *, assisted: bool, proof_only: bool = False, kept: int = 0) -> _verify_dictionary.RollOut:
        game = self.game
        positions = np.ascontiguousarray(self.entries.positions)
        moves = np.ascontiguousarray(self.entries.moves)
        fault = _verify_dictionary.fault(game.cells, positions, moves)
        if fault is not None:
            raise WrongDictionary(f"line {self.numbers[fault[0]]}: {fault[1]}")
        limit = self.memory_limit
        if limit is None:
            limit = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") * 3 // 4
        lines = [
            [line >> 64 * word & (1 << 64) - 1 for word in range(_words(game.cells))] for line in game.lines
        ]
        try:
            return _verify_dictionary.roll_out(
                game.cells,
                np.array(lines, np.uint64),
                game.maker_breaker,
                np.array(game.symmetries(self.symmetry), np.uint8),
                positions,
                moves,
                assisted,
                proof_only,
                self.threads or os.cpu_count() or 1,
                limit,
                kept,
                self.progress,
            )
        except MemoryError:
            reason = f"the games of this dictionary take more memory than {limit / 1e9:.1f} GB"
            raise InarowError(reason) from None


def _counterexample(game: Game, result: _verify_dictionary.RollOut) -> Counterexample | None:
    if result.counterexample is None:
        return None
    moves, failure = result.counterexample
    # Played by the rules of the game, which so agree that each move is legal.
    position = game.start()
    for move in moves:
        position = position.play(move)
    return Counterexample(tuple(moves), position, _REASONS[failure])


def _words(cells: int) -> int:
    return 1 if cells <= 64 else 2


def _mask(words: list[int]) -> int:
    return sum(word << 64 * index for index, word in enumerate(words))
