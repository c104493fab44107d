"""`inarow ultimate optimal`: which moves keep the win at ply 43?"""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table

from inarow.cli.console import activity, print_json, stdout, tell
from inarow.cli.options import JsonOption, parse_path
from inarow.cli.ultimate.prove import MemoryOption
from inarow.files import require_writable
from inarow.ultimate import optimal as play
from inarow.ultimate.prover import DEFAULT_MEMORY
from inarow.ultimate.rules import Position, Ultimate
from inarow.words import counted


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
    memory: MemoryOption = DEFAULT_MEMORY,
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
    _show(moves)
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


def _show(found: play.OptimalMoves) -> None:
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
