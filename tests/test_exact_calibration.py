"""`dporacle.calibrate_sigma(…, exact=True)`: the smallest private float64."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, example, given

import dporacle
from dporacle import enclosures, vectors
from dporacle.enclosures.arithmetic import rounding
from support import strategies as s


@given(epsilon=s.epsilons(), delta=s.deltas(), sensitivity=s.positives())
@example(epsilon=0.0, delta=0.5, sensitivity=1.0)
@example(epsilon=1.0, delta=1e-5, sensitivity=4.8e307)  # within a factor 1.01 of overflow
def test_it_is_the_smallest_float_above_the_exact_sigma(epsilon, delta, sensitivity):
    where = {"epsilon": epsilon, "delta": delta, "sensitivity": sensitivity}
    try:
        sigma = dporacle.calibrate_sigma(**where, exact=True)
    except OverflowError:
        ball = enclosures.calibrate_sigma(**where, digits=20)
        assert rounding.side(ball, Fraction(s.LARGEST)) > 0 or ball < s.TINY
        return
    assert sigma == rounding.round_up(lambda n: enclosures.calibrate_sigma(**where, digits=n))


def test_it_meets_every_vector():
    for vector in vectors.load("calibrate_sigma").vectors:
        if vector.float64 is not None:
            assert dporacle.calibrate_sigma(**vector.inputs, exact=True) == vector.float64


@given(delta=s.deltas())
def test_arrays_give_the_same_as_scalars(delta):
    assume(delta > 1e-300)
    epsilons = np.array([[0.0], [1e-3], [1.0], [710.0]])
    sensitivities = np.array([1.0, 3.0])
    out = dporacle.calibrate_sigma(
        epsilon=epsilons, delta=delta, sensitivity=sensitivities, exact=True
    )
    assert out.shape == (4, 2)
    for i, j in np.ndindex(out.shape):
        assert out[i, j] == dporacle.calibrate_sigma(
            epsilon=float(epsilons[i, 0]),
            delta=delta,
            sensitivity=float(sensitivities[j]),
            exact=True,
        )


def test_bad_input_is_refused():
    with pytest.raises(TypeError, match="exact"):
        dporacle.calibrate_sigma(epsilon=1, delta=1e-5, exact="yes")
    for value in (math.nan, -1.0, "one", "-1", True):
        with pytest.raises((TypeError, ValueError), match="epsilon"):
            dporacle.calibrate_sigma(epsilon=value, delta=1e-5, exact=True)
    with pytest.raises(TypeError, match="epsilon"):  # the float64 witness reads no text
        dporacle.calibrate_sigma(epsilon="1", delta=1e-5)


def test_text_is_the_number_that_it_says():
    tenth = dporacle.calibrate_sigma(epsilon="0.1", delta="1e-5", exact=True)
    assert tenth == dporacle.calibrate_sigma(
        epsilon=Fraction(1, 10), delta=Fraction(1, 10**5), exact=True
    )


def test_bad_arrays_are_refused():
    with pytest.raises(ValueError, match="delta"):
        dporacle.calibrate_sigma(epsilon=1.0, delta=np.array([]), exact=True)
