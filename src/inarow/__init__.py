"""Solve, prove and play in-a-row games.

>>> import inarow
>>> from inarow.games.quixo import Quixo
>>> inarow.solve(Quixo(size=3)).start
Outcome(value='win', plies=7)
"""

from inarow.errors import DamagedFile, InarowError, MissingTable, WrongTable
from inarow.solve.quixo import Solution, solve
from inarow.tables.table import MoveProbe, Probe, Table, open_table

__all__ = [
    "DamagedFile",
    "InarowError",
    "MissingTable",
    "MoveProbe",
    "Probe",
    "Solution",
    "Table",
    "WrongTable",
    "open_table",
    "solve",
]
