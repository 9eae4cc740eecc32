"""Linear calibrations σ = D·c/ε, c = √(2 ln(a/δ)), and where each is private.

X.CF, X.CFMAX, GMA.R1 and the exact region of BW18.T1.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.numerics.functions import exp, ncdf, npdf
from dporacle.reference.numerics.log_odds import log_odds, split
from dporacle.reference.numerics.precision import Context, Real, freeze, once, real, settle, working
from dporacle.reference.numerics.roots import positive_root, scaled

Constant = Callable[[Context], Real]
"""The a in c = √(2 ln(a/δ))."""


def _classical(ctx: Context) -> Real:
    return ctx.mpf(5) / 4


def _dwork_roth(ctx: Context) -> Real:
    return ctx.sqrt(2 * ctx.exp(ctx.mpf(8) / 9) / ctx.pi)


def _dwork_2006(ctx: Context) -> Real:
    return ctx.mpf(2)


def _c(ctx: Context, constant: Constant, target: Fraction) -> Real:
    """The c of σ = D·c/ε."""
    return ctx.sqrt(2 * ctx.log(constant(ctx) / real(ctx, target)))


def _linear_sigma(
    constant: Constant, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    ratio = sensitivity / epsilon
    return settle(lambda ctx: real(ctx, ratio) * _c(ctx, constant, delta), digits)


@witness
def dwork_roth_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return σ = D√(2 ln(√(2e^{8/9}/π)/δ))/ε (GMA.R1)."""
    return _linear_sigma(_dwork_roth, epsilon, delta, sensitivity, digits)


@witness
def dwork_2006_sigma(
    *, epsilon: Fraction, delta: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return σ = D√(2 ln(2/δ))/ε, the calibration of Dwork et al. 2006 (X.CF)."""
    return _linear_sigma(_dwork_2006, epsilon, delta, sensitivity, digits)


@witness
def classical_epsilon_max(*, delta: Fraction, digits: int) -> Real:
    """Return the largest ε for which σ = D√(2 ln(1.25/δ))/ε is (ε,δ)-DP (X.CFMAX).

    It is private for exactly the ε up to this one: at σ = D·c/ε, δ(ε) rises with ε.
    """
    return _epsilon_max(_classical, delta, digits)


@witness
def dwork_roth_epsilon_max(*, delta: Fraction, digits: int) -> Real:
    """Return the largest ε for which `dwork_roth_sigma` is (ε,δ)-DP (GMA.R1)."""
    return _epsilon_max(_dwork_roth, delta, digits)


@witness
def dwork_2006_epsilon_max(*, delta: Fraction, digits: int) -> Real:
    """Return the largest ε for which `dwork_2006_sigma` is (ε,δ)-DP (X.CFMAX)."""
    return _epsilon_max(_dwork_2006, delta, digits)


def _epsilon_max(constant: Constant, target: Fraction, digits: int) -> Real:

    def near(ctx: Context, eps: Real, sign: int) -> Real:
        """Φ(±(ε/2c − c)): BW18.T8 at μ = ε/c."""

        def point(c: Context) -> tuple[Real, Real]:
            size = _c(c, constant, target)
            return sign * real(c, eps) / (2 * size), -sign * size

        return ncdf(ctx, point)

    def far(ctx: Context, eps: Real) -> Real:
        """e^ε Φ(−ε/2c − c)."""

        def point(c: Context) -> tuple[Real, Real]:
            size = _c(c, constant, target)
            return -real(c, eps) / (2 * size), -size

        return exp(ctx, eps) * ncdf(ctx, point)

    def slope(ctx: Context, eps: Real) -> tuple[Real, Real]:
        size = _c(ctx, constant, target)
        density = npdf(ctx, lambda c: (c.mpf(real(ctx, eps) / (2 * size)), c.mpf(-size)))
        return density / size, -far(ctx, eps)

    def newton(eps: Real, digits: int) -> tuple[Real, Real]:
        value, rest = split(
            lambda ctx: (near(ctx, eps, 1), -far(ctx, eps)),
            lambda ctx: near(ctx, eps, -1) + far(ctx, eps),
            target,
            digits,
        )
        # A step half as long as the digits carried asks no more of its slope.
        rise = once(lambda ctx: slope(ctx, eps), digits // 2 + 8)
        with working(4 * digits + 64) as ctx:
            e = real(ctx, eps)
            residual, rise = log_odds(ctx, value, rest, target, e * real(ctx, rise))
            return freeze(residual), freeze(scaled(ctx, e, -residual / rise))

    with working(64) as ctx:
        start = freeze(ctx.mpf(4))
    return positive_root(newton, start=start, digits=digits)


@witness
def classical_epsilon_threshold(*, digits: int) -> Real:
    """Return the largest ε up to which the σ of BW18.T1 is enough at every δ (X.CFMAX)."""
    return _epsilon_threshold(_classical, (3.8, 0.8), digits)


@witness
def dwork_roth_epsilon_threshold(*, digits: int) -> Real:
    """Return the smallest `dwork_roth_epsilon_max` over all δ (GMA.R1)."""
    return _epsilon_threshold(_dwork_roth, (3.8, 0.8), digits)


@witness
def dwork_2006_epsilon_threshold(*, digits: int) -> Real:
    """Return the smallest `dwork_2006_epsilon_max` over all δ (X.CFMAX)."""
    return _epsilon_threshold(_dwork_2006, (6.4, 1.6), digits)


def _epsilon_threshold(constant: Constant, start: tuple[float, float], digits: int) -> Real:
    """The ε at which the largest δ(ε)/δ over all c is 1.

    With y = c − ε/2c, w = c + ε/2c and δ = a·e^{−c²/2},
    ln(δ(ε)/δ) = ε/2 − ε²/8c² + ln(m(y) − m(w)) − ln(a√(2π)), m(x) = Φ(−x)/φ(x), m' = xm − 1.
    """

    def equations(ctx: Context, eps: Real, c: Real) -> tuple[Real, Real]:
        y, w = c - eps / (2 * c), c + eps / (2 * c)
        m_y, m_w = (ctx.ncdf(-x) / ctx.npdf(x) for x in (y, w))
        level = ctx.log((m_y - m_w) / (constant(ctx) * ctx.sqrt(2 * ctx.pi)))
        tilt = (1 + eps / (2 * c * c)) * (y * m_y - 1) - (1 - eps / (2 * c * c)) * (w * m_w - 1)
        flat = eps * eps / (4 * c**3) + tilt / (m_y - m_w)
        return eps / 2 - eps * eps / (8 * c * c) + level, flat

    def formula(ctx: Context) -> Real:
        # From coarse to fine: each precision starts from half as many digits.
        point, bits = list(start), 64
        while True:
            with working(min(bits, ctx.prec)) as coarse:
                found = coarse.findroot(
                    lambda eps, c: list(equations(coarse, eps, c)),
                    [real(coarse, each) for each in point],
                )
                point = [freeze(each) for each in found]
            if bits >= ctx.prec:
                return real(ctx, point[0])
            bits *= 2

    return settle(formula, digits)
