"""One random permutation for all epochs (X.BAT.SHUFFLED, S3).

The mean over the epochs is sufficient for the pairs of S1 and S2: the lower bounds are those of one
shuffled epoch at noise σ/√E. From above: deterministic batches; for one epoch, shuffled ones.
"""

from __future__ import annotations

import contextlib
from fractions import Fraction

from dporacle.enclosures.batches import balls_and_bins, deterministic, shuffled
from dporacle.enclosures.batches.inversion import Mean
from dporacle.enclosures.batches.scheme import Interval, Run
from dporacle.enclosures.batches.shuffled import ADJACENCIES as ADJACENCIES

__all__ = ["ADJACENCIES", "delta", "epsilon"]


def _law(run: Run, adjacency: str) -> Mean:
    distance = 2 if adjacency == "replace" else 1
    return Mean(distance**2 * run.epochs / run.sigma**2, ((Fraction(1), run.batches),))


def _tests(run: Run, adjacency: str, floor: float) -> shuffled.Tests:
    return shuffled.tests(run.sigma**2 / run.epochs, run.batches, floor * 1e-4, adjacency)


def delta(run: Run, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε."""
    if run.epochs == 1 or run.batches == 1:
        return shuffled.delta(run, epsilon, adjacency)
    low = Fraction(0)
    with contextlib.suppress(ArithmeticError):
        for way in ("remove", "add"):
            found = balls_and_bins.pair_delta(_law(run, adjacency), 1, epsilon, way)
            low = max(low, found.low)
    with contextlib.suppress(ArithmeticError):
        for each in _tests(run, adjacency, 1e-13):
            low = max(low, shuffled.at_epsilon(each, epsilon))
    return Interval(low, deterministic.delta(run, epsilon, adjacency).high, exact=False)


def epsilon(run: Run, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ."""
    if run.epochs == 1 or run.batches == 1:
        return shuffled.epsilon(run, delta, adjacency)
    low = Fraction(0)
    with contextlib.suppress(ArithmeticError):
        for way in ("remove", "add"):
            found = balls_and_bins.pair_epsilon(_law(run, adjacency), 1, delta, way)
            low = max(low, found.low)
    with contextlib.suppress(ArithmeticError):
        for each in _tests(run, adjacency, float(delta)):
            low = max(low, shuffled.at_delta(each, delta))
    return Interval(low, deterministic.epsilon(run, delta, adjacency).high, exact=False)
