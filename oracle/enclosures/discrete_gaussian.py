"""Enclosures for the discrete Gaussian mechanism (X.DG).

With s = 1/2σ² and the first integer t above εσ²/D − D/2,
δ(ε) = max over t of (A_t − e^ε A_{t+D})/Z, A_n = Σ_{x≥n} e^{−sx²}, Z = 1 + 2A₁.
"""

from __future__ import annotations

import math
from fractions import Fraction

import flint
from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures._balls import ball, bits_for, precision, tighten
from dporacle.enclosures.rounding import bounds

__all__ = [
    "discrete_accuracy",
    "discrete_calibrate_sigma",
    "discrete_delta_at_epsilon",
    "discrete_tail",
    "discrete_variance",
]

MAX_SIGMA = 10**4
_MAX_BOXES = 20_000


def _sigma(value: Exact) -> Fraction:
    sigma = arguments.positive("sigma", value)
    if sigma > MAX_SIGMA:
        raise ValueError(f"sigma must be at most {MAX_SIGMA}, got {arguments.show(value)}")
    return sigma


def _sums(s: arb, first: int) -> tuple[arb, arb]:
    """Enclose Σ e^{−sx²} and Σ x² e^{−sx²} over x ≥ first.

    After the term at X ≥ 1 come less than term·r^j, r = e^{−s(2X+1)}, j = 1, 2, …; hence less than
    term·r/(1−r) for the first sum, and term·r(X+2)²·2/(1−r)³ for the second.
    """
    x = first
    term, ratio, step = (-s * x * x).exp(), (-s * (2 * x + 1)).exp(), (-2 * s).exp()
    total, square = arb(0), arb(0)
    tiny = arb(2) ** -flint.ctx.prec
    while True:
        total += term
        square += x * x * term
        if x >= 1 and ratio < 1:
            rest = (term * ratio * (x + 2) ** 2 * 2 / (1 - ratio) ** 3).upper()
            if rest < total * tiny or x > first + (1 << 24):
                left = (term * ratio / (1 - ratio)).upper()
                return total + arb(0, left), square + arb(0, rest)
        term *= ratio
        ratio *= step
        x += 1


def _first(eps: Fraction, variance: Fraction, distance: int) -> int:
    return math.floor(eps * variance / distance - Fraction(distance, 2)) + 1


def _at(eps: Fraction, s: arb, first: int, distance: int) -> tuple[arb, arb]:
    """(A_t − e^ε A_{t+D})/Z and its derivative in s."""
    whole, spread = _sums(s, 1)
    norm = 1 + 2 * whole
    (near, near_square), (far, far_square) = _sums(s, first), _sums(s, first + distance)
    e = ball(eps).exp()
    value = (near - e * far) / norm
    return value, (e * far_square - near_square + 2 * spread * value) / norm


def discrete_delta_at_epsilon(
    *, epsilon: Exact, sigma: Exact, sensitivity: int = 1, digits: int = 50
) -> arb:
    """Enclose δ(ε), the smallest δ for which the discrete mechanism is (ε,δ)-DP (X.DG).

    Args:
        epsilon: in [0, ∞).
        sigma: the parameter σ of the noise, in (0, 10⁴].
        sensitivity: D, from 1 to 10⁶.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, variance = arguments.epsilon(epsilon), _sigma(sigma) ** 2
    distance = arguments.count("sensitivity", sensitivity, most=10**6)
    first = _first(eps, variance, distance)
    return tighten(
        lambda: _at(eps, ball(1 / (2 * variance)), first, distance)[0], arguments.digits(digits)
    )


def discrete_calibrate_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: int = 1, digits: int = 50
) -> arb:
    """Enclose the least σ from which on every σ is private (X.DG): a proof over all of them.

    From the σ at which the zCDP bound (or Pinsker's) is δ, private beyond, boxes of σ are proved
    private downwards by the mean value theorem, each as large as it can be, until they have
    shrunk to 10^-digits; just below the last one, one σ is proved not private.

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        sensitivity: D, from 1 to 10⁶.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number, or if σ could be
            above 10⁴.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    distance = arguments.count("sensitivity", sensitivity, most=10**6)
    asked = arguments.digits(digits)
    bits = 2 * bits_for(asked) + 128
    with precision(bits):
        log = -ball(target).log()
        high = distance / (2 * ball(target))
        if eps:
            zcdp = distance * ((log + ball(eps)).sqrt() + log.sqrt()) / (ball(eps) * arb(2).sqrt())
            high = min(high, zcdp, key=lambda each: float(each.mid()))
        if high > MAX_SIGMA:
            raise ValueError(f"sigma could be above {MAX_SIGMA} at this epsilon and delta")
        # s rises as σ falls: [0, s] is private throughout.
        s = (1 / (2 * high * high)).lower()
        step, finest = arb(1) / 16, arb(10) ** -(asked + 2)
        for _ in range(_MAX_BOXES):
            following = (s * (1 + step)).mid()
            if _private_between(eps, target, distance, s, following):
                s, step = following, step * 2 if step < 0.1 else step
                continue
            if step < finest and _not_private(eps, target, distance, following):
                return (1 / (2 * following).sqrt()).union(1 / (2 * s).sqrt())
            step = (step / 2).mid()
    raise ArithmeticError("the discrete Gaussian's calibration needs too many boxes")


def _firsts(eps: Fraction, s: arb, distance: int) -> range:
    """The first integers t that occur for a ball of s."""
    centre = ball(eps) / (2 * s * distance) - arb(distance) / 2
    low, high = bounds(centre)
    return range(math.floor(low) + 1, math.floor(high) + 2)


def _private_between(eps: Fraction, target: Fraction, distance: int, low: arb, high: arb) -> bool:
    """Prove δ(ε) < δ over an interval of s."""
    middle, radius = ((low + high) / 2).mid(), ((high - low) / 2).upper()
    box = middle + arb(0, radius)
    for first in _firsts(eps, box, distance):
        slope = _at(eps, box, first, distance)[1]
        value = _at(eps, middle, first, distance)[0]
        if not value + abs(slope) * radius < ball(target):
            return False
    return True


def _not_private(eps: Fraction, target: Fraction, distance: int, s: arb) -> bool:
    return any(
        _at(eps, s, first, distance)[0] > ball(target) for first in _firsts(eps, s, distance)
    )


def discrete_tail(*, error: int, sigma: Exact, digits: int = 50) -> arb:
    """Enclose Pr[|Y| > a] (X.DG).

    Args:
        error: a, at least 0.
        sigma: the parameter σ of the noise, in (0, 10⁴].
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    a, variance = arguments.count("error", error, least=0), _sigma(sigma) ** 2

    def formula() -> arb:
        s = ball(1 / (2 * variance))
        return 2 * _sums(s, a + 1)[0] / (1 + 2 * _sums(s, 1)[0])

    return tighten(formula, arguments.digits(digits))


def discrete_accuracy(*, alpha: Exact, sigma: Exact) -> int:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG).

    Args:
        alpha: significance level, in (0, 1].
        sigma: the parameter σ of the noise, in (0, 10⁴].

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if α agrees with a tail to 40 digits.
    """
    level, scale = arguments.alpha(alpha), _sigma(sigma)

    def exceeds(a: int) -> bool:
        low, high = bounds(discrete_tail(error=a, sigma=scale, digits=40))
        if low <= level < high:
            raise ArithmeticError("alpha cannot be told from a tail")
        return low > level

    low, high = -1, 1
    while exceeds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return high


def discrete_variance(*, sigma: Exact, digits: int = 50) -> arb:
    """Enclose E[Y²], less than σ² (X.DG).

    Args:
        sigma: the parameter σ of the noise, in (0, 10⁴].
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    variance = _sigma(sigma) ** 2

    def formula() -> arb:
        total, square = _sums(ball(1 / (2 * variance)), 1)
        return 2 * square / (1 + 2 * total)

    return tighten(formula, arguments.digits(digits))
