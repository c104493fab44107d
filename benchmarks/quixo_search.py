"""What the search of Quixo finds without a table, measured against a table.

First, the share of positions whose value it finds, by their number of marks: random positions, and positions
of games played at random. "before" is a search of eight plies and nothing else. Then games from drawn
positions: inarow's player, by search alone, against an opponent who has the table, never errs, and makes the
move after which most replies lose. A game is drawn when it reaches `--most` plies.

Exits with 1 if the search says something that is not true.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random
from typing import Any

from inarow.quixo.player import Player
from inarow.quixo.prober import Prober, SearchLimits
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.search import NODES, PLIES, SECONDS, search
from inarow.quixo.table.table import Table, open_table


@dataclass(frozen=True, slots=True)
class Task:
    table: Path
    limits: SearchLimits
    marks: tuple[int, int]
    most: int
    seed: int


@dataclass(frozen=True, slots=True)
class Row:
    """A position: how it was made, its marks, its value, and what was found."""

    kind: str
    marks: int
    value: str
    before: str | None
    after: str | None


def random_position(rules: Quixo, marks: int, random: Random) -> Position:
    cells = random.sample(range(rules.cells), marks)
    split = random.randint(0, marks)
    x, o = (sum(1 << cell for cell in part) for part in (cells[:split], cells[split:]))
    return Position(rules, x, o)


def played_position(rules: Quixo, marks: int, random: Random) -> Position:
    """Of a game at random, as soon as it has so many marks."""
    while True:
        position = rules.start()
        while not position.is_over and sum(position.counts) < marks:
            position = position.play(random.choice(position.legal_moves()))
        if not position.is_over:
            return position


def measure(task: Task) -> list[Row]:
    """One position of each kind."""
    random = Random(task.seed)
    rows = []
    with open_table(task.table) as table, ExitStack() as nothing:
        prober = Prober(table.rules, [], nothing, task.limits)
        for kind, make in (("random", random_position), ("played", played_position)):
            position = make(table.rules, random.randint(*task.marks), random)
            while position.is_over:
                position = make(table.rules, random.randint(*task.marks), random)
            found = search(position, task.limits.plies, task.limits.seconds)
            before = found.value if found and found.plies is not None else None  # not from its class
            value = table.probe(position).value
            assert value is not None
            after = prober.probe(position).value
            rows.append(Row(kind, sum(position.counts), value, before, after))
    return rows


def drawn_game(task: Task) -> str:
    """Whether a drawn game is held: "drawn", "lost", or "won", for the player without a table."""
    random = Random(task.seed)
    with open_table(task.table) as table, ExitStack() as nothing:
        position = drawn_position(table, random, task.marks)
        alone = Player(Prober(table.rules, [], nothing, task.limits), "best", task.seed)
        opponent = Player(Prober(table.rules, [table], nothing, task.limits), "best", task.seed)
        side = position.turn
        game: list[Position] = []
        while len(game) < task.most and not position.is_over:
            game.append(position)
            position = (alone if position.turn == side else opponent).choose(position, game).position
            if table.probe(position).value != "draw":
                break  # one of them has erred, and the opponent never does
        value = table.probe(position).value
        if value == "draw":
            return "drawn"
        return "lost" if (value == "loss") == (position.turn == side) else "won"


def drawn_position(table: Table, random: Random, marks: tuple[int, int]) -> Position:
    while True:
        position = played_position(table.rules, random.randint(*marks), random)
        if table.probe(position).value == "draw":
            return position


def main() -> int:
    parser = argparse.ArgumentParser(description="Measure the search of Quixo against a table.")
    parser.add_argument("--table", type=Path, required=True)
    parser.add_argument("--positions", type=int, default=300, help="of each kind (default 300)")
    parser.add_argument("--games", type=int, default=100, help="drawn games (default 100)")
    parser.add_argument("--marks", type=int, nargs=2, default=(11, 20), metavar=("FROM", "TO"))
    parser.add_argument("--most", type=int, default=60, help="plies of a game (default 60)")
    parser.add_argument("--plies", type=int, default=PLIES, help=f"searched in full (default {PLIES})")
    parser.add_argument("--nodes", type=int, default=NODES, help=f"of a proof (default {NODES:,})")
    parser.add_argument("--seconds", type=float, default=SECONDS, help=f"a search (default {SECONDS:g})")
    parser.add_argument("--game-seconds", type=float, default=0.5, help="a move of a game (default 0.5)")
    parser.add_argument("--processes", type=int, default=os.cpu_count())
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    options = parser.parse_args()
    limits = SearchLimits(options.plies, options.nodes, options.seconds)
    task = Task(options.table, limits, tuple(options.marks), options.most, 0)
    in_games = replace(task, limits=limits._replace(seconds=options.game_seconds))
    with ProcessPoolExecutor(options.processes) as pool:
        seeds = range(options.seed, options.seed + max(options.positions, options.games))
        rows = [
            row
            for found in pool.map(measure, [replace(task, seed=s) for s in seeds[: options.positions]])
            for row in found
        ]
        games = list(pool.map(drawn_game, [replace(in_games, seed=s) for s in seeds[: options.games]]))
    found = {
        "positions": [summary(kind, rows) for kind in ("random", "played")],
        "games": {result: games.count(result) for result in ("drawn", "lost", "won")},
    }
    wrong = [row for row in rows if row.before not in (None, row.value) or row.after not in (None, row.value)]
    print(json.dumps(found, indent=2) if options.json else words(found, options))
    for row in wrong:
        print(f"WRONG: {row}")
    return 1 if wrong else 0


def summary(kind: str, rows: Sequence[Row]) -> dict[str, Any]:
    some = [row for row in rows if row.kind == kind]
    decided = [row for row in some if row.value != "draw"]
    return {
        "kind": kind,
        "positions": len(some),
        "decided": len(decided),
        "before": sum(row.before is not None for row in some) / max(1, len(some)),
        "after": sum(row.after is not None for row in some) / max(1, len(some)),
        "decided_before": sum(row.before is not None for row in decided) / max(1, len(decided)),
        "decided_after": sum(row.after is not None for row in decided) / max(1, len(decided)),
    }


def words(found: dict[str, Any], options: argparse.Namespace) -> str:
    lines = [f"value found in {options.seconds:g} s           all                wins and losses"]
    lines.append("positions               before    after      before    after")
    for row in found["positions"]:
        shares = (row[name] for name in ("before", "after", "decided_before", "decided_after"))
        one, two, three, four = (f"{share:8.1%}" for share in shares)
        lines.append(f"{row['kind']:8} {row['positions']:6}       {one} {two}    {three} {four}")
    games = found["games"]
    lines.append(
        f"drawn games without a table, {options.game_seconds:g} s a move, up to {options.most} plies:"
    )
    lines.append(", ".join(f"{count} {result}" for result, count in games.items()))
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
