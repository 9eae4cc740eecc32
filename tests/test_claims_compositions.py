"""The figures of a file of compositions, and a ledger of them all."""

from pathlib import Path

import pytest

from dporacle import claims
from dporacle.verdicts import Verdict

FILE = Path(__file__).parent / "data" / "compositions.toml"
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
