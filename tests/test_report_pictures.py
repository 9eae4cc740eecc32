"""The report's pictures: places on the axes, the unsafe side, and nothing lost in thinning."""

import itertools
import math

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dporacle.report import page as pages
from dporacle.report.axes import SCALES, LogAxis, height, logarithm, power, scale_for
from dporacle.report.classes import CLASSES
from dporacle.report.picture import LEFT, RIGHT, Picture, pictures
from support.reports import document, judged, page, read

LOGS = st.lists(
    st.floats(-1e4, 1e4) | st.sampled_from([-math.inf, math.inf, math.nan]), min_size=1, max_size=8
)
MIDDLE = 108


@given(logs=LOGS, name=st.sampled_from(["epsilon", "delta", "sigma"]))
def test_an_axis_keeps_the_order(logs, name):
    axis = LogAxis.over(name, logs, left=LEFT, right=RIGHT)
    places = [axis.at(each) for each in logs]
    assert all(LEFT <= place <= RIGHT for place in places)
    known = sorted((log, axis.at(log)) for log in logs if not math.isnan(log))
    for (low, left), (high, right) in itertools.pairwise(known):
        assert left <= right
        assert left < right or high - low < 0.5 or low == high
    ticks = [tick.at for tick in axis.ticks]
    assert all(LEFT <= tick <= RIGHT for tick in ticks)
    for low, high, left, right in axis.pieces:
        assert low < high
        assert left < right


@pytest.mark.parametrize(
    ("text", "log"),
    [
        ("0x1p+0", 0.0),
        ("-0x1p+0", -math.inf),
        ("0x0.0p+0", -math.inf),
        ("1e-700", -700.0),  # below every float64
        ("1e+700", 700.0),
        ("inf", math.inf),
        ("-inf", -math.inf),
        ("nan", math.nan),
        ("0x1p+99999", None),
        ("1" * 500, None),
        ("<script>", None),
        ("", None),
        ("1e99999999999999999999", None),
    ],
)
def test_logarithms(text, log):
    found = logarithm(text)
    assert found == log or (log is not None and math.isnan(log) and math.isnan(found or 0))


@given(
    st.floats(min_value=0, max_value=1e30),
    st.floats(min_value=0, max_value=1e30),
    st.sampled_from(sorted(SCALES)),
)
@example(0.0, 0.25, 2)
def test_a_larger_error_stands_higher(one, other, scale):
    low, high = sorted((one, other))
    places = [height(each, scale) for each in (-high, -low, low, high)]
    assert places == sorted(places)
    assert places[1] <= 0 <= places[2]
    assert places[3] <= 1
    assert height(math.inf, scale) == height(10.0**scale, scale) == 1


def test_small_errors_get_a_scale_of_their_own():
    cases = [([], 2), ([1.4, -100.0], 2), ([-101.0], 6), ([1e6], 6), ([2e6], 18), ([math.inf], 18)]
    assert [scale_for(errors) for errors, _ in cases] == [scale for _, scale in cases]
    (picture,) = pictures(item("calibrate_sigma", measured("tight", 1.0, epsilon=1.0)), most=9)
    marks = {mark.text: mark.at for mark in picture.marks}
    assert marks["+1 ulp"] == picture.points[0].y < marks["exact"]


def test_powers():
    assert [power(each) for each in (0, 1, -16, 200)] == ["1", "10", "10⁻¹⁶", "10²⁰⁰"]


def item(quantity, *verdicts):
    content = document("mylib", *verdicts)
    content["targets"][0]["functions"][0]["function"]["quantity"] = quantity
    return read(content).items[0]


def measured(outcome, ulp, **arguments):
    made = judged(outcome, answer="0x1p+0", truth="0.01", ulp=ulp, excess=ulp and ulp * 2.0**-53)
    made["arguments"] = {name: value.hex() for name, value in arguments.items()}
    return made


@pytest.mark.parametrize(
    ("quantity", "unsafe"), [("calibrate_sigma", -1), ("sigma_at_accuracy", 1), ("of later", -1)]
)
@pytest.mark.parametrize("size", [0.01, 1e3, 1e60, None])  # nothing: beyond all bounds
def test_violations_stand_on_the_unsafe_side(quantity, unsafe, size):
    signed = None if size is None else unsafe * size
    other = None if size is None else -unsafe * size
    judged = item(
        quantity,
        measured("violating", signed, epsilon=1.0, delta=0.1),
        measured("loose", other, epsilon=2.0, delta=0.1),
    )
    for picture in pictures(judged, most=100):
        assert picture.unsafe == ("below" if unsafe < 0 else "above")
        for point in picture.points:
            below = point.y > MIDDLE
            assert below == ((unsafe < 0) == (point.case.outcome == "violating"))
            shaded = picture.shaded <= point.y <= picture.shaded + 100
            assert shaded == (point.case.outcome == "violating")


def test_what_is_drawn_over():
    def names(quantity, **arguments):
        judged = item(quantity, measured("tight", 0.0, **arguments))
        return [(picture.name, picture.exact) for picture in pictures(judged, most=9)]

    assert names("calibrate_sigma", epsilon=1.0, delta=0.1, sensitivity=1.0) == [
        ("ε", False),
        ("δ", False),
    ]
    assert names("delta_at_epsilon", epsilon=1.0, sigma=1.0) == [("ε", False), ("δ", True)]
    assert names("epsilon_at_delta", delta=0.1, sigma=1.0) == [("ε", True), ("δ", False)]
    assert names("accuracy", alpha=0.1, sigma=1.0) == [("α", False), ("σ", False)]
    assert names("of later", rho=0.1) == [("rho", False)]


def test_what_gave_no_number_stands_below():
    silent = [judged(name) for name in CLASSES]
    for picture in pictures(item("calibrate_sigma", *silent), most=100):
        assert list(picture.lanes) == [
            "hang",
            "crash",
            "non-finite",
            "accepts invalid",
            "inconsistent",
            "refuses valid",
        ]
        assert all(208 < y < picture.bottom for y in picture.lanes.values())
        drawn = {point.case.outcome: point.y for point in picture.points}
        assert {name: drawn[name] for name in picture.lanes} == picture.lanes


@given(
    st.lists(st.tuples(st.floats(1e-5, 1e5), st.floats(0.01, 1e16)), min_size=1, max_size=40),
    st.integers(1, 20),
)
def test_thinning_loses_no_case_and_keeps_the_worst(cases, most):
    judged = item(
        "calibrate_sigma",
        *(measured("violating", -ulp, epsilon=epsilon) for epsilon, ulp in cases),
        measured("tight", 0.0, epsilon=1.0),
    )
    (picture,) = pictures(judged, most=most)
    assert len(picture.points) + picture.thinned == len(cases) + 1
    assert len([p for p in picture.points if p.case.outcome == "tight"]) == 1
    worst = max(ulp for _, ulp in cases)
    assert worst in [-(point.case.ulp or 0) for point in picture.points]
    assert picture.points[-1].case.outcome == "violating"  # on top
    assert picture.summary.startswith(f"{len(cases)} answer")


def test_a_picture_says_what_it_shows():
    text, parsed = page(
        document("mylib", measured("violating", -3e15, epsilon=0.5, delta=1e-5, sensitivity=1.0))
    )
    drawn = [each for each in parsed.all("svg") if each.get("role") == "img"]
    assert [each["aria-label"] for each in drawn] == [
        "mylib 1.0, sigma: errors over ε; 1 answer on the unsafe side, at ε = 0.5",
        "mylib 1.0, sigma: errors over δ; 1 answer on the unsafe side, at δ = 1e-05",
    ]
    assert text.count("unsafe: too small</text>") == 2
    told = "violating: epsilon 0.5, delta 1e-05, sensitivity 1.0; answer 1.0; exact 0.01;"
    assert parsed.text.count(told) == 2
    assert not any("style" in each for _, each in parsed.elements)


def test_a_case_that_has_no_place_is_counted():
    lost = measured("violating", -1.0, epsilon=1.0)
    lost["arguments"]["epsilon"] = "many"
    (picture,) = pictures(item("calibrate_sigma", lost), most=9)
    assert isinstance(picture, Picture)
    assert (picture.points, picture.absent) == ([], 1)
    page(document("mylib", lost))


def test_a_large_page_is_made_with_less(monkeypatch):
    cases = [measured("violating", -(1.1**n), epsilon=1.2**n, delta=0.1) for n in range(60)]
    content = document("mylib", *cases)
    whole, _ = page(content)
    monkeypatch.setattr(pages, "MOST_BYTES", 31_000)
    short, parsed = page(content)
    assert len(short.encode()) < 31_000 < len(whole.encode())
    assert "of 60, the others stand in the JSON" in parsed.text
    assert "✖ violating 60 of 60" in parsed.text
