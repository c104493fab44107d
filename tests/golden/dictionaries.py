"""Short dictionaries from Arthur O'Dwyer, *Winning 4x4x4 tic-tac-toe by consulting an oracle* (2025)."""

# Three in a row on 4×4. Its author asks whether it is exhaustive.
THREE_OF_FOUR = """\
.....X..........
OO...xX.OOO.OOOO
oOOOOxxXOOOOOOOO
.oOOOxxXOOOOOOOO
..OOOxxXoOOOOOOO
..OOOxxX.oOOOOOO
..OOOxxX..oOOOOO
..OOOxxX...OoOOO
..OOOxxX...O.oOO
..OOOxxX...O..oO
..OOOxxX...O...o
OO..XxxoOOO.OOOO
"""

# X's second moves there: nine positions up to rotation and reflection.
SECOND_MOVES = """\
OOOO.xX.OOOOOOOO
....OxOO.X......
"""

# To be compressed, to three lines; the marks are not those of a game.
UNBALANCED = """\
Xx..oo
o...xX
Xx.o.o
.o..xX
Xx.oo.
Xxo..o
"""
