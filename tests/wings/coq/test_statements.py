"""The written theorem says what the claim says: it is parsed back and compared."""

import re
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from mpmath import mp, mpf

from dporacle import claims, reference
from dporacle.claims.assertions.conversion import AT_ORDER
from dporacle.verdicts import Verdict
from dporacle.wings.coq import writing
from dporacle.wings.coq.formulas import FORMULAS
from dporacle.wings.coq.propositions import NotCoveredError, OutOfReachError, _terms
from dporacle.wings.coq.statements import Evidence, proposition_of
from dporacle.wings.papers.rank_one_claims import INNER_BALL
from support.cases import rows
from support.files import module_at

reading = module_at(Path(__file__).with_name("reading.py"), "coq_reading")

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
        words = ["same", "unknown", "disjoint"][: 3 if len(several) > 1 else 2]
        about["records"] = draw(st.sampled_from(words))
    said = {"kind": "privacy", "neighbours": asked, "delta": draw(probabilities)}
    said["epsilon"] = draw(st.one_of(typed, st.just("0")))
    return {"id": "any", "mechanism": about, "asserts": said}


def statement(claim: claims.Claim, *, holds: bool = True) -> reading.Call:
    return reading.parse(proposition_of(writing.exact_data(claim), Evidence(holds)).text)


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
    said, about = typed_claim["asserts"], typed_claim["mechanism"]
    if "releases" in about:
        check_composition(typed_claim)
        return
    tree = statement(claims.make(typed_claim))
    assert tree.name == "gaussian_dp"
    epsilon, delta, sensitivity, sigma = tree.parts
    assert reading.exact(epsilon) == number(said["epsilon"])
    assert reading.exact(delta) == number(said["delta"])
    doubled = 4 if about["neighbours"] != said["neighbours"] else 1
    with mp.workdps(DIGITS):
        mu_squared = (reading.value(sensitivity) / reading.value(sigma)) ** 2
        distance, variance = squared(about)
        assert agree(mu_squared, doubled * distance / variance)
        assert agree(reading.value(sigma) ** 2, variance)  # not only the quotient


TOGETHER = re.compile(
    r"forall \(data : Type\) \(neighbours : data -> data -> Prop\) "
    r"\((?P<names>query[\d query]*) : nat -> query data\), "
    r"\((?:forall d d', neighbours d d' -> |exists d d', neighbours d d' /\\ )(?P<premise>.*)\)"
    r" -> (?P<negated>~ )?releases_dp (?P<point>.*) neighbours "
    r"\(rounds (?P<times>\d+) \(fun i => \[(?P<releases>.*)\]\)\)"
)


def check_composition(typed_claim: dict[str, Any]) -> None:
    """What is reached together stands in the premise of a refutation, bounds in that of a proof."""
    said, about = typed_claim["asserts"], typed_claim["mechanism"]
    data = writing.exact_data(claims.make(typed_claim))
    several = about["releases"]
    names = [f"query{at + 1}" for at in range(len(several))]
    doubled = 2 if several[0]["neighbours"] != said["neighbours"] else 1
    mode = about.get("records", "unknown")
    for holds in (True, False):
        found = proposition_of(data, Evidence(holds))
        match = TOGETHER.fullmatch(found.text if holds else found.negated())
        assert match is not None
        assert bool(match["negated"]) != holds
        assert match["names"].split() == names
        point = reading.parse(f"point {match['point']}").parts
        assert [reading.exact(part) for part in point] == [
            number(said["epsilon"]), number(said["delta"]),
        ]  # fmt: skip
        assert int(match["times"]) == about["times"]
        released = [one.strip("()").split(" i, ", 1) for one in match["releases"].split("; ")]
        assert [name for name, _ in released] == names
        cases = [
            read_distances(case, names, holds=holds) for case in match["premise"].split(" \\/ ")
        ]
        with mp.workdps(DIGITS):
            for release, (_, sigma) in zip(several, released, strict=True):
                value = reading.value(reading.parse(balanced(sigma)))
                assert agree(value**2, squared(release)[1])
            for case in cases:
                away = len(several) > 1 and sum(distance != 0 for distance in case) == 2
                leaves = mode == "disjoint" and away  # from one part into another
                for release, distance in zip(several, case, strict=True):
                    value = reading.value(distance)
                    stated = squared(release)[0] * (doubled**2 if holds and not leaves else 1)
                    assert value == 0 or agree(value**2, stated)
        moved = [[at for at, distance in enumerate(case) if distance != 0] for case in cases]
        every = list(range(len(several)))
        if holds and mode == "disjoint":
            crossing = said["neighbours"] == "replace-one"
            pairs = [list(pair) for pair in combinations(every, 2)] if crossing else []
            assert moved == [[at] for at in every] + pairs
        elif holds or mode == "same" or len(several) == 1:
            assert moved == [every]
        else:  # the worst alone, or the two that a record leaves and enters
            squares = [Fraction(d, s) for d, s in map(squared, several)]
            crossing = mode == "disjoint" and doubled == 2
            worst = sorted(squares)[-2:] if crossing else [max(squares)]
            assert [sorted(squares[at] for at in case) for case in moved] == [worst]


def read_distances(case: str, names: list[str], *, holds: bool) -> list[reading.Tree]:
    """Return the distance of each query in a case of the premise."""
    word = "within" if holds else "apart"
    assert case.startswith("(forall i, ")
    bounds = [
        re.fullmatch(rf"{word} \((\w+) i\) d d' (.+)", bound)
        for bound in case.removeprefix("(forall i, ")[:-1].split(" /\\ ")
    ]
    assert [bound and bound[1] for bound in bounds] == names
    return [reading.parse(bound[2]) for bound in bounds if bound]


def balanced(text: str) -> str:
    """Return a text with the brackets that were cut off at its end."""
    return text + ")" * (text.count("(") - text.count(")"))


@pytest.mark.parametrize("part", [False, True])
def test_a_statistic_has_no_theorem(part: bool) -> None:
    """Its sensitivity would have to be proved too."""
    statistic = {"kind": "mean", "divisor": "own", "records": 9, "lower": 0, "upper": 1}
    about: dict[str, Any] = {"kind": "gaussian", "sigma": 1, "statistic": statistic}
    if part:
        about = {"kind": "composition", "records": "same", "releases": [about]}
    said = {"kind": "privacy", "epsilon": 1, "delta": "0.9", "neighbours": "add-remove"}
    with pytest.raises(NotCoveredError, match="statistics"):
        statement(claims.make({"id": "x", "mechanism": about, "asserts": said}))


@pytest.mark.parametrize(
    ("mechanism", "relation", "words"),
    [
        ({"records": "disjoint", "releases": 8}, "replace-one", "more than 30 ways"),
        ({"records": "same", "releases": 21}, "add-remove", "more than 20"),
    ],
)
def test_compositions_without_a_theorem(
    mechanism: dict[str, Any], relation: str, words: str
) -> None:
    one = {"kind": "gaussian", "sigma": 9, "sensitivity": 1, "neighbours": relation}
    about = {"kind": "composition", **mechanism}
    about["releases"] = [one] * mechanism.get("releases", 2)
    said = {"kind": "privacy", "epsilon": 1, "delta": "0.9", "neighbours": relation}
    with pytest.raises(NotCoveredError, match=words):
        statement(claims.make({"id": "x", "mechanism": about, "asserts": said}))


def test_parts_that_a_record_leaves_and_enters_are_reached_together() -> None:
    one = {"kind": "gaussian", "sigma": 1, "sensitivity": 1, "neighbours": "add-remove"}
    about = {"kind": "composition", "records": "disjoint", "releases": [one, one, one]}
    said = {"kind": "privacy", "epsilon": 1, "delta": "0.15", "neighbours": "replace-one"}
    claim = claims.make({"id": "x", "mechanism": about, "asserts": said})
    text = proposition_of(writing.exact_data(claim), Evidence(False)).negated()
    pair = "apart (query1 i) d d' 1 /\\ apart (query2 i) d d' 1 /\\ apart (query3 i) d d' 0)"
    assert f"(forall i, {pair}) -> ~" in text


@settings(max_examples=10)
@given(
    st.fractions(Fraction(1, 2), 10, max_denominator=10**6),
    st.fractions(Fraction(1, 10**4), Fraction(1, 2), max_denominator=10**6),
    st.integers(1, 100),
    st.sampled_from(["add-remove", "zero-out", "replace-one"]),
)
def test_dp_sgd_statements(sigma: Fraction, rate: Fraction, steps: int, neighbours: str) -> None:
    holds = neighbours != "replace-one"
    epsilon, delta = ("1e4", "0.1") if holds else ("0", "1e-9")
    said = {"kind": "privacy", "epsilon": epsilon, "delta": delta, "neighbours": neighbours}
    about: dict[str, Any] = {"kind": "dp-sgd", "noise_multiplier": str(sigma)}
    for more in (
        {"sampling_rate": str(rate), "steps": steps},
        {"batch_size": str(rate * 700), "dataset_size": 700, "steps": steps},
        {"sampling_rate": str(rate), "epochs": str(rate * steps), "rounding": "down"},
    ):
        claim = claims.make({"id": "any", "mechanism": {**about, **more}, "asserts": said})
        tree = statement(claim, holds=holds)
        assert tree.name == "dp_sgd_dp"
        assert tree.parts[0] == reading.Call(neighbours.replace("-", "_"))
        expected = [number(epsilon), number(delta), sigma, rate, steps]
        assert [reading.exact(part) for part in tree.parts[1:]] == expected


@settings(max_examples=10)
@given(
    st.sampled_from(["add-remove", "zero-out", "replace-one"]),
    st.integers(2, 400),
    st.integers(1, 500),
    st.integers(0, 99),
    st.integers(1, 9),
)
def test_shuffled_statements(asked: str, count: int, size: int, over: int, epochs: int) -> None:
    dropped = min(over, size - 1)
    neighbours = asked if dropped else "zero-out"
    said = {"kind": "privacy", "epsilon": "0", "delta": "1e-9", "neighbours": neighbours}
    about = {"kind": "dp-sgd", "noise_multiplier": "3/7"}
    about |= {"sampling": "drop-last" if dropped else "shuffled"}
    about |= {"batch_size": size, "dataset_size": count * size + dropped, "steps": count * epochs}
    tree = statement(claims.make({"id": "any", "mechanism": about, "asserts": said}), holds=False)
    assert tree.name == "shuffled_dp"
    assert tree.parts[0] == reading.Call(neighbours.replace("-", "_"))
    expected = [0, number("1e-9"), Fraction(3, 7), count, size, dropped, epochs]
    assert [reading.exact(part) for part in tree.parts[1:]] == expected


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


@given(typed, st.one_of(typed, st.just("0")), probabilities)
def test_conversions_from_gdp(mu: str, epsilon: str, delta: str) -> None:
    said = {"kind": "conversion", "given": {"kind": "gdp", "mu": mu}}
    said |= {"epsilon": epsilon, "delta": delta}
    tree = statement(claims.make({"id": "any", "asserts": said}))
    assert tree.name == "gaussian_dp"
    expected = [number(epsilon), number(delta), number(mu), 1]
    assert [reading.exact(part) for part in tree.parts] == expected


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


def instance(said: dict[str, Any], evidence: Evidence) -> str:
    claim = claims.make({"id": "any", "asserts": said})
    return proposition_of(writing.exact_data(claim), evidence).text


def test_quantiles_are_bound_variables() -> None:
    """z is 3 when the statement is read back."""
    point = {"epsilon": "1/3", "delta": "0.001"}
    tail = instance({"kind": "formula", "name": "plrv-tail", **point}, Evidence(True))
    exists = "(exists z, Phi (- z) = (1 / 1000)) /\\ "
    assert tail.startswith(exists)
    tail = tail.removeprefix(exists)
    bound = r"forall z, Phi \(- z\) = \(1 / 1000\) -> "
    (text,) = re.fullmatch(bound + "(.*)", tail).groups()  # type: ignore[union-attr]
    name, *parts = (lambda tree: (tree.name, *tree.parts))(reading.parse(text.replace("z", "3")))
    assert name == "gaussian_dp"
    assert [reading.exact(part) for part in parts[:3]] == [Fraction(1, 3), Fraction(1, 1000), 1]
    with mp.workdps(60):
        sigma = (3 + mp.sqrt(9 + mpf(2) / 3)) * 3 / 2
        assert abs(reading.value(parts[3]) - sigma) < mpf(10) ** -55
    said = {"kind": "inequality", "statement": "JL24.L2", "at": point}
    refuted = instance(said, Evidence(False))
    reverse = instance({**said, "statement": "JL24.L2.reversed"}, Evidence(True))
    assert refuted == reverse
    assert refuted == exists + (
        "forall z, Phi (- z) = (1 / 1000) -> exists sigma, 0 < sigma /\\ "
        "gaussian_dp (1 / 3) (1 / 1000) 1 sigma /\\ "
        "sigma * sigma < ((z * z) + (1 / 3)) / ((1 / 3) * (1 / 3))"
    )


@pytest.mark.parametrize("name", [*SIGMAS, "linear"])
def test_ranges(name: str) -> None:
    half = name == "vinterbo-2020"
    epsilon, delta = {"from": "0.25", "to": "1"}, {"from": "0", "to": "1/2" if half else "1"}
    said = {"kind": "formula-range", "name": name, "epsilon": epsilon, "delta": delta}
    if name == "linear":
        said["constant"] = "5/4"
    top = "<= (1 / 2)" if half else "< 1"
    spans = f"forall eps delta, (1 / 4) <= eps <= 1 -> 0 < delta {top} -> "
    text = instance(said, Evidence(True))
    assert text.startswith(spans)
    point = text.removeprefix(spans).replace("eps", "(1 / 2)").replace("delta", "(1 / 7)")
    tree = reading.parse(point)
    assert [reading.exact(part) for part in tree.parts[:3]] == [Fraction(1, 2), Fraction(1, 7), 1]
    function = SIGMAS["classical" if name == "linear" else name]
    with mp.workdps(60):
        expected = mpf(function(epsilon=Fraction(1, 2), delta=Fraction(1, 7), digits=50))
        assert abs(reading.value(tree.parts[3]) - expected) < mpf(10) ** -48


@given(typed, typed, deltas, st.booleans())
def test_conversions(rho: str, epsilon: str, delta: str, holds: bool) -> None:
    """A refuted one is about every mechanism too."""
    evidence = Evidence(True, AT_ORDER, Fraction(7, 2)) if holds else Evidence(False)
    said = {"kind": "conversion", "given": {"kind": "zcdp", "rho": rho}, "epsilon": epsilon}
    tree = reading.parse(instance({**said, "delta": delta}, evidence))
    assert tree.name == "zcdp_implies_dp"
    expected = [number(rho), number(epsilon), number(delta)]
    assert [reading.exact(part) for part in tree.parts] == expected
    said["given"] = {"kind": "rdp", "order": "7/2", "epsilon": rho}
    tree = reading.parse(instance({**said, "delta": delta}, evidence))
    assert tree.name == "renyi_implies_dp"
    assert [reading.exact(part) for part in tree.parts] == [Fraction(7, 2), *expected]


TRAINED = {"kind": "dp-sgd", "noise_multiplier": 1, "sampling_rate": 0.1, "steps": 9}
SHUFFLED = {"kind": "dp-sgd", "noise_multiplier": 1, "sampling": "shuffled"}
SHUFFLED |= {"batch_size": 5, "dataset_size": 50}
RANK_ONE = re.compile(r"forall S : rank_one_space (\d+)%nat (.*), ~ rank_one_dp S (.*)")


@given(st.integers(3, 20_000), typed, deltas, typed, typed, deltas, st.booleans())
def test_rank_one(
    dimension: int, epsilon: str, delta: str, sensitivity: str, at: str, d: str, stated: bool
) -> None:
    about: dict[str, Any] = {"kind": "rank-one", "dimension": dimension}
    about |= {"sensitivity": sensitivity, "neighbours": "add-remove"}
    about |= {"sigma_star": at} if stated else {"published": {"epsilon": at, "delta": d}}
    said = {"kind": "privacy", "epsilon": epsilon, "delta": delta, "neighbours": "add-remove"}
    claim = claims.make({"id": "any", "mechanism": about, "asserts": said})
    evidence = Evidence(False, INNER_BALL, Fraction(2))
    found = RANK_ONE.fullmatch(proposition_of(writing.exact_data(claim), evidence).negated())
    assert found is not None
    assert int(found[1]) == dimension
    points = reading.parse(f"points {found[3]}").parts
    expected = [number(epsilon), number(delta), number(sensitivity)]
    assert [reading.exact(part) for part in points] == expected
    variance = reading.parse(found[2].replace("%nat", ""))
    if stated:
        assert reading.exact(variance) == number(at)
    else:
        inner = variance if variance.name == "published_variance" else variance.parts[0]
        assert inner.parts[0] == dimension
        expected = [number(at), number(d), number(sensitivity)]
        assert [reading.exact(part) for part in inner.parts[1:]] == expected


WHOLE = {"kind": "discrete-gaussian", "sensitivity": 1, "neighbours": "add-remove"}


@settings(max_examples=20)
@given(
    st.sampled_from(["sigma", "sigma_squared", "rho"]),
    st.fractions(Fraction(1, 9), 9, max_denominator=10**6),
    st.integers(1, 9),
    st.fractions(0, 20, max_denominator=100),
    deltas,
    st.integers(1, 99),
    st.booleans(),
)
def test_discrete_statements(
    word: str, size: Fraction, unit: int, error: Fraction, alpha: str, queries: int, holds: bool
) -> None:
    about = {**WHOLE, "sensitivity": unit, word: str(size)}
    variance = {"sigma": size**2, "sigma_squared": size, "rho": unit**2 / (2 * size)}[word]
    said: dict[str, Any] = {"kind": "accuracy", "at_most": str(error), "alpha": alpha}
    said["queries"] = queries
    tree = statement(claims.make({"id": "a", "mechanism": about, "asserts": said}), holds=holds)
    assert tree.name == "discrete_accuracy"
    assert tree.parts[0] == error.numerator // error.denominator
    assert reading.exact(tree.parts[1]) == number(alpha)
    assert tree.parts[3] == queries
    said = {"kind": "privacy", "epsilon": "0.3", "delta": "0", "neighbours": "replace-one"}
    claim = claims.make({"id": "p", "mechanism": about, "asserts": said})
    private = statement(claim, holds=False)
    assert private.name == "discrete_dp"
    assert [reading.exact(part) for part in private.parts[:3]] == [Fraction("0.3"), 0, 2 * unit]
    with mp.workdps(DIGITS):
        assert agree(reading.value(tree.parts[2]) ** 2, variance)
        assert agree(reading.value(private.parts[3]) ** 2, variance)


@pytest.mark.parametrize(("said", "mechanism", "words"), rows("coq_not_covered"))
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
    row = writing.TheoremRow(text, Verdict.UNDECIDED, "claim_0001", reason=text or "none")
    written = writing.theorem_file([row])
    comment = written[written.rindex("(*") :]
    assert comment.count("*)") == 1
    assert '"' not in comment


@pytest.mark.parametrize(("count", "named"), [(1, "claim_1"), (3, "(claim_1, claim_2, claim_3)")])
def test_the_axioms_of_all_theorems_are_printed(count: int, named: str) -> None:
    rows = [
        writing.TheoremRow("any", Verdict.HOLDS, f"claim_{n}", "True", "exact I.")
        for n in range(1, count + 1)
    ]
    text = writing.theorem_file(rows)
    assert text.count("\nTheorem ") == count
    assert f"Definition verdicts := {named}.\nPrint Assumptions verdicts.\n" in text
    assert "Definition verdicts" not in writing.theorem_file([])


@pytest.mark.parametrize("bits", [20, 128, 512])
@pytest.mark.parametrize("x", ["0", "1e-30", "0.1", "1", "3", "8.5", "15"])
def test_so_many_terms_of_the_series_of_phi_are_asked_as_are_needed(x: str, bits: int) -> None:
    """Φ(x) = 1/2 + φ(x)·(x + x³/3 + x⁵/15 + …): what follows them is below the bound, as asked."""
    with mp.workprec(4 * bits + 400):
        place, most = mpf(x), mpf(2) ** -bits
        count = _terms(place, most)
        terms, odd = [place], 1
        while terms[-1] > most / 2**20 or odd < place * place:
            odd += 2
            terms.append(terms[-1] * place**2 / odd)
        assert len(terms) > count - 4
        rests = [sum(terms[k:]) for k in range(len(terms))]
        if mp.exp(-place * place / 2) < most:
            assert count == 0  # Φ itself is as near to 0 or to 1
        else:
            assert sum(terms[count:]) <= most
            assert count < place * place / 2 + 4 or rests[count - 4] > most


def test_too_many_terms_of_the_series_of_phi_are_refused() -> None:
    with pytest.raises(OutOfReachError, match="more than 8000 terms"):
        _terms(mpf(200), mpf(2) ** -60000)
