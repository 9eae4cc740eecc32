"""What an audit would have found: the power of each kind of process for a fault of its kind.

Each is a lower bound, in the normal numbers that draws are reduced to. Counts in cells and drift
have Chernoff's bound, Pr[Σ Lᵢ < c] ≤ e^{tc} Π E e^{−tLᵢ}; a cut is certain to be seen, or not at
all; the correlation's sum is taken as normal. Of copies those count that are kept, and that no
rounding changed; of generators that are made anew, two requests that begin with the same seed.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy import special, stats

from dporacle.wings.samplers import alternatives
from dporacle.wings.samplers.decision import BUDGET, deciding
from dporacle.wings.samplers.evidence import CUT_GAIN, CUT_SHARE, SPREADS, come_again
from dporacle.wings.samplers.law import ALIKE
from dporacle.wings.samplers.repeats import KEPT, Repeats, Watch
from dporacle.wings.samplers.sketch import DRIFTS, LAGS, STEPS, batch_drift, normal_mixture

Values = NDArray[np.float64]

NUMBERS = 1 << 15
"""Normal numbers in a batch: what is looked at between two decisions."""
FRESH = 2
"""So many batches of a program are the first ones of as many processes."""
SHORT, REQUESTS = 64, 1024
"""How many numbers a short request has at least, and how many are made after these batches."""
SEEDS = 1 << 16
_ROUNDED = 1 / 6
"""The share of copies, at most, that the rounding of a sum takes to another cell."""
_TILTS = np.geomspace(0.01, 1.0, 33)
_WANTED = 0.99
_MOST = 1 << 62
"""Numbers with which a fault is looked for: more than anybody draws."""
_Power = Callable[[int, int, float], float]


@dataclass(frozen=True)
class Fault:
    """Something that may be wrong.

    Attributes:
        name: what.
        private: whether what is told is the power to prove a loss of privacy; else that to convict.
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
        enough: normal numbers that convict it with probability 0.99, in batches of `NUMBERS`; None
            if no number does, as of copies of which too few are kept.
    """

    fault: str
    power: float
    enough: int | None


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


ALONE = Watch(1, KEPT, ALIKE)
"""How copies are looked for in noise of laws with a density: draw by draw."""


def _copied(copies: Callable[[int, int], int], watch: Watch) -> _Power:
    """Return the power for so many copies, of some numbers in batches, of draws or of groups."""

    def power(numbers: int, batch: int, needed: float) -> float:
        kept = min(1.0, watch.kept / numbers)
        mean = copies(numbers, batch) * kept * (1 - _ROUNDED)
        # Chernoff: no more than half of the mean, with a probability of e^{−mean/8} if the groups
        # were apart; of those that overlap one in `size` is.
        half = np.array([int(mean / 2)])
        met = Repeats(watch, numbers, np.zeros(1, dtype=np.uint64), half)
        return _seen(-mean / 8 / watch.size) if come_again(met) >= needed else 0.0

    return power


def _thousandths(numbers: int, batch: int) -> int:
    return numbers // 1000


def _tenths(numbers: int, batch: int) -> int:
    return numbers // (10 * batch) * batch


def _second(numbers: int, batch: int) -> int:
    return numbers // (2 * batch) * batch


@cache
def _of_copies(watch: Watch) -> tuple[Fault, ...]:
    """Return the faults that such groups show; copies of single draws if they are of one draw."""
    kinds = [
        ("every tenth batch has the noise of the one before", _tenths),
        ("every second batch has the noise of the one before", _second),
    ]
    if watch.size == 1:
        kinds.insert(0, ("1 of 1,000 draws is one that came before", _thousandths))
    return tuple(Fault(name, False, _copied(copies, watch)) for name, copies in kinds)


def _closer(scale: float) -> _Power:
    """Return the power to prove that too much of the noise lies within some interval.

    The number that does is a binomial one, and each alternative has its least number.
    """

    def power(numbers: int, batch: int, needed: float) -> float:
        halves = alternatives.HALVES[(alternatives.HALVES > 0.5) & (alternatives.HALVES < 2.5)]
        table = alternatives.outside(halves)
        goal = needed + math.log(alternatives.INSIDE.size + 1)
        claimed = 2 * special.ndtr(-halves)[:, None]
        gain, loss = np.log((1 - table) / (1 - claimed)), np.log(table / claimed)
        with np.errstate(divide="ignore", invalid="ignore"):
            least = np.where(gain > loss, (goal - numbers * loss) / (gain - loss), np.inf)
        least = np.where(table < claimed, np.ceil(least), np.inf)
        share = 1 - 2 * special.ndtr(-halves / scale)[:, None]
        return float(np.max(stats.binom.sf(least - 1, numbers, share)))

    return power


def _seeded(requests: int) -> float:
    """Return the probability that two of so many requests have the same one of `SEEDS` seeds."""
    return -math.expm1(float(np.sum(np.log1p(-np.arange(min(requests, SEEDS)) / SEEDS))))


@cache
def _of_requests(numbers: int) -> Fault:
    """Return the fault of requests, of so many numbers each, from the third batch on."""

    def power(drawn: int, batch: int, needed: float) -> float:
        requests = max((drawn - FRESH * batch) // numbers, 0)
        return _seeded(min(requests, REQUESTS))

    return Fault(SEEDED, False, power)


PROVED = "σ 1 % too small, proved to be a loss of privacy"
FAULTS = (
    Fault("σ is a millionth in 1 of 1,000 draws", False, _little(1e-3, 1e-6)),
    Fault("σ is halved in 1 of 100 draws", False, _little(1e-2, 0.5)),
    Fault(
        "the outermost 1 of 16,000 draws missing (4 σ of Gaussian noise)",
        False,
        _cut(2 * float(special.ndtr(-4.0))),
    ),
    Fault(
        "the outermost 1 of 22,000 draws missing (10 scales of Laplace noise)",
        False,
        _cut(math.exp(-10.0)),
    ),
    Fault("correlation 0.02 with the draw before the last", False, _correlation(0.02)),
    Fault("σ 1 % up and down, batch by batch", False, _drift(0.01)),
    Fault("a mean of 1 % of σ to and fro, batch by batch", False, _drift(0.01, mean=True)),
    Fault(PROVED, True, _closer(0.99)),
)
"""Faults whose power is told after every audit, besides a σ that is too small."""
SEEDED = "each request begins with one of 65,536 seeds"
"""A fault of requests, which a file does not show."""
ONE_SEED = "the same seed in every process"
"""A fault of processes, which is seen as soon as two have drawn their first batches."""


def powers(
    numbers: int,
    *,
    batch: int = NUMBERS,
    budget: float = BUDGET,
    requests: int = 0,
    short: int = SHORT,
    processes: int = 1,
    watch: Watch = ALONE,
) -> tuple[Power, ...]:
    """Return the power of an audit for each kind of fault, and what it takes.

    Args:
        numbers: normal numbers seen.
        batch: how many of them came at a time.
        budget: the probability that a correct sampler is accused.
        requests: short requests that were made; none of a file.
        short: normal numbers in each of these.
        processes: of a program, processes whose first draws were seen.
        watch: the longest groups of draws of which copies are looked for.
    """
    found = []
    for fault in (*FAULTS, *_of_copies(watch)):
        needed = deciding(budget, private=fault.private)
        found.append(Power(fault.name, fault.power(numbers, batch, needed), _enough(fault, needed)))
    if requests:
        found.append(Power(SEEDED, _seeded(requests), _enough(_of_requests(short), 0.0)))
    if processes > 1:
        found.append(Power(ONE_SEED, 1.0, FRESH * NUMBERS))
    return tuple(found)


@cache
def _enough(fault: Fault, needed: float) -> int | None:
    high = 16
    while fault.power(high, NUMBERS, needed) < _WANTED:
        high *= 2
        if high > _MOST:
            return None
    low = high // 2
    while high - low > max(1, high // 100):
        middle = (low + high) // 2
        enough = fault.power(middle, NUMBERS, needed) >= _WANTED
        low, high = (low, middle) if enough else (middle, high)
    return high
