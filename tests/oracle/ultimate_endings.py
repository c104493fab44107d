"""Ultimate Tic-Tac-Toe by brute force, and positions near the end of games to ask it about."""

from __future__ import annotations

import random

from inarow.ultimate.rules import Position, Ultimate


def forces_win(position: Position, plies: int) -> bool:
    """Whether X can force a win by a ply: by the rules and nothing else."""
    known: dict[Position, bool] = {}

    def value(at: Position) -> bool:
        if at.is_over or at.ply >= plies:
            return at.winner == "x" and at.ply <= plies
        if at not in known:
            quantifier = any if at.turn == "x" else all
            known[at] = quantifier(value(at.play(move)) for move in at.legal_moves())
        return known[at]

    return value(position)


def late_position(seed: int, back: int) -> Position:
    """A position some plies before the end of a game between players that like to win fields."""
    rng = random.Random(seed)
    position = Ultimate().start()
    eager = rng.randrange(4)
    while not position.is_over:
        moves = position.legal_moves()
        move = rng.choice(moves)
        for other in rng.choices(moves, k=eager):
            after = position.play(other)
            if after.x_fields | after.o_fields != position.x_fields | position.o_fields:
                move = other
        position = position.play(move)
    return Ultimate().parse(" ".join(map(str, position.moves_played[:-back])))
