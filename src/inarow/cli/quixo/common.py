"""What the commands share about Quixo: rules and tables from options, boards and values for people to read.

Imports of this module's parts of the library are inside the functions: `inarow --help` needs none of them.
"""

from __future__ import annotations

from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, cast

from inarow.cli import options
from inarow.cli.console import progress, tell
from inarow.errors import DamagedFile, InarowError, MissingTable, WrongTable

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from rich.table import Table as RichTable
    from rich.text import Text

    from inarow.quixo.probe import MoveProbe, Probe
    from inarow.quixo.prober import Prober
    from inarow.quixo.rules import DoubleLine, Position, Quixo
    from inarow.quixo.table.table import Table
    from inarow.values import Value

STYLES: dict[str | None, str] = {"win": "green", "draw": "yellow", "loss": "red", None: "dim"}
_MARK_STYLES = {"x": "bold bright_blue", "o": "bold bright_red", ".": "dim"}


# --- Rules, positions and tables ---


def rules_of(size: int, line: int | None, double_line: str | None) -> Quixo:
    from inarow.quixo.rules import Quixo

    try:
        return Quixo(size, line, cast("DoubleLine", double_line or "loses"))
    except ValueError as error:
        # The library names its parameters; a person knows them as options.
        raise InarowError(str(error).replace("double_line", "double-line")) from None


def describe(rules: Quixo) -> str:
    from inarow.quixo.table.pair_file import describe

    return describe(rules)


class Tables:
    """The rules, positions and probers that the options of a command stand for."""

    def __init__(self, folder: Path | None, line: int | None, double_line: str | None) -> None:
        self._folder = folder
        self._line = line
        self._double_line = double_line
        self._open: dict[Quixo, Prober] = {}
        self._given: Table | None = None

    def begin(self, text: str | None, size: int | None) -> Position:
        """A position; without one, the start of the game of this size, or of the table's if there is one."""
        if text is not None:
            position = self.parse(text)
            if size not in (None, position.rules.size):
                raise InarowError(
                    f"the position has a board of size {position.rules.size}, but --size is {size}"
                )
            return position
        if size is None and self._folder is not None:
            return self._given_table(None).rules.start()
        return self._rules(options.DEFAULT_SIZE if size is None else size).start()

    def parse(self, text: str) -> Position:
        from inarow.errors import NotationError
        from inarow.quixo.rules import Position

        try:
            # Whatever the rules, the text tells the size of the board.
            size = Position.parse(text).rules.size
        except NotationError as error:
            raise InarowError(str(error)) from None
        return self._rules(size).parse(text)

    def of(self, rules: Quixo) -> Prober:
        """The prober of these rules, with the table that was given; the user's own is made if need be."""
        if rules not in self._open:
            self._open[rules] = _prober(rules, () if self._folder is None else [self._given_table(rules)])
        return self._open[rules]

    def _rules(self, size: int) -> Quixo:
        if self._folder is None:
            return rules_of(size, self._line, self._double_line)
        rules = self._given_table(None, size).rules
        if rules.size != size:
            raise WrongTable(
                f"{self._folder} is a table of {describe(rules)}; the board asked for has size {size}"
            )
        return rules

    def _given_table(self, rules: Quixo | None, size: int | None = None) -> Table:
        assert self._folder is not None
        if self._given is None:
            table = open_table(self._folder, rules, size)
            found = table.rules
            wanted = rules_of(
                found.size,
                found.line if self._line is None else self._line,
                found.double_line if self._double_line is None else self._double_line,
            )
            if wanted != found:
                raise WrongTable(f"{self._folder} is a table of {describe(found)}, not of {describe(wanted)}")
            self._given = table
        return self._given


def open_table(folder: Path, rules: Quixo | None = None, size: int | None = None) -> Table:
    """Open a table; if it cannot be, say which command makes one."""
    from inarow.quixo.table.table import open_table

    with repair_hints(folder, rules, size):
        return open_table(folder)


@contextmanager
def repair_hints(folder: Path, rules: Quixo | None = None, size: int | None = None) -> Iterator[None]:
    """Adds to errors about a table the command that makes it."""
    from inarow.quixo.table.manifest import NAME, Manifest
    from inarow.quixo.table.table import make_command, solve_command

    try:
        yield
    except (MissingTable, DamagedFile) as error:
        # Messages that name the command already are left alone.
        named = "inarow solve" in str(error) or "inarow convert" in str(error)
        if not named and not getattr(error, "__notes__", ()):
            command = f"inarow solve quixo --size {size or 'N'} --out {folder}"
            advice = "Make it"
            if (folder / NAME).exists():
                advice = "Remove the folder and make it anew"
                # With a sound manifest, solving again goes on from what is there and mends what is not.
                with suppress(DamagedFile):
                    command = make_command(Manifest.load(folder), folder)
                    advice = "Complete or repair it"
            elif rules is not None:
                command = solve_command(rules, folder)
            error.add_note(f"{advice} with: {command}")
        raise


def _prober(rules: Quixo, tables: Sequence[Table]) -> Prober:
    from inarow.quixo.prober import QUICK_CELLS, open_prober
    from inarow.quixo.solver.solve import user_table
    from inarow.quixo.table.manifest import NAME

    folder = tables[0].path if tables else user_table(rules)
    if not tables and rules.cells <= QUICK_CELLS and not (folder / NAME).exists():
        tell(f"Solving {describe(rules)} once, into {folder}")
    with repair_hints(folder, rules), progress("solving") as report:
        return open_prober(rules, tables, progress=report)


# --- Words ---


def plies_text(plies: int) -> str:
    return f"{plies} ply" if plies == 1 else f"{plies} plies"


def outcome_text(value: Value | None, plies: int | None) -> str:
    """As in "win in 21"."""
    known = value or "not known"
    return known if plies is None else f"{known} in {plies}"


def position_text(probe: Probe) -> str:
    """What becomes of a position with best play, as a sentence."""
    position = probe.position
    winner, turn = position.winner, position.turn.upper()
    if winner is not None:
        return f"The game is over: {winner.upper()} has won."
    if probe.value is None:
        return f"{turn} to move: nobody knows. Here {probe.reason}."
    if probe.value == "draw":
        return f"{turn} to move: a draw. Neither side can force a line, and best play never ends."
    verb = "wins" if probe.value == "win" else "loses"
    if probe.plies is None:
        return f"{turn} to move {verb}. In how many plies is not known: {probe.reason}."
    return f"{turn} to move {verb} in {plies_text(probe.plies)}."


def source_text(probe: Probe) -> str | None:
    """Where it is known from, if not from a table."""
    said = {
        "table": None,
        "book": "From the book.",
        "search": "By search.",
        "results": "From the results that come with inarow.",
    }
    return None if probe.position.terminal else said[probe.source]


def start_text(value: Value, plies: int | None) -> str:
    """What becomes of the game with best play, as a sentence."""
    if value == "draw":
        return "The game is a draw: neither player can force a line."
    winner = "first" if value == "win" else "second"
    return f"The {winner} player wins{'' if plies is None else f' in {plies_text(plies)}'}."


# --- Drawings ---


def board(position: Position, title: str = "") -> Text:
    """The board alone, under a title if there is one."""
    from rich.text import Text

    size = position.rules.size
    text = Text()
    if title:
        text.append(f" {title}\n", "bold")
    rows = position.ascii().splitlines()
    for row in rows[:size]:
        text.append(row[:4], "dim")
        for char in row[4:]:
            text.append(char, _MARK_STYLES.get(char, "yellow"))
        text.append("\n")
    text.append(rows[size], "dim")
    return text


def moves_table(moves: Iterable[MoveProbe]) -> RichTable:
    """Moves best first, those of equal worth together."""
    from itertools import groupby

    from rich.box import SIMPLE_HEAD
    from rich.table import Table
    from rich.text import Text

    table = Table(box=SIMPLE_HEAD, pad_edge=False)
    table.add_column("value", no_wrap=True)
    table.add_column("moves", overflow="fold")
    for (value, plies), group in groupby(moves, key=lambda move: (move.value, move.plies)):
        texts = " ".join(move.move.text(move.position.rules.size) for move in group)
        table.add_row(Text(outcome_text(value, plies), STYLES[value]), texts)
    return table
