"""What an audit would have found: the power of each kind of process for a fault of its kind.

Each is a lower bound, in the normal numbers that draws are reduced to. Counts in cells and drift
have Chernoff's bound, Pr[Σ Lᵢ < c] ≤ e^{tc} Π E e^{−tLᵢ}; a cut is certain to be seen, or not at
all; the correlation's sum is taken as normal.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dporacle.samplers import alternatives
from dporacle.samplers.decision import BUDGET, deciding
from dporacle.samplers.evidence import CUT_GAIN, CUT_SHARE, SPREADS
from dporacle.samplers.sketch import DRIFTS, LAGS, STEPS, batch_drift, normal_mixture

Values = NDArray[np.float64]

NUMBERS = 1 << 15
"""Normal numbers in a batch: what is looked at between two decisions."""
_TILTS = np.geomspace(0.01, 1.0, 33)
_WANTED = 0.99
_Power = Callable[[int, int, float], float]


@dataclass(frozen=True)
class Fault:
    """Something that may be wrong.

    Attributes:
        name: what.
        private: whether privacy suffers.
        power: numbers, how many of them are in a batch, and ln of the e-value that one process has
            to reach -> the least power.
    """

    name: str
    private: bool
    power: _Power


@dataclass(frozen=True)
class Power:
    """What an audit would have found.

    Attributes:
        fault: what is wrong.
        power: at least this is the probability to convict it.
        enough: normal numbers that convict it with probability 0.99, in batches of `NUMBERS`.
    """

    fault: str
    power: float
    enough: int


@cache
def _tilted(share: float, scale: float) -> Values:
    """Return ln E e^{−tL} of a number, for each alternative and each t."""
    chances = alternatives.little_noise(share, scale)
    table = alternatives.LITTLE
    return np.array([special.logsumexp(-t * table, axis=1, b=chances) for t in _TILTS])


def _little(share: float, scale: float) -> _Power:
    def power(numbers: int, batch: int, needed: float) -> float:
        goal = needed + math.log(len(alternatives.LITTLE))
        missed = _TILTS[:, None] * goal + numbers * _tilted(share, scale)
        return _seen(float(missed.min()))

    return power


def _seen(log_missed: float) -> float:
    return max(1.0 - math.exp(min(log_missed, 0.0)), 0.0)


def _cut(share: float) -> _Power:
    """Return the power for a law of which both tails, of so large a share, are missing."""

    def power(numbers: int, batch: int, needed: float) -> float:
        missing = CUT_GAIN[-len(alternatives.CUTS) :]
        gain = float(missing[missing <= -math.log1p(-share) * (1 + 1e-9)].max())
        return float(numbers * gain >= needed - math.log(CUT_SHARE))

    return power


def _correlation(slope: float) -> _Power:
    def power(numbers: int, batch: int, needed: float) -> float:
        goal = needed + math.log(LAGS * len(SPREADS)) + 5.0  # for the scale that fits best
        scores = np.linspace(0, 60, 601) * math.sqrt(numbers)
        found = np.max(normal_mixture(scores[:, None], numbers, SPREADS), axis=1)
        enough = np.flatnonzero(found >= goal)
        if not len(enough):
            return 0.0
        score = scores[enough[0]]
        return float(special.ndtr((numbers * slope - score) / math.sqrt(numbers * (1 + slope**2))))

    return power


@cache
def _drifting(change: float, batch: int, *, mean: bool) -> Values:
    """Return ln E e^{−tL} of a batch, half of which have each sign, for each t and each drift.

    Of the drifts of the mean, or of the scale, alone.
    """
    places = special.ndtri((np.arange(400) + 0.5) / 400)
    kinds = np.repeat([False, True, False, True], [len(DRIFTS)] * 2 + [len(STEPS)] * 2)
    found = []
    for sign in (-1.0, 1.0):
        if mean:
            sums = math.sqrt(batch) * places + sign * change * batch
            logs = np.array([batch_drift(s, batch, batch)[kinds] for s in sums])
        else:
            squares = (1 + sign * change) ** 2 * (batch + math.sqrt(2 * batch) * places)
            logs = np.array([batch_drift(0.0, s, batch)[~kinds] for s in squares])
        found.append([special.logsumexp(-t * logs, axis=0) for t in _TILTS])
    return special.logsumexp(found, axis=0) - math.log(2 * len(places))


def _drift(change: float, *, mean: bool = False) -> _Power:
    def power(numbers: int, batch: int, needed: float) -> float:
        goal = needed + math.log(2 * (len(DRIFTS) + len(STEPS)))
        missed = _TILTS[:, None] * goal + numbers // batch * _drifting(change, batch, mean=mean)
        return _seen(float(missed.min()))

    return power


FAULTS = (
    Fault("a millionth of σ in 1 of 1,000 draws", True, _little(1e-3, 1e-6)),
    Fault("half of σ in 1 of 100 draws", True, _little(1e-2, 0.5)),
    Fault(
        "the outermost 1 of 16,000 draws missing (4 σ of Gaussian noise)",
        True,
        _cut(2 * float(special.ndtr(-4.0))),
    ),
    Fault(
        "the outermost 1 of 22,000 draws missing (10 scales of Laplace noise)",
        True,
        _cut(math.exp(-10.0)),
    ),
    Fault("correlation 0.02 with the draw before the last", True, _correlation(0.02)),
    Fault("σ 1 % up and down, batch by batch", False, _drift(0.01)),
    Fault("a mean of 1 % of σ to and fro, batch by batch", False, _drift(0.01, mean=True)),
)
"""Faults whose power is told after every audit, besides a σ that is too small."""


def powers(numbers: int, *, batch: int = NUMBERS, budget: float = BUDGET) -> tuple[Power, ...]:
    """Return the power of an audit for each of `FAULTS`, and what it takes.

    Args:
        numbers: normal numbers seen.
        batch: how many of them came at a time.
        budget: the probability that a correct sampler is accused.
    """
    found = []
    for fault in FAULTS:
        needed = deciding(budget, private=fault.private)
        found.append(Power(fault.name, fault.power(numbers, batch, needed), _enough(fault, needed)))
    return tuple(found)


@cache
def _enough(fault: Fault, needed: float) -> int:
    high = 16
    while fault.power(high, NUMBERS, needed) < _WANTED:
        high *= 2
    low = high // 2
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        enough = fault.power(middle, NUMBERS, needed) >= _WANTED
        low, high = (low, middle) if enough else (middle, high)
    return high
