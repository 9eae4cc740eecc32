"""Certificates: all that somebody else needs to check a verdict with another program.

A certificate repeats the claim with every number exact and adds the verdict and an enclosure of
the quantity that it bounds, or of a bound that decides. `tools/check_certificate.py` checks it
with the standard library alone, where it says `standalone: yes`; `proofs_notes/certificates.md`
says what that rests on.
"""

from __future__ import annotations

import hashlib
import json
from fractions import Fraction
from typing import Any, Final

import msgspec

from dporacle.claims import words
from dporacle.claims.assertions import Conversion, Formula, FormulaRange, Inequality, Loss
from dporacle.claims.decided import Decided
from dporacle.claims.judge import AuditVerdict
from dporacle.claims.mechanisms import DiscreteGaussian, RankOne
from dporacle.claims.model import Claim
from dporacle.claims.rank_one import WITNESS

__all__ = ["FORMAT", "YES", "certificate", "certify"]

FORMAT: Final = "dporacle-certificate/2"
"""The name and version of the format."""

YES: Final = "yes"

_SLACK = 1 - Fraction(1, 10**7)  # for a program with cruder bounds of Γ
_SHORT_DIGITS = 12


def certificate(verdict: AuditVerdict) -> dict[str, Any]:
    """Return the certificate of a verdict, ready for JSON."""
    return certify(verdict.claim, verdict.decided)


def certify(claim: Claim, decided: Decided) -> dict[str, Any]:
    """Return the certificate of a decision, ready for JSON."""
    if decided.proof == WITNESS:
        low, _ = words.bounds_of(decided.below)
        ends = words.round_decimal(low * _SLACK, _SHORT_DIGITS, up=False), "1"
    else:
        ends = words.ends(decided)
    content = {
        "format": FORMAT,
        "claim": msgspec.to_builtins(claim, enc_hook=_exact),
        "quantity": decided.quantity,
        "bound": str(decided.bound),
        "verdict": str(decided.verdict),
        "low": ends[0],
        "high": ends[1],
        "digits": max(decided.digits, *map(words.figures, ends)),
        "witness": None if decided.witness is None else str(decided.witness),
        "standalone": _standalone(claim, decided),
    }
    packed = json.dumps(content, sort_keys=True, separators=(",", ":")).encode()
    return {**content, "sha256": hashlib.sha256(packed).hexdigest()}


def _standalone(claim: Claim, decided: Decided) -> str:
    """Say whether the stand-alone program checks a verdict, and if not, what is missing there."""
    said, about = claim.asserts, claim.mechanism
    if isinstance(about, DiscreteGaussian):
        return "no: it has no sums of discrete Gaussians"
    if isinstance(said, Loss):
        return (
            "no: it has no expected loss of rank-one noise" if isinstance(about, RankOne) else YES
        )
    if isinstance(said, Conversion):
        return "no: it has no conversions; where the Gaussian mechanism refutes one, claim that"
    if isinstance(said, Inequality):
        return "no: it has no inequalities of the catalogue"
    if isinstance(said, FormulaRange):
        return "no: it has no proofs over ranges; `dporacle prove` writes their boxes"
    if isinstance(said, Formula) and said.name == "plrv-tail":
        return "no: it has no normal quantile"
    ranks = isinstance(about, RankOne) or (isinstance(said, Formula) and said.dimension is not None)
    if ranks and decided.proof != WITNESS:
        return f"no: of rank-one noise it has the witness ball only, not: {decided.proof}"
    return YES


def _exact(value: Any) -> str:
    if not isinstance(value, Fraction):
        raise NotImplementedError
    return str(value)
