"""Solve, prove and play in-a-row games.

>>> import inarow
>>> inarow.solve(inarow.Quixo(3)).start
Outcome(value='win', plies=7)

Everything named here is imported when it is first used: `import inarow` itself loads neither NumPy nor the
native code.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from inarow.lazy import lazy_exports

if TYPE_CHECKING:
    from inarow import positional, quixo, ultimate, verify
    from inarow.errors import DamagedFile, InarowError, MissingTable, NotationError, Unreachable, WrongTable
    from inarow.game_record import GameRecord, parse_games
    from inarow.positional.dictionary.make import make_dictionary
    from inarow.positional.dictionary.text import Dictionary
    from inarow.positional.rules import Game
    from inarow.quixo.arrays import canonical_many, moves_many, parse_many, tiles_many
    from inarow.quixo.engine import Engine
    from inarow.quixo.evaluate import Evaluation, evaluate
    from inarow.quixo.player import Player
    from inarow.quixo.probe import MoveProbe, Probe
    from inarow.quixo.prober import Prober, open_prober
    from inarow.quixo.rules import Move, Position, Quixo
    from inarow.quixo.solver.solution import Solution
    from inarow.quixo.solver.solve import solve
    from inarow.quixo.table.table import Table, open_table
    from inarow.ultimate.rules import Ultimate
    from inarow.values import Outcome

    __version__: str

__all__ = [
    "DamagedFile",
    "Dictionary",
    "Engine",
    "Evaluation",
    "Game",
    "GameRecord",
    "InarowError",
    "MissingTable",
    "Move",
    "MoveProbe",
    "NotationError",
    "Outcome",
    "Player",
    "Position",
    "Probe",
    "Prober",
    "Quixo",
    "Solution",
    "Table",
    "Ultimate",
    "Unreachable",
    "WrongTable",
    "canonical_many",
    "evaluate",
    "make_dictionary",
    "moves_many",
    "open_prober",
    "open_table",
    "parse_games",
    "parse_many",
    "positional",
    "quixo",
    "solve",
    "tiles_many",
    "ultimate",
    "verify",
]

if not TYPE_CHECKING:
    _get, __dir__ = lazy_exports(
        __name__,
        {
            "errors": (
                "DamagedFile",
                "InarowError",
                "MissingTable",
                "NotationError",
                "Unreachable",
                "WrongTable",
            ),
            "game_record": ("GameRecord", "parse_games"),
            "positional.dictionary.make": ("make_dictionary",),
            "positional.dictionary.text": ("Dictionary",),
            "positional.rules": ("Game",),
            "quixo.arrays": ("canonical_many", "moves_many", "parse_many", "tiles_many"),
            "quixo.engine": ("Engine",),
            "quixo.evaluate": ("Evaluation", "evaluate"),
            "quixo.player": ("Player",),
            "quixo.probe": ("MoveProbe", "Probe"),
            "quixo.prober": ("Prober", "open_prober"),
            "quixo.rules": ("Move", "Position", "Quixo"),
            "quixo.solver.solution": ("Solution",),
            "quixo.solver.solve": ("solve",),
            "quixo.table.table": ("Table", "open_table"),
            "ultimate.rules": ("Ultimate",),
            "values": ("Outcome",),
            "": ("positional", "quixo", "ultimate", "verify"),
        },
    )

    def __getattr__(name: str) -> object:
        return import_module("importlib.metadata").version(__name__) if name == "__version__" else _get(name)
