"""Nobody is pronounced conformant for nothing: these answer little, or nothing of use."""

import json
import math
from fractions import Fraction
from pathlib import Path

import mpmath
import pytest
from conformance.faking import FRESH, Faked, SkipError, judged

import dporacle
from dporacle import report as pages
from dporacle.conformance.ask.cases import all_cases
from dporacle.conformance.grade import runs
from dporacle.conformance.grade.functions import Gate, State
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.judge.harm import consequence
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.conformance.protocol import Capabilities
from dporacle.conformance.quantities import QUANTITIES, enclose
from dporacle.conformance.run.runner import (
    Fresh,
    Patience,
    Target,
    TargetResult,
    collect_and_judge,
    judge_child,
)
from dporacle.enclosures.arithmetic import rounding
from support.dear import mostly_dear
from support.truths.laws import gaussian_profile

VECTORS = {tuple(c.arguments.values()): c for c in all_cases() if c.quantity == "calibrate_sigma"}


def right(epsilon: float, delta: float, sensitivity: float) -> float:
    return float(dporacle.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity))


def state(result: TargetResult, status: int) -> State:
    """The one function's state, which the exit status and the badge tell too."""
    assert judgement([result]).status == status
    (each,) = judgement([result]).standings
    document = runs.write(judgement([result], limits=Patience(), fresh=FRESH))
    badge = json.loads(pages.badge(pages.read(document)))
    assert (badge["color"] == "brightgreen") is (status == 0)
    if each.state is State.NOT_JUDGED:
        assert "not judged" in badge["message"]
        assert "not judged" in pages.markdown(pages.read(document))
        assert "not judged" in pages.render(pages.read(document))
    return each.state


def test_who_answers_rightly_is_conformant() -> None:
    assert state(judged("calibrate_sigma", right), 0) is State.CONFORMANT


def only_inf(epsilon: float, delta: float, sensitivity: float) -> float:
    if delta == 0:
        return math.inf
    raise ValueError("out of the domain")


def without_fresh(epsilon: float, delta: float, sensitivity: float) -> float:
    if (epsilon, delta, sensitivity) not in VECTORS:
        raise SkipError
    return right(epsilon, delta, sensitivity)


def memorised(epsilon: float, delta: float, sensitivity: float) -> float:
    case = VECTORS.get((epsilon, delta, sensitivity))
    if case is None or sum(map(ord, case.id)) % 100 < 15:
        raise ValueError("not covered")
    return right(epsilon, delta, sensitivity)


def few(epsilon: float, delta: float, sensitivity: float) -> float:
    if epsilon != 1:
        raise ValueError("not covered")
    return right(epsilon, delta, sensitivity)


def no_nonsense(epsilon: float, delta: float, sensitivity: float) -> float:
    if not (epsilon >= 0 and 0 < delta < 1 and 0 < sensitivity < math.inf):
        raise SkipError
    return right(epsilon, delta, sensitivity)


@pytest.mark.parametrize("answer", [only_inf, without_fresh, memorised, few, no_nonsense])
def test_who_answers_little_is_not_judged(answer: object) -> None:
    assert state(judged("calibrate_sigma", answer), 3) is State.NOT_JUDGED  # type: ignore[arg-type]


def test_who_answers_once_is_not_judged() -> None:
    def once(**arguments: float) -> float:
        if arguments != {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 1.0}:
            raise SkipError
        return right(**arguments)

    assert state(judged("calibrate_sigma", once), 3) is State.NOT_JUDGED


def test_without_fresh_inputs_nothing_is_judged() -> None:
    result = judged("calibrate_sigma", right, fresh=Fresh())
    assert state(result, 3) is State.NOT_JUDGED


def test_who_has_no_time_to_be_asked_is_not_judged() -> None:
    result = judged("calibrate_sigma", right, seconds=0.7, function=60.0)
    unasked = [v for v in result.functions[0].judged if v.outcome is Outcome.NOT_ASKED]
    assert len(unasked) > 400
    assert state(result, 3) is State.NOT_JUDGED


def test_who_takes_no_arguments_is_not_judged() -> None:
    child = Faked({"f": ("calibrate_sigma", right)})
    said = child.start(timeout=1)
    bare = list(said.functions)
    bare[0].arguments[:] = ["delta"]
    child.start = lambda *, timeout: Capabilities(  # type: ignore[method-assign]
        id="", protocol=2, name="bare", version="0", functions=bare
    )
    result = judge_child(child, "bare", Patience(), lambda case: True, FRESH)
    assert state(result, 3) is State.NOT_JUDGED


def test_one_silent_function_is_enough() -> None:
    def silent(**arguments: float) -> float:
        raise SkipError

    child = Faked({"f": ("calibrate_sigma", right), "g": ("accuracy", silent)})
    result = judge_child(child, "two", Patience(), lambda case: True, FRESH)
    assert judgement([result]).status == 3
    states = [each.state for each in judgement([result]).standings]
    assert states == [State.CONFORMANT, State.NOT_JUDGED]


def million(epsilon: float, delta: float, sensitivity: float) -> float:
    return right(epsilon, delta, sensitivity) * 1e6


def certain(epsilon: float, sigma: float, sensitivity: float) -> float:
    if not (epsilon >= 0 and 0 < sigma < math.inf and 0 < sensitivity < math.inf):
        raise ValueError("out of the domain")
    return 1.0


def hopeless(alpha: float, mu: float) -> float:
    if not (0 < alpha < 1 and 0 < mu < math.inf):
        raise ValueError("out of the domain")
    return 0.0


@pytest.mark.parametrize(
    ("quantity", "answer"),
    [("calibrate_sigma", million), ("delta_at_epsilon", certain), ("gdp_tradeoff", hopeless)],
)
def test_what_is_of_no_use_is_not_conformant(quantity: str, answer: object) -> None:
    result = judged(quantity, answer)  # type: ignore[arg-type]
    assert state(result, 1) is State.NOT_CONFORMANT
    (each,) = judgement([result]).standings
    assert any("of no use" in reason for reason in each.reasons)


def test_needless_noise_can_be_forbidden() -> None:
    result = judged("calibrate_sigma", lambda **given: right(**given) * 1.05)
    assert judgement([result]).status == 0
    assert judgement([result], Gate(max_extra=0.06)).status == 0
    assert judgement([result], Gate(max_extra=0.04)).status == 1


ANSWERS = ["1e400", "1e-4000", "1e1000", "1e-1000", "-1e400", "1e4000", "0"]


@pytest.mark.parametrize(
    ("quantity", "value"),
    mostly_dear(
        [
            (name, ANSWERS[(place + further) % len(ANSWERS)])
            for further in (0, 3)
            for place, name in enumerate(QUANTITIES)
        ],
        4,
    ),
)
def test_any_answer_whatever_has_an_outcome(quantity: str, value: str) -> None:
    few = [c for c in all_cases() if c.quantity == quantity][::7]

    def wanted(case: object) -> bool:
        return case in few

    child = Faked({"f": (quantity, lambda **given: value)})
    # Fresh inputs are as dear as their proofs: one of the values meets them, where they are cheap.
    fresh = Fresh(rounds=int(value == "1e400" and QUANTITIES[quantity].rounds is None), seed=2)
    result = judge_child(child, "f", Patience(), wanted, fresh)  # type: ignore[arg-type]
    assert not result.failure
    assert result.functions[0].judged
    runs.write(judgement([result], limits=Patience(), fresh=FRESH))


def test_one_library_does_not_touch_another(tmp_path: Path) -> None:
    """What the judge itself does wrong with one is told there, and the others are judged."""

    def fail() -> list[str]:
        raise RuntimeError("a mistake")

    seen: list[str] = []
    good = str(Path(__file__).parents[2] / "examples" / "adapter.py")
    targets = [
        Target("broken", fail),
        Target("absent", lambda: ["/nonexistent"]),
        Target("good", lambda: ["python3", good], own_environment=True),
    ]
    results = collect_and_judge(
        targets,
        Patience(),
        fresh=Fresh(rounds=12, seed=1),
        finished=lambda result: seen.append(result.target),
    )
    assert [r.target for r in results] == ["broken", "absent", "good"]
    assert sorted(seen) == ["absent", "broken", "good"]
    assert "RuntimeError: a mistake" in results[0].failure
    assert not results[2].failure
    assert judgement(results[2:]).status == 0


@pytest.mark.parametrize(
    ("factor", "level"),
    [
        (1 - 1e-14, Level.LAST_DIGITS),
        (1 - 1e-4, Level.SLIGHT),
        (0.98, Level.NOTICEABLE),
        (0.5, Level.GRAVE),
        (0.05, Level.NO_PRIVACY),
        (0.0, Level.NO_PRIVACY),
    ],
)
def test_levels(factor: float, level: Level) -> None:
    result = judged("calibrate_sigma", lambda **given: right(**given) * factor)
    by_case = {v.case: v for v in result.functions[0].judged}
    one = by_case["calibrate_sigma/epsilon=1;delta=1e-05;sensitivity=1"]
    assert one.level is level
    ranks = {each: each.rank for each in Level}
    for least in Level:
        # At deep extremes the same factor does more harm, so the gate looks at one case.
        assert Gate(fail_on=least).counts(one) is (ranks[least] <= ranks[level])
    assert one.harm is not None
    assert Gate(fail_on=one.harm / 2).counts(one)
    assert not Gate(fail_on=one.harm).counts(one)


@pytest.mark.parametrize("quantity", mostly_dear(QUANTITIES, 3))
def test_the_consequence_is_what_the_exact_answer_promises(quantity: str) -> None:
    """With the exact answer the true figure is the promised one; with an unsafe one it is worse."""
    for case in [c for c in all_cases() if c.quantity == quantity and "core" in c.flags][::9]:
        truth = enclose(QUANTITIES[quantity], case.arguments, digits=40)
        low, high = case.proved or rounding.bounds(truth)  # a relation may have no vectors
        exact = consequence(quantity, case.arguments, (low + high) / 2, truth)
        name, _, _ = quantity.partition(",")  # the same under another relation
        if name not in ("discrete_calibrate_sigma", "epsilon_at_delta", "repeated_epsilon"):
            # The discrete δ jumps in σ. Ends that meet are written with so many digits.
            digits = QUANTITIES[quantity].certified - 1 if QUANTITIES[quantity].ends else 9
            assert abs(exact.excess) < Fraction(1, 10**digits), case.id
        up = QUANTITIES[quantity].safe == "up"
        middle = (low + high) / 2
        if QUANTITIES[quantity].ends:  # between two ends nothing is known to be worse
            middle = low if up else high
        wrong = middle * (Fraction(9, 10) if up else Fraction(10, 9))
        if wrong and exact.excess > -Fraction(1, 10**6):
            worse = consequence(quantity, case.arguments, wrong, truth)
            assert worse.excess > exact.excess
            assert worse.ratio > 1


@pytest.mark.parametrize(
    ("delta", "answer", "level"),
    [
        (0.1, -0.09587366608320735, Level.LAST_DIGITS),
        (0.1, -1.0, Level.NO_PRIVACY),
        (0.5, -1.0, Level.NOTICEABLE),
    ],
)
def test_a_negative_epsilon_is_a_promise_too(delta: float, answer: float, level: Level) -> None:
    """The δ at −ε is checked by its definition."""
    given = {"delta": delta, "sigma": 10.0, "sensitivity": 1.0}
    truth = enclose(QUANTITIES["epsilon_at_delta"], given, digits=40)
    found = consequence("epsilon_at_delta", given, Fraction(answer), truth)
    assert found.level is level
    with mpmath.workdps(30):
        exact = gaussian_profile(mpmath.mpf(answer), mpmath.mpf(1) / 10)
        assert abs(mpmath.mpf(found.text) - exact) < mpmath.mpf(10) ** -20


def test_an_epsilon_is_no_probability() -> None:
    given = {"delta": 0.0, "scale": 1.0, "sensitivity": 1.0}
    truth = enclose(QUANTITIES["laplace_epsilon_at_delta"], given, digits=40)
    found = consequence("laplace_epsilon_at_delta", given, Fraction(1, 10), truth)
    assert found.level is Level.GRAVE, "ten times the ε, of which no half says anything"
