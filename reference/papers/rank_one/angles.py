"""The angle of the published sketch, and the loss that it bounds (JL24.R2, JL24.R3)."""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.interface import witness
from dporacle.reference.numerics.functions import log
from dporacle.reference.numerics.precision import ZERO, Context, Real, real, settle
from dporacle.reference.papers.rank_one.caps import tail


@witness
def rank_one_cotangent_tail(*, dimension: int, threshold: Fraction, digits: int) -> Real:
    """Return Pr[cot²θ > t], θ the angle of a uniform direction with an axis (JL24.R2).

    cos²θ ~ Beta(1/2, (M−1)/2), so that cot²θ ~ BetaPrime(1/2, (M−1)/2).
    """
    return _cotangent(dimension - 1, threshold, digits)


def _cotangent(power: int, t: Fraction, digits: int) -> Real:
    if not t:
        return settle(lambda ctx: ctx.one, digits)
    # Above the axis or below: cot²θ > t where |cos θ| > √(t/(1+t)).
    return settle(lambda ctx: 2 * tail(ctx, power)(ctx.sqrt(real(ctx, t / (1 + t)))), digits)


@witness
def rank_one_cosecant_tail(*, dimension: int, threshold: Fraction, digits: int) -> Real:
    """Return Pr[1/sin²θ > t] = Pr[cot²θ > t − 1], which is 1 for t < 1 (JL24.R2)."""
    return _cotangent(dimension - 1, max(threshold - 1, Fraction(0)), digits)


@witness
def rank_one_loss(
    *, radius: Fraction, distance: Fraction, sigma_star: Fraction, dimension: int, digits: int
) -> Real:
    """Return L = (M−1)ln(ρ/r) + (ρ² − r²)/2σ*, the privacy loss of an output (JL24.R3)."""
    if radius == distance:
        return ZERO

    def formula(ctx: Context) -> tuple[Real, Real]:
        gap = (distance**2 - radius**2) / (2 * sigma_star)
        return (dimension - 1) * log(ctx, distance / radius), real(ctx, gap)

    return settle(formula, digits)


@witness
def rank_one_loss_bound(
    *,
    radius: Fraction,
    distance: Fraction,
    sigma_star: Fraction,
    sensitivity: Fraction,
    digits: int,
) -> Real:
    """Return (2/σ*)(D/sin θ)², θ the angle under which the output sees the answers (JL24.R3).

    By the law of sines D/sin θ is the diameter of the circle through the three points.
    """
    if not abs(radius - distance) < sensitivity < radius + distance:
        raise ValueError(f"distance is not a side of such a triangle: {arguments.show(distance)}")
    cosine = (radius**2 + distance**2 - sensitivity**2) / (2 * radius * distance)
    value = 2 * sensitivity**2 / (sigma_star * (1 - cosine**2))
    return settle(lambda ctx: real(ctx, value), digits)
