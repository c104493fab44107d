"""Tables, positions and probers, as the options of a command ask for them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from inarow.cli.console import progress, tell
from inarow.cli.quixo.options import DEFAULT_SIZE, rules_of
from inarow.errors import DamagedFile, InarowError, MissingTable, NotationError
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.solve import user_table
from inarow.quixo.table.manifest import NAME, Manifest
from inarow.quixo.table.table import Table, make_command, solve_command


class Lookup:
    """Looks positions up with the table of --table, under the rules of --line and --double-line.

    Where these are not given, the table says what the rules are.
    """

    def __init__(self, folder: Path | None, line: int | None, double_line: str | None) -> None:
        self._folder = folder
        self._line = line
        self._double_line = double_line
        self._table: Table | None = None
        self._probers: dict[Quixo, Prober] = {}

    def begin(self, text: str | None, size: int | None) -> Position:
        """A position; without one, the start of the game of this size, or of the table's if there is one."""
        if text is not None:
            position = self.parse(text)
            rules = position.rules
            if size is not None and not (size == rules.rows == rules.columns):
                raise InarowError(f"the position has a board of {rules.size_text}, but --size is {size}")
            return position
        return self._rules(size).start()

    def parse(self, text: str) -> Position:
        try:
            # Whatever the rules, the text shows the size of the board.
            return self._rules(Position.parse(text).rules.rows).parse(text)
        except NotationError as error:
            raise InarowError(str(error)) from None

    def prober(self, rules: Quixo) -> Prober:
        """The prober for these rules."""
        if rules not in self._probers:
            self._probers[rules] = self._open(rules)
        return self._probers[rules]

    def _rules(self, size: int | None) -> Quixo:
        if self._folder is None:
            return rules_of(size or DEFAULT_SIZE, self._line, self._double_line)
        found = self._given_table(size).rules
        if size not in (None, found.rows):
            return rules_of(size, self._line, self._double_line)
        return rules_of(found.rows, self._line or found.line, self._double_line or found.double_line)

    def _open(self, rules: Quixo) -> Prober:
        with progress("solving") as show:
            told = False

            def report(done: int, total: int) -> None:
                nonlocal told
                if not told:
                    told = True
                    tell(f"Solving {rules} once, into {user_table(rules)}")
                show(done, total)

            with repair_hints(self._folder or user_table(rules), rules):
                tables = () if self._folder is None else (self._given_table(rules.rows),)
                return open_prober(rules, tables, progress=report)

    def _given_table(self, size: int | None) -> Table:
        assert self._folder is not None
        if self._table is None:
            self._table = open_table(self._folder, size)
        return self._table


def open_table(folder: Path, size: int | None = None) -> Table:
    """Open a table; if that fails, say which command makes one."""
    with repair_hints(folder, size=size):
        return Table(folder)


@contextmanager
def repair_hints(folder: Path, rules: Quixo | None = None, size: int | None = None) -> Iterator[None]:
    """Adds to errors about a table the command that makes it."""
    try:
        yield
    except (MissingTable, DamagedFile) as error:
        # Messages that name the command already are left alone.
        named = "inarow quixo solve" in str(error) or "inarow quixo convert" in str(error)
        if not named and not getattr(error, "__notes__", ()):
            command = f"inarow quixo solve --size {size or 'N'} --out {folder}"
            advice = "Make it"
            if (folder / NAME).exists():
                advice = "Remove the folder and make it again"
                # With a sound manifest, solving again keeps what is there and repairs the rest.
                with suppress(DamagedFile):
                    command = make_command(Manifest.load(folder), folder)
                    advice = "Complete or repair it"
            elif rules is not None:
                command = solve_command(rules, folder)
            error.add_note(f"{advice} with: {command}")
        raise
