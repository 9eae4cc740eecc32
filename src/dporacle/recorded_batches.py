"""Which sampling schemes a recorded sequence of training batches is compatible with.

A scheme is refuted in one of two ways. It is *impossible* where it cannot give these batches at
all: shuffled batches never hold a record twice in one epoch. Otherwise the batches are set against
other schemes by their likelihood. If S is the scheme that was used, the ratio of a mixture of
other schemes to S exceeds 1/a with probability at most a (Markov's inequality; the ratio has mean
1, or less where the batches can be impossible for S's rivals). A scheme with an unknown rate is
given the rate under which the batches are likeliest, so that the ratio only gets smaller.

Batches are sets of records: the order inside a batch does not count.
"""

import json
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy.special import gammaln

FALSE_ALARM: Final = 1e-6
"""The probability at most with which the scheme that was really used is refuted."""

SCHEMES: Final = {
    "poisson": "each record enters each batch independently, with the same probability",
    "shuffled": "a new random order in each epoch, cut into batches",
    "shuffled-once": "one random order, cut into batches, the same in each epoch",
    "balls-and-bins": "each record is in one random batch of each epoch, independently",
    "cyclic": "a fixed order, cut into batches, the same in each epoch",
    "fixed-size": "a new random set of one size for each batch, drawn without replacement",
    "with-replacement": "each batch is drawn record by record, and may hold a record twice",
}
"""Scheme -> what it is, in a sentence."""

# What float64 sums of logarithms may be off together: terms below 10^9 in all, each to 2^-50.
_ROUNDING = 1e-3
_MOST_RECORDS = 10**9
_MOST_LENGTHS = 1000  # numbers of bins that are tried

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Recording:
    """Batches in the order in which they were used.

    Attributes:
        batches: the records of each, as indices from 0 on, sorted.
        records: how many records the data set has.
        epoch: how many batches an epoch has, or None where nobody said.
    """

    batches: tuple[Ids, ...]
    records: int
    epoch: int | None = None


@dataclass(frozen=True, slots=True)
class Compatibility:
    """What the batches say about one scheme.

    Attributes:
        scheme: its name.
        compatible: whether it is not refuted.
        evidence: the base-10 logarithm of the likelihood ratio against it; inf where the batches
            are impossible.
        reason: why it is refuted, or "".
        batches_per_epoch: the length of its epochs, where it has epochs and is compatible.
    """

    scheme: str
    compatible: bool
    evidence: float
    reason: str
    batches_per_epoch: int | None = None


def read(
    lines: Iterable[str], *, records: int | None = None, epoch: int | None = None
) -> Recording:
    """Read JSON lines: a list of record indices for each batch, or a list of batches for an epoch.

    Args:
        lines: the lines; empty ones are passed over.
        records: the size of the data set; None: the largest index plus one.
        epoch: the number of batches in an epoch; None: as the lines of epochs say, if they do.

    Raises:
        ValueError: if a line is neither, an index is not a whole number in [0, records), epochs
            differ in length, or there is no batch.
    """
    for name, value in (("records", records), ("epoch", epoch)):
        if value is not None and not 1 <= value <= _MOST_RECORDS:
            raise ValueError(f"{name} must be in [1, {_MOST_RECORDS}], got {value}")
    batches: list[Ids] = []
    lengths: list[int] = []
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        found = _parsed(line, number)
        nested = bool(found) and all(isinstance(each, list) for each in found)
        if nested:
            lengths.append(len(found))
        batches += [_batch(each, number) for each in (found if nested else [found])]
    if not batches:
        raise ValueError("there is no batch")
    if lengths:
        if sum(lengths) != len(batches):
            raise ValueError("some lines are batches and some are epochs; give only one kind")
        # The last epoch may have been cut short.
        if len({*lengths[:-1], max(lengths)}) > 1:
            raise ValueError(f"epochs have different numbers of batches: {sorted(set(lengths))}")
        if epoch not in (None, lengths[0]) and len(lengths) > 1:
            raise ValueError(f"epoch is {epoch}, but an epoch of the file has {lengths[0]} batches")
        epoch = epoch or lengths[0]
    largest = max((int(each[-1]) for each in batches if len(each)), default=-1)
    if records is None:
        records = largest + 1
        if not records:
            raise ValueError("every batch is empty: give the number of records")
    elif largest >= records:
        raise ValueError(f"records is {records}, but a batch holds the index {largest}")
    return Recording(tuple(batches), records, epoch)


def _parsed(line: str, number: int) -> list[object]:
    try:
        found = json.loads(line)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list):
        raise ValueError(f"line {number} is not a JSON list: {line.strip()[:60]!r}")
    return found


def _batch(found: object, number: int) -> Ids:
    assert isinstance(found, list)
    for each in found:
        if isinstance(each, bool) or not isinstance(each, int) or not 0 <= each < _MOST_RECORDS:
            raise ValueError(
                f"line {number}: an index must be a whole number in [0, {_MOST_RECORDS}), "
                f"got {str(each)[:60]}"
            )
    return np.sort(np.array(found, dtype=np.int64))


def compare(
    recording: Recording, *, rate: float | None = None, false_alarm: float = FALSE_ALARM
) -> tuple[Compatibility, ...]:
    """Return what the batches say about each scheme, in the order of `SCHEMES`.

    Args:
        recording: the batches.
        rate: the sampling rate that Poisson sampling is said to have; None: unknown.
        false_alarm: the probability at most with which the scheme that was used is refuted.

    Raises:
        ValueError: if the rate is not in (0, 1] or false_alarm not in (0, 1).
    """
    if rate is not None and not 0 < rate <= 1:
        raise ValueError(f"rate must be in (0, 1], got {rate}")
    if not 0 < false_alarm < 1:
        raise ValueError(f"false_alarm must be in (0, 1), got {false_alarm}")
    models = _Models(recording, rate)
    rivals = models.rivals()
    mixture = _log_mean(list(rivals.values()))
    likeliest = max(rivals, key=lambda name: rivals[name])
    found = []
    for scheme in SCHEMES:
        own, impossible, epoch = models.null(scheme)
        if own == -math.inf:
            impossible = impossible or "the batches have probability 0"
        evidence = math.inf if impossible else (mixture - own - _ROUNDING) / math.log(10)
        refuted = evidence >= -math.log10(false_alarm)
        reason = impossible or f"10^{evidence:,.1f} times as likely under others; best: {likeliest}"
        found.append(Compatibility(scheme, not refuted, evidence, reason if refuted else "", epoch))
    return tuple(found)


def epoch_length(recording: Recording) -> int | None:
    """Return the batches of an epoch, if each epoch is all records cut into batches of one size.

    Whatever random order gave them, independent of the data: such batches are covered by the
    accounting for cyclic ones (zero-out and replace-one).
    """
    models = _Models(recording, None)
    whole = (cut.length for cut in models.cuts if not cut.impossible("shuffled"))
    return next(whole, None) if models.twice is None else None


class _Models:
    """The logarithm of each scheme's probability of the batches, and why it is 0 where it is."""

    def __init__(self, recording: Recording, rate: float | None) -> None:
        self._batches = recording.batches
        self._records = recording.records
        self._epoch = recording.epoch
        self._rate = rate
        self._sizes = np.array([len(each) for each in self._batches])
        self.twice = next((i for i, each in enumerate(self._batches) if _repeats(each)), None)
        first = int(self._sizes[0])
        lengths = {self._records // first, -(-self._records // first)} if first else set()
        self.cuts = [_Cut(self._batches, self._records, length) for length in sorted(lengths)]
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
        return -float(_log_choose(self._records, self._sizes).sum())

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


class _Cut:
    """The batches as an order of all records, cut into batches of one size in each epoch.

    With batches of b of n records an epoch has ⌊n/b⌋ batches (the rest is dropped) or ⌈n/b⌉ (the
    last one is shorter). For a window w the rival law takes each batch from the w + b − 1 smallest
    records that are left: w = 1 is the order of the file, and a shuffle buffer of w records gives
    batches of this kind only.
    """

    def __init__(self, batches: Sequence[Ids], records: int, length: int) -> None:
        self.length = length
        self._broken = "" if length else f"a batch of {len(batches[0])} is larger than the data set"
        self._changed = ""
        size = len(batches[0])
        left = np.ones(records, dtype=bool)
        steps: list[tuple[int, int, int]] = []  # records left, taken, rank of the largest taken
        for index, each in enumerate(batches):
            if self._broken:
                break
            place = index % length
            if not place:
                left[:] = True
            due = min(size, records - place * size)
            name = f"batch {index + 1}"
            if len(each) != due:
                self._broken = f"{name} has {len(each)} records, not {due}"
            elif not left[each].all():
                record = int(each[~left[each]][0])
                self._broken = f"{name} holds record {record} a second time in its epoch"
            elif index >= length and not (self._changed or np.array_equal(each, batches[place])):
                self._changed = f"{name} differs from batch {place + 1}"
            rank = int(np.count_nonzero(left[: each[-1] + 1])) if len(each) else 0
            steps.append((records - place * size, len(each), rank))
            left[each] = False
        self._steps = np.array(steps).reshape(-1, 3)

    def impossible(self, scheme: str) -> str:
        return self._broken or ("" if scheme == "shuffled" else self._changed)

    def log(self, scheme: str, records: int) -> float:
        if self.impossible(scheme):
            return -math.inf
        if scheme == "cyclic":
            return 0.0  # of the order that was used
        return self._windowed(records, once=scheme == "shuffled-once")

    def rivals(self, records: int) -> dict[str, float]:
        if self._broken:
            return {}
        windows = [2**k for k in range(math.ceil(math.log2(max(records, 2))))]
        found = {
            "shuffled": self._windowed(records),
            "in the order of the file": self._windowed(1),
            "shuffled within a window": _log_mean([self._windowed(w) for w in windows]),
        }
        if not self._changed:
            found["shuffled once"] = self._windowed(records, once=True)
            found["one order, in every epoch"] = self._windowed(1, once=True)
            found["shuffled once, within a window"] = _log_mean(
                [self._windowed(w, once=True) for w in windows]
            )
        return found

    def _windowed(self, window: int, *, once: bool = False) -> float:
        left, taken, rank = (self._steps[: self.length if once else None]).T
        room = np.minimum(window + taken - 1, left)
        if (rank > room).any():
            return -math.inf
        return -float(_log_choose(room, taken).sum())


def _repeats(batch: Ids) -> bool:
    return bool((batch[1:] == batch[:-1]).any())


def _log_choose(n: NDArray[np.int64] | int, k: NDArray[np.int64]) -> NDArray[np.float64]:
    found: NDArray[np.float64] = gammaln(n + 1) - gammaln(k + 1) - gammaln(np.maximum(n - k, 0) + 1)
    return found


def _log_beta(a: float, b: float) -> float:
    return math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)


def _times_log(count: int, value: float) -> float:
    """Return count·ln value, 0 for no count."""
    if not count:
        return 0.0
    return count * math.log(value) if value > 0 else -math.inf


def _log_mean(logs: Sequence[float]) -> float:
    top = max(logs)
    if top == -math.inf:
        return top
    return top + math.log(sum(math.exp(each - top) for each in logs) / len(logs))
