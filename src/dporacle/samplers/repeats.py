"""Draws that come again: fingerprints of groups of them, in bounded memory.

Of each size of a group the least fingerprints are kept, with how often each was met again. A value
among the least of the whole is among the least of every part, so that counts add up over shards.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dporacle.samplers.law import COINCIDENCE
from dporacle.samplers.laws import Law

Rows = NDArray[np.float64]
Counts = NDArray[np.int64]
Prints = NDArray[np.uint64]

KEPT = 1 << 17
"""Fingerprints that are kept of groups so long that none is likely, of 16 bytes each."""
_FEWER, _LEAST = 1 << 15, 64
"""How many are kept of shorter groups, at most and at least."""
_SHARE = 1 / 16
"""Of all shorter groups, at most so many are among those kept."""
_SLACK = 8
"""By how much a fingerprint may be likelier than a group."""
_LONGER = 1.5
_ODD = np.uint64(0x9E3779B97F4A7C15)


@dataclass(frozen=True)
class Watch:
    """Groups of one size.

    Attributes:
        size: how many draws are in a group.
        kept: how many fingerprints are kept.
        chance: a bound of the probability of each, whatever came before.
    """

    size: int
    kept: int
    chance: float

    @property
    def rate(self) -> float:
        """A bound of the probability that a group is among those kept before, or overlaps one."""
        return (self.kept + self.size) * self.chance


@lru_cache(maxsize=64)
def watched(law: Law) -> tuple[Watch, ...]:
    """Return the sizes of the groups that are compared.

    One draw alone, if no value has more than `COINCIDENCE` of the probability. Of laws with atoms
    so many draws that no group has more than 2^-64, and fewer, of which fewer are kept.
    """
    chance = law.collision
    if chance <= COINCIDENCE:
        return (Watch(1, KEPT, COINCIDENCE),)
    if chance >= 1:
        return ()
    found, log = [], -math.log2(chance)
    last = math.ceil(64 / log)
    if chance * _LEAST <= _SHARE:
        found.append(Watch(1, min(_FEWER, int(_SHARE / chance)), chance))
    size = max(2, math.ceil(math.log2(_SLACK * _LEAST / _SHARE) / log))
    while size < last:
        bound = max(_SLACK * chance**size, COINCIDENCE)
        kept = min(_FEWER, int(_SHARE / bound) - size)
        if kept < _LEAST:
            size += 1 + size // 16
            continue
        found.append(Watch(size, kept, bound))
        size = math.ceil(_LONGER * size)
    return (*found, Watch(last, KEPT, COINCIDENCE))


@dataclass(frozen=True)
class Repeats:
    """What is kept of groups of one size.

    Attributes:
        watch: which they are.
        groups: how many had a fingerprint taken.
        seen: the least fingerprints of all, in order.
        copies: how often each of them was met again.
    """

    watch: Watch
    groups: int
    seen: Prints = field(repr=False)
    copies: Counts = field(repr=False)

    @property
    def repeated(self) -> int:
        """How many groups, of those kept, had been drawn before."""
        return int(self.copies.sum())

    def __add__(self, other: Repeats) -> Repeats:
        """Return what is kept of both samples; those that stay are counted in full."""
        large, small = sorted((self, other), key=lambda each: -len(each.seen))
        kept, (seen, copies) = self.watch.kept, (large.seen, large.copies)
        more, again = small.seen, small.copies
        if len(seen) == kept:  # what is larger than all of these is not kept
            last = int(np.searchsorted(more, seen[-1], side="right"))
            more, again = more[:last], again[:last]
        places = np.searchsorted(seen, more)
        known = seen[np.minimum(places, len(seen) - 1)] == more if len(seen) else more != more
        copies = copies.copy()
        copies[places[known]] += again[known] + 1
        seen = np.insert(seen, places[~known], more[~known])[:kept]
        copies = np.insert(copies, places[~known], again[~known])[:kept]
        return Repeats(self.watch, self.groups + other.groups, seen, copies)


def repeats(rows: Rows, law: Law) -> tuple[Repeats, ...]:
    """Return what is kept of some rows, of groups of each size."""
    flat = rows.ravel()
    flat = flat[np.isfinite(flat)]
    return tuple(_kept(_fingerprints(flat, watch.size), watch) for watch in watched(law))


def _kept(prints: Prints, watch: Watch) -> Repeats:
    seen, counts = np.unique(prints, return_counts=True)
    return Repeats(watch, prints.size, seen[: watch.kept], counts[: watch.kept] - 1)


def _fingerprints(flat: Rows, size: int) -> Prints:
    """Return a word for each group of so many draws one after the other, wherever it begins.

    That of one draw is made of its bits one to one. That of 2k draws is made of those of both
    halves, and that of any number of two groups that overlap and cover it.
    """
    words = _mix(flat.view(np.uint64) + _ODD)
    if size > words.size:
        return words[:0]
    whole = 1
    while whole < size:
        step = min(whole, size - whole)
        words = _mix(_mix(words[:-step]) ^ words[step:])
        whole += step
    return words


def _mix(words: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Scramble 64-bit words, one to one (the finaliser of SplitMix64)."""
    words = (words ^ (words >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    words = (words ^ (words >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return words ^ (words >> np.uint64(31))
