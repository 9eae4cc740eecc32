"""The classes, case by case, with answers made from the proofs themselves."""

import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle import enclosures
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import Case, all_cases, cases_for
from dporacle.conformance.ask.plan import planned
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome, judge
from dporacle.conformance.protocol import Function
from dporacle.conformance.quantities import QUANTITIES, enclose
from dporacle.conformance.run.runner import Fresh
from dporacle.enclosures.arithmetic.rounding import round_down, round_up
from dporacle.vectors import load
from dporacle.vocabulary import SERVED

FEW = settings(derandomize=True, deadline=None, max_examples=40)


def case(quantity: str = "calibrate_sigma", **arguments: float) -> Case:
    return Case("id", quantity, ("core",), arguments, "note")


def answered(value: float | str) -> Answer:
    return Answer(end=End.VALUE, value=value)


def judged_sigma(value: float | str, epsilon: float = 1.0, delta: float = 1e-5) -> JudgedCase:
    return judge(case(epsilon=epsilon, delta=delta, sensitivity=1.0), answered(value))


def test_sides_and_sizes() -> None:
    exact = round_up(lambda digits: enclosures.calibrate_sigma(epsilon=1, delta=1e-5))
    up = judged_sigma(exact)
    assert up.outcome is Outcome.TIGHT
    assert up.truth is not None
    assert up.truth.startswith("3.7306316")
    assert len(up.truth) >= 21
    down = judged_sigma(math.nextafter(exact, 0))
    assert down.outcome is Outcome.ROUNDED
    assert down.ulp is not None
    assert -1 <= down.ulp < 0
    assert down.delta_ratio is not None
    assert down.true_delta is not None
    half = judged_sigma(exact / 2)
    assert half.outcome is Outcome.VIOLATING
    assert half.excess == pytest.approx(-0.5)
    assert half.delta_ratio is not None
    assert half.delta_ratio > 1000
    double = judged_sigma(2 * exact)
    assert double.outcome is Outcome.LOOSE
    assert double.excess == pytest.approx(1)


@pytest.mark.parametrize(
    ("share", "outcome", "excess"),
    [
        (Fraction(99, 100), Outcome.VIOLATING, -0.01),
        (None, Outcome.TIGHT, 0.0),
        (Fraction(1001, 1000), Outcome.TIGHT, 0.001),
        (Fraction(11, 10), Outcome.LOOSE, 0.1),
    ],
)
def test_an_answer_is_measured_from_the_end_that_it_lies_beyond(
    share: Fraction | None, outcome: Outcome, excess: float
) -> None:
    """Of random allocation two ends are known: between them nothing is refuted."""
    name = "random_allocation_epsilon"
    asked = next(each for each in all_cases() if each.quantity == name and "core" in each.flags)
    assert asked.proved is not None
    low, high = asked.proved
    assert high > low * Fraction(101, 100)
    value = (low + high) / 2 if share is None else (low if share < 1 else high) * share
    found = judge(asked, answered(f"{value.numerator}/{value.denominator}"))
    assert found.outcome is outcome
    assert found.excess == pytest.approx(excess, abs=1e-7)
    if outcome is Outcome.VIOLATING:
        assert found.truth is not None
        assert low * (1 - Fraction(1, 10**9)) <= Fraction(found.truth) <= low
        assert found.harm == pytest.approx(1 / 99, rel=1e-6)


@pytest.mark.parametrize("value", [0.0, -1.0, -0.0, "-1e-400"])
def test_no_noise_gives_everything_away(value: float | str) -> None:
    judged = judged_sigma(value)
    assert judged.outcome is Outcome.VIOLATING
    assert judged.true_delta == "1"


@pytest.mark.parametrize("value", ["nan", "inf", "-inf"])
def test_no_number_is_no_answer(value: str) -> None:
    assert judged_sigma(value).outcome is Outcome.NON_FINITE


def test_an_answer_is_taken_exactly() -> None:
    ball = enclosures.calibrate_sigma(epsilon=1, delta=1e-5, digits=300)
    digits = ball.mid().str(250, radius=False)
    step = Fraction(1, 10**240)
    above, below = Fraction(str(digits)) + step, Fraction(str(digits)) - step
    assert judged_sigma(f"{above.numerator}/{above.denominator}").outcome is Outcome.TIGHT
    assert judged_sigma(f"{below.numerator}/{below.denominator}").outcome is Outcome.ROUNDED


def test_words_instead_of_numbers() -> None:
    good = case(epsilon=1.0, delta=1e-5, sensitivity=1.0)
    for kind, outcome in (
        (End.REFUSED, Outcome.REFUSES_VALID),
        (End.ERROR, Outcome.CRASH),
        (End.DIED, Outcome.CRASH),
        (End.BROKE_PROTOCOL, Outcome.CRASH),
        (End.HUNG, Outcome.HANG),
        (End.SKIPPED, Outcome.SKIPPED),
        (End.NOT_ASKED, Outcome.NOT_ASKED),
    ):
        judged = judge(good, Answer(end=kind, message="because"))
        assert judged.outcome is outcome
        assert judged.message == "because"


def test_invalid_input_is_to_be_refused() -> None:
    arguments = {"epsilon": 1.0, "delta": 0.0, "sensitivity": 1.0}
    bad = Case("id", "calibrate_sigma", ("nonsense",), arguments, "", False, (math.inf,))
    for kind in (End.REFUSED, End.ERROR):
        assert judge(bad, Answer(end=kind)).outcome is Outcome.REFUSES_INVALID
    assert judge(bad, answered("inf")).outcome is Outcome.REFUSES_INVALID
    for value in (1.0, "nan", 0.0):
        assert judge(bad, answered(value)).outcome is Outcome.ACCEPTS_INVALID
    assert judge(bad, Answer(end=End.HUNG)).outcome is Outcome.HANG


@pytest.mark.parametrize(
    ("value", "outcome"),
    [(None, "refuses invalid"), ("inf", "refuses invalid"), (5.0, "accepts invalid")],
)
def test_what_has_no_answer_is_to_be_refused(value: float | str | None, outcome: str) -> None:
    """Each argument lies in its domain, and no Laplace noise gives ε = 0 and δ = 0."""
    asked = case("laplace_calibrate_scale", epsilon=0.0, delta=0.0, sensitivity=1.0)
    answer = Answer(end=End.REFUSED) if value is None else answered(value)
    assert judge(asked, answer).outcome == outcome


def test_beyond_the_floats() -> None:
    """σ ≈ 4e624 has no float64: to say so is right, and so is an infinite upper bound."""
    vast = case(epsilon=0.0, delta=5e-324, sensitivity=1e300)
    for kind in (End.REFUSED, End.ERROR):
        assert judge(vast, Answer(end=kind)).outcome is Outcome.REFUSES_INVALID
    assert judge(vast, answered("inf")).outcome is Outcome.TIGHT
    assert judge(vast, answered("1.7976931348623157e308")).outcome is Outcome.VIOLATING
    # δ ≈ 1e-5000000: zero is below it and nearest to it, the smallest float is above it.
    tiny = case("delta_at_epsilon", epsilon=1e4, sigma=1.0, sensitivity=1.0)
    assert judge(tiny, answered(0.0)).outcome is Outcome.ROUNDED
    assert judge(tiny, answered(5e-324)).outcome is Outcome.TIGHT


def test_epsilon_zero_is_exact() -> None:
    loose = case("epsilon_at_delta", delta=0.5, sigma=1.0, sensitivity=1.0)
    assert judge(loose, answered(0.0)).outcome is Outcome.TIGHT
    assert judge(loose, answered(-1e-9)).outcome is Outcome.VIOLATING
    assert judge(loose, answered(0.1)).outcome is Outcome.LOOSE


@pytest.mark.thorough("seconds")
def test_a_correct_one_is_never_accused() -> None:
    """The certified float64 on the safe side is tight on every valid case."""
    certified = {
        f"{quantity}/{vector.id}": vector.float64
        for quantity in SERVED
        for vector in load(quantity).vectors
    }
    for item in all_cases():
        # A question of another relation is asked the same vectors, with the noise scaled.
        if not item.valid or (value := certified.get(item.id)) is None:
            continue
        assert judge(item, answered(value)).outcome is Outcome.TIGHT, item.id


@pytest.mark.parametrize("item", all_cases()[::97], ids=lambda item: item.id)
def test_the_proofs_own_rounding_is_tight(item: Case) -> None:
    if not item.valid:
        return
    quantity = QUANTITIES[item.quantity]
    rounded = round_up if quantity.safe == "up" else round_down
    try:
        value = rounded(lambda digits: enclose(quantity, item.arguments, digits=digits))
    except (OverflowError, ArithmeticError):
        return
    assert judge(item, answered(value)).outcome is Outcome.TIGHT


@FEW
@given(
    epsilon=st.floats(1e-6, 500),
    delta=st.floats(1e-200, 0.99),
    factor=st.floats(0.2, 5).filter(lambda f: abs(f - 1) > 1e-12),
)
def test_the_side_is_the_truth(epsilon: float, delta: float, factor: float) -> None:
    exact = round_up(lambda digits: enclosures.calibrate_sigma(epsilon=epsilon, delta=delta))
    judged = judged_sigma(exact * factor, epsilon, delta)
    assert (judged.outcome is Outcome.VIOLATING) == (factor < 1)
    assert judged.delta_ratio is not None
    if factor < 0.999:
        assert judged.delta_ratio > 1
    if factor > 1.001:
        assert judged.delta_ratio < 1


def test_the_cases_are_the_certified_vectors() -> None:
    ids = [item.id for item in all_cases()]
    assert len(set(ids)) == len(ids)
    for wanted in (
        "calibrate_sigma/epsilon=710;delta=1e-05;sensitivity=1",
        "calibrate_sigma/epsilon=0.001;delta=1e-12;sensitivity=1",
        "calibrate_sigma/epsilon=0;delta=5e-324;sensitivity=1",
    ):
        assert wanted in ids
    vectors = [v for quantity in SERVED for v in load(quantity).vectors]
    valid = [item for item in all_cases() if item.valid and item.quantity in SERVED]
    assert [item.arguments for item in valid] == [v.inputs for v in vectors]
    assert all(item.note and item.flags for item in all_cases())


def test_the_vector_s_enclosure_is_the_truth() -> None:
    """An outcome rests on the vector itself."""
    known = Case(
        "id", "calibrate_sigma", (), {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 1.0}, "",
        proved=(Fraction(10), Fraction(11)),
    )  # fmt: skip
    assert judge(known, answered(9.0)).outcome is Outcome.VIOLATING
    assert judge(known, answered(11.5)).outcome is Outcome.LOOSE


def test_what_a_function_is_asked() -> None:
    full = Function(
        name="f", quantity="calibrate_sigma", arguments=["epsilon", "delta", "sensitivity"]
    )
    unit = Function(name="f", quantity="calibrate_sigma", arguments=["epsilon", "delta"])
    slow = Function(name="f", quantity="calibrate_sigma", arguments=["epsilon", "delta"], slow=True)
    wrong = Function(name="f", quantity="calibrate_sigma", arguments=["epsilon", "sigma"])
    assert {c.arguments["sensitivity"] for c in cases_for(unit)} == {1.0}
    assert len(cases_for(slow)) < len(cases_for(unit)) / 2 < len(cases_for(full)) / 2
    assert cases_for(wrong) == []


def test_the_vectors_of_a_slow_function_do_not_depend_on_the_seed() -> None:
    """It is asked the first of them alone: else a grade would be one seed's."""
    for name in ("calibrate_sigma", "audit_mu", "discrete_laplace_sum_delta"):
        few = Function(
            name="f", quantity=name, arguments=list(QUANTITIES[name].arguments), slow=True
        )
        plans = [planned(few, Fresh(rounds=4, seed=seed), lambda case: True) for seed in (1, 2, 3)]
        first, *others = ([case.id for case in plan.usual] for plan in plans)
        assert others == [first] * 2, name


def test_a_slow_function_is_asked_about_every_flag() -> None:
    for quantity in QUANTITIES.values():
        few = Function(
            name="f", quantity=quantity.name, arguments=list(quantity.arguments), slow=True
        )
        everything = [c for c in all_cases() if c.quantity == quantity.name]
        asked = {flag for c in cases_for(few) for flag in c.flags}
        assert asked == {flag for c in everything for flag in c.flags}
