"""Judges what the rest of the package makes, and shares no code with it.

Every check takes a file or a folder, or a claim about a game, and reports a `Verdict`: "proven", "consistent"
(nothing is wrong, but not everything is proven) or "wrong", with the reason.

The names below are imported when they are first used.

>>> verify_pairing(4, [0b0011, 0b1100], [(0, 1), (2, 3)]).verdict
'proven'
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from inarow.lazy import lazy_exports

if TYPE_CHECKING:
    from inarow.verify.positional.defence import DefenceReport, verify_defence
    from inarow.verify.positional.dictionary import DictionaryReport, verify_dictionary
    from inarow.verify.positional.pairing import PairingReport, verify_pairing, verify_paving
    from inarow.verify.quixo.report import TableReport
    from inarow.verify.quixo.sample import verify_sample
    from inarow.verify.quixo.table import verify_table
    from inarow.verify.ultimate.certificate import CertificateReport, check_certificate
    from inarow.verify.ultimate.strategies import (
        BlockReport,
        LbsReport,
        XavierReport,
        verify_lbs,
        verify_lemma6,
        verify_lemma7,
        verify_xavier,
    )
    from inarow.verify.verdict import Verdict

__all__ = [
    "BlockReport",
    "CertificateReport",
    "DefenceReport",
    "DictionaryReport",
    "LbsReport",
    "PairingReport",
    "TableReport",
    "Verdict",
    "XavierReport",
    "check_certificate",
    "verify_defence",
    "verify_dictionary",
    "verify_lbs",
    "verify_lemma6",
    "verify_lemma7",
    "verify_pairing",
    "verify_paving",
    "verify_sample",
    "verify_table",
    "verify_xavier",
]

if not TYPE_CHECKING:
    __getattr__, __dir__ = lazy_exports(
        __name__,
        {
            "positional.defence": ("DefenceReport", "verify_defence"),
            "positional.dictionary": ("DictionaryReport", "verify_dictionary"),
            "positional.pairing": ("PairingReport", "verify_pairing", "verify_paving"),
            "quixo.report": ("TableReport",),
            "quixo.sample": ("verify_sample",),
            "quixo.table": ("verify_table",),
            "ultimate.certificate": ("CertificateReport", "check_certificate"),
            "ultimate.strategies": (
                "BlockReport",
                "LbsReport",
                "XavierReport",
                "verify_lbs",
                "verify_lemma6",
                "verify_lemma7",
                "verify_xavier",
            ),
            "verdict": ("Verdict",),
        },
    )
