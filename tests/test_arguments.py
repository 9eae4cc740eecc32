"""What an argument may be: exact numbers in, errors that name the culprit, nothing that hangs."""

import contextlib
from decimal import Decimal
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import dporacle
from dporacle import arguments, enclosures, fast, reference
from support import strategies as s


@pytest.mark.parametrize("witness", [fast, reference, enclosures])
def test_delta_zero_and_one_are_refused(witness: object) -> None:
    for delta in (0, 0.0, 1, 1.0):
        with pytest.raises(ValueError, match="delta"):
            witness.calibrate_sigma(epsilon=1.0, delta=delta)
    with pytest.raises(ValueError, match="delta"):
        witness.epsilon_at_delta(delta=0, sigma=1.0)
    assert witness.epsilon_at_delta(delta=1, sigma=1.0) == 0


@pytest.mark.parametrize("witness", [fast, reference, enclosures])
def test_no_number_is_too_long_to_be_refused(witness: object) -> None:
    for name in ("epsilon", "sensitivity"):
        given = {"epsilon": 1, "delta": 1e-5} | {name: Decimal("9" * 100_000)}
        with pytest.raises(ValueError, match=name):
            witness.calibrate_sigma(**given)


@pytest.mark.parametrize("witness", [reference, enclosures])
@pytest.mark.parametrize("digits", [0, -1, arguments.MAX_DIGITS + 1, 10**400])
def test_digits_out_of_reach_are_refused(witness: object, digits: int) -> None:
    with pytest.raises(ValueError, match="digits"):
        witness.calibrate_sigma(epsilon=1, delta=1e-5, digits=digits)


@pytest.mark.parametrize("digits", [True, 2.0, "5", None])
def test_digits_of_another_type_are_refused(digits: object) -> None:
    with pytest.raises(TypeError, match="digits"):
        reference.calibrate_sigma(epsilon=1, delta=1e-5, digits=digits)


@given(value=s.positives())
def test_a_float_is_its_exact_binary_value(value: float) -> None:
    assert arguments.exact("x", value) == Fraction(value)
    assert arguments.exact("x", -value) == -Fraction(value)
    assert arguments.exact("x", np.float64(value)) == Fraction(value)
    assert arguments.exact("x", mpmath.mpf(value)) == Fraction(value)
    assert arguments.exact("x", Decimal(value)) == Fraction(value)
    assert arguments.parse("x", value.hex()) == Fraction(value)
    assert arguments.parse("x", repr(value)) == Fraction(repr(value))


@given(value=st.decimals(-(10**30), 10**30))
def test_a_decimal_is_what_it_says(value: Decimal) -> None:
    assert arguments.exact("x", value) == Fraction(value)
    assert arguments.parse("x", str(value)) == Fraction(value)


@given(text=st.text(max_size=50))
def test_other_text_is_refused_by_name(text: str) -> None:
    try:
        expected = Fraction(text.strip())
    except (ValueError, ZeroDivisionError):
        expected = None
    with contextlib.suppress(ValueError):
        assert arguments.parse("epsilon", text) == expected
    if expected is None:
        with pytest.raises(ValueError, match="epsilon"):
            arguments.parse("epsilon", text)


@pytest.mark.parametrize(
    "text",
    ["", ".", "e5", "nan", "inf", "1_0", "--1", "1e", "0x", "1/0", "1e999999999", "9" * 10**6, "٣"],
)
def test_text_that_is_no_number(text: str) -> None:
    with pytest.raises(ValueError, match="delta"):
        arguments.parse("delta", text)


@pytest.mark.parametrize("text", ["1/3", " 0.1 ", "1e-5", ".5", "5.", "0x1.8p-3", "+1", "-0"])
def test_text_that_is_one(text: str) -> None:
    shown = text.strip()
    expected = Fraction(float.fromhex(shown)) if "x" in shown else Fraction(shown)
    assert arguments.parse("delta", text) == expected


def test_float32_is_its_exact_value() -> None:
    tenth = np.float32(0.1)
    assert arguments.exact("x", tenth) == Fraction(13421773, 134217728)
    assert fast.calibrate_sigma(epsilon=tenth, delta=0.5) == fast.calibrate_sigma(
        epsilon=float(tenth), delta=0.5
    )


def test_sigma_out_of_range_is_an_overflow() -> None:
    for where in (
        {"epsilon": 0.0, "delta": s.TINY},
        {"epsilon": 1.0, "delta": 1e-5, "sensitivity": s.LARGEST},
        {"epsilon": 1e6, "delta": 0.5, "sensitivity": s.TINY},
    ):
        for exact in (False, True):
            with pytest.raises(OverflowError, match="float64"):
                dporacle.calibrate_sigma(**where, exact=exact)
    with pytest.raises(OverflowError, match="index 1"):
        fast.calibrate_sigma(epsilon=0.0, delta=np.array([0.5, s.TINY]))
