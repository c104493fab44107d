"""Reads files that may hold anything: nothing is believed of them, neither their kind nor their length."""

from __future__ import annotations

import json
from pathlib import Path
from typing import IO, Any, TypeVar

from inarow.errors import DamagedFile

T = TypeVar("T")


def open_regular(path: Path) -> IO[bytes]:
    """Open a file, but nothing that might never end, such as a pipe."""
    if path.exists() and not path.is_file():
        raise DamagedFile(f"{path} is not a regular file")
    return path.open("rb")


def read_json(path: Path, most: int) -> Any:
    """The content of a file of JSON with at most so many bytes; `DamagedFile` if it is not that."""
    with open_regular(path) as file:
        text = file.read(most + 1)
    if len(text) > most:
        raise DamagedFile(f"{path} has more than {most:,} bytes")
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise DamagedFile(f"{path} is not JSON: {error}") from None


def field(data: Any, key: str, kind: type[T], file: str) -> T:
    """The field of a JSON object, if it is of exactly this type (to Python, true is an int).

    :raises DamagedFile: if it is missing or of another type; the message names `file`.
    """
    value = data.get(key) if isinstance(data, dict) else None
    if type(value) is not kind:
        found = "missing" if value is None else f"of type {type(value).__name__}"
        raise DamagedFile(f"{file}: {key!r:.80} is {found}, expected {kind.__name__}")
    return value


def fields(data: Any, file: str, /, **kinds: type) -> list[Any]:
    """Several fields, each of its type."""
    return [field(data, key, kind, file) for key, kind in kinds.items()]
