"""Denoising over ℓp balls and sparse signals: BW18.E7, BW18.E8."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dporacle import enclosures, fast
from support.witnesses import agree, ask

FINE = Fraction(1, 10**45)
dimensions = st.one_of(st.integers(1, 50), st.integers(1, 10**9))


@given(d=dimensions, p=st.floats(0.01, 50), b=st.floats(1e-6, 1e6), s=st.floats(1e-6, 1e6))
@pytest.mark.statement("BW18.E7")
def test_linear_risks_agree_and_are_below_both_ends(d, p, b, s):
    found = agree("lp_ball_linear_risk", 2.0**-44, dimension=d, power=p, radius=b, sigma=s)
    assert found < d * Fraction(s) ** 2 * (1 + FINE)
    if p <= 2:
        assert found < Fraction(b) ** 2 * (1 + FINE)


@given(d=st.integers(2, 10**9), p=st.floats(0.01, 1.999), share=st.floats(0, 1))
@pytest.mark.statement("BW18.E7")
def test_the_threshold_has_the_rate_up_to_a_logarithm(d, p, share):
    """Bound ≤ 2(2 ln d + 1)·rate for every p and strength, by 1 + s ≤ 2s and a level above 1."""
    strength = min(float(d), max(1.0, d**share))
    bound = agree("lp_ball_threshold_bound", 2.0**-44, dimension=d, strength=strength)
    rate = agree("lp_ball_rate", 2.0**-44, dimension=d, power=p, strength=strength)
    assert bound <= rate * (2 * Fraction(2 * math.log(d) + 1) + Fraction(1, 10**6))


@given(
    d=st.integers(2, 40), p=st.floats(0.1, 2), seed=st.integers(0, 10**6), strength=st.floats(0, 1)
)
@pytest.mark.statement("BW18.E7")
def test_the_bound_holds_on_the_ball(witness, d, p, seed, strength):
    """The exact risk of the soft threshold at random signals of Σ|θ|^p = B^p, spread or spiky."""
    s = d**strength
    rng = np.random.default_rng(seed)
    shape = rng.gamma(0.3, size=d) + 1e-300
    theta = (shape / shape.sum() * s * (1 - 1e-12)) ** (1 / p)
    theta = np.minimum(theta, 1e200)
    risk = ask(witness, "soft_threshold_risk", means=list(theta))[0]
    bound = ask(witness, "lp_ball_threshold_bound", dimension=d, strength=min(s, d))[1]
    assert risk <= bound * (1 + Fraction(1, 10**12))


@given(d=st.integers(1, 30), b=st.floats(0.01, 100), seed=st.integers(0, 10**6), p=st.floats(2, 20))
@pytest.mark.statement("BW18.E7")
def test_the_linear_risk_is_that_of_the_hardest_signal(witness, d, b, seed, p):
    """Σ θ²/(1+θ²) over the ball is largest where all coordinates are equal."""
    rng = np.random.default_rng(seed)
    theta = rng.gamma(0.5, size=d) + 1e-12
    theta *= b / np.sum(theta**p) ** (1 / p)
    there = float(np.sum(theta**2 / (1 + theta**2)))
    where = {"dimension": d, "power": p, "radius": b}
    assert there <= float(ask(witness, "lp_ball_linear_risk", **where)[1]) * (1 + 1e-9)
    equal = np.full(d, b * d ** (-1 / p))
    hardest = float(np.sum(equal**2 / (1 + equal**2)))
    assert hardest == pytest.approx(float(ask(witness, "lp_ball_linear_risk", **where)[1]))


@given(d=st.integers(2, 60), k=st.integers(1, 60), size=st.floats(0, 1e6))
@pytest.mark.statement("BW18.E8")
def test_no_sparse_signal_has_a_larger_risk(witness, d, k, size):
    k = min(d, k)
    signal = [size] * k + [0.0] * (d - k)
    risk = ask(witness, "soft_threshold_risk", means=signal)[0]
    most = ask(witness, "sparse_threshold_risk", dimension=d, nonzero=k)[1]
    assert risk <= most * (1 + Fraction(1, 10**12))
    far = [1e9] * k + [0.0] * (d - k)
    reached = ask(witness, "soft_threshold_risk", means=far)[0]
    assert reached >= most * (1 - Fraction(1, 10**9))


@pytest.mark.statement("BW18.E8")
def test_it_improves_for_few_bins_and_not_for_many(witness):
    """Order k ln d; below dσ² up to k of about d/(1 + 2 ln d), above it from there on."""
    d = 1024

    def risk(k):
        return ask(witness, "sparse_threshold_risk", dimension=d, nonzero=k)[0]

    assert risk(8) < (2 * math.log(d) + 1) * 9
    turn = next(k for k in range(1, d) if risk(k) > d)
    assert turn == 69
    assert abs(turn - d / (1 + 2 * math.log(d))) < 1


@given(epsilon=st.floats(0.01, 200), extra=st.floats(1.001, 50))
@pytest.mark.statement("BW18.O2")
def test_laplace_needs_less_noise_at_low_privacy(witness, epsilon, extra):
    """√2·b = √2·D/ε and δ = 0; Gaussian noise below D/√(2ε) has δ > τ(ε). They cross at ε = 4."""
    scale = ask(witness, "laplace_calibrate_scale", epsilon=epsilon, delta=0.0, sensitivity=1.0)[1]
    assert float(scale) * epsilon == pytest.approx(1, rel=1e-14)
    if epsilon > 4:
        tail = float(enclosures.low_privacy_threshold(epsilon=epsilon))
        at = fast.calibrate_sigma(epsilon=epsilon, delta=tail / extra)
        assert math.sqrt(2) * float(scale) < 1 / math.sqrt(2 * epsilon) < at * (1 + 1e-9)
