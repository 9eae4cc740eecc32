"""An (ε,δ) claim about a black box: an event that breaks it, learnt on half of the releases.

Nothing is known of the law. Of the first half a quarter proposes events of several kinds, another
chooses among them, and the second half tries the chosen one: with Clopper and Pearson's limits,
Pr[E] − e^ε Pr'[E] > δ refutes the claim. Where the law is known, the optimal event {L ≥ ε} is too,
and nothing need be learnt.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np
from numpy.typing import NDArray

from dporacle.claims.wording import exact_text
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis
from dporacle.wings.samplers.events import (
    clopper_pearson,
    joint_delta,
    least_delta,
    needed_draws,
    trailing_bits,
)
from dporacle.wings.samplers.laws import Law

_MOST_EPSILON = 700.0  # e^ε is a float64
Rows = NDArray[np.float64]
Members = NDArray[np.bool_]

_CELLS, _PLACES = 256, 16
_CHOICE = 1e-3
"""How often a limit by which events are compared may miss; the proof has its own."""


@dataclass(frozen=True)
class Event:
    """A set of releases.

    Attributes:
        name: which.
        members: rows -> whether each is in it.
    """

    name: str
    members: Callable[[Rows], Members]


@dataclass(frozen=True)
class Refutation:
    """How an event fared against a claim.

    Attributes:
        epsilon, delta: of the claim.
        event: which event was tried.
        of_second: whether it is likelier under the second input.
        hits: releases in it, of the input under which it is likelier, and of the other.
        draws: releases tried, of the same two.
        bound: δ is at least this at ε, with `confidence`.
        confidence: that of the bound.
        joint: whether both counts are tested at once, in place of a limit for each.
        needed: about how many releases of each input would show it, as often as not; None if the
            event, as frequent as it was, breaks no claim.
    """

    epsilon: float
    delta: float
    event: str
    of_second: bool
    hits: tuple[int, int]
    draws: tuple[int, int]
    bound: float
    confidence: float
    joint: bool
    needed: int | None

    @property
    def refuted(self) -> bool:
        """Whether the claim is refuted."""
        return self.bound > self.delta

    @property
    def sure(self) -> Fraction:
        """The confidence as it was asked for, of which a float has some digits more."""
        return 1 - Fraction(f"{1 - self.confidence:.2g}")

    @property
    def hypotheses(self) -> tuple[Hypothesis, ...]:
        """What the bound is one under, and that it is no proof."""
        counted = "joint-counted-releases" if self.joint else "counted-releases"
        sure, alpha = exact_text(self.sure), exact_text(1 - self.sure)
        return hypothesis(counted), hypothesis("confidence", confidence=sure, alpha=alpha)


def refute(
    first: Rows,
    second: Rows,
    *,
    epsilon: float,
    delta: float,
    budget: float = 1e-9,
    event: Event | None = None,
    joint: bool = False,
) -> Refutation:
    """Try to refute that a mechanism is (ε,δ)-differentially private.

    Args:
        first: releases of one input, of shape (n,) or (n, dimension).
        second: releases of a neighbouring input.
        epsilon: of the claim, ε ≥ 0.
        delta: of the claim.
        budget: the probability that a true claim is refuted.
        event: if it was fixed before the releases were seen, all of them are tried on it.
        joint: test both counts at once (X.AUDIT.JOINT), which supposes that the releases of one
            input are independent of those of the other. To be chosen before the counts are seen.

    Raises:
        ValueError: if an argument is out of range, or there are too few releases.
    """
    if not (epsilon >= 0 and math.isfinite(epsilon)):
        raise ValueError(f"epsilon must be finite and at least 0, got {epsilon!r}")
    if epsilon > _MOST_EPSILON:
        raise ValueError(f"epsilon must be at most {_MOST_EPSILON:g}, got {epsilon!r}")
    if not 0 <= delta <= 1:
        raise ValueError(f"delta must be between 0 and 1, got {delta!r}")
    if not 0 < budget < 1:
        raise ValueError(f"budget must be between 0 and 1, got {budget!r}")
    both = _table("first", first), _table("second", second)
    if both[0].shape[1] != both[1].shape[1]:
        raise ValueError(
            f"first and second must have rows of one length, got {both[0].shape[1]} and "
            f"{both[1].shape[1]}"
        )
    if event is not None:
        return _tried(both, event, epsilon, delta, budget, learnt=False, joint=joint)
    if min(map(len, both)) < 8:
        raise ValueError("first and second must have at least 8 releases each, to learn from")
    parts = [np.split(each, (len(each) // 4, len(each) // 2)) for each in both]
    proposing, choosing, trying = ((a, b) for a, b in zip(*parts, strict=True))

    def score(pair: tuple[Event, bool]) -> float:
        return _gain(_ordered(choosing, pair[1]), pair[0], epsilon)

    proposed = [
        (each, swapped)
        for swapped in (False, True)
        for each in _proposals(*_ordered(proposing, swapped), epsilon)
    ]
    best, swapped = max(proposed, key=score)
    ordered = _ordered(trying, swapped)
    return _tried(ordered, best, epsilon, delta, budget, learnt=True, swapped=swapped, joint=joint)


def likely_event(law: Law, shift: Rows, value: float, epsilon: float) -> Event:
    """Return {L ≥ ε}, the event that is optimal if the noise has a law.

    Args:
        law: of the noise.
        shift: the second input's exact answer minus the first's.
        value: the first input's exact answer, in each coordinate.
        epsilon: where.
    """
    return Event(
        f"privacy loss ≥ {epsilon:g} under {law}",
        lambda rows: law.loss(rows - value, shift) >= epsilon,
    )


def _table(name: str, releases: Rows) -> Rows:
    table = np.asarray(releases, dtype=np.float64)
    if table.ndim == 1:
        table = table[:, None]
    if table.ndim != 2 or not table.size:
        raise ValueError(f"{name} must be a table of releases, got shape {table.shape}")
    return table


def _ordered(pair: tuple[Rows, Rows], swapped: bool) -> tuple[Rows, Rows]:
    return (pair[1], pair[0]) if swapped else pair


def _tried(
    pair: tuple[Rows, Rows],
    event: Event,
    epsilon: float,
    delta: float,
    budget: float,
    *,
    learnt: bool,
    joint: bool,
    swapped: bool = False,
) -> Refutation:
    hits, draws = _hits(pair, event), (len(pair[0]), len(pair[1]))
    bound = (joint_delta if joint else least_delta)(hits, draws, epsilon, budget)
    shares = [count / total for count, total in zip(hits, draws, strict=True)]
    needed = None
    if shares[0] - math.exp(epsilon) * shares[1] > delta:
        needed = needed_draws(
            first=shares[0], second=shares[1], epsilon=epsilon, delta=delta, budget=budget
        ) // (1 if learnt else 2)
    return Refutation(
        epsilon=epsilon,
        delta=delta,
        event=event.name,
        of_second=swapped,
        hits=hits,
        draws=draws,
        bound=bound,
        confidence=1 - budget,
        joint=joint,
        needed=needed,
    )


def _hits(pair: tuple[Rows, Rows], event: Event) -> tuple[int, int]:
    return int(event.members(pair[0]).sum()), int(event.members(pair[1]).sum())


def _gain(pair: tuple[Rows, Rows], event: Event, epsilon: float) -> float:
    """Return by how much an event may break a claim; below 0 too, as events are compared by it."""
    hits = _hits(pair, event)
    low, _ = clopper_pearson(hits[0], len(pair[0]), _CHOICE)
    _, high = clopper_pearson(hits[1], len(pair[1]), _CHOICE)
    return low - math.exp(epsilon) * high


def _finite(rows: Rows) -> Members:
    found: Members = np.logical_and.reduce(np.isfinite(rows), axis=1)
    return found


def _proposals(first: Rows, second: Rows, epsilon: float) -> Iterator[Event]:
    """Yield events that are likelier under the first input, as far as these releases show."""
    yield Event("a release with what is no finite number", lambda rows: ~_finite(rows))
    first, second = first[_finite(first)], second[_finite(second)]
    if len(first) and len(second):
        for each in _of_finite(first, second, epsilon):
            yield Event(each.name, partial(_where_finite, each.members))


def _where_finite(members: Callable[[Rows], Members], rows: Rows) -> Members:
    finite = _finite(rows)
    found: Members = members(np.where(finite[:, None], rows, 0.0)) & finite
    return found


def _of_finite(first: Rows, second: Rows, epsilon: float) -> Iterator[Event]:
    direction = _direction(first, second)
    projected = first @ direction, second @ direction
    yield _cells(projected, direction, epsilon)
    for sign in (1.0, -1.0):
        yield _tail(projected, direction, epsilon, sign)
    yield _low_bits(first, second, epsilon)


def _direction(first: Rows, second: Rows) -> Rows:
    """Return where the means differ most, in the unit of the spread."""
    if first.shape[1] == 1:
        return np.ones(1)
    spread = np.var(first, axis=0) + np.var(second, axis=0)
    towards = (second.mean(axis=0) - first.mean(axis=0)) / np.where(spread > 0, spread, 1.0)
    length = float(np.linalg.norm(towards))
    return towards / length if length > 0 else np.ones(first.shape[1]) / math.sqrt(first.shape[1])


def _gains(first: Counts, second: Counts, epsilon: float) -> Members:
    """Return which cells are so much likelier under the first input that they help."""
    shares = first / max(first.sum(), 1), (second + 0.5) / max(second.sum(), 1)
    found: Members = shares[0] > math.exp(epsilon) * shares[1]
    return found


def _cells(projected: tuple[Rows, Rows], direction: Rows, epsilon: float) -> Event:
    edges = np.unique(np.quantile(np.concatenate(projected), np.arange(1, _CELLS) / _CELLS))
    counts = [np.bincount(np.searchsorted(edges, x), minlength=len(edges) + 1) for x in projected]
    good = _gains(counts[0], counts[1], epsilon)
    name = f"{int(good.sum())} of {len(good)} intervals{_along(direction)}"
    return Event(name, lambda rows: good[np.searchsorted(edges, rows @ direction)])


def _tail(projected: tuple[Rows, Rows], direction: Rows, epsilon: float, sign: float) -> Event:
    """Return the half-line, to one side, that breaks the claim most."""
    ends = np.sort(sign * projected[0])
    beyond = np.sort(sign * projected[1])
    here = 1 - np.arange(len(ends)) / len(ends)
    there = (len(beyond) - np.searchsorted(beyond, ends) + 1) / len(beyond)
    end = float(ends[np.argmax(here - math.exp(epsilon) * there)])
    relation = "≥" if sign > 0 else "≤"
    name = f"release {relation} {sign * end:.6g}{_along(direction)}"
    return Event(name, lambda rows: sign * (rows @ direction) >= end)


def _low_bits(first: Rows, second: Rows, epsilon: float) -> Event:
    """Return a set of places and lowest bits of the first coordinate."""
    edges = np.unique(
        np.quantile(np.concatenate((first[:, 0], second[:, 0])), np.arange(1, _PLACES) / _PLACES)
    )

    def feature(rows: Rows) -> Counts:
        return np.searchsorted(edges, rows[:, 0]) * 4096 + trailing_bits(rows[:, 0]) + 1100

    features = feature(first), feature(second)
    known = np.union1d(*features)
    counts = [np.bincount(np.searchsorted(known, x), minlength=len(known)) for x in features]
    chosen = known[_gains(counts[0], counts[1], epsilon)]
    name = f"the first number is in one of {len(chosen)} sets, each a range and a lowest bit"
    return Event(name, lambda rows: np.isin(feature(rows), chosen))


def _along(direction: Rows) -> str:
    return "" if len(direction) == 1 else " along the direction in which the means differ"


Counts = NDArray[np.int64]
