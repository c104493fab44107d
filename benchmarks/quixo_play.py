"""How long won games of Quixo take if the winner knows outcomes but no plies, beside the optimum.

The table must have plies, for the opponent and for the optimum; the winner sees its outcomes alone. Two
winners play from the same random positions: inarow's player, and the rule of Tanaka, Bonnet, Tixeuil and
Tamura, who choose any winning move at random. Each meets an opponent who moves at random, and one who holds
out as long as possible.

Exits with 1 if inarow's player lets a win slip, or takes more plies than `--most`.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from types import SimpleNamespace
from typing import Any

import numpy as np

from inarow._native.quixo import Board
from inarow.quixo.player import Player
from inarow.quixo.prober import Prober, SearchLimits
from inarow.quixo.rules import Position
from inarow.quixo.table.nearly_full import nearly_full_marks
from inarow.quixo.table.table import Table, open_table
from inarow.values import Outcome, Value

VALUES: dict[int, Value] = {1: "win", 0: "draw", -1: "loss"}
WINNERS, OPPONENTS = ("inarow", "random"), ("random", "longest")


@dataclass(frozen=True, slots=True)
class Task:
    table: Path
    winner: str
    opponent: str
    words: tuple[int, ...]
    plies: tuple[int, ...]
    limits: SearchLimits
    most: int
    seed: int


@dataclass(frozen=True, slots=True)
class Game:
    optimum: int
    plies: int | None  # None if it was not over after `most`
    slipped: bool


class OutcomesOnly:
    """A view of a table that hides its plies, but for those of nearly full boards."""

    def __init__(self, table: Table) -> None:
        self._table = table
        self._board = Board(table.rules.native)
        self._nearly_full = nearly_full_marks(table.rules)
        self.rules, self.path, self.values = table.rules, table.path, table.values
        self.is_remote = table.is_remote
        self.manifest = SimpleNamespace(plies=False, complete=True, form="compact", rules=table.rules)

    def outcomes(self, positions: Sequence[Position]) -> list[Outcome | None]:
        words = words_of(positions)
        values, plies = (array.tolist() for array in self._table.probe_many(words))
        over = self._board.over(words).tolist()
        return [
            Outcome(VALUES[value], count if value and (ended or self._is_nearly_full(position)) else None)
            for position, value, count, ended in zip(positions, values, plies, over, strict=True)
        ]

    def _is_nearly_full(self, position: Position) -> bool:
        return sum(position.counts) >= self._nearly_full


def random_won(
    table: Table, games: int, seed: int, marks: int | None, least: int
) -> tuple[list[int], list[int]]:
    """Positions that the side to move wins, any alike, and their plies."""
    random = np.random.default_rng(seed)
    cells = table.rules.cells
    words: list[int] = []
    plies: list[int] = []
    while len(words) < games:
        tiles = random.integers(0, 3, (4 * games, cells))
        if marks is not None:
            tiles = tiles[(tiles > 0).sum(1) == marks]
        bits = np.uint64(1) << np.arange(cells, dtype=np.uint64)
        some = ((tiles == 1) * bits).sum(1, dtype=np.uint64) << np.uint64(32)
        some |= ((tiles == 2) * bits).sum(1, dtype=np.uint64)
        some = some[table.values(some) == 1]
        counts = table.probe_many(some)[1]
        words += some[counts >= least].tolist()
        plies += counts[counts >= least].tolist()
    return words[:games], plies[:games]


def play(task: Task) -> list[Game]:
    with open_table(task.table) as table:
        view: Any = OutcomesOnly(table)
        prober = Prober(table.rules, [view], _nothing_opened(), task.limits)
        return [
            play_one(task, table, prober, word, optimum)
            for word, optimum in zip(task.words, task.plies, strict=True)
        ]


def _nothing_opened() -> Any:
    return SimpleNamespace(close=lambda: None)


def play_one(task: Task, table: Table, prober: Prober, word: int, optimum: int) -> Game:
    rules, random = table.rules, Random(f"{task.seed} {word}")
    player = Player(prober, "best", random.getrandbits(32))
    position = rules.from_word(word)
    winner = position.turn
    before: list[Position] = []
    while len(before) < task.most and not position.is_over:
        before.append(position)
        if position.turn != winner:
            position = opponents_move(task.opponent, table, position, random)
        elif task.winner == "inarow":
            position = player.choose(position, before).position
        else:
            position = random_winning_move(table, position, random)
    slipped = position.is_over and position.winner != winner
    if not position.is_over:
        value = table.values(np.array([position.mover_word], np.uint64))[0]
        slipped = bool(value != (1 if position.turn == winner else -1))
    return Game(optimum, len(before) if position.is_over else None, slipped)


def children_of(position: Position) -> list[Position]:
    return [position.play(move) for move in position.legal_moves()]


def words_of(positions: Sequence[Position]) -> Any:
    return np.array([position.mover_word for position in positions], np.uint64)


def opponents_move(opponent: str, table: Table, position: Position, random: Random) -> Position:
    children = children_of(position)
    if opponent == "random":
        return random.choice(children)
    _, plies = table.probe_many(words_of(children))
    return random.choice([children[nth] for nth in np.flatnonzero(plies == plies.max()).tolist()])


def random_winning_move(table: Table, position: Position, random: Random) -> Position:
    children = children_of(position)
    values = table.values(words_of(children))
    return random.choice([children[nth] for nth in np.flatnonzero(values == -1).tolist()])


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure how won games of Quixo are won without plies.")
    parser.add_argument("--table", type=Path, required=True, help="a table with plies")
    parser.add_argument("--games", type=int, default=1000, help="won positions (default 1,000)")
    parser.add_argument("--marks", type=int, help="that the positions have (default any number)")
    parser.add_argument("--least", type=int, default=1, help="plies of the optimum (default 1)")
    parser.add_argument("--most", type=int, default=400, help="plies after which a game ends (default 400)")
    parser.add_argument("--nodes", type=int, default=10_000, help="of a proof (default 10,000)")
    parser.add_argument("--plies", type=int, default=5, help="searched for everything (default 5)")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    with open_table(options.table) as table:
        words, plies = random_won(table, options.games, options.seed, options.marks, options.least)
        rules = table.rules
    limits = SearchLimits(options.plies, options.nodes, 60.0)
    whole = Task(options.table, "", "", (), (), limits, options.most, options.seed)
    rows = {}
    if not options.json:
        head = (
            f"{'winner, loser':22}  optimum    mean  median  longest  over {options.most}  slipped  seconds"
        )
        print(rules, head, sep="\n", flush=True)
    with ProcessPoolExecutor(options.processes) as pool:
        for winner in WINNERS:
            for opponent in OPPONENTS:
                began = time.monotonic()
                # Small shares, since a few games take most of the time.
                tasks = [
                    replace(
                        whole,
                        winner=winner,
                        opponent=opponent,
                        words=tuple(words[first : first + 8]),
                        plies=tuple(plies[first : first + 8]),
                    )
                    for first in range(0, len(words), 8)
                ]
                games = [game for share in pool.map(play, tasks) for game in share]
                name = f"{winner} against {opponent}"
                rows[name] = summary(games, options.most, time.monotonic() - began)
                if not options.json:
                    print(line_of(name, rows[name]), flush=True)
    if options.json:
        print(json.dumps(rows, indent=2))
    bad = [
        row for name, row in rows.items() if name.startswith("inarow") and (row["longer"] or row["slipped"])
    ]
    return 1 if bad else 0


def summary(games: Sequence[Game], most: int, seconds: float) -> dict[str, Any]:
    lengths = [most if game.plies is None else game.plies for game in games]
    return {
        "games": len(games),
        "optimum": sum(game.optimum for game in games) / len(games),
        "mean": sum(lengths) / len(games),
        "median": sorted(lengths)[len(lengths) // 2],
        "longest": max(lengths),
        "longer": sum(game.plies is None for game in games),
        "slipped": sum(game.slipped for game in games),
        "seconds": seconds,
    }


def line_of(name: str, row: dict[str, Any]) -> str:
    return (
        f"{name:22}  {row['optimum']:7.2f}  {row['mean']:6.2f}  {row['median']:6}  {row['longest']:7}"
        f"  {row['longer']:8}  {row['slipped']:7}  {row['seconds']:7.1f}"
    )


if __name__ == "__main__":
    sys.exit(main())
