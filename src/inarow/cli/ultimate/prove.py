"""`inarow ultimate prove`: can the first player force a win by a ply?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer

from inarow.cli.console import activity, print_json, stdout, tell
from inarow.cli.options import JsonOption, parse_memory, parse_path
from inarow.ultimate import prover
from inarow.ultimate.rules import Ultimate
from inarow.words import counted

MemoryOption = Annotated[
    int,
    typer.Option(
        "--memory",
        metavar="SIZE",
        parser=parse_memory,
        show_default=False,
        help="The most memory for the table, as in 8G or 500M, rounded down to a power of two: it grows as "
        "it fills. 4GiB by default.",
    ),
]


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
            "--certificate",
            "-c",
            metavar="FILE",
            parser=parse_path,
            help="Write a certificate, for 'inarow ultimate check'.",
        ),
    ] = None,
    memory: MemoryOption = prover.DEFAULT_MEMORY,
    as_json: JsonOption = False,
) -> None:
    """Decide whether X can force a win by a ply.

    Every first move is tried. Those listed are the ones of the side to move that succeed: X's that win by the
    ply, or O's after which X does not.
    """
    begin = Ultimate().parse(position)
    began = time.monotonic()
    with activity("searching") as show:

        def report(nodes: int, table_use: float) -> None:
            speed = nodes / (time.monotonic() - began)
            show(f"{nodes:,} nodes, {speed:,.0f} a second, table {table_use:.1%} full")

        proof = prover.prove(begin, plies, certificate=certificate, memory=memory, progress=report)
    if certificate is not None and proof.claim is not None:
        tell(f"{certificate}: {counted(len(proof.claim.answers), 'position')}")
    if as_json:
        print_json(proof.to_json())
    else:
        _show(proof)


def _show(proof: prover.Proof) -> None:
    console = stdout()
    begin = f" after {proof.position}" if proof.position.ply else ""
    can = "can" if proof.wins else "cannot"
    console.print(f"X {can} force a win by ply {proof.plies}{begin}.", style="bold", soft_wrap=True)
    if proof.first_moves:
        moves = " ".join(map(str, proof.first_moves))
        what = "that win" if proof.position.turn == "x" else "that hold X off"
        console.print(f"{proof.position.turn.upper()}'s moves {what}: {moves}", soft_wrap=True)
    console.print(f"{proof.nodes:,} nodes in {proof.seconds:.2f} s")
