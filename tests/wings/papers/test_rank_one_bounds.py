"""Closed-form bounds of the rank-one profile: X.R1.LEMMA, APOLLONIUS, COROLLARY, TV, SCALING."""

import math
import sys
from fractions import Fraction

import mpmath
import pytest
from flint import arb
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures, fast, reference
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.verdicts import Verdict
from dporacle.wings.papers import rank_one_claims as rank_one
from dporacle.wings.papers.enclosures.rank_one import bounds as closed
from dporacle.wings.papers.rank_one import judge_rank_one_claim, simulate
from support import strategies as s
from support.exact import agrees, bounds
from support.rank_one import DIGITS, bound, dimensions, sizes
from support.strategies import powers


@pytest.mark.statement("X.R1.LEMMA")
@pytest.mark.statement("X.R1.APOLLONIUS")
@settings(max_examples=25)
@given(
    dimension=st.one_of(dimensions, sizes),
    epsilon=powers(-5, 1.5),
    variance=powers(-3, 10),
    gap=powers(-2, 2),
)
def test_lemma_never_exceeds_the_profile(dimension, epsilon, variance, gap):
    ratio = math.exp(min((epsilon + gap) / (dimension - 1), 600))
    if ratio == 1:
        return
    where = {"epsilon": epsilon, "sigma_star": variance, "dimension": dimension}
    profile = bound("rank_one_delta_at_epsilon", **where, digits=8 if dimension == 2 else DIGITS)
    for name in ("rank_one_inner_ball_delta", "rank_one_apollonius_delta"):
        ball = getattr(enclosures, name)(**where, ratio=ratio)
        assert bounds(ball)[0] <= profile[1]
        if dimension < 10**6:
            assert agrees(ball, getattr(reference, name)(**where, ratio=ratio), 45)
    value = fast.rank_one_inner_ball_delta(**where, ratio=ratio)
    assert value <= float(profile[1]) * (1 + 1e-6) or value < 1e-300


@pytest.mark.statement("X.R1.LEMMA")
@settings(max_examples=200)
@given(
    gap=st.floats(-800, 1500) | st.none(),
    epsilon=s.epsilons(),
    sigma_star=s.positives(),
    dimension=st.one_of(dimensions, sizes),
    ratio=s.positives(1 + 2.0**-52, 4.0) | s.positives(1 + 2.0**-52),
    sensitivity=s.positives() | s.positives(high=1e-290),
)
# The quotient of both ends of the floats, which is no overflow, was one.
@example(None, 2.5, 0.125, 3, sys.float_info.max, sys.float_info.max)
# An error function below the floats, and an exponential beyond them, gave 0.
@example(None, 749.3053598283457, 7375380.1798595805, 3, 1.0000000000000002, 5e-324)
def test_lemma_over_all_floats(gap, epsilon, sigma_star, dimension, ratio, sensitivity):
    if gap is not None:  # of the exponent, so that the two terms are near each other
        epsilon = max(0.0, (dimension - 1) * math.log(ratio) + gap)
    where = {
        "epsilon": epsilon,
        "sigma_star": sigma_star,
        "dimension": dimension,
        "ratio": ratio,
        "sensitivity": sensitivity,
    }
    with mpmath.workdps(60):
        power = mpmath.mpf(epsilon) - (dimension - 1) * mpmath.log(ratio)
        if power > 4000:  # the error function is at least e^−1900
            assert fast.rank_one_inner_ball_delta(**where) < -1e308
            return
        shares = max(mpmath.mpf(1), mpmath.exp(power)) / (abs(mpmath.expm1(power)) + 1e-300)
    value = fast.rank_one_inner_ball_delta(**where)
    low, high = bounds(enclosures.rank_one_inner_ball_delta(**where, digits=30))
    with mpmath.workdps(60):
        share = (1e-12 + mpmath.mpf(2) ** -50 * epsilon) * shares
        off = share * max(abs(_real(low)), abs(_real(high))) + s.TINY
        if math.isinf(value):
            assert value < 0
            assert _real(low) - off < -sys.float_info.max
        else:
            assert _real(low) - off <= value <= _real(high) + off


def _real(value):
    return mpmath.mpf(value.numerator) / value.denominator


@pytest.mark.statement("X.R1.TV")
@settings(max_examples=20)
@given(dimension=st.one_of(st.just(3), sizes), variance=powers(-3, 12))
def test_total_variation_bound_is_above_and_exact_in_three_dimensions(dimension, variance):
    ball = enclosures.rank_one_total_variation(sigma_star=variance, dimension=dimension)
    exact = bound(
        "rank_one_delta_at_epsilon",
        epsilon=0,
        sigma_star=variance,
        dimension=dimension,
        digits=DIGITS,
    )
    low, high = bounds(ball)
    assert exact[0] <= high
    if dimension == 3:
        assert low <= exact[1]
    value = reference.rank_one_total_variation(sigma_star=variance, dimension=dimension)
    assert agrees(ball, value, 45)


@pytest.mark.statement("X.R1.COROLLARY")
@settings(max_examples=200)
@given(
    dimension=st.one_of(st.integers(4, 200), st.integers(4, 10**9)),
    share=st.floats(0, 1),
    log_delta=st.floats(-300, -2.3),
)
@example(dimension=4, share=0.0, log_delta=-300.0)
@example(dimension=10**9, share=1.0, log_delta=-2.3)
def test_corollary_over_its_whole_domain(dimension, share, log_delta):
    delta = 10.0**log_delta
    exponent = 2 * (dimension - 3) / (dimension - 2)
    least = math.log(166 * (1 + 1e-12)) + exponent * math.log(delta)
    if least > 0:
        return  # the domain is empty for this δ
    epsilon = min(1.0, math.exp(least * (1 - share)) * (1 + 1e-9))
    if epsilon < 1e-300:
        return  # float64 does not write the ε of the domain's lower end
    ball = enclosures.rank_one_published_inner_ball(
        epsilon=epsilon, delta=delta, dimension=dimension, digits=DIGITS
    )
    assert rounding.side(ball, Fraction(delta)) > 0


@pytest.mark.statement("X.R1.SCALING")
@pytest.mark.parametrize("dimension", [2, 3, 4, 10, 1000])
@pytest.mark.parametrize("epsilon", [Fraction(1, 10), 1, 5])
def test_private_variance_grows_as_the_inverse_square(dimension, epsilon):
    limit = enclosures.rank_one_limit_constant(epsilon=epsilon, dimension=dimension)
    value = reference.rank_one_limit_constant(epsilon=epsilon, dimension=dimension)
    assert agrees(limit, value, 45)
    delta = enclosures.rank_one_delta_at_epsilon(
        epsilon=epsilon, sigma_star=10**30, dimension=dimension, digits=DIGITS
    )
    assert abs(float(delta) * 1e15 / float(limit) - 1) < 1e-6


@pytest.mark.thorough("balls of seconds each")
@pytest.mark.statement("X.R1.SCALING")
@settings(max_examples=4)
@given(dimension=sizes, epsilon=powers(-2, 0.7), log_delta=st.floats(-9, -0.5))
def test_lower_bound_of_the_private_variance(dimension, epsilon, log_delta):
    delta = 10.0**log_delta
    s = float(
        enclosures.rank_one_private_sigma_star(
            epsilon=epsilon, delta=delta, dimension=dimension, digits=4
        )
    )
    ratio = (2 * math.exp(epsilon)) ** (1 / (dimension - 1))
    assert s >= 1 / (11.3 * (1 + ratio) ** 2 * delta**2)


@pytest.mark.statement("X.R1.APOLLONIUS")
@pytest.mark.statement("X.R1.SCALING")
@settings(max_examples=15)
@given(dimension=st.integers(502, 3000), epsilon=powers(-6, 3), gap=powers(-2, 2))
def test_quadrature_and_series_agree(dimension, epsilon, gap):
    ratio = math.exp((epsilon + gap) / (dimension - 1))
    balls = []
    kept = closed._FEW
    for few in (kept, 10**10):
        closed._FEW = few
        try:
            bound = enclosures.rank_one_apollonius_delta(
                epsilon=epsilon, sigma_star=10, dimension=dimension, ratio=ratio, digits=30
            )
            limit = enclosures.rank_one_limit_constant(
                epsilon=epsilon, dimension=dimension, digits=30
            )
        finally:
            closed._FEW = kept
        balls.append((bound, limit))
    assert all(one.overlaps(other) for one, other in zip(*balls, strict=True))


@pytest.mark.statement("X.R1.APOLLONIUS")
@pytest.mark.parametrize("dimension", [10**6, 10**9])
@pytest.mark.parametrize("ratio", [2, Fraction(1000001, 10**6), 10**30])
def test_apollonius_bound_in_huge_dimensions(dimension, ratio):
    where = {"epsilon": Fraction(1, 2), "sigma_star": 10, "dimension": dimension}
    ball = enclosures.rank_one_apollonius_delta(**where, ratio=ratio)
    assert ball.rel_accuracy_bits() >= 166
    assert not ball > enclosures.rank_one_delta_at_epsilon(**where, digits=10)


@settings(max_examples=20)
@given(dimension=st.integers(2, 60), epsilon=powers(-2, 2.5), product=st.floats(1.01, 60))
@pytest.mark.statement("X.R1.PROFILE")
def test_large_losses_bound_the_profile(dimension, epsilon, product):
    """εs = product: the bound is above δ(ε), and above the share of losses that are drawn."""
    s = product / epsilon
    with precision(128):
        bound = closed.large_loss_bound(dimension - 1, arb(epsilon), arb(s))
    where = {"epsilon": epsilon, "sigma_star": s, "dimension": dimension}
    exact = enclosures.rank_one_delta_at_epsilon(**where, digits=8)
    assert not bound < exact
    losses = simulate(**where, samples=4000, seed=1)
    # A binomial share is more than five standard deviations off in one case of three million.
    assert losses.hits <= 4000 * float(bound) + 5 * math.sqrt(4000 * min(float(bound), 1)) + 1


@pytest.mark.parametrize("dimension", [3, 4, 10, 10**9])
@pytest.mark.parametrize("epsilon", [10**300, 10**308, int(1.7976931348623157e308)])
@pytest.mark.parametrize("delta", [5e-324, 1e-20, 0.5, 1 - 2.0**-53])
@pytest.mark.statement("X.R1.TV")
def test_claims_at_the_largest_epsilons_are_decided_at_once(dimension, epsilon, delta):
    found = judge_rank_one_claim(epsilon=epsilon, delta=delta, dimension=dimension)
    assert (found.verdict, found.certificate) == (Verdict.HOLDS, rank_one.LARGE_LOSS)
