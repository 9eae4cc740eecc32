"""DP-SGD: the composed Poisson-subsampled Gaussian (X.SG.*).

In a step, with t standard normal and w_±(t) = 1 − q + q·e^{±t/σ − 1/2σ²}, the moment of the loss is
E[e^{sL}] = E[w₊^{1+s}] for remove, E[w₊^{−s}] for add and E[w₊^{1+s}w₋^{−s}] for replace-one; those
of the steps multiply. One step has a closed form; more are inverted on a vertical line, where each
moment is a trapezoid sum over the real t. An answer is given where two precisions, with two
widths of both grids, agree in all its digits; where a record is sampled so rarely that the moments
do not die out, `ArithmeticError` is raised.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.reference.composition import repeated_delta, repeated_epsilon
from dporacle.reference.numerics.inversion import line_sum, nodes
from dporacle.reference.numerics.precision import (
    Context,
    Real,
    bits_for,
    freeze,
    real,
    settle,
    working,
)

__all__ = [
    "subsampled_delta",
    "subsampled_epsilon",
    "subsampled_schedule_delta",
    "subsampled_schedule_epsilon",
    "subsampled_sigma",
]

_DIRECTIONS = ("add", "remove", "both", "replace")
_MAX_STEPS = 10**8
_MAX_DIGITS = 40
_GUARD_BITS = 48

_Phase = tuple[Fraction, Fraction, int]


def subsampled_delta(
    *,
    epsilon: Exact,
    sigma: Exact,
    rate: Exact,
    steps: int,
    direction: str,
    digits: int = 12,
) -> Real:
    """Return δ(ε) of T subsampled steps (X.SG.PROFILE).

    Args:
        epsilon: in [0, ∞).
        sigma: the noise multiplier, in (0, ∞).
        rate: the chance q of a record to be in a batch, in (0, 1].
        steps: T, from 1 to 10^8.
        direction: "add", "remove", "both" (the larger after composition) or "replace".
        digits: correct decimal digits wanted, up to 40 for more than one step.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if the moments do not die out soon enough.
    """
    plan = [_phase(sigma, rate, steps)]
    return _delta(arguments.epsilon(epsilon), plan, _way(direction), arguments.digits(digits))


def subsampled_epsilon(
    *,
    delta: Exact,
    sigma: Exact,
    rate: Exact,
    steps: int,
    direction: str,
    digits: int = 12,
) -> Real:
    """Return the smallest ε ≥ 0 for which T subsampled steps are (ε,δ)-DP (X.SG.INVERSE).

    Args:
        delta: in (0, 1).
        sigma: the noise multiplier, in (0, ∞).
        rate: the chance q of a record to be in a batch, in (0, 1].
        steps: T, from 1 to 10^8.
        direction: "add", "remove", "both" (the larger after composition) or "replace".
        digits: correct decimal digits wanted, up to 40 for more than one step.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if the moments do not die out soon enough.
    """
    plan = [_phase(sigma, rate, steps)]
    return _epsilon(arguments.delta(delta), plan, _way(direction), arguments.digits(digits))


def subsampled_sigma(
    *,
    epsilon: Exact,
    delta: Exact,
    rate: Exact,
    steps: int,
    direction: str,
    digits: int = 12,
) -> Real:
    """Return the smallest noise multiplier for T subsampled steps (X.SG.INVERSE).

    Args:
        epsilon: in [0, ∞).
        delta: in (0, 1).
        rate: the chance q of a record to be in a batch, in (0, 1].
        steps: T, from 1 to 10^8.
        direction: "add", "remove", "both" (the larger after composition) or "replace".
        digits: correct decimal digits wanted, up to 40 for more than one step.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if the moments do not die out soon enough.
    """
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    way, asked = _way(direction), arguments.digits(digits)
    _, q, t = _phase(1, rate, steps)

    def excess(sigma: Fraction, digits: int) -> Real:
        found = _delta(eps, [(sigma, q, t)], way, digits)
        with working(bits_for(digits) + 64) as ctx:
            return freeze(ctx.log(real(ctx, found) / real(ctx, target)))

    low = high = Fraction(1)
    while excess(high, 4) > 0:
        low, high = high, 2 * high
    while excess(low, 4) <= 0:
        low, high = low / 2, low
    return _root(excess, low, high, asked)


def subsampled_schedule_delta(
    *, epsilon: Exact, phases: Any, direction: str, digits: int = 12
) -> Real:
    """Return δ(ε) of several phases (σ, q, T) together (X.SG.PROFILE).

    Args:
        epsilon: in [0, ∞).
        phases: the noise multiplier, the rate and the number of steps of each.
        direction: "add", "remove", "both" (the larger after composition) or "replace".
        digits: correct decimal digits wanted, up to 40.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if the moments do not die out soon enough.
    """
    plan = _phases(phases)
    return _delta(arguments.epsilon(epsilon), plan, _way(direction), arguments.digits(digits))


def subsampled_schedule_epsilon(
    *, delta: Exact, phases: Any, direction: str, digits: int = 12
) -> Real:
    """Return the smallest ε ≥ 0 of several phases (σ, q, T) together (X.SG.INVERSE).

    Args:
        delta: in (0, 1).
        phases: the noise multiplier, the rate and the number of steps of each.
        direction: "add", "remove", "both" (the larger after composition) or "replace".
        digits: correct decimal digits wanted, up to 40.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if the moments do not die out soon enough.
    """
    plan = _phases(phases)
    return _epsilon(arguments.delta(delta), plan, _way(direction), arguments.digits(digits))


def _way(direction: str) -> str:
    if direction not in _DIRECTIONS:
        known = ", ".join(_DIRECTIONS)
        raise ValueError(f"direction must be one of {known}, got {arguments.show(direction)}")
    return direction


def _phase(sigma: Any, rate: Any, steps: Any) -> _Phase:
    q = arguments.positive("rate", rate)
    if q > 1:
        raise ValueError(f"rate must be in (0, 1], got {arguments.show(rate)}")
    most = arguments.count("steps", steps, most=_MAX_STEPS)
    return arguments.positive("sigma", sigma), q, most


def _phases(phases: Any) -> list[_Phase]:
    if isinstance(phases, str) or not isinstance(phases, Sequence) or not phases:
        raise TypeError("phases must be a list of (sigma, rate, steps)")
    plan: dict[tuple[Fraction, Fraction], int] = {}
    for each in phases:
        if isinstance(each, str) or not isinstance(each, Sequence) or len(each) != 3:
            raise TypeError(f"phases must be (sigma, rate, steps), got {arguments.show(each)}")
        sigma, rate, steps = _phase(*each)
        plan[sigma, rate] = plan.get((sigma, rate), 0) + steps
    return [(sigma, rate, steps) for (sigma, rate), steps in plan.items()]


def _plain(plan: list[_Phase]) -> bool:
    return len(plan) == 1 and plan[0][1] == 1


def _delta(eps: Fraction, plan: list[_Phase], way: str, digits: int) -> Real:
    if way == "both":
        return max(_delta(eps, plan, each, digits) for each in ("add", "remove"))
    if _plain(plan):
        distance = 2 if way == "replace" else 1
        sigma, _, steps = plan[0]
        return repeated_delta(
            epsilon=eps, sigma=sigma, releases=steps, sensitivity=distance, digits=digits
        )
    if len(plan) == 1 and plan[0][2] == 1:
        return settle(lambda ctx: _one_step(ctx, eps, plan[0], way), digits)
    return _agreed(lambda bits: _inverted(eps, plan, way, bits), digits)


def _one_step(ctx: Context, eps: Fraction, phase: _Phase, way: str) -> Real | tuple[Real, ...]:
    """P(x > x*) − e^ε Q(x > x*), x* where the loss is ε (for add: x < x*)."""
    sigma, q = real(ctx, phase[0]), real(ctx, phase[1])
    a = ctx.exp(real(ctx, eps))

    def tail(x: Real) -> Real:
        return ctx.erfc(x / (sigma * ctx.sqrt(2))) / 2

    if way == "remove":
        x = sigma**2 * ctx.log((a - 1 + q) / q) + ctx.mpf(1) / 2
        return (1 - q) * tail(x), q * tail(x - 1), -a * tail(x)
    if way == "add":
        if 1 / a <= 1 - q:
            return ctx.zero
        x = sigma**2 * ctx.log((1 / a - 1 + q) / q) + ctx.mpf(1) / 2
        return tail(-x), -a * (1 - q) * tail(-x), -a * q * tail(1 - x)
    e = real(ctx, eps)
    alpha = ctx.exp(1 / (2 * sigma**2)) * (1 - q) / q
    x = sigma**2 * (ctx.asinh(alpha * ctx.sinh(e / 2)) + e / 2)
    return (1 - q) * (1 - a) * tail(x), q * tail(x - 1), -a * q * tail(x + 1)


def _agreed(value: Callable[[int], Real], digits: int) -> Real:
    """Return what two precisions say, if they say the same."""
    if digits > _MAX_DIGITS:
        raise ValueError(f"digits must be at most {_MAX_DIGITS} for composed steps, got {digits}")
    first = value(bits_for(digits) + 8)
    for extra in (24, 72):
        second = value(bits_for(digits) + 8 + extra)
        with working(bits_for(digits) + 128) as ctx:
            gap = abs(real(ctx, first) - real(ctx, second))
            if gap <= abs(real(ctx, second)) * ctx.mpf(10) ** -digits:
                return second
        first = second
    raise ArithmeticError(f"no agreement on {digits} digits")


def _moments(
    ctx: Context, plan: list[_Phase], way: str, c: Real, reach: Real
) -> Callable[[Real], Real]:
    """Return ln K(s) as a function of s on the line Re s = c, Im s up to about `reach`."""
    tables = []
    size = (ctx.prec + 8) * ctx.ln2
    for sigma_exact, rate, steps in plan:
        sigma, q = real(ctx, sigma_exact), real(ctx, rate)
        # The trapezoid rule of step h errs by e^{−2πb/h} times what the line Im t = b makes larger.
        b = min(ctx.mpf("0.9") * ctx.pi * sigma, ctx.sqrt(2 * size))
        weight = reach * (2 if way == "replace" else 1)
        h = 2 * ctx.pi * b / (size + b * b / 2 + weight * b / sigma + (c + 1) + 8)
        pull = (2 * c + 1) / sigma
        edge = ctx.sqrt(2 * size)
        low = -int((edge + (pull if way == "add" else 0)) / h)
        high = int((edge + (0 if way == "add" else pull)) / h)
        rows = []
        for k in range(low, high + 1):
            t = k * h
            plus = ctx.log(1 - q + q * ctx.exp(t / sigma - 1 / (2 * sigma**2)))
            minus = ctx.log(1 - q + q * ctx.exp(-t / sigma - 1 / (2 * sigma**2)))
            rows.append((plus, minus, -t * t / 2))
        tables.append((rows, h / ctx.sqrt(2 * ctx.pi), steps))

    def log_moment(s: Real) -> Real:
        total = ctx.zero
        for rows, width, steps in tables:
            if way == "remove":
                terms = (ctx.exp((1 + s) * plus + log) for plus, _, log in rows)
            elif way == "add":
                terms = (ctx.exp(log - s * plus) for plus, _, log in rows)
            else:
                terms = (ctx.exp((1 + s) * plus - s * minus + log) for plus, minus, log in rows)
            total += steps * ctx.log(ctx.fsum(terms) * width)
        return total

    return log_moment


class _Line:
    """The moments on a vertical line that fits the ε with a saddle at c."""

    def __init__(self, ctx: Context, plan: list[_Phase], way: str, c: float, log_delta: float):
        with working(64) as rough:
            shape = _moments(rough, plan, way, rough.mpf(c), rough.mpf(2))
            step = c / 16
            logs = [shape(rough.mpc(c + k * step)).real for k in (-1, 0, 1)]
            variance = float((logs[0] - 2 * logs[1] + logs[2]) / step**2)
        size = (ctx.prec + 8) * math.log(2)
        spread = math.sqrt(variance)
        # Aliases: e^{−cW} against δ below, and the far tail above.
        window = max((size - log_delta + 3) / c, 1.2 * math.sqrt(2 * size) * spread)
        self.ctx, self.step = ctx, 2 * ctx.pi / ctx.mpf(window)
        reach = math.sqrt(2 * size) / spread
        log_moment = _moments(ctx, plan, way, ctx.mpf(c), ctx.mpf(2 * reach))
        self.top = log_moment(ctx.mpc(c)).real
        self.line = nodes(ctx, log_moment, ctx.mpf(c), self.step)

    def delta(self, epsilon: Real) -> Real:
        """Return δ(ε)."""
        ctx, c = self.ctx, self.line[0][0].real
        return ctx.exp(self.top - c * epsilon) * line_sum(ctx, self.line, self.step, epsilon)


def _saddle(plan: list[_Phase], way: str, goal: Callable[[float, float, float], bool]) -> float:
    """Return the c at which a condition on ln K, ε and ln δ (all to a few digits) turns true."""
    low = high = 0.0
    c = 1.0
    # From 1 outwards: the sums are long where c is large.
    for _ in range(24):
        with working(53) as ctx:
            log = _moments(ctx, plan, way, ctx.mpf(c), ctx.mpf(1))
            step = c / 1024
            at = [float(log(ctx.mpc(c + k * step)).real) for k in (-1, 0, 1)]
        mean, variance = (at[2] - at[0]) / (2 * step), (at[2] - 2 * at[1] + at[0]) / step**2
        epsilon = mean - 1 / c - 1 / (1 + c)
        second = max(variance, 0.0) + 1 / c**2 + 1 / (1 + c) ** 2
        log_delta = at[1] - c * epsilon - math.log(c * (1 + c)) - math.log(2 * math.pi * second) / 2
        if goal(c, epsilon, log_delta):
            high = c
        else:
            low = c
        if low and high:
            if high < 1.05 * low:
                break
            c = math.sqrt(low * high)
        else:
            c = c / 2 if high else c * 2
    if not high:
        raise ArithmeticError("no saddle was found")
    return high


def _inverted(eps: Fraction, plan: list[_Phase], way: str, bits: int) -> Real:
    found = {}

    def beyond(c: float, epsilon: float, log_delta: float) -> bool:
        found[c] = log_delta
        return epsilon >= float(eps)

    c = _saddle(plan, way, beyond)
    with working(bits + _GUARD_BITS + _bits_of(plan)) as ctx:
        line = _Line(ctx, plan, way, c, min(0.0, found.get(c, 0.0)))
        return freeze(line.delta(real(ctx, eps)))


def _bits_of(plan: list[_Phase]) -> int:
    """Return the bits that raising to the powers loses."""
    return sum(steps for _, _, steps in plan).bit_length()


def _epsilon(target: Fraction, plan: list[_Phase], way: str, digits: int) -> Real:
    if way == "both":
        return max(_epsilon(target, plan, each, digits) for each in ("add", "remove"))
    if _plain(plan):
        distance = 2 if way == "replace" else 1
        sigma, _, steps = plan[0]
        return repeated_epsilon(
            delta=target, sigma=sigma, releases=steps, sensitivity=distance, digits=digits
        )
    if len(plan) == 1 and plan[0][2] == 1:
        at_zero = settle(lambda ctx: _one_step(ctx, Fraction(0), plan[0], way), 12)
        with working(64) as ctx:
            if real(ctx, at_zero) <= real(ctx, target):
                return freeze(ctx.zero)

        def excess(epsilon: Fraction, digits: int) -> Real:
            with working(bits_for(digits) + 64) as ctx:
                try:
                    found = settle(lambda ctx: _one_step(ctx, epsilon, plan[0], way), digits)
                except ArithmeticError:
                    return freeze(-ctx.one)
                return freeze(ctx.log(real(ctx, found) / real(ctx, target)))

        high = Fraction(1)
        if way == "add":
            with working(64) as ctx:
                most = -ctx.log(1 - real(ctx, plan[0][1])) * (1 - ctx.mpf(2) ** -40)
                high = min(high, arguments.exact("epsilon", freeze(most)))
        else:
            while excess(high, 8) > 0:
                high *= 2
        return _root(excess, Fraction(0), high, digits)
    # δ(ε) goes on below 0, where it is no privacy's.
    found = _agreed(lambda bits: _inverse(target, plan, way, bits), digits)
    return found if found > 0 else 0 * found


def _inverse(target: Fraction, plan: list[_Phase], way: str, bits: int) -> Real:
    goal, found = math.log(target), {}

    def beyond(c: float, epsilon: float, log_delta: float) -> bool:
        found[c] = epsilon
        return log_delta <= goal

    c = _saddle(plan, way, beyond)
    with working(bits + _GUARD_BITS + _bits_of(plan)) as ctx:
        line = _Line(ctx, plan, way, c, goal)
        wanted = ctx.log(real(ctx, target))
        # The secant for ln δ(ε), whose slope is near −c.
        before = ctx.mpf(found.get(c, 0.0))
        at_before = ctx.log(line.delta(before)) - wanted
        epsilon = before + at_before / c
        for _ in range(60):
            at = ctx.log(line.delta(epsilon)) - wanted
            if at == at_before or abs(at) < ctx.ldexp(1, -bits - 8):
                break
            step = at * (epsilon - before) / (at - at_before)
            before, at_before, epsilon = epsilon, at, epsilon - step
        return freeze(epsilon)


def _root(
    excess: Callable[[Fraction, int], Real], low: Fraction, high: Fraction, digits: int
) -> Real:
    """Return where a falling function passes 0 by the secant, kept inside a bracket."""
    at_low, at_high = excess(low, digits + 4), excess(high, digits + 4)
    with working(2 * bits_for(digits) + 64) as ctx:
        a, b = real(ctx, low), real(ctx, high)
        fa, fb = real(ctx, at_low), real(ctx, at_high)
        for turn in range(200):
            middle = (a + b) / 2 if turn % 4 == 3 else a + (b - a) * fa / (fa - fb)
            value = real(ctx, excess(arguments.exact("root", freeze(middle)), digits + 4))
            close = abs(b - a) <= abs(b) * ctx.mpf(10) ** -(digits + 1)
            if value == 0 or close:
                break
            if value > 0:
                a, fa, fb = middle, value, fb / 2
            else:
                b, fb, fa = middle, value, fa / 2
            if abs(value) < ctx.mpf(10) ** -(digits + 2):
                break
    return freeze(middle)
