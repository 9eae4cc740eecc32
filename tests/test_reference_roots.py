"""The reference's roots: right to the last digit, or an error; never a wrong number."""

import itertools

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from dporacle.reference.numerics.precision import freeze, once, settle, working
from dporacle.reference.numerics.roots import positive_root


def square_root(number, *, lost=0, bias=0):
    """x² = number by Newton's method, its residual wrong in the last `lost` digits, or biased."""

    def newton(x, digits):
        with working(4 * digits + 64) as ctx:
            x = ctx.mpf(x)
            residual = x * x / number - 1
            grain = ctx.mpf(10) ** (lost - digits)
            residual = ctx.nint(residual / grain) * grain + (bias / ctx.mpf(10) ** 40)
            return freeze(residual), freeze(x - residual * number / (2 * x))

    return newton


@given(number=st.integers(1, 10**9), digits=st.integers(1, 400), start=st.floats(1e-9, 1e9))
def test_roots_are_right_to_the_last_digit(number, digits, start):
    root = positive_root(square_root(number), start=mpmath.mpf(start), digits=digits)
    with mpmath.workdps(digits + 20):
        assert abs(root / mpmath.sqrt(number) - 1) <= mpmath.mpf(10) ** -(digits + 1)


@pytest.mark.parametrize("lost", [5, 25, 100])
def test_a_function_that_loses_digits_is_asked_for_more(lost):
    root = positive_root(square_root(2, lost=lost), start=mpmath.mpf(1), digits=60)
    with mpmath.workdps(90):
        assert abs(root / mpmath.sqrt(2) - 1) <= mpmath.mpf(10) ** -61


def test_a_function_that_loses_all_digits_is_an_error():
    with pytest.raises(ArithmeticError, match="not bracketed to 60 digits"):
        positive_root(square_root(2, lost=5000), start=mpmath.mpf(1), digits=60)


def test_a_function_that_contradicts_itself_is_an_error():
    """Every second evaluation is biased in the fortieth digit."""
    turns = itertools.cycle((square_root(2), square_root(2, bias=1)))
    with pytest.raises(ArithmeticError, match="not bracketed"):
        positive_root(lambda x, d: next(turns)(x, d), start=mpmath.mpf(1), digits=60)


def test_a_wrong_evaluation_at_the_last_check_is_seen():
    """It is the only one at 72 digits; all is done again with more, and found."""
    right, wrong = square_root(2), square_root(2, bias=1)

    def newton(x, digits):
        return (wrong if digits == 72 else right)(x, digits)

    seen = []
    root = positive_root(
        lambda x, d: (seen.append(d), newton(x, d))[1], start=mpmath.mpf(1), digits=60
    )
    assert 72 in seen
    assert max(seen) > 72
    with mpmath.workdps(90):
        assert abs(root / mpmath.sqrt(2) - 1) <= mpmath.mpf(10) ** -61


@pytest.mark.parametrize("evaluate", [once, settle])
@pytest.mark.parametrize("digits", [1, 50, 300])
def test_cancellation_costs_time_not_digits(evaluate, digits):
    """1 + 10^-200 − 1, of which a coarse precision sees nothing."""
    found = evaluate(lambda ctx: (1 + ctx.mpf(10) ** -200, ctx.mpf(-1)), digits)
    with mpmath.workdps(digits + 10):
        assert abs(found * mpmath.mpf(10) ** 200 - 1) <= mpmath.mpf(10) ** -max(digits, 12)
