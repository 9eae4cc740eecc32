"""Enclosures for the privacy loss of the Gaussian mechanism (BW18.L3, BW18.L6)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.interface import witness


@witness
def loss_mean(*, sigma: Fraction, sensitivity: Fraction, digits: int) -> arb:
    """Enclose η = D²/(2σ²), the mean of the privacy loss and half its variance (BW18.L3)."""
    mu = sensitivity / sigma
    return tighten(lambda: ball(mu * mu / 2), digits)


@witness
def loss_upper_tail(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose Pr[L ≥ ε] = Φ(D/2σ − εσ/D) (BW18.L6, equation 4)."""
    mu = sensitivity / sigma
    return tighten(lambda: normal_tail(ball(epsilon / mu - mu / 2)), digits)


@witness
def loss_lower_tail(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> arb:
    """Enclose Pr[L' ≤ −ε] = Φ(−D/2σ − εσ/D), L' the loss of swapped inputs (BW18.L6, eq. 5)."""
    mu = sensitivity / sigma
    return tighten(lambda: normal_tail(ball(epsilon / mu + mu / 2)), digits)
