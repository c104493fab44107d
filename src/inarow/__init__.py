"""Solve, prove and play in-a-row games.

>>> import inarow
>>> inarow.solve(inarow.Quixo(3)).start
Outcome(value='win', plies=7)

Everything named here is imported when it is first used: `import inarow` itself loads neither NumPy nor the
native code.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from inarow import positional, quixo, ultimate, verify
    from inarow.errors import DamagedFile, InarowError, MissingTable, NotationError, WrongTable
    from inarow.positional.dictionary.make import make_dictionary
    from inarow.positional.dictionary.text import Dictionary
    from inarow.positional.rules import Game
    from inarow.quixo.player import Player
    from inarow.quixo.probe import MoveProbe, Probe
    from inarow.quixo.prober import Prober, open_prober
    from inarow.quixo.rules import Move, Position, Quixo
    from inarow.quixo.solver.solve import Solution, solve
    from inarow.quixo.table.table import Table, open_table
    from inarow.ultimate.rules import Ultimate
    from inarow.values import Outcome

    __version__: str

__all__ = [
    "DamagedFile",
    "Dictionary",
    "Game",
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
    "WrongTable",
    "make_dictionary",
    "open_prober",
    "open_table",
    "positional",
    "quixo",
    "solve",
    "ultimate",
    "verify",
]

# Where each name comes from, as above; what is not here is a package of its own.
_ORIGINS = {
    "DamagedFile": "errors",
    "Dictionary": "positional.dictionary.text",
    "Game": "positional.rules",
    "InarowError": "errors",
    "MissingTable": "errors",
    "Move": "quixo.rules",
    "MoveProbe": "quixo.probe",
    "NotationError": "errors",
    "Outcome": "values",
    "Player": "quixo.player",
    "Position": "quixo.rules",
    "Probe": "quixo.probe",
    "Prober": "quixo.prober",
    "Quixo": "quixo.rules",
    "Solution": "quixo.solver.solve",
    "Table": "quixo.table.table",
    "Ultimate": "ultimate.rules",
    "WrongTable": "errors",
    "make_dictionary": "positional.dictionary.make",
    "open_prober": "quixo.prober",
    "open_table": "quixo.table.table",
    "solve": "quixo.solver.solve",
}


def __getattr__(name: str) -> Any:
    """Import a name when it is first used (PEP 562)."""
    if name == "__version__":
        value = import_module("importlib.metadata").version(__name__)
    elif name in _ORIGINS:
        value = getattr(import_module(f"{__name__}.{_ORIGINS[name]}"), name)
    elif name in __all__:
        value = import_module(f"{__name__}.{name}")
    else:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
