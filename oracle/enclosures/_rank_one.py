"""The privacy profile of rank-one spherical noise, by quadrature with proved error bounds.

Distances are in units of the sensitivity; s is the variance of the radius, K = M − 1. Noise n has
density ∝ ‖n‖^−K e^{−‖n‖²/2s}. An output at distance r from the one input and ρ from the other has
the privacy loss g(ρ) − g(r), g(t) = K ln t + t²/2s. On the surface where it is ε, with q = ρ² − r²,

    (ρ/r)² = e^w, w = (2ε − q/s)/K, r² = q/(e^w − 1),
    c₁ = (1 − q)/(2r), c₂ = −(1 + q)/(2ρ),

c₁ and c₂ being the cosines of the angles at which the two inputs see it. The curve is run through
by v = ln x, q = 2εs·x/(1 + x), from r = 0 at v = −∞ to r = ∞ at v = ∞. Then

    δ(ε) = 1 + ∫ [S(r) f(c₁) dc₁ − e^ε S(ρ) f(c₂) dc₂],   S(t) = erfc(t/√2s),
    f(c) = (1 − c²)^{(K−2)/2}/B,   B = B(1/2, K/2),

over the part of the curve where −1 < c₁ < 1. The integral is cut to where |c₁| is not too close
to 1; `proofs_notes/rank_one_gaussian.md` proves the bounds of what is cut (section "The cuts").
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import flint
from flint import acb, arb

__all__ = ["Curve", "beta", "cutoff", "far_loss", "profile", "profile_at_zero"]

Integrand = Callable[[acb, bool], acb]

_STRETCHES = 1 << 12  # the quadrature aims at its tolerance on each of its subintervals


def beta(power: int) -> arb:
    """Return B(1/2, K/2), the integral of (1 − c²)^{(K−2)/2} over −1 < c < 1."""
    half = arb(power) / 2
    return arb.pi().sqrt() * (half.lgamma() - (half + arb(0.5)).lgamma()).exp()


@dataclass(frozen=True, slots=True)
class Point:
    """A point of the curve, at a real or a complex v."""

    x: Any
    q: Any
    w: Any
    r2: Any
    bend: Any  # w/(1 − e^{−w})


class Curve:
    """The surface where the privacy loss is ε > 0, as a curve over v."""

    def __init__(self, power: int, epsilon: arb, s: arb) -> None:
        self.power, self.epsilon, self.s = power, epsilon, s
        self.beta = beta(power)
        self._width = (2 * s).sqrt()

    def at(self, v: arb | acb) -> Point:
        x = v.exp()
        share = 1 / (1 + x)
        q = 2 * self.epsilon * self.s * x * share
        w = 2 * self.epsilon / self.power * share
        growth = w.expm1()
        return Point(x, q, w, q / growth, w * (1 + growth) / growth)

    def cosine(self, v: arb) -> arb:
        """Return c₁; it falls from ∞ to a negative minimum and then rises to 0."""
        point = self.at(v)
        result: arb = (1 - point.q) / (2 * point.r2.sqrt())
        return result

    def falls(self, v: arb) -> arb:
        """Return a number that is positive where c₁ falls and negative where it rises."""
        point = self.at(v)
        result: arb = point.q + (1 - point.q) * (1 + point.x * point.bend) / 2
        return result

    def beyond(self, v: arb) -> arb:
        """Bound S(r) + e^ε S(ρ), what lies further out than v."""
        point = self.at(v)
        gain = (self.power * point.w / 2).exp()
        result: arb = (-point.r2 / (2 * self.s)).exp() * (1 + gain)
        return result

    def integrand(self, *, inner: bool, first: bool = True) -> Integrand:
        """Return d/dv of the profile's integral, times B.

        Args:
            inner: use S − 1 in the place of S, for the part of the curve around the input.
            first: with the term of the first input; without it the second term stands alone.
        """
        power, s = self.power, self.s

        def function(v: acb, analytic: bool) -> acb:
            point = self.at(v)
            share = 1 / (1 + point.x)
            q, r2 = point.q, point.r2
            rho2 = r2 + q
            r, rho = r2.sqrt(analytic=analytic), rho2.sqrt(analytic=analytic)
            slope_q, slope_r2 = q * share, r2 * (1 + point.x * point.bend) * share
            c1 = (1 - q) / (2 * r)
            slope_c1 = -(slope_q + (1 - q) * slope_r2 / (2 * r2)) / (2 * r)
            slope_c2 = -(slope_q - (1 + q) * (slope_r2 + slope_q) / (2 * rho2)) / (2 * rho)
            square = 1 - c1 * c1
            if power % 2:
                weight = square.sqrt(analytic=analytic) ** (power - 2)
            else:
                weight = square ** ((power - 2) // 2)
            at_r, at_rho = r / self._width, rho / self._width
            survival_1, survival_2 = (
                (-at_r.erf(), -at_rho.erf()) if inner else (at_r.erfc(), at_rho.erfc())
            )
            # e^ε (1 − c₂²)^{(K−2)/2} = (1 − c₁²)^{(K−2)/2} (ρ/r)² e^{q/2s}
            total = -(rho2 / r2) * (q / (2 * s)).exp() * survival_2 * slope_c2
            if first:
                total += survival_1 * slope_c1
            result: acb = weight * total
            return result

        return function


@dataclass(frozen=True, slots=True)
class Cuts:
    """Where the integral begins and ends, and where it is interrupted."""

    start: arb
    end: arb
    gap: tuple[arb, arb] | None


def _halve(keeps: Callable[[arb], bool], low: arb, high: arb, steps: int) -> tuple[arb, arb]:
    """Return a short interval: `keeps` holds at its low end, and not (if ever) at its high end."""
    for _ in range(steps):
        middle = ((low + high) / 2).mid()
        if keeps(middle):
            low = middle
        else:
            high = middle
    return low, high


def cutoff(power: int, tolerance: arb) -> arb:
    """Return a c at which (1 − c²)^{K/2}/(K·B·c) is below a tolerance, where c > 1/√K."""
    ratio = (tolerance * arb(power).sqrt() * beta(power)).log() * 2 / power
    return (-ratio.expm1()).sqrt() if ratio < 0 else arb(0)


def _cuts(curve: Curve, tolerance: arb) -> Cuts:
    """Choose the cuts; nothing here has to be exact, for the bounds are computed afterwards."""
    # The bounds carry a few small factors and e^{ε/K}.
    spared = tolerance / 64 / (1 + (curve.epsilon / curve.power).exp())
    edge = cutoff(curve.power, spared)
    steps = flint.ctx.prec + 32
    high = arb(1)
    while not curve.beyond(high) < spared:
        high *= 2
    low = arb(-1)
    while curve.beyond(low) < spared or not curve.cosine(low) > 1:
        low *= 2
    end = _halve(lambda v: not curve.beyond(v) < spared, low, high, 32)[1]
    if not curve.cosine(end) < edge:
        return Cuts(end, end, None)
    start = _halve(lambda v: not curve.cosine(v) < edge, low, end, steps)[1]
    lowest = _halve(lambda v: bool(curve.falls(v) > 0), start, end, 64)[1]
    if not curve.cosine(lowest) < -edge:
        return Cuts(start, end, None)
    gap_start = _halve(lambda v: not curve.cosine(v) < -edge, start, lowest, steps)[1]
    gap_end = end
    if not curve.cosine(end) < -edge:
        gap_end = _halve(lambda v: bool(curve.cosine(v) < -edge), lowest, end, steps)[1]
    return Cuts(start, end, (gap_start, gap_end))


def _are_sound(curve: Curve, cuts: Cuts) -> bool:
    """Certify that the ends of the integral lie on the curve, and on the right parts of it."""
    if not curve.at(cuts.start).q < 1:
        return False
    if cuts.start < cuts.end and not abs(curve.cosine(cuts.start)) < 1:
        return False
    if cuts.gap is None:
        return True
    before, after = (curve.cosine(v) for v in cuts.gap)
    return bool(-1 < before < 0) and (cuts.gap[1] >= cuts.end or bool(-1 < after < 0))


def _slack(value: arb) -> arb:
    """Return a ball around 0 that reaches an upper bound."""
    return arb(0, value.upper())


def _cap_bound(curve: Curve, v: arb) -> arb:
    """Bound (1 − c₁²)^{K/2}/(K·B·|c₁|), which no tail of F beyond c₁ exceeds; 0 if |c₁| ≥ 1."""
    c = abs(curve.cosine(v))
    square = (1 - c * c).upper()
    if not square > 0:
        return arb(0)
    return (square.log() * curve.power / 2).exp() / (curve.power * curve.beta * c.lower())


def _integrate(function: Integrand, low: arb, high: arb, tolerance: arb) -> arb:
    bits = flint.ctx.prec
    result = acb.integral(
        function,
        low,
        high,
        rel_tol=tolerance,
        abs_tol=tolerance,
        eval_limit=1000 * bits + bits * bits,
    )
    return result.real


def profile(curve: Curve, tolerance: arb, *, first: bool = True) -> tuple[arb, arb]:
    """Enclose (δ, 1 − δ).

    Args:
        curve: the law, at ε > 0.
        tolerance: the absolute error aimed at; the balls tell what was reached.
        first: without the first input's term the first ball is not δ but −e^ε Q(L > ε),
            which is the slope of δ in ε, and the second is meaningless.
    """
    cuts = _cuts(curve, tolerance)
    if not _are_sound(curve, cuts):
        return arb.nan(), arb.nan()
    goal = tolerance * curve.beta / _STRETCHES
    outer = _slack(curve.beyond(cuts.end))
    low_cap = _cap_bound(curve, cuts.start)
    s, at_start = curve.s, curve.at(cuts.start)
    growth: arb = (curve.epsilon / curve.power).exp()
    if cuts.gap is None:
        whole = arb(0)
        if cuts.start < cuts.end:
            whole = _integrate(
                curve.integrand(inner=False, first=first), cuts.start, cuts.end, goal
            )
        rest = -whole / curve.beta + outer + _slack(low_cap * (2 + growth))
        return (1 - rest if first else -rest), rest
    before, after = cuts.gap
    at_gap = curve.at(before)
    cap = max(_cap_bound(curve, before), _cap_bound(curve, after), key=lambda b: b.upper())
    ratio = (at_gap.w / 2).exp()
    # Where the first stretch is far inside the noise, 1 − S is small and cancels nothing.
    inner = bool(at_gap.r2 < s) and bool(at_gap.q < 2 * s)
    outward = arb(0)
    if after < cuts.end:
        outward = _integrate(curve.integrand(inner=False, first=first), after, cuts.end, goal)
    around = _integrate(curve.integrand(inner=inner, first=first), cuts.start, before, goal)
    total = (around + outward) / curve.beta + outer
    if inner:
        near, far = at_start.r2, at_start.r2 + at_start.q
        reach = (near / (2 * s)).sqrt().erf()
        reach += (at_start.q / (2 * s)).exp() * (far / (2 * s)).sqrt().erf()
        total += _slack(low_cap * reach)
        total += _slack(cap * (5 + (at_gap.q / (2 * s)).exp() + ratio))
        return total, 1 - total
    total += _slack(low_cap * (2 + growth)) + _slack(cap * (4 + ratio))
    return (1 + total if first else total), -total


def profile_at_zero(power: int, s: arb, tolerance: arb) -> arb:
    """Enclose δ(0) = 2∫₀¹ erf(a/c) f(c) dc, a = 1/(2√2s).

    Where a/c is so large that erf is 1 up to the tolerance, over c; then over u = ln c.
    """
    norm, a = beta(power), 1 / (8 * s).sqrt()
    spared, goal = tolerance / 64, tolerance * norm / _STRETCHES
    high = cutoff(power, spared).log().mid()
    far = (-spared.log()).sqrt()  # erfc(x) ≤ e^{−x²}
    low = (a / far).log().mid()
    end, change = high.exp(), low.exp()

    def weight(c: acb, analytic: bool) -> acb:
        square = 1 - c * c
        result: acb = (
            square.sqrt(analytic=analytic) ** (power - 2)
            if power % 2
            else square ** ((power - 2) // 2)
        )
        return result

    def function(u: acb, analytic: bool) -> acb:
        c = u.exp()
        result: acb = 2 * c * (a / c).erf() * weight(c, analytic)
        return result

    square = (1 - end * end).upper()
    above = 2 * (a / end).erf() * (square.log() * power / 2).exp() / (power * norm * end)
    if not change < end:
        whole = _integrate(lambda c, analytic: 2 * weight(c, analytic), arb(0), end, goal)
        return whole / norm + _slack(above) + _slack((a / end).erfc())
    plain = _integrate(lambda c, analytic: 2 * weight(c, analytic), arb(0), change, goal)
    rest = _integrate(function, low, high, goal)
    return (plain + rest) / norm + _slack(above) + _slack((a / change).erfc())


def far_loss(power: int, epsilon: arb, s: arb) -> arb | None:
    """Enclose δ where {L > ε} around the input is a tiny ball, or return None where it is not.

    On a ball of radius R around x the second density is constant up to 1 ± O(R), so that the
    ball's share is √(2/πs)·K/(K+1)·e^{(1/2s − ε)/K}; elsewhere the loss exceeds ε only beyond
    some distance, and less than all of the tail there counts.
    """
    k = arb(power)
    size = ((1 / (2 * s) - epsilon) / k).exp()
    reach = (2 * size).upper()

    def excess(r: arb) -> arb:
        return k * (1 / r).log1p() + (2 * r + 1) / (2 * s) - epsilon

    # The largest loss at distance r falls up to this distance and rises from there.
    turn = ((1 + 4 * k * s).sqrt() - 1) / 2
    if not (reach < arb(0.25) and reach < turn and excess(reach) < 0 and excess(turn) < 0):
        return None
    out = _halve(lambda r: bool(excess(r) < 0), turn.upper(), 2 * turn.upper() + epsilon * s, 48)[0]
    if not (out > turn and excess(out) < 0):
        return None
    factor = (2 / (arb.pi() * s)).sqrt() * k / (k + 1)

    def radius(rho: arb, fade: arb) -> arb:
        return rho * ((rho * rho / (2 * s) - epsilon - fade) / k).exp()

    fade = reach * reach / (2 * s)
    least = factor * (-fade).exp() * radius(1 - reach, fade)
    most = factor * radius(1 + reach, arb(0)) + (out / (2 * s).sqrt()).erfc()
    return least.union(most)


def slope_log_variance(curve: Curve, tolerance: arb) -> arb:
    """Return ∂δ/∂ln s = −½ ∂δ/∂Δ, without a bound of what the cuts leave out.

    ∂δ/∂Δ = √(2/πs)/(K·B) ∫ (1 − c₁²)^{K/2} e^{−r²/2s} (K/r + r/s) dr: a ball whose centre moves
    cuts the other in a disc. It proposes Newton steps and carries no proof.
    """
    power, s = curve.power, curve.s
    cuts = _cuts(curve, tolerance)

    def function(v: acb, analytic: bool) -> acb:
        point = curve.at(v)
        r2 = point.r2
        square = 1 - (1 - point.q) ** 2 / (4 * r2)
        weight = square ** (power // 2)
        if power % 2:
            weight *= square.sqrt(analytic=analytic)
        slope_r2 = (1 + point.x * point.bend) / (1 + point.x)  # of ln r²
        result: acb = weight * (-r2 / (2 * s)).exp() * (power + r2 / s) * slope_r2 / 2
        return result

    stretches = [(cuts.start, cuts.end)]
    if cuts.gap is not None:
        stretches = [(cuts.start, cuts.gap[0]), (cuts.gap[1], cuts.end)]
    total = arb(0)
    for low, high in stretches:
        if low < high:
            total += _integrate(function, low, high, tolerance)
    return -total / (power * curve.beta) / (2 * arb.pi() * s).sqrt()
