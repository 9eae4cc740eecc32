"""Patience: what one function leaves of a library's time is for the next."""

import datetime
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from conformance.faking import Faked

from dporacle import fast
from dporacle.cli import main
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import Case, all_cases, cases_for
from dporacle.conformance.ask.earlier import MOST, Earlier, EarlierInput, asked_again
from dporacle.conformance.ask.fresh import worked
from dporacle.conformance.ask.one_function import Asking
from dporacle.conformance.ask.plan import planned
from dporacle.conformance.grade.functions import State
from dporacle.conformance.grade.grades import Grade
from dporacle.conformance.grade.runs import TargetResult, judgement
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.conformance.process.channel import AdapterDiedError, AdapterHungError
from dporacle.conformance.protocol import Capabilities, Ending, Function, Reply
from dporacle.conformance.run import target
from dporacle.conformance.run.judging import broken
from dporacle.conformance.run.runner import Fresh, Patience, judge_child
from dporacle.conformance.run.tasks import Tasks
from dporacle.report import earlier, history
from dporacle.vectors.notes import everyday


class Tardy:
    """Two functions that take their time."""

    running = False
    spent = 0.0

    def start(self, *, timeout: float) -> Capabilities:
        self.running = True
        functions = [
            Function(name=name, quantity="accuracy", arguments=["alpha", "sigma"])
            for name in ("first", "second")
        ]
        return Capabilities(id="", protocol=2, name="tardy", version="0", functions=functions)

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        self.spent = 0.02
        return Reply(id="", value=1e308)

    def run_batch(
        self, function: str, inputs: Sequence[Mapping[str, float]], *, timeout: float
    ) -> Sequence[Ending]:
        raise AssertionError("it takes no batches")

    def stop(self) -> bool:
        return True


def test_a_library_has_only_so_much_time(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(target, "_RESERVED", 0.2)
    for library, complete in ((0.6, False), (60.0, True)):
        result = judge_child(
            Tardy(), "tardy", Patience(library=library), lambda case: True, Fresh()
        )
        outcomes = [[v.outcome for v in item.judged] for item in result.functions]
        for found in outcomes:
            assert found[0] is not Outcome.NOT_ASKED
            assert (Outcome.NOT_ASKED in found) is not complete
        if not complete:
            asked = [len(found) - found.count(Outcome.NOT_ASKED) for found in outcomes]
            assert min(asked) >= 10, "what is reserved for one cannot be used up by the other"
            message = result.functions[0].judged[-1].message
            assert message == "not asked: the function's 0.4 s were used up"


class Stuck:
    """Answers at once, but for inputs with σ above 1, for which it never does."""

    spent = 0.0
    running = False

    def __init__(self) -> None:
        self.limits: list[float] = []

    def start(self, *, timeout: float) -> Capabilities:
        self.running = True
        return Capabilities(id="", protocol=2, name="stuck", version="0", functions=[FUNCTION])

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        self.spent = 0.001
        if arguments["sigma"] <= 1:
            return Reply(id="", value=1.0)
        self.spent, self.running = timeout, False
        self.limits.append(timeout)
        raise AdapterHungError("never ends")

    def run_batch(
        self, function: str, inputs: Sequence[Mapping[str, float]], *, timeout: float
    ) -> Sequence[Ending]:
        raise AssertionError("it takes no batches")

    def stop(self) -> bool:
        return True


FUNCTION = Function(name="f", quantity="accuracy", arguments=["alpha", "sigma"])


def asked(answered: int, stuck: dict[str, int]) -> tuple[dict[str, list[Answer]], list[float]]:
    """Ask some that are answered first, then so many of each kind that are not."""
    child = Stuck()
    found: dict[str, list[Answer]] = {}
    for case, answer in Asking(child, FUNCTION, Patience()).answers(cases(answered, stuck)):
        found.setdefault(case.flags[0], []).append(answer)
    return found, child.limits


def cases(answered: int, stuck: dict[str, int]) -> list[Case]:
    kinds = ["fine"] * answered + [kind for kind, number in stuck.items() for _ in range(number)]
    return [
        Case(
            f"accuracy/{n}",
            "accuracy",
            (kind,),
            {"alpha": 0.1, "sigma": float(1 + (kind != "fine"))},
            "",
            True,
            (),
        )
        for n, kind in enumerate(kinds)
    ]


def test_two_that_had_the_full_limit_are_asked_again_until_one_hangs() -> None:
    found, limits = asked(0, {"a": 1, "b": 1})
    assert limits == [5.0, 5.0, 30.0]
    assert [found[kind][0].end for kind in "ab"] == [End.HUNG, End.NOT_ASKED]


def test_one_that_had_all_the_time_there_is_is_asked_again() -> None:
    found, limits = asked(0, {"a": 1})
    assert limits == [5.0, 30.0]
    assert [answer.end for answer in found["a"]] == [End.HUNG]


def test_what_had_less_time_at_first_is_asked_again() -> None:
    found, limits = asked(5, {"a": 3})
    assert limits == [0.5, 0.5, 0.5, 30.0]
    assert [answer.end for answer in found["a"]] == 3 * [End.HUNG]
    assert "and 1 of its kind (a) had none at all" in found["a"][2].message


def test_after_two_in_vain_nobody_else_has_all_the_time_at_first() -> None:
    found, limits = asked(0, {"a": 1, "b": 1, "c": 2})
    assert limits == [5.0, 5.0, 0.5, 0.5, 30.0]
    assert [answer.end for answer in found["a"]] == [End.HUNG]
    assert [answer.end for answer in found["b"] + found["c"]] == 3 * [End.NOT_ASKED]


def test_one_is_asked_again_where_people_work_or_else_elsewhere() -> None:
    found, limits = asked(5, {"tiny-delta": 2, "random": 2, "core": 1})
    assert limits == 3 * [0.5] + 2 * [0.2] + [30.0]
    for kind, ends in (
        ("tiny-delta", 2 * [End.NOT_ASKED]),
        ("random", 2 * [End.HUNG]),
        ("core", [End.NOT_ASKED]),
    ):
        assert [answer.end for answer in found[kind]] == ends
    assert "and 1 of its kind (random) had none at all" in found["random"][1].message
    assert found["core"][0].message.startswith("not asked again: never ends at first")
    found, limits = asked(5, {"tiny-delta": 1, "overflow": 1})
    assert limits == [0.5, 0.5, 30.0]
    assert [found[kind][0].end for kind in found][1:] == [End.HUNG, End.NOT_ASKED]


def test_where_people_work_is_asked_again_though_it_hangs_elsewhere() -> None:
    asking = Asking(child := Stuck(), FUNCTION, Patience())
    found = [*asking.answers(cases(5, {"overflow": 1})), *asking.answers(cases(0, {"core": 1}))]
    assert child.limits == [0.5, 30.0, 0.2, 30.0]
    assert [answer.end for _, answer in found[5:]] == [End.HUNG, End.HUNG]


def test_after_a_hang_is_confirmed_one_of_a_kind_is_enough() -> None:
    asking = Asking(child := Stuck(), FUNCTION, Patience())
    assert len([*asking.answers(cases(5, {"overflow": 1}))]) == 6
    found = [*asking.answers(cases(0, {"subnormal": 3}))]
    assert child.limits == [0.5, 30.0, 0.2]
    assert [answer.end for _, answer in found] == 3 * [End.NOT_ASKED]
    assert found[1][1].message.startswith("not asked: others of its kind (subnormal) took too long")


def test_when_much_was_waited_in_vain_the_others_have_less_at_first() -> None:
    _, limits = asked(5, {str(kind): 1 for kind in range(14)})
    assert limits == 3 * [0.5] + 11 * [0.2] + [30.0]


def test_one_that_had_the_full_limit_is_asked_again_though_others_were_answered() -> None:
    found, limits = asked(1, {"a": 1, "b": 1})
    assert limits == [5.0, 5.0, 30.0], "one hang decides what the function is"
    assert [found[kind][0].end for kind in "ab"] == [End.HUNG, End.NOT_ASKED]


class Slow(Stuck):
    """Answers in two seconds where the other never does."""

    seconds = 2.0

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        if arguments["sigma"] <= 1 or timeout < self.seconds:
            return super().run(function, arguments, timeout=timeout)
        self.limits.append(timeout)
        self.spent = self.seconds
        return Reply(id="", value=1.0)


class Small(Stuck):
    """Takes a second for each answer, of which some are almost 0."""

    def __init__(self, values: Sequence[float | str]) -> None:
        super().__init__()
        self.values = iter(values)

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        self.spent = 1.0
        return Reply(id="", value=next(self.values))


@pytest.mark.parametrize(
    ("values", "asked"),
    [([0.5], 6), (["1e-290", 0.5], 12), ([0.5, 0.5, 0.0], 8), (["-1/10", "nan", "1e400"], 6)],
)
def test_answers_that_may_have_no_enclosure_come_on_top(
    values: list[float | str], asked: int
) -> None:
    """Of a slow function of groups five answers were judged, where six are needed."""
    asking = Asking(Small(20 * values), FUNCTION, Patience())
    assert len([*asking.answers(cases(20, {}), most=1.0, least=6)]) == asked
    asking = Asking(Small(20 * [0.0]), FUNCTION, Patience())
    assert len([*asking.answers(cases(20, {}), most=1.0, least=6)]) == 12, "and no more"


def test_as_long_as_answers_come_more_are_asked_again() -> None:
    """Autodp's laplace_mech takes some inputs that it must refuse, but it takes its time."""
    asking = Asking(child := Slow(), FUNCTION, Patience())
    found = [answer for _, answer in asking.answers(cases(5, {str(kind): 1 for kind in range(11)}))]
    assert child.limits[11:] == 8 * [30.0]
    ends = [answer.end for answer in found[5:]]
    assert ends == 8 * [End.VALUE] + 3 * [End.NOT_ASKED]


class Slower(Slow):
    """Answers in 20 seconds: more than the full limit."""

    seconds = 20.0


@pytest.mark.parametrize("quick", [0, 1, 5])
def test_an_answer_that_takes_four_times_the_full_limit_is_one(quick: int) -> None:
    """Float64's own σ of replaced records took 9.2 s at one drawn input: slow, and not broken."""
    asking = Asking(Slower(), FUNCTION, Patience())
    found = [answer for _, answer in asking.answers(cases(quick, {"a": 1, "b": 1}))]
    assert [answer.end for answer in found] == (quick + 2) * [End.VALUE]


class Failing(Stuck):
    """Answers NaN at σ below 1, where a number is due."""

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        said = super().run(function, arguments, timeout=timeout)
        return Reply(id="", value="nan") if arguments["sigma"] < 1 else said


@pytest.mark.parametrize(
    ("fails", "hangs", "limits"),
    [
        ("core", "core", [0.2]),
        ("core", "overflow", [0.2]),
        ("overflow", "overflow", [0.2]),
        ("overflow", "core", [0.5, 30.0]),  # it weighs more
    ],
)
def test_no_hang_is_confirmed_where_the_function_fails_anyway(
    fails: str, hangs: str, limits: list[float]
) -> None:
    asking = Asking(child := Failing(), FUNCTION, Patience())
    wrong = replace(cases(1, {})[0], flags=(fails,), arguments={"alpha": 0.1, "sigma": 0.5})
    found = [*asking.answers([*cases(5, {}), wrong, *cases(0, {hangs: 1})])]
    assert child.limits == limits
    assert found[-1][1].end is (End.HUNG if len(limits) > 1 else End.NOT_ASKED)


def test_no_hang_is_confirmed_where_a_promise_is_broken_anyway() -> None:
    """A hang where people work weighs more than a promise that is broken elsewhere."""
    for places, kind, limits in (
        ({True}, "core", [0.5]),
        ({False}, "overflow", [0.5]),
        ({False}, "core", [0.5, 30.0]),
    ):
        asking = Asking(child := Stuck(), FUNCTION, Patience(), lambda places=places: places)
        assert len([*asking.answers(cases(5, {kind: 1}))]) == 6
        assert child.limits == limits


def test_where_answers_to_vectors_break_promises() -> None:
    asked = [c for c in all_cases() if c.quantity == "calibrate_sigma" and c.valid]
    core, other = (
        next(case for case in asked if everyday(case.flags) is usual) for usual in (True, False)
    )
    small, large = (Answer(end=End.VALUE, value=value) for value in (1e-9, 1e9))
    assert broken([(core, large), (other, large)]) == set()
    assert broken([(core, large), (other, small)]) == {False}
    assert broken([(core, small), (other, large)]) == {True}


def test_what_is_to_be_refused_has_less_time_where_the_function_hangs_anyway() -> None:
    asking = Asking(child := Stuck(), FUNCTION, Patience())
    invalid = replace(cases(0, {"nonsense": 1})[0], id="accuracy/invalid", valid=False)
    found = [*asking.answers(cases(0, {"core": 1})), *asking.answers([invalid])]
    assert child.limits == [5.0, 30.0, 0.2]
    assert [answer.end for _, answer in found] == [End.HUNG, End.NOT_ASKED]


def test_others_are_asked_while_one_pauses() -> None:
    tasks, order = Tasks(), []

    def first() -> None:
        order.append("first begins")
        tasks.pause(0.2)
        order.append("first ends")
        tasks.stop()

    tasks.add(0, first)
    tasks.add(1, lambda: order.append("second"))
    threads = [threading.Thread(target=tasks.run) for _ in range(2)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert order == ["first begins", "second", "first ends"]


def test_what_the_patience_went_into() -> None:
    asking = Asking(child := Stuck(), FUNCTION, Patience())
    assert len(list(asking.answers(cases(5, {"a": 3})))) == 8
    assert child.limits == [0.5, 0.5, 0.5, 30.0]
    assert asking.patience["too long at first"] == 1.5
    assert asking.patience["hangs asked again"] == 30.0
    patience = asking.patience
    assert asking.spent == pytest.approx(sum(patience.values()) - patience["starts"])


class Heavy(Stuck):
    """Takes minutes to start, and dies at every other question."""

    asked = 0

    def start(self, *, timeout: float) -> Capabilities:
        found = super().start(timeout=timeout)
        self.spent = 100.0
        return found

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        self.asked += 1
        if self.asked % 2:
            return super().run(function, arguments, timeout=timeout)
        self.running = False
        raise AdapterDiedError("died")


def test_no_answer_is_late_for_a_start() -> None:
    """Starts have time of their own; when it is used up, the function is not asked any more."""
    asking = Asking(Heavy(), FUNCTION, Patience(function=20.0, starts=350.0))
    ends = [answer.end for _, answer in asking.answers(cases(12, {}))]
    assert ends == 4 * [End.VALUE, End.DIED] + 4 * [End.NOT_ASKED]
    assert asking.patience["starts"] == 400
    assert asking.spent < 1
    answer = asking.ask(cases(1, {})[0])
    assert answer.message == "not asked: its starts took 400 s"


def test_a_slow_function_is_asked_what_its_share_allows_and_no_less_than_is_needed() -> None:
    """Whatever the answers take, some of each part are asked; quick ones are asked them all."""
    found = {}
    for seconds in (0.0, 0.2, 2.0):
        child = Faked({"f": ("calibrate_sigma", fast.calibrate_sigma)}, seconds)
        slow = [msgspec.structs.replace(f, slow=True) for f in child.start(timeout=1).functions]
        said = Capabilities(id="", protocol=2, name="slow", version="0", functions=slow)
        child.start = lambda *, timeout, said=said: said  # type: ignore[method-assign, misc]
        result = judge_child(child, "slow", Patience(), lambda case: True, Fresh(rounds=4, seed=1))
        (standing,) = judgement([result]).standings
        coverage = {each.kind: each for each in standing.coverage}
        vectors, usual = coverage["vectors"], coverage["everyday vectors"]
        there = len([case for case in all_cases() if case.quantity == "calibrate_sigma"])
        assert result.functions[0].vectors == there
        assert vectors.valid + vectors.declined + vectors.left_out == there
        assert not vectors.unasked
        assert usual.answered >= 3
        assert coverage["fresh"].answered >= 6
        assert standing.state is State.CONFORMANT
        found[seconds] = vectors.left_out
    assert found[0.0] < found[0.2] < found[2.0], "the slower, the fewer"


def _unsafe_near(**given: float) -> float:
    """Right but for one input in many thousands, where a tenth of the noise is left."""
    answer = float(fast.calibrate_sigma(**given))
    return answer / 10 if given == RARE else answer


RARE = {"epsilon": 0.8125, "delta": 3e-7, "sensitivity": 1.0}
KEY = ("faked", "f", "calibrate_sigma")
FOUND = EarlierInput({name: value.hex() for name, value in RARE.items()}, ("random",))


def test_what_an_earlier_run_found_is_asked_first_and_the_grade_stays() -> None:
    """A fault on one input of very many is met in a run by luck, and in each one after it."""
    asked: list[dict[str, float]] = []

    def answer(**given: float) -> float:
        asked.append(given)
        return _unsafe_near(**given)

    grades = set()
    for seed in range(3):
        fresh = Fresh(rounds=4, seed=seed)
        functions = {"f": ("calibrate_sigma", answer)}
        without = judge_child(Faked(functions), "x", Patience(), lambda case: True, fresh)
        assert without.functions[0].grade is Grade.TIGHT
        asked.clear()
        child = Faked(functions)
        again = judge_child(
            child, "x", Patience(), lambda case: True, fresh, earlier={KEY: [FOUND]}
        )
        assert asked[0] == RARE
        grades.add(again.functions[0].grade)
    assert grades == {Grade.EVERYDAY}
    document = judgement([again])
    kept = history.record(document, datetime.date(2026, 1, 1))
    for found in (earlier.of_records([kept]), earlier.of_run(document)):
        known = earlier.found(found)
        assert known[KEY][0].arguments == FOUND.arguments
        (function,) = Faked(functions).start(timeout=1).functions
        first, *_ = asked_again(function, known[KEY])
        assert first.arguments == RARE
        assert worked(first.flags)


def test_what_a_fast_machine_finds_a_slow_one_finds_again() -> None:
    """Of a function that says it is slow a faster machine asks more vectors, and finds more."""
    (whole,) = Faked({"f": ("calibrate_sigma", fast.calibrate_sigma)}).start(timeout=1).functions
    slow = msgspec.structs.replace(whole, slow=True)
    few = {case.id for case in planned(slow, Fresh(), lambda case: True).cases}
    left_out = [c for c in cases_for(whole) if c.id not in few and everyday(c.flags)]
    bad = left_out[len(left_out) // 2].arguments

    def answer(**given: float) -> float:
        return float(fast.calibrate_sigma(**given)) / (2 if given == bad else 1)

    def judged(seconds: float, known: Earlier) -> TargetResult:
        child = Faked({"f": ("calibrate_sigma", answer)}, seconds)
        said = Capabilities(id="", protocol=2, name="faked", version="0", functions=[slow])
        child.start = lambda *, timeout: said  # type: ignore[method-assign, misc]
        return judge_child(child, "x", Patience(), lambda case: True, Fresh(4, 1), earlier=known)

    found = judged(0.001, {})
    assert [found.functions[0].grade, judged(0.2, {}).functions[0].grade] == [
        Grade.EVERYDAY,
        Grade.TIGHT,
    ]
    kept = earlier.found(earlier.of_run(judgement([found])))
    assert judged(0.2, kept).functions[0].grade is Grade.EVERYDAY


class Dragging(Faked):
    """Takes its seconds for one input, and no time for any other."""

    def __init__(self, seconds: float) -> None:
        super().__init__({"f": ("calibrate_sigma", fast.calibrate_sigma)})
        self.seconds = seconds

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        self.spent = self.seconds if arguments == RARE else 0.001
        if self.spent > timeout:
            self.spent, self.running = timeout, False
            raise AdapterHungError(f"no answer within {timeout:g} s")
        return super().run(function, arguments, timeout=timeout)


def test_what_takes_about_as_long_as_the_limit_is_a_hang_in_each_run_or_in_none() -> None:
    def judged(seconds: float, known: Earlier) -> TargetResult:
        child = Dragging(seconds)
        return judge_child(child, "x", Patience(), lambda case: True, Fresh(4, 1), earlier=known)

    first = {KEY: [FOUND]}  # met, and nothing is known of its time
    assert judged(29, first).functions[0].grade is Grade.TIGHT
    hung = judged(31, first)
    assert hung.functions[0].grade is Grade.SILENT
    document = judgement([hung])
    kept = history.record(document, datetime.date(2026, 1, 1))
    for known in map(earlier.found, (earlier.of_records([kept]), earlier.of_run(document))):
        for seconds in (31, 29, 16):
            assert judged(seconds, known).functions[0].grade is Grade.SILENT
        assert judged(14, known).functions[0].grade is Grade.TIGHT


def test_what_cannot_be_asked_again_is_left_out() -> None:
    (function,) = Faked({"f": ("calibrate_sigma", _unsafe_near)}).start(timeout=1).functions
    good = {"epsilon": "0x1p+0", "delta": "0x1p-17", "sensitivity": "0x1p+0"}
    for change in (
        {"epsilon": "much"},
        {"epsilon": "nan"},
        {"epsilon": "inf"},
        {"epsilon": "-0x1p+0"},
        {"delta": "0x1p+1"},
        {"another": "0x1p+0"},
        {"epsilon": "0x1p+99999"},
    ):
        assert asked_again(function, [EarlierInput(good | change)]) == []
    assert asked_again(function, [EarlierInput({"epsilon": "0x1p+0"})]) == []
    (case,) = asked_again(function, [EarlierInput(good, ("repeat", "random", "earlier"))] * 2)
    assert case.flags == ("earlier", "random")
    vector = next(case for case in all_cases() if case.quantity == "calibrate_sigma" and case.valid)
    given = {name: value.hex() for name, value in vector.arguments.items()}
    assert asked_again(function, [EarlierInput(given, ("random",))]) == [vector]
    many = [EarlierInput(good | {"epsilon": float(n).hex()}) for n in range(1, 100)]
    assert len(asked_again(function, many)) == MOST


def test_the_command_reads_records_and_runs(tmp_path: Path) -> None:
    nothing = CliRunner().invoke(main, ["conform", "--adapter", "x", "--earlier", "absent.json"])
    assert nothing.exit_code == 2
    assert "cannot read absent.json: No such file" in nothing.output
    file = tmp_path / "bad.json"
    file.write_text("{}")
    bad = CliRunner().invoke(main, ["conform", "--adapter", "x", "--earlier", str(file)])
    assert bad.exit_code == 2
    assert f"{file}: not the JSON of a conformance run" in bad.output
    assert earlier.read(Path(__file__).parents[2] / "docs" / "verdicts")


@pytest.mark.parametrize(("sensitivity", "asked"), [("1", 1), ("0.5", 0), ("2", 0), (None, 1)])
def test_an_earlier_input_is_not_asked_of_who_lacks_an_argument_of_it(
    sensitivity: str | None, asked: int
) -> None:
    """Unless that had its default there: else it is another question."""
    given = {"epsilon": (1.5).hex(), "delta": (1e-5).hex()}
    if sensitivity is not None:
        given["sensitivity"] = float(sensitivity).hex()
    plain = Function(name="f", quantity="calibrate_sigma", arguments=["epsilon", "delta"])
    assert len(asked_again(plain, [EarlierInput(given)])) == asked
