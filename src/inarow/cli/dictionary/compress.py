"""`inarow dictionary compress`: the same positions in the fewest lines."""

from __future__ import annotations

from inarow.cli.console import print_json, require_folder
from inarow.cli.dictionary import common


def compress(
    file: common.FileArgument,
    game: common.GameOption,
    symmetry: common.SymmetryOption = common.Symmetry.FULL,
    method: common.MethodOption = common.Method.OPTIMAL,
    time_limit: common.TimeLimitOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Write the same positions in the fewest lines.

    Of positions that are equal up to symmetry, along with their answers, one is kept.
    """
    if out is not None:
        require_folder(out.parent)
    rules = common.game_of(game, None, symmetry)
    dictionary = common.read(file, rules, balanced=False)
    found = common.compress(dictionary.entries(), rules, symmetry, method, time_limit, out, as_json)
    if as_json:
        print_json(common.compression_json(len(dictionary.lines), found))
    else:
        common.tell_compression(len(dictionary.lines), found)
