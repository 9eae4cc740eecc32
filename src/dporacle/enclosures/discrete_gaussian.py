"""Enclosures for the discrete Gaussian mechanism (X.DG).

With s = 1/2σ² and the first integer t above εσ²/D − D/2,
δ(ε) = max over t of (A_t − e^ε A_{t+D})/Z, A_n = Σ_{x≥n} e^{−sx²}, Z = 1 + 2A₁.
The functions with `variance` take any σ² that is a fraction, whose root need not be one.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten
from dporacle.enclosures.arithmetic.roots import decreasing_root
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.discrete.lattice import half_sums, normaliser
from dporacle.enclosures.discrete.root import least_private

__all__ = [
    "discrete_accuracy",
    "discrete_calibrate_sigma",
    "discrete_delta_at_epsilon",
    "discrete_sigma_at_accuracy",
    "discrete_tail",
    "discrete_variance",
    "profile_of_variance",
    "square_of_variance",
    "tail_of_variance",
]

_MOST_SENSITIVITY = 10**6
_GUARD = 64


def discrete_delta_at_epsilon(
    *, epsilon: Exact, sigma: Exact, sensitivity: int = 1, digits: int = 50
) -> arb:
    """Enclose δ(ε), the smallest δ for which the discrete mechanism is (ε,δ)-DP (X.DG).

    Args:
        epsilon: in [0, ∞).
        sigma: the parameter σ of the noise, in (0, ∞).
        sensitivity: D, from 1 to 10⁶.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, variance = arguments.epsilon(epsilon), arguments.positive("sigma", sigma) ** 2
    distance = arguments.count("sensitivity", sensitivity, most=_MOST_SENSITIVITY)
    return profile_of_variance(eps, variance, distance, arguments.digits(digits))


def profile_of_variance(eps: Fraction, variance: Fraction, distance: int, digits: int) -> arb:
    """Enclose δ(ε) at any rational σ²."""
    first = math.floor(eps * variance / distance - Fraction(distance, 2)) + 1

    def formula() -> arb:
        s = ball(1 / (2 * variance))
        whole = normaliser(s)[0]
        near = half_sums(s, first)[0] if first > 0 else whole - half_sums(s, 1 - first)[0]
        # First above −D/2, so that both sums begin above 0 where this is used.
        return (near - half_sums(s, first + distance, ball(eps))[0]) / whole

    # e^{−st²} is known to as many bits as are left of its exponent.
    size = Fraction(max(first, 1) ** 2) / variance + eps
    return tighten(formula, digits, spare=_bits(size) + _bits(variance))


def _bits(value: Fraction) -> int:
    return max(0, value.numerator.bit_length() - value.denominator.bit_length())


def discrete_calibrate_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: int = 1, digits: int = 50
) -> arb:
    """Enclose the least σ from which on every σ is private (X.DG): a proof over all of them.

    From a σ beyond which all are private, by a bound that falls in σ, boxes of σ are proved
    private downwards by the mean value theorem, until δ(ε) is proved to rise through δ.

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        sensitivity: D, from 1 to 10⁶.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if δ is so close to a turn of δ(ε) that the boxes do not tell.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    distance = arguments.count("sensitivity", sensitivity, most=_MOST_SENSITIVITY)
    return least_private(eps, target, distance, arguments.digits(digits))


def discrete_tail(*, error: int, sigma: Exact, digits: int = 50) -> arb:
    """Enclose Pr[|Y| > a] (X.DG).

    Args:
        error: a, at least 0.
        sigma: the parameter σ of the noise, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    a, scale = arguments.count("error", error, least=0), arguments.positive("sigma", sigma)
    return tail_of_variance(a, scale**2, arguments.digits(digits))


def tail_of_variance(error: int, variance: Fraction, digits: int) -> arb:
    """Enclose Pr[|Y| > a] at any rational σ²."""

    def formula() -> arb:
        s = ball(1 / (2 * variance))
        return 2 * half_sums(s, error + 1)[0] / normaliser(s)[0]

    return tighten(formula, digits, spare=_bits((error + 1) ** 2 / variance))


def discrete_accuracy(*, alpha: Exact, sigma: Exact) -> int:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG).

    Args:
        alpha: significance level, in (0, 1].
        sigma: the parameter σ of the noise, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if α agrees with a tail to some 300 digits.
    """
    level, variance = arguments.alpha(alpha), arguments.positive("sigma", sigma) ** 2
    if level == 1:
        return 0

    def exceeds(a: int) -> bool:
        for digits in (20, 80, 320):
            value = tail_of_variance(a, variance, digits)
            with precision(value.bits() + level.denominator.bit_length() + _GUARD):
                if value < ball(level):
                    return False
                if value > ball(level):
                    return True
        raise ArithmeticError("alpha cannot be told from a tail")

    # Pr[|Y| ≥ a] ≤ 2e^{−a²/2σ²}: it is σ²-subgaussian.
    with precision(_bits(variance) + _GUARD):
        reach = (2 * ball(variance) * (2 / ball(level)).log()).sqrt().upper()
        low, high = -1, math.ceil(bounds(reach)[1])
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return high


def discrete_sigma_at_accuracy(*, error: int, alpha: Exact, digits: int = 50) -> arb:
    """Enclose the largest σ with Pr[|Y| > a] ≤ α (X.DGACC).

    Args:
        error: a, at least 0.
        alpha: significance level, in (0, 1): at 1 every σ does.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    a, level = arguments.count("error", error, least=0), arguments.alpha(alpha)
    asked = arguments.digits(digits)
    if level == 1:
        raise ValueError("alpha must be less than 1, got 1: every sigma has that accuracy")

    def profile(y: arb) -> tuple[arb, arb, arb]:
        """The tail, the rest and the tail's slope in y = ln s, s = 1/2σ²."""
        s = y.exp()
        norm, spread = normaliser(s)
        tail, square = (2 * each / norm for each in half_sums(s, a + 1))
        return tail, 1 - tail, s * (tail * spread / norm - square)

    with precision(_GUARD):
        # Pr[|Y| > a] is about 2e^{−s(a+1/2)²} where it is small.
        start = ((2 / ball(level)).log() / (a + arb(1) / 2) ** 2).log().mid()
    low, high = decreasing_root(
        profile,
        target=level,
        start=start,
        scale=lambda y: arb(1),  # the log-odds of the tail are close to linear in s or in ln s
        tolerance=lambda y: arb(10) ** -(asked + 1),
    )
    with precision(bits_for(asked) + _GUARD):
        return ((-low / 2).exp() / arb(2).sqrt()).union((-high / 2).exp() / arb(2).sqrt())


def discrete_variance(*, sigma: Exact, digits: int = 50) -> arb:
    """Enclose E[Y²], less than σ² (X.DG).

    Args:
        sigma: the parameter σ of the noise, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    return square_of_variance(arguments.positive("sigma", sigma) ** 2, arguments.digits(digits))


def square_of_variance(variance: Fraction, digits: int) -> arb:
    """Enclose E[Y²] at any rational σ²."""

    def formula() -> arb:
        total, square = normaliser(ball(1 / (2 * variance)))
        return square / total

    return tighten(formula, digits, spare=_bits(1 / variance))
