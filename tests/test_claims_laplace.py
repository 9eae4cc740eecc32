"""Claims about Laplace noise: privacy, pure and approximate, accuracy and loss."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dporacle
from dporacle.verdicts import Verdict

pytestmark = pytest.mark.statement("X.LAP")

ONE = {"kind": "laplace", "scale": 2, "sensitivity": 1, "neighbours": "add-remove"}


def audited(asserts, **mechanism):
    return dporacle.audit({"id": "claim", "mechanism": {**ONE, **mechanism}, "asserts": asserts})


def privacy(epsilon, delta, neighbours="add-remove"):
    return {"kind": "privacy", "epsilon": epsilon, "delta": delta, "neighbours": neighbours}


def test_replacing_a_record_takes_twice_the_sensitivity():
    assert audited(privacy(1, 0, "replace-one")).verdict is Verdict.HOLDS
    assert audited(privacy(1, 0, "replace-one"), scale=1).verdict is Verdict.UNDECIDED


def test_the_least_scale_is_named():
    found = audited(privacy("0.25", 0))
    assert found.limit == "scale = 4 would do"
    assert "ε-DP for an ε of at least 0.5" in found.margin


@settings(max_examples=60)
@given(
    epsilon=st.fractions(0, 5, max_denominator=100),
    delta=st.fractions(Fraction(1, 1000), Fraction(9, 10), max_denominator=1000),
    scale=st.fractions(Fraction(1, 10), 20, max_denominator=100),
)
def test_the_verdict_is_that_of_the_formula(epsilon, delta, scale):
    exact = 1 - math.exp(min(0.0, float((epsilon - 1 / scale) / 2)))
    if abs(exact - delta) > 1e-9:
        verdict = Verdict.HOLDS if exact < delta else Verdict.VIOLATED
        assert audited(privacy(epsilon, delta), scale=scale).verdict is verdict


def test_accuracy_and_loss_are_decided():
    error = {"kind": "accuracy", "at_most": 6, "alpha": "0.05"}  # e^{−3} = 0.0498
    assert audited(error).verdict is Verdict.HOLDS
    assert audited({**error, "at_most": "5.99"}).verdict is Verdict.VIOLATED
    loss = {"kind": "loss", "at_most": 24, "dimension": 3}
    assert audited(loss).verdict is Verdict.HOLDS
    assert audited({**loss, "at_most": "23.9"}).verdict is Verdict.VIOLATED
