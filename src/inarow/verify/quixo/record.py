"""The record of a check, `verified.json` in the table's folder: it lets an interrupted check resume.

The record is only a claim: anyone who can change the table can change the record. So it is read only when a
check is asked to resume, it binds each pair to the bytes that were checked, and what a check takes over from
it is reported as such.
"""

from __future__ import annotations

import json
import os
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, get_args

import inarow
from inarow.files import write_atomically
from inarow.verify.quixo.manifest import NAME as MANIFEST
from inarow.verify.quixo.manifest import listed_digest
from inarow.verify.quixo.rules import Pair
from inarow.verify.quixo.table_files import TableFiles
from inarow.verify.verdict import Verdict

NAME = "verified.json"
_FORMAT = {"format": "inarow-verified", "version": 2}


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
    found = _read(folder)
    try:
        manifest = json.loads((folder / MANIFEST).read_bytes())
        listed = {(pair["a"], pair["b"]): listed_digest(pair) for pair in manifest["pairs"]}
    except (OSError, ValueError, KeyError, TypeError):
        return None
    same = [pair for pair in found.pairs.values() if listed.get((pair.a, pair.b)) == pair.listed]
    if not same:
        return None
    verdict = found.verdict if len(same) == len(listed) else None
    last = max(same, key=lambda pair: pair.at)
    return Verified(len(same), verdict, last.at, last.inarow)


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
        before = _read(table.folder) if resume else _NOTHING
        # There is nothing to resume once all pairs were checked.
        self._before = (
            before.pairs if before.derived == derived and before.pairs.keys() < set(table.pairs) else {}
        )

    def has(self, a: int, b: int) -> bool:
        """Whether the pair was checked before: the same bytes, with the same bytes of the pairs above."""
        found = self._before.get((a, b))
        if found is None or found.listed != self._table.listed(a, b).digest:
            return False
        above = (pair for pair in self._table.rules.pairs_above(a, b) if pair)
        if any(pair not in self.remembered for pair in above):
            return False
        if found.content != self._table.content_digest(a, b):
            return False
        self._pairs[a, b] = self.remembered[a, b] = found
        return True

    def begin(self, a: int, b: int) -> None:
        """Digest a pair while it is being checked."""
        if self._keep:
            self._digests[a, b] = self._pool.submit(self._table.content_digest, a, b)

    def add(self, a: int, b: int) -> None:
        """Record a pair that was checked."""
        if self._keep:
            digests = self._table.listed(a, b).digest, self._digests.pop((a, b)).result()
            self._pairs[a, b] = RecordedPair(a, b, *digests, inarow.__version__, _now())
            self.save(None)

    def save(self, verdict: Verdict | None) -> None:
        """Write the pairs that were checked, and the verdict of a check that is finished without a fault.

        What an earlier check recorded is replaced.
        """
        if not self._keep:
            return
        pairs = [asdict(pair) for pair in self._pairs.values()]
        data = {**_FORMAT, "verdict": verdict, "derived": self._derived, "pairs": pairs}
        with suppress(OSError):  # a table can be checked where nothing can be written
            write_atomically(self._table.folder / NAME, [(json.dumps(data, indent=1) + "\n").encode()])


@dataclass(frozen=True)
class _Recorded:
    verdict: Verdict | None
    derived: bool
    pairs: dict[Pair, RecordedPair]


_NOTHING = _Recorded(None, False, {})


def _read(folder: Path) -> _Recorded:
    """The record, or an empty one if it is missing or makes no sense."""
    try:
        data = json.loads((folder / NAME).read_bytes())
        pairs = [RecordedPair(**pair) for pair in data["pairs"]]
        verdict, derived = data["verdict"], data["derived"]
        if any(data[key] != value for key, value in _FORMAT.items()):
            return _NOTHING
        if type(derived) is not bool or verdict not in (None, *get_args(Verdict)):
            return _NOTHING
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return _NOTHING
    for pair in pairs:
        numbers, texts = (pair.a, pair.b), (pair.listed, pair.content, pair.inarow, pair.at)
        if any(type(n) is not int for n in numbers) or any(type(text) is not str for text in texts):
            return _NOTHING
        if not all(text.isprintable() and len(text) <= 64 for text in texts):  # they are shown to people
            return _NOTHING
    return _Recorded(verdict, derived, {(pair.a, pair.b): pair for pair in pairs})


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
