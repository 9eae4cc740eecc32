"""What the samplers for trial draw: the noise that their names say, by few rows.

Whether the audit convicts them takes millions of rows; see tests/wings/samplers.
"""

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import pytest

from dporacle.dev.specimens.samplers import CORRECT, FAULTY, OTHERS, SIGMA, Rows, SamplerSpecimen
from dporacle.wings.samplers import Batch

SAMPLERS = {each.name: each for each in (*FAULTY, *CORRECT, *OTHERS)}
NUMBERS = 20_000
FARTHEST = 6.0  # standard errors: one in 10⁹ is as far, and the draws are always the same
# Mean and mean square of what would be standard normal numbers if the law were right. All others
# differ by less than so few rows show.
MOMENTS = {
    "the square root of σ": (0, 1 / 3),
    "σ² for σ": (0, 9),
    "σ over √d": (0, 1 / 64),
    "σ 10 % too small": (0, 0.81),
    "σ 10 % too large": (0, 1.21),
    "only positive noise": (math.sqrt(2 / math.pi), 1),
    "rounded for discrete noise": (0, 1.3),
    "clamped to 0 … m − 1 for a remainder": (0.369, 0.504),
    "modulo m − 1": (-0.111, 1.298),
    "modulo m + 1": (0.129, 0.7905),
    "redrawn for clamped noise": (0, 0.805),
    "a grid of 10 σ": (0, 0),
    "two-sided geometric of half a step for Laplace": (0, 0.65),
    "σ 1.5 times as large": (0, 2.25),
    "a constant added": (1 / 3, 1 + 1 / 9),
    "σ twice as large, autoregression 0.3": (0, 4),
}
FEW = {"the same seed in every call": 64}  # numbers, which are repeated


def batch_of(specimen: SamplerSpecimen, index: int, numbers: int = NUMBERS) -> Batch:
    dimension = specimen.law.dimension
    value = specimen.values[index % len(specimen.values)]
    rows = numbers // dimension
    return Batch(index=index, start=0, rows=rows, dimension=dimension, seed=1, value=value)


def noise(specimen: SamplerSpecimen, batch: Batch) -> Rows:
    """What is drawn, without the exact answer where that is released with it."""
    drawn = specimen.source(batch)
    assert drawn.shape == (batch.rows, batch.dimension)
    return drawn - (batch.value if len(specimen.values) > 1 else 0)


def test_what_they_draw_has_the_mean_and_the_variance_that_they_say() -> None:
    assert {*MOMENTS, *FEW} <= SAMPLERS.keys()
    for name, specimen in SAMPLERS.items():
        drawn = noise(specimen, batch_of(specimen, 4))
        numbers = specimen.law.normal(drawn, np.random.default_rng(7))
        mean, square = MOMENTS.get(name, (0, 1))
        error = 1 / math.sqrt(FEW.get(name, numbers.size))
        assert abs(numbers.mean() - mean) <= FARTHEST * error * math.sqrt(max(square, 1e-30)), name
        if specimen.law.peaked or name in MOMENTS:
            error *= 1.5  # what is no normal number may vary more
        assert abs((numbers**2).mean() - square) <= FARTHEST * error * math.sqrt(2) * square, name


def test_they_draw_the_same_again() -> None:
    for name, specimen in SAMPLERS.items():
        batch = batch_of(specimen, 3, numbers=256)
        assert np.array_equal(specimen.source(batch), specimen.source(batch)), name


def moved(noise: Rows, batch: Batch) -> Rows:
    return noise + SIGMA * 1e-5 * (1 + batch.value)


def negated(noise: Rows, batch: Batch) -> Rows:
    return -noise


def same(noise: Rows, batch: Batch) -> Rows:
    return noise


# A sampler, one of its batches, the earlier one whose noise it has, and how that is changed.
COPIES: list[tuple[str, int, int, Callable[[Rows, Batch], Rows]]] = [
    ("the noise of 4 batches ago, negated", 4, 0, negated),
    ("the noise of 4 batches ago, negated", 7, 3, negated),
    ("the noise of 4 batches ago, negated", 12, 8, negated),
    ("the noise of 9 batches ago, permuted", 9, 0, same),
    ("the noise of 10 batches ago, moved a little", 11, 1, moved),
    ("the noise of 10 batches ago, 1.001 times", 19, 9, lambda noise, batch: 1.001 * noise),
    ("the noise of 2 batches ago, moved a little", 3, 1, moved),
    ("every tenth batch copied", 9, 8, same),
    ("every second batch copied", 5, 4, same),
    ("the noise of the request before", 7, 6, same),
    ("a batch again, shifted by 501", 3, 2, lambda noise, batch: np.roll(noise, 501, axis=0)),
]


@pytest.mark.parametrize(("name", "later", "earlier", "change"), COPIES)
def test_a_batch_has_the_noise_of_an_earlier_one(
    name: str, later: int, earlier: int, change: Callable[[Rows, Batch], Rows]
) -> None:
    """That one, as it is told, and no other of those before it."""
    specimen = SAMPLERS[name]
    batches = [batch_of(specimen, index, numbers=1000) for index in range(later + 1)]
    *before, found = (np.sort(noise(specimen, each), axis=0) for each in batches)
    unsorted = [noise(specimen, each) for each in batches]
    expected = change(unsorted[earlier], batches[later])
    assert found == pytest.approx(np.sort(expected, axis=0), rel=1e-9, abs=1e-12)
    in_order = np.allclose(unsorted[later], expected, rtol=1e-9, atol=1e-12)
    assert in_order is (not name.endswith("permuted"))
    for index, each in enumerate(before):
        if index != earlier:
            assert np.abs(found - each).max() > 1e-2, index
            assert np.abs(found + each[::-1]).max() > 1e-2, index


def test_half_of_the_noise_comes_again() -> None:
    specimen = SAMPLERS["half of the noise of 3 batches ago"]
    drawn = [noise(specimen, batch_of(specimen, index))[:, 0] for index in range(7)]
    shared = np.corrcoef(drawn)
    again = {(0, 3), (1, 4), (2, 5)}
    for one in range(7):
        for other in range(one):
            expected = 0.7 if (other, one) in again else 0
            assert abs(shared[one, other] - expected) <= FARTHEST / math.sqrt(NUMBERS), (other, one)


def test_one_seed_is_that_of_fresh_processes() -> None:
    specimen = SAMPLERS["the same seed in every process"]
    drawn = [
        noise(specimen, replace(batch_of(specimen, index, numbers=100), fresh=fresh))
        for index in (0, 3, 5)
        for fresh in (True, False)
    ]
    for index, each in enumerate(drawn):
        alike = np.allclose(each, drawn[0], rtol=0, atol=1e-9)
        assert alike is (index % 2 == 0 or index == 1)


def test_a_number_depends_on_the_last_but_one() -> None:
    specimen = SAMPLERS["correlated with the last but one"]
    batch = batch_of(specimen, 0)
    found = specimen.source(batch)[:, 0] / SIGMA
    fresh = batch.generator().standard_normal((batch.rows, 1))[:, 0]
    left = math.sqrt(1 - 0.02**2) * fresh[2:]
    assert found[2:] - 0.02 * found[:-2] == pytest.approx(left, rel=0, abs=1e-12)
    assert found[:2] == pytest.approx(fresh[:2])
