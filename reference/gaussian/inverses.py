"""The Gaussian profile δ(ε) solved for μ and for ε: Newton's method on its log-odds.

The equations stand in `reference.analytic_gaussian`; here is where they are started from, and how
many digits each step has to carry. What is started from is a bound of the root, so that a start
that is off costs steps, never digits: `positive_root` checks every root on both of its sides.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from typing import NamedTuple

from dporacle.reference.numerics.functions import npdf
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

Number = Fraction | Real

_FLOAT_DIGITS = 13
"""About how many digits of a root in floats are right."""


class GaussianProfile(NamedTuple):
    """δ(ε) and what belongs to it, as functions of a context, ε and μ.

    Attributes:
        value: δ(ε), as terms.
        rest: 1 − δ(ε).
        slope_mu: ∂δ/∂μ.
        slope_epsilon: ∂δ/∂ε.
    """

    value: Callable[[Context, Number, Number], tuple[Real, ...]]
    rest: Callable[[Context, Number, Number], Real]
    slope_mu: Callable[[Context, Number, Number], Real]
    slope_epsilon: Callable[[Context, Number, Number], Real]


def mu_of(profile: GaussianProfile, eps: Fraction, target: Fraction, digits: int) -> Real:
    """Return the μ at which δ(ε) is δ, in ln μ, in which the log-odds of δ are close to linear."""

    def newton(mu: Real, digits: int) -> tuple[Real, Real]:
        value, rest = split(
            lambda ctx: profile.value(ctx, eps, mu),
            lambda ctx: profile.rest(ctx, eps, mu),
            target,
            digits + sharp,  # for what μ/2 − ε/μ and e^ε lose
        )
        with working(4 * digits + 64) as ctx:
            m = real(ctx, mu)
            rise = m * profile.slope_mu(ctx, eps, mu)
            residual, slope = log_odds(ctx, value, rest, target, rise)
            return freeze(residual), freeze(scaled(ctx, m, -residual / slope))

    # For large ε, δ goes from 0 to 1 within a relative 1/√(2ε) of μ = √(2ε).
    sharp = max(0, math.ceil(math.log10(math.ceil(eps) + 1) / 2))
    with working(64 + bits_for(sharp)) as ctx:
        floats = _mu_in_floats(eps, target)
        start = freeze(_mu_below(ctx, eps, target) if floats is None else ctx.mpf(floats))
    known = 0 if floats is None else _FLOAT_DIGITS
    return positive_root(newton, start=start, digits=digits, sharp=sharp, known=known)


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


def epsilon_of(
    profile: GaussianProfile,
    at_zero: Callable[[Context], Real],
    mu: Fraction,
    target: Fraction,
    digits: int,
) -> Real:
    """Return the ε ≥ 0 at which δ(ε) is δ; 0 where δ(0) is not above δ.

    Args:
        profile: what is solved.
        at_zero: δ(0) in one term, which cancels nothing.
        mu: μ.
        target: δ.
        digits: correct decimal digits wanted.
    """
    room = settle(lambda ctx: (at_zero(ctx) / real(ctx, target), ctx.mpf(-1)), 5)
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
            lambda ctx: profile.value(ctx, eps, mu),
            lambda ctx: profile.rest(ctx, eps, mu),
            target,
            digits + sharp + lost,
        )
        # A step half as long as the digits carried asks no more of its slope.
        fall = once(lambda ctx: -profile.slope_epsilon(ctx, eps, mu), digits // 2 + 2 * sharp + 8)
        with working(4 * (digits + lost) + 64) as ctx:
            e, fall = real(ctx, eps), real(ctx, fall)
            residual, slope = log_odds(ctx, value, rest, target, fall)
            return freeze(-residual), freeze(e + residual / slope)

    return positive_root(newton, start=start, digits=digits, sharp=sharp)


def root_of_b(
    b: Callable[[Context, int, Real], tuple[Real, Real]],
    eps: Fraction,
    target: Fraction,
    digits: int,
) -> tuple[int, Real]:
    """Return the sign ± and the v at which B^±(v) is δ (BW18.T9).

    Args:
        b: B^±(v), as two terms, from a context, the sign and v.
        eps: ε > 0.
        target: δ.
        digits: correct decimal digits wanted.
    """
    gap = settle(lambda ctx: (*b(ctx, 1, ctx.zero), -real(ctx, target)), 5)
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
    return sign, positive_root(newton, start=start, digits=digits)
