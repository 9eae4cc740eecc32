"""What float64 answers is safe, and near: no answer is folds away from what it bounds."""

import math
from fractions import Fraction
from typing import Any

import pytest
from flint import arb

from dporacle import enclosures, fast
from dporacle.enclosures import groups
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.fast import groups as fast_groups
from support.dear import mostly_dear

NEAR = Fraction(1, 1000)
TWO = {"direction": "both"}


def _near(found: Any, value: arb, share: Fraction = NEAR) -> None:
    low, high = bounds(value)
    assert low <= Fraction(float(found)) <= high * (1 + share)


@pytest.mark.parametrize(
    ("sigma", "batches", "epsilon"),
    mostly_dear(
        [(34, 100, 0.01), (36, 1000, 0.003), (45, 100, 0.01), (49.9, 3, 0.02), (40, 20, 0.01)], 2
    ),
)
def test_balls_and_bins_with_much_noise(sigma: float, batches: int, epsilon: float) -> None:
    """1 − ℓ is 1 in float64 where ℓ is e^−40; then ℓ is summed itself."""
    given = {"epsilon": epsilon, "sigma": sigma, "batches": batches, **TWO}
    exact = enclosures.balls_and_bins_delta(**given, digits=7)
    _near(fast.balls_and_bins_delta(**given), exact)


@pytest.mark.parametrize("direction", mostly_dear(["add", "remove"], 1))
def test_a_small_delta_of_random_allocation(direction: str) -> None:
    """What a Fourier transform rounds once hid it: ε was that of ten known batches, 34.9."""
    given = {"delta": 1e-8, "sigma": 0.7, "batches": 100, "participations": 10}
    given["direction"] = direction
    high = bounds(enclosures.random_allocation_epsilon(**given))[1]
    _near(fast.random_allocation_epsilon(**given), arb(high.numerator) / high.denominator, 2 * NEAR)


TRUNCATED = {"sigma": 3.43962, "rate": 0.350104, "records": 382, "cap": 7, "steps": 460}


def test_a_small_delta_of_truncated_batches() -> None:
    """10⁻¹¹ of each step once stood against it: 1.456, where 1.4113 is the upper end."""
    given = {"delta": 8.51269e-09, **TRUNCATED, "direction": "remove"}
    assert 1.411286 < fast.truncated_epsilon(**given) < 1.4115
    assert fast.truncated_epsilon(**{**given, "delta": 1e-30, "direction": "add"}) < 3.5


@pytest.mark.parametrize(
    ("size", "rate", "steps", "sigma", "epsilon"),
    mostly_dear([(64, 0.5, 1, 32, 3.031), (40, 0.9, 1, 6, 8), (60, 0.6, 3, 64, 2)], 2),
)
@pytest.mark.parametrize("direction", ["add", "remove", "replace"])
def test_a_large_group_some_of_which_is_always_there(
    size: int, rate: float, steps: int, sigma: float, epsilon: float, direction: str
) -> None:
    """1 − (1−q)^64 is 1 in float64; it once counted as if all members were there."""
    given = {"sigma": sigma, "rate": rate, "steps": steps, "size": size, "direction": direction}
    exact = groups.group_delta(epsilon=epsilon, **given, digits=8)
    _near(fast_groups.group_delta(epsilon=epsilon, **given), exact)
    if steps == 1:
        delta = bounds(exact)[1]
        back = fast_groups.group_epsilon(delta=float(delta), **given)
        # A lattice of losses is what answers here; its spacing is some 10^-4 of the loss.
        assert epsilon <= float(back) <= epsilon * (1 + 1e-4)


POWER = {"alpha": 1e-6, "sigma": 0.3598, "rate": 0.001, "steps": 5, **TWO}


def test_the_power_of_a_rare_step_with_little_noise() -> None:
    """Its losses are far beyond those of the Gaussian with the same advantage."""
    assert 5.614815e-5 < fast.subsampled_power(**POWER) < 5.6149e-5


@pytest.mark.deep("6 s of balls at one point, whose figure each change holds float64 to")
def test_the_power_of_a_rare_step_is_enclosed() -> None:
    _near(fast.subsampled_power(**POWER), enclosures.subsampled_power(**POWER, digits=6))


@pytest.mark.parametrize(
    ("sigma", "rate", "steps"), mostly_dear([(1, 0.9, 300), (1, 0.5, 10**4), (0.5, 0.9, 50)], 3)
)
def test_laws_that_are_told_apart_have_a_nearest_curve(
    sigma: float, rate: float, steps: int
) -> None:
    """It once said "sigma must be positive, got 0.0"."""
    given = {"sigma": sigma, "rate": rate, "steps": steps}
    regret, mu = fast.subsampled_regret(**given), fast.subsampled_nearest_mu(**given)
    assert 0 < regret < 1e-5  # nearly all is told: δ(0) lacks less than this to 1
    # That of the limit theorem is of the right size, where it is below that of no sampling at all.
    about, most = rate * math.sqrt(steps * math.expm1(sigma**-2)), math.sqrt(steps) / sigma
    assert min(about, most) / 2 < mu < most
