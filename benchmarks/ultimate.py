"""Ultimate Tic-Tac-Toe: the prover, and how well the tree search plays.

    python benchmarks/ultimate.py [--only prove play openspiel] [--games N]

- prove: proofs that the first player does not win by some ply, searching every first move, against
  docs/results/reproduce_ultimate_length.cpp, to which positions with different marks are different,
  compiled for this machine. One thread.
- play: the share of the points of Monte-Carlo tree search against moves at random, alpha-beta and itself
  with fewer playouts, beside an even score; and its time of a move beside theirs. Half of the games with
  either side. The same options give the same games.
- openspiel: the closed rules against OpenSpiel's MCTS bot (pip install open_spiel), at the same processor
  time a move; with a 95% confidence interval.

Fails if two proofs disagree.
"""

from __future__ import annotations

import argparse
import math
import re
import resource
import subprocess
import time
from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from rows import ROOT, Row, arguments, compiled, cpu_seconds, main

from inarow.ultimate.players import AlphaBeta, Mcts
from inarow.ultimate.prover import prove
from inarow.ultimate.rules import Move, Position, Ultimate
from inarow.values import Mark

PROOFS = (27, 31, 33)  # plies; X wins by none of them
Player = Callable[[Position, int], Move]  # the second is a seed


def proofs() -> Iterator[Row]:
    with compiled(ROOT / "docs/results/reproduce_ultimate_length.cpp") as plain:
        for plies in PROOFS:
            took, proof = cpu_seconds(lambda: prove(Ultimate().start(), plies, memory=1 << 30))  # noqa: B023
            before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
            said = subprocess.run([plain, str(plies), "1"], check=True, capture_output=True, text=True).stdout
            theirs = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
            assert ("X wins" in said) == proof.wins
            nodes = sum(map(int, re.findall(r"(\d+) nodes", said)))
            what = f"Ultimate, no win by ply {plies}"
            yield Row(what, took, "CPU s", "plain search", theirs)
            yield Row(f"{what}: nodes", proof.nodes, "in all", "plain search", nodes)


def score(games: int, variant: Any, name: str, player: Player, opponent: str, other: Player) -> Iterator[Row]:
    points, spent, moves = 0.0, {True: 0.0, False: 0.0}, {True: 0, False: 0}
    for game in range(games):
        side: Mark = "x" if game % 2 == 0 else "o"
        position = Ultimate(variant).start()
        while not position.is_over:
            ours = position.turn == side
            began = time.perf_counter()
            move = (player if ours else other)(position, game * 100 + position.ply)
            spent[ours] += time.perf_counter() - began
            moves[ours] += 1
            position = position.play(move)
        points += 0.5 if position.winner is None else position.winner == side
    what = f"Ultimate, {name} against {opponent}, {games} games"
    yield Row(f"{what}: points", points / games, "of 1", "an even score", 0.5)
    times = (1e3 * spent[ours] / moves[ours] for ours in (True, False))
    yield Row(f"{what}: a move", next(times), "ms", opponent, next(times))


def play(games: int, playouts: list[int], depths: list[int], variant: str) -> Iterator[Row]:
    opponents: list[tuple[str, Player]] = [
        ("moves at random", lambda position, seed: Random(seed).choice(position.legal_moves())),
        *(
            (f"alpha-beta {depth}", lambda position, seed, depth=depth: AlphaBeta(depth, seed)(position))
            for depth in depths
        ),
    ]
    for count in playouts:
        name, player = (
            f"mcts {count:,}",
            lambda position, seed, count=count: Mcts(playouts=count, seed=seed)(position),
        )
        for opponent, other in opponents:
            yield from score(games, variant, name, player, opponent, other)
        opponents.append((name, player))  # for those with more playouts


# --- OpenSpiel ---


class Paced:
    """Calls a search with as many playouts as take the given seconds of processor time.

    What it learns it keeps for each ply, as playouts become shorter. A search that ends early, in a proof,
    says little: the next may have twice as many playouts as one a move before, and no more.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.playouts: dict[int, int] = {}

    def run(self, ply: int, search: Callable[[int], tuple[Any, int]]) -> Any:
        """`search` takes a number of playouts, and returns what it found and how many it made."""
        playouts = self.playouts.get(ply, self.playouts.get(ply - 2, 500))
        began = time.thread_time()
        found, made = search(playouts)
        took = time.thread_time() - began
        if made < playouts:  # it ended in a proof
            self.playouts[ply] = playouts
            return found
        right = round(made * min(4.0, self.seconds / max(took, 1e-6)))
        self.playouts[ply] = max(50, min(right, 2 * self.playouts.get(ply - 2, right)))
        return found


def openspiel(games: int, seconds: float) -> Iterator[Row]:
    """Where the choice of the field is free, OpenSpiel chooses field and spot, with time for each."""
    try:
        import pyspiel
    except ImportError:
        return
    spiel = pyspiel.load_game("ultimate_tic_tac_toe")
    ours, theirs, points = Paced(seconds), Paced(seconds), 0.0

    def our_move(position: Position, seed: int) -> Move:
        def search(playouts: int) -> tuple[Move, int]:
            thought = Mcts(playouts=playouts, seed=seed).think(position)
            return thought.best.move, thought.playouts

        found: Move = ours.run(position.ply, search)
        return found

    def their_action(state: Any, ply: int, seed: int) -> int:
        def search(simulations: int) -> tuple[int, int]:
            evaluator = pyspiel.RandomRolloutEvaluator(1, seed % 2**31)
            bot = pyspiel.MCTSBot(spiel, evaluator, 2.0, simulations, 1000, True, seed % 2**31, False)
            return int(bot.step(state)), simulations

        found: int = theirs.run(ply, search)
        return found

    for game in range(games):
        side: Mark = "x" if game % 2 == 0 else "o"
        position, state = Ultimate("closed").start(), spiel.new_initial_state()
        while not position.is_over:
            seed, field = game * 1000 + 2 * position.ply, position.active
            if position.turn == side:
                move = our_move(position, seed)
                if field is None:
                    state.apply_action(move.field)
                state.apply_action(move.spot)
            else:
                if field is None:
                    field = their_action(state, position.ply, seed)
                    state.apply_action(field)
                move = Move(field, their_action(state, position.ply, seed + 1))
                state.apply_action(move.spot)
            position = position.play(move)
        points += 0.5 if position.winner is None else position.winner == side
    low, high = interval(points / games, games)
    what = f"Ultimate, mcts against OpenSpiel's, {games} games, {low:.3f} to {high:.3f}: points"
    yield Row(what, points / games, "of 1", "an even score", 0.5)


def interval(share: float, games: int) -> tuple[float, float]:
    """The 95% confidence interval: Wilson's, with draws as half points, which widens it."""
    z = 1.96
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return middle - half, middle + half


def measure(options: argparse.Namespace) -> Iterator[Row]:
    if "prove" in options.only:
        yield from proofs()
    if "play" in options.only:
        yield from play(options.games, options.playouts, options.depth, options.variant)
    if "openspiel" in options.only:
        yield from openspiel(options.games, options.seconds)


if __name__ == "__main__":
    parts = ("prove", "play", "openspiel")
    parser = arguments(__doc__)
    parser.add_argument("--only", nargs="+", choices=parts, default=parts, help="(all)")
    parser.add_argument("--games", type=int, default=10, help="of each pairing (10)")
    parser.add_argument("--playouts", type=int, nargs="+", default=[1_000], help="of the tree search (1,000)")
    parser.add_argument("--depth", type=int, nargs="+", default=[4], help="of alpha-beta (4)")
    parser.add_argument("--variant", choices=("open", "closed"), default="closed", help="(closed)")
    parser.add_argument(
        "--seconds", type=float, default=0.05, help="of processor time against OpenSpiel (0.05)"
    )
    main(measure, parser)
