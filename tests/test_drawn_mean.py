"""The mean over the drawn batch with noise of one scale (X.AVG.FIXED); rates computed from n."""

import itertools
import json
import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from flint import arb
from scipy import stats

import dporacle
from dporacle import claims, enclosures, risk
from dporacle.cli import main
from dporacle.enclosures.batches import drawn_mean
from dporacle.enclosures.batches.drawn_mean import DrawnMean
from dporacle.mechanisms.training import read_training
from dporacle.verdicts import Verdict

DELTA = Fraction("1e-5")
WAYS = {"both": "none", "zero-out": 0.0, "replace": -1.0}  # what stands in the record's place
MEAN = {"noise_multiplier": 4, "divisor": "drawn", "noise_divisor": 5, "sampling_rate": "0.1"}
MEAN |= {"dataset_size": 50, "steps": 20}
USED = {
    *("averaged-by-drawn", "poisson-sampling", "count-and-steps-fixed", "clipped"),
    *("others-apart", "batches-hidden", "every-sum-released"),
}
OF_RATE = {"noise_multiplier": 10, "batch_size": 500, "dataset_size": 50000, "steps": 1000}
OF_RATE |= {"rate_from_n": True}


def ids(found: Any) -> set[str]:
    return {each["id"] if isinstance(each, dict) else each.id for each in found}


def law(values: list[float], rate: float, width: float) -> list[tuple[float, float, float]]:
    """Return the normal laws of the mean over the drawn records, 0 where none is drawn."""
    found = []
    for drawn in itertools.product([0, 1], repeat=len(values)):
        chance = math.prod(rate if each else 1 - rate for each in drawn)
        total = sum(v for v, each in zip(values, drawn, strict=True) if each)
        found.append((chance, total / max(1, sum(drawn)), width))
    return found


def height(first: Any, second: Any, a: float) -> float:
    """Return ∫(p − aq)₊, by the midpoints of many cells: to about 1e-8."""
    reach = 1 + 9 * first[0][2]
    edges = np.linspace(-reach, reach, 40001)
    t, width = (edges[1:] + edges[:-1]) / 2, edges[1] - edges[0]
    p, q = (sum(w * stats.norm.pdf(t, m, s) for w, m, s in each) for each in (first, second))
    return float(np.maximum(p - a * q, 0).sum() * width)


def pair(values: list[float], own: float, other: Any, rate: float, width: float) -> Any:
    """Return the laws with the record, and without it or with what stands in its place."""
    rest = [] if other == "none" else [other]
    return law([*values, own], rate, width), law([*values, *rest], rate, width)


@pytest.mark.parametrize("adjacency", WAYS)
def test_no_small_data_set_is_worse_than_the_curve(adjacency: str) -> None:
    """Every subset of at most four records, whose contributions are the worst ones or any."""
    draw = random.Random(57)
    near = 0.0
    for number in range(7):
        n, rate = 2 + number % 3, Fraction(draw.randint(1, 9), 10)
        sigma, b = Fraction(draw.randint(5, 30), 10), Fraction(draw.randint(2, 30), 10)
        values = [draw.choice([-1.0, -1.0, draw.uniform(-1, 1)]) for _ in range(n - 1)]
        values = [-1.0] * (n - 1) if number == 0 else values
        laws = pair(values, 1.0, WAYS[adjacency], float(rate), float(sigma / b))
        curve = drawn_mean.labelled(DrawnMean(sigma, b, rate, n, 1), 1e-9, adjacency)
        for a in (0.4, 1.0, 1.0 + draw.random(), 3.0):
            most = float(curve.height(arb(a)) if a >= 1 else curve.below(arb(a)))
            found = height(*laws, a)
            assert found <= most + 1e-8
            near = max(near, found / most)
    assert near > 0.9


@pytest.mark.parametrize("adjacency", WAYS)
def test_what_is_reached_is_reached_by_others_at_the_other_end(adjacency: str) -> None:
    """Of three records, in one step: quadrature over all eight subsets."""
    steps = DrawnMean(Fraction(1), Fraction(2), Fraction(2, 5), 3, 1)
    low, high = drawn_mean.epsilon(steps, Fraction(1, 50), adjacency)
    assert high is not None
    laws = pair([-1.0, -1.0], 1.0, WAYS[adjacency], 0.4, 0.5)
    reached = max(height(*each, math.exp(float(low))) for each in (laws, laws[::-1]))
    assert 0.02 <= reached + 1e-9 < 0.0203
    assert low < high < 1.6 * low


def test_one_lattice_has_both_orders() -> None:
    steps = DrawnMean(Fraction(4), Fraction(5), Fraction(1, 10), 50, 20)
    found = {way: drawn_mean.epsilon(steps, DELTA, way) for way in ("remove", "add", "both")}
    assert found["both"] == tuple(map(max, zip(found["remove"], found["add"], strict=True)))
    assert found["add"][0] < found["remove"][0]
    rare = DrawnMean(Fraction(4), Fraction(5), Fraction(1, 10**8), 50, 20)
    assert drawn_mean.epsilon(rare, DELTA, "both") == (0, 0)


def test_with_little_noise_what_refutes_a_claim_is_known_all_the_same() -> None:
    """No lattice holds the upper end there: beside one other the losses are some thousand."""
    loud = MEAN | {"noise_multiplier": "0.01", "dataset_size": 3, "steps": 2}
    found = dporacle.dp_sgd_ends(**loud, delta="1e-5", neighbours="replace-one")
    assert found.low > 100
    assert found.high == math.inf
    run = {"kind": "dp-sgd", "sampling": "poisson", **loud}
    asked = {"kind": "privacy", "epsilon": 8, "delta": "1e-5", "neighbours": "replace-one"}
    told = claims.audit({"id": "it", "mechanism": run, "asserts": asked})
    assert told.verdict is Verdict.VIOLATED
    with pytest.raises(ArithmeticError, match="the upper end of epsilon is out of reach"):
        read_training(**loud, released="last-iterate").ends(DELTA, "replace-one")


def test_numbers_of_others_in_groups_are_ends_farther_out(monkeypatch: pytest.MonkeyPatch) -> None:
    steps = DrawnMean(Fraction(4), Fraction(5), Fraction(1, 10), 50, 2)
    fine = drawn_mean.epsilon(steps, DELTA, "remove")
    for name in ("_LABELS", "_PLACES"):
        monkeypatch.setattr(drawn_mean, name, 6)
    for cached in (drawn_mean._dominating, drawn_mean._reached):
        cached.cache_clear()
    low, high = drawn_mean.epsilon(steps, DELTA, "remove")
    for cached in (drawn_mean._dominating, drawn_mean._reached):
        cached.cache_clear()
    assert fine[1] is not None
    assert high is not None
    assert low < fine[0] < fine[1] < high


@pytest.mark.parametrize(("relation", "moved"), [("add-remove", 2), ("zero-out", 1)])
def test_of_all_records_the_mean_is_a_gaussian(relation: str, moved: int) -> None:
    run = {"noise_multiplier": 4, "sampling_rate": 1, "dataset_size": 10, "steps": 9}
    how = {"divisor": "drawn", "noise_divisor": 5, "neighbours": relation}
    found = dporacle.dp_sgd_ends(**run, **how, delta="1e-5")
    mu = 3 * moved * Fraction(5, 10) / 4  # √T times 2b/n or b/n, over σ
    value = float(enclosures.epsilon_at_delta(delta="1e-5", sigma=1 / mu))
    assert (found.low, found.high) == pytest.approx((value, value), rel=1e-12)
    assert "batches-hidden" not in ids(found.hypotheses)


def test_a_claim_about_the_mean_is_refuted_and_says_its_hypotheses() -> None:
    run = {"kind": "dp-sgd", "sampling": "poisson", **MEAN}
    asked = {"kind": "privacy", "delta": "1e-5", "neighbours": "add-remove"}
    found = claims.audit({"id": "it", "mechanism": run, "asserts": asked | {"epsilon": 1}})
    assert found.verdict is Verdict.VIOLATED
    assert "with a public divisor ε would be 0.429" in found.margin
    assert "in the opposite direction" in str(found.supposes)
    assert ids(found.hypotheses) == USED
    held = claims.audit({"id": "it", "mechanism": run, "asserts": asked | {"epsilon": 3}})
    assert (held.verdict, held.told) == (Verdict.HOLDS, "HOLDS")
    last = run | {"released": "last-iterate"}
    open_ = claims.audit({"id": "it", "mechanism": last, "asserts": asked | {"epsilon": 1}})
    assert open_.verdict is Verdict.UNDECIDED
    zeroed = read_training(**MEAN).hypotheses("zero-out")
    assert ids(zeroed) == USED | {"keeps-its-place"}


def test_a_rate_from_n_is_another_mechanism_though_the_divisor_is_public() -> None:
    asked = {"kind": "privacy", "epsilon": 2, "delta": "1e-5", "neighbours": "add-remove"}
    run = {"kind": "dp-sgd", "sampling": "poisson", "divisor": "public", **OF_RATE}
    found = claims.audit({"id": "it", "mechanism": run, "asserts": asked})
    assert found.verdict is Verdict.VIOLATED
    assert found.epsilon.low == pytest.approx(47.34744369, rel=3e-4)
    assert "with a rate that is public ε would be 0.0977" in found.margin
    assert found.supposes == (
        "all records may contribute the full clipping norm, in one direction at every step"
    )
    used = {"poisson-sampling", "steps-fixed", "rate-from-n", "every-sum-released"}
    assert ids(found.hypotheses) == used | {"divided-by-public"}
    noisy = read_training(**OF_RATE, divisor="noisy-count").hypotheses("add-remove")
    assert ids(noisy) == used | {"divided-by-noisy-count"}
    same = claims.audit({"id": "it", "mechanism": run | {"rate_from_n": False}, "asserts": asked})
    assert same.verdict is Verdict.HOLDS
    with pytest.raises(ValueError, match="rate_from_n must be absent for a curve"):
        risk.training(read_training(**OF_RATE))


@pytest.mark.parametrize(
    ("size", "relation", "says"),
    [
        (512, "add-remove", "1/98 with 49999 records, 1/98 with 50000 records, 1/98 with 50001"),
        (500, "replace-one", "1/100 with 50000 records"),
    ],
)
def test_where_both_data_sets_have_one_rate_nothing_changes(
    size: int, relation: str, says: str
) -> None:
    run = read_training(**OF_RATE | {"batch_size": size})
    plain = read_training(noise_multiplier=10, sampling_rate=run.sampling_rate, steps=1000)
    ends, same = (each.ends(DELTA, relation) for each in (run, plain))
    assert (ends.low, ends.high, ends.exact) == (same.low, same.high, True)
    assert ids(ends.hypotheses) ^ ids(same.hypotheses) == {
        *("rate-from-n-alike", "steps-fixed", "rate-and-steps-fixed")
    }
    (said,) = (each.says for each in ends.hypotheses if each.id == "rate-from-n-alike")
    assert f"the same one: {says}" in said


@pytest.mark.parametrize(
    ("given", "told"),
    [
        ({"noise_divisor": 3}, "noise_divisor must be given with divisor 'drawn' only"),
        ({"divisor": "drawn", "noise_divisor": 0}, "noise_divisor must be positive"),
        ({"divisor": "drawn", "noise_divisor": 3, "dimension": 2}, "dimension must be absent with"),
        ({"rate_from_n": True}, "batch_size must be given with rate_from_n"),
        ({"rate_from_n": 1}, "rate_from_n must be true or false, got 1"),
        ({"rate_from_n": True, "divisor": "drawn"}, "absent with divisor 'drawn': of both"),
        ({"rate_from_n": True, "sampling": "cyclic"}, "absent for sampling 'cyclic'"),
        ({"rate_from_n": True, "microbatches": 2}, "absent for a group or microbatches"),
    ],
)
def test_what_does_not_fit_is_refused(given: dict[str, Any], told: str) -> None:
    run = {"noise_multiplier": 1, "sampling_rate": "0.1", "steps": 9}
    size = {"dataset_size": 50} if given.get("divisor") == "drawn" else {}
    with pytest.raises((TypeError, ValueError), match=told):
        read_training(**{**run, **size, **given})


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("--rate-from-n --batch-size 5 --dataset-size 50 --compare", "has no --compare"),
        ("--divisor drawn --noise-divisor 5 --plot it.png", "have no --plot"),
        ("--rate-from-n --batch-size 5 --dataset-size 50 --digits 3", "--digits is for"),
        ("--divisor from-n --rate-from-n --batch-size 5 --dataset-size 50", "is so computed there"),
    ],
)
def test_options_that_do_not_fit_are_refused(words: str, told: str) -> None:
    asked = ["dp-sgd", "--noise-multiplier=1", "--steps=9", "--delta=1e-5", *words.split()]
    result = CliRunner().invoke(main, asked)
    assert result.exit_code == 2
    assert told in " ".join(result.output.split())


def test_the_command_says_what_it_was_asked() -> None:
    words = ["--noise-multiplier=4", "--divisor=drawn", "--noise-divisor=5", "--delta=1e-5"]
    words += ["--sampling-rate=0.1", "--dataset-size=50", "--steps=20", "--neighbours=zero-out"]
    result = CliRunner().invoke(main, ["dp-sgd", *words, "--json"])
    found = json.loads(result.output)
    assert found["input"]["noise_divisor"] == "5"
    low, high = map(float, found["epsilon"]["zero-out"])
    assert 1.80 < low < high < 2.17
    assert ids(found["hypotheses"]) == USED | {"keeps-its-place"}
