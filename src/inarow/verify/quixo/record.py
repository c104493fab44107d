"""The record of a check, `verified.json` in the table's folder: it lets an interrupted check resume.

Anyone who can change the table can change the record. So it is read only when a check is asked to resume, it
binds each pair to the bytes that were checked, and what a check takes over from it is reported as such.
"""

from __future__ import annotations

import json
import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, TypeAlias, get_args

import inarow
from inarow.errors import DamagedFile, InarowError
from inarow.files import write_atomically
from inarow.verify.quixo.manifest import Manifest
from inarow.verify.quixo.reading import fields, read_json
from inarow.verify.quixo.rules import Pair
from inarow.verify.quixo.table_files import TableFiles
from inarow.verify.verdict import Verdict

NAME = "verified.json"
_MOST_BYTES = 1 << 20  # that of the largest table has a tenth of it
_FORMAT = ["inarow-verified", 2]


@dataclass(frozen=True)
class RecordedPair:
    """A pair that was checked, and found to follow from the pairs above it."""

    a: int
    b: int
    listed: str  # SHA-256 of the manifest's object of the pair
    content: str  # SHA-256 of the bytes of its files
    inarow: str  # the version that checked it
    at: str  # when, in UTC


@dataclass(frozen=True)
class Verified:
    """What the record says of the table whose manifest is there now. The files are not read."""

    pairs: int
    verdict: Verdict | None  # None if the check was not finished, or the table has changed since
    at: str  # when, in UTC
    inarow: str  # the version that checked

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def verified(path: str | os.PathLike[str]) -> Verified | None:
    """What the record of an earlier check says of this table; None if there is none."""
    folder = Path(path)
    verdict, _, pairs = _read(folder)
    try:
        listed = Manifest.load(folder).pairs
    except (OSError, InarowError):
        return None
    same = [pairs[pair] for pair in listed if pair in pairs and pairs[pair].listed == listed[pair].digest]
    if not same:
        return None
    last = max(same, key=lambda pair: pair.at)
    return Verified(len(same), verdict if len(same) == len(listed) else None, last.at, last.inarow)


class Record:
    """Which pairs of a table are checked, kept in its folder if `keep` is set.

    With `resume`, pairs that an unfinished check recorded are taken over as long as nothing they depend on
    has changed. `derived` says whether wins and losses without plies are derived from the end of the game.
    """

    def __init__(self, table: TableFiles, *, keep: bool, resume: bool, derived: bool) -> None:
        self._table, self._keep, self._derived = table, keep or resume, derived
        self._pairs: dict[Pair, RecordedPair] = {}
        self.remembered: dict[Pair, RecordedPair] = {}
        self._pool = ThreadPoolExecutor(1)
        self._digests: dict[Pair, Future[str]] = {}
        _, derived_before, before = _read(table.folder) if resume else _NOTHING
        # There is nothing to resume once all pairs were checked.
        self._before = before if derived_before == derived and before.keys() < set(table.pairs) else {}

    def has(self, pair: Pair) -> bool:
        """Whether the pair was checked before: the same bytes, with the same bytes of the pairs above."""
        found = self._before.get(pair)
        if (
            found is None
            or found.listed != self._table.manifest.pairs[pair].digest
            or any(above and above not in self.remembered for above in self._table.rules.pairs_above(pair))
            or found.content != self._table.content_digest(pair)
        ):
            return False
        self._pairs[pair] = self.remembered[pair] = found
        return True

    def begin(self, pair: Pair) -> None:
        """Digest a pair while it is being checked."""
        if self._keep:
            self._digests[pair] = self._pool.submit(self._table.content_digest, pair)

    def add(self, pair: Pair) -> None:
        """Record a pair that was checked."""
        if self._keep:
            digests = self._table.manifest.pairs[pair].digest, self._digests.pop(pair).result()
            now = datetime.now(UTC).isoformat(timespec="seconds")
            self._pairs[pair] = RecordedPair(*pair, *digests, inarow.__version__, now)
            self.save(None)

    def save(self, verdict: Verdict | None) -> None:
        """Replace the record: the pairs that were checked, and the verdict if there was no fault."""
        if not self._keep:
            return
        says = {"format": _FORMAT[0], "version": _FORMAT[1], "verdict": verdict, "derived": self._derived}
        data = {**says, "pairs": [asdict(pair) for pair in self._pairs.values()]}
        with suppress(OSError):  # a table can be checked where nothing can be written
            write_atomically(self._table.folder / NAME, [(json.dumps(data, indent=1) + "\n").encode()])


_Recorded: TypeAlias = tuple[Verdict | None, bool, dict[Pair, RecordedPair]]
_NOTHING: _Recorded = None, False, {}


def _read(folder: Path) -> _Recorded:
    """The verdict, whether wins were derived, and the pairs; nothing if it is missing or makes no sense."""
    try:
        data = read_json(folder / NAME, _MOST_BYTES)
        *form, derived, pairs = fields(data, NAME, format=str, version=int, derived=bool, pairs=list)
        texts = dict.fromkeys(("listed", "content", "inarow", "at"), str)
        found = [RecordedPair(*fields(pair, NAME, a=int, b=int, **texts)) for pair in pairs]
        shown = [text for pair in found for text in (pair.listed, pair.content, pair.inarow, pair.at)]
        if form != _FORMAT or data.get("verdict") not in (None, *get_args(Verdict)):
            raise DamagedFile(f"{NAME}: another format")
        if not all(text.isprintable() and len(text) <= 64 for text in shown):
            raise DamagedFile(f"{NAME}: texts that cannot be shown")
    except (OSError, InarowError):
        return _NOTHING
    return data.get("verdict"), derived, {(pair.a, pair.b): pair for pair in found}
