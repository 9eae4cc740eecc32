"""Closed forms beside the rank-one profile: lower bounds, an upper bound, a limit."""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.numerics.functions import exp, fine, log
from dporacle.reference.numerics.precision import Context, Real, real, settle


def _share(ctx: Context, power: int, eps: Fraction, factor: Fraction) -> Real:
    """1 − e^{ε−ε'} at λ = e^{ε'/(M−1)}."""
    gap = fine(ctx, lambda c: (real(c, eps), -power * log(c, factor)))
    return -ctx.expm1(gap) if abs(gap) < 1 else 1 - exp(ctx, gap)


@witness
def rank_one_inner_ball_delta(
    *,
    epsilon: Fraction,
    sigma_star: Fraction,
    dimension: int,
    ratio: Fraction,
    sensitivity: Fraction,
    digits: int,
) -> Real:
    """Return (1 − e^ε λ^{1−M})·erf(Δ/(√2σ* (1 + λ))) ≤ δ(ε) (X.R1.LEMMA).

    Where λ^{M−1} < e^ε it is negative, and says nothing.
    """
    power, s = dimension - 1, sigma_star / sensitivity**2

    def formula(ctx: Context) -> Real:
        reach = 1 / (ctx.sqrt(2 * real(ctx, s)) * (1 + real(ctx, ratio)))
        return _share(ctx, power, epsilon, ratio) * ctx.erf(reach)

    return settle(formula, digits)


@witness
def rank_one_apollonius_delta(
    *,
    epsilon: Fraction,
    sigma_star: Fraction,
    dimension: int,
    ratio: Fraction,
    sensitivity: Fraction,
    digits: int,
) -> Real:
    """Return the lemma's bound for all of {ρ ≥ λr}, the Apollonius ball (X.R1.LEMMA).

    (1 − e^ε λ^{1−M})·(erf(X)/X)·(Δ/√2σ*)·λ ₂F₁(−1/2, (M−1)/2; M/2; λ⁻²)/(λ² − 1),
    X = Δ/((λ − 1)√2σ*).
    """
    power, s = dimension - 1, sigma_star / sensitivity**2

    def formula(ctx: Context) -> Real:
        width, f, k = ctx.sqrt(2 * real(ctx, s)), real(ctx, ratio), ctx.mpf(power)
        furthest = 1 / ((f - 1) * width)
        mean = f * _gauss(ctx, -0.5, (k + 1) / 2, f) / (f * f - 1)
        chord = ctx.erf(furthest) / furthest
        return _share(ctx, power, epsilon, ratio) * chord * mean / width

    return settle(formula, digits)


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


@witness
def rank_one_total_variation(
    *, sigma_star: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return (2/B)(erf(a) + (a/√π)E₁(a²)) ≥ δ(0), a = Δ/(2√2σ*), B = B(1/2, (M−1)/2) (X.R1.TV).

    With equality for M = 3.
    """
    power, s = dimension - 1, sigma_star / sensitivity**2

    def formula(ctx: Context) -> Real:
        a, k = 1 / ctx.sqrt(8 * real(ctx, s)), ctx.mpf(power)
        norm = ctx.exp(ctx.loggamma(k / 2) - ctx.loggamma((k + 1) / 2)) * ctx.sqrt(ctx.pi)
        return 2 / norm * (ctx.erf(a) + a / ctx.sqrt(ctx.pi) * ctx.e1(a * a))

    return settle(formula, digits)


@witness
def rank_one_limit_constant(*, epsilon: Fraction, dimension: int, digits: int) -> Real:
    """Return lim (√σ*/Δ)·δ(ε) for σ* → ∞ (X.R1.SCALING).

    √(2/π)·((M−1)/(Mλ))·₂F₁(1/2, (M+1)/2; M/2 + 1; λ⁻²), λ = e^{ε/(M−1)}.
    """

    def formula(ctx: Context) -> Real:
        m, factor = ctx.mpf(dimension), ctx.exp(real(ctx, epsilon / (dimension - 1)))
        series = _gauss(ctx, 0.5, m / 2 + 1, factor)
        return ctx.sqrt(2 / ctx.pi) * (m - 1) / (m * factor) * series

    return settle(formula, digits)
