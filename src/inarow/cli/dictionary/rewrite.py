"""`inarow dictionary compress`, `expand`, `convert`, `complete` and `prune`: other lines for a dictionary."""

from __future__ import annotations

import sys
import time
from dataclasses import replace
from typing import Annotated, Literal

import typer

from inarow.cli import options
from inarow.cli.console import tell
from inarow.cli.dictionary import common
from inarow.positional.dictionary import reached
from inarow.positional.dictionary.compress import Answers
from inarow.positional.dictionary.text import Dictionary, Format
from inarow.words import counted

_ANSWERS = "Keep one answer to each position, or all of them."


def compress(
    file: common.FileArgument,
    game: common.GameOption,
    symmetry: common.SymmetryOption = "full",
    answers: Annotated[Answers, typer.Option("--answers", help=_ANSWERS)] = "any",
    method: common.MethodOption = "optimal",
    time_limit: common.TimeLimitOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Write the same positions in the fewest lines.

    Positions that are equal up to symmetry are written once. If they have several answers, whichever
    saves lines is kept, even one that no game used: run `verify` on the result.
    """
    rules = common.game_of(game, None, symmetry)
    dictionary = Dictionary.read(file, rules.cells, balanced=False)
    found = common.compress(dictionary.entries(), rules, symmetry, method, time_limit, out, as_json, answers)
    common.summarise_compression(len(dictionary.lines), found, as_json, choices=found.choices)
    if found.choices and not as_json:
        tell(
            f"{counted(found.choices, 'position')} with several answers, one of which is kept: "
            "run `inarow dictionary verify` on the result"
        )


def expand(
    file: common.FileArgument,
    game: common.BoardOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Write one line for each position."""
    common.rewrite(file, game, out, as_json, lambda read: replace(read.expanded(), header="", format="blog"))


_TO = "The notation; Patashnik's has a line for each position."


def convert(
    file: common.FileArgument,
    to: Annotated[Format, typer.Option("--to", help=_TO)],
    game: common.BoardOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Write a dictionary in another notation.

    The header is kept; comments between the lines are dropped.
    """
    common.rewrite(file, game, out, as_json, lambda read: replace(read, format=to))


# Compressing more positions would take long and much memory: it is only done when asked for.
_MOST_COMPRESSED = 100_000
_COMPLETION_METHOD = (
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
        Literal["none", "greedy", "optimal"] | None, typer.Option("--method", help=_COMPLETION_METHOD)
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


def prune(
    file: common.FileArgument,
    game: common.GameOption,
    maker_breaker: common.MakerBreakerOption = None,
    symmetry: common.SymmetryOption = "full",
    assisted: common.AssistedOption = False,
    method: common.MethodOption = "optimal",
    time_limit: common.TimeLimitOption = None,
    threads: options.ThreadsOption = None,
    memory: options.MemoryOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Drop the positions that no game reaches, and compress.

    The player plays as before.
    """
    rules = common.game_of(game, maker_breaker, symmetry)
    dictionary = Dictionary.read(file, rules.cells)
    limits = {"symmetry": symmetry, "threads": threads, "memory": memory}
    kept = common.rolled_out(reached.prune, rules, dictionary, assisted=assisted, **limits)
    found = common.compress(kept, rules, symmetry, method, time_limit, out, as_json)
    positions = len(dictionary.entries())
    dropped = positions - len(kept)
    if not as_json:
        tell(f"{counted(len(kept), 'position')} of {positions:,} used, {dropped:,} dropped")
    more = {"positions_in": positions, "positions_dropped": dropped}
    common.summarise_compression(len(dictionary.lines), found, as_json, **more)
