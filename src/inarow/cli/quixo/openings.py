"""`inarow quixo openings`: the lines of the 5×5 book, with names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Annotated, Any

from inarow.cli.console import print_json, require_folder, stdout
from inarow.cli.options import JsonOption, path_option
from inarow.quixo.openings import make_openings, shipped_openings, write_openings
from inarow.quixo.prober import open_prober
from inarow.quixo.rules import Quixo


def openings(
    out: Annotated[
        Path | None,
        path_option("--out", "-o", help="Regenerate the file."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Show the openings of 5×5 as a tree of lines, with names.

    Each line gives nothing away; of equal moves it follows those after which most replies lose.
    """
    rules = Quixo(5)
    if out is None:
        found = shipped_openings(rules)
    else:
        require_folder(out.parent)
        with open_prober(rules) as prober:
            found = make_openings(prober)
        write_openings(out, found)
    if as_json:
        print_json(dict(found))
    else:
        for line in _texts(found["lines"], 0):
            stdout().print(line, soft_wrap=True)


def _texts(lines: Iterable[Mapping[str, Any]], depth: int) -> Iterable[str]:
    for line in lines:
        losing = (
            "" if line["losing_replies"] is None else f", {line['losing_replies']} of {line['replies']} lose"
        )
        name = f"  {line['name']}" if line["name"] else ""
        yield f"{'    ' * depth}{line['move']}  {line['value']}{losing}{name}"
        yield from _texts(line["lines"], depth + 1)
