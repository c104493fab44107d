"""One pair of classes on disk: a header with its own checksum, then the entries."""

from __future__ import annotations

import hashlib
import struct
from pathlib import Path

import numpy as np

from inarow.errors import DamagedFile, MissingTable, WrongTable
from inarow.files import write_atomically
from inarow.quixo.rules import Quixo
from inarow.quixo.table.entries import Entries

MAGIC = b"INAROWQX"
VERSION = 1
_FIELDS = struct.Struct("<8sH7B7xQ")
_DIGEST = 32
HEADER_SIZE = _FIELDS.size + _DIGEST


def file_name(a: int, b: int) -> str:
    return f"pair-{a:02}-{b:02}.bin"


def write_pair(folder: Path, rules: Quixo, a: int, b: int, entries: Entries) -> str:
    """Write a pair and return the digest in its header, in hex."""
    fields = _fields(rules, a, b, entries.itemsize, entries.size)
    data = np.ascontiguousarray(entries, entries.dtype.newbyteorder("<")).data
    digest = hashlib.sha256(fields)
    digest.update(data)
    write_atomically(folder / file_name(a, b), (fields, digest.digest(), data))
    return digest.hexdigest()


def open_pair(folder: Path, rules: Quixo, a: int, b: int, digest: str) -> Entries:
    """Map a pair's entries into memory. Header and length are checked, the content by `check_pair`."""
    path = folder / file_name(a, b)
    try:
        size = path.stat().st_size
        with path.open("rb") as file:
            header = file.read(HEADER_SIZE)
    except FileNotFoundError:
        raise MissingTable(f"{path} is missing, though the manifest lists it") from None
    if len(header) < HEADER_SIZE:
        raise DamagedFile(f"{path} is cut short: {len(header)} bytes, less than its header")
    magic, version, *_rest, width, _planes, count = _FIELDS.unpack(header[: _FIELDS.size])
    if magic != MAGIC:
        raise DamagedFile(f"{path} is not a pair of a Quixo tablebase: it starts with {magic!r}")
    if version != VERSION:
        raise DamagedFile(f"{path} has format version {version}; this program reads version {VERSION}")
    if width not in (1, 2):
        raise DamagedFile(f"{path} is damaged: entries of {width} bytes")
    if header[: _FIELDS.size] != _fields(rules, a, b, width, count):
        raise WrongTable(f"{path} is of another pair or of other rules than {rules}, {{{a}, {b}}}")
    if size != HEADER_SIZE + count * width:
        raise DamagedFile(f"{path} is cut short: {size} bytes in place of {HEADER_SIZE + count * width}")
    if header[_FIELDS.size :].hex() != digest:
        raise DamagedFile(f"{path} is not the file that the manifest lists: its checksum differs")
    return np.memmap(path, np.dtype(f"<u{width}"), "r", HEADER_SIZE, (count,))


def check_pair(folder: Path, rules: Quixo, a: int, b: int, digest: str) -> Entries:
    """`open_pair`, with the checksum of the content computed anew."""
    entries = open_pair(folder, rules, a, b, digest)
    found = hashlib.sha256(_fields(rules, a, b, entries.itemsize, entries.size))
    found.update(entries.data)
    if found.hexdigest() != digest:
        raise DamagedFile(f"{folder / file_name(a, b)} is damaged: its content does not match its checksum")
    return entries


def _fields(rules: Quixo, a: int, b: int, width: int, count: int) -> bytes:
    wins = rules.double_line == "wins"
    planes = 1 if a == b else 2
    return _FIELDS.pack(MAGIC, VERSION, rules.rows, rules.line, wins, a, b, width, planes, count)
