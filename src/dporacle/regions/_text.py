"""Exact numbers as text."""

import re
from fractions import Fraction

_RATIONAL = re.compile(r"(-?\d{1,5000})(?:/(\d{1,5000}))?", re.ASCII)


def rational(value: Fraction) -> str:
    """Return "3" or "3/8"."""
    return str(value)


def read_rational(text: str) -> Fraction:
    """Read what `rational` writes.

    Raises:
        ValueError: naming the text, if it is no such number.
    """
    match = _RATIONAL.fullmatch(text)
    if match is None or (match[2] is not None and int(match[2]) == 0):
        raise ValueError(f"not a rational number: {text[:60]!r}")
    return Fraction(int(match[1]), int(match[2] or 1))
