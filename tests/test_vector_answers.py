"""An answer held against a vector: rounding, its outcome, declared tolerances."""

import contextlib
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dporacle.conformance.grade.asked_vector import AskedVector, VectorError
from dporacle.conformance.grade.functions import Gate
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import UNSAFE, Outcome
from dporacle.vectors.rounded import FLOAT32, FLOAT64
from dporacle.vectors.vector_file import GROUPS, load
from dporacle.vocabulary import QUANTITIES
from support.dear import quantities


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-3, 3))
@example(5e-324, 1)
@example(1.7976931348623157e308, 1)
@example(2.0**-150, 0)
@example(3.4028234663852886e38, 1)
@example(3.4028235677973366e38, 0)  # halfway to what would be the next float32
def test_rounding_is_that_of_the_hardware(value, parts):
    """Against numpy's conversions and nextafter, at a float, its neighbours, and between."""
    exact = Fraction(value) + parts * Fraction(math.ulp(value)) / 4
    try:
        nearest = float(exact)
    except OverflowError:
        nearest = math.inf if exact > 0 else -math.inf
    _matches(exact, FLOAT64, nearest)
    if parts == 0:  # one rounding only
        with np.errstate(over="ignore"):
            _matches(exact, FLOAT32, float(np.float32(value)))


def _matches(exact, form, nearest):
    down, up = form.down(exact), form.up(exact)
    assert down is None or down <= exact
    assert up is None or exact <= up
    which = {"down": down, "up": up, "exact": up}[form.nearest(exact)]
    if math.isinf(nearest):
        assert which is None
    else:
        assert which == Fraction(nearest)
    single = form is FLOAT32
    if up is not None and down is not None and up != down:
        after = (
            np.nextafter(np.float32(float(down)), np.float32(math.inf))
            if single
            else math.nextafter(float(down), math.inf)
        )
        assert Fraction(float(after)) == up


def asked(group, vector, **how):
    return AskedVector(file=load(group), vector=vector, fixed={}, **how)


def outcome(group, vector, answer):
    question = asked(group, vector, gate=Gate(fail_on=Level.NO_PRIVACY))
    with contextlib.suppress(VectorError):
        question.check(answer)
    return question.found[-1].outcome


@pytest.mark.parametrize("group", quantities(GROUPS))
def test_the_certified_float_is_safe_everywhere_and_its_neighbour_is_not(group):
    file = load(group)
    for vector in file.vectors:
        up = file.rounding == "up"
        if vector.float64 is None:
            infinite = outcome(group, vector, math.inf)
            assert infinite is (Outcome.TIGHT if up else Outcome.NON_FINITE)
            continue
        assert outcome(group, vector, vector.float64) is Outcome.TIGHT
        edge = vector.float64
        if QUANTITIES[group].ends:  # between two ends nothing is refuted
            edge = vector.rounded["float64"].down if up else vector.rounded["float64"].up
            share = 10.0 ** (1 - QUANTITIES[group].certified)  # of an end: its digits end there
            edge *= 1 - share if up else 1 + share
        inner = math.nextafter(edge, -math.inf if up else math.inf)
        if math.isfinite(inner):
            assert outcome(group, vector, inner) in UNSAFE, vector.id


def test_the_declared_tolerance_can_be_asked_for():
    file = load("calibrate_sigma")
    core = next(v for v in file.vectors if v.tolerance == "core")
    hard = next(v for v in file.vectors if v.tolerance == "hard")
    for vector, factor in ((core, 1e-9), (hard, 1e-6)):
        good, bad = (vector.float64 * (1 + factor * each) for each in (0.9, 1.1))
        question = asked("calibrate_sigma", vector, excess="declared")
        question.check(good)
        with pytest.raises(VectorError, match="on the safe side"):
            question.check(bad)
