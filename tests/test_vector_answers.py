"""An answer held against a vector: rounding, grades, declared tolerances."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dporacle.vectors.check import Grade, check, grade
from dporacle.vectors.rounded import FLOAT32, FLOAT64
from dporacle.vectors.vector_file import GROUPS, load


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


def test_grades():
    file = load("calibrate_sigma")
    core = next(v for v in file.vectors if v.id == "epsilon=1;delta=1e-05;sensitivity=1")
    safe = core.float64
    assert safe is not None
    assert grade(file, core, safe) is Grade.EXACT
    assert grade(file, core, core.float64_hex) is Grade.EXACT
    assert grade(file, core, safe + 3 * math.ulp(safe)) is Grade.TIGHT
    assert grade(file, core, safe * (1 + 9e-10)) is Grade.ACCEPTABLE
    assert grade(file, core, safe * (1 + 2e-9)) is Grade.CONSERVATIVE
    assert grade(file, core, math.nextafter(safe, 0)) is Grade.VIOLATING
    assert grade(file, core, math.inf) is Grade.NO_ANSWER
    assert grade(file, core, None) is Grade.NO_ANSWER
    single = core.rounded["float32"]
    assert grade(file, core, single.up, format="float32") is Grade.EXACT
    assert grade(file, core, np.float32(single.up), format="float32") is Grade.EXACT
    assert grade(file, core, single.up + 2.0**-21, format="float32") is Grade.TIGHT
    assert grade(file, core, single.down, format="float32") is Grade.VIOLATING
    beyond = next(v for v in file.vectors if v.float64 is None)
    assert grade(file, beyond, math.inf) is Grade.EXACT
    assert grade(file, beyond, 1e308) is Grade.VIOLATING
    down = load("sigma_at_accuracy")
    for vector in down.vectors:
        if vector.float64 is None:
            continue
        assert grade(down, vector, vector.float64) is Grade.EXACT
        assert grade(down, vector, vector.rounded["float64"].up) is not Grade.TIGHT


@pytest.mark.parametrize("group", GROUPS)
def test_every_rounding_gets_its_grade(group):
    file = load(group)
    for vector in file.vectors:
        for name, part in vector.rounded.items():
            up = file.rounding == "up"
            safe, other = (part.up, part.down) if up else (part.down, part.up)
            if safe is not None:
                assert grade(file, vector, safe, format=name) is Grade.EXACT
            if other is not None and part.nearest != "exact":
                assert grade(file, vector, other, format=name) is Grade.VIOLATING


def test_the_declared_tolerance_can_be_asked_for():
    file = load("calibrate_sigma")
    core = next(v for v in file.vectors if v.tolerance == "core")
    hard = next(v for v in file.vectors if v.tolerance == "hard")
    for vector, factor in ((core, 1e-9), (hard, 1e-6)):
        good, bad = (vector.float64 * (1 + factor * each) for each in (0.9, 1.1))
        assert check(file, vector, good, excess="declared").result == "safe"
        assert check(file, vector, bad, excess="declared").result == "loose"
