"""Formulas over rectangles: their slopes, verdicts and lemmas, against the point witnesses."""

import math
from fractions import Fraction

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dporacle import enclosures, regions
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.regions import CALIBRATIONS, Limits, artefact, decide_formula
from dporacle.regions._forms import gap, hull, mills, mills_range
from dporacle.regions._linear import Linear
from dporacle.regions.calibrations import excess, slopes
from dporacle.regions.theorems import linear
from support.cases import table

few = settings(max_examples=25)
numbers = st.fractions(-6, 40, max_denominator=1000)
widths = st.fractions(Fraction(1, 1000), 3, max_denominator=1000)
epsilons = st.floats(-7, 4).map(lambda x: Fraction(math.exp(x)))
deltas = st.one_of(
    st.floats(-60, -1).map(lambda x: Fraction(math.exp(x))),
    st.fractions(Fraction(1, 10), Fraction(99, 100), max_denominator=1000),
)
shares = st.fractions(0, 1, max_denominator=16)


def between(low, high, share):
    return low + (high - low) * share


@given(y=numbers, size=widths, mu=widths, wider=widths, at=shares, at_mu=shares)
def test_ranges_hold_every_point(y, size, mu, wider, at, at_mu):
    with precision(128):
        point, step = between(y, y + size, at), between(mu, mu + wider, at_mu)
        assert mills_range(hull(y, y + size)).contains(mills(ball(point)))
        exact = mills(ball(point)) - mills(ball(point + step))
        assert gap(hull(y, y + size), hull(mu, mu + wider)).overlaps(exact)


@given(y=st.fractions(0, 40, max_denominator=1000), mu=widths)
def test_far_lemma(y, mu):
    """m(y) − m(y+μ) ≤ μ/(1+y²) for y ≥ 0."""
    with precision(128):
        assert gap(ball(y), ball(mu)) < ball(mu / (1 + y * y))


@few
@given(epsilon=epsilons, delta=deltas)
@pytest.mark.parametrize("name", CALIBRATIONS)
@pytest.mark.statement("X.CF")
def test_calibrations_are_the_closed_forms(name, epsilon, delta):
    sigma = CALIBRATIONS[name].sigma(epsilon=epsilon, delta=delta, digits=30)
    with precision(160):
        local = CALIBRATIONS[name].local((epsilon, epsilon), (delta, delta))
        assert (local.mu * sigma).overlaps(ball(Fraction(1)))
        assert abs(local.mu * sigma - 1) < 1e-25
        assert (local.ratio * local.mu).overlaps(ball(epsilon))


@few
@given(
    epsilon=epsilons,
    delta=deltas,
    by=st.floats(1e-6, 0.2),
    first=st.tuples(shares, shares),
    second=st.tuples(shares, shares),
    scale=st.sampled_from([Fraction(1), Fraction(5, 4), Fraction(2)]),
)
@example(
    epsilon=Fraction(1),
    delta=Fraction(49, 100),
    by=0.1,
    first=(Fraction(0), Fraction(0)),
    second=(Fraction(1), Fraction(1)),
    scale=Fraction(1),
)
@pytest.mark.parametrize("name", CALIBRATIONS)
def test_mean_value_theorem(name, epsilon, delta, by, first, second, scale):
    """E at two points of a box differs by slopes within the balls over the box."""
    grown = 1 + Fraction(by)
    eps, target = (epsilon, epsilon * grown), (delta, min(delta * grown, Fraction(999, 1000)))
    calibration, below = CALIBRATIONS[name], delta < Fraction(1, 2)
    points = [(between(*eps, a), between(*target, b)) for a, b in (first, second)]
    with precision(192):
        factor = ball(scale)
        steps = slopes(calibration.local(eps, target), eps, target, factor, below=below)
        values = [
            excess(calibration.local((e, e), (d, d)), d, factor, below=below) for e, d in points
        ]
        change = sum(
            (
                slope * (ball(points[1][axis]).log() - ball(points[0][axis]).log())
                for axis, slope in enumerate(steps)
            ),
            ball(Fraction(0)),
        )
        assert change.overlaps(values[1] - values[0])
        if calibration.rises:
            alone = excess(
                calibration.local((eps[1],) * 2, (delta,) * 2), delta, factor, below=below
            ) - excess(calibration.local((eps[0],) * 2, (delta,) * 2), delta, factor, below=below)
            assert not alone < 0  # far beyond ε_max δ(ε) is 1 to all digits


@given(
    kind=st.sampled_from(linear._KINDS),
    epsilon=st.fractions(Fraction(1, 100), 6, max_denominator=100),
    c=st.fractions(Fraction(3, 2), 5, max_denominator=100),
    by=st.fractions(Fraction(1, 10**4), Fraction(1, 10), max_denominator=10**4),
)
def test_linear_slopes(kind, epsilon, c, by):
    """R_c and R_cc over an interval hold the quotients of differences at its ends."""
    plan = Linear(kind.constant, "", kind.least, epsilon)
    with precision(192):
        eps, low, high, over = ball(epsilon), ball(c), ball(c + by), hull(c, c + by)
        assert plan.slope(eps, over).overlaps(
            (plan.excess(eps, high) - plan.excess(eps, low)) / ball(by)
        )
        assert plan.bend(eps, over).overlaps(
            (plan.slope(eps, high) - plan.slope(eps, low)) / ball(by)
        )
        delta = kind.constant() * (-low * low / 2).exp()
        exact = enclosures.delta_at_epsilon(epsilon=epsilon, sigma=c / epsilon, digits=40)
        assert plan.excess(eps, low).overlaps((exact / delta).log())


@few
@given(epsilon=epsilons, delta=deltas, wide=st.floats(0.01, 3), tall=st.floats(0.01, 3))
@pytest.mark.parametrize("name", CALIBRATIONS)
@pytest.mark.statement("X.CFMAX")
def test_verdicts_on_rectangles(name, epsilon, delta, wide, tall):
    """HOLDS exactly where the largest ε is below the least ε_max; for the rest everywhere."""
    eps = (epsilon, epsilon * (1 + Fraction(wide)))
    target = (delta, min(delta * (1 + Fraction(tall)), Fraction(99, 100)))
    found = decide_formula(name, epsilon=eps, delta=target, limits=Limits(boxes=3000))
    find = CALIBRATIONS[name].epsilon_max
    if find is None:
        assert found.verdict in ("HOLDS", "UNDECIDED")
        return
    ends = [rounding.bounds(find(delta=each, digits=20)) for each in target]
    if found.verdict == "HOLDS":
        assert all(eps[1] <= high for _, high in ends)
    elif found.verdict == "VIOLATED":
        at = found.counterexample.at
        assert eps[0] <= at["epsilon"] <= eps[1]
        assert target[0] <= at["delta"] <= target[1]
        assert at["epsilon"] > rounding.bounds(find(delta=at["delta"], digits=20))[0]
    else:
        assert found.run.given_up


@pytest.mark.parametrize("name", CALIBRATIONS)
def test_everyday_rectangles_are_decided(name):
    found = decide_formula(name, epsilon=(Fraction(1, 10), 1), delta=(1e-9, Fraction(1, 100)))
    assert found.verdict == "HOLDS"
    assert found.counterexample is None


@pytest.mark.parametrize(
    ("epsilon", "delta", "verdict"),
    [
        ((0, 1), (0, 1), "HOLDS"),
        ((0, Fraction("3.78686")), (0, 1), "HOLDS"),
        ((0, Fraction("3.78687")), (0, 1), "VIOLATED"),
        ((0, 4), (0, Fraction(1, 2)), "HOLDS"),
        ((3, 4), (Fraction(89, 100), 1), "VIOLATED"),
        ((0, 8), (0, Fraction(1, 10**5)), "HOLDS"),
        ((8, 9), (0, Fraction(1, 10**5)), "VIOLATED"),
        ((Fraction(1, 10**30), Fraction(1, 10**30)), (0, 1), "HOLDS"),
        ((0, 30), (0, Fraction(1, 10**40)), "VIOLATED"),
        ((0, 9), (1e-300, 1e-6), "VIOLATED"),
    ],
)
@pytest.mark.statement("X.CFMAX")
def test_open_ends(epsilon, delta, verdict, tmp_path):
    for name, constant in (("classical", None), ("linear", Fraction(5, 4))):
        found = decide_formula(name, epsilon=epsilon, delta=delta, constant=constant)
        assert found.verdict == verdict
        path = tmp_path / "proof.jsonl"
        artefact.write(path, found.run)
        assert regions.verify(path).faults == ()
        if verdict == "VIOLATED":
            at = found.counterexample.at
            assert (
                at["epsilon"]
                > rounding.bounds(enclosures.classical_epsilon_max(delta=at["delta"], digits=20))[0]
            )


@pytest.mark.parametrize("name", [n for n, each in CALIBRATIONS.items() if each.private_by])
def test_open_ends_of_what_is_private_everywhere(name):
    found = decide_formula(name, epsilon=(0, 5), delta=(0, 1))
    assert found.verdict == "HOLDS"
    assert regions.catalogue()[CALIBRATIONS[name].private_by].true


def test_extreme_numbers_are_decided():
    tiny = Fraction(1, 10**600)
    found = decide_formula("classical", epsilon=(tiny, tiny), delta=(tiny, tiny))
    assert found.verdict == "HOLDS"
    found = decide_formula("classical", epsilon=(1, 10**600), delta=(tiny, tiny))
    assert found.verdict == "VIOLATED"
    found = decide_formula("zcdp-conversion", epsilon=(1000, 2000), delta=(1e-300, 1e-299))
    assert found.verdict == "HOLDS"


@pytest.mark.parametrize(("arguments", "says"), table("wrong_arguments_are_named"))
def test_wrong_arguments_are_named(arguments, says):
    asked = {"name": "classical", "epsilon": (1, 2), "delta": (1e-5, 1e-4), **arguments}
    with pytest.raises(ValueError, match=says):
        decide_formula(asked.pop("name"), **asked)


def test_unknown_theorems_are_named():
    with pytest.raises(ValueError, match=r"BW18\.T99"):
        regions.prove("BW18.T99")
