"""`inarow dictionary`: winning strategies written as positions and answers."""

from inarow.cli.commands import Commands

# The \b keeps help from joining the lines.
HELP = """\b
Strategy dictionaries: positions and the first player's answers.
A dictionary is a text file, in either of two notations:
  OO..xX    the board cell by cell, the answer as a capital X; a line with
            capital O's stands for several positions, each with one of
            them as an o (the blog's)
  o3x 5     numbers for runs of empty cells, then the cell of the answer
            (Patashnik's)
Games, as --game names them:
  qubic                four in a row in a cube of 4×4×4
  mnk:WxHxK            K in a row on a board of W columns and H rows
  polyomino:NAME:SIDE  one of Harary's animals on a square board; NAME is,
                       for example, v-tromino, snaky or a drawing: xx/.x
"""

app = Commands.app(
    __name__,
    HELP,
    {
        "make": "Find a win of the first player and write it in few lines.",
        "verify": "Roll out every game and check that X wins it.",
        "rewrite.compress": "Write the same positions in the fewest lines.",
        "rewrite.expand": "Write one line for each position.",
        "rewrite.convert": "Write a dictionary in another notation.",
        "rewrite.complete": "Write out the moves of an assisted player.",
        "rewrite.prune": "Drop the positions that no game reaches, and compress.",
        "defend": "Find a defence of the second player and write it down.",
        "defend.check": "Play every move of X against a defence.",
        "play": "Play O against a dictionary.",
    },
)
