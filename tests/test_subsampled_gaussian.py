"""The witnesses of the subsampled Gaussian against each other (X.SG.PROFILE, X.SG.INVERSE)."""

import pytest

from dporacle import enclosures, fast, reference
from dporacle.enclosures.arithmetic.rounding import bounds
from support.dear import dear

# Rates are powers of two, so that a float is the exact rate for every witness.
SETTINGS = [
    (1, 2**-7, 10_000, 6, "remove"),
    (1, 2**-7, 10_000, 5, "add"),
    (1.1, 2**-8, 14_063, 2, "both"),
    (2, 2**-5, 100, 0.5, "replace"),
    (10, 2**-3, 100_000, 30, "both"),
    (0.8, 2**-10, 1000, 1, "remove"),
    (4, 0.5, 10, 2, "add"),
    (1, 0.25, 1, 1, "replace"),
    (1, 1, 10, 12, "both"),
]


@pytest.mark.statement("X.SG.PROFILE")
@pytest.mark.parametrize(("sigma", "rate", "steps", "epsilon", "direction"), SETTINGS)
def test_float64_is_above_the_enclosure_and_near(sigma, rate, steps, epsilon, direction):
    given = {"sigma": sigma, "rate": rate, "steps": steps, "direction": direction}
    low, high = bounds(enclosures.subsampled_delta(epsilon=epsilon, digits=10, **given))
    assert high - low <= high * 1e-9
    found = fast.subsampled_delta(epsilon=epsilon, **given)
    assert low <= found <= high * (1 + 1e-6)
    least = fast.subsampled_epsilon(delta=float(high) * 1.5, **given)
    wanted = bounds(enclosures.subsampled_epsilon(delta=float(high) * 1.5, digits=9, **given))
    assert wanted[0] <= least <= wanted[1] * (1 + 1e-6)


@pytest.mark.statement("X.SG.PROFILE")
@pytest.mark.parametrize("setting", [dear(SETTINGS[3]), SETTINGS[7], SETTINGS[8]])
def test_the_reference_lies_in_the_enclosure(setting):
    sigma, rate, steps, epsilon, direction = setting
    given = {"sigma": sigma, "rate": rate, "steps": steps, "direction": direction}
    low, high = bounds(enclosures.subsampled_delta(epsilon=epsilon, digits=9, **given))
    found = float(reference.subsampled_delta(epsilon=epsilon, digits=10, **given))
    assert float(low) * (1 - 1e-9) <= found <= float(high) * (1 + 1e-9)


@pytest.mark.statement("X.SG.INVERSE")
def test_the_smallest_multiplier_is_private_and_less_is_not():
    given = {"rate": 2**-7, "steps": 1000, "direction": "both"}
    sigma = fast.subsampled_sigma(epsilon=2, delta=1e-6, **given)
    assert bounds(enclosures.subsampled_delta(epsilon=2, sigma=sigma, **given))[1] <= 1e-6
    less = enclosures.subsampled_delta(epsilon=2, sigma=sigma * (1 - 1e-6), **given)
    assert bounds(less)[0] > 1e-6
