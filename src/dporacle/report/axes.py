"""Where a number stands in a picture: logarithmic axes of inputs, one of errors with a sign."""

from __future__ import annotations

import decimal
import math
from collections.abc import Iterable
from dataclasses import dataclass

SCALES = {2: (0, 1), 6: (2, 4), 18: (4, 8, 12, 16)}
"""How far a picture's errors reach, as a power of ten of an ulp, and the powers with a mark.

Errors beyond the widest scale stand at its edge.
"""

# log10 of where people work: most of an axis is theirs, the extremes get a strip at each end.
_USUAL = {"epsilon": (-4, 4), "delta": (-16, 0), "alpha": (-16, 0)}
_ELSEWHERE = (-4, 4)
_STRIP = 0.26
_ZERO, _BEYOND = 42.0, 22.0
_LONGEST = 400
_RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


@dataclass(frozen=True)
class Tick:
    """A mark on an axis."""

    at: float
    text: str


@dataclass(frozen=True)
class LogAxis:
    """A logarithmic axis between two pixels.

    Attributes:
        name: what it shows.
        pieces: (log10 from, log10 to, pixel from, pixel to), one after another.
        zero: where 0 and negative numbers stand, if there are any.
        beyond: where infinity and NaN stand, if there are any.
    """

    name: str
    pieces: tuple[tuple[float, float, float, float], ...]
    zero: float | None
    beyond: float | None

    @classmethod
    def over(cls, name: str, logs: Iterable[float], *, left: float, right: float) -> LogAxis:
        """Return the axis on which these logarithms have room."""
        known = list(logs)
        usual = [each for each in known if math.isfinite(each)]
        zero = left + 0.26 * _ZERO if -math.inf in known else None
        others = any(each == math.inf or math.isnan(each) for each in known)
        beyond = right - _BEYOND / 2 if others else None
        left += _ZERO if zero is not None else 0
        right -= _BEYOND if beyond is not None else 0
        low, high = _USUAL.get(name, _ELSEWHERE)
        strip = _STRIP * (right - left)
        pieces = []
        if usual and min(usual) < low:
            pieces.append((math.floor(min(usual)), low, left, left + strip))
            left += strip
        if usual and max(usual) > high:
            pieces.append((high, math.ceil(max(usual)), right - strip, right))
            right -= strip
        pieces.append((low, high, left, right))
        return cls(name, tuple(sorted(pieces)), zero, beyond)

    def at(self, log: float) -> float:
        """Return the pixel of a number whose log10 this is."""
        if log == -math.inf and self.zero is not None:
            return self.zero
        if not math.isfinite(log) and self.beyond is not None:
            return self.beyond
        low, high, left, right = next(
            (piece for piece in self.pieces if log <= piece[1]), self.pieces[-1]
        )
        return left + (right - left) * (min(max(log, low), high) - low) / (high - low)

    @property
    def ticks(self) -> list[Tick]:
        """The marks, far enough from each other to be read."""
        found = [Tick(self.zero, "≤ 0")] if self.zero is not None else []
        for low, high, left, right in self.pieces:
            usual = _USUAL.get(self.name, _ELSEWHERE)
            if (low, high) == usual:
                step = (4 if high - low > 8 else 2) * (2 if len(self.pieces) == 3 else 1)
                marks = [float(each) for each in range(int(low), int(high) + 1, step)]
            else:
                marks = [_landmark(low, high, 0.36 if high == usual[0] else 0.64)]
            scale = (right - left) / (high - low)
            found += [Tick(left + scale * (each - low), power(each)) for each in marks]
        if self.beyond is not None:
            found.append(Tick(self.beyond, "∞"))
        return found

    @property
    def seams(self) -> list[float]:
        """The pixels at which the scale changes."""
        inner = [piece[2] for piece in self.pieces[1:]]
        first, last = self.pieces[0][2], self.pieces[-1][3]
        slots = ([first] if self.zero is not None else []), ([last] if self.beyond else [])
        return [*slots[0], *inner, *slots[1]]


def _landmark(low: float, high: float, share: float) -> float:
    """Return a round number about so far along the way."""
    span = high - low
    step = 100 if span > 200 else 10 if span > 20 else 1
    return min(max(step * round((low + share * span) / step), low), high)


def power(exponent: float) -> str:
    """Return a power of ten as it is written by hand."""
    if exponent in (0, 1):
        return "1" if exponent == 0 else "10"
    return "10" + f"{exponent:.0f}".translate(_RAISED)


def scale_for(errors: Iterable[float]) -> int:
    """Return the smallest of the scales that holds these errors in ulp, else the widest."""
    worst = max((abs(each) for each in errors), default=0.0)
    return next((scale for scale in SCALES if worst <= 10.0**scale), max(SCALES))


def height(ulp: float, scale: int) -> float:
    """Return the signed logarithm of an error, between -1 and 1: 0 is exact."""
    most = math.log10(1 + 10.0**scale)
    return math.copysign(math.log10(1 + min(abs(ulp), 10.0**scale)) / most, ulp)


def logarithm(text: str) -> float | None:
    """Return log10 of a number that is written in decimal or hexadecimal.

    0 and negative numbers give -inf, infinity inf, NaN NaN; what is no number gives None.
    """
    if len(text) > _LONGEST:
        return None
    try:
        number = (
            decimal.Decimal(float.fromhex(text))
            if text.lstrip("+-").lower().startswith("0x")
            else decimal.Decimal(text)
        )
        if number.is_nan():
            return math.nan
        return float(number.log10()) if number > 0 else -math.inf
    except (ValueError, OverflowError, decimal.DecimalException):
        return None
