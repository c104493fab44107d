"""`inarow dictionary`: winning strategies written as positions and answers."""

from inarow.cli.commands import Commands

# The \b keeps help from joining the lines.
HELP = """\b
Strategy dictionaries: positions and the first player's answers.
A dictionary is a text file, in either of two notations:
  OO..xX    the board cell by cell, the answer a capital X; capital O's
            stand for one position each (the blog's)
  o3x 5     numbers for runs of empty cells, then the cell of the answer
            (Patashnik's)
Games, as --game names them:
  qubic                four in a row in the cube of 4×4×4
  mnk:WxHxK            K in a row on a board of W columns and H rows
  polyomino:NAME:SIDE  an animal of Harary's on a square board; NAME is one
                       like v-tromino or snaky, or a drawing like xx/.x
"""

app = Commands.app(
    __name__,
    HELP,
    {
        "make": "Find a win of the first player and write it in few lines.",
        "verify": "Roll out every game and see whether X wins it.",
        "compress": "Write the same positions in few lines.",
        "expand": "Write one line for each position.",
        "convert": "Write a dictionary in another notation.",
        "complete": "Write out the moves of an assisted player.",
        "prune": "Drop the positions that no game comes to, and compress the rest.",
        "play": "Play O against a dictionary.",
    },
)
