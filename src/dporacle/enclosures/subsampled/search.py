"""The root of a falling profile: a secant in logarithms, and two proved signs."""

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision

_STEPS = 80  # the certified vectors take ten at most
_COARSE = 4  # digits of the first values: they only place the next step of the secant
_LN10 = math.log(10)
_LARGEST = 2.0  # step of the variable that is searched in
_TURNS = 6  # steps of the secant between two halvings of the bracket


def falling_root(
    profile: Callable[[arb, int], arb],
    *,
    target: Fraction,
    start: float,
    slope: float,
    most: float,
    digits: int,
    kept: bool = False,
) -> arb:
    """Enclose x > 0 with profile(x) = target.

    The search goes on in ln x, or in ln x/(most − x): where the profile ends it falls steeply.

    Args:
        profile: (x, digits) -> an enclosure of so many digits of a function that does not rise.
        target: positive.
        start: where the search begins.
        slope: about d ln profile/d ln x there; negative.
        most: the root lies below.
        digits: the ball's radius is at most 10^-digits of its midpoint.
        kept: whether a value costs little beside one that was as accurate: then all digits are
            asked for at once, from the first value on where the profile has no end.

    Raises:
        ArithmeticError: if the signs cannot be proved within the bound of work.
    """
    with precision(2 * bits_for(digits) + 128):
        goal = ball(target)
        end = None if math.isinf(most) else arb(most)
        x = arb(start)
        if end is not None and not x < end:
            x = end / 2
        u = x.log() if end is None else (x / (end - x)).log()
        u = u.mid()
        rate = arb(slope) * _left(x, end)
        low: arb | None = None
        high: arb | None = None
        last: tuple[arb, arb] | None = None
        fine, full = _COARSE, 0
        if kept and end is None:  # a coarse value would cost more than it saves
            full = digits + 3 + max(0, math.ceil(-math.log10(-slope)))
            fine = full
        for turn in range(_STEPS):
            x = (u.exp() if end is None else end / (1 + (-u).exp())).mid()
            value = profile(x, fine + (turn == 0 and fine == full))  # enough for the next, too
            if value > goal and (low is None or u > low):
                low = u
            if value < goal and (high is None or u < high):
                high = u
            step = arb(-_LARGEST)
            if value > 0:
                gap = (value.mid() / goal).log()
                if last is not None and last[0] != u:
                    quotient = ((gap - last[1]) / (u - last[0])).mid()
                    if quotient < 0:
                        rate = quotient
                last = u, gap.mid()
                step = (-gap / rate).mid()
            elif not value < goal:
                step = arb(0)
            size = abs(step)
            if fine == full and size * _left(x, end) < arb(10) ** (-digits - 2):
                break
            if size < 1e-3:
                # flat profiles need more digits of δ for as many of x
                steep = float(-rate / _left(x, end))
                flat = max(0, math.ceil(-math.log10(steep)))
                full = digits + 3 + flat
                # The next step is about as long as the square of this one.
                reached = -2 * float(size.log()) / _LN10 if size > 0 else full
                fine = full if kept else min(full, max(fine, math.ceil(reached) + 4 + flat))
            step = step.max(arb(-_LARGEST)).min(arb(_LARGEST))
            after = (u + step).mid()
            outside = (low is not None and not after > low) or (
                high is not None and not after < high
            )
            if low is not None and high is not None and (outside or turn % _TURNS == _TURNS - 1):
                after = ((low + high) / 2).mid()
            u = after
        width = arb(10) ** -digits / 4
        for _ in range(4):
            first, second = (x * (1 - width)).mid(), (x * (1 + width)).mid()
            if profile(first, fine) > goal and profile(second, fine) < goal:
                return first.union(second)
            fine += 2
        raise ArithmeticError(f"the signs beside {x.str(digits + 5)} are not proved")


def _left(x: arb, end: arb | None) -> arb:
    """Return d ln x/du."""
    return arb(1) if end is None else ((end - x) / end).mid().max(arb(2) ** -200)
