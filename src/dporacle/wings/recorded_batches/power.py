"""What a recording of this size would show of other ways to draw its batches, and what it cannot.

A fault is *found* if the bet on it alone refutes the scheme. Bounds are for batches of this
recording's number and typical size (proofs_notes/drawn_batches.md, *What is found*).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final

import numpy as np
from scipy.special import gammaln
from scipy.stats import binom

from dporacle.enclosures.arithmetic.rounding import round_decimal
from dporacle.wings.recorded_batches.bets import FIRMNESS, PERIODS
from dporacle.wings.recorded_batches.draws import Reals
from dporacle.wings.recorded_batches.likelihoods import Models
from dporacle.wings.recorded_batches.recording import Recording
from dporacle.wings.recorded_batches.refutation import FALSE_ALARM, SchemeEvidence, log_cost
from dporacle.wings.recorded_batches.sizes import rate_bets, rate_of_halves, rates_tried
from dporacle.wings.recorded_batches.sums import log_beta, log_choose

UNSEEN: Final = (
    "that a draw depends on what the records contain, or on what was released",
    "randomness that can be predicted, or is used again outside of this recording",
    "what is done with a batch after it was drawn, and batches that are not recorded",
    "groups of records that no test knows, such as one record of each class in each batch, or "
    "pairs that exclude each other",
)
"""What no recording shows."""

_DEVIATIONS: Final = 4.0
"""Standard deviations that a bet's gain may fall short: 3e-5 for a normal law."""
_QUANTILE: Final = 1e-3
_REACH: Final = 12.0  # standard deviations, beyond which masses do not count
_SLACK: Final = 8.0  # of the likeliest rate over the rate of the mean: √16 standard deviations


@dataclass(frozen=True, slots=True)
class DetectionLimit:
    """From where on a fault is found with probability 0.99 at least.

    Attributes:
        fault: what may be wrong.
        found: from where on it is found; None: at no size of the fault.
    """

    fault: str
    found: str | None


def powers(
    recording: Recording, evidence: SchemeEvidence, *, false_alarm: float = FALSE_ALARM
) -> tuple[DetectionLimit, ...]:
    """Return what would be found instead of a scheme that is not refuted.

    Args:
        recording: the batches.
        evidence: what they say about the scheme.
        false_alarm: the probability at most with which the scheme that was used is refuted.
    """
    models = Models(recording, None)
    need = log_cost(models, guessed=recording.guessed) - math.log(false_alarm)
    size = float(np.median(models.sizes))
    count = len(models.sizes)
    found: list[DetectionLimit] = []
    if evidence.scheme in ("poisson", "fixed-size", "with-replacement"):
        found.append(_half_of_records(models, need))
    if evidence.scheme in ("poisson", "truncated", "fixed-size", "with-replacement"):
        found.append(_copied(models, need, size, replaced=evidence.scheme == "with-replacement"))
    if evidence.scheme == "poisson":
        found.append(_half_of_steps(models, need))
        found.append(_capped(models, need))
        found.append(_empty(models, need))
    if evidence.scheme in ("shuffled", "balls-and-bins"):
        length = evidence.batches_per_epoch
        if length and count > length:
            found.append(_copied(models, need, size, replaced=False))
    if evidence.scheme in ("shuffled", "shuffled-once"):
        found.append(_window(models, need, evidence))
    return tuple(found)


def _rate(models: Models) -> float:
    return float(models.sizes.sum()) / (len(models.sizes) * models.records)


def _least(good: Callable[[float], bool], low: float, high: float) -> float | None:
    """Return nearly the least number from which on a bet is won, or None."""
    if not good(high):
        return None
    for _ in range(14):
        middle = (low + high) / 2
        low, high = (low, middle) if good(middle) else (middle, high)
    return high


def _around(count: int, *rates: float) -> Reals:
    ends = [(count * q, math.sqrt(count * q * (1 - q)) + 1) for q in rates]
    low = max(0, min(math.floor(mean - _REACH * scale) for mean, scale in ends))
    high = min(count, max(math.ceil(mean + _REACH * scale) for mean, scale in ends))
    return np.arange(low, high + 1, dtype=float)


def _half_of_records(models: Models, need: float) -> DetectionLimit:
    fault = "half of the records, whichever, are drawn at another rate than the rest"
    count, records = len(models.sizes), models.records
    rate = _rate(models)
    minor = min(rate, 1 - rate)
    sizes = models.sizes if minor == rate else records - models.sizes
    before = np.cumsum(sizes) - sizes
    costs = {
        firm: float((sizes * np.log((before + records * firm) / records)).sum())
        for firm in FIRMNESS
    }
    spare = need + math.log(len(FIRMNESS) * len(PERIODS))

    def good(apart: float) -> bool:
        both = (minor + apart, minor - apart)
        values = _around(count, *both)
        masses = sum(binom.pmf(values, count, each) for each in both) / 2
        for firm in FIRMNESS:
            gain = gammaln(values + firm) - math.lgamma(firm)
            mean = float(masses @ gain)
            centred, steps = gain - mean, values - float(masses @ values)
            spread = float(masses @ steps**2)
            # The number of draws is what it is: only what does not go with it varies.
            slope = float(masses @ (centred * steps)) / spread if spread else 0.0
            rest = centred - slope * steps
            scale = math.sqrt(records * float(masses @ rest**2))
            if records * mean - costs[firm] - _DEVIATIONS * scale >= spare:
                return True
        return False

    if not minor or records < 2:
        return DetectionLimit(fault, None)
    apart = _least(good, 0.0, minor)
    return DetectionLimit(fault, None if apart is None else _two_rates(rate, apart))


def _two_rates(rate: float, apart: float) -> str:
    low, high = rate - apart, rate + apart
    # What is found with this probability: no factor and no distance below is stated.
    least, most = (
        round_decimal(Fraction(low), 3, up=False),
        round_decimal(Fraction(high), 3, up=True),
    )
    if low <= 1e-9:
        return f"no draws of a half (rates of {least} and {most})"
    factor = round_decimal(Fraction(most) / Fraction(least), 3, up=True)
    return f"a factor of {factor} or more (rates of {least} and {most})"


def _half_of_steps(models: Models, need: float) -> DetectionLimit:
    fault = "the rate of the first half of the steps is not that of the second"
    count, records = len(models.sizes), models.records
    rate = _rate(models)
    first = records * (count // 2)
    second = records * count - first
    spare = need + math.log(rate_bets())

    def good(apart: float) -> bool:
        lower = float(binom.isf(_QUANTILE, first, rate - apart))
        upper = float(binom.ppf(_QUANTILE, second, rate + apart))
        if lower / first >= upper / second:
            return False
        return rate_of_halves(lower, first, upper, second) >= spare

    if count < 2 or not 0 < rate < 1:
        return DetectionLimit(fault, None)
    apart = _least(good, 0.0, min(rate, 1 - rate))
    return DetectionLimit(fault, None if apart is None else _two_rates(rate, apart))


def _gain(sizes: Reals, law: Reals, records: int, count: int) -> float:
    """Return a lower end of the log ratio of a law of sizes to that of the likeliest rate."""
    some = law > -700
    sizes, law = sizes[some], law[some]
    masses = np.exp(law)
    mean = float(masses @ sizes) / float(masses.sum()) / records
    ratio = law - binom.logpmf(sizes, records, mean)
    middle = float(masses @ ratio)
    scale = math.sqrt(max(0.0, count * float(masses @ (ratio - middle) ** 2)))
    return count * middle - _DEVIATIONS * scale - _SLACK


def _capped(models: Models, need: float) -> DetectionLimit:
    fault = "larger batches are cut to a cap"
    count, records = len(models.sizes), models.records
    rate = _rate(models)
    if count < 2 or not 0 < rate < 1:
        return DetectionLimit(fault, None)
    mean, scale = records * rate, math.sqrt(records * rate * (1 - rate))
    best = None
    for cap in sorted({math.floor(mean + z * scale) for z in np.arange(-1.0, 3.01, 0.25)}):
        if not 1 <= cap < records:
            continue
        sizes = _around(records, rate)
        sizes = sizes[sizes <= cap]
        law = binom.logpmf(sizes, records, rate)
        law[-1] = binom.logsf(cap - 1, records, rate)
        spare = need + math.log(2 * (cap + 1) * (cap + 2) * rates_tried(records * count)) + 1
        if _gain(sizes, law, records, count) >= spare:
            best = cap
    told = None if best is None else f"caps of up to {best:,} records, at a rate of {rate:.3g}"
    return DetectionLimit(fault, told)


def _empty(models: Models, need: float) -> DetectionLimit:
    fault = "empty batches are drawn again"
    count, records = len(models.sizes), models.records
    rate = _rate(models)
    if not 0 < rate < 1 or records * rate <= 1:
        return DetectionLimit(fault, None)
    low, high = 0.0, rate
    for _ in range(60):  # the rate before some batches were drawn again
        middle = (low + high) / 2
        some = -math.expm1(records * math.log1p(-middle))
        low, high = (middle, high) if some and middle / some < rate else (low, middle)
    sizes = _around(records, high)
    sizes = sizes[sizes >= 1]
    law = binom.logpmf(sizes, records, high) - binom.logsf(0, records, high)
    spare = need + math.log(2 * rates_tried(records * count)) + 1
    won = _gain(sizes, law, records, count) >= spare
    return DetectionLimit(fault, "all empty batches" if won else None)


def _copied(models: Models, need: float, size: float, *, replaced: bool) -> DetectionLimit:
    fault = "batches are copies of earlier ones"
    count, records = len(models.sizes), models.records
    if count < 2 or not size:
        return DetectionLimit(fault, None)
    if replaced:
        each = size * math.log(records) - math.lgamma(size + 1)
    else:
        each = float(log_choose(records, math.floor(size)))
    each -= math.log(2 * count * (count + 1))
    copied = np.unique(np.geomspace(1, count - 1, 400).astype(np.int64))
    chance = log_beta(copied + 0.5, count - copied + 0.5) - log_beta(0.5, 0.5)
    won = np.flatnonzero(chance + copied * each >= need)
    if not len(won):
        return DetectionLimit(fault, None)
    least = int(copied[won[0]])
    return DetectionLimit(fault, f"{least:,} or more copies of batches of {size:g} records")


def _window(models: Models, need: float, evidence: SchemeEvidence) -> DetectionLimit:
    fault = "the order is that of the file, shuffled within a window"
    best = None
    for cut in models.cuts:
        if cut.length == evidence.batches_per_epoch:
            best = cut.widest_seen(models.records, need, once=evidence.scheme == "shuffled-once")
    return DetectionLimit(fault, None if best is None else f"windows of up to {best:,} records")
