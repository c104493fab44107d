"""`inarow dictionary expand`: a line for each position."""

from __future__ import annotations

from dataclasses import replace

from inarow.cli.dictionary import common


def expand(
    file: common.FileArgument,
    game: common.BoardOption = None,
    out: common.OutOption = None,
    as_json: common.JsonOption = False,
) -> None:
    """Write one line for each position."""
    common.rewrite(file, game, out, as_json, lambda read: replace(read.expanded(), header="", format="blog"))
