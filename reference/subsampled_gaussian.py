"""DP-SGD: the composed Poisson-subsampled Gaussian (X.SG.*).

In a step, with t standard normal and w_±(t) = 1 − q + q·e^{±t/σ − 1/2σ²}, the moment of the loss is
E[e^{sL}] = E[w₊^{1+s}] for remove, E[w₊^{−s}] for add and E[w₊^{1+s}w₋^{−s}] for replace-one; those
of the steps multiply. One step has a closed form, two are a quadrature over it
(`subsampled.few_steps`); more are inverted on a vertical line (`subsampled.line`), where each
moment is a trapezoid sum over the real t, or where a record is sampled rarely on a contour that
bends (`subsampled.bent`), which takes minutes. An answer is given where two precisions, with two
widths of the grids, agree in all its digits.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

import mpmath

from dporacle import arguments
from dporacle.interface import Direction, witness
from dporacle.reference.composition import repeated_delta, repeated_epsilon
from dporacle.reference.numerics.precision import (
    Context,
    Real,
    bits_for,
    freeze,
    real,
    settle,
    working,
)
from dporacle.reference.subsampled.bent import Bent
from dporacle.reference.subsampled.few_steps import one_step, two_steps, vanishes
from dporacle.reference.subsampled.line import LineMoments, saddle
from dporacle.reference.subsampled.moments import Phase, Plan
from dporacle.reference.subsampled.root import bracketed, falling_root

_MAX_STEPS = 10**8
_MAX_DIGITS = 40
_LARGEST = 10_000  # ε of composed steps: its saddle takes a quarter of a minute
_GUARD_BITS = 48


@witness
def subsampled_delta(
    *,
    epsilon: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return δ(ε) of T subsampled steps (X.SG.PROFILE).

    Args:
        steps: T, from 1 to 10^8.
        digits: correct decimal digits wanted, up to 40 for more than one step.
    """
    return _delta(epsilon, [_phase(sigma, rate, steps)], direction, digits)


@witness
def subsampled_epsilon(
    *,
    delta: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return the smallest ε ≥ 0 for which T subsampled steps are (ε,δ)-DP (X.SG.PROFILE).

    Args:
        steps: T, from 1 to 10^8.
        digits: correct decimal digits wanted, up to 40 for more than one step.
    """
    return _epsilon(delta, [_phase(sigma, rate, steps)], direction, digits)


@witness
def subsampled_sigma(
    *,
    epsilon: Fraction,
    delta: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> Real:
    """Return the smallest noise multiplier for T subsampled steps (X.SG.INVERSE).

    Args:
        steps: T, from 1 to 10^8.
        digits: correct decimal digits wanted, up to 40 for more than one step.

    Raises:
        ValueError: also if no noise is needed.
    """
    _, q, t = _phase(Fraction(1), rate, steps)
    with working(bits_for(digits) + 64) as ctx:
        if real(ctx, delta) >= _noiseless(ctx, real(ctx, epsilon), real(ctx, q), t, direction):
            raise ValueError(f"delta: no noise is needed for {arguments.show(delta)}")

    def excess(sigma: Fraction, digits: int) -> Real:
        found = _delta(epsilon, [(sigma, q, t)], direction, digits)
        with working(bits_for(digits) + 64) as ctx:
            return freeze(ctx.log(real(ctx, found) / real(ctx, delta)))

    low = high = Fraction(1)
    while excess(high, 4) > 0:
        low, high = high, 2 * high
    while excess(low, 4) <= 0:
        low, high = low / 2, low
    return falling_root(excess, low, high, digits)


@witness
def subsampled_schedule_delta(
    *, epsilon: Fraction, phases: Any, direction: Direction, digits: int = 12
) -> Real:
    """Return δ(ε) of several phases (σ, q, T) together (X.SG.PROFILE).

    Args:
        phases: the noise multiplier, the rate and the number of steps of each.
        digits: correct decimal digits wanted, up to 40.
    """
    return _delta(epsilon, _phases(phases), direction, digits)


@witness
def subsampled_schedule_epsilon(
    *, delta: Fraction, phases: Any, direction: Direction, digits: int = 12
) -> Real:
    """Return the smallest ε ≥ 0 of several phases (σ, q, T) together (X.SG.PROFILE).

    Args:
        phases: the noise multiplier, the rate and the number of steps of each.
        digits: correct decimal digits wanted, up to 40.
    """
    return _epsilon(delta, _phases(phases), direction, digits)


def _phase(sigma: Any, rate: Any, steps: Any) -> Phase:
    q = arguments.positive("rate", rate)
    if q > 1:
        raise ValueError(f"rate must be in (0, 1], got {arguments.show(rate)}")
    most = arguments.count("steps", steps, most=_MAX_STEPS)
    return arguments.positive("sigma", sigma), q, most


def _phases(phases: Any) -> Plan:
    if isinstance(phases, str) or not isinstance(phases, Sequence) or not phases:
        raise TypeError("phases must be a list of (sigma, rate, steps)")
    plan: dict[tuple[Fraction, Fraction], int] = {}
    for each in phases:
        if isinstance(each, str) or not isinstance(each, Sequence) or len(each) != 3:
            raise TypeError(f"phases must be (sigma, rate, steps), got {arguments.show(each)}")
        sigma, rate, steps = _phase(*each)
        plan[sigma, rate] = plan.get((sigma, rate), 0) + steps
    return [(sigma, rate, steps) for (sigma, rate), steps in plan.items()]


def _plain(plan: Plan) -> bool:
    return len(plan) == 1 and plan[0][1] == 1


def _delta(eps: Fraction, plan: Plan, way: str, digits: int) -> Real:
    if way == "both":
        return max(_delta(eps, plan, each, digits) for each in ("add", "remove"))
    if _plain(plan):
        distance = 2 if way == "replace" else 1
        sigma, _, steps = plan[0]
        return repeated_delta(
            epsilon=eps, sigma=sigma, releases=steps, sensitivity=distance, digits=digits
        )
    if way == "add" and vanishes(eps, plan):
        return mpmath.mp.zero
    steps = sum(times for _, _, times in plan)
    if steps == 1:
        return settle(lambda ctx: one_step(ctx, real(ctx, eps), plan[0], way), digits)
    if eps > _LARGEST:
        raise ArithmeticError(
            f"epsilon must be at most {_LARGEST} for more than one step, got {mpmath.nstr(eps, 6)}"
        )
    if steps == 2 and all(rate < 1 for _, rate, _ in plan):
        return agreed(lambda bits: two_steps(eps, plan, way, bits), digits)
    return agreed(lambda bits: _inverted(eps, plan, way, bits), digits)


def _noiseless(ctx: Context, e: Real, q: Real, steps: int, way: str) -> Real:
    """Return what δ(ε) rises to as σ falls to 0, where only a batch without the record hides it."""
    hidden = (1 - q) ** steps
    return 1 - ctx.exp(e) * hidden if way == "add" else 1 - hidden


def agreed(value: Callable[[int], Real], digits: int) -> Real:
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


def _inverted(eps: Fraction, plan: Plan, way: str, bits: int) -> Real:
    found = {}

    def beyond(c: float, epsilon: float, log_delta: float) -> bool:
        found[c] = log_delta
        return epsilon >= float(eps)

    c = saddle(plan, way, beyond)
    with working(bits + _GUARD_BITS + _bits_of(plan)) as ctx:
        line = contour(ctx, plan, way, c, float(eps), min(0.0, found.get(c, 0.0)))
        return freeze(line.delta(real(ctx, eps)))


def contour(
    ctx: Context, plan: Plan, way: str, c: float, epsilon: float, log_delta: float
) -> LineMoments | Bent:
    """Return a vertical line, or a contour that bends where the moments do not die out on it."""
    try:
        return LineMoments(ctx, plan, way, c, log_delta)
    except ArithmeticError:
        return Bent(ctx, plan, way, c, epsilon)


def _bits_of(plan: Plan) -> int:
    """Return the bits that raising to the powers loses."""
    return sum(steps for _, _, steps in plan).bit_length()


def _epsilon(target: Fraction, plan: Plan, way: str, digits: int) -> Real:
    if way == "both":
        return max(_epsilon(target, plan, each, digits) for each in ("add", "remove"))
    if _plain(plan):
        distance = 2 if way == "replace" else 1
        sigma, _, steps = plan[0]
        return repeated_epsilon(
            delta=target, sigma=sigma, releases=steps, sensitivity=distance, digits=digits
        )
    if _private_at_zero(target, plan, way):
        return mpmath.mp.zero
    if sum(steps for _, _, steps in plan) <= 2 and all(rate < 1 for _, rate, _ in plan):
        return bracketed(
            lambda at, digits: _delta(at, plan, way, digits), target, plan, way, digits
        )
    # δ(ε) goes on below 0, where it is no privacy's.
    found = agreed(lambda bits: _inverse(target, plan, way, bits), digits)
    return found if found > 0 else 0 * found


def _private_at_zero(target: Fraction, plan: Plan, way: str) -> bool:
    """Say whether the total variations of the steps add up to less than δ: then ε is 0."""
    with working(96) as ctx:
        total = ctx.zero
        for phase in plan:
            total += phase[2] * ctx.fsum(one_step(ctx, ctx.zero, phase, way))
        return bool(total < real(ctx, target) * (1 - ctx.ldexp(1, -40)))


def _inverse(target: Fraction, plan: Plan, way: str, bits: int) -> Real:
    goal, found = math.log(target), {}

    def beyond(c: float, epsilon: float, log_delta: float) -> bool:
        found[c] = epsilon
        return log_delta <= goal

    c = saddle(plan, way, beyond)
    with working(bits + _GUARD_BITS + _bits_of(plan)) as ctx:
        line = contour(ctx, plan, way, c, found.get(c, 0.0), goal)
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
