"""How far one record moves a statistic: every formula against all small data sets (X.SENS).

Where the note proves that the largest change is at ends of the domain (convexity), the values tried
are the ends and some between, and the largest change is the formula's to the last digit. Where it
is not at the ends (regression: an angle; its one feature: a root) the place is tried besides.
"""

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from typing import Any

import pytest

from dporacle import claims, enclosures, fast, reference
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.verdicts import Verdict

F = Fraction
Data = tuple[Any, ...]
RELATIONS = ("add-remove", "replace-one", "zero-out")
INTERVALS = [(F(0), F(1)), (F(-1), F(3)), (F(5), F(6)), (F(-2), F(-1, 2))]


def _exact(name: str, **given: Any) -> Fraction:
    """Return a quantity that is rational, as the nearest of its ball's ends says it."""
    low, high = bounds(getattr(enclosures, name)(**given, digits=40))
    middle = ((low + high) / 2).limit_denominator(10**12)
    assert low <= middle <= high
    return middle


def _pairs(values: list[Any], size: int, relation: str) -> Iterator[tuple[Data, Data]]:
    """Yield all neighbouring data sets, the larger of them of one size."""
    for rest in itertools.product(values, repeat=size - 1):
        for one in values:
            if relation == "add-remove":
                yield rest, (*rest, one)
            elif relation == "zero-out":
                yield (*rest, one), (*rest, type(one)(0))
            else:
                yield from (((*rest, one), (*rest, other)) for other in values)


def _largest(
    statistic: Callable[[Data], Any], values: list[Any], size: int, relation: str
) -> Fraction:
    return max(abs(statistic(a) - statistic(b)) for a, b in _pairs(values, size, relation))


def _between(lower: Fraction, upper: Fraction) -> list[Fraction]:
    return [lower, (2 * lower + upper) / 3, (lower + upper) / 2, upper]


def _mean(data: Data) -> Fraction:
    return sum(data, F(0)) / len(data)


def _deviations(data: Data) -> Fraction:
    return sum(((x - _mean(data)) ** 2 for x in data), F(0))


@pytest.mark.statement("X.SENS.MEAN")
@pytest.mark.parametrize(("lower", "upper"), INTERVALS)
def test_sums_and_means_of_all_small_data_sets(lower: Fraction, upper: Fraction) -> None:
    ends, values = {"lower": lower, "upper": upper}, _between(lower, upper)
    total: Callable[[Data], Fraction] = lambda data: sum(data, F(0))  # noqa: E731
    for relation in RELATIONS:
        name = "sum_sensitivity" + "_replace" * (relation == "replace-one")
        assert _largest(total, values, 3, relation) == _exact(name, **ends)
    for records in range(1, 5):
        given = {**ends, "records": records}
        assert _largest(_mean, values, records, "zero-out") == _exact(
            "public_mean_sensitivity", **given
        )
        own = _exact("mean_sensitivity", **given)
        assert _largest(_mean, values, records, "replace-one") == own
        if records > 1:  # of one record, what is said of none decides
            assert _largest(_mean, values, records, "add-remove") == own


@pytest.mark.statement("X.SENS.VAR")
@pytest.mark.parametrize(("lower", "upper"), INTERVALS)
@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
def test_variances_of_all_small_data_sets(lower: Fraction, upper: Fraction, relation: str) -> None:
    ends, values = {"lower": lower, "upper": upper}, _between(lower, upper)
    for records in range(2, 5):
        given = {**ends, "records": records}
        for ddof in (0, 1):
            if records - (relation == "add-remove") <= ddof:
                continue  # the smaller data set has no such variance

            def variance(data: Data, ddof: int = ddof) -> Fraction:
                return _deviations(data) / (len(data) - ddof)

            found = _largest(variance, values, records, relation)
            assert found == _exact("variance_sensitivity", **given, ddof=ddof)
        found = _largest(_deviations, values, records, relation)
        assert found == _exact("squared_deviations_sensitivity", **given)


def _sphere(dimension: int) -> list[tuple[float, ...]]:
    """Return points of the unit ball: axes, their opposites, the centre and some others."""
    axes = [tuple(float(i == j) for i in range(dimension)) for j in range(dimension)]
    others = [tuple((0.6, 0.8, 0.0)[:dimension]), tuple((-0.8, 0.36, 0.48)[:dimension])]
    return [*axes, *(tuple(-x for x in axis) for axis in axes[:2]), (0.0,) * dimension, *others]


_FEW = 5  # points of four rows: two axes or three, and two opposites


def _covariance(rows: tuple[tuple[float, ...], ...], divisor: int) -> list[float]:
    means = [sum(column) / len(rows) for column in zip(*rows, strict=True)]
    centred = [[x - m for x, m in zip(row, means, strict=True)] for row in rows]
    size = range(len(means))
    return [sum(row[i] * row[j] for row in centred) / divisor for i in size for j in size]


def _distance(first: list[float], second: list[float]) -> float:
    return sum((a - b) ** 2 for a, b in zip(first, second, strict=True))


@pytest.mark.statement("X.SENS.VAR")
@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
@pytest.mark.parametrize(("dimension", "most"), [(1, 4), (2, 4), (3, 4)])
def test_covariances_of_rows_in_a_ball(relation: str, dimension: int, most: int) -> None:
    for records, ddof in itertools.product(range(2, most + 1), (0, 1)):
        if records - (relation == "add-remove") <= ddof:
            continue
        found = max(
            _distance(_covariance(a, len(a) - ddof), _covariance(b, len(b) - ddof))
            for a, b in _pairs(
                _sphere(dimension)[: _FEW if records == 4 else None], records, relation
            )
        )
        exact = _exact("covariance_sensitivity", clipping_norm=1, records=records, ddof=ddof)
        assert math.sqrt(found) == pytest.approx(float(exact), rel=1e-12)


def _moments(row: tuple[float, ...], target: float) -> list[float]:
    return [a * b for a in row for b in row] + [a * target for a in row]


@pytest.mark.statement("X.SENS.MOMENT")
@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize(
    "target", [0, 0.25, 0.5, 0.5999, 0.6, 0.707, 0.72, 1, 1.4, 1.41421356, 1.5, 3]
)
def test_second_moments_and_regression_of_rows_in_a_ball(dimension: int, target: float) -> None:
    """Other records change nothing of these sums; signs of rows are those of their targets."""
    given = {"clipping_norm": 1.0, "target_bound": float(target)}
    turns = [0.0, math.acos(min(1.0, target**2 / 2)), *(math.pi * k / 60 for k in range(31))]
    lengths = [1 - k / 40 for k in range(41)]
    if 2 * target**2 <= 1:
        lengths.append((1 - math.sqrt(1 - 2 * target**2)) / 2)
    around = (
        [(length,) for length in lengths]
        if dimension == 1
        else [
            (length * math.cos(turn), length * math.sin(turn), 0.0)[:dimension]
            for turn in turns
            for length in lengths[::8]
        ]
    )
    row = (1.0, 0.0, 0.0)[:dimension]
    zero = [0.0] * (dimension * (dimension + 1))
    added = max(_distance(_moments(each, target), zero) for each in around)
    assert added == pytest.approx(fast.regression_sensitivity_squared(**given), rel=1e-12)
    found = max(
        _distance(_moments(row, target), _moments(each, other))
        for each in around
        for other in (-target, -target / 2, target / 2, target)
    )
    exact = fast.regression_sensitivity_squared_replace(**given, dimension=dimension)
    assert found == pytest.approx(exact, rel=1e-9)
    assert found <= exact


@pytest.mark.statement("X.SENS.COUNT")
@pytest.mark.parametrize("dimension", [1, 2, 3])
@pytest.mark.parametrize("linf", [1, 2, 3])
def test_counts_of_all_persons_within_bounds(dimension: int, linf: int) -> None:
    everybody = list(itertools.product(range(linf + 1), repeat=dimension))
    for l0, total in itertools.product(range(1, dimension + 2), range(1, 3 * linf + 2)):
        persons = [p for p in everybody if sum(p) <= total and sum(map(bool, p)) <= l0]
        given = {"l0": l0, "linf": linf, "total": total, "dimension": dimension}
        moved = [tuple(a - b for a, b in zip(p, q, strict=True)) for p in persons for q in persons]
        for power, name in ((1, "counts_sensitivity"), (2, "counts_sensitivity_squared")):
            size: Callable[[Data], int] = lambda p: sum(abs(x) ** power for x in p)  # noqa: B023, E731
            assert max(map(size, persons)) == _exact(name, **given)
            assert max(map(size, moved)) == _exact(f"{name}_replace", **given)


@pytest.mark.statement("X.SENS.RANK")
@pytest.mark.parametrize("quantile", [F(1, 2), F(9, 10), F(1, 4)])
def test_scores_of_a_quantile_on_all_small_data_sets(quantile: Fraction) -> None:
    """Records are below two candidates, between them, or above both; here are all data sets."""

    def scores(counts: tuple[int, ...]) -> tuple[Fraction, Fraction]:
        low, middle, high = counts
        goal = quantile * (low + middle + high)
        return -abs(low - goal), -abs(low + middle - goal)

    def moved(first: tuple[int, ...], second: tuple[int, ...]) -> tuple[Fraction, Fraction]:
        a, b = (x - y for x, y in zip(scores(first), scores(second), strict=True))
        return max(abs(a), abs(b)), abs(a - b)

    given = {"quantile": quantile}
    one, other = (
        _exact(name, **given) for name in ("quantile_score_sensitivity", "quantile_score_range")
    )
    added, replaced = [], []
    most = math.ceil(1 / min(quantile, 1 - quantile))
    for counts in itertools.product(range(most + 1), repeat=3):
        if sum(counts) > most:
            continue
        more = [tuple(c + (i == j) for i, c in enumerate(counts)) for j in range(3)]
        added += [moved(counts, each) for each in more]
        replaced += [moved(a, b) for a in more for b in more]
    assert tuple(map(max, zip(*added, strict=True))) == (one, other)
    assert tuple(map(max, zip(*replaced, strict=True))) == (1, 2)


def _knapsack(budget: int, dimension: int) -> int:
    """Return the largest Σm² of at most so many numbers with Σ(2m−1)² within a budget."""
    best = [0] * (budget + 1)
    for _ in range(min(budget, dimension)):
        best = [
            max([best[b], *(best[b - a * a] + ((a + 1) // 2) ** 2 for a in _odd_up_to(b))])
            for b in range(budget + 1)
        ]
    return best[budget]


def _odd_up_to(budget: int) -> range:
    return range(1, math.isqrt(budget) + 1, 2)


@pytest.mark.statement("X.SENS.GRID")
@pytest.mark.parametrize("dimension", [1, 2, 3, 4, 5, 8, 9, 10, 17, 40])
def test_rounded_vectors_are_a_knapsack(dimension: int) -> None:
    for budget in [*range(70), 101, 128, 145]:
        norm = F(math.isqrt(budget * 10**16) + 1, 2 * 10**8)
        given = {"clipping_norm": norm, "grid": 1, "dimension": dimension}
        value = _knapsack(budget, dimension)
        assert _exact("rounded_norm_squared", **given) == value, budget
        assert reference.rounded_norm_squared(**given) == value, budget
        given |= {"clipping_norm": float(norm), "grid": 1.0}
        assert 0 <= fast.rounded_norm_squared(**given) - value < 1e-12 * value + 1e-300, budget


@pytest.mark.statement("X.SENS.GRID")
@pytest.mark.parametrize("norm", [F(3), F(27, 10), F(9, 2)])
@pytest.mark.parametrize("dimension", [1, 2, 3])
def test_no_vector_is_longer_once_it_is_rounded(norm: Fraction, dimension: int) -> None:
    """All vectors whose coordinates are half steps, which are the nearest that reach each point."""
    halves = [F(n, 2) for n in range(math.floor(2 * norm) + 1)]
    most = max(
        sum(math.floor(x + F(1, 2)) ** 2 for x in vector)
        for vector in itertools.product(halves, repeat=dimension)
        if sum(x * x for x in vector) <= norm**2
    )
    given = {"clipping_norm": norm, "grid": 1, "dimension": dimension}
    assert _exact("rounded_norm_squared", **given) == most


@pytest.mark.statement("X.SENS.COUNT")
def test_a_norm_is_stated_by_its_number_or_its_name() -> None:
    """Four categories with 3 each: 12 in ℓ1, 6 in ℓ2."""
    statistic = {"kind": "counts", "l0": 4, "linf": 3, "coordinates": 9}
    for number, name, value in ((1, "l1", 12), (2, "l2", 6)):
        for norm in (number, name):
            for at_most, verdict in ((value, Verdict.HOLDS), (value - 1, Verdict.VIOLATED)):
                asserts = {"kind": "sensitivity", "norm": norm, "at_most": at_most,
                           "neighbours": "add-remove", "statistic": statistic}  # fmt: skip
                assert claims.audit({"id": "x", "asserts": asserts}).verdict is verdict
