"""What the commands on dictionaries share: options, reading games and files, writing lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer

from inarow.cli.console import activity, print_json, progress, require_folder, tell
from inarow.cli.options import parse_memory, parse_path
from inarow.errors import InarowError
from inarow.positional.dictionary import compress as compression
from inarow.positional.dictionary.compress import Answers, Compression, Method
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game
from inarow.symmetry import SymmetryKind
from inarow.words import counted


def parse_out(text: str) -> Path:
    """A file to write to: its folder must exist before the work begins."""
    path = parse_path(text)
    require_folder(path.parent)
    return path


FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", parser=parse_path, help="A dictionary, in either notation.")
]
OptionalFileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        parser=parse_path,
        help="A dictionary, in either notation; by default the one shipped with inarow.",
    ),
]
GameOption = Annotated[
    str,
    typer.Option("--game", "-g", metavar="GAME", help="qubic, mnk:WxHxK or polyomino:NAME:SIDE."),
]
# Patashnik's notation omits the empty cells at the end, and so does not give the size of the board.
BoardOption = Annotated[
    str | None,
    typer.Option(
        "--game",
        "-g",
        metavar="GAME",
        help="The game, for files in Patashnik's notation; by default qubic.",
    ),
]
MakerBreakerOption = Annotated[
    bool | None,
    typer.Option(
        "--maker-breaker/--maker-maker",
        help="Whether O only blocks, or makes lines too; by default, polyominoes are maker-breaker and other "
        "games maker-maker.",
    ),
]
SymmetryOption = Annotated[
    SymmetryKind,
    typer.Option(
        "--symmetry",
        "-s",
        help="Which positions count as equal: only identical ones, rotations and reflections of the board, "
        "or images under any symmetry of the lines.",
    ),
]
AssistedOption = Annotated[
    bool,
    typer.Option(
        "--assisted",
        help="The player also completes lines, blocks O's, and forces wins by threats on its own.",
    ),
]
MethodOption = Annotated[
    Method, typer.Option("--method", help="Fast and nearly optimal, or the fewest lines with a proof.")
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit", metavar="S", min=0, help="Seconds to look for the fewest lines; by default no limit."
    ),
]
SearchMemoryOption = Annotated[
    int,
    typer.Option(
        "--memory",
        metavar="SIZE",
        parser=parse_memory,
        show_default="4G",
        help="Memory for positions that the search keeps, as in 18G or 500M.",
    ),
]
OutOption = Annotated[
    Path | None,
    typer.Option(
        "--out", "-o", metavar="FILE", parser=parse_out, help="Write the lines to a file, not to stdout."
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print a summary as JSON; the lines are then only written to --out.")
]


# --- Input ---


def game_of(name: str, maker_breaker: bool | None, symmetry: SymmetryKind = "none") -> Game:
    """The game of a name, if its symmetries of the kind can be listed."""
    try:
        game = Game.named(name, maker_breaker)
        game.symmetries(symmetry)
    except ValueError as error:
        raise InarowError(str(error)) from None
    return game


def shipped_name(game: Game) -> str:
    return f"inarow's own dictionary for {game.name}"


@contextmanager
def rolling_out() -> Iterator[Callable[[int, int], None]]:
    """A function to call with the positions and the plies so far; shown on a terminal."""
    with activity("rolling out") as report:
        yield lambda positions, plies: report(f"{counted(positions, 'position')}, {counted(plies, 'ply')}")


# --- Output ---


def compress(
    entries: Iterable[Entry],
    game: Game,
    symmetry: SymmetryKind,
    method: Method,
    time_limit: float | None,
    out: Path | None,
    as_json: bool,
    answers: Answers = "any",
) -> Compression:
    """Compress positions and write the lines."""
    with progress("compressing") as report:
        found = compression.compress(
            entries, game.symmetries(symmetry), method, time_limit, report, answers=answers
        )
    write(Dictionary(game.cells, found.lines), out, as_json)
    return found


def write(dictionary: Dictionary, out: Path | None, as_json: bool) -> None:
    """Write the lines to a file, or to stdout unless a JSON summary is printed there."""
    if out is not None:
        dictionary.write(out)
    elif not as_json:
        sys.stdout.write(dictionary.text())


def summarise(lines_in: int, found: Compression, as_json: bool, **more: Any) -> None:
    """Print a summary as JSON, with `more` of it, or in words to stderr."""
    if as_json:
        summary = {
            "lines_in": lines_in,
            "positions": found.positions,
            "lines_out": len(found.lines),
            "lower_bound": found.lower_bound,
            "optimal": found.optimal,
            "seconds": round(found.seconds, 3),
        }
        print_json(summary | more)
        return
    proven = "no fewer suffice" if found.optimal else f"at least {found.lower_bound:,} are needed"
    tell(
        f"{counted(lines_in, 'line')}, {counted(found.positions, 'position')}: "
        f"now {counted(len(found.lines), 'line')}; {proven} ({found.seconds:.2f} s)"
    )


def rewrite(
    file: Path, game: str | None, out: Path | None, as_json: bool, change: Callable[[Dictionary], Dictionary]
) -> None:
    """Write a dictionary in another form, and a summary."""
    before = Dictionary.read(file, None if game is None else game_of(game, None).cells, balanced=False)
    after = change(before)
    positions = sum(line.options.bit_count() or 1 for line in after.lines)
    lines_in, lines_out = len(before.lines), positions if after.format == "patashnik" else len(after.lines)
    write(after, out, as_json)
    if as_json:
        print_json({"lines_in": lines_in, "positions": positions, "lines_out": lines_out})
    elif out is not None:
        tell(
            f"{counted(lines_in, 'line')}, {counted(positions, 'position')}: "
            f"{counted(lines_out, 'line')} written to {out}"
        )
