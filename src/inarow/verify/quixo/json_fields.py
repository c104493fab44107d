"""Reads fields of JSON files that may hold anything."""

from __future__ import annotations

from typing import Any, TypeVar

from inarow.errors import DamagedFile

T = TypeVar("T")


def field(data: Any, key: str, kind: type[T], file: str) -> T:
    """The field of a JSON object, if it is of exactly this type (to Python, true is an int).

    :raises DamagedFile: if it is missing or of another type; the message names `file`.
    """
    value = data.get(key) if isinstance(data, dict) else None
    if type(value) is not kind:
        raise DamagedFile(f"{file}: {key!r} is missing or not of type {kind.__name__}: {value!r:.40}")
    return value
