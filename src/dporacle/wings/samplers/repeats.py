"""Noise that comes again: fingerprints of groups of draws, in bounded memory.

What is compared is the noise, a release less its value, as `Law.keys` numbers it: up to the
rounding of the sum, and up to its sign, so that noise which is turned round is the same. Of each
size of a group the least fingerprints are kept, with how often each was met again. A value among
the least of the whole is among the least of every part, so that counts add up over shards.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from dporacle.wings.samplers.law import ALIKE, COINCIDENCE, Keys
from dporacle.wings.samplers.laws import Law

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
        signed: whether a group and its negative are two.
    """

    size: int
    kept: int
    chance: float
    signed: bool = False

    @property
    def rate(self) -> float:
        """A bound of the probability that a group is among those kept before, or overlaps one."""
        return (self.kept + self.size) * self.chance


@dataclass(frozen=True)
class BlindWatch(Watch):
    """Groups so long that none comes again by chance, whatever the law of independent draws.

    Attributes:
        most: the largest probability that a single value may have.
    """

    most: float = 0.5


BLIND = (
    BlindWatch(16, KEPT, COINCIDENCE, most=2.0**-4),
    BlindWatch(65, _FEWER, COINCIDENCE, most=0.5),
)
"""No group is likelier than `most` to the power of its size: 2⁻⁶⁴, twice that with its sign."""


ROUGHLY = Watch(16, KEPT, COINCIDENCE)
"""Groups in large cells, of which none has more than 2⁻⁴: noise that was changed a little."""


@lru_cache(maxsize=64)
def watched(law: Law) -> tuple[Watch, ...]:
    """Return the sizes of the groups that are compared.

    One draw alone, if no value has more than `ALIKE` of the probability. Of laws with atoms so
    many draws that no group has more than 2^-64, and fewer, of which fewer are kept.
    """
    chance = law.collision
    if chance <= ALIKE:
        return (Watch(1, KEPT, ALIKE),)
    if chance >= 1:
        return ()
    found, log = [], -math.log2(chance)
    last = math.ceil(64 / log)
    if chance * _LEAST <= _SHARE:
        found.append(Watch(1, min(_FEWER, int(_SHARE / chance)), chance, signed=True))
    size = max(2, math.ceil(math.log2(_SLACK * _LEAST / _SHARE) / log))
    while size < last:
        bound = max(_SLACK * chance**size, COINCIDENCE)
        kept = min(_FEWER, int(_SHARE / bound) - size)
        if kept < _LEAST:
            size += 1 + size // 16
            continue
        found.append(Watch(size, kept, bound, signed=True))
        size = math.ceil(_LONGER * size)
    return (*found, Watch(last, KEPT, COINCIDENCE, signed=True))


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


def repeats(keys: Keys, watches: Sequence[Watch]) -> tuple[Repeats, ...]:
    """Return what is kept of some draws, one after the other, of groups of each size."""
    return tuple(_kept(_fingerprints(keys, watch), watch) for watch in watches)


def _kept(prints: Prints, watch: Watch) -> Repeats:
    seen, counts = np.unique(prints, return_counts=True)
    return Repeats(watch, prints.size, seen[: watch.kept], counts[: watch.kept] - 1)


def _fingerprints(keys: Keys, watch: Watch) -> Prints:
    """Return a word for each group of so many draws one after the other, wherever it begins.

    That of one draw is made of its number one to one. Where signs do not count, a group and its
    negative have the smaller of their two words.
    """
    if watch.signed:
        return _words(keys, watch.size)
    if watch.size == 1:
        return _words(np.abs(keys), 1)
    return np.minimum(_words(keys, watch.size), _words(-keys, watch.size))


def _words(keys: Keys, size: int) -> Prints:
    """Return a word for each group, that of 2k draws made of those of both halves.

    That of any number of draws is made of those of two groups that overlap and cover it.
    """
    words = _mix(keys.view(np.uint64) + _ODD)
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
