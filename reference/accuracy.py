"""Accuracy of one Gaussian release at a significance level (GMA.T1).

The accuracy at significance α is the a with Pr[|y − f(x)| > a] = α, per coordinate:
a = σ√2·erf⁻¹(1−α), which is σ√2·erfc⁻¹(α).
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.numerics.functions import log, ncdf, npdf
from dporacle.reference.numerics.log_odds import split
from dporacle.reference.numerics.precision import ZERO, Real, freeze, real, settle, working
from dporacle.reference.numerics.roots import positive_root, scaled


@witness
def accuracy(*, alpha: Fraction, sigma: Fraction, digits: int) -> Real:
    """Return the a that the error of a release exceeds with probability α (GMA.T1).

    Returns:
        The accuracy, in the unit of sigma.
    """
    if alpha == 1:
        return ZERO
    quantile = two_sided_quantile(alpha, digits + 2)
    return settle(lambda ctx: real(ctx, sigma) * real(ctx, quantile), digits)


@witness
def alpha_at_accuracy(*, accuracy: Fraction, sigma: Fraction, digits: int) -> Real:
    """Return α = Pr[|y − f(x)| > a] = erfc(a/(σ√2)): `accuracy` inverted in alpha (GMA.T1)."""
    bound = accuracy / sigma
    return settle(lambda ctx: 2 * ncdf(ctx, -bound), digits)


@witness
def sigma_at_accuracy(*, accuracy: Fraction, alpha: Fraction, digits: int) -> Real:
    """Return the largest σ with accuracy a at significance α: `accuracy` inverted (GMA.T1).

    Returns:
        The standard deviation of the noise per coordinate, in the unit of accuracy.
    """
    quantile = two_sided_quantile(alpha, digits + 2)
    return settle(lambda ctx: real(ctx, accuracy) / real(ctx, quantile), digits)


def two_sided_quantile(level: Fraction, digits: int) -> Real:
    """Return the z > 0 with erfc(z/√2) = α, by Newton's method on the log-odds of α."""

    def newton(z: Real, digits: int) -> tuple[Real, Real]:
        upper, lower = split(
            lambda ctx: 2 * ncdf(ctx, lambda c: (-real(c, z),)),
            lambda ctx: ctx.erf(real(ctx, z) / ctx.sqrt(2)),
            level,
            digits,
        )
        with working(4 * digits + 64) as ctx:
            x, up, low = real(ctx, z), real(ctx, upper), real(ctx, lower)
            odds = ctx.log(low / real(ctx, 1 - level)) - ctx.log(up / real(ctx, level))
            slope = 2 * x * npdf(ctx, z) / (up * low)  # in ln z
            return freeze(odds), freeze(scaled(ctx, x, -odds / slope))

    with working(64) as ctx:
        # erfc(z/√2) ≤ e^{−z²/2} puts the root below this point.
        start = freeze(ctx.sqrt(-2 * log(ctx, level)))
    return positive_root(newton, start=start, digits=digits)
