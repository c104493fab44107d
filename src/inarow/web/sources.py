"""Where positions of Quixo are looked up: tables that were given, the user's own, or else the book."""

from __future__ import annotations

from collections.abc import Iterable
from threading import Lock

from inarow.quixo.prober import Bookworm, Prober
from inarow.quixo.rules import Quixo
from inarow.quixo.solver.cpu import QUICK_SIZE
from inarow.quixo.solver.solve import ensure_table
from inarow.quixo.table.table import Table, open_table


class Sources:
    """What to look into, by the rules. Tables of small boards are solved when first asked for, each once."""

    def __init__(self, given: Iterable[Table] = ()) -> None:
        self._tables = {table.rules: table for table in given}
        self._books: dict[Quixo, Bookworm] = {}
        self._lock = Lock()
        self._making: dict[Quixo, Lock] = {}

    def table(self, rules: Quixo) -> Table | None:
        """The table if it is open already: then it answers at once."""
        return self._tables.get(rules)

    def searches(self, rules: Quixo) -> bool:
        """Whether there is no table and will be none, so that an answer may take a second."""
        return rules.size > QUICK_SIZE and rules not in self._tables

    def of(self, rules: Quixo) -> Prober:
        """The table, which may have to be solved first; the book and a search where it cannot be."""
        if self.searches(rules):
            return self._books.setdefault(rules, Bookworm(rules))
        if rules not in self._tables:
            with self._lock:
                making = self._making.setdefault(rules, Lock())
            with making:
                if rules not in self._tables:
                    self._tables[rules] = open_table(ensure_table(rules))
        return self._tables[rules]

    def close(self) -> None:
        """Close all tables."""
        for table in self._tables.values():
            table.close()
        self._tables.clear()

    @property
    def rules(self) -> list[Quixo]:
        """The rules of which a table is open."""
        return sorted(self._tables, key=lambda rules: (rules.size, rules.line, rules.double_line))
