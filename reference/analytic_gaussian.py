"""The analytic Gaussian mechanism (BW18.T2, T5, L7, T8, T9, X.EPS), as the paper writes it.

With μ = D/σ, noise N(0, σ²I) on a function of ℓ2-sensitivity D is (ε,δ)-DP **if and only if**

    δ(ε) := Φ(μ/2 − ε/μ) − e^ε Φ(−μ/2 − ε/μ) ≤ δ.                                      (BW18.T8)

δ(ε) is the mechanism's privacy profile, the hockey-stick divergence of order e^ε of two unit
Gaussians at distance μ.
"""

from __future__ import annotations

import math
from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.numerics.functions import Argument, exp, ncdf, npdf
from dporacle.reference.numerics.log_odds import log_odds, split
from dporacle.reference.numerics.precision import (
    ZERO,
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
    "algorithm_1",
    "calibrate_sigma",
    "delta_at_epsilon",
    "delta_slope_epsilon",
    "delta_slope_mu",
    "epsilon_at_delta",
    "log_delta_at_epsilon",
    "pinsker_sigma",
]


def _difference(epsilon: Fraction | Real, mu: Fraction | Real) -> Argument:
    """μ/2 − ε/μ."""
    return lambda c: (real(c, mu) / 2, -real(c, epsilon) / real(c, mu))


def _far(epsilon: Fraction | Real, mu: Fraction | Real) -> Argument:
    """−μ/2 − ε/μ."""
    return lambda c: (-real(c, mu) / 2, -real(c, epsilon) / real(c, mu))


def _profile(ctx: Context, epsilon: Fraction | Real, mu: Fraction | Real) -> tuple[Real, Real]:
    """BW18.T8, left side: its two terms."""
    return ncdf(ctx, _difference(epsilon, mu)), _slope_epsilon(ctx, epsilon, mu)


def _complement(ctx: Context, epsilon: Fraction | Real, mu: Fraction | Real) -> Real:
    """1 − δ(ε), by Φ(x) + Φ(−x) = 1."""
    above = ncdf(ctx, lambda c: (real(c, epsilon) / real(c, mu), -real(c, mu) / 2))
    return above - _slope_epsilon(ctx, epsilon, mu)


def _slope_epsilon(ctx: Context, epsilon: Fraction | Real, mu: Fraction | Real) -> Real:
    """∂δ/∂ε: the terms from the two arguments of Φ cancel, as e^ε φ(μ/2 + ε/μ) = φ(μ/2 − ε/μ)."""
    return -exp(ctx, epsilon) * ncdf(ctx, _far(epsilon, mu))


def _mu(sigma: Exact, sensitivity: Exact) -> Fraction:
    return arguments.positive("sensitivity", sensitivity) / arguments.positive("sigma", sigma)


def delta_at_epsilon(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return δ(ε), the smallest δ for which the mechanism is (ε,δ)-DP (BW18.T8).

    Args:
        epsilon: in [0, ∞).
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        sensitivity: ℓ2-sensitivity D, in (0, ∞), in the unit of sigma.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, mu = arguments.epsilon(epsilon), _mu(sigma, sensitivity)
    return settle(lambda ctx: _profile(ctx, eps, mu), arguments.digits(digits))


def log_delta_at_epsilon(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return ln δ(ε), correct to `digits` even where δ(ε) rounds to 1 (BW18.T8).

    Arguments and errors as for `delta_at_epsilon`.
    """
    eps, mu = arguments.epsilon(epsilon), _mu(sigma, sensitivity)
    asked = arguments.digits(digits)
    value = settle(lambda ctx: _profile(ctx, eps, mu), asked + 2)
    if value < 0.5:
        return settle(lambda ctx: ctx.log(real(ctx, value)), asked)
    rest = settle(lambda ctx: _complement(ctx, eps, mu), asked + 2)
    return settle(lambda ctx: ctx.log1p(-real(ctx, rest)), asked)


def delta_slope_mu(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return ∂δ/∂μ = φ(μ/2 − ε/μ) > 0: less noise is less private (BW18.L7).

    Arguments and errors as for `delta_at_epsilon`.
    """
    eps, mu = arguments.epsilon(epsilon), _mu(sigma, sensitivity)

    return settle(lambda ctx: npdf(ctx, mu / 2 - eps / mu), arguments.digits(digits))


def delta_slope_epsilon(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return ∂δ/∂ε = −e^ε Φ(−μ/2 − ε/μ) < 0 (BW18.L7).

    Arguments and errors as for `delta_at_epsilon`.
    """
    eps, mu = arguments.epsilon(epsilon), _mu(sigma, sensitivity)
    return settle(lambda ctx: _slope_epsilon(ctx, eps, mu), arguments.digits(digits))


def calibrate_sigma(
    *, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return the smallest σ for which the mechanism is (ε,δ)-DP: the root of δ(ε) = δ (BW18.T8).

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: correct decimal digits wanted.

    Returns:
        The standard deviation of the noise per coordinate, in the unit of sensitivity.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    distance = arguments.positive("sensitivity", sensitivity)
    asked = arguments.digits(digits)

    def newton(mu: Real, digits: int) -> tuple[Real, Real]:
        # In ln μ and the log-odds of δ, near-linear at both ends of (0, 1).
        value, rest = split(
            lambda ctx: _profile(ctx, eps, mu),
            lambda ctx: _complement(ctx, eps, mu),
            target,
            digits + sharp,  # for what μ/2 − ε/μ and e^ε lose
        )
        with working(4 * digits + 64) as ctx:
            m = real(ctx, mu)
            rise = m * npdf(ctx, _difference(eps, mu))
            residual, slope = log_odds(ctx, value, rest, target, rise)
            return freeze(residual), freeze(scaled(ctx, m, -residual / slope))

    # For large ε, δ goes from 0 to 1 within a relative 1/√(2ε) of μ = √(2ε).
    sharp = max(0, math.ceil(math.log10(math.ceil(eps) + 1) / 2))
    with working(64 + bits_for(sharp)) as ctx:
        floats = _mu_in_floats(eps, target)
        start = freeze(_mu_below(ctx, eps, target) if floats is None else ctx.mpf(floats))
    mu = positive_root(newton, start=start, digits=asked + 2, sharp=sharp)
    return settle(lambda ctx: real(ctx, distance) / real(ctx, mu), asked)


def _tail_point(ctx: Context, target: Fraction) -> Real:
    """Return some y with Φ(−y) ≤ δ; for δ < 1/2 by Φ(−y) ≤ e^{−y²/2}/2."""
    return ctx.sqrt(-2 * ctx.log(real(ctx, 2 * target))) if 2 * target < 1 else ctx.zero


def _mu_below(ctx: Context, epsilon: Fraction, target: Fraction) -> Real:
    """Return a μ below the root: from δ(ε) ≤ μ/√(2π), and from δ(ε) ≤ Φ(μ/2 − ε/μ)."""
    y, eps = _tail_point(ctx, target), real(ctx, epsilon)
    by_slope = real(ctx, target) * ctx.sqrt(2 * ctx.pi)
    if epsilon == 0:
        return by_slope
    return max(by_slope, 2 * eps / (ctx.sqrt(y * y + 2 * eps) + y))


def _mu_in_floats(epsilon: Fraction, target: Fraction) -> float | None:
    """Return about the μ at which δ(ε) is the target, or None: where the search may begin."""
    if not (
        Fraction(1, 1000) <= epsilon <= 500 and Fraction(1, 10**12) <= target <= Fraction(9, 10)
    ):
        return None
    e, d, root = float(epsilon), float(target), math.sqrt(0.5)
    growth, odds = math.exp(e), math.log(d / (1 - d))
    y = math.sqrt(-2 * math.log(2 * d)) if d < 0.5 else 0.0
    mu = max(d * math.sqrt(2 * math.pi), 2 * e / (math.sqrt(y * y + 2 * e) + y))
    for _ in range(30):
        near, far = e / mu - mu / 2, e / mu + mu / 2
        value = (math.erfc(near * root) - growth * math.erfc(far * root)) / 2
        if not 0 < value < 1:
            return None
        rise = mu * math.exp(-near * near / 2) / math.sqrt(2 * math.pi)
        step = (odds - math.log(value / (1 - value))) * value * (1 - value) / rise
        mu *= math.exp(max(-1.0, min(1.0, step)))
        if abs(step) < 1e-9:
            return mu
    return None


def algorithm_1(*, epsilon: Exact, delta: Exact, sensitivity: Exact = 1, digits: int = 50) -> Real:
    """Return the smallest σ by the paper's Algorithm 1 (BW18.T9), ε > 0.

    δ₀ = Φ(0) − e^ε Φ(−√(2ε)). If δ ≥ δ₀, v* solves B⁺(v) = Φ(√(εv)) − e^ε Φ(−√(ε(v+2))) = δ and
    α = √(1+v*/2) − √(v*/2); else u* solves B⁻(u) = Φ(−√(εu)) − e^ε Φ(−√(ε(u+2))) = δ and
    α = √(1+u*/2) + √(u*/2). σ = αD/√(2ε).

    Arguments and errors as for `calibrate_sigma`; epsilon = 0 is a ValueError.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    distance = arguments.positive("sensitivity", sensitivity)
    asked = arguments.digits(digits)
    if eps == 0:
        raise ValueError("epsilon must be positive in Algorithm 1, got 0")

    def b(ctx: Context, sign: int, v: Real) -> tuple[Real, Real]:
        near = ncdf(ctx, lambda c: (sign * c.sqrt(real(c, eps) * real(c, v)),))
        far = ncdf(ctx, lambda c: (-c.sqrt(real(c, eps) * (real(c, v) + 2)),))
        return near, -exp(ctx, eps) * far

    def excess(ctx: Context) -> tuple[Real, ...]:
        return *b(ctx, 1, ctx.zero), -real(ctx, target)

    gap = settle(excess, 5)
    sign = 1 if gap < 0 else -1
    with working(64) as ctx:
        # Where δ is close to δ₀, v is small and known only through their difference.
        lost = max(0, -int(ctx.log10(abs(gap))))

    def rest_of_b(ctx: Context, v: Real) -> tuple[Real, ...]:
        first, second = b(ctx, sign, v)
        return ctx.one, -first, -second

    def newton(v: Real, digits: int) -> tuple[Real, Real]:
        # B⁺ rises and B⁻ falls. In √v, where both are smooth, their slopes are
        # ±√ε φ(√(εv)) (1 ± √(v/(v+2))), because e^ε φ(√(ε(v+2))) = φ(√(εv)).
        value, rest = split(
            lambda ctx: b(ctx, sign, v), lambda ctx: rest_of_b(ctx, v), target, digits + lost
        )
        with working(4 * (digits + lost) + 64) as ctx:
            e, x = ctx.sqrt(real(ctx, eps)), ctx.sqrt(real(ctx, v))
            both = 1 + x / ctx.sqrt(x * x + 2)
            slant = both if sign > 0 else 2 / ((x * x + 2) * both)  # 1 - …, not cancelled
            fall = e * npdf(ctx, lambda c: (c.sqrt(real(c, eps) * real(c, v)),)) * slant
            residual, slope = log_odds(ctx, value, rest, target, fall)
            following = x - sign * residual / slope
            return freeze(sign * residual), freeze(following * abs(following))

    with working(64) as ctx:
        start = freeze(1 / real(ctx, eps))
    root = positive_root(newton, start=start, digits=asked + 4)

    def sigma(ctx: Context) -> Real:
        v = real(ctx, root)
        alpha = ctx.sqrt(1 + v / 2) - sign * ctx.sqrt(v / 2)
        return alpha * real(ctx, distance) / ctx.sqrt(2 * real(ctx, eps))

    return settle(sigma, asked)


def epsilon_at_delta(
    *, delta: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return the smallest ε ≥ 0 for which the mechanism is (ε,δ)-DP (X.EPS).

    It is 0 exactly when δ ≥ δ(0) = 2Φ(μ/2) − 1 = erf(μ/(2√2)) (BW18.T2).

    Args:
        delta: in (0, 1].
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        sensitivity: ℓ2-sensitivity D, in (0, ∞), in the unit of sigma.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    target, mu = arguments.delta(delta, one_allowed=True), _mu(sigma, sensitivity)
    asked = arguments.digits(digits)
    if target == 1:
        return ZERO

    def excess(ctx: Context) -> tuple[Real, Real]:
        return ctx.erf(real(ctx, mu) / ctx.sqrt(8)) / real(ctx, target), ctx.mpf(-1)

    room = settle(excess, 5)
    if room < 0:
        return ZERO
    # For large μ, δ(ε) falls from 1 to 0 within a relative 2/μ of ε = μ²/2.
    sharp = max(0, math.ceil(math.log10(math.ceil(mu))))
    with working(64 + bits_for(sharp)) as ctx:
        m = real(ctx, mu)
        # δ(ε) ≤ Φ(μ/2 − ε/μ) puts the root below this point.
        start = freeze(m * (m / 2 + _tail_point(ctx, target)))
        # Where δ is close below δ(0), ε is small and known only through that difference.
        lost = max(0, -int(ctx.log10(room))) if room < 1 else 0

    def newton(eps: Real, digits: int) -> tuple[Real, Real]:
        value, rest = split(
            lambda ctx: _profile(ctx, eps, mu),
            lambda ctx: _complement(ctx, eps, mu),
            target,
            digits + sharp + lost,
        )
        # A step half as long as the digits carried asks no more of its slope.
        fall = once(lambda ctx: -_slope_epsilon(ctx, eps, mu), digits // 2 + 2 * sharp + 8)
        with working(4 * (digits + lost) + 64) as ctx:
            e, fall = real(ctx, eps), real(ctx, fall)
            residual, slope = log_odds(ctx, value, rest, target, fall)
            return freeze(-residual), freeze(e + residual / slope)

    return positive_root(newton, start=start, digits=asked, sharp=sharp)


def pinsker_sigma(*, delta: Exact, sensitivity: Exact = 1, digits: int = 50) -> Real:
    """Return D/(2δ), a σ that is enough for (0,δ)-DP by Pinsker's inequality (BW18.T2).

    Args:
        delta: in (0, 1).
        sensitivity: ℓ2-sensitivity D, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    ratio = arguments.positive("sensitivity", sensitivity) / (2 * arguments.delta(delta))
    return settle(lambda ctx: real(ctx, ratio), arguments.digits(digits))
