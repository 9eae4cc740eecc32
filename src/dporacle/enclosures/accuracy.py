"""Enclosures for the accuracy of one Gaussian release at a significance level (GMA.T1)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.interface import witness


@witness
def accuracy(*, alpha: Fraction, sigma: Fraction, digits: int) -> arb:
    """Enclose the a that the error of a release exceeds with probability α (GMA.T1)."""
    if alpha == 1:
        return arb(0)
    return tighten(lambda: ball(sigma) * _quantile(alpha), digits)


@witness
def alpha_at_accuracy(*, accuracy: Fraction, sigma: Fraction, digits: int) -> arb:
    """Enclose α = Pr[|y − f(x)| > a] = erfc(a/(σ√2)): `accuracy` inverted in alpha (GMA.T1)."""
    bound = accuracy / sigma
    return tighten(lambda: 2 * normal_tail(ball(bound)), digits)


@witness
def sigma_at_accuracy(*, accuracy: Fraction, alpha: Fraction, digits: int) -> arb:
    """Enclose the largest σ with accuracy a at significance α, the inverse in sigma (GMA.T1)."""
    return tighten(lambda: ball(accuracy) / _quantile(alpha), digits)


def _quantile(level: Fraction) -> arb:
    """Enclose the z > 0 with erfc(z/√2) = α, from the end of (0, 1) at which α loses nothing."""
    inverse = ball(level).erfcinv() if 2 * level < 1 else ball(1 - level).erfinv()
    return arb(2).sqrt() * inverse
