"""Check a certificate for Ultimate Tic-Tac-Toe: its policy against every move of the other side.

The files are read here by their specification, docs/ultimate-certificate.md, and the positions are visited in
C++. Neither shares code with what proves claims and writes certificates.
"""

from __future__ import annotations

import hashlib
import lzma
import time
from collections.abc import Callable
from dataclasses import dataclass
from importlib.resources.abc import Traversable
from pathlib import Path
from typing import Any, Literal, TypeAlias

from inarow._native import verify_ultimate as native
from inarow.errors import DamagedFile
from inarow.verify.ultimate.rules import Board, moves_text
from inarow.verify.verdict import Verdict

__all__ = ["CertificateClaim", "CertificateReport", "Progress", "check_certificate", "check_claim"]

Progress: TypeAlias = Callable[[int, int], None]
"""Called now and then with the answers used so far and the ply; may raise to stop."""

_MAGIC = b"\x89U3T\r\n\x1a\n"
_MOST_ANSWERS = 1 << 28


@dataclass(frozen=True)
class CertificateClaim:
    """What a certificate claims, and the answers that are to show it.

    If `side` is "x", that X wins by the ply; if it is "o", that X does not.
    """

    side: Literal["x", "o"]
    plies: int
    moves: tuple[int, ...]  # that lead to the position of the claim: 9 · field + spot
    answers: bytes

    def __str__(self) -> str:
        after = f" after {moves_text(self.moves)}" if self.moves else ""
        return f"X {'wins' if self.side == 'x' else 'does not win'} by ply {self.plies}{after}"


@dataclass(frozen=True)
class CertificateReport:
    """The result of a check. Positions are counted up to symmetry and to what can no longer matter.

    >>> from inarow.ultimate.certificate import shipped
    >>> report = check_certificate(shipped("x"))
    >>> report.verdict, report.longest_plies
    ('proven', 43)
    """

    verdict: Verdict
    reason: str  # what is wrong, or what is proven
    claim: CertificateClaim
    answered: int  # positions in which the certificate gave the move
    opposed: int  # positions in which every move was followed
    longest_plies: int  # of a game, until the claim was settled
    seconds: float

    def to_json(self) -> dict[str, Any]:
        return {
            "verdict": self.verdict,
            "reason": self.reason,
            "side": self.claim.side,
            "plies": self.claim.plies,
            "position": moves_text(self.claim.moves),
            "positions": {"answered": self.answered, "opposed": self.opposed},
            "longest_plies": self.longest_plies,
            "seconds": round(self.seconds, 3),
        }


def check_certificate(file: Path | Traversable | str, progress: Progress | None = None) -> CertificateReport:
    """Check the claim of a file; `DamagedFile` if there is none to check.

    >>> from inarow.ultimate.certificate import shipped
    >>> print(check_certificate(shipped("x")).claim)
    X wins by ply 43
    """
    file = Path(file) if isinstance(file, str) else file
    return check_claim(_Reader(str(file), file.read_bytes()).claim(), progress)


def check_claim(claim: CertificateClaim, progress: Progress | None = None) -> CertificateReport:
    """Play the claim's answers against every move of the other side."""
    began = time.monotonic()
    answered, opposed, longest, failure = native.check(
        claim.side == "x", claim.plies, list(claim.moves), claim.answers, progress
    )
    return CertificateReport(
        verdict="wrong" if failure else "proven",
        reason=failure or f"the answers hold against every move of {'O' if claim.side == 'x' else 'X'}",
        claim=claim,
        answered=answered,
        opposed=opposed,
        longest_plies=longest,
        seconds=time.monotonic() - began,
    )


class _Reader:
    """Takes a file apart from its beginning; `DamagedFile` where it is not as specified."""

    def __init__(self, name: str, content: bytes) -> None:
        self._name = name
        self._content = content
        self._at = 0

    def claim(self) -> CertificateClaim:
        if self._content[:8] != _MAGIC:
            raise self._damaged("not a certificate for Ultimate Tic-Tac-Toe")
        self._take(8)
        version = self._number(1)
        if version != 1:
            raise self._damaged(f"a certificate of version {version}; only 1 is known")
        body, checksum = self._content[:-32], self._content[-32:]
        if hashlib.sha256(body).digest() != checksum:
            raise self._damaged("the checksum does not match")
        self._content = body
        rules, side, plies = self._number(1), self._take(1), self._number(1)
        if rules != 0 or side not in (b"X", b"O") or not 1 <= plies <= 81:
            raise self._damaged("the claim is of an unknown kind")
        moves = tuple(self._take(self._number(1)))
        self._check_moves(moves)
        count, length = self._number(8), self._number(8)
        packed = self._take(length)
        if self._at != len(self._content) or count > _MOST_ANSWERS:
            raise self._damaged("it does not have the size that it states")
        return CertificateClaim("x" if side == b"X" else "o", plies, moves, self._unpacked(packed, count))

    def _take(self, count: int) -> bytes:
        if count > len(self._content) - self._at:
            raise self._damaged("it ends too early")
        self._at += count
        return self._content[self._at - count : self._at]

    def _number(self, size: int) -> int:
        return int.from_bytes(self._take(size), "little")

    def _check_moves(self, moves: tuple[int, ...]) -> None:
        board = Board()
        for ply, move in enumerate(moves, 1):
            why = board.why_illegal(move)
            if why is not None:
                raise self._damaged(f"ply {ply} cannot be played: {why}")
            board = board.play(move)

    def _unpacked(self, packed: bytes, count: int) -> bytes:
        stream = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
        try:
            answers = stream.decompress(packed, max_length=count + 1)
        except lzma.LZMAError as error:
            raise self._damaged(str(error)) from None
        if len(answers) != count or not stream.eof or stream.unused_data:
            raise self._damaged("it does not have as many answers as it states")
        return answers

    def _damaged(self, what: str) -> DamagedFile:
        return DamagedFile(f"{self._name}: {what}")
