"""What the slides say around JL24.T1: a rule of thumb, an angle, a bound on the loss."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import special, stats

from dporacle import enclosures
from support.strategies import powers
from support.witnesses import ask

dimensions = st.one_of(st.integers(2, 40), st.sampled_from([1000, 7921, 10**6, 10**9]))


@given(
    m=st.one_of(st.integers(4, 60), st.sampled_from([1000, 7921, 10**6, 10**9])),
    share=powers(-60, 0),
)
@pytest.mark.statement("JL24.R1")
def test_the_rule_of_thumb_does_not_save_the_theorem(witness, m, share):
    """At ε = 1/(2M), below 1/M, δ(ε) > δ for every M ≥ 4 and δ ≤ 1/(332M), by the witness lemma."""
    epsilon, delta = 1 / (2 * m), share / (332 * m)
    star = ask(witness, "rank_one_sigma_star", epsilon=epsilon, delta=delta, dimension=m)[1]
    bound = ask(
        witness,
        "rank_one_inner_ball_delta",
        epsilon=epsilon,
        sigma_star=float(star) if witness == "fast" else star,
        dimension=m,
    )[0]
    assert bound > Fraction(delta)


@pytest.mark.parametrize(("m", "known"), [(10, 0.062), (100, 0.353), (7921, 0.400)])
@pytest.mark.statement("JL24.R1")
def test_the_exact_delta_at_half_the_rule_of_thumb(witness, m, known):
    fraction = witness != "fast"
    epsilon = Fraction(1, 2 * m) if fraction else 1 / (2 * m)
    delta = Fraction(1, 10**7) if fraction else 1e-7
    star = ask(witness, "rank_one_sigma_star", epsilon=epsilon, delta=delta, dimension=m)[0]
    found = ask(
        witness,
        "rank_one_delta_at_epsilon",
        epsilon=epsilon,
        sigma_star=star if fraction else float(star),
        dimension=m,
        **({"digits": 8} if fraction else {}),
    )[0]
    assert round(float(found), 3) == known


@pytest.mark.statement("JL24.R2")
def test_the_cosecant_is_no_beta_prime_and_the_cotangent_is(witness):
    """1/sin²θ is never below 1, where each BetaPrime(a, b) has mass; cot²θ has their law."""
    for m, t in itertools.product((2, 3, 6, 50), (0.0, 1e-6, 0.1, 1.0, 9.0)):
        never = ask(witness, "rank_one_cosecant_tail", dimension=m, threshold=0.999)[0]
        assert never == 1
        found = float(ask(witness, "rank_one_cotangent_tail", dimension=m, threshold=t)[0])
        assert found == pytest.approx(stats.betaprime.sf(t, 0.5, (m - 1) / 2), rel=1e-9)
    for a, b in itertools.product((0.1, 0.5, 2.0, 8.0), repeat=2):
        # Pr[BetaPrime(a, b) > 0.999] = Pr[Beta(a, b) > 0.4997…]
        assert special.betaincc(a, b, 0.999 / 1.999) < 1


@pytest.mark.statement("JL24.R2")
def test_drawn_angles():
    """20,000 directions in R^6: a frequency is off by more than 5 of its deviations with 6e-7."""
    rng = np.random.default_rng(11)
    drawn = rng.standard_normal((20_000, 6))
    cosine = drawn[:, 0] / np.linalg.norm(drawn, axis=1)
    cosecant = 1 / (1 - cosine**2)
    for t in (1.05, 1.2, 2.0):
        share = float(enclosures.rank_one_cosecant_tail(dimension=6, threshold=t))
        assert abs(np.mean(cosecant > t) - share) < 5 * math.sqrt(share * (1 - share) / 20_000)
    assert cosecant.min() >= 1


lengths = powers(-3, 3)


@given(s=lengths, m=dimensions, depth=st.floats(1, 40))
@pytest.mark.statement("JL24.R3")
def test_the_bound_fails_near_the_answer(witness, s, m, depth):
    """A right angle: sin θ = 1, the bound is 2/σ*, and the loss grows with M·ln(1/r)."""
    wanted = 2 / s + depth
    r = max(math.exp(-wanted / (m - 1) - 1), 1e-280)
    if r < 1e-200:
        return  # σ* so small that float64 has no such radius
    p = math.sqrt(1 - r * r) if r > 1e-8 else 1 - r * r / 2
    p = min(p, math.nextafter(1, 0)) if r < 1e-8 else p
    loss = ask(witness, "rank_one_loss", radius=r, distance=p, sigma_star=s, dimension=m)[0]
    assert float(loss) > 2 / s + depth - (r * r) / s
    if r > 1e-6:
        bound = ask(witness, "rank_one_loss_bound", radius=r, distance=p, sigma_star=s)[1]
        assert float(bound) == pytest.approx(2 / s, rel=1e-5)


@given(r=lengths, angle=st.floats(0.01, 3.13), s=lengths)
@pytest.mark.statement("JL24.R3")
def test_what_the_bound_holds_of(r, angle, s):
    """The part of the loss that the sketch has, (ρ² − r²)/2σ*, is below a quarter of the bound."""
    p = float(np.hypot(1 - r * math.cos(angle), r * math.sin(angle)))
    where = {"radius": r, "distance": p, "sigma_star": s}
    try:
        bound = float(enclosures.rank_one_loss_bound(**where))
    except ValueError:
        return
    assert (p * p - r * r) / (2 * s) <= bound / 4 * (1 + 1e-9)
