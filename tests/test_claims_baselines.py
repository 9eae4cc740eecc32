"""What the case study compares with, as claims: matrix-variate noise and hierarchical trees."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import dporacle
from dporacle.claims.mechanisms import MECHANISMS
from dporacle.verdicts import Verdict
from dporacle.wings.papers.experiments import baselines

MATRIX = {
    "kind": "matrix-variate",
    "row_variances": [4, 9, 25],
    "column_variances": ["1/4", 16],
    "sensitivity": 1,
    "neighbours": "add-remove",
}
TREE = {
    "kind": "hierarchical-tree",
    "children": 4,
    "height": 3,
    "scale": 6,
    "sensitivity": 1,
    "neighbours": "add-remove",
}
few = settings(max_examples=30)


def audited(mechanism, asserts, **changes):
    return dporacle.audit(
        {"id": "claim", "mechanism": {**mechanism, **changes}, "asserts": asserts}
    )


def privacy(epsilon, delta, neighbours="add-remove"):
    return {"kind": "privacy", "epsilon": epsilon, "delta": delta, "neighbours": neighbours}


def loss(at_most, dimension):
    return {"kind": "loss", "at_most": at_most, "dimension": dimension}


@few
@given(epsilon=st.fractions(Fraction(1, 10), 4, max_denominator=20), seed=st.integers(0, 99))
@pytest.mark.statement("JL24.L3")
def test_a_matrix_is_as_private_as_its_least_direction(epsilon, seed):
    """min λ·min ψ = 1 here; the same verdict as a Gaussian release of σ = 1, larger ones or not."""
    rng = np.random.default_rng(seed)
    rows = [4, *(int(each) for each in rng.integers(4, 99, 3))]
    gaussian = {"kind": "gaussian", "sigma": 1, "sensitivity": 1, "neighbours": "add-remove"}
    for delta in ("0.01", "0.2"):
        claim = privacy(str(epsilon), delta)
        found = audited(MATRIX, claim, row_variances=rows)
        plain = audited(gaussian, claim)
        assert (found.verdict, found.low, found.high) == (plain.verdict, plain.low, plain.high)


@pytest.mark.parametrize("height", [1, 2, 3, 5])
def test_the_loss_of_a_tree_is_that_of_the_release(height):
    """The exact variance of a leaf is the one that the release of the case study has."""
    made = MECHANISMS["hierarchical-tree"](
        neighbours="add-remove",
        sensitivity=Fraction(1),
        scale=Fraction(3, 2),
        children=9,
        height=height,
    )
    tree = baselines.CountTree(branching=3, height=height, scale=1.5)
    exact = made.rational_loss(dimension=1)
    assert float(exact) == pytest.approx(baselines.hierarchical_variance(tree), rel=1e-13)
    claim = audited(TREE, loss(str(exact * 10), 10), children=9, height=height, scale="3/2")
    assert claim.verdict is Verdict.HOLDS
    below = audited(
        TREE,
        loss(str(exact * 10 * Fraction(999, 1000)), 10),
        children=9,
        height=height,
        scale="3/2",
    )
    assert below.verdict is Verdict.VIOLATED


@pytest.mark.parametrize("mechanism", [MATRIX, TREE], ids=lambda each: each["kind"])
def test_accuracy_is_refused_with_a_reason(mechanism):
    asserts = {"kind": "accuracy", "error": 1, "probability": "0.5"}
    with pytest.raises(ValueError, match=r"asserts must be privacy or loss|error|probability"):
        audited(mechanism, asserts)
