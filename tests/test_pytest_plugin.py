"""The pytest plugin, shown at work in scratch projects."""

import json
import re
import subprocess
import sys
import textwrap
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import numpy.fft
import pytest
from conformance.faking import judged

from dporacle import fast, vectors
from dporacle.conformance.grade import known_failures
from dporacle.conformance.grade.functions import Gate, fails
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.run.runner import Fresh
from dporacle.pytest_plugin.summary import VectorSummary
from dporacle.report import baseline
from support.cases import table

# pytester forgets the modules that a scratch project imports, and numpy cannot be loaded twice.
LOADED = (fast, vectors, numpy.fft)

HEAVY = ("numpy", "scipy", "mpmath", "flint", "msgspec", "click", "rich")

LIBRARY = """
    import math
    import pytest
    import dporacle

    def calibrate(epsilon, delta, sensitivity=1.0):
        "Right except at ε = 0."
        if epsilon == 0:
            return 1e-9
        return dporacle.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
"""


def project(pytester: pytest.Pytester, test: str, *arguments: str) -> pytest.RunResult:
    """Run a scratch project of one library and one test file."""
    pytester.makepyfile(library=LIBRARY)
    pytester.makepyfile(test_scratch="from library import *\n" + test)
    return pytester.runpytest("-q", "-W", "error", "--strict-markers", *arguments)


OTHER = 1  # a test that has nothing to do with vectors is never dropped by our options

THREE_LINES = """
@pytest.mark.dporacle(function="calibrate_sigma", flags=["core"])
def test_sigma(dporacle_vector):
    dporacle_vector.check(calibrate(**dporacle_vector.inputs))
"""


def test_three_lines(pytester: pytest.Pytester) -> None:
    result = project(pytester, THREE_LINES)
    result.assert_outcomes(passed=54)
    result.stdout.no_fnmatch_line("*dporacle: vectors*")  # nothing fails, and nothing is remarked


def test_nothing_is_summed_up_where_nothing_failed(pytestconfig: pytest.Config) -> None:
    class Terminal:
        """What is written, instead of a terminal."""

        def __init__(self) -> None:
            self.said: list[str] = []

        def section(self, title: str) -> None:
            self.said.append(title)

        line = section

    quiet, terminal = VectorSummary(pytestconfig), Terminal()
    quiet.pytest_terminal_summary(terminal)
    assert terminal.said == []


def test_a_failure_explains_itself(pytester: pytest.Pytester) -> None:
    text = THREE_LINES.replace('"core"', '"zero-epsilon"')
    result = project(
        pytester, text, "test_scratch.py::test_sigma[epsilon=0;delta=1e-05;sensitivity=1]"
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(
        [
            "*violating: below the exact value, by 100 %*",
            "*asked   calibrate_sigma(epsilon=0.0, delta=1e-05, sensitivity=1.0)*",
            "*answer  1e-09 (0x1.12e0be826d695p-30)*",
            "*truth   proved to lie in [[]39894.2280*",
            "*safe    rounded up: 39894.228*",
            "*why     zero-epsilon: ε = 0 is a valid request*",
        ]
    )
    shown = result.stdout.str()
    assert "question.py" not in shown  # the failing line is the user's own
    assert (
        "dporacle_vector = <vector calibrate_sigma[epsilon=0;delta=1e-05;sensitivity=1]>" in shown
    )


@pytest.mark.parametrize(
    ("arguments", "passed"),
    [
        (("--dporacle-flag", "algorithm-1-sign"), 1 + OTHER),
        (("--dporacle-group", "accuracy"), 30 + OTHER),
        (("--dporacle-group", "accuracy", "--dporacle-group", "calibrate_sigma"), 84 + OTHER),
        (("--dporacle-group", "accuracy", "--dporacle-flag", "subnormal"), 6 + OTHER),
        (("-m", "dporacle_flag(name='algorithm-1-sign')"), 1),
        (("-m", "dporacle_group(name='accuracy')"), 30),
        (("-m", "not dporacle"), OTHER),
    ],
)
def test_choosing(pytester: pytest.Pytester, arguments: tuple[str, ...], passed: int) -> None:
    text = """
def test_of_another_kind():
    pass

@pytest.mark.dporacle("calibrate_sigma", flags=["algorithm-1-sign", "core"])
def test_sigma(dporacle_vector):
    dporacle_vector.check(calibrate(**dporacle_vector.inputs))

@pytest.mark.dporacle("accuracy", flags=["tiny-delta", "almost-one"])
def test_accuracy(dporacle_vector):
    dporacle_vector.check(dporacle.accuracy(**dporacle_vector.inputs))
"""
    outcomes = project(pytester, text, *arguments).parseoutcomes()
    # 54 vectors of σ (one with the sign's flag), 30 of the accuracy, 1 test of another kind
    assert outcomes.get("deselected", 0) == 85 - passed
    assert outcomes["passed"] == passed
    assert "failed" not in outcomes


def test_known_failures_expire(pytester: pytest.Pytester) -> None:
    text = """
@pytest.mark.dporacle(
    function="calibrate_sigma",
    flags=["zero-epsilon", "algorithm-1-sign"],
    fixed={"sensitivity": 1},
    fail_on="last-digits",
    known_failures={"epsilon=0;*": "the search starts at D/ε"},
    skip={"flag:subnormal": "takes minutes"},
)
def test_sigma(dporacle_vector):
    assert set(dporacle_vector.inputs) == {"epsilon", "delta"}
    dporacle_vector.check(calibrate(**dporacle_vector.inputs))
"""
    before = project(pytester, text, "-rxX").parseoutcomes()
    assert before["passed"] > 0
    assert before["xfailed"] > 5
    assert before["skipped"] == 1
    repaired = LIBRARY.replace("return 1e-9", "pass")
    pytester.makepyfile(library=repaired)
    after = pytester.runpytest("-q", "-p", "no:cacheprovider")
    outcomes = after.parseoutcomes()
    assert outcomes["failed"] == before["xfailed"]
    assert after.ret == 1
    after.stdout.fnmatch_lines(["*XPASS(strict)*the search starts at D/ε*"])


def test_refusals_and_answers_beyond_the_floats(pytester: pytest.Pytester) -> None:
    text = """
FLAGS = ["nonsense", "zero-delta", "overflow"]

@pytest.mark.dporacle("calibrate_sigma", flags=FLAGS, refusals=True)
def test_refuses(dporacle_vector):
    dporacle_vector.call(dporacle.calibrate_sigma, refuses=(ValueError, OverflowError))

@pytest.mark.dporacle("calibrate_sigma", flags=["nonsense"], refusals=True, fail_on="invalid-input")
def test_answers(dporacle_vector):
    assert not dporacle_vector.valid
    dporacle_vector.call(lambda **inputs: 1.0)

@pytest.mark.dporacle("calibrate_sigma", flags=["algorithm-1-sign"])
def test_raises(dporacle_vector):
    def broken(**inputs):
        raise RuntimeError("no root")
    dporacle_vector.call(broken)
"""
    result = project(pytester, text, "--dporacle-all")
    result.assert_outcomes(passed=27, failed=12)
    result.stdout.fnmatch_lines(
        ["*accepts invalid: an answer, although epsilon is not in the domain*"]
    )
    result.stdout.fnmatch_lines(["*RuntimeError: no root*"])


def test_strictness_can_be_declared(pytester: pytest.Pytester) -> None:
    text = """
@pytest.mark.dporacle("calibrate_sigma", flags=["algorithm-1-sign"], unsafe_ulp=2)
def test_near(dporacle_vector):
    dporacle_vector.check(math.nextafter(calibrate(**dporacle_vector.inputs), 0))

@pytest.mark.dporacle("calibrate_sigma", flags=["algorithm-1-sign"], excess=0.01)
def test_loose(dporacle_vector):
    dporacle_vector.check(1.1 * calibrate(**dporacle_vector.inputs))
"""
    result = project(pytester, text)
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(["*loose: on the safe side, by 10 %*"])


@pytest.mark.parametrize(("mark", "words"), table("a_mark_that_cannot_be"))
def test_a_mark_that_cannot_be(pytester: pytest.Pytester, mark: str, words: str) -> None:
    text = f"@pytest.mark.dporacle({mark})\ndef test_it(dporacle_vector):\n    pass\n"
    result = project(pytester, text)
    assert result.ret != 0
    output = result.stdout.str() + result.stderr.str()
    assert words.replace("[*]", "*") in output


def test_without_a_mark_the_fixture_says_so(pytester: pytest.Pytester) -> None:
    result = project(pytester, "def test_it(dporacle_vector):\n    pass\n")
    result.assert_outcomes(errors=1)
    result.stdout.fnmatch_lines(["*stands in a test with the mark*"])


@pytest.mark.parametrize("option", ["--dporacle-group", "--dporacle-flag"])
def test_an_option_without_meaning(pytester: pytest.Pytester, option: str) -> None:
    result = project(pytester, THREE_LINES, option, "nothing")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*{option}: no 'nothing'; there are *"])


def test_junit(pytester: pytest.Pytester) -> None:
    text = THREE_LINES.replace('"core"', '"algorithm-1-sign"')
    project(pytester, text, "--junitxml=out.xml")
    tree = ET.parse(pytester.path / "out.xml")
    found = {each.get("name"): each.get("value") for each in tree.iter("property")}
    assert found["dporacle_group"] == "calibrate_sigma"
    assert "algorithm-1-sign" in str(found["dporacle_flag"])


def test_nothing_heavy_is_imported_at_the_start(pytester: pytest.Pytester) -> None:
    """By its entry point, in a process of its own, in a project that has nothing to do with us."""
    pytester.makepyfile(
        f"""
        import sys

        def test_it():
            assert "dporacle.pytest_plugin" in sys.modules
            assert not [name for name in {HEAVY!r} if name in sys.modules]
        """
    )
    command = [sys.executable, "-m", "pytest", "-q", "-p", "no:hypothesispytest", "-W", "error"]
    result = subprocess.run(
        command, cwd=pytester.path, capture_output=True, text=True, timeout=60, check=False
    )
    assert result.returncode == 0, result.stdout + result.stderr


NEW_GROUPS = """
from dporacle import fast

def linear(mu, releases):
    "Composition that charges k instead of √k is wasteful; one that charges nothing is not safe."
    return mu * releases

def nothing(mu, releases):
    return mu

@pytest.mark.dporacle(function="{group}", refusals=True)
def test_group(dporacle_vector):
    dporacle_vector.call(fast.{group})

@pytest.mark.dporacle(function="repeated_mu", flags=["core"])
def test_free(dporacle_vector):
    assert isinstance(dporacle_vector.inputs["releases"], int)
    dporacle_vector.check(nothing(**dporacle_vector.inputs) * (1 + 1e-15))

@pytest.mark.dporacle(function="repeated_mu", flags=["core"], excess="declared")
def test_wasteful(dporacle_vector):
    dporacle_vector.check(linear(**dporacle_vector.inputs) * (1 + 1e-15))
"""


@pytest.mark.parametrize("group", ["zcdp_sigma", "gdp_epsilon", "discrete_accuracy"])
def test_the_wider_groups_are_there(pytester: pytest.Pytester, group: str) -> None:
    file = vectors.load(group)
    result = project(pytester, NEW_GROUPS.format(group=group), "--dporacle-group", group)
    result.assert_outcomes(
        passed=len(file.vectors) + len(file.refusals), deselected=2 * len(CORE_RELEASES)
    )


CORE_RELEASES = [v for v in vectors.load("repeated_mu").vectors if "core" in v.flags]


def test_composition_is_root_k(pytester: pytest.Pytester) -> None:
    """Who charges nothing for further releases is convicted, and who charges k by the tolerance."""
    one = sum(v.inputs["releases"] == 1 for v in CORE_RELEASES)
    text = NEW_GROUPS.format(group="zcdp_rho")
    result = project(pytester, text, "--dporacle-group", "repeated_mu", "--dporacle-all")
    others = 2 * (len(CORE_RELEASES) - one)
    rho = vectors.load("zcdp_rho")
    result.assert_outcomes(
        passed=2 * one, failed=others, deselected=len(rho.vectors) + len(rho.refusals)
    )


HALF = """
@pytest.mark.dporacle(function="calibrate_sigma")
def test_sigma(dporacle_vector):
    dporacle_vector.check(calibrate(**dporacle_vector.inputs) / 2)
"""


def test_one_failure_of_each_cause_is_told_in_full(pytester: pytest.Pytester) -> None:
    text = HALF.replace('"calibrate_sigma"', '"calibrate_sigma", flags=["core"]')
    result = project(pytester, text)
    assert result.ret == 1
    outcomes = result.parseoutcomes()
    assert outcomes["alike"] > 40
    assert outcomes["alike"] + outcomes["failed"] == 54
    told = [line for line in result.outlines if line.startswith("E ") and "harm" in line]
    assert len(told) == outcomes["failed"] < 5
    assert all(re.search("true [δε] is .*(%|times).* the promised one", line) for line in told)
    listed = [line for line in result.outlines if line.startswith("FAILED")]
    assert len(listed) == len(told)
    assert not any("like another" in line for line in listed)
    result.stdout.fnmatch_lines(
        ["*54 of 54 vectors fail*", "  classes  violating 54", "  harm*", "  flags    core 54*"]
    )
    assert len(result.outlines) < 400


def test_known_failures_are_recorded_expected_and_expire(pytester: pytest.Pytester) -> None:
    text = HALF.replace('"calibrate_sigma"', '"calibrate_sigma", flags=["zero-epsilon"]')
    project(pytester, text, "--dporacle-baseline", "known.toml")
    expected = project(pytester, text, "--dporacle-known-failures", "known.toml")
    assert expected.ret == 0
    assert expected.parseoutcomes().keys() <= {"xfailed", "passed"}
    mended = text.replace(
        "check(calibrate(**dporacle_vector.inputs) / 2)", "call(dporacle.calibrate_sigma)"
    )
    result = project(pytester, mended, "--dporacle-known-failures", "known.toml")
    assert result.ret == 1
    result.stdout.fnmatch_lines(["*have expired*", "to be removed: *epsilon=0;*"])
    nothing = project(pytester, text, "--dporacle-known-failures", "absent.toml")
    nothing.stderr.fnmatch_lines(["*cannot read absent.toml*"])


def test_an_unknown_flag_is_told_the_others(pytester: pytest.Pytester) -> None:
    result = project(pytester, THREE_LINES.replace('"core"', '"coer"'))
    assert "it has core, " in result.stdout.str() + result.stderr.str()


# Somebody who halves, refuses, dies, loops in NaN and answers what is to be refused.
MIXED = """
    import dporacle

    def calibrate(epsilon, delta, sensitivity):
        if epsilon > 700:
            raise ValueError("not covered")
        if delta == 0.5:
            raise RuntimeError("an index is out of range")
        if epsilon == 0:
            return float("nan")
        if not 0 < delta < 1:
            return 1.0
        share = {0.1: 0.5, 1e-6: 1 - 1e-12, 1e-5: 1.5, 1e-9: 1 - 1e-5}.get(delta, 1)
        return share * dporacle.calibrate_sigma(
            epsilon=epsilon, delta=delta, sensitivity=sensitivity
        )
"""


def test_one_judge_has_one_answer(pytester: pytest.Pytester, tmp_path: Path) -> None:
    """What `conform` and the plugin say of each vector is the same, and so is what they forgive."""
    pytester.makepyfile(library=MIXED)
    space: dict[str, Any] = {}
    exec(textwrap.dedent(MIXED), space)
    result = judged("calibrate_sigma", space["calibrate"], fresh=Fresh())
    by_conform = {v.case: (str(v.outcome), v.level, v.harm) for v in result.functions[0].judged}
    assert {outcome for outcome, _, _ in by_conform.values()} >= {
        "violating", "crash", "non-finite", "accepts invalid", "rounded", "refuses valid", "loose",
        "tight", "refuses invalid",
    }  # fmt: skip
    pytester.makepyfile(
        test_scratch="""
        import json
        import pytest
        from library import calibrate

        @pytest.mark.dporacle(function="calibrate_sigma", refusals=True)
        def test_sigma(dporacle_vector):
            try:
                dporacle_vector.call(calibrate)
            finally:
                (judged,) = dporacle_vector.found
                with open("found.jsonl", "a") as file:
                    said = judged.case, judged.outcome, judged.level, judged.harm
                    file.write(json.dumps(said) + chr(10))
        """
    )
    file = tmp_path / "known.toml"
    document = judgement([result])
    text = known_failures.write(baseline.baseline(document, reason="known"))
    file.write_text(text)
    before = pytester.runpytest("-q")
    lines = (pytester.path / "found.jsonl").read_text().splitlines()
    by_plugin = {case: tuple(said) for case, *said in map(json.loads, lines)}
    assert by_plugin == by_conform
    failing = sum(fails(v, Gate()) for v in result.functions[0].judged)
    outcomes = before.parseoutcomes()
    assert outcomes["failed"] + outcomes["alike"] == failing > 0
    refused = sum(v.outcome == "refuses valid" for v in result.functions[0].judged)
    assert outcomes["skipped"] == refused
    before.stdout.fnmatch_lines(["test_sigma (calibrate_sigma): breaks its promise in everyday*"])
    after = pytester.runpytest("-q", "--dporacle-known-failures", str(file))
    assert after.ret == 0, after.stdout.str()
    outcomes = after.parseoutcomes()
    assert outcomes.keys() == {"passed", "skipped", "xfailed"}
    assert outcomes["xfailed"] == failing
    own = pytester.path / "own.toml"
    pytester.runpytest("-q", "--dporacle-baseline", str(own))
    entries = {(e.case, e.outcome, e.level) for e in known_failures.read(own.read_bytes())}
    known = known_failures.read(text.encode())  # of a run without fresh inputs
    assert entries == {(e.case, e.outcome, e.level) for e in known if e.case != "not judged"}


def test_who_refuses_nearly_all_is_not_judged(pytester: pytest.Pytester) -> None:
    """A refusal harms nobody; a function that only refuses does not pass for a right one."""
    text = """
@pytest.mark.dporacle(function="calibrate_sigma", flags=["core"])
def test_sigma(dporacle_vector):
    def refuses(**inputs):
        raise ValueError("not today")
    dporacle_vector.call(refuses)
"""
    result = project(pytester, text)
    assert result.ret == 1
    result.assert_outcomes(skipped=54)
    result.stdout.fnmatch_lines(
        ["test_sigma (calibrate_sigma) is not judged: 0 of * everyday vectors were answered*"]
    )
