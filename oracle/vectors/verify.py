"""Verify the vectors with another witness than the one that made them.

The enclosures made them, in the Mills form; the reference checks them in mpmath with the Φ form,
and calibrations with Algorithm 1.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

from dporacle import arguments, reference
from dporacle.vectors.model import Vector, VectorFile

__all__ = ["disagreement"]

_DIGITS = 50


def disagreement(file: VectorFile, vector: Vector) -> str | None:
    """Return what the reference says against a vector, or None.

    The reference's answer, wrong by at most 10^-50 of itself, must lie inside the enclosure
    widened by that much, and the enclosure must be tight to 40 digits; the float64 must be on
    the safe side of it, and the next float64 on the other side must not be.
    """
    answer = _witness(file.function, vector.inputs)(digits=_DIGITS, **vector.inputs)
    exact = arguments.exact("answer", answer)
    low, high = vector.bounds()
    slack = abs(exact) / 10**_DIGITS
    if not low - slack <= exact <= high + slack:
        return f"the reference says {float(exact)!r}, outside [{vector.low}, {vector.high}]"
    if high - low > abs(exact) / 10**40:
        return f"the enclosure [{vector.low}, {vector.high}] is wider than 40 digits"
    return _wrong_float(file, vector, exact, slack)


def _witness(function: str, inputs: dict[str, float]) -> Callable[..., Any]:
    if function == "calibrate_sigma" and inputs["epsilon"] > 0:
        return reference.algorithm_1
    witness: Callable[..., Any] = getattr(reference, function)
    return witness


def _wrong_float(file: VectorFile, vector: Vector, exact: Fraction, slack: Fraction) -> str | None:

    largest = Fraction(math.nextafter(math.inf, 0))
    if vector.float64 is None:
        return None if exact > largest else "float64 is null although there is one"
    up = file.rounding == "up"
    inner = math.nextafter(vector.float64, -math.inf if up else math.inf)
    safe = Fraction(vector.float64)
    if (safe < exact - slack) if up else (safe > exact + slack):
        return f"float64 {vector.float64!r} is on the unsafe side"
    if math.isinf(inner) or safe == exact:
        return None
    closer = Fraction(inner)
    if (closer >= exact + slack) if up else (closer <= exact - slack):
        return f"float64 {vector.float64!r} is not the closest on the safe side"
    return None
