"""A win in Qubic for the first player, found from nothing but the rules, and as few positions as we can make it.

What needs an answer are positions with X to move where nobody can complete a line and X has no forced win by
threats: an assisted player, as dictionaries are counted for, finds the rest by itself. Everything rests on one
question: after a quiet move of X's, which such positions are left when O has replied in every way? Most replies
do not stop the forced win that X would have if O passed. Three things are made of the answers:

1. *Prove*: a best-first search over the positions that need an answer, until a set of answers leaves none open.
2. *Widen*: other answers, where they might save positions because other games come to the same ones.
3. *Choose*: one answer for each position, such that few are come to. Annealing; then 2 and 3 again.

The same seed and effort give the same dictionary on every machine.
"""

from __future__ import annotations

import hashlib
import json
import math
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Literal

from inarow._qubic import Choice, Graph
from inarow.errors import DamagedFile, InarowError
from inarow.games.positional import Game
from inarow.strategy.compress import compress
from inarow.strategy.dictionary import Dictionary, Entry
from inarow.tables.files import write_atomically

__all__ = ["DEFAULT_EFFORT", "Progress", "find_win"]

Phase = Literal["prove", "widen", "choose", "compress"]

DEFAULT_EFFORT = 12

_MAGIC = b"inarow search for a win in Qubic, 1\n"
_TABLE_BITS = 22  # of positions without a forced win, 8 bytes each
_AT_ONCE = 500  # expansions between two reports
_FIRST_MOVE = 0  # a corner: O then has 12 replies up to symmetry, else 23


@dataclass(frozen=True, slots=True)
class Progress:
    """How far the search has come."""

    phase: Phase
    round: int  # of widening and choosing; the proof is 0
    threat_nodes: int  # in this run
    expansions: int  # positions whose moves were judged
    positions: int  # in the smallest dictionary so far; in the proof, what is guessed to be needed
