"""The variance and the ε that rank-one noise needs: X.R1.INVERSE."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle import enclosures, reference
from dporacle.enclosures.arithmetic import rounding
from support.dear import dear
from support.exact import agrees, bounds
from support.strategies import powers

pytestmark = pytest.mark.statement("X.R1.INVERSE")


@pytest.mark.thorough("balls of seconds each")
@settings(max_examples=3)
@given(dimension=st.sampled_from([3, 4, 5, 20, 7921]), epsilon=powers(-2, 1), delta=powers(-6, -1))
def test_inverses_solve_the_profile(dimension, epsilon, delta):
    ball = enclosures.rank_one_private_sigma_star(
        epsilon=epsilon, delta=delta, dimension=dimension, digits=10
    )
    for s, side in zip(bounds(ball), (1, -1), strict=True):
        moved = s * (1 - side * Fraction(1, 10**9))
        value = enclosures.rank_one_delta_at_epsilon(
            epsilon=epsilon, sigma_star=moved, dimension=dimension, digits=12
        )
        assert rounding.side(value, Fraction(delta)) == side
    middle = Fraction(float(ball))
    back = enclosures.rank_one_epsilon_at_delta(
        delta=delta, sigma_star=middle, dimension=dimension, digits=8
    )
    assert abs(float(back) / epsilon - 1) < 1e-5


@pytest.mark.parametrize(("dimension", "epsilon", "delta"), [dear(3, 1, "1e-3")])
def test_inverses_agree(dimension, epsilon, delta):
    where = {"dimension": dimension, "delta": Fraction(delta), "digits": 5}
    ball = enclosures.rank_one_private_sigma_star(**where, epsilon=Fraction(epsilon))
    value = reference.rank_one_private_sigma_star(**where, epsilon=Fraction(epsilon))
    assert agrees(ball, value, 5)
    ball = enclosures.rank_one_epsilon_at_delta(**where, sigma_star=1000)
    assert agrees(ball, reference.rank_one_epsilon_at_delta(**where, sigma_star=1000), 5)


def test_epsilon_is_zero_from_delta_at_zero_on():
    where = {"sigma_star": 100, "dimension": 4}
    at_zero = enclosures.rank_one_delta_at_epsilon(epsilon=0, **where)
    above = bounds(at_zero)[1]
    assert enclosures.rank_one_epsilon_at_delta(delta=above, **where) == 0
    assert enclosures.rank_one_epsilon_at_delta(delta=1, **where) == 0
    assert reference.rank_one_epsilon_at_delta(delta=above + Fraction(1, 100), **where) == 0
