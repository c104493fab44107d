"""`inarow quixo check`: are the files of a table as they were written, or as they were published?"""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli import exit_codes
from inarow.cli.console import print_json, progress, stdout, tell
from inarow.cli.options import JsonOption, path_option
from inarow.cli.quixo.lookup import open_table
from inarow.cli.quixo.options import LocationArgument, repair_hints
from inarow.errors import MissingTable
from inarow.files import require_writable
from inarow.locking import LOCK_NAME
from inarow.quixo.table.files import file_sizes
from inarow.quixo.table.location import NEARLY_FULL, Location, parse_location
from inarow.quixo.table.manifest import MANIFEST_NAME, Manifest, make_command
from inarow.quixo.table.pairs import pairs_of
from inarow.quixo.table.published import (
    Checksums,
    Comparison,
    checksums_of,
    compare,
    published_checksums,
)
from inarow.quixo.table.table import Table
from inarow.verify.quixo.record import NAME as RECORD


def check(
    table: LocationArgument,
    published: Annotated[
        bool, typer.Option("--published", help="Compare with the checksums that come with inarow, too.")
    ] = False,
    write_list: Annotated[
        Path | None,
        path_option("--write-list", help="Write the table's checksums as a list to publish."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Compare the files of a table with their checksums.

    This finds damaged files; 'inarow quixo verify' finds wrong entries. A table at a URL is read whole.

    Exit code 4: a file is damaged. 3: the table, or a part of it, is missing, or no checksums are published
    for its rules. 1: a file is not the published one.
    """
    location = parse_location(table)
    if write_list is not None:
        require_writable(write_list)
    with open_table(location) as opened:
        manifest, rules = opened.manifest, opened.rules
        listed = published_checksums(rules) if published else None
        if write_list is not None and not manifest.complete:
            raise MissingTable(f"{location} is not complete: a list is made from whole tables")
        compared = _check(opened, location, listed is not None or write_list is not None)
        nearly_full = opened.nearly_full
        if nearly_full is not None:
            _check(nearly_full, nearly_full.path, False)
    comparison = None if listed is None or compared is None else compare(compared, listed)
    if write_list is not None and compared is not None:
        compared.write(write_list)
    count, size, others = _files(location, manifest)
    if nearly_full is not None:
        more, bytes_more, others_there = _files(nearly_full.path, nearly_full.manifest)
        count, size = count + more, size + bytes_more
        others += [f"{NEARLY_FULL}/{name}" for name in others_there]
    complete, pairs = manifest.complete, sum(1 for _ in pairs_of(rules))
    if as_json:
        print_json(
            {
                "game": "quixo",
                **rules.to_json(),
                "complete": complete,
                "files": count,
                "bytes": size,
                "published": None if comparison is None else comparison.to_json(),
            }
        )
    else:
        console = stdout()
        console.print(str(rules), style="bold")
        console.print(f"{count} files, {size:,} bytes: all as they were written.")
        if complete:
            console.print(f"The table is complete: {pairs} pairs of classes.", style="green")
        else:
            done = f"{len(manifest.pairs)} of {pairs} pairs of classes"
            console.print(f"The table is not complete: {done}.", style="yellow")
        if comparison is not None:
            wrong, partial = comparison.different, comparison.missing
            console.print(_words(comparison), style="red" if wrong else "yellow" if partial else "green")
        if write_list is not None:
            console.print(f"The checksums are in {write_list}", soft_wrap=True)
    if others:
        tell(f"Not part of the table: {', '.join(others[:5])}{' …' if len(others) > 5 else ''}")
    if comparison is not None and comparison.different:
        raise typer.Exit(exit_codes.CHECK_FAILED)
    if not complete:
        tell(f"Complete it with: {make_command(manifest, location)}")
        raise typer.Exit(MissingTable.exit_code)


def _files(location: Location, manifest: Manifest) -> tuple[int, int, list[str]]:
    """How many files a table has, their bytes, and other files that are in its folder."""
    sizes = {name: size for pair in manifest.pairs for name, size in file_sizes(pair).items()}
    if not isinstance(location, Path):
        return len(sizes) + 1, sum(sizes.values()), []
    files = {path.name: path.stat().st_size for path in location.iterdir() if path.is_file()}
    others = sorted(set(files) - {*sizes, MANIFEST_NAME, RECORD, LOCK_NAME})
    return len(sizes) + 1, sum(files.values()), others


def _check(table: Table, location: Location, with_sums: bool) -> Checksums | None:
    """Check all files; their checksums, if these are asked for."""
    pairs = len(table.manifest.pairs)
    with repair_hints(location, table.rules), progress("checking") as report:
        if with_sums:
            return checksums_of(location, progress=report)
        for done, _ in enumerate(table.check(), start=1):
            report(done, pairs)
    return None


def _words(comparison: Comparison) -> str:
    if comparison.different:
        names = ", ".join(comparison.different[:5])
        more = " …" if len(comparison.different) > 5 else ""
        return f"Not the published table: {len(comparison.different)} files differ: {names}{more}"
    same, packed = len(comparison.same), len(comparison.same_content)
    how = f"{same} files byte for byte"
    if packed:
        how += f", {packed} with the same content, written by another release of zstd"
    if comparison.missing:
        kinds = Counter(name.rpartition(".")[2] for name in comparison.missing)
        missing = " and ".join(f"{count} files of {kind}" for kind, count in kinds.items())
        return f"The files present are those of the published table: {how}. Missing are {missing}."
    return f"This is the published table: {how}." if packed else "This is the published table, byte for byte."
