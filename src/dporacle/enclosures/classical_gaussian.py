"""Enclosures for the classical calibration of the Gaussian mechanism (BW18.T1)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, tighten

__all__ = ["classical_sigma"]


def classical_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose σ = D√(2 ln(1.25/δ))/ε (BW18.T1), evaluated for every ε > 0.

    Args:
        epsilon: in (0, ∞); the theorem speaks of ε ≤ 1.
        delta: in (0, 1).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    distance = arguments.positive("sensitivity", sensitivity)

    def formula() -> arb:
        return (2 * ball(Fraction(5, 4) / target).log()).sqrt() * ball(distance / eps)

    return tighten(formula, arguments.digits(digits))
