"""The samplers of the witnesses: exact probabilities where they are exact, audits of both."""

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle import reference
from dporacle.fast import rank_one_sample as fast_rank_one
from dporacle.fast import sampling as fast_sampling
from dporacle.reference import sampling
from dporacle.wings.samplers import Batch, DiscreteGaussian, Gaussian, RankOneGaussian, audit


class Endless(Exception):  # noqa: N818
    """The tape has ended."""


class Tape:
    """Randomness that follows given answers to `_bernoulli`, and counts their probability."""

    def __init__(self, answers):
        self.answers, self.probability = list(answers), Fraction(1)

    def bernoulli(self, rate, chance):
        if not self.answers:
            raise Endless
        answer = self.answers.pop(0)
        self.probability *= rate if answer else 1 - rate
        return answer


@settings(max_examples=40)
@given(st.fractions(0, 2, max_denominator=50))
def test_the_exponential_coin_is_exact(rate):
    """Summed over all tapes of 16 coins of γ ≤ 1, the heads' weight is e^{−γ} to 1/16!."""
    part = rate - int(rate)
    heads = Fraction(0)
    chance = Fraction(1)
    for successes in range(16):  # a run of successes, then a failure
        heads += chance * (1 - part / (successes + 1)) * (successes % 2 == 0)
        chance *= part / (successes + 1)
    assert abs(float(heads) - math.exp(-part)) < 1e-12
    for successes in range(4):
        tape = Tape([True] * successes + [False])
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(sampling, "_bernoulli", tape.bernoulli)
            assert sampling._small(part, random.Random(1)) == (successes % 2 == 0)


@pytest.mark.parametrize("sigma", [0.3, 1, 2.5, 40])
def test_the_exact_sampler_passes_the_audit(sigma):
    """A correct sampler is accused with probability 1e-9."""
    randomness = random.Random(7)

    def draw(batch):
        drawn = [
            sampling.discrete_gaussian_sample(sigma=sigma, randomness=randomness)
            for _ in range(batch.rows)
        ]
        return np.array(drawn, dtype=float)[:, None]

    assert not audit(law=DiscreteGaussian(sigma=sigma), source=draw, limit=3000).convicted


@pytest.mark.parametrize("sigma", [0.3, 1.0, 17.25, 1e6])
def test_the_array_sampler_passes_the_audit(sigma):
    def draw(batch):
        drawn = fast_sampling.discrete_gaussian_sample(
            sigma=sigma, size=batch.rows, generator=batch.generator()
        )
        return drawn[:, None].astype(float)

    found = audit(law=DiscreteGaussian(sigma=sigma), source=draw, limit=300_000)
    assert not found.convicted
    wrong = audit(law=DiscreteGaussian(sigma=sigma * 1.05), source=draw, limit=300_000)
    assert wrong.convicted


@pytest.mark.parametrize("sigma", [Fraction(1, 3), Fraction(5, 2)])
def test_acceptance_gives_the_discrete_law(sigma):
    """e^{−|k|/t}·e^{−(|k| − σ²/t)²/2σ²} is in proportion to e^{−k²/2σ²}, for the t that is used."""
    scale = math.floor(sigma) + 1
    ratios = {
        abs(k) / Fraction(scale)
        + (abs(k) - sigma**2 / scale) ** 2 / (2 * sigma**2)
        - Fraction(k * k) / (2 * sigma**2)
        for k in range(-30, 31)
    }
    assert len(ratios) == 1


def test_bad_arguments_are_named():
    with pytest.raises(ValueError, match="sigma must be positive"):
        sampling.discrete_gaussian_sample(sigma=0)
    with pytest.raises(ValueError, match="sigma must be positive"):
        fast_sampling.discrete_gaussian_sample(sigma=-1, size=3, generator=np.random.default_rng(1))
    with pytest.raises(ValueError, match="size"):
        fast_sampling.discrete_gaussian_sample(sigma=1, size=-3, generator=np.random.default_rng(1))


def test_the_systems_randomness_is_the_default():
    drawn = [sampling.discrete_gaussian_sample(sigma=2) for _ in range(50)]
    tail = float(reference.discrete_tail(error=40, sigma=2, digits=10))
    assert tail < 1e-80
    assert max(map(abs, drawn)) <= 40


@pytest.mark.parametrize(("sigma_star", "dimension"), [(Fraction(9, 4), 3), (100, 1)])
def test_the_exact_rank_one_sampler_passes_the_audit(sigma_star, dimension):
    """A correct sampler is accused with probability 1e-9; dimension 1 is Gaussian noise."""
    randomness = random.Random(11)

    def draw(batch):
        rows = [
            sampling.rank_one_sample(
                sigma_star=sigma_star, dimension=dimension, digits=6, randomness=randomness
            )
            for _ in range(batch.rows)
        ]
        return np.array(rows, dtype=float)

    drawn = draw(Batch(0, 0, 60, dimension, 0))
    root = math.sqrt(sigma_star)
    for factor, convicted in ((1.0, False), (3.0, True)):
        law = (
            RankOneGaussian(sigma_star=float(sigma_star) * factor**2, dimension=dimension)
            if dimension > 1
            else Gaussian(sigma=root * factor)
        )
        found = audit(law=law, source=lambda batch: drawn[: batch.rows], limit=60)
        assert found.convicted is convicted


def test_the_array_rank_one_sampler_passes_the_audit():
    def draw(batch):
        return fast_rank_one(
            sigma_star=7.0, dimension=6, size=batch.rows, generator=batch.generator()
        )

    right = RankOneGaussian(sigma_star=7.0, dimension=6)
    assert not audit(law=right, source=draw, limit=50_000).convicted
    wrong = RankOneGaussian(sigma_star=7.5, dimension=6)
    assert audit(law=wrong, source=draw, limit=50_000).convicted


class Fixed:
    """Randomness that repeats a pattern of bits."""

    def __init__(self, pattern):
        self.pattern = pattern

    def randrange(self, stop):
        bits = (stop - 1).bit_length()
        return int((self.pattern * bits)[:bits], 2)


def test_rank_one_coordinates_are_those_of_the_bits():
    """All uniform numbers are the same u: |z| with Pr[|Z| > |z|] = u, and equal sides."""
    for digits in (6, 17, 40):
        found = sampling.rank_one_sample(
            sigma_star=3, dimension=4, digits=digits, randomness=Fixed("01")
        )
        size = reference.accuracy(alpha=Fraction(1, 3), sigma=1, digits=digits + 5)
        exact = size * (3**0.5 / 2)
        for each in found:
            assert abs(abs(float(each)) / float(exact) - 1) < max(10.0**-digits, 1e-15)
    with pytest.raises(ValueError, match="sigma_star must be positive"):
        sampling.rank_one_sample(sigma_star=0, dimension=2)
    with pytest.raises(ValueError, match="dimension"):
        sampling.rank_one_sample(sigma_star=1, dimension=0)


def test_uniform_numbers_at_their_ends_are_drawn_further():
    class Ends:
        """Zeros at first, or ones; then as it comes."""

        def __init__(self, first):
            self.calls, self.first, self.rest = 0, first, random.Random(3)

        def randrange(self, stop):
            self.calls += 1
            return self.first * (stop - 1) if self.calls < 6 else self.rest.randrange(stop)

    for first in (0, 1):
        found = sampling.rank_one_sample(
            sigma_star=1, dimension=2, digits=8, randomness=Ends(first)
        )
        assert all(math.isfinite(float(each)) and each for each in found)
