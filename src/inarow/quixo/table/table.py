"""A tablebase opened for probing."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import Protocol, Self, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from inarow._native.quixo import TableReader
from inarow.errors import MissingTable, WrongTable
from inarow.quixo.probe import MoveProbe, Probe, best_first
from inarow.quixo.rules import Position, Quixo
from inarow.quixo.statistics import Statistics
from inarow.quixo.table.compact import CompactProber, open_plies, open_values
from inarow.quixo.table.manifest import Manifest, PairRecord
from inarow.quixo.table.pair_file import check_pair, open_pair
from inarow.values import Outcome, Value

_VALUES: dict[int, Value] = {1: "win", 0: "draw", -1: "loss"}
_MISSING, _INVALID = 2, 3
_NO_PLIES = "the table holds outcomes only, without plies"

Default = TypeVar("Default")


def open_table(path: str | Path) -> Table:
    """Open a tablebase; use it in a ``with`` statement, or close it."""
    return Table(Path(path))


class _Prober(Protocol):
    """What looks positions up in one form of tables or the other."""

    def probe(self, words: NDArray[np.uint64]) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Values, 2 where the pair is missing and 3 where a word is no position; plies, −1 if not known."""


class Table:
    """Values and plies of positions, read from a folder that `inarow.solve` wrote, in either form."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.manifest = Manifest.load(path)
        compact = self.manifest.form == "compact"
        self._prober: _Prober | None = CompactProber(path, self.manifest) if compact else self._plain_prober()

    def _plain_prober(self) -> TableReader:
        prober = TableReader(self.rules.native)
        for pair in self.manifest.pairs:
            prober.add(pair.a, pair.b, open_pair(self.path, self.rules, pair.a, pair.b, pair.sha256))
        return prober

    @property
    def rules(self) -> Quixo:
        return self.manifest.rules

    @property
    def statistics(self) -> Statistics:
        return self.manifest.statistics

    def close(self) -> None:
        self._prober = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def probe(self, position: Position) -> Probe:
        """The position's value, plies and moves, best first; `MissingTable` where the table has a gap."""
        if position.rules != self.rules:
            raise WrongTable(f"{self.path} is a table of {self.rules}; the position is of {position.rules}")
        moves = position.legal_moves()
        children = [position.play(move) for move in moves]
        words = [position.mover_word, *(child.mover_word for child in children)]
        here, *there = self._outcomes(np.array(words, np.uint64))
        probed = [MoveProbe.of(*found) for found in zip(moves, children, there, strict=True)]
        probed.sort(key=best_first)
        plies = here.plies
        if probed and probed[0].value == "win" and probed[0].plies == 1:
            plies = 1  # known even from a table without plies, as nothing is faster
        reason = _NO_PLIES if plies is None and here.value != "draw" else None
        return Probe(position, here.value, plies, tuple(probed), reason=reason)

    def get(self, position: Position, default: Default) -> Probe | Default:
        """Like `probe`, with a default in place of `MissingTable`."""
        try:
            return self.probe(position)
        except MissingTable:
            return default

    def probe_many(self, words: ArrayLike) -> tuple[NDArray[np.int8], NDArray[np.int32]]:
        """Values (1 win, 0 draw, −1 loss) and plies (−1 for a draw, or if not known) of many positions.

        A position is a 64-bit word, as `Position.mover_word` gives it: the marks of the side to move in
        the upper half, the other's in the lower.
        """
        if self._prober is None:
            raise ValueError(f"the table in {self.path} is closed")
        array = np.ascontiguousarray(words, np.uint64)
        values, plies = self._prober.probe(array.ravel())
        if np.any(values == _INVALID):
            first = int(np.argmax(values == _INVALID))
            raise ValueError(
                f"word {first} (0x{int(array.ravel()[first]):016x}) is not a position of this board"
            )
        if np.any(values == _MISSING):
            word = int(array.ravel()[int(np.argmax(values == _MISSING))])
            marks = (word >> 32).bit_count(), (word & 0xFFFFFFFF).bit_count()
            raise MissingTable(
                f"the table in {self.path} is not complete: "
                f"it lacks the pair {{{max(marks)}, {min(marks)}}}.\n"
                f"Complete it with: {make_command(self.manifest, self.path)}"
            )
        return values.reshape(array.shape), plies.reshape(array.shape)

    def line(self, position: Position) -> Iterator[MoveProbe]:
        """Optimal play from here to the end: the winner takes the shortest way, the loser the longest.

        A drawn position has no end, and gives no moves; nor does one whose plies the table does not have.
        """
        probe = self.probe(position)
        while probe.plies is not None and probe.moves:
            best = probe.moves[0]
            yield best
            probe = self.probe(best.position)

    def check(self) -> Iterator[tuple[int, int]]:
        """Compare every file with its checksum: yields each pair that is good, raises `DamagedFile`."""
        for pair in self.manifest.pairs:
            check_files(self.path, self.manifest, pair)
            yield pair.a, pair.b

    def _outcomes(self, words: NDArray[np.uint64]) -> list[Outcome]:
        values, plies = self.probe_many(words)
        return [
            Outcome(_VALUES[value], None if count < 0 else count)
            for value, count in zip(values.tolist(), plies.tolist(), strict=True)
        ]


def check_files(folder: Path, manifest: Manifest, pair: PairRecord) -> None:
    """Compare the files of a pair with their checksums: raises `DamagedFile`."""
    if manifest.form == "plain":
        check_pair(folder, manifest.rules, pair.a, pair.b, pair.sha256)
        return
    open_values(folder, manifest.rules, pair).check()
    if manifest.plies:
        open_plies(folder, manifest.rules, pair).check()


def solve_command(rules: Quixo, path: Path) -> str:
    """The command that makes a table of these rules."""
    options = f"--size {rules.rows}" if rules.is_square else f"--size {rules.rows}x{rules.columns}"
    if rules.line != max(rules.rows, rules.columns):
        options += f" --line {rules.line}"
    if rules.double_line != "loses":
        options += f" --double-line {rules.double_line}"
    return f"inarow quixo solve {options} --out {path}"


def make_command(manifest: Manifest, path: Path) -> str:
    """The command that makes a table like this one, or completes it."""
    if manifest.form == "compact" and manifest.plies:
        return f"inarow quixo convert TABLE {path}"
    return solve_command(manifest.rules, path) + ("" if manifest.plies else " --outcomes-only")
