"""The root of a decreasing profile, proved by two signs.

Newton's method proposes; only the signs of two balls on either side of the proposal are
believed. With the monotonicity of the profile (BW18.L7) they prove that the root lies between.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import MAX_BITS, ball, precision

__all__ = ["Profile", "decreasing_root"]

Profile = Callable[[arb], tuple[arb, arb, arb]]
"""y -> (δ, 1 − δ, dδ/dy), as balls at the working precision; δ decreases in y."""

_COARSE = 30  # bits of accuracy of the first Newton steps
_MAX_STEPS = 1000


def decreasing_root(
    profile: Profile,
    *,
    target: Fraction,
    start: arb,
    scale: Callable[[arb], arb],
    tolerance: Callable[[arb], arb],
) -> tuple[arb, arb]:
    """Return exact numbers below and above the y at which δ = target, not far apart.

    Args:
        profile: the decreasing function and its slope.
        target: the δ asked for, in (0, 1).
        start: where Newton's method begins.
        scale: y -> the distance over which the profile bends near y.
        tolerance: y -> half the width that the result may have.

    Raises:
        ArithmeticError: if the precision reaches its cap first.
    """
    y = _approach(profile, target, start, scale)
    bits = _COARSE
    for bits in _ladder(y, scale, tolerance):
        _, y = _newton(profile, target, y, bits + 16)
    while not _is_fine(y, bits, scale, tolerance):
        bits *= 2
        _, y = _newton(profile, target, y, bits + 16)
    while bits <= MAX_BITS:
        with precision(bits + 64):
            allowed = tolerance(y)
            low, high = (y - allowed).mid(), (y + allowed).mid()
        if _side(profile, target, low, bits) > 0 > _side(profile, target, high, bits):
            return low, high
        # δ of a tiny μ loses as many bits as μ has zeros: the last steps may have been blind.
        bits *= 2
        _, y = _newton(profile, target, y, bits + 16)
    raise ArithmeticError("the root is not bracketed by its two signs")


def _ladder(y: arb, scale: Callable[[arb], arb], tolerance: Callable[[arb], arb]) -> list[int]:
    """Return the bits of Newton's steps, each twice those before, to those that are needed."""
    with precision(_COARSE + 64):
        ratio = (scale(y) / tolerance(y)).upper()
        known = ratio.is_finite() and ratio > 1
        needed = math.ceil(float(ratio.log() / arb(2).log())) + 2 if known else 0
    found: list[int] = []
    while needed > _COARSE:
        found.append(needed)
        needed = needed // 2 + 1
    return found[::-1]


def _is_fine(
    y: arb, bits: int, scale: Callable[[arb], arb], tolerance: Callable[[arb], arb]
) -> bool:
    with precision(bits + 64):
        return bool(arb(2) ** -bits * scale(y) < tolerance(y))


def _approach(profile: Profile, target: Fraction, start: arb, scale: Callable[[arb], arb]) -> arb:
    """Return y with some 30 good bits, from Newton steps kept inside the signs seen so far."""
    low, high, y = None, None, start
    for _ in range(_MAX_STEPS):
        residual, proposal = _newton(profile, target, y, _COARSE + 16)
        with precision(_COARSE + 64):
            if residual.mid() > 0:
                low = y
            else:
                high = y
            if low is not None and high is not None and not low < proposal < high:
                proposal = ((low + high) / 2).mid()
            close = abs(proposal - y) < scale(proposal) / 2**20
        y = proposal
        if close:
            break
    return y


def _newton(profile: Profile, target: Fraction, y: arb, bits: int) -> tuple[arb, arb]:
    """Return the miss in the log-odds of δ, near-linear in y at both ends, and the next y."""
    value, rest, slope = _evaluate(profile, y, bits)
    with precision(bits + 64):
        miss = (value / ball(target)).log() - (rest / ball(1 - target)).log()
        return miss, (y - miss * value * rest / slope).mid()


def _evaluate(profile: Profile, y: arb, bits: int) -> tuple[arb, arb, arb]:
    work = bits + 32
    while work <= MAX_BITS:
        with precision(work):
            balls = profile(y)
            if min(each.rel_accuracy_bits() for each in balls) >= bits:
                return balls
        work += work // 2 + 64
    raise ArithmeticError(f"the profile has no {bits} good bits at {MAX_BITS} bits")


def _side(profile: Profile, target: Fraction, y: arb, bits: int) -> int:
    """Return the proved sign of δ − target, or 0 when this precision proves none."""
    with precision(bits + 64):
        value, rest, _ = profile(y)
        gap = value - ball(target) if 2 * target < 1 else ball(1 - target) - rest
        return 1 if gap > 0 else -1 if gap < 0 else 0
