"""How well Monte-Carlo tree search plays Ultimate Tic-Tac-Toe: against random moves, alpha-beta and itself.

Each pairing is a number of games, half of them with either side. The same options give the same games: the
searches are held to a number of playouts or a depth, and their seeds follow from the number of the game.
"""

from __future__ import annotations

import argparse
import json
import math
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from random import Random

from inarow.ultimate.players import AlphaBeta, Mcts
from inarow.ultimate.rules import Move, Position, Ultimate, Variant
from inarow.values import Mark

Player = Callable[[Position, int], Move]  # the second is a seed


@dataclass(slots=True)
class Score:
    """Of the first player named, against the second."""

    name: str
    opponent: str
    wins: int = 0
    draws: int = 0
    losses: int = 0
    seconds_a_move: float = 0.0  # of the first
    opponent_seconds_a_move: float = 0.0

    @property
    def games(self) -> int:
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The share of the points: a draw is half."""
        return (self.wins + self.draws / 2) / self.games

    @property
    def error(self) -> float:
        """The standard error of the points."""
        squares = self.wins + self.draws / 4
        return math.sqrt(max(0.0, squares / self.games - self.points**2) / self.games)


def mcts(playouts: int) -> Player:
    return lambda position, seed: Mcts(playouts=playouts, seed=seed)(position)


def alpha_beta(depth: int) -> Player:
    return lambda position, seed: AlphaBeta(depth, seed)(position)


def at_random(position: Position, seed: int) -> Move:
    return Random(seed).choice(position.legal_moves())


def match(
    variant: Variant, games: int, name: str, player: Player, opponent: str, other: Player, seed: int
) -> Score:
    score = Score(name, opponent)
    spent = {True: 0.0, False: 0.0}
    moves = {True: 0, False: 0}
    for game in range(games):
        side: Mark = "x" if game % 2 == 0 else "o"
        position = Ultimate(variant).start()
        while not position.is_over:
            ours = position.turn == side
            began = time.perf_counter()
            move = (player if ours else other)(position, (seed * games + game) * 100 + position.ply)
            spent[ours] += time.perf_counter() - began
            moves[ours] += 1
            position = position.play(move)
        score.wins += position.winner == side
        score.draws += position.winner is None
        score.losses += position.winner not in (side, None)
    score.seconds_a_move = spent[True] / moves[True]
    score.opponent_seconds_a_move = spent[False] / moves[False]
    return score


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--variant", choices=("open", "closed"), default="closed")
    parser.add_argument("--games", type=int, default=100, help="of each pairing")
    parser.add_argument("--playouts", type=int, nargs="+", default=[1_000, 10_000])
    parser.add_argument("--depth", type=int, nargs="+", default=[2, 4, 6])
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    if not options.json:
        print(f"{options.variant} variant, {options.games} games each, seed {options.seed}\n")
        print(f"{'':16}{'against':16}{'wins':>6}{'draws':>6}{'losses':>7}{'points':>14}{'ms a move':>16}")
    opponents: list[tuple[str, Player]] = [("random", at_random)]
    opponents += [(f"alpha-beta {depth}", alpha_beta(depth)) for depth in options.depth]
    for playouts in options.playouts:
        name = f"mcts {playouts:,}"
        for opponent, other in opponents:
            score = match(options.variant, options.games, name, mcts(playouts), opponent, other, options.seed)
            if options.json:
                print(json.dumps({**asdict(score), "points": round(score.points, 4)}), flush=True)
                continue
            points = f"{score.points:.3f} ± {score.error:.3f}"
            times = f"{1000 * score.seconds_a_move:.1f} / {1000 * score.opponent_seconds_a_move:.1f}"
            print(
                f"{name:16}{opponent:16}{score.wins:6}{score.draws:6}{score.losses:7}{points:>14}{times:>16}",
                flush=True,
            )
        opponents.append((name, mcts(playouts)))  # for those with more playouts


if __name__ == "__main__":
    main()
