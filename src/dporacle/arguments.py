"""What an argument may be: exact numbers in, or an error that names the argument.

The reference, the enclosures and the judge read their scalar arguments here, with the
standard library alone. Nothing is computed: a number that a user wrote becomes the
`fractions.Fraction` that it is, without rounding, or it is refused. (The float64 witness
takes arrays and reads them itself.)

A float is its exact binary value: 1e-5 is the float nearest to one hundred-thousandth, not that
number. In files, on the command line and as text `"1e-5"` is exactly that number, and `"1/3"` and
`"0x1.8p-3"` are read too.
"""

import math
import numbers
import re
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any, Self

from dporacle.common import ieee754
from dporacle.vocabulary.domains import BELOW_ONE, NONNEGATIVE, POSITIVE, UNIT, Domain

Exact = int | float | Fraction | Decimal | str
"""The number types that the reference and the enclosures take (mpmath's `mpf` too)."""

LIMIT_BITS = 4096
"""Magnitudes lie in [2^-4096, 2^4096], four times the reach of float64's exponents, or are 0."""

MAX_DIGITS = 12_000
"""The largest number of digits that may be asked of a witness."""

MAX_DIMENSION = 10**9
"""The largest dimension that a witness is asked about."""

_MAX_SIZE_BITS = 1 << 16  # of a numerator or denominator: about 19,700 decimal digits
_MAX_TEXT = 4_000  # characters of one written number

_DECIMAL = re.compile(r"([+-]?)(\d+)?(?:\.(\d*))?(?:[eE]([+-]?\d{1,9}))?", re.ASCII)
_HEX = re.compile(
    r"([+-]?)0[xX]([0-9a-fA-F]+)?(?:\.([0-9a-fA-F]*))?(?:[pP]([+-]?\d{1,9}))?", re.ASCII
)
_RATIO = re.compile(r"([+-]?\d+)/(\d+)", re.ASCII)

_LONGEST_SHOWN = 40  # digits of an exact decimal


class Written(Fraction):
    """A quotient that knows how it was written: 256/60000, not 8/1875.

    Its `str` is that of any fraction, which certificates and JSON have; `as_written` and `show`
    return what was written.
    """

    __slots__ = ("text",)

    text: str

    def __new__(cls, top: int, bottom: int, text: str = "") -> Self:
        """Make it of two whole numbers."""
        made = super().__new__(cls, top, bottom)
        made.text = text or str(Fraction(top, bottom))
        return made

    def __reduce__(self) -> tuple[type, tuple[int, int, str]]:
        """Be pickled with the text."""
        return type(self), (self.numerator, self.denominator, self.text)

    def __copy__(self) -> Self:
        """Return itself: nothing changes it."""
        return self

    def __deepcopy__(self, memo: Any) -> Self:
        """Return itself: nothing changes it."""
        return self


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
    if len(digits.strip("0")) > _LONGEST_SHOWN:
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


def as_written(value: Fraction) -> str:
    """Return a quotient as somebody wrote it, and any other number as `decimal` does."""
    return value.text if isinstance(value, Written) else decimal(value)


def show(value: object) -> str:
    """Return a value as it stands in an error message: its repr, never longer than a line."""
    if isinstance(value, int) and value.bit_length() > 256:
        return f"an integer of {value.bit_length()} bits"
    if isinstance(value, Decimal) and sys.getsizeof(value) > 256:
        return "a Decimal of very many digits"
    if isinstance(value, Fraction):
        sides = (value.numerator, value.denominator)
        if max(side.bit_length() for side in sides) > 256:
            return f"a fraction near {_approximately(value)}"
        return as_written(value)
    if isinstance(value, str) and len(value) > 60:
        return f"{value[:40]!r}… ({len(value)} characters)"
    text = repr(value)
    return text if len(text) <= 80 else text[:77] + "…"


def _approximately(value: Fraction) -> str:
    try:
        return f"{float(value):.6g}"
    except OverflowError:
        return f"2^{value.numerator.bit_length() - value.denominator.bit_length()}"


def exact(name: str, value: Any) -> Fraction:
    """Return the exact value of a number.

    Args:
        name: the argument's name, for the error message.
        value: an int, float, Fraction, Decimal, mpmath `mpf` or numpy real scalar, or text that
            `parse` reads: "1e-5" is one hundred-thousandth, which the float 1e-5 is not.

    Raises:
        TypeError: if it is anything else; bool, bytes and complex are refused.
        ValueError: if it is NaN or infinite, or its magnitude is outside 2^±4096.
        FloatingPointError: if the processor may have taken it for 0.
    """
    if type(value) is Fraction or type(value) is Written:  # what nearly all are
        top, bottom = value.numerator.bit_length(), value.denominator.bit_length()
        if top <= LIMIT_BITS and bottom <= LIMIT_BITS:
            return value
    if type(value) is int and value.bit_length() <= LIMIT_BITS:
        return Fraction(value)
    if isinstance(value, str):
        return parse(name, value)
    if isinstance(value, bool) or not isinstance(value, (numbers.Real, Decimal)):
        raise TypeError(f"{name} must be a real number, got {type(value).__name__} {show(value)}")
    if isinstance(value, numbers.Rational):
        sides = (int(value.numerator), int(value.denominator))
        if max(side.bit_length() for side in sides) > _MAX_SIZE_BITS:
            raise ValueError(f"{name} is written with too many digits: {show(value)}")
        return _in_reach(name, Fraction(*sides))
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise ValueError(f"{name} must be finite, got {value}")
        # Neither the digits nor the power of ten may be built before both are known to be small.
        if sys.getsizeof(value) * 8 > _MAX_SIZE_BITS or abs(value.adjusted()) > LIMIT_BITS:
            raise ValueError(f"{name} has too many digits or too large an exponent: {show(value)}")
        return _in_reach(name, Fraction(value))
    if hasattr(value, "_mpf_"):  # mpmath's own form: (-1)^sign * mantissa * 2^exponent
        sign, mantissa, exponent, size = value._mpf_
        if not mantissa and exponent:
            raise ValueError(f"{name} must be finite, got {value}")
        if max(abs(exponent), size) > _MAX_SIZE_BITS:
            raise ValueError(f"{name} has too many digits or too large an exponent")
        magnitude = Fraction(int(mantissa)) * Fraction(2) ** int(exponent)
        return _in_reach(name, -magnitude if sign else magnitude)
    if not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}")
    if not value:
        ieee754.demand()  # else it may be a subnormal that the processor takes for 0
    return _in_reach(name, Fraction(*value.as_integer_ratio()))  # type: ignore[attr-defined]


def parse(name: str, text: str) -> Fraction:
    """Return the number that a text says, exactly: `0.1`, `1e-5`, `3/7`, `0x1.8p-3`.

    Raises:
        TypeError: if `text` is not a str.
        ValueError: if it is no such number, or too long, or outside 2^±4096.
    """
    if not isinstance(text, str):
        raise TypeError(f"{name} must be text, got {type(text).__name__} {show(text)}")
    text = text.strip()
    if len(text) > _MAX_TEXT:
        raise ValueError(f"{name} is written with too many characters: {show(text)}")
    if match := _RATIO.fullmatch(text):
        if int(match[2]) == 0:
            raise ValueError(f"{name} has a zero denominator: {show(text)}")
        return _in_reach(name, Written(int(match[1]), int(match[2]), text))
    for pattern, base, root, places in ((_DECIMAL, 10, 10, 1), (_HEX, 16, 2, 4)):
        match = pattern.fullmatch(text)
        if match is None or not (match[2] or match[3]):
            continue
        fraction = match[3] or ""
        exponent = int(match[4] or 0)
        if abs(exponent) > 2 * LIMIT_BITS + 4 * _MAX_TEXT:
            raise ValueError(f"{name} has too large an exponent: {show(text)}")
        mantissa = int((match[2] or "") + fraction, base)
        power = exponent - places * len(fraction)
        unit = root ** abs(power)
        value = Fraction(mantissa * unit) if power >= 0 else Fraction(mantissa, unit)
        return _in_reach(name, -value if match[1] == "-" else value)
    from dporacle.common.written_numbers import instead  # most numbers are read

    raise ValueError(f"{name} must be a finite number, got {show(text)}{instead(text)}")


def _in_reach(name: str, value: Fraction) -> Fraction:
    size = value.numerator.bit_length() - value.denominator.bit_length()
    if value and abs(size) > LIMIT_BITS:
        raise ValueError(
            f"{name} must be 0 or between 2^-{LIMIT_BITS} and 2^{LIMIT_BITS}, got about 2^{size}"
        )
    return value


def within(domain: Domain, name: str, value: Any) -> Fraction:
    """Return a number in a domain, exactly."""
    number = exact(name, value)
    if number not in domain:
        domain.require(name, number, show(value))
    return number


def epsilon(value: Any) -> Fraction:
    """Return ε ∈ [0, ∞), exactly."""
    return within(NONNEGATIVE, "epsilon", value)


def delta(
    value: Any,
    *,
    one_allowed: bool = False,
    not_zero: str = "no finite amount of Gaussian noise gives 0",
) -> Fraction:
    """Return δ ∈ (0, 1), or (0, 1] where 1 makes sense, exactly.

    Args:
        value: δ.
        one_allowed: whether it may be 1.
        not_zero: why it is not 0, for the error message: true of the mechanism that is asked about.
    """
    number = exact("delta", value)
    if number == 0:
        raise ValueError(f"delta must be positive, got 0{': ' * bool(not_zero)}{not_zero}")
    domain = UNIT if one_allowed else BELOW_ONE
    if number not in domain:
        domain.require("delta", number, show(value))
    return number


def alpha(value: Any) -> Fraction:
    """Return a significance level α ∈ (0, 1], exactly."""
    return within(UNIT, "alpha", value)


def positive(name: str, value: Any) -> Fraction:
    """Return a number in (0, ∞), exactly: a standard deviation or a sensitivity."""
    return within(POSITIVE, name, value)


def nonnegative(name: str, value: Any) -> Fraction:
    """Return a number in [0, ∞), exactly."""
    return within(NONNEGATIVE, name, value)


def count(name: str, value: Any, *, least: int = 1, most: int = 1 << 53) -> int:
    """Return a number of things, an integer from `least` to `most`."""
    if type(value) is int and least <= value <= most:  # what nearly all are
        return value
    if isinstance(value, bool) or not isinstance(value, numbers.Integral):
        raise TypeError(f"{name} must be an integer, got {type(value).__name__} {show(value)}")
    number = int(value)
    Domain(least=least, most=most, whole=True).require(name, number, show(number))
    return number


def at_most(limit: str, most: Fraction | int, name: str, value: Fraction | int) -> None:
    """Refuse a number that is above another argument.

    Args:
        limit: the other's name.
        most: the other.
        name: its own name.
        value: the number.
    """
    if value > most:
        raise ValueError(f"{name} must be at most {limit}, {most}, got {show(value)}")


def vector(name: str, values: Any, *, most: int = 1 << 20) -> tuple[Fraction, ...]:
    """Return the numbers of a nonempty sequence, exactly."""
    if isinstance(values, (str, bytes)) or not hasattr(values, "__len__"):
        raise TypeError(f"{name} must be a sequence of real numbers, got {show(values)}")
    if not 1 <= len(values) <= most:
        raise ValueError(f"{name} must have from 1 to {most} entries, got {len(values)}")
    return tuple(exact(f"{name}[{index}]", each) for index, each in enumerate(values))


def digits(value: Any) -> int:
    """Return a number of decimal digits, from 1 to `MAX_DIGITS`."""
    return count("digits", value, most=MAX_DIGITS)


def dimension(value: Any, *, least: int = 1) -> int:
    """Return a dimension, an integer from `least` to `MAX_DIMENSION`."""
    return count("dimension", value, least=least, most=MAX_DIMENSION)
