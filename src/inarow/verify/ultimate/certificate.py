"""Check a certificate for Ultimate Tic-Tac-Toe: its player against every move of the other side.

The checker in C++ behind this has its own rules and shares no code with the prover.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

from inarow._native import verify_ultimate as _verify_ultimate
from inarow.ultimate.certificate import Claim, read_certificate

__all__ = ["CertificateReport", "Progress", "check_certificate", "check_claim"]

Progress: TypeAlias = Callable[[int, int], None]
"""Called now and then with the answers used so far and the ply; may raise to stop."""


@dataclass(frozen=True)
class CertificateReport:
    """What the walk found. Positions are counted up to symmetry and what cannot matter any more."""

    claim: Claim
    failure: str | None  # why the claim does not hold
    answered: int  # positions in which the certificate gave the move
    opposed: int  # positions in which every move was followed
    longest_plies: int  # after which the claim had come true everywhere
    seconds: float

    @property
    def holds(self) -> bool:
        return self.failure is None

    def to_json(self) -> dict[str, Any]:
        return {
            "holds": self.holds,
            "failure": self.failure,
            "side": self.claim.side,
            "plies": self.claim.plies,
            "position": self.claim.position.text,
            "positions": {"answered": self.answered, "opposed": self.opposed},
            "longest_plies": self.longest_plies,
            "seconds": round(self.seconds, 3),
        }


def check_certificate(path: Path | str, progress: Progress | None = None) -> CertificateReport:
    """Check the claim of a file; `DamagedFile` if there is none to check."""
    return check_claim(read_certificate(path), progress)


def check_claim(claim: Claim, progress: Progress | None = None) -> CertificateReport:
    """Play the claim's answers against every move of the other side."""
    began = time.monotonic()
    answered, opposed, longest, failure = _verify_ultimate.check(
        claim.side == "x", claim.plies, claim.position.move_numbers, claim.answers, progress
    )
    seconds = time.monotonic() - began
    return CertificateReport(claim, failure or None, answered, opposed, longest, seconds)
