"""Judging in several processes says what judging in one says."""

import dataclasses
from fractions import Fraction

import pytest

from dporacle import fast
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import Case
from dporacle.conformance.ask.fresh import random_cases
from dporacle.conformance.protocol import Function
from dporacle.conformance.quantities import QUANTITIES
from dporacle.conformance.run import judging


def cases(quantity: str) -> list[Case]:
    arguments = tuple(QUANTITIES[quantity].arguments)
    asked = Function(name=quantity, quantity=quantity, arguments=arguments)
    return random_cases(asked, seed=0, rounds=6)[0][:4]


def answered(case: Case, factor: float) -> Answer:
    row = QUANTITIES[case.quantity]
    given = {name: int(v) if name in row.counts else v for name, v in case.arguments.items()}
    try:
        return Answer(end=End.VALUE, value=factor * float(row.of(fast)(**given)))
    except (ValueError, ArithmeticError):
        return Answer(end=End.REFUSED)


@pytest.mark.thorough("processes of seconds each")
def test_processes_say_the_same_in_the_same_order(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(judging, "_WORTH", 2)
    pairs = [
        (case, answered(case, factor))
        for name in ("rank_one_delta_at_epsilon", "delta_at_epsilon")
        for case in cases(name)
        for factor in (1.0, 0.5)
    ]
    alone = judging.judged_answers(pairs, told=True, processes=1)
    together = judging.judged_answers(pairs, told=True, processes=2)
    assert [each.judged for each in together] == [each.judged for each in alone]
    assert [each.failure for each in together] == [""] * len(pairs)
    assert len({each.judged.outcome for each in alone if each.judged}) > 1


def test_what_cannot_be_proved_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise ArithmeticError("out of reach")

    monkeypatch.setattr(judging, "judge", fail)
    case = cases("delta_at_epsilon")[0]
    (only,) = judging.judged_answers([(case, answered(case, 1.0))], told=True, processes=1)
    assert only.judged is None
    assert only.failure == "ArithmeticError: out of reach"
    assert only.unreached, "a fresh input"
    known = dataclasses.replace(case, proved=(Fraction(1, 8), Fraction(1, 7)))
    (only,) = judging.judged_answers([(known, answered(case, 1.0))], told=True, processes=1)
    assert not only.unreached, "a vector has its exact value"
