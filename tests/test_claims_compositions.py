"""The figures of a file of compositions, and a ledger of them all."""

import time
from pathlib import Path
from typing import Any

import pytest

from dporacle import claims
from dporacle.verdicts import Verdict
from support.files import module_at

ROOT = Path(__file__).parents[1]
LAWS = module_at(ROOT / "examples" / "attack_ledgers.py")
"""Small finite mechanisms, with which ledgers are attacked."""
FILE = ROOT / "tests" / "data" / "compositions.toml"
EXAMPLES = claims.load(ROOT / "examples" / "compositions.toml").claims
NEAR = {
    "exactly": (1e-14, 1e-14),
    "below": (1e-6, 0.07),
    "above": (0.1, 3e-4),
    "between": (2e-3, 0.1),
}
"""How far the lower and the upper end may be from a figure, relatively."""


@pytest.mark.parametrize("claim", claims.load(FILE).claims, ids=lambda claim: claim.id)
def test_figures(claim: claims.Claim) -> None:
    how, figure = claim.source.split()
    found = claims.audit(claim)
    low, high, exact = float(found.low), float(found.high), float(figure)
    assert low <= exact * (1 + 1e-14)
    assert high >= exact * (1 - 1e-14)
    assert low >= exact * (1 - NEAR[how][0])
    assert high <= exact * (1 + NEAR[how][1])
    assert found.verdict is Verdict.HOLDS
    assert found.hypotheses


def test_a_ledger_in_few_words() -> None:
    """A release without a relation has that of the claim, and the verdict says so."""
    releases = [
        {"kind": "exponential", "epsilon": "0.1", "times": 20, "adaptive": True},
        {"kind": "permute-and-flip", "epsilon": "0.2", "times": 3},
        {"kind": "randomised-response", "epsilon": "0.5", "kinds": 4, "times": 2},
        {"kind": "black-box", "epsilon": "0.5", "delta": "1e-7"},
        {"kind": "gaussian", "noise_multiplier": 2, "times": 4},
        {"kind": "dp-sgd", "noise_multiplier": 1, "sampling_rate": "0.01", "steps": 30},
    ]
    mechanism = {"kind": "composition", "records": "same", "releases": releases}
    asserts = {"kind": "privacy", "epsilon": 9, "delta": "1e-5", "neighbours": "replace-one"}
    found = claims.audit({"id": "x", "mechanism": mechanism, "asserts": asserts})
    assert found.verdict is Verdict.HOLDS
    for said in ("made once", "without a relation are for replace-one", "Poisson"):
        assert said in found.told


SHOWN = {  # claim of examples/compositions.toml -> verdict, and both ends
    "10 reports of 2 values": ("HOLDS", 0.145466446441117, 0.145466446441117),
    "5 reports of 4 values": ("HOLDS", 0.6451177286734756, 0.6451177286734756),
    "5 RAPPOR reports": ("HOLDS", 0.6198918013789539, 0.6198918013789539),
    "12 boxes, whatever they are": ("HOLDS", 0.07992370421465963, 0.07992370421465963),
    "13 boxes, whatever they are": ("HOLDS", 0.05597916033830564, 0.05597916033830564),
    "2 selections": ("HOLDS", 0.057005, 0.057034),
    "10 selections": ("UNDECIDED", 0.0168165, 0.0177461),
    "10 selections, adaptive": ("VIOLATED", 0.0176630, 0.0177461),
    "20 selections": ("UNDECIDED", 0.0156179, 0.0162729),
    "100 selections": ("UNDECIDED", 3.9327e-4, 4.0433e-4),
    "100 selections and Gaussian answers, holds": ("HOLDS", 0, 1e-5),
    "100 selections and Gaussian answers, fails": ("VIOLATED", 1e-5, 1.06e-5),
    "10 selections and Gaussian answers": ("HOLDS", 0, 1e-5),
    "permute-and-flip": ("HOLDS", 0.2211992169285951, 0.2211992169285951),
    "10 times permute-and-flip": ("UNDECIDED", 0.2799, 0.3320),
    "noisy max of two candidates": ("HOLDS", 0.0572378106731173, 0.0572378106731173),
    "above threshold, three positives": ("HOLDS", 0, 0),
    "DP-SGD beside a count": ("HOLDS", 0, 1e-5),
}


@pytest.mark.parametrize("claim", EXAMPLES, ids=lambda claim: claim.id)
def test_figures_that_are_shown(claim: claims.Claim) -> None:
    """Each within the ends that were computed in other ways, in two seconds at most."""
    verdict, low, high = SHOWN[claim.id]
    start = time.process_time()
    found = claims.audit(claim)
    assert time.process_time() - start < 2
    assert found.verdict.name == verdict
    assert float(found.low) >= low * (1 - 1e-12)
    assert float(found.high) <= high * (1 + 1e-12)


def test_the_curves_of_the_picture_lie_in_their_order() -> None:
    curves = module_at(ROOT / "tools" / "draw_selections.py").curves((5,))
    values = [value for (value,) in curves.values()]
    assert values == sorted(values, reverse=True)
    assert values[2] < 0.999 * values[0]


@pytest.mark.parametrize(
    "part",
    [
        {"kind": "black-box", "epsilon": "1e308", "delta": 0, "times": 1},
        {"kind": "exponential", "epsilon": "1e308", "times": 10},
        {"kind": "laplace", "scale": "1e-308", "sensitivity": 1},
    ],
)
def test_a_loss_beyond_the_floats_is_named(part: dict[str, Any]) -> None:
    """A verdict once said "math range error"."""
    parts = [part, {"kind": "gaussian", "noise_multiplier": 1, "times": 1}]
    releases = [{**each, "neighbours": "replace-one"} for each in parts]
    mechanism = {"kind": "composition", "records": "same", "times": 1, "releases": releases}
    said = {"kind": "privacy", "epsilon": 1, "delta": "1e-5", "neighbours": "replace-one"}
    found = claims.audit({"id": "x", "mechanism": mechanism, "asserts": said})
    assert found.verdict is Verdict.UNDECIDED
    assert "a loss of 1e+308 is above 2000" in found.decided.reason


def test_an_attack_finds_no_end_on_the_wrong_side() -> None:
    """Of 500 random ledgers none was; these are the first of them."""
    found = [LAWS.attack(seed, 10) for seed in range(6)]
    assert any(reached > 0.9 * high > 0 for _, high, reached in found)
