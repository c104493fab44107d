"""`inarow dictionary prune`: drop the positions that no game reaches."""

from __future__ import annotations

from inarow.cli import options
from inarow.cli.console import print_json, require_folder, tell
from inarow.cli.dictionary import common
from inarow.positional.dictionary import prune as pruning
from inarow.words import counted


def prune(
    file: common.FileArgument,
    game: common.GameOption,
    maker_breaker: common.MakerBreakerOption = None,
    symmetry: common.SymmetryOption = common.Symmetry.FULL,
    assisted: common.AssistedOption = False,
    method: common.MethodOption = common.Method.OPTIMAL,
    time_limit: common.TimeLimitOption = None,
    threads: options.ThreadsOption = None,
    memory: options.MemoryOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Drop the positions that no game reaches, and compress.

    The player plays as before.
    """
    if out is not None:
        require_folder(out.parent)
    rules = common.game_of(game, maker_breaker, symmetry)
    dictionary = common.read(file, rules)
    with common.rolling_out() as report:
        kept = pruning.prune(
            rules,
            dictionary,
            symmetry=symmetry.value,
            assisted=assisted,
            threads=threads,
            memory=memory,
            progress=report,
        )
    found = common.compress(kept, rules, symmetry, method, time_limit, out, as_json)
    positions_in = len(dictionary.entries())
    dropped = positions_in - len(kept)
    if as_json:
        summary = common.compression_json(len(dictionary.lines), found)
        print_json({**summary, "positions_in": positions_in, "positions_dropped": dropped})
    else:
        tell(f"{counted(len(kept), 'position')} of {positions_in:,} used, {dropped:,} dropped")
        common.tell_compression(len(dictionary.lines), found)
