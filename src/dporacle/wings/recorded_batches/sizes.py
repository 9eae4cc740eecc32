"""Bets against the sizes of batches that Poisson sampling, or balls and bins, give.

`Sizes` are compared with proper laws of sizes. Given its size each batch is a random set, so the
ratio of the laws of sizes is that of laws of batches (proofs_notes/drawn_batches.md, W6).
"""

import math
from collections.abc import Callable
from typing import Final

import numpy as np
from scipy.special import expit, gammaln, log_ndtr, xlog1py, xlogy
from scipy.stats import binom

from dporacle.wings.recorded_batches.draws import Reals
from dporacle.wings.recorded_batches.sums import log_beta, log_choose, log_mean, log_sum

_SPANS: Final = (2, 4, 16, 64)
_PERIODS: Final = tuple(range(2, 17))
_SPREADS: Final = (2.0**-8, 2.0**-6, 2.0**-4, 2.0**-2, 2.0**-1, 2.0, 4.0, 16.0, 64.0, 256.0)
"""The variance of the sizes, against that of chance."""
_PARTS = 32
_FARTHEST: Final = 40.0  # logarithm of the odds of a rate
_NARROWED: Final = 120  # times, each by a third, of the likeliest rate of truncated batches


class Sizes:
    """Sizes of batches, each of which is binomial with one rate, under Poisson sampling.

    Args:
        sizes: of the batches.
        records: of the data set.
        rate: where it is stated; None: the likeliest one.
        cap: the most records of a truncated batch, where larger ones are cut to it.
    """

    def __init__(
        self, sizes: Reals, records: int, rate: float | None, cap: int | None = None
    ) -> None:
        self._sizes = sizes
        self._records = records
        self._count = len(sizes)
        self._total = float(sizes.sum())
        self._cells = float(records) * self._count
        used = self._total / self._cells if rate is None else rate
        self._own = float(xlogy(self._total, used) + xlog1py(self._cells - self._total, -used))
        self._sets = float(log_choose(records, sizes).sum())
        values, times = np.unique(sizes, return_counts=True)
        self._values, self._times = values, times.astype(float)
        if cap is not None and cap < records:
            self._own = self._truncated(cap, rate) - self._sets

    def log(self) -> float:
        """Return the log probability of batches of these sizes, at the likeliest rate."""
        return self._own

    def _truncated(self, cap: int, rate: float | None) -> float:
        """Return the log probability of the sizes where larger ones are cut to a cap.

        It is concave in ln(q/(1 − q)): a law's tail is log-concave, and loses variance by its cut.
        """
        inside = self._values < cap
        at, below = float(self._times[~inside].sum()), self._times[inside]

        def law(q: float) -> float:
            rates = np.array([q])
            logs = binom.logsf(cap - 1, self._records, rates)
            some = below @ self._mass(self._values[inside], rates)
            return float((some + (at * logs if at else 0.0))[0])

        if rate is not None:
            return law(rate)
        if not self._total:
            return 0.0  # all are empty at a rate of 0
        if not len(below):
            return 0.0  # all are full at a rate of 1
        low, high = -_FARTHEST, _FARTHEST
        for _ in range(_NARROWED):
            third = (high - low) / 3
            left, right = (law(float(expit(x))) for x in (low + third, high - third))
            low, high = (low + third, high) if left < right else (low, high - third)
        return law(float(expit((low + high) / 2)))

    def rate_of_steps(self) -> float:
        """Bet on a rate that changes over the run, or that steps take in turn."""
        every = np.arange(self._count)
        logs = [self._rates(every * spans // self._count) for spans in _SPANS]
        logs += [self._rates(every % period) for period in _PERIODS]
        return log_mean(logs) - self._own

    def _rates(self, parts: np.ndarray) -> float:
        taken = np.bincount(parts, weights=self._sizes)
        cells = np.bincount(parts) * float(self._records)
        each = log_beta(taken + 0.5, cells - taken + 0.5) - log_beta(0.5, 0.5)
        return float(each[cells > 0].sum())

    def spread(self) -> float:
        """Bet on sizes that differ less, or more, than those of one rate."""
        if self._count < 2:
            return 0.0
        seen = np.cumsum(self._sizes)[:-1]
        steps = np.arange(1, self._count)
        rate = (seen + 0.5) / (steps * self._records + 1.0)
        mean = self._records * rate
        variance = mean * (1 - rate) * (1 + 1 / steps)
        first = float(
            log_beta(self._sizes[0] + 0.5, self._records - self._sizes[0] + 0.5)
            - log_beta(0.5, 0.5)
            + log_choose(self._records, self._sizes[0])
        )
        laws = log_spread(self._sizes[1:], mean, variance)
        return first + laws - self._sets - self._own

    def capped(self) -> float:
        """Bet that larger batches were cut to the largest size seen, or drawn again."""
        cap = float(self._values[-1])
        if cap >= self._records:
            return -math.inf  # there is no cap
        inside = self._values < cap
        at, below = self._times[-1], self._times[inside]

        def cut(rates: Reals) -> Reals:
            some = below @ self._mass(self._values[inside], rates)
            found: Reals = some + at * binom.logsf(cap - 1, self._records, rates)
            return found

        def redrawn(rates: Reals) -> Reals:
            whole = self._times @ self._mass(self._values, rates)
            found: Reals = whole - self._count * binom.logcdf(cap, self._records, rates)
            return found

        laws = log_mean([self._mixed(cut), self._mixed(redrawn)])
        return laws - math.log((cap + 1) * (cap + 2)) - self._sets - self._own

    def redrawn(self) -> float:
        """Bet that smaller batches than the smallest seen were drawn again, such as empty ones."""
        least = float(self._values[0])
        if not least:
            return -math.inf  # none was drawn again

        def law(rates: Reals) -> Reals:
            whole = self._times @ self._mass(self._values, rates)
            found: Reals = whole - self._count * binom.logsf(least - 1, self._records, rates)
            return found

        return self._mixed(law) - math.log(least * (least + 1)) - self._sets - self._own

    def multiples(self) -> float:
        """Bet that sizes are rounded, down or up, to multiples of a number."""
        unit = int(np.gcd.reduce(self._values.astype(np.int64)))
        if unit < 2:
            return -math.inf

        def rounded(rates: Reals, *, up: bool) -> Reals:
            low = self._values[:, None] - (unit if up else 1)
            high = self._values[:, None] + (0 if up else unit - 1)
            n = self._records
            below = binom.cdf(high, n, rates) - binom.cdf(low, n, rates)
            above = binom.sf(low, n, rates) - binom.sf(high, n, rates)
            # The smaller numbers have the smaller errors.
            masses = np.where(low > n * rates, above, below)
            found: Reals = self._times @ np.log(np.maximum(masses, 0.0))
            return found

        down = self._mixed(lambda rates: rounded(rates, up=False))
        laws = log_mean([down, self._mixed(lambda rates: rounded(rates, up=True))])
        return laws - math.log(unit * (unit - 1)) - self._sets - self._own

    def _mass(self, values: Reals, rates: Reals) -> Reals:
        """Return log masses: a row for each value, a column for each rate."""
        found: Reals = (
            log_choose(self._records, values)[:, None]
            + xlogy(values[:, None], rates)
            + xlog1py(self._records - values[:, None], -rates)
        )
        return found

    def _mixed(self, law: Callable[[Reals], Reals]) -> float:
        """Return the logarithm of a law's mean over rates, of which some terms are left out.

        The rates are sin²θ at the middles of equal parts of [0, π/2], as many as can be told apart.
        """
        many = rates_tried(self._cells)

        def at(places: np.ndarray) -> Reals:
            rates = np.sin(np.pi / 2 * (places + 0.5) / many) ** 2
            with np.errstate(all="ignore"):
                return np.nan_to_num(law(rates), nan=-np.inf, posinf=-np.inf, neginf=-np.inf)

        guess = math.asin(math.sqrt(min(1.0, self._total / self._cells))) * 2 / math.pi * many
        low, high = int(max(0, guess / 4 - 2)), int(min(many - 1, guess * 3 + 64))
        while True:
            places = np.unique(np.linspace(low, high, _PARTS).astype(np.int64))
            logs = at(places)
            best = int(np.argmax(logs))
            if high - low < _PARTS:
                return log_sum(logs.tolist()) - math.log(many)
            low = int(places[max(best - 1, 0)])
            high = int(places[min(best + 1, len(places) - 1)])


def rates_tried(cells: float) -> int:
    """Return how many rates are as far apart as so many draws can tell."""
    return max(_PARTS, math.ceil(math.pi / 2 * math.sqrt(cells)))


def rate_bets() -> int:
    """Return among how many bets the bet on two rates, one for each half of the steps, is one."""
    return len(_SPANS) + len(_PERIODS)


def rate_of_halves(first: float, cells: float, second: float, others: float) -> float:
    """Return what the bet on two rates gains, of so many records in each half of the cells."""
    taken, whole = first + second, cells + others
    law = log_beta(first + 0.5, cells - first + 0.5) + log_beta(second + 0.5, others - second + 0.5)
    own = xlogy(taken, taken / whole) + xlog1py(whole - taken, -taken / whole)
    return float(law - 2 * log_beta(0.5, 0.5) - own)


def log_spread(sizes: Reals, mean: Reals, variance: Reals) -> float:
    """Return the log of a mean of laws: rounded normal sizes of these means, for each spread."""
    logs = []
    for factor in _SPREADS:
        scale = np.sqrt(np.maximum(variance * factor, 1e-300))
        above = -np.abs(sizes - mean)
        far, near = (above - 0.5) / scale, np.minimum((above + 0.5) / scale, 40.0)
        high, low = log_ndtr(near), log_ndtr(far)
        with np.errstate(divide="ignore", invalid="ignore"):
            total = float((high + np.log(-np.expm1(low - high))).sum())
        logs.append(-math.inf if math.isnan(total) else total)
    return log_mean(logs)


def log_bins(sizes: Reals, records: int, length: int) -> float:
    """Bet against the sizes of balls and bins: that they differ less, or more (W6).

    The last batch of an epoch is what is left, and the batches of an epoch may be cut short.
    """
    every = np.arange(len(sizes))
    place = every % length
    drawn = np.cumsum(sizes) - sizes
    left = records - (drawn - drawn[every - place])
    share = 1 / (length - place)
    some = (place < length - 1) & (left > 0)
    sizes, left, share = sizes[some], left[some].astype(float), share[some]
    if not len(sizes):
        return 0.0
    chance = gammaln(left + 1) - gammaln(sizes + 1) - gammaln(left - sizes + 1)
    chance += xlogy(sizes, share) + xlog1py(left - sizes, -share)
    return log_spread(sizes, left * share, left * share * (1 - share)) - float(chance.sum())
