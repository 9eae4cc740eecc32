"""Make the vectors from the cases, by the enclosures."""

import math
from collections.abc import Callable
from decimal import ROUND_CEILING, ROUND_FLOOR, Decimal, localcontext
from fractions import Fraction
from typing import Literal

import msgspec
from flint import arb

from dporacle import enclosures
from dporacle.enclosures.arithmetic import rounding
from dporacle.vectors.cases import GridPoint, cases_of
from dporacle.vectors.editions import EDITION, first_edition
from dporacle.vectors.notes import EVERYDAY, NOTES, TOLERANCES
from dporacle.vectors.rounded import FLOAT32, FLOAT64, Ends, Format, directed
from dporacle.vectors.vector_file import FORMAT, Refusal, Rounded, Tolerance, Vector, VectorFile
from dporacle.vocabulary import QUANTITIES, Quantity

DIGITS = 45
"""Significant digits of the enclosures, where a quantity's row says no other number."""

_SMALLEST = math.ulp(0.0)
_EXTRA = 8


def build(function: str, kept: VectorFile | None = None) -> VectorFile:
    """Return the vectors of a function, made anew.

    Args:
        function: the quantity's name.
        kept: vectors whose proofs are taken over, where the cases are the same.

    Raises:
        NoCasesError: if there are no cases for it.
    """
    proved = {each.id: each for each in kept.vectors} if kept else {}
    row, cases = QUANTITIES[function], cases_of(function)
    vectors = tuple(_vector(row, case, proved.get(case.id)) for case in cases if case.wrong is None)
    refusals = tuple(_refusal(row, case) for case in cases if case.wrong is not None)
    flags = {flag for each in vectors for flag in each.flags}
    flags |= {flag for each in refusals for flag in each.flags}
    classes = {each.tolerance for each in vectors}
    return VectorFile(
        format=FORMAT,
        edition=EDITION,
        function=row.name,
        statements=row.statements,
        rounding=row.safe,
        harm=row.harm,
        notes={flag: note for flag, note in NOTES.items() if flag in flags},
        tolerances={
            name: Tolerance(relative=relative, meaning=meaning)
            for name, (relative, meaning) in TOLERANCES.items()
            if name in classes
        },
        vectors=vectors,
        refusals=refusals,
    )


def render(file: VectorFile) -> bytes:
    """Return the bytes of a file of vectors: one line per value, the same on every machine."""
    return msgspec.json.format(msgspec.json.encode(file), indent=1) + b"\n"


def _vector(row: Quantity, case: GridPoint, proved: Vector | None) -> Vector:
    if proved is not None and proved.inputs == case.inputs:
        low, high = proved.low, proved.high
        double, single = proved.rounded["float64"], proved.rounded["float32"]
    else:
        low, high, ends = _enclosed(row, case)
        double, single = (_rounded(ends, each) for each in (FLOAT64, FLOAT32))
    safe, safe_hex = _safe_side(row, double)
    told = {
        "overflow": safe is None,
        "zero-answer": low == high == "0",
        # An answer that the group rounds to 0 or to the smallest float64 on the safe side.
        "underflow": low != "0" and double.up == _SMALLEST and Fraction(high) < Fraction(_SMALLEST),
    }
    flags = tuple(dict.fromkeys((*case.flags, *(flag for flag, true in told.items() if true))))
    return Vector(
        id=case.id,
        edition=first_edition(row.name, case.id),
        inputs=case.inputs,
        inputs_hex={name: float(value).hex() for name, value in case.inputs.items()},
        low=low,
        high=high,
        float64=safe,
        float64_hex=safe_hex,
        rounded={"float64": double, "float32": single},
        tolerance=_tolerance(row, safe, flags),
        flags=flags,
    )


def _enclosed(row: Quantity, case: GridPoint) -> tuple[str, str, Ends]:
    """Return decimal ends of the exact answer, and rational ones of any tightness."""
    if row.whole:
        whole: Callable[..., int] = row.of(enclosures)
        answer = whole(**case.inputs)
        return str(answer), str(answer), lambda digits: (Fraction(answer), Fraction(answer))
    function: Callable[..., arb] = row.of(enclosures)

    certified = row.certified
    # Where fewer are certified, the ends are those digits whatever way led to them.
    extra = _EXTRA if certified < DIGITS else 0
    first = function(**case.inputs, digits=certified + extra)

    def ends(digits: int) -> tuple[Fraction, Fraction]:
        most = digits if certified == DIGITS else row.judged[-1]
        ball = first if digits <= DIGITS else function(**case.inputs, digits=most)
        low, high = rounding.bounds(ball)
        return low, high if row.kind.ceiling is None else min(high, Fraction(row.kind.ceiling))

    if row.ends:
        low, high = ends(certified)
        written = (_written(low, certified, ROUND_FLOOR), _written(high, certified, ROUND_CEILING))
        least, most = map(Fraction, written)
        return *written, lambda _: (least, most)
    if extra:
        low, high = ends(certified)
        return _written(low, certified, ROUND_FLOOR), _written(high, certified, ROUND_CEILING), ends
    return *rounding.decimal_bounds(first, certified, ceiling=row.kind.ceiling), ends


def _written(value: Fraction, digits: int, direction: str) -> str:
    with localcontext(prec=digits, rounding=direction):
        return f"{Decimal(value.numerator) / value.denominator}"


def _rounded(ends: Ends, format: Format) -> Rounded:  # noqa: A002 - what it is
    down, up, nearest = directed(ends, format)
    return Rounded(
        down=down,
        down_hex=None if down is None else down.hex(),
        up=up,
        up_hex=None if up is None else up.hex(),
        nearest=nearest,
    )


def _safe_side(row: Quantity, double: Rounded) -> tuple[float | None, str | None]:
    """Return the float64 on the safe side; none where the answer is above all of them."""
    if double.up is None:
        return None, None
    if row.safe == "up":
        return double.up, double.up_hex
    return double.down, double.down_hex


def _tolerance(row: Quantity, safe: float | None, flags: tuple[str, ...]) -> str:
    if safe is None:
        return "range"
    if row.arithmetic != "special":
        return row.arithmetic
    return "hard" if EVERYDAY.isdisjoint(flags) else "core"


def _refusal(row: Quantity, case: GridPoint) -> Refusal:
    assert case.wrong is not None
    return Refusal(
        id=case.id,
        edition=first_edition(row.name, case.id),
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
