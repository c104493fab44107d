"""Remembers which pairs of a table were found right, so that an interrupted check can go on.

The file `verified.json` beside the table says so. Nothing rests on it but a check that goes on, and what
`inarow quixo info` tells.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from typing import Any

from inarow.verify.quixo.files import TableFiles, pairs_above

NAME = "verified.json"


@dataclass(frozen=True)
class Verified:
    """What is written down of an earlier check, as far as the table is still the same."""

    pairs: int
    complete: bool
    at: str  # when, in UTC
    draws_compared: bool

    def to_json(self) -> dict[str, Any]:
        return {
            "pairs": self.pairs,
            "complete": self.complete,
            "at": self.at,
            "draws_compared": self.draws_compared,
        }


def verified(path: str | os.PathLike[str]) -> Verified | None:
    """What an earlier check of this table found right; None if nothing is known.

    The manifest must be as it was then; the files are not read.
    """
    folder = Path(path)
    found = _read_record(folder)
    try:
        manifest = json.loads((folder / "manifest.json").read_bytes())
        listed = {(pair["a"], pair["b"]): pair for pair in manifest["pairs"]}
        rules = manifest["rules"]
        size = rules["rows"] if "rows" in rules else rules["size"]
        same = [(a, b) for (a, b), mark in found["pairs"].items() if _mark(size, listed, a, b) == mark]
    except (OSError, ValueError, KeyError, TypeError):
        return None
    if not same:
        return None
    complete = bool(found["complete"]) and len(same) == len(found["pairs"]) == len(listed)
    return Verified(len(same), complete, found["at"], bool(found["draws_compared"]))


class Record:
    """The pairs that were found right, in a file beside the table."""

    def __init__(self, table: TableFiles, enabled: bool, draws_compared: bool) -> None:
        self._table, self._enabled, self._draws_compared = table, enabled, draws_compared
        found = _read_record(table.folder) if enabled else _EMPTY
        # A check that was finished is done again when it is asked for.
        self._before = {} if found["complete"] else found["pairs"]
        self._pairs: dict[tuple[int, int], str] = {}

    def has(self, a: int, b: int) -> bool:
        """Whether a check that was interrupted found the pair right, and it has not changed since."""
        mark = _mark(self._table.size, self._table.listed, a, b)
        if self._before.get((a, b)) != mark or not self._table.is_as_written(a, b):
            return False
        self._pairs[a, b] = mark
        return True

    def add(self, a: int, b: int) -> None:
        # Of the compact form all checksums have been compared by now.
        if self._enabled and (self._table.compact or self._table.is_as_written(a, b)):
            self._pairs[a, b] = _mark(self._table.size, self._table.listed, a, b)
            self._save(complete=False)

    def finish(self) -> None:
        if self._enabled:
            self._save(complete=len(self._pairs) == len(self._table.pairs))

    def _save(self, complete: bool) -> None:
        data = {
            "format": "inarow-verified",
            "version": 1,
            "complete": complete,
            "at": datetime.now(UTC).isoformat(timespec="seconds"),
            "draws_compared": complete and self._draws_compared,
            "pairs": [{"a": a, "b": b, "sha256": mark} for (a, b), mark in self._pairs.items()],
        }
        path = self._table.folder / NAME
        written = path.with_name(f".{NAME}-{os.getpid()}")
        with suppress(OSError):  # a table can be checked where nothing can be written
            written.write_text(json.dumps(data, indent=1) + "\n", encoding="utf-8")
            written.replace(path)


_EMPTY: dict[str, Any] = {"complete": False, "at": "", "draws_compared": False, "pairs": {}}


def _read_record(folder: Path) -> dict[str, Any]:
    """What is written down, or nothing if that makes no sense."""
    try:
        data = json.loads((folder / NAME).read_text(encoding="utf-8"))
        if (data["format"], data["version"]) != ("inarow-verified", 1):
            return _EMPTY
        pairs = {(int(pair["a"]), int(pair["b"])): str(pair["sha256"]) for pair in data["pairs"]}
        return {
            "complete": bool(data["complete"]),
            "at": str(data["at"]),
            "draws_compared": bool(data["draws_compared"]),
            "pairs": pairs,
        }
    except (OSError, ValueError, KeyError, TypeError):
        return _EMPTY


def _mark(size: int, listed: Mapping[tuple[int, int], Any], a: int, b: int) -> str:
    """Stands for all that the check of a pair rests on: the digests and counts of it and of those above."""
    pairs = ((a, b), *pairs_above(size, a, b))
    text = json.dumps([listed[pair] for pair in pairs if pair], sort_keys=True)
    return sha256(text.encode()).hexdigest()
