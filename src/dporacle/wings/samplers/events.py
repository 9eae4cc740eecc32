"""Events that tell two neighbouring inputs apart: certified lower bounds of δ for black boxes.

An event is learnt on half of the draws and tried on the other half: Clopper-Pearson limits then
prove Pr[E] − e^ε Pr'[E], which no δ may be below, with a stated confidence. Nothing need be known
of the law; what the event misses stays unseen, so that a pass proves nothing.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from dporacle import fast

_STEPS = 60
_WIDTH = 1e-5  # of the bracket, as a share of its upper end
_TURNS = 4  # steps from one bisection to the next

Rows = NDArray[np.float64]
Features = NDArray[np.int64]


@dataclass(frozen=True)
class Separation:
    """How well an event tells two inputs apart.

    Attributes:
        epsilon: the ε at which it was learnt.
        first, second: draws of the tried half in the event, for either input.
        draws: draws of the tried half, for each input.
        delta: the proved lower bound of δ at ε; 0 if none.
        confidence: the bound is wrong with at most 1 − this probability.
    """

    epsilon: float
    first: int
    second: int
    draws: int
    delta: float
    confidence: float


def separate(
    first: Features, second: Features, *, epsilons: Sequence[float], budget: float = 1e-9
) -> tuple[Separation, ...]:
    """Return what an event on features proves about δ, for several ε.

    Args:
        first: a whole number for each draw of one input, in order.
        second: the same of a neighbouring input.
        epsilons: where δ is bounded.
        budget: the probability that any of the bounds is wrong.

    Raises:
        ValueError: if there are fewer than two draws of either, or an ε is negative.
    """
    if min(len(first), len(second)) < 2:
        raise ValueError("first and second must have at least 2 draws each")
    if not epsilons or any(not e >= 0 or math.isinf(e) for e in epsilons):
        raise ValueError(f"epsilons must be finite and at least 0, got {list(epsilons)}")
    level = budget / len(epsilons) / 2  # two events, one for each direction
    found = []
    for epsilon in epsilons:
        both = [_one_way(a, b, epsilon, level) for a, b in ((first, second), (second, first))]
        best = max(both, key=lambda each: each[2])
        found.append(Separation(epsilon, *best[:2], best[3], best[2], 1 - budget))
    return tuple(found)


def _one_way(
    first: Features, second: Features, epsilon: float, level: float
) -> tuple[int, int, float, int]:
    learnt = [len(each) // 2 for each in (first, second)]
    cells = np.union1d(first[: learnt[0]], second[: learnt[1]])
    here = _counts(first[: learnt[0]], cells)
    there = _counts(second[: learnt[1]], cells)
    gain = here / learnt[0] - math.exp(epsilon) * (there + 0.5) / learnt[1]
    event = cells[gain > 0]
    tried = (first[learnt[0] :], second[learnt[1] :])
    hits = [int(np.isin(each, event).sum()) for each in tried]
    return hits[0], hits[1], least_delta(hits, list(map(len, tried)), epsilon, level), len(tried[0])


def least_delta(hits: Sequence[int], draws: Sequence[int], epsilon: float, budget: float) -> float:
    """Return the δ that an event's counts support; it is wrong with probability `budget` at most.

    Args:
        hits: draws in the event, of the input under which it is likelier, and of the other.
        draws: all draws of the same two.
        epsilon: where.
        budget: shared by the limits of both probabilities.
    """
    return float(
        fast.audit_delta(
            false_positives=hits[1],
            negatives=draws[1],
            false_negatives=draws[0] - hits[0],
            positives=draws[0],
            alpha=budget,
            epsilon=epsilon,
        )
    )


def joint_delta(hits: Sequence[int], draws: Sequence[int], epsilon: float, budget: float) -> float:
    """Return the same by the test of both counts at once, from below (X.AUDIT.JOINT).

    The p-value rises in δ: every δ at which it is within the budget is refuted.

    Args:
        hits: draws in the event, of the input under which it is likelier, and of the other.
        draws: all draws of the same two, which are independent of each other too.
        epsilon: where.
        budget: the probability that the answer is wrong.
    """

    def beyond(delta: float) -> float:
        found = fast.audit_joint_p_value(
            false_positives=hits[1],
            negatives=draws[1],
            false_negatives=draws[0] - hits[0],
            positives=draws[0],
            epsilon=epsilon,
            delta=delta,
        )
        return math.log(max(float(found), 5e-324)) - math.log(budget)

    low, high = 0.0, math.nextafter(1.0, 0.0)
    below, above = beyond(low), beyond(high)
    if below > 0:
        return 0.0
    kept = 0
    for turn in range(_STEPS):
        if high - low <= _WIDTH * high:
            break
        # False position, of which an end that stays is halved (Illinois); bisection now and then.
        middle = (low * above - high * below) / (above - below)
        if not low < middle < high or turn % _TURNS == 0:
            middle = (low + high) / 2
        value = beyond(middle)
        if value <= 0:
            low, below, above, kept = middle, value, above / (2 if kept < 0 else 1), -1
        else:
            high, above, below, kept = middle, value, below / (2 if kept > 0 else 1), 1
    return low


def clopper_pearson(count: int, draws: int, level: float) -> tuple[float, float]:
    """Return limits of a probability, each of which is missed with probability `level` at most."""
    lack, high = (
        float(fast.binomial_upper(successes=each, trials=draws, alpha=level))
        for each in (draws - count, count)
    )
    return max(math.nextafter(1 - lack, 0.0), 0.0), high


def _counts(values: Features, cells: Features) -> NDArray[np.int64]:
    return np.bincount(np.searchsorted(cells, values), minlength=len(cells))


def needed_draws(
    *, first: float, second: float, epsilon: float, delta: float, budget: float = 1e-9
) -> int:
    """Return about how many draws of each input show that an event breaks (ε, δ).

    Args:
        first: the event's probability for one input.
        second: for the other.
        epsilon: of the claim.
        delta: of the claim, which Pr[E] − e^ε Pr'[E] exceeds.
        budget: as in `separate`.

    Raises:
        ValueError: if the event does not break the claim.
    """
    gap = first - math.exp(epsilon) * second - delta
    if not gap > 0:
        raise ValueError(f"the event does not break the claim: short of it by {-gap:.3g}")
    spread = math.sqrt(first * (1 - first)) + math.exp(epsilon) * math.sqrt(second * (1 - second))
    quantile = stats.norm.isf(budget / 4)
    smallest = math.log(4 / budget) / max(first, 1e-300)
    return 2 * math.ceil(max((quantile * spread / gap) ** 2, smallest))


def positions(values: Rows, *, width: float) -> Features:
    """Return the number of the cell of a width that each value is in: an everyday feature."""
    return np.clip(np.floor(values / width), -(2.0**40), 2.0**40).astype(np.int64)


def trailing_bits(values: Rows) -> Features:
    """Return the exponent of the lowest bit of each float that is set; −1100 for 0."""
    fractions, exponents = np.frexp(values)
    whole = np.abs(np.ldexp(fractions, 53)).astype(np.int64)
    _, lowest = np.frexp((whole & -whole).astype(np.float64))
    return np.where(values == 0, -1100, exponents.astype(np.int64) - 54 + lowest)


def float_leak(
    first: Rows, second: Rows, *, distance: float, epsilons: Sequence[float], budget: float = 1e-9
) -> tuple[Separation, ...]:
    """Return what the low bits of released values prove about δ.

    The feature is the cell of width distance/4 that a value is in, together with its lowest bit:
    floats near 0 have finer bits than the sum of a value and noise can have.

    Args:
        first: released values (not noise) of one input.
        second: of a neighbouring one.
        distance: how far apart the exact answers are.
        epsilons: where δ is bounded.
        budget: the probability that any of the bounds is wrong.

    Raises:
        ValueError: as `separate`, or if the distance is not positive.
    """
    if not (math.isfinite(distance) and distance > 0):
        raise ValueError(f"distance must be positive and finite, got {distance!r}")

    def features(values: Rows) -> Features:
        finite = np.isfinite(values)
        kept = np.where(finite, values, 0.0)
        with np.errstate(over="ignore"):
            found = positions(kept, width=distance / 4) * 4096 + trailing_bits(kept) + 1100
        kinds = np.where(np.isnan(values), 0, np.where(values > 0, 1, 2))  # of what is not finite
        return np.where(finite, found, np.iinfo(np.int64).min + kinds)

    both = features(np.ravel(first)), features(np.ravel(second))
    return separate(*both, epsilons=epsilons, budget=budget)
