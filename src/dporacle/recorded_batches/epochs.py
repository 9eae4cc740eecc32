"""Batches as an order of all records that is cut, anew in each epoch or not."""

import math
from collections.abc import Sequence

import numpy as np

from dporacle.recorded_batches.recording import Ids
from dporacle.recorded_batches.sums import log_choose, log_mean


class Cut:
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
        windows = [2**k for k in range(math.ceil(math.log2(max(records, 2))))]
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

    def _windowed(self, window: int, *, once: bool = False) -> float:
        left, taken, rank = (self._steps[: self.length if once else None]).T
        room = np.minimum(window + taken - 1, left)
        if (rank > room).any():
            return -math.inf
        return -float(log_choose(room, taken).sum())
