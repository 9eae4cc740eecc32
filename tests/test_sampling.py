"""The samplers of the witnesses: exact probabilities where they are exact, audits of both."""

from __future__ import annotations

import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle import reference
from dporacle.fast import sampling as fast_sampling
from dporacle.reference import sampling
from dporacle.samplers import DiscreteGaussian, audit


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


@settings(max_examples=40, derandomize=True, deadline=None)
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
