"""Margins of claims about noise other than Gaussian: rank-one and discrete Gaussian."""

from __future__ import annotations

from fractions import Fraction

from dporacle import enclosures
from dporacle.claims import discrete
from dporacle.claims.assertions import Accuracy, Assertion, Formula, Loss, Privacy
from dporacle.claims.decided import Decided
from dporacle.claims.mechanisms import DiscreteGaussian, Mechanism, PublishedPoint, RankOne
from dporacle.claims.rank_one import published, variance_of
from dporacle.claims.words import bounds_of, compare, round_decimal, scale, with_unit
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import tighten

__all__ = ["describe_discrete", "describe_rank_one"]

_DIGITS = 6
_SHORT_DIGITS = 6
_DELTAS = Fraction(1, 10**12), Fraction(9, 10)
_EPSILONS = Fraction(1, 10**6), Fraction(20)
_MOST_DIMENSION = 10**6
_MOST_SENSITIVITY = 10**6


def describe_rank_one(
    said: Assertion, about: Mechanism | None, decided: Decided
) -> tuple[str, str]:
    """Describe a claim about rank-one noise."""
    if isinstance(said, Loss):
        margin = compare("the expected squared error", decided)
        assert isinstance(about, RankOne)
        most = round_decimal(said.at_most, _SHORT_DIGITS, up=False)
        return margin, f"σ* up to {with_unit(most, _squared(about.unit))} would do"
    assert isinstance(said, Privacy | Formula)
    margin = compare("true δ", decided)
    if isinstance(said, Formula):
        assert said.dimension is not None
        dimension, distance, unit = said.dimension, Fraction(1), "·Δ²"
        variance = published(PublishedPoint(epsilon=said.epsilon, delta=said.delta), dimension)
    else:
        assert isinstance(about, RankOne)
        dimension, unit = about.dimension, _squared(about.unit)
        distance = about.distance_squared() * (4 if decided.doubled else 1)
        variance = variance_of(about, doubled=decided.doubled)
    if decided.doubled:
        margin = f"with twice the sensitivity {margin}"
    if not (_ordinary(said.epsilon, said.delta) and 2 < dimension <= _MOST_DIMENSION):
        return margin, ""  # the root of the exact profile could take minutes
    try:
        least = enclosures.rank_one_private_sigma_star(
            epsilon=said.epsilon, delta=said.delta, dimension=dimension, digits=_DIGITS
        )
        _, ratio = rounding.bounds(least)
        low, _ = bounds_of(tighten(variance, _DIGITS))
    except ArithmeticError:
        return margin, ""
    if low:
        margin = f"{margin}; {scale(ratio / low, 'σ*')}"
    shown = round_decimal(ratio * distance, _SHORT_DIGITS, up=True)
    shown = f"{shown}{unit}" if unit.startswith("·") else with_unit(shown, unit)
    return margin, f"σ* = {shown} would do"


def _ordinary(epsilon: Fraction, delta: Fraction) -> bool:
    """Tell whether a claim is of a size at which roots are found within seconds."""
    return _DELTAS[0] <= delta <= _DELTAS[1] and _EPSILONS[0] <= epsilon <= _EPSILONS[1]


def _squared(unit: str) -> str:
    return f"{unit}²" if unit else ""


def describe_discrete(
    said: Assertion, about: DiscreteGaussian, decided: Decided
) -> tuple[str, str]:
    """Describe a claim about discrete Gaussian noise."""
    if isinstance(said, Loss):
        return compare("the expected squared error", decided), ""
    if isinstance(said, Accuracy):
        margin = compare("the probability of a larger error", decided)
        least = "the error" if said.queries == 1 else "the largest error"
        if said.alpha == 1:
            return margin, ""
        error = discrete.least_error(about=about, alpha=said.alpha, queries=said.queries)
        shown = with_unit(str(error), said.unit)
        return f"{margin}; at this α {least} is at most {shown}", ""
    assert isinstance(said, Privacy)
    margin = compare("true δ", decided)
    if decided.doubled:
        margin = f"with twice the sensitivity {margin}"
    if said.delta in {0, 1}:
        return margin, ""
    distance = about.sensitivity * (2 if decided.doubled else 1)
    sigma = _sufficient(said.epsilon, said.delta, distance)
    shown = with_unit(round_decimal(sigma, _SHORT_DIGITS, up=True), about.unit)
    return margin, f"every σ from {shown} on would do"


def _sufficient(epsilon: Fraction, delta: Fraction, distance: int) -> Fraction:
    """Return a σ from which on every σ is private; the least one where that is soon found."""
    # The zCDP bound e^{−(ε−ρ)²/4ρ}, ρ = Δ²/2σ², is δ at GN.T1's σ; or Pinsker's δ(0) ≤ Δ/2σ.
    sigma = distance / (2 * delta)
    if epsilon:
        zcdp = enclosures.rho_sigma(epsilon=epsilon, delta=delta, sensitivity=distance, digits=9)
        sigma = min(sigma, rounding.bounds(zcdp)[1])
    if distance <= _MOST_SENSITIVITY and _ordinary(epsilon, delta):
        try:
            least = enclosures.discrete_calibrate_sigma(
                epsilon=epsilon, delta=delta, sensitivity=distance, digits=_DIGITS
            )
        except ArithmeticError:
            return sigma
        return rounding.bounds(least)[1]
    return sigma
