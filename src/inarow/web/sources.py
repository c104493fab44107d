"""Where positions of Quixo are looked up: tables that were given, and the user's own."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

from inarow.errors import MissingTable
from inarow.games.quixo import Quixo
from inarow.solve.cpu import MAX_SIZE
from inarow.solve.quixo import ensure_table
from inarow.tables.pair_file import describe
from inarow.tables.table import Table, open_table


class Sources:
    """Tables by their rules. Those of small boards are solved when first asked for, each once."""

    def __init__(self, given: Iterable[Table] = ()) -> None:
        self._open = {table.rules: table for table in given}
        self._lock = Lock()
        self._making: dict[Quixo, Lock] = {}

    def ready(self, rules: Quixo) -> Table | None:
        """The table if it is open already: then it answers at once."""
        return self._open.get(rules)

    def of(self, rules: Quixo) -> Table:
        """The table, which may have to be solved first; `MissingTable` if the board is too large for that."""
        if rules not in self._open:
            if rules.size > MAX_SIZE:
                raise MissingTable(
                    f"there is no table of {describe(rules)} here: start the server with one, "
                    "inarow serve --table DIR"
                )
            with self._lock:
                making = self._making.setdefault(rules, Lock())
            with making:
                if rules not in self._open:
                    self._open[rules] = open_table(ensure_table(rules))
        return self._open[rules]

    def close(self) -> None:
        """Close all tables."""
        for table in self._open.values():
            table.close()
        self._open.clear()

    @property
    def rules(self) -> list[Quixo]:
        """The rules of which a table is open."""
        return sorted(self._open, key=lambda rules: (rules.size, rules.line, rules.double_line))
