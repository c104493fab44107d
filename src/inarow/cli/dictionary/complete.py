"""`inarow dictionary complete`: write out the obvious moves, so that looking up is enough."""

from __future__ import annotations

import sys
import time
from typing import Annotated, Literal

import typer

from inarow.cli import options
from inarow.cli.dictionary import common
from inarow.positional.dictionary import reached
from inarow.positional.dictionary.text import Dictionary
from inarow.words import counted

# Compressing more positions would take long and much memory: it is only done when asked for.
_MOST_COMPRESSED = 100_000
_METHOD = (
    "How to compress; 'none' writes a line for each position. By default greedy, and none for more than "
    f"{_MOST_COMPRESSED:,} positions."
)
_WITHOUT = "Omit positions where X completes a line or blocks one of O's."


def complete(
    file: common.FileArgument,
    game: common.GameOption,
    maker_breaker: common.MakerBreakerOption = None,
    symmetry: common.SymmetryOption = "full",
    without_obvious: Annotated[bool, typer.Option("--without-obvious", help=_WITHOUT)] = False,
    method: Annotated[
        Literal["none", "greedy", "optimal"] | None, typer.Option("--method", help=_METHOD)
    ] = None,
    time_limit: common.TimeLimitOption = None,
    threads: options.ThreadsOption = None,
    memory: options.MemoryOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Write out the moves of an assisted player.

    A player that only looks up then wins as well. Exit code 1: the dictionary is not exhaustive.
    """
    began = time.monotonic()
    rules = common.game_of(game, maker_breaker, symmetry)
    dictionary = Dictionary.read(file, rules.cells)
    limits = {"symmetry": symmetry, "threads": threads, "memory": memory}
    entries = common.rolled_out(reached.complete, rules, dictionary, obvious=not without_obvious, **limits)
    if method is None:
        method = "greedy" if len(entries) <= _MOST_COMPRESSED else "none"
    lines_in, lines_out, lower_bound = len(dictionary.lines), len(entries), None
    if method != "none":
        found = common.compress(entries, rules, symmetry, method, time_limit, out, as_json)
        lines_out, lower_bound = len(found.lines), found.lower_bound
    elif out is not None:
        entries.write(out)
    elif not as_json:
        for text in entries.texts():
            sys.stdout.write(text.decode())
    seconds = time.monotonic() - began
    common.summarise(
        as_json,
        f"{counted(lines_in, 'line')}; complete: {counted(len(entries), 'position')}, "
        f"{counted(lines_out, 'line')} ({seconds:.2f} s)",
        lines_in=lines_in,
        positions=len(entries),
        lines_out=lines_out,
        lower_bound=lower_bound,
        method=method,
        seconds=round(seconds, 3),
    )
