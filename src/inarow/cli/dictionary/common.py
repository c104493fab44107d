"""What the commands on dictionaries share: options, reading games and files, writing lines."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Annotated, Any, TypeVar

import typer

from inarow.cli.console import activity, print_json, progress, require_folder, tell
from inarow.cli.options import parse_memory, parse_path
from inarow.errors import InarowError
from inarow.positional.dictionary import compress as compression
from inarow.positional.dictionary.compress import Answers, Compression, Method
from inarow.positional.dictionary.shipped import shipped_dictionary
from inarow.positional.dictionary.text import Dictionary, Entry, read_text
from inarow.positional.rules import Game
from inarow.symmetry import SymmetryKind
from inarow.words import counted

Found = TypeVar("Found")


def _parse_out(text: str) -> Path:
    """A file to write to: its folder must exist before the work begins."""
    path = parse_path(text)
    require_folder(path.parent)
    return path


FileArgument = Annotated[
    Path, typer.Argument(metavar="FILE", parser=parse_path, help="A dictionary, in either notation.")
]
_OWN = "A dictionary, in either notation; by default the one shipped with inarow."
OptionalFileArgument = Annotated[Path | None, typer.Argument(metavar="FILE", parser=parse_path, help=_OWN)]
GameOption = Annotated[
    str, typer.Option("--game", "-g", metavar="GAME", help="qubic, mnk:WxHxK or polyomino:NAME:SIDE.")
]
# Patashnik's notation omits the empty cells at the end, and so does not give the size of the board.
_BOARD = "The game, for files in Patashnik's notation; by default qubic."
BoardOption = Annotated[str | None, typer.Option("--game", "-g", metavar="GAME", help=_BOARD)]
_RULE = (
    "Whether O only blocks, or makes lines too; by default, polyominoes are maker-breaker and other games "
    "maker-maker."
)
MakerBreakerOption = Annotated[bool | None, typer.Option("--maker-breaker/--maker-maker", help=_RULE)]
_SAME = (
    "Which positions count as equal: only identical ones, rotations and reflections of the board, or images "
    "under any symmetry of the lines."
)
SymmetryOption = Annotated[SymmetryKind, typer.Option("--symmetry", "-s", help=_SAME)]
_ASSISTED = "The player also completes lines, blocks O's, and forces wins by threats on its own."
AssistedOption = Annotated[bool, typer.Option("--assisted", help=_ASSISTED)]
_METHOD = "Fast and nearly optimal, or the fewest lines with a proof."
MethodOption = Annotated[Method, typer.Option("--method", help=_METHOD)]
_TIME = "Seconds to look for the fewest lines; by default no limit."
TimeLimitOption = Annotated[float | None, typer.Option("--time-limit", metavar="S", min=0, help=_TIME)]
_MEMORY = "Memory for positions that the search keeps, as in 18G or 500M."
SearchMemoryOption = Annotated[
    int, typer.Option("--memory", metavar="SIZE", parser=parse_memory, show_default="4G", help=_MEMORY)
]
_OUT = "Write the lines to a file, not to stdout."
OutOption = Annotated[Path | None, typer.Option("--out", "-o", metavar="FILE", parser=_parse_out, help=_OUT)]
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


def opened(file: Path | None, game: Game) -> tuple[str, Dictionary, str]:
    """The text of a dictionary, by default inarow's own; what is in it; and what to call it."""
    if file is None:
        text, name = shipped_dictionary(game).text(), f"inarow's own dictionary for {game.name}"
    else:
        text, name = read_text(file), file.name
    return text, Dictionary.parse(text, game.cells, path=file), name


def rolled_out(roll_out: Callable[..., Found], *what: object, **options: object) -> Found:
    """What a roll-out finds, while its progress is shown."""
    with activity("rolling out") as report:
        return roll_out(
            *what,
            progress=lambda done, plies: report(f"{counted(done, 'position')}, {counted(plies, 'ply')}"),
            **options,
        )


# --- Output ---


def write(dictionary: Dictionary, out: Path | None, as_json: bool) -> None:
    """Write the lines to a file, or to stdout unless a JSON summary is printed there."""
    if out is not None:
        dictionary.write(out)
    elif not as_json:
        sys.stdout.write(dictionary.text())


def summarise(as_json: bool, words: str, **numbers: Any) -> None:
    """Print a summary as JSON, or in words to stderr."""
    if as_json:
        print_json(numbers)
    else:
        tell(words)


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
    symmetries = game.symmetries(symmetry)
    with progress("compressing") as report:
        found = compression.compress(entries, symmetries, method, time_limit, report, answers=answers)
    write(Dictionary(game.cells, found.lines), out, as_json)
    return found


def summarise_compression(lines_in: int, found: Compression, as_json: bool, **more: Any) -> None:
    """Print a summary, with `more` of it as JSON."""
    proven = "no fewer suffice" if found.optimal else f"at least {found.lower_bound:,} are needed"
    summarise(
        as_json,
        f"{counted(lines_in, 'line')}, {counted(found.positions, 'position')}: "
        f"now {counted(len(found.lines), 'line')}; {proven} ({found.seconds:.2f} s)",
        lines_in=lines_in,
        positions=found.positions,
        lines_out=len(found.lines),
        lower_bound=found.lower_bound,
        optimal=found.optimal,
        seconds=round(found.seconds, 3),
        **more,
    )


def rewrite(
    file: Path, game: str | None, out: Path | None, as_json: bool, change: Callable[[Dictionary], Dictionary]
) -> None:
    """Write a dictionary in another form, and a summary."""
    before = Dictionary.read(file, None if game is None else game_of(game, None).cells, balanced=False)
    after = change(before)
    write(after, out, as_json)
    lines_in, positions = len(before.lines), sum(line.options.bit_count() or 1 for line in after.lines)
    lines_out = positions if after.format == "patashnik" else len(after.lines)
    if as_json or out is not None:
        words = f"{counted(lines_in, 'line')}, {counted(positions, 'position')}: "
        words += f"{counted(lines_out, 'line')} written to {out}"
        summarise(as_json, words, lines_in=lines_in, positions=positions, lines_out=lines_out)
