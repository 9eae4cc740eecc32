"""Answers print the digits that were asked for, and compute as the numbers that they are."""

import pickle
from fractions import Fraction

import mpmath
import pytest
from flint import arb

from dporacle import enclosures, fast, reference
from dporacle.enclosures.arithmetic.rounding import bounds

ASKED = {"epsilon": 1, "delta": Fraction(1, 10**5)}


@pytest.mark.parametrize("digits", [1, 5, 15, 20, 50])
def test_the_reference_prints_them(digits):
    value = reference.calibrate_sigma(**ASKED, digits=digits)
    ball = enclosures.calibrate_sigma(**ASKED, digits=60)
    exact = mpmath.mpf(ball.str(58, radius=False), dps=60)
    assert str(value) == f"{value}" == mpmath.nstr(exact, digits)
    assert repr(value) == f"mpf('{value}')"
    assert f"{value:.3f}" == "3.731"


def test_an_answer_is_a_number_as_any_other():
    value = reference.calibrate_sigma(**ASKED)
    plain = mpmath.mp.make_mpf(value._mpf_)
    assert isinstance(value, mpmath.mpf)
    assert value == plain
    assert hash(value) == hash(plain)
    assert float(value) == float(plain)
    assert type(value + 1) is type(mpmath.sqrt(value)) is type(+value) is mpmath.mpf
    again = pickle.loads(pickle.dumps(value))
    assert (again, repr(again)) == (value, repr(value))
    assert reference.delta_at_epsilon(epsilon=1, sigma=value) == reference.delta_at_epsilon(
        epsilon=1, sigma=plain
    )


def test_the_function_is_one_object():
    """A process that gets a function finds the one that its package has."""
    for witness in (reference, enclosures, fast):
        for name in witness.__all__:
            function = getattr(witness, name)
            assert function is pickle.loads(pickle.dumps(function))
    assert str(reference.accuracy(alpha=Fraction(1, 20), sigma=1, digits=30)).startswith("1.95996")
    assert len(str(reference.accuracy(alpha=Fraction(1, 20), sigma=1, digits=30))) == 31


def test_intervals_and_whole_numbers():
    assert reference.discrete_accuracy(alpha=Fraction(1, 20), sigma=3) == 6
    for name in ("subsampled_delta",):
        value = getattr(reference, name)(
            epsilon=1, sigma=1, rate=Fraction(1, 10), steps=2, direction="remove", digits=20
        )
        assert len(str(value).partition("e")[0].replace(".", "").lstrip("0")) == 20


@pytest.mark.parametrize("digits", [1, 5, 20, 50])
def test_a_ball_prints_no_more_than_it_knows(digits):
    value = enclosures.calibrate_sigma(**ASKED, digits=digits)
    assert isinstance(value, arb)
    assert str(value) == repr(value) == value.str(digits)
    middle = str(value).strip("[").partition(" ")[0].partition("e")[0]
    assert len(middle.replace(".", "")) == digits
    shown, (low, high) = bounds(arb(str(value))), bounds(value)
    assert shown[0] <= low <= high <= shown[1]
    assert type(value + 1) is arb
