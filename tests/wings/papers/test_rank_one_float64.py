"""The float64 profile of rank-one noise, its interval, and the simulation, against balls."""

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures, fast
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.fast.papers.rank_one.interval import MOST
from dporacle.fast.papers.rank_one.quadrature import norm
from dporacle.fast.papers.rank_one_gaussian import _log_psi_and_error
from dporacle.wings.papers.rank_one import simulate
from support.strategies import powers

dimensions = st.one_of(
    st.integers(2, 12), st.integers(2, 200), st.sampled_from([1000, 7921, 10**6, 10**9])
)


@pytest.mark.statement("X.R1.PROFILE")
@settings(max_examples=60)
@given(
    dimension=dimensions, epsilon=st.one_of(st.just(0.0), powers(-8, 4)), variance=powers(-6, 20)
)
@example(dimension=1000, epsilon=0.025, variance=72000.0)  # 1/B was off by 1e-12
@example(dimension=2, epsilon=6e-7, variance=7e11)
@example(dimension=10, epsilon=0.117, variance=7.9e-6)  # 1 − δ is below the precision
def test_interval_contains_the_profile(dimension, epsilon, variance):
    where = {"epsilon": epsilon, "sigma_star": variance, "dimension": dimension}
    low, high = fast.rank_one_delta_interval(**where)
    assert 0 <= low <= high <= 1
    try:
        least, most = bounds(enclosures.rank_one_delta_at_epsilon(**where, digits=18))
    except ArithmeticError:  # δ is far below float64's range
        assert low == 0
        return
    assert Fraction(low) <= most
    assert least <= Fraction(high)
    if dimension > 3:
        assert high - low <= 1e-5


@pytest.mark.statement("X.R1.PROFILE")
@pytest.mark.parametrize(
    ("dimension", "epsilon", "variance"),
    [(3, 3260.36, 0.00414267), (33, 3259.03, 0.00125561), (2, 1e4, 1e-4)],
)
def test_tiny_ball_and_a_far_tail(dimension, epsilon, variance):
    """The boundary leaves the axis within a float64: δ is 1e-38 and less, where 1 came out."""
    where = {"epsilon": epsilon, "sigma_star": variance, "dimension": dimension}
    low, high = fast.rank_one_delta_interval(**where)
    exact = bounds(enclosures.rank_one_delta_at_epsilon(**where, digits=12))[1]
    assert Fraction(low) <= exact <= Fraction(high) <= Fraction(1, 10**19)
    assert abs(fast.rank_one_delta_at_epsilon(**where) - float(exact)) <= 1e-11


@given(power=st.one_of(st.integers(1, 300), st.integers(1, 10**9)))
@example(power=119)
@example(power=120)
def test_norm_of_the_cosine(power):
    with precision(256):
        exact = (arb(power + 1) / 2).lgamma() - (arb(power) / 2).lgamma()
        exact = exact.exp() / arb.pi().sqrt()
        assert abs(arb(norm(power)) / exact - 1) < 1e-15


def test_interval_broadcasts():
    low, high = fast.rank_one_delta_interval(
        epsilon=np.array([[0.0], [1.0]]), sigma_star=np.array([10.0, 1e3, 1e9]), dimension=7
    )
    assert low.shape == high.shape == (2, 3)
    one = fast.rank_one_delta_interval(epsilon=1.0, sigma_star=1e3, dimension=7)
    assert one == (low[1, 1], high[1, 1])
    assert all(isinstance(end, float) for end in one)
    with pytest.raises(ValueError, match="sigma_star"):
        fast.rank_one_delta_interval(epsilon=1.0, sigma_star=0.0, dimension=7)


def test_simulated_radii_whose_squares_vanish():
    """At σ* = 2e-308 no loss exceeds ε = 1e308: r² underflows, but 2(M−1)·ln(1/r) is 1e12."""
    found = simulate(epsilon=1e308, sigma_star=2e-308, dimension=10**9, samples=1000)
    assert found.hits == 0
    assert math.isclose(found.high, 1.5e-2, rel_tol=0.1)


ANYWHERE = powers(-300, 300)


@pytest.mark.statement("X.R1.PROFILE")
@settings(max_examples=100)
@given(epsilon=ANYWHERE, variance=ANYWHERE, sensitivity=ANYWHERE, dimension=dimensions)
@example(epsilon=1.0, variance=5e-324, sensitivity=1.0, dimension=4)
@example(epsilon=1.0, variance=1.0, sensitivity=1e300, dimension=4)
@example(epsilon=1e308, variance=1e308, sensitivity=5e-324, dimension=2)
@example(epsilon=5e-324, variance=1.0, sensitivity=1.0, dimension=10**9)
def test_beyond_the_reach_of_the_interval_it_is_still_above(
    epsilon, variance, sensitivity, dimension
):
    """At least the lower bound by the inner ball, for the ratio at which e^ε λ^{1−M} is e^-1."""
    where = {"epsilon": epsilon, "sigma_star": variance, "dimension": dimension}
    where["sensitivity"] = sensitivity
    value = fast.rank_one_delta_at_epsilon(**where)
    assert 0 < value <= 1
    low, high = fast.rank_one_delta_interval(**where)
    assert 0 <= low <= high <= 1
    power = (epsilon + 1) / (dimension - 1)
    if power < 700:
        ratio = max(math.exp(power), math.nextafter(1, 2))
        assert value >= fast.rank_one_inner_ball_delta(**where, ratio=ratio) * (1 - 1e-9)


@pytest.mark.thorough("balls of seconds each")
@pytest.mark.statement("X.R1.PRIVATE")
@settings(max_examples=6)
@given(
    dimension=st.one_of(st.integers(3, 200), st.sampled_from([7921, 10**6, 10**9])),
    epsilon=st.one_of(st.just(0.0), powers(-6, 1.5)),
    delta=st.one_of(powers(-7, -0.01), st.sampled_from([1e-5, 1e-3, 0.5])),
    sensitivity=st.sampled_from([1.0, 1e-200, 0.1, 3.0, 1e100]),
)
@example(dimension=7921, epsilon=0.1, delta=1e-5, sensitivity=1.0)
@example(dimension=10**9, epsilon=0.0, delta=1e-5, sensitivity=1.0)
def test_the_private_variance_is_private_and_hardly_more(dimension, epsilon, delta, sensitivity):
    where = {"epsilon": epsilon, "dimension": dimension, "sensitivity": sensitivity}
    try:
        star = fast.rank_one_private_sigma_star(delta=delta, **where)
    except OverflowError:  # the noise is beyond the reach that the docstring names
        reach = Fraction(MOST) * Fraction(sensitivity) ** 2 * Fraction(99, 100)
        value = enclosures.rank_one_delta_at_epsilon(**where, sigma_star=reach, digits=18)
        assert rounding.side(value, Fraction(delta)) == 1
        return
    if not 1e-300 < star < 1e300:  # its float64 is no figure of the noise
        assert sensitivity in (1e-200, 1e100)
        return
    for share, side in ((0, -1), (Fraction(1, 10**5), 1)):
        value = enclosures.rank_one_delta_at_epsilon(
            **where, sigma_star=Fraction(star) * (1 - share), digits=18
        )
        assert rounding.side(value, Fraction(delta)) == side


@pytest.mark.statement("X.R1.PRIVATE")
def test_the_private_variance_broadcasts_and_says_what_is_out_of_reach():
    found = fast.rank_one_private_sigma_star(
        epsilon=np.array([[0.0], [1.0]]), delta=np.array([0.01, 0.1, 0.2]), dimension=7
    )
    assert found.shape == (2, 3)
    one = fast.rank_one_private_sigma_star(epsilon=1.0, delta=0.1, dimension=7)
    assert isinstance(one, float)
    assert one == found[1, 1]
    with pytest.raises(OverflowError, match="out of reach"):
        fast.rank_one_private_sigma_star(epsilon=1.0, delta=1e-15, dimension=7)
    with pytest.raises(ValueError, match="delta"):
        fast.rank_one_private_sigma_star(epsilon=1.0, delta=0.0, dimension=7)


@pytest.mark.statement("JL24.T1")
@example(dimension=2 * 10**4, delta=0.5)  # logarithms of Γ of 10^5 cancel
@given(
    dimension=st.one_of(st.integers(3, 200), powers(1, 9).map(int)),
    delta=st.one_of(powers(-300, -0.01), st.floats(0.5, 1 - 2.0**-53)),
)
def test_the_error_of_psi_is_within_its_bound(dimension, delta):
    value, error = (float(each) for each in _log_psi_and_error(delta, dimension))
    with precision(200):
        half = arb(dimension - 1) / 2
        gammas = (half + arb(0.5)).lgamma() - half.lgamma()
        exact = (arb(delta).log() - gammas - arb.pi().log() / 2) * 2 / (dimension - 2)
        assert abs(arb(value) - exact) <= error * arb(2) ** -52
