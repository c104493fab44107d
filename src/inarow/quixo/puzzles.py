"""Puzzles of Quixo: positions in which one move is right, with the outcome of every move.

docs/puzzles.md describes them, how they are graded, and their file.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import lru_cache
from importlib.resources import files
from itertools import islice
from math import inf
from pathlib import Path
from random import Random
from typing import Any, Literal, TypeAlias, get_args

import numpy as np
from numpy.typing import NDArray

from inarow._native.quixo import Board
from inarow.errors import DamagedFile, MissingTable
from inarow.files import json_object, read_file, write_atomically
from inarow.quixo.prober import Prober
from inarow.quixo.rules import Move, Position, Quixo
from inarow.quixo.search import search_all
from inarow.quixo.table.store import MISSING
from inarow.quixo.table.table import Table
from inarow.values import Outcome, Value

Kind = Literal["win", "draw", "defend"]
Source = Literal["table", "search"]
Words: TypeAlias = NDArray[np.uint64]
Look: TypeAlias = Callable[[Words], tuple[NDArray[np.int8], NDArray[np.int32]]]

FORMAT, VERSION = "inarow-quixo-puzzles", 1
GRADES = (4, 8, 14, 22)  # the most points of grades 1 to 4; grade 5 has more
TEMPTING_PLIES = 4  # a wrong move that loses within so many plies tempts nobody

_TASKS: dict[Kind, str] = {
    "win": "Only one move wins. Find it.",
    "draw": "Only one move holds the draw. Find it.",
    "defend": "Every move loses. Find the one that holds out longest.",
}
_FEWEST_WRONG = 4  # moves: with fewer, guessing would do
_SHORTEST_DEFENCE = 4  # plies
_POOL = 12  # candidates in a table for each puzzle, so that there are some of every kind and grade
_SEARCHED_POOL = 2  # the same by search, which takes longer
_SEARCHED_PLIES, _SEARCHED_MARKS = 6, 16
_THREATENED = 0.6  # the share of moves after which the opponent can end the game: then it is searched
_PATIENCE = 100_000  # positions without a puzzle before giving up
_BALANCED = 3  # marks that one side has more than the other, at most, in positions drawn at random
_SENSIBLE = 0.7  # the share of moves in the games behind puzzles that keep what the side has


@dataclass(frozen=True, slots=True)
class Puzzle:
    """A position with X to move, of whose moves only `move` is right.

    `outcomes` has the value of every move for the side that makes it, with plies from before the move.
    """

    number: int
    kind: Kind
    position: Position
    move: Move
    outcomes: Mapping[Move, Outcome]
    source: Source

    @property
    def outcome(self) -> Outcome:
        """Of the position: that of the right move."""
        return self.outcomes[self.move]

    @property
    def wrong(self) -> tuple[Outcome, ...]:
        return tuple(outcome for move, outcome in self.outcomes.items() if move != self.move)

    @property
    def depth(self) -> int:
        """How many plies ahead the end of the game is; in a draw, that after the wrong moves."""
        if self.kind == "draw":
            return max(outcome.plies or 0 for outcome in self.wrong)
        return self.outcome.plies or 0

    @property
    def tempting(self) -> int:
        """How many wrong moves do not lose within four plies."""
        return sum(it.value != "loss" or (it.plies or 0) > TEMPTING_PLIES for it in self.wrong)

    @property
    def points(self) -> float:
        """The depth, doubled if every wrong move is tempting."""
        return self.depth * (1 + self.tempting / len(self.wrong))

    @property
    def grade(self) -> int:
        """From 1, easy, to 5."""
        return 1 + sum(self.points > most for most in GRADES)

    @property
    def task(self) -> str:
        """What to do, in words."""
        return _TASKS[self.kind]

    def to_json(self) -> dict[str, Any]:
        text = self.position.rules.move_text
        return {
            "id": self.number,
            "kind": self.kind,
            "position": str(self.position),
            "value": self.outcome.value,
            "plies": self.outcome.plies,
            "move": text(self.move),
            "grade": self.grade,
            "depth": self.depth,
            "tempting": self.tempting,
            "source": self.source,
            "outcomes": {text(move): _signed(outcome) for move, outcome in self.outcomes.items()},
        }

    @classmethod
    def from_json(cls, rules: Quixo, data: Mapping[str, Any]) -> Puzzle:
        """`KeyError`, `TypeError` or `ValueError` if it makes no sense."""
        if data["kind"] not in get_args(Kind) or data["source"] not in get_args(Source):
            raise ValueError(f"kind {data['kind']!r}, source {data['source']!r}")
        position = rules.parse(data["position"])
        outcomes = {rules.parse_move(move): _outcome(plies) for move, plies in data["outcomes"].items()}
        if position.turn != "x" or set(outcomes) != set(position.legal_moves()):
            raise ValueError(f"{position}: X is to move, and every legal move has an outcome")
        move = rules.parse_move(data["move"])
        found = cls(int(data["id"]), data["kind"], position, move, outcomes, data["source"])
        if (found.kind, found.move) != _right(outcomes) or found.to_json() != dict(data):
            raise ValueError(f"{position}: its outcomes say something else")
        return found


@dataclass(frozen=True, slots=True)
class Puzzles:
    """Puzzles of one game, numbered from 1."""

    rules: Quixo
    seed: int
    puzzles: tuple[Puzzle, ...]

    def __len__(self) -> int:
        return len(self.puzzles)

    def __iter__(self) -> Iterator[Puzzle]:
        return iter(self.puzzles)

    def numbered(self, number: int) -> Puzzle:
        """`ValueError` if there is none of this number."""
        if not 1 <= number <= len(self.puzzles):
            raise ValueError(f"puzzle {number}: there are puzzles 1 to {len(self.puzzles)}")
        return self.puzzles[number - 1]

    def daily(self, day: date) -> Puzzle:
        return self.numbered(daily_number(day, len(self.puzzles)))

    def to_json(self) -> dict[str, Any]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "rules": self.rules.to_json(),
            "seed": self.seed,
            "puzzles": [puzzle.to_json() for puzzle in self.puzzles],
        }


def daily_number(day: date, count: int) -> int:
    """The number of the puzzle of a day: those of a file take turns, one each day."""
    return (day - date(1970, 1, 1)).days % count + 1


def result_line(puzzle: Puzzle, wrong: int, day: date | None = None) -> str:
    """What a player can send to others, after so many wrong moves: it gives nothing away."""
    stars = "★" * puzzle.grade + "☆" * (5 - puzzle.grade)
    when = f" {day.isoformat()}" if day else ""
    return f"inarow {puzzle.position.rules.size_text} #{puzzle.number}{when} {stars} {'✗' * wrong}✓"


# --- Files ---


def write_puzzles(path: Path, puzzles: Puzzles) -> None:
    """Write a file: one line for each puzzle."""
    record = puzzles.to_json()
    lines = ",\n".join(json.dumps(puzzle, separators=(",", ":")) for puzzle in record.pop("puzzles"))
    head = json.dumps(record)[:-1]
    write_atomically(path, [f'{head}, "puzzles": [\n{lines}\n]}}\n'.encode()])


def read_puzzles(path: Path) -> Puzzles:
    """Read a file; `DamagedFile` if it is none, or if a puzzle contradicts itself."""
    data = json_object(read_file(path), str(path))
    try:
        if (data["format"], data["version"]) != (FORMAT, VERSION):
            raise ValueError(f"format {data['format']!r}, version {data['version']!r} cannot be read")
        rules = Quixo.from_json(data["rules"])
        puzzles = tuple(Puzzle.from_json(rules, puzzle) for puzzle in data["puzzles"])
        if [puzzle.number for puzzle in puzzles] != list(range(1, len(puzzles) + 1)) or not puzzles:
            raise ValueError("puzzles are numbered from 1")
        return Puzzles(rules, int(data["seed"]), puzzles)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise DamagedFile(f"{path} is no file of puzzles: {error}") from None


@lru_cache(maxsize=4)
def shipped_puzzles(rules: Quixo) -> Puzzles:
    """The puzzles that come with the package; `MissingTable` if there are none of these rules."""
    path = Path(str(files("inarow") / "data" / "quixo" / "puzzles" / f"{rules.name}.json"))
    if not path.is_file():
        raise MissingTable(f"no puzzles of {rules} come with inarow; make some with: inarow quixo puzzles")
    return read_puzzles(path)


def _signed(outcome: Outcome) -> int:
    plies = outcome.plies or 0
    return -plies if outcome.value == "loss" else plies


def _outcome(signed: int) -> Outcome:
    if type(signed) is not int:
        raise TypeError(f"outcome {signed!r}: must be a number of plies")
    value: Value = "win" if signed > 0 else "loss" if signed else "draw"
    return Outcome(value, abs(signed) or None)


# --- Making them ---


def make_puzzles(prober: Prober, count: int, seed: int) -> Puzzles:
    """Puzzles of all kinds and grades, no two the same up to symmetry; the same seed gives the same ones.

    From a whole table they are positions of games from the start. From a table that is not whole they are
    positions drawn at random among those it has, and half of them positions of games from the start with few
    marks in which a search finds the outcome of every move.

    `MissingTable` if the prober has no table with plies, or the table too few puzzles.
    """
    rules = prober.rules
    table = next((table for table in prober.tables if table.manifest.plies), None)
    if table is None:
        raise MissingTable(f"puzzles are made from a table of {rules} with plies, and there is none")
    random = Random(f"{seed} {rules.name}")
    if table.manifest.complete:
        words, most = _games(rules, random, table.values), count * _POOL
    else:
        words, most = _placed(table, random), count // 2 * _POOL
    pool = list(islice(_candidates(words, table.probe_many, rules, "table"), most))
    if not table.manifest.complete:
        words = _games(rules, random, lambda after: np.zeros(after.size, np.int8))
        searched = _candidates(words, _searching(rules), rules, "search")
        pool += islice(searched, (count - count // 2) * _SEARCHED_POOL)
    chosen = _spread(pool, count)
    if len(chosen) < count:
        raise MissingTable(f"{len(chosen)} puzzles of {rules} were found, not {count}")
    random.shuffle(chosen)
    numbered = (replace(puzzle, number=nth) for nth, puzzle in enumerate(chosen, start=1))
    return Puzzles(rules, seed, tuple(numbered))


def _spread(pool: Sequence[Puzzle], count: int) -> list[Puzzle]:
    """Some of the candidates, from each source, kind and grade in turn."""
    groups: dict[tuple[str, str, int], list[Puzzle]] = {}
    for puzzle in pool:
        groups.setdefault((puzzle.source, puzzle.kind, puzzle.grade), []).append(puzzle)
    turns = [iter(groups[key]) for key in sorted(groups)]
    chosen: list[Puzzle] = []
    while turns and len(chosen) < count:
        for turn in list(turns):
            found = next(turn, None)
            if found is None:
                turns.remove(turn)
            elif len(chosen) < count:
                chosen.append(found)
    return chosen


def _candidates(words: Iterator[int], look: Look, rules: Quixo, source: Source) -> Iterator[Puzzle]:
    """The positions that are puzzles, each once up to symmetry; ends when there seem to be no more."""
    seen: set[int] = set()
    board = Board(rules.native)
    idle = 0
    while idle < _PATIENCE:
        idle += 1
        word = next(words)
        after, _ = board.successors(np.array([word], np.uint64))
        if not _may_have_one_answer(*look(after)):
            continue
        position = rules.from_word(word)
        key = position.canonical().mover_word
        if key in seen:
            continue
        seen.add(key)
        children, moves = zip(*position.successors(), strict=True)
        values, plies = look(np.array([child.mover_word for child in children], np.uint64))
        known = zip(moves, values.tolist(), plies.tolist(), strict=True)
        outcomes = {move: _outcome(-value * (its + 1)) for move, value, its in known}
        found = _right(outcomes)
        if found is not None:
            idle = 0
            yield Puzzle(0, found[0], position, found[1], outcomes, source)


def _may_have_one_answer(values: NDArray[np.int8], plies: NDArray[np.int32]) -> bool:
    """Whether, by the values of the positions after its moves, only one of them is best."""
    if np.any(values == MISSING):
        return False
    best = values == values.min()
    if values.min() == 1:
        best &= plies == plies[best].max()
    return int(np.count_nonzero(best)) == 1


def _right(outcomes: Mapping[Move, Outcome]) -> tuple[Kind, Move] | None:
    """The kind of puzzle that these outcomes make, and its answer, if they make one."""
    for value, kind in (("win", "win"), ("draw", "draw")):
        best = [move for move, outcome in outcomes.items() if outcome.value == value]
        if best:
            return (kind, best[0]) if len(best) == 1 and len(outcomes) > _FEWEST_WRONG else None  # type: ignore[return-value]
    longest = max(outcome.plies or 0 for outcome in outcomes.values())
    best = [move for move, outcome in outcomes.items() if outcome.plies == longest]
    enough = len(outcomes) > _FEWEST_WRONG and longest >= _SHORTEST_DEFENCE
    return ("defend", best[0]) if len(best) == 1 and enough else None


def _games(rules: Quixo, random: Random, look: Callable[[Words], NDArray[np.int8]]) -> Iterator[int]:
    """Positions of games from the start, in which most moves keep what the side has."""
    board = Board(rules.native)
    while True:
        word = rules.start().mover_word
        while not board.over(np.array([word], np.uint64))[0]:
            yield word
            after, _ = board.successors(np.array([word], np.uint64))
            values = look(after)
            kept = values == values.min() if random.random() < _SENSIBLE else values == values
            word = int(random.choice(after[kept].tolist()))


def _placed(table: Table, random: Random) -> Iterator[int]:
    """Positions with marks at random, about as many of each side, whose moves the table has."""
    rules = table.rules
    pairs = {record.pair for record in table.manifest.pairs}
    known = sorted(
        (a, b) for a, b in pairs if a - b <= _BALANCED and {(a + 1, b), (a, b + 1)} - {(a, a + 1)} <= pairs
    )
    if not known:
        raise MissingTable(f"the table in {table.path} has too few pairs for puzzles")
    while True:
        counts = list(random.choice(known))
        random.shuffle(counts)
        cells = random.sample(range(rules.cells), sum(counts))
        word = sum(1 << cell + 32 * (nth < counts[0]) for nth, cell in enumerate(cells))
        if not rules.from_word(word).is_over:
            yield word


def _searching(rules: Quixo) -> Look:
    """What a search finds about the positions after all moves; nothing where it is not worth while."""
    board = Board(rules.native)

    def look(words: Words) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        values, plies = np.full(words.size, MISSING, np.int8), np.full(words.size, -1, np.int32)
        replies, ends = board.successors(words)
        over = np.concatenate([[0], np.cumsum(board.over(replies))])[ends]
        marks = max(int(word).bit_count() for word in words)
        if marks > _SEARCHED_MARKS or np.count_nonzero(np.diff(over, prepend=0)) < _THREATENED * words.size:
            return values, plies
        positions = [rules.from_word(int(word)) for word in words]
        found = search_all(positions, _SEARCHED_PLIES - 1, inf)
        for nth, outcome in enumerate(found):
            if outcome is not None and outcome.plies is not None:
                values[nth], plies[nth] = 1 if outcome.value == "win" else -1, outcome.plies
        return values, plies

    return look
