"""The published theorem in three dimensions, where it is true: X.R1.M3."""

from fractions import Fraction

import mpmath
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from support.exact import bounds
from support.rank_one import published
from support.strategies import powers

pytestmark = pytest.mark.statement("X.R1.M3")


def test_slack_in_dimension_three():
    """On this grid the claimed δ is at least 4.5 times the exact one; the least is below 4.51."""
    slacks = [
        Fraction(delta) / bounds(published(3, Fraction(epsilon), Fraction(delta), 8))[1]
        for delta in ("0.999999", "0.9", "0.5", "0.1", "1e-3", "1e-9")
        for epsilon in ("1e-6", "0.01", "0.2", "0.4", "0.5", "0.6", "1", "3", "10")
    ]
    assert Fraction("4.5") < min(slacks) < Fraction("4.51")


@settings(max_examples=25)
@given(epsilon=powers(-12, 2.5), delta=st.one_of(powers(-30, -0.01), st.floats(0.5, 0.999999)))
@example(epsilon=0.65, delta=1e-5)
@example(epsilon=2.03, delta=0.999999)
def test_in_three_dimensions_the_theorem_holds(epsilon, delta):
    _, high = bounds(published(3, epsilon, delta, 6))
    assert high <= Fraction(delta)


def test_the_numbers_of_the_proof_in_three_dimensions():
    """The five constants that `proofs_notes/rank_one_gaussian.md` compares with π and π^1.5."""
    ctx = mpmath.mp
    pi = ctx.pi
    assert 4.48**2 * (0.5 - 1 / pi**2) >= 8
    first = 2 * ctx.sqrt(8 / (ctx.e * pi))
    assert first + 4.48 * ctx.erfc(1.12) / ctx.sqrt(0.25) < 0.95 * pi
    assert 8 / ctx.sqrt(8 * pi) < first
    low = ctx.sqrt(0.25 / pi) * (1 + ctx.log(32))
    assert low + 2 * 8 * ctx.exp(-4) < pi / 2
    assert 0.5 * (1 + ctx.log(17 * 4**4) / 2) < pi**1.5
    most = 4.48**2 / pi**2
    assert ctx.sqrt(most) * (1 + ctx.log(1 + 4 * 4.48**2 / most**2) / 2) < pi**1.5
    assert 4 * 4.48**2 / most**2 > ctx.e**2 - 1
