"""One grade for each function, by what is proved of its answers, and the report of a finding."""

import io
import itertools
import math
import re
import subprocess
import sys
import zlib
from collections.abc import Callable, Sequence
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from conformance.faking import FRESH, Faked, judged
from flint import arb, ctx
from rich.console import Console

import dporacle
from dporacle import fast
from dporacle import report as pages
from dporacle.cli import main
from dporacle.conformance import adapters, protocol
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import Case, all_cases
from dporacle.conformance.ask.fresh import RULES, repeated, worked
from dporacle.conformance.grade import known_failures
from dporacle.conformance.grade.findings import fitted, simplest, symbol, told
from dporacle.conformance.grade.functions import Gate, State
from dporacle.conformance.grade.grades import Grade, remarks, share_text
from dporacle.conformance.grade.runs import TargetResult, judgement, write
from dporacle.conformance.judge import compare
from dporacle.conformance.judge.harm import Consequence
from dporacle.conformance.judge.harm_levels import MUCH, Level, least_harm
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome, judge
from dporacle.conformance.libraries.pinned import LIBRARIES
from dporacle.conformance.libraries.targets import adapter_source
from dporacle.conformance.protocol import ProtocolError, Reply
from dporacle.conformance.quantities import QUANTITIES
from dporacle.conformance.run.runner import Fresh, Patience, judge_child
from dporacle.report import issue, reproduction, terminal
from dporacle.report.terminal.table import table
from dporacle.vocabulary.arguments import ARGUMENTS
from dporacle.vocabulary.questions import presupposed
from support.dear import night
from support.files import module_at


def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
    return float(dporacle.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity))


def halved(**given: float) -> float:
    return sigma(**given) / 2


def extreme(**given: float) -> float:
    return sigma(**given) * (0.5 if given["delta"] < 1e-30 else 1)


def hangs(**given: float) -> float | str:
    return "nan" if given["epsilon"] < 1e-6 else sigma(**given)


def unchecked(epsilon: float, delta: float, sensitivity: float) -> float:
    return sigma(abs(epsilon), min(abs(delta), 0.5), abs(sensitivity))


def low(**given: float) -> float:
    return sigma(**given) * (1 - 1e-14)


def slightly(**given: float) -> float:
    return sigma(**given) * (1 - 1e-5)


def nearest(**given: float) -> str:
    truth = compare.middle(dporacle.enclosures.calibrate_sigma(**given, digits=30))
    return float(truth).hex()


def loose(**given: float) -> float:
    return sigma(**given) * 1.5


def refuses(**given: float) -> float:
    raise ValueError("never")


GRADED: dict[Callable[..., object], Grade] = {
    halved: Grade.EVERYDAY,
    extreme: Grade.EXTREMES,
    hangs: Grade.SILENT,
    unchecked: Grade.TIGHT,
    slightly: Grade.SLIGHT,
    low: Grade.ROUNDS,
    nearest: Grade.ROUNDS,
    loose: Grade.LOOSE,
    sigma: Grade.TIGHT,
    refuses: Grade.UNKNOWN,
}


@pytest.mark.parametrize(("answer", "grade"), GRADED.items(), ids=lambda each: str(each)[:20])
def test_the_grade_is_that_of_what_is_proved(answer: Callable[..., object], grade: Grade) -> None:
    result = judged("calibrate_sigma", answer)
    (standing,) = judgement([result]).standings
    assert standing.grade is grade
    (item,) = pages.read(write(judgement([result], limits=Patience(), fresh=FRESH))).items
    assert item.grade is grade
    shown = simplest(result.functions[0].judged, grade)
    assert (shown is None) is (grade in (Grade.LOOSE, Grade.TIGHT, Grade.UNKNOWN))
    if grade is Grade.EVERYDAY:
        assert shown is not None
        assert told(shown).startswith(("epsilon=1, delta=", "epsilon=2, delta="))


@pytest.mark.parametrize("quantity", ["calibrate_sigma", night("fixed_size_delta", why="11 s")])
def test_who_breaks_everyday_promises_is_asked_all_vectors_and_little_else(quantity: str) -> None:
    """Its grade cannot become worse; and where that is known it is judged all the same."""
    row = QUANTITIES[quantity]

    def exact(**given: float) -> float:
        given = {k: int(v) if k in row.counts and v == int(v) else v for k, v in given.items()}
        return float(row.of(fast)(**given))

    def much_less(**given: float) -> float:
        return exact(**given) / 2

    fresh = Fresh(rounds=40, seed=1)
    broken, sound = (judged(quantity, each, fresh=fresh) for each in (much_less, exact))
    counts = []
    for result in (broken, sound):
        made = [not RULES.keys().isdisjoint(v.flags) for v in result.functions[0].judged]
        counts.append((made.count(False), made.count(True)))
    (vectors, few), (all_vectors, many) = counts
    assert vectors == all_vectors
    # Where exact values take long, eight draws are the least: six that count and two in reserve.
    assert (12 if row.rounds is None else 8) <= few < many / 2
    known = known_failures.KnownFailures([known_failures.KnownCases(case="*", reason="x")])
    (standing,) = judgement([broken], known=known).standings
    assert (standing.grade, standing.state) == (Grade.EVERYDAY, State.KNOWN)


def test_a_hang_is_shown_that_was_waited_for_in_full() -> None:
    """Another of its kind is simpler, and got a fifth of a second."""
    case = JudgedCase(
        case="calibrate_sigma/a",
        quantity="calibrate_sigma",
        arguments={"epsilon": "0x1p+0"},
        outcome=Outcome.HANG,
        seconds=0.2,
    )
    full = msgspec.structs.replace(
        case, case="b", arguments={"epsilon": "0x1.3333333333333p+0"}, seconds=5.02
    )
    invalid = msgspec.structs.replace(case, outcome=Outcome.ACCEPTS_INVALID, seconds=0.0)
    assert simplest([case, full, invalid], Grade.SILENT) is full


def test_who_is_as_near_as_a_float_can_be_is_tight() -> None:
    """The δ of much noise at a large ε is below the smallest float64, which is then the answer."""
    result = judged("delta_at_epsilon", fast.delta_at_epsilon, fresh=Fresh(rounds=20, seed=5))
    (standing,) = judgement([result]).standings
    assert any((v.excess or 0.0) > 1 and worked(v.flags) for v in result.functions[0].judged)
    assert standing.grade is Grade.TIGHT


@pytest.mark.parametrize("seed", [1, 2])
def test_who_refuses_a_third_at_random_is_not_judged(seed: int) -> None:
    def answer(alpha: float, sigma: float) -> float:
        found = float(fast.accuracy(alpha=alpha, sigma=sigma))
        if zlib.crc32(f"{alpha!r} {sigma!r}".encode()) % 3 == 0:
            raise ValueError("not supported")
        return found

    result = judged("accuracy", answer, fresh=Fresh(rounds=149, seed=seed))
    (standing,) = judgement([result]).standings
    assert standing.grade is Grade.UNKNOWN
    assert "were declined within the range that is answered" in standing.reasons[-1]


def test_who_rounds_to_nearest_may_say_so() -> None:
    result, strict = judged("calibrate_sigma", nearest), Gate(fail_on=Level.LAST_DIGITS)
    assert judgement([result]).status == 0, "who rounds is conformant"
    assert judgement([result], strict).status == 1
    half = Gate(fail_on=Level.LAST_DIGITS, unsafe_ulp=0.5)
    assert judgement([result], half).status == 0
    assert judgement([judged("calibrate_sigma", low)], half).status == 1
    (item,) = result.functions
    assert item.said == "rounds (to nearest)"

    def dies(**given: float) -> str:
        if given["epsilon"] > 709:
            raise RuntimeError("an index is out of range")
        return nearest(**given)

    (item,) = judged("calibrate_sigma", dies).functions
    assert item.said == "gives no answer", "nothing is said of rounding where more is wrong"


@pytest.mark.parametrize(
    "name", [name for name, row in QUANTITIES.items() if row.rounds is None and not row.costly]
)
def test_the_nearest_float_never_counts_as_a_broken_promise(name: str) -> None:
    """δ at a fixed ε is ill-conditioned as δ → 0; the harm in ε at δ is not."""
    for case in [each for each in all_cases() if each.quantity == name and each.proved][:60]:
        assert case.proved is not None
        truth = compare.middle(compare.around(*case.proved))
        if not truth or abs(truth) > sys.float_info.max or abs(truth) < sys.float_info.min:
            continue
        found = judge(case, Answer(end=End.VALUE, value=float(truth)))
        assert found.outcome is not Outcome.VIOLATING
        assert found.level in (None, Level.LAST_DIGITS)
        toward = 0.0 if QUANTITIES[name].safe == "up" else math.inf
        beyond = math.nextafter(math.nextafter(float(truth), toward), toward)
        if not QUANTITIES[name].whole and 1e-290 < abs(truth) < 1e290 and not _near_one(truth):
            found = judge(case, Answer(end=End.VALUE, value=beyond))
            assert found.level in (None, Level.LAST_DIGITS), (case.id, found)


def _near_one(truth: object) -> bool:
    """A threshold just below a count, a δ or an α next to 1: there a last place decides."""
    return abs(float(truth) - 1) < 1e-6  # type: ignore[arg-type]


def test_nan_weighs_more_than_a_slight_error_and_less_than_a_broken_promise() -> None:
    slight = Level.INVALID.rank < Level.LAST_DIGITS.rank < Level.SLIGHT.rank
    assert slight
    assert Level.SLIGHT.rank < Level.NO_ANSWER.rank < Level.NOTICEABLE.rank


def test_what_is_no_harm_by_itself_is_a_remark() -> None:
    """An invalid input that gets a number, and refusals, change no grade."""
    (item,) = judged("calibrate_sigma", unchecked).functions
    assert item.grade is Grade.TIGHT
    assert item.state is State.CONFORMANT
    (remark,) = item.remarks
    assert re.fullmatch(r"\d+ of \d+ invalid inputs get a number", remark)
    strict = judgement([judged("calibrate_sigma", unchecked)], Gate(fail_on=Level.INVALID))
    assert strict.status == 1


@pytest.mark.parametrize(
    ("ulp", "excess", "told"),
    [(0.34, 4e-17, "0.34 ulp"), (-0.001, -1e-19, "< 0.01 ulp"), (1e6, 2e-10, "2e-08 %")],
)
def test_an_error_is_told_in_last_places_while_it_is_one_of_rounding(
    ulp: float, excess: float, told: str
) -> None:
    case = JudgedCase(case="x", arguments={}, outcome=Outcome.VIOLATING, ulp=ulp, excess=excess)
    assert case.error == told


def test_a_remark_counts_the_inputs_that_are_to_be_refused() -> None:
    outcomes = [Outcome.ACCEPTS_INVALID, *[Outcome.REFUSES_INVALID] * 2, Outcome.TIGHT]
    cases = [JudgedCase(case="x", arguments={}, outcome=each) for each in outcomes]
    assert remarks(cases, Grade.TIGHT) == ("1 of 3 invalid inputs get a number",)


def test_a_slight_error_carries_its_size_and_an_error_bound_no_promise() -> None:
    (item,) = judged("calibrate_sigma", slightly).functions
    found = re.fullmatch(r"slightly unsafe: by up to (\S+) in everyday use", item.graded.text)
    assert found is not None
    assert 1e-5 < float(found[1]) < MUCH
    result = judged("accuracy", lambda **given: float(fast.accuracy(**given)) * (1 - 1e-7))
    assert result.functions[0].graded.text.startswith("slightly wrong: by up to ")
    result = judged("accuracy", lambda **given: float(fast.accuracy(**given)) / 2)
    assert re.fullmatch(r"wrong by .+ in everyday use", result.functions[0].graded.text)
    assert str(terminal.total(judgement([result]))).startswith(
        "1 function: 1 is wrong in everyday use"
    )


@pytest.mark.parametrize(
    ("text", "least"),
    [("1e-6", 1e-6), ("1 %", 0.01), ("0.5%", 0.005), ("slight", Level.SLIGHT), ("0", 0.0)],
)
def test_a_gate_takes_a_size(text: str, least: Level | float) -> None:
    assert least_harm(text) == least
    (item,) = judged("calibrate_sigma", slightly).functions
    size = item.graded.size
    assert size is not None
    for limit, counted in ((size, False), (size / 2, True)):
        guilty = [v for v in item.judged if Gate(fail_on=limit).counts(v)]
        assert bool([v for v in guilty if v.everyday]) is counted


@pytest.mark.parametrize("text", ["", "much", "nan", "-1", "inf", "1 % %", "notic"])
def test_what_is_no_size_is_refused(text: str) -> None:
    with pytest.raises(ValueError, match="is no harm: give invalid-input, "):
        least_harm(text)
    done = CliRunner().invoke(main, ["conform", "--adapter", "true", "--fail-on", text])
    assert done.exit_code == 2
    assert "is no harm" in done.output


@pytest.mark.parametrize(
    ("share", "words"),
    [(4.6e-17, "4.6e-15 %"), (1e-4, "0.01 %"), (0.5, "50 %"), (1.0, "100 %"), (13.0, "14 times"),
     (1.4e5, "1.4e5 times"), (math.inf, "infinitely much"), (8.99, "900 %"), (0.0281, "2.8 %")],
)  # fmt: skip
def test_harm_is_told_in_percent_or_powers_of_ten(share: float, words: str) -> None:
    assert share_text(share) == words


def test_what_is_repeated_is_as_everyday_as_it_was() -> None:
    case = Case("q/random/x", "q", ("random",), {}, "")
    assert repeated(case, alone=True).flags == ("repeat", "random")
    assert repeated(repeated(case, alone=True), alone=True).flags == ("repeat", "random")


@pytest.mark.parametrize(
    ("number", "rest"), [(12, "and 2 more functions\n"), (11, "and 1 more function\n")]
)
def test_the_screen_has_a_line_for_each_library_and_ten_findings_at_most(
    number: int, rest: str
) -> None:
    functions = {f"f{n}": ("calibrate_sigma", halved) for n in range(number)}
    result = judge_child(
        Faked(functions), "many", Patience(), lambda case: "core" in case.flags, FRESH
    )
    text = io.StringIO()
    terminal.show(judgement([result], fresh=FRESH), Console(file=text, width=160))
    lines = text.getvalue().splitlines()
    assert lines[0] == "breaks its promise in everyday use"
    assert f"faked 0  {number} break their promise in everyday use" in lines
    findings = [line for line in lines if line[:3].strip().isdigit() and "exact" in line]
    assert len(findings) == 10
    assert rest in text.getvalue()
    assert len(lines) < 25


def test_null_is_explained() -> None:
    with pytest.raises(ProtocolError, match="JSON has none for NaN"):
        protocol.decode(b'{"id": "1", "value": null}', Reply, token="1")


def test_deaths_are_told() -> None:
    def dies(**given: float) -> float:
        raise MemoryError

    (standing,) = judgement([judged("calibrate_sigma", dies, deaths=20)]).standings
    assert any("died, or broke the protocol, 20 times" in words for words in standing.reasons)


def _document(answer: Callable[..., object]) -> pages.Document:
    result: TargetResult = judged("calibrate_sigma", answer)
    return pages.read(write(judgement([result], limits=Patience(), fresh=FRESH)))


def test_a_finding_is_reported_with_all_that_a_maintainer_needs() -> None:
    found = issue.issue(_document(halved), "f")
    assert found.private
    assert "Not public yet" in found.text
    for words in ("## What was asked", "## What came back", "the true", "half of the exact value"):
        assert words in found.text
    assert not issue.issue(_document(low), "f").private
    assert "math.nextafter" in issue.issue(_document(low), "faked f").text
    for wrong in (sigma, loose):
        with pytest.raises(ValueError, match="nothing to report"):
            issue.issue(_document(wrong), "f")
    with pytest.raises(ValueError, match="no function"):
        issue.issue(_document(low), "g")


def test_a_reproduction_needs_nothing_of_ours() -> None:
    source = '''
"""An adapter."""
import math
from os import path, sep

DISTRIBUTION = "x"

def _twice(number):
    return 2 * number

FUNCTIONS = {"f": ("calibrate_sigma", lambda epsilon, delta: _twice(math.floor(epsilon)))}
'''
    script = reproduction.reproduction(source, "f", {"epsilon": 3.5, "delta": 1e-5})
    assert "DISTRIBUTION" not in script
    assert "sep" not in script
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True)
    assert done.stdout == "6\n", done.stderr
    made = source.replace('{"f": (', '{"g" + "h": (')
    script = reproduction.reproduction(made, "gh", {"epsilon": 1.5, "delta": 1e-5})
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True)
    assert done.stdout == "2\n", done.stderr


@pytest.mark.parametrize(
    ("parameter", "short"), [("total, each", True), ("reduce, each", False), ("*each", False)]
)
def test_a_function_that_a_library_is_handed_is_written_too(parameter: str, short: bool) -> None:
    """But where its parameters would hide a name of the script, which is the whole adapter then."""
    first = parameter.partition(",")[0].strip("*")
    asked = f"reduce(lambda {parameter}: {first}, [[epsilon], [delta]])"
    source = (
        'from functools import reduce\n\nDISTRIBUTION = "x"\n'
        f'FUNCTIONS = {{"f": ("calibrate_sigma", lambda epsilon, delta: {asked})}}\n'
    )
    script = reproduction.reproduction(source, "f", {"epsilon": 3.5, "delta": 0.5})
    assert ("FUNCTIONS" not in script) is short
    done = subprocess.run([sys.executable, "-I", "-c", script], capture_output=True, text=True)
    expected = "([3.5], [0.5])" if parameter == "*each" else "[3.5]"
    assert done.stdout == f"{expected}\n", done.stderr


_GRAVE = {"level": "grave"}


@pytest.mark.parametrize(
    ("outcome", "flags", "said", "words"),
    [
        ("hang", ("core",), {}, ["is due", "Reported: `no answer within 5 s`", "never"]),
        ("crash", ("core",), {}, ["is due", "No number: crash."]),
        ("non-finite", ("core",), {"answer": "nan", "truth": "0.25"}, ["`0.25`, enclosed"]),
        ("hang", ("nonsense",), {}, ["outside the domain: no answer is right", "and NaN, with an"]),
        ("accepts invalid", ("random-nonsense",), {"answer": "0x1p-1"}, ["Refuse what is outside"]),
        ("accepts invalid", ("overflow",), {"answer": "0x1p-1"}, ["lies outside the domain"]),
        ("inconsistent", ("core",), {"answer": "0x1p-1"}, ["do not agree with each other"]),
        (
            "violating",
            ("core",),
            {"answer": "0x0.0p+0", "truth": "1e-3", "promise": "delta_at_epsilon"} | _GRAVE,
            ["is promised too much.\n"],
        ),
    ],
)
def test_each_part_of_a_report_says_something(
    outcome: str, flags: tuple[str, ...], said: dict[str, str], words: list[str]
) -> None:
    given = {"epsilon": "0x1p+0", "sigma": "0x1p+0", "sensitivity": "0x1p+0"}
    case = JudgedCase(
        case="delta_at_epsilon/x",
        arguments=given,
        outcome=outcome,
        flags=flags,
        message="no answer within 5 s" if outcome == "hang" else "",
        **said,
    )
    grade = str(Grade.EVERYDAY if outcome == "violating" else Grade.SILENT)
    about = issue.Subject(
        library="own", version="1", function="f", quantity="delta_at_epsilon", grade=grade, asked=9
    )
    found = issue.written(about, issue.ExampleAnswer(case=case))
    assert found.private == (outcome == "violating")
    assert ("Unless the library is your own" in found.text) == found.private
    parts = found.text.split("\n## ")[1:]
    assert len(parts) >= 5
    for part in parts:
        assert part.partition("\n")[2].strip(), part
    for each in words:
        assert each in found.text
    assert "Of 9 inputs that were asked, an input shows a fault of this grade." in found.text


@pytest.mark.parametrize(("off", "words"), [(-0.0, "one unit"), (1.2, "2 units")])
def test_rounding_by_so_many_units_is_enough(off: float, words: str) -> None:
    case = JudgedCase(case="x", arguments={}, outcome="rounded", flags=("core",))
    about = issue.Subject(
        library="own", version="1", function="f", quantity="zcdp_rho", grade="rounds",
        asked=9,
    )  # fmt: skip
    text = issue.written(about, issue.ExampleAnswer(case=case, off=off)).text
    assert f"at most {words} in the last place" in text


def test_how_a_known_adapter_asks_is_said_in_its_report() -> None:
    case = JudgedCase(case="x", arguments={"error": "0x1.8p+2", "alpha": "0x1p-9"}, outcome="crash")
    about = issue.Subject(
        library="opendp", version="0.16.0", function="accuracy_to_discrete_gaussian_scale",
        quantity="discrete_sigma_at_accuracy", grade="gives no answer", asked=9,
        arguments=("error", "alpha"),
    )  # fmt: skip
    text = issue.written(about, issue.ExampleAnswer(case=case)).text
    assert "How it was asked: OpenDP's accuracy a has" in text
    assert "accuracy_to_discrete_gaussian_scale(7.0, " in text


def test_an_own_adapter_with_a_known_name_is_no_known_adapter() -> None:
    case = JudgedCase(case="x", arguments={"epsilon": "0x1p+0"}, outcome="crash")
    about = issue.Subject(
        library="opacus", version="9", function="my_own", quantity="delta_at_epsilon",
        grade="gives no answer", asked=9,
    )  # fmt: skip
    text = issue.written(about, issue.ExampleAnswer(case=case)).text
    assert "Call `my_own` with `epsilon=1.0`." in text
    assert "FUNCTIONS" not in text


def test_what_a_name_says_is_shown_and_nothing_more() -> None:
    """A name, a version or a message from outside is code: no tag, link, mention or new line."""
    evil = "a`b\n# <img src=x> [c](d) **e** @f $(g) |h|"
    case = JudgedCase(
        case="x", arguments={evil: "0x1p+0"}, outcome="crash", message=evil, answer=evil, truth="1"
    )
    for library in (evil, "opacus"):
        about = issue.Subject(
            library=library, version=evil, function=evil, quantity=evil, grade="fails or hangs",
            asked=9, note=evil,
        )  # fmt: skip
        found = issue.written(about, issue.ExampleAnswer(case=case))
        outside = re.sub(r"`[^`\n]*`", "", found.text)
        for sign in ("<", "[", "**", "@", "$(", "|"):
            assert sign not in outside, outside
        assert [line for line in found.text.splitlines() if line.startswith("# ")] == [
            f"# {found.title}"
        ]


def test_an_installation_is_one_word_of_the_shell() -> None:
    case = JudgedCase(case="x", arguments={"error": "0x1.8p+2", "alpha": "0x1p-9"}, outcome="crash")
    about = issue.Subject(
        library="opendp", version="1; rm -rf x\n```", quantity="discrete_sigma_at_accuracy",
        function="accuracy_to_discrete_gaussian_scale", grade="fails or hangs", asked=9,
        arguments=("error", "alpha"),
    )  # fmt: skip
    text = issue.written(about, issue.ExampleAnswer(case=case)).text
    assert "pip install 'opendp==1; rm -rf x?```'\n" in text
    pinned = msgspec.structs.replace(about, library="diffprivlib", version="0.6.6")
    command = issue.install_of(pinned)
    assert command.startswith("pip install diffprivlib==0.6.6 ")
    assert " scikit-learn==" in command  # the newest ones do not work with it


def test_the_command_prints_the_report(tmp_path: object) -> None:
    from pathlib import Path

    file = Path(str(tmp_path)) / "run.json"
    file.write_bytes(
        write(judgement([judged("delta_at_epsilon", _less)], limits=Patience(), fresh=FRESH))
    )
    done = CliRunner().invoke(main, ["report", str(file), "--issue", "f"])
    assert done.exit_code == 0
    assert "# `f`: breaks its promise in everyday use" in done.output
    assert CliRunner().invoke(main, ["report", str(file), "--issue", "x"]).exit_code == 2


def _less(**given: float) -> float:
    return float(fast.delta_at_epsilon(**given)) / 3  # type: ignore[arg-type]


def test_the_screen_says_why_a_sound_function_is_not_conformant() -> None:
    """A total that counts one of them, under a list of good grades, must name it."""
    result = judged("delta_at_epsilon", lambda **given: 1.0)
    run = judgement([result], limits=Patience(), fresh=FRESH)
    console = Console(width=200, no_color=True)
    with console.capture() as captured:
        terminal.show(run, console)
    text = captured.get()
    assert "1 sound but loose" in text
    assert text.rstrip().endswith("1 not conformant")
    assert re.search(r"^not conformant  .* f  of no use: the typical answer is off by", text, re.M)


def test_most_adapters_are_told_in_a_few_lines() -> None:
    """What remains of an adapter is the library's calls, with the inputs in them."""
    lines: list[int] = []
    for library in LIBRARIES.values():
        source = adapter_source(library)
        for name, arguments in reproduction.functions(source).items():
            assert set(arguments) <= ARGUMENTS.keys(), (library, name)  # else it does not start
            script = reproduction.reproduction(source, name, dict.fromkeys(arguments, 0.5))
            compile(script, name, "exec")
            lines.append(len(script.splitlines()))
    assert len(lines) > 150
    assert sum(each <= 6 for each in lines) >= 0.9 * len(lines)
    given = {"epsilon": 1.0, "delta": 0.0, "sensitivity": 1.0}
    source = adapter_source(LIBRARIES["diffprivlib"])  # hands over a function that reads nothing
    script = reproduction.reproduction(source, "Laplace", given)
    assert "\nmechanism._laplace_sampler = lambda *uniforms: -1.0\nprint(" in script
    assert len(script.splitlines()) == 4


@pytest.mark.parametrize("library", ["dp-accounting", "opacus"])
def test_a_count_in_parts_is_the_count_that_is_asked(library: str) -> None:
    """A count that is to be refused is handed on: some of it would be a question of our own."""
    source = adapter_source(LIBRARIES[library])
    names = [name for name in reproduction.functions(source) if name.endswith(", k events")]
    assert len(names) == 2
    for name, releases in itertools.product(names, [-60, -5, 0, 1, 7, 8, 31, 2017]):
        given = {"delta": 1e-5, "sigma": 3.0, "releases": float(releases)}
        script = reproduction.reproduction(source, name, given)
        counts = [int(count) for count in re.findall(r"3\.0(?:, 1\.0|\)), (-?\d+)\)", script)]
        assert sum(counts) == releases, script
        assert releases < 1 or min(counts) > 0, script


@pytest.mark.parametrize(
    ("library", "name", "asked"),
    [
        ("autodp", "Composition, randomised response, k", r"RandresponseMechanism\((.*?)\)"),
        (
            "opendp",
            "make_composition(make_randomized_response), zCDP_to_approxDP.delta",
            r"make_randomized_response\(\[0, 1\], (.*?), T",
        ),
    ],
    ids=["autodp", "opendp"],
)
def test_reports_are_true_no_less_often_than_what_is_asked(
    library: str, name: str, asked: str
) -> None:
    """1 − x is rounded too: else a library is judged by reports that are more private."""
    source = adapter_source(LIBRARIES[library])
    arguments = reproduction.functions(source)[name]
    for tenths in (1, 30, *range(62, 340, 31)):
        usual = {"epsilon": 1.0, "report_epsilon": tenths / 10, "kinds": 2.0, "releases": 2.0}
        given = {name: usual[name] for name in arguments}
        (true,) = re.findall(asked, reproduction.reproduction(source, name, given))
        with ctx.workprec(200):
            assert arb(float(true)) >= 1 / (1 + arb(-tenths / 10).exp()), tenths


def test_of_nonsense_scipy_is_asked_and_no_constant() -> None:
    """All trials are successes: the limit is 1, which SciPy's beta law of no failures has not."""
    adapter = module_at(Path(adapters.__file__).with_name("scipy.py"), "scipy_adapter")
    for name in ("beta.isf", "beta.ppf"):
        upper = adapter.FUNCTIONS[name][1]
        assert upper(5.0, 5.0, 0.05) == 1
        for given in ((5.0, 5.0, math.nan), (5.0, 5.0, -1.0), (5.0, 5.0, 2.0), (-3.0, -3.0, 0.05)):
            assert math.isnan(upper(*given)), given


def _many(names: Sequence[str], **said: str) -> TargetResult:
    """Return the result of functions of these names that answer half of the exact noise."""
    result = judge_child(
        Faked(dict.fromkeys(names, ("calibrate_sigma", halved))),
        "many",
        Patience(),
        lambda case: "core" in case.flags,
        Fresh(rounds=0, seed=1),
    )
    for item in result.functions:
        item.function = msgspec.structs.replace(item.function, **said)
    return result


def _screen(result: TargetResult, width: int = 100) -> list[str]:
    text = io.StringIO()
    terminal.show(judgement([result], fresh=FRESH), Console(file=text, width=width))
    return text.getvalue().splitlines()


def test_one_cause_has_one_line() -> None:
    accountant = "RDPAccountant(REPLACE_ONE)"
    names = [f"{accountant}.get_{each}" for each in ("epsilon", "epsilon, k", "delta, fixed size")]
    lines = _screen(_many([*names, "noise"], relation="replace-one", unit="clipping norm"))
    findings = [line for line in lines if line[:3].strip().isdigit()]
    assert len(findings) == 2
    assert f"faked {accountant}, 3 functions" in findings[0]
    assert "faked noise" in findings[1]
    wide = _screen(_many(names, relation="replace-one", unit="clipping norm"), 160)
    assert not any("more of this accountant" in line for line in wide), "100 columns at most"
    (short,) = (
        line for line in _screen(_many(["A(X).f", "A(X).g"], relation="add")) if "A(X" in line
    )
    assert "faked A(X).f and 1 more of this accountant  " in short
    # Without a relation only the questions to one function are one.
    lines = _screen(_many(names))
    findings = [line for line in lines if line[:3].strip().isdigit()]
    assert len(findings) == 2
    assert any("get_epsilon and 1 more  " in line for line in findings)


@pytest.mark.parametrize("width", [80, 100, 160])
def test_what_to_mend_first_fits_its_lines(width: int) -> None:
    long = "a.module_of_a_library.with.a_long_name.AndAClassOfIts.own_function, sampled"
    lines = _screen(_many([long, "f"]), width)
    start = lines.index("breaks its promise in everyday use")
    findings = [line for line in lines[start:] if line[:3].strip().isdigit()]
    assert len(findings) == 2
    assert all(len(line) <= min(width, 100) and "exact" in line for line in findings)


@pytest.mark.parametrize("width", [80, 100, 160])
def test_a_long_name_of_a_library_keeps_the_table(width: int) -> None:
    short, gone = _many(["f"]), TargetResult("x" * 300, None, failure="it is not there")
    text = io.StringIO()
    terminal.show(judgement([short, gone], fresh=FRESH), Console(file=text, width=width))
    lines = text.getvalue().splitlines()
    (at,) = (place for place, line in enumerate(lines) if line.startswith("faked 0 "))
    first, second = lines[at : at + 2]
    assert first.index("1 breaks its promise") == second.index("could not be run")
    assert "x…x" in second
    assert max(len(first), len(second)) <= width


@pytest.mark.parametrize("width", [40, 80])
def test_a_narrow_table_names_its_functions(width: int) -> None:
    text = io.StringIO()
    shown = [_many(["ab"])]
    Console(file=text, width=width).print(table(judgement(shown)))
    assert re.search(r"\bab\b", text.getvalue())
    assert max(map(len, text.getvalue().splitlines())) <= width


@pytest.mark.parametrize("room", [30, 40, 60, 80, 100, 200])
def test_a_finding_of_every_quantity_fits_its_room(room: int) -> None:
    for quantity, row in QUANTITIES.items():
        case = next(each for each in all_cases() if each.quantity == quantity and each.valid)
        made = JudgedCase(
            case=case.id,
            quantity=quantity,
            arguments={name: (value / 3).hex() for name, value in case.arguments.items()},
            outcome=Outcome.VIOLATING,
            answer="0.123456",
            truth="0.2345678901234567",
            promise=quantity,
            ratio=1.9,
            level=Level.GRAVE,
        )
        found = fitted(made, room)
        assert len(found) <= room
        assert "_" not in symbol(quantity), "a name of ours"
        if room >= 100:
            assert "0.1235, exact 0.2346" in found
            assert row.name not in found


def test_what_is_everyday_is_what_people_use() -> None:
    """Everyday vectors and draws of all quantities: α = 1e-16 and σ = 1e-300 are not among them."""
    seen = set()
    for case in all_cases():
        if case.valid and worked(case.flags):
            rows = QUANTITIES[case.quantity].rows
            seen.add(case.quantity)
            wrong = {n: v for n, v in case.arguments.items() if not rows[n].in_use(v)}
            assert not wrong, case.id
    assert seen == {*QUANTITIES}
    for name, least, most in (("alpha", 1e-11, 0.999), ("delta", 1e-14, 0.5), ("sigma", 1e-3, 1e4)):
        found = [
            case.arguments[name]
            for case in all_cases()
            if case.valid and worked(case.flags) and case.arguments.get(name)
        ]
        assert least <= min(found)
        assert max(found) <= most
    ids = {case.id: case.flags for case in all_cases()}
    assert not worked(ids["laplace_accuracy/alpha=1e-16;scale=1"])
    assert worked(ids["laplace_accuracy/alpha=0.05;scale=1"])


@pytest.mark.parametrize("quantity", QUANTITIES)
def test_the_document_says_under_which_relation_and_unit_was_asked(quantity: str) -> None:
    relation, unit = presupposed(quantity)
    row = QUANTITIES[quantity]
    assert relation
    noise = [name for name, argument in row.rows.items() if argument.noise]
    assert bool(unit) is bool(noise or row.kind.name.startswith("noise"))


def test_a_share_without_an_answer_stands_beside_every_grade() -> None:
    def some(epsilon: float, delta: float, sensitivity: float) -> float:
        if zlib.crc32(repr((epsilon, delta)).encode()) % 8 == 0:
            raise ValueError("no")
        return sigma(epsilon, delta, sensitivity)

    result = judged("calibrate_sigma", some, fresh=Fresh(rounds=12, seed=1))
    (standing,) = judgement([result]).standings
    assert 0.03 < standing.refused < 0.3
    words = f"{100 * standing.refused:.0f} % of everyday inputs unanswered"
    document = pages.read(write(judgement([result], limits=Patience(), fresh=FRESH)))
    text = io.StringIO()
    terminal.show(judgement([result], fresh=FRESH), Console(file=text, width=200), verbose=True)
    shown = text.getvalue()
    assert f"{standing.grade} ({words})" in shown  # the table
    assert f"1 function leaves {words}" in shown  # the library's line and the total
    assert shown.count(f"1 function leaves {words}") == 2
    assert words in pages.markdown(document)
    assert words in pages.badge(document)
    (item,) = document.items
    assert item.refused == standing.refused


def test_who_confuses_neighbours_of_everyday_inputs_is_unsafe_there() -> None:
    """A cache whose key has six digits of the logarithms answers for another input."""
    kept: dict[tuple[float, ...], float] = {}

    def cached(**given: float) -> float:
        found = sigma(**given)  # refuses first
        key = tuple(round(math.log10(value), 6) for value in given.values() if value)
        return kept.setdefault(key, found)

    result = judged("calibrate_sigma", cached, fresh=Fresh(rounds=49, seed=7))
    (standing,) = judgement([result]).standings
    assert standing.grade is Grade.SLIGHT
    assert standing.graded is not None
    assert standing.graded.everyday


@pytest.mark.parametrize(
    ("true", "text"),
    [(1, "1"), (2, "2"), (Fraction(1, 3), "0.33333333333333331"), (Fraction(5, 2), "2.5")],
)
def test_what_is_true_is_told_in_decimal(true: Fraction | int, text: str) -> None:
    told = Consequence(promise="delta", promised=Fraction(1, 8), true=true, excess=Fraction(1))
    assert told.text == text
