"""`inarow dictionary complete`: write out what is obvious, so that looking up is enough."""

from __future__ import annotations

import sys
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli import options
from inarow.cli.console import print_json, require_folder, tell
from inarow.cli.dictionary import common
from inarow.cli.dictionary.common import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from inarow.verify.positional.dictionary import Entries

# More positions are not compressed unless asked for: it would take long, and much memory.
_COMPRESSED = 100_000
_AT_ONCE = 1 << 16  # positions


class Method(StrEnum):
    NONE = "none"
    GREEDY = "greedy"
    OPTIMAL = "optimal"


def complete(
    file: common.FileArgument,
    game: common.GameOption,
    maker_breaker: common.MakerBreakerOption = None,
    symmetry: common.SymmetryOption = common.Symmetry.FULL,
    without_obvious: Annotated[
        bool,
        typer.Option("--without-obvious", help="Leave out where X completes a line or blocks one of O's."),
    ] = False,
    method: Annotated[
        Method | None,
        typer.Option(
            "--method",
            help="How to compress; 'none' writes a line for each position. Greedy unless said, "
            f"and none for more than {_COMPRESSED:,} positions.",
        ),
    ] = None,
    time_limit: common.TimeLimitOption = None,
    threads: options.ThreadsOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Write out the moves of an assisted player.

    A player who only looks up then wins as well. Exit code 1: the dictionary is not exhaustive.
    """
    if out is not None:
        require_folder(out.parent)
    began = time.monotonic()
    rules = common.game_of(game, maker_breaker, symmetry)
    dictionary = common.read(file, rules)
    from inarow.files import write_atomically
    from inarow.verify.positional.dictionary import complete

    with common.counting("rolling out") as count:
        entries = complete(
            rules,
            dictionary,
            symmetry=symmetry.value,
            obvious=not without_obvious,
            threads=threads,
            progress=count,
        )
    if method is None:
        method = Method.GREEDY if len(entries) <= _COMPRESSED else Method.NONE
    lower_bound = None
    if method is Method.NONE:
        lines_out = len(entries)
        if out is not None:
            write_atomically(out, _texts(entries))
        elif not as_json:
            for text in _texts(entries):
                sys.stdout.write(text.decode())
    else:
        how = common.Method(method)
        found = common.compress(entries, rules, symmetry, how, time_limit, out, as_json)
        lines_out, lower_bound = len(found.lines), found.lower_bound
    seconds = time.monotonic() - began
    lines_in = len(dictionary.lines)
    if as_json:
        print_json(
            {
                "lines_in": lines_in,
                "positions": len(entries),
                "lines_out": lines_out,
                "lower_bound": lower_bound,
                "method": method.value,
                "seconds": round(seconds, 3),
            }
        )
    else:
        tell(
            f"{counted(lines_in, 'line')}; complete: {counted(len(entries), 'position')}, "
            f"{counted(lines_out, 'line')} ({seconds:.2f} s)"
        )


def _texts(entries: Entries) -> Iterator[bytes]:
    """A line for each entry, in the blog's notation; there may be millions."""
    import numpy as np

    cells = entries.cells
    for first in range(0, len(entries), _AT_ONCE):
        masks = entries.positions[first : first + _AT_ONCE].astype("<u8").view(np.uint8)
        marks = np.unpackbits(masks, axis=2, count=cells, bitorder="little").astype(bool)
        rows = np.full((len(marks), cells + 1), ord("."), np.uint8)
        rows[:, :cells][marks[:, 0]] = ord("x")
        rows[:, :cells][marks[:, 1]] = ord("o")
        rows[np.arange(len(rows)), entries.moves[first : first + _AT_ONCE]] = ord("X")
        rows[:, cells] = ord("\n")
        yield rows.tobytes()
