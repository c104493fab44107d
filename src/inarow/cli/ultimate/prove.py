"""`inarow ultimate prove` and `optimal`: can X force a win by a ply, and which moves keep it at ply 43?"""

from __future__ import annotations

import time
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from inarow.cli.console import activity, print_json, stdout, tell
from inarow.cli.options import JsonOption, parse_memory, parse_path
from inarow.files import require_writable
from inarow.ultimate import optimal as play
from inarow.ultimate import prover
from inarow.ultimate.rules import Position, Ultimate
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


def optimal(
    position: Annotated[
        str, typer.Argument(metavar="MOVES", help="The moves so far, like '44 40 04'.")
    ] = "start",
    plies: Annotated[
        bool, typer.Option("--plies", help="Count the positions of optimal play, and their moves, by ply.")
    ] = False,
    make: Annotated[
        Path | None,
        typer.Option(
            "--make",
            metavar="FILE",
            parser=parse_path,
            help="Find all optimal games from here on with the prover, instead of looking them up, and write "
            "them. From the start this takes half an hour.",
        ),
    ] = None,
    memory: MemoryOption = prover.DEFAULT_MEMORY,
    as_json: JsonOption = False,
) -> None:
    """Show which moves keep the win at ply 43.

    With best play on both sides X wins at ply 43. A move of X keeps that if X can still force the win by
    then, a move of O if X cannot force it sooner. All positions of such play come with inarow.
    """
    begin = Ultimate().parse(position)
    found = play.shipped_play() if make is None else _make(begin, make, memory)
    moves = found.moves(begin)
    if as_json:
        counts = {"counts": [row._asdict() for row in found.counts]} if plies else {}
        print_json(moves.to_json() | counts)
        return
    _show_moves(moves)
    if plies:
        _show_counts(found.counts)


def _make(begin: Position, path: Path, memory: int) -> play.OptimalPlay:
    require_writable(path)
    with activity("proving") as show:
        found = play.find_optimal_play(
            begin,
            memory=memory,
            progress=lambda ply, done, of: show(f"ply {ply}: {done:,} of {counted(of, 'position')}"),
        )
    found.write(path)
    tell(f"{path}: {counted(len(found), 'position')} up to symmetry")
    return found


def _show_moves(found: play.OptimalMoves) -> None:
    console = stdout()
    position = found.position
    if found.left_at is not None:
        side, what = (
            ("X", f"X can no longer force a win by ply {play.PLIES}")
            if found.left_at % 2
            else ("O", f"X can win by ply {play.PLIES - 2}")
        )
        move = position.moves_played[found.left_at - 1]
        console.print(f"{side} left optimal play at ply {found.left_at}, with {move}: {what}.", style="bold")
        return
    if position.is_over:
        console.print(f"X has won at ply {position.ply}: an optimal game.", style="bold")
        return
    ahead = f"Ply {position.ply + 1}, {position.turn.upper()} to move"
    console.print(f"{ahead}: with best play X wins at ply {play.PLIES}.", style="bold")
    console.print(f"Moves that keep it: {' '.join(map(str, found.moves))}", soft_wrap=True)
    if found.others:
        x_moves = position.turn == "x"
        what = f"X no longer wins by ply {play.PLIES}" if x_moves else f"X wins by ply {play.PLIES - 2}"
        console.print(f"Moves after which {what}: {' '.join(map(str, found.others))}", soft_wrap=True)


def _show_counts(counts: tuple[play.PlyCounts, ...]) -> None:
    table = Table("ply", "side", "positions", "moves", "keep 43", box=None)
    for column in table.columns[:1] + table.columns[2:]:
        column.justify = "right"
    for row in counts:
        side = "X" if row.ply % 2 else "O"
        table.add_row(str(row.ply), side, f"{row.positions:,}", f"{row.moves:,}", f"{row.kept:,}")
    stdout().print(table)
