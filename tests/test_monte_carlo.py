"""δ(ε) itself by simulation, on either side of the exact noise: just private, just not.

δ(ε) is the mean of (1 − e^{ε−L})₊ over outputs of one input, L the privacy loss computed from the
two densities of the output, not from a formula under test. Each simulation runs once, with a fixed
seed. It decides when the target lies more than Z standard errors from the mean: where the witness's
noise is right each decision errs with probability ALARM, one-sided and in the normal limit; STEP is
such that it fails to decide with the same probability, which is the power 1 − ALARM.
"""

import math
import random
from fractions import Fraction
from functools import cache

import numpy as np
import pytest
from scipy import stats

from dporacle import enclosures, fast, reference
from dporacle.fast import sampling
from dporacle.reference import sampling as exactly
from support.truths.divergences import excess
from support.witnesses import ask

ALARM = 1e-6
Z = float(stats.norm.isf(ALARM))
RUNS = 200_000
MARGIN = 2.2  # STEP in units of what moves δ by Z standard errors: a little more than two of them


def decided(found, target):
    """−1, 0 or 1: below the target, not decided, above it."""
    mean, error = float(np.mean(found)), float(stats.sem(found))
    return (mean > target + Z * error) - (mean < target - Z * error)


def outputs(distance, sigma, dimension, rng):
    """The losses of RUNS releases in R^dimension, the neighbour's answer in a random direction."""
    shift = rng.standard_normal(dimension)
    shift *= distance / np.linalg.norm(shift)
    noise = sigma * rng.standard_normal((RUNS, dimension))
    far, near = np.sum((noise + shift) ** 2, axis=1), np.sum(noise**2, axis=1)
    return (far - near) / (2 * sigma**2)


def step(epsilon, mu, delta):
    """How far σ is moved: δ changes by MARGIN·Z standard errors, from ∂δ/∂ln σ = −μφ(μ/2 − ε/μ).

    The variance of (1 − e^{ε−L})₊ is below its mean.
    """
    slope = mu * stats.norm.pdf(mu / 2 - epsilon / mu)
    return MARGIN * Z * math.sqrt(delta / RUNS) / slope


@pytest.mark.parametrize(
    ("epsilon", "delta", "distance", "dimension"),
    [(1.0, 0.05, 1.0, 1), (0.0, 0.1, 3.0, 4), (0.5, 0.01, 0.01, 2), (4.0, 0.05, 250.0, 3)],
)
@pytest.mark.statement("BW18.T8")
def test_just_private_and_just_not(witness, epsilon, delta, distance, dimension):
    sigma = float(
        ask(witness, "calibrate_sigma", epsilon=epsilon, delta=delta, sensitivity=distance)[0]
    )
    moved = step(epsilon, distance / sigma, delta)
    assert moved < 0.2
    rng = np.random.default_rng([17, dimension])
    for factor, side in ((1 + moved, -1), (1 - moved, 1)):
        found = excess(outputs(distance, factor * sigma, dimension, rng), epsilon)
        assert decided(found, delta) == side


@pytest.mark.parametrize("releases", [3, 10])
@pytest.mark.statement("X.COMP")
def test_composed_releases(witness, releases):
    """The losses of independent releases add up."""
    epsilon, delta = 1.0, 0.05
    where = {"epsilon": epsilon, "delta": delta, "releases": releases, "sensitivity": 2.0}
    sigma = float(ask(witness, "repeated_sigma", **where)[0])
    moved = step(epsilon, math.sqrt(releases) * 2.0 / sigma, delta)
    rng = np.random.default_rng([18, releases])
    for factor, side in ((1 + moved, -1), (1 - moved, 1)):
        loss = sum(outputs(2.0, factor * sigma, 1, rng) for _ in range(releases))
        assert decided(excess(loss, epsilon), delta) == side


@pytest.mark.statement("X.DG")
def test_discrete_gaussian_by_an_exact_sampler(witness):
    """δ(ε) of integers that are drawn exactly, between 0.9 and 1.1 times what the witness says."""
    epsilon, sigma, distance = 0.5, 2, 1
    exact = float(
        ask(
            witness,
            "discrete_delta_at_epsilon",
            epsilon=epsilon,
            sigma=float(sigma) if witness == "fast" else sigma,
            sensitivity=distance,
        )[1]
    )
    x = np.asarray(_sample(sigma), dtype=float)
    # Moving the answer by D to the other side: the loss at x is ((x + D)² − x²)/2σ².
    found = excess(((x + distance) ** 2 - x**2) / (2 * sigma**2), epsilon)
    assert decided(found, exact) == 0
    assert decided(found, 0.9 * exact) == 1
    assert decided(found, 1.1 * exact) == -1


@cache
def _sample(sigma):
    return sampling.discrete_gaussian_sample(
        sigma=sigma, size=RUNS, generator=np.random.default_rng(19)
    )


@pytest.mark.statement("X.DG")
def test_the_reference_sampler_too():
    """3,000 integers by exact arithmetic: within Z standard errors; twice δ is refused."""
    chance = random.Random(20)
    x = np.array(
        [exactly.discrete_gaussian_sample(sigma=1, randomness=chance) for _ in range(3000)]
    )
    found = excess((2 * x + 1) / 2, 0.5)
    exact = float(reference.discrete_delta_at_epsilon(epsilon=0.5, sigma=1, sensitivity=1))
    assert decided(found, exact) == 0
    assert decided(found, 2 * exact) == -1


def rank_one_excess(m, epsilon, star, rng):
    """Weighted (1 − e^{ε−L})₊ of R1SMG near the answer, where alone the loss is above ε.

    L ≤ (M−1)ln(1 + 1/r) + (2r + 1)/2σ*, convex in r: above ε only for r < R, or beyond a second
    radius, whose probability is returned. r is drawn evenly from (0, R), and weighed.
    """
    power = m - 1
    radius = np.geomspace(1e-9, 1e12, 200_001)
    least = power * np.log1p(1 / radius) + (2 * radius + 1) / (2 * star)
    inside = np.flatnonzero(least <= epsilon)
    near, far = radius[inside[0]], radius[inside[-1]]
    r = near * rng.random(RUNS)
    weight = near * math.sqrt(2 / (math.pi * star)) * np.exp(-(r**2) / (2 * star))
    cosine = rng.standard_normal(RUNS)
    cosine /= np.sqrt(cosine**2 + rng.chisquare(power, RUNS))
    distance = np.sqrt(r**2 + 1 - 2 * r * cosine)
    loss = power * np.log(distance / r) + (1 - 2 * r * cosine) / (2 * star)
    return weight * excess(loss, epsilon), math.erfc(far / math.sqrt(2 * star))


@pytest.mark.parametrize(("m", "epsilon", "side"), [(3, 1.0, -1), (4, 1.0, 1), (5, 1.0, 1)])
@pytest.mark.statement("JL24.T1")
@pytest.mark.statement("X.R1.M3")
def test_the_rank_one_theorem_is_decided_by_importance_sampling(m, epsilon, side):
    """δ = 1e-5 at the theorem's own σ*: true for M = 3, false for M ≥ 4, by draws alone."""
    delta = 1e-5
    star = float(fast.rank_one_sigma_star(epsilon=epsilon, delta=delta, dimension=m))
    rng = np.random.default_rng([21, m])
    found, rest = rank_one_excess(m, epsilon, star, rng)
    assert decided(found, delta) == side
    assert rest < 1e-12
    exact = enclosures.rank_one_published_delta(
        epsilon=Fraction(str(epsilon)), delta=Fraction(1, 10**5), dimension=m, digits=6
    )
    assert decided(found, float(exact)) == 0
    assert decided(found, 1.1 * float(exact)) == -1
    assert decided(found, 0.9 * float(exact)) == 1
