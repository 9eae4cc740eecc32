"""What is common to the schemes: a run, and an interval that is proved (X.BAT)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from flint import arb

from dporacle.enclosures.arithmetic.rounding import bounds

ADJACENCIES = ("zero-out", "add", "remove", "both", "replace")


@dataclass(frozen=True)
class Epochs:
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

    delta: Callable[[Epochs, Fraction, str], Interval]
    epsilon: Callable[[Epochs, Fraction, str], Interval]


MOST_BATCHES = 10**6  # more would take hours
_MOST_EPOCHS = 10**5  # more would take hours
_LEAST_DELTA = 1e-280  # a millionth of it, over all epochs, is still a normal float64
_LEAST_SIGMA = Fraction(1, 10**100)  # its square and the inverse of that are float64 numbers


def affordable(batches: int, epochs: int, delta: Fraction | None) -> None:
    """Refuse what floats do not design, or what would take hours.

    Raises:
        ArithmeticError: naming what is too much.
    """
    if batches > MOST_BATCHES:
        raise ArithmeticError(f"more than {MOST_BATCHES} batches an epoch are not enclosed")
    if epochs > _MOST_EPOCHS:
        raise ArithmeticError(f"more than {_MOST_EPOCHS} epochs are not enclosed")
    if delta is not None and delta < _LEAST_DELTA:
        raise ArithmeticError(f"a delta below {_LEAST_DELTA:g} is not enclosed")


def designed(sigma: Fraction) -> None:
    """Refuse a noise multiplier whose inverse or square leaves the floats that design.

    Raises:
        ArithmeticError: naming it.
    """
    if not _LEAST_SIGMA <= sigma <= 1 / _LEAST_SIGMA:
        raise ArithmeticError("a noise multiplier outside [1e-100, 1e100] is not enclosed")


def from_ball(value: arb) -> Interval:
    """Return the ends of a ball around the supremum, cut at 0, or [0, 2^-8000] if it is less."""
    if not value.is_zero() and abs(value) < arb(2) ** -8000:
        return Interval(Fraction(0), Fraction(1, 1 << 8000), exact=True)
    low, high = bounds(value)
    return Interval(max(low, Fraction(0)), max(high, Fraction(0)), exact=True)


def larger(first: Interval, second: Interval) -> Interval:
    """Return the interval of the larger of two suprema."""
    return Interval(
        max(first.low, second.low), max(first.high, second.high), exact=first.exact and second.exact
    )
