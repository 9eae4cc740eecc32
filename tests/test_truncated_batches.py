"""Truncated Poisson batches (X.BAT.CAP): the ends of ε against enumeration, grids and figures."""

import itertools
import json
import math
import random
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from click.testing import CliRunner
from flint import acb, arb
from hypothesis import example, given, settings
from hypothesis import strategies as st
from scipy.stats import binom

import dporacle
from dporacle import claims, enclosures, fast, reference
from dporacle.arguments import exact
from dporacle.cli import main
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import capped, drawn_divisor, poisson_ends
from dporacle.enclosures.batches.capped import Capped
from dporacle.enclosures.batches.densities import Inversion, Mixture, Offsets, StepLaw
from dporacle.fast import truncated as in_float64
from dporacle.reference import truncated as by_quadrature
from dporacle.reference.numerics.precision import real, working
from dporacle.verdicts import Verdict
from support.dear import mostly_dear
from support.truths.divergences import divergence, mean_excess
from support.truths.laws import normal

FIGURES = [
    json.loads(row)
    for row in (Path(__file__).parent / "data" / "truncated_batches.jsonl")
    .read_text(encoding="utf-8")
    .splitlines()
]
"""Float figures of another program, whose ends of zero-out have four digits, the others seven."""

USUAL = {"noise_multiplier": 1, "sampling_rate": "0.01", "dataset_size": 1000, "steps": 1000}
GRID = np.linspace(-14, 14, 20001)
SPACING = GRID[1] - GRID[0]
BITS = 320

Law = dict[tuple[int, bool], float]
"""Number of other records kept, and whether the record is: its probability."""


def command(*words: str) -> Any:
    result = CliRunner().invoke(main, [*words, "--json"])
    assert result.exit_code == 0, result.output
    return json.loads(result.output)


def words_of(row: dict[str, Any]) -> list[str]:
    names = ("noise_multiplier", "sampling_rate", "dataset_size", "batch_cap", "steps", "delta")
    options = [f"--{name.replace('_', '-')}={row[name]}" for name in names]
    return ["dp-sgd", "--sampling", "truncated", *options]


RELATIONS = ["remove", "add", "zero-out", "replace-one"]


@pytest.mark.parametrize(
    ("place", "relation"),
    mostly_dear([(k, RELATIONS[k % len(RELATIONS)]) for k in range(len(FIGURES))], len(FIGURES)),
)
def test_the_figures_come_out_of_the_command(place: int, relation: str) -> None:
    row = FIGURES[place]
    figures = row["epsilon"][relation]
    shown = command(*words_of(row), "--neighbours", relation)
    further = shown["further"][relation]
    seen = next(float(each["at_most"]) for each in further if "at_most" in each)
    nothing = next(float(each["at_least"]) for each in further if each.get("by") == "nothing")
    low, high = map(float, shown["epsilon"][relation])
    assert seen == pytest.approx(figures["kept_records_seen"], rel=1e-9)
    assert nothing == pytest.approx(figures["others_contribute_nothing"], rel=1e-9)
    few = 2e-4 if relation == "zero-out" else 5e-8
    assert high == pytest.approx(figures["own_record_only"], rel=few)
    assert nothing <= low < high < seen


def _drawn(n: int, rate: float, cap: int, order: Sequence[int] | None, *, with_it: bool) -> Any:
    """Yield (records kept, probability); record 0 is the one that differs."""
    found: dict[tuple[int, ...], float] = {}
    ids = range(0 if with_it else 1, n)
    for size in range(len(ids) + 1):
        for batch in itertools.combinations(ids, size):
            mass = rate**size * (1 - rate) ** (len(ids) - size)
            if size <= cap:
                kept = [batch]
            elif order is None:
                kept = [*itertools.combinations(batch, cap)]
            else:
                kept = [tuple(sorted(batch, key=order.index)[:cap])]
            for each in kept:
                found[each] = found.get(each, 0) + mass / len(kept)
    return found.items()


def _density(laws: dict[float, float], sigma: float) -> np.ndarray:
    parts = (w * np.exp(-(((GRID - centre) / sigma) ** 2) / 2) for centre, w in laws.items())
    return sum(parts) / (sigma * math.sqrt(2 * math.pi))


def _sums(drawn: Any, contributions: Sequence[float]) -> dict[float, float]:
    found: dict[float, float] = {}
    for kept, mass in drawn:
        centre = sum(contributions[i] for i in kept)
        found[centre] = found.get(centre, 0) + mass
    return found


def _divergence(first: np.ndarray, second: np.ndarray, a: float) -> float:
    return divergence(first, second, a, SPACING)


@settings(max_examples=60)
@given(
    st.lists(st.sampled_from([-1.0, -1.0, -0.5, 0.0, 1.0]), min_size=1, max_size=4),
    st.integers(1, 4),
    st.sampled_from([0.1, 0.3, 0.5, 0.8, 0.95]),
    st.floats(0.4, 2),
    st.floats(-1.5, 2),
    st.one_of(st.none(), st.randoms(use_true_random=False)),
    st.booleans(),
)
@example([-1.0], 1, 0.5, 1.0, 0.4, None, False)
@example([-1.0], 1, 0.95, 1.0, -0.23, None, False)
@example([1.0, 1.0], 1, 0.5, 1.0, -0.9, None, True)
@example([-1.0, -1.0], 1, 0.8, 0.5, 0.5, random.Random(1), False)
def test_no_small_data_set_is_worse_than_the_bound_of_a_step(
    others: list[float],
    cap: int,
    rate: float,
    sigma: float,
    loss: float,
    shuffled: Any,
    swapped: bool,
) -> None:
    """Every subset that may be drawn and kept, in one dimension; both orders, all relations."""
    n, a = len(others) + 1, math.exp(loss)
    cap = min(cap, n - 1)
    order = None
    if shuffled is not None:
        order = [*range(n)]
        shuffled.shuffle(order)
    batches = Capped(Fraction(sigma), Fraction(rate), n, cap, 1, first_come=order is not None)
    mine = [*_drawn(n, rate, cap, order, with_it=True)]
    first = _density(_sums(mine, [1.0, *others]), sigma)
    without = _sums(_drawn(n, rate, cap, order, with_it=False), [math.nan, *others])
    seconds = {
        "both": _density(without, sigma),
        "zero-out": _density(_sums(mine, [0.0, *others]), sigma),
        "replace": _density(_sums(mine, [-1.0, *others]), sigma),
    }
    for adjacency, second in seconds.items():
        one, other = (second, first) if swapped else (first, second)
        with precision(BITS):
            curve = capped._Curve(batches, adjacency)
            bound = curve.ordered(ball(Fraction(a)), swapped=swapped)
        assert _divergence(one, other, a) <= float(bound.upper()) + 1e-6


def test_two_records_reach_the_bound() -> None:
    """At n = 2 and B = 1 nothing is lost: the other record contributes against the record."""
    batches = Capped(Fraction(1), Fraction(1, 2), 2, 1, 1)
    first = _density(_sums(_drawn(2, 0.5, 1, None, with_it=True), [1.0, -1.0]), 1.0)
    second = _density(_sums(_drawn(2, 0.5, 1, None, with_it=False), [math.nan, -1.0]), 1.0)
    with precision(BITS):
        bound = float(capped._Curve(batches, "both").height(ball(Fraction(3, 2))).mid())
    assert _divergence(first, second, 1.5) == pytest.approx(bound, rel=1e-6)
    assert bound == pytest.approx(0.09985, abs=1e-5)


def _of_law(law: StepLaw, a: float) -> float:
    """Return H_a of a step's pair, by a sum over a grid of unit noise."""
    total = sum(divergence([float(p)], [float(q)], a) for p, q in law.atoms)
    for piece in law.pieces:

        def density(mixture: Mixture) -> np.ndarray:
            return sum(float(w) * normal(GRID, float(g)) for w, g in mixture)

        low = -math.inf if piece.low is None else float(piece.low)
        high = math.inf if piece.high is None else float(piece.high)
        within = (low < GRID) & (high >= GRID)
        first, second = (density(each) * within for each in (piece.first, piece.second))
        total += _divergence(first, second, a)
    return total


@pytest.mark.parametrize("adjacency", ["both", "zero-out", "replace"])
@pytest.mark.parametrize("first_come", [False, True])
def test_the_pair_has_the_curve_in_closed_form(adjacency: str, first_come: bool) -> None:
    batches = Capped(Fraction(3, 4), Fraction(1, 4), 12, 3, 1, first_come=first_come)
    law = capped.apart_law(batches, adjacency)
    curve = capped._Curve(batches, adjacency)
    masses = [sum(float(each[k]) for each in law.atoms) for k in (0, 1)]
    assert _of_law(law, 0.0) == pytest.approx(1, abs=2e-3)
    assert max(masses) < 1
    for a in (0.2, 0.7, 0.95, 1.0, 1.3, 2.5, 8.0):
        with precision(BITS):
            expected = float(curve.ordered(ball(Fraction(a)), swapped=False).mid())
        assert _of_law(law, a) == pytest.approx(expected, abs=2e-3)


@settings(max_examples=40)
@given(
    st.integers(2, 6),
    st.integers(1, 5),
    st.sampled_from([0.1, 0.3, 0.5, 0.8]),
    st.floats(0.4, 2),
    st.floats(-1.5, 2),
    st.lists(st.floats(-1, 1), min_size=6, max_size=6),
    st.lists(st.sampled_from([-1.0, 1.0, 0.5]), min_size=6, max_size=6),
    st.booleans(),
)
@example(6, 5, 0.8, 0.5, 1.5, [0, 0, 0, 0, 1, -1], [1.0] * 6, False)
def test_no_contributions_that_see_who_is_kept_are_worse_than_their_bound(
    n: int,
    cap: int,
    rate: float,
    sigma: float,
    loss: float,
    shares: list[float],
    turned: list[float],
    swapped: bool,
) -> None:
    """Others contribute a sum that depends on how many are kept, the record one that does too."""
    cap, a = min(cap, n - 1), math.exp(loss)
    batches = Capped(Fraction(sigma), Fraction(rate), n, cap, 1)

    def laws(with_it: bool, record: float) -> np.ndarray:
        found: dict[float, float] = {}
        for kept, mass in _drawn(n, rate, cap, None, with_it=with_it):
            others = len(kept) - (0 in kept)
            centre = shares[others % 6] * others + (0 in kept) * record * turned[others % 6]
            found[centre] = found.get(centre, 0) + mass
        return _density(found, sigma)

    first = laws(True, 1.0)
    seconds = {"both": laws(False, 0.0), "zero-out": laws(True, 0.0), "replace": laws(True, -1.0)}
    for adjacency, second in seconds.items():
        law = capped.seen_law(batches, adjacency)
        assert law is not None
        one, other = (second, first) if swapped else (first, second)
        bound = _of_law(law, 1 / a) * a + 1 - a if swapped else _of_law(law, a)
        with precision(BITS):
            curve = capped._SeenCurve(batches, adjacency).ordered(
                ball(Fraction(a)), swapped=swapped
            )
        assert float(curve.mid()) == pytest.approx(bound, abs=3e-3 * max(1.0, a))
        assert _divergence(one, other, a) <= bound + 2e-3 * min(1.0, a)


@pytest.mark.parametrize("swapped", [False, True])
def test_the_inversion_agrees_with_a_sum_over_a_grid_of_losses(swapped: bool) -> None:
    """δ of 100 steps by the discrete Fourier transform of one step's loss, in float64."""
    batches, epsilon = Capped(Fraction(1), Fraction(1, 10), 60, 9, 100), Fraction(2)
    law = capped.apart_law(batches, "both")
    found = Inversion(law, 100, swapped=swapped).delta(epsilon)
    step, size = 2.0**-9, 1 << 17
    fine = np.linspace(-12, 14, 400_001)
    masses = np.zeros(size)
    logs = []
    for piece in law.pieces:
        low = -math.inf if piece.low is None else float(piece.low)
        high = math.inf if piece.high is None else float(piece.high)
        p, q = (
            sum(float(w) * np.exp(-((fine - float(g)) ** 2) / 2) for w, g in mixture)
            * (fine[1] - fine[0])
            / math.sqrt(2 * math.pi)
            for mixture in (piece.first, piece.second)
        )
        within = (low < fine) & (fine <= high)
        one, other = (q[within], p[within]) if swapped else (p[within], q[within])
        logs.append((one, np.log(one / other)))
    for first, second in law.atoms:
        mine, its = (second, first) if swapped else (first, second)
        logs.append((np.array([float(mine)]), np.log([float(mine) / float(its)])))
    for mass, loss in logs:  # to both neighbours, so that the mean stays
        place = loss / step
        cell = np.floor(place).astype(int)
        share = place - cell
        np.add.at(masses, cell % size, mass * (1 - share))
        np.add.at(masses, (cell + 1) % size, mass * share)
    product = np.fft.irfft(np.fft.rfft(masses) ** 100, size)
    losses = (np.arange(size) + size // 2) % size - size // 2
    expected = mean_excess(losses * step, 2, product)
    assert float(found.mid()) == pytest.approx(expected, rel=1e-3)
    lattice = capped._on_lattice(batches, "both", float(found), swapped=swapped)
    with precision(BITS):
        above = float(lattice.delta(ball(epsilon)))
    assert float(found) <= above <= 1.001 * float(found)


def test_the_sums_of_a_panel_are_those_of_its_nodes() -> None:
    """Of many coordinates, whose loss has a form of its own, and of two densities."""
    steps = drawn_divisor.DrawnDivisor(Fraction(1), Fraction(1, 10), 50, 20, 100)
    laws = (
        drawn_divisor._law(steps, 1e-20),
        capped.apart_law(Capped(Fraction(3, 4), Fraction(1, 4), 12, 3, 1), "both"),
    )
    for piece in (each for law in laws for each in law.pieces):
        with precision(BITS):
            middle, offsets = acb(arb(1) / 3, arb(1) / 7), Offsets([acb(0), acb(arb(1) / 5)])
            for _ in range(2):  # what is kept serves for the next panel too
                found = piece.sums_along(middle, offsets)
                for offset, sums in zip(offsets.values, found, strict=True):
                    for one, other in zip(sums, piece.sums(middle + offset), strict=True):
                        assert one.overlaps(other)
                        assert abs(one - other).upper() < 1e-60
                middle += 1


def test_chances_are_those_of_a_binomial() -> None:
    for n, rate, cap in ((1000, 0.01, 15), (1000, 0.01, 3), (50, 0.5, 49), (7, 0.25, 1)):
        found = capped.chances(Capped(Fraction(1), Fraction(rate), n, cap, 1))
        others = np.arange(n)
        mass = binom.pmf(others, n - 1, rate)
        many = others >= cap
        kept = rate * (mass * np.where(many, cap / (others + 1), 0)).sum()
        assert float(found.next) == pytest.approx(mass[cap - 1], rel=1e-10)
        assert float(found.many) == pytest.approx(mass[many].sum(), rel=1e-10)
        assert float(found.few) == pytest.approx(mass[: cap - 1].sum(), rel=1e-10)
        assert float(found.kept) == pytest.approx(kept, rel=1e-10)
        assert float(found.displaced) == pytest.approx(rate * mass[many].sum() - kept, rel=1e-6)


@pytest.mark.parametrize(
    ("records", "rate", "cap"),
    [(50, 0.5, 1), (50, 0.5, 49), (10**4, 0.02, 220), (10**5, 0.01, 1100)],
)
def test_float64_has_its_chances_within_the_share_it_counts_with(
    records: int, rate: float, cap: int
) -> None:
    """By lgamma and scipy's sums they were wrong by more where there are many records."""
    step = in_float64._Step(1.0, rate, float(records), float(cap))
    (((_, _, few), _),), (((_, rest, many), (_, none, _), (_, moved, _)), _) = step.laws
    with working(120) as ctx:
        q = real(ctx, Fraction(rate))
        w, following, tau, kappa, _ = by_quadrature._chances(ctx, q, records, cap)
        for found, expected in (
            (few, w),
            (none, following * (1 - q)),
            (many, tau),
            (rest, tau - kappa),
            (moved, following * q + kappa),
        ):
            assert abs(ctx.mpf(found) - expected) <= step.close * expected


def test_a_step_that_nothing_inverts_has_ends_too() -> None:
    """One step, three, a record that is always drawn, and noise that hides nothing."""
    one = Capped(Fraction(1), Fraction(1, 10), 30, 2, 1)
    with precision(BITS):
        curve = capped._Curve(one, "both")
        expected = float(curve.height(ball(Fraction(1, 2)).exp()).mid())
    found = capped.delta(one, Fraction(1, 2), "remove")
    assert float(found.high) == pytest.approx(expected, rel=1e-12)
    assert found.low <= found.high
    for batches, adjacency in (
        (Capped(Fraction(1), Fraction(1, 10), 30, 2, 3), "both"),
        (Capped(Fraction(2), Fraction(1), 30, 2, 10), "zero-out"),
        (Capped(Fraction(1, 4), Fraction(1, 100), 1000, 15, 12), "replace"),
    ):
        ends = capped.epsilon(batches, Fraction("1e-5"), adjacency)
        assert 0 < ends.low <= ends.high


def test_where_all_are_drawn_a_batch_has_a_fixed_size() -> None:
    found = dporacle.dp_sgd_ends(
        noise_multiplier=4,
        delta="1e-5",
        sampling="truncated",
        sampling_rate=1,
        dataset_size=50,
        batch_cap=5,
        steps=100,
        neighbours="remove",
    )
    same = dporacle.dp_sgd_ends(
        noise_multiplier=4,
        delta="1e-5",
        sampling="fixed-size",
        batch_size=5,
        dataset_size=50,
        steps=100,
        neighbours="remove",
    )
    assert found.high == pytest.approx(same.high, rel=1e-9)


def test_a_cap_that_cuts_nothing_is_poisson_sampling() -> None:
    same = {key: value for key, value in USUAL.items() if key != "dataset_size"}
    found = dporacle.dp_sgd_ends(delta="1e-5", sampling="truncated", batch_cap=1000, **USUAL)
    expected = dporacle.dp_sgd_ends(delta="1e-5", **same)
    assert (found.low, found.high) == (expected.low, expected.high)
    assert {each.id for each in found.hypotheses} >= {"poisson-sampling", "others-apart"}
    # It is so of a data set of so many records, and not of one with one more.
    assert "cap-and-steps-fixed" in {each.id for each in found.hypotheses}


@pytest.mark.parametrize(("epsilon", "swapped"), [(0.3, False), (0.3, True), (1.0, False)])
def test_two_steps_of_an_adversary_who_looks_stay_below(epsilon: float, swapped: bool) -> None:
    """At the second step the others turn where the first output was small."""
    n, rate, cap, sigma, a = 3, 0.5, 1, 1.0, math.exp(epsilon)
    batches = Capped(Fraction(1), Fraction(1, 2), n, cap, 2)
    coarse = np.linspace(-8, 8, 801)
    cell = (coarse[1] - coarse[0]) ** 2

    def law(contributions: list[float], *, with_it: bool) -> np.ndarray:
        drawn = _drawn(n, rate, cap, None, with_it=with_it)
        sums = _sums(drawn, contributions).items()
        parts = (w * np.exp(-(((coarse - m) / sigma) ** 2) / 2) for m, w in sums)
        return sum(parts) / (sigma * math.sqrt(2 * math.pi))

    def run(record: float, *, with_it: bool) -> np.ndarray:
        against, along = ([record, side, side] for side in (-1.0, 1.0))
        first = law(against, with_it=with_it)
        turned = np.where((coarse < 0)[:, None], law(against, with_it=with_it)[None, :],
                          law(along, with_it=with_it)[None, :])  # fmt: skip
        return first[:, None] * turned

    mine = run(1.0, with_it=True)
    others = {"both": run(0.0, with_it=False), "zero-out": run(0.0, with_it=True),
              "replace": run(-1.0, with_it=True)}  # fmt: skip
    for adjacency, second in others.items():
        one, other = (second, mine) if swapped else (mine, second)
        reached = divergence(one, other, a, cell)
        way = {"both": "add" if swapped else "remove"}.get(adjacency, adjacency)
        found = capped.delta(batches, Fraction(epsilon), way)
        assert reached <= float(found.high) + 1e-5
        assert float(found.low) <= float(found.high)


@pytest.mark.parametrize("relation", ["add-remove", "zero-out", "replace-one"])
def test_every_relation_has_the_hypotheses_of_its_theorem(relation: str) -> None:
    run = {"noise_multiplier": 4, "sampling_rate": "0.5", "dataset_size": 20, "steps": 2}
    run |= {"sampling": "truncated", "batch_cap": 8, "delta": "1e-5", "neighbours": relation}
    for kept, first in (("uniform", "truncated"), ("first-come", "truncated-first-come")):
        found = dporacle.dp_sgd_ends(**run, kept=kept)
        expected = OWN - {"truncated"} | {first, "divided-by-public", "every-sum-released"}
        expected |= {"keeps-its-place"} if relation == "zero-out" else set()
        assert {each.id for each in found.hypotheses} == expected
        seen = [each for each in found.further if each.upper]
        assert len(seen) == (kept == "uniform")
        for each in seen:
            assert [row.id for row in each.hypotheses] == ["kept-records-only"]
            assert each.value >= Fraction(found.high) * Fraction(999, 1000)


OWN = {"truncated", "cap-and-steps-fixed", "clipped", "own-record-only", "batches-hidden"}


@pytest.mark.parametrize(
    ("cap", "epsilon", "verdict", "said"),
    [
        (10, "1.6", Verdict.VIOLATED, OWN),
        (15, "1.9", Verdict.UNDECIDED, OWN),
        (15, "2.09", Verdict.HOLDS, OWN),
        (15, "2.2", Verdict.HOLDS, OWN - {"own-record-only"} | {"kept-records-only"}),
    ],
)
def test_claims_are_decided_under_the_hypotheses_of_their_end(
    cap: int, epsilon: str, verdict: Verdict, said: set[str]
) -> None:
    about = {"kind": "dp-sgd", "sampling": "truncated", "batch_cap": cap, **USUAL}
    asserts = {"kind": "privacy", "epsilon": epsilon, "delta": "1e-5", "neighbours": "add-remove"}
    found = claims.audit({"id": "it", "mechanism": about, "asserts": asserts})
    assert found.verdict is verdict
    assert {each.id for each in found.hypotheses} >= said
    alone = "a contribution does not depend on other records, in its batch or not"
    if verdict is Verdict.HOLDS:
        assert "the records that are kept are drawn uniformly" in found.told
        assert (alone in found.told) == ("own-record-only" in said)
    stated = {**about, "kept": "uniform"}
    told = claims.audit({"id": "it", "mechanism": stated, "asserts": asserts}).told
    assert "drawn uniformly" not in told


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"batch_cap": 0}, "batch_cap must be positive"),
        ({"batch_cap": 1.5}, "batch_cap must be a whole number"),
        ({"batch_cap": None}, "batch_cap must be given for sampling 'truncated'"),
        ({"dataset_size": None}, "dataset_size must be given for sampling 'truncated'"),
        ({"kept": "last"}, "kept must be one of uniform, first-come, got 'last'"),
        ({"sampling": "poisson"}, "batch_cap must be given for sampling 'truncated' only"),
        ({"sampling_rate": None}, "sampling_rate, or batch_size and dataset_size must be given"),
    ],
)
def test_what_is_missing_is_named(given: dict[str, Any], told: str) -> None:
    asked = {"sampling": "truncated", "batch_cap": 15, "delta": "1e-5", **USUAL, **given}
    with pytest.raises(ValueError, match=told):
        dporacle.dp_sgd_ends(**asked)


def test_where_nearly_all_batches_are_cut_poisson_sampling_is_refuted() -> None:
    """Others at −1: a record takes another one's place, as in batches of a fixed size."""
    batches = capped.Capped(Fraction(1), Fraction("0.02"), 1000, 10, 1000)
    low = capped.lower_ends(batches, Fraction("1e-5"), "remove")["against"]
    assert low > Fraction("5.42")
    assert (
        low
        > poisson_ends.near(Fraction(1), Fraction("0.02"), 1000, Fraction("1e-5"), "remove", 6).high
    )


@pytest.mark.statement("X.BAT.CAP")
@pytest.mark.parametrize("direction", ["remove", "add"])
@pytest.mark.parametrize("steps", [1, 20])
def test_three_witnesses_have_one_upper_end(steps: int, direction: str) -> None:
    """By tails or an inversion, by quadrature, and on a lattice in float64.

    The vectors have the reference of more steps, whose moments take it seconds.
    """
    run = {"sigma": 2, "rate": 0.5, "records": 30, "cap": 15, "steps": steps}
    where = {"epsilon": 0.5, **run, "direction": direction}
    low, high = map(float, bounds(enclosures.truncated_delta(**where)))
    assert 0 < low < high
    if steps == 1:
        assert float(reference.truncated_delta(**where, digits=6)) == pytest.approx(high, rel=1e-8)
    assert high <= fast.truncated_delta(**where) <= high * (1 + 1e-2) + 1e-9


def test_two_steps_are_those_of_nested_tails() -> None:
    """On a lattice the balls' end is a little farther out; float64's lattice is coarser."""
    where = {"epsilon": 0.5, "sigma": 1, "rate": 0.5, "records": 4, "cap": 2, "steps": 2}
    _, high = map(float, bounds(enclosures.truncated_delta(**where, direction="remove")))
    found = float(reference.truncated_delta(**where, direction="remove", digits=6))
    assert found <= high <= found * (1 + 1e-5)
    assert high <= fast.truncated_delta(**where, direction="remove") <= high * (1 + 1e-3)


@pytest.mark.parametrize("share", [Fraction(-1), Fraction(-1, 2), Fraction(1, 4)])
@pytest.mark.parametrize("cap", [1, 2, 4])
def test_the_sums_where_all_others_contribute_alike_are_those_of_every_subset(
    share: Fraction, cap: int
) -> None:
    """Every set that may be drawn and kept of five records: with the record, and otherwise."""
    batches, others = Capped(Fraction(1), Fraction(2, 5), 5, cap, 1), [float(share)] * 4
    mine = [*_drawn(5, 0.4, cap, None, with_it=True)]
    seconds = {
        "both": _sums(_drawn(5, 0.4, cap, None, with_it=False), [math.nan, *others]),
        "zero-out": _sums(mine, [0.0, *others]),
        "replace": _sums(mine, [-1.0, *others]),
    }
    for adjacency, other in seconds.items():
        *found, left = capped._centres(batches, share, 1e-9, adjacency)
        assert float(left) < 1e-9
        for law, expected in zip(found, (_sums(mine, [1.0, *others]), other), strict=True):
            masses: dict[float, float] = {}
            for weight, centre in law:
                place = float(centre)
                masses[place] = masses.get(place, 0) + float(weight.mid())
            masses = {place: mass for place, mass in masses.items() if mass}
            assert masses == pytest.approx(expected, rel=1e-12), adjacency


def test_others_do_not_count_as_drawn_uniformly_where_the_first_are_kept() -> None:
    """From below the first place is Poisson sampling; who is kept has not the uniform law."""
    kept = Capped(Fraction(2), Fraction(1, 2), 40, 20, 20, first_come=True)
    found, alone = (
        each(kept, Fraction(1), "remove") for each in (capped.delta_of_pairs, capped.delta)
    )
    assert found.low == alone.low
    with pytest.raises(AssertionError):
        capped._centres(kept, Fraction(-1), 1e-5, "both")


def test_poisson_sampling_is_refuted_by_others_that_contribute() -> None:
    """Others at −1 reach more than Poisson sampling has, and a cap beyond n is Poisson sampling."""
    run = {"epsilon": 0.3, "sigma": 1, "rate": 0.5, "steps": 20, "direction": "both"}
    poisson = enclosures.subsampled_delta(**{**run, "epsilon": 1, "sigma": 2})
    cut = enclosures.truncated_delta(**{**run, "epsilon": 1, "sigma": 2}, records=40, cap=20)
    assert bounds(cut)[0] > bounds(poisson)[1]
    single = {**run, "steps": 1}
    for witness in (enclosures, reference, fast):
        whole = witness.truncated_delta(**single, records=8, cap=8)
        assert float(whole) == pytest.approx(float(witness.subsampled_delta(**single)), rel=1e-9)


def test_just_below_the_largest_loss_of_an_added_record_something_is_lost() -> None:
    """At −ln(1 − q) δ is 0; the reference once said so 2^-55 below it too."""
    with mpmath.workprec(200):
        most = exact("most", -mpmath.log(mpmath.mpf(9) / 10))
    where: dict[str, Any] = {
        "sigma": Fraction(1, 10),
        "rate": Fraction(1, 10),
        "records": 50,
        "cap": 8,
    }
    where |= {"steps": 1, "direction": "add"}
    below, above = (most * (1 + Fraction(sign, 2**55)) for sign in (-1, 1))
    assert 0 < reference.truncated_delta(epsilon=below, **where) < 1e-16
    assert reference.truncated_delta(epsilon=above, **where) == 0
