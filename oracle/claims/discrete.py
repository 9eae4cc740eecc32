"""What claims ask of discrete Gaussian noise, for any σ² that is rational (X.DG).

Its δ(ε) is not monotone in σ, so that a root of σ² cannot be caught between two rationals.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from dporacle.claims.mechanisms import DiscreteGaussian
from dporacle.enclosures import discrete_gaussian
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten

__all__ = ["almost_zero", "discrete_alpha", "discrete_delta", "discrete_variance", "least_error"]

_FAR = 10**6  # e to the minus this is below all that a file can state
_ERROR_DIGITS = 30
_REACH_BITS = 256


def almost_zero() -> arb:
    """Return a ball from 0 to far below all that a file can state."""
    with precision(64):
        tiny = arb(2) ** -100_000
        return arb(tiny, tiny)


def discrete_delta(
    *, about: DiscreteGaussian, epsilon: Fraction, doubled: bool, digits: int
) -> arb:
    """Enclose δ(ε).

    Raises:
        ArithmeticError: if it is out of reach.
    """
    distance, variance = about.sensitivity * (2 if doubled else 1), about.variance()
    first = math.floor(epsilon * variance / distance - Fraction(distance, 2)) + 1
    if first > 0 and first**2 > 2 * _FAR * variance:
        return almost_zero()  # Pr[Y ≥ t] ≤ e^{−t²/2σ²}, as the noise is σ²-subgaussian
    return discrete_gaussian.profile_of_variance(epsilon, variance, distance, digits)


def discrete_alpha(
    *, about: DiscreteGaussian, accuracy: Fraction, queries: int, digits: int
) -> arb:
    """Enclose Pr[the largest of independent errors > accuracy].

    Raises:
        ArithmeticError: if it is out of reach.
    """
    error, variance = math.floor(accuracy), about.variance()
    if (error + 1) ** 2 > 2 * _FAR * variance:
        return almost_zero()
    if queries == 1:
        return discrete_gaussian.tail_of_variance(error, variance, digits)
    # 1 − (1 − tail)^k is concave in the tail and 0 at 0: no relative error of the tail grows.
    tail = discrete_gaussian.tail_of_variance(error, variance, digits + 4)
    return tighten(lambda: -(queries * (-tail).log1p()).expm1(), digits)


def least_error(*, about: DiscreteGaussian, alpha: Fraction, queries: int) -> int:
    """Return the least integer that the largest error exceeds with probability ≤ α.

    It is larger where 30 digits do not tell a probability from α, as for an α next to 1.

    Raises:
        ArithmeticError: if it is out of reach.
    """

    def may_exceed(error: int) -> bool:
        found = discrete_alpha(
            about=about, accuracy=Fraction(error), queries=queries, digits=_ERROR_DIGITS
        )
        return rounding.side(found, alpha) >= 0  # what is not told apart is not promised

    # Pr[|Y| ≥ a] ≤ 2e^{−a²/2σ²}, as the noise is σ²-subgaussian; the rest is the union bound.
    with precision(_REACH_BITS):
        reach = (2 * ball(about.variance()) * (2 * queries / ball(alpha)).log()).sqrt()
        low, high = -1, math.ceil(rounding.bounds(reach)[1])
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if may_exceed(middle) else (low, middle)
    return high


def discrete_variance(*, about: DiscreteGaussian, digits: int) -> arb:
    """Enclose E[Y²].

    Raises:
        ArithmeticError: if it is out of reach.
    """
    if 2 * _FAR * about.variance() < 1:
        return almost_zero()
    return discrete_gaussian.square_of_variance(about.variance(), digits)
