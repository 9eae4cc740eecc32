"""The discrete Gaussian mechanism of Canonne, Kamath and Steinke 2020 (X.DG).

An integer answer of sensitivity D is released with noise Y of Pr[Y = x] ∝ e^{−x²/2σ²} on the
integers. It is (ε,δ)-DP if and only if (their theorem 7)

    δ(ε) := Pr[Y > εσ²/D − D/2] − e^ε·Pr[Y > εσ²/D + D/2] ≤ δ.

Unlike the continuous mechanism's, this δ(ε) does not always fall as σ rises.
"""

from __future__ import annotations

import math
from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference._precision import Context, Real, freeze, once, real, settle, working
from dporacle.reference._roots import positive_root

__all__ = [
    "discrete_accuracy",
    "discrete_calibrate_sigma",
    "discrete_delta_at_epsilon",
    "discrete_tail",
    "discrete_variance",
]

MAX_SIGMA = 10**4


def _sigma(value: Exact) -> Fraction:
    sigma = arguments.positive("sigma", value)
    if sigma > MAX_SIGMA:
        raise ValueError(f"sigma must be at most {MAX_SIGMA}, got {arguments.show(value)}")
    return sigma


def _sums(ctx: Context, variance: Fraction, first: int) -> tuple[Real, Real]:
    """Σ e^{−x²/2σ²} and Σ x² e^{−x²/2σ²} over x ≥ first.

    From x ≥ 1 on, the terms fall faster than a geometric series of ratio r = e^{−(2x+1)/2σ²}, so
    that what follows a term is below it by the factor r/(1−r).
    """
    v = real(ctx, 2 * variance)
    x = first
    term, ratio, step = ctx.exp(-x * x / v), ctx.exp(-(2 * x + 1) / v), ctx.exp(-2 / v)
    total = square = ctx.zero
    while True:
        total += term
        square += x * x * term
        if x >= 1 and term * ratio * (x + 2) ** 2 < ctx.ldexp(total, -ctx.prec) * (1 - ratio) ** 3:
            return total, square
        term *= ratio
        ratio *= step
        x += 1


def _first(eps: Fraction, variance: Fraction, distance: int) -> int:
    """The least integer above εσ²/D − D/2."""
    return math.floor(eps * variance / distance - Fraction(distance, 2)) + 1


def discrete_delta_at_epsilon(
    *, epsilon: Exact, sigma: Exact, sensitivity: int = 1, digits: int = 50
) -> Real:
    """Return δ(ε), the smallest δ for which the discrete mechanism is (ε,δ)-DP (X.DG).

    Args:
        epsilon: in [0, ∞).
        sigma: the parameter σ of the noise, in (0, 10⁴].
        sensitivity: D, from 1 to 10⁶.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, variance = arguments.epsilon(epsilon), _sigma(sigma) ** 2
    distance = arguments.count("sensitivity", sensitivity, most=10**6)
    return settle(lambda ctx: _profile(ctx, eps, variance, distance), arguments.digits(digits))


def _profile(ctx: Context, eps: Fraction, variance: Fraction, distance: int) -> tuple[Real, Real]:
    first = _first(eps, variance, distance)
    norm = 1 + 2 * _sums(ctx, variance, 1)[0]
    near, far = (_sums(ctx, variance, n)[0] / norm for n in (first, first + distance))
    return near, -ctx.exp(real(ctx, eps)) * far


def discrete_calibrate_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: int = 1, digits: int = 50
) -> Real:
    """Return the least σ from which on every σ is private (X.DG).

    It is the last σ at which δ(ε) = δ, looked for downwards, in steps of 1/256, from the σ at
    which the zCDP bound e^{−(ε−ρ)²/4ρ}, ρ = D²/2σ², or Pinsker's D/2σ, is δ. The enclosure of the
    same name proves that no σ was stepped over.

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        sensitivity: D, from 1 to 10⁶.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number, or if σ could be
            above 10⁴.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    distance = arguments.count("sensitivity", sensitivity, most=10**6)
    asked = arguments.digits(digits)
    with working(64) as ctx:
        log = -ctx.log(real(ctx, target))
        sigma = distance / (2 * real(ctx, target))
        if eps:
            e = real(ctx, eps)
            sigma = min(sigma, distance * (ctx.sqrt(log + e) + ctx.sqrt(log)) / (e * ctx.sqrt(2)))
        if sigma > MAX_SIGMA:
            raise ValueError(f"sigma could be above {MAX_SIGMA} at this epsilon and delta")
        private = arguments.exact("sigma", freeze(sigma * (1 + ctx.mpf(2) ** -40)))
    while True:
        following = private * Fraction(255, 256)
        value = once(lambda ctx: _profile(ctx, eps, following**2, distance), 12)  # noqa: B023
        if arguments.exact("delta", value) > target:
            break
        private = following

    def newton(u: Real, digits: int) -> tuple[Real, Real]:
        """In u = 1/σ, by the logarithm of δ."""
        variance = 1 / arguments.exact("u", u) ** 2
        value = once(lambda ctx: _profile(ctx, eps, variance, distance), digits)
        # A step half as long as the digits carried asks no more of its slope.
        with working(2 * digits + 64) as ctx:
            rise = freeze(_slope(ctx, eps, variance, distance, value))  # in s = u²/2
        with working(4 * digits + 64) as ctx:
            x = real(ctx, u)
            residual = ctx.log(real(ctx, value) / real(ctx, target))
            return freeze(residual), freeze(x - residual * real(ctx, value) / (real(ctx, rise) * x))

    with working(64) as ctx:
        start = freeze(real(ctx, 2 / (private + following)))
    # ln δ bends within a few hundredths of u.
    u = positive_root(newton, start=start, digits=asked + 2, sharp=2)
    return settle(lambda ctx: 1 / real(ctx, u), asked)


def _slope(ctx: Context, eps: Fraction, variance: Fraction, distance: int, value: Real) -> Real:
    """dδ/ds for s = 1/2σ², at a fixed first term (where that changes, its share is zero)."""
    first = _first(eps, variance, distance)
    whole, spread = _sums(ctx, variance, 1)
    norm = 1 + 2 * whole
    near, far = (_sums(ctx, variance, n)[1] for n in (first, first + distance))
    return (ctx.exp(real(ctx, eps)) * far - near + 2 * spread * real(ctx, value)) / norm


def discrete_tail(*, error: int, sigma: Exact, digits: int = 50) -> Real:
    """Return Pr[|Y| > a] (X.DG).

    Args:
        error: a, at least 0.
        sigma: the parameter σ of the noise, in (0, 10⁴].
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    a, variance = arguments.count("error", error, least=0), _sigma(sigma) ** 2

    def formula(ctx: Context) -> Real:
        return 2 * _sums(ctx, variance, a + 1)[0] / (1 + 2 * _sums(ctx, variance, 1)[0])

    return settle(formula, arguments.digits(digits))


def discrete_accuracy(*, alpha: Exact, sigma: Exact) -> int:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG).

    Args:
        alpha: significance level, in (0, 1].
        sigma: the parameter σ of the noise, in (0, 10⁴].

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    level, scale = arguments.alpha(alpha), _sigma(sigma)
    low, high = -1, 1
    while arguments.exact("tail", discrete_tail(error=high, sigma=scale, digits=40)) > level:
        low, high = high, 2 * high
    while high - low > 1:
        middle = (low + high) // 2
        if arguments.exact("tail", discrete_tail(error=middle, sigma=scale, digits=40)) > level:
            low = middle
        else:
            high = middle
    return high


def discrete_variance(*, sigma: Exact, digits: int = 50) -> Real:
    """Return E[Y²], less than σ² (X.DG).

    Args:
        sigma: the parameter σ of the noise, in (0, 10⁴].
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    variance = _sigma(sigma) ** 2

    def formula(ctx: Context) -> Real:
        total, square = _sums(ctx, variance, 1)
        return 2 * square / (1 + 2 * total)

    return settle(formula, arguments.digits(digits))
