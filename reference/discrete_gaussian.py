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
from dporacle.interface import witness
from dporacle.reference.accuracy import accuracy
from dporacle.reference.discrete import inverses
from dporacle.reference.numerics.functions import exp
from dporacle.reference.numerics.integers import is_above, least_integer
from dporacle.reference.numerics.log_odds import log_odds, split
from dporacle.reference.numerics.precision import Context, Real, freeze, real, settle, working
from dporacle.reference.numerics.roots import positive_root, scaled


def _first(eps: Fraction, variance: Fraction, distance: int) -> int:
    """The least integer above εσ²/D − D/2."""
    return math.floor(eps * variance / distance - Fraction(distance, 2)) + 1


@witness
def discrete_delta_at_epsilon(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: int, digits: int
) -> Real:
    """Return δ(ε), the smallest δ for which the discrete mechanism is (ε,δ)-DP (X.DG)."""
    variance = sigma**2
    return settle(lambda ctx: _profile(ctx, epsilon, variance, sensitivity), digits)


def _profile(
    ctx: Context, eps: Fraction, variance: Fraction, distance: int, member: int | None = None
) -> tuple[Real, ...]:
    """The terms Pr[Y ≥ t] and −e^ε Pr[Y ≥ t + D] of δ(ε), the first as 1 − Pr[Y > −t] if t ≤ 0."""
    first = _first(eps, variance, distance) if member is None else member
    norm = normaliser(ctx, variance)[0]
    far = half_sums(ctx, variance, first + distance, eps)[0] / norm
    if first > 0:
        return half_sums(ctx, variance, first)[0] / norm, -far
    return ctx.one, -half_sums(ctx, variance, 1 - first)[0] / norm, -far


@witness
def discrete_calibrate_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: int, digits: int
) -> Real:
    """Return the least σ such that every larger σ is private too (X.DG).

    It is the last σ at which δ(ε) = δ (`discrete.inverses`): a proof passes over no other.
    """
    profile = inverses.DiscreteProfile(
        lambda ctx, variance, member: _profile(ctx, epsilon, variance, sensitivity, member),
        lambda ctx, variance, member: _slope(ctx, epsilon, variance, sensitivity, member),
        lambda variance: _first(epsilon, variance, sensitivity),
    )
    return inverses.last_sigma(profile, epsilon, delta, sensitivity, digits)


def _slope(
    ctx: Context, eps: Fraction, variance: Fraction, distance: int, first: int
) -> tuple[Real, ...]:
    """The terms of dδ/ds for s = 1/2σ², of the member with this first term."""
    norm, spread = normaliser(ctx, variance)
    far = half_sums(ctx, variance, first + distance, eps)[1]
    if first > 0:
        near: tuple[Real, ...] = (-half_sums(ctx, variance, first)[1],)
    else:
        near = -spread, half_sums(ctx, variance, 1 - first)[1]
    value = _profile(ctx, eps, variance, distance, first)
    return tuple(term / norm for term in (far, *near)) + tuple(
        spread * term / norm for term in value
    )


@witness
def discrete_tail(*, error: int, sigma: Fraction, digits: int) -> Real:
    """Return Pr[|Y| > a] (X.DG)."""
    variance = sigma**2

    return _tail(error, variance, digits)


def _tail(error: int, variance: Fraction, digits: int) -> Real:
    def formula(ctx: Context) -> Real:
        return 2 * half_sums(ctx, variance, error + 1)[0] / normaliser(ctx, variance)[0]

    return settle(formula, digits)


@witness
def discrete_accuracy(*, alpha: Fraction, sigma: Fraction) -> int:
    """Return the least integer a with Pr[|Y| > a] ≤ α (X.DG).

    Raises:
        ArithmeticError: if α agrees with a tail to some 300 digits.
    """
    if alpha == 1:
        return 0

    def allowed(error: int) -> bool:
        return not is_above(
            lambda digits: _tail(error, sigma**2, digits),
            alpha,
            failure="alpha cannot be told from a tail",
        )

    # Next to the quantile of the continuous noise.
    near = accuracy(alpha=alpha, sigma=sigma, digits=15 + int(sigma).bit_length() * 3 // 10)
    return least_integer(allowed, math.floor(arguments.exact("accuracy", near)))


@witness
def discrete_sigma_at_accuracy(*, error: int, alpha: Fraction, digits: int) -> Real:
    """Return the largest σ with Pr[|Y| > a] ≤ α, which rises with σ (X.DGACC).

    By Newton's method on the log-odds of the tail in ln σ.
    """
    asked = digits

    def newton(sigma: Real, digits: int) -> tuple[Real, Real]:
        variance = arguments.exact("sigma", sigma) ** 2

        def tail(ctx: Context) -> Real:
            return 2 * half_sums(ctx, variance, error + 1)[0] / normaliser(ctx, variance)[0]

        def inside(ctx: Context) -> tuple[Real, ...]:
            norm = normaliser(ctx, variance)[0]
            return ctx.one, -2 * half_sums(ctx, variance, error + 1)[0] / norm

        upper, lower = split(tail, inside, alpha, digits)
        with working(2 * digits + 64) as ctx:
            norm, spread = normaliser(ctx, variance)
            square = 2 * half_sums(ctx, variance, error + 1)[1] / norm
            rise = (square - real(ctx, upper) * spread / norm) / real(ctx, variance)
        with working(4 * digits + 64) as ctx:
            odds, slope = log_odds(ctx, upper, lower, alpha, real(ctx, freeze(rise)))
            x = real(ctx, sigma)
            return freeze(odds), freeze(scaled(ctx, x, -odds / slope))

    with working(64) as ctx:
        # Pr[|Y| > a] is about 2e^{−(a+1/2)²/2σ²} where it is small.
        start = freeze((error + ctx.mpf(1) / 2) / ctx.sqrt(2 * ctx.log(2 / real(ctx, alpha))))
    return positive_root(newton, start=start, digits=asked)


@witness
def discrete_variance(*, sigma: Fraction, digits: int) -> Real:
    """Return E[Y²], less than σ² (X.DG)."""
    variance = sigma**2

    def formula(ctx: Context) -> Real:
        total, square = normaliser(ctx, variance)
        return square / total

    return settle(formula, digits)


_LEAST_TERMS = 32  # so few terms are sooner added up than corrected


def half_sums(
    ctx: Context, variance: Fraction, first: int, offset: Fraction | int = 0
) -> tuple[Real, Real]:
    """Σ e^{o−x²/2σ²} and Σ x²e^{o−x²/2σ²} over x ≥ first ≥ 1."""
    far = 2 * real(ctx, variance) * ctx.prec
    if far / (first + ctx.sqrt(far + ctx.mpf(first) ** 2)) < max(_LEAST_TERMS, ctx.prec):
        return _directly(ctx, variance, first, Fraction(offset))
    return _second_euler_maclaurin(ctx, variance, first, Fraction(offset))


def _directly(ctx: Context, variance: Fraction, first: int, offset: Fraction) -> tuple[Real, Real]:
    """Terms that fall faster than a geometric series of ratio r = e^{−(2x+1)/2σ²}.

    What follows a term is below it by the factor r/(1−r).
    """
    term = exp(ctx, offset - first**2 / (2 * variance))
    ratio = exp(ctx, -(2 * first + 1) / (2 * variance))
    step = exp(ctx, -1 / variance)
    total, square, x = ctx.zero, ctx.zero, first
    while True:
        total += term
        square += x * x * term
        if term * ratio * (x + 2) ** 2 < ctx.ldexp(total, -ctx.prec) * (1 - ratio) ** 3:
            return total, square
        term *= ratio
        ratio *= step
        x += 1


def _second_euler_maclaurin(
    ctx: Context, variance: Fraction, first: int, offset: Fraction
) -> tuple[Real, Real]:
    """By Taylor coefficients a of f and b of x²f at c, from f′ = −(x/σ²)f, relative to f(c)."""
    v, c = real(ctx, variance), real(ctx, first - Fraction(1, 2))
    z = c / ctx.sqrt(2 * v)
    mass = ctx.sqrt(2 * v) * _scaled_tail(ctx, z)
    total, square = mass, v * (c + mass)
    before, a = ctx.one, -c / v  # of orders j − 1 and j, at j = 1
    older, j = ctx.zero, 1
    tiny = ctx.ldexp(1, -ctx.prec)
    while True:
        # B_{2k}(1/2) = −(1 − 2^{1−2k})·B_{2k}, and f^{(2k−1)} = (2k−1)!·a.
        factor = (1 - ctx.ldexp(1, -j)) * ctx.bernoulli(j + 1) / (j + 1)
        b = c * c * a + 2 * c * before + older
        total += factor * a
        square += factor * b
        # Two in a row: a Hermite polynomial may be near one of its zeros.
        if abs(factor) * (abs(a) + abs(before)) < tiny * total and (
            abs(factor) * (c * c * (abs(a) + abs(before)) + abs(older)) < tiny * square
        ):
            head = exp(ctx, offset - (first - Fraction(1, 2)) ** 2 / (2 * variance))
            return head * total, head * square
        for _ in range(2):
            older, before, a = before, a, -(c * a + before) / (v * (j + 1))
            j += 1


def _scaled_tail(ctx: Context, z: Real) -> Real:
    """e^{z²}∫_z^∞ e^{−x²}dx; where z is large as Tricomi's U, which needs no large power."""
    if z > 16:
        return ctx.hyperu(0.5, 0.5, z * z) / 2
    return ctx.sqrt(ctx.pi) / 2 * ctx.exp(z * z) * ctx.erfc(z)


def normaliser(ctx: Context, variance: Fraction) -> tuple[Real, Real]:
    """Σ e^{−x²/2σ²} and Σ x²e^{−x²/2σ²} over all integers: the sums from 1 on, twice."""
    total, square = half_sums(ctx, variance, 1)
    return 1 + 2 * total, 2 * square
