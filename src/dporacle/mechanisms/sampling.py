"""How the batches of DP-SGD are drawn: the words for it, and proved ends of ε.

A word may be said of several ways to draw batches: then both ends hold for all of them. Where the
steps make no whole number of epochs the lower end is of the whole ones, or of the part of the first
one, and the upper end of one more. Where the batch size does not divide the data, only a fixed
order bounds a random one from above, and the last batch may be short or left out.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, get_args

from dporacle.enclosures.batches import ALLOCATED, SCHEMES, Epochs, scheme_of
from dporacle.mechanisms import Ends
from dporacle.mechanisms.words import Sampling
from dporacle.vocabulary.relations import ENCLOSED as _WORDS
from dporacle.vocabulary.relations import Neighbours

WORDS: Final[tuple[str, ...]] = get_args(Sampling)
"""What may be said of how batches are drawn."""

_READINGS: Final[Mapping[str, tuple[str, ...]]] = {
    "shuffle": ("shuffled",),
    "epoch": ("shuffled",),
    "random-reshuffling": ("shuffled",),
    "drop-last": ("shuffled",),
    "swor": ("fixed-size",),
    "without-replacement": ("shuffled", "fixed-size"),
}
"""Another word -> the ways to draw batches of which it is said."""

_APART: Final = "each other record may contribute the same in the opposite direction, or nothing"
_SUPPOSED: Final[Mapping[str, str]] = {
    "shuffled": f", and {_APART}",
    "shuffled-once": f", and {_APART}, and where a record is missing, the same batch of "
    "each epoch is the short one",
    "balls-and-bins": ", and all others may contribute nothing",
    ALLOCATED: ", and all others may contribute nothing",
    "fixed-size": f", and {_APART}",
    "with-replacement": f", and {_APART}",
    "truncated": f", and {_APART}",
    "cyclic": ", and the other records stay in their batches",
}
_NONE: Final = Fraction(0)


@dataclass(frozen=True, slots=True)
class _Asked:
    sigma: Fraction
    rate: Fraction
    sizes: tuple[Fraction, Fraction] | None
    steps: int
    delta: Fraction
    neighbours: Neighbours


def readings(sampling: str) -> tuple[str, ...]:
    """Return the ways to draw batches of which a word is said."""
    return _READINGS.get(sampling, (sampling,))


def in_epochs(sampling: str) -> bool:
    """Whether each epoch has all records, whatever a word means."""
    return set(readings(sampling)) <= {*SCHEMES, ALLOCATED}


def dropping(sampling: str) -> bool:
    """Whether a word says that the last batch of an epoch is left out if it is short."""
    return sampling == "drop-last"


def supposed(sampling: str, neighbours: Neighbours) -> str:
    """Say which data sets refute a claim, but for "in one direction at every step"."""
    record = "a record may contribute the full clipping norm"
    if neighbours == "replace-one":
        record = f"{record}, against another one's"
    told = {_SUPPOSED[each] for each in readings(sampling)}
    others = max(told, key=len)  # the readings of one word suppose the same, and more
    assert all(others.startswith(each) for each in told)
    return f"{record}, in one direction at every step{others}"


def ends(
    sampling: str,
    *,
    sigma: Fraction,
    rate: Fraction,
    sizes: tuple[Fraction, Fraction] | None,
    steps: int,
    delta: Fraction,
    neighbours: Neighbours,
) -> Ends:
    """Return proved ends of the least ε ≥ 0 at a δ in (0, 1).

    Args:
        sampling: a word of `Sampling`, but for "poisson".
        sigma: noise multiplier.
        rate: the batch size over the number of records.
        sizes: both of them, where they are known.
        steps: how many batches.
        delta: in (0, 1).
        neighbours: the relation.

    Raises:
        ArithmeticError: if an enclosure would need too much work.
    """
    asked = _Asked(sigma, rate, sizes, steps, delta, neighbours)
    found = [
        _in_epochs(each, asked, dropping=dropping(sampling))
        if each in SCHEMES
        else _drawn_anew(each, asked)
        for each in readings(sampling)
    ]
    highs = [each.high for each in found if each.high is not None]
    high = max(highs) if len(highs) == len(found) else None
    return Ends(min(each.low for each in found), high)


def has_neighbours(sampling: str, rate: Fraction, neighbours: Neighbours) -> bool:
    """Whether there are neighbours, whatever a word means: not with a batch of all and one more."""
    whole = rate == 1 and neighbours == "add-remove"
    return not (whole and "fixed-size" in readings(sampling))


def _in_epochs(sampling: str, asked: _Asked, *, dropping: bool) -> Ends:
    divides = (1 / asked.rate).denominator == 1
    batches = math.floor(1 / asked.rate)
    most = batches if dropping else math.ceil(1 / asked.rate)
    if sampling == "cyclic":
        return _cyclic(asked, -(-asked.steps // most))
    begun = -(-asked.steps // batches)
    scheme = scheme_of(sampling if divides or dropping else "cyclic")
    covered = asked.neighbours != "add-remove" or "both" in scheme_of(sampling).ADJACENCIES
    high = None
    if covered:
        last = Epochs(asked.sigma, batches, begun)
        high = scheme.epsilon(last, asked.delta, _WORDS[asked.neighbours]).high
    elif dropping and _stays(asked.sizes):  # a dropped record takes the other one's place
        last = Epochs(asked.sigma, batches, begun)
        high = scheme_of("cyclic").epsilon(last, asked.delta, "replace").high
    if asked.steps < most:
        return _begun(sampling, asked, high, most)
    low = _of_whole_epochs(sampling, asked, most, dropping=dropping)
    if not (divides or dropping or sampling == "balls-and-bins"):
        low = min(low, _dropped(sampling, asked, batches))  # the last batch may be left out, too
    return Ends(low, high)


def _stays(sizes: tuple[Fraction, Fraction] | None) -> bool:
    """Whether a record more or less leaves as many complete batches, and drops some record."""
    if sizes is None:
        return False
    size, records = sizes
    whole = size.denominator == records.denominator == 1
    return whole and 1 <= records % size <= size - 2


def _cyclic(asked: _Asked, times: int) -> Ends:
    """Return the ends for a record of the first batch, which is in so many; no record in more."""
    run, name = Epochs(asked.sigma, 1, times), _WORDS[asked.neighbours]
    found = scheme_of("cyclic").epsilon(run, asked.delta, name)
    return Ends(found.low, found.high)


def _begun(sampling: str, asked: _Asked, high: Fraction | None, most: int) -> Ends:
    """Return the ends of the first of at most so many batches: a record is there by chance."""
    from dporacle.enclosures.batches.dropped import lower_epsilon

    chance = above = asked.rate * asked.steps
    if sampling == "balls-and-bins":  # all bins are alike, also where their number was rounded
        chance = Fraction(asked.steps, most)
        above = Fraction(asked.steps, math.floor(1 / asked.rate))
    if above <= asked.delta:
        return Ends(_NONE, None if high is None else _NONE)
    if chance <= asked.delta:
        return Ends(_NONE, high)
    # Where a record more makes no batch longer the others may contribute against it.
    replaced = asked.neighbours == "replace-one" and sampling != "balls-and-bins"
    run, name = Epochs(asked.sigma, asked.steps, 1), "replace" if replaced else "zero-out"
    shuffled = sampling != "balls-and-bins" and asked.neighbours != "add-remove"
    return Ends(lower_epsilon(run, chance, asked.delta, name, anew=shuffled), high)


def _of_whole_epochs(sampling: str, asked: _Asked, batches: int, *, dropping: bool) -> Fraction:
    """Return the lower end of the whole epochs, all of whose batches are trained on.

    A last batch that is short changes nothing: a uniformly random order of the outputs makes the
    record's place uniform ("uneven batches" in `proofs_notes/batches.md`).
    """
    scheme, name = scheme_of(sampling), _WORDS[asked.neighbours]
    covered = name in scheme.ADJACENCIES
    if dropping and ((1 / asked.rate).denominator > 1 or not covered):
        return _dropped(sampling, asked, batches)
    # S1's data sets are neighbours under add or remove too.
    run = Epochs(asked.sigma, batches, asked.steps // batches)
    return scheme.epsilon(run, asked.delta, name if covered else "zero-out").low


def _dropped(sampling: str, asked: _Asked, batches: int) -> Fraction:
    """Return the lower end where what makes no whole batch is left out of an epoch."""
    from dporacle.enclosures.batches.dropped import lower_epsilon

    kept = asked.rate * batches
    if kept == 1:  # nothing is dropped, but a record more is
        records = asked.sizes[1] if asked.sizes else None
        kept = records / (records + 1) if records else _NONE
    if not kept:
        return _NONE
    run = Epochs(asked.sigma, batches, asked.steps // batches)
    name, anew = _WORDS[asked.neighbours], sampling == "shuffled"
    return lower_epsilon(run, kept, asked.delta, name, anew=anew)


def _drawn_anew(sampling: str, asked: _Asked) -> Ends:
    from dporacle.enclosures.batches import fixed_size, with_replacement

    adjacency = _WORDS[asked.neighbours]
    if not has_neighbours(sampling, asked.rate, asked.neighbours):
        return Ends(_NONE, None)
    if sampling == "fixed-size":
        drawn = fixed_size.Steps(asked.sigma, asked.rate, asked.steps)
        found = fixed_size.epsilon(drawn, asked.delta, adjacency)
        return Ends(found.low, found.high)
    if asked.sizes is None:
        run = asked.sigma, asked.rate, asked.steps
        return Ends(with_replacement.lower_epsilon(*run, asked.delta, adjacency), None)
    size, records = asked.sizes
    if not size.denominator == records.denominator == 1 or records < 2:
        return Ends(_NONE, None)
    draws = with_replacement.BatchesWithReplacement(
        asked.sigma, int(size), int(records), asked.steps
    )
    found = with_replacement.epsilon(draws, asked.delta, adjacency)
    return Ends(found.low, found.high)
