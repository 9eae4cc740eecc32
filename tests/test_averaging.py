"""What the divisor of a noisy sum tells: X.AVG.SCALE, on every witness."""

import itertools
from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures, fast, reference
from support.strategies import deltas
from support.witnesses import ask, function

FINE = Fraction(1, 10**28)
DIGITS = 30

small = st.integers(1, 2000)
divisors = small | st.integers(1, 10**9)
counts = st.integers(1, 20) | st.integers(1, 3000) | st.floats(0, 13).map(lambda x: int(10**x))
losses = st.floats(0, 3) | st.floats(-6, 4).map(lambda x: 10.0**x)


def witnessed(name, **where):
    """The exact ends, with the reference in them, and the float64."""
    low, high = ask("enclosures", name, digits=DIGITS, **where)
    value = ask("reference", name, digits=DIGITS, **where)[0]
    assert abs(value - low) <= FINE * abs(low)
    return low, high, function("fast", name)(**where)


@settings(max_examples=25)  # half a second each
@given(epsilon=losses, divisor=divisors, step=st.integers(-3, 3), coordinates=counts)
@example(epsilon=0.0, divisor=500, step=-1, coordinates=1)
@example(epsilon=0.0, divisor=1, step=1, coordinates=2)
@example(epsilon=0.5, divisor=2, step=-1, coordinates=1)
@example(epsilon=0.7, divisor=2, step=-1, coordinates=1)  # beyond the largest loss, ln 2
@example(epsilon=4382.0, divisor=500, step=-1, coordinates=10**9)
@pytest.mark.statement("X.AVG.SCALE")
def test_delta_agrees(epsilon, divisor, step, coordinates):
    assume(divisor + step > 0)
    where = {"divisor": divisor, "other_divisor": divisor + step, "coordinates": coordinates}
    found = fast.divisor_delta(epsilon=epsilon, **where)
    try:
        exact = enclosures.divisor_delta(epsilon=epsilon, **where, digits=12)
    except ArithmeticError:  # below e^-20000
        exact = 0
    if exact < 1e-200:
        assert found < 1e-9  # beyond the largest loss its rounding may give something
        return
    low, high, found = witnessed("divisor_delta", epsilon=epsilon, **where)
    assert low <= 1
    assert low <= Fraction(found)
    # 2^-30, and what a change of w* by 2^-49·k does: √k times that, times some deviations.
    looseness = Fraction(1, 2**30) + Fraction(int(40 * coordinates**0.5), 2**49)
    assert Fraction(found) <= high * (1 + looseness)


@settings(max_examples=6)  # half a second each; `test_rows` asks δ at the ε of its inputs too
@given(delta=deltas(), divisor=small, step=st.sampled_from([-1, 1]), coordinates=counts)
@example(delta=1e-5, divisor=256, step=-1, coordinates=10**4)
@example(delta=1e-5, divisor=500, step=-5, coordinates=10**5)
@example(delta=0.9, divisor=500, step=1, coordinates=1)
@pytest.mark.statement("X.AVG.SCALE")
def test_epsilon_is_where_delta_is(delta, divisor, step, coordinates):
    assume(divisor + step > 0 and delta > 1e-100)
    where = {"divisor": divisor, "other_divisor": divisor + step, "coordinates": coordinates}
    low, high = ask("enclosures", "divisor_epsilon", delta=delta, digits=12, **where)
    found = fast.divisor_epsilon(delta=delta, **where)
    assert Fraction(found) >= low
    if low == 0:
        assert enclosures.divisor_delta(epsilon=0, **where, digits=12) <= delta
        return
    inside = enclosures.divisor_delta(epsilon=low * (1 - Fraction(1, 10**10)), **where, digits=12)
    outside = enclosures.divisor_delta(epsilon=high * (1 + Fraction(1, 10**10)), **where, digits=12)
    assert outside < delta < inside


@pytest.mark.parametrize(("divisor", "other"), [(3, 4), (3, 2)])
@pytest.mark.statement("X.AVG.SCALE")
def test_the_reference_answers_where_delta_is_nearly_one(divisor, other):
    """δ(0) lacks less than e^-20000 of 1 there, and ε is asked for all the same."""
    where = {"divisor": divisor, "other_divisor": other, "coordinates": 10**6, "digits": 12}
    assert reference.divisor_delta(epsilon=0, **where) == 1
    low, high = ask("enclosures", "divisor_epsilon", delta=Fraction(1, 10**10), **where)
    found = Fraction(str(reference.divisor_epsilon(delta=Fraction(1, 10**10), **where)))
    assert low * (1 - Fraction(1, 10**11)) <= found <= high * (1 + Fraction(1, 10**11))


@pytest.mark.parametrize("coordinates", [1, 2, 5])
@pytest.mark.statement("X.AVG.SCALE")
def test_the_reference_finds_a_root_just_below_the_largest_loss(coordinates):
    """δ ends there like a power of the gap, which is 10^-20 of ε and less."""
    where = {"divisor": 3, "other_divisor": 2, "coordinates": coordinates, "digits": 15}
    for delta in (Fraction(1, 10**30), Fraction(1, 10**200)):
        low, high = ask("enclosures", "divisor_epsilon", delta=delta, **where)
        found = Fraction(str(reference.divisor_epsilon(delta=delta, **where)))
        assert low * (1 - Fraction(1, 10**14)) <= found <= high * (1 + Fraction(1, 10**14))


@pytest.mark.parametrize(
    ("divisors", "coordinates", "delta", "narrow", "wide"),
    [
        ((256, 255), 10**4, "1e-5", "2.18595935922439", "2.28119575030190"),
        ((256, 255), 10**9, "1e-5", "16021.2736310532", "16107.1476550240"),
        ((500, 499), 10**6, "1e-5", "15.4249051685869", "15.5273557203932"),
        ((500, 499), 10**7, "1e-5", "77.2960725392191", "77.6009211892500"),
        ((500, 499), 10**9, "1e-5", "4382.75291475449", "4395.02636673472"),
        ((500, 495), 10**7, "1e-5", "1192.06782901944", "1209.68646639613"),
        ((60000, 59999), 10**10, "1e-5", "12.2620828835999", "12.2628379222508"),
        ((10**6, 10**6 - 1), 10**13, "1e-6", "30.5788610011404", "30.5789447067189"),
    ],
)
@pytest.mark.statement("X.AVG.SCALE")
def test_figures(divisors, coordinates, delta, narrow, wide):
    for (first, second), figure in ((divisors, narrow), (divisors[::-1], wide)):
        found = enclosures.divisor_epsilon(
            delta=delta, divisor=first, other_divisor=second, coordinates=coordinates, digits=13
        )
        assert abs(Fraction(figure) / Fraction(str(found.mid().str(20, radius=False))) - 1) < 1e-13


@pytest.mark.statement("X.AVG.SCALE")
def test_it_depends_on_the_quotient_alone_and_rises_with_the_coordinates():
    where = {"epsilon": Fraction(1, 100), "digits": 12}
    values = [
        enclosures.divisor_delta(divisor=20, other_divisor=19, coordinates=d, **where)
        for d in (1, 2, 3, 10, 100, 399, 400, 401, 402, 1000, 1001)
    ]
    assert all(low < high for low, high in itertools.pairwise(values))
    other = enclosures.divisor_delta(
        divisor=Fraction(20, 7), other_divisor=Fraction(19, 7), coordinates=100, **where
    )
    assert other.overlaps(values[4])


@pytest.mark.statement("X.AVG.SCALE")
def test_the_transform_and_the_closed_form_agree_where_the_reference_changes(monkeypatch):
    from dporacle.reference import averaging

    where = {"epsilon": 2, "divisor": 30, "coordinates": 900, "digits": 25}
    for other in (29, 31):
        closed = reference.divisor_delta(other_divisor=other, **where)
        with monkeypatch.context() as patch:
            patch.setattr(averaging, "_FEW", 0)
            inverted = reference.divisor_delta(other_divisor=other, **where)
        assert abs(closed - inverted) <= abs(closed) * mpmath.mpf(10) ** -24


def test_one_divisor_tells_nothing():
    where = {"divisor": 7, "other_divisor": 7, "coordinates": 5}
    for witness in (enclosures, reference, fast):
        assert witness.divisor_delta(epsilon=0, **where) == 0
        assert witness.divisor_epsilon(delta=1e-5, **where) == 0


def test_what_no_float_reaches_is_no_nan() -> None:
    """A NaN once passed for a δ of 1; and the search for ε did not end."""
    near = {"divisor": 1.0, "other_divisor": 1.0000000000000002, "coordinates": 1}
    assert fast.divisor_delta(epsilon=1e308, **near) == 5e-324
    far = {"divisor": 1e-300, "other_divisor": 1e300, "coordinates": 5}
    assert fast.divisor_epsilon(delta=1e-5, **far) > 1e300


@pytest.mark.parametrize(("divisor", "other"), [(10, 20), (20, 10)])
def test_a_delta_next_to_1_is_enclosed_however_deep_the_other_tail_is(divisor, other):
    where = {"divisor": divisor, "other_divisor": other, "coordinates": 10**7, "epsilon": 1}
    low, high = ask("enclosures", "divisor_delta", digits=12, **where)
    assert 1 - Fraction(1, 10**12) < low <= high
