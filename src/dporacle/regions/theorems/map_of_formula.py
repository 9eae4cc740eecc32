"""The theorem of a map: each box lies in the bands that its label says.

`maps` says what the bands are.
"""

import itertools
import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.regions._text import rational, read_rational
from dporacle.regions.boxes import geometric_middle
from dporacle.regions.calibrations import CALIBRATIONS, Calibration
from dporacle.regions.rectangle import extreme, is_private
from dporacle.regions.theorem import Axis, Box, BoxOutcome, Lemma, Part, Theorem, proved, unknown
from dporacle.regions.theorems.formula import RISE, read_rectangle

_BITS = 96
_MOST_LEVELS = 8
_FINEST = 12


def log_width(low: Fraction, high: Fraction) -> float:
    """Return ln(high/low), for ends of any magnitude."""
    ratio = high / low
    size = ratio.numerator.bit_length() - ratio.denominator.bit_length()
    return math.log(ratio / Fraction(2) ** size) + size * math.log(2)


def from_spec(spec: dict[str, Any]) -> Theorem:
    """Make the theorem of a map's spec.

    Raises:
        ValueError: naming what is wrong with it.
    """
    if set(spec) != {"map", "epsilon", "delta", "loose", "fineness"}:
        raise ValueError("a map has the fields map, epsilon, delta, loose and fineness")
    texts = [spec[name] for name in ("epsilon", "delta", "loose")]
    if not all(isinstance(each, list) for each in texts):
        raise ValueError("epsilon, delta and loose must be lists")
    if not all(isinstance(number, str) for each in texts for number in each):
        raise ValueError("epsilon, delta and loose must hold numbers as text")
    eps, target, loose = ([read_rational(number) for number in each] for each in texts)
    if not isinstance(spec["fineness"], int):
        raise ValueError("fineness must be an integer")
    if len(eps) != 2 or len(target) != 2 or not isinstance(spec["map"], str):
        raise ValueError("a map has a formula's name and two ends of epsilon and of delta")
    return theorem(spec["map"], (eps[0], eps[1]), (target[0], target[1]), loose, spec["fineness"])


def theorem(
    name: str,
    epsilon: tuple[Exact, Exact],
    delta: tuple[Exact, Exact],
    loose: Sequence[Exact],
    fineness: int,
) -> Theorem:
    """Return a map as a theorem; arguments and errors as for `maps.chart`."""
    if name not in CALIBRATIONS:
        raise ValueError(f"formula must be one of {', '.join(CALIBRATIONS)}, got {name!r}")
    calibration = CALIBRATIONS[name]
    eps, target = read_rectangle(epsilon, delta)
    if not (0 < eps[0] < eps[1] and 0 < target[0] < target[1] < 1):
        raise ValueError("epsilon and delta of a map must rise from above 0, delta to below 1")
    size = arguments.count("fineness", fineness, most=_FINEST)
    levels = tuple(arguments.positive("loose", level) for level in loose)
    if len(levels) > _MOST_LEVELS or any(a >= b for a, b in itertools.pairwise(levels)):
        raise ValueError(f"loose must be at most {_MOST_LEVELS} rising levels")
    scales = (Fraction(1), *(1 + level / 100 for level in levels))
    ranges = (eps, target)
    widths = [log_width(*pair) for pair in ranges]

    def decide(box: Box) -> BoxOutcome:
        band = _band(calibration, box, scales)
        if band is not None:
            return proved(str(band))
        sides = [log_width(*side) / width for side, width in zip(box, widths, strict=True)]
        axis = 0 if sides[0] > sides[1] else 1
        # Cuts are near the geometric mean, not at it: hence the factor.
        if sides[axis] <= 1.5 * 2.0**-size:
            return proved("..".join(str(end) for end in _bands(calibration, box, scales)))
        return unknown(axis)

    return Theorem(
        id=f"map:{name}",
        statement=f"the boxes say truly where {calibration.formula} is violated, private and loose",
        spec={
            "map": name,
            "epsilon": [rational(end) for end in eps],
            "delta": [rational(end) for end in target],
            "loose": [rational(level) for level in levels],
            "fineness": size,
        },
        parts=(
            Part(
                name="ε and δ",
                axes=(
                    Axis("epsilon", *eps, geometric=True),
                    Axis("delta", *target, geometric=True),
                ),
                decide=decide,
            ),
        ),
        lemmas=_lemmas(calibration),
        covering="the rectangle is the whole domain",
    )


def _lemmas(calibration: Calibration) -> tuple[Lemma, ...]:
    if calibration.private_by:
        says = f"it is private for every ε and δ (theorem {calibration.private_by})"
        return (Lemma("private", says),)
    return (RISE,) if calibration.rises else ()


def _band(calibration: Calibration, box: Box, scales: Sequence[Fraction]) -> int | None:
    """Return the one band that a box lies in, if balls prove it: its middle says which to try."""
    middle = tuple(geometric_middle(*side) for side in box)
    band = -1
    for index, scale in enumerate(scales):
        if not is_private(calibration, middle, scale, _BITS):
            break
        band = index
    known = 0 if calibration.private_by else -1
    if band > known and not extreme(calibration, box, scales[band], 1, _BITS).beyond:
        return None
    if band + 1 < len(scales):
        return band if extreme(calibration, box, scales[band + 1], -1, _BITS).beyond else None
    return band


def _bands(calibration: Calibration, box: Box, scales: Sequence[Fraction]) -> tuple[int, int]:
    """Return the first and last band that a box may meet."""
    least, most = 0 if calibration.private_by else -1, len(scales) - 1
    for index in range(
        least + 1, len(scales)
    ):  # up to where σ/scale stays private all over the box
        if not extreme(calibration, box, scales[index], 1, _BITS).beyond:
            break
        least = index
    for index in range(most, least, -1):  # down to where it is private nowhere
        if not extreme(calibration, box, scales[index], -1, _BITS).beyond:
            break
        most = index - 1
    return least, most
