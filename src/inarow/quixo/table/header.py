"""The header of every file of a pair, plain or compact. docs/tablebase-format.md specifies it."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import NamedTuple

from inarow.errors import DamagedFile
from inarow.quixo.rules import Quixo

_LAYOUT = struct.Struct("<8sH8B2xIQ")

HEADER_SIZE = _LAYOUT.size  # 32 bytes


class _Fields(NamedTuple):
    magic: bytes
    version: int
    rows: int
    line: int
    double_line_wins: int
    a: int
    b: int
    width: int
    planes: int
    columns: int  # 0 in files of inarow 0.1, whose boards were all square
    piece: int
    entries: int


@dataclass(frozen=True, slots=True)
class HeaderFormat:
    """The header that all files of one form share."""

    magic: bytes
    version: int
    piece: int  # entries of a piece; 0 if the file is not cut into pieces

    def header(
        self, rules: Quixo, a: int, b: int, width: int, entries: int, *, square_only: bool = False
    ) -> bytes:
        """The header of a pair's file; with `square_only` as inarow 0.1 wrote it, without the columns."""
        wins, planes = rules.double_line == "wins", 1 if a == b else 2
        columns = 0 if square_only else rules.columns
        shape = rules.rows, rules.line, wins, a, b, width, planes, columns
        return _LAYOUT.pack(*_Fields(self.magic, self.version, *shape, self.piece, entries))

    def read(self, name: str, header: bytes, rules: Quixo, a: int, b: int) -> tuple[int, int]:
        """Width and entries in the header of a file, called `name` in errors.

        `DamagedFile` if it is of another kind, of another pair or of other rules.
        """
        if len(header) < HEADER_SIZE:
            raise DamagedFile(f"{name} is cut short: {len(header)} bytes, less than its header")
        fields = _Fields._make(_LAYOUT.unpack(header))
        if fields.magic != self.magic:
            raise DamagedFile(
                f"{name} is not part of a Quixo tablebase of this form: "
                f"it starts with {fields.magic!r}, not with {self.magic!r}"
            )
        if fields.version != self.version:
            raise DamagedFile(
                f"{name} has format version {fields.version}; by its manifest it has version {self.version}"
            )
        square_only = rules.is_square and fields.columns == 0
        if header != self.header(rules, a, b, fields.width, fields.entries, square_only=square_only):
            raise DamagedFile(
                f"{name} is damaged: its header is not that of the pair {{{a}, {b}}} of {rules}"
            )
        return fields.width, fields.entries
