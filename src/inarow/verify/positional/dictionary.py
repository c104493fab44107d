"""Check a strategy dictionary by rolling out every game that its player can get into.

X moves first and plays by the dictionary; O tries every empty cell. If X has a move in every position reached
and every game ends with a line of X, the dictionary is *exhaustive*: it proves that the first player wins.

A *plain* player looks up the position, or one of its images under the symmetries in use. An *assisted* player
needs no answers for obvious moves. In this order, it completes a line; blocks the cell where O would complete
one; looks the position up; makes the first move of a forced win: a sequence of moves that each threaten to
complete a line and so force O's reply, until one makes two threats at once.

A game is taken as plain data, a dictionary as text, which is read here. The C++ checker rolls out the games,
and makes sure that the symmetries map lines to lines.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import asdict, dataclass
from typing import Any, Literal, Protocol, TypeAlias, get_args

import numpy as np

from inarow._native import verify_positional as _checker
from inarow.errors import InarowError
from inarow.memory import physical_memory
from inarow.processors import thread_count
from inarow.symmetry import SymmetryKind, symmetries
from inarow.verify.positional.text import Answers, UnreadableDictionary, answers_of, read_answers
from inarow.verify.verdict import Verdict
from inarow.words import size_text

Rule = Literal["win", "block", "dictionary", "forced", "failed"]  # as the checker numbers them
Failure = Literal["unanswered", "two threats", "lost", "drawn"]
Progress: TypeAlias = Callable[[int, int], None]

_ASSUMED_MEMORY = 8 << 30  # bytes of a machine that does not say
_WORDS: dict[Failure, str] = {  # as the checker numbers them
    "unanswered": "X has no answer",
    "two threats": "O threatens two cells, and X can block only one",
    "lost": "O has won",
    "drawn": "the board fills up without a line",
}


class GameData(Protocol):
    """The rules of a game as plain data; `inarow.positional.rules.Game` is one."""

    @property
    def name(self) -> str: ...
    @property
    def cells(self) -> int: ...
    @property
    def lines(self) -> tuple[int, ...]:
        """Masks: bit c is cell c."""

    @property
    def maker_breaker(self) -> bool:
        """O only blocks, and makes no lines."""

    @property
    def shape(self) -> tuple[int, int, int]:
        """Layers, rows and columns, which the geometric symmetries rotate and reflect."""


AnyDictionary: TypeAlias = Any
"""A text in either notation, an object with `cells` and `text()` or with the arrays `positions` and `moves`,
or tuples of X's mask, O's mask and the move.
"""


class WrongDictionary(InarowError):
    """A dictionary is not one for the game."""


class NotExhaustive(InarowError):
    """X does not win every game by a dictionary."""

    exit_code = 1

    def __init__(self, counterexample: Counterexample) -> None:
        super().__init__(f"the dictionary is not exhaustive: {counterexample}")
        self.counterexample = counterexample


@dataclass(frozen=True)
class Counterexample:
    """A game that X does not win by the dictionary: alternating moves from the empty board, the last one O's.

    The reason is "drawn" if no cell is left, or only one that gives X no line.
    """

    moves: tuple[int, ...]
    position: str  # after the moves: x, o or . for each cell
    reason: Failure

    def __str__(self) -> str:
        moves = " ".join(map(str, self.moves)) if self.moves else "the empty board"
        return f"{_WORDS[self.reason]} at {self.position} after {moves}"


@dataclass(frozen=True)
class Counts:
    """The positions with X to move that were reached, up to symmetry, by the rule that gave X's move.

    `failed` counts those in which no rule gave a move, or the game was over and X had not won.
    """

    total: int
    win: int
    block: int
    dictionary: int
    forced: int
    failed: int


@dataclass(frozen=True)
class DictionaryReport:
    """The result of rolling out all games.

    Of several answers to a position, or to images of it, the first counts, and the others are never used.
    `conflicts` are pairs of lines: one with an answer that differs from an earlier one, and the line of that.
    Both may be right. Lines have their numbers in the text; other answers are numbered from 1.

    >>> from inarow import Game
    >>> report = verify_dictionary(Game.named("mnk:4x4x3"), ".....X..........", assisted=True)
    >>> report.verdict, report.longest_game_plies
    ('proven', 5)
    """

    positions: Counts
    counterexample: Counterexample | None  # one with the fewest moves
    unused_lines: tuple[int, ...]  # by which X never plays
    unused_entries: int  # of all lines
    conflicts: tuple[tuple[int, int], ...]
    longest_game_plies: int  # of the games that X wins; with `proof_only`, forced wins are played as found
    longest_forced_threats: int  # in the forced wins found, which may not be the shortest
    proof_only: bool  # forced wins were found, but not rolled out
    seconds: float

    @property
    def exhaustive(self) -> bool:
        return self.counterexample is None

    @property
    def verdict(self) -> Verdict:
        """Never "consistent": all games are rolled out."""
        return "proven" if self.exhaustive else "wrong"

    @property
    def reason(self) -> str:
        """What is proven, or the counterexample."""
        left_out = ", if it carries out the forced wins it has" if self.proof_only else ""
        return f"X wins every game{left_out}" if self.exhaustive else str(self.counterexample)

    def to_json(self) -> dict[str, Any]:
        found = asdict(self) | {"seconds": round(self.seconds, 3)}
        del found["proof_only"]  # the reason says so
        return {"verdict": self.verdict, "reason": self.reason, "exhaustive": self.exhaustive, **found}


def verify_dictionary(
    game: GameData,
    dictionary: AnyDictionary,
    *,
    symmetry: SymmetryKind = "full",
    assisted: bool,
    proof_only: bool = False,
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> DictionaryReport:
    """Roll out every game in which X plays by the dictionary, and report whether X wins them all.

    The dictionary is a text in either notation, an object that has one, or positions and answers as tuples of
    X's mask, O's mask and the move. With `proof_only`, a forced win counts as won once it is found. Otherwise
    it is rolled out like everything else, and a bad answer on the way may spoil it.

    `threads` defaults to all processors and does not affect the report. `memory` is in bytes and defaults to
    three quarters of the machine's. `progress` is called every so often with the number of positions so far
    and the plies played to reach the last of them.

    :raises WrongDictionary: if an answer is not one for the board of the game.
    :raises UnreadableDictionary: if the text is not a dictionary.

    >>> from inarow import Game
    >>> verify_dictionary(Game.named("mnk:4x4x3"), ".....X..........", assisted=False).verdict
    'wrong'
    """
    started = time.perf_counter()
    answers = _answers(game, dictionary)
    options: Any = {"proof_only": proof_only, "threads": threads, "memory": memory, "progress": progress}
    result = roll_out(game, answers, symmetry=symmetry, assisted=assisted, **options)
    lines, used = answers.lines, result.used.astype(bool)
    return DictionaryReport(
        positions=Counts(sum(result.positions), *result.positions),
        counterexample=counterexample_of(game, result),
        unused_lines=tuple(np.setdiff1d(lines, lines[used]).tolist()),
        unused_entries=int(np.count_nonzero(~used)),
        conflicts=tuple((int(lines[later]), int(lines[first])) for later, first in result.conflicts),
        longest_game_plies=result.longest_game,
        longest_forced_threats=result.longest_threats,
        proof_only=proof_only,
        seconds=time.perf_counter() - started,
    )


def roll_out(
    game: GameData,
    dictionary: AnyDictionary,
    *,
    symmetry: SymmetryKind = "full",
    assisted: bool,
    proof_only: bool = False,
    keep: Iterable[Rule] = (),
    threads: int | None = None,
    memory: int | None = None,
    progress: Progress | None = None,
) -> _checker.RollOut:
    """What `verify_dictionary` does, with the checker's own result: which answers were used, and the
    positions decided by the rules to `keep`, with X's moves there.
    """
    answers = _answers(game, dictionary)
    positions, moves = np.ascontiguousarray(answers.positions), np.ascontiguousarray(answers.moves)
    fault = _checker.fault(game.cells, positions, moves)
    if fault is not None:
        raise WrongDictionary(f"line {answers.lines[fault[0]]}: {fault[1]}")
    if memory is None:
        memory = (physical_memory() or _ASSUMED_MEMORY) * 3 // 4
    try:
        return _checker.roll_out(
            game.cells,
            game.lines,
            game.maker_breaker,
            np.array(symmetries(game.shape, game.lines, symmetry), np.uint8),
            positions,
            moves,
            assisted,
            proof_only,
            thread_count(threads),
            memory,
            sum(1 << get_args(Rule).index(rule) for rule in keep),
            progress,
        )
    except MemoryError:
        reason = f"the games of this dictionary need more than {size_text(memory)} of memory"
        raise InarowError(reason) from None


def counterexample_of(game: GameData, result: _checker.RollOut) -> Counterexample | None:
    if result.counterexample is None:
        return None
    moves, failure = result.counterexample
    board = ["."] * game.cells
    for number, move in enumerate(moves):
        if board[move] != ".":
            raise AssertionError(f"the checker played cell {move} twice")
        board[move] = "xo"[number % 2]
    return Counterexample(tuple(moves), "".join(board), list(_WORDS)[failure])


def _answers(game: GameData, dictionary: AnyDictionary) -> Answers:
    if isinstance(dictionary, Answers):
        return dictionary
    if isinstance(dictionary, str):
        return read_answers(dictionary, game.cells)
    if getattr(dictionary, "cells", game.cells) != game.cells:
        reason = f"the dictionary is for {dictionary.cells} cells, but {game.name} has {game.cells}"
        raise WrongDictionary(reason)
    if hasattr(dictionary, "text"):
        return read_answers(dictionary.text(), game.cells)
    if hasattr(dictionary, "positions"):
        return Answers(dictionary.positions, dictionary.moves, np.arange(1, len(dictionary.moves) + 1))
    try:
        return answers_of(game.cells, dictionary)
    except UnreadableDictionary as error:
        raise WrongDictionary(str(error)) from None
