"""The levels of inarow's Quixo player against each other: a table of scores from played games.

    python benchmarks/quixo_levels.py --size 4 --games 200

Each level plays the one below it, half of the games as X. A game without a winner after 120 plies is drawn.
"""

from __future__ import annotations

import argparse
import time

from inarow.quixo.player import LEVELS, Player
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.rules import Quixo

MOST_PLIES = 120


def score(x: Player, o: Player) -> float:
    """What X gets of a game: 1, ½ or 0."""
    position = x.prober.rules.start()
    for ply in range(MOST_PLIES):
        if position.is_over:
            return 1.0 if position.winner == "x" else 0.0
        position = (x if ply % 2 == 0 else o).choose(position).position
    return 0.5


def match(prober: Prober, higher: int, games: int) -> tuple[int, int, int]:
    """Wins, draws and losses of a level against the one below it."""
    counts = {1.0: 0, 0.5: 0, 0.0: 0}
    for number in range(games):
        player = Player(prober, "level", number, level=higher)
        other = Player(prober, "level", number, level=higher - 1)
        counts[score(player, other) if number % 2 == 0 else 1 - score(other, player)] += 1
    return counts[1.0], counts[0.5], counts[0.0]


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--size", type=int, default=4)
    parser.add_argument("--games", type=int, default=200)
    parser.add_argument("--levels", type=int, default=len(LEVELS), help="the highest level that plays")
    options = parser.parse_args()
    titles = ("level", "against", "games", "won", "drawn", "lost", "score", "CPU seconds")
    print(f"| {' | '.join(titles)} |\n|{'---|' * len(titles)}")
    with open_prober(Quixo(options.size)) as prober:
        for higher in range(2, options.levels + 1):
            began = time.process_time()
            won, drawn, lost = match(prober, higher, options.games)
            share = (won + drawn / 2) / options.games
            seconds = time.process_time() - began
            cells = (higher, higher - 1, options.games, won, drawn, lost, f"{share:.0%}", f"{seconds:.0f}")
            print(f"| {' | '.join(map(str, cells))} |", flush=True)
