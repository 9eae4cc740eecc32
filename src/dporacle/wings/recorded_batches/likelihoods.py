"""The logarithm of each scheme's probability of the batches, and why it is 0 where it is."""

import math
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from scipy.special import gammaln

from dporacle.wings.recorded_batches.draws import RecordedDraws
from dporacle.wings.recorded_batches.epochs import ShuffledEpochs
from dporacle.wings.recorded_batches.recording import Ids, Recording
from dporacle.wings.recorded_batches.sizes import Sizes
from dporacle.wings.recorded_batches.sums import log_beta, log_choose, log_sum, times_log

_MOST_LENGTHS = 1000  # numbers of bins that are tried


@dataclass(frozen=True, slots=True)
class Bins:
    """What the batches say about balls and bins.

    Attributes:
        log: the log probability of the batches, for the likeliest number of bins.
        why: why it is 0, or "".
        lengths: numbers of bins that can give the batches, the likeliest first.
        all_known: whether these are all that can.
    """

    log: float
    why: str = ""
    lengths: tuple[int, ...] = ()
    all_known: bool = False


class Models:
    """The schemes' probabilities of recorded batches, at their likeliest.

    Attributes:
        batches, records: as recorded.
        cap: the most records of a truncated batch, where it is stated.
        sizes: of the batches.
        twice: the first batch that holds a record twice, or None.
        uneven: why the sizes are not those of one size with a shorter last batch, or "".
        short_at: the place in an epoch of a shorter batch, or None.
        bets: what was won so far: (with replacement, length of an epoch, batches) -> bet -> log.
    """

    def __init__(self, recording: Recording, rate: float | None, cap: int | None = None) -> None:
        self.batches = recording.batches
        self.records = recording.records
        self._epoch = recording.epoch
        self.rate, self.cap = rate, cap
        self.sizes = np.array([len(each) for each in self.batches])
        self.twice = next((i for i, each in enumerate(self.batches) if _repeats(each)), None)
        self.uneven, self.short_at = self._short_last()
        self.bets: dict[tuple[bool, int | None, int], dict[str, float]] = {}

    @cached_property
    def cuts(self) -> list[ShuffledEpochs]:
        """The ways to cut an order of all records into such batches."""
        first = int(self.sizes[0])
        lengths = {self.records // first, -(-self.records // first)} if first else set()
        if self._epoch is not None:
            lengths &= {self._epoch}
        return [ShuffledEpochs(self.batches, self.records, length) for length in sorted(lengths)]

    @cached_property
    def bins(self) -> "Bins":
        """What the batches say about balls and bins."""
        return self._bins()

    def null(self, scheme: str) -> tuple[float, str, int | None]:
        """Return a scheme's log probability at its likeliest, or why it is 0; and its epoch."""
        if scheme == "with-replacement":
            return self._with_replacement(), self.uneven, None
        if self.twice is not None:
            return -math.inf, f"batch {self.twice + 1} holds a record twice", None
        if scheme == "poisson":
            own = Sizes(self.sizes.astype(float), self.records, self.rate).log()
            return own, "" if own > -math.inf else self._no_rate(), None
        if scheme == "truncated":
            return (*self._truncated(), None)
        if scheme == "fixed-size":
            return self._fixed_size(), self.uneven, None
        if scheme == "balls-and-bins":
            sure = self.bins.all_known and len(self.bins.lengths) == 1
            return self.bins.log, self.bins.why, self.bins.lengths[0] if sure else None
        if not self.cuts:
            return -math.inf, self._no_cut(), None
        best = max(self.cuts, key=lambda cut: cut.log(scheme, self.records))
        return best.log(scheme, self.records), best.impossible(scheme), best.length

    @cached_property
    def rivals(self) -> dict[str, float]:
        """Log probabilities of proper laws of the batches, for the mixture."""
        first = int(self.sizes[0])
        size = -math.log((first + 1) * (first + 2))  # a law of the common size of batches
        cells = len(self.batches) * self.records
        taken = float(self.sizes.sum())
        # Of one size, or with a shorter batch at the end of each epoch: its place and its size.
        even = size - math.log(2)
        if self.short_at is not None:
            even -= math.log(len(self.batches) * first)
        found = {"drawn with replacement": even + self._with_replacement()}
        if self.uneven:
            found["drawn with replacement"] = -math.inf
        if self.twice is not None:
            return found
        # The rate has Jeffreys' prior.
        found["Poisson"] = float(log_beta(taken + 0.5, cells - taken + 0.5) - log_beta(0.5, 0.5))
        found["of a fixed size"] = -math.inf if self.uneven else even + self._fixed_size()
        if self.bins.lengths:
            length = self.bins.lengths[0]
            own = self._bins_of(length)[0]
            found["balls and bins"] = own - math.log(length) - math.log1p(length)
        for cut in self.cuts:
            for name, own in cut.rivals(self.records).items():
                halved = size + own - math.log(2)
                found[name] = log_sum([found.get(name, -math.inf), halved])
        return found

    def drawn(self, scheme: str) -> list[RecordedDraws]:
        """Return the batches as a scheme's random sets: for each length that epochs can have."""
        if scheme == "with-replacement":
            return [RecordedDraws(self.batches, self.records, replaced=True)]
        if scheme in ("poisson", "truncated", "fixed-size"):
            return [RecordedDraws(self._smaller_part(), self.records)]
        if scheme == "balls-and-bins":
            lengths = {min(each, len(self.batches)) for each in self.bins.lengths}
            return [
                RecordedDraws(self.batches, self.records, length=each) for each in sorted(lengths)
            ]
        cuts = [each for each in self.cuts if not each.impossible(scheme)]
        if scheme == "shuffled":
            return [RecordedDraws(self.batches, self.records, length=each.length) for each in cuts]
        if scheme == "shuffled-once":
            return [
                RecordedDraws(self.batches[: each.length], self.records, length=each.length)
                for each in cuts
            ]
        return []

    def _smaller_part(self) -> tuple[Ids, ...]:
        """Return the batches, or, if they hold most of the records, the records left out of each.

        These are random sets too, given their sizes.
        """
        if 2 * self.sizes.sum() <= len(self.batches) * self.records:
            return self.batches
        every = np.arange(self.records)
        return tuple(np.delete(every, each) for each in self.batches)

    def _short_last(self) -> tuple[str, int | None]:
        """Return why no batches of one size, with a shorter last one, are like these; or its place.

        A batch is the last of its epoch; if nobody said how long an epoch is, the first shorter
        batch ends one.
        """
        first = int(self.sizes[0])
        other = np.flatnonzero(self.sizes != first)
        if not len(other):
            return "", None
        index = int(other[0])
        length = self._epoch or index + 1
        last = np.arange(len(self.sizes)) % length == length - 1
        size = int(self.sizes[index])
        due = np.where(last, size, first)
        if size < first and (self.sizes == due).all():
            return "", length - 1
        return f"batch 1 has {first} records, batch {index + 1} has {size}", None

    def _fixed_size(self) -> float:
        return -float(log_choose(self.records, self.sizes).sum())

    def _truncated(self) -> tuple[float, str]:
        assert self.cap is not None
        over = np.flatnonzero(self.sizes > self.cap)
        if len(over):
            first = int(over[0])
            return -math.inf, f"batch {first + 1} has {self.sizes[first]} records, above the cap"
        own = Sizes(self.sizes.astype(float), self.records, self.rate, self.cap).log()
        return own, "" if own > -math.inf else self._no_rate()

    def _no_rate(self) -> str:
        return f"no batches of {self.sizes.min()} to {self.sizes.max()} at a rate of {self.rate}"

    def _with_replacement(self) -> float:
        log = float(gammaln(self.sizes + 1).sum() - self.sizes.sum() * math.log(self.records))
        if self.twice is not None:
            for each in self.batches:
                log -= float(gammaln(np.unique(each, return_counts=True)[1] + 1).sum())
        return log

    def _bins(self) -> Bins:
        seen = np.zeros(self.records, dtype=bool)
        covered = repeated = None
        missing = self.records
        for index, each in enumerate(self.batches):
            if seen[each].any():
                repeated = index
                break
            seen[each] = True
            missing -= len(each)
            if covered is None and not missing:
                covered = index + 1
        some = len(self.batches)
        if self._epoch is not None:
            lengths = [self._epoch]
        elif covered is not None:
            lengths = list(range(covered, (some if repeated is None else repeated) + 1))
        elif repeated is not None:
            record = int(self.batches[repeated][seen[self.batches[repeated]]][0])
            absent = int(np.flatnonzero(~seen)[0])
            return Bins(-math.inf, f"record {record} comes twice before record {absent} comes once")
        else:
            drawn = self.records - missing
            if not drawn:
                return Bins(0.0)  # so many bins that these are empty
            likely = some * self.records // drawn  # of the first batches of an epoch
            lengths = [max(some, likely), max(some, likely) + 1]
        if len(lengths) > _MOST_LENGTHS:
            return Bins(0.0)  # no probability is larger
        found = [(*self._bins_of(length), length) for length in lengths]
        log, why, _ = max(found, key=lambda each: each[0])
        fit = sorted((each for each in found if not each[1]), key=lambda each: -each[0])
        known = self._epoch is not None or covered is not None
        return Bins(log, why, tuple(each[2] for each in fit), known)

    def _bins_of(self, length: int) -> tuple[float, str]:
        log = 0.0
        for start in range(0, len(self.batches), length):
            part = self.batches[start : start + length]
            every = np.concatenate(part)
            where = f"in the {length} batches from batch {start + 1} on"
            if len(np.unique(every)) < len(every):
                return -math.inf, f"a record comes twice {where}"
            if len(part) == length and len(every) < self.records:
                return -math.inf, f"{self.records - len(every)} records are missing {where}"
            absent = self.records - len(every)
            log -= len(every) * math.log(length)
            log += times_log(absent, (length - len(part)) / length)
        return log, ""

    def _no_cut(self) -> str:
        size = int(self.sizes[0])
        if not size:
            return "batch 1 is empty"
        return (
            f"{self.records} records in batches of {size} make epochs of "
            f"{self.records // size} or {-(-self.records // size)} batches, not {self._epoch}"
        )


def _repeats(batch: Ids) -> bool:
    return bool((batch[1:] == batch[:-1]).any())
