"""What is common to the schemes: a run, and an interval that is proved (X.BAT)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from flint import arb

from dporacle.enclosures.arithmetic.rounding import bounds

__all__ = ["ADJACENCIES", "Interval", "Run", "Scheme", "from_ball", "larger"]

ADJACENCIES = ("zero-out", "add", "remove", "both", "replace")


@dataclass(frozen=True)
class Run:
    """Epochs of batches.

    Attributes:
        sigma: noise multiplier, in units of the clipping norm.
        batches: T, of an epoch.
        epochs: E.
    """

    sigma: Fraction
    batches: int
    epochs: int


@dataclass(frozen=True)
class Interval:
    """Proved ends.

    Attributes:
        low: what some algorithm and pair of data sets within the hypotheses reaches.
        high: what none exceeds.
        exact: whether both ends enclose the same number, the supremum, by one formula.
    """

    low: Fraction
    high: Fraction
    exact: bool


class Scheme(Protocol):
    """What a module of a scheme has."""

    ADJACENCIES: tuple[str, ...]

    delta: Callable[[Run, Fraction, str], Interval]
    epsilon: Callable[[Run, Fraction, str], Interval]


def from_ball(value: arb) -> Interval:
    """Return the ends of a ball around the supremum, cut at 0."""
    low, high = bounds(value)
    return Interval(max(low, Fraction(0)), max(high, Fraction(0)), exact=True)


def larger(first: Interval, second: Interval) -> Interval:
    """Return the interval of the larger of two suprema."""
    return Interval(
        max(first.low, second.low),
        max(first.high, second.high),
        exact=first.exact and second.exact,
    )
