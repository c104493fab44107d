"""`inarow site`: the explorer as files, for hosts that run no programs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import print_json
from inarow.cli.options import JsonOption, path_option
from inarow.errors import InarowError
from inarow.web.site.check import check_site
from inarow.web.site.write import write_site


def site(
    out: Annotated[
        Path | None,
        path_option("--out", metavar="DIR", help="Write the site to this folder, in place of an older one."),
    ] = None,
    url: Annotated[
        str,
        typer.Option(
            "--url",
            metavar="URL",
            help="Where the site will be, for link previews and its page about addresses that do not exist.",
        ),
    ] = "",
    table_url: Annotated[
        str | None,
        typer.Option(
            "--table-url",
            metavar="URL",
            help="A complete table with plies, of which pages fetch what they need. Its host must "
            "serve ranges, and allow pages of other origins (CORS).",
        ),
    ] = None,
    check: Annotated[
        Path | None,
        path_option("--check", metavar="DIR", help="Open every page of a site, and compare its files."),
    ] = None,
    as_json: JsonOption = False,
) -> None:
    """Write the explorer as files, which need no server."""
    if (out is None) == (check is None):
        raise InarowError("either --out DIR to write a site, or --check DIR to check one")
    if out is not None:
        count = write_site(out, url, table_url)
        if as_json:
            print_json({"folder": str(out), "files": count, "checked_pages": None})
        else:
            print(f"{out}: a site of {count:,} files; any host of files can serve it")
    if check is not None:
        pages = list(check_site(check))
        if as_json:
            print_json({"folder": str(check), "files": None, "checked_pages": len(pages)})
        else:
            print(f"{check}: {len(pages)} pages, and all that they need")
