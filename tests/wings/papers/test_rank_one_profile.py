"""The exact profile of rank-one noise on every witness: X.R1.PROFILE."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures, fast, reference
from support.exact import agrees, bounds, close
from support.rank_one import DIGITS, bound, dimensions, published, sizes
from support.strategies import powers

pytestmark = pytest.mark.statement("X.R1.PROFILE")

KNOWN = [
    (4, "1e-3", "1e-3", "1.90991289016932474501989e-3", 24),
    (10, "1e-5", "0.1", "0.127647063153984341154025", 24),
    (7921, "1e-7", "1e-5", "0.216641609561936775107077", 24),
    (3, "1e-5", "1", "1.73619854031059071153801e-6", 24),
]


@pytest.mark.statement("JL24.T1")
@pytest.mark.parametrize(("size", "delta", "epsilon", "known", "digits"), KNOWN)
def test_known_figures_lie_inside(size, delta, epsilon, known, digits):
    ball = published(size, Fraction(epsilon), Fraction(delta), 30)
    low, high = bounds(ball)
    figure = Fraction(known)
    unit = figure / 10 ** (digits - 2)  # the figures are written with 24 digits or one less
    assert figure - unit <= low <= high <= figure + unit
    assert high - low <= high / 10**29


@pytest.mark.thorough("quadratures of seconds each")
@settings(max_examples=3)
@given(dimension=dimensions, epsilon=powers(-6, 1.5), variance=powers(-2, 8))
@example(dimension=3, epsilon=1e-200, variance=1.0)
@example(dimension=4, epsilon=60.0, variance=0.01)  # a tail on the far side, and nothing else
@example(dimension=100, epsilon=318.0, variance=1000.0)  # e^-ε is far below the precision
@example(dimension=7921, epsilon=1e-5, variance=2e5)
def test_the_two_derivations_and_the_enclosure_agree(dimension, epsilon, variance):
    where = {"epsilon": epsilon, "sigma_star": variance, "dimension": dimension}
    digits = 8 if dimension > 2 else 6
    ball = enclosures.rank_one_delta_at_epsilon(**where, digits=digits)
    one = reference.rank_one_delta_at_epsilon(**where, digits=digits)
    assert agrees(ball, one, digits - 1)
    if 2 < dimension < 1000 and epsilon > 1e-100:
        other = reference.rank_one_delta_by_radius(**where, digits=digits)
        assert close(one, other, digits - 1)


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.parametrize(
    ("dimension", "epsilon", "variance"),
    [
        (37110915, 143e6, Fraction("29.68")),
        (29408317, Fraction("94538225.1"), 13314692),
        (10**9, 10**9, 10**3),
        (10**6, 5 * 10**4, Fraction(1, 10)),
        (10**5, 3 * 10**4, Fraction(1, 10**5)),
    ],
)
def test_the_peak_of_many_dimensions_is_seen(dimension, epsilon, variance):
    # Where ε is no small part of M all that counts is within 1/√M of a point; quadratures that
    # passed it over agreed on a δ of −13.9.
    where = {"epsilon": epsilon, "sigma_star": variance, "dimension": dimension}
    ball = enclosures.rank_one_delta_at_epsilon(**where, digits=10)
    assert agrees(ball, reference.rank_one_delta_at_epsilon(**where, digits=10), 9)
    assert agrees(ball, reference.rank_one_delta_by_radius(**where, digits=10), 9)


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.parametrize(
    ("dimension", "variance"), [(2, 1), (3, Fraction(1, 1000)), (4, 10**6), (7, 1), (100, 30)]
)
def test_at_epsilon_zero_the_three_agree(dimension, variance):
    where = {"epsilon": 0, "sigma_star": variance, "dimension": dimension}
    digits = 12 if dimension > 2 else 6
    ball = enclosures.rank_one_delta_at_epsilon(**where, digits=digits)
    assert agrees(ball, reference.rank_one_delta_at_epsilon(**where, digits=digits), digits - 1)
    assert agrees(ball, reference.rank_one_delta_by_radius(**where, digits=digits), digits - 1)
    approximate = Fraction(
        fast.rank_one_delta_at_epsilon(epsilon=0, sigma_star=float(variance), dimension=dimension)
    )
    above = approximate - bounds(ball)[0]
    assert 0 <= above <= Fraction(1, 10**6 if dimension == 2 else 10**8)


@settings(max_examples=60)
@given(
    dimension=st.one_of(dimensions, sizes),
    epsilon=st.one_of(st.just(0.0), powers(-8, 4)),
    variance=powers(-6, 20),
)
def test_float64_profile_is_above_and_as_accurate_as_it_says(dimension, epsilon, variance):
    where = {"epsilon": epsilon, "sigma_star": variance, "dimension": dimension}
    value = fast.rank_one_delta_at_epsilon(**where)
    try:
        low, high = bound("rank_one_delta_at_epsilon", **where, digits=18)
    except ArithmeticError:  # δ is far below float64's range
        assert value < 1e-11
        return
    assert low <= Fraction(value) <= high + Fraction(1, 10**5)
    if dimension > 2 and 0.1 <= variance <= 1e14 and high >= Fraction(1, 10**7):
        assert Fraction(value) <= high * (1 + Fraction(1, 10**5))


@settings(max_examples=8)
@given(dimension=sizes, epsilon=powers(-5, 1), variance=powers(-1, 10), factor=st.floats(1.01, 9))
def test_profile_falls_in_epsilon_and_in_the_variance(dimension, epsilon, variance, factor):
    def at(eps, s):
        return bound(
            "rank_one_delta_at_epsilon",
            epsilon=eps,
            sigma_star=s,
            dimension=dimension,
            digits=DIGITS,
        )

    low, high = at(epsilon, variance)
    assert 0 < low <= 1
    assert at(epsilon * factor, variance)[0] <= high
    assert at(epsilon, variance * factor)[0] <= high


@settings(max_examples=6)
@given(dimension=sizes, epsilon=powers(-5, 1), variance=powers(-1, 8), scale=st.integers(2, 10**6))
def test_only_the_ratio_of_variance_and_squared_sensitivity_counts(
    dimension, epsilon, variance, scale
):
    plain = bound(
        "rank_one_delta_at_epsilon",
        epsilon=epsilon,
        sigma_star=variance,
        dimension=dimension,
        digits=20,
    )
    scaled = bound(
        "rank_one_delta_at_epsilon",
        epsilon=epsilon,
        sigma_star=Fraction(variance) * scale**2,
        sensitivity=scale,
        dimension=dimension,
        digits=20,
    )
    assert plain[0] <= scaled[1]
    assert scaled[0] <= plain[1]


@settings(max_examples=40)
@given(dimension=st.one_of(dimensions, sizes), epsilon=powers(-6, 3), variance=powers(-4, 12))
def test_number_of_intervals_is_that_of_a_plain_search(dimension, epsilon, variance):
    r = np.geomspace(1e-8, 1e16, 200_001)
    largest = (dimension - 1) * np.log1p(1 / r) + (1 + 2 * r) / (2 * variance)
    if abs(largest.min() / epsilon - 1) < 1e-3:
        return
    count = enclosures.rank_one_intervals(epsilon=epsilon, sigma_star=variance, dimension=dimension)
    assert count == (2 if largest.min() < epsilon else 1)


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.parametrize("dimension", [3, 4, 5, 10])
def test_profile_does_not_jump_where_one_interval_becomes_two(dimension):
    """Between ε and ε + h the profile falls by at most e^ε·(e^h − 1), and never rises.

    For odd M the reference is quick enough there to be asked too.
    """
    power = dimension - 1
    r = (math.sqrt(1 + 4 * power * 50) - 1) / 2
    touching = power * math.log1p(1 / r) + (1 + 2 * r) / 100
    before = None
    for shift in (-1e-9, -1e-15, 0.0, 1e-15, 1e-9):
        epsilon = touching + shift
        where = {"epsilon": epsilon, "sigma_star": 50, "dimension": dimension}
        ball = enclosures.rank_one_delta_at_epsilon(**where, digits=DIGITS)
        low, high = bounds(ball)
        if before is not None:
            assert low <= before[1]
            assert before[0] - high <= Fraction(5, 10**9)
        before = low, high
        if dimension in (3, 5) and shift in (0.0, 1e-9):
            assert agrees(ball, reference.rank_one_delta_at_epsilon(**where, digits=8), 7)
