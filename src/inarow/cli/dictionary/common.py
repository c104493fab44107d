"""What the commands on dictionaries share: options, reading games and files, writing lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import Annotated, Any

import typer

from inarow.cli.console import activity, progress, tell
from inarow.cli.options import parse_memory, parse_path
from inarow.errors import InarowError
from inarow.positional.dictionary import compress as compression
from inarow.positional.dictionary.compress import Compression
from inarow.positional.dictionary.shipped import shipped_dictionary
from inarow.positional.dictionary.text import Dictionary, Entry
from inarow.positional.rules import Game
from inarow.words import counted


class Symmetry(StrEnum):
    NONE = "none"
    GEOMETRIC = "geometric"
    FULL = "full"


class Method(StrEnum):
    GREEDY = "greedy"
    OPTIMAL = "optimal"


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
MakerBreakerOption = Annotated[
    bool | None,
    typer.Option(
        "--maker-breaker/--maker-maker",
        help="Whether O only blocks, or makes lines too; by default, polyominoes are maker-breaker and other "
        "games maker-maker.",
    ),
]
SymmetryOption = Annotated[
    Symmetry,
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
        "--out", "-o", metavar="FILE", parser=parse_path, help="Write the lines to a file, not to stdout."
    ),
]
JsonOption = Annotated[
    bool, typer.Option("--json", help="Print a summary as JSON; the lines are then only written to --out.")
]


# --- Input ---


def game_of(name: str, maker_breaker: bool | None, symmetry: Symmetry = Symmetry.NONE) -> Game:
    """The game of a name, if its symmetries of the kind can be listed."""
    try:
        game = Game.named(name, maker_breaker)
        game.symmetries(symmetry.value)
    except ValueError as error:
        raise InarowError(str(error)) from None
    return game


def read(path: Path, game: Game | None = None, *, balanced: bool = True) -> Dictionary:
    """The dictionary in a file; if a game is given, for its board.

    A dictionary to play by must be `balanced`; one that is only rewritten need not be.
    """
    return Dictionary.read(path, None if game is None else game.cells, balanced=balanced)


def read_or_shipped(path: Path | None, game: Game) -> tuple[Dictionary, str]:
    """The dictionary in a file, or without a path the shipped one, and its name for messages."""
    if path is not None:
        return read(path, game), path.name
    return shipped_dictionary(game), shipped_name(game)


def shipped_name(game: Game) -> str:
    return f"inarow's own dictionary for {game.name}"


# --- Progress ---


@contextmanager
def rolling_out() -> Iterator[Callable[[int, int], None]]:
    """A function to call with the positions and the plies so far; shown on a terminal."""
    with activity("rolling out") as report:
        yield lambda positions, plies: report(f"{counted(positions, 'position')}, {counted(plies, 'ply')}")


# --- Output ---


def compress(
    entries: Iterable[Entry],
    game: Game,
    symmetry: Symmetry,
    method: Method,
    time_limit: float | None,
    out: Path | None,
    as_json: bool,
) -> Compression:
    """Compress positions and write the lines."""
    symmetries = game.symmetries(symmetry.value)
    with progress("compressing") as report:
        found = compression.compress(entries, symmetries, method.value, time_limit, report)
    write(Dictionary(game.cells, found.lines), out, as_json)
    return found


def write(dictionary: Dictionary, out: Path | None, as_json: bool) -> None:
    """Write the lines to a file, or to stdout unless a JSON summary is printed there."""
    if out is not None:
        dictionary.write(out)
    elif not as_json:
        sys.stdout.write(dictionary.text())


def tell_compression(lines_in: int, found: Compression) -> None:
    """Print a summary to stderr."""
    proven = "no fewer suffice" if found.optimal else f"at least {found.lower_bound:,} are needed"
    tell(
        f"{counted(lines_in, 'line')}, {counted(found.positions, 'position')}: "
        f"now {counted(len(found.lines), 'line')}; {proven} ({found.seconds:.2f} s)"
    )


def compression_json(lines_in: int, found: Compression) -> dict[str, Any]:
    return {
        "lines_in": lines_in,
        "positions": found.positions,
        "lines_out": len(found.lines),
        "lower_bound": found.lower_bound,
        "optimal": found.optimal,
        "seconds": round(found.seconds, 3),
    }
