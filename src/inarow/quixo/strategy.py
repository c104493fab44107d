"""Strategies of Quixo that a person could keep: positions with one answer each, with which X wins.

A person who `sees` wins within some plies needs no answer where there is one. Positions stand for their
images. docs/results/quixo-questions.md tells how few positions suffice; docs/strategy-format.md has the file.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from heapq import heappop, heappush
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from inarow._native.quixo import Board
from inarow.errors import DamagedFile, InarowError, MissingTable
from inarow.files import json_object, read_file, write_atomically
from inarow.integer_program import Row, minimise
from inarow.quixo.rules import Move, Position, Quixo
from inarow.quixo.search import search_all
from inarow.quixo.table.table import Table

Resistance = Literal["any", "perfect"]

FORMAT, VERSION = "inarow-quixo-strategy", 1

_SHARED = 0.3  # the share of what a position leads to that it is charged with, as others lead there too
_KEPT = 0.3  # the cost of a position that the last attempt needed
_ATTEMPTS = 3
_BOUND_ANSWERS = 3  # with four, the integer program of 4×4 would be too large
_SEARCH_SECONDS = 10.0


@dataclass(frozen=True, slots=True)
class Strategy:
    """Answers by the word of the canonical position; no strategy of its kind has fewer than `bound`.

    It wins from the start of the game against any resistance, or against `perfect` resistance alone, which
    lasts as long as it can.

    >>> from inarow.quixo.solver.user_table import table_in_memory
    >>> found = make_strategy(table_in_memory(Quixo(3)), "perfect")
    >>> len(found.answers), found.bound
    (9, 9)
    >>> found.move(Quixo(3).start())
    Move(taken=0, pushed=2)
    """

    rules: Quixo
    resistance: Resistance
    sees: int
    answers: Mapping[int, Move]
    bound: int = 1

    def move(self, position: Position) -> Move | None:
        """The answer to a position, or a move that wins within `sees` plies; None if there is neither.

        Against the resistance that it is for, a game from the start never gets there.
        """
        image = position.canonical()
        answer = self.answers.get(image.mover_word)
        if answer is not None:
            to = self.rules.symmetries[position.symmetries().index(image)]
            return Move(to.index(answer.taken), to.index(answer.pushed))
        successors = position.successors()
        after = [child for child, _ in successors]
        found = search_all(after, self.sees - 1, _SEARCH_SECONDS)
        wins = [
            (outcome.plies or 0, nth)
            for nth, outcome in enumerate(found)
            if outcome is not None and outcome.value == "loss" and outcome.plies is not None
        ]
        return successors[min(wins)[1]][1] if wins else None


# --- Making one ---


@dataclass(frozen=True, slots=True)
class _Tree:
    """What X may answer in each position, and what O may reply; a position is its canonical word.

    `replies` has the positions that need an answer themselves.
    """

    answers: dict[int, list[int]]
    replies: dict[int, list[int]]


def make_strategy(table: Table, resistance: Resistance = "any", sees: int = 1) -> Strategy:
    """A small set of answers with which X wins from the start.

    Answers are fastest wins. Against perfect resistance no smaller set of such answers does; against any it
    is the smallest of some attempts, and `bound` holds for all strategies, of slow answers too.

    `InarowError` if the start is not won, `MissingTable` if the table lacks plies.

    >>> from inarow.quixo.solver.user_table import table_in_memory
    >>> len(make_strategy(table_in_memory(Quixo(3)), "any", sees=3).answers)
    6
    """
    if resistance not in get_args(Resistance):
        raise ValueError(f"resistance {resistance!r}: must be one of {', '.join(get_args(Resistance))}")
    if sees < 1:
        raise ValueError(f"sees {sees}: must be at least 1")
    if not (table.manifest.plies and table.manifest.complete):
        raise MissingTable(f"the table in {table.path} does not know the plies of all positions")
    rules, start = table.rules, table.rules.start().mover_word
    if table.probe(rules.start()).value != "win":
        raise InarowError(f"the first player does not win {rules}")
    perfect = resistance == "perfect"
    tree = _tree(table, sees, start, fastest=True, longest=perfect)
    if perfect:
        chosen, bound = _fewest(tree, start)
    else:
        chosen = _few(tree, start, table)
        # Any strategy needs these, whatever winning moves it answers with. The integer program has the
        # positions that X's first answers lead to, and asks for no more.
        bound = _fewest(_tree(table, sees, start, depth=_BOUND_ANSWERS), start)[1]
    board = Board(rules.native)
    answers = {}
    for word, after in sorted(chosen.items()):
        _, numbers, words = board.moves(np.array([word], np.uint64))
        answers[word] = rules.moves[int(numbers[board.canonical(words) == after][0])]
    return Strategy(rules, resistance, sees, answers, bound)


def _tree(
    table: Table,
    sees: int,
    start: int,
    *,
    fastest: bool = False,
    longest: bool = False,
    depth: int | None = None,
) -> _Tree:
    """All that may be played from a position, or answers up to a depth.

    Answers are winning moves or the `fastest` of them, replies are all moves or those that last `longest`.
    """
    board = Board(table.rules.native)

    def play(front: set[int], into: dict[int, list[int]], *, replies: bool, best: bool) -> set[int]:
        """Play from some positions, keep what follows each, and return all that follows."""
        words = np.array(sorted(front), np.uint64)
        offsets, _, after = board.moves(words)
        rows = np.repeat(np.arange(words.size, dtype=np.uint64), np.diff(offsets))
        rows, after = np.unique(np.stack([rows, board.canonical(after)]), axis=1)
        values, plies = table.probe_many(after)
        chosen = plies > sees if replies else values < 0
        if best:
            chosen &= plies == table.probe_many(words)[1][rows] - 1
        rows, after = rows[chosen], after[chosen]
        ends = np.searchsorted(rows, np.arange(1, words.size, dtype=np.uint64))
        for word, those in zip(words.tolist(), np.split(after, ends), strict=True):
            into[word] = those.tolist()
        return set(after.tolist())

    found, front = _Tree({}, {}), {start}
    while front and depth != 0:
        after = play(front, found.answers, replies=False, best=fastest) - found.replies.keys()
        front = after and play(after, found.replies, replies=True, best=longest) - found.answers.keys()
        depth = None if depth is None else depth - 1
    return found


def _few(tree: _Tree, start: int, table: Table) -> dict[int, int]:
    """An answer to each position that is needed: the fewest of some attempts."""
    words = np.array(list(tree.answers), np.uint64)
    plies = dict(zip(tree.answers, table.probe_many(words)[1].tolist(), strict=True))
    best: dict[int, int] = {}
    for _ in range(_ATTEMPTS):
        chosen = _attempt(tree, start, plies, best)
        if best and len(chosen) >= len(best):
            break
        best = chosen
    return best


def _attempt(tree: _Tree, start: int, plies: Mapping[int, int], kept: Iterable[int]) -> dict[int, int]:
    """Choose answers from the start on, long wins first, each time those that need least that is new.

    What a position needs is guessed from below; `kept` positions are cheap.
    """
    cheap = set(kept)
    cost: dict[int, float] = {}
    for word in sorted(tree.answers, key=plies.__getitem__):
        below = min(sum(cost[it] for it in tree.replies[after]) for after in tree.answers[word])
        cost[word] = (_KEPT if word in cheap else 1) + _SHARED * below
    needed, chosen = {start}, {}
    queue = [(-plies[start], start)]
    while queue:
        _, word = heappop(queue)
        chosen[word] = min(
            tree.answers[word],
            key=lambda after: (sum(cost[it] for it in tree.replies[after] if it not in needed), after),
        )
        for it in tree.replies[chosen[word]]:
            if it not in needed:
                needed.add(it)
                heappush(queue, (-plies[it], it))
    return chosen


def _fewest(tree: _Tree, start: int) -> tuple[dict[int, int], int]:
    """The fewest positions that are closed under replies, with their answers, and a proven bound.

    Positions without answers in the tree are needed, but need nothing themselves.
    """
    words = sorted({*tree.answers, *(it for those in tree.replies.values() for it in those)})
    number = {word: nth for nth, word in enumerate(words)}
    after = {word: len(words) + nth for nth, word in enumerate(sorted(tree.replies))}
    rows = [Row([number[start]], least=1)]
    rows += [Row([after[it] for it in those], [number[word]]) for word, those in tree.answers.items()]
    rows += [Row([number[it]], [after[word]]) for word, those in tree.replies.items() for it in those]
    found = minimise([1.0] * len(words) + [0.0] * len(after), rows)
    assert found is not None  # to choose everything is a solution
    chosen, left = dict[int, int](), [start]
    while left:
        word = left.pop()
        if word not in chosen and word in tree.answers:
            chosen[word] = next(it for it in tree.answers[word] if after[it] in found.chosen)
            left += tree.replies[chosen[word]]
    return chosen, found.bound


# --- Files ---


def write_strategy(path: Path, strategy: Strategy) -> None:
    rules = strategy.rules
    data = {
        "format": FORMAT,
        "version": VERSION,
        "rules": rules.to_json(),
        "resistance": strategy.resistance,
        "sees": strategy.sees,
        "answers": {
            rules.from_word(word).text: rules.move_text(move) for word, move in strategy.answers.items()
        },
    }
    write_atomically(path, [json.dumps(data, indent=0).encode() + b"\n"])


def read_strategy(path: Path) -> Strategy:
    """The strategy in a file; `DamagedFile` if there is none."""
    data = json_object(read_file(path), str(path))
    try:
        if (data["format"], data["version"]) != (FORMAT, VERSION):
            raise DamagedFile(f"{path} holds no strategy of version {VERSION}")
        rules = Quixo.from_json(data["rules"])
        answers = {rules.parse(text): rules.parse_move(move) for text, move in data["answers"].items()}
        for position, move in answers.items():
            if position != position.canonical() or not position.is_legal(move):
                raise ValueError(f"{position} is not canonical, or has an answer that is not legal")
        if data["resistance"] not in get_args(Resistance) or not 1 <= int(data["sees"]) <= 9:
            raise ValueError("'resistance' or 'sees' makes no sense")
        moves = {position.mover_word: move for position, move in answers.items()}
        return Strategy(rules, data["resistance"], int(data["sees"]), moves)
    except KeyError as error:
        raise DamagedFile(f"{path} holds no strategy: it has no {error}") from None
    except (ValueError, TypeError, AttributeError) as error:
        raise DamagedFile(f"{path} holds no strategy: {error}") from None
