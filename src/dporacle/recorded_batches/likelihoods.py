"""The logarithm of each scheme's probability of the batches, and why it is 0 where it is."""

import math

import numpy as np
from scipy.special import gammaln

from dporacle.recorded_batches.epochs import Cut, log_choose
from dporacle.recorded_batches.recording import Ids, Recording

_MOST_LENGTHS = 1000  # numbers of bins that are tried


class Models:
    """The schemes' probabilities of recorded batches, at their likeliest."""

    def __init__(self, recording: Recording, rate: float | None) -> None:
        self._batches = recording.batches
        self._records = recording.records
        self._epoch = recording.epoch
        self._rate = rate
        self._sizes = np.array([len(each) for each in self._batches])
        self.twice = next((i for i, each in enumerate(self._batches) if _repeats(each)), None)
        first = int(self._sizes[0])
        lengths = {self._records // first, -(-self._records // first)} if first else set()
        self.cuts = [Cut(self._batches, self._records, length) for length in sorted(lengths)]
        if self._epoch is not None:
            self.cuts = [each for each in self.cuts if each.length == self._epoch]

    def null(self, scheme: str) -> tuple[float, str, int | None]:
        """Return a scheme's log probability at its likeliest, or why it is 0; and its epoch."""
        if scheme == "with-replacement":
            return self._with_replacement(), self._uneven(), None
        if self.twice is not None:
            return -math.inf, f"batch {self.twice + 1} holds a record twice", None
        if scheme == "poisson":
            return self._poisson(), "", None
        if scheme == "fixed-size":
            return self._fixed_size(), self._uneven(), None
        if scheme == "balls-and-bins":
            return self._bins()
        if not self.cuts:
            return -math.inf, self._no_cut(), None
        best = max(self.cuts, key=lambda cut: cut.log(scheme, self._records))
        return best.log(scheme, self._records), best.impossible(scheme), best.length

    def rivals(self) -> dict[str, float]:
        """Return log probabilities of proper laws of the batches, for the mixture."""
        first = int(self._sizes[0])
        size = -math.log((first + 1) * (first + 2))  # a law of the common size of batches
        count = len(self._batches) * self._records
        taken = float(self._sizes.sum())
        found = {"drawn with replacement": size + self._with_replacement()}
        if self._uneven():
            found["drawn with replacement"] = -math.inf
        if self.twice is not None:
            return found
        # The rate has Jeffreys' prior.
        found["Poisson"] = float(_log_beta(taken + 0.5, count - taken + 0.5) - _log_beta(0.5, 0.5))
        found["of a fixed size"] = -math.inf if self._uneven() else size + self._fixed_size()
        own, impossible, length = self._bins()
        if not impossible and length:
            found["balls and bins"] = own - math.log(length) - math.log1p(length)
        for cut in self.cuts:
            for name, own in cut.rivals(self._records).items():
                found[name] = max(found.get(name, -math.inf), size + own - math.log(2))
        return found

    def _uneven(self) -> str:
        other = np.flatnonzero(self._sizes != self._sizes[0])
        if not len(other):
            return ""
        index = int(other[0])
        return f"batch 1 has {self._sizes[0]} records, batch {index + 1} has {self._sizes[index]}"

    def _poisson(self) -> float:
        count, taken = len(self._batches) * self._records, int(self._sizes.sum())
        rate = taken / count if self._rate is None else self._rate
        return _times_log(taken, rate) + _times_log(count - taken, 1 - rate)

    def _fixed_size(self) -> float:
        return -float(log_choose(self._records, self._sizes).sum())

    def _with_replacement(self) -> float:
        log = float(gammaln(self._sizes + 1).sum() - self._sizes.sum() * math.log(self._records))
        if self.twice is not None:
            for each in self._batches:
                log -= float(gammaln(np.unique(each, return_counts=True)[1] + 1).sum())
        return log

    def _bins(self) -> tuple[float, str, int | None]:
        """Balls and bins: the likeliest number of bins, if any number can give the batches."""
        seen = np.zeros(self._records, dtype=bool)
        covered = repeated = None
        for index, each in enumerate(self._batches):
            if seen[each].any():
                repeated = index
                break
            seen[each] = True
            if covered is None and seen.all():
                covered = index + 1
        some = len(self._batches)
        if self._epoch is not None:
            lengths = [self._epoch]
        elif covered is not None:
            lengths = list(range(covered, (some if repeated is None else repeated) + 1))
        elif repeated is not None:
            record = int(self._batches[repeated][seen[self._batches[repeated]]][0])
            missing = int(np.flatnonzero(~seen)[0])
            why = f"record {record} comes twice before record {missing} comes once"
            return -math.inf, why, None
        else:
            drawn = int(seen.sum())
            if not drawn:
                return 0.0, "", None  # so many bins that these are empty
            likely = some * self._records // drawn  # of the first batches of an epoch
            lengths = [max(some, likely), max(some, likely) + 1]
        if len(lengths) > _MOST_LENGTHS:
            return 0.0, "", None  # no probability is larger
        found = [(*self._bins_of(length), length) for length in lengths]
        return max(found, key=lambda each: each[0])

    def _bins_of(self, length: int) -> tuple[float, str]:
        log = 0.0
        for start in range(0, len(self._batches), length):
            part = self._batches[start : start + length]
            every = np.concatenate(part)
            where = f"in the {length} batches from batch {start + 1} on"
            if len(np.unique(every)) < len(every):
                return -math.inf, f"a record comes twice {where}"
            if len(part) == length and len(every) < self._records:
                return -math.inf, f"{self._records - len(every)} records are missing {where}"
            absent = self._records - len(every)
            log -= len(every) * math.log(length)
            log += _times_log(absent, (length - len(part)) / length)
        return log, ""

    def _no_cut(self) -> str:
        size = int(self._sizes[0])
        if not size:
            return "batch 1 is empty"
        return (
            f"{self._records} records in batches of {size} make epochs of "
            f"{self._records // size} or {-(-self._records // size)} batches, not {self._epoch}"
        )


def _repeats(batch: Ids) -> bool:
    return bool((batch[1:] == batch[:-1]).any())


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _times_log(count: int, value: float) -> float:
    """Return count·ln value, 0 for no count."""
    if not count:
        return 0.0
    return count * math.log(value) if value > 0 else -math.inf
