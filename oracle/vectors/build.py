"""Make the vectors from the cases, by the enclosures."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Literal

import msgspec
from flint import arb

from dporacle import enclosures
from dporacle.enclosures import rounding
from dporacle.vectors.cases import NOTES, Case, Group, groups
from dporacle.vectors.model import FORMAT, Refusal, Vector, VectorFile

__all__ = ["DIGITS", "build", "render"]

DIGITS = 45
"""Significant digits of the enclosures."""

_SMALLEST = math.ulp(0.0)


def build(function: str) -> VectorFile:
    """Return the vectors of a function, made anew.

    Raises:
        KeyError: if there are no cases for it.
    """
    group = {each.function: each for each in groups()}[function]
    vectors = tuple(_vector(group, case) for case in group.cases if case.wrong is None)
    refusals = tuple(_refusal(case) for case in group.cases if case.wrong is not None)
    used = {flag for each in vectors for flag in each.flags}
    used |= {flag for each in refusals for flag in each.flags}
    return VectorFile(
        format=FORMAT,
        function=group.function,
        statements=group.statements,
        rounding="up" if group.rounding == "up" else "down",
        notes={flag: note for flag, note in NOTES.items() if flag in used},
        vectors=vectors,
        refusals=refusals,
    )


def render(file: VectorFile) -> bytes:
    """Return the bytes of a file of vectors: one line per value, the same on every machine."""
    return msgspec.json.format(msgspec.json.encode(file), indent=1) + b"\n"


def _vector(group: Group, case: Case) -> Vector:
    function: Callable[..., arb] = getattr(enclosures, group.function)

    def enclose(digits: int) -> arb:
        return function(**case.inputs, digits=digits)

    low, high = rounding.decimal_bounds(enclose(DIGITS), DIGITS)
    if group.ceiling is not None and Fraction(high) > group.ceiling:
        high = str(group.ceiling)
    flags = case.flags
    try:
        safe = _safe_float(group, enclose)
    except OverflowError:
        safe, flags = None, (*flags, "overflow")
    if low == high == "0" and "zero-answer" not in flags:
        flags = (*flags, "zero-answer")
    if safe == _SMALLEST and Fraction(high) < Fraction(_SMALLEST):
        flags = (*flags, "underflow")
    return Vector(
        id=case.id,
        inputs=case.inputs,
        inputs_hex={name: value.hex() for name, value in case.inputs.items()},
        low=low,
        high=high,
        float64=safe,
        float64_hex=None if safe is None else safe.hex(),
        flags=flags,
    )


def _safe_float(group: Group, enclose: Callable[[int], arb]) -> float | None:
    if group.rounding == "up":
        return rounding.round_up(enclose, ceiling=group.ceiling)
    return rounding.round_down(enclose)


def _refusal(case: Case) -> Refusal:
    assert case.wrong is not None
    return Refusal(
        id=case.id,
        inputs={name: _number(value) for name, value in case.inputs.items()},
        argument=case.wrong,
        flags=case.flags,
    )


def _number(value: float) -> float | Literal["nan", "inf", "-inf"]:
    if math.isnan(value):
        return "nan"
    if math.isinf(value):
        return "inf" if value > 0 else "-inf"
    return value
