"""Maps: where a closed form is violated, private, or private with too much noise.

The levels 0 %, x₁ %, x₂ %, … cut the plane of (ε, δ) into bands: a point is in band i if σ may be
divided by 1 + xᵢ and stay private, but not by 1 + xᵢ₊₁; band −1 is where σ is not private at all.
Each box of a map carries the bands that balls prove it to lie in: "2" for one band, "1..2" where a
box of the smallest size still meets a boundary.
"""

import math
from collections.abc import Callable, Sequence
from concurrent.futures import Executor
from dataclasses import dataclass
from fractions import Fraction

from dporacle.arguments import Exact, decimal
from dporacle.regions.calibrations import CALIBRATIONS, Calibration
from dporacle.regions.engine import Limits, ProofRun, run
from dporacle.regions.theorem import Box
from dporacle.regions.theorems.map_of_formula import log_width, theorem

_LIMITS = Limits(depth=64, boxes=2_000_000)


@dataclass(frozen=True, slots=True)
class MapAnswer:
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
    run: ProofRun

    @property
    def box(self) -> Box:
        """The rectangle of ε and δ."""
        return self.run.theorem.parts[0].box

    def bands(self) -> tuple[MapAnswer, ...]:
        """Count the boxes per answer, the proved bands first."""
        whole = _area(self.box)
        found: dict[tuple[int, int], list[float]] = {}
        for leaf in self.run.leaves:
            found.setdefault(read_label(leaf.label), []).append(_area(leaf.box) / whole)
        ordered = sorted(found, key=lambda ends: (ends[0] != ends[1], ends))
        return tuple(
            MapAnswer(*ends, self.words(*ends), len(found[ends]), sum(found[ends]))
            for ends in ordered
        )

    def words(self, least: int, most: int) -> str:
        """Say what a label means."""
        levels = [decimal(level) for level in self.loose]
        if most < 0:
            return "violated: not (ε,δ)-DP"
        if least < 0 and most == len(levels):
            return "not decided: private or not"
        if least < 0:
            return f"not decided: violated, or at most {levels[most]} % more noise than needed"
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
    return math.prod(log_width(low, high) for low, high in box)


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
    progress: Callable[[ProofRun], None] | None = None,
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
    claim = theorem(name, epsilon, delta, loose, fineness)
    found = run(
        ProofRun.start(claim), executor=executor, workers=workers, limits=_LIMITS, progress=progress
    )
    levels = tuple(Fraction(text) for text in claim.spec["loose"])
    return Map(CALIBRATIONS[name], levels, found)
