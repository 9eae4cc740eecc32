"""The rank-one Gaussian mechanism R1SMG (JL24.T1, T2, T3, X.R1.*), as published and exact.

The mechanism adds n = u·√σ*·z to an answer in R^M, u uniform on the unit sphere and z standard
normal; σ* is a variance. The published theorem (JL24.T1) says that for M > 2 it is (ε,δ)-DP if

    σ* ≥ 2Δ²/(εψ),   ψ = (δ·Γ((M−1)/2)/(√π·Γ(M/2)))^{2/(M−2)}.

Which is false for every M ≥ 4. The parts, in the order of `proofs_notes/rank_one_gaussian.md`:

- ψ and σ*;
- `rank_one.profile`: the exact δ(ε), by two derivations. Their integrals stand in
  `rank_one.integrals`, the curve {L = ε} in `rank_one.curve`, Beta tails in `rank_one.caps`;
- the exact ε(δ) and the smallest private σ*;
- the published sketch's angle and its bound on the loss;
- the inner-ball lemma, the Apollonius ball, the upper bound, the limit.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.interface import witness
from dporacle.reference.numerics.functions import exp, fine, log
from dporacle.reference.numerics.precision import ZERO, Context, Real, freeze, real, settle, working
from dporacle.reference.numerics.roots import positive_root
from dporacle.reference.papers.rank_one import integrals
from dporacle.reference.papers.rank_one.caps import tail
from dporacle.reference.papers.rank_one.profile import (
    check_reach,
    deep,
    rank_one_delta_at_epsilon,
    rank_one_delta_by_radius,
)


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
    """Return the lemma's bound for all of {ρ ≥ λr}, the Apollonius ball (X.R1.APOLLONIUS).

    (1 − e^ε λ^{1−M})·(erf(X)/X)·(Δ/√2σ*)·λ ₂F₁(−1/2, (M−1)/2; M/2; λ⁻²)/(λ² − 1),
    X = Δ/((λ − 1)√2σ*).
    """
    power, s = dimension - 1, sigma_star / sensitivity**2
    lost = _bits_below(ratio - 1)

    def formula(outer: Context) -> Real:
        with working(outer.prec + lost) as ctx:
            width, f, k = ctx.sqrt(2 * real(ctx, s)), real(ctx, ratio), ctx.mpf(power)
            furthest = 1 / ((f - 1) * width)
            mean = f * _gauss(ctx, -0.5, (k + 1) / 2, f) / (f * f - 1)
            chord = ctx.erf(furthest) / furthest
            found = _share(ctx, power, epsilon, ratio) * chord * mean / width
        return real(outer, found)

    return settle(formula, digits)


def _bits_below(small: Fraction) -> int:
    """Return how many bits a number loses that differs from 1 by so little."""
    return max(0, small.denominator.bit_length() - small.numerator.bit_length())


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
    exponent = epsilon / (dimension - 1)
    lost = _bits_below(exponent)  # λ − 1 is about as small

    def formula(outer: Context) -> Real:
        with working(outer.prec + lost) as ctx:
            m, factor = ctx.mpf(dimension), ctx.exp(real(ctx, exponent))
            series = _gauss(ctx, 0.5, m / 2 + 1, factor)
            found = ctx.sqrt(2 / ctx.pi) * (m - 1) / (m * factor) * series
        return real(outer, found)

    return settle(formula, digits)


# A step is at most half right already: its slope needs half of the digits, and a few.
_SLOPE_DIGITS = 6


def _log_odds(ctx: Context, value: Real, target: Fraction) -> Real:
    value, aim = real(ctx, value), real(ctx, target)
    return ctx.log(value / aim) - ctx.log((1 - value) / (1 - aim))


@witness
def rank_one_epsilon_at_delta(
    *,
    delta: Fraction,
    sigma_star: Fraction,
    dimension: int,
    sensitivity: Fraction,
    digits: int = 20,
) -> Real:
    """Return the smallest ε ≥ 0 for which the mechanism is (ε,δ)-DP (X.R1.INVERSE).

    Raises:
        ArithmeticError: as for `rank_one_delta_at_epsilon`.
    """
    power, s = dimension - 1, sigma_star / sensitivity**2
    check_reach(power, Fraction(0), s)
    if delta == 1:
        return ZERO
    at_zero = settle(lambda ctx: integrals.elementary(ctx, power, ctx.zero, s)[0], digits + 4)
    with working(64) as ctx:
        if _log_odds(ctx, at_zero, delta) <= 0:
            return ZERO

    def newton(eps: Real, digits: int) -> tuple[Real, Real]:
        value = settle(deep(power, lambda ctx: integrals.elementary(ctx, power, eps, s)), digits)
        slope = deep(power, lambda ctx: (integrals.slope_epsilon(ctx, power, eps, s),))
        fall = settle(slope, digits // 2 + _SLOPE_DIGITS)
        with working(4 * digits + 64) as ctx:
            residual = _log_odds(ctx, value, delta)
            v, e = real(ctx, value), real(ctx, eps)
            following = e - residual * v * (1 - v) / real(ctx, fall)
            return freeze(-residual), freeze(following if following > e / 8 else e / 8)

    with working(64) as ctx:
        # The loss at the distance δ√s from an input, at 1 from the other.
        v = real(ctx, s)
        guess = 1 / (2 * v) - power * (ctx.log(real(ctx, delta)) + ctx.log(v) / 2)
        start = freeze(max(guess, ctx.one / 16))
    check_reach(power, arguments.exact("epsilon", start), s)
    return positive_root(newton, start=start, digits=digits)


@witness
def rank_one_private_sigma_star(
    *, epsilon: Fraction, delta: Fraction, dimension: int, sensitivity: Fraction, digits: int = 20
) -> Real:
    """Return the smallest σ* for which the mechanism is (ε,δ)-DP, where δ(ε) = δ (X.R1.PRIVATE).

    X.R1.PROFILE; δ(ε) decreases in σ*.

    Raises:
        ArithmeticError: as for `rank_one_delta_at_epsilon`.
    """
    power = dimension - 1
    check_reach(power, epsilon, 1 / delta**2)

    def newton(s: Real, digits: int) -> tuple[Real, Real]:
        value = settle(
            deep(power, lambda ctx: integrals.elementary(ctx, power, epsilon, s)), digits
        )
        slope = integrals.slope_log_variance
        fall = settle(lambda ctx: slope(ctx, power, epsilon, s), digits // 2 + _SLOPE_DIGITS)
        with working(4 * digits + 64) as ctx:
            residual = _log_odds(ctx, value, delta)
            v = real(ctx, value)
            step = residual * v * (1 - v) / real(ctx, fall)
            return freeze(-residual), freeze(real(ctx, s) * ctx.exp(-max(min(step, 3), -3)))

    with working(64) as ctx:
        limit = ctx.exp(-2 * (ctx.log(real(ctx, delta)) + real(ctx, epsilon / power)))
        start = freeze(limit + 1 / (2 * (1 + real(ctx, epsilon))))
    root = positive_root(newton, start=start, digits=digits + 1)
    return settle(lambda ctx: real(ctx, root) * real(ctx, sensitivity**2), digits)


@witness
def rank_one_cotangent_tail(*, dimension: int, threshold: Fraction, digits: int) -> Real:
    """Return Pr[cot²θ > t], θ the angle of a uniform direction with an axis (JL24.R2).

    cos²θ ~ Beta(1/2, (M−1)/2), so that cot²θ ~ BetaPrime(1/2, (M−1)/2).
    """
    return _cotangent(dimension - 1, threshold, digits)


def _cotangent(power: int, t: Fraction, digits: int) -> Real:
    if not t:
        return settle(lambda ctx: ctx.one, digits)
    # Above the axis or below: cot²θ > t where |cos θ| > √(t/(1+t)).
    return settle(lambda ctx: 2 * tail(ctx, power)(ctx.sqrt(real(ctx, t / (1 + t)))), digits)


@witness
def rank_one_cosecant_tail(*, dimension: int, threshold: Fraction, digits: int) -> Real:
    """Return Pr[1/sin²θ > t] = Pr[cot²θ > t − 1], which is 1 for t < 1 (JL24.R2)."""
    return _cotangent(dimension - 1, max(threshold - 1, Fraction(0)), digits)


@witness
def rank_one_loss(
    *, radius: Fraction, distance: Fraction, sigma_star: Fraction, dimension: int, digits: int
) -> Real:
    """Return L = (M−1)ln(ρ/r) + (ρ² − r²)/2σ*, the privacy loss of an output (JL24.R3)."""
    if radius == distance:
        return ZERO

    def formula(ctx: Context) -> tuple[Real, Real]:
        gap = (distance**2 - radius**2) / (2 * sigma_star)
        return (dimension - 1) * log(ctx, distance / radius), real(ctx, gap)

    return settle(formula, digits)


@witness
def rank_one_loss_bound(
    *,
    radius: Fraction,
    distance: Fraction,
    sigma_star: Fraction,
    sensitivity: Fraction,
    digits: int,
) -> Real:
    """Return (2/σ*)(D/sin θ)², θ the angle under which the output sees the answers (JL24.R3).

    By the law of sines D/sin θ is the diameter of the circle through the three points.
    """
    if not abs(radius - distance) < sensitivity < radius + distance:
        raise ValueError(
            "distance must be a side of the triangle with sides radius and sensitivity, "
            f"got {arguments.show(distance)}"
        )
    cosine = (radius**2 + distance**2 - sensitivity**2) / (2 * radius * distance)
    value = 2 * sensitivity**2 / (sigma_star * (1 - cosine**2))
    return settle(lambda ctx: real(ctx, value), digits)


def _psi(ctx: Context, target: Fraction, size: int) -> Real:
    def power(c: Context) -> tuple[Real, ...]:
        m = c.mpf(size)
        gammas = (c.loggamma((m - 1) / 2), -c.loggamma(m / 2))
        return tuple(2 * each / (m - 2) for each in (log(c, target), *gammas, -c.log(c.pi) / 2))

    return exp(ctx, power)


@witness
def rank_one_psi(*, delta: Fraction, dimension: int, digits: int) -> Real:
    """Return ψ = (δ·Γ((M−1)/2)/(√π·Γ(M/2)))^{2/(M−2)} (JL24.T1)."""
    return settle(lambda ctx: _psi(ctx, delta, dimension), digits)


@witness
def rank_one_sigma_star(
    *, epsilon: Fraction, delta: Fraction, dimension: int, sensitivity: Fraction, digits: int
) -> Real:
    """Return 2Δ²/(εψ), the σ* of the published theorem (JL24.T1)."""
    square = sensitivity**2

    def formula(ctx: Context) -> Real:
        return 2 * real(ctx, square) / (real(ctx, epsilon) * _psi(ctx, delta, dimension))

    return settle(formula, digits)


__all__ = [
    "rank_one_apollonius_delta",
    "rank_one_cosecant_tail",
    "rank_one_cotangent_tail",
    "rank_one_delta_at_epsilon",
    "rank_one_delta_by_radius",
    "rank_one_epsilon_at_delta",
    "rank_one_inner_ball_delta",
    "rank_one_limit_constant",
    "rank_one_loss",
    "rank_one_loss_bound",
    "rank_one_private_sigma_star",
    "rank_one_psi",
    "rank_one_sigma_star",
    "rank_one_total_variation",
]
