"""A correct adapter, transformed: relations swapped, units halved, thresholds shifted, gates gamed.

Each is made of the float64 witness by one change, and has the grade that the change deserves; the
witness itself is graded sound wherever one was made of it.
"""

import math
import zlib
from collections.abc import Callable
from functools import cache
from typing import Any

import pytest
from conformance.faking import Faked

from dporacle import fast
from dporacle.conformance.ask.cases import Case, all_cases
from dporacle.conformance.ask.plan import Fresh
from dporacle.conformance.grade.functions import Standing, State
from dporacle.conformance.grade.grades import GOOD, SOUND, Grade
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.quantities import QUANTITIES
from dporacle.conformance.run.runner import Patience, judge_child

Answer = Callable[..., float]
Change = Callable[[Answer], Answer]


def honest(quantity: str) -> Answer:
    """Return the float64 witness's function, which is safe and refuses what it has to refuse."""
    row = QUANTITIES[quantity]

    def answer(**given: float) -> float:
        whole = {n: int(value) if n in row.counts else value for n, value in given.items()}
        try:
            return float(row.of(fast)(**whole))
        except OverflowError as error:
            raise ValueError(str(error)) from None

    return answer


def few(case: Case) -> bool:
    """Everyday vectors, those to be refused, and every eighth other one."""
    return "core" in case.flags or not case.valid or zlib.crc32(case.id.encode()) % 8 == 0


@cache
def standing(quantity: str, name: str = "") -> Standing:
    answer = TRANSFORMED[name][1](honest(quantity)) if name else honest(quantity)
    child = Faked({"f": (quantity, answer)})
    result = judge_child(child, "f", Patience(), few, Fresh(rounds=6, seed=29))
    (found,) = judgement([result]).standings
    return found


def times(factor: float) -> Change:
    return lambda answer: lambda **given: answer(**given) * factor


def given_other(**factors: float) -> Change:
    """Multiply arguments, as somebody does who takes one unit for another."""

    def change(answer: Answer) -> Answer:
        return lambda **given: answer(**{n: v * factors.get(n, 1) for n, v in given.items()})

    return change


def without(name: str) -> Change:
    """Pass 1 for an argument whatever it is; what is no number is still refused."""

    def change(answer: Answer) -> Answer:
        def ignoring(**given: float) -> float:
            answer(**given)
            return answer(**{**given, name: 1.0})

        return ignoring

    return change


def of(quantity: str) -> Change:
    """Answer another question, as who takes one relation for another."""

    def change(answer: Answer) -> Answer:
        other = honest(quantity)
        lacking = QUANTITIES[quantity].defaults
        names = QUANTITIES[quantity].arguments
        return lambda **given: other(**{n: {**lacking, **given}[n] for n in names})

    return change


def shifted(by: int) -> Change:
    """Count what lies beyond the threshold and not what lies at it, or the other way round."""
    return lambda answer: lambda **given: answer(**{**given, "threshold": given["threshold"] + by})


def squared(answer: Answer) -> Answer:
    return lambda **given: answer(**given) ** 2


def only_where(
    condition: Callable[[dict[str, float]], bool], then: Callable[[float], Any]
) -> Change:
    def change(answer: Answer) -> Answer:
        def changed(**given: float) -> float:
            value = answer(**given)
            return then(value) if condition(given) else value

        return changed

    return change


def unchecked(instead: float) -> Change:
    """Answer what is to be refused too."""

    def change(answer: Answer) -> Answer:
        def accepting(**given: float) -> float:
            try:
                return answer(**given)
            except (ValueError, TypeError):
                return instead

        return accepting

    return change


def refusing(share: float) -> Change:
    """Decline a share of all inputs, as somebody does whose refusals are to hide faults."""

    def change(answer: Answer) -> Answer:
        def choosy(**given: float) -> float:
            value = answer(**given)
            if zlib.crc32(repr(given).encode()) / 2**32 < share:
                raise ValueError("not today")
            return value

        return choosy

    return change


def by_heart(answer: Answer) -> Answer:
    """Answer the vectors, and refuse what is drawn."""
    known = [case.arguments for case in all_cases() if case.quantity == SIGMA]

    def knowing(**given: float) -> float:
        if given not in known:
            raise ValueError("not covered")
        return answer(**given)

    return knowing


def tired(answer: Answer) -> Answer:
    """Halve what is asked a second time."""
    asked: set[str] = set()

    def forgetting(**given: float) -> float:
        known = repr(given) in asked
        asked.add(repr(given))
        return answer(**given) / (2 if known else 1)

    return forgetting


def raising(error: type[Exception]) -> Callable[[float], float]:
    def fail(value: float) -> float:
        raise error("here")

    return fail


SIGMA, EPSILON, DELTA = "calibrate_sigma", "epsilon_at_delta", "delta_at_epsilon"
WHOLE = "integer_count_threshold_delta"
BROKEN, LOOSE, FAILS = Grade.EVERYDAY, Grade.LOOSE, Grade.SILENT

TRANSFORMED: dict[str, tuple[str, Change, Grade]] = {
    # Relations and units.
    "ε under add/remove for replace-one": (f"{EPSILON}, replace-one", of(EPSILON), BROKEN),
    "δ under add/remove for replace-one": (f"{DELTA}, replace-one", of(DELTA), BROKEN),
    "σ under add/remove for replace-one": (f"{SIGMA}, replace-one", of(SIGMA), BROKEN),
    "ε of k releases under add/remove": (
        "repeated_epsilon, replace-one",
        of("repeated_epsilon"),
        BROKEN,
    ),
    "b under add/remove for replace-one": (
        "laplace_calibrate_scale, replace-one",
        of("laplace_calibrate_scale"),
        BROKEN,
    ),
    "ε of noise over Δ, taken for over C": (EPSILON, given_other(sigma=0.5), LOOSE),
    "ε of noise over C, taken for over Δ": (EPSILON, given_other(sigma=2.0), BROKEN),
    "δ of noise over C, taken for over Δ": (DELTA, given_other(sigma=2.0), BROKEN),
    "σ over the diameter": (SIGMA, times(0.5), BROKEN),
    "σ doubled": (SIGMA, times(2.0), LOOSE),
    "the variance for σ": (SIGMA, squared, BROKEN),
    "any sensitivity is 1": (SIGMA, without("sensitivity"), BROKEN),
    "one release for k": ("repeated_epsilon", without("releases"), BROKEN),
    "the scale doubled": ("laplace_calibrate_scale", times(2.0), LOOSE),
    "the scale of twice ε": ("laplace_calibrate_scale", given_other(epsilon=2.0), BROKEN),
    "ten times δ": (SIGMA, given_other(delta=10.0), BROKEN),
    # Thresholds.
    "above the threshold, not at it": (WHOLE, shifted(1), BROKEN),
    "one below the threshold too": (WHOLE, shifted(-1), LOOSE),
    "one noise for k": (WHOLE, without("contributions"), BROKEN),
    "a threshold that is one too low": (
        "count_threshold",
        lambda answer: lambda **given: answer(**given) - 1,
        BROKEN,
    ),
    # What is off by little, or seldom.
    "low by a millionth": (SIGMA, times(1 - 1e-6), Grade.SLIGHT),
    "low in its last digits": (SIGMA, times(1 - 2.0**-46), Grade.ROUNDS),
    "half the noise far out": (
        SIGMA,
        only_where(lambda given: given["epsilon"] > 500, lambda value: value / 2),
        Grade.EXTREMES,
    ),
    "half the noise for large ε": (
        SIGMA,
        only_where(lambda given: given["epsilon"] > 3, lambda value: value / 2),
        BROKEN,
    ),
    "NaN at ε = 0": (
        SIGMA,
        only_where(lambda given: not given["epsilon"], lambda value: math.nan),
        FAILS,
    ),
    "a crash at ε = 0": (
        SIGMA,
        only_where(lambda given: not given["epsilon"], raising(ZeroDivisionError)),
        FAILS,
    ),
    # Gates.
    "infinite noise for everybody": (SIGMA, only_where(bool, lambda value: math.inf), FAILS),
    "1e300 for everybody": (EPSILON, only_where(bool, lambda value: 1e300), LOOSE),
    "δ = 1 for what is to be refused": (DELTA, unchecked(1.0), Grade.TIGHT),
    "the vectors by heart": (SIGMA, by_heart, Grade.UNKNOWN),
    "half of all refused": (SIGMA, refusing(0.5), Grade.UNKNOWN),
    "a fault, and half of all refused": (
        SIGMA,
        lambda answer: refusing(0.5)(times(0.5)(answer)),
        BROKEN,
    ),
    "right only at first": (SIGMA, tired, BROKEN),
}
"""Name -> the quantity that is asked, the change, and the grade."""


@pytest.mark.parametrize("name", TRANSFORMED)
def test_a_transformed_adapter_has_the_grade_of_its_fault(name: str) -> None:
    quantity, _, grade = TRANSFORMED[name]
    found = standing(quantity, name)
    assert found.grade is grade, found.reasons
    assert (found.state is State.CONFORMANT) is (grade in GOOD and not found.useless)


@pytest.mark.parametrize("quantity", sorted({quantity for quantity, _, _ in TRANSFORMED.values()}))
def test_the_correct_one_is_sound(quantity: str) -> None:
    found = standing(quantity)
    assert found.grade in SOUND, found.reasons
    assert found.state is State.CONFORMANT
