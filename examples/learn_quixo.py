"""A small learner of 3×3 Quixo, with inarow as its judge: its regret falls as it plays against itself.

It keeps a number for each position up to symmetry, from −1 (lost) to 1 (won), and after each game of its own
moves the numbers of the positions that came up towards the best that their moves led to. From time to time
it plays some games against perfect play, which count what its moves give away.

    python examples/learn_quixo.py --games 800
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from random import Random

import inarow
from inarow.quixo.rules import Move, Position, Quixo

RULES = Quixo(3)


class Learner:
    """An agent: a function from a position to a move."""

    def __init__(self, seed: int = 0, rate: float = 0.5, discount: float = 0.95) -> None:
        self.random = Random(seed)
        self.rate, self.discount = rate, discount
        self.values: defaultdict[int, float] = defaultdict(
            float
        )  # of canonical positions, for the side to move

    def worth(self, position: Position) -> dict[Move, float]:
        """What each move is worth to the side that makes it, as far as the learner knows."""
        after = inarow.moves_many(RULES, [position.mover_word])
        canonical = inarow.canonical_many(RULES, after.words).tolist()
        worth = {}
        for number, word, same in zip(after.moves.tolist(), after.words.tolist(), canonical, strict=True):
            result = RULES.from_word(word).result  # the rules say who has won, and nothing else does
            value = self.values[same] if result is None else 1.0 if result == "win" else -1.0
            worth[RULES.moves[number]] = -self.discount * value
        return worth

    def __call__(self, position: Position) -> Move:
        worth = self.worth(position)
        return max(worth, key=lambda move: (worth[move], self.random.random()))

    def learn(self, most_plies: int = 40, curiosity: float = 0.3) -> None:
        """Play a game against itself, some moves of it at random, and learn from its end to its beginning."""
        position = RULES.start()
        game: list[Position] = []
        while not position.is_over and len(game) < most_plies:
            game.append(position)
            at_random = self.random.random() < curiosity
            move = self.random.choice(position.legal_moves()) if at_random else self(position)
            position = position.play(move)
        for position in reversed(game):
            known = position.canonical().mover_word
            self.values[known] += self.rate * (max(self.worth(position).values()) - self.values[known])


def main() -> None:
    parser = argparse.ArgumentParser(description="Learn 3x3 Quixo by playing, judged by perfect play.")
    parser.add_argument("--games", type=int, default=800, help="to learn from (default 800)")
    parser.add_argument("--judged", type=int, default=200, help="games of each evaluation (default 200)")
    parser.add_argument("--seed", type=int, default=2)
    options = parser.parse_args()
    learner = Learner(options.seed)
    print("games learned from  mistakes a game  regret a game")
    learned = 0
    with inarow.open_prober(RULES) as prober:
        for step in (0, 1, 2, 4, 8, 16):
            while learned < options.games * step // 16:
                learner.learn()
                learned += 1
            found = inarow.evaluate(learner, options.judged, prober=prober, seed=options.seed)
            print(f"{learned:18,}  {found.mistakes_per_game:15.2f}  {found.regret_per_game:13.2f}")


if __name__ == "__main__":
    main()
