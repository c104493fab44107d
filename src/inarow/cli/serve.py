"""`inarow serve`: the explorer in the browser, and its HTTP API."""

from __future__ import annotations

import socket
import webbrowser
from typing import Annotated

import typer
import uvicorn

from inarow.cli.console import tell
from inarow.cli.quixo.lookup import open_table
from inarow.web.app import create_app


def serve(
    host: Annotated[
        str,
        typer.Option("--host", metavar="ADDRESS", help="Where to listen; 0.0.0.0 is open to other machines."),
    ] = "127.0.0.1",
    port: Annotated[
        int, typer.Option("--port", "-p", min=0, max=65535, metavar="N", help="The port; 0 picks a free one.")
    ] = 8000,
    table: Annotated[
        list[str] | None,
        typer.Option(
            "--table",
            metavar="DIR|URL",
            help="Folder of a table that 'inarow quixo solve' wrote, or URL of a compact one; may be "
            "repeated. Without one, small boards are solved when needed.",
        ),
    ] = None,
    open_browser: Annotated[bool, typer.Option("--open", help="Open the page in the browser.")] = False,
) -> None:
    """Explore and play in the browser, or query over HTTP."""
    app = create_app([open_table(location) for location in table or ()])
    # We listen ourselves: the address is known before the first request, and one in use is refused at once.
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # With the protocol named, asyncio turns off Nagle's algorithm, which would delay small answers.
    with socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP) as listener:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            listener.bind((host, port))
        except OSError as error:
            error.filename = f"{host}:{port}"
            raise
        listener.listen(2048)
        shown = f"[{host}]" if family == socket.AF_INET6 else host
        address = f"http://{shown}:{listener.getsockname()[1]}/"
        tell(f"inarow is at {address} (Ctrl-C ends)")
        if open_browser:
            webbrowser.open(address)
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_keep_alive=20)
        uvicorn.Server(config).run(sockets=[listener])
