"""Compositions with black boxes, randomised response and RAPPOR: both ends to the last digit."""

import math
import random
from fractions import Fraction
from typing import Any

import pytest
from test_audit import Content, judged, privacy

from dporacle import claims
from dporacle.claims.losses import PrivacyLoss, rho_of_pure
from dporacle.verdicts import Verdict
from support.truths.divergences import divergence, product

REPLACED = {"neighbours": "replace-one"}
FIGURES = [  # releases, ε, μ of a Gaussian release beside them, δ by finite sums of 40 digits
    ([("randomised-response", {"epsilon": "0.5", "kinds": 2}, 10)], 2, "0.145466446441117"),
    ([("randomised-response", {"epsilon": 2, "kinds": 4}, 5)], 4, "0.6451177286734756"),
    ([("rappor", {"epsilon": 2}, 5)], 3, "0.6198918013789539"),
    (
        [
            ("black-box", {"epsilon": "0.5", "delta": "1e-6"}, 10),
            ("black-box", {"epsilon": 1, "delta": 0}, 2),
        ],
        4,
        "0.07992370421465963",
    ),
    (
        [
            ("black-box", {"epsilon": 1, "delta": "1e-5"}, 5),
            ("black-box", {"epsilon": "0.25", "delta": 0}, 8),
        ],
        5,
        "0.05597916033830564",
    ),
]


def composed(parts: Any) -> Content:
    releases = [{"kind": kind, **REPLACED, **fields, "times": n} for kind, fields, n in parts]
    return {"kind": "composition", "records": "same", "times": 1, "releases": releases}


def given(mechanism: Content, epsilon: object, delta: object) -> claims.AuditVerdict:
    asserts = {"kind": "conversion", "given": mechanism, "epsilon": epsilon, "delta": delta}
    return claims.audit({"id": "x", "asserts": asserts})


@pytest.mark.statement("X.BOX")
@pytest.mark.parametrize(("parts", "epsilon", "delta"), FIGURES)
def test_figures_within_their_digits(parts: Any, epsilon: int, delta: str) -> None:
    step = Fraction(1, 10**14)
    ours, boxes = composed(parts), any(kind == "black-box" for kind, *_ in parts)
    for bound, verdict in ((Fraction(delta) + step, "HOLDS"), (Fraction(delta) - step, "VIOLATED")):
        if boxes:  # of every box both ends are known, of this one only the upper
            assert given(ours, epsilon, str(bound)).verdict == verdict
        found = judged(ours, privacy(epsilon, str(bound), "replace-one"))
        assert found.verdict == ("UNDECIDED" if boxes and verdict == "VIOLATED" else verdict)
        assert abs(Fraction(found.high) - Fraction(delta)) < step


@pytest.mark.parametrize(
    ("epsilon", "delta", "times", "claimed", "every", "this"),
    [
        ("0.5", "1e-7", 1, ("0.5", "1e-7"), "HOLDS", "HOLDS"),  # lost = δ and no loss is above ε
        ("0.5", "1e-7", 1, ("0.4999", "1e-7"), "VIOLATED", "UNDECIDED"),  # lost = δ, some loss is
        ("0.5", "1e-7", 1, ("9", "9.9e-8"), "VIOLATED", "UNDECIDED"),  # lost > δ
        ("0.5", 1, 2, ("9", "0.99"), "VIOLATED", "UNDECIDED"),
        ("0.5", 1, 2, ("9", 1), "HOLDS", "HOLDS"),
        (0, "0.1", 2, (0, "0.19"), "HOLDS", "HOLDS"),
        (0, "0.1", 2, (0, "0.18999999"), "VIOLATED", "UNDECIDED"),
        (0, 0, 9, (0, 0), "HOLDS", "HOLDS"),
        (1, 0, 3, (3, 0), "HOLDS", "HOLDS"),
        (1, 0, 3, ("2.999", 0), "VIOLATED", "UNDECIDED"),
        ("0.5", "1e-7", 10**9, (1, "0.5"), "VIOLATED", "UNDECIDED"),
    ],
)
def test_corners(epsilon: Any, delta: Any, times: int, claimed: Any, every: str, this: str) -> None:
    box = {"kind": "black-box", "epsilon": epsilon, "delta": delta, "times": times}
    assert given(box, *claimed).verdict == every
    assert judged(box, privacy(*claimed, "replace-one")).verdict == this


def brute(pairs: list[list[tuple[float, float]]], epsilon: float) -> float:
    """Return δ(ε) of a product of pairs of finite laws, by all outcomes."""
    laws = product(*(tuple(zip(*pair, strict=True)) for pair in pairs))
    return float(divergence(*laws, math.exp(epsilon)))


def random_box(source: random.Random, epsilon: float, delta: float) -> list[tuple[float, float]]:
    """Return a pair of laws on four outcomes that is (ε,δ)-DP both ways."""
    while True:
        laws = [[source.expovariate(1) + 1e-3 for _ in range(3)] for _ in "PQ"]
        p, q = ([each / sum(law) * (1 - delta) for each in law] for law in laws)
        if max(max(a / b, b / a) for a, b in zip(p, q, strict=True)) <= math.exp(epsilon):
            return [*zip(p, q, strict=True), (delta, 0.0), (0.0, delta)]


@pytest.mark.statement("X.BOX")
def test_no_mechanism_is_worse_than_the_worst_box() -> None:
    """Random pairs that are (ε₀,δ₀)-DP, with randomised response, by summing over all outcomes."""
    source = random.Random(20)
    for _ in range(25):
        size, leak = source.choice([(0.7, 0.05), (1.0, 0.0)])
        kinds, response = source.choice([2, 3, 5]), source.choice([0.5, 1.0])
        whole = math.exp(response) + kinds - 1
        report = [(math.exp(response) / whole, 1 / whole), (1 / whole, math.exp(response) / whole)]
        report += [(1 / whole, 1 / whole)] * (kinds - 2)
        boxes = [random_box(source, size, leak) for _ in range(2)]
        epsilon = source.choice([0.0, 0.25, 1.0])
        parts = [
            ("black-box", {"epsilon": str(size), "delta": str(leak)}, 2),
            ("randomised-response", {"epsilon": str(response), "kinds": kinds}, 1),
        ]
        value = brute([*boxes, report], epsilon)
        worst = given(composed(parts), str(epsilon), "0.5")
        assert value <= float(worst.high) + 1e-12
        alone = judged(composed(parts[1:]), privacy(str(epsilon), "0.5", "replace-one"))
        assert abs(float(alone.high) - brute([report], epsilon)) < 1e-12


@pytest.mark.parametrize("epsilon", ["1/100", "1/2", "1", "3", "8"])
@pytest.mark.parametrize("kinds", [2, 3, 6, 7, 100])
def test_rho_of_randomised_response_bounds_every_order(epsilon: str, kinds: int) -> None:
    """For k ≤ 2 + 4e^{ε/2} its divergence of order 1, which from k = 7 on may be false."""
    size = Fraction(epsilon)
    rho = float(rho_of_pure(size, kinds))
    e = float(size)
    orders = [1 + 10 ** (j / 8) for j in range(-8, 25)]  # nearer to 1 the logarithm cancels
    whole = math.exp(e) + kinds - 1
    ratios = []
    for a in orders:
        top = max(a * e, 0.0)
        terms = [math.exp(a * e - top), math.exp((1 - a) * e - top), (kinds - 2) * math.exp(-top)]
        ratios.append((top + math.log(math.fsum(terms) / whole)) / (a * (a - 1)))
    assert max(ratios) <= rho * (1 + 1e-8)
    first = e * math.expm1(e) / whole
    assert first <= rho * (1 + 1e-12)
    if kinds - 2 <= 4 * math.exp(e / 2):
        assert rho == pytest.approx(first, rel=1e-12)
    if (kinds, epsilon) == (7, "1/100"):
        assert max(ratios) > first


def test_a_zcdp_box_has_an_upper_end_only() -> None:
    box = {"kind": "black-box", "rho": "0.1", **REPLACED, "times": 1}
    mixed = {"kind": "composition", "records": "same", "times": 1, "releases": [
        box, {"kind": "randomised-response", "epsilon": 1, "kinds": 4, "times": 1}]}  # fmt: skip
    assert judged(box, privacy(2, "1e-5", "replace-one")).verdict is Verdict.HOLDS
    assert judged(box, privacy(2, "1e-9", "replace-one")).verdict is Verdict.UNDECIDED
    assert given(box, 2, "1e-9").verdict is Verdict.VIOLATED  # by the Gaussian mechanism
    assert judged(mixed, privacy(6, "1e-4", "replace-one")).verdict is Verdict.HOLDS
    assert judged(mixed, privacy(0, "1e-9", "replace-one")).verdict is Verdict.VIOLATED  # by the RR


@pytest.mark.parametrize(
    ("mechanism", "message"),
    [
        ({"kind": "black-box", "epsilon": 1}, "delta must be given"),
        ({"kind": "black-box", "epsilon": -1, "delta": 0}, "epsilon"),
        ({"kind": "black-box", "epsilon": 1, "delta": 2}, "delta must be from 0 to 1"),
        ({"kind": "black-box", "rho": 1, "epsilon": 1}, "rho must be given without"),
        ({"kind": "randomised-response", "epsilon": 1, "kinds": 1}, "kinds"),
        ({"kind": "rappor", "epsilon": 1, "neighbours": "add-remove"}, "must be replace-one"),
        ({"kind": "black-box", "epsilon": 1, "delta": 0, "neighbours": "add-remove"},
         "must state its parameters for replace-one"),
        ({"kind": "thresholded-histogram", "sigma": 1, "threshold": 3, "l0": 1},
         "is for add-remove neighbours, and nothing is known of it for replace-one"),
        ({"kind": "composition", "releases": [
            {"kind": "black-box", "epsilon": 1, "delta": 0, "neighbours": "add-remove"}]},
         "'black-box' in it: mechanism must state its parameters for replace-one"),
        ({"kind": "composition", "records": "disjoint", "releases": [
            {"kind": "rappor", "epsilon": 1}, {"kind": "rappor", "epsilon": 2}]},
         "records must not be 'disjoint' with rappor"),
    ],
)  # fmt: skip
def test_what_says_nothing_is_refused(mechanism: Content, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        judged(mechanism, privacy(1, "1e-5", "replace-one"))


def test_a_billion_reports_are_followed_by_squaring() -> None:
    mechanism = {"kind": "randomised-response", "epsilon": "1e-5", "kinds": 2, "times": 10**9}
    found = judged(mechanism, privacy(1, "1e-3", "replace-one"))
    assert found.verdict is Verdict.HOLDS


def test_leaks_of_many_boxes_are_written_out_or_enclosed() -> None:
    few, many = (PrivacyLoss(leaks={Fraction(1, 10**7): n}).leaked() for n in (2, 10**9))
    assert few[0] == few[1] == 1 - (1 - Fraction(1, 10**7)) ** 2
    kept = Fraction(math.exp(10**9 * math.log1p(-1e-7)))
    assert abs(1 - many[0] - kept) < kept / 10**6
    assert 0 <= many[1] - many[0] < Fraction(1, 10**100)


@pytest.mark.statement("X.BOX")
@pytest.mark.parametrize(
    ("mechanism", "least", "most"),
    [  # closed forms: one number, or the ends that are known
        ({"kind": "randomised-response", "epsilon": 2, "kinds": 6}, 1.031403207461804, None),
        ({"kind": "randomised-response", "epsilon": "0.1", "kinds": 7}, 0.0014802025, 0.0049958375),
        ({"kind": "rappor", "epsilon": 1}, 0.2449186624037091, None),
        ({"kind": "exponential", "epsilon": 1, **REPLACED}, 0.123301561489, None),
        ({"kind": "permute-and-flip", "epsilon": 1, **REPLACED}, 0.329384, 0.367879441171443),
        ({"kind": "black-box", "epsilon": 1, "delta": 0, **REPLACED}, 0, 0.46211715726001),
    ],
)
def test_rho_is_exact_where_a_closed_form_is_proved(
    mechanism: Content, least: float, most: float | None
) -> None:
    def asked(rho: float, times: int) -> claims.AuditVerdict:
        asserts = {"kind": "zcdp", "rho": f"{rho:.12f}", **REPLACED}
        return judged({**mechanism, "times": times}, asserts)

    most = least if most is None else most
    for times in (1, 3):  # the divergences are met together, so that sums are exact
        below, above = times * least, times * most
        found = asked(above * 1.0001, times)
        assert found.verdict is Verdict.HOLDS
        assert float(found.low) == pytest.approx(below, rel=1e-5)
        assert float(found.high) == pytest.approx(above, rel=1e-5)
        if least:
            assert asked(below * 0.9999, times).verdict is Verdict.VIOLATED
        if least < most:
            assert asked((below + above) / 2, times).verdict is Verdict.UNDECIDED
