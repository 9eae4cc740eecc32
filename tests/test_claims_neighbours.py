"""What claims suppose of pairs of neighbours: in compositions, in every violation, in the words."""

import itertools
import json
from fractions import Fraction
from typing import Any, get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_audit import Content, formula, judged, privacy, release
from test_audit_kinds import conversion, discrete_noise, inequality

from dporacle import claims, reference
from dporacle.claims import judge, prose, report
from dporacle.claims.assertions import ASSERTIONS
from dporacle.claims.mechanisms import MECHANISMS, Neighbours
from dporacle.claims.register import page
from dporacle.claims.register.entries import Publication, PublishedClaim
from dporacle.claims.register.proving import Proved
from dporacle.claims.register.reading import Published
from dporacle.verdicts import Verdict


def composed(*releases: Content, **fields: object) -> Content:
    return {"kind": "composition", "releases": list(releases), **fields}


def apart(*releases: Content) -> Content:
    return composed(*releases, records="disjoint")


MEN, WOMEN = release(sigma=1), release(sigma=1)
CLIPPED = {"kind": "gaussian", "sigma": 1, "contribution": {"clipping_norm": 1}}
ONE_WAY = {
    "kind": "gaussian",
    "sigma": 1,
    "contribution": {"clipping_norm": 1, "values": "nonnegative", "coordinates": 1},
}
OF_ONE, OF_TWO, OF_FOUR = 0.126936737506643945800853, 0.286208292, 0.509861
"""δ(1) at μ = 1, √2 and 2."""


@pytest.mark.statement("X.C9")
@pytest.mark.parametrize(
    ("mechanism", "delta", "relation", "verdict", "value"),
    [
        (composed(MEN, WOMEN), "0.15", "add-remove", "UNDECIDED", None),
        (composed(MEN, WOMEN, records="unknown"), "0.15", "add-remove", "UNDECIDED", None),
        (composed(MEN, WOMEN, records="same"), "0.15", "add-remove", "VIOLATED", OF_TWO),
        (composed(MEN, WOMEN, records="disjoint"), "0.15", "add-remove", "HOLDS", OF_ONE),
        (composed(MEN, WOMEN, records="disjoint"), "0.126937", "add-remove", "HOLDS", OF_ONE),
        (composed(MEN, WOMEN, records="disjoint"), "0.126936", "add-remove", "VIOLATED", OF_ONE),
        (composed(MEN, WOMEN), "0.126936", "add-remove", "VIOLATED", None),
        (composed(MEN, WOMEN), "0.287", "add-remove", "HOLDS", None),
        # A man is replaced by a woman: both counts change. Within a part a count does not.
        (apart(ONE_WAY, ONE_WAY), "0.2862", "replace-one", "VIOLATED", OF_TWO),
        (apart(ONE_WAY, ONE_WAY), "0.2863", "replace-one", "HOLDS", OF_TWO),
        (apart(CLIPPED, CLIPPED), "0.5099", "replace-one", "HOLDS", OF_FOUR),
        (apart(CLIPPED, CLIPPED), "0.5098", "replace-one", "VIOLATED", OF_FOUR),
        (composed(MEN, WOMEN, records="disjoint"), "0.2862", "replace-one", "VIOLATED", None),
        (composed(MEN, WOMEN, records="disjoint"), "0.4", "replace-one", "UNDECIDED", None),
        (composed(MEN, WOMEN, records="disjoint"), "0.51", "replace-one", "HOLDS", None),
        # The same query again attains its sensitivity again.
        (composed(MEN, times=2), "0.15", "add-remove", "VIOLATED", OF_TWO),
        (composed(composed(MEN, times=2)), "0.15", "add-remove", "VIOLATED", OF_TWO),
        (composed(composed(MEN, WOMEN, records="disjoint"), times=2), "0.2862", "add-remove",
         "VIOLATED", OF_TWO),
        (composed(composed(MEN, WOMEN, records="disjoint"), times=2), "0.2863", "add-remove",
         "HOLDS", OF_TWO),
    ],
)  # fmt: skip
def test_counts_of_men_and_women(
    mechanism: Content, delta: str, relation: str, verdict: str, value: float | None
) -> None:
    found = judged(mechanism, privacy(1, delta, relation))
    assert found.verdict == verdict
    assert bool(found.reason) == (verdict == "UNDECIDED")
    assert bool(found.supposes) == (verdict == "VIOLATED")
    low, high = Fraction(found.low), Fraction(found.high)
    if value is None:
        assert low < high
        assert verdict == "HOLDS" or low > 0
    else:
        assert low <= high <= low * (1 + Fraction(1, 10**15))
        assert abs(float(low) - value) < 1e-6


def test_an_open_claim_says_both_values_and_what_to_add() -> None:
    found = judged(composed(MEN, WOMEN), privacy(1, "0.15"))
    assert found.margin == "true δ is between 0.126936 and 0.286209"
    assert "records = 'same'" in found.reason
    assert "'disjoint'" in found.reason
    assert "must be" not in found.margin


LAPLACE = {"kind": "laplace", "scale": 2, "sensitivity": 1, "neighbours": "add-remove"}


def test_parts_with_other_noise_have_the_worst_of_them() -> None:
    parts = [discrete_noise(sigma=2), LAPLACE, release(sigma="1.7")]
    for epsilon in ("0.1", "0.4", "1"):
        asked = privacy(epsilon, "0.01")
        worst = max(Fraction(judged(part, asked).low) for part in parts)
        found = judged(composed(*parts, records="disjoint"), asked)
        assert abs(Fraction(found.low) - worst) < Fraction(1, 10**18)
        assert found.verdict == ("VIOLATED" if worst > Fraction(1, 100) else "HOLDS")
        total = judged(composed(*parts, records="same"), asked)
        unknown = judged(composed(*parts), asked)
        assert abs(Fraction(unknown.low) - worst) < Fraction(1, 10**18)
        assert Fraction(unknown.high) >= Fraction(total.low) > worst


parts_of = st.lists(
    st.tuples(st.integers(1, 9), st.integers(1, 9), st.booleans()), min_size=2, max_size=4
)


@pytest.mark.statement("X.C9")
@settings(max_examples=60)
@given(parts_of, st.sampled_from(get_args(Neighbours)), st.integers(1, 3))
@example([(1, 1, True), (1, 1, True)], "replace-one", 1)
@example([(1, 1, False), (1, 1, False)], "replace-one", 1)
def test_disjoint_parts_by_going_through_all_records(
    parts: list[tuple[int, int, bool]], relation: str, times: int
) -> None:
    """A record is a part and a number; each part's numbers are added up, with noise of its own."""
    records: list[tuple[int, int] | None] = [
        (place, value)
        for place, (most, _, signed) in enumerate(parts)
        for value in ((-most, 0, most) if signed else (0, most))
    ]
    others = records if relation == "replace-one" else [None]
    worst = Fraction(0)
    for one, other in itertools.product(records, others):
        moved = [Fraction(0)] * len(parts)
        for sign, record in ((1, one), (-1, other)):
            if record is not None:
                moved[record[0]] += sign * record[1]
        squares = ((step / part[1]) ** 2 for step, part in zip(moved, parts, strict=True))
        worst = max(worst, times * sum(squares))
    bounds = [
        {"clipping_norm": most, "values": "any"}
        if signed
        else {"clipping_norm": most, "values": "nonnegative", "coordinates": 1}
        for most, _, signed in parts
    ]
    stated = [
        {"kind": "gaussian", "sigma": sigma, "contribution": bound}
        for bound, (_, sigma, _) in zip(bounds, parts, strict=True)
    ]
    mechanism = composed(*stated, records="disjoint", times=times)
    claim = claims.make({"id": "x", "mechanism": mechanism, "asserts": privacy(1, "0.5", relation)})
    extent = claim.mechanism.extent(relation)
    assert extent.is_exact
    assert extent.most[0].mu_squared == worst
    # The same by sensitivities: what is not stated leaves room, and the truth lies in it.
    for known in get_args(Neighbours):
        sums = composed(
            *(
                {
                    "kind": "gaussian",
                    "sigma": sigma,
                    "neighbours": known,
                    "sensitivity": most * (2 if signed and known == "replace-one" else 1),
                }
                for most, sigma, signed in parts
            ),
            records="disjoint",
            times=times,
        )
        claim = claims.make({"id": "x", "mechanism": sums, "asserts": privacy(1, "0.5", known)})
        if claim.mechanism.knows(relation) is not None:
            extent = claim.mechanism.extent(relation)
            assert extent.least[0].mu_squared <= worst <= extent.most[0].mu_squared


@settings(max_examples=30)
@given(
    st.lists(st.fractions(Fraction(1, 2), 30, max_denominator=9), min_size=2, max_size=5),
    st.fractions(0, 6, max_denominator=20),
    st.fractions(Fraction(1, 10**9), Fraction(9, 10)),
)
def test_what_is_not_said_lies_between_what_may_be_said(
    sigmas: list[Fraction], epsilon: Fraction, delta: Fraction
) -> None:
    releases = [release(sigma=str(sigma)) for sigma in sigmas]
    asked = privacy(str(epsilon), str(delta))
    same, disjoint, unknown = (
        judged(composed(*releases, records=records), asked)
        for records in ("same", "disjoint", "unknown")
    )
    assert (disjoint.low, same.high) == (unknown.low, unknown.high)
    if same.verdict == disjoint.verdict:
        assert unknown.verdict == same.verdict
    else:
        assert (disjoint.verdict, same.verdict) == ("HOLDS", "VIOLATED")
        assert unknown.verdict == "UNDECIDED"
    least = reference.delta_at_epsilon(epsilon=epsilon, sigma=min(sigmas), digits=30)
    assert abs(Fraction(disjoint.low) - Fraction(str(least))) <= Fraction(disjoint.low) / 10**18


VIOLATED: dict[str, Content] = {
    kind: {"kind": kind, **each.example} for kind, each in MECHANISMS.items() if kind != "black-box"
}
"""An example of every mechanism; nothing is known of a black box from below."""
ABOUT = {
    "randomised-response": privacy("0.1", "1e-9", "replace-one"),
    "rappor": privacy("0.1", "1e-9", "replace-one"),
    "above-threshold": privacy("0.1", 0),
}
PAIR = {"neighbours": "add-remove"}
ASSERTED: dict[str, tuple[Content | None, Content]] = {
    "privacy": (MEN, privacy("0.1", "1e-9")),
    "zcdp": (MEN, {"kind": "zcdp", "rho": "0.1", **PAIR}),
    "gdp": (MEN, {"kind": "gdp", "mu": "0.1", **PAIR}),
    "rdp": (MEN, {"kind": "rdp", "order": 2, "epsilon": "0.1", **PAIR}),
    "sensitivity": (
        None,
        {
            "kind": "sensitivity",
            "norm": 1,
            "at_most": "0.1",
            "statistic": {"kind": "mean", "divisor": "own", "lower": 0, "upper": 3, "records": 9},
            **PAIR,
        },
    ),
    "risk": (MEN, {"kind": "risk", "fpr": "0.01", "tpr": "0.011"}),
    "advantage": (MEN, {"kind": "advantage", "advantage": "0.01"}),
    "bayes-success": (MEN, {"kind": "bayes-success", "prior": "0.5", "success": "0.51"}),
    "auc": (MEN, {"kind": "auc", "auc": "0.51"}),
    "accuracy": (MEN, {"kind": "accuracy", "at_most": 1, "alpha": "0.01"}),
    "loss": (MEN, {"kind": "loss", "at_most": "0.5", "dimension": 1}),
    "formula": (None, formula("classical", 10, "1e-6")),
    "formula-range": (
        None,
        {
            "kind": "formula-range",
            "name": "classical",
            "epsilon": {"from": 1, "to": 20},
            "delta": {"from": "1e-6", "to": "1e-5"},
        },
    ),
    "conversion": (None, conversion("0.1", "1e-5", rho=1)),
    "inequality": (None, inequality("BW18.C1", epsilon=1, delta="1e-8")),
}
COUNTED: dict[str, Content] = {
    kind: {
        "id": "x",
        "asserts": {"kind": kind, "epsilon": 5, "delta": "1e-6", "confidence": "0.95"},
        "evidence": {
            "kind": "monte-carlo",
            "orders": [{"heads": 1, "draws": 100}],
            "fixed_beforehand": True,
            "independent_draws": True,
            "tried": 10**6,
        },
    }
    for kind in ("lower-bound", "upper-bound")
}
NOTHING_SUPPOSED = {
    **dict.fromkeys(COUNTED, "counts that do not support a bound say nothing against it"),
    "accuracy": "errors are of the noise alone",
    "loss": "errors are of the noise alone",
    "conversion": "it is about every mechanism, and the Gaussian one is among them",
    "inequality": "both sides are numbers",
}


def test_of_a_black_box_nothing_is_violated() -> None:
    box = {"kind": "black-box", **MECHANISMS["black-box"].example}
    assert judged(box, privacy("0.1", "1e-9")).verdict is Verdict.UNDECIDED


@pytest.mark.parametrize("kind", VIOLATED)
def test_every_mechanism_says_what_a_violation_supposes(kind: str) -> None:
    found = judged(VIOLATED[kind], ABOUT.get(kind, privacy("0.1", "1e-9")))
    check_supposed(found)
    assert found.supposes


@pytest.mark.parametrize("kind", ASSERTIONS)
def test_every_assertion_says_what_a_violation_supposes(kind: str) -> None:
    found = claims.audit(COUNTED[kind]) if kind in COUNTED else judged(*ASSERTED[kind])
    check_supposed(found)
    assert bool(found.supposes) != (kind in NOTHING_SUPPOSED)
    assert prose.words()["quantities"][found.quantity] in prose.paragraph(found)


def check_supposed(found: claims.AuditVerdict) -> None:
    """Find it in the table, in JSON, in Markdown, in the certificate and in the register."""
    assert found.verdict is Verdict.VIOLATED
    text = found.supposes
    certificate = claims.certificate(found)
    assert certificate["supposes"] == text
    assert json.loads(report.to_json([found]))["verdicts"][0]["supposes"] == text
    tables = " ".join(judge.table([found])[1]), found._repr_html_(), report.to_markdown([found])
    for shown in tables:
        assert text in shown if text else "VIOLATED means" not in shown
    if found.claim.about is not found.claim.mechanism:
        return  # no published claim is about what an audit counted
    source = Publication(
        id="s", title="some text", owner="somebody", read="2026-01-01", url="https://x"
    )
    entry = PublishedClaim(
        id="x", sources=("s",), words="said", assumed="nothing", verdict="VIOLATED",
        asserts=found.claim.asserts, mechanism=found.claim.mechanism,
    )  # fmt: skip
    proved = Proved(Published("papers", entry, (source,)), found)
    for shown in (" ".join(page.cells(proved)), page.to_markdown([proved], [])):
        assert text in shown if text else "VIOLATED means" not in shown


@pytest.mark.parametrize("kind", VIOLATED)
def test_what_is_no_violation_supposes_nothing(kind: str) -> None:
    asserts = ABOUT.get(kind, privacy(1, 1))
    found = judged(VIOLATED[kind], {**asserts, "delta": 1})
    assert found.verdict is not Verdict.VIOLATED
    assert found.supposes == ""
    assert "means" not in judge.in_words(found)


NOISE = "about Gaussian noise of exactly this "
USE = " (for every mechanism with it use `conversion`): "
EVERY = "about every mechanism that is ρ-zCDP, "


@pytest.mark.parametrize(
    ("mechanism", "asserts", "begins"),
    [
        (release("zcdp", rho=1), privacy(1, "1e-5"), NOISE + "ρ" + USE),
        (release("gdp", mu=1), privacy(1, "1e-5"), NOISE + "μ" + USE),
        (release("rdp", order=2, epsilon=1), privacy(1, "1e-5"),
         NOISE + "Rényi divergence" + USE),
        (composed(release("zcdp", rho=1), release("gdp", mu=1), MEN), privacy(1, "1e-5"),
         NOISE + "μ and Gaussian noise of exactly this ρ" + USE),
        (None, conversion(1, "1e-5", rho=1), EVERY + "Gaussian or not: "),
        (None, conversion(9, "1e-5", rho="0.1"),
         EVERY + "Gaussian or not: "),
        (MEN, {"kind": "zcdp", "rho": 1, **PAIR}, "true ρ is "),
    ],
)  # fmt: skip
def test_the_verdict_says_which_of_two_meanings(
    mechanism: Content | None, asserts: Content, begins: str
) -> None:
    assert judged(mechanism, asserts).margin.startswith(begins)


def test_the_same_word_means_two_things_and_says_so() -> None:
    """Gaussian noise of ρ = 1 holds a claim that not every 1-zCDP mechanism is proved to hold."""
    claimed: dict[str, Any] = {"epsilon": 6, "delta": "2e-4"}
    gaussian = judged(release("zcdp", rho=1), {"kind": "privacy", **claimed, **PAIR})
    every = judged(None, conversion(6, "2e-4", rho=1))
    assert (gaussian.verdict, every.verdict) == ("HOLDS", "UNDECIDED")
    assert gaussian.margin.split(":")[0] != every.margin.split(":")[0]
