"""Recorded batches, and how they are read."""

import json
from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

_MOST_RECORDS = 10**8  # of each some numbers are kept: a few GB

Ids = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Recording:
    """Batches in the order in which they were used.

    Attributes:
        batches: the records of each, as indices from 0 on, sorted.
        records: how many records the data set has.
        epoch: how many batches an epoch has, or None where nobody said.
        guessed: whether the number of records is the largest index plus one, as nobody said it.
    """

    batches: tuple[Ids, ...]
    records: int
    epoch: int | None = None
    guessed: bool = False


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
    guessed = records is None
    if records is None:
        records = largest + 1
        if not records:
            raise ValueError("every batch is empty: give the number of records")
    elif largest >= records:
        raise ValueError(f"records is {records}, but a batch holds the index {largest}")
    return Recording(tuple(batches), records, epoch, guessed)


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
