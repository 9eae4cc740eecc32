"""The float64 next to an exact value, on a chosen side.

An enclosure at a rising number of digits settles which float it is; no rounding is believed.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable
from fractions import Fraction

from flint import arb

__all__ = ["bounds", "float_above", "float_below", "round_down", "round_up"]

_START_DIGITS = 20
_CAP_DIGITS = 2000  # a value still this close to a float is rounded to its outer neighbour
_REACH = 8192  # binary exponents of the values that are turned into fractions
_DEEP = 1 << 20  # a radius below 2^-_DEEP is replaced by 2^-_DEEP
_TINY = Fraction(1, 1 << _DEEP)


def bounds(value: arb) -> tuple[Fraction, Fraction]:
    """Return the exact rational ends of a ball.

    Raises:
        ArithmeticError: if it is not finite, or outside 2^±8192 and not zero.
    """
    if not value.is_finite():
        raise ArithmeticError(f"the ball {value} is not finite")
    middle, radius = value.mid(), value.rad()
    if not middle.is_zero() and abs(_magnitude(middle)) > _REACH:
        raise ArithmeticError(f"the ball is of magnitude 2^{_magnitude(middle)}")
    centre, reach = _fraction(middle), _fraction(radius) if _magnitude(radius) > -_DEEP else _TINY
    return centre - reach, centre + reach


def _fraction(exact: arb) -> Fraction:
    mantissa, exponent = exact.man_exp()
    return Fraction(int(mantissa)) * Fraction(2) ** int(exponent)


def _magnitude(exact: arb) -> int:
    mantissa, exponent = exact.man_exp()
    return int(mantissa).bit_length() + int(exponent) if mantissa else 0


def round_up(ball_at: Callable[[int], arb]) -> float:
    """Return the smallest float64 ≥ the exact value, 5e-324 for a smaller positive one.

    Args:
        ball_at: digits -> an enclosure of the value of that tightness.

    Raises:
        OverflowError: if the exact value is above the largest float64.
    """
    return _settle(ball_at, float_above)


def round_down(ball_at: Callable[[int], arb]) -> float:
    """Return the largest float64 ≤ the exact value; arguments and errors as for `round_up`."""
    return _settle(ball_at, float_below)


def _settle(ball_at: Callable[[int], arb], towards: Callable[[Fraction], float]) -> float:
    digits = _START_DIGITS
    while True:
        value = ball_at(digits)
        if not value.is_zero() and _magnitude(value.mid()) < -_REACH:
            # The same float as for any other value as close to zero, on the same side.
            return towards(_TINY if value > 0 else -_TINY)
        low, high = (towards(end) for end in bounds(value))
        if low == high:
            return low
        if digits > _CAP_DIGITS:
            return high if towards is float_above else low
        digits *= 4


def float_above(value: Fraction) -> float:
    """Return the smallest float64 ≥ an exact number.

    Raises:
        OverflowError: if the number is above the largest float64.
    """
    try:
        nearest = float(value)
    except OverflowError:
        if value < 0:
            return -sys.float_info.max
        raise OverflowError("the exact value is above the largest float64") from None
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def float_below(value: Fraction) -> float:
    """Return the largest float64 ≤ an exact number."""
    return -float_above(-value)
