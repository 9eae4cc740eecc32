"""Every function of every witness at drawn inputs: nested balls, the reference in them, safe ends.

What the exploration does for hours, for a moment, with fixed seeds; and that it would notice.
"""

from __future__ import annotations

import dataclasses
import math
import random
import subprocess
import sys
from collections import Counter

import pytest
from flint import arb

from dporacle import enclosures, fast, reference
from dporacle.claims import judge
from dporacle.exploration.checks import check
from dporacle.exploration.claims import KINDS, check_claim, draw_claim
from dporacle.exploration.inputs import CONTOURS, FUNCTIONS, QUADRATURES, draw, parameters
from dporacle.verdicts import Verdict
from dporacle.vocabulary import QUANTITIES

SLOW = {name for name in FUNCTIONS if name.startswith("rank_one") or name.endswith("_threshold")}
SLOW |= {"discrete_calibrate_sigma", "discrete_accuracy", "loss_tail", "positive_part_risk"}
SLOW |= {name for name in FUNCTIONS if name.endswith(("_epsilon_max", "_boundary"))}


def test_every_quantity_is_explored():
    assert {row.function or row.name for row in QUANTITIES.values()} <= set(FUNCTIONS)
    # Other ways to what is explored.
    assert set(reference.__all__) - set(FUNCTIONS) == {"rank_one_delta_by_radius", "algorithm_1"}


def test_draws_of_dp_sgd_are_often_next_to_its_largest_loss():
    generator = random.Random(1)
    drawn = [draw(generator, "subsampled_delta") for _ in range(200)]
    left = [
        1 + each["epsilon"] / (each["steps"] * math.log1p(-each["rate"]))
        for each in drawn
        if each["direction"] == "add" and each["steps"] <= 10
    ]
    assert sum(0 < part < 0.1 for part in left) >= 20


# Contour integrals take long at drawn inputs; tests of their own compare them at chosen ones.
@pytest.mark.parametrize("name", sorted(set(FUNCTIONS) - QUADRATURES - CONTOURS))
def test_witnesses_agree_at_drawn_inputs(name):
    generator = random.Random(f"{name}")
    count = 1 if not parameters(name) else 2 if name in SLOW else 8
    for _ in range(count):
        where = draw(generator, name)
        found, why = check(name, where)
        assert found in ("checked", "refused", "no answer"), (where, why)


@pytest.mark.parametrize(
    ("name", "where"),
    [
        # Each was wrong once.
        ("rdp_delta", {"epsilon": 0.0, "mu": 1e-170}),
        ("rdp_delta", {"epsilon": 0.0, "mu": 1e-160}),
        ("rdp_delta", {"epsilon": 3.5718355977571093e-102, "mu": 5.54533938824163e129}),
        (
            "dwork_roth_sigma",
            {
                "epsilon": 4.997766741479731e-23,
                "delta": 6.979215024203777e-119,
                "sensitivity": 5e-324,
            },
        ),
        (
            "dwork_2006_sigma",
            {"epsilon": 5.496721651197727e-15, "delta": 0.7000214833830126, "sensitivity": 5e-324},
        ),
        ("composed_mu", {"sensitivities": [50.28412736796996], "sigmas": [1e-323]}),
        ("composed_mu", {"sensitivities": [9.765571554490424e-208], "sigmas": [8.0e209]}),
        ("zcdp_delta", {"epsilon": 5e-324, "mu": 5e-324}),
        ("rdp_delta", {"epsilon": 5e-324, "mu": 5e-324}),
        ("zcdp_delta", {"epsilon": 0.8896696871285017, "mu": 8.595614896982524e-165}),
        ("zcdp_delta", {"epsilon": 1.7070116948172427e243, "mu": 100.0}),
        (
            "rho_sigma",
            {"epsilon": 1.7976931348623157e308, "delta": 0.20341901963460474, "sensitivity": 1.0},
        ),
        (
            "vinterbo_sigma",
            {"epsilon": 5e-324, "delta": 2.4026658111478153e-103, "sensitivity": 3.1e-151},
        ),
        (
            "r1smg_expected_loss",
            {"epsilon": 64616187583.627686, "delta": 5e-324, "dimension": 3, "sensitivity": 5e-324},
        ),
        (
            "rank_one_sigma_star",
            {
                "epsilon": 5.380874935706182e173,
                "delta": 1.3307287059026326e-185,
                "dimension": 3,
                "sensitivity": 6.7063356348764965e-208,
            },
        ),
        ("bayes_risk", {"dimension": 93210, "prior_sigma": 2.38e261, "sigma": 1.76e-77}),
        ("positive_part_risk", {"dimension": 3, "norm": 2.3e39, "sigma": 1.1125369292536007e-308}),
        ("soft_threshold_coordinate_risk", {"mean": 1e300, "threshold": 1e300, "sigma": 1e-10}),
        ("repeated_mu", {"mu": 5e-324, "releases": 3}),
        ("repeated_sigma", {"epsilon": 1e9, "delta": 0.5, "releases": 9, "sensitivity": 1.7e308}),
        ("repeated_delta", {"epsilon": 0.0, "sigma": 5e-324, "releases": 2, "sensitivity": 5e-324}),
        (
            "discrete_delta_at_epsilon",
            {"epsilon": 5.2656145834278593e64, "sigma": 5e-324, "sensitivity": 2},
        ),
        (
            "discrete_delta_at_epsilon",
            {"epsilon": 58502629.35514382, "sigma": 0.429328303639871, "sensitivity": 4644},
        ),
        (
            "rank_one_inner_ball_delta",
            {
                "epsilon": 713.8018477323855,
                "sigma_star": 0.0020952823370917672,
                "dimension": 409,
                "ratio": 1.0000000000000002,
                "sensitivity": 2.7538332512057867e-41,
            },
        ),
        (
            "discrete_delta_at_epsilon",
            {"epsilon": 29588.28990650828, "sigma": 0.119212849102185, "sensitivity": 29},
        ),
        (
            "discrete_delta_at_epsilon",
            {"epsilon": 3.8002926108638538e115, "sigma": 3.257578001966701e-56, "sensitivity": 284},
        ),
        (
            "loss_upper_tail",
            {
                "epsilon": 1.7976931348623157e308,
                "sigma": 2.2250738585072014e-308,
                "sensitivity": 0.7,
            },
        ),
        ("group_delta_bound", {"epsilon": 400.0, "delta": 1e-300, "size": 3}),
        (
            "soft_threshold_coordinate_risk",
            {"mean": -0.2, "threshold": sys.float_info.max, "sigma": 4.598046139284048e306},
        ),
        (
            "soft_threshold_coordinate_risk",
            {
                "mean": -7.326375177936036e-92,
                "threshold": 5.4254365313682404e231,
                "sigma": 6.909122512629252e222,
            },
        ),
        ("soft_threshold_coordinate_risk", {"mean": 0.0, "threshold": 3.9e301, "sigma": 1e300}),
        (
            "rank_one_apollonius_delta",
            {
                "epsilon": 2.2250738585072014e-308,
                "sigma_star": 10.464651481632536,
                "dimension": 40073,
                "ratio": 1.1000000000000003,
                "sensitivity": 0.3,
            },
        ),
        (
            "laplace_gaussian_delta",
            {
                "epsilon": 8.06953086902159e118,
                "scale": 4.0574105640069674e276,
                "mu": 4.017345110647476e59,
                "sensitivity": 1.793662034335766e-43,
            },
        ),
        (
            "laplace_gaussian_delta",
            {
                "epsilon": 6.964571706435171e154,
                "scale": 7.02243745116761e292,
                "mu": 3.7321767642888804e77,
                "sensitivity": 7.719141676844662e-09,
            },
        ),
        (
            "subsampled_delta",
            {
                "epsilon": 0.8602813088726204,
                "sigma": 0.12812192660498428,
                "rate": 0.0012154713325954558,
                "steps": 3,
                "direction": "add",
            },
        ),
        (
            "discrete_calibrate_sigma",
            {"epsilon": 3.530017448385272e218, "delta": 0.5, "sensitivity": 6},
        ),
        ("rank_one_cotangent_tail", {"dimension": 140, "threshold": 2.2250738585072014e-308}),
        ("rank_one_cotangent_tail", {"dimension": 3, "threshold": 1e-60}),
        ("rank_one_cosecant_tail", {"dimension": 3, "threshold": 1.6155369970838964e149}),
        (
            "rank_one_loss_bound",
            {
                "radius": 4.1828561747751385e-177,
                "distance": 0.05,
                "sigma_star": 2.2250738585072014e-308,
                "sensitivity": 0.05,
            },
        ),
        (
            "laplace_repeated_delta",
            {"epsilon": 0.0, "scale": 10.838838774888803, "releases": 4, "sensitivity": 5e-324},
        ),
        (
            "laplace_rdp",
            {"order": 1.7976931348623157e308, "scale": 3.80950558599339e169, "sensitivity": 5e-324},
        ),
        ("laplace_rdp", {"order": 2.0, "scale": 1e300, "sensitivity": 1e-300}),
        ("repeated_zcdp_epsilon", {"delta": 0.001, "mu": 5e-324, "releases": 1721}),
        (
            "laplace_count_threshold",
            {"epsilon": 1.1125369292536007e-308, "delta": 0.4999999995343387, "contributions": 2},
        ),
        (
            "laplace_count_threshold",
            {"epsilon": 2.2250738585072014e-308, "delta": 0.5000000004656613, "contributions": 3},
        ),
        (
            "laplace_count_threshold",
            {"epsilon": 4.572755499597468e-35, "delta": 0.5, "contributions": 1},
        ),
        (
            "laplace_count_threshold",
            {"epsilon": 2.2250738585072014e-308, "delta": 0.999755859375, "contributions": 12},
        ),
        (
            "laplace_count_threshold",
            {"epsilon": 1.0947644252537633e-47, "delta": 0.49999999999999994, "contributions": 1},
        ),
        ("count_threshold", {"delta": 0.5, "sigma": 2.9408968419437865e115, "contributions": 1}),
        (
            "finite_loss_upper_tail",
            {
                "epsilon": 4.878644053361854e-255,
                "first": [2.1425886091628023e220, 2.1783084847373703e260],
                "second": [1.144106978595143e-278, 7.395442418441942e-187],
            },
        ),
        (
            "laplace_epsilon_at_delta",
            {
                "delta": 5.776622002767455e-275,
                "scale": 1.3207363278391631e269,
                "sensitivity": 1.52587890625e-05,
            },
        ),
    ],
)
def test_what_exploration_found_stays_right(name, where):
    assert check(name, where) == ("checked", "")


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


@pytest.mark.parametrize(
    "said",
    [
        {
            "kind": "formula-range",
            "name": "classical",
            "epsilon": {"from": 1, "to": 9},
            "delta": {"from": 1e-6, "to": 1e-5},
        },
        {
            "kind": "formula-range",
            "name": "dwork-2006",
            "epsilon": {"from": 0, "to": 6},
            "delta": {"from": 0, "to": 1},
        },
        {"kind": "inequality", "statement": "BW18.C1", "at": {"epsilon": 0.5, "delta": 1e-5}},
        {"kind": "inequality", "statement": "JL24.L2", "at": {"epsilon": 0.5, "delta": 1e-5}},
        {"kind": "inequality", "statement": "GN.L1", "at": {"error": 2.0, "sigma": 1.0}},
    ],
)
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


def test_the_command_counts():
    words = ["--minutes", "0", "--seed", "5", "--only", "rdp", "--only", "zcdp_rho"]
    found = subprocess.run(
        [sys.executable, "-m", "dporacle.exploration", *words],
        capture_output=True,
        text=True,
        timeout=100,
        check=False,
    )
    assert found.returncode == 0, found.stdout
    assert "zcdp_rho" in found.stdout
    assert "all, seed 5" in found.stdout
