"""inarow's tree search against OpenSpiel's MCTS bot, in Ultimate Tic-Tac-Toe with the closed rules.

Needs OpenSpiel: pip install open_spiel. Half of the games are played with either side. Both are held to the
same processor time a move, on one thread: each gets as many playouts as it has lately done in that time, so
that other programs on the machine do no harm. Where the choice of the field is free, OpenSpiel chooses the
field and then the spot, and gets the time for each.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

from inarow.ultimate.players import Mcts
from inarow.ultimate.rules import Move, Position, Ultimate
from inarow.values import Mark

_FIRST_PLAYOUTS = 500


class Paced:
    """Calls a search with as many playouts as take the given seconds of processor time.

    What it learns it keeps for each ply, as playouts become shorter. A search that ends early, in a proof,
    says little: the next may have twice as many playouts as one a move before, and no more.
    """

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self.spent = 0.0
        self.calls = 0
        self.playouts: dict[int, int] = {}

    def run(self, ply: int, search: Callable[[int], tuple[Any, int]]) -> Any:
        """`search` takes a number of playouts, and returns what it found and how many it made."""
        before = self.playouts.get(ply - 2, _FIRST_PLAYOUTS)
        playouts = self.playouts.get(ply, before)
        began = time.thread_time()
        found, made = search(playouts)
        took = time.thread_time() - began
        self.spent += took
        self.calls += 1
        if made < playouts:  # it ended in a proof
            self.playouts[ply] = playouts
            return found
        right = round(made * min(4.0, self.seconds / max(took, 1e-6)))
        self.playouts[ply] = max(50, min(right, 2 * self.playouts.get(ply - 2, right)))
        return found


class Ours:
    """inarow's search."""

    def __init__(self, seconds: float) -> None:
        self.pace = Paced(seconds)

    def move(self, position: Position, _state: Any, seed: int) -> Move:
        def search(playouts: int) -> tuple[Move, int]:
            thought = Mcts(playouts=playouts, seed=seed).think(position)
            return thought.best.move, thought.playouts

        found: Move = self.pace.run(position.ply, search)
        return found


class Theirs:
    """OpenSpiel's bot with random playouts and its solver."""

    def __init__(self, seconds: float, game: Any, spiel: Any, uct: float) -> None:
        self.pace = Paced(seconds)
        self._game, self._spiel, self._uct = game, spiel, uct

    def move(self, position: Position, state: Any, seed: int) -> Move:
        state = state.clone()
        field = position.active
        if field is None:
            field = self._action(state, position.ply, seed)
            state.apply_action(field)
        return Move(field, self._action(state, position.ply, seed + 1))

    def _action(self, state: Any, ply: int, seed: int) -> int:
        def search(simulations: int) -> tuple[int, int]:
            evaluator = self._spiel.RandomRolloutEvaluator(1, seed % 2**31)
            bot = self._spiel.MCTSBot(
                self._game, evaluator, self._uct, simulations, 1000, True, seed % 2**31, False
            )
            return int(bot.step(state)), simulations

        found: int = self.pace.run(ply, search)
        return found


def interval(wins: int, draws: int, games: int) -> tuple[float, float]:
    """The 95% confidence interval of the points: Wilson's, with draws as half points, which widens it."""
    z = 1.96
    share = (wins + draws / 2) / games
    middle = (share + z * z / (2 * games)) / (1 + z * z / games)
    half = z * math.sqrt(share * (1 - share) / games + z * z / (4 * games * games)) / (1 + z * z / games)
    return middle - half, middle + half


def play(ours: Ours, theirs: Theirs, game: Any, side: Mark, seed: int) -> Mark | None:
    position, state = Ultimate("closed").start(), game.new_initial_state()
    while not position.is_over:
        player = ours if position.turn == side else theirs
        move = player.move(position, state, seed + 2 * position.ply)
        if position.active is None:
            state.apply_action(move.field)
        state.apply_action(move.spot)
        position = position.play(move)
    return position.winner


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--seconds", type=float, default=0.05, help="of processor time a move")
    parser.add_argument("--uct", type=float, default=2.0, help="OpenSpiel's constant of exploration")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    try:
        import pyspiel
    except ImportError:
        sys.exit("OpenSpiel is not installed: pip install open_spiel")
    game = pyspiel.load_game("ultimate_tic_tac_toe")
    ours, theirs = Ours(options.seconds), Theirs(options.seconds, game, pyspiel, options.uct)
    score = {"wins": 0, "draws": 0, "losses": 0}
    for nth in range(options.games):
        side: Mark = "x" if nth % 2 == 0 else "o"
        winner = play(ours, theirs, game, side, (options.seed * options.games + nth) * 1000)
        score["draws" if winner is None else "wins" if winner == side else "losses"] += 1
        if not options.json and sys.stderr.isatty():
            print(f"\r{nth + 1} games: {score}", end="", file=sys.stderr, flush=True)
    low, high = interval(score["wins"], score["draws"], options.games)
    points = (score["wins"] + score["draws"] / 2) / options.games
    pace = {
        name: {
            "ms": round(1000 * player.pace.spent / player.pace.calls, 1),
            "playouts": player.pace.playouts.get(0, 0),
        }
        for name, player in (("inarow", ours), ("openspiel", theirs))
    }
    if options.json:
        print(json.dumps({**score, "points": points, "interval": [low, high], "a_search": pace}))
        return
    print(f"inarow against OpenSpiel's MCTS, {options.games} games, {1000 * options.seconds:.0f} ms a move")
    print(f"wins {score['wins']}, draws {score['draws']}, losses {score['losses']}")
    print(f"points {points:.3f}, 95% interval {low:.3f} to {high:.3f}")
    for name, found in pace.items():
        print(f"{name}: {found['ms']} ms of processor time a search, {found['playouts']:,} playouts at ply 1")


if __name__ == "__main__":
    main()
