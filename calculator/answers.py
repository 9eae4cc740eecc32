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
from dporacle.vocabulary.kinds import (
    DELTA,
    DIVERGENCE,
    EPSILON,
    ERROR_BOUND,
    NOISE_ALLOWED,
    NOISE_NEEDED,
    PROBABILITY,
    TRADEOFF,
)
from dporacle.vocabulary.mechanisms import FIXED_SIZE, SUBSAMPLED, TWO_PHASES

__all__ = ["answer", "curve", "questions"]

MOST_DIGITS = 1000
_MOST_COSTLY_DIGITS = 12
_SLOW = (
    "This takes from seconds to minutes. For shuffled batches only bounds are known: dporacle "
    "dp-sgd --sampling shuffled proves them."
)
_POISSON = f"Each record enters each batch independently, with probability rate. {_SLOW}"
_GROUPS = {
    "gaussian": ("Gaussian noise", "One release of a number or a vector."),
    "laplace": ("Laplace noise", "One release of a number or a vector."),
    "repeated gaussian": (
        "Several Gaussian releases, or DP-SGD with cyclic batches",
        "Cyclic batches come in the same order in each epoch. For them releases is the number of "
        "epochs, sigma the noise multiplier, and sensitivity 1, or 2 if one record replaces "
        "another.",
    ),
    SUBSAMPLED["both"].name: ("DP-SGD, Poisson sampling: add or remove a record", _POISSON),
    SUBSAMPLED["replace"].name: ("DP-SGD, Poisson sampling: replace a record", _POISSON),
    SUBSAMPLED["add"].name: ("DP-SGD, Poisson sampling: add a record only", _POISSON),
    SUBSAMPLED["remove"].name: ("DP-SGD, Poisson sampling: remove a record only", _POISSON),
    TWO_PHASES.name: ("DP-SGD, Poisson sampling: two phases of training", _POISSON),
    FIXED_SIZE.name: (
        "DP-SGD, batches of a fixed size: add or remove a record",
        f"Each batch is a new random set of records; rate is its share of all records. {_SLOW}",
    ),
}
_KINDS = {
    DELTA.name: "δ at a given ε",
    EPSILON.name: "ε at a given δ",
    ERROR_BOUND.name: "error bound at a given probability",
    PROBABILITY.name: "probability of a larger error",
    NOISE_ALLOWED.name: "most noise for an error bound",
    TRADEOFF.name: "type II error at a given type I error",
}
_POINTS = 48
_BEYOND = 5000  # bits: of exponents that no argument may have
_FULL_WIDTH = 400  # digits at which a value that is still next to a float is taken to the safe side


def questions() -> str:
    """Return what can be asked, and with which arguments."""
    return json.dumps(
        [
            {
                "name": row.name,
                "group": _GROUPS[row.mechanism.name][0],
                "note": ". ".join(_GROUPS[row.mechanism.name]),
                "title": _title(row),
                "digits": 6 if row.costly else 30,
                "most": _most_digits(row),
                "arguments": [
                    {
                        "name": name,
                        "meaning": _meaning(row, name, argument.meaning),
                        "domain": str(argument.domain),
                        "everyday": _EXAMPLES.get(
                            (row.costly, name), f"{argument.everyday:.12g}".replace("e-0", "e-")
                        ),
                    }
                    for name, argument in row.rows.items()
                ],
            }
            for row in _asked().values()
        ]
    )


_EXAMPLES = {(True, "sigma"): "1.1", (True, "rate"): "256/60000", (True, "steps"): "14063"}


def _title(row: Quantity) -> str:
    """Return a few words that fit the width of a phone."""
    if row.kind is NOISE_NEEDED:
        noise = (
            "noise multiplier"
            if row.costly
            else {"sigma": "σ", "scale": "b"}[row.mechanism.parameter]
        )
        return f"least {noise} for ε and δ"
    if row.kind is DIVERGENCE:
        return row.exact.partition(",")[0].removeprefix("the ")
    return _KINDS[row.kind.name]


def _meaning(row: Quantity, name: str, meaning: str) -> str:
    """Name the norm of a sensitivity, and what σ is in DP-SGD."""
    if name == "sensitivity":
        return f"the {row.mechanism.norm}-sensitivity {meaning}"
    return "σ over the clipping norm" if row.costly and name.endswith("sigma") else meaning


def answer(request: str) -> str:
    """Answer a question: its digits, and the float64 on its safe side."""
    asked = json.loads(request)
    row = _asked()[asked["question"]]
    try:
        digits = _digits(asked["digits"], _most_digits(row))
        given = _read(row, asked["arguments"])
        value = row.of(reference)(**given, digits=digits)
        safe = _beside(row, value, digits) if row.costly else _safe_float(row, given)
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
    given = _read(row, asked["arguments"])
    end = Fraction(asked["end"])
    points = []
    for step in range(_POINTS + 1):
        epsilon = end * step / _POINTS
        delta = row.of(reference)(**given, epsilon=epsilon, digits=15)
        if point := _point(epsilon, delta):
            points.append(point)
    return json.dumps(points)


def _asked() -> dict[str, Quantity]:
    rows = [row for row in SERVED.values() if row.mechanism.name in _GROUPS]
    rows.sort(key=lambda row: [*_GROUPS].index(row.mechanism.name))
    known = (DIVERGENCE.name, NOISE_NEEDED.name, *_KINDS)
    return {
        row.name: row
        for row in rows
        if row.kind.name in known and not (row.costly and row.kind is TRADEOFF)
    }


def _most_digits(row: Quantity) -> int:
    return _MOST_COSTLY_DIGITS if row.costly else MOST_DIGITS


def _digits(text: str, most: int) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= most:
        raise ValueError(f"digits must be a whole number from 1 to {most}, got {text!r}")
    return int(text)


def _read(row: Quantity, texts: dict[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {}
    for name in texts.keys() & {*row.arguments}:
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


def _beside(row: Quantity, value: Any, digits: int) -> float | None:
    """Return the float64 on the safe side of all numbers that have these digits."""
    exact = _fraction(value)
    width = abs(exact) * Fraction(10) ** (1 - digits)
    safe = _rounded(exact + (width if row.safe == "up" else -width), row.safe)
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
    if row.costly:
        return None  # each point of it takes seconds
    profiles = (each for each in _asked().values() if each.kind is DELTA)
    profile = next(each for each in profiles if each.mechanism is row.mechanism)
    found = {NOISE_NEEDED.name: row.mechanism.parameter, EPSILON.name: "epsilon"}
    known: dict[str, Any] = dict(given)
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
