"""The surface of equal privacy loss of rank-one spherical noise, as a curve.

Distances are in units of the sensitivity; s is the variance of the radius, K = M − 1. Noise n has
density ∝ ‖n‖^−K e^{−‖n‖²/2s}. An output at distance r from the one input and ρ from the other has
the privacy loss g(ρ) − g(r), g(t) = K ln t + t²/2s. On the surface where it is ε, with q = ρ² − r²,

    (ρ/r)² = e^w, w = (2ε − q/s)/K, r² = q/(e^w − 1),
    c₁ = (1 − q)/(2r), c₂ = −(1 + q)/(2ρ),

c₁ and c₂ being the cosines of the angles at which the two inputs see it. The curve is run through
by v = ln x, q = 2εs·x/(1 + x), from r = 0 at v = −∞ to r = ∞ at v = ∞.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import flint
from flint import acb, arb

from dporacle.wings.papers.enclosures.rank_one.work_limit import Work


def beta(power: int) -> arb:
    """Return B(1/2, K/2), the integral of (1 − c²)^{(K−2)/2} over −1 < c < 1."""
    half = arb(power) / 2
    return arb.pi().sqrt() * (half.lgamma() - (half + arb(0.5)).lgamma()).exp()


def halve(keeps: Callable[[arb], bool], low: arb, high: arb, steps: int) -> tuple[arb, arb]:
    """Return a short interval: `keeps` holds at its low end, and not (if ever) at its high end."""
    for _ in range(steps):
        middle = ((low + high) / 2).mid()
        if middle in (low, high):
            break
        if keeps(middle):
            low = middle
        else:
            high = middle
    return low, high


@dataclass(frozen=True, slots=True)
class Form:
    """Which of T and S = 1 − T the two inputs' terms are integrated with.

    T(t) = erf(t/√2s) is the share of the noise within a distance t. Near an input it is small,
    and with it nothing cancels against 1.
    """

    first_inside: bool
    second_inside: bool


OUTSIDE = Form(first_inside=False, second_inside=False)


@dataclass(frozen=True, slots=True)
class CurvePoint:
    """A point of the curve, at a real or a complex v."""

    x: Any
    share: Any  # 1/(1 + x)
    q: Any
    lack: Any  # 1 − q
    w: Any
    r2: Any
    bend: Any  # w/(1 − e^{−w})


@dataclass(frozen=True, slots=True)
class Slope:
    """What is integrated at a point, but for the power of y = 1 − c₁²."""

    c1: Any
    slope_c1: Any  # dc₁/dv
    total: Any


def _erfcx(square: acb) -> acb:
    """Return e^{z²}·erfc(z) for a z² off the negative axis.

    On a wide ball it varies little where z is large, while erfc(z) varies by many powers of e.
    """
    if square.real > flint.ctx.prec:
        half = acb(0.5)
        result: acb = square.hypgeom_u(half, half) / arb.pi().sqrt()
    else:
        result = square.exp() * square.sqrt().erfc()
    return result


class Curve:
    """The surface where the privacy loss is ε > 0, as a curve over v."""

    def __init__(self, power: int, epsilon: arb, s: arb, work: Work) -> None:
        self.power, self.epsilon, self.s, self.work = power, epsilon, s, work
        self.beta = beta(power)
        self.width = (2 * s).sqrt()
        self._most = 2 * epsilon * s  # of q
        self._lack = 1 - self._most

    def at(self, v: arb | acb) -> CurvePoint:
        """Return the point of the curve at v."""
        self.work.spend()
        x = v.exp()
        share = 1 / (1 + x)
        # On a ball, 1 − q is as wide as its terms: where q is near 2εs, that is share.
        left = self._most * share
        if abs(x.mid()) > 1:
            q, lack = self._most - left, self._lack + left
        else:
            q = left * x
            lack = 1 - q
        w = 2 * self.epsilon / self.power * share
        growth = w.expm1()
        return CurvePoint(x, share, q, lack, w, q / growth, w * (1 + growth) / growth)

    def cosine(self, v: arb) -> arb:
        """Return c₁; it falls from ∞ to its minimum and then rises or stays above 0."""
        point = self.at(v)
        result: arb = point.lack / (2 * point.r2.sqrt())
        return result

    def falls(self, v: arb) -> arb:
        """Return a number that is positive where c₁ falls and negative where it rises."""
        point = self.at(v)
        result: arb = point.q + point.lack * (1 + point.x * point.bend) / 2
        return result

    def beyond(self, v: arb) -> arb:
        """Bound S(r) + e^ε S(ρ), what lies further out than v."""
        point = self.at(v)
        gain = (self.power * point.w / 2).exp()
        result: arb = (-point.r2 / (2 * self.s)).exp() * (1 + gain)
        return result

    def cap(self, v: arb) -> arb:
        """Bound (1 − c₁²)^{K/2}/(K·B·|c₁|), which no tail of F beyond c₁ exceeds; 0 if |c₁| ≥ 1."""
        c = abs(self.cosine(v))
        square = (1 - c * c).upper()
        if not square > 0:
            return arb(0)
        result: arb = (square.log() * self.power / 2).exp() / (self.power * self.beta * c.lower())
        return result

    def slope(self, v: acb, form: Form, analytic: bool) -> Slope:
        """Return c₁, dc₁/dv and B·dδ/dv, the last without the factor (1 − c₁²)^{(K−2)/2}."""
        point = self.at(v)
        share, q, lack, r2 = point.share, point.q, point.lack, point.r2
        rho2 = r2 + q
        r, rho = r2.sqrt(analytic=analytic), rho2.sqrt(analytic=analytic)
        slope_q, slope_r2 = q * share, r2 * (1 + point.x * point.bend) * share
        c1 = lack / (2 * r)
        slope_c1 = -(slope_q + lack * slope_r2 / (2 * r2)) / (2 * r)
        slope_c2 = -(slope_q - (1 + q) * (slope_r2 + slope_q) / (2 * rho2)) / (2 * rho)
        near, far = r2 / (2 * self.s), rho2 / (2 * self.s)
        fade = (-near).exp()
        if form.first_inside:
            first = -(r / self.width).erf()
        elif near.real > flint.ctx.prec:
            first = fade * _erfcx(near)
        else:
            first = (r / self.width).erfc()
        # e^ε (1 − c₂²)^{(K−2)/2} = (1 − c₁²)^{(K−2)/2} (ρ/r)² e^{q/2s}; e^{(q − ρ²)/2s} = fade.
        if form.second_inside:
            second = -(q / (2 * self.s)).exp() * (rho / self.width).erf()
        else:
            second = fade * _erfcx(far)
        return Slope(c1, slope_c1, first * slope_c1 - rho2 / r2 * second * slope_c2)

    def slope_c1(self, v: acb, analytic: bool) -> tuple[acb, acb]:
        """Return c₁ and dc₁/dv."""
        point = self.at(v)
        r = point.r2.sqrt(analytic=analytic)
        c1 = point.lack / (2 * r)
        half = (1 + point.x * point.bend) * point.share / 2  # of d ln r/dv
        return c1, -point.q * point.share / (2 * r) - c1 * half
