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
from dporacle.vocabulary.mechanisms import BALLS_AND_BINS, FIXED_SIZE, SUBSAMPLED, TWO_PHASES

__all__ = ["answer", "curve", "questions"]

MOST_DIGITS = 1000
_MOST_COSTLY_DIGITS = 12
_SLOW = (
    "This takes from seconds to minutes. For shuffled batches only bounds are known: dporacle "
    "dp-sgd --sampling shuffled proves them."
)
_POISSON = f"Each record enters each batch independently, with probability rate. {_SLOW}"
_ONE = "One release of a number or a vector."
_CYCLIC = (
    "The same batches come in the same order in each epoch: releases is the number of epochs, "
    "sigma the noise multiplier, and sensitivity 1, or 2 if one record replaces another; times "
    "the number of records in a group."
)
_GAUSSIAN, _SEVERAL = "Gaussian noise", "Gaussian noise, several releases"
_LAPLACE, _TRAINING = "Laplace noise", "DP-SGD"
_EITHER, _ANOTHER = "add or remove a record", "replace a record"
_GROUPS = {
    "gaussian": (_GAUSSIAN, "", "", _ONE),
    "laplace": (_LAPLACE, "", "", _ONE),
    "repeated gaussian": (_SEVERAL, "", "", "Each release has its own noise of the same size."),
    SUBSAMPLED["both"].name: (_TRAINING, "Poisson", _EITHER, _POISSON),
    SUBSAMPLED["replace"].name: (_TRAINING, "Poisson", _ANOTHER, _POISSON),
    SUBSAMPLED["add"].name: (_TRAINING, "Poisson", "add a record only", _POISSON),
    SUBSAMPLED["remove"].name: (_TRAINING, "Poisson", "remove a record only", _POISSON),
    FIXED_SIZE.name: (
        _TRAINING,
        "fixed size",
        _EITHER,
        f"Each batch is a new random set of records; rate is its share of all records. {_SLOW}",
    ),
    BALLS_AND_BINS.name: (
        _TRAINING,
        "balls and bins, one epoch",
        _EITHER,
        f"Each record goes into one of the batches of the epoch, drawn at random. {_SLOW}",
    ),
    TWO_PHASES.name: (_TRAINING, "Poisson, two phases of training", _EITHER, _POISSON),
}
"""Mechanism -> what somebody has, how its batches are drawn, its neighbours, and a note."""

_AS_CYCLIC = "cyclic:"
"""Before the name of a question about several releases: it is asked about cyclic batches."""

_GROUP = {
    "name": "group",
    "meaning": "how many records differ together, such as those of one user",
    "domain": "an integer from 1 to 64",
    "everyday": "1",
}
_MOST_TOGETHER = 64
_KINDS = {
    DELTA.name: "δ at a given ε",
    EPSILON.name: "ε at a given δ",
    ERROR_BOUND.name: "error bound at a given probability",
    PROBABILITY.name: "probability of a larger error",
    NOISE_ALLOWED.name: "most noise for an error bound",
    TRADEOFF.name: "type II error at a given type I error",
}
_POINTS = 48
_COSTLY_POINTS = 8  # each takes as long as an answer
_BEYOND = 5000  # bits: of exponents that no argument may have
_FULL_WIDTH = 400  # digits at which a value that is still next to a float is taken to the safe side


def questions() -> str:
    """Return what can be asked: what somebody has, what is asked about it, and the arguments."""
    found = []
    for row in _asked().values():
        known, scheme, relation, note = _GROUPS[row.mechanism.name]
        found.append(_question(row, row.name, known, scheme, relation, note))
        if known == _SEVERAL:
            cyclic = "cyclic, the same batches each epoch"
            found.append(_question(row, _AS_CYCLIC + row.name, _TRAINING, cyclic, "", _CYCLIC))
    return json.dumps(found)


def _question(
    row: Quantity, name: str, known: str, scheme: str, relation: str, note: str
) -> dict[str, Any]:
    together = [_GROUP] if _grouped(row) else []
    return {
        "name": name,
        "known": known,
        "scheme": scheme,
        "relation": relation,
        "note": note,
        "title": _title(row, known),
        "digits": 6 if row.costly else 30,
        "most": _most_digits(row),
        "costly": row.costly,
        "arguments": [
            {
                "name": name,
                "meaning": _meaning(row, name, argument.meaning, known),
                "domain": str(argument.domain),
                "everyday": _EXAMPLES.get(
                    (row.costly, name), f"{argument.everyday:.12g}".replace("e-0", "e-")
                ),
            }
            for name, argument in row.rows.items()
        ]
        + together,
    }


def _grouped(row: Quantity) -> bool:
    """Whether a group of records may be asked about: an ε or a δ of DP-SGD."""
    return row.costly and row.kind in (EPSILON, DELTA)


_EXAMPLES = {(True, "sigma"): "1.1", (True, "rate"): "256/60000", (True, "steps"): "14063"}


def _title(row: Quantity, known: str) -> str:
    """Return a few words that fit the width of a phone."""
    if row.kind is NOISE_NEEDED:
        noise = (
            "noise multiplier"
            if known == _TRAINING
            else {"sigma": "σ", "scale": "b"}[row.mechanism.parameter]
        )
        return f"least {noise} for ε and δ"
    if row.kind is DIVERGENCE:
        return row.exact.partition(",")[0].removeprefix("the ")
    return _KINDS[row.kind.name]


def _meaning(row: Quantity, name: str, meaning: str, known: str) -> str:
    """Name the norm of a sensitivity, and what σ is in DP-SGD."""
    if name == "sensitivity":
        return f"the {row.mechanism.norm}-sensitivity {meaning}"
    if known == _TRAINING and name == "releases":
        return "the number of epochs"
    return "σ over the clipping norm" if known == _TRAINING and name.endswith("sigma") else meaning


def answer(request: str) -> str:
    """Answer a question: its digits, and the float64 on its safe side."""
    asked = json.loads(request)
    row = _asked()[asked["question"].removeprefix(_AS_CYCLIC)]
    try:
        digits = _digits(asked["digits"], _most_digits(row))
        given = _read(row, asked["arguments"])
        together = _together(asked["arguments"].get("group", "1")) if _grouped(row) else 1
        if together > 1:
            value = _of_a_group(row, given, together, digits)
        else:
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
            "bound": together > 1,
            "curve": _profile_at(row, given, value) if together == 1 else None,
        }
    )


def _together(text: str) -> int:
    number = arguments.parse("group", text.strip())
    if number.denominator != 1 or not 1 <= number <= _MOST_TOGETHER:
        raise ValueError(f"group must be an integer from 1 to {_MOST_TOGETHER}, got {text!r}")
    return int(number)


def _of_a_group(row: Quantity, given: dict[str, Any], together: int, digits: int) -> Any:
    """Return an upper bound for k records that differ, from the profile for one (X.GROUP).

    If one record has (ε₁, δ₁), then k records have (kε₁, δ₁(e^(kε₁) − 1)/(e^ε₁ − 1)). So δ is asked
    at ε/k; and ε₁ is the ε of a δ₁ that is small enough, which is searched from above.
    """
    above = 1 + Fraction(10) ** (1 - digits)  # a value of so many digits times this is above

    def bound(epsilon: Fraction, delta: Fraction) -> Fraction:
        told = reference.group_delta_bound(epsilon=epsilon, delta=delta, size=together, digits=20)
        return _fraction(told) * (1 + Fraction(1, 10**18))

    def one(**changed: Fraction) -> Fraction:
        return _fraction(row.of(reference)(**given | changed, digits=digits)) * above

    if row.kind is DELTA:
        epsilon = Fraction(given["epsilon"]) / together
        return _number(min(Fraction(1), bound(epsilon, one(epsilon=epsilon))))
    most = Fraction(given["delta"])
    tried = most / together
    while True:
        epsilon = one(delta=tried)
        told = bound(epsilon, tried)
        if told <= most:
            return _number(together * epsilon)
        # Somewhat less than would do for this ε₁, since that of the smaller δ₁ is larger.
        tried = tried * most / told * _LESS


def _number(value: Fraction) -> Any:
    with mpmath.workdps(40):
        return mpmath.mpf(value.numerator) / value.denominator


_LESS = Fraction(4, 5)


def curve(request: str) -> str:
    """Return points (ε, log10 δ) of the privacy profile, from ε = 0 on."""
    asked = json.loads(request)
    row = _asked()[asked["question"]]
    given = _read(row, asked["arguments"])
    end = Fraction(asked["end"])
    points = []
    number = _COSTLY_POINTS if row.costly else _POINTS
    for step in range(number + 1):
        epsilon = end * step / number
        delta = row.of(reference)(**given, epsilon=epsilon, digits=3 if row.costly else 15)
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
        if row.costly:  # which says it already
            delta = value if row.kind is DELTA else mpmath.mpf(str(float(known["delta"])))
        else:
            delta = profile.of(reference)(**{n: known[n] for n in profile.arguments}, digits=15)
    except ValueError:  # an answer beyond what an argument may be
        return None
    return {
        "question": profile.name,
        "arguments": {n: str(known[n]) for n in profile.arguments if n != "epsilon"},
        "costly": row.costly,
        "end": str(2 * epsilon if epsilon > 0 else Fraction(1)),
        "at": _point(epsilon, delta),
        "shown": {n: _short(known[n]) for n in profile.arguments if n != "epsilon"},
    }
