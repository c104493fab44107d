"""`inarow ultimate prove`: can the first player force a win by a ply?"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from inarow.cli import options
from inarow.cli.console import print_json, require_folder, stdout, tell
from inarow.errors import InarowError

if TYPE_CHECKING:
    from inarow.ultimate.prover import Proof

_PATIENCE = 0.5  # seconds of silence before counting aloud
_UNITS = {"": 1, "K": 1 << 10, "M": 1 << 20, "G": 1 << 30, "T": 1 << 40}


def prove(
    plies: Annotated[
        int, typer.Option("--plies", "-n", metavar="N", help="By which ply, counted from the empty board.")
    ],
    position: Annotated[
        str,
        typer.Option("--position", "-p", metavar="MOVES", help="Where to begin: moves like '44 40 04'."),
    ] = "start",
    certificate: Annotated[
        Path | None,
        typer.Option(
            "--certificate", "-c", metavar="FILE", help="Write a policy that shows it, for 'ultimate check'."
        ),
    ] = None,
    memory: Annotated[
        str,
        typer.Option("--memory", metavar="SIZE", help="The most that the table may take, like 500M or 4G."),
    ] = "4G",
    as_json: options.JsonOption = False,
) -> None:
    """Decide whether X can force a win by a ply.

    Every first move is tried. Those listed are the ones of the side to move that succeed: X's that win by the
    ply, or O's after which X does not.
    """
    from inarow.errors import NotationError
    from inarow.ultimate.certificate import Claim, write_certificate
    from inarow.ultimate.prover import prove
    from inarow.ultimate.rules import Ultimate

    size = _bytes(memory)
    if certificate is not None:
        require_folder(certificate.parent)
    try:
        begin = Ultimate().parse(position)
    except NotationError as error:
        raise InarowError(str(error)) from None
    with _counting() as report:
        proof = prove(begin, plies, policy=certificate is not None, memory=size, progress=report)
    if certificate is not None and proof.answers is not None:
        written = write_certificate(certificate, Claim(proof.side, plies, begin, proof.answers))
        tell(f"{certificate}: {len(proof.answers):,} positions, {written:,} bytes")
    if as_json:
        print_json(proof.to_json())
    else:
        _show(proof)


def _show(proof: Proof) -> None:
    console = stdout()
    begin = f" after {proof.position}" if proof.position.ply else ""
    verdict = "can" if proof.wins else "cannot"
    console.print(f"X {verdict} force a win by ply {proof.plies}{begin}.", style="bold", soft_wrap=True)
    if proof.first_moves:
        moves = " ".join(map(str, proof.first_moves))
        what = "that win" if proof.position.turn == "x" else "that hold X off"
        console.print(f"{proof.position.turn.upper()}'s moves {what}: {moves}", soft_wrap=True)
    console.print(f"{proof.nodes:,} nodes in {proof.seconds:.2f} s")


def _bytes(text: str) -> int:
    found = re.fullmatch(r"(\d+(?:\.\d+)?)([KMGT]?)(?:I?B)?", text.strip().upper())
    if found is None:
        raise InarowError(f"memory {text!r}: must be a size like 500M or 4G")
    return int(float(found[1]) * _UNITS[found[2]])


@contextmanager
def _counting() -> Iterator[Callable[[int, float], None]]:
    """Tells the nodes, their speed and the use of the table, on a terminal and if it takes long."""
    if not sys.stderr.isatty():
        yield lambda nodes, table_use: None
        return

    from rich.console import Console

    began = time.monotonic()
    status = Console(stderr=True).status("searching")

    def report(nodes: int, table_use: float) -> None:
        elapsed = time.monotonic() - began
        if elapsed > _PATIENCE:
            status.start()
            status.update(
                f"searching: {nodes:,} nodes, {nodes / elapsed:,.0f} a second, table {table_use:.1%} full"
            )

    try:
        yield report
    finally:
        status.stop()
