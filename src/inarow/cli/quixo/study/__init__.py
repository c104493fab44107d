"""`inarow quixo study`: questions about all positions of a game."""

from inarow.cli.commands import Commands

# The \b keeps help from joining the lines.
HELP = """\b
Questions about all positions of a game. Counts are over all positions
with X to move, as in the paper "Quixo Is Solved"; those shown stand
for their images too. Without a table, boards of up to 16 cells are solved
when needed; of 5×5 the book knows positions of up to ten marks (--marks).
"""

app = Commands.app(
    __name__,
    HELP,
    {
        "figures": "Find the positions of Figures 7b, 7c and 9d of the paper.",
        "passing": "Where would passing be better than every move?",
        "blanks": "Is it good to take blank tiles?",
        "draws": "How hard is it to draw?",
        "thumb": "Can a draw be kept by rules of thumb?",
        "shapes": "What is the game on other boards?",
        "luck": "How long does a win take by luck?",
        "survey": "Look at every move of every position, on a GPU.",
    },
)
