"""What is printed of a bound is on the safe side of it."""

import re
from fractions import Fraction
from pathlib import Path

from hypothesis import example, given
from hypothesis import strategies as st

import dporacle
from dporacle import risk
from dporacle.enclosures.arithmetic.rounding import interval, round_decimal

SOURCE = Path(dporacle.__file__).parent

_END = re.compile(r"(\[|[≥≤∈] |at (?:least|most) |(?:below|above) )\{[^{}]*:\.\d+[gef]\}")
"""An end of an interval, or a bound, that a format rounds to nearest."""


def test_no_format_rounds_a_bound_to_nearest() -> None:
    """√0.1 = 0.3162277… was once printed as 0.316228, below which it "is not μ-GDP"."""
    found = {
        path.relative_to(SOURCE).as_posix()
        for path in SOURCE.rglob("*.py")
        if any(
            _END.search(line) and "raise " not in line and "Error(" not in line
            for line in path.read_text(encoding="utf-8").splitlines()
        )
    }
    assert found == set()


@given(st.fractions(), st.integers(1, 20))
@example(Fraction(1, 3), 6)
@example(Fraction(-1, 10**30), 1)
def test_a_decimal_is_on_its_side(value: Fraction, digits: int) -> None:
    low, high = (Fraction(round_decimal(value, digits, up=up)) for up in (False, True))
    assert low <= value <= high
    assert high - low <= abs(value) * Fraction(10, 10**digits) * 10
    assert [Fraction(each) for each in interval(value, value, digits)] == [low, high]


@given(st.floats(0.05, 50), st.integers(1, 10**6))
@example(1.0, 10)
def test_no_mu_below_the_printed_one_is_private(sigma: float, steps: int) -> None:
    setting = risk.dp_sgd(
        noise_multiplier=Fraction(sigma), rate=Fraction(1, 100), steps=steps, direction="both"
    )
    note = risk.Figures(setting).mu_note
    shown = re.search(r"= ([\d.e+-]+)(…?),", note)
    assert shown is not None
    square = steps / Fraction(sigma) ** 2
    assert Fraction(shown[1]) ** 2 <= square
    assert (Fraction(shown[1]) ** 2 == square) or shown[2] == "…"
