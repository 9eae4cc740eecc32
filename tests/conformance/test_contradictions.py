"""Two functions of one library that answer the same event are set against each other."""

import math

from dporacle.conformance.ask.cases import Case, all_cases
from dporacle.conformance.ask.fresh import worked
from dporacle.conformance.judge.contradictions import contradictions
from dporacle.conformance.judge.outcomes import Answer, End, JudgedCase, judge
from dporacle.conformance.protocol import Function

QUANTITY = "epsilon_at_delta, replace-one"


def case(quantity: str = QUANTITY, sigma: float = 4.0) -> Case:
    """Return the vector for δ = 1e-5 and this noise."""
    return next(
        each
        for each in all_cases()
        if each.quantity == quantity
        and each.valid
        and (each.arguments["sigma"], each.arguments["delta"]) == (sigma, 1e-5)
    )


def answered(name: str, *answers: tuple[Case, float]) -> tuple[str, list[JudgedCase]]:
    """Return a function that gave these answers."""
    function = Function(name=name, quantity=answers[0][0].quantity, arguments=["delta", "sigma"])
    judged = [judge(each, Answer(end=End.VALUE, value=value)) for each, value in answers]
    return function.name, judged


def test_two_accountants_that_mean_different_units_are_a_finding() -> None:
    """The figures of google/differential-privacy#378."""
    rdp = answered("RDP", (case(), 1.0125506277526433))
    pld = answered("PLD", (case(), 1.993091407908809))
    (found,) = contradictions([rdp, pld])
    assert (found.wrong, found.right) == ("RDP", "PLD")
    assert "RDP says 1.01255 and PLD 1.99309 for the same question" in found.text
    assert "The proved value is 1.9930914" in found.text
    assert (
        "With the noise over Δ instead of C it would be 0.926342: the first would then be right, "
        "the second 2.15 times that." in found.text
    )


def test_the_plainest_case_is_told() -> None:
    asked = (each for each in all_cases() if each.quantity == QUANTITY and each.valid)
    wild = max(asked, key=lambda each: len(each.id))
    plain = case()
    rdp = answered("RDP", (wild, 1e-9), (plain, 1.0125506277526433))
    pld = answered("PLD", (wild, 1e9), (plain, 1.993091407908809))
    (found,) = contradictions([rdp, pld])
    assert found.arguments == {name: value.hex() for name, value in plain.arguments.items()}


def test_bounds_of_which_each_may_be_right_are_none() -> None:
    """A loose bound and a tight one, two wrong ones, and one off by rounding."""
    loose, tight = answered("loose", (case(), 2.5)), answered("tight", (case(), 1.993091407908809))
    assert not contradictions([loose, tight])
    assert not contradictions([answered("a", (case(), 1.0)), answered("b", (case(), 1.5))])
    down = answered("down", (case(), math.nextafter(1.9930914, 0.0)))
    assert not contradictions([down, tight])
    assert not contradictions([down, loose])
    assert not contradictions(
        [answered("a", (case(), 1.0)), answered("b", (case(sigma=1.0), 11.0))]
    )


def test_what_misleads_nobody_is_told_of_the_functions_alone() -> None:
    """An answer of 0 beside a formula that gives 1e300, and an input where nobody works."""
    zero, huge = answered("zero", (case(), 0.0)), answered("huge", (case(), 1e300))
    assert not contradictions([zero, huge])
    assert contradictions([zero, answered("right", (case(), 1.9930915))])
    extreme = next(
        each
        for each in all_cases()
        if each.quantity == QUANTITY
        and not worked(each.flags)
        and each.proved is not None
        and 0 < each.proved[1] < 10**300
    )
    assert extreme.proved is not None
    above = float(extreme.proved[1]) * 1.001
    assert not contradictions([answered("zero", (extreme, 0.0)), answered("up", (extreme, above))])


def test_a_run_of_dp_sgd_is_read_in_both_units() -> None:
    run = case("subsampled_epsilon_replace", 1.1)
    names = list(run.arguments)
    a, b = (answered(name, (run, value)) for name, value in (("a", 2.6), ("b", 4.2215309)))
    assert names == ["delta", "sigma", "rate", "steps"]
    (found,) = contradictions([a, b])
    assert "With the noise over Δ instead of C" in found.text
