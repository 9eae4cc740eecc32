"""Maps: where a closed form is violated, private, or private with too much noise.

The levels 0 %, x₁ %, x₂ %, … cut the plane of (ε, δ) into bands: a point is in band i if σ may be
divided by 1 + xᵢ and stay private, but not by 1 + xᵢ₊₁; band −1 is where σ is not private at all.
Each box of a map carries the bands that balls prove it to lie in: "2" for one band, "1..2" where a
box of the smallest size still meets a boundary.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.regions._text import decimal, rational, read_rational
from dporacle.regions.boxes import geometric_middle
from dporacle.regions.calibrations import CALIBRATIONS, Calibration
from dporacle.regions.engine import Limits, Run, run
from dporacle.regions.formulas import RISE, read_rectangle
from dporacle.regions.model import Axis, Box, Lemma, Outcome, Part, Theorem, proved, unknown
from dporacle.regions.rectangle import extreme, is_private

__all__ = ["Band", "Map", "chart", "from_spec", "read_label"]

_BITS = 96
_LIMITS = Limits(depth=64, boxes=2_000_000)
_MOST_LEVELS = 8
_FINEST = 12


@dataclass(frozen=True, slots=True)
class Band:
    """One answer of a map.

    Attributes:
        least: the number of the first band that it covers; −1 is "not private".
        most: the number of the last.
        says: the answer in words.
        boxes: how many boxes have it.
        share: their share of the picture, whose axes are logarithmic.
    """

    least: int
    most: int
    says: str
    boxes: int
    share: float


@dataclass(frozen=True, slots=True)
class Map:
    """A map of a formula.

    Attributes:
        calibration: the formula.
        loose: the levels, in per cent.
        run: the boxes with their labels; `artefact.write` makes them a file.
    """

    calibration: Calibration
    loose: tuple[Fraction, ...]
    run: Run

    @property
    def box(self) -> Box:
        """The rectangle of ε and δ."""
        return self.run.theorem.parts[0].box

    def bands(self) -> tuple[Band, ...]:
        """Count the boxes per answer, the proved bands first."""
        whole = _area(self.box)
        found: dict[tuple[int, int], list[float]] = {}
        for leaf in self.run.leaves:
            found.setdefault(read_label(leaf.label), []).append(_area(leaf.box) / whole)
        ordered = sorted(found, key=lambda ends: (ends[0] != ends[1], ends))
        return tuple(
            Band(*ends, self.words(*ends), len(found[ends]), sum(found[ends])) for ends in ordered
        )

    def words(self, least: int, most: int) -> str:
        """Say what a label means."""
        if least < 0:
            return "violated: not (ε,δ)-DP" if most < 0 else "not decided: private or not"
        levels = [decimal(level) for level in self.loose]
        if not levels:
            return "private"
        if least == 0 and most == len(levels):
            return "private; how much more noise than needed is not decided"
        if most == len(levels):
            bounds = f"more than {levels[least - 1]} %"
        elif least == 0:
            bounds = f"at most {levels[most]} %"
        else:
            bounds = f"{levels[least - 1]} % to {levels[most]} %"
        edge = "" if least == most else " (edge of two bands)"
        return f"private, with {bounds} more noise than needed{edge}"


def _area(box: Box) -> float:
    return math.prod(_log_width(low, high) for low, high in box)


def _log_width(low: Fraction, high: Fraction) -> float:
    """ln(high/low), for ends of any magnitude."""
    ratio = high / low
    size = ratio.numerator.bit_length() - ratio.denominator.bit_length()
    return math.log(ratio / Fraction(2) ** size) + size * math.log(2)


def read_label(label: str) -> tuple[int, int]:
    """Return the first and last band of a label."""
    least, _, most = label.partition("..")
    return int(least), int(most or least)


def chart(
    name: str,
    *,
    epsilon: tuple[Exact, Exact],
    delta: tuple[Exact, Exact],
    loose: Sequence[Exact] = (10, 25, 50),
    fineness: int = 9,
    executor: Executor | None = None,
    workers: int | None = None,
    progress: Callable[[Run], None] | None = None,
) -> Map:
    """Make a map of a closed-form calibration from proved boxes.

    Args:
        name: of the calibration, a key of `calibrations.CALIBRATIONS`.
        epsilon: the two ends, 0 < first < second.
        delta: the two ends, 0 < first < second < 1.
        loose: levels in per cent, rising and above 0; at most 8.
        fineness: the smallest boxes have 2^-fineness of the picture's sides; from 1 to 12.
        executor: where boxes are decided; by default here, and in processes if there are many.
        workers: how many processes, or tasks at once in `executor`; by default one per processor.
        progress: called now and then with the run.

    Raises:
        TypeError, ValueError: naming the argument that is wrong.
    """
    claim = _theorem(name, epsilon, delta, loose, fineness)
    found = run(
        Run.start(claim), executor=executor, workers=workers, limits=_LIMITS, progress=progress
    )
    levels = tuple(Fraction(text) for text in claim.spec["loose"])
    return Map(CALIBRATIONS[name], levels, found)


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
    return _theorem(spec["map"], (eps[0], eps[1]), (target[0], target[1]), loose, spec["fineness"])


def _theorem(
    name: str,
    epsilon: tuple[Exact, Exact],
    delta: tuple[Exact, Exact],
    loose: Sequence[Exact],
    fineness: int,
) -> Theorem:
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
    widths = [_log_width(*pair) for pair in ranges]

    def decide(box: Box) -> Outcome:
        band = _band(calibration, box, scales)
        if band is not None:
            return proved(str(band))
        sides = [_log_width(*side) / width for side, width in zip(box, widths, strict=True)]
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
