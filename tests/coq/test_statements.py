"""The written theorem says what the claim says: it is parsed back and compared."""

import importlib.util
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from mpmath import mp, mpf

from dporacle import claims, reference
from dporacle.coq import writing
from dporacle.coq.formulas import FORMULAS
from dporacle.coq.statements import NotCoveredError, proposition_of
from dporacle.verdicts import Verdict

_spec = importlib.util.spec_from_file_location(
    "coq_reading", Path(__file__).with_name("reading.py")
)
assert _spec is not None
assert _spec.loader is not None
reading = sys.modules["coq_reading"] = importlib.util.module_from_spec(_spec)
_spec.loader.exec_module(reading)

DIGITS = 500
AGREE = mpf(10) ** -480
"""Numbers have up to 400 characters, and a dozen operations lose far less than 20 digits."""

# Numbers as people type them, over many magnitudes.
typed = st.one_of(
    st.sampled_from(["0.1", "1e-5", "3/7", "0x1.8p-3", "1", "2.5", "3.7306316348159418", "1e300"]),
    st.tuples(st.integers(1, 10**17), st.integers(-320, 300)).map(lambda p: f"{p[0]}e{p[1]}"),
    st.floats(min_value=5e-324, allow_infinity=False, allow_nan=False).map(float.hex),
)
probabilities = st.one_of(
    st.sampled_from(["0.1", "1e-5", "3/7", "0", "1"]),
    st.tuples(st.integers(0, 10**17), st.integers(17, 330)).map(lambda p: f"{p[0]}e-{p[1]}"),
)
deltas = probabilities.filter(lambda text: 0 < Fraction(text) < 1)
relation = st.sampled_from(["add-remove", "replace-one"])


@st.composite
def releases(draw: st.DrawFn, neighbours: str) -> dict[str, Any]:
    kind = draw(st.sampled_from(["gaussian", "zcdp", "gdp", "rdp"]))
    release = {"kind": kind, "neighbours": neighbours}
    release[draw(st.sampled_from(["sensitivity", "sensitivity_squared"]))] = draw(typed)
    if kind == "rdp":
        order = 1 + draw(st.fractions(Fraction(1, 10**9), 10**6))
        return {**release, "order": str(order), "epsilon": draw(typed)}
    parameter = {"gaussian": "sigma", "zcdp": "rho", "gdp": "mu"}[kind]
    return {**release, parameter: draw(typed)}


@st.composite
def privacy_claims(draw: st.DrawFn) -> dict[str, Any]:
    stated, asked = draw(
        st.sampled_from([("add-remove",) * 2, ("replace-one",) * 2, ("add-remove", "replace-one")])
    )
    if draw(st.booleans()):
        about = draw(releases(stated))
    else:
        several = draw(st.lists(releases(stated), min_size=1, max_size=4))
        about = {"kind": "composition", "releases": several, "times": draw(st.integers(1, 10**9))}
    said = {"kind": "privacy", "neighbours": asked, "delta": draw(probabilities)}
    said["epsilon"] = draw(st.one_of(typed, st.just("0")))
    return {"id": "any", "mechanism": about, "asserts": said}


def statement(claim: claims.Claim, *, holds: bool = True) -> reading.Call:
    return reading.parse(proposition_of(writing.exact_data(claim), holds=holds).text)


def number(text: str) -> Fraction:
    return Fraction(float.fromhex(text)) if "0x" in text else Fraction(text)


def squared(release: dict[str, Any]) -> tuple[Fraction, Fraction]:
    """Return Δ² and σ² of a release, from what was typed."""
    distance = (
        number(release["sensitivity"]) ** 2
        if "sensitivity" in release
        else number(release["sensitivity_squared"])
    )
    if release["kind"] == "gaussian":
        return distance, number(release["sigma"]) ** 2
    if release["kind"] == "zcdp":
        return distance, distance / (2 * number(release["rho"]))
    if release["kind"] == "gdp":
        return distance, distance / number(release["mu"]) ** 2
    return distance, distance * number(release["order"]) / (2 * number(release["epsilon"]))


def agree(found: mpf, expected: Fraction) -> bool:
    right = mpf(expected.numerator) / expected.denominator
    return bool(abs(found - right) <= AGREE * right)


@given(privacy_claims())
def test_privacy(typed_claim: dict[str, Any]) -> None:
    tree = statement(claims.make(typed_claim))
    said, about = typed_claim["asserts"], typed_claim["mechanism"]
    assert tree.name == "gaussian_dp"
    epsilon, delta, sensitivity, sigma = tree.parts
    assert reading.exact(epsilon) == number(said["epsilon"])
    assert reading.exact(delta) == number(said["delta"])
    first = about["releases"][0] if "releases" in about else about
    doubled = 4 if first["neighbours"] != said["neighbours"] else 1
    with mp.workdps(DIGITS):
        mu_squared = (reading.value(sensitivity) / reading.value(sigma)) ** 2
        parts = [squared(release) for release in about.get("releases", [about])]
        expected = doubled * about.get("times", 1) * sum(d / s for d, s in parts)
        assert agree(mu_squared, expected)
        if "releases" not in about:  # not only the quotient
            assert agree(reading.value(sigma) ** 2, parts[0][1])


@given(relation.flatmap(releases), typed, deltas, st.integers(1, 10**9))
def test_accuracy_and_loss(release: dict[str, Any], bound: str, alpha: str, count: int) -> None:
    said: dict[str, Any] = {"kind": "accuracy", "at_most": bound, "alpha": alpha}
    said["queries"] = count
    tree = statement(claims.make({"id": "a", "mechanism": release, "asserts": said}))
    loss = {"kind": "loss", "at_most": bound, "dimension": count}
    other = statement(claims.make({"id": "l", "mechanism": release, "asserts": loss}))
    assert (tree.name, other.name) == ("gaussian_accuracy", "gaussian_loss")
    assert [reading.exact(part) for part in tree.parts[:2]] == [number(bound), number(alpha)]
    assert reading.exact(other.parts[0]) == number(bound)
    assert tree.parts[3] == other.parts[2] == count
    with mp.workdps(DIGITS):
        for sigma in (tree.parts[2], other.parts[1]):
            assert agree(reading.value(sigma) ** 2, squared(release)[1])


SIGMAS = {
    "classical": reference.classical_sigma,
    "dwork-2006": reference.dwork_2006_sigma,
    "dwork-roth": reference.dwork_roth_sigma,
    "vinterbo-2020": reference.vinterbo_sigma,
    "zcdp-conversion": reference.rho_sigma,
}


def test_every_formula_is_compared() -> None:
    assert {*SIGMAS, "pinsker"} == set(FORMULAS)


@pytest.mark.parametrize("name", [*SIGMAS, "linear", "pinsker"])
@given(
    epsilon=st.fractions(Fraction(1, 10**6), 1000, max_denominator=10**9),
    delta=st.fractions(Fraction(1, 10**12), 1 - Fraction(1, 10**12), max_denominator=10**12),
)
@example(epsilon=Fraction(1), delta=Fraction(1, 2))
@example(epsilon=Fraction(1), delta=Fraction(1, 2) + Fraction(1, 10**12))
def test_formulas(name: str, epsilon: Fraction, delta: Fraction) -> None:
    said = {"kind": "formula", "name": name, "epsilon": str(epsilon), "delta": str(delta)}
    if name == "linear":
        said["constant"] = "5/4"
    tree = statement(claims.make({"id": "any", "asserts": said}))
    assert tree.name == "gaussian_dp"
    assert [reading.exact(part) for part in tree.parts[:3]] == [epsilon, delta, 1]
    with mp.workdps(120):
        found = reading.value(tree.parts[3])
        if name == "pinsker":
            expected = 1 / (2 * mpf(delta.numerator) / delta.denominator)
        else:
            function = SIGMAS["classical" if name == "linear" else name]
            expected = mpf(function(epsilon=epsilon, delta=delta, digits=60))
        # The reference is right to 60 digits.
        assert abs(found - expected) <= mpf(10) ** -58 * expected


@given(typed, st.one_of(typed, st.just("0")), probabilities, st.booleans())
def test_conversions(parameter: str, epsilon: str, delta: str, zcdp: bool) -> None:
    given_ = {"kind": "zcdp", "rho": parameter} if zcdp else {"kind": "gdp", "mu": parameter}
    said = {"kind": "conversion", "given": given_, "epsilon": epsilon, "delta": delta}
    tree = statement(claims.make({"id": "any", "asserts": said}), holds=not zcdp)
    assert [reading.exact(part) for part in tree.parts[:2]] == [number(epsilon), number(delta)]
    assert reading.exact(tree.parts[3]) == 1
    with mp.workdps(DIGITS):
        square = reading.value(tree.parts[2]) ** 2
        assert agree(square, 2 * number(parameter) if zcdp else number(parameter) ** 2)


INEQUALITIES = {
    "BW18.C1": {"epsilon": "1", "delta": "1e-8"},
    "BW18.O1": {"epsilon": "1/2", "sigma": "3"},
    "GN.A1": {"queries": 7, "beta": "0.05"},
    "GN.L1": {"error": "2", "sigma": "3/2"},
    "GN.T1": {"rho": "0.1", "delta": "1e-6"},
    "JL24.D1": {"epsilon": "1/2", "sigma": "3"},
    "X.ZCDP": {"epsilon": "5", "sigma": "2"},
}


def sides(name: str) -> tuple[reading.Tree, ...]:
    said = {"kind": "inequality", "statement": name, "at": INEQUALITIES[name]}
    return statement(claims.make({"id": "any", "asserts": said})).parts


def test_inequalities_between_two_numbers() -> None:
    with mp.workdps(60):
        tail = mp.ncdf(mpf(1) / 6 - mpf(3) / 2)
        delta = mpf(reference.delta_at_epsilon(epsilon=Fraction(1, 2), sigma=3, digits=50))
        bound = mp.exp(-((5 - mpf(1) / 8) ** 2) / (mpf(4) / 8))
        exact = mpf(reference.delta_at_epsilon(epsilon=5, sigma=2, digits=50))
        expected = {
            "BW18.O1": (delta, tail),
            "JL24.D1": (tail, delta),
            "GN.L1": (mp.ncdf(-mpf(4) / 3), mp.exp(-mpf(8) / 9)),
            "X.ZCDP": (exact, bound),
        }
        for name, pair in expected.items():
            for found, right in zip(map(reading.value, sides(name)), pair, strict=True):
                assert abs(found - right) <= mpf(10) ** -45 * right, name


def test_inequalities_that_are_about_a_release() -> None:
    with mp.workdps(60):
        epsilon, delta, one, sigma = sides("BW18.C1")
        assert [reading.exact(part) for part in (epsilon, delta, one)] == [1, Fraction("1e-8"), 1]
        classical = mpf(reference.classical_sigma(epsilon=1, delta=Fraction("1e-8"), digits=50))
        assert abs(3 * reading.value(sigma) ** 2 - 2 * classical**2) < mpf(10) ** -45
        epsilon, delta, one, sigma = sides("GN.T1")
        rho, z = mpf(1) / 10, mp.sqrt(2 * mp.log(10**6) / 10)
        assert abs(reading.value(epsilon) - rho / 2 - z) < mpf(10) ** -55
        assert (reading.exact(delta), reading.exact(one)) == (Fraction("1e-6"), 1)
        assert abs(reading.value(sigma) ** 2 - 10) < mpf(10) ** -55
        error, beta, sigma, queries = sides("GN.A1")
        assert abs(reading.value(error) ** 2 - 2 * mp.log(280)) < mpf(10) ** -55
        assert (reading.exact(beta), reading.exact(sigma), queries) == (Fraction("0.05"), 1, 7)


@pytest.mark.parametrize(
    ("said", "mechanism", "words"),
    [
        (
            {"kind": "accuracy", "at_most": 3, "alpha": 0.5},
            {"kind": "discrete-gaussian", "sigma": 3, "sensitivity": 1, "neighbours": "add-remove"},
            "discrete",
        ),
        ({"kind": "formula", "name": "plrv-tail", "epsilon": 1, "delta": 0.1}, None, "quantile"),
        (
            {"kind": "privacy", "epsilon": 1, "delta": 0.1, "neighbours": "add-remove"},
            {"kind": "gaussian", "noise_multiplier": 1, "neighbours": "add-remove"},
            "multipliers",
        ),
        (
            {"kind": "privacy", "epsilon": 1, "delta": 0.1, "neighbours": "add-remove"},
            {"kind": "thresholded-histogram", "sigma": 1, "threshold": 9, "l0": 1},
            "thresholded-histogram",
        ),
        (
            {"kind": "zcdp", "rho": 1, "neighbours": "add-remove"},
            {"kind": "gaussian", "sigma": 1, "sensitivity": 1, "neighbours": "add-remove"},
            "claims of the kind zcdp",
        ),
        (
            {
                "kind": "formula-range",
                "name": "classical",
                "epsilon": {"from": 0, "to": 1},
                "delta": {"from": 0, "to": 1},
            },
            None,
            "ranges",
        ),
        (
            {
                "kind": "inequality",
                "statement": "BW18.T11",
                "at": {"dimension": 3, "norm": 1, "sigma": 1},
            },
            None,
            "BW18.T11",
        ),
    ],
)
def test_what_is_not_covered_says_so(
    said: dict[str, Any], mechanism: dict[str, Any] | None, words: str
) -> None:
    content = {"id": "any", "asserts": said}
    if mechanism:
        content["mechanism"] = mechanism
    with pytest.raises(NotCoveredError, match=words):
        statement(claims.make(content))


@given(st.text(max_size=60))
@example('*) Axiom more : False. (* "')
def test_an_id_cannot_leave_its_comment(text: str) -> None:
    row = writing.Row(text, Verdict.UNDECIDED, "claim_0001", reason=text or "none")
    written = writing.theorem_file([row])
    comment = written[written.rindex("(*") :]
    assert comment.count("*)") == 1
    assert '"' not in comment
