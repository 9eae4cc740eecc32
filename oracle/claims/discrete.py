"""Enclosures for the discrete Gaussian with any σ² that is rational (X.DG).

With s = 1/2σ² and A_n = Σ_{x≥n} e^{−sx²}, δ(ε) = (A_t − e^ε A_{t+D})/Z for the first integer t
above εσ²/D − D/2. It is not monotone in σ, so that a root of σ² cannot be caught between two
rationals; and e^ε is taken into the exponents, so that no ε is too large.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import flint
from flint import arb

from dporacle.claims.mechanisms import DiscreteGaussian
from dporacle.enclosures._balls import ball, precision, tighten

__all__ = ["almost_zero", "discrete_alpha", "discrete_delta", "discrete_variance"]

_FAR = 10**6  # e to the minus this is below all that a file can state
_MOST_BITS = 1 << 14
_MOST_TERMS = 1 << 22


def almost_zero() -> arb:
    """Return a ball from 0 to far below all that a file can state."""
    with precision(64):
        tiny = arb(2) ** -100_000
        return arb(tiny, tiny)


def _tight(formula: Callable[[], arb], digits: int) -> arb:
    def limited() -> arb:
        if flint.ctx.prec > _MOST_BITS:
            raise ArithmeticError(f"no ball of {digits} digits at {_MOST_BITS} bits")
        return formula()

    return tighten(limited, digits)


def _sums(s: Fraction, first: int, offset: Fraction = Fraction(0)) -> tuple[arb, arb]:
    """Enclose Σ e^{offset−sx²} and Σ x² e^{offset−sx²} over x ≥ first ≥ 1.

    After the term at X come less than term·r^j, r = e^{−s(2X+1)}, j = 1, 2, …; hence less than
    term·r/(1−r) for the first sum, and term·r(X+2)²·2/(1−r)³ for the second.
    """
    term, step = ball(offset - s * first**2).exp(), ball(-2 * s).exp()
    ratio = ball(-s * (2 * first + 1)).exp()
    total, square, tiny = arb(0), arb(0), arb(2) ** -flint.ctx.prec
    for x in range(first, first + _MOST_TERMS):
        total += term
        square += x * x * term
        if ratio < 1:
            rest = (term * ratio * (x + 2) ** 2 * 2 / (1 - ratio) ** 3).upper()
            # A term that is 0 at this precision is no bigger than its radius says.
            if rest <= total.upper() * tiny:
                left = (term * ratio / (1 - ratio)).upper()
                return total + arb(0, left), square + arb(0, rest)
        term *= ratio
        ratio *= step
    raise ArithmeticError("too many terms of the discrete Gaussian")


def discrete_delta(
    *, about: DiscreteGaussian, epsilon: Fraction, doubled: bool, digits: int
) -> arb:
    """Enclose δ(ε).

    Raises:
        ArithmeticError: if it is out of reach.
    """
    distance = about.sensitivity * (2 if doubled else 1)
    first = math.floor(epsilon * about.variance() / distance - Fraction(distance, 2)) + 1
    s = 1 / (2 * about.variance())
    if first > 0 and s * first**2 > _FAR:
        return almost_zero()  # Pr[Y ≥ t] ≤ e^{−st²}, as the noise is σ²-subgaussian

    def formula() -> arb:
        whole = 1 + 2 * _sums(s, 1)[0]
        near = _sums(s, first)[0] if first > 0 else whole - _sums(s, 1 - first)[0]
        return (near - _sums(s, first + distance, epsilon)[0]) / whole

    return _tight(formula, digits)


def discrete_alpha(
    *, about: DiscreteGaussian, accuracy: Fraction, queries: int, digits: int
) -> arb:
    """Enclose Pr[the largest of independent errors > accuracy].

    Raises:
        ArithmeticError: if it is out of reach.
    """
    first, s = math.floor(accuracy) + 1, 1 / (2 * about.variance())
    if s * first**2 > _FAR:
        return almost_zero()

    def formula() -> arb:
        tail = 2 * _sums(s, first)[0] / (1 + 2 * _sums(s, 1)[0])
        return tail if queries == 1 else -(queries * (-tail).log1p()).expm1()

    return _tight(formula, digits)


def discrete_variance(*, about: DiscreteGaussian, digits: int) -> arb:
    """Enclose E[Y²].

    Raises:
        ArithmeticError: if it is out of reach.
    """
    s = 1 / (2 * about.variance())
    if s > _FAR:
        return almost_zero()

    def formula() -> arb:
        total, square = _sums(s, 1)
        return 2 * square / (1 + 2 * total)

    return _tight(formula, digits)
