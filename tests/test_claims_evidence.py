"""Claims that an audit's counts support a bound: X.AUDIT, with every condition stated."""

import hashlib
import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dporacle import claims, enclosures, reference
from dporacle.claims import audit, report
from dporacle.claims.prose import paragraph
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.verdicts import Verdict
from support.files import module_at

tool = module_at(Path(__file__).parents[1] / "tools" / "check_any_certificate.py")

COUNTS = {"false_positives": 5, "negatives": 1000, "false_negatives": 100, "positives": 1000}
RUN = {"guesses": 100, "correct": 100, "canaries": 1000}
EVIDENCE: dict[str, dict[str, Any]] = {
    "counts": {**COUNTS, "fixed_beforehand": True, "independent_runs": True, "tried": 1},
    "joint-counts": {
        **COUNTS,
        "fixed_beforehand": True,
        "independent_runs": True,
        "independent_sorts": True,
        "tried": 1,
    },
    "one-run": {**RUN, "fixed_beforehand": True, "fair_coins": True, "tried": 1},
    "monte-carlo": {
        "orders": [{"heads": 3, "draws": 10**6}],
        "fixed_beforehand": True,
        "independent_draws": True,
        "tried": 1,
    },
}
GAUSSIAN = {"kind": "gaussian", "sigma": 1, "sensitivity": 1, "neighbours": "add-remove"}
FLAGS = (
    "fixed_beforehand",
    "independent_runs",
    "independent_sorts",
    "fair_coins",
    "independent_draws",
)


def claimed(kind: str, asserts: dict[str, Any] | None = None, **changed: Any) -> dict[str, Any]:
    said = {"kind": "lower-bound", "epsilon": 3, "delta": "1e-5", "confidence": "0.95"}
    evidence = {"kind": kind, **EVIDENCE[kind], **changed}
    return {"id": "x", "evidence": evidence, "asserts": said | (asserts or {})}


@pytest.mark.parametrize("kind", ["counts", "one-run"])
@pytest.mark.parametrize("tried", [1, 40])
@pytest.mark.statement("X.AUDIT.COUNTS")
@pytest.mark.statement("X.AUDIT.ONERUN")
def test_a_bound_holds_up_to_what_the_counts_support(kind: str, tried: int) -> None:
    """α is shared over the tests that were tried."""
    function = enclosures.audit_epsilon if kind == "counts" else enclosures.one_run_epsilon
    given = COUNTS if kind == "counts" else RUN
    alpha = Fraction(1, 20) / tried
    low, high = bounds(function(**given, alpha=alpha, delta="1e-5", digits=30))
    for epsilon, verdict in ((low, Verdict.HOLDS), (high + low / 10**9, Verdict.VIOLATED)):
        found = audit(claimed(kind, {"epsilon": epsilon}, tried=tried))
        assert found.verdict is verdict
        assert found.bound == alpha
        assert found.told.startswith(
            "HOLDS if this is none of the audits that mislead (at most 0.05 of all)"
            if verdict is Verdict.HOLDS
            else "VIOLATED"
        )
        assert ("say nothing against it" in found.margin) == (verdict is Verdict.VIOLATED)
        assert "proved" in found.hypotheses[-1].says
        assert any("share" in each.says for each in found.hypotheses[:-1]) == (tried > 1)


def joint_of(counts: tuple[int, ...], epsilon: Any, tried: int, confidence: str) -> Any:
    names = ("false_positives", "negatives", "false_negatives", "positives")
    said = {"epsilon": epsilon, "confidence": confidence}
    return audit(
        claimed("joint-counts", said, **dict(zip(names, counts, strict=True)), tried=tried)
    )


@pytest.mark.parametrize("tried", [1, 20])
@pytest.mark.parametrize("counts", [(5, 1000, 100, 1000), (0, 1000, 0, 1000), (20, 60, 11, 40)])
@pytest.mark.statement("X.AUDIT.JOINT")
def test_both_rates_at_once_support_what_their_p_value_says(
    counts: tuple[int, ...], tried: int
) -> None:
    """The ε that is printed is where the reference's p-value is α, to its last digit."""
    found = joint_of(counts, 1, tried, "0.95")
    printed = found.margin.partition("ε ≥ ")[2].split(" ")[0]
    alpha, names = Fraction(1, 20) / tried, ("false_positives", "negatives", "false_negatives")
    given = dict(zip((*names, "positives"), counts, strict=True)) | {"delta": "1e-5", "digits": 30}
    step = Fraction(10) ** (-5 if Fraction(printed) > 1 else -6)
    for epsilon, verdict in (
        (Fraction(printed), Verdict.HOLDS),
        (Fraction(printed) + step, Verdict.VIOLATED),
    ):
        p_value = reference.audit_joint_p_value(**given, epsilon=epsilon)
        assert (p_value <= float(alpha)) == (verdict is Verdict.HOLDS)
        judged = joint_of(counts, epsilon, tried, "0.95")
        assert (judged.verdict, judged.bound) == (verdict, alpha)
    assert found.hypotheses[0].id == "joint-counted-runs"


def test_both_rates_at_once_that_hardly_refute_zero() -> None:
    """The p-value is flat in ln ε there: at ε = 0 it is next to α, on either side."""
    counts = (20, 60, 11, 40)
    names = ("false_positives", "negatives", "false_negatives", "positives")
    given = dict(zip(names, counts, strict=True)) | {"epsilon": 0, "delta": "1e-5"}
    at_zero = bounds(enclosures.audit_joint_p_value(**given, digits=20))[1]
    for share, least in ((Fraction(1, 10**6), 0), (-Fraction(1, 10**6), -1)):
        found = joint_of(counts, 1, 1, str(1 - at_zero * (1 + share)))
        assert found.verdict is Verdict.VIOLATED
        epsilon = Fraction(found.margin.partition("ε ≥ ")[2].split(" ")[0])
        assert least < epsilon < Fraction(1, 10**5)
        assert bool(epsilon) == (share > 0)


@pytest.mark.statement("X.AUDIT.DRAWS")
@pytest.mark.parametrize("kind", ["counts", "joint-counts", "one-run"])
def test_no_counts_support_an_endless_epsilon(kind: str) -> None:
    """A ball of e^ε had no digit at ε = 1e308: out of reach, and one run crashed."""
    assert audit(claimed(kind, {"epsilon": 10**308})).verdict is Verdict.VIOLATED


def test_draws_bound_a_delta_on_both_sides() -> None:
    upper = {"kind": "upper-bound", "epsilon": 2, "confidence": "0.999"}
    kept = {"delta": "1.31e-5"}
    assert audit(claimed("monte-carlo", upper | kept)).verdict is Verdict.HOLDS
    assert audit(claimed("monte-carlo", upper | {"delta": "1.3e-5"})).verdict is Verdict.VIOLATED
    worse = [{"heads": 3, "draws": 10**6}, {"heads": 4, "draws": 10**6}]
    assert audit(claimed("monte-carlo", upper | kept, orders=worse)).verdict is Verdict.VIOLATED
    # From below a second order halves α: P[W ≥ 3] at 6e-7 is 0.023, and 3.1e-7 has 0.0038.
    for delta, orders, verdict in (
        ("6e-7", 1, Verdict.HOLDS),
        ("8e-7", 1, Verdict.HOLDS),
        ("8e-7", 2, Verdict.VIOLATED),
        ("9e-7", 1, Verdict.VIOLATED),
    ):
        drawn = [{"heads": 3, "draws": 10**6}, {"heads": 0, "draws": 10**6}][:orders]
        found = audit(claimed("monte-carlo", {"delta": delta}, orders=drawn))
        assert found.verdict is verdict, (delta, orders)


@pytest.mark.parametrize("kind", EVIDENCE)
def test_every_condition_is_stated_and_true(kind: str) -> None:
    for name in EVIDENCE[kind]:
        content = claimed(kind)
        del content["evidence"][name]
        with pytest.raises(ValueError, match=name):
            audit(content)
        if name in FLAGS:
            with pytest.raises(ValueError, match=f"{name} must be true, got false: "):
                audit(claimed(kind, **{name: False}))
    with pytest.raises(ValueError, match="tried"):
        audit(claimed(kind, tried=0))


@pytest.mark.parametrize(
    ("content", "named"),
    [
        (claimed("counts", false_positives=1001), "false_positives must be at most negatives"),
        (claimed("counts", false_negatives=1001), "false_negatives must be at most positives"),
        (claimed("one-run", correct=101), "correct must be at most guesses"),
        (claimed("one-run", canaries=99), "guesses must be at most canaries"),
        (claimed("one-run", guesses=-1), "guesses: must be a whole number, at least 0, got -1"),
        (
            claimed("one-run", guesses=10**6 + 1, canaries=10**7),
            "guesses: must be a whole number, at most 1000000, got 1000001",
        ),
        (claimed("monte-carlo", orders=[{"heads": 4, "draws": 3}]), "heads must be at most draws"),
        (claimed("counts", {"confidence": 1}), "confidence must be at least 1/2 and below 1"),
        (claimed("counts", {"confidence": "0.05"}), "confidence must be at least 1/2"),
        (claimed("counts", {"delta": 1}), "delta must be below 1"),
        (claimed("counts", {"kind": "upper-bound"}), "an attack bounds nothing from above"),
        (
            claimed("counts", {"kind": "privacy", "neighbours": "add-remove"}),
            "confidence|evidence must be absent",
        ),
        ({"id": "x", "asserts": claimed("counts")["asserts"]}, "evidence is missing"),
        (claimed("counts") | {"mechanism": GAUSSIAN}, "mechanism must be absent"),
    ],
)
def test_what_is_no_evidence_is_refused(content: dict[str, Any], named: str) -> None:
    with pytest.raises(ValueError, match=named):
        audit(content)


@pytest.mark.parametrize("kind", EVIDENCE)
@pytest.mark.parametrize("epsilon", [3, 5])
def test_the_program_for_all_certificates_confirms_it(kind: str, epsilon: int) -> None:
    """By incomplete beta functions; and it notices a rate that was not shared."""
    record = claims.certificate(audit(claimed(kind, {"epsilon": epsilon}, tried=2)))
    text = json.dumps(record)
    assert tool.check(text).startswith(record["verdict"])
    forged = {name: value for name, value in record.items() if name != "sha256"}
    forged["bound"] = "1/20"
    packed = json.dumps(forged, sort_keys=True, separators=(",", ":")).encode()
    forged["sha256"] = hashlib.sha256(packed).hexdigest()
    with pytest.raises(ValueError, match="the bound is not the rate of one test"):
        tool.check(json.dumps(forged))


def test_a_bound_that_counts_support_is_said_as_such() -> None:
    """In a report, in JSON and in a certificate, which says who cannot check it."""
    found = audit(claimed("counts"))
    text = paragraph(found)
    assert "has, by these counts with confidence 0.95, an ε of at least 3" in text
    assert "supported with confidence 0.95, not proved" in text
    for kind in ("counts", "joint-counts"):
        assert "runs with the record: 1000" in paragraph(audit(claimed(kind)))
    record = json.loads(report.to_json([found]))["verdicts"][0]
    assert record["quantity"] == "p-value"
    assert record["certificate"]["standalone"] == "no: it has no tails of binomial laws"
    assert claims.make(record["certificate"]["claim"]) == found.claim
    assert "ideal noise" not in str(found)
