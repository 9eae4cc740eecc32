"""Both proved ends of every way to draw batches are in the order of the truth.

The truth falls in σ, in ε or δ, and in the batches of an epoch, and rises in the epochs: so an end
of a neighbouring run is an end too ("M" in `proofs_notes/batches.md`), and no end may be far worse
than that of a neighbour.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import Any

import pytest

from dporacle.enclosures.batches import (
    SCHEMES,
    Epochs,
    Interval,
    fixed_size,
    scheme_of,
    with_replacement,
)
from support.dear import dear, mostly_dear

RUN, DELTA, EPSILON = Epochs(Fraction(2), 1000, 1), Fraction(1, 10**6), Fraction(1, 10)

DESIGN = Fraction(51, 50)
"""Floats design an end, and one design is by at most a fiftieth of it worse than the next one's."""

PAIRS = [(scheme, name) for scheme in SCHEMES for name in scheme_of(scheme).ADJACENCIES]

FEW = replace(RUN, batches=10)
"""Of balls and bins, whose answers take up to half a minute each with 1,000."""


def _run(scheme: str) -> Epochs:
    return FEW if scheme == "balls-and-bins" else RUN


NOISES = ("0.22", "0.23", "0.7", "32", "33", "1000")  # beside where designs and theorems change
NOISES_OF_BINS = ("0.23", "0.7", "32", "1000")  # one theorem for all noise


def _falls(ends: Sequence[Interval]) -> None:
    """No end is above that of the neighbour before it, but by what floats design."""
    for before, after in pairwise(ends):
        assert after.low <= before.low * DESIGN, (before, after)
        assert after.high <= before.high * DESIGN, (before, after)
        assert after.low <= before.high
        assert after.low <= after.high


@pytest.mark.parametrize(
    ("scheme", "adjacency", "epochs"),
    [("shuffled", "zero-out", 1), ("cyclic", "both", 5), *(dear(*pair, 1) for pair in PAIRS)],
)
def test_more_noise_is_no_worse(scheme: str, adjacency: str, epochs: int) -> None:
    """At σ = 33 the upper end of shuffling was once 36 times that at σ = 32."""
    run = replace(_run(scheme), epochs=epochs)
    noises = NOISES_OF_BINS if scheme == "balls-and-bins" else NOISES
    runs = [replace(run, sigma=Fraction(each)) for each in noises]
    _falls([scheme_of(scheme).epsilon(run, DELTA, adjacency) for run in runs])


@pytest.mark.parametrize(
    ("scheme", "adjacency"), [("balls-and-bins", "add"), *(dear(*pair) for pair in PAIRS)]
)
def test_more_noise_has_no_larger_delta(scheme: str, adjacency: str) -> None:
    run = _run(scheme)
    runs = [replace(run, sigma=Fraction(each)) for each in ("0.2", "0.7", "2", "20")]
    _falls([scheme_of(scheme).delta(run, EPSILON, adjacency) for run in runs])


def _ordered(
    scheme: str, adjacency: str, changed: str, values: Sequence[int | str]
) -> Sequence[Interval]:
    ask: Callable[[Epochs, Fraction, str], Interval] = scheme_of(scheme).epsilon
    run = _run(scheme)
    if changed == "epsilon":
        ask = scheme_of(scheme).delta
    if changed in {"epsilon", "delta"}:
        return [ask(run, Fraction(each), adjacency) for each in values]
    return [ask(replace(run, **{changed: each}), DELTA, adjacency) for each in values]


@pytest.mark.parametrize(
    ("scheme", "adjacency", "changed", "values"),
    mostly_dear(
        [
            (*pair, changed, values)
            for changed, values in (
                ("delta", ("1e-30", "1e-5", "0.9")),
                ("epsilon", ("0", "0.1", "1")),
                ("batches", (1, 2, 10**6)),
                ("epochs", (2, 1)),
            )
            for pair in PAIRS
        ],
        11,
    )[1:],
)
def test_the_ends_follow_delta_epsilon_batches_and_epochs(
    scheme: str, adjacency: str, changed: str, values: Sequence[int | str]
) -> None:
    """Where a bound is not reached any more, as beyond 10⁶ batches, a neighbour's stands in."""
    _falls(_ordered(scheme, adjacency, changed, values))


def test_a_delta_has_the_bounds_of_an_epsilon() -> None:
    """δ at the ε that theorem V proves is about the one asked; D alone says 0.097."""
    high = scheme_of("shuffled").epsilon(RUN, DELTA, "zero-out").high
    found = scheme_of("shuffled").delta(RUN, high, "zero-out")
    assert found.low < DELTA < found.high * DESIGN
    assert found.high < 2 * DELTA


@pytest.mark.parametrize("adjacency", ["zero-out", "replace"])
def test_the_upper_end_of_much_noise_is_that_of_less(adjacency: str) -> None:
    """Beyond 10⁶ batches, and above σ = 32, the nearest run that theorem V reaches bounds."""
    shuffled = scheme_of("shuffled")
    much, less = (
        shuffled.epsilon(replace(RUN, sigma=Fraction(each)), DELTA, adjacency).high
        for each in (33, 32)
    )
    assert much <= less < Fraction(1, 100)


STEPS = fixed_size.Steps(Fraction(2), Fraction(1, 20), 4)
DRAWS = with_replacement.BatchesWithReplacement(Fraction(2), 5, 100, 4)


@pytest.mark.parametrize(
    ("module", "run", "adjacency"),
    [
        (fixed_size, STEPS, "both"),
        *(dear(fixed_size, STEPS, name) for name in fixed_size.ADJACENCIES),
        # "both" is the larger of two that are asked.
        *(dear(with_replacement, DRAWS, n) for n in with_replacement.ADJACENCIES if n != "both"),
    ],
)
def test_batches_that_are_drawn_anew_follow_noise_steps_and_delta(
    module: Any, run: Any, adjacency: str
) -> None:
    noises = [replace(run, sigma=Fraction(each)) for each in ("0.5", "20")]
    less, more = (module.epsilon(each, DELTA, adjacency) for each in noises)
    now = module.epsilon(run, DELTA, adjacency)
    _falls([less, now, more])
    _falls([now, module.epsilon(replace(run, times=1), DELTA, adjacency)])
    _falls([now, module.epsilon(run, Fraction("0.1"), adjacency)])
