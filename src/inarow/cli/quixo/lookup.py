"""Tables, positions and probers, as the options of a command ask for them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from inarow.cli.console import progress, tell
from inarow.cli.options import expanded
from inarow.cli.quixo import options
from inarow.cli.quixo.options import DEFAULT_SIZE, parse_size, repair_hints, rules_of, variant_of
from inarow.errors import InarowError, MissingTable, NotationError, WrongTable
from inarow.quixo.prober import Prober, open_prober
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.solver.plan import QUICK_CELLS
from inarow.quixo.solver.user_table import open_user_table, user_table
from inarow.quixo.table.location import Location, parse_location, solve_command
from inarow.quixo.table.table import Table

_R = TypeVar("_R")


class Lookup:
    """Looks positions up with the table of --table, under the rules that the options name.

    What the options leave open, the table decides.
    """

    def __init__(
        self,
        table: str | None = None,
        size: str | None = None,
        line: int | None = None,
        double_line: str | None = None,
        **named: bool | None,
    ) -> None:
        self.location = None if table is None else parse_location(table)
        self._size = size
        self._line = line
        self._double_line = double_line
        self._variant = variant_of(named)
        self.otherwise: Quixo | None = None  # what the options leave open, where there is no table
        self._table: Table | None = None
        self._probers: dict[Quixo, Prober] = {}

    @property
    def rules(self) -> Quixo:
        """Those of a game from its start."""
        return self._rules(None if self._size is None else parse_size(self._size))

    def begin(self, text: str | None) -> Position:
        """The position of a text, or the start of the game on a board of --size."""
        if text is None:
            return self.rules.start()
        position = self.parse(text)
        if self._size and parse_size(self._size) != (position.rules.rows, position.rules.columns):
            board = position.rules.size_text
            raise InarowError(f"the position has a board of {board}, but --size is {self._size}")
        return position

    def parse(self, text: str) -> Position:
        try:
            # Whatever the rules, the text shows the shape of the board.
            shape = Position.parse(text).rules
            return self._rules((shape.rows, shape.columns)).parse(text)
        except NotationError as error:
            raise InarowError(str(error)) from None

    def table(self, rules: Quixo | None = None) -> Table:
        """The table of --table; without it the user's own, solved first if need be."""
        rules = rules or self.rules
        if self._table is not None:
            if self._table.rules != rules:
                raise WrongTable(f"{self._table.path} is a table of {self._table.rules}, not of {rules}")
            return self._table
        rules.require_solvable()
        if rules.cells > QUICK_CELLS:
            error = MissingTable(f"there is no table of {rules}: name one with --table")
            error.add_note(f"Make it with: {solve_command(rules, 'DIR')}")
            raise error
        own_table = user_table(rules)
        with repair_hints(own_table, rules), _solving(rules, own_table) as report:
            return open_user_table(rules, report)

    def prober(self, rules: Quixo) -> Prober:
        """The prober for these rules; boards that are small enough are solved for it, once."""
        if rules not in self._probers:
            own_table = user_table(rules)
            tables = () if self._table is None else (self._table,)
            with repair_hints(self.location or own_table, rules), _solving(rules, own_table) as report:
                self._probers[rules] = open_prober(rules, tables, progress=report)
        return self._probers[rules]

    def _rules(self, board: tuple[int, int] | None) -> Quixo:
        line, double_line, variant = self._line, self._double_line, self._variant
        found = self.otherwise
        if self.location is not None:
            if self._table is None:
                wanted = None if board is None else rules_of(*board, line, double_line, variant)
                self._table = open_table(self.location, wanted)
            found = self._table.rules
        if found is None or board not in (None, (found.rows, found.columns)):
            return rules_of(*(board or parse_size(DEFAULT_SIZE)), line, double_line, variant)
        more = {**found.variant, **variant}
        return rules_of(found.rows, found.columns, line or found.line, double_line or found.double_line, more)


def with_lookup(size: bool = True) -> Callable[[Callable[..., _R]], Callable[..., _R]]:
    """The command with options for a game and its table, which it gets as `lookup`."""
    board = {"size": (options.PositionSizeOption, None)} if size else {}
    given = {**board, **options.RULES_OPTIONS, "table": (options.TableOption, None)}
    return lambda command: expanded(command, "lookup", given, Lookup)


@contextmanager
def _solving(rules: Quixo, folder: Path) -> Iterator[Callable[[int, int], None]]:
    """Progress of solving a game for the user's own table, if that happens at all."""
    told = False
    with progress("solving") as show:

        def report(done: int, total: int) -> None:
            nonlocal told
            if not told:
                tell(f"Solving {rules} once, into {folder}")
                told = True
            show(done, total)

        yield report


def open_table(location: Location, rules: Quixo | None = None) -> Table:
    """Open a table; if that fails, say which command makes one."""
    with repair_hints(location, rules):
        return Table(location)
