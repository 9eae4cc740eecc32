"""One random permutation for all epochs (X.BAT.SHUFFLED, S3).

The mean over the epochs is sufficient for the pairs of S1 and S2: the lower bounds are those of one
shuffled epoch at noise σ/√E. From above: deterministic batches; for one epoch, shuffled ones.
"""

from __future__ import annotations

import contextlib
from fractions import Fraction

from dporacle.enclosures.batches import balls_and_bins, deterministic, shuffled
from dporacle.enclosures.batches.inversion import Mean
from dporacle.enclosures.batches.scheme import Epochs, Interval
from dporacle.enclosures.batches.shuffled import ADJACENCIES as ADJACENCIES

__all__ = ["ADJACENCIES", "delta", "epsilon"]


def _lower(
    run: Epochs, adjacency: str, *, delta: Fraction | None = None, epsilon: Fraction | None = None
) -> Fraction:
    """Bound ε at a δ, or δ at an ε, from below."""
    variance, distance = run.sigma**2 / run.epochs, 2 if adjacency == "replace" else 1
    law = Mean(distance**2 / variance, ((Fraction(1), run.batches),))
    low = shuffled.by_sum(run, distance, delta, epsilon)
    with contextlib.suppress(ArithmeticError):
        for way in ("remove", "add"):
            if delta is not None:
                found = balls_and_bins.pair_epsilon(law, 1, delta, way)
            else:
                assert epsilon is not None
                found = balls_and_bins.pair_delta(law, 1, epsilon, way)
            low = max(low, found.low)
    with contextlib.suppress(ArithmeticError):
        single = shuffled.one_epoch(variance, run.batches, adjacency, delta=delta, epsilon=epsilon)
        low = max(low, single)
    return low


def delta(run: Epochs, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε."""
    if run.epochs == 1 or run.batches == 1:
        return shuffled.delta(run, epsilon, adjacency)
    low = _lower(run, adjacency, epsilon=epsilon)
    return Interval(low, deterministic.delta(run, epsilon, adjacency).high, exact=False)


def epsilon(run: Epochs, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ."""
    if run.epochs == 1 or run.batches == 1:
        return shuffled.epsilon(run, delta, adjacency)
    low = _lower(run, adjacency, delta=delta)
    return Interval(low, deterministic.epsilon(run, delta, adjacency).high, exact=False)
