"""Harary's animals: what was published, and what we found where it differs.

Published values are those of Wikipedia, *Harary's generalized tic-tac-toe*, and OEIS A380597 (sides) and
A380598 (moves), which go back to Gardner's column of 1979: the smallest square board on which the first
player wins, and the fewest moves.
"""

PUBLISHED = {
    "v-tromino": (3, 3),
    "i-tromino": (4, 3),
    "l-tetromino": (4, 4),
    "t-tetromino": (5, 4),
    "z-tetromino": (3, 5),
    "i-tetromino": (7, 8),
    "n-pentomino": (6, 6),
    "y-pentomino": (7, 9),
    "l-pentomino": (7, 10),
}

# The smallest side, and the fewest moves on it.
MAKER_BREAKER = {
    "v-tromino": (3, 3),
    "i-tromino": (4, 3),
    "l-tetromino": (4, 4),
    "t-tetromino": (5, 4),
    "z-tetromino": (3, 5),
    "i-tetromino": (6, 6),
    "n-pentomino": (5, 6),
    "y-pentomino": (6, 6),
    "l-pentomino": (6, 7),
}
MAKER_MAKER = {**MAKER_BREAKER, "i-tetromino": (7, 7), "l-pentomino": (7, 9)}

LOSERS = ("o-tetromino", *(f"{letter}-pentomino" for letter in "fiptuvwxz"))
