"""Batches as an order of all records that is cut, anew in each epoch or not."""

import math
from collections.abc import Sequence

import numpy as np

from dporacle.wings.recorded_batches.recording import Ids
from dporacle.wings.recorded_batches.sums import log_choose, log_mean


class ShuffledEpochs:
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
        left = _Left(records)
        steps: list[tuple[int, int, int]] = []  # records left, taken, rank of the largest taken
        for index, each in enumerate(batches):
            if self._broken:
                break
            place = index % length
            if not place:
                left.reset()
            due = min(size, records - place * size)
            name = f"batch {index + 1}"
            if len(each) != due:
                self._broken = f"{name} has {len(each)} records, not {due}"
            elif len(gone := left.gone(each)):
                record = int(gone[0])
                self._broken = f"{name} holds record {record} a second time in its epoch"
            elif index >= length and not (self._changed or np.array_equal(each, batches[place])):
                self._changed = f"{name} differs from batch {place + 1}"
            rank = left.up_to(int(each[-1])) if len(each) else 0
            steps.append((records - place * size, len(each), rank))
            left.take(each)
        self._steps = np.array(steps).reshape(-1, 3)

    def impossible(self, scheme: str) -> str:
        """Return why a scheme cannot give the batches, or ""."""
        return self._broken or ("" if scheme == "shuffled" else self._changed)

    def log(self, scheme: str, records: int) -> float:
        """Return a scheme's log probability of the batches."""
        if self.impossible(scheme):
            return -math.inf
        if scheme == "cyclic":
            return 0.0  # of the order that was used
        return self._windowed(records, once=scheme == "shuffled-once")

    def rivals(self, records: int) -> dict[str, float]:
        """Return log probabilities of proper laws, for the mixture."""
        if self._broken:
            return {}
        windows = _windows(records)
        found = {
            "shuffled": self._windowed(records),
            "in the order of the file": self._windowed(1),
            "shuffled within a window": log_mean([self._windowed(w) for w in windows]),
        }
        if not self._changed:
            found["shuffled once"] = self._windowed(records, once=True)
            found["one order, in every epoch"] = self._windowed(1, once=True)
            found["shuffled once, within a window"] = log_mean(
                [self._windowed(w, once=True) for w in windows]
            )
        return found

    def widest_seen(self, records: int, need: float, *, once: bool) -> int | None:
        """Return the widest window whose law is so much likelier than a full shuffle's, or None.

        Whatever order within the window: its batches have the same probability.
        """
        steps = self._steps[: self.length if once else None]
        size = int(self._steps[0][1])
        left, taken, _ = steps.T
        full = float(log_choose(left, taken).sum())
        spare = need + math.log(2 * (size + 1) * (size + 2) * len(_windows(records)))
        won = None
        for window in _windows(records):
            narrow = float(log_choose(np.minimum(window + taken - 1, left), taken).sum())
            if full - narrow >= spare:
                won = window
        return won

    def _windowed(self, window: int, *, once: bool = False) -> float:
        left, taken, rank = (self._steps[: self.length if once else None]).T
        room = np.minimum(window + taken - 1, left)
        if (rank > room).any():
            return -math.inf
        return -float(log_choose(room, taken).sum())


def _windows(records: int) -> list[int]:
    return [2**k for k in range(math.ceil(math.log2(max(records, 2))))]


class _Left:
    """The records that are left in an epoch, counted in blocks of some √n records."""

    def __init__(self, records: int) -> None:
        self._shift = records.bit_length() // 2
        self._left = np.ones(records, dtype=bool)
        self._full = np.bincount(np.arange(records) >> self._shift)
        self._blocks = self._full.copy()

    def reset(self) -> None:
        self._left[:] = True
        self._blocks = self._full.copy()

    def gone(self, batch: Ids) -> Ids:
        """Return those records of a batch that are not left."""
        return batch[~self._left[batch]]

    def up_to(self, record: int) -> int:
        """Return how many records are left with an index of at most this."""
        block = record >> self._shift
        inside = self._left[block << self._shift : record + 1]
        return int(self._blocks[:block].sum() + np.count_nonzero(inside))

    def take(self, batch: Ids) -> None:
        self._left[batch] = False
        np.subtract.at(self._blocks, batch >> self._shift, 1)
