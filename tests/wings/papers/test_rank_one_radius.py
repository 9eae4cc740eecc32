"""The reference's derivation by the radius: Beta tails, and δ(ε) in any dimension."""

from fractions import Fraction

import pytest
from flint import arb
from hypothesis import example, given
from hypothesis import strategies as st

from dporacle import enclosures, reference
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.reference.numerics.precision import real, settle
from dporacle.reference.papers.rank_one.caps import tail


@given(
    power=st.one_of(st.integers(1, 60), st.integers(60, 10**9)),
    spread=st.floats(0, 16),
    digits=st.integers(15, 60),
)
@example(power=1, spread=0.7, digits=30)  # c² just below ½: M = 2 has the heaviest tails
@example(power=1, spread=1 - 2**-40, digits=30)
@example(power=10**9 - 1, spread=15.9, digits=50)
@example(power=7, spread=0.0, digits=20)
def test_beta_tails_are_those_of_the_balls(power, spread, digits):
    # c is `spread` standard deviations 1/√K out, and inside (0, 1).
    c = min(Fraction(spread) / Fraction(power) ** Fraction(1, 2), Fraction(2**40 - 1, 2**40))
    c = Fraction(c).limit_denominator(2**60)
    ours = settle(lambda ctx: tail(ctx, power)(real(ctx, c)), digits)
    with precision(8 * digits + 400):
        y = 1 - ball(c) ** 2
        exact = y.beta_lower(arb(power) / 2, arb(1) / 2, regularized=True) / 2
        mantissa, exponent = ours.man_exp
        gap = abs(arb(int(mantissa)) * arb(2) ** int(exponent) - exact)
        assert gap <= exact * arb(10) ** -digits


@pytest.mark.thorough("balls of several seconds each")
@pytest.mark.parametrize(
    ("dimension", "epsilon", "variance"), [(10**9, 1, 10**9), (10**5, 5, Fraction(1, 2))]
)
def test_radius_form_in_high_dimension(dimension, epsilon, variance):
    where = {"epsilon": epsilon, "sigma_star": variance, "dimension": dimension}
    ours = reference.rank_one_delta_by_radius(**where, digits=15)
    exact = enclosures.rank_one_delta_at_epsilon(**where, digits=20)
    with precision(256):
        mantissa, exponent = ours.man_exp
        gap = abs(arb(int(mantissa)) * arb(2) ** int(exponent) - exact)
        assert gap <= exact * arb(10) ** -15
