"""Audits of correct samplers: how often each e-value gets large, beside what theory says.

By Ville's inequality an e-process ever reaches L in at most 1/L of the runs. Of some processes the
law at a fixed number of draws is known exactly, since they depend on one sum alone: the scale's on
a χ², the bias's on a normal number. There, how often they are above a level is not only bounded.
"""

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np
from scipy import optimize, stats

from dporacle.dev.specimens.samplers import CORRECT
from dporacle.wings.samplers import Audit, audit
from dporacle.wings.samplers.decision import AspectFinding
from dporacle.wings.samplers.evidence import bias_evidence, scale_evidence
from dporacle.wings.samplers.sketch import Sketch

LEVELS = (2.0, 5.0, 20.0, 100.0, 1000.0)
"""What an e-process reaches in at most 1/2, 1/5, … of the runs."""
EXACT = (0.5, 0.6, 0.7, 1.0, 2.0)
"""Levels at which the share of the runs is compared with the exact one."""


@dataclass(frozen=True)
class NullRun:
    """One audit of a correct sampler.

    Attributes:
        name: which sampler.
        found: the audit.
        highest: process, "privacy" or "conformance" -> log₁₀ of its largest e-value, of all looks.
    """

    name: str
    found: Audit
    highest: dict[str, float]


def null_runs(runs: Iterable[int], *, numbers: int, batch: int, seed: int) -> Iterator[NullRun]:
    """Audit correct samplers in turn, each run with a seed of its own.

    Args:
        runs: the numbers of the runs: each has its sampler, and its seed.
        numbers: normal numbers in each.
        batch: how many of them between two looks.
        seed: of run 0; the others count on.
    """
    for run in runs:
        specimen = CORRECT[run % len(CORRECT)]
        highest: dict[str, float] = {}

        def look(
            sketch: Sketch, *findings: AspectFinding, highest: dict[str, float] = highest
        ) -> None:
            for finding in findings:
                said: list[tuple[str, float]] = [(finding.aspect, finding.log10)]
                said += [(each.process.name, each.log10) for each in finding.evidence]
                for name, value in said:
                    highest[name] = max(value, highest.get(name, -math.inf))

        found = audit(
            law=specimen.law,
            source=specimen.source,
            limit=math.ceil(numbers / specimen.law.width),
            seed=seed + run,
            batch=batch,
            progress=look,
        )
        yield NullRun(specimen.name, found, highest)


@dataclass(frozen=True)
class ExactLevel:
    """How often an e-value is above a level, seen and expected.

    Attributes:
        process: which.
        level: of the e-value.
        expected: how often it is above, by the exact law.
        seen: how often it was.
        chance: the probability of a count as far from the expected one, on both sides.
    """

    process: str
    level: float
    expected: float
    seen: int
    chance: float


def exact_levels(sketches: list[Sketch]) -> list[ExactLevel]:
    """Return how often the last e-values are above `EXACT`, beside the exact shares."""
    found = []
    for name, (evidence, share) in _KNOWN.items():
        values = [evidence(sketch) for sketch in sketches]
        for level in EXACT:
            counts = {sketch.numbers for sketch in sketches}
            shares = {count: share(count, math.log(level)) for count in counts}
            mean = float(np.mean([shares[each.numbers] for each in sketches]))
            seen = sum(value >= math.log(level) for value in values)
            # The counts are of nearly equal shares: their sum varies a little less than this one.
            below = stats.binom.cdf(seen, len(sketches), mean)
            above = stats.binom.sf(seen - 1, len(sketches), mean)
            chance = min(1.0, 2 * float(min(below, above)))
            found.append(ExactLevel(name, level, mean * len(sketches), seen, chance))
    return found


def _total(sketch: Sketch, *, small: bool) -> float:
    return scale_evidence(float(sketch.squares.sum()), sketch.numbers, small=small)


def _small(count: int, level: float) -> float:
    """Return Pr[ln E ≥ level]: evidence for too small a scale falls with the sum of squares."""
    return _below(lambda s: scale_evidence(s, count, small=True) - level, count)


def _big(count: int, level: float) -> float:
    return 1 - _below(lambda s: level - scale_evidence(s, count, small=False), count)


def _below(falling: Callable[[float], float], count: int) -> float:
    """Return Pr[χ² ≤ s], s where a falling function of it is 0."""
    low, high = (float(stats.chi2.ppf(p, count)) for p in (1e-14, 1 - 1e-14))
    if falling(low) <= 0:
        return 0.0
    if falling(high) >= 0:
        return 1.0
    return float(stats.chi2.cdf(optimize.brentq(falling, low, high), count))


def _mean(count: int, level: float) -> float:
    """Return Pr[ln E ≥ level]: evidence of a bias rises with the size of the sum."""
    root = math.sqrt(count)

    def excess(x: float) -> float:
        return bias_evidence(x * root, count) - level

    if excess(0.0) >= 0:
        return 1.0
    return 2 * float(stats.norm.sf(optimize.brentq(excess, 0.0, 50.0)))


_KNOWN: dict[str, tuple[Callable[[Sketch], float], Callable[[int, float], float]]] = {
    "scale": (lambda sketch: _total(sketch, small=True), _small),
    "scale up": (lambda sketch: _total(sketch, small=False), _big),
    "bias": (lambda sketch: bias_evidence(float(sketch.sums.sum()), sketch.numbers), _mean),
}
