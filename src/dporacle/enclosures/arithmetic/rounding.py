"""From a ball to the numbers that people and machines use, each on a proved side.

Ends of balls are exact rationals here; no rounding of a ball's midpoint is believed.
"""

from __future__ import annotations

import decimal
import math
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import lru_cache
from typing import Literal

from flint import arb, fmpq, fmpz

from dporacle.common import ieee754
from dporacle.enclosures.arithmetic.balls import bits_for, precision

_START_DIGITS = 20  # three more than tell one float64 from another: nearly all are settled at once
_CAP_DIGITS = 1200  # a value still this close to a float is rounded to its outer neighbour
_REACH = 8192  # binary exponents of the values that are turned into fractions
# Far below 2^-1074, the least float64: it rounds as all that is smaller does.
_TINY = Fraction(1, 1 << _REACH)
_PLAIN = 5  # decimal exponents that are written out


def _magnitude(exact: arb) -> int:
    mantissa, exponent = exact.man_exp()
    return int(mantissa).bit_length() + int(exponent) if mantissa else -sys.maxsize


def bounds(value: arb) -> tuple[Fraction, Fraction]:
    """Return exact rational ends of a ball.

    Raises:
        ArithmeticError: if it is not finite, or of a magnitude outside 2^±8192 and not zero.
    """
    if not value.is_finite():
        raise ArithmeticError(f"the ball {value} is not finite")
    middle, radius = value.mid(), value.rad()
    if not middle.is_zero() and abs(_magnitude(middle)) > _REACH:
        raise ArithmeticError(f"the ball {value} is of magnitude 2^{_magnitude(middle)}")
    if radius.is_zero():
        exact = _dyadic(*map(int, middle.man_exp()))
        return exact, exact
    # A radius too small to write out is widened to one that is not.
    reach = map(int, radius.man_exp()) if _magnitude(radius) > -8 * _REACH else (1, -8 * _REACH)
    (centre, power), (spread, other) = map(int, middle.man_exp()), reach
    unit = min(power, other)
    centre, spread = centre << (power - unit), spread << (other - unit)
    return _dyadic(centre - spread, unit), _dyadic(centre + spread, unit)


def _dyadic(mantissa: int, exponent: int) -> Fraction:
    """Return mantissa·2^exponent."""
    if exponent >= 0:
        return Fraction(mantissa << exponent)
    return Fraction(mantissa, 1 << -exponent)


def is_point(value: arb) -> bool:
    """Return whether a ball has radius zero: its midpoint is the exact value."""
    return bool(value.rad().is_zero())


def side(value: arb, bound: Fraction) -> int:
    """Return −1 if a ball is proved to lie below a bound, 1 if above, else 0."""
    size = max(bound.numerator.bit_length(), bound.denominator.bit_length(), value.bits())
    with precision(size + 64):
        gap = value - arb(fmpq(bound.numerator, bound.denominator))
        return -1 if gap < 0 else 1 if gap > 0 else 0


def float_above(value: Fraction) -> float:
    """Return the smallest float64 ≥ an exact number.

    Raises:
        OverflowError: if the number is outside the range of float64.
        FloatingPointError: if the processor does not round to nearest or drops subnormals.
    """
    ieee754.demand()
    try:
        nearest = float(value)
    except OverflowError:
        side = "above the largest" if value > 0 else "below the least"
        raise OverflowError(f"the exact value is {side} float64") from None
    return nearest if Fraction(nearest) >= value else math.nextafter(nearest, math.inf)


def float_below(value: Fraction) -> float:
    """Return the largest float64 ≤ an exact number.

    Raises:
        OverflowError: if the number is outside the range of float64.
    """
    return -float_above(-value)


def round_up(enclose: Callable[[int], arb], *, ceiling: int | None = None) -> float:
    """Return the smallest float64 ≥ the exact value, 5e-324 for a smaller positive one.

    Args:
        enclose: digits -> an enclosure of the value of that tightness.
        ceiling: a number that the value is known not to exceed. Balls around 1 − 1e-1000 reach
            beyond 1 at any tightness that one would ask for; a probability has the ceiling 1.

    Raises:
        OverflowError: if the exact value is outside the range of float64.
    """
    return _settle(enclose, float_above, ceiling)


def round_down(enclose: Callable[[int], arb]) -> float:
    """Return the largest float64 ≤ the exact value; arguments and errors as for `round_up`."""
    return _settle(enclose, float_below, None)


def round_safely(
    enclose: Callable[[int], arb], *, safe: Literal["up", "down"], ceiling: int | None = None
) -> float:
    """Return the float64 next to the exact value on its safe side; otherwise as `round_up`."""
    return _settle(enclose, float_above if safe == "up" else float_below, ceiling)


def _settle(
    enclose: Callable[[int], arb], towards: Callable[[Fraction], float], ceiling: int | None
) -> float:
    digits = _START_DIGITS
    while True:
        value = enclose(digits)
        if not value.is_finite():
            raise ArithmeticError(f"the ball {value} is not finite")
        if not value.is_zero() and _magnitude(value.mid()) < -_REACH:
            # The same float as for any other value as close to zero, on the same side.
            return towards(_TINY if value > 0 else -_TINY)
        least, most = bounds(value)
        low, high = (
            towards(least),
            towards(most if ceiling is None else min(most, Fraction(ceiling))),
        )
        if low == high:
            return low
        if digits >= _CAP_DIGITS:
            return high if towards is float_above else low
        digits = min(4 * digits, _CAP_DIGITS)


def decimal_digits(value: arb, digits: int) -> str:
    """Return a value's digits as text, correct but for one unit in the last place.

    Args:
        value: an enclosure that is tighter than that.
        digits: how many significant digits.
    """
    with precision(bits_for(digits) + 64):
        return str(value.mid().str(digits, radius=False))


@lru_cache(maxsize=64)
def _rounded(digits: int, up: bool) -> decimal.Context:
    return decimal.Context(
        prec=digits,
        rounding=decimal.ROUND_CEILING if up else decimal.ROUND_FLOOR,
        Emax=decimal.MAX_EMAX,
        Emin=decimal.MIN_EMIN,
    )


def round_decimal(value: Fraction | Decimal, digits: int, *, up: bool) -> str:
    """Return a decimal of so many digits, not below a number (or not above).

    Every bound that is printed goes through it, or, where it is a ball, through `decimal_bounds`:
    what is rounded to nearest may say more than is proved.

    Args:
        value: the number, exactly.
        digits: significant digits.
        up: whether the decimal is not below it.
    """
    context = _rounded(digits, up)
    if isinstance(value, Decimal):
        shown = context.plus(value)
    else:
        shown = context.divide(Decimal(value.numerator), Decimal(value.denominator))
    if shown == shown.to_integral_value() and abs(shown) < 10**6:
        return str(int(shown))
    return f"{shown.normalize(context):e}" if not -5 < shown.adjusted() < 6 else f"{shown:f}"


def interval(low: float | Fraction, high: float | Fraction, digits: int) -> tuple[str, str]:
    """Return decimals of so many digits that are not above one number and not below another."""
    ends = (Fraction(low), False), (Fraction(high), True)
    first, last = (round_decimal(end, digits, up=up) for end, up in ends)
    return first, last


def decimal_bounds(value: arb, digits: int, *, ceiling: int | None = None) -> tuple[str, str]:
    """Return decimal texts below and above every number in a ball.

    Args:
        value: the enclosure.
        digits: significant digits of each end; they are rounded outwards.
        ceiling: a positive number that the value does not exceed, though its ball may.
    """
    with precision(bits_for(digits) + 64):
        centre, radius, exponent = value.mid_rad_10exp(digits)
    low, high, places = int(centre) - int(radius), int(centre) + int(radius), -int(exponent)
    # With more places than bits it is below 1, and no power of ten with 10⁹ digits is made.
    some = places <= high.bit_length()
    if ceiling is not None and some and Fraction(10) ** -places * high > ceiling:
        high, places = ceiling, 0
    return _decimal(low, int(exponent)), _decimal(high, -places)


def _decimal(mantissa: int, exponent: int) -> str:
    """Write mantissa·10^exponent exactly, plainly where that is short."""
    if mantissa == 0:
        return "0"
    # Python's own int is no text of more than 4300 digits.
    sign, figures = "-" * (mantissa < 0), str(fmpz(abs(mantissa)))
    figures, leading = figures.rstrip("0"), exponent + len(figures) - 1
    if 0 <= leading < _PLAIN:
        whole, fraction = figures[: leading + 1].ljust(leading + 1, "0"), figures[leading + 1 :]
        return f"{sign}{whole}{'.' * bool(fraction)}{fraction}"
    if -_PLAIN < leading < 0:
        return f"{sign}0.{'0' * (-leading - 1)}{figures}"
    return f"{sign}{figures[0]}{'.' * (len(figures) > 1)}{figures[1:]}e{leading:+d}"
