"""The profile solved for ε and for σ*, by Newton's method on its log-odds (X.R1.INVERSE)."""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.interface import witness
from dporacle.reference.numerics.precision import ZERO, Context, Real, freeze, real, settle, working
from dporacle.reference.numerics.roots import positive_root
from dporacle.reference.papers.rank_one import integrals
from dporacle.reference.papers.rank_one.profile import check_reach, deep

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
    """Return the smallest ε ≥ 0 for which the mechanism is (ε,δ)-DP (X.R1.PROFILE).

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
    """Return the smallest σ* for which the mechanism is (ε,δ)-DP: the root of δ(ε) = δ.

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
