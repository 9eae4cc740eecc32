"""Numbers as people write them: the hint is what they mean, and a quotient is told as written."""

import copy
import pickle
import re
from decimal import Decimal
from fractions import Fraction

import mpmath
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from dporacle import arguments
from dporacle.cli import main
from dporacle.common.written_numbers import instead, shortest, squared
from support.cases import table

RAISED = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def test_hints_people_need() -> None:
    for text, told in table("hints_people_need"):
        with pytest.raises(ValueError, match="must be a finite number") as refused:
            arguments.parse("delta", text)
        assert str(refused.value).endswith(f"got {arguments.show(text)}{told}"), text


@given(mantissa=st.integers(1, 999), power=st.integers(-30, 12))
def test_a_power_of_ten_however_it_is_written(mantissa: int, power: int) -> None:
    raised, minus = str(power).translate(RAISED), str(power).replace("-", "−")
    exact = mantissa * Fraction(10) ** power
    for text in (
        f"{mantissa}×10{raised}",
        f"{mantissa}·10^{power}",
        f"{mantissa} x 10**{power}",
        f"{mantissa}*10^({minus})",
        f"{mantissa}×10^{{{power}}}",
    ):
        assert arguments.parse("x", told(text)) == exact, text
    if power < 0:
        assert arguments.parse("x", told(f"{mantissa}e{minus}")) == exact


def told(text: str) -> str:
    """Return what a hint says to write."""
    with pytest.raises(ValueError, match="finite number"):
        arguments.parse("x", text)
    (found,) = re.findall("^; write ([^ ]+)$", instead(text))
    return found


@given(top=st.integers(1, 10**9), bottom=st.integers(1, 10**9))
def test_a_quotient_however_it_is_written(top: int, bottom: int) -> None:
    exact = Fraction(top, bottom)
    texts = [f"{top} / {bottom}", f"{top}/(2*{bottom})", f"{top}÷{bottom}", f"{bottom}^-1"]
    if bottom > 999:
        texts.append(f"{top}/{bottom:,}")
    expected = [exact, exact / 2, exact, Fraction(1, bottom), exact]
    for text, number in zip(texts, expected, strict=False):
        assert arguments.parse("x", told(text)) == number, text
    with pytest.raises(ValueError, match=f"got '{top} / {bottom}'; write {top}/{bottom}$"):
        arguments.parse("x", f"{top} / {bottom}")


@given(
    base=st.fractions(Fraction(1, 1000), 10**6, max_denominator=1000),
    power=st.decimals(Decimal("-9.99"), Decimal("9.99"), places=2),
)
@example(base=Fraction(50_000), power=Decimal("-1.1"))
def test_what_is_no_fraction_is_told_by_decimals(base: Fraction, power: Decimal) -> None:
    with mpmath.workdps(40):
        top, bottom = mpmath.mpf(base.numerator), mpmath.mpf(base.denominator)
        truths = {
            f"({base})^{power}": (top / bottom) ** mpmath.mpf(str(power)),
            f"sqrt({base})": mpmath.sqrt(top / bottom),
            f"ln({base})": mpmath.log(top / bottom),
        }
        for text, truth in truths.items():
            hint = instead(text)
            if not hint or "below" not in hint:  # 0, or a fraction
                continue
            below, above = map(Fraction, re.findall(r"([-0-9.e]+) \((?:below|above)", hint))
            assert mpmath.mpf(below.numerator) / below.denominator <= truth
            assert mpmath.mpf(above.numerator) / above.denominator >= truth
            assert above - below <= abs(below) * Fraction(3, 10**6) + Fraction(1, 10**300)


@given(st.text("0123456789.eE+-*/^()×·⁻⁵, sqrtlnx%", max_size=120) | st.text(max_size=60))
@example("(" * 120 + "1")
@example("9^9^9^9^9")
@example("0^-1")
@example("1e400*1e400")
def test_no_text_is_too_odd_for_a_hint(text: str) -> None:
    assert len(instead(text)) < 300
    squared(text)


@given(st.fractions() | st.decimals(allow_nan=False, allow_infinity=False).map(Fraction))
def test_what_is_to_be_written_is_the_number(value: Fraction) -> None:
    assert Fraction(shortest(value)) == value


@given(top=st.integers(-(10**9), 10**9), bottom=st.integers(1, 10**9))
def test_a_quotient_knows_how_it_was_written(top: int, bottom: int) -> None:
    written = arguments.parse("rate", f"{top}/{bottom}")
    assert written == Fraction(top, bottom)
    assert hash(written) == hash(Fraction(top, bottom))
    assert str(written) == str(Fraction(top, bottom))
    assert arguments.as_written(written) == arguments.show(written) == f"{top}/{bottom}"
    assert arguments.as_written(arguments.exact("rate", written)) == f"{top}/{bottom}"
    assert arguments.decimal(written) == arguments.as_written(Fraction(top, bottom))
    assert type(written + 0) is Fraction
    for again in (pickle.loads(pickle.dumps(written)), copy.copy(written), copy.deepcopy(written)):
        assert (again, arguments.as_written(again)) == (written, f"{top}/{bottom}")


def test_what_is_refused_is_told_as_it_was_typed() -> None:
    run = ["dp-sgd", "--noise-multiplier", "1", "--steps", "10", "--delta", "1e-5"]
    done = CliRunner().invoke(main, [*run, "--sampling-rate", "256/60000"])
    assert done.exit_code == 0
    done = CliRunner().invoke(main, [*run, "--sampling-rate", "60000/256"])
    assert "got 60000/256" in done.output
    done = CliRunner().invoke(main, ["sigma", "--epsilon", "1", "--delta", "14/10"])
    assert "got 14/10" in done.output
