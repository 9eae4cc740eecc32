"""How far off a claim is, and what would do, in words a person understands."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from dporacle import enclosures
from dporacle.claims import noise_margins, quantities
from dporacle.claims.assertions import (
    INEQUALITIES,
    Accuracy,
    Conversion,
    Formula,
    FormulaRange,
    GivenGdp,
    Inequality,
    Loss,
    Privacy,
)
from dporacle.claims.conversions import AT_ORDER, PINSKER, given_mu_squared, proved_epsilon
from dporacle.claims.decided import NOTHING, Decided
from dporacle.claims.inequalities import VACUOUS
from dporacle.claims.mechanisms import Composition, DiscreteGaussian, RankOne, Release
from dporacle.claims.model import Claim
from dporacle.claims.ranges import describe_range
from dporacle.claims.words import compare, round_decimal, scale, span, with_unit
from dporacle.enclosures.arithmetic import rounding
from dporacle.verdicts import Verdict

__all__ = ["describe"]

_DIGITS = 20
_SIGMA_DIGITS = 17  # of a σ that is shown
_SHORT_DIGITS = 6


def describe(claim: Claim, decided: Decided) -> tuple[str, str]:
    """Return how far off a claim is, and the noise that is its limit, in words."""
    said, about = claim.asserts, claim.mechanism
    if decided.proof == NOTHING:
        return "nothing is proved", ""
    if isinstance(said, Inequality):
        return _describe_inequality(said, decided), ""
    if isinstance(said, FormulaRange):
        return describe_range(decided), ""
    if isinstance(said, Conversion):
        return _describe_conversion(said, decided)
    if isinstance(about, RankOne) or (isinstance(said, Formula) and said.dimension is not None):
        return noise_margins.describe_rank_one(said, about, decided)
    if isinstance(about, DiscreteGaussian):
        return noise_margins.describe_discrete(said, about, decided)
    if isinstance(said, Formula):
        return _describe_formula(said, decided)
    if isinstance(said, Privacy):
        assert about is not None
        return _describe_privacy(said, about, decided)
    assert not isinstance(about, Composition)
    assert about is not None
    if isinstance(said, Accuracy):
        return _describe_accuracy(said, about.variance(), decided)
    return _describe_loss(said, about.variance(), decided)


def _describe_inequality(said: Inequality, decided: Decided) -> str:
    _, text = INEQUALITIES[said.statement]
    if decided.proof == VACUOUS:
        return f"{text}: δ is above that, so that nothing is said"
    return f"{text}: {compare('the left side', decided, 'the right side')}"


def _describe_conversion(said: Conversion, decided: Decided) -> tuple[str, str]:
    mu = quantities.root_bounds(given_mu_squared(said), _DIGITS)
    exact = isinstance(said.given, GivenGdp)
    if decided.verdict is Verdict.VIOLATED:
        margin = compare("δ of the Gaussian mechanism with this parameter", _only_below(decided))
    elif exact or said.delta in {0, 1}:
        margin = compare("true δ", decided)
    else:
        ends = span(decided)
        shown = round_decimal(ends[1] or Fraction(1), 6, up=True)
        low = round_decimal(ends[0], 6, up=False)
        name = PINSKER if decided.witness is None else f"{AT_ORDER} at order "
        if decided.witness is not None:
            name += round_decimal(decided.witness, 4, up=True)
        margin = f"{name} proves δ = {shown}, the Gaussian mechanism has {low}"
    if said.delta in {0, 1}:
        return margin, ""
    least, most = (
        rounding.bounds(
            enclosures.epsilon_at_delta(delta=said.delta, sigma=1, sensitivity=each, digits=_DIGITS)
        )
        for each in mu
    )
    if exact:
        return margin, f"ε = {round_decimal(most[1], _SHORT_DIGITS, up=True)} would do"
    none = f"no ε below {round_decimal(least[0], _SHORT_DIGITS, up=False)} would do"
    proved = proved_epsilon(said)
    if proved == 0:
        return margin, "every ε would do"
    if proved is None:
        return margin, none
    return margin, f"ε = {round_decimal(proved, _SHORT_DIGITS, up=True)} would do, {none}"


def _only_below(decided: Decided) -> Decided:
    return replace(decided, above=decided.below)


def _describe_formula(said: Formula, decided: Decided) -> tuple[str, str]:
    margin, unit = compare("true δ", decided), _least_unit(said)
    _, mu_squared = quantities.formula_mu_squared(said, _DIGITS)
    _, mu = quantities.root_bounds(mu_squared, _DIGITS)
    if decided.verdict is not Verdict.UNDECIDED:
        margin = f"{margin}; {scale(unit * mu)}"
    return margin, f"σ = {round_decimal(unit, _SIGMA_DIGITS, up=True)}·Δ would do"


def _least_unit(said: Privacy | Formula) -> Fraction:
    """Return the least σ for sensitivity 1, rounded up."""
    sigma = enclosures.calibrate_sigma(epsilon=said.epsilon, delta=said.delta, digits=_DIGITS)
    return rounding.bounds(sigma)[1]


def _describe_privacy(
    said: Privacy, about: Release | Composition, decided: Decided
) -> tuple[str, str]:
    margin, doubled = compare("true δ", decided), decided.doubled
    if said.delta == 0:
        return f"{margin} for Gaussian noise", ""
    if said.delta == 1:
        return f"{margin}; with δ = 1 every σ would do", ""
    unit, times = _least_unit(said), 4 if doubled else 1
    _, mu = quantities.root_bounds(about.mu_squared() * times, _DIGITS)
    if decided.verdict is not Verdict.UNDECIDED or doubled:
        margin = f"{margin}; {scale(unit * mu)}"
    if isinstance(about, Composition):
        if doubled:
            margin = f"with twice the sensitivities {margin}"
        return margin, f"every σ × {round_decimal(unit * mu, _SIGMA_DIGITS, up=True)} would do"
    _, distance = quantities.root_bounds(about.distance_squared() * times, _DIGITS)
    sigma = round_decimal(unit * distance, _SIGMA_DIGITS, up=True)
    if doubled:
        margin = f"with twice the sensitivity {margin}"
    return margin, f"σ = {with_unit(sigma, about.unit)} would do"


def _describe_accuracy(said: Accuracy, variance: Fraction, decided: Decided) -> tuple[str, str]:
    margin = compare("the probability of a larger error", decided)
    if said.alpha == 1:
        return margin, ""
    _, sigma = quantities.root_bounds(variance, _DIGITS)
    if said.queries == 1:
        quantile = enclosures.accuracy(alpha=said.alpha, sigma=1, digits=_DIGITS)
        error = "the error"
    else:
        quantile = enclosures.max_error_quantile(
            queries=said.queries, beta=said.alpha, sigma=1, digits=_DIGITS
        )
        error = "the largest error"
    _, most = rounding.bounds(quantile)
    shown = with_unit(round_decimal(most * sigma, _SHORT_DIGITS, up=True), said.unit)
    margin = f"{margin}; at this α {error} is at most {shown}"
    if said.at_most == 0:
        return margin, ""
    shown = round_decimal(said.at_most / most, _SIGMA_DIGITS, up=False)
    return margin, f"σ up to {with_unit(shown, said.unit)} would do"


def _describe_loss(said: Loss, variance: Fraction, decided: Decided) -> tuple[str, str]:
    margin = compare("the expected squared error", decided)
    if said.at_most == 0:
        return margin, ""
    most, _ = quantities.root_bounds(said.at_most / said.dimension, _DIGITS)
    shown = round_decimal(most, _SIGMA_DIGITS, up=False)
    return margin, f"σ up to {with_unit(shown, said.unit)} would do"
