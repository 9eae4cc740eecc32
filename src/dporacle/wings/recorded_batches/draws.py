"""Which record was drawn when, as flat arrays that all bets read."""

from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from dporacle.wings.recorded_batches.recording import Ids

Reals = NDArray[np.float64]

NEVER: Final = -1
"""The batch before, of a record that was not drawn before."""


class RecordedDraws:
    """Records drawn into batches, in order.

    Given its size and all earlier batches, a batch is a uniformly random set of the records that
    are left: of all records, or, where an epoch has a length, of those that its earlier batches do
    not hold. With replacement a batch is a sequence of independent draws from all records.

    Attributes:
        records: how many records there are.
        length: the number of batches in an epoch, or None where all records are always left.
        replaced: whether a batch may hold a record twice.
        sizes: the size of each batch.
        left: how many records each batch is drawn from.
        record, batch, times: for each record of each batch: which, where, how often; in order of
            batches, and of records within a batch.
        before: the last earlier batch that holds the record, or `NEVER`.
        after: the next batch that holds it, or the number of batches.
    """

    def __init__(
        self,
        batches: Sequence[Ids],
        records: int,
        *,
        length: int | None = None,
        replaced: bool = False,
    ) -> None:
        self.records = records
        self.length = length
        self.replaced = replaced
        self.sizes = np.array([len(each) for each in batches], dtype=np.int64)
        self.batch = np.repeat(np.arange(len(batches)), self.sizes)
        self.record = np.concatenate(batches) if len(batches) else np.zeros(0, dtype=np.int64)
        self.times = np.ones(len(self.record), dtype=np.int64)
        if replaced and len(self.record):
            first = np.ones(len(self.record), dtype=bool)
            first[1:] = (np.diff(self.record) != 0) | (np.diff(self.batch) != 0)
            starts = np.flatnonzero(first)
            self.times = np.diff(np.append(starts, len(self.record)))
            self.record, self.batch = self.record[first], self.batch[first]
        count = len(batches)
        order = np.argsort(self.record, kind="stable")
        again = np.flatnonzero(self.record[order][1:] == self.record[order][:-1])
        self.before = np.full(len(order), NEVER)
        self.after = np.full(len(order), count)
        self.before[order[again + 1]] = self.batch[order[again]]
        self.after[order[again]] = self.batch[order[again + 1]]
        self.left = np.full(count, records)
        if length is not None:
            drawn = np.cumsum(self.sizes) - self.sizes
            self.left -= drawn - drawn[self.starts()]

    def __len__(self) -> int:
        """Return the number of batches."""
        return len(self.sizes)

    def starts(self) -> NDArray[np.int64]:
        """Return the first batch of each batch's epoch."""
        every = np.arange(len(self.sizes))
        return every - every % self.length if self.length else np.zeros_like(every)

    def seen(self) -> NDArray[np.int64]:
        """Return how many of the records that a batch is drawn from were drawn before."""
        new = np.bincount(self.batch[self.before == NEVER], minlength=len(self))
        found = np.cumsum(new) - new
        seen: NDArray[np.int64] = found - (self.records - self.left)
        return seen

    def counts(self, labels: NDArray[np.int64], many: int) -> NDArray[np.int64]:
        """Return how many draws of each batch have each label, from 0 to many − 1."""
        found = np.bincount(
            self.batch * many + labels, weights=self.times, minlength=len(self) * many
        )
        return found.reshape(len(self), many).astype(np.int64)
