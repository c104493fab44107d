"""Numbers published about Quixo.

Source: Tanaka, Bonnet, Tixeuil, Tamura, Quixo Is Solved, 2020, arXiv:2007.15895.
X is to move in every state the paper counts, and states that no game reaches are counted too.
"""

# Table 1: x, pop(x), ord(x).
TABLE_1 = (
    (0b00000000, 0, 0),
    (0b00000001, 1, 0),
    (0b00000010, 1, 1),
    (0b00000011, 2, 0),
    (0b00000100, 1, 2),
    (0b00000101, 2, 1),
    (0b00000110, 2, 2),
    (0b00000111, 3, 0),
    (0b00001000, 1, 3),
    (0b00001001, 2, 3),
    (0b00001010, 2, 4),
    (0b00001011, 3, 1),
    (0b00001100, 2, 5),
    (0b00001101, 3, 2),
    (0b00001110, 3, 3),
    (0b00001111, 4, 0),
    (0b00010000, 1, 4),
    (0b00010001, 2, 6),
    (0b00010010, 2, 7),
    (0b00010011, 3, 4),
    (0b00010100, 2, 8),
    (0b00010101, 3, 5),
    (0b00010110, 3, 6),
    (0b00010111, 4, 1),
)

# Figure 4: the state of Figure 1b and the constants of the right-pushing move to Figure 1c, in which
# O takes the rightmost tile of the second row from the top and pushes it in at the left.
FIGURE_4_S = 0b0000000000000100011101010000010000000000011000100000101000001000
FIGURE_4_B = 0b0000000000001111100000000000000000000000000011111000000000000000
FIGURE_4_C = 0b0000000000000000000000000000000000000000000010000000000000000000

# Figure 5: a state of the class of 8 Xs and 5 Os, and the numbers its index is made of.
FIGURE_5_WORD = 0b0000000010100110000011000011000000000000010000000110000100001000
FIGURE_5_S_X = 0b0101001100000110000110000
FIGURE_5_O = 0b0010000000110000100001000
FIGURE_5_S_O = 0b0000000001000011001001000

# Section 3.2: the largest class, C(8, 8), has about this many states.
LARGEST_CLASS_5X5 = 2.6e10

# Table 2: all states of the 5x5 board.
TABLE_2_5X5 = {"win": 441_815_157_309, "loss": 279_746_227_956, "draw": 125_727_224_178}

# Table 3: states of the 4x4 board by steps to the end: steps, won states, lost states.
TABLE_3_4X4 = (
    (0, 4_697_505, 4_530_779),
    (1, 15_277_446, 528),
    (2, 0, 3_775_611),
    (3, 2_419_938, 0),
    (4, 0, 2_970_384),
    (5, 1_740_992, 0),
    (6, 0, 1_982_339),
    (7, 1_214_497, 0),
    (8, 0, 1_034_097),
    (9, 658_834, 0),
    (10, 0, 438_138),
    (11, 287_864, 0),
    (12, 0, 182_954),
    (13, 100_374, 0),
    (14, 0, 66_280),
    (15, 29_314, 0),
    (16, 0, 18_014),
    (17, 6_656, 0),
    (18, 0, 4_084),
    (19, 1_012, 0),
    (20, 0, 520),
    (21, 57, 0),
    (22, 0, 8),
    (23, 0, 0),
)

# The totals under Table 3. The paper prints no number of drawn 4x4 states: it is what is left of 3^16.
TOTALS_4X4 = {"win": 26_434_489, "loss": 15_003_736, "draw": 3**16 - 26_434_489 - 15_003_736}

# Section 5.2: states of the 4x4 board that some game reaches.
REACHABLE_4X4 = 41_252_106

# The empty board with X to move: its outcome, and the steps to the end (sections 5 and 6, footnote 9).
START = {3: ("win", 7), 4: ("win", 21), 5: ("draw", None)}

# Appendix A, the optimal 4x4 game of Figure 8: the boards after moves 10 to 21, top row first. (In the texts
# the drawings of the moves before are not legible.)
FIGURE_8_BOARDS = {
    10: "...x/x..o/o.xo/xoox",
    11: "..xx/x..o/o.xo/xoox",
    12: "o.xx/x..o/o.xo/xoox",
    13: "xoxx/x..o/o.xo/xoox",
    14: "xoox/x.xo/o..o/xoxx",
    15: "xoox/x.xo/o..o/oxxx",
    16: "xoox/x.xo/o..x/oxxo",
    17: "xoox/x.xo/xo../oxxo",
    18: "xoox/ox.x/xo../oxxo",
    19: "xoox/ox.x/xo.o/oxxx",
    20: "xoox/x.xo/xo.o/oxxx",
    21: "xoox/x.xo/oo.o/xxxx",
}
