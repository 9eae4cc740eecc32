"""Fresh inputs convict who has memorised the vectors, and accuse nobody who is right."""

import json
import math
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from conformance.faking import Faked, SkipError
from conformance.faking import judged as faked

from dporacle import enclosures, fast
from dporacle.cli import main
from dporacle.conformance.ask import fresh
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import Case, all_cases
from dporacle.conformance.ask.fresh import random_cases
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.judge import agreement
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome, judge
from dporacle.conformance.protocol import Capabilities, Function
from dporacle.conformance.quantities import QUANTITIES, enclose
from dporacle.conformance.run.runner import (
    Fresh,
    Patience,
    TargetResult,
    collect_and_judge,
    command_target,
    judge_child,
)
from support.dear import mostly_dear, one_of_each_cost

SCRIPT = Path(__file__).with_name("specimens.py")
LIMITS = Patience(request=2, start=30)
FULL = {
    quantity.name: Function(
        name="f", quantity=quantity.name, arguments=list(quantity.arguments)
    )
    for quantity in QUANTITIES.values()
}  # fmt: skip


def judged(name: str, seed: int, rounds: int = 4) -> TargetResult:
    target = command_target([sys.executable, "-I", "-S", str(SCRIPT), name])
    (result,) = collect_and_judge([target], LIMITS, fresh=Fresh(rounds, seed))
    assert not result.failure
    return result


def wrong(result: TargetResult) -> list[JudgedCase]:
    return [v for item in result.functions for v in item.judged if v.flawed]


@pytest.mark.parametrize(
    "name", mostly_dear(["memory_nearest", "memory_refusing", "memory_noisy"], 3)
)
def test_the_vectors_by_heart_do_not_pass(name: str) -> None:
    assert not wrong(judged(name, seed=0, rounds=0)), "on the vectors alone it is perfect"
    for seed in (1, 2, 3):
        found = wrong(judged(name, seed=seed))
        assert found
        assert all(set(v.flags) & set(fresh.RULES) for v in found)


def test_memorised_answers_are_convicted_for_the_right_reason() -> None:
    outcomes = {
        name: {v.outcome for v in wrong(judged(name, seed=1))}
        for name in ("memory_nearest", "memory_refusing", "memory_noisy")
    }
    assert Outcome.VIOLATING in outcomes["memory_nearest"]
    assert outcomes["memory_refusing"] == {Outcome.INCONSISTENT}
    assert outcomes["memory_noisy"] == {Outcome.INCONSISTENT}


def test_the_correct_specimen_is_not_accused() -> None:
    for seed in range(3):
        assert not wrong(judged("correct", seed))


def rounds_with_a_partner(quantity: str) -> int:
    """As many rounds as a dear quantity needs for one draw with relations; 0 if it is cheap."""
    return 16 * (QUANTITIES[quantity].rounds or 0)


@pytest.mark.parametrize("quantity", one_of_each_cost(QUANTITIES, QUANTITIES))
def test_cases_follow_from_the_seed(quantity: str) -> None:
    rounds = rounds_with_a_partner(quantity) or 5
    one, related = random_cases(FULL[quantity], seed=7, rounds=rounds)
    again, _ = random_cases(FULL[quantity], seed=7, rounds=rounds)
    other, _ = random_cases(FULL[quantity], seed=8, rounds=rounds)
    ids = {case.id for case in one}
    assert one == again or repr(one) == repr(again)  # NaN is not equal to itself
    assert not ids & {case.id for case in other if "random" in case.flags}
    assert not ids & {case.id for case in all_cases()}
    row = QUANTITIES[quantity]
    ordered = any(name in row.ordered for name in row.arguments)
    rules = {"repeat", *(["monotone"] if ordered else []), *(["scale"] if row.data_unit else [])}
    assert {relation.rule for relation in related} == rules
    assert all(relation.second.id in ids for relation in related)


def exact(case: Case) -> JudgedCase:
    """The best answer in float64."""
    row = QUANTITIES[case.quantity]
    rounded = enclosures.round_up if row.safe == "up" else enclosures.round_down
    value = rounded(lambda digits: enclose(row, case.arguments, digits=digits))
    return judge(case, Answer(end=End.VALUE, value=value))


@pytest.mark.parametrize("quantity", one_of_each_cost(QUANTITIES, QUANTITIES))
def test_the_relations_are_true(quantity: str) -> None:
    """The exact values fulfil all of them, as they do the laws of order and of units."""
    dear = rounds_with_a_partner(quantity)
    for seed in range(1 if dear else 4):
        _, related = random_cases(FULL[quantity], seed=seed, rounds=dear or 2)
        if not QUANTITIES[quantity].ordered and not QUANTITIES[quantity].data_unit:
            assert all(each.rule == "repeat" for each in related)
            continue
        assert any(each.rule != "repeat" for each in related)
        # What is asked twice has one exact value.
        related = [each for each in related if each.rule != "repeat"]
        pairs = {c.id: c for relation in related for c in (relation.first, relation.second)}
        judged = agreement.consistent([exact(case) for case in pairs.values()], related)
        assert all(v.outcome is not Outcome.INCONSISTENT for v in judged)


def test_counts_stay_whole_and_theorems_within_their_reach() -> None:
    for quantity in QUANTITIES.values():
        cases, related = random_cases(FULL[quantity.name], seed=3, rounds=40)
        for case in cases:
            assert all(case.arguments[name].is_integer() for name in quantity.counts)
            if case.valid:
                assert all(case.arguments[n] in quantity.rows[n].domain for n in quantity.counts)
                assert case.arguments.get("order", 1.0) >= 1
                assert quantity.name != "classical_sigma" or case.arguments["epsilon"] <= 1
            else:  # a threshold may be negative: what is to be refused lies beyond its domain
                assert any(
                    not math.isfinite(value) or value not in quantity.rows[name].domain
                    for name, value in case.arguments.items()
                )
            # What is true as a limit is no nonsense: at μ = 0 the trade-off is 1 − α.
            assert quantity.name != "gdp_tradeoff" or case.arguments["mu"] != 0
        if quantity.name == "discrete_delta_at_epsilon":  # it is not monotone in σ
            assert all(
                relation.first.arguments["sigma"] == relation.second.arguments["sigma"]
                for relation in related
            )


def test_a_whole_number_may_rise_by_one() -> None:
    _, related = random_cases(FULL["discrete_accuracy"], seed=1, rounds=1)
    (relation,) = (each for each in related if each.rule == "monotone")
    related = [relation]
    first = exact(relation.first)
    truth = float(str(exact(relation.second).truth))
    for extra, broken in ((1.0, False), (1.0 + 0.01 * float(str(first.truth)) + truth, True)):
        value = float(str(first.truth)) + extra
        second = judge(relation.second, Answer(end=End.VALUE, value=value))
        judged = agreement.consistent([first, second], related)
        assert (judged[1].outcome is Outcome.INCONSISTENT) is broken


def test_a_function_without_sensitivity_is_not_asked_about_it() -> None:
    unit = Function(name="f", quantity="calibrate_sigma", arguments=["epsilon", "delta"])
    cases, related = random_cases(unit, seed=1, rounds=20)
    assert {case.arguments["sensitivity"] for case in cases} == {1.0}
    assert {relation.rule for relation in related} == {"monotone", "repeat"}


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_a_function_without_a_needed_argument_is_asked_nothing(quantity: str) -> None:
    for name in set(QUANTITIES[quantity].arguments) - {"sensitivity"}:
        lacking = Function(name="f", quantity=quantity, arguments=[name])
        row = QUANTITIES[quantity]
        rest = set(row.arguments) - {name} - set(row.defaults)
        assert bool(rest) is (random_cases(lacking, seed=1, rounds=2) == ([], []))


@pytest.mark.thorough("libraries are judged")
def test_the_seed_is_printed_and_can_be_given() -> None:
    command = ["conform", "--adapter", f"{sys.executable} -I -S {SCRIPT} correct"]
    runner = CliRunner()
    assert "--random 149 --seed " in runner.invoke(main, command).stdout
    result = runner.invoke(main, [*command, "--random", "3", "--seed", "11", "--json"])
    document = json.loads(result.stdout)
    assert document["fresh"] == {"rounds": 3, "seed": 11}
    none = runner.invoke(main, [*command, "--random", "0", "--json"])
    judged = json.loads(none.stdout)["targets"][0]["functions"][0]["verdicts"]
    assert {v["case"] for v in judged} <= {case.id for case in all_cases()}


class Restarted(Faked):
    """Half the noise from its second process."""

    starts = 0

    def start(self, *, timeout: float) -> Capabilities:
        self.starts += 1
        return super().start(timeout=timeout)

    def stop(self) -> bool:
        self.running = False
        return True


def test_a_second_process_is_asked_too() -> None:
    child: Restarted

    def answer(**given: float) -> float:
        return float(fast.calibrate_sigma(**given)) / min(child.starts, 2)

    child = Restarted({"f": ("calibrate_sigma", answer)})
    result = judge_child(child, "faked", Patience(), lambda case: True, Fresh(rounds=4, seed=1))
    assert child.starts == 2
    found = wrong(result)
    assert {v.flags[0] for v in found} == {"repeat"}  # and those of what is repeated
    assert {v.outcome for v in found} == {Outcome.VIOLATING}
    assert 16 <= len(found) < 32


@pytest.mark.parametrize("decline", [SkipError, ValueError])
def test_who_declines_what_was_answered_is_told(decline: type[Exception]) -> None:
    seen: set[tuple[float, ...]] = set()

    def answer(**given: float) -> float:
        if (key := tuple(given.values())) in seen:
            raise decline
        seen.add(key)
        return float(fast.calibrate_sigma(**given))

    result = faked("calibrate_sigma", answer)
    found = wrong(result)
    assert {v.outcome for v in found} == {Outcome.INCONSISTENT}
    assert all(v.message.startswith("declined, where the same was answered") for v in found)
    (standing,) = judgement([result]).standings
    assert standing.state == "conformant", "who refuses harms nobody"
    assert standing.remarks == (f"{len(found)} answers do not fit others",)


def test_an_input_is_asked_three_times_in_a_row() -> None:
    cases, related = random_cases(FULL["calibrate_sigma"], seed=1, rounds=12)
    at = {case.id: place for place, case in enumerate(cases)}
    near = [r for r in related if at[r.second.id] == at.get(r.first.id, len(at)) + 1]
    assert len(near) == 2
    assert near[0].second == near[1].first
    assert len({case.id for case in cases}) == len(cases)


def test_numbers_are_computed_too() -> None:
    """More than three of each kind in a run, in the mean of four."""
    runs = [random_cases(FULL["calibrate_sigma"], seed=seed, rounds=149)[0] for seed in range(1, 5)]
    typed = [c.arguments for cases in runs for c in cases if c.flags == ("random-typed",)]
    assert sum(given["sensitivity"] in (2**0.5, 3**0.5, 5**0.5, 1 / 3, 1 / 6) for given in typed)
    deltas = [g["delta"] for g in typed if g["delta"] != float(f"{g['delta']:.2e}")]
    for power in (-1, -1.1):
        counts = [delta ** (1 / power) for delta in deltas]
        assert sum(abs(each / float(f"{each:.2e}") - 1) < 1e-12 for each in counts) > 3 * len(runs)
