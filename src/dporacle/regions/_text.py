"""Exact numbers as text."""

import re
from fractions import Fraction

_RATIONAL = re.compile(r"(-?\d{1,5000})(?:/(\d{1,5000}))?", re.ASCII)
_LONGEST = 40


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


def decimal(value: Fraction) -> str:
    """Return an exact number as a short decimal where it is one, else as a quotient."""
    rest, places = value.denominator, 0
    for prime in (2, 5):
        count = 0
        while rest % prime == 0:
            rest, count = rest // prime, count + 1
        places = max(places, count)
    if rest != 1:
        return str(value)
    digits = str(abs(value.numerator) * (10**places // value.denominator))
    if len(digits.strip("0")) > _LONGEST:
        return str(value)
    sign, digits = "-" * (value < 0), digits.rjust(places + 1, "0")
    whole, fraction = digits[: len(digits) - places], digits[len(digits) - places :]
    leading = len(fraction) - len(fraction.lstrip("0"))
    if whole == "0" and leading > 4 and fraction.strip("0"):
        figures = fraction.lstrip("0").rstrip("0")
        head, tail = figures[0], figures[1:]
        return f"{sign}{head}{'.' * bool(tail)}{tail}e-{leading + 1}"
    fraction = fraction.rstrip("0")
    return f"{sign}{whole}{'.' * bool(fraction)}{fraction}"
