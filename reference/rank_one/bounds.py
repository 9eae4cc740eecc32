"""Closed forms beside the rank-one profile: lower bounds, an upper bound, a limit."""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.numerics.functions import exp, fine, log
from dporacle.reference.numerics.precision import Context, Real, real, settle
from dporacle.reference.rank_one.profile import variance_ratio

__all__ = [
    "rank_one_apollonius_delta",
    "rank_one_inner_ball_delta",
    "rank_one_limit_constant",
    "rank_one_total_variation",
]


def _bound_arguments(
    epsilon: Exact, sigma_star: Exact, dimension: int, ratio: Exact, sensitivity: Exact
) -> tuple[Fraction, Fraction, int, Fraction]:
    factor = arguments.exact("ratio", ratio)
    if factor <= 1:
        raise ValueError(f"ratio must be above 1, got {arguments.show(ratio)}")
    power = arguments.dimension(dimension, least=2) - 1
    return arguments.epsilon(epsilon), variance_ratio(sigma_star, sensitivity), power, factor


def _share(ctx: Context, power: int, eps: Fraction, factor: Fraction) -> Real:
    """1 − e^{ε−ε'} at λ = e^{ε'/(M−1)}."""
    gap = fine(ctx, lambda c: (real(c, eps), -power * log(c, factor)))
    return -ctx.expm1(gap) if abs(gap) < 1 else 1 - exp(ctx, gap)


def rank_one_inner_ball_delta(
    *,
    epsilon: Exact,
    sigma_star: Exact,
    dimension: int,
    ratio: Exact = 2,
    sensitivity: Exact = 1,
    digits: int = 50,
) -> Real:
    """Return (1 − e^ε λ^{1−M})·erf(Δ/(√2σ* (1 + λ))) ≤ δ(ε) (X.R1.LEMMA).

    Args:
        epsilon: in [0, ∞).
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 2 to 10^9.
        ratio: λ, in (1, ∞); the bound is negative, and says nothing, where λ^{M−1} < e^ε.
        sensitivity: ℓ2-sensitivity Δ, in (0, ∞), in the unit of √sigma_star.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, s, power, factor = _bound_arguments(epsilon, sigma_star, dimension, ratio, sensitivity)

    def formula(ctx: Context) -> Real:
        reach = 1 / (ctx.sqrt(2 * real(ctx, s)) * (1 + real(ctx, factor)))
        return _share(ctx, power, eps, factor) * ctx.erf(reach)

    return settle(formula, arguments.digits(digits))


def rank_one_apollonius_delta(
    *,
    epsilon: Exact,
    sigma_star: Exact,
    dimension: int,
    ratio: Exact = 2,
    sensitivity: Exact = 1,
    digits: int = 50,
) -> Real:
    """Return the lemma's bound for all of {ρ ≥ λr}, the Apollonius ball (X.R1.LEMMA).

    (1 − e^ε λ^{1−M})·(erf(X)/X)·(Δ/√2σ*)·λ ₂F₁(−1/2, (M−1)/2; M/2; λ⁻²)/(λ² − 1),
    X = Δ/((λ − 1)√2σ*). Arguments and errors as for `rank_one_inner_ball_delta`.
    """
    eps, s, power, factor = _bound_arguments(epsilon, sigma_star, dimension, ratio, sensitivity)

    def formula(ctx: Context) -> Real:
        width, f, k = ctx.sqrt(2 * real(ctx, s)), real(ctx, factor), ctx.mpf(power)
        furthest = 1 / ((f - 1) * width)
        mean = f * _gauss(ctx, -0.5, (k + 1) / 2, f) / (f * f - 1)
        chord = ctx.erf(furthest) / furthest
        return _share(ctx, power, eps, factor) * chord * mean / width

    return settle(formula, arguments.digits(digits))


def _gauss(ctx: Context, a: float, c: Real, ratio: Real) -> Real:
    """Return ₂F₁(a, c − ½; c; λ⁻²) for a = ±½.

    By Pfaff it is (1 − λ⁻²)^{−a}·₂F₁(a, ½; c; −1/(λ² − 1)), a mean of (1 + u/(λ² − 1))^{−a} over
    0 ≤ u ≤ 1: its alternating terms are off by less than the first one left out, as long as they
    fall. mpmath finds no form of its own for a c of many thousands.
    """
    square = ratio * ratio
    total, term, n = ctx.zero, ctx.one, 0
    while abs(term) > ctx.ldexp(1, -ctx.prec - 8):
        total += term
        factor = -(a + n) * (n + ctx.mpf(0.5)) / ((c + n) * (n + 1) * (square - 1))
        if abs(factor) >= 0.5:
            return ctx.hyp2f1(a, c - 0.5, c, 1 / square)
        term *= factor
        n += 1
    return (1 - 1 / square) ** (-a) * total


def rank_one_total_variation(
    *, sigma_star: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return (2/B)(erf(a) + (a/√π)E₁(a²)) ≥ δ(0), a = Δ/(2√2σ*), B = B(1/2, (M−1)/2) (X.R1.TV).

    With equality for M = 3.

    Args:
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 3 to 10^9.
        sensitivity: ℓ2-sensitivity Δ, in (0, ∞), in the unit of √sigma_star.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    power = arguments.dimension(dimension, least=3) - 1
    s = variance_ratio(sigma_star, sensitivity)

    def formula(ctx: Context) -> Real:
        a, k = 1 / ctx.sqrt(8 * real(ctx, s)), ctx.mpf(power)
        norm = ctx.exp(ctx.loggamma(k / 2) - ctx.loggamma((k + 1) / 2)) * ctx.sqrt(ctx.pi)
        return 2 / norm * (ctx.erf(a) + a / ctx.sqrt(ctx.pi) * ctx.e1(a * a))

    return settle(formula, arguments.digits(digits))


def rank_one_limit_constant(*, epsilon: Exact, dimension: int, digits: int = 50) -> Real:
    """Return lim (√σ*/Δ)·δ(ε) for σ* → ∞ (X.R1.SCALING).

    √(2/π)·((M−1)/(Mλ))·₂F₁(1/2, (M+1)/2; M/2 + 1; λ⁻²), λ = e^{ε/(M−1)}.

    Args:
        epsilon: in (0, ∞).
        dimension: M, from 2 to 10^9.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, size = arguments.positive("epsilon", epsilon), arguments.dimension(dimension, least=2)

    def formula(ctx: Context) -> Real:
        m, factor = ctx.mpf(size), ctx.exp(real(ctx, eps / (size - 1)))
        series = _gauss(ctx, 0.5, m / 2 + 1, factor)
        return ctx.sqrt(2 / ctx.pi) * (m - 1) / (m * factor) * series

    return settle(formula, arguments.digits(digits))
