"""Enclosures for the discrete Gaussian mechanism (X.DG).

With s = 1/2σ² and the first integer t above εσ²/D − D/2,
δ(ε) = max over t of (A_t − e^ε A_{t+D})/Z, A_n = Σ_{x≥n} e^{−sx²}, Z = 1 + 2A₁.
The functions with `variance` take any σ² that is a fraction, whose root need not be one.
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten
from dporacle.enclosures.arithmetic.roots import decreasing_root
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.discrete.lattice import half_sums, normaliser
from dporacle.enclosures.discrete.root import least_private
from dporacle.interface import witness

_GUARD = 64  # so that a few operations are rounded far below the digits asked for


@witness
def discrete_delta_at_epsilon(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: int, digits: int
) -> arb:
    """Enclose δ(ε), the smallest δ for which the discrete mechanism is (ε,δ)-DP (X.DG)."""
    variance = sigma**2
    return profile_of_variance(epsilon, variance, sensitivity, digits)


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


@witness
def discrete_calibrate_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: int, digits: int
) -> arb:
    """Enclose the least σ such that every larger σ is private too (X.DG): a proof over all of them.

    From a σ beyond which all are private, by a bound that falls in σ, boxes of σ are proved
    private downwards by the mean value theorem, until δ(ε) is proved to rise through δ.

    Raises:
        ArithmeticError: if δ is so close to a turn of δ(ε) that the boxes do not tell.
    """
    return least_private(epsilon, delta, sensitivity, digits)


@witness
def discrete_tail(*, error: int, sigma: Fraction, digits: int) -> arb:
    """Enclose Pr[|Y| > a] (X.DG)."""
    return tail_of_variance(error, sigma**2, digits)


def tail_of_variance(error: int, variance: Fraction, digits: int) -> arb:
    """Enclose Pr[|Y| > a] at any rational σ²."""

    def formula() -> arb:
        s = ball(1 / (2 * variance))
        return 2 * half_sums(s, error + 1)[0] / normaliser(s)[0]

    return tighten(formula, digits, spare=_bits((error + 1) ** 2 / variance))


@witness
def discrete_accuracy(*, alpha: Fraction, sigma: Fraction) -> int:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG).

    Raises:
        ArithmeticError: if α agrees with a tail to some 300 digits.
    """
    variance = sigma**2
    if alpha == 1:
        return 0

    def exceeds(a: int) -> bool:
        for digits in (20, 80, 320):
            value = tail_of_variance(a, variance, digits)
            with precision(value.bits() + alpha.denominator.bit_length() + _GUARD):
                if value < ball(alpha):
                    return False
                if value > ball(alpha):
                    return True
        raise ArithmeticError("alpha cannot be told from a tail")

    # Pr[|Y| ≥ a] ≤ 2e^{−a²/2σ²}: it is σ²-subgaussian.
    with precision(_bits(variance) + _GUARD):
        reach = (2 * ball(variance) * (2 / ball(alpha)).log()).sqrt().upper()
        low, high = -1, math.ceil(bounds(reach)[1])
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return high


@witness
def discrete_sigma_at_accuracy(*, error: int, alpha: Fraction, digits: int) -> arb:
    """Enclose the largest σ with Pr[|Y| > a] ≤ α (X.DGACC)."""

    def profile(y: arb) -> tuple[arb, arb, arb]:
        """The tail, the rest and the tail's slope in y = ln s, s = 1/2σ²."""
        s = y.exp()
        norm, spread = normaliser(s)
        tail, square = (2 * each / norm for each in half_sums(s, error + 1))
        return tail, 1 - tail, s * (tail * spread / norm - square)

    with precision(_GUARD):
        # Pr[|Y| > a] is about 2e^{−s(a+1/2)²} where it is small.
        start = ((2 / ball(alpha)).log() / (error + arb(1) / 2) ** 2).log().mid()
    low, high = decreasing_root(
        profile,
        target=alpha,
        start=start,
        scale=lambda y: arb(1),  # the log-odds of the tail are close to linear in s or in ln s
        tolerance=lambda y: arb(10) ** -(digits + 1),
    )
    with precision(bits_for(digits) + _GUARD):
        return ((-low / 2).exp() / arb(2).sqrt()).union((-high / 2).exp() / arb(2).sqrt())


@witness
def discrete_variance(*, sigma: Fraction, digits: int) -> arb:
    """Enclose E[Y²], less than σ² (X.DG)."""
    return square_of_variance(sigma**2, digits)


def square_of_variance(variance: Fraction, digits: int) -> arb:
    """Enclose E[Y²] at any rational σ²."""

    def formula() -> arb:
        total, square = normaliser(ball(1 / (2 * variance)))
        return square / total

    return tighten(formula, digits, spare=_bits(1 / variance))
