"""Accuracy of one Gaussian release at a significance level (GMA.T1).

The accuracy at significance α is the a with Pr[|y − f(x)| > a] = α, per coordinate:
a = σ√2·erf⁻¹(1−α), which is σ√2·erfc⁻¹(α).
"""

from __future__ import annotations

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.gaussian.quantiles import two_sided_quantile
from dporacle.reference.numerics.functions import ncdf
from dporacle.reference.numerics.precision import ZERO, Real, real, settle

__all__ = ["accuracy", "alpha_at_accuracy", "sigma_at_accuracy"]


def accuracy(*, alpha: Exact, sigma: Exact, digits: int = 50) -> Real:
    """Return the a that the error of a release exceeds with probability α (GMA.T1).

    Args:
        alpha: significance level, in (0, 1]; 1 gives 0.
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: correct decimal digits wanted.

    Returns:
        The accuracy, in the unit of sigma.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    level, scale = arguments.alpha(alpha), arguments.positive("sigma", sigma)
    asked = arguments.digits(digits)
    if level == 1:
        return ZERO
    quantile = two_sided_quantile(level, asked + 2)
    return settle(lambda ctx: real(ctx, scale) * real(ctx, quantile), asked)


def alpha_at_accuracy(*, accuracy: Exact, sigma: Exact, digits: int = 50) -> Real:
    """Return α = Pr[|y − f(x)| > a] = erfc(a/(σ√2)), the inverse of `accuracy` in alpha.

    Args:
        accuracy: the error a that is exceeded, in [0, ∞), in the unit of sigma.
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    bound = arguments.nonnegative("accuracy", accuracy) / arguments.positive("sigma", sigma)
    return settle(lambda ctx: 2 * ncdf(ctx, -bound), arguments.digits(digits))


def sigma_at_accuracy(*, accuracy: Exact, alpha: Exact, digits: int = 50) -> Real:
    """Return the largest σ with accuracy a at significance α, the inverse of `accuracy` in sigma.

    Args:
        accuracy: the error a that may be exceeded with probability α, in (0, ∞).
        alpha: significance level, in (0, 1).
        digits: correct decimal digits wanted.

    Returns:
        The standard deviation of the noise per coordinate, in the unit of accuracy.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    bound, level = arguments.positive("accuracy", accuracy), arguments.alpha(alpha)
    asked = arguments.digits(digits)
    if level == 1:
        raise ValueError("alpha must be less than 1, got 1: every sigma has that accuracy")
    quantile = two_sided_quantile(level, asked + 2)
    return settle(lambda ctx: real(ctx, bound) / real(ctx, quantile), asked)
