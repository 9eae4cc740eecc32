"""The privacy loss of the Gaussian mechanism (BW18.L3, BW18.L6).

For two inputs whose exact answers lie at distance D, the privacy loss of a release with noise
of standard deviation σ is the random variable L = ln p(y)/p'(y), y drawn from the first. It is
itself Gaussian, N(η, 2η) with η = D²/(2σ²).
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.interface import witness
from dporacle.reference.numerics.functions import ncdf
from dporacle.reference.numerics.precision import Real, real, settle


@witness
def loss_mean(*, sigma: Fraction, sensitivity: Fraction, digits: int) -> Real:
    """Return η = D²/(2σ²), the mean of the privacy loss and half its variance (BW18.L3)."""
    mu = sensitivity / sigma
    return settle(lambda ctx: real(ctx, mu * mu / 2), digits)


@witness
def loss_upper_tail(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return Pr[L ≥ ε] = Φ(D/2σ − εσ/D) (BW18.L6, equation 4)."""
    mu = sensitivity / sigma
    return settle(lambda ctx: ncdf(ctx, mu / 2 - epsilon / mu), digits)


@witness
def loss_lower_tail(
    *, epsilon: Fraction, sigma: Fraction, sensitivity: Fraction, digits: int
) -> Real:
    """Return Pr[L' ≤ −ε] = Φ(−D/2σ − εσ/D), L' the loss of swapped inputs (BW18.L6, eq. 5)."""
    mu = sensitivity / sigma
    return settle(lambda ctx: ncdf(ctx, -mu / 2 - epsilon / mu), digits)
