"""Every function of every witness at drawn inputs: nested balls, the reference in them, safe ends.

What the exploration does for hours, for a moment, with fixed seeds; and that it would notice.
"""

import dataclasses
import json
import math
import random
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest
from flint import arb

from dporacle import enclosures, fast, reference
from dporacle.claims import judge
from dporacle.dev.exploration.checks import _SAMPLED, _beyond_float64, check
from dporacle.dev.exploration.claims import KINDS, check_claim, draw_claim
from dporacle.dev.exploration.inputs import (
    CONTOURS,
    FEW_DIGITS,
    FEW_STEPS,
    FUNCTIONS,
    QUADRATURES,
    draw,
    parameters,
)
from dporacle.verdicts import Verdict
from dporacle.vocabulary import QUANTITIES
from support.cases import table

FOUND = Path(__file__).parents[1] / "data" / "found_by_exploration.jsonl"
SLOW = {name for name in FUNCTIONS if name.startswith("rank_one") or name.endswith("_threshold")}
SLOW |= {"discrete_calibrate_sigma", "discrete_accuracy", "loss_tail", "positive_part_risk"}
SLOW |= {name for name in FUNCTIONS if name.endswith(("_epsilon_max", "_boundary"))}


def test_every_quantity_is_explored():
    assert {row.function or row.name for row in QUANTITIES.values()} <= {*FUNCTIONS, *FEW_STEPS}
    # Other ways to what is explored.
    others = {"rank_one_delta_by_radius", "algorithm_1"} | FEW_STEPS | FEW_DIGITS
    assert set(reference.__all__) - set(FUNCTIONS) == others


def test_draws_of_dp_sgd_are_often_next_to_its_largest_loss():
    generator = random.Random(1)
    drawn = [draw(generator, "subsampled_delta") for _ in range(200)]
    left = [
        1 + each["epsilon"] / (each["steps"] * math.log1p(-each["rate"]))
        for each in drawn
        if each["direction"] == "add" and each["steps"] <= 10
    ]
    assert sum(0 < part < 0.1 for part in left) >= 20


ENDS = {name for name, row in QUANTITIES.items() if row.ends}


# Contour integrals take long at drawn inputs; tests of their own compare them at chosen ones.
# A ball between two proved ends is as wide as these are apart: the laws of the rows compare them.
@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - QUADRATURES - CONTOURS - ENDS))
def test_witnesses_agree_at_drawn_inputs(name):
    generator = random.Random(f"{name}")
    count = 1 if not parameters(name) else 2 if name in SLOW else 8
    for _ in range(count):
        where = draw(generator, name)
        found, why = check(name, where)
        assert found in ("checked", "refused", "no answer"), (where, why)


def test_the_safe_one_of_two_ends_is_what_witnesses_agree_on(monkeypatch):
    """Of random allocation no exact value is known: a wide ball is no finding, a low float64 is."""
    where = {"epsilon": 0.3, "sigma": 1.5, "batches": 4, "participations": 2, "direction": "add"}
    name = "random_allocation_delta"
    assert check(name, where) == ("checked", "")
    right = getattr(fast, name)
    monkeypatch.setattr(fast, name, lambda **given: right(**given) * 0.999)
    found, why = check(name, where)
    assert found == "finding"
    assert "float64" in why


@pytest.mark.parametrize("line", FOUND.read_text("utf-8").splitlines())
def test_what_exploration_found_stays_right(line):
    """Each was wrong once."""
    assert check(**json.loads(line)) == ("checked", "")


@pytest.mark.parametrize(
    ("dimension", "factor"),
    [(8318, 1.4744975261502247), (50, 3.0), (999, 1.6), (10**6, 1.31), (101, 1.301)],
)
def test_tail_of_the_loss_keeps_its_digits(dimension, factor):
    ball = enclosures.loss_tail(dimension=dimension, factor=factor)
    found = arb(fast.loss_tail(dimension=dimension, factor=factor))
    assert abs(found - ball) <= ball * arb(2) ** -40 or ball < 1e-290


def test_stated_accuracy_of_the_published_variance():
    where = {
        "epsilon": 3.828199e-316,
        "delta": 0.3404661574889881,
        "dimension": 2623837,
        "sensitivity": 0.00014025934063357874,
    }
    ball, found = enclosures.rank_one_sigma_star(**where), arb(fast.rank_one_sigma_star(**where))
    assert abs(found - ball) <= ball * 1e-13


@pytest.mark.parametrize("kind", KINDS)
def test_claims_are_decided_as_the_reference_says(kind):
    generator = random.Random(kind)
    found = Counter(check_claim(draw_claim(generator, kind))[0] for _ in range(25))
    assert set(found) <= {"checked", "refused", "no answer"}
    assert found["checked"] >= 10


@pytest.mark.parametrize("said", table("a_wrong_verdict_on_a_claim_is_noticed"))
def test_a_wrong_verdict_on_a_claim_is_noticed(monkeypatch, said):
    assert check_claim(said) == ("checked", "")
    right = judge.decide

    def wrong(claim):
        found = right(claim)
        other = Verdict.VIOLATED if found.verdict is Verdict.HOLDS else Verdict.HOLDS
        proof = "counterexample at ε = 1, δ = 0.1"
        return dataclasses.replace(found, verdict=other, proof=proof)

    monkeypatch.setattr(judge, "decide", wrong)
    assert check_claim(said)[0] == "finding"


def test_a_claim_about_an_enormous_epsilon_is_checked_with_the_digits_that_takes():
    said = {
        "kind": "formula-range",
        "name": "zcdp-conversion",
        "epsilon": {"from": 9.017298664723448e257, "to": 9.635178861479155e257},
        "delta": {"from": 2.1007100879431817e-12, "to": 6.946837852837819e-12},
    }
    assert check_claim(said) == ("checked", "")


def _answers(name, where):
    try:
        return math.isfinite(getattr(fast, name)(**where))
    except ValueError:
        return False


DP_SGD = sorted(name for name in FUNCTIONS if name.startswith(_SAMPLED) and hasattr(fast, name))


@pytest.mark.parametrize("name", DP_SGD)
def test_what_float64_takes_of_dp_sgd_is_what_may_be_asked_of_it(name):
    """A refusal within is a finding, and one outside is none; a fixed size has half the noise."""
    names = parameters(name).keys()
    half = 2 if name.startswith("fixed_size_") else 1
    usual = {"epsilon": 1.0, "delta": 1e-5, "alpha": 0.1, "prior": 0.5, "direction": "remove"}
    where = {each: value for each, value in usual.items() if each in names}
    one = {"sigma": 2.0, "rate": 0.01, "steps": 1}
    within = [{"sigma": half * each} for each in (0.1, 1e3)] + [{"rate": 1e-8}]
    outside = [{"sigma": half * each} for each in (0.0999, 1001.0)] + [{"rate": 0.99e-8}]
    if "sigma" not in names and "phases" not in names:  # σ is the answer, which is found within
        for fine, beyond in ((0.0999, True), (0.1001, False), (999.0, False), (1001.0, True)):
            given = where | {"rate": 0.01, "steps": 1}
            assert _beyond_float64(name, given, arb(half * fine)) is beyond, fine
        within, outside = [{"rate": 0.01}], [{"rate": 0.99e-8}]
    for settings, beyond in ((within, False), (outside, True)):
        for changed in settings:
            run = {key: value for key, value in (one | changed).items() if key in names}
            if "phases" in names:
                phase = tuple((one | changed).values())
                run = {"phases": [phase, tuple(one.values())]}
            given = where | run
            assert _beyond_float64(name, given, arb(half)) is beyond, given
            assert _answers(name, given) is not beyond, given


def _changed(witness, name, change):
    old = getattr(witness, name)
    return lambda **where: change(old(**where))


@pytest.mark.parametrize(
    ("witness", "change", "says"),
    [
        (reference, lambda value: value * (1 + 2.0**-50), "reference"),
        (fast, lambda value: value * (1 - 2.0**-40), "below"),
        (fast, lambda value: value * 1.01, "far"),
        (fast, lambda value: float("nan"), "NaN"),
        (fast, lambda value: float("inf"), "inf"),
        (enclosures, lambda ball: arb(ball.mid(), 1e-9), "wide"),
    ],
)
def test_a_wrong_witness_is_noticed(monkeypatch, witness, change, says):
    where = {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 1.0}
    assert check("calibrate_sigma", where) == ("checked", "")
    monkeypatch.setattr(witness, "calibrate_sigma", _changed(witness, "calibrate_sigma", change))
    found, why = check("calibrate_sigma", where)
    assert found == "finding"
    assert says in why


def test_one_end_of_a_ball_is_noticed(monkeypatch):
    """Balls of different width that each hold one end only do not meet."""

    def ends(ball):
        return arb(ball.mid() + 2 * ball.rad(), ball.rad())

    monkeypatch.setattr(
        enclosures, "calibrate_sigma", _changed(enclosures, "calibrate_sigma", ends)
    )
    where = {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 1.0}
    assert check("calibrate_sigma", where)[0] == "finding"


@pytest.mark.parametrize("name", sorted(FUNCTIONS))
def test_an_input_is_drawn_for_every_function(name):
    """Every special case of the drawing is met at some of these seeds."""
    for seed in range(60):
        assert draw(random.Random(seed), name).keys() == parameters(name).keys()


def test_the_command_counts():
    words = ["--minutes", "0", "--seed", "5", "--only", "rdp", "--only", "zcdp_rho"]
    found = subprocess.run(
        [sys.executable, "-m", "dporacle.dev.exploration", *words],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert found.returncode == 0, found.stdout
    assert "zcdp_rho" in found.stdout
    assert "all, seed 5" in found.stdout
