"""Exact comparisons between floats, mpmath numbers and balls."""

import math
from fractions import Fraction

from dporacle.enclosures.arithmetic import rounding


def fraction(value: object) -> Fraction:
    """The exact value of a float, a Fraction or an mpf."""
    if not hasattr(value, "_mpf_"):
        return Fraction(value)
    sign, mantissa, exponent, _ = value._mpf_
    return Fraction(-int(mantissa) if sign else int(mantissa)) * Fraction(2) ** int(exponent)


def bounds(ball: object) -> tuple[Fraction, Fraction]:
    """The exact ends of a ball."""
    return rounding.bounds(ball)


def agrees(ball: object, value: object, digits: int) -> bool:
    """Whether a ball and a number correct to so many digits can mean the same quantity."""
    low, high = bounds(ball)
    exact = fraction(value)
    slack = abs(exact) / 10**digits
    return low - slack <= exact <= high + slack


def close(first: object, second: object, digits: int) -> bool:
    """Whether two numbers agree to so many digits."""
    a, b = fraction(first), fraction(second)
    return abs(a - b) <= max(abs(a), abs(b)) / 10**digits


def ulps_above(value: float, least: float) -> int:
    """How many floats lie from the least right answer up to a value; negative if it is below."""
    step = math.inf if value >= least else -math.inf
    count = 0
    while least != value:
        least = math.nextafter(least, step)
        count += 1
        if count > 10_000:
            raise AssertionError(f"{value!r} is more than 10,000 floats away")
    return count if step > 0 else -count
