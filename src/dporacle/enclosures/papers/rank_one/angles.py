"""The angle of the published sketch, and the loss that it bounds, in balls (JL24.R2, JL24.R3)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.interface import witness


@witness
def rank_one_cotangent_tail(*, dimension: int, threshold: Fraction, digits: int) -> arb:
    """Enclose Pr[cot²θ > t] = I_{1/(1+t)}((M−1)/2, 1/2) (JL24.R2)."""
    return _sine_below(dimension - 1, threshold, digits)


def _sine_below(power: int, t: Fraction, digits: int) -> arb:
    """Pr[sin²θ < 1/(1+t)]: the incomplete Beta function, where the reference goes by the cosine.

    Next to 1 its series takes minutes; what is left there is Pr[cos²θ < t/(1+t)], below √(tM).
    """
    if not t:
        return arb(1)
    if 16 * t * power < 1:
        return tighten(
            lambda: 1 - ball(t / (1 + t)).beta_lower(arb(0.5), arb(power) / 2, regularized=True),
            digits,
        )
    return tighten(
        lambda: ball(1 / (1 + t)).beta_lower(arb(power) / 2, arb(0.5), regularized=True), digits
    )


@witness
def rank_one_cosecant_tail(*, dimension: int, threshold: Fraction, digits: int) -> arb:
    """Enclose Pr[1/sin²θ > t], which is 1 for t < 1 (JL24.R2)."""
    return _sine_below(dimension - 1, max(threshold - 1, Fraction(0)), digits)


@witness
def rank_one_loss(
    *, radius: Fraction, distance: Fraction, sigma_star: Fraction, dimension: int, digits: int
) -> arb:
    """Enclose L = g(ρ) − g(r), g(t) = (M−1)ln t + t²/2σ*, the loss of an output (JL24.R3)."""
    if radius == distance:
        return arb(0)

    def g(t: Fraction) -> arb:
        return (dimension - 1) * ball(t).log() + ball(t) ** 2 / (2 * ball(sigma_star))

    return tighten(lambda: g(distance) - g(radius), digits)


@witness
def rank_one_loss_bound(
    *,
    radius: Fraction,
    distance: Fraction,
    sigma_star: Fraction,
    sensitivity: Fraction,
    digits: int,
) -> arb:
    """Enclose (2/σ*)(D/sin θ)², by the area of the triangle (JL24.R3).

    D/sin θ = D·r·ρ/(2·area), and Heron's formula gives the area.
    """
    if not abs(radius - distance) < sensitivity < radius + distance:
        raise ValueError(f"distance is not a side of such a triangle: {arguments.show(distance)}")
    square = (
        (radius + distance + sensitivity)
        * (radius + distance - sensitivity)
        * (sensitivity + radius - distance)
        * (sensitivity - radius + distance)
    )  # 16·area²
    return tighten(
        lambda: 8 * ball(sensitivity * radius * distance) ** 2 / (ball(sigma_star) * ball(square)),
        digits,
    )
