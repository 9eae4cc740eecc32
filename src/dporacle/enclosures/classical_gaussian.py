"""Enclosures for the classical calibration of the Gaussian mechanism (BW18.T1)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.interface import witness


@witness
def classical_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose σ = D√(2 ln(1.25/δ))/ε (BW18.T1), evaluated for every ε > 0."""

    def formula() -> arb:
        return (2 * ball(Fraction(5, 4) / delta).log()).sqrt() * ball(sensitivity / epsilon)

    return tighten(formula, digits)
