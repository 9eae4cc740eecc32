"""Training runs of every scheme in compositions: their ends alone, and no wrong side."""

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from flint import arb
from test_audit import Content, judged, privacy
from test_claims_selections import together

from dporacle import claims, enclosures
from dporacle.claims.convolution import bounds
from dporacle.claims.losses import LossLaw, PrivacyLoss
from dporacle.claims.mechanisms import Composition
from dporacle.claims.runs import BinsLoss, CurveLoss, MixtureLoss, _log_ratio, _root
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.batches import balls_and_bins, fixed_size
from dporacle.enclosures.batches.capped import Capped
from dporacle.enclosures.batches.fixed_size import Steps
from dporacle.enclosures.batches.scheme import Epochs
from dporacle.mechanisms.training import read_training
from dporacle.verdicts import Verdict
from support.truths.divergences import divergence
from support.truths.laws import normal as density

RUN: Content = {"kind": "dp-sgd", "noise_multiplier": 1, "sampling_rate": "0.1", "steps": 20,
                "divisor": "public"}  # fmt: skip
SCHEMES: dict[str, Content] = {
    "group": {"group": 3, "sampling": "poisson"},
    "user": {"records_per_user": 4, "group_cap": 2, "sampling": "poisson"},
    "microbatches": {"microbatches": 2, "sampling": "poisson"},
    "cyclic": {"sampling": "cyclic"},
    "fixed-size": {"sampling": "fixed-size"},
    "balls-and-bins": {"sampling": "balls-and-bins"},
    "random-allocation": {"sampling": "random-allocation", "participations": 2,
                          "sampling_rate": "0.2"},
    "truncated": {"sampling": "truncated", "batch_cap": 12, "dataset_size": 100, "kept": "uniform"},
    "shuffled": {"sampling": "shuffled"},
}  # fmt: skip
EXACT = {
    ("group", "add-remove"), ("user", "add-remove"), ("microbatches", "add-remove"),
    ("group", "replace-one"), ("user", "replace-one"), ("microbatches", "replace-one"),
    ("cyclic", "add-remove"), ("cyclic", "zero-out"), ("cyclic", "replace-one"),
    ("fixed-size", "add-remove"),
    ("balls-and-bins", "add-remove"), ("balls-and-bins", "zero-out"),
}  # fmt: skip
UNBOUNDED = {("shuffled", "add-remove")}


def of(content: Content) -> Composition:
    claim = {"id": "x", "mechanism": together(content), "asserts": privacy(1, "0.1")}
    mechanism = claims.make(claim).mechanism
    assert isinstance(mechanism, Composition)
    return mechanism


@pytest.mark.statement("X.RUNS")
@pytest.mark.parametrize("relation", ["add-remove", "zero-out", "replace-one"])
@pytest.mark.parametrize("name", SCHEMES)
def test_a_run_in_a_composition_has_the_ends_that_it_has_alone(name: str, relation: Any) -> None:
    """δ at the alone's lower end of ε is not below δ from above, and so on; exact where it is."""
    run = {**RUN, **SCHEMES[name]}
    fields = {k: v for k, v in run.items() if k not in {"kind", "records_per_user"}}
    group = run.get("records_per_user", run.get("group"))
    extent = of(run).extent(relation)
    assert extent.is_exact == (
        (name, relation) in EXACT or name in {"group", "user", "microbatches"}
    )
    assert (any(loss.leaks for loss in extent.most)) == ((name, relation) in UNBOUNDED)
    if name == "truncated":
        return  # its ends alone take seconds
    delta = Fraction(1, 100)
    alone = read_training(**{**fields, "group": group}).ends(delta, relation)
    low = judged(together(run), privacy(alone.low, delta, relation))
    assert float(low.high) >= 0.01 * (1 - 1e-9)
    if alone.high is not None:
        high = judged(together(run), privacy(alone.high, delta, relation))
        assert float(high.low) <= 0.01 * (1 + 1e-9)
        if extent.is_exact:
            assert float(high.low) >= 0.0094
            assert float(low.high) <= 0.0106


LAWS: list[LossLaw] = [
    MixtureLoss(
        ((Fraction(1), Fraction(1, 5)), (Fraction(1, 2), Fraction(1, 10))), Fraction(1), way
    )
    for way in ("remove", "add", "replace-one")
]
LAWS += [CurveLoss(Steps(Fraction(1), Fraction(1, 5), 1), "zero-out", w) for w in ("remove", "add")]
LAWS += [CurveLoss(Steps(Fraction(2), Fraction(1, 5), 1), "replace", "")]
CUT = Capped(Fraction(1), Fraction(1, 5), 20, 4, 1)
LAWS += [CurveLoss(CUT, "both", way) for way in ("remove", "add")]
LAWS += [CurveLoss(CUT, "zero-out", "remove"), CurveLoss(CUT, "replace", "")]
LAWS += [BinsLoss(Fraction(1), 8, way) for way in ("remove", "add")]


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{type(law).__name__}-{law.told_way()}")
@pytest.mark.parametrize("epsilon", ["0", "3/2"])
def test_the_grid_has_the_formula_of_one_release_between_its_ends(
    law: LossLaw, epsilon: str
) -> None:
    point = Fraction(epsilon)
    exact = float(law.delta_at_epsilon(epsilon=point, digits=12))
    below, above = bounds(PrivacyLoss(others={law: 1}), point, cells=48, bits=70)
    assert float(below) <= exact * (1 + 1e-9) + 1e-18
    assert exact * (1 - 1e-9) <= float(above) <= 1.02 * exact + 1e-9
    if not isinstance(law, CurveLoss):
        assert float(below) >= 0.95 * exact - 1e-9


def normal(x: float) -> float:
    return math.erfc(-x / math.sqrt(2)) / 2


@pytest.mark.parametrize("way", ["remove", "replace-one"])
def test_a_mixture_by_quadrature(way: Any) -> None:
    law = MixtureLoss(
        ((Fraction(1), Fraction(1, 5)), (Fraction(2), Fraction(1, 10))), Fraction(1), way
    )
    weights = {0.0: 0.7, 1.0: 0.2, 2.0: 0.1}
    step = 1e-3
    y = (np.arange(-9000, 12000) + 0.5) * step
    q = density(y)
    if way == "replace-one":
        q = sum(w * density(y, -c) for c, w in weights.items())
    total = divergence(sum(w * density(y, c) for c, w in weights.items()), q, math.exp(0.5), step)
    exact = float(law.delta_at_epsilon(epsilon=Fraction(1, 2), digits=12))
    assert exact == pytest.approx(total, rel=1e-5)


def test_a_group_of_one_is_one_record_and_bins_of_one_are_gaussian() -> None:
    one = {**RUN, "sampling": "poisson"}
    assert of({**one, "group": 1}).extent("add-remove") == of(one).extent("add-remove")
    run = {**RUN, "sampling": "balls-and-bins", "sampling_rate": 1, "steps": 3}
    assert of(run).extent("add-remove").most == (PrivacyLoss(Fraction(3)),)


@pytest.mark.parametrize("relation", ["add-remove", "replace-one"])
def test_a_group_beside_a_phase_of_all_records(relation: str) -> None:
    """As a schedule whose second phase has all records, which transforms decide."""
    phases = [
        {"noise_multiplier": 3, "sampling_rate": "0.1", "steps": 10},
        {"noise_multiplier": 6, "sampling_rate": 1, "steps": 1},
    ]
    whole = {"kind": "dp-sgd-schedule", "phases": phases, "group": 2, "divisor": "public"}
    parts = [{"kind": "dp-sgd", "group": 2, "divisor": "public", "sampling": "poisson", **each}
             for each in phases]  # fmt: skip
    exact = judged(whole, privacy(1, "0.5", relation))
    for mixed in (together(*parts), together(whole)):
        found = judged(mixed, privacy(1, exact.high, relation))
        assert float(found.low) <= float(exact.low) <= float(exact.high) <= float(found.high)
        assert float(found.high) <= 1.03 * float(found.low) + 1e-4


def test_releases_about_groups_and_about_one_record_are_not_composed() -> None:
    grouped, alone = {**RUN, "group": 2}, {"kind": "gaussian", "noise_multiplier": 1}
    for other in (alone, RUN, {**RUN, "group": 3}):
        with pytest.raises(ValueError, match="group must be the same in every release"):
            judged(together(grouped, other), privacy(1, "0.1"))


def test_a_run_that_is_cut_or_of_one_size_is_between_its_ends() -> None:
    """Beside a count: what is known from above only refutes nothing."""
    count = {"kind": "gaussian", "noise_multiplier": 4, "neighbours": "zero-out"}
    run = {**RUN, "sampling": "fixed-size"}
    low, high = (judged(together(run, count), privacy(2, delta, "zero-out"))
                 for delta in ("0.003", "0.1"))  # fmt: skip
    assert low.verdict is Verdict.UNDECIDED
    assert "from above there is a pair that dominates it" in low.reason
    assert high.verdict is Verdict.HOLDS
    steps = Steps(Fraction(1), Fraction(1, 10), 20)
    assert fixed_size.delta(steps, Fraction(2), "zero-out").low <= Fraction(high.high)


def test_a_replaced_record_of_bins_is_bounded_by_zeroing_out_twice() -> None:
    run = Epochs(Fraction(1), 100, 1)
    exact = balls_and_bins.delta(run, Fraction(1), "replace")
    law = BinsLoss(Fraction(1), 100, "replace-one")
    _, above = bounds(PrivacyLoss(others={law: 1}), Fraction(1), cells=24, bits=90)
    fixed = enclosures.delta_at_epsilon(epsilon=1, sigma=1, sensitivity=2, digits=9)
    assert exact.low <= Fraction(float(above)) < Fraction(float(fixed)) / 10


@pytest.mark.parametrize("mirrored", [False, True])
@pytest.mark.parametrize("y", ["0.3", "-0.7", "5", "-40", "300", "5000"])
def test_where_the_ratio_of_a_mixture_has_a_value_is_enclosed_however_far(
    y: str, *, mirrored: bool
) -> None:
    """The value is taken at a known place, which the search has to find again."""
    place = Fraction(y)
    with precision(400):
        law = [(arb(0), ball(Fraction(9, 10))), (ball(Fraction(1, 50)), ball(Fraction(1, 10)))]
        at = _log_ratio(law, ball(place))[0]
        if mirrored:
            at -= _log_ratio(law, -ball(place))[0]
    with precision(160):
        found = _root(law, at, mirrored=mirrored)
        assert found.contains(ball(place))
        assert found.rad() < 1e-20
