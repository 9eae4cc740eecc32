"""T1 and T2 of the subsampled Gaussian, tried out on random mechanisms (X.SG.PROFILE).

The theorems are proved in `proofs_notes/subsampled_gaussian.md`; a counterexample here would be an
error in the proof. Quadrature is in float64, by rules that share nothing with the witnesses.
"""

import math

import numpy as np
import pytest
from scipy.special import ndtr

from dporacle import enclosures
from dporacle.enclosures.arithmetic.rounding import bounds
from support.truths.laws import normal

# Trapezoid sums over smooth integrands, or with one kink, where the error is about h²/12 ~ 10^-7 of
# the change of the slope. Excesses seen: below 2·10^-8, and less on finer meshes.
SLACK = 1e-6


def one_step(log_a, sigma, rate, direction):
    """H_a of one step for any a > 0, as arrays, from the monotone likelihood ratio."""
    a = np.exp(log_a)
    if direction == "add":
        excess = 1 / a - 1 + rate
        z = sigma * np.log(np.maximum(excess, 1e-300) / rate) + 0.5 / sigma
        value = ndtr(z) - a * ((1 - rate) * ndtr(z) + rate * ndtr(z - 1 / sigma))
        return np.where(excess > 0, np.maximum(value, 0), 0)
    excess = a - 1 + rate
    z = sigma * np.log(np.maximum(excess, 1e-300) / rate) + 0.5 / sigma
    value = rate * ndtr(1 / sigma - z) - excess * ndtr(-z)
    return np.where(excess > 0, np.maximum(value, 0), 1 - a)


def adaptive(rng, sigma, rate, epsilon, direction):
    """Return H of a random two-step mechanism in which step 2 depends on what step 1 gave."""
    groups = rng.integers(1, 4)  # which of the others are sampled: as many cases
    chances = rng.dirichlet(np.ones(groups))
    centres = rng.normal(0, 3, groups)
    given = rng.choice([-1.0, 1.0], groups) * rng.choice([1.0, rng.random()], groups)
    span = 10 * sigma + 12
    y, step = np.linspace(-span, span, 16001, retstep=True)
    without = sum(c * normal(y, m, sigma) for c, m in zip(chances, centres, strict=True))
    with_it = sum(
        c * ((1 - rate) * normal(y, m, sigma) + rate * normal(y, m + g, sigma))
        for c, m, g in zip(chances, centres, given, strict=True)
    )
    first, second = (without, with_it) if direction == "add" else (with_it, without)
    # the norm of the contribution in step 2, any function of the first output
    norm = 0.01 + 0.99 * np.sin(rng.normal() * y + rng.normal()) ** 2
    if rng.random() < 0.3:
        norm = np.ones_like(y)
    seen = first > 1e-300
    log_a = epsilon + np.log(np.maximum(second, 1e-300)) - np.log(np.maximum(first, 1e-300))
    inner = one_step(np.clip(log_a, -600, 600), sigma / norm, rate, direction)
    return step * float(np.sum(np.where(seen, first * inner, 0)))


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.parametrize("direction", ["add", "remove"])
@pytest.mark.statement("X.SG.PROFILE")
def test_no_adaptive_mechanism_exceeds_the_bound(direction):
    rng = np.random.default_rng(20240607)
    largest = 0.0
    for _ in range(8):
        sigma = float(np.exp(rng.uniform(math.log(0.4), math.log(3))))
        rate = float(np.exp(rng.uniform(math.log(0.02), math.log(0.9))))
        most = -2 * math.log1p(-rate)
        epsilon = float(rng.uniform(0, 0.8 * most if direction == "add" else 1.5))
        exact = enclosures.subsampled_delta(
            epsilon=epsilon, sigma=sigma, rate=rate, steps=2, direction=direction, digits=6
        )
        bound = float(bounds(exact)[1])
        for _ in range(24):
            found = adaptive(rng, sigma, rate, epsilon, direction)
            assert found <= bound * (1 + SLACK) + 1e-9
            largest = max(largest, found / bound)
    # It is attained: the draws with norm 1 in both steps come up to it.
    assert largest > 0.99


def planar(u, v, sigma, rate, a):
    """H_a of (1−q)N(0)+qN(u) against (1−q)N(0)+qN(v) in the plane.

    With v on the second axis the difference of the densities over φ is monotone along the first:
    A + Be^{x·u/σ²}, so that one integral is closed.
    """
    length = float(np.hypot(*v))
    along = np.array([v[0], v[1]]) / length if length else np.array([0.0, 1.0])
    u2 = float(u @ along)
    u1 = math.sqrt(max(float(u @ u) - u2 * u2, 0.0))
    reach = 10 * sigma + 2
    x, step = np.linspace(-reach, reach, 4001, retstep=True)
    rest = (1 - a) * (1 - rate) * normal(x, 0, sigma) - a * rate * normal(x, length, sigma)
    gain = rate * normal(x, u2, sigma)
    # rest·φ(x₁) + gain·φ(x₁−u₁) > 0 where e^{(u₁x₁ − u₁²/2)/σ²} > −rest/gain
    if u1 < 1e-9:
        return step * float(np.sum(np.maximum(rest + gain, 0)))
    ratio = np.log(np.maximum(-rest, 1e-300)) - np.log(np.maximum(gain, 1e-300))
    root = np.clip((ratio * sigma**2 + u1 * u1 / 2) / u1, -1e6, 1e6)
    value = rest * ndtr(-root / sigma) + gain * ndtr(-(root - u1) / sigma)
    return step * float(np.sum(np.where(rest < 0, value, rest + gain)))


@pytest.mark.statement("X.SG.PROFILE")
def test_the_antipodal_pair_dominates_in_the_plane():
    """Two vectors span a plane: this is T2 in every dimension."""
    rng = np.random.default_rng(1729)
    closest = 0.0
    for _ in range(250):
        sigma = float(np.exp(rng.uniform(math.log(0.3), math.log(6))))
        rate = float(np.exp(rng.uniform(math.log(1e-3), math.log(0.99))))
        log_a = float(rng.uniform(-3, 4))
        near = rng.random() < 0.3
        lengths = 1 - (1e-3 if near else 1.0) * rng.random(2) ** 2
        angle = math.pi * (1 - 1e-3 * rng.random() if near else 2 * rng.random())
        u = lengths[0] * np.array([1.0, 0.0])
        v = lengths[1] * np.array([math.cos(angle), math.sin(angle)])
        exact = enclosures.subsampled_delta(
            epsilon=abs(log_a), sigma=sigma, rate=rate, steps=1, direction="replace", digits=9
        )
        bound = float(bounds(exact)[1])
        if log_a < 0:  # H_a = 1 − a + a·H_{1/a} of the exchanged pair, which is its mirror
            bound = -math.expm1(log_a) + math.exp(log_a) * bound
        found = planar(u, v, sigma, rate, math.exp(log_a))
        assert found <= bound * (1 + SLACK) + 1e-9
        closest = max(closest, found / bound if bound > 1e-9 else 0.0)
    assert closest > 0.999
