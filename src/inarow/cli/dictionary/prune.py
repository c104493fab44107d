"""`inarow dictionary prune`: drop the positions that no game comes to."""

from __future__ import annotations

from inarow.cli import options
from inarow.cli.console import print_json, require_folder, tell
from inarow.cli.dictionary import common


def prune(
    file: common.FileArgument,
    game: common.GameOption,
    maker_breaker: common.MakerBreakerOption = None,
    symmetry: common.SymmetryOption = common.Symmetry.FULL,
    assisted: common.AssistedOption = False,
    method: common.MethodOption = common.Method.OPTIMAL,
    time_limit: common.TimeLimitOption = None,
    threads: options.ThreadsOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Drop the positions that no game comes to, and compress the rest.

    The player plays as before.
    """
    if out is not None:
        require_folder(out.parent)
    rules = common.game_of(game, maker_breaker, symmetry)
    dictionary = common.read(file, rules)
    from inarow.verify.positional.dictionary import prune

    with common.counting("rolling out") as count:
        kept = prune(
            rules,
            dictionary,
            symmetry=symmetry.value,
            assisted=assisted,
            threads=threads,
            progress=count,
        )
    found = common.compress(kept, rules, symmetry, method, time_limit, out, as_json)
    positions_in = len(dictionary.entries())
    if as_json:
        summary = common.compression_json(len(dictionary.lines), found)
        print_json({**summary, "positions_in": positions_in, "positions_dropped": positions_in - len(kept)})
    else:
        tell(
            f"{common.counted(len(kept), 'position')} of {positions_in:,} used, "
            f"{positions_in - len(kept):,} dropped"
        )
        common.tell_compression(len(dictionary.lines), found)
