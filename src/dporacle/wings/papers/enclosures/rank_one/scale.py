"""How small the rank-one profile is: proposals for the quadrature, and the closed form near x.

Distances are in units of the sensitivity, s is the variance of the radius, K = M − 1.
"""

import flint
from flint import arb

from dporacle.wings.papers.enclosures.rank_one.curve import Curve, halve


def closeness(power: int, epsilon: arb, s: arb) -> arb:
    """Return ln(ρ/r) where the boundary crosses the axis through the inputs, near one of them."""
    return (epsilon - 1 / (2 * s)) / power


def _near(power: int, epsilon: arb, s: arb) -> arb:
    """Return a number below δ: (1 − 1/e)·P of a ball {r < R} on which the loss exceeds ε + 1.

    There it is at least K ln((1 − R)/R) + (1 − 2R)/2s = Ku + tanh(u/2)/2s, R = 1/(1 + e^u).
    """

    def is_small(log: arb) -> bool:
        u = log.exp()
        return bool(power * u + (u / 2).tanh() / (2 * s) < epsilon + 1)

    high = ((epsilon + 1) / power).log().mid()
    low = high - 1
    while not is_small(low):
        low = high - 2 * (high - low)
    u = halve(is_small, low, high, flint.ctx.prec)[1].exp()
    radius = 1 / (1 + u.exp())
    result: arb = (radius / (2 * s).sqrt()).erf() / 2
    return result


def _tail(curve: Curve, least: arb) -> arb:
    """Return about the share of the noise with a loss above ε beyond the gap; 0 below `least`."""
    high = arb(1)
    while not curve.at(high).q > 1:
        high *= 2
        if high > 1 << 20:
            return arb(0)
    low = arb(-1)
    while not curve.at(low).q < 1:
        low *= 2
    while curve.falls(high) > 0:
        high *= 2
        if high > 1 << 20:
            return arb(0)

    def height(v: arb) -> arb:
        point, c = curve.at(v), curve.cosine(v)
        square = (1 - c) * (1 + c)
        fade = -point.r2 / (2 * curve.s)
        if not square > 0:
            return arb(fade - arb(2) ** 400)
        result: arb = fade + curve.power * square.log() / 2
        return result

    lowest = halve(lambda v: bool(curve.falls(v) > 0), low, high, flint.ctx.prec)[1]
    while not curve.cosine(high) > -0.5:
        high *= 2
    # Up to c₁ = −1 and from the top on the height is worth nothing; between, it has one peak.
    low = halve(lambda v: not curve.cosine(v) > -1, lowest, high, 128)[1]
    if (-curve.at(low).r2 / (2 * curve.s)).exp() < least:
        return arb(0)
    for _ in range(flint.ctx.prec):
        third = ((high - low) / 3).mid()
        if height((low + third).mid()) < height((high - third).mid()):
            low = (low + third).mid()
        else:
            high = (high - third).mid()
    result: arb = height(low).exp()
    return result


def scale(curve: Curve) -> arb:
    """Return about δ, or somewhat less; nothing that is proved rests on it."""
    near = _near(curve.power, curve.epsilon, curve.s)
    tail = _tail(curve, near)
    return tail.mid() if tail > near else near.mid()


def near_ball(power: int, epsilon: arb, s: arb) -> arb | None:
    """Enclose what a tiny ball around the input contributes, or return None if it is not tiny.

    On a ball of radius R the second density is constant up to 1 ± O(R), so that the ball's share
    is √(2/πs)·K/(K+1)·e^{(1/2s − ε)/K}. It is all of {L > ε} up to the gap.
    """
    k = arb(power)
    size = (-closeness(power, epsilon, s)).exp()
    reach = (2 * size).upper()

    def excess(r: arb) -> arb:
        return k * (1 / r).log1p() + (2 * r + 1) / (2 * s) - epsilon

    # The largest loss at distance r falls up to this distance and rises from there.
    turn = ((1 + 4 * k * s).sqrt() - 1) / 2
    if not (reach < arb(0.25) and reach < turn and excess(reach) < 0 and excess(turn) < 0):
        return None
    factor = (2 / (arb.pi() * s)).sqrt() * k / (k + 1)

    def radius(rho: arb, fade: arb) -> arb:
        return rho * ((rho * rho / (2 * s) - epsilon - fade) / k).exp()

    fade = reach * reach / (2 * s)
    least = factor * (-fade).exp() * radius(1 - reach, fade)
    most = factor * radius(1 + reach, arb(0))
    return least.union(most)
