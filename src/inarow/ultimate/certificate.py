"""Certificates for Ultimate Tic-Tac-Toe: a policy that shows that X wins by a ply, or that X does not.

A certificate says one move for every position that the side that succeeds can come into, up to symmetry and
to what cannot matter any more. docs/ultimate-certificate.md specifies the files.
"""

from __future__ import annotations

import hashlib
import lzma
import struct
from dataclasses import dataclass
from importlib.resources import as_file, files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TYPE_CHECKING

from inarow.errors import DamagedFile, InarowError
from inarow.files import write_atomically
from inarow.ultimate.rules import Move, Position, Ultimate
from inarow.values import Mark

if TYPE_CHECKING:
    from inarow._native import ultimate_prover as _ultimate

__all__ = [
    "Certificate",
    "Claim",
    "open_certificate",
    "optimal_play",
    "read_certificate",
    "write_certificate",
]

_MAGIC = b"\x89U3T\r\n\x1a\n"  # as PNG's: transfers that change line ends spoil it
_VERSION = 1
_OPEN_FIELDS = 0  # the rules
_HEAD = struct.Struct("<8sBBcBB")  # magic, version, rules, side, plies, number of moves
_SIZES = struct.Struct("<QQ")  # answers, compressed bytes
_CHECKSUM = 32
_PLIES = 81
_MOST_ANSWERS = 1 << 28  # nobody needs more; a file that claims more is not unpacked


_VERBS: dict[Mark, str] = {"x": "wins", "o": "does not win"}


@dataclass(frozen=True)
class Claim:
    """What a certificate claims, and the answers that are to show it.

    If `side` is "x", that X wins by the ply; if it is "o", that X does not.
    """

    side: Mark
    plies: int
    position: Position
    answers: bytes

    def __str__(self) -> str:
        after = f" after {self.position}" if self.position.ply else ""
        return f"X {_VERBS[self.side]} by ply {self.plies}{after}"


class Certificate:
    """A certificate to play by."""

    def __init__(self, claim: Claim, policy: _ultimate.Policy) -> None:
        self.side = claim.side
        self.plies = claim.plies
        self.position = claim.position
        self._policy = policy

    @property
    def verb(self) -> str:
        """What X does by the ply: "wins" or "does not win"."""
        return _VERBS[self.side]

    def __len__(self) -> int:
        """How many positions have a move."""
        return len(self._policy)

    def move(self, position: Position) -> Move | None:
        """The move of the side that succeeds.

        None where there is none: it is not its turn, the certificate's player does not come there, or any
        move will do, as X cannot win in time any more.
        """
        if position.rules.variant != "open":
            raise InarowError("certificates are for the variant in which fields that are won stay open")
        if position.is_over or position.turn != self.side:
            return None
        found = self._policy.move(position.move_numbers)
        return None if found is None else Move.of_number(found)


def optimal_play(side: Mark) -> Certificate:
    """A certificate that comes with the package: X wins by ply 43, or O sees to it that X does not by ply 41.

    >>> str(optimal_play("x").move(Ultimate().start()))
    '44'
    """
    with as_file(shipped(side)) as path:
        return open_certificate(path)


def shipped(side: Mark) -> Traversable:
    """The file behind `optimal_play`."""
    name = "x-wins-by-43" if side == "x" else "x-does-not-win-by-41"
    return files("inarow") / "data" / "ultimate" / f"{name}.u3t"


def open_certificate(path: Path | str) -> Certificate:
    """Read a certificate and find all its positions; takes seconds for one of millions.

    `DamagedFile` if it is none.
    """
    from inarow._native import ultimate_prover as _ultimate

    claim = read_certificate(path)
    try:
        policy = _ultimate.Policy(claim.position.move_numbers, claim.plies, claim.side == "x", claim.answers)
    except _ultimate.NotAPolicy as error:
        raise DamagedFile(f"{path}: does not show what it claims: {error}") from None
    return Certificate(claim, policy)


def write_certificate(path: Path | str, claim: Claim) -> int:
    """Write a certificate, whole or not at all; how many bytes it takes."""
    packed = lzma.compress(claim.answers, format=lzma.FORMAT_XZ, check=lzma.CHECK_NONE, preset=6)
    numbers = claim.position.move_numbers
    side = claim.side.upper().encode()
    head = _HEAD.pack(_MAGIC, _VERSION, _OPEN_FIELDS, side, claim.plies, len(numbers))
    content = head + bytes(numbers) + _SIZES.pack(len(claim.answers), len(packed)) + packed
    content += hashlib.sha256(content).digest()
    write_atomically(Path(path), [content])
    return len(content)


def read_certificate(path: Path | str) -> Claim:
    """What a file claims; `DamagedFile` if it is not a certificate, or not whole. Nothing is proven by it."""
    content = Path(path).read_bytes()
    if content[: len(_MAGIC)] != _MAGIC:
        raise DamagedFile(f"{path}: not a certificate for Ultimate Tic-Tac-Toe")
    if len(content) < _HEAD.size + _SIZES.size + _CHECKSUM:
        raise DamagedFile(f"{path}: ends too early")
    _, version, rules, side, plies, moves = _HEAD.unpack_from(content)
    if version != _VERSION:
        raise DamagedFile(f"{path}: a certificate of version {version}; only {_VERSION} is known")
    if hashlib.sha256(content[:-_CHECKSUM]).digest() != content[-_CHECKSUM:]:
        raise DamagedFile(f"{path}: the checksum does not match")
    if rules != _OPEN_FIELDS or side not in (b"X", b"O") or not 1 <= plies <= _PLIES:
        raise DamagedFile(f"{path}: makes no claim that is known")
    begin = _HEAD.size + moves
    if len(content) < begin + _SIZES.size + _CHECKSUM:
        raise DamagedFile(f"{path}: ends too early")
    count, packed = _SIZES.unpack_from(content, begin)
    begin += _SIZES.size
    if count > _MOST_ANSWERS or packed != len(content) - begin - _CHECKSUM:
        raise DamagedFile(f"{path}: has not the size it claims")
    return Claim(
        side="x" if side == b"X" else "o",
        plies=plies,
        position=_position(path, content[_HEAD.size : _HEAD.size + moves]),
        answers=_unpacked(path, content[begin:-_CHECKSUM], count),
    )


def _position(path: Path | str, numbers: bytes) -> Position:
    position = Ultimate().start()
    for number in numbers:
        try:
            position = position.play(Move.of_number(number))
        except ValueError as error:
            raise DamagedFile(f"{path}: ply {position.ply + 1}: {error}") from None
    return position


def _unpacked(path: Path | str, packed: bytes, count: int) -> bytes:
    decompressor = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
    try:
        answers = decompressor.decompress(packed, max_length=count + 1)
    except lzma.LZMAError as error:
        raise DamagedFile(f"{path}: {error}") from None
    if len(answers) != count or not decompressor.eof or decompressor.unused_data:
        raise DamagedFile(f"{path}: has not as many answers as it claims")
    return answers
