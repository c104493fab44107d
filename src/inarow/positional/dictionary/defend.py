"""Find a defence: answers with which O, who moves second, keeps X from ever completing a line.

docs/defences.md specifies the text of a defence and what closes a position without an answer.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, NamedTuple, TypeAlias

from inarow._native.positional import DefenceSearch
from inarow.errors import InarowError
from inarow.files import require_writable, write_atomically
from inarow.positional.dictionary.text import board_text
from inarow.positional.rules import Game
from inarow.positional.search import MEMORY
from inarow.positional.search.pairings import Pairs
from inarow.verify.positional.defence import DefenceReport, verify_defence
from inarow.words import counted, size_text

OnProgress: TypeAlias = Callable[[int, int], None]  # called with the nodes and the positions kept

# For pairs; there is one for every two cells of the largest board.
_SYMBOLS = "abcdefghijklmnpqrstuvwyzABCDEFGHIJKLMNPQRSTUVWYZ0123456789*+=?@&"


class DefenceLine(NamedTuple):
    """O's answer to a position, and pairs of cells by which O goes on, if it does not need to look up."""

    x: int
    o: int
    answer: int | None  # None on the empty board, with X to move
    pairs: Pairs

    def text(self, cells: int) -> str:
        """The board cell by cell: the answer is a capital O, and the cells of a pair have the same symbol.

        >>> DefenceLine(x=0b000010, o=0, answer=0, pairs=((3, 5),)).text(6)
        'Ox.a.a'
        """
        marks = {"x": self.x, "o": self.o, "O": 0 if self.answer is None else 1 << self.answer}
        pairs = {symbol: 1 << a | 1 << b for symbol, (a, b) in zip(_SYMBOLS, self.pairs, strict=False)}
        return board_text(cells, marks | pairs)


@dataclass(frozen=True, slots=True)
class Defended:
    """Whether O has a defence, and if so, its lines and their verification."""

    game: Game
    defends: bool
    lines: tuple[DefenceLine, ...]
    report: DefenceReport | None  # None without a defence
    nodes: int
    seconds: float

    def describe(self) -> str:
        """The result in one line."""
        work = f"({counted(self.nodes, 'node')}, {self.seconds:.2f} s)"
        if self.report is None:
            return f"X wins: O has no defence {work}"
        return f"X never wins: a defence of {counted(len(self.lines), 'line')}, verified {work}"

    def text(self) -> str:
        """The defence as `inarow.verify.verify_defence` reads it."""
        header = f"# {self.game.name}, {self.game.rule}: X never completes a line, by O's answers."
        return "".join(f"{row}\n" for row in (header, *(line.text(self.game.cells) for line in self.lines)))

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.game.name,
            "maker_breaker": self.game.maker_breaker,
            "defends": self.defends,
            "lines": len(self.lines) if self.defends else None,
            "verified": None if self.report is None else self.report.verdict == "proven",
            "nodes": self.nodes,
            "seconds": round(self.seconds, 3),
        }


def find_defence(
    game: Game, *, out: str | Path | None = None, memory: int = MEMORY, progress: OnProgress | None = None
) -> Defended:
    """Find a defence of O, verify it and write it to the file `out`, if any; or find that X wins.

    Under maker-maker, O may also save itself by threats and lines of its own. A defence under maker-breaker
    is one under maker-maker as well, and often smaller. `memory` is the number of bytes for positions that
    the search keeps.

    :raises InarowError: if the memory does not suffice, or the verification fails, because of a bug in the
        search; nothing is written.

    >>> find_defence(Game.named("mnk:5x4x4", maker_breaker=True)).describe().split(",")[0]
    'X never wins: a defence of 68 lines'
    """
    began = time.monotonic()
    if out is not None:
        require_writable(Path(out))
    symmetries = [list(to) for to in game.symmetries("geometric")]
    search = DefenceSearch(game.cells, list(game.lines), game.maker_breaker, symmetries, memory)
    try:
        defends = search.defends(progress)
        written = search.lines(progress) if defends else []
    except MemoryError:
        reason = f"the search needs more than {size_text(memory)} for positions; --memory allows more"
        raise InarowError(f"{game.name}: {reason}") from None
    lines = tuple(DefenceLine(x, o, answer, tuple(pairs)) for x, o, answer, pairs in written)
    found = Defended(game, defends, lines, None, search.nodes, time.monotonic() - began)
    if not defends:
        return found
    report = verify_defence(game, found.text())
    if report.verdict != "proven":
        raise InarowError(f"{game.name}: the defence does not hold: {report.reason}")
    # Some answers are to positions that the checker knows to be the same as others.
    unused = set(report.unused_lines)
    lines = tuple(line for number, line in enumerate(lines, 2) if number not in unused)
    found = replace(found, lines=lines, report=report, seconds=time.monotonic() - began)
    if out is not None:
        write_atomically(Path(out), [found.text().encode()])
    return found
