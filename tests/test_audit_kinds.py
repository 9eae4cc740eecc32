"""Verdicts on claims about other noise, other notions of privacy, formulas and inequalities."""

from collections import Counter
from fractions import Fraction
from pathlib import Path

import pytest
from flint import arb
from hypothesis import example, given, settings
from hypothesis import strategies as st
from test_audit import Content, formula, judged, privacy, release

from dporacle import claims, enclosures
from dporacle.claims import judge, wording
from dporacle.claims.assertions import conversion as conversions
from dporacle.claims.assertions import formula as formulas
from dporacle.claims.assertions import inequality as inequalities
from dporacle.claims.decision import decide_probability
from dporacle.claims.mechanisms import DiscreteGaussianMechanism
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import precision
from dporacle.verdicts import Verdict
from dporacle.vocabulary import statements as catalogue
from dporacle.wings.papers import rank_one_claims as rank_one
from support.cases import rows
from support.strategies import deltas, epsilons, positives

ACCURACY = {"kind": "accuracy", "at_most": 29, "alpha": "0.05", "queries": 10}


def rank_one_noise(dimension: int, **values: object) -> Content:
    return release("rank-one", dimension=dimension, **values)


def discrete_noise(**values: object) -> Content:
    return release("discrete-gaussian", **values)


def conversion(epsilon: object, delta: object, **given: object) -> Content:
    if "rho" in given:
        given["kind"] = "zcdp"
    elif "mu" in given:
        given["kind"] = "gdp"
    return {"kind": "conversion", "given": given, "epsilon": epsilon, "delta": delta}


RDP = {"kind": "rdp", "order": 32, "epsilon": 1}


def inequality(statement: str, **at: object) -> Content:
    return {"kind": "inequality", "statement": statement, "at": at}


AT_A_POINT = dict.fromkeys(("epsilon", "norm", "mean"), 1)
AT_A_POINT |= dict.fromkeys(("sigma", "nonzero", "error", "factor"), 2)
AT_A_POINT |= {"delta": "1e-5", "rho": "1/2", "beta": "1/20", "dimension": 5, "queries": 10}


@pytest.mark.parametrize("statement", inequalities.INEQUALITIES)
def test_both_sides_of_an_inequality_are_compared_with_as_many_digits_as_are_asked(
    statement: str,
) -> None:
    names, _ = inequalities.INEQUALITIES[statement]
    point = {name: Fraction(AT_A_POINT[name]) for name in names}
    balls = [inequalities._QUOTIENTS[statement](point, digits) for digits in (5, 12, 25)]
    for digits, found in zip((5, 12, 25), balls, strict=True):
        with precision(200):
            assert found.rad() <= abs(found.mid()) * arb(10) ** -digits, digits
            assert found.overlaps(balls[-1])


def test_every_name_is_judged_here_and_known_to_the_catalogue() -> None:
    asserted = [asserts for _, asserts, *_ in rows("verdicts")]
    names = {said["name"] for said in asserted if said["kind"] == "formula"}
    assert names | {"classical", "dwork-2006"} == set(formulas.FORMULAS)
    named = {said["statement"] for said in asserted if said["kind"] == "inequality"}
    assert named == set(inequalities.INEQUALITIES) == set(inequalities._QUOTIENTS)
    for name in named:
        catalogue.statement(name.removesuffix(".closed").removesuffix(".misquoted")
                            .removesuffix(".reversed").removesuffix(".extremes"))  # fmt: skip


@settings(max_examples=25)
@given(st.integers(4, 9), positives(1e-3, 1e6), positives(1e-3, 5.0), positives(1e-9, 0.9))
@example(dimension=4, sigma_star=100.0, epsilon=0.1, delta=0.08)
def test_rank_one_verdicts_are_those_of_the_exact_profile(
    dimension: int, sigma_star: float, epsilon: float, delta: float
) -> None:
    claim = claims.make(
        {
            "id": "x",
            "mechanism": rank_one_noise(dimension, sigma_star=sigma_star),
            "asserts": privacy(epsilon, delta),
        }
    )
    exact = enclosures.rank_one_delta_at_epsilon(
        epsilon=epsilon, sigma_star=sigma_star, dimension=dimension, digits=15
    )
    side = rounding.side(exact, Fraction(delta))
    decided = judge.decide(claim)
    assert side == 0 or decided.verdict == (Verdict.HOLDS if side < 0 else Verdict.VIOLATED)
    assert rounding.bounds(decided.below)[0] <= rounding.bounds(exact)[1]
    assert rounding.bounds(decided.above)[1] >= rounding.bounds(exact)[0]


@given(positives(0.05, 30.0), st.integers(1, 20), epsilons(20.0), st.booleans())
def test_discrete_profiles_are_those_of_the_enclosures(
    sigma: float, sensitivity: int, epsilon: float, doubled: bool
) -> None:
    about = DiscreteGaussianMechanism(
        neighbours="add-remove", sensitivity=sensitivity, sigma=Fraction(sigma)
    )
    ours = about.delta_at_epsilon(
        epsilon=Fraction(epsilon), neighbours="replace-one" if doubled else "add-remove", digits=25
    )
    theirs = enclosures.discrete_delta_at_epsilon(
        epsilon=epsilon, sigma=sigma, sensitivity=sensitivity * (1 + doubled), digits=25
    )
    assert ours.overlaps(theirs)


@given(positives(1e-4, 1e4), epsilons(1e4), deltas())
def test_conversions_are_never_below_the_gaussian(rho: float, epsilon: float, delta: float) -> None:
    decided = judge.decide(claims.make({"id": "x", "asserts": conversion(epsilon, delta, rho=rho)}))
    assert not decided.above < decided.below


@given(positives(0.05, 1e2), epsilons(10.0))
def test_the_order_of_a_conversion_is_the_best_one(mu: float, epsilon: float) -> None:
    said = claims.make(
        {"id": "x", "asserts": conversion(epsilon, "0.5", rho=Fraction(mu) ** 2 / 2)}
    )
    step = conversions.best_step(said.asserts)
    ours = conversions.at_step(said.asserts, step, 20)
    best = enclosures.rdp_delta(epsilon=epsilon, mu=mu, digits=20)
    assert not ours < best
    with precision(128):
        assert ours / best - 1 < 1e-15


@settings(max_examples=25)
@given(st.data(), epsilons(), deltas(), positives(), positives())
@example(data=None, epsilon=2.4249639603678564e-220, delta=3.495439634694278e-170, one=1, two=3)
def test_claims_of_any_size_are_audited(
    data: st.DataObject | None, epsilon: float, delta: float, one: float, two: float
) -> None:
    """No claim crashes or hangs, words included; what is out of reach is UNDECIDED."""
    said = privacy(epsilon, delta, "replace-one")
    choices = [
        (rank_one_noise(3, published={"epsilon": one, "delta": delta}), said),
        (None, formula("r1smg", epsilon or 1, delta) | {"dimension": 10}),
        (discrete_noise(sigma=min(two, 1e15)), said),
        (discrete_noise(rho=max(two, 1e-4)), ACCURACY | {"at_most": one}),
        (None, conversion(epsilon, delta, rho=two)),
        (
            None,
            conversion(epsilon, delta)
            | {"given": RDP | {"epsilon": one, "order": 1 + Fraction(two)}},
        ),
        (None, inequality("X.ZCDP", epsilon=one, sigma=two)),
        (None, inequality("JL24.L2", epsilon=one, delta=delta)),
    ]
    found = judged(*(data.draw(st.sampled_from(choices)) if data else choices[0]))
    assert found.margin
    assert (found.verdict is Verdict.UNDECIDED) == bool(found.reason)


@pytest.mark.parametrize(("mechanism", "asserts", "message"), rows("refused_claims"))
def test_what_is_no_claim_is_refused_in_words(
    mechanism: Content | None, asserts: Content, message: str
) -> None:
    with pytest.raises(ValueError, match=message):
        judged(mechanism, asserts)


def test_the_cheapest_proof_is_taken() -> None:
    def proof(dimension: int, epsilon: object, delta: object) -> str:
        said = formula("r1smg", epsilon, delta) | {"dimension": dimension}
        return judge.decide(claims.make({"id": "x", "asserts": said})).proof

    assert proof(7921, "1e-5", "1e-7") == rank_one.INNER_BALL
    assert proof(3, "1e-5", "1e-5") == rank_one.TOTAL_VARIATION
    assert proof(3, 1, "1e-5") == "exact value"


def test_the_example_of_what_papers_say() -> None:
    path = Path(__file__).resolve().parent.parent / "examples" / "papers.toml"
    found = [judge.decide(claim).verdict for claim in claims.load(path).claims]
    assert Counter(found) == {"HOLDS": 2, "VIOLATED": 4, "UNDECIDED": 1}


def test_a_quotient_too_large_to_be_written_out_is_not_shown_as_tiny() -> None:
    said = inequality("JL24.T3.extremes", dimension=7921, factor=10)
    found = judged(None, said)
    assert found.verdict == "VIOLATED"
    assert (found.low, found.high) == ("1e+2000", "Infinity")
    assert found.margin.endswith("the left side is more than 1e+2000 times the right side")
    assert "∈ [1e+2000, ∞)" in judge.table([found])[1][2]
    assert claims.certificate(found)["low"] == "1e+2000"


def test_a_quotient_out_of_reach_is_not_said_to_be_at_most_one() -> None:
    found = judged(None, inequality("JL24.T3.extremes", dimension=7921, factor="1e300"))
    assert found.verdict == "UNDECIDED"
    assert (found.low, found.high) == ("0", "Infinity")
    assert found.margin == "nothing is proved"


@pytest.mark.parametrize("delta", [0, 1])
def test_the_trivial_bounds_of_a_probability_need_no_enclosure(delta: int) -> None:
    def out_of_reach(digits: int) -> arb:
        raise ArithmeticError(f"no ball of {digits} digits")

    found = decide_probability(out_of_reach, "delta", Fraction(delta))
    assert found.verdict == ("HOLDS" if delta else "VIOLATED")
    assert wording.ends(found) == ("0", "1")
    assert wording.compare("true δ", found).startswith(
        "true δ is at most" if delta else "true δ is above 0"
    )


@given(
    epsilon=st.fractions("1e-3", 20, max_denominator=10**4),
    power=st.floats(-11, -1),
    sigma=st.fractions("0.2", 100, max_denominator=10**4),
    times=st.integers(1, 100),
)
@settings(max_examples=20)
def test_the_least_epsilon_of_a_privacy_claim_agrees_with_its_verdict(
    epsilon: Fraction, power: float, sigma: Fraction, times: int
) -> None:
    delta = Fraction(10**power)
    mechanism = {"kind": "composition", "releases": [release(sigma=sigma)], "times": times}
    found = judged(mechanism, privacy(epsilon, delta))
    ends = found.epsilon
    assert ends is not None
    assert ends.high is not None
    assert (epsilon >= ends.high) == (found.verdict == "HOLDS")
    assert (epsilon <= ends.low) == (found.verdict == "VIOLATED")
    assert 0 <= ends.low <= ends.high <= ends.low * (1 + Fraction("1e-9")) + Fraction("1e-9")
    # Of replacing a record only an upper end is known, by twice the sensitivity for adding one.
    replacing = judged(mechanism, privacy(epsilon, delta, "replace-one"))
    assert replacing.epsilon is not None
    assert replacing.epsilon.low == 0
    assert replacing.epsilon.high is not None
    assert replacing.epsilon.high >= ends.low
    assert (epsilon >= replacing.epsilon.high) == (replacing.verdict == "HOLDS")
    # Of two releases whose sensitivities nobody says to be attained together it is between ends.
    open_ends = judged(
        mechanism | {"releases": [release(sigma=sigma)] * 2}, privacy(epsilon, delta)
    )
    assert open_ends.epsilon is not None
    assert open_ends.epsilon.high is not None
    assert open_ends.epsilon.high >= ends.high
    assert (epsilon >= open_ends.epsilon.high) == (open_ends.verdict == "HOLDS")
    assert (epsilon <= open_ends.epsilon.low) == (open_ends.verdict == "VIOLATED")
