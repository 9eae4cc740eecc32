"""Claims over whole ranges: verdicts, words, strict reading."""

from fractions import Fraction

import pytest

from dporacle import audit, claims
from dporacle.claims import judge, report
from dporacle.enclosures import classical_epsilon_max
from dporacle.enclosures.arithmetic import rounding
from support.cases import table


def claim(name, epsilon, delta, **more):
    ranges = {
        field: {"from": low, "to": high}
        for field, (low, high) in (("epsilon", epsilon), ("delta", delta))
    }
    return {"id": "range", "asserts": {"kind": "formula-range", "name": name, **ranges, **more}}


@pytest.mark.parametrize(("name", "epsilon", "delta", "verdict"), table("verdicts"))
@pytest.mark.statement("X.CFMAX")
def test_verdicts(name, epsilon, delta, verdict):
    found = audit(claim(name, epsilon, delta))
    assert found.verdict == verdict
    if verdict == "HOLDS":
        assert found.margin == "private at every point of the range"
        assert (found.quantity, found.bound) == ("delta/claimed", 1)
    else:
        assert found.quantity == "delta"
        assert Fraction(found.low) > found.bound
        assert found.proof.startswith("counterexample at ε = ")
        assert "above what is claimed" in found.margin or "times what is" in found.margin
    assert judge.exit_status([found]) == (verdict == "VIOLATED")
    assert report.record(found)["certificate"]["claim"]["asserts"]["epsilon"].keys() == {
        "from",
        "to",
    }
    assert report.to_markdown([found])


def test_a_claim_at_the_boundary_ends():
    """ε up to the largest private ε, to 60 digits: balls of 128 bits do not decide it."""
    low, _ = rounding.bounds(classical_epsilon_max(delta=Fraction(1, 10**5), digits=60))
    found = audit(claim("classical", (1, low), (Fraction(1, 10**6), Fraction(1, 10**5))))
    assert found.verdict == "UNDECIDED"
    found = audit(claim("classical", (1, low), (Fraction(1, 10**5), Fraction(1, 10**5))))
    assert found.verdict == "UNDECIDED"
    assert found.reason == "1 boxes of the range are not decided"
    assert found.margin == "nothing is proved"


def test_a_file(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(
        """
        format = "dporacle-claims/1"
        [[claims]]
        id = "Dwork and Roth"
        [claims.asserts]
        kind = "formula-range"
        name = "classical"
        epsilon = {from = 0, to = 1}
        delta = {from = 0, to = 1}
        """
    )
    (found,) = claims.load(path).claims
    assert audit(found).verdict == "HOLDS"
    span = claims.schema()["$defs"]["Span"]
    assert set(span["properties"]) == {"from", "to"}
