"""Deterministic batches: each record in exactly one, fixed, batch of each epoch (X.BAT.FIXED).

The E steps of a record are E Gaussian releases, of sensitivity 1 (zero-out, add/remove) or 2
(replace-one), whatever the others do. Any order that is drawn independently of the data is at
most as bad (zero-out and replace-one).
"""

from __future__ import annotations

from fractions import Fraction

from dporacle.enclosures.batches.scheme import ADJACENCIES as ADJACENCIES
from dporacle.enclosures.batches.scheme import Epochs, Interval, from_ball
from dporacle.enclosures.composition import repeated_delta, repeated_epsilon

__all__ = ["ADJACENCIES", "delta", "epsilon"]

_DIGITS = 25  # five more than by which a run sees that two ends are one number


def delta(run: Epochs, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε."""
    value = repeated_delta(
        epsilon=epsilon,
        sigma=run.sigma,
        releases=run.epochs,
        sensitivity=2 if adjacency == "replace" else 1,
        digits=_DIGITS,
    )
    return from_ball(value)


def epsilon(run: Epochs, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ."""
    value = repeated_epsilon(
        delta=delta,
        sigma=run.sigma,
        releases=run.epochs,
        sensitivity=2 if adjacency == "replace" else 1,
        digits=_DIGITS,
    )
    return from_ball(value)
