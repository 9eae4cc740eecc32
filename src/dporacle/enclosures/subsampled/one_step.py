"""One step, in closed form: the likelihood ratio is monotone in the output.

Add/remove: the ratio e^L exceeds e^y where x > z = σ²·ln((e^y − 1 + q)/q) + ½, nowhere less if
e^y ≤ 1 − q. Replace-one: where v = e^{x/σ²} exceeds the positive root of a quadratic.
"""

from collections.abc import Callable

from flint import acb, arb, ctx

from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.subsampled.transform import Step

_DOUBLINGS = 64  # of the range in which a loss is looked for


def one_step(step: Step, epsilon: arb, digits: int, *, add: bool) -> arb:
    """Enclose δ(ε) of one step; exactly 0 in the add direction where ε ≥ −ln(1 − q).

    Args:
        step: what is done once.
        epsilon: a point, not negative.
        digits: the ball's radius is at most 10^-digits of its midpoint.
        add: the direction.
    """
    if len(step.parts) > 1:
        return _of_many(step, epsilon, digits, add=add)
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


def _of_many(step: Step, epsilon: arb, digits: int, *, add: bool) -> arb:
    """Enclose one step's δ for a mixture: the loss rises in t, so that one place decides."""
    if add and _beyond(step, epsilon):
        return arb(0)

    def loss(t: arb) -> arb:
        found = step.log_ratio(acb(t)).real
        return found - step.log_ratio(acb(-t)).real if step.antipodal else found

    def beyond(z: arb, sign: int) -> arb:
        """P(sign·t > z) under the first law."""
        return ball(1 - step.rate) * normal_tail(z) + step.moved(
            lambda shift: normal_tail(z - sign * shift)
        )

    def formula() -> arb:
        goal = -epsilon if add else epsilon
        z = _place(loss, goal)
        if add:
            return normal_tail(-z) - epsilon.exp() * beyond(-z, -1)
        other = beyond(z, -1) if step.antipodal else normal_tail(z)
        return beyond(z, 1) - epsilon.exp() * other

    return tighten(formula, digits)


def _place(loss: Callable[[arb], arb], goal: arb) -> arb:
    """Enclose where a rising function has a value, as far as the precision tells."""
    low, high = arb(-1), arb(1)
    for _ in range(_DOUBLINGS):
        if loss(low) < goal:
            break
        low *= 2
    for _ in range(_DOUBLINGS):
        if loss(high) > goal:
            break
        high *= 2
    if not (loss(low) < goal and loss(high) > goal):
        raise ArithmeticError("the loss does not reach so far")
    middle = arb(0)
    while low < middle < high or middle == 0:
        value = loss(middle)
        if value < goal:
            low = middle
        elif value > goal:
            high = middle
        else:
            break
        middle = ((low + high) / 2).mid()
    # The place is too near the middle to be told from it: both ends come as near.
    return _nearer(low, middle, lambda t: loss(t) < goal).union(
        _nearer(high, middle, lambda t: loss(t) > goal)
    )


def _nearer(end: arb, middle: arb, still: Callable[[arb], bool]) -> arb:
    """Return a place as near to the middle as something still holds there."""
    for _ in range(ctx.prec):
        after = ((end + middle) / 2).mid()
        if not still(after):
            break
        end = after
    return end
