"""The decision on a sketch: two verdicts, an error budget, and what could have been found."""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from dporacle.wings.samplers.evidence import PROCESSES, SCALES, Process, log_mean, scale_evidence
from dporacle.wings.samplers.law import FARTHEST
from dporacle.wings.samplers.laws import Law
from dporacle.wings.samplers.sketch import Sketch

_TILTS = np.geomspace(1e-6, 0.45, 80)
"""Those that Chernoff's bound of a sum of squares is tried with."""

BUDGET = 1e-9
"""The largest probability that a correct sampler is ever accused, of anything, in one run."""

Aspect = Literal["privacy", "conformance"]


@dataclass(frozen=True)
class EValue:
    """What one e-process says.

    Attributes:
        process: which it is.
        log10: log₁₀ of its value; 1/α is reached with probability α at most, ever.
    """

    process: Process
    log10: float


@dataclass(frozen=True)
class AspectFinding:
    """The verdict on one aspect.

    Attributes:
        aspect: privacy, or conformance with what is claimed.
        convicted: whether the evidence suffices.
        log10: log₁₀ of the combined e-value.
        needed: what it has to reach.
        evidence: each process, the strongest first.
    """

    aspect: Aspect
    convicted: bool
    log10: float
    needed: float
    evidence: tuple[EValue, ...]


def decide(
    sketch: Sketch, law: Law, *, budget: float = BUDGET
) -> tuple[AspectFinding, AspectFinding]:
    """Return the verdicts on privacy and on conformance.

    Half of the budget is for the mean of the e-values that prove a loss of privacy, half for the
    mean of the others. What breaks privacy breaks conformance too, which is decided by the larger
    mean; another law than the claimed one may be no less private.

    Args:
        sketch: of all draws so far.
        law: the claim.
        budget: the probability that a correct sampler is ever accused, over both verdicts.

    Raises:
        ValueError: if the budget is not between 0 and 1.
    """
    if not 0 < budget < 1:
        raise ValueError(f"budget must be between 0 and 1, got {budget!r}")
    found = [
        EValue(process, process.log_evidence(sketch, law) / math.log(10))
        for process in PROCESSES
        if process.atoms or law.continuous
    ]
    found.sort(key=lambda each: -each.log10)
    private = [each for each in found if each.process.private]
    others = [each for each in found if not each.process.private]
    needed = math.log10(2) - math.log10(budget)

    def finding(aspect: Aspect, combined: float, evidence: list[EValue]) -> AspectFinding:
        return AspectFinding(aspect, combined >= needed, combined, needed, tuple(evidence))

    means = [_mean(private), _mean(others)]
    return finding("privacy", means[0], private), finding("conformance", max(means), found)


def _mean(evidence: list[EValue]) -> float:
    return log_mean(np.array([each.log10 for each in evidence]) * math.log(10)) / math.log(10)


def supported_scales(
    sketch: Sketch, *, budget: float = BUDGET
) -> tuple[float | None, float | None]:
    """Return the least and the largest factor of σ that the draws do not refute.

    They hold the true factor at all times together with probability 1 − budget, if the noise is
    Gaussian; None where no factor is excluded, and where the draws' squares are no floats.
    """
    squares, count = float(sketch.squares.sum()), sketch.numbers
    middle = math.sqrt(squares / count)
    if sketch.largest >= FARTHEST or not middle > 1 / FARTHEST:
        return None, None
    needed = math.log(2) - math.log(budget)

    def refuted(factor: float, *, small: bool) -> bool:
        return scale_evidence(squares / factor / factor, count, small=small) >= needed

    return (
        _end(lambda f: refuted(f, small=False), middle, 0.5),
        _end(lambda f: refuted(f, small=True), middle, 2.0),
    )


def _end(refuted: Callable[[float], bool], middle: float, step: float) -> float | None:
    """Return the end of what is not refuted, rounded outwards, by bisection on a log scale."""
    inner, outer = middle, middle * step
    for _ in range(200):
        if refuted(outer):
            break
        inner, outer = outer, outer * step
    else:
        return None
    for _ in range(60):
        between = math.sqrt(inner * outer)
        if refuted(between):
            outer = between
        else:
            inner = between
    return outer


def power(count: int, deviation: float, *, budget: float = BUDGET, law: Law | None = None) -> float:
    """Return a lower bound of the probability to convict σ that is too small by a share.

    Args:
        count: normal numbers drawn.
        deviation: the share by which σ is too small, between 0 and 1.
        budget: as in `decide`.
        law: the claim; if None, one whose normal numbers have a σ that is too small by the share.
    """
    if not 0 < deviation < 1:
        raise ValueError(f"deviation must be between 0 and 1, got {deviation!r}")
    # One alternative alone has to reach this: the others only help.
    needed = deciding(budget, private=False) + math.log(2 * len(SCALES))
    gain = SCALES**-2.0 - 1
    most = 2 * (-count * np.log(SCALES) - needed) / gain  # the sum of squares that still convicts
    if law is not None and (moments := _moments(law, deviation)) is not None:
        missed = count * moments[:, None] - _TILTS[:, None] * most
        return 0.0 - math.expm1(min(float(missed.min()), 0.0))
    squares = np.maximum(most, 0.0) / (1 - deviation) ** 2
    return float(np.max(stats.chi2.cdf(squares, count)))


@lru_cache(64)
def _moments(law: Law, deviation: float) -> NDArray[np.float64] | None:
    return law.square_moments(deviation, _TILTS)


def deciding(budget: float, *, private: bool) -> float:
    """Return ln of the e-value with which one process alone convicts."""
    processes = sum(process.private == private for process in PROCESSES)
    return math.log(2) - math.log(budget) + math.log(processes)


def plan(
    deviation: float, *, wanted: float = 0.99, budget: float = BUDGET, law: Law | None = None
) -> int:
    """Return how many draws convict a σ that is too small by a share, with a power.

    Args:
        deviation: the share by which σ is too small.
        wanted: the power: the probability to convict it.
        budget: as in `decide`.
        law: as in `power`.

    Raises:
        ValueError: if no 10¹⁵ draws would do, or an argument is out of its range.
    """
    if not 0 < wanted < 1:
        raise ValueError(f"wanted must be between 0 and 1, got {wanted!r}")
    high = 16
    while power(high, deviation, budget=budget, law=law) < wanted:
        high *= 2
        if high > 10**15:
            raise ValueError(f"deviation must be larger: {deviation!r} takes over 10^15 draws")
    low = high // 2
    while high - low > max(1, high // 1000):
        middle = (low + high) // 2
        if power(middle, deviation, budget=budget, law=law) < wanted:
            low = middle
        else:
            high = middle
    return high
