"""Certificates for Ultimate Tic-Tac-Toe: a policy that shows that X wins by a ply, or that X does not.

A certificate has one move for every position that the side that succeeds can reach, up to symmetry and to
what can no longer matter. docs/ultimate-certificate.md specifies the files,
`inarow.verify.ultimate.certificate` checks them.
"""

from __future__ import annotations

import hashlib
import lzma
import struct
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import TypeAlias

from inarow._native import ultimate as native
from inarow.errors import DamagedFile, InarowError
from inarow.files import write_atomically
from inarow.ultimate.rules import Move, Position, Ultimate
from inarow.values import Mark

_MAGIC = b"\x89U3T\r\n\x1a\n"  # as in PNG: transfers that change line ends spoil it
_VERSION = 1
_OPEN_FIELDS = 0  # the rules
_HEAD = struct.Struct("<8sBBcBB")  # magic, version, rules, side, plies, number of moves
_SIZES = struct.Struct("<QQ")  # answers, compressed bytes
_CHECKSUM = 32
_PLIES = 81
_MOST_ANSWERS = 1 << 28  # no proof needs more; a file that states more is not unpacked

Progress: TypeAlias = Callable[[int, int], None]  # positions found so far, and all there are


@dataclass(frozen=True)
class Claim:
    """What a certificate claims, and the answers that show it.

    If `side` is "x", that X wins by the ply; if it is "o", that X does not.
    """

    side: Mark
    plies: int
    position: Position
    answers: bytes

    def __str__(self) -> str:
        after = f" after {self.position}" if self.position.ply else ""
        return f"X {'wins' if self.side == 'x' else 'does not win'} by ply {self.plies}{after}"


class Certificate:
    """A certificate to play by."""

    def __init__(self, claim: Claim, policy: native.Policy) -> None:
        self.claim = claim
        self._policy = policy

    def __len__(self) -> int:
        """How many positions have a move."""
        return len(self._policy)

    def move(self, position: Position) -> Move | None:
        """The move of the side that succeeds.

        None where the certificate has no move: it is the other side's turn, its policy does not lead to the
        position, or any move will do, as X can no longer win in time.
        """
        if position.rules.variant != "open":
            raise InarowError(
                "certificates are for the open variant, where a field that is won stays playable"
            )
        if position.is_over or position.turn != self.claim.side:
            return None
        found = self._policy.move(position.move_numbers)
        return None if found is None else Move.of_number(found)


def optimal_play(side: Mark, *, progress: Progress | None = None) -> Certificate:
    """A certificate shipped with the package: X wins by ply 43, or O keeps X from winning by ply 41.

    O's takes half a minute to open, and 1 GB of memory; `progress` hears about it.

    >>> str(optimal_play("x").move(Ultimate().start()))
    '44'
    """
    return open_certificate(shipped(side), progress=progress)


def shipped(side: Mark) -> Traversable:
    """The file of `optimal_play`."""
    name = "x-wins-by-43" if side == "x" else "x-does-not-win-by-41"
    return files("inarow") / "data" / "ultimate" / f"{name}.u3t"


def open_certificate(file: Path | Traversable | str, *, progress: Progress | None = None) -> Certificate:
    """Read a certificate and find all its positions, which takes seconds if there are millions.

    `progress` is called every so often with the number of positions found and of all there are.
    `DamagedFile` if it is not one, or does not show what it claims.

    >>> print(open_certificate(shipped("x")).claim)
    X wins by ply 43
    """
    claim = read_certificate(file)
    try:
        policy = native.Policy(
            claim.position.move_numbers, claim.plies, claim.side == "x", claim.answers, progress
        )
    except native.NotAPolicy as error:
        raise DamagedFile(f"{file}: does not show what it claims: {error}") from None
    return Certificate(claim, policy)


def write_certificate(path: Path | str, claim: Claim) -> int:
    """Write a certificate, whole or not at all; returns its size in bytes."""
    packed = lzma.compress(claim.answers, format=lzma.FORMAT_XZ, check=lzma.CHECK_NONE, preset=6)
    numbers, side = claim.position.move_numbers, claim.side.upper().encode()
    head = _HEAD.pack(_MAGIC, _VERSION, _OPEN_FIELDS, side, claim.plies, len(numbers))
    content = head + bytes(numbers) + _SIZES.pack(len(claim.answers), len(packed)) + packed
    content += hashlib.sha256(content).digest()
    write_atomically(Path(path), [content])
    return len(content)


def read_certificate(file: Path | Traversable | str) -> Claim:
    """What a file claims; `DamagedFile` if it is not a certificate, or not complete.

    Reading proves nothing: `inarow.verify.ultimate.certificate.check_certificate` does.
    """
    content = (Path(file) if isinstance(file, str) else file).read_bytes()
    if content[: len(_MAGIC)] != _MAGIC:
        raise DamagedFile(f"{file}: not a certificate for Ultimate Tic-Tac-Toe")
    if len(content) < _HEAD.size + _SIZES.size + _CHECKSUM:
        raise DamagedFile(f"{file}: ends too early")
    _, version, rules, side, plies, moves = _HEAD.unpack_from(content)
    if version != _VERSION:
        raise DamagedFile(f"{file}: a certificate of version {version}; only {_VERSION} is known")
    if hashlib.sha256(content[:-_CHECKSUM]).digest() != content[-_CHECKSUM:]:
        raise DamagedFile(f"{file}: the checksum does not match")
    if rules != _OPEN_FIELDS or side not in (b"X", b"O") or not 1 <= plies <= _PLIES:
        raise DamagedFile(f"{file}: the claim is of an unknown kind")
    begin = _HEAD.size + moves
    if len(content) < begin + _SIZES.size + _CHECKSUM:
        raise DamagedFile(f"{file}: ends too early")
    count, packed = _SIZES.unpack_from(content, begin)
    begin += _SIZES.size
    if count > _MOST_ANSWERS or packed != len(content) - begin - _CHECKSUM:
        raise DamagedFile(f"{file}: does not have the size that it states")
    position = Ultimate().start()
    decompressor = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
    try:
        for number in content[_HEAD.size : _HEAD.size + moves]:
            position = position.play(Move.of_number(number))
        answers = decompressor.decompress(content[begin:-_CHECKSUM], max_length=count + 1)
    except ValueError as error:
        raise DamagedFile(f"{file}: ply {position.ply + 1}: {error}") from None
    except lzma.LZMAError as error:
        raise DamagedFile(f"{file}: {error}") from None
    if len(answers) != count or not decompressor.eof or decompressor.unused_data:
        raise DamagedFile(f"{file}: does not have as many answers as it states")
    return Claim("x" if side == b"X" else "o", plies, position, answers)
