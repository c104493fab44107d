"""`inarow dictionary prune`: drop the positions that no game reaches."""

from __future__ import annotations

from inarow.cli import options
from inarow.cli.console import tell
from inarow.cli.dictionary import common
from inarow.positional.dictionary import reached
from inarow.positional.dictionary.text import Dictionary
from inarow.words import counted


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
