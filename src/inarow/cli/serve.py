"""`inarow serve`: the explorer in the browser, and its HTTP API."""

from __future__ import annotations

import webbrowser
from typing import Annotated

import typer

from inarow.cli.console import print_json, tell
from inarow.cli.options import JsonOption
from inarow.cli.quixo.lookup import open_table
from inarow.web.app import create_app
from inarow.web.border import LOOPBACK
from inarow.web.server import listen, make_server


def serve(
    host: Annotated[
        str,
        typer.Option("--host", metavar="ADDRESS", help="Where to listen; 0.0.0.0 is open to other machines."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, metavar="N", help="The port; 0 picks a free one.")
    ] = 8000,
    allowed_host: Annotated[
        list[str] | None,
        typer.Option(
            "--allowed-host",
            metavar="NAME",
            help="A name under which browsers reach the server, besides localhost and its own addresses; may "
            "be repeated, '*' is any.",
        ),
    ] = None,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="DIR|URL",
            help="Folder of a table that 'inarow quixo solve' wrote, or URL of one; may be "
            "repeated. Without one, small boards are solved when needed.",
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
    as_json: JsonOption = False,
) -> None:
    """Explore and play in the browser, or query over HTTP."""
    if not host:
        raise typer.BadParameter(
            "an address is needed; 0.0.0.0 is open to other machines", param_hint="--host"
        )
    names = [*LOOPBACK, host, *(allowed_host or ())]
    app = create_app([open_table(location) for location in table or ()], hosts=names)
    # We listen ourselves: the address is known before the first request, and one in use is refused at once.
    with listen(host, port) as listener:
        shown = f"[{host}]" if ":" in host else host
        bound = listener.getsockname()[1]
        address = f"http://{shown}:{bound}/"
        if as_json:
            print_json({"url": address, "host": host, "port": bound}, now=True)
        tell(f"inarow is at {address} (Ctrl-C ends)")
        if open_browser:
            webbrowser.open(address)
        make_server(app).run(sockets=[listener])
