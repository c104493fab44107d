"""`inarow ultimate`: play Ultimate Tic-Tac-Toe, and prove how long it takes."""

from inarow.cli.commands import Commands

# The \b keeps help from joining the lines.
HELP = """\b
Ultimate Tic-Tac-Toe where a field that is won can still be played in.
The strategies are those of "At Most 43 Moves, At Least 29"
(arXiv:2006.02353).
"""

app = Commands.app(
    __name__,
    HELP,
    {
        "play": "Play against inarow, or against each other.",
        "prove.optimal": "Show which moves keep the win at ply 43.",
        "prove": "Decide whether X can force a win by a ply.",
        "check": "Check a certificate against every play of the other side.",
        "verify": "Check a strategy against every play of the opponent.",
    },
)
