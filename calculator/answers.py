"""What the calculator's page asks, answered by the reference; this runs in the browser.

Which questions there are, what they take and on which side an answer is safe is read from the
vocabulary. Requests and answers are JSON.
"""

import json
import math
from fractions import Fraction
from typing import Any

import mpmath

from dporacle import arguments, reference
from dporacle.vocabulary import SERVED, Quantity
from dporacle.vocabulary.kinds import DELTA, EPSILON, NOISE_NEEDED
from dporacle.vocabulary.mechanisms import GAUSSIAN, LAPLACE

__all__ = ["answer", "curve", "questions"]

MOST_DIGITS = 1000
_POINTS = 48
_BEYOND = 5000  # bits: of exponents that no argument may have
_FULL_WIDTH = 400  # digits at which a value that is still next to a float is taken to the safe side


def questions() -> str:
    """Return what can be asked, and with which arguments."""
    return json.dumps(
        [
            {
                "name": row.name,
                "mechanism": row.mechanism.name.capitalize(),
                "meaning": row.kind.meaning,
                "arguments": [
                    {
                        "name": name,
                        "meaning": argument.meaning,
                        "domain": str(argument.domain),
                        "everyday": f"{argument.everyday:.12g}",
                    }
                    for name, argument in row.rows.items()
                ],
            }
            for row in _asked().values()
        ]
    )


def answer(request: str) -> str:
    """Answer a question: its digits, and the float64 on its safe side."""
    asked = json.loads(request)
    row = _asked()[asked["question"]]
    try:
        digits = _digits(asked["digits"])
        given = _read(row, asked["arguments"])
        value = row.of(reference)(**given, digits=digits)
        safe = _safe_float(row, given)
    except (ValueError, TypeError, ArithmeticError) as error:
        return json.dumps({"error": str(error)})
    return json.dumps(
        {
            "value": mpmath.nstr(value, digits, strip_zeros=False, min_fixed=-6, max_fixed=21),
            "float64": None if safe is None else repr(safe),
            "hex": None if safe is None else safe.hex(),
            "rounded": row.safe,
            "curve": _profile_at(row, given, value),
        }
    )


def curve(request: str) -> str:
    """Return points (ε, log10 δ) of the privacy profile, from ε = 0 on."""
    asked = json.loads(request)
    row = _asked()[asked["question"]]
    given = {name: Fraction(text) for name, text in asked["arguments"].items()}
    end = Fraction(asked["end"])
    points = []
    for step in range(_POINTS + 1):
        epsilon = end * step / _POINTS
        delta = row.of(reference)(**given, epsilon=epsilon, digits=15)
        if point := _point(epsilon, delta):
            points.append(point)
    return json.dumps(points)


def _asked() -> dict[str, Quantity]:
    return {row.name: row for row in SERVED.values() if row.mechanism in (GAUSSIAN, LAPLACE)}


def _digits(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= MOST_DIGITS:
        raise ValueError(f"digits is a whole number from 1 to {MOST_DIGITS}, not {text!r}")
    return int(text)


def _read(row: Quantity, texts: dict[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name in row.arguments:
        given[name] = arguments.parse(name, texts[name].strip())
        if name in row.counts and given[name].denominator == 1:
            given[name] = int(given[name])
    return given


def _fraction(value: Any) -> Fraction:
    """Return the exact value; what is far beyond the floats is moved to 2^±5000."""
    sign, mantissa, exponent, size = value._mpf_
    if mantissa and abs(exponent + size) > _BEYOND:
        mantissa, exponent = 1, _BEYOND if exponent + size > 0 else -_BEYOND
    return (-1) ** sign * Fraction(int(mantissa)) * Fraction(2) ** exponent


def _point(epsilon: Fraction, delta: Any) -> list[float] | None:
    """Return (ε, log10 δ) if it can be drawn."""
    try:
        point = [float(epsilon), float(mpmath.log10(delta)) if delta else -math.inf]
    except OverflowError:
        return None
    return point if all(map(math.isfinite, point)) else None


def _short(value: Any) -> str:
    return str(mpmath.nstr(mpmath.mpf(value.numerator) / value.denominator, 6)).removesuffix(".0")


def _safe_float(row: Quantity, given: dict[str, Any]) -> float | None:
    """Return the nearest float64 that is not on the unsafe side, None if it is infinite."""
    digits = 40
    while True:
        value = _fraction(row.of(reference)(**given, digits=digits))
        width = abs(value) * Fraction(10) ** (1 - digits)
        ends = {_rounded(end, row.safe) for end in (value - width, value + width)}
        if len(ends) == 1 or digits > _FULL_WIDTH:
            break
        digits *= 2
    safe = max(ends) if row.safe == "up" else min(ends)
    if row.kind.ceiling is not None:
        safe = min(safe, float(row.kind.ceiling))
    return safe if math.isfinite(safe) else None


def _rounded(value: Fraction, side: str) -> float:
    try:
        near = float(value)
    except OverflowError:
        return math.inf if side == "up" else math.nextafter(math.inf, 0.0)
    if side == "up":
        return near if near >= value else math.nextafter(near, math.inf)
    return near if near <= value else math.nextafter(near, -math.inf)


def _profile_at(row: Quantity, given: dict[str, Any], value: Any) -> dict[str, Any] | None:
    """Return which profile to draw beside an answer: that of the noise that it speaks of."""
    profiles = (each for each in _asked().values() if each.kind is DELTA)
    profile = next(each for each in profiles if each.mechanism is row.mechanism)
    found = {NOISE_NEEDED.name: row.mechanism.parameter, EPSILON.name: "epsilon"}
    known = dict(given)
    if row.kind.name in found:
        known[found[row.kind.name]] = _fraction(value)
    if not {*profile.arguments} <= known.keys():
        return None  # an accuracy says nothing about a sensitivity
    epsilon = known["epsilon"]
    try:
        delta = profile.of(reference)(**{n: known[n] for n in profile.arguments}, digits=15)
    except ValueError:  # an answer beyond what an argument may be
        return None
    return {
        "question": profile.name,
        "arguments": {n: str(known[n]) for n in profile.arguments if n != "epsilon"},
        "end": str(2 * epsilon if epsilon > 0 else Fraction(1)),
        "at": _point(epsilon, delta),
        "shown": {n: _short(known[n]) for n in profile.arguments if n != "epsilon"},
    }
