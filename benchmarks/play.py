"""How well Quixo is played without all that a table knows.

    python benchmarks/play.py [--table DIR --outcomes DIR] [--only wins search levels] [--games N]

- wins: games from random won positions, where the winner has a table of outcomes alone: inarow's player,
  and the rule of "Quixo Is Solved", any winning move. Each meets an opponent who moves at random, and one
  who holds out as long as possible. The plies, beside those of the optimum; games of 400 plies
  are stopped.
- search: the positions whose value is found without a table, beside a search of eight plies alone; and
  the drawn games that are held against a player with a table who sets traps, beside all of them.
- levels: the score of each level against the one below it, beside an even one. Drawn after 120 plies.

The tables are of 3×6, line 4, unless a full one and one of outcomes are named. Fails if a win slips, or
if the search says what is not true.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from random import Random
from statistics import mean, median
from tempfile import TemporaryDirectory

import numpy as np
from rows import Row, arguments, main, solved

import inarow
from inarow.quixo.player import LEVELS
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.search import search

MOST_PLIES, MOST_DRAWN, MOST_AT_A_LEVEL = 400, 60, 120


@dataclass(frozen=True, slots=True)
class Tables:
    full: Path
    outcomes: Path
    seconds: float


# --- Won games ---


def won_game(tables: Tables, winner: str, opponent: str, case: tuple[int, int]) -> int:
    """The plies of a game from a won position, by its word and a seed."""
    word, seed = case
    random = Random(seed)
    with inarow.open_table(tables.full) as full, inarow.open_table(tables.outcomes) as outcomes:
        prober = inarow.open_prober(full.rules, [outcomes], search_plies=5, search_nodes=10_000)
        player = inarow.Player(prober, "best", seed)
        position = full.rules.from_word(word)
        side, before = position.turn, list[Position]()
        while len(before) < MOST_PLIES and not position.is_over:
            before.append(position)
            if position.turn == side and winner == "inarow":
                position = player.choose(position, before).position
                continue
            children = [child for child, _ in position.successors()]
            values, plies = full.probe_many(np.array([it.mover_word for it in children], np.uint64))
            if position.turn == side:
                children = [children[nth] for nth in np.flatnonzero(values == -1)]
            elif opponent == "the longest resistance":
                children = [children[nth] for nth in np.flatnonzero(plies == plies.max())]
            position = random.choice(children)
        assert full.probe(position).value == ("win" if position.turn == side else "loss"), "a win slipped"
    return len(before)


def wins(tables: Tables, games: int, pool: ProcessPoolExecutor) -> Iterator[Row]:
    with inarow.open_table(tables.full) as full:
        drawn = full.sample(4 * games, seed=1, value="win")
    open_ones = drawn.where(drawn.plies > 0).where(slice(games))
    cases = list(zip(open_ones.words.tolist(), range(games), strict=False))
    for winner in ("inarow", "any winning move"):
        for opponent in ("moves at random", "the longest resistance"):
            lengths = list(pool.map(partial(won_game, tables, winner, opponent), cases))
            for name, of in (("mean", mean), ("median", median), ("longest", max)):
                what = f"{winner} against {opponent}, {len(cases)} games: {name}"
                yield Row(what, of(lengths), "plies", "the optimum", of(open_ones.plies.tolist()))


# --- Without a table ---


def random_position(rules: Quixo, marks: int, random: Random) -> Position:
    cells = random.sample(range(rules.cells), marks)
    split = random.randint(0, marks)
    return Position(rules, sum(1 << cell for cell in cells[:split]), sum(1 << cell for cell in cells[split:]))


def played_position(rules: Quixo, marks: int, random: Random) -> Position:
    """Of a game at random, as soon as it has so many marks."""
    position = rules.start()
    while not position.is_over and sum(position.counts) < marks:
        position = position.play(random.choice(position.legal_moves()))
    return position


def some_position(make: Callable[[Quixo, int, Random], Position], rules: Quixo, random: Random) -> Position:
    """With about half of the cells marked, or more, and not over."""
    while (
        position := make(rules, random.randint(rules.cells // 2 - 1, rules.cells * 4 // 5), random)
    ).is_over:
        pass
    return position


def is_found(tables: Tables, make: Callable[[Quixo, int, Random], Position], seed: int) -> tuple[bool, bool]:
    """Whether the search finds a value, and whether eight plies do."""
    with inarow.open_table(tables.full) as full:
        position = some_position(make, full.rules, Random(seed))
        with inarow.open_prober(full.rules, search_seconds=tables.seconds) as prober:
            found, plain = prober.probe(position).value, search(position, 8, tables.seconds)
        assert {found, plain and plain.value} <= {None, full.probe(position).value}, position
    return found is not None, plain is not None


def is_held(tables: Tables, seed: int) -> bool:
    """Whether a drawn game is, by a player without a table."""
    random = Random(seed)
    with inarow.open_table(tables.full) as full:
        while full.probe(position := some_position(played_position, full.rules, random)).value != "draw":
            pass
        alone = inarow.open_prober(full.rules, search_seconds=tables.seconds / 4)
        probers = alone, inarow.open_prober(full.rules, [full])
        players = [inarow.Player(prober, "best", seed) for prober in probers]
        game = list[Position]()
        while len(game) < MOST_DRAWN and full.probe(position).value == "draw":
            game.append(position)
            position = players[len(game) % 2 == 0].choose(position, game).position
        return full.probe(position).value == "draw"


def searching(tables: Tables, games: int, pool: ProcessPoolExecutor) -> Iterator[Row]:
    for name, make in (("random", random_position), ("played", played_position)):
        found, plain = map(mean, zip(*pool.map(partial(is_found, tables, make), range(games)), strict=True))
        what = f"{games} {name} positions: value found in {tables.seconds:g} s"
        yield Row(what, found, "of 1", "eight plies alone", plain or float("nan"))
    held = mean(pool.map(partial(is_held, tables), range(games)))
    yield Row(f"{games} drawn games without a table: held", held, "of 1", "all of them", 1)


# --- Levels ---


def level_game(rules: Quixo, higher: int, number: int) -> float:
    """What a level gets of a game against the one below it: 1, ½ or 0."""
    with inarow.open_prober(rules) as prober:
        players = [inarow.Player(prober, "level", number, level=level) for level in (higher, higher - 1)]
        if number % 2:
            players.reverse()
        position = rules.start()
        for ply in range(MOST_AT_A_LEVEL):
            if position.is_over:
                return float((position.winner == "x") == (number % 2 == 0))
            position = players[ply % 2].choose(position).position
    return 0.5


def levels(rules: Quixo, games: int, pool: ProcessPoolExecutor) -> Iterator[Row]:
    for higher in range(2, len(LEVELS) + 1):
        points = mean(pool.map(partial(level_game, rules, higher), range(games)))
        what = f"{rules.size_text}, level {higher} against {higher - 1}, {games} games: points"
        yield Row(what, points, "of 1", "an even score", 0.5)


def measure(options: argparse.Namespace) -> Iterator[Row]:
    rules = Quixo(3, 6, 4)
    with TemporaryDirectory() as small, ProcessPoolExecutor(os.cpu_count()) as pool:
        if "wins" in options.only or "search" in options.only:
            with solved(rules, options.table) as full:
                if options.outcomes is None:
                    inarow.solve(rules, small, outcomes_only=True)
                tables = Tables(full, options.outcomes or Path(small), options.seconds)
                if "wins" in options.only:
                    yield from wins(tables, options.games, pool)
                if "search" in options.only:
                    yield from searching(tables, options.games, pool)
        if "levels" in options.only:
            yield from levels(Quixo(*Quixo.parse_size(options.size)), options.games, pool)


if __name__ == "__main__":
    parts = ("wins", "search", "levels")
    parser = arguments(__doc__)
    parser.add_argument("--table", type=Path, metavar="DIR", help="a full table of more than 16 cells")
    parser.add_argument("--outcomes", type=Path, metavar="DIR", help="the same without plies")
    parser.add_argument("--only", nargs="+", choices=parts, default=parts, help="(all)")
    parser.add_argument("--games", type=int, default=20, metavar="N", help="of each kind (20)")
    parser.add_argument("--seconds", type=float, default=2.0, metavar="S", help="of a search (2)")
    parser.add_argument("--size", default="4", metavar="RxC", help="of the board of the levels (4)")
    main(measure, parser)
