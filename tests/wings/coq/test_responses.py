"""Boxes and reports: the theorem says what the claim says, and is proved or refused in a word.

Nothing here needs Coq; that its kernel takes these theorems stands in `test_kernel.py`.
"""

import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from dporacle import claims
from dporacle.verdicts import Verdict
from dporacle.wings.coq import writing
from dporacle.wings.coq.propositions import NotCoveredError, Proposition
from dporacle.wings.coq.statements import Evidence, proposition_of
from support.files import module_at
from support.truths.divergences import divergence, product

reading = module_at(Path(__file__).with_name("reading.py"), "coq_reading")

BOX = {"kind": "black-box", "epsilon": "0.5", "delta": "1e-6"}
MOVED = {**BOX, "neighbours": "add-remove"}
REPORT = {"kind": "randomised-response", "epsilon": "3/2", "kinds": 4}


def together(*releases: dict[str, Any], **more: Any) -> dict[str, Any]:
    return {"kind": "composition", "records": "same", "times": 1, "releases": releases} | more


TWENTY = together({**BOX, "times": 3}, BOX, times=5)


def claim(about: dict[str, Any], epsilon: str, delta: str, *, every: bool = False) -> claims.Claim:
    said = {"epsilon": epsilon, "delta": delta}
    if every:
        said = {"kind": "conversion", "given": about, **said}
        return claims.make({"id": "any", "asserts": said})
    said |= {"kind": "privacy", "neighbours": "replace-one"}
    return claims.make({"id": "any", "mechanism": about, "asserts": said})


def proposition(asked: claims.Claim, *, holds: bool) -> Proposition:
    found = proposition_of(writing.exact_data(asked), Evidence(holds))
    assert isinstance(found, Proposition)
    return found


@pytest.mark.parametrize(
    ("about", "every", "holds", "name", "before"),
    [
        ({**BOX, "times": 10}, True, False, "boxes_dp", ["1/2", "1e-6", "10"]),
        ({**BOX, "times": 10}, False, True, "boxes_dp", ["1/2", "1e-6", "10"]),
        (BOX, True, True, "boxes_dp", ["1/2", "1e-6", "1"]),
        (TWENTY, True, False, "boxes_dp", ["1/2", "1e-6", "20"]),
        (together(BOX, BOX, records="unknown"), True, True, "boxes_dp", ["1/2", "1e-6", "2"]),
        ({**REPORT, "times": 7}, False, False, "reports_dp", ["3/2", "4", "7"]),
        (together({**REPORT, "times": 7}, times=2), False, True, "reports_dp", ["3/2", "4", "14"]),
    ],
)
def test_statement(about: Any, every: bool, holds: bool, name: str, before: list[str]) -> None:
    found = proposition(claim(about, "2.5", "1e-3", every=every), holds=holds)
    text = found.text if holds else found.negated()
    tree = reading.parse(text.replace("%nat", ""))
    if not holds:
        assert tree.name == "~"
        tree = tree.parts[0]
    assert tree.name == name
    expected = [*map(Fraction, before), Fraction("2.5"), Fraction("1e-3")]
    assert [reading.exact(part) for part in tree.parts] == expected


@pytest.mark.statement("X.BOXES")
@pytest.mark.statement("X.REPORTS")
@pytest.mark.parametrize("epsilon", [0, 1, 2])
@pytest.mark.parametrize("about", [BOX, {**BOX, "delta": "0.1"}, REPORT, {**REPORT, "kinds": 2}])
def test_price_by_all_outputs(about: dict[str, Any], epsilon: int) -> None:
    """What chooses the precision is δ(ε): three releases, by a sum over all of their outputs."""
    power, leak = math.exp(Fraction(about["epsilon"])), float(Fraction(about.get("delta", 0)))
    whole = power + about.get("kinds", 2) - 1
    p = [power / whole, 1 / whole] + [1 / whole] * (about.get("kinds", 2) - 2)
    q = [p[1], p[0], *p[2:]]
    one = ([leak, 0, *((1 - leak) * x for x in p)], [0, leak, *((1 - leak) * x for x in q)])
    expected = divergence(*product(one, one, one), math.exp(epsilon))
    box = about["kind"] == "black-box"
    found = proposition(claim({**about, "times": 3}, str(epsilon), "0.5", every=box), holds=False)
    assert float(found.gap[0].value()) == pytest.approx(float(expected), rel=1e-12)


def test_near_ties_have_more_bits_and_equality_another_proof() -> None:
    """δ(2) of ten boxes with ε₀ = 1/2 and δ₀ = 0 is 0.145466446441117…"""
    pure = {**BOX, "delta": 0, "times": 10}
    bits = []
    for delta, holds in (("0.1454664464412", True), ("0.1454664464411", False), ("0.2", True)):
        asked = claim(pure, "2", delta, every=True)
        found = proposition(asked, holds=holds)
        assert claims.audit(asked).verdict is (Verdict.HOLDS if holds else Verdict.VIOLATED)
        assert (found.gap[0].value() <= found.gap[1].value()) is holds
        assert found.proof() == f"by_losses {found.hints()[0]}%positive."
        bits.append(found.hints()[0])
    assert min(bits[:2]) > bits[2] + 30
    for about, every, epsilon, delta in (
        ({**BOX, "delta": "0.1", "times": 2}, True, "1", "0.19"),
        ({**REPORT, "times": 3}, False, "4.5", "0"),
    ):
        found = proposition(claim(about, epsilon, delta, every=every), holds=True)
        assert found.proof() == "by_largest_loss."
        more = proposition(claim(about, epsilon, "0.2", every=every), holds=True)
        assert more.proof().startswith("by_losses ")
    certain = proposition(claim({**BOX, "delta": 1}, "0.1", "1", every=True), holds=True)
    assert certain.proof() == "by_losses 40%positive."
    beside = proposition(
        claim({**BOX, "delta": 1}, "0.1", "0." + "9" * 30, every=True), holds=False
    )
    assert beside.hints()[0] > 100


@pytest.mark.parametrize(
    ("about", "every", "holds", "words"),
    [
        (together(BOX, REPORT), True, True, "several kinds"),
        (together(BOX, {**BOX, "epsilon": "0.4"}), True, True, "several parameters"),
        (together(REPORT, {**REPORT, "kinds": 3}), False, False, "several parameters"),
        (together(REPORT, {"kind": "rappor", "epsilon": 1}), False, True, "kind rappor"),
        (together(REPORT, together(REPORT)), False, True, "kind composition"),
        (together(REPORT, REPORT, records="unknown"), False, False, "not all be about one record"),
        (together(MOVED, MOVED, records="disjoint"), True, True, "disjoint"),
        ({"kind": "black-box", "rho": 1}, True, True, "only ρ is known"),
        (BOX, False, False, "better than their parameters"),
        ({**REPORT, "times": 501}, False, True, "more than 500"),
        ({**REPORT, "epsilon": "50001", "times": 2}, False, False, "loss may be above 100000"),
        ({"kind": "rappor", "epsilon": 1}, False, True, "kind rappor"),
    ],
)
def test_what_is_not_covered_says_so(
    about: dict[str, Any], every: bool, holds: bool, words: str
) -> None:
    with pytest.raises(NotCoveredError, match=words):
        proposition(claim(about, "2", "0.1", every=every), holds=holds)


def test_without_machine_integers_only_equality_is_proved() -> None:
    asked = [claim({**REPORT, "times": 2}, epsilon, "0", every=False) for epsilon in ("3", "2")]
    audited = [claims.audit(one) for one in asked]
    equal, below = writing.theorems(audited, pure=True)
    assert equal.covered
    assert "machine integers" in below.reason
