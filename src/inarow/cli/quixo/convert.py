"""`inarow quixo convert`: a table in the other form."""

from __future__ import annotations

from enum import StrEnum
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import print_json, progress, require_folder, stdout
from inarow.cli.options import JsonOption, ThreadsOption, parse_path
from inarow.cli.quixo.hints import repair_hints
from inarow.cli.quixo.options import TableArgument
from inarow.errors import InarowError
from inarow.quixo.table.convert import convert as convert_table
from inarow.quixo.table.info import table_info
from inarow.quixo.table.manifest import MANIFEST_NAME, Manifest


class Form(StrEnum):
    COMPACT = "compact"
    PLAIN = "plain"


def convert(
    folder: TableArgument,
    out: Annotated[
        Path,
        typer.Argument(
            metavar="OUT", parser=parse_path, help="Folder to write to; an interrupted run resumes there."
        ),
    ],
    form: Annotated[
        Form, typer.Option("--form", help="The form to write: small on disk, or quick to probe.")
    ] = Form.COMPACT,
    outcomes_only: Annotated[
        bool, typer.Option("--outcomes-only", help="Leave most plies out: half the size, but no way back.")
    ] = False,
    threads: ThreadsOption = None,
    as_json: JsonOption = False,
) -> None:
    """Write a table in the other form, without loss.

    The compact form takes a tenth of the space of the plain one, or less; probes take longer. If it has
    plies, it converts back to the same plain table, byte for byte.
    """
    if form is Form.PLAIN and outcomes_only:
        raise InarowError("the plain form always has plies: --outcomes-only goes with --form compact")
    require_folder(out.parent)
    with repair_hints(folder):
        Manifest.load(folder)
    try:
        with progress("converting") as report:
            manifest = convert_table(
                folder, out, form.value, plies=not outcomes_only, threads=threads, progress=report
            )
    except (OSError, KeyboardInterrupt) as error:
        if (out / MANIFEST_NAME).is_file():
            error.add_note(f"What is finished is kept in {out}; the same command resumes there.")
        raise
    before, after = table_info(folder).size, table_info(out).size
    if as_json:
        rules = manifest.rules
        print_json(
            {
                "game": "quixo",
                **rules.to_json(),
                "form": manifest.form,
                "has_plies": manifest.plies,
                "complete": manifest.complete,
                "bytes_before": before,
                "bytes": after,
            }
        )
        return
    console = stdout()
    console.print(str(manifest.rules), style="bold")
    console.print(f"{before:,} bytes became {after:,}, a ratio of {before / after:.2f}.")
    console.print(f"The {form.value} table is in {out}", soft_wrap=True)
