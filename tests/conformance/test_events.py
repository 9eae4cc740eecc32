"""One bad event among valid ones must not erase what they cost."""

import contextlib
import datetime
import itertools
import math
from collections.abc import Callable, Iterator, Sequence

import msgspec
import pytest
from conformance.faking import judged

from dporacle import fast
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.events import bad_events, single
from dporacle.conformance.ask.fresh import BAD_EVENT, LISTED, ONE_MORE, REORDERED, ConsistencyRule
from dporacle.conformance.ask.plan import planned
from dporacle.conformance.grade.grades import Grade
from dporacle.conformance.grade.runs import FunctionResult, judgement
from dporacle.conformance.judge import agreement
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome, judge
from dporacle.conformance.protocol import Function
from dporacle.conformance.quantities import QUANTITIES, enclose
from dporacle.conformance.run.runner import Fresh
from dporacle.dev.specimens import Specimen
from dporacle.dev.specimens.faulty_decades import DECADES
from dporacle.report import history
from support.dear import mostly_dear, one_of_each_cost

TWO_EVENTS = [name for name, row in QUANTITIES.items() if single(row) is not None]
GIVEN = {
    "epsilon": 0.1, "delta": 1e-5, "sigma": 1.0, "rate": 0.01, "steps": 100.0,
    "later_sigma": 2.0, "later_rate": 0.02, "later_steps": 50.0,
}  # fmt: skip


def whole(name: str, **given: float) -> float:
    """The right answer to valid events, and an error for any other."""
    row = QUANTITIES[name]
    counted = {n: int(v) if n in row.counts else v for n, v in given.items()}
    return float(row.of(fast)(**counted))


def beside(bad: Callable[[str, dict[str, float]], object], name: str) -> FunctionResult:
    """Judge who is right about valid events, and does something else beside a bad one."""

    def answer(**given: float) -> object:
        noises = given["sigma"], given["later_sigma"]
        if all(0 < noise < math.inf for noise in noises):
            return whole(name, **given)
        return bad(name, given)

    (item,) = judged(name, answer, fresh=Fresh(rounds=1, seed=3)).functions
    return item


def of_the_valid(name: str, given: dict[str, float]) -> object:
    """What the valid event costs; nothing is valid of two bad ones, which are refused."""
    row = single(QUANTITIES[name])
    assert row is not None
    kept = "later_" if not 0 < given["sigma"] < math.inf else ""
    part = {n: given[kept + n if n in ("sigma", "rate", "steps") else n] for n in row.arguments}
    return whole(row.name, **part)


def test_there_are_eight_questions_about_two_events() -> None:
    assert len(TWO_EVENTS) == 8
    for name in TWO_EVENTS:
        row = QUANTITIES[name]
        given = {n: GIVEN[n] for n in row.arguments}
        cases = list(bad_events(row, [given]))
        assert len({case.id for case in cases}) == 8
        for case in cases:
            assert not case.valid
            assert case.part is not None


def test_what_the_valid_event_costs_is_less_than_the_whole() -> None:
    row = QUANTITIES["subsampled_phases_delta"]
    given = {n: GIVEN[n] for n in row.arguments} | {"steps": 3.0, "later_steps": 2.0}
    parts = [case.part for case in bad_events(row, [given])]
    for part in (parts[0], parts[-1]):
        assert part is not None
        quantity, arguments = part
        least = enclose(QUANTITIES[quantity], arguments, digits=15)
        assert least < enclose(row, given, digits=15)


DELTAS = [name for name in TWO_EVENTS if "delta" in name]
SEVERAL = [*DELTAS, "subsampled_phases_epsilon"]
"""The ε of a relation is asked as its δ is, and proving it takes seconds: one of four."""


@pytest.mark.parametrize("name", mostly_dear(SEVERAL, 5))
def test_who_lets_a_bad_event_erase_a_good_one_breaks_a_promise(name: str) -> None:
    item = beside(lambda name, given: 0.0, name)
    found = [v for v in item.judged if BAD_EVENT in v.flags and "repeat" not in v.flags]
    # What the valid event costs may be beyond an enclosure in one of its two places.
    assert len(found) in (4, 8)
    assert {each.outcome for each in found} == {Outcome.VIOLATING}
    assert item.grade is Grade.EXTREMES
    assert all(each.level is not None and each.level.rank > Level.SLIGHT.rank for each in found)
    assert "less than what the valid event costs" in found[0].message
    assert {each.quantity for each in found} == {name}


BESIDE: dict[str, Callable[[str, dict[str, float]], object]] = {
    "counts the valid one": of_the_valid,
    "refuses": lambda name, given: whole(name, **given),
    "NaN": lambda name, given: math.nan,
    "infinity": lambda name, given: "inf",
}


@pytest.mark.parametrize(("kind", "name"), mostly_dear(zip(BESIDE, DELTAS, strict=True), 5))
def test_who_refuses_or_counts_the_valid_one_breaks_none(kind: str, name: str) -> None:
    item = beside(BESIDE[kind], name)
    assert item.grade in (Grade.TIGHT, Grade.LOOSE), item.said
    told = [each for each in item.judged if BAD_EVENT in each.flags]
    assert {v.outcome for v in told} <= {Outcome.REFUSES_INVALID, Outcome.ACCEPTS_INVALID}
    if BESIDE[kind] is of_the_valid:
        infinite = [each for each in told if "inf" in each.arguments.values()]
        outcomes = {each.outcome for each in infinite}
        assert outcomes == {Outcome.REFUSES_INVALID}, "infinite noise tells nothing"


def test_what_is_found_of_a_library_this_way_is_private() -> None:
    run = judgement([judged("subsampled_phases_epsilon", lambda **given: 0.0)])
    (item,) = run.items
    item.judged = [each for each in item.judged if BAD_EVENT in each.flags]
    (target,) = run.targets
    target.name = "opacus"
    kept = history.record(run, datetime.date(2026, 1, 1))
    assert (kept.rows, kept.held_back) == ((), 1)
    target.name = "mine"
    (row,) = history.record(run, datetime.date(2026, 1, 1)).rows
    assert msgspec.structs.replace(row, library="opacus").private


COMPOSED = [name for name, row in QUANTITIES.items() if any(a.uses for a in row.rows.values())]


def laws(name: str, seed: int = 3) -> list[ConsistencyRule]:
    """What is asked of the compositions of a function in one run."""
    function = Function(name="f", quantity=name, arguments=list(QUANTITIES[name].arguments))
    relations = planned(function, Fresh(rounds=12, seed=seed), lambda case: False).relations
    return [each for each in relations if each.rule in (ONE_MORE, REORDERED, LISTED)]


def answers(specimen: Specimen, relation: ConsistencyRule) -> list[JudgedCase]:
    """What a specimen answers to both cases of a relation, judged."""
    found, row = [], QUANTITIES[specimen.function]
    for case in (relation.first, relation.second):
        given = {n: int(v) if n in row.counts else v for n, v in case.arguments.items()}
        answer = Answer(end=End.VALUE, value=float(specimen.make()(**given)))  # type: ignore[arg-type]
        found.append(judge(case, answer, told=False))
    return agreement.consistent(found, [relation])


@pytest.mark.parametrize("name", mostly_dear(COMPOSED, 4))
def test_what_an_accountant_owes_is_asked(name: str) -> None:
    row, found = QUANTITIES[name], laws(name)
    rules = {each.rule for each in found}
    ordered = any(each.uses and (row.rises(n) or row.falls(n)) for n, each in row.rows.items())
    assert rules == ({ONE_MORE} if ordered else set()) | (
        {REORDERED, LISTED} if single(row) else set()
    )
    for each in found:
        counts = [sum(v for n, v in case.arguments.items() if n.endswith(("steps", "releases")))
                  for case in (each.first, each.second)]  # fmt: skip
        assert counts[1] - counts[0] == (each.rule == ONE_MORE)
        assert abs(each.side) == (each.rule == ONE_MORE)


OWED = {
    "a-single-event-costs-more-in-subsampled-phases-epsilon": LISTED,
    "the-larger-phase-comes-second-in-subsampled-phases-epsilon": REORDERED,
    "odd-numbers-cost-more-in-subsampled-epsilon": ONE_MORE,
}


def proved(specimen: Specimen, relations: Sequence[ConsistencyRule]) -> Iterator[list[JudgedCase]]:
    """The answers to each relation of which both exact values are proved, as a run judges them."""
    for relation in relations:
        with contextlib.suppress(ArithmeticError):
            yield answers(specimen, relation)


@pytest.mark.parametrize("name", mostly_dear(OWED, 3))
def test_who_does_not_do_what_an_accountant_owes_is_told(name: str) -> None:
    """Answers that are all safe, and do not fit each other; the right ones do."""
    (specimen,) = (each for each in DECADES if each.name == name)
    relations = [each for each in laws(specimen.function) if each.rule == OWED[name]]
    outcomes = {found[1].outcome for found in proved(specimen, relations)}
    assert Outcome.INCONSISTENT in outcomes
    assert Outcome.VIOLATING not in outcomes


@pytest.mark.parametrize("name", one_of_each_cost(COMPOSED, QUANTITIES))
def test_right_answers_do_what_an_accountant_owes(name: str) -> None:
    row = QUANTITIES[name]
    right = Specimen(name="right", function=name, fault="", make=lambda: row.of(fast))
    relations = laws(name)
    if row.rounds:  # seconds each: the first of each law whose values are proved
        by_rule = (
            [r for r in relations if r.rule == rule] for rule in (ONE_MORE, REORDERED, LISTED)
        )
        found = [pair for some in by_rule for pair in itertools.islice(proved(right, some), 1)]
    else:
        found = list(proved(right, relations))
    assert found
    assert Outcome.INCONSISTENT not in {each.outcome for pair in found for each in pair}
