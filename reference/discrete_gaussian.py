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
from dporacle.reference.numerics.integers import is_above, least_integer
from dporacle.reference.numerics.lattice import half_sums, normaliser
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
    """Return the least σ from which on every σ is private (X.DG).

    It is the last σ at which δ(ε) = δ (`discrete.inverses`): a proof passes over no other.
    """
    profile = inverses.Profile(
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
