"""The discrete Gaussian mechanism of Canonne, Kamath and Steinke 2020 (X.DG).

An integer answer of sensitivity D is released with noise Y of Pr[Y = x] ∝ e^{−x²/2σ²} on the
integers. It is (ε,δ)-DP if and only if (their theorem 7)

    δ(ε) := Pr[Y > εσ²/D − D/2] − e^ε·Pr[Y > εσ²/D + D/2] ≤ δ.

Unlike the continuous mechanism's, this δ(ε) does not always fall as σ rises.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

import mpmath

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.analytic_gaussian import delta_at_epsilon
from dporacle.reference.numerics.lattice import half_sums, normaliser
from dporacle.reference.numerics.log_odds import log_odds, split
from dporacle.reference.numerics.precision import (
    Context,
    Real,
    bits_for,
    freeze,
    once,
    real,
    settle,
    working,
)
from dporacle.reference.numerics.roots import positive_root, scaled

__all__ = [
    "discrete_accuracy",
    "discrete_calibrate_sigma",
    "discrete_delta_at_epsilon",
    "discrete_sigma_at_accuracy",
    "discrete_tail",
    "discrete_variance",
]


_LEAST = mpmath.ldexp(1, -arguments.LIMIT_BITS)


def _first(eps: Fraction, variance: Fraction, distance: int) -> int:
    """The least integer above εσ²/D − D/2."""
    return math.floor(eps * variance / distance - Fraction(distance, 2)) + 1


def discrete_delta_at_epsilon(
    *, epsilon: Exact, sigma: Exact, sensitivity: int = 1, digits: int = 50
) -> Real:
    """Return δ(ε), the smallest δ for which the discrete mechanism is (ε,δ)-DP (X.DG).

    Args:
        epsilon: in [0, ∞).
        sigma: the parameter σ of the noise, in (0, ∞).
        sensitivity: D, from 1 to 10⁶.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, variance = arguments.epsilon(epsilon), arguments.positive("sigma", sigma) ** 2
    distance = arguments.count("sensitivity", sensitivity, most=10**6)
    return settle(lambda ctx: _profile(ctx, eps, variance, distance), arguments.digits(digits))


def _profile(ctx: Context, eps: Fraction, variance: Fraction, distance: int) -> tuple[Real, ...]:
    """The terms Pr[Y ≥ t] and −e^ε Pr[Y ≥ t + D] of δ(ε), the first as 1 − Pr[Y > −t] if t ≤ 0."""
    first = _first(eps, variance, distance)
    norm = normaliser(ctx, variance)[0]
    far = half_sums(ctx, variance, first + distance, eps)[0] / norm
    if first > 0:
        return half_sums(ctx, variance, first)[0] / norm, -far
    return ctx.one, -half_sums(ctx, variance, 1 - first)[0] / norm, -far


def discrete_calibrate_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: int = 1, digits: int = 50
) -> Real:
    """Return the least σ from which on every σ is private (X.DG).

    It is the last σ at which δ(ε) = δ, looked for downwards from the σ at which a bound that falls
    in σ is δ: the zCDP bound e^{−(ε−ρ)²/4ρ}, ρ = D²/2σ², Pinsker's D/2σ, or the continuous δ plus
    b(σ). The steps are short beside the distance of two bends of δ(ε), and the top of each hump is
    asked. The enclosure of the same name proves that no σ was stepped over.

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        sensitivity: D, from 1 to 10⁶.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    distance = arguments.count("sensitivity", sensitivity, most=10**6)
    asked = arguments.digits(digits)
    with working(64) as ctx:
        log = -ctx.log(real(ctx, target))
        # ln δ turns with ε and with ln δ itself: within that part of u = 1/σ.
        sharp = 1 + len(str(int(log + real(ctx, eps))))
        sigma = distance / (2 * real(ctx, target))
        if eps:
            e = real(ctx, eps)
            sigma = min(sigma, distance * (ctx.sqrt(log + e) + ctx.sqrt(log)) / (e * ctx.sqrt(2)))
        private = arguments.exact("sigma", freeze(sigma * (1 + ctx.mpf(2) ** -40)))

    def height(sigma: Fraction, digits: int = 12) -> Fraction:
        value = once(lambda ctx: _profile(ctx, eps, sigma**2, distance), digits)
        # Below every δ that can be asked for.
        return arguments.exact("delta", value) if value > _LEAST else Fraction(0)

    def exceeds(sigma: Fraction, digits: int = 12) -> bool:
        return height(sigma, digits) > target

    following, private = _last_crossing(
        height, _all_private(eps, target, distance, private), eps, target, distance
    )
    for _ in range(4 * sharp):
        middle = (private + following) / 2
        if exceeds(middle):
            following = middle
        else:
            private = middle

    most = _first(eps, following**2, distance) <= 0

    def newton(u: Real, digits: int) -> tuple[Real, Real]:
        """In u = 1/σ."""
        # Far from the bracket, where δ(ε) may turn, nothing is asked.
        variance = 1 / min(max(arguments.exact("u", u), 1 / private), 1 / following) ** 2
        value = once(lambda ctx: _profile(ctx, eps, variance, distance), digits)
        # A step half as long as the digits carried asks no more of its slope.
        with working(2 * digits + 64) as ctx:
            rise = freeze(_slope(ctx, eps, variance, distance, value))  # in s = u²/2
        with working(4 * digits + 64) as ctx:
            x = real(ctx, u)
            d, goal = real(ctx, value), real(ctx, target)
            # Where most of the noise counts, δ is close to linear in s; else its logarithm is.
            residual = (d - goal) / d if most else ctx.log(d / goal)
            return freeze(residual), freeze(x - residual * d / (real(ctx, rise) * x))

    with working(64) as ctx:
        start = freeze(real(ctx, 2 / (private + following)))
    try:
        u = positive_root(newton, start=start, digits=asked + 2, sharp=sharp)
    except ArithmeticError:  # a root beside a bend of δ(ε), which Newton's steps leave
        return _halved(exceeds, following, private, asked)
    return settle(lambda ctx: 1 / real(ctx, u), asked)


def _all_private(eps: Fraction, target: Fraction, distance: int, high: Fraction) -> Fraction:
    """Lower the bound `high` towards the σ at which δ_cont + b is δ: both fall in σ."""

    def private(sigma: Fraction) -> bool:
        smooth = delta_at_epsilon(epsilon=eps, sigma=sigma, sensitivity=distance, digits=15)
        with working(64) as ctx:
            mu = real(ctx, distance / sigma)
            t = real(ctx, eps) / mu - mu / 2
            variation = (4.4 + 2 * mu) * mu + 2 * real(ctx, eps)
            if t >= 1:
                density = ctx.exp(-t * t / 2) / ctx.sqrt(2 * ctx.pi)
                variation = min(variation, mu * density * (4 + mu / t))
            bound = real(ctx, smooth) + variation / (8 * real(ctx, sigma**2))
            return bool(bound <= real(ctx, target) * (1 - ctx.mpf(2) ** -40))

    if not private(high):
        return high
    low = high / 1024
    for _ in range(24):
        middle = (low + high) / 2
        low, high = (low, middle) if private(middle) else (middle, high)
    return high


def _last_crossing(
    height: Callable[[Fraction], Fraction],
    private: Fraction,
    eps: Fraction,
    target: Fraction,
    distance: int,
) -> tuple[Fraction, Fraction]:
    """Return a σ that is not private, and one above it from which on all are."""
    older, before = private, height(private)
    last = before
    while True:
        # δ(ε) bends where εσ²/D − D/2 is an integer. Where 2ε ≤ D it falls across wide noise's.
        # The least step bounds the work.
        share = Fraction(1, 256)
        if 2 * eps > distance:
            share = min(share, max(distance / (32 * eps * private**2), Fraction(1, 2**16)))
        with working(96) as ctx:
            following = arguments.exact("sigma", freeze(real(ctx, private * (1 - share))))
        value = height(following)
        if value > target:
            return following, private
        if before < last > value and height(peak := _peak(height, following, older)) > target:
            return peak, older
        older, before, private, last = private, last, following, value


def _peak(height: Callable[[Fraction], Fraction], low: Fraction, high: Fraction) -> Fraction:
    """Where the only hump in a bracket is highest, to a millionth of its width."""
    first, last = 0, 2**20

    def at(part: int) -> Fraction:
        return low + (high - low) * Fraction(part, 2**20)

    while last - first > 2:
        third = (last - first) // 3
        left, right = first + third, last - third
        if height(at(left)) < height(at(right)):
            first = left
        else:
            last = right
    return at((first + last) // 2)


def _halved(
    exceeds: Callable[[Fraction, int], bool], low: Fraction, high: Fraction, asked: int
) -> Real:
    """The root in a bracket by halving it, each time with all digits."""
    while (high - low) * 10 ** (asked + 2) > high:
        middle = (low + high) / 2
        low, high = (middle, high) if exceeds(middle, asked + 10) else (low, middle)
    return settle(lambda ctx: real(ctx, (low + high) / 2), asked)


def _slope(ctx: Context, eps: Fraction, variance: Fraction, distance: int, value: Real) -> Real:
    """dδ/ds for s = 1/2σ², at a fixed first term (where that changes, its share is zero)."""
    first = _first(eps, variance, distance)
    norm, spread = normaliser(ctx, variance)
    far = half_sums(ctx, variance, first + distance, eps)[1]
    if first > 0:
        near = half_sums(ctx, variance, first)[1]
    else:
        near = spread - half_sums(ctx, variance, 1 - first)[1]
    return (far - near + spread * real(ctx, value)) / norm


def discrete_tail(*, error: int, sigma: Exact, digits: int = 50) -> Real:
    """Return Pr[|Y| > a] (X.DG).

    Args:
        error: a, at least 0.
        sigma: the parameter σ of the noise, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    a, variance = arguments.count("error", error, least=0), arguments.positive("sigma", sigma) ** 2

    return _tail(a, variance, arguments.digits(digits))


def _tail(error: int, variance: Fraction, digits: int) -> Real:
    def formula(ctx: Context) -> Real:
        return 2 * half_sums(ctx, variance, error + 1)[0] / normaliser(ctx, variance)[0]

    return settle(formula, digits)


def discrete_accuracy(*, alpha: Exact, sigma: Exact) -> int:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG).

    Args:
        alpha: significance level, in (0, 1].
        sigma: the parameter σ of the noise, in (0, ∞).

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if α agrees with a tail to some 300 digits.
    """
    level, scale = arguments.alpha(alpha), arguments.positive("sigma", sigma)
    if level == 1:
        return 0

    def exceeds(error: int) -> bool:
        for digits in (20, 80, 320):
            tail = _tail(error, scale**2, digits)
            with working(bits_for(digits) + 24) as ctx:
                gap = real(ctx, tail) / real(ctx, level) - 1
                if abs(gap) > ctx.mpf(10) ** (1 - digits):
                    return bool(gap > 0)
        raise ArithmeticError("alpha cannot be told from a tail")

    low, high = -1, max(1, math.floor(scale))
    while exceeds(high):
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if exceeds(middle) else (low, middle)
    return high


def discrete_sigma_at_accuracy(*, error: int, alpha: Exact, digits: int = 50) -> Real:
    """Return the largest σ with Pr[|Y| > a] ≤ α, which rises with σ (X.DGACC).

    By Newton's method on the log-odds of the tail in ln σ.

    Args:
        error: a, at least 0.
        alpha: significance level, in (0, 1): at 1 every σ does.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    a, level = arguments.count("error", error, least=0), arguments.alpha(alpha)
    asked = arguments.digits(digits)
    if level == 1:
        raise ValueError("alpha must be less than 1, got 1: every sigma has that accuracy")

    def newton(sigma: Real, digits: int) -> tuple[Real, Real]:
        variance = arguments.exact("sigma", sigma) ** 2

        def tail(ctx: Context) -> Real:
            return 2 * half_sums(ctx, variance, a + 1)[0] / normaliser(ctx, variance)[0]

        def inside(ctx: Context) -> tuple[Real, ...]:
            norm = normaliser(ctx, variance)[0]
            return ctx.one, -2 * half_sums(ctx, variance, a + 1)[0] / norm

        upper, lower = split(tail, inside, level, digits)
        with working(2 * digits + 64) as ctx:
            norm, spread = normaliser(ctx, variance)
            square = 2 * half_sums(ctx, variance, a + 1)[1] / norm
            rise = (square - real(ctx, upper) * spread / norm) / real(ctx, variance)
        with working(4 * digits + 64) as ctx:
            odds, slope = log_odds(ctx, upper, lower, level, real(ctx, freeze(rise)))
            x = real(ctx, sigma)
            return freeze(odds), freeze(scaled(ctx, x, -odds / slope))

    with working(64) as ctx:
        # Pr[|Y| > a] is about 2e^{−(a+1/2)²/2σ²} where it is small.
        start = freeze((a + ctx.mpf(1) / 2) / ctx.sqrt(2 * ctx.log(2 / real(ctx, level))))
    return positive_root(newton, start=start, digits=asked)


def discrete_variance(*, sigma: Exact, digits: int = 50) -> Real:
    """Return E[Y²], less than σ² (X.DG).

    Args:
        sigma: the parameter σ of the noise, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    variance = arguments.positive("sigma", sigma) ** 2

    def formula(ctx: Context) -> Real:
        total, square = normaliser(ctx, variance)
        return square / total

    return settle(formula, arguments.digits(digits))
