"""From a claim to a proved verdict: HOLDS, VIOLATED or UNDECIDED.

A verdict rests on a ball on one side of the asserted bound. UNDECIDED has two causes,
named in the verdict: the bound is met to 1,500 digits; or the claim is about replacing a record,
the sensitivity about adding one, and twice that sensitivity is not private enough.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle.claims import files, quantities, words
from dporacle.claims.model import Accuracy, Claim, Composition, Formula, Loss, Privacy
from dporacle.enclosures._balls import ball, join, tighten
from dporacle.verdicts import Decision, Verdict, decide_at_most

__all__ = ["AuditVerdict", "audit", "decide"]

_FORMULA_EXTRA = 20  # digits that μ of a formula has more than δ
_LOSS_DIGITS = 40
_FIRST_DIGITS = 20


@dataclass(frozen=True, slots=True)
class AuditVerdict:
    """What was proved about a claim.

    Attributes:
        claim: the claim.
        verdict: what was proved.
        quantity: what the assertion bounds from above: "delta", "alpha" or "loss".
        bound: the asserted bound, exactly.
        low, high: decimals that enclose the exact value of the quantity.
        margin: how far off the claim is, in words.
        limit: the σ up to or down to which the assertion would hold, in words; empty where there
            is no such thing.
        reason: why a claim is undecided; empty otherwise.
        digits: the enclosure's digits; at least 20, and as many as decide.
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


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision and what it is about.

    Attributes:
        decision: the decision.
        quantity: what was enclosed.
        bound: what it was compared with.
        doubled: whether twice the stated sensitivity was used.
    """

    decision: Decision
    quantity: str
    bound: Fraction
    doubled: bool = False


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
    verdict, reason = decided.decision.verdict, ""
    if verdict is Verdict.UNDECIDED:
        reason = f"the bound is met to {decided.decision.digits} digits"
    elif verdict is Verdict.VIOLATED and decided.doubled:
        verdict = Verdict.UNDECIDED
        reason = (
            "replacing a record changes the answer by up to twice the sensitivity for adding one, "
            "and for twice the claim fails; state the sensitivity for replace-one"
        )
    low, high = words.ends(
        decided.decision, decided.bound, ceiling=None if decided.quantity == "loss" else 1
    )
    margin, limit = words.describe(claim, decided.decision, doubled=decided.doubled)
    return AuditVerdict(
        claim=claim,
        verdict=verdict,
        quantity=decided.quantity,
        bound=decided.bound,
        low=low,
        high=high,
        margin=margin,
        limit=limit,
        reason=reason,
        digits=max(decided.decision.digits, words.figures(low), words.figures(high)),
    )


def decide(claim: Claim) -> Decided:
    """Decide a claim, without words."""
    said, about = claim.asserts, claim.mechanism
    if isinstance(said, Formula):
        return Decided(_decide_formula(said), "delta", said.delta)
    assert about is not None
    if isinstance(said, Privacy):
        doubled = about.neighbours != said.neighbours
        mu_squared = about.mu_squared() * (4 if doubled else 1)
        decision = _decide_probability(
            lambda digits: quantities.delta_of(
                epsilon=said.epsilon, mu_squared=mu_squared, digits=digits
            ),
            said.delta,
        )
        return Decided(decision, "delta", said.delta, doubled)
    assert not isinstance(about, Composition)
    variance = about.variance()
    if isinstance(said, Accuracy):
        decision = _decide_probability(
            lambda digits: quantities.alpha_of(
                accuracy=said.at_most, variance=variance, digits=digits
            ),
            said.alpha,
        )
        return Decided(decision, "alpha", said.alpha)
    return Decided(_decide_loss(said, variance), "loss", said.at_most)


def _decide_probability(enclose: Callable[[int], arb], bound: Fraction) -> Decision:
    if bound == 1:  # holds for every probability, and balls at 1 would never tell
        return Decision(Verdict.HOLDS, enclose(_FIRST_DIGITS), _FIRST_DIGITS)
    return decide_at_most(enclose, bound)


def _decide_formula(said: Formula) -> Decision:
    def enclose(digits: int) -> arb:
        low, high = quantities.formula_mu_squared(said, 2 * digits + _FORMULA_EXTRA)
        at = (
            quantities.delta_of(epsilon=said.epsilon, mu_squared=mu_squared, digits=digits)
            for mu_squared in (low, high)
        )
        return join(next(at), next(at), digits)

    return decide_at_most(enclose, said.delta)


def _decide_loss(said: Loss, variance: Fraction) -> Decision:
    """The loss is rational: it is compared exactly, and shown as a ball."""
    loss = said.dimension * variance
    verdict = Verdict.HOLDS if loss <= said.at_most else Verdict.VIOLATED
    return Decision(verdict, tighten(lambda: ball(loss), _LOSS_DIGITS), _LOSS_DIGITS)
