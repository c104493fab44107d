"""Check a certificate for Ultimate Tic-Tac-Toe: its policy against every move of the other side.

The files are read here by their specification, docs/ultimate-certificate.md.
"""

from __future__ import annotations

import hashlib
import lzma
import struct
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
    return check_claim(read_claim(str(file), file.read_bytes()), progress)


def check_claim(claim: CertificateClaim, progress: Progress | None = None) -> CertificateReport:
    """Play the claim's answers against every move of the other side."""
    began = time.monotonic()
    answered, opposed, longest, failure = native.check(
        claim.side == "x", claim.plies, list(claim.moves), claim.answers, progress
    )
    verdict: Verdict = "wrong" if failure else "proven"
    reason = failure or f"the answers hold against every move of {'O' if claim.side == 'x' else 'X'}"
    seconds = time.monotonic() - began
    return CertificateReport(verdict, reason, claim, answered, opposed, longest, seconds)


def read_claim(name: str, content: bytes) -> CertificateClaim:
    """What a file holds; `DamagedFile` where it is not as specified."""

    def require(holds: bool, what: str) -> None:
        if not holds:
            raise DamagedFile(f"{name}: {what}")

    require(content[:8] == _MAGIC, "not a certificate for Ultimate Tic-Tac-Toe")
    require(len(content) > 8, "it ends too early")
    require(content[8] == 1, f"a certificate of version {content[8]}; only 1 is known")
    body, checksum = content[:-32], content[-32:]
    require(hashlib.sha256(body).digest() == checksum, "the checksum does not match")
    require(len(body) >= 13, "it ends too early")
    rules, side, plies, played = struct.unpack_from("<BcBB", body, 9)
    require(rules == 0 and side in (b"X", b"O") and 1 <= plies <= 81, "the claim is of an unknown kind")
    moves = tuple(body[13 : 13 + played])
    require(len(body) >= 29 + played, "it ends too early")
    board = Board()
    for ply, move in enumerate(moves, 1):
        why = board.why_illegal(move)
        require(why is None, f"ply {ply} cannot be played: {why}")
        board = board.play(move)
    count, length = struct.unpack_from("<QQ", body, 13 + played)
    fits = len(body) == 29 + played + length and count <= _MOST_ANSWERS
    require(fits, "it does not have the size that it states")
    stream = lzma.LZMADecompressor(format=lzma.FORMAT_XZ)
    try:
        answers = stream.decompress(body[29 + played :], max_length=count + 1)
    except lzma.LZMAError as error:
        raise DamagedFile(f"{name}: {error}") from None
    is_whole = len(answers) == count and stream.eof and not stream.unused_data
    require(is_whole, "it does not have as many answers as it states")
    return CertificateClaim("x" if side == b"X" else "o", plies, moves, answers)
