"""Sums that are divided by the size of the drawn batch: X.AVG.DRAWN."""

import itertools
import json
import math
import random
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from flint import arb
from matplotlib.figure import Figure
from scipy import integrate, optimize, stats

import dporacle
from dporacle import claims
from dporacle.cli import main
from dporacle.enclosures.batches import densities, drawn_divisor, one_coordinate
from dporacle.enclosures.batches import drawn_divisor_shared as shared
from dporacle.enclosures.batches.drawn_divisor import DrawnDivisor
from dporacle.enclosures.batches.one_coordinate import SizedLaws, cells_of_line
from dporacle.mechanisms.training import read_training
from dporacle.plots import dp_sgd as dp_sgd_plot
from dporacle.verdicts import Verdict

DELTA = Fraction("1e-5")
MANY = 10**12  # coordinates
# Figures of another program, by a lattice of losses in floats: σ, q, n, T; ε of removing and of
# adding a record as the dimension grows, and what others at −1 reach in one dimension.
FIGURES = [
    (1, "0.01", 1000, 1000, 13.890287465223208, 4.407081571960345, 3.184360, 2.653831),
    ("1.1", "256/60000", 60000, 14062, 14.75002030143909, 9.003861225399957, 12.954891, 8.575446),
    (4, "0.02", 5000, 2000, 1.983756760348669, 1.8739647697459583, 1.858254, 1.777822),
]
PLAIN = {"noise_multiplier": 4, "sampling_rate": "0.1", "steps": 20}
UNDER = {
    *("poisson-sampling", "count-and-steps-fixed", "clipped", "own-record-only"),
    *("divided-by-drawn", "empty-batches-skipped", "batches-hidden", "every-sum-released"),
}


def shown(*words: str) -> Any:
    asked = ["dp-sgd", "--divisor", "drawn", "--delta", "1e-5", "--json", *words]
    result = CliRunner().invoke(main, asked)
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def of(row: tuple[Any, ...], dimension: int | None) -> DrawnDivisor:
    sigma, rate, records, times = row[:4]
    return DrawnDivisor(Fraction(sigma), Fraction(rate), records, times, dimension)


@pytest.mark.parametrize(("row", "place"), [(FIGURES[0], 0)])
def test_the_figures_of_many_coordinates(row: tuple[Any, ...], place: int) -> None:
    low, high = drawn_divisor.epsilon(of(row, MANY), DELTA, ("remove", "add")[place])
    assert high is not None
    assert low <= high
    for end in (low, high):
        assert float(end) == pytest.approx(row[4 + place], rel=5e-8)


@pytest.mark.parametrize(("row", "place"), [*itertools.product(FIGURES, [0, 1])][1:])
@pytest.mark.thorough("sums of up to 300 exponentials: 4 s to 12 s each")
def test_the_other_figures(row: tuple[Any, ...], place: int) -> None:
    test_the_figures_of_many_coordinates(row, place)


@pytest.mark.parametrize("row", FIGURES[:1])
def test_one_coordinate_has_a_lower_end_just_below_its_value(row: tuple[Any, ...]) -> None:
    for way, figure in zip(("remove", "add"), row[6:], strict=True):
        found = drawn_divisor._in_one_dimension(of(row, None), DELTA, way)
        assert figure * (1 - 1e-5) < found <= figure * (1 + 3e-7)


def laws(
    values: list[float], rate: float, sigma: float
) -> tuple[list[tuple[float, float, float]], float]:
    """Return the normal laws of the mean over the drawn records, and the chance of none."""
    found, none = [], 0.0
    for drawn in itertools.product([0, 1], repeat=len(values)):
        chance = math.prod(rate if each else 1 - rate for each in drawn)
        if not any(drawn):
            none += chance
            continue
        total = sum(v for v, each in zip(values, drawn, strict=True) if each)
        found.append((chance, total / sum(drawn), sigma / sum(drawn)))
    return found, none


def height(first: Any, second: Any, a: float) -> float:
    """Return ∫(p − aq)₊ in one coordinate, by quadrature."""

    def at(t: float) -> float:
        p, q = (sum(w * stats.norm.pdf(t, m, s) for w, m, s in each[0]) for each in (first, second))
        return max(p - a * q, 0.0)

    places = sorted({round(m, 9) for _, m, _ in (*first[0], *second[0])})
    value = integrate.quad(at, -30, 30, points=places, limit=300)[0]
    return float(value) + max(first[1] - a * second[1], 0.0)


def test_no_small_data_set_is_worse_than_the_pair() -> None:
    """Every subset of at most five records, whose contributions are the worst ones or any."""
    draw = random.Random(57)
    for number in range(8):
        n, rate = 1 + number % 5, Fraction(draw.randint(1, 19), 20)
        sigma = Fraction(draw.randint(5, 40), 10)
        epsilon = Fraction(draw.randint(0, 200), 100)
        values = [draw.choice([-1, -1, 1, draw.uniform(-1, 1)]) for _ in range(n - 1)]
        numbers = float(rate), float(sigma)
        with_it = laws([*values, draw.choice([1, 1, draw.uniform(-1, 1)])], *numbers)
        without = laws(values, *numbers)
        for way, pair in (("remove", (with_it, without)), ("add", (without, with_it))):
            most = drawn_divisor.delta(DrawnDivisor(sigma, rate, n, 1), epsilon, way)
            assert height(*pair, math.exp(float(epsilon))) <= float(most.high) + 1e-7


@pytest.mark.parametrize(("adjacency", "other"), [("zero-out", 0.0), ("replace", -1.0)])
def test_no_small_data_set_of_as_many_records_is_worse(adjacency: str, other: float) -> None:
    """Every subset of at most four records: the curve with the size told is above all."""
    draw = random.Random(58)
    t = np.linspace(-25, 25, 60001)

    def density(values: list[float], rate: float, sigma: float) -> tuple[Any, float]:
        found, none = laws(values, rate, sigma)
        return sum(w * stats.norm.pdf(t, m, s) for w, m, s in found), none

    near = 0.0
    for number in range(6):
        n, rate = 1 + number % 4, Fraction(draw.randint(1, 9), 10)
        sigma = Fraction(draw.randint(5, 30), 10)
        values = [-1.0 if number < 4 else draw.uniform(-1, 1) for _ in range(n - 1)]
        pair = [density([*values, x], float(rate), float(sigma)) for x in (1.0, other)]
        curve = shared.labelled(DrawnDivisor(sigma, rate, n, 1), 1e-9, adjacency)
        for a in (0.5, 1.0, 1.4, 3.0):
            most = float(curve.height(arb(a)) if a >= 1 else curve.below(arb(a)))
            rest = np.maximum(pair[0][0] - a * pair[1][0], 0).sum() * (t[1] - t[0])
            found = float(rest) + max(0.0, 1 - a) * pair[0][1]
            assert found <= most + 1e-7
            near = max(near, found / most)
    assert near > 0.95


@pytest.mark.parametrize("adjacency", shared.ADJACENCIES)
def test_of_as_many_records_both_lower_ends_are_reached(adjacency: str) -> None:
    """Of two records, in one step: by quadrature, with the size told and in one coordinate."""
    run = DrawnDivisor(Fraction(1), Fraction(1, 2), 2, 1, MANY)
    told, high = shared.epsilon(run, Fraction(1, 50), adjacency)
    alone, same = shared.epsilon(replace(run, dimension=None), Fraction(1, 50), adjacency)
    assert high is not None
    assert high == same
    own = {"zero-out": 0.0, "replace": -1.0}[adjacency]
    mixed = [laws([-1.0, x], 0.5, 1.0) for x in (1.0, own)]
    # Of each size its own laws: one record, or both.
    parts = [
        tuple(([row for row in law[0] if row[2] == s], 0.0) for law in mixed) for s in (1, 0.5)
    ]

    def most(pairs: Any, low: Fraction) -> float:
        orders = (1, -1)
        return max(sum(height(*p[::o], math.exp(low)) for p in pairs) for o in orders)

    assert 0.02 <= most([tuple(mixed)], alone) + 1e-7 < 0.0204
    assert 0.02 <= most(parts, told) + 1e-7 < 0.0204
    assert alone < told < high


@pytest.mark.parametrize("adjacency", shared.ADJACENCIES)
def test_of_as_many_records_little_noise_leaves_the_lower_end(adjacency: str) -> None:
    """No lattice holds the upper end: without the lower one a claim would go undecided."""
    run = DrawnDivisor(Fraction(1, 1000), Fraction(3, 10), 3, 2)
    low, high = shared.epsilon(run, DELTA, adjacency)
    assert low > 200
    assert high is None


def test_a_size_beyond_a_gap_may_be_misread_as_one_below_it() -> None:
    """Of 1 and 3 with one free coordinate: 3 is read as 1 where χ² is large enough."""
    place = math.log(4) / 3  # where the densities of 1 and of 2 are equal
    chance = stats.chi2.sf(9 * place, 1)
    own = float(drawn_divisor.misread([(3, arb(1))], 1))
    assert float(drawn_divisor.misread([(1, arb(0)), (3, arb("0.1"))], 1)) >= 0.1 * (own + chance)


def test_the_ends_of_as_many_records_say_their_hypotheses() -> None:
    words = ["--noise-multiplier=4", "--sampling-rate=0.1", "--dataset-size=50", "--steps=20"]
    found = shown(*words, "--dimension=1000000", "--neighbours=zero-out")
    low, high = map(float, found["epsilon"]["zero-out"])
    assert 0.66 < low < high < 0.70
    assert {each["id"] for each in found["hypotheses"]} == UNDER | {"keeps-its-place"}
    whole = read_training(**PLAIN | {"sampling_rate": 1}, dataset_size=50, divisor="drawn")
    ends, summed = (
        each.ends(DELTA, "replace-one") for each in (whole, replace(whole, divisor=None))
    )
    assert ends.exact
    assert float(ends.low) == pytest.approx(float(summed.low), rel=1e-12)


@pytest.mark.parametrize("way", ["remove", "add"])
def test_a_batch_of_all_records_counts_in_one_coordinate(way: str) -> None:
    """Of two records both are drawn in a quarter of the steps: the ends are near the value."""
    rate, delta = Fraction(1, 2), Fraction(1, 100)
    found = drawn_divisor._in_one_dimension(
        drawn_divisor.DrawnDivisor(Fraction(1), rate, 2, 1), delta, way
    )
    both, other = laws([1.0, -1.0], 0.5, 1.0), laws([-1.0], 0.5, 1.0)
    pair = (both, other) if way == "remove" else (other, both)
    low = float(found)
    assert height(*pair, math.exp(low)) >= delta - 1e-9
    assert height(*pair, math.exp(low + 1e-3)) < delta


def test_an_upper_end_that_is_too_dear_leaves_the_lower_one(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Of a hundred thousand records at a noise multiplier of 0.3 it is, and that takes seconds."""
    run = DrawnDivisor(Fraction(1), Fraction(1, 2), 2, 1)
    alone = {
        way: drawn_divisor._in_one_dimension(run, Fraction(1, 100), way)
        for way in ("remove", "add")
    }
    monkeypatch.setattr(densities, "_MOST_POINTS", 1)
    monkeypatch.setattr(drawn_divisor, "_LATTICE_LABELS", 1)
    drawn_divisor._epsilon.cache_clear()
    assert drawn_divisor.epsilon(run, Fraction(1, 100), "add") == (alone["add"], None)
    monkeypatch.setattr(
        drawn_divisor,
        "_in_few_dimensions",
        lambda _steps, _delta, way: alone[way] * (way == "remove"),
    )
    drawn_divisor._epsilon.cache_clear()
    assert drawn_divisor.epsilon(run, Fraction(1, 100), "both") == (alone["remove"], None)
    with pytest.raises(ArithmeticError, match="too many for a lattice"):
        drawn_divisor.epsilon(run, Fraction(1, 100), "add")
    drawn_divisor._epsilon.cache_clear()


def test_a_size_that_does_not_count_is_as_far_as_its_bound_says() -> None:
    """Floats decide that, an ulp off: the bound once took their distance as it was."""
    compared = 0
    for k in range(400):
        sigma, size, side = 1 + Fraction(k, 7), 3 + k % 90, k % 2
        row = SizedLaws(size, (arb(0),) * 3, (arb(0),) * 3)
        least = one_coordinate._farther(arb(sigma.numerator) / sigma.denominator)
        edge = (one_coordinate._gone(float(sigma)) * float(sigma) + 2 * side) / size
        inside = edge - 1 / size  # where it counts still: on the right, for its farther centre
        for place in (inside, math.nextafter(edge, 0), edge, math.nextafter(edge, math.inf)):
            # A panel that ends, or starts, there: so short that its other end is the same.
            start = place if side else -place
            if one_coordinate._near([row], float(sigma), start, start):
                continue
            assert place > inside
            away = (Fraction(place) * size - 2 * side) / sigma
            assert arb(away.numerator) / away.denominator >= least
            compared += 1
    assert compared > 400


def test_so_small_a_delta_is_refused_before_the_sizes_are_enclosed() -> None:
    """No record is drawn with the chance 10⁻³⁶⁰, which is 0 as a float and has no logarithm."""
    run = DrawnDivisor(Fraction(1), Fraction("0.999"), 120, 1)
    with pytest.raises(ArithmeticError, match="so small a delta"):
        drawn_divisor._in_one_dimension(run, Fraction("1e-315"), "add")
    with pytest.raises(ArithmeticError, match="so small a delta"):
        shared._in_one_dimension(run, 1e-315, "replace-one")


def test_cells_of_one_coordinate_hold_what_normal_laws_have() -> None:
    """Their masses add up to 1, and up to an edge to a distribution function."""
    zero = arb(0)
    rows = [
        SizedLaws(1, (arb("0.3"), zero, arb("0.2")), (arb("0.6"), zero, zero)),
        SizedLaws(4, (arb("0.4"), arb("0.1"), zero), (zero, zero, arb("0.4"))),
    ]
    cells = cells_of_line(rows, Fraction(1, 2), 3, 1e-5)
    for law in (0, 1):
        total = sum(cell[law] for cell in cells)
        assert total.overlaps(arb(1))
        assert float(total.rad()) < 1e-12  # e^-28 of each density
        assert all(cell[law] > -1e-12 for cell in cells)
    # From the left, the first cells have together what a normal law has below one place.
    p, q = (float(sum(cell[law] for cell in cells[: len(cells) // 2])) for law in (0, 1))

    def first(x: float) -> float:
        parts = (0.3, 0, 0.5), (0.2, 2, 0.5), (0.4, 0, 0.125), (0.1, 0.25, 0.125)
        return float(sum(w * stats.norm.cdf(x, m, s) for w, m, s in parts))

    place = optimize.brentq(lambda x: first(x) - p, -3, 3, xtol=1e-14)
    other = 0.6 * stats.norm.cdf(place, 0, 0.5) + 0.4 * stats.norm.cdf(place, 0.5, 0.125)
    assert q == pytest.approx(other, abs=1e-11)


@pytest.mark.parametrize("sigma", [0.2, 0.15])
def test_little_noise_leaves_a_lower_end_in_one_coordinate(sigma: float) -> None:
    """Losses of a hundred beside many of nearly 0: the lattice is coarse, or ends before them."""
    run = DrawnDivisor(Fraction(str(sigma)), Fraction(3, 10), 3, 1)
    found = {
        way: drawn_divisor._in_one_dimension(run, Fraction(1, 100), way)
        for way in ("remove", "add")
    }
    both, other = laws([-1.0, -1.0, 1.0], 0.3, sigma), laws([-1.0, -1.0], 0.3, sigma)
    for pair, low in (((both, other), found["remove"]), ((other, both), found["add"])):
        assert height(*pair, math.exp(float(low))) >= 0.01 - 1e-9
        assert height(*pair, math.exp(1.05 * float(low))) < 0.01


def test_all_records_at_once_are_a_floor_of_delta() -> None:
    """With a chance of qⁿ in each step all are drawn, which tells the one more for certain."""
    run = DrawnDivisor(Fraction(1), Fraction(1, 2), 10, 10, MANY)
    floor = 1 - (1 - 0.5**10) ** 10
    assert drawn_divisor.epsilon(run, Fraction(floor), "remove")[1] is None
    high = drawn_divisor.epsilon(run, Fraction("0.02"), "remove")[1]
    assert high is not None


@pytest.mark.thorough("two inversions, and the cells of one coordinate")
def test_more_coordinates_tell_more() -> None:
    run: dict[str, Any] = {
        "sigma": Fraction(4),
        "rate": Fraction("0.1"),
        "records": 50,
        "times": 20,
    }
    runs = [DrawnDivisor(**run, dimension=d) for d in (1, MANY)]
    ends = [drawn_divisor.epsilon(each, DELTA, "add") for each in runs]
    assert ends[0][1] == ends[1][1]
    assert ends[0][0] < ends[1][0]
    # What is lost where sizes are misread falls as the dimension grows, and is never below 0.
    losses = []
    for dimension in (2, 1000, 10**6, MANY):
        steps = DrawnDivisor(**run, dimension=dimension)
        told = drawn_divisor._Told(steps, 1e-5, "add")
        losses.append(float(drawn_divisor._misread(steps, told, Fraction(1))))
    assert all(b <= a for a, b in itertools.pairwise(losses))
    assert losses[0] > 1 > 1e-9 > losses[-1] > 0


def test_the_command_says_its_hypotheses() -> None:
    words = ["--noise-multiplier=4", "--sampling-rate=0.1", "--dataset-size=50", "--steps=20"]
    found = shown(*words, "--dimension=1000000", "--neighbours=add")
    low, high = map(float, found["epsilon"]["add"])
    assert 0 < low <= high < 20
    assert {each["id"] for each in found["hypotheses"]} == UNDER
    assert found["input"]["dimension"] == "1000000"


def test_a_claim_of_the_noisy_sum_is_refuted() -> None:
    run = {"kind": "dp-sgd", "noise_multiplier": 4, "sampling": "poisson", "sampling_rate": "0.1"}
    run |= {"dataset_size": 50, "steps": 20, "divisor": "drawn", "dimension": 10**6}
    asked = {"kind": "privacy", "delta": "1e-5", "neighbours": "add-remove"}
    summed = dporacle.dp_sgd_ends(**PLAIN, delta="1e-5").high
    found = claims.audit({"id": "it", "mechanism": run, "asserts": asked | {"epsilon": summed}})
    assert found.verdict is Verdict.VIOLATED
    assert "all others may contribute the same in the opposite direction" in str(found.supposes)
    held = claims.audit({"id": "it", "mechanism": run, "asserts": asked | {"epsilon": 40}})
    assert held.verdict is Verdict.HOLDS
    assert "a contribution does not depend on other records" in held.told


def test_full_batches_are_divided_by_their_number() -> None:
    run = {"noise_multiplier": 4, "sampling_rate": 1, "dataset_size": 100, "steps": 10}
    found = dporacle.dp_sgd_ends(**run, delta="1e-5", divisor="drawn", dimension=100)
    assert found.low == pytest.approx(8.100305230587, rel=1e-11)
    assert found.high == pytest.approx(8.100305230587, rel=1e-11)


def test_the_picture_over_coordinates() -> None:
    run = {"noise_multiplier": 4, "batch_size": 5, "dataset_size": 50, "steps": 20}
    counted = read_training(**run, divisor="from-n", dimension=100)
    axes = dp_sgd_plot.epsilon_over_dimension(counted, DELTA, ax=Figure().subplots())
    least, claimed = (line.get_ydata() for line in axes.get_lines())
    assert len(least) == 3
    assert all(a < b for a, b in itertools.pairwise(least))
    assert least[-1] > 10 > 1 > claimed[0]
    with pytest.raises(ValueError, match="divisor must be from-n or drawn"):
        dp_sgd_plot.epsilon_over_dimension(read_training(**PLAIN), DELTA)


@pytest.mark.thorough("an inversion for each point")
def test_the_picture_of_the_drawn_batch() -> None:
    drawn = read_training(**PLAIN, dataset_size=50, divisor="drawn", dimension=10)
    axes = dp_sgd_plot.epsilon_over_dimension(drawn, DELTA, ax=Figure().subplots())
    least, most, _ = (line.get_ydata() for line in axes.get_lines())
    assert len(least) == len(most) == 2
    assert all(low <= high for low, high in zip(least, most, strict=True))


def test_so_little_noise_is_not_inverted_for_hours() -> None:
    """The points of a line grow as the square of 1/σ: 10¹³ at a noise multiplier of 10⁻⁶."""
    run = DrawnDivisor(Fraction(1, 10**6), Fraction(1, 10), 20, 5)
    with pytest.raises(ArithmeticError, match="so little noise needs too many points"):
        drawn_divisor._Told(run, 1e-5, "add").inversion()
