"""The root of a falling profile: a secant in logarithms, and two proved signs."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision

__all__ = ["falling_root"]

_STEPS = 40
_COARSE = 4


def falling_root(
    profile: Callable[[arb, int], arb],
    *,
    target: Fraction,
    start: float,
    slope: float,
    most: float,
    digits: int,
) -> arb:
    """Enclose x > 0 with profile(x) = target.

    Args:
        profile: (x, digits) -> an enclosure of so many digits of a function that does not rise.
        target: positive.
        start: where the search begins.
        slope: about d ln profile/d ln x there; negative.
        most: the root lies below.
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        ArithmeticError: if the signs cannot be proved within the bound of work.
    """
    bits = 2 * bits_for(digits) + 128
    with precision(bits):
        goal = ball(target)
        limit = arb.pos_inf() if math.isinf(most) else arb(most)
        low, high = arb(0), limit
        x = arb(start)
        if not x < high:
            x = high / 2
        last: tuple[arb, arb] | None = None
        fine = _COARSE
        rate = arb(slope)
        for _ in range(_STEPS):
            value = profile(x, fine)
            if value > 0:
                gap = (value.mid() / goal).log()
            else:
                gap = (value.upper() / goal).log() if value.upper() > 0 else arb(-1e6)
            if gap > 0:
                low = x
            else:
                high = x
            if last is not None and value > 0 and last[1] > -1e5:
                change = (x / last[0]).log()
                if not change.contains(0):
                    quotient = (gap - last[1]) / change
                    if quotient < 0:
                        rate = quotient
            step = (-gap / rate).mid() if value > 0 else arb(-1)
            last = (x, gap.mid())
            size = abs(step)
            if size < arb(10) ** (-digits - 2) and fine > _COARSE:
                break
            if size < 1e-3 and fine == _COARSE:
                # flat profiles need more digits of δ for as many of x
                fine = digits + 3 + max(0, math.ceil(-math.log10(float(-rate))))
                low, high = arb(0), limit  # coarse values do not bracket
            x_next = (
                (x * arb(max(-2.0, min(2.0, float(step)))).exp()).mid()
                if size > 1
                else (x * step.exp()).mid()
            )
            if not (x_next > low and x_next < high):
                x_next = ((low + high) / 2).mid() if high.is_finite() else 2 * low
            x = x_next
        width = arb(10) ** -digits / 4
        for _ in range(4):
            first, second = (x * (1 - width)).mid(), (x * (1 + width)).mid()
            if profile(first, fine) > goal and profile(second, fine) < goal:
                return first.union(second)
            fine += 2
        raise ArithmeticError(f"the signs beside {x.str(digits + 5)} are not proved")
