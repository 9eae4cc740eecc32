"""The angle of the published sketch, and the loss that it bounds, in balls (JL24.R2, JL24.R3)."""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import ball, tighten

__all__ = [
    "rank_one_cosecant_tail",
    "rank_one_cotangent_tail",
    "rank_one_loss",
    "rank_one_loss_bound",
]


def rank_one_cotangent_tail(*, dimension: int, threshold: Exact, digits: int = 50) -> arb:
    """Enclose Pr[cot²θ > t] = I_{1/(1+t)}((M−1)/2, 1/2) (JL24.R2).

    Args:
        dimension: M, from 2 to 10^9.
        threshold: t, in [0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    power = arguments.dimension(dimension, least=2) - 1
    t = arguments.nonnegative("threshold", threshold)
    return _sine_below(power, t, arguments.digits(digits))


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


def rank_one_cosecant_tail(*, dimension: int, threshold: Exact, digits: int = 50) -> arb:
    """Enclose Pr[1/sin²θ > t], which is 1 for t < 1 (JL24.R2).

    Arguments and errors as for `rank_one_cotangent_tail`.
    """
    power = arguments.dimension(dimension, least=2) - 1
    t = arguments.nonnegative("threshold", threshold)
    return _sine_below(power, max(t - 1, Fraction(0)), arguments.digits(digits))


def rank_one_loss(
    *, radius: Exact, distance: Exact, sigma_star: Exact, dimension: int, digits: int = 50
) -> arb:
    """Enclose L = g(ρ) − g(r), g(t) = (M−1)ln t + t²/2σ*, the loss of an output (JL24.R3).

    Args:
        radius: r, the output's distance from the answer that was made noisy, in (0, ∞).
        distance: ρ, its distance from the neighbour's answer, in (0, ∞).
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 2 to 10^9.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    near, far = arguments.positive("radius", radius), arguments.positive("distance", distance)
    s = arguments.positive("sigma_star", sigma_star)
    power = arguments.dimension(dimension, least=2) - 1
    asked = arguments.digits(digits)
    if near == far:
        return arb(0)

    def g(t: Fraction) -> arb:
        return power * ball(t).log() + ball(t) ** 2 / (2 * ball(s))

    return tighten(lambda: g(far) - g(near), asked)


def rank_one_loss_bound(
    *,
    radius: Exact,
    distance: Exact,
    sigma_star: Exact,
    sensitivity: Exact = 1,
    digits: int = 50,
) -> arb:
    """Enclose (2/σ*)(D/sin θ)², by the area of the triangle (JL24.R3).

    D/sin θ = D·r·ρ/(2·area), and Heron's formula gives the area.

    Args:
        radius: r, the output's distance from the answer that was made noisy, in (0, ∞).
        distance: ρ, its distance from the neighbour's answer; r, ρ and D are a proper triangle.
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        sensitivity: D, the distance of the two answers, in (0, ∞).
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    r, p = arguments.positive("radius", radius), arguments.positive("distance", distance)
    s, d = (
        arguments.positive("sigma_star", sigma_star),
        arguments.positive("sensitivity", sensitivity),
    )
    if not abs(r - p) < d < r + p:
        raise ValueError(f"distance is not a side of such a triangle: {arguments.show(distance)}")
    square = (r + p + d) * (r + p - d) * (d + r - p) * (d - r + p)  # 16·area²
    return tighten(
        lambda: 8 * ball(d * r * p) ** 2 / (ball(s) * ball(square)), arguments.digits(digits)
    )
