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

from flint import arb

from dporacle.claims import (
    discrete,
    files,
    inequalities,
    margins,
    quantities,
    ranges,
    rank_one,
    words,
)
from dporacle.claims.assertions import (
    Accuracy,
    Conversion,
    Formula,
    FormulaRange,
    Inequality,
    Loss,
    Privacy,
)
from dporacle.claims.conversions import decide_conversion
from dporacle.claims.decided import (
    Decided,
    decide_probability,
    exactly,
    out_of_reach,
    subject,
)
from dporacle.claims.mechanisms import (
    Composition,
    DiscreteGaussian,
    Mechanism,
    PublishedPoint,
    RankOne,
    Release,
)
from dporacle.claims.model import Claim
from dporacle.enclosures.arithmetic.balls import ball, bits_for, join, precision, tighten
from dporacle.enclosures.arithmetic.rounding import side
from dporacle.verdicts import Decision, Verdict, decide_at_most

__all__ = ["AuditVerdict", "audit", "decide"]

_FORMULA_EXTRA = 20  # digits that μ of a formula has more than δ
_LOSS_DIGITS = 40

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
    shown = _sharpened(claim, decided)
    low, high = words.ends(shown)
    margin, limit = margins.describe(claim, shown)
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
    decided = _decide(claim)
    if decided.doubled and decided.verdict is Verdict.VIOLATED:
        return replace(decided, verdict=Verdict.UNDECIDED, reason=_DOUBLED)
    return decided


def _decide(claim: Claim) -> Decided:
    said, about = claim.asserts, claim.mechanism
    try:
        if isinstance(said, Conversion):
            return decide_conversion(said)
        if isinstance(said, Formula):
            return _decide_formula(said)
        if isinstance(said, FormulaRange):
            return ranges.decide_range(said, _decide_formula)
        if isinstance(said, Inequality):
            return inequalities.decide_inequality(said)
        assert about is not None
        if isinstance(said, Privacy):
            return _decide_privacy(said, about)
        assert not isinstance(about, Composition)
        if isinstance(said, Accuracy):
            assert not isinstance(about, RankOne)
            return _decide_accuracy(said, about)
        return _decide_loss(said, about)
    except ArithmeticError as error:
        return out_of_reach(*subject(said), error)


def _decide_privacy(said: Privacy, about: Mechanism) -> Decided:
    doubled = about.neighbours != said.neighbours
    if isinstance(about, RankOne):
        return rank_one.decide_rank_one(
            epsilon=said.epsilon,
            delta=said.delta,
            dimension=about.dimension,
            variance=rank_one.variance_of(about, doubled=doubled),
            doubled=doubled,
        )
    if isinstance(about, DiscreteGaussian):
        return decide_probability(
            lambda digits: discrete.discrete_delta(
                about=about, epsilon=said.epsilon, doubled=doubled, digits=digits
            ),
            "delta",
            said.delta,
            doubled=doubled,
        )
    mu_squared = about.mu_squared() * (4 if doubled else 1)
    return decide_probability(
        lambda digits: quantities.delta_of(
            epsilon=said.epsilon, mu_squared=mu_squared, digits=digits
        ),
        "delta",
        said.delta,
        doubled=doubled,
    )


def _decide_formula(said: Formula) -> Decided:
    if said.dimension is not None:
        point = PublishedPoint(epsilon=said.epsilon, delta=said.delta)
        return rank_one.decide_rank_one(
            epsilon=said.epsilon,
            delta=said.delta,
            dimension=said.dimension,
            variance=rank_one.published(point, said.dimension),
        )

    def enclose(digits: int) -> arb:
        low, high = quantities.formula_mu_squared(said, 2 * digits + _FORMULA_EXTRA)
        at = (
            quantities.delta_of(epsilon=said.epsilon, mu_squared=mu_squared, digits=digits)
            for mu_squared in (low, high)
        )
        return join(next(at), next(at), digits)

    return decide_probability(enclose, "delta", said.delta)


def _decide_accuracy(said: Accuracy, about: Release | DiscreteGaussian) -> Decided:
    if isinstance(about, DiscreteGaussian):
        return decide_probability(
            lambda digits: discrete.discrete_alpha(
                about=about, accuracy=said.at_most, queries=said.queries, digits=digits
            ),
            "alpha",
            said.alpha,
        )
    variance = about.variance()
    return decide_probability(
        lambda digits: quantities.alpha_of(
            accuracy=said.at_most, variance=variance, queries=said.queries, digits=digits
        ),
        "alpha",
        said.alpha,
    )


def _decide_loss(said: Loss, about: Release | DiscreteGaussian | RankOne) -> Decided:
    if isinstance(about, DiscreteGaussian):

        def enclose(digits: int) -> arb:
            each = discrete.discrete_variance(about=about, digits=digits + 2)
            with precision(bits_for(digits) + 64):
                return said.dimension * each

        return exactly(decide_at_most(enclose, said.at_most), "loss", said.at_most)
    if isinstance(about, RankOne):
        if about.sigma_star is None:
            variance, square = rank_one.variance_of(about, doubled=False), about.distance_squared()
            return exactly(
                decide_at_most(
                    lambda digits: tighten(lambda: variance() * ball(square), digits), said.at_most
                ),
                "loss",
                said.at_most,
            )
        loss = about.sigma_star
    else:
        loss = said.dimension * about.variance()
    # A rational loss is compared exactly, and shown as a ball.
    verdict = Verdict.HOLDS if loss <= said.at_most else Verdict.VIOLATED
    decision = Decision(verdict, tighten(lambda: ball(loss), _LOSS_DIGITS), _LOSS_DIGITS)
    return exactly(decision, "loss", said.at_most)


def _sharpened(claim: Claim, decided: Decided) -> Decided:
    """Enclose the exact value too, for the words, where one bound was enough for the verdict."""
    said, about = claim.asserts, claim.mechanism
    if decided.proof not in rank_one.BOUNDS:
        return decided
    if isinstance(said, Formula):
        assert said.dimension is not None
        point, dimension = PublishedPoint(epsilon=said.epsilon, delta=said.delta), said.dimension
        variance = rank_one.published(point, dimension)
    else:
        assert isinstance(said, Privacy)
        assert isinstance(about, RankOne)
        dimension = about.dimension
        variance = rank_one.variance_of(about, doubled=decided.doubled)
    try:
        value = rank_one.exact_delta(
            epsilon=said.epsilon, dimension=dimension, variance=variance, digits=decided.digits
        )
    except ArithmeticError:
        return decided
    return replace(decided, below=value, above=value) if side(value, decided.bound) else decided
