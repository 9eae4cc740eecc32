"""Right answers are not accused: at ends of domains, after a kill, of narrow libraries."""

import math
import os
import signal
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path

import pytest
from conformance.faking import Faked, SkipError, judged

import dporacle
from dporacle import reference
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.fresh import fresh_case
from dporacle.conformance.grade.functions import State
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.judge.outcomes import Outcome, judge
from dporacle.conformance.process import supervisor
from dporacle.conformance.process.adapter import AdapterProcess
from dporacle.conformance.process.channel import AdapterDiedError
from dporacle.conformance.quantities import QUANTITIES
from dporacle.conformance.run.runner import Fresh, Patience, judge_child
from dporacle.report import terminal

SCRIPT = Path(__file__).with_name("specimens.py")


def outcome(quantity: str, given: dict[str, float], value: float | str) -> Outcome:
    case = fresh_case(quantity, "random-nonsense", given, valid=False)
    if isinstance(value, float) and not math.isfinite(value):
        value = str(value)
    return judge(case, Answer(end=End.VALUE, value=value)).outcome


PASSES, FAILS = Outcome.REFUSES_INVALID, Outcome.ACCEPTS_INVALID


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_nan_for_nan(quantity: str) -> None:
    """To pass NaN on is no answer, and to answer NaN to anything else is one."""
    row = QUANTITIES[quantity]
    given = {name: float(each.everyday) for name, each in row.rows.items()}
    for name in (name for name in given if name not in row.counts):
        assert outcome(quantity, {**given, name: math.nan}, math.nan) is PASSES
        assert outcome(quantity, {**given, name: math.nan}, 1.5) is FAILS
        if -1.0 not in row.rows[name].domain:
            assert outcome(quantity, {**given, name: -1.0}, math.nan) is FAILS


@pytest.mark.parametrize(
    ("delta", "value", "expected"),
    [
        (1.0, 0.0, PASSES),
        (1.5, 0.0, PASSES),
        (1e300, 0.0, PASSES),
        (1.5, 0.1, FAILS),
        (1.5, -0.1, FAILS),
        (math.inf, 0.0, FAILS),
        (0.0, 0.0, FAILS),
        (-1.0, 0.0, FAILS),
        (math.nan, 0.0, FAILS),
    ],
)
def test_epsilon_is_0_where_everything_is_promised(
    delta: float, value: float, expected: Outcome
) -> None:
    for quantity in ("epsilon_at_delta", "gdp_epsilon", "laplace_epsilon_at_delta"):
        row = QUANTITIES[quantity]
        given = {name: float(each.everyday) for name, each in row.rows.items()}
        if delta not in row.rows["delta"].domain:
            assert outcome(quantity, {**given, "delta": delta}, value) is expected, quantity


@pytest.mark.parametrize("epsilon", [-5e-324, -1e-9, -0.3, -1.0, -7.0, -40.0, -1000.0])
@pytest.mark.parametrize("quantity", ["delta_at_epsilon", "gdp_delta", "laplace_delta_at_epsilon"])
def test_the_true_delta_at_an_epsilon_below_0(quantity: str, epsilon: float) -> None:
    """δ(−ε) = 1 − e^−ε(1 − δ(ε)), rounded either way; nothing else."""
    row = QUANTITIES[quantity]
    given = {name: float(each.everyday) for name, each in row.rows.items()}
    positive = Fraction(str(row.of(reference)(**{**given, "epsilon": -epsilon}, digits=30)))
    truth = float(1 - Fraction(math.exp(epsilon)) * (1 - positive))
    for value in (truth, math.nextafter(truth, 0.0), math.nextafter(truth, 1.0)):
        assert outcome(quantity, {**given, "epsilon": epsilon}, value) is PASSES
    for value in (0.0, truth / 2, truth * (1 - 1e-7), -truth, 2.0):
        assert outcome(quantity, {**given, "epsilon": epsilon}, value) is FAILS


def test_of_conversions_and_one_direction_there_is_no_such_delta() -> None:
    for quantity in ("zcdp_delta", "subsampled_delta_add"):
        row = QUANTITIES[quantity]
        given = {name: float(each.everyday) for name, each in row.rows.items()}
        assert outcome(quantity, {**given, "epsilon": -1.0}, 0.64) is FAILS


class Killed(Faked):
    """Somebody kills its process at some of its calls."""

    calls = 0

    def __init__(self, answer: Callable[..., float], at: set[int], *, batch: int = 1) -> None:
        super().__init__({"f": ("calibrate_sigma", answer)}, batch=batch)
        self._at = at

    def _ending(self, function, arguments):  # type: ignore[no-untyped-def]
        self.calls += 1
        if self.calls in self._at:
            self.running = False
            raise AdapterDiedError("died of SIGKILL", killed=True)
        return super()._ending(function, arguments)


def right(epsilon: float, delta: float, sensitivity: float) -> float:
    return float(dporacle.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity))


@pytest.mark.parametrize("batch", [1, 50])
@pytest.mark.parametrize(
    ("at", "state"),
    [
        ({1}, State.CONFORMANT),
        ({400}, State.CONFORMANT),
        ({100, 300}, State.CONFORMANT),
        ({200, 201}, State.NOT_CONFORMANT),  # at the same input again
        ({100, 200, 300}, State.NOT_CONFORMANT),  # too often to be somebody else
    ],
)
def test_one_kill_from_outside_is_no_crash(at: set[int], state: State, batch: int) -> None:
    child = Killed(right, at, batch=batch)
    result = judge_child(child, "killed", Patience(), lambda case: True, Fresh(rounds=4, seed=1))
    (standing,) = judgement([result]).standings
    assert standing.state is state, standing.reasons


@pytest.mark.skipif(not supervisor.supported(), reason="needs Linux")
def test_a_process_that_is_killed_says_so() -> None:
    """A kill from outside is told from a fault of its own, and from an end that the judge made."""
    for number, killed in ((signal.SIGKILL, True), (signal.SIGTERM, True), (signal.SIGSEGV, False)):
        with AdapterProcess([sys.executable, "-I", "-S", str(SCRIPT), "loops"]) as child:
            child.start(timeout=30)
            pids = [p.pid for p in supervisor.descendants(child._family.root)]
            os.kill(pids[-1], number)
            given = {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 1.0}
            with pytest.raises(AdapterDiedError) as told:
                child.run("loops", given, timeout=20)
            assert told.value.killed is killed, told.value


def narrow(decline: type[Exception], share: float = 0.0) -> Callable[..., float]:
    """Answers for 10⁻⁴ ≤ ε ≤ 100, as is documented; and declines a share of these too."""

    def answer(epsilon: float, delta: float, sensitivity: float) -> float:
        if not (epsilon >= 0 and 0 < delta < 1 and 0 < sensitivity < math.inf):
            raise ValueError("out of the domain")
        mixed = math.frexp(epsilon * 7919)[0] + math.frexp(delta * 104729)[0]
        if not 1e-4 <= epsilon <= 100 or mixed * 1000 % 1 < share:
            raise decline("not covered")
        return right(epsilon, delta, sensitivity)

    return answer


@pytest.mark.parametrize("decline", [SkipError, ValueError])
def test_a_narrow_library_is_conformant_however_it_declines(decline: type[Exception]) -> None:
    result = judged("calibrate_sigma", narrow(decline), fresh=Fresh(rounds=20, seed=3))
    (standing,) = judgement([result]).standings
    assert standing.state is State.CONFORMANT, standing.reasons
    assert standing.refused < 0.01
    coverage = {each.kind: each for each in standing.coverage}
    assert (coverage["vectors"].beyond > 50) is (decline is SkipError)


@pytest.mark.parametrize(("share", "state"), [(0.2, "conformant"), (0.48, "not judged")])
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_what_is_refused_at_random_is_told(share: float, state: str, seed: int) -> None:
    fresh = Fresh(rounds=60, seed=seed)
    result = judged("calibrate_sigma", narrow(ValueError, share), fresh=fresh)
    (standing,) = judgement([result]).standings
    assert standing.state == state, standing.reasons
    assert abs(standing.refused - share) < 0.1
    line = str(terminal.total(judgement([result])))
    assert "1 function leaves" in line
