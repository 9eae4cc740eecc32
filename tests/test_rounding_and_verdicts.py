"""From balls to floats, to decimals and to verdicts."""

import math
from fractions import Fraction

import flint
import pytest
from flint import arb, ctx
from hypothesis import example, given
from hypothesis import strategies as st

from dporacle import enclosures
from dporacle.enclosures.arithmetic import rounding
from dporacle.verdicts import Verdict, decide_at_least, decide_at_most
from support import strategies as s


@given(value=st.fractions())
@example(value=Fraction(1, 3))
@example(value=Fraction(1, 10**400))
@example(value=-Fraction(1, 10**400))
def test_floats_next_to_a_fraction(value: Fraction) -> None:
    above, below = rounding.float_above(value), rounding.float_below(value)
    assert Fraction(below) <= value <= Fraction(above)
    assert above == below or math.nextafter(below, math.inf) == above


def test_fractions_out_of_range_are_an_overflow() -> None:
    for value in (Fraction(10**400), -Fraction(10**400)):
        for towards in (rounding.float_above, rounding.float_below):
            with pytest.raises(OverflowError, match="float64"):
                towards(value)


def _third(digits: int) -> arb:
    with ctx.workprec(int(digits * 3.33) + 10):
        return arb(1) / 3


def test_rounding_a_ball() -> None:
    assert rounding.round_up(_third) == math.nextafter(1 / 3, 1)  # 1/3 is rounded down to nearest
    assert rounding.round_down(_third) == 1 / 3
    assert rounding.round_up(lambda _: arb(0)) == 0.0
    assert rounding.round_up(lambda _: arb(2) ** -9000) == s.TINY
    assert rounding.round_down(lambda _: arb(2) ** -9000) == 0.0
    with pytest.raises(OverflowError):
        rounding.round_up(lambda _: arb(2) ** 1024)
    with pytest.raises(ArithmeticError):
        rounding.round_up(lambda _: arb.nan())


def test_a_value_that_touches_a_float_is_rounded_outwards() -> None:
    def one(digits: int) -> arb:
        with ctx.workprec(5000):
            return arb(1, arb(10) ** -digits)

    assert rounding.round_up(one) == math.nextafter(1, 2)
    assert rounding.round_up(one, ceiling=1) == 1.0
    assert rounding.round_down(one) == math.nextafter(1, 0)


@given(
    numerator=st.integers(-(10**40), 10**40),
    exponent=st.integers(-400, 400),
    digits=st.integers(1, 60),
)
def test_decimal_bounds_hold_the_ball(numerator: int, exponent: int, digits: int) -> None:
    with ctx.workprec(400):
        ball = arb(numerator) / 7 * arb(10) ** exponent
    low, high = rounding.bounds(ball)
    lower, upper = (Fraction(text) for text in rounding.decimal_bounds(ball, digits))
    assert lower <= low <= high <= upper
    assert upper - lower <= abs(upper) * Fraction(1, 10 ** (digits - 1))


def test_decimal_digits() -> None:
    sigma = enclosures.calibrate_sigma(epsilon=1, delta=Fraction("1e-5"), digits=40)
    assert rounding.decimal_digits(sigma, 20) == "3.7306316348159418322"


@given(bound=st.fractions(Fraction(1, 100), 100))
def test_verdicts_of_a_rational(bound: Fraction) -> None:
    value = Fraction(1, 3)
    at_most, at_least = decide_at_most(_third, bound), decide_at_least(_third, bound)
    if bound == value:
        assert at_most.verdict is at_least.verdict is Verdict.UNDECIDED
    else:
        assert at_most.verdict is (Verdict.HOLDS if value < bound else Verdict.VIOLATED)
        assert at_least.verdict is (Verdict.HOLDS if value > bound else Verdict.VIOLATED)


def test_an_exact_ball_at_its_bound_holds() -> None:
    for decide in (decide_at_most, decide_at_least):
        assert decide(lambda _: arb(2), Fraction(2)).verdict is Verdict.HOLDS


def test_a_difference_in_the_400th_digit_is_decided() -> None:
    bound = Fraction(1, 3) + Fraction(1, 10**400)
    decision = decide_at_most(_third, bound)
    assert decision.verdict is Verdict.HOLDS
    assert decision.digits > 400


@given(precision=st.integers(30, 500))
def test_the_caller_s_precision_is_neither_used_nor_changed(precision: int) -> None:
    before = flint.ctx.prec
    with ctx.workprec(precision):
        ball = enclosures.calibrate_sigma(epsilon=1, delta=1e-5, digits=60)
        assert ctx.prec == precision
        assert ball.rel_accuracy_bits() > 190
    assert flint.ctx.prec == before
