"""An exact value, rounded to binary formats in each direction, by exact arithmetic alone."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

Nearest = Literal["down", "up", "exact"]
Ends = Callable[[int], tuple[Fraction, Fraction]]
"""Digits -> rational numbers below and above the exact value, as tight as that."""

_DIGITS = (45, 200, 1200)


@dataclass(frozen=True, slots=True)
class Format:
    """A binary floating-point format.

    Attributes:
        name: as it stands in the files.
        precision: bits of the significand.
        least: exponent of two of the smallest positive number.
        greatest: the largest number is below 2 to this.
    """

    name: str
    precision: int
    least: int
    greatest: int

    @property
    def largest(self) -> Fraction:
        """The largest number."""
        return Fraction(2) ** self.greatest - Fraction(2) ** (self.greatest - self.precision)

    def spacing(self, size: Fraction) -> Fraction:
        """Return the spacing of the numbers just above a positive one."""
        exponent = size.numerator.bit_length() - size.denominator.bit_length()
        exponent -= Fraction(2) ** exponent > size
        return Fraction(2) ** max(self.least, exponent - self.precision + 1)

    def down(self, value: Fraction) -> Fraction | None:
        """Return the largest number at most the value; None below all of them."""
        if value < 0:
            above = self.up(-value)
            return None if above is None else -above
        if value >= self.largest:
            return self.largest
        if not value:
            return value
        step = self.spacing(value)
        return value // step * step

    def up(self, value: Fraction) -> Fraction | None:
        """Return the smallest number at least the value; None above all of them."""
        if value < 0:
            below = self.down(-value)
            return None if below is None else -below
        if value > self.largest:
            return None
        if not value:
            return value
        step = self.spacing(value)
        return -(-value // step) * step

    def nearest(self, value: Fraction) -> Nearest:
        """Return which of the two is nearest, by the rule of IEEE 754 (ties to even)."""
        low, high = self.down(value), self.up(value)
        if low == high:
            return "exact"
        # Beyond the largest number, the next one is where it would be with one exponent more.
        step = self.spacing(abs(low) if low else Fraction(2) ** self.least)
        if low is None or high is None:
            edge = self.largest + step / 2
            return "up" if (value >= edge if high is None else value > -edge) else "down"
        if value - low != high - value:
            return "down" if value - low < high - value else "up"
        return "down" if low / (high - low) % 2 == 0 else "up"


FLOAT64 = Format("float64", 53, -1074, 1024)
FLOAT32 = Format("float32", 24, -149, 128)


def directed(ends: Ends, format: Format) -> tuple[float | None, float | None, Nearest]:  # noqa: A002
    """Return the value rounded down, rounded up, and which of the two is nearest.

    The ends are made tighter until they round alike; where they do not at 1200 digits, the
    outer numbers are given.
    """
    for digits in _DIGITS:
        low, high = ends(digits)
        outer = (format.down(low), format.up(high))
        alike = format.nearest(low) == format.nearest(high)
        if alike and outer == (format.down(high), format.up(low)):
            break
    nearest = format.nearest((low + high) / 2) if alike else "up"
    down, up = (None if end is None else _float(end) for end in outer)
    return down, up, nearest


def _float(value: Fraction) -> float:
    exact = float(value)
    if Fraction(exact) != value or math.isinf(exact):
        raise ArithmeticError(f"not a float64: {value}")
    return exact
