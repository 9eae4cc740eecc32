"""Enclosures for the privacy loss of the Gaussian mechanism (BW18.L3, BW18.L6)."""

from __future__ import annotations

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail

__all__ = ["loss_lower_tail", "loss_mean", "loss_upper_tail"]


def loss_mean(*, sigma: Exact, sensitivity: Exact = 1, digits: int = 50) -> arb:
    """Enclose η = D²/(2σ²), the mean of the privacy loss and half its variance (BW18.L3).

    Args:
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        sensitivity: ℓ2 distance D of the two exact answers, in (0, ∞), in the unit of sigma.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    mu = arguments.positive("sensitivity", sensitivity) / arguments.positive("sigma", sigma)
    return tighten(lambda: ball(mu * mu / 2), arguments.digits(digits))


def loss_upper_tail(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose Pr[L ≥ ε] = Φ(D/2σ − εσ/D) (BW18.L6, equation 4).

    Args:
        epsilon: the loss that is exceeded, in [0, ∞).
        sigma: standard deviation of the noise per coordinate, in (0, ∞).
        sensitivity: ℓ2 distance D of the two exact answers, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    eps = arguments.epsilon(epsilon)
    mu = arguments.positive("sensitivity", sensitivity) / arguments.positive("sigma", sigma)
    return tighten(lambda: normal_tail(ball(eps / mu - mu / 2)), arguments.digits(digits))


def loss_lower_tail(
    *, epsilon: Exact, sigma: Exact, sensitivity: Exact = 1, digits: int = 50
) -> arb:
    """Enclose Pr[L' ≤ −ε] = Φ(−D/2σ − εσ/D), L' the loss with the inputs swapped (BW18.L6, eq. 5).

    Arguments and errors as for `loss_upper_tail`.
    """
    eps = arguments.epsilon(epsilon)
    mu = arguments.positive("sensitivity", sensitivity) / arguments.positive("sigma", sigma)
    return tighten(lambda: normal_tail(ball(eps / mu + mu / 2)), arguments.digits(digits))
