"""Privacy losses of drawn vectors: measured tails against exact ones, in dimension 1 to 10⁴.

Each comparison has limits that miss with probability 1e-9 in all.
"""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import fast, reference
from dporacle.samplers import (
    DiscreteGaussian,
    Gaussian,
    Laplace,
    LaplaceWithGaussian,
    RankOneGaussian,
    RoundedGaussian,
    loss_tails,
)
from dporacle.samplers.exact_tails import laplace_tails
from dporacle.vocabulary import MECHANISMS

EPSILONS = [0.0, 0.3, 1.0, 1.7]


def measured(law, shift, rows, scale=1.0):
    generator = np.random.default_rng(31)
    drawn = [scale * law.draw(rows, generator) for _ in range(2)]
    return loss_tails(law=law, shift=shift, first=drawn[0], second=drawn[1], epsilons=EPSILONS)


@pytest.mark.statement("BW18.L3")
@pytest.mark.statement("BW18.T5")
@pytest.mark.parametrize("dimension", [1, 30, 10_000])
def test_gaussian(dimension):
    shift = np.random.default_rng(7).standard_normal(dimension)
    shift *= 2 / np.linalg.norm(shift)
    law = Gaussian(sigma=1.5, dimension=dimension)
    rows = 40_000 if dimension < 1000 else 400
    for tail in measured(law, shift, rows):
        assert tail.agrees
        delta = fast.delta_at_epsilon(epsilon=tail.epsilon, sigma=1.5, sensitivity=2.0)
        assert tail.exact_delta == pytest.approx((delta, delta), rel=1e-9)
        assert tail.delta[0] <= delta <= tail.delta[1]
    if dimension < 1000:
        assert not all(tail.agrees for tail in measured(law, shift, rows, scale=0.8))


@pytest.mark.parametrize("dimension", [1, 2, 30, 10_000])
def test_laplace(dimension):
    """The same distance in ℓ1, on all coordinates: k releases of the same mechanism."""
    law = Laplace(scale=1 / 1.37, dimension=dimension)
    shift = np.full(dimension, 1 / dimension)
    rows = 40_000 if dimension < 1000 else 400
    for tail in measured(law, shift, rows):
        assert tail.agrees
        low, high = tail.exact_delta
        if dimension <= 256:
            delta = fast.laplace_repeated_delta(
                epsilon=tail.epsilon, scale=dimension / 1.37, releases=dimension, sensitivity=1
            )
            assert low - 1e-9 <= delta <= high + 1e-9
            # ε = 0 is an atom of the loss where the coordinates are even in number.
            assert high - low < (1e-3 if tail.epsilon else 1)
    if dimension < 30:
        assert not all(tail.agrees for tail in measured(law, shift, rows, scale=0.8))


@settings(max_examples=8, derandomize=True, deadline=None)
@given(
    st.lists(st.floats(1e-3, 3), min_size=2, max_size=6),
    st.floats(-2, 4),
    st.integers(0, 2**32),
)
@example(sizes=[1.0, 1.0], epsilon=2.0, seed=1)
@example(sizes=[2.0, 1e-3], epsilon=1.999, seed=1)
def test_laplace_losses_of_unequal_coordinates(sizes, epsilon, seed):
    """Limits of 20,000 draws, wrong with probability 1e-9; L' has the law of −L."""
    generator = np.random.default_rng(seed)
    shift = np.array(sizes)
    law = Laplace(scale=1.0, dimension=len(sizes))
    (tail,) = loss_tails(
        law=law,
        shift=shift,
        first=law.draw(20_000, generator),
        second=law.draw(20_000, generator),
        epsilons=[epsilon],
    )
    assert tail.agrees
    assert 0 <= tail.exact[0][0] <= tail.exact[0][1] <= 1


def test_laplace_losses_of_many_unequal_coordinates():
    """10⁴ sizes are sorted into classes: the limits stay near each other, and hold the truth."""
    generator = np.random.default_rng(1)
    shift = generator.standard_normal(10_000)
    shift /= np.abs(shift).sum()
    law = Laplace(scale=1.0, dimension=10_000)
    tails = loss_tails(
        law=law,
        shift=shift,
        first=law.draw(200, generator),
        second=law.draw(200, generator),
        epsilons=[0.0, 0.01],
    )
    for tail in tails:
        assert tail.agrees
        assert tail.exact[0][1] - tail.exact[0][0] < 0.04


def test_few_classes_and_many_have_the_same_tails(monkeypatch):
    sizes = np.random.default_rng(5).uniform(0.01, 0.1, 40)
    (apart,) = laplace_tails(sizes, [0.1])
    monkeypatch.setattr("dporacle.samplers.exact_tails._CLASSES", 8)
    (together,) = laplace_tails(sizes, [0.1])
    for near, far in zip(apart, together, strict=True):
        assert far[0] <= near[0] <= near[1] <= far[1]
        assert near[1] - near[0] < 1e-3 < far[1] - far[0] < 0.5


@pytest.mark.parametrize(
    ("sigma", "shift"),
    [(2.5, [2]), (0.4, [1, 0, -1]), (3.0, [1] * 30), (20.0, [3, -5, 7]), (50.0, [1] * 10_000)],
)
def test_discrete_gaussian(sigma, shift):
    law = DiscreteGaussian(sigma=sigma, dimension=len(shift))
    rows = 30_000 if len(shift) < 1000 else 500
    moved = np.array(shift, dtype=float)
    for tail in measured(law, moved, rows):
        assert tail.agrees
        assert tail.exact[0][1] - tail.exact[0][0] < 1e-9
        if np.count_nonzero(moved) == 1:
            exact = float(
                reference.discrete_delta_at_epsilon(
                    epsilon=tail.epsilon, sigma=sigma, sensitivity=2, digits=20
                )
            )
            assert tail.exact_delta == pytest.approx((exact, exact), rel=1e-7, abs=1e-9)


def test_a_sum_of_discrete_losses_by_hand():
    """σ = 0.4, two coordinates moved by 1 and 2: all pairs of numbers from −8 to 8, one by one."""
    sigma, shift = 0.4, np.array([1.0, 2.0])
    numbers = np.arange(-8, 9)
    weights = np.exp(-(numbers**2) / (2 * sigma**2))
    weights /= weights.sum()
    chances = np.outer(weights, weights)
    sums = numbers[:, None] + 2 * numbers[None, :]
    law = DiscreteGaussian(sigma=sigma, dimension=2)
    for epsilon, (first, second) in zip(EPSILONS, law.loss_tails(shift, EPSILONS), strict=True):
        end = 2.5 - epsilon * sigma**2
        assert first[0] - 1e-12 <= chances[sums <= end].sum() <= first[1] + 1e-12
        assert second[0] - 1e-12 <= chances[sums + 5 <= end].sum() <= second[1] + 1e-12


@pytest.mark.parametrize("dimension", [2, 4, 30, 10_000])
def test_rank_one(dimension):
    law = RankOneGaussian(sigma_star=25.0, dimension=dimension)
    shift = np.random.default_rng(7).standard_normal(dimension)
    shift *= 2 / np.linalg.norm(shift)
    for tail in measured(law, shift, 30_000 if dimension < 1000 else 500):
        assert tail.agrees
        delta = fast.rank_one_delta_at_epsilon(
            epsilon=tail.epsilon, sigma_star=25.0, dimension=dimension, sensitivity=2.0
        )
        low, high = tail.exact_delta
        # The upper end of an interval, which is some 1e-6 wide in dimension 2.
        assert low <= delta <= high + (2e-6 if dimension == 2 else 1e-7)
        assert high - low < 1e-8
    assert dimension > 4 or not all(tail.agrees for tail in measured(law, shift, 30_000, scale=0.8))


@pytest.mark.parametrize("shift", [[1, 2, 2], [0, 0.5, 0], [1, 0, 0]])
def test_laplace_with_gaussian(shift):
    law = LaplaceWithGaussian(scale=1.25, sigma=3.0, dimension=3)
    moved = np.array(shift, dtype=float)
    for tail in measured(law, moved, 30_000):
        assert tail.agrees
        mu = float(np.linalg.norm(moved[1:])) / 3
        if moved[0] and mu:
            delta = fast.laplace_gaussian_delta(
                epsilon=tail.epsilon, scale=1.25, mu=mu, sensitivity=moved[0]
            )
            assert tail.exact_delta == pytest.approx((delta, delta), abs=1e-8)


def test_every_mechanism_of_the_vocabulary_has_losses_here():
    """Which law and shift a mechanism's loss is of; a new mechanism has to find its place."""
    gaussian = {"classical gaussian", "zcdp", "renyi", "gdp", "repeated gaussian", "repeated zcdp"}
    placed = gaussian | {"gaussian", "simultaneous answers", "denoised gaussian"}
    placed |= {"discrete gaussian", "laplace", "repeated laplace", "laplace with gaussian"}
    placed |= {"rank-one gaussian", "rank-one gaussian by its theorem"}
    # A threshold shows what the noise does anyway; a subsampled run has losses of many draws.
    elsewhere = {name for name in MECHANISMS if name.startswith(("thresholded", "subsampled"))}
    assert set(MECHANISMS) <= placed | elsewhere


def test_what_has_no_losses_is_refused():
    law = Gaussian(sigma=1.0, dimension=2)
    rows = law.draw(10, np.random.default_rng(0))

    def refused(words, **changed):
        given = {"law": law, "shift": [1.0, 0.0], "first": rows, "second": rows, "epsilons": [0.5]}
        with pytest.raises(ValueError, match=words):
            loss_tails(**given | changed)

    refused("shift must have 2 finite entries", shift=[1.0])
    refused("not all 0", shift=[0.0, 0.0])
    refused("first must be finite, of shape", first=rows[:, :1])
    refused("second must be finite", second=rows * math.nan)
    refused("epsilons must be finite", epsilons=[math.inf])
    refused("is not known", law=RoundedGaussian(sigma=1.0, step=0.5, dimension=2))
    whole = DiscreteGaussian(sigma=1.0, dimension=2)
    refused("shift must be whole numbers", law=whole, shift=[0.5, 0.0], first=np.rint(rows))
    wide = DiscreteGaussian(sigma=1e6, dimension=2)
    refused("shift must be shorter", law=wide, shift=[1.0, 3.0])
