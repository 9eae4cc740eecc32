"""Certificates: all that somebody else needs to check a verdict with another program.

A certificate repeats the claim with every number exact and adds the verdict and an enclosure of
the quantity that it bounds. `tools/check_certificate.py` checks it with the standard library
alone; `proofs_notes/certificates.md` says what that rests on.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import Any, Final

import msgspec

from dporacle.claims.judge import AuditVerdict

__all__ = ["FORMAT", "certificate"]

FORMAT: Final = "dporacle-certificate/1"
"""The name and version of the format."""


def certificate(verdict: AuditVerdict) -> dict[str, Any]:
    """Return the certificate of a verdict, ready for JSON."""
    content = {
        "format": FORMAT,
        "claim": msgspec.to_builtins(verdict.claim, enc_hook=_exact),
        "quantity": verdict.quantity,
        "bound": str(verdict.bound),
        "verdict": str(verdict.verdict),
        "low": verdict.low,
        "high": verdict.high,
        "digits": verdict.digits,
    }
    packed = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return {**content, "sha256": hashlib.sha256(packed).hexdigest()}


def _exact(value: Any) -> str:
    if not isinstance(value, Fraction):
        raise NotImplementedError
    return str(value)
