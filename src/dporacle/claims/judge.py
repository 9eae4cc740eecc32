"""From a claim to a proved verdict: HOLDS, VIOLATED or UNDECIDED.

A verdict rests on a ball on one side of the asserted bound, or on boxes over a whole range.
UNDECIDED has six causes, named in the verdict: the exact value agrees with the bound to 1,500
digits; the claim is about replacing a record, the sensitivity about adding one, and twice that
sensitivity is not private enough; of several releases it is not known whether one pair of
neighbours has all sensitivities at once; a conversion is neither proved nor refuted; a range has
boxes that balls do not decide; or the exact value is out of the enclosures' reach. A VIOLATED says
which pair of neighbours it supposes to exist.
"""

from dataclasses import replace
from typing import Any

from dporacle.claims import files
from dporacle.claims.audit_verdict import AuditVerdict as AuditVerdict
from dporacle.claims.audit_verdict import describe as describe
from dporacle.claims.audit_verdict import supposes as supposes
from dporacle.claims.claim import Claim
from dporacle.claims.decision import Decided, out_of_reach
from dporacle.verdicts import Verdict
from dporacle.vocabulary.hypotheses import Hypothesis

_DOUBLED = (
    "replacing a record changes the answer by up to twice the sensitivity for adding one, "
    "and for twice the claim fails; state the sensitivity for replace-one"
)


def audit(claim: Claim | dict[str, Any], *, assumed: tuple[Hypothesis, ...] = ()) -> AuditVerdict:
    """Prove or refute a claim.

    Args:
        claim: the claim, or a mapping as it would stand in a file.
        assumed: what the claim says because whoever asks did not say otherwise; a verdict is
            printed with it.

    Raises:
        ValueError: naming the field, if a mapping is no claim.
    """
    if not isinstance(claim, Claim):
        claim = files.make(claim)
    return AuditVerdict(claim, decide(claim), assumed)


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
