"""Positions and numbers published about Ultimate Tic-Tac-Toe.

Source: Bertholon, Géraud-Stewart, Kugelmann, Lenoir, Naccache, At Most 43 Moves, At Least 29, 2020,
arXiv:2006.02353. Boards are nine rows of nine spots.
"""

# Figure 2: the moves in order, numbered from 0 in the figure.
FIGURE_2_MOVES = "44 40 08 88 80 03 36 67 77 73 30 00 05 50 02 27 70"
FIGURE_2 = (
    "o.x......",
    "o.x......",
    "..x....o.",
    "x..o..o..",
    "....x....",
    "x........",
    "...x..x..",
    "...o.....",
    ".o..x...o",
)

# Figure 3: after the opening, X to move in field 0.
FIGURE_3 = (
    ".........",
    "....x..x.",
    ".........",
    "...ooo...",
    ".x.oxo.x.",
    "...ooo...",
    ".........",
    ".x..x..x.",
    ".........",
)

# Figure 4: after 25 plies, O to move in field 8.
FIGURE_4 = (
    "xo.x.....",
    "oo..x..x.",
    "..o......",
    "x..ooo...",
    ".x.oxo.x.",
    "...ooo...",
    "......x..",
    ".x..x..x.",
    "........x",
)

# Figure 5: all that the endgame leads to, played on after the win.
FIGURE_5 = (
    "xoox..x..",
    "ooo.x..x.",
    "ooo..x..x",
    "x..ooox..",
    ".x.oxo.x.",
    "..xooo..x",
    "x..x..xoo",
    ".x..x.oxo",
    "..x..xoox",
)

# Figure 6: fields 0 and 8 are full after the first move 08 and the strategy of Lemma 6.
FIGURE_6 = (
    "oxxo..o..",
    "xxx......",
    "xxx..o..o",
    "o..o..o..",
    ".........",
    "..o..o..o",
    "o..o..xxx",
    "......xxx",
    "..o..oxxo",
)

# Figure 7: fields 0 and 8 are full after 00 04 48 and the strategy of Lemma 7.
FIGURE_7 = (
    "xxxo..o..",
    "xox......",
    "xxo..o..o",
    "o..o..o..",
    ".........",
    "..o..x..o",
    "o..o..xxx",
    "......xxx",
    "..o..oxxo",
)

LONGEST_XAVIER = 43  # Lemma 3
NO_WIN_BEFORE_LBS = 29  # Lemma 4
