"""Enclosures for the accuracy of one Gaussian release at a significance level (GMA.T1)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail

__all__ = ["accuracy", "alpha_at_accuracy", "sigma_at_accuracy"]


def accuracy(*, alpha: Exact, sigma: Exact, digits: int = 50) -> arb:
    """Enclose the a that the error of a release exceeds with probability α (GMA.T1).

    Args:
        alpha: significance level, in (0, 1]; 1 gives 0.
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    level, scale = arguments.alpha(alpha), arguments.positive("sigma", sigma)
    asked = arguments.digits(digits)
    if level == 1:
        return arb(0)
    return tighten(lambda: ball(scale) * _quantile(level), asked)


def alpha_at_accuracy(*, accuracy: Exact, sigma: Exact, digits: int = 50) -> arb:
    """Enclose α = Pr[|y − f(x)| > a] = erfc(a/(σ√2)), the inverse of `accuracy` in alpha.

    Args:
        accuracy: the error a that is exceeded, in [0, ∞), in the unit of sigma.
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    bound = arguments.nonnegative("accuracy", accuracy) / arguments.positive("sigma", sigma)
    return tighten(lambda: 2 * normal_tail(ball(bound)), arguments.digits(digits))


def sigma_at_accuracy(*, accuracy: Exact, alpha: Exact, digits: int = 50) -> arb:
    """Enclose the largest σ with accuracy a at significance α, the inverse in sigma.

    Args:
        accuracy: the error a that may be exceeded with probability α, in (0, ∞).
        alpha: significance level, in (0, 1).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    bound, level = arguments.positive("accuracy", accuracy), arguments.alpha(alpha)
    asked = arguments.digits(digits)
    if level == 1:
        raise ValueError("alpha must be less than 1, got 1: every sigma has that accuracy")
    return tighten(lambda: ball(bound) / _quantile(level), asked)


def _quantile(level: Fraction) -> arb:
    """Enclose the z > 0 with erfc(z/√2) = α, from the end of (0, 1) at which α loses nothing."""
    inverse = ball(level).erfcinv() if 2 * level < 1 else ball(1 - level).erfinv()
    return arb(2).sqrt() * inverse
