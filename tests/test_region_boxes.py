"""Boxes: bisection, and the proof that boxes tile a region."""

from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dporacle.arguments import decimal
from dporacle.regions._text import read_rational
from dporacle.regions.boxes import TilingError, bisect, geometric_middle, prove_tiling
from dporacle.regions.theorem import Axis, Part, unknown

REGION = ((Fraction(1, 10), Fraction(5)), (Fraction(1, 10**12), Fraction(9, 10)))
PART = Part(
    "test",
    (Axis("a", *REGION[0]), Axis("b", *REGION[1], geometric=True)),
    decide=lambda _: unknown(),
)
choices = st.lists(st.tuples(st.integers(0, 10**6), st.integers(0, 1)), max_size=40)


def grown(cuts):
    """A tiling: bisect one box after the other."""
    boxes = [REGION]
    for index, axis in cuts:
        boxes += bisect(PART, boxes.pop(index % len(boxes)), axis)
    return boxes


@given(cuts=choices)
def test_bisection_tiles(cuts):
    prove_tiling(REGION, grown(cuts))


@given(cuts=choices, lost=st.integers(0, 10**6))
def test_a_lost_box_is_a_gap(cuts, lost):
    boxes = grown(cuts)
    del boxes[lost % len(boxes)]
    with pytest.raises(TilingError):
        prove_tiling(REGION, boxes)


@given(cuts=choices, twice=st.integers(0, 10**6))
def test_a_box_that_is_there_twice_overlaps(cuts, twice):
    boxes = grown(cuts)
    boxes.append(boxes[twice % len(boxes)])
    with pytest.raises(TilingError):
        prove_tiling(REGION, boxes)


@given(
    cuts=choices,
    moved=st.integers(0, 10**6),
    axis=st.integers(0, 1),
    end=st.integers(0, 1),
    by=st.sampled_from([Fraction(1, 10**40), Fraction(-1, 10**40)]),
)
def test_a_moved_side_is_noticed(cuts, moved, axis, end, by):
    """However little a side moves."""
    boxes = grown(cuts)
    box = [list(side) for side in boxes.pop(moved % len(boxes))]
    box[axis][end] += by
    with pytest.raises(TilingError):
        prove_tiling(REGION, [*boxes, tuple(tuple(side) for side in box)])


def test_no_box_and_wrong_coordinates():
    with pytest.raises(TilingError, match="no box covers"):
        prove_tiling(REGION, [])
    with pytest.raises(TilingError, match="1 coordinates instead of 2"):
        prove_tiling(REGION, [REGION[:1]])
    flat = ((Fraction(1), Fraction(1)), (Fraction(0), Fraction(1)))
    half = Fraction(1, 2)
    prove_tiling(flat, [(flat[0], (Fraction(0), half)), (flat[0], (half, Fraction(1)))])
    with pytest.raises(TilingError):
        prove_tiling(flat, [(REGION[0], (Fraction(0), half)), (flat[0], (half, Fraction(1)))])


magnitudes = st.builds(
    lambda mantissa, exponent: Fraction(mantissa) * Fraction(2) ** exponent,
    st.integers(1, 10**30),
    st.integers(-5000, 4000),
)


@given(low=magnitudes, factor=magnitudes)
@example(low=Fraction(1), factor=Fraction(1, 10**400))
@example(low=Fraction(1, 2**5000), factor=Fraction(2) ** 9000)
def test_the_geometric_middle_lies_between(low, factor):
    high = low * (1 + factor)
    middle = geometric_middle(low, high)
    assert low < middle < high
    assert middle.denominator & (middle.denominator - 1) == 0
    if high < 2 * low:  # no far-off point: each half has a quarter at least
        assert high - low < 4 * min(middle - low, high - middle)
    else:
        assert Fraction(1, 2) < middle**2 / (low * high) < 2


@given(value=st.fractions())
@example(value=Fraction(1, 10**30))
@example(value=Fraction(-5, 4))
@example(value=Fraction(0))
@example(value=Fraction(1200))
@example(value=Fraction(1, 3))
def test_texts_are_exact(value):
    assert Fraction(decimal(value)) == value
    assert read_rational(str(value)) == value


@pytest.mark.parametrize("text", ["", "1/0", "0.5", "nan", "1e9", "١", "9" * 6000])
def test_other_texts_are_refused(text):
    with pytest.raises(ValueError, match="not a rational number"):
        read_rational(text)
