"""Accuracy of one Gaussian release at a significance level (GMA.T1).

The accuracy at significance α is the a with Pr[|y − f(x)| > a] = α, per coordinate:
a = σ√2·erf⁻¹(1−α), which is σ√2·erfc⁻¹(α).
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.gaussian.quantiles import two_sided_quantile
from dporacle.reference.numerics.functions import ncdf
from dporacle.reference.numerics.precision import ZERO, Real, real, settle


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
    """Return α = Pr[|y − f(x)| > a] = erfc(a/(σ√2)), the inverse of `accuracy` in alpha."""
    bound = accuracy / sigma
    return settle(lambda ctx: 2 * ncdf(ctx, -bound), digits)


@witness
def sigma_at_accuracy(*, accuracy: Fraction, alpha: Fraction, digits: int) -> Real:
    """Return the largest σ with accuracy a at significance α, the inverse of `accuracy` in sigma.

    Returns:
        The standard deviation of the noise per coordinate, in the unit of accuracy.
    """
    quantile = two_sided_quantile(alpha, digits + 2)
    return settle(lambda ctx: real(ctx, accuracy) / real(ctx, quantile), digits)
