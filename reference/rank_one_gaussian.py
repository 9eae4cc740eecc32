"""The rank-one Gaussian mechanism R1SMG (JL24.T1, T2, T3, X.R1.*), as published and exact.

The mechanism adds n = u·√σ*·z to an answer in R^M, u uniform on the unit sphere and z standard
normal; σ* is a variance. The published theorem (JL24.T1) says that for M > 2 it is (ε,δ)-DP if

    σ* ≥ 2Δ²/(εψ),   ψ = (δ·Γ((M−1)/2)/(√π·Γ(M/2)))^{2/(M−2)}.

The exact profile δ(ε) is here by two derivations; `proofs_notes/rank_one_gaussian.md` has both.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference import _rank_one
from dporacle.reference._precision import (
    ZERO,
    Context,
    Formula,
    Real,
    freeze,
    real,
    settle,
    working,
)
from dporacle.reference._roots import positive_root

__all__ = [
    "rank_one_apollonius_delta",
    "rank_one_delta_at_epsilon",
    "rank_one_delta_by_radius",
    "rank_one_epsilon_at_delta",
    "rank_one_limit_constant",
    "rank_one_private_sigma_star",
    "rank_one_psi",
    "rank_one_sigma_star",
    "rank_one_total_variation",
    "rank_one_witness_delta",
]

_MAX_LOST_BITS = 3000  # what may cancel in the integrals before an answer is refused


def _variance(sigma_star: Exact, sensitivity: Exact) -> Fraction:
    """Return σ*/Δ²."""
    distance = arguments.positive("sensitivity", sensitivity)
    return arguments.positive("sigma_star", sigma_star) / distance**2


def _psi(ctx: Context, target: Fraction, size: int) -> Real:
    m = ctx.mpf(size)
    ratio = ctx.loggamma((m - 1) / 2) - ctx.loggamma(m / 2) - ctx.log(ctx.pi) / 2
    return ctx.exp(2 * (ctx.log(real(ctx, target)) + ratio) / (m - 2))


def rank_one_psi(*, delta: Exact, dimension: int, digits: int = 50) -> Real:
    """Return ψ = (δ·Γ((M−1)/2)/(√π·Γ(M/2)))^{2/(M−2)} (JL24.T1).

    Args:
        delta: in (0, 1).
        dimension: M, from 3 to 10^9.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    target, size = arguments.delta(delta), arguments.dimension(dimension, least=3)
    return settle(lambda ctx: _psi(ctx, target, size), arguments.digits(digits))


def rank_one_sigma_star(
    *, epsilon: Exact, delta: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return 2Δ²/(εψ), the σ* of the published theorem (JL24.T1).

    Args:
        epsilon: in (0, ∞).
        delta: in (0, 1).
        dimension: M, from 3 to 10^9.
        sensitivity: ℓ2-sensitivity Δ, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.positive("epsilon", epsilon), arguments.delta(delta)
    size = arguments.dimension(dimension, least=3)
    square = arguments.positive("sensitivity", sensitivity) ** 2

    def formula(ctx: Context) -> Real:
        return 2 * real(ctx, square) / (real(ctx, eps) * _psi(ctx, target, size))

    return settle(formula, arguments.digits(digits))


def _moment(ctx: Context, size: int, power: int) -> Real:
    """Return E[L^k]/σ^{2k} of L = ‖n‖², n normal: a rising product d(d+2)…(d+2k−2)."""
    return ctx.fprod(size + 2 * i for i in range(power))


def _check_reach(power: int, epsilon: Fraction, s: Fraction) -> None:
    """Refuse what would cancel thousands of bits: about 2ε/K and ln √s of them."""
    magnitude = s.numerator.bit_length() - s.denominator.bit_length()
    if 3 * epsilon / power + max(0, magnitude) > _MAX_LOST_BITS:
        raise ArithmeticError(
            f"more than {_MAX_LOST_BITS} bits may cancel in delta here, where the reference stops"
        )


def _deep(power: int, formula: Formula) -> Formula:
    """For M = 2 double the precision: the integrand is infinite at ends known to half of it."""

    def deeper(ctx: Context) -> Real | tuple[Real, ...]:
        with ctx.workprec(2 * ctx.prec if power == 1 else ctx.prec):
            return formula(ctx)

    return deeper


def rank_one_delta_at_epsilon(
    *,
    epsilon: Exact,
    sigma_star: Exact,
    dimension: int,
    sensitivity: Exact = 1,
    digits: int = 50,
) -> Real:
    """Return δ(ε), the smallest δ for which the mechanism is (ε,δ)-DP (X.R1.PROFILE).

    By the elementary integral over q, the difference of the squared distances of an output from
    the two inputs.

    Args:
        epsilon: in [0, ∞).
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 2 to 10^9.
        sensitivity: ℓ2-sensitivity, in (0, ∞), in the unit of √sigma_star.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if thousands of bits would cancel (ε/(M−1) or σ*/Δ² are enormous).
    """
    eps, power = arguments.epsilon(epsilon), arguments.dimension(dimension, least=2) - 1
    s = _variance(sigma_star, sensitivity)
    _check_reach(power, eps, s)
    formula = _deep(power, lambda ctx: _rank_one.elementary(ctx, power, eps, s))
    return settle(formula, arguments.digits(digits))


def rank_one_delta_by_radius(
    *,
    epsilon: Exact,
    sigma_star: Exact,
    dimension: int,
    sensitivity: Exact = 1,
    digits: int = 50,
) -> Real:
    """Return δ(ε) again, by integrating Beta CDFs over the radius (X.R1.PROFILE).

    Arguments and errors as for `rank_one_delta_at_epsilon`. Slow for M above some 10^5.
    """
    eps, power = arguments.epsilon(epsilon), arguments.dimension(dimension, least=2) - 1
    s = _variance(sigma_star, sensitivity)
    _check_reach(power, eps, s)
    formula = _deep(power, lambda ctx: _rank_one.by_radius(ctx, power, eps, s))
    return settle(formula, arguments.digits(digits))


def _log_odds(ctx: Context, value: Real, target: Fraction) -> Real:
    value, aim = real(ctx, value), real(ctx, target)
    return ctx.log(value / aim) - ctx.log((1 - value) / (1 - aim))


def rank_one_epsilon_at_delta(
    *,
    delta: Exact,
    sigma_star: Exact,
    dimension: int,
    sensitivity: Exact = 1,
    digits: int = 20,
) -> Real:
    """Return the smallest ε ≥ 0 for which the mechanism is (ε,δ)-DP (X.R1.PROFILE).

    Args:
        delta: in (0, 1].
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 2 to 10^9.
        sensitivity: ℓ2-sensitivity, in (0, ∞), in the unit of √sigma_star.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: as for `rank_one_delta_at_epsilon`.
    """
    target = arguments.delta(delta, one_allowed=True)
    power, asked = arguments.dimension(dimension, least=2) - 1, arguments.digits(digits)
    s = _variance(sigma_star, sensitivity)
    _check_reach(power, Fraction(0), s)
    if target == 1:
        return ZERO
    at_zero = settle(lambda ctx: _rank_one.elementary(ctx, power, ctx.zero, s)[0], asked + 4)
    with working(64) as ctx:
        if _log_odds(ctx, at_zero, target) <= 0:
            return ZERO

    def newton(eps: Real, digits: int) -> tuple[Real, Real]:
        value = settle(_deep(power, lambda ctx: _rank_one.elementary(ctx, power, eps, s)), digits)
        fall = settle(
            _deep(power, lambda ctx: (_rank_one.slope_epsilon(ctx, power, eps, s),)), digits
        )
        with working(4 * digits + 64) as ctx:
            residual = _log_odds(ctx, value, target)
            v, e = real(ctx, value), real(ctx, eps)
            following = e - residual * v * (1 - v) / real(ctx, fall)
            return freeze(-residual), freeze(following if following > e / 8 else e / 8)

    with working(64) as ctx:
        guess = -power * (ctx.log(real(ctx, target)) + ctx.log(real(ctx, s)) / 2)
        start = freeze(max(guess, ctx.one / 16))
    return positive_root(newton, start=start, digits=asked)


def rank_one_private_sigma_star(
    *, epsilon: Exact, delta: Exact, dimension: int, sensitivity: Exact = 1, digits: int = 20
) -> Real:
    """Return the smallest σ* for which the mechanism is (ε,δ)-DP: the root of δ(ε) = δ.

    X.R1.PROFILE; δ(ε) decreases in σ*.

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        dimension: M, from 2 to 10^9.
        sensitivity: ℓ2-sensitivity, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: as for `rank_one_delta_at_epsilon`.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    power, asked = arguments.dimension(dimension, least=2) - 1, arguments.digits(digits)
    square = arguments.positive("sensitivity", sensitivity) ** 2
    _check_reach(power, eps, 1 / target**2)

    def newton(s: Real, digits: int) -> tuple[Real, Real]:
        value = settle(_deep(power, lambda ctx: _rank_one.elementary(ctx, power, eps, s)), digits)
        fall = settle(lambda ctx: _rank_one.slope_log_variance(ctx, power, eps, s), digits)
        with working(4 * digits + 64) as ctx:
            residual = _log_odds(ctx, value, target)
            v = real(ctx, value)
            step = residual * v * (1 - v) / real(ctx, fall)
            return freeze(-residual), freeze(real(ctx, s) * ctx.exp(-max(min(step, 3), -3)))

    with working(64) as ctx:
        limit = ctx.exp(-2 * (ctx.log(real(ctx, target)) + real(ctx, eps / power)))
        start = freeze(limit + 1 / (2 * (1 + real(ctx, eps))))
    root = positive_root(newton, start=start, digits=asked + 1)
    return settle(lambda ctx: real(ctx, root) * real(ctx, square), asked)


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
        series = ctx.hyp2f1(0.5, (m + 1) / 2, m / 2 + 1, factor**-2)
        return ctx.sqrt(2 / ctx.pi) * (m - 1) / (m * factor) * series

    return settle(formula, arguments.digits(digits))


def _bound_arguments(
    epsilon: Exact, sigma_star: Exact, dimension: int, ratio: Exact, sensitivity: Exact
) -> tuple[Fraction, Fraction, int, Fraction]:
    factor = arguments.exact("ratio", ratio)
    if factor <= 1:
        raise ValueError(f"ratio must be above 1, got {arguments.show(ratio)}")
    power = arguments.dimension(dimension, least=2) - 1
    return arguments.epsilon(epsilon), _variance(sigma_star, sensitivity), power, factor


def _share(ctx: Context, power: int, eps: Fraction, factor: Fraction) -> Real:
    """1 − e^{ε−ε'} at λ = e^{ε'/(M−1)}."""
    return -ctx.expm1(real(ctx, eps) - power * ctx.log(real(ctx, factor)))


def rank_one_witness_delta(
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
    X = Δ/((λ − 1)√2σ*). Arguments and errors as for `rank_one_witness_delta`.
    """
    eps, s, power, factor = _bound_arguments(epsilon, sigma_star, dimension, ratio, sensitivity)

    def formula(ctx: Context) -> Real:
        width, f, k = ctx.sqrt(2 * real(ctx, s)), real(ctx, factor), ctx.mpf(power)
        furthest = 1 / ((f - 1) * width)
        mean = f * ctx.hyp2f1(-0.5, k / 2, (k + 1) / 2, f**-2) / (f * f - 1)
        chord = ctx.erf(furthest) / furthest
        return _share(ctx, power, eps, factor) * chord * mean / width

    return settle(formula, arguments.digits(digits))


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
    s = _variance(sigma_star, sensitivity)

    def formula(ctx: Context) -> Real:
        a, k = 1 / ctx.sqrt(8 * real(ctx, s)), ctx.mpf(power)
        norm = ctx.exp(ctx.loggamma(k / 2) - ctx.loggamma((k + 1) / 2)) * ctx.sqrt(ctx.pi)
        return 2 / norm * (ctx.erf(a) + a / ctx.sqrt(ctx.pi) * ctx.e1(a * a))

    return settle(formula, arguments.digits(digits))
