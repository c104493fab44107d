"""Solve, prove and play in-a-row games.

>>> import inarow
>>> from inarow.quixo.rules import Quixo
>>> inarow.solve(Quixo(size=3)).start
Outcome(value='win', plies=7)
"""

from inarow.errors import DamagedFile, InarowError, MissingTable, WrongTable
from inarow.quixo.probe import MoveProbe, Probe
from inarow.quixo.solver.solve import Solution, solve
from inarow.quixo.table.table import Table, open_table

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
