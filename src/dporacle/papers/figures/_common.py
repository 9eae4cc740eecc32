"""What the figures are computed from."""

from fractions import Fraction

from flint import arb

from dporacle.enclosures.analytic_gaussian import calibrate_sigma, delta_at_epsilon
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.classical_gaussian import classical_sigma

__all__ = ["BITS", "DIGITS", "HALF", "TINIER", "TINY", "middle", "profile_at", "variance_ratio"]

DIGITS = 10
BITS = 256
TINY, TINIER, HALF = Fraction(1, 10**5), Fraction(1, 10**7), Fraction(1, 2)


def middle(value: arb) -> Fraction:
    """An exact number inside a ball, close enough for the digits that are shown."""
    low, high = bounds(value)
    return (low + high) / 2


def profile_at(epsilon: arb | int, mu: int = 1) -> arb:
    eps = middle(epsilon) if isinstance(epsilon, arb) else epsilon
    return delta_at_epsilon(epsilon=eps, sigma=1, sensitivity=mu)


def variance_ratio(epsilon: Fraction, delta: Fraction, *, inverse: bool = False) -> arb:
    exact = calibrate_sigma(epsilon=epsilon, delta=delta)
    classical = classical_sigma(epsilon=epsilon, delta=delta)
    with precision(BITS):
        return (classical / exact if inverse else exact / classical) ** 2
