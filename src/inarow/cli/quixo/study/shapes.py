"""`inarow quixo study shapes`: all shapes of boards, lengths of a line and rules for double lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Annotated

import typer
from rich.box import SIMPLE_HEAD
from rich.table import Table

from inarow.cli.console import print_json, progress, stdout, tell
from inarow.cli.exit_codes import CHECK_FAILED
from inarow.cli.options import JsonOption, parse_path
from inarow.cli.quixo.options import Device
from inarow.errors import InarowError
from inarow.files import require_writable
from inarow.quixo.rules import MAX_CELLS, Quixo
from inarow.quixo.study.shapes import (
    ShapeResult,
    games,
    kept_shapes,
    read_shapes,
    study_large_shape,
    study_shape,
    write_shapes,
)
from inarow.quixo.table.folder import PLAIN_CELLS
from inarow.verify.quixo.table import verify_table
from inarow.words import counted

_MOST_CELLS_CHECKED = 22  # of boards whose tables are checked as a whole: a larger one takes minutes


def shapes(
    cells: Annotated[
        int,
        typer.Option("--cells", metavar="N", min=4, max=MAX_CELLS, help="Boards of up to so many cells."),
    ] = MAX_CELLS,
    solve: Annotated[
        bool,
        typer.Option("--solve", help="Solve the games anew, and compare with what comes with inarow."),
    ] = False,
    check: Annotated[
        bool,
        typer.Option(
            "--check",
            help="With --solve, have every entry checked by code that shares nothing with the solver; "
            "of boards of 24 cells on a GPU, a sample of every class.",
        ),
    ] = False,
    out: Annotated[
        Path | None,
        typer.Option(
            "--out",
            "-o",
            metavar="FILE",
            parser=parse_path,
            help="With --solve, a file for the results; games that it has are not solved again.",
        ),
    ] = None,
    device: Annotated[Device, typer.Option(help="With --solve, where: the CPU, or a GPU.")] = Device.CPU,
    as_json: JsonOption = False,
) -> None:
    """What is the game on other boards?

    Every shape of board, no higher than wide, every length of a line and both rules for double lines: the
    value of the game, how many positions are won, drawn and lost, and how many are reachable. By default this
    shows the results that come with inarow.
    """
    if not solve and (check or out or device is not Device.CPU):
        raise InarowError("--check, --out and --device are for games that are solved anew: add --solve")
    wanted = list(games(cells))
    kept = {result.rules: result for result in kept_shapes()}
    found = list(_solved(wanted, check, out, device)) if solve else [kept[it] for it in wanted if it in kept]
    if as_json:
        print_json({"game": "quixo", "games": [result.to_json() for result in found]})
    else:
        _show(found)
        if len(found) < len(wanted):
            tell(f"{counted(len(wanted) - len(found), 'game')} more are not solved yet.")
    wrong = [its.rules for its in found if not _agree(its, kept.get(its.rules, its))]
    for rules in wrong:
        tell(f"{rules}: this is not the result that comes with inarow.")
    if wrong:
        raise typer.Exit(CHECK_FAILED)


def _agree(result: ShapeResult, kept: ShapeResult) -> bool:
    return replace(result, proven=kept.proven, sampled=kept.sampled) == kept


def _solved(wanted: Iterable[Quixo], check: bool, out: Path | None, device: Device) -> Iterator[ShapeResult]:
    if out is not None:
        require_writable(out)
    done = {its.rules: its for its in (read_shapes(out) if out is not None and out.exists() else ())}
    try:
        for rules in wanted:
            if rules not in done or (check and not (done[rules].proven or done[rules].sampled)):
                done[rules] = _checked(rules, out, device) if check else _solve(rules, None, device)
                if out is not None:
                    write_shapes(out, done.values())
            yield done[rules]
    except KeyboardInterrupt as error:
        if out is not None and done:
            error.add_note(f"What is solved is kept in {out}; the same command goes on from there.")
        raise


def _checked(rules: Quixo, out: Path | None, device: Device) -> ShapeResult:
    """Solved, with a table beside the results that is checked and thrown away."""
    if device is Device.CUDA and rules.cells > _MOST_CELLS_CHECKED:
        with progress(f"solving {rules}") as report:
            return study_large_shape(rules, report)
    with TemporaryDirectory(dir=None if out is None else out.parent) as folder:
        result = _solve(rules, Path(folder), device)
        with progress(f"checking {rules}") as report:
            # A GPU checks tables in the compact form, which small ones do not have.
            on = Device.CPU if rules.cells <= PLAIN_CELLS else device
            verdict = verify_table(folder, progress=report, device=on.value).verdict
    if verdict == "wrong":
        raise InarowError(f"the checker does not agree with the solver on {rules}")
    return replace(result, proven=verdict == "proven")


def _solve(rules: Quixo, folder: Path | None, device: Device) -> ShapeResult:
    with progress(f"solving {rules}") as report:
        return study_shape(rules, folder, device.value, report)


def _show(found: Iterable[ShapeResult]) -> None:
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=0)
    for name in ("board", "line", "double", "game", "win", "draw", "loss", "longest", "reachable"):
        table.add_column(name, justify="left" if name == "game" else "right", no_wrap=True)
    for its in found:
        rules, states = its.rules, its.win + its.draw + its.loss
        table.add_row(
            rules.size_text,
            str(rules.line),
            rules.double_line,
            str(its.start),
            *(f"{count / states:.1%}" for count in (its.win, its.draw, its.loss)),
            str(max(its.longest_win, its.longest_loss)),
            "" if its.reachable is None else f"{its.reachable:,}",
        )
    stdout().print(table)
