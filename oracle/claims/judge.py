"""From a claim to a proved verdict: HOLDS, VIOLATED or UNDECIDED.

A verdict rests on a ball on one side of the asserted bound, or on boxes over a whole range.
UNDECIDED has five causes, named in the verdict: the bound is met to 1,500 digits; the claim is
about replacing a record, the sensitivity about adding one, and twice that sensitivity is not
private enough; a conversion is neither proved nor refuted; a range has boxes that balls do not
decide; or the exact value is out of the enclosures' reach.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

from dporacle.claims import files, words
from dporacle.claims.decided import NOTHING, Decided, out_of_reach
from dporacle.claims.model import Claim
from dporacle.verdicts import Verdict

__all__ = ["AuditVerdict", "audit", "decide", "describe"]

_DOUBLED = (
    "replacing a record changes the answer by up to twice the sensitivity for adding one, "
    "and for twice the claim fails; state the sensitivity for replace-one"
)


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """What was proved about a claim.

    Attributes:
        claim: the claim.
        verdict: what was proved.
        quantity: what the assertion bounds from above: "delta", "alpha", "loss", for an
            inequality "left/right", for a range that does not fail "delta/claimed".
        bound: the asserted bound, exactly.
        low, high: decimals that enclose the exact value of the quantity; for a conversion, of the
            largest δ of all the mechanisms that it speaks of.
        margin: how far off the claim is, in words.
        limit: the σ up to or down to which the assertion would hold, in words; empty where there
            is no such thing.
        reason: why a claim is undecided; empty otherwise.
        digits: the enclosure's digits; at least 20, and as many as decide.
        proof: what proves the verdict.
        decided: the decision itself, with its balls.
    """

    claim: Claim
    verdict: Verdict
    quantity: str
    bound: Fraction
    low: str
    high: str
    margin: str
    limit: str
    reason: str
    digits: int
    proof: str
    decided: Decided


def audit(claim: Claim | dict[str, Any]) -> AuditVerdict:
    """Prove or refute a claim.

    Args:
        claim: the claim, or a mapping as it would stand in a file.

    Raises:
        ValueError: naming the field, if a mapping is no claim.
    """
    if not isinstance(claim, Claim):
        claim = files.make(claim)
    decided = decide(claim)
    shown = claim.asserts.sharpened(claim.mechanism, decided)
    low, high = words.ends(shown)
    margin, limit = describe(claim, shown)
    return AuditVerdict(
        claim=claim,
        verdict=decided.verdict,
        quantity=decided.quantity,
        bound=decided.bound,
        low=low,
        high=high,
        margin=margin,
        limit=limit,
        reason=decided.reason,
        digits=max(decided.digits, words.figures(low), words.figures(high)),
        proof=decided.proof,
        decided=decided,
    )


def decide(claim: Claim) -> Decided:
    """Decide a claim, without words."""
    said = claim.asserts
    try:
        decided = said.decide(claim.mechanism)
    except ArithmeticError as error:
        return out_of_reach(*said.subject(), error)
    if decided.doubled and decided.verdict is Verdict.VIOLATED:
        return replace(decided, verdict=Verdict.UNDECIDED, reason=_DOUBLED)
    return decided


def describe(claim: Claim, decided: Decided) -> tuple[str, str]:
    """Return how far off a claim is, and the noise that is its limit, in words."""
    if decided.proof == NOTHING:
        return "nothing is proved", ""
    return claim.asserts.describe(claim.mechanism, decided)
