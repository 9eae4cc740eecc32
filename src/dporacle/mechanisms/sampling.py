"""How the batches of DP-SGD are drawn: the words for it, and proved ends of ε.

A word may be said of several ways to draw batches: then both ends hold for all of them. Where the
steps make no whole number of epochs the lower end is of the whole ones and the upper end of one
more; where the batch size does not divide the data, only a fixed order bounds a random one.
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, get_args

from dporacle.enclosures.batches import SCHEMES, Run, scheme_of
from dporacle.mechanisms import Ends
from dporacle.vocabulary.relations import ENCLOSED as _WORDS
from dporacle.vocabulary.relations import Neighbours

Sampling = Literal[
    "poisson",
    "shuffled",
    "shuffle",
    "epoch",
    "random-reshuffling",
    "drop-last",
    "shuffled-once",
    "cyclic",
    "balls-and-bins",
    "fixed-size",
    "swor",
    "without-replacement",
    "with-replacement",
]

Rounding = Literal["up", "down", "nearest"]
"""How a number of steps that is no integer is rounded."""

Released = Literal["every-step", "last-iterate"]
"""What is released: every noisy sum, or the last iterate alone."""

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

_APART: Final = "all others may contribute the same in the opposite direction"
_SUPPOSED: Final[Mapping[str, str]] = {
    "shuffled": f"; {_APART}, and may contribute nothing",
    "shuffled-once": f"; {_APART}, and may contribute nothing; where a record is missing, the same "
    "batch of each epoch is the short one",
    "balls-and-bins": "; all others may contribute nothing",
    "fixed-size": f"; {_APART}",
    "with-replacement": f"; {_APART}",
    "cyclic": "; the other records stay in their batches",
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
    return set(readings(sampling)) <= {*SCHEMES}


def dropping(sampling: str) -> bool:
    """Whether a word says that the last batch of an epoch is left out if it is short."""
    return sampling == "drop-last"


def supposed(sampling: str, neighbours: Neighbours) -> str:
    """Say which data sets refute a claim, but for "in one direction at every step"."""
    record = "a record may contribute the full clipping norm"
    if neighbours == "replace-one":
        nothing = sampling == "balls-and-bins"
        turned = "and another one nothing" if nothing else "against another one's"
        record = f"{record}, {turned}"
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
    whole, begun = asked.steps // most, -(-asked.steps // batches)
    exact = divides or sampling == "cyclic"
    scheme = scheme_of(sampling if exact or dropping else "cyclic")
    known = scheme.ADJACENCIES
    adjacency = _WORDS[asked.neighbours]
    covered = adjacency in known
    if not (covered and "both" in scheme_of(sampling).ADJACENCIES):
        covered = asked.neighbours != "add-remove"
    # S1's data sets are neighbours under add or remove too; what is proved from above is not.
    name = adjacency if covered else "zero-out"
    last = scheme.epsilon(Run(asked.sigma, batches, begun), asked.delta, name)
    low = _NONE
    if dropping and whole and not (divides and covered):
        from dporacle.enclosures.batches.dropped import lower_epsilon

        # Where nothing is dropped, a record more is.
        records = asked.sizes[1] if asked.sizes else None
        kept = asked.rate * batches
        if divides:
            kept = records / (records + 1) if records else _NONE
        if kept:
            low = lower_epsilon(Run(asked.sigma, batches, whole), kept, asked.delta, adjacency)
    elif exact and whole:
        first = last
        if whole < begun:
            first = scheme.epsilon(Run(asked.sigma, batches, whole), asked.delta, name)
        low = first.low
    return Ends(low, last.high if covered else None)


def _drawn_anew(sampling: str, asked: _Asked) -> Ends:
    from dporacle.enclosures.batches import fixed_size, with_replacement

    zeroed = asked.neighbours == "zero-out"  # a pair of records, one of which contributes nothing
    adjacency = "replace" if zeroed else _WORDS[asked.neighbours]
    if sampling == "fixed-size":
        if asked.rate == 1 and adjacency == "both":
            return Ends(_NONE, None)  # a batch of all records has no such neighbour
        drawn = fixed_size.Steps(asked.sigma, asked.rate, asked.steps)
        found = fixed_size.epsilon(drawn, asked.delta, adjacency)
    else:
        whole = asked.sizes is not None and all(each.denominator == 1 for each in asked.sizes)
        if not whole or adjacency == "both":
            return Ends(_NONE, None)
        assert asked.sizes is not None
        size, records = map(int, asked.sizes)
        if records < 2:
            return Ends(_NONE, None)
        draws = with_replacement.Draws(asked.sigma, size, records, asked.steps)
        found = with_replacement.epsilon(draws, asked.delta, adjacency)
    return Ends(_NONE if zeroed else found.low, found.high)
