"""`inarow quixo`: solve, look up and play Quixo."""

from inarow.cli.commands import Commands

# The \b keeps help from joining the lines.
HELP = """\b
Quixo: slide a tile of the border to the other end, and make a line.
A position is written as in chess, rows from the top, then the side to
move: '.x../o.../..../.... x'. A move is two cells, the one whose tile
is taken and the one where it is pushed in: a1a4. Columns are letters
from the left, rows are numbers from the bottom.
Without a table, boards of up to 16 cells are solved when first needed;
5×5 uses a book that comes with inarow, and a search beyond it. A table
is a folder, or the URL of one on any web server.
"""

app = Commands.app(
    __name__,
    HELP,
    {
        "solve": "Find the value of every position, and write a table.",
        "probe": "Look a position up: its value, and its moves, best first.",
        "probe.line": "Show best play to the end, as far as it is known.",
        "play": "Play against inarow, or against each other.",
        "openings": "Show the openings of 5×5 as a tree of lines, with names.",
        "analyse": "Judge a game: mistakes, what they cost, and where it turned.",
        "puzzles.puzzle": "Solve a puzzle: today's, or one by its number.",
        "puzzles": "Make puzzles from a table, or check a file of them.",
        "play.engine": "Play against other programs, over standard input and output.",
        "strategy": "Find few answers with which the first player wins.",
        "results": "Show the results for 5×5 that come with inarow.",
        "info": "Describe a table: rules, sizes, and what was verified.",
        "check": "Compare the files of a table with their checksums.",
        "verify": "Check every entry of a table against the rules.",
        "export": "Write positions and their values to a file, to learn from.",
        "info.copy": "Download or copy a whole table, and check what arrived.",
    },
)
