"""The privacy loss of the Gaussian mechanism (BW18.L3, BW18.L6).

For two inputs whose exact answers lie at distance D, the privacy loss of a release with noise
of standard deviation σ is the random variable L = ln p(y)/p'(y), y drawn from the first. It is
itself Gaussian, N(η, 2η) with η = D²/(2σ²).
"""

from __future__ import annotations

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.numerics.functions import ncdf
from dporacle.reference.numerics.precision import Real, real, settle

__all__ = ["loss_lower_tail", "loss_mean", "loss_upper_tail"]


def loss_mean(*, sigma: Exact, sensitivity: Exact = 1, digits: int = 50) -> Real:
    """Return η = D²/(2σ²), the mean of the privacy loss and half its variance (BW18.L3).

    Args:
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        sensitivity: ℓ2 distance D of the two exact answers, in (0, ∞), in the unit of sigma.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    mu = arguments.positive("sensitivity", sensitivity) / arguments.positive("sigma", sigma)
    return settle(lambda ctx: real(ctx, mu * mu / 2), arguments.digits(digits))


def loss_upper_tail(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return Pr[L ≥ ε] = Φ(D/2σ − εσ/D) (BW18.L6, equation 4).

    Args:
        epsilon: the loss that is exceeded, in [0, ∞).
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        sensitivity: ℓ2 distance D of the two exact answers, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps = arguments.epsilon(epsilon)
    mu = arguments.positive("sensitivity", sensitivity) / arguments.positive("sigma", sigma)
    return settle(lambda ctx: ncdf(ctx, mu / 2 - eps / mu), arguments.digits(digits))


def loss_lower_tail(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> Real:
    """Return Pr[L' ≤ −ε] = Φ(−D/2σ − εσ/D), L' the loss with the inputs swapped (BW18.L6, eq. 5).

    Arguments and errors as for `loss_upper_tail`.
    """
    eps = arguments.epsilon(epsilon)
    mu = arguments.positive("sensitivity", sensitivity) / arguments.positive("sigma", sigma)
    return settle(lambda ctx: ncdf(ctx, -mu / 2 - eps / mu), arguments.digits(digits))
