"""Certificates: all that somebody else needs to check a verdict with another program.

A certificate repeats the claim with every number exact and adds the verdict and an enclosure of
the quantity that it bounds, or of a bound that decides. `tools/check_certificate.py` checks it
with the standard library alone, where it says `standalone: yes`; `proofs_notes/certificates.md`
says what that rests on.
"""

import json
from fractions import Fraction
from typing import Any, Final

import msgspec

from dporacle.claims import wording
from dporacle.claims.claim import Claim
from dporacle.claims.decision import INNER_BALL, Decided
from dporacle.claims.judge import AuditVerdict, supposes

FORMAT: Final = "dporacle-certificate/4"
"""The name and version of the format."""

YES: Final = "yes"

_SLACK = 1 - Fraction(1, 10**7)  # for a program with cruder bounds of Γ
_SHORT_DIGITS = 12


def certificate(verdict: AuditVerdict) -> dict[str, Any]:
    """Return the certificate of a verdict, ready for JSON."""
    return certify(verdict.claim, verdict.decided)


def certify(claim: Claim, decided: Decided) -> dict[str, Any]:
    """Return the certificate of a decision, ready for JSON."""
    if decided.proof == INNER_BALL:
        low, _ = wording.bounds_of(decided.below)
        least = Fraction(0) if decided.doubled else low * _SLACK
        ends = wording.round_decimal(least, _SHORT_DIGITS, up=False), "1"
    else:
        ends = wording.ends(decided)
    claim = claim.stated()  # a certificate leaves nothing to a default
    missing = claim.asserts.missing_elsewhere(claim.about, decided)
    content = {
        "format": FORMAT,
        "claim": msgspec.to_builtins(claim, enc_hook=_exact),
        "quantity": decided.quantity,
        "bound": str(decided.bound),
        "verdict": str(decided.verdict),
        "supposes": supposes(claim, decided),
        "hypotheses": [each.says for each in claim.asserts.hypotheses(claim.about)],
        "low": ends[0],
        "high": ends[1],
        "digits": max(decided.digits, *map(wording.figures, ends)),
        "witness": None if decided.proof_at is None else str(decided.proof_at),
        "standalone": f"no: {missing}" if missing else YES,
    }
    import hashlib  # it takes as long to load as a verdict takes

    packed = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return {**content, "sha256": hashlib.sha256(packed).hexdigest()}


def _exact(value: Any) -> str:
    if not isinstance(value, Fraction):
        raise NotImplementedError
    return str(value)
