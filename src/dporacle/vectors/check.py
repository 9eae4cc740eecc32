"""Hold one answer against one certified vector, exactly, with the standard library alone.

The decision compares fractions; floats appear only in the sizes that are shown.
"""

import enum
import math
import numbers
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, Literal

from dporacle import arguments
from dporacle.vectors.rounded import FLOAT32, FLOAT64
from dporacle.vectors.vector_file import Refusal, Vector, VectorFile

DECLARED: Final = "declared"
"""As an excess: what the vector's own class of tolerance allows."""

LOOSE_ULP = 4
"""An answer within this many units in the last place is never called loose."""


class CheckResult(enum.StrEnum):
    """What an answer is, the worst first; what is no answer is named by whoever waited for one."""

    VIOLATING = "violating"
    HANG = "hang"
    CRASH = "crash"
    NON_FINITE = "non-finite"
    NO_NUMBER = "no number"
    ACCEPTS_INVALID = "accepts invalid"
    LOOSE = "loose"
    REFUSES_VALID = "refuses valid"
    SAFE = "safe"
    REFUSES_INVALID = "refuses invalid"


UNSAFE = frozenset(CheckResult) - {
    CheckResult.REFUSES_VALID,
    CheckResult.SAFE,
    CheckResult.REFUSES_INVALID,
}
"""The results that convict. To refuse a valid input harms nobody's privacy."""


class Grade(enum.StrEnum):
    """How good a number is as an answer, the best first, as `vectors/README.md` defines it."""

    EXACT = "exact"
    TIGHT = "tight"
    ACCEPTABLE = "acceptable"
    CONSERVATIVE = "conservative"
    VIOLATING = "violating"
    NO_ANSWER = "no answer"


def grade(
    file: VectorFile,
    vector: Vector,
    answer: Any,
    *,
    format: Literal["float64", "float32"] = "float64",  # noqa: A002 - as in the files
) -> Grade:
    """Return how good an answer to a vector is, for a library that computes in a format.

    Infinity above an exact value that the format does not reach is exact where that is the safe
    side; any other answer that is not finite, or no number, is none.
    """
    up = file.rounding == "up"
    rounded = vector.rounded[format]
    try:
        number = read_answer(answer)
    except (TypeError, ValueError):
        return Grade.NO_ANSWER
    if isinstance(number, float):
        beyond = up and rounded.up is None and number == math.inf
        return Grade.EXACT if beyond else Grade.NO_ANSWER
    low, high = vector.bounds()
    gap = number - low if up else high - number
    if gap < 0 or _is_other_neighbour(vector, number, up=up):
        return Grade.VIOLATING
    safe = rounded.up if up else rounded.down
    if safe is not None and number == Fraction(safe):
        return Grade.EXACT
    truth = (low + high) / 2
    step = (FLOAT64 if format == "float64" else FLOAT32).spacing(truth) if truth else Fraction(0)
    if gap <= LOOSE_ULP * step:
        return Grade.TIGHT
    return Grade.ACCEPTABLE if gap <= _allowed(file, vector) * truth else Grade.CONSERVATIVE


def _is_other_neighbour(vector: Vector, number: Fraction, *, up: bool) -> bool:
    """Whether the number is the float64 next to the exact answer on the unsafe side.

    It may be an end of the enclosure, which is wider than the gap between them.
    """
    part = vector.rounded["float64"]
    other = part.down if up else part.up
    return part.nearest != "exact" and other is not None and number == Fraction(other)


def _allowed(file: VectorFile, vector: Vector) -> Fraction:
    return arguments.parse("relative", file.tolerances[vector.tolerance].relative)


@dataclass(frozen=True, slots=True)
class VectorCheck:
    """The result for one answer, and the error relative to the exact value, for display."""

    result: CheckResult
    text: str
    excess: float | None = None


def check(
    file: VectorFile,
    vector: Vector,
    answer: Any,
    *,
    unsafe_ulp: float = 0,
    excess: float | Literal["declared"] | None = None,
) -> VectorCheck:
    """Return what an answer to a vector is.

    Args:
        file: the file of the vector, for its safe side.
        vector: what was asked.
        answer: a number (int, float, Fraction, Decimal, mpf, numpy scalar) or its text.
        unsafe_ulp: how far on the unsafe side an answer may lie, in units in the last place of
            a float64, for a library that promises no side.
        excess: the largest relative error on the safe side, or "declared" for the one of the
            vector's class of tolerance; without it, any is let pass.
    """
    if excess == DECLARED:
        excess = float(_allowed(file, vector))
    try:
        number = read_answer(answer)
    except (TypeError, ValueError) as error:
        return VectorCheck(CheckResult.NO_NUMBER, str(error))
    low, high = vector.bounds()
    up = file.rounding == "up"
    if isinstance(number, float):
        if number == math.inf and up and vector.float64 is None:
            return VectorCheck(
                CheckResult.SAFE, "inf is above an exact value that no float64 reaches"
            )
        return VectorCheck(CheckResult.NON_FINITE, f"{number} where the exact value is a number")
    allowed = Fraction(unsafe_ulp) * _ulp(high if up else low)
    gap = number - low if up else high - number  # negative on the unsafe side
    truth = (low + high) / 2
    relative = _float((number - truth) / truth) if truth else None
    if gap < -allowed or (not allowed and _is_other_neighbour(vector, number, up=up)):
        side = "below" if up else "above"
        return VectorCheck(
            CheckResult.VIOLATING, f"{side} the exact value, {_size(gap, truth)}", relative
        )
    if excess is not None and gap > max(Fraction(excess) * truth, LOOSE_ULP * _ulp(truth)):
        return VectorCheck(CheckResult.LOOSE, f"on the safe side, {_size(gap, truth)}", relative)
    return VectorCheck(CheckResult.SAFE, "on the safe side", relative)


def check_refusal(refusal: Refusal, answer: Any) -> VectorCheck:
    """Return the checked on an input that was answered although it is to be refused.

    Infinite noise, or an infinite ε, does give δ = 0: that answer is let pass.
    """
    if "zero-delta" in refusal.flags and str(answer).lstrip("+") == "inf":
        return VectorCheck(CheckResult.REFUSES_INVALID, "inf is an answer that refuses")
    text = f"answered {spell(answer)} although {refusal.argument} is not in the domain"
    return VectorCheck(CheckResult.ACCEPTS_INVALID, text)


def read_answer(answer: Any) -> Fraction | float:
    """Return a finite answer exactly, any other as the float inf, -inf or nan.

    Raises:
        TypeError, ValueError: if it is no number.
    """
    if isinstance(answer, str):
        try:
            return float(answer) if not math.isfinite(float(answer)) else _text(answer)
        except ValueError:
            return _text(answer)
    if not isinstance(answer, (numbers.Number, Decimal)) and hasattr(answer, "item"):
        answer = answer.item()  # an array of one number
    inexact = isinstance(answer, (float, numbers.Real, Decimal))
    if inexact and not isinstance(answer, numbers.Rational) and not math.isfinite(answer):
        return float(answer)
    return arguments.exact("answer", answer)


def _text(answer: str) -> Fraction:
    return arguments.parse("answer", answer)


def spell(answer: Any) -> str:
    """Return an answer as it is shown: a float with its hexadecimal form."""
    if isinstance(answer, float) and math.isfinite(answer):
        number = float(answer)  # numpy's float64 writes its type with it
        return f"{number!r} ({number.hex()})"
    return arguments.show(answer)


def _ulp(value: Fraction) -> Fraction:
    """Return the spacing of float64 just above |value|."""
    if not value:
        return Fraction(1, 1 << 1074)
    size = abs(value)
    exponent = size.numerator.bit_length() - size.denominator.bit_length()
    exponent -= Fraction(2) ** exponent > size
    return Fraction(2) ** max(-1074, exponent - 52)


def _size(gap: Fraction, truth: Fraction) -> str:
    ulp = _float(abs(gap) / _ulp(truth))
    if ulp < 1e4:
        return f"by {ulp:.3g} ulp"
    return f"by {_float(abs(gap / truth)):.3g} of it" if truth else f"by {_float(abs(gap)):.3g}"


def _float(value: Fraction) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf
