"""What an experiment yields: lines with an exact value, a measured one, or both."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt
from scipy import stats

from dporacle.arguments import show
from dporacle.fast import binomial_upper

FALSE_ALARM = 1e-6
"""The probability with which one interval misses a value that is right."""

Values = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True, kw_only=True)
class Measured:
    """A measured value and the interval around it.

    Attributes:
        value: the estimate.
        low: the interval's lower end.
        high: its upper end; the interval misses the true value with probability FALSE_ALARM.
    """

    value: float
    low: float
    high: float


@dataclass(frozen=True, slots=True, kw_only=True)
class Line:
    """One number of an experiment.

    Attributes:
        setting: the parameters, in words.
        mechanism: what it is about.
        quantity: what it is.
        exact: its exact value, if there is one.
        measured: what was measured of it, if anything.
    """

    setting: str
    mechanism: str
    quantity: str
    exact: float | None = None
    measured: Measured | None = None

    @property
    def agrees(self) -> bool | None:
        """Whether the exact value lies in the interval; None if one of them is missing."""
        if self.exact is None or self.measured is None:
            return None
        return self.measured.low <= self.exact <= self.measured.high


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """The outcome of an experiment.

    Attributes:
        name: the experiment.
        statement: the id of the catalogue's row.
        title: what was run, in a line.
        lines: its numbers.
        facts: what the numbers say about the source, a sentence each.
        series: what a picture of it shows, by name.
    """

    name: str
    statement: str
    title: str
    lines: Sequence[Line]
    facts: Sequence[str] = ()
    series: dict[str, Any] = field(default_factory=dict, repr=False, compare=False)

    @property
    def disagreeing(self) -> list[Line]:
        """The lines whose exact value lies outside the interval."""
        return [line for line in self.lines if line.agrees is False]


def repeated(repetitions: int, most: int) -> int:
    """Return a number of repetitions that intervals can be made of and memory has room for.

    Raises:
        TypeError, ValueError: naming it, if it is not an integer from 10 to `most`.
    """
    if isinstance(repetitions, bool) or not isinstance(repetitions, int):
        raise TypeError(f"repetitions must be an integer, got {show(repetitions)}")
    if not 10 <= repetitions <= most:
        raise ValueError(f"repetitions must be from 10 to {most}, got {show(repetitions)}")
    return repetitions


def generator(seed: int) -> np.random.Generator:
    """Return the random generator of a seed.

    Raises:
        TypeError, ValueError: naming the seed, if it is not an integer from 0.
    """
    if isinstance(seed, bool) or not isinstance(seed, int):
        raise TypeError(f"seed must be an integer, got {show(seed)}")
    if seed < 0:
        raise ValueError(f"seed must be at least 0, got {show(seed)}")
    return np.random.default_rng(seed)


def student_mean(losses: Values, *, around: Values | float = 0.0) -> Measured:
    """Return the mean of losses, with Student's interval: exact in the normal limit.

    Args:
        losses: one per repetition.
        around: the conditional mean of each, if known; the interval is then for their mean.
    """
    gaps = losses - around
    half = float(stats.t.isf(FALSE_ALARM / 2, losses.size - 1) * stats.sem(gaps))
    mean = float(np.mean(losses))
    return Measured(value=mean, low=mean - half, high=mean + half)


def chi_square_mean(losses: Values, *, freedom: int) -> Measured:
    """Return the mean of losses that are a constant times χ² with so many degrees of freedom.

    Their sum is χ² too, so that the interval is exact.
    """
    total, degrees = float(np.sum(losses)), losses.size * freedom
    return Measured(
        value=total / losses.size,
        low=freedom * total / float(stats.chi2.isf(FALSE_ALARM / 2, degrees)),
        high=freedom * total / float(stats.chi2.ppf(FALSE_ALARM / 2, degrees)),
    )


def variance_quotient(first: Values, second: Values) -> Measured:
    """Return the quotient of the variances of two centred normal samples; the interval is exact."""
    quotient = float(np.mean(first**2) / np.mean(second**2))
    return Measured(
        value=quotient,
        low=quotient / float(stats.f.isf(FALSE_ALARM / 2, first.size, second.size)),
        high=quotient / float(stats.f.ppf(FALSE_ALARM / 2, first.size, second.size)),
    )


def binomial(hits: int, trials: int) -> Measured:
    """Return a frequency with its Clopper–Pearson interval, which is never too narrow."""
    tail = FALSE_ALARM / 2
    lack, high = (
        float(binomial_upper(successes=each, trials=trials, alpha=tail))
        for each in (trials - hits, hits)
    )
    low = max(math.nextafter(1 - lack, 0.0), 0.0)
    return Measured(value=hits / trials, low=low, high=high)
