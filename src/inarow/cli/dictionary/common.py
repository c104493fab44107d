"""What the commands on dictionaries share: their options, the game and the file, the lines that come out."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from inarow.cli.console import progress, tell
from inarow.errors import InarowError

if TYPE_CHECKING:
    from inarow.positional.dictionary.compress import Compression
    from inarow.positional.dictionary.text import Dictionary, Entry
    from inarow.positional.rules import Game

_PATIENCE = 0.5  # seconds of silence before counting aloud


class Symmetry(StrEnum):
    NONE = "none"
    GEOMETRIC = "geometric"
    FULL = "full"


class Method(StrEnum):
    GREEDY = "greedy"
    OPTIMAL = "optimal"


FileArgument = Annotated[Path, typer.Argument(metavar="FILE", help="A dictionary, in either notation.")]
OptionalFileArgument = Annotated[
    Path | None,
    typer.Argument(
        metavar="FILE",
        help="A dictionary, in either notation; the one that comes with inarow unless said.",
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
        help="Whether O only blocks, or makes lines too; polyominoes are maker-breaker unless said.",
    ),
]
SymmetryOption = Annotated[
    Symmetry,
    typer.Option(
        "--symmetry",
        "-s",
        help="Which positions count as the same: none but equal ones, those that turning and mirroring the "
        "board makes of each other, or those of any symmetry of the lines.",
    ),
]
AssistedOption = Annotated[
    bool,
    typer.Option(
        "--assisted",
        help="The player also sees for itself where to win, where to block, and forced wins by threats.",
    ),
]
MethodOption = Annotated[
    Method, typer.Option("--method", help="Quick and good, or the fewest lines with a proof.")
]
TimeLimitOption = Annotated[
    float | None,
    typer.Option(
        "--time-limit", metavar="S", min=0, help="Seconds to look for the fewest lines; none unless said."
    ),
]
OutOption = Annotated[
    Path | None, typer.Option("--out", "-o", metavar="FILE", help="Write the lines there, not on stdout.")
]
JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print a summary for programs, as JSON; the lines then only go to --out."),
]


# --- The game and the file ---


def game_of(name: str, maker_breaker: bool | None, symmetry: Symmetry = Symmetry.NONE) -> Game:
    """The game of a name, which must have symmetries of the kind asked for."""
    from inarow.positional.rules import Game

    try:
        game = Game.named(name, maker_breaker)
        game.symmetries(symmetry.value)
    except ValueError as error:
        raise InarowError(str(error)) from None
    return game


def read(path: Path, game: Game | None = None, *, balanced: bool = True) -> Dictionary:
    """The dictionary in a file; of the game's board, if there is a game.

    What is played by must be `balanced`, what is only rewritten need not be.
    """
    from inarow.positional.dictionary.text import Dictionary

    return Dictionary.read(path, None if game is None else game.cells, balanced=balanced)


def read_or_builtin(path: Path | None, game: Game) -> tuple[Dictionary, str]:
    """The dictionary in a file, or without one that which comes with inarow; and what to call it."""
    if path is not None:
        return read(path, game), path.name
    from inarow.positional.dictionary.shipped import builtin_dictionary

    return builtin_dictionary(game), f"inarow's own dictionary for {game.name}"


# --- Words ---


def describe(game: Game) -> str:
    rule = "maker-breaker" if game.maker_breaker else "maker-maker"
    return f"{game.name}, {counted(game.cells, 'cell')}, {counted(len(game.lines), 'line')}, {rule}"


def counted(number: int, what: str) -> str:
    """As in "1 line" and "2,929 lines"."""
    return f"{number:,} {what if number == 1 else {'ply': 'plies'}.get(what, f'{what}s')}"


def tell_compression(lines_in: int, found: Compression) -> None:
    """A summary that does not get in the way of the lines."""
    proven = (
        "there cannot be fewer" if found.optimal else f"there are at least {found.lower_bound:,} in any case"
    )
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


# --- Progress ---


@contextmanager
def counting(what: str) -> Iterator[Callable[[int, int], None]]:
    """A function to call with the positions and the plies so far, of nobody knows how many: tells them on a
    terminal if it takes long."""
    if not sys.stderr.isatty():
        yield lambda positions, plies: None
        return

    from rich.console import Console

    began = time.monotonic()
    status = Console(stderr=True).status(what)

    def report(positions: int, plies: int) -> None:
        if time.monotonic() - began > _PATIENCE:
            status.start()
            status.update(f"{what}: {counted(positions, 'position')}, {counted(plies, 'ply')}")

    try:
        yield report
    finally:
        status.stop()


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
    """Compress positions, and put the lines where they belong."""
    from inarow.positional.dictionary.compress import compress
    from inarow.positional.dictionary.text import Dictionary

    with progress("compressing") as report:
        found = compress(entries, game.symmetries(symmetry.value), method.value, time_limit, report)
    put(Dictionary(game.cells, found.lines), out, as_json)
    return found


def put(dictionary: Dictionary, out: Path | None, as_json: bool) -> None:
    """Write the lines to a file or on stdout, which belongs to the summary if that is to be JSON."""
    if out is not None:
        dictionary.write(out)
    elif not as_json:
        sys.stdout.write(dictionary.text())
