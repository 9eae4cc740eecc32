"""One step, in closed form: the likelihood ratio is monotone in the output.

Add/remove: the ratio e^L exceeds e^y where x > z = σ²·ln((e^y − 1 + q)/q) + ½, nowhere less if
e^y ≤ 1 − q. Replace-one: where v = e^{x/σ²} exceeds the positive root of a quadratic.
"""

from __future__ import annotations

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.subsampled.transform import Step

__all__ = ["one_step"]


def one_step(step: Step, epsilon: arb, digits: int, *, add: bool) -> arb:
    """Enclose δ(ε) of one step; exactly 0 in the add direction where ε ≥ −ln(1 − q).

    Args:
        step: what is done once.
        epsilon: a point, not negative.
        digits: the ball's radius is at most 10^-digits of its midpoint.
        add: the direction.
    """
    if step.antipodal:
        return tighten(lambda: _replace(step, epsilon), digits)
    if add:
        if step.rate < 1 and _beyond(step, epsilon):
            return arb(0)
        return tighten(lambda: _add(step, epsilon), digits)
    return tighten(lambda: _remove(step, epsilon), digits)


def _beyond(step: Step, epsilon: arb) -> bool:
    return bool(ball(1 - step.rate) * epsilon.exp() >= 1)


def _remove(step: Step, epsilon: arb) -> arb:
    sigma, q = ball(step.sigma), ball(step.rate)
    excess = epsilon.expm1() + q
    z = sigma * (excess / q).log() + 1 / (2 * sigma)
    return q * normal_tail(z - 1 / sigma) - excess * normal_tail(z)


def _add(step: Step, epsilon: arb) -> arb:
    sigma, q = ball(step.sigma), ball(step.rate)
    # Q(x < z) − e^ε P(x < z) with e^{−ε} in the place of e^y
    shortfall = q + (-epsilon).expm1()
    if not shortfall > 0:
        return arb(0, 1)
    z = sigma * (shortfall / q).log() + 1 / (2 * sigma)
    return epsilon.exp() * (shortfall * normal_tail(-z) - q * normal_tail(1 / sigma - z))


def _replace(step: Step, epsilon: arb) -> arb:
    sigma, q = ball(step.sigma), ball(step.rate)
    a, rest = epsilon.exp(), ball(1 - step.rate)
    e = q * (-1 / (2 * sigma * sigma)).exp()
    gap = epsilon.expm1() * rest
    v = (gap + (gap * gap + 4 * a * e * e).sqrt()) / (2 * e)
    z = sigma * v.log()
    return q * (normal_tail(z - 1 / sigma) - a * normal_tail(z + 1 / sigma)) - gap * normal_tail(z)
