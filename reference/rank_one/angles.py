"""The angle of the published sketch, and the loss that it bounds (JL24.R2, JL24.R3)."""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.numerics.functions import log
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle
from dporacle.reference.rank_one.caps import tail

__all__ = [
    "rank_one_cosecant_tail",
    "rank_one_cotangent_tail",
    "rank_one_loss",
    "rank_one_loss_bound",
]


def rank_one_cotangent_tail(*, dimension: int, threshold: Exact, digits: int = 50) -> Real:
    """Return Pr[cot²θ > t], θ the angle of a uniform direction with an axis (JL24.R2).

    cos²θ ~ Beta(1/2, (M−1)/2), so that cot²θ ~ BetaPrime(1/2, (M−1)/2).

    Args:
        dimension: M, from 2 to 10^9.
        threshold: t, in [0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    power = arguments.dimension(dimension, least=2) - 1
    t = arguments.nonnegative("threshold", threshold)
    return _cotangent(power, t, arguments.digits(digits))


def _cotangent(power: int, t: Fraction, digits: int) -> Real:
    if not t:
        return settle(lambda ctx: ctx.one, digits)
    # Above the axis or below: cot²θ > t where |cos θ| > √(t/(1+t)).
    return settle(lambda ctx: 2 * tail(ctx, power)(ctx.sqrt(real(ctx, t / (1 + t)))), digits)


def rank_one_cosecant_tail(*, dimension: int, threshold: Exact, digits: int = 50) -> Real:
    """Return Pr[1/sin²θ > t] = Pr[cot²θ > t − 1], which is 1 for t < 1 (JL24.R2).

    Arguments and errors as for `rank_one_cotangent_tail`.
    """
    power = arguments.dimension(dimension, least=2) - 1
    t = arguments.nonnegative("threshold", threshold)
    return _cotangent(power, max(t - 1, Fraction(0)), arguments.digits(digits))


def rank_one_loss(
    *, radius: Exact, distance: Exact, sigma_star: Exact, dimension: int, digits: int = 50
) -> Real:
    """Return L = (M−1)ln(ρ/r) + (ρ² − r²)/2σ*, the privacy loss of an output (JL24.R3).

    Args:
        radius: r, the output's distance from the answer that was made noisy, in (0, ∞).
        distance: ρ, its distance from the neighbour's answer, in (0, ∞).
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        dimension: M, from 2 to 10^9.
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    near, far = arguments.positive("radius", radius), arguments.positive("distance", distance)
    s = arguments.positive("sigma_star", sigma_star)
    power = arguments.dimension(dimension, least=2) - 1
    asked = arguments.digits(digits)
    if near == far:
        return ZERO

    def formula(ctx: Context) -> tuple[Real, Real]:
        return power * log(ctx, far / near), real(ctx, (far**2 - near**2) / (2 * s))

    return settle(formula, asked)


def rank_one_loss_bound(
    *,
    radius: Exact,
    distance: Exact,
    sigma_star: Exact,
    sensitivity: Exact = 1,
    digits: int = 50,
) -> Real:
    """Return (2/σ*)(D/sin θ)², θ the angle under which the output sees the answers (JL24.R3).

    By the law of sines D/sin θ is the diameter of the circle through the three points.

    Args:
        radius: r, the output's distance from the answer that was made noisy, in (0, ∞).
        distance: ρ, its distance from the neighbour's answer; r, ρ and D are a proper triangle.
        sigma_star: variance of the signed length of the noise, in (0, ∞).
        sensitivity: D, the distance of the two answers, in (0, ∞).
        digits: correct decimal digits wanted.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    near, far = arguments.positive("radius", radius), arguments.positive("distance", distance)
    s, d = (
        arguments.positive("sigma_star", sigma_star),
        arguments.positive("sensitivity", sensitivity),
    )
    if not abs(near - far) < d < near + far:
        raise ValueError(f"distance is not a side of such a triangle: {arguments.show(distance)}")
    cosine = (near**2 + far**2 - d**2) / (2 * near * far)
    value = 2 * d**2 / (s * (1 - cosine**2))
    return settle(lambda ctx: real(ctx, value), arguments.digits(digits))
