"""Searching players of Ultimate Tic-Tac-Toe; their source is native/bindings/ultimate_players.cpp.

A position is the list of the moves that lead to it, which must be legal; a move is 9 * field + spot. Values
are for the side to move.
"""

def mcts(
    moves: list[int], closed: bool, playouts: int, seconds: float, seed: int, memory: int
) -> tuple[list[tuple[int, int, float, int]], int]:
    """Each move, best first: visits, value, and 1 or -1 if proven to win or lose; and the playouts made."""

def alpha_beta(moves: list[int], closed: bool, depth: int, seed: int) -> tuple[int, int, int]:
    """The move, its score and the nodes searched."""
