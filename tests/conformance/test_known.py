"""Known failures: expected, no worse than said, and expired when they pass. No network."""

import sys
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner
from conformance.faking import FRESH, judged

import dporacle
from dporacle import report as pages
from dporacle.cli import main
from dporacle.conformance.ask.cases import all_cases
from dporacle.conformance.grade import known_failures, runs
from dporacle.conformance.grade.functions import Gate
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.run.runner import Fresh, Patience, TargetResult
from dporacle.report.baseline import baseline

SCRIPT = Path(__file__).with_name("specimens.py")


def right(epsilon: float, delta: float, sensitivity: float) -> float:
    return float(dporacle.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity))


def halved(share: float, epsilon: float, delta: float, sensitivity: float) -> float:
    answer = right(epsilon, delta, sensitivity)
    return answer * share if epsilon > 709 else answer


def recorded(
    result: TargetResult, *, gate: Gate | None = None, **options: bool
) -> tuple[known_failures.KnownCases, ...]:
    document = pages.read(runs.write(judgement([result], gate, limits=Patience(), fresh=FRESH)))
    text = known_failures.write(baseline(document, reason="later", **options))
    return known_failures.read(text.encode())


@pytest.mark.parametrize("each", [False, True])
def test_what_is_recorded_is_expected_until_it_passes(each: bool) -> None:
    slightly = judged("calibrate_sigma", lambda **given: halved(0.9999, **given))
    grossly = judged("calibrate_sigma", lambda **given: halved(0.1, **given))
    mended = judged("calibrate_sigma", right)
    assert judgement([slightly]).status == 1
    entries = recorded(slightly, each=each)
    assert all("later (" in entry.reason for entry in entries)
    assert judgement([slightly], known=known_failures.KnownFailures(entries)).status == 0
    # What is worse than it was is a new failure.
    assert judgement([grossly], known=known_failures.KnownFailures(entries)).status == 1
    # What passes has expired, and is told.
    found = judgement([mended], known=known_failures.KnownFailures(entries))
    assert found.status == 1
    assert found.expired
    assert not any("fresh" in entry for entry in found.expired)
    # What is about another library is not looked at.
    others = [msgspec_replace(entry, library="another") for entry in entries]
    assert judgement([mended], known=known_failures.KnownFailures(others)).status == 0
    assert judgement([slightly], known=known_failures.KnownFailures(others)).status == 1


def msgspec_replace(entry: known_failures.KnownCases, **changes: str) -> known_failures.KnownCases:
    import msgspec

    return msgspec.structs.replace(entry, **changes)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (b"", "format"),
        (b"\xff", "not a file"),
        (b"format = 1", "not a file"),
        (b'format = "other/1"', "format 'other/1'"),
        (b'format = "dporacle-known-failures/1"\n[[known]]\ncase = "x"', "reason"),
        (b'format = "dporacle-known-failures/1"\n[[known]]\ncase = "x"\nreason = " "', "reason"),
        (b'format = "dporacle-known-failures/1"\n[[known]]\ncaes = "x"\nreason = "y"', "caes"),
        (
            b'format = "dporacle-known-failures/1"\n[[known]]\ncase="x"\nreason="y"\nlevel="z"',
            "level",
        ),
    ],
)
def test_a_file_that_is_none(text: bytes, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        known_failures.read(text)


def test_names_with_brackets_and_quotes_survive() -> None:
    entry = known_failures.KnownCases(
        case='a"b\\c\x7f[1]', reason="ü\n", function="f([x])", level=Level.GRAVE
    )
    (back,) = known_failures.read(known_failures.write([entry]).encode())
    assert back == entry
    assert back.is_about("any", "f([x])", "any")
    assert not back.is_about("any", "f(x)", "any")


def test_the_command_line(tmp_path: Path) -> None:
    run, file = tmp_path / "run.json", tmp_path / "known.toml"
    command = ["conform", "--adapter", f"{sys.executable} -I -S {SCRIPT} clipped", "--seed", "1"]
    command += ["--random", "8"]
    runner = CliRunner()
    assert runner.invoke(main, [*command, "--output", str(run)]).exit_code == 1
    written = runner.invoke(main, ["baseline", str(run), "-o", str(file)])
    assert written.exit_code == 0
    found = len(known_failures.read(file.read_bytes()))
    assert written.output == f"wrote {file}: {found} known failures\n"
    again = runner.invoke(main, [*command, "--known-failures", str(file)])
    assert again.exit_code == 0, again.output
    assert "New, and not" not in again.output
    assert runner.invoke(main, ["baseline", str(file)]).exit_code == 2
    assert runner.invoke(main, [*command, "--known-failures", str(run)]).exit_code == 2


def test_a_crash_is_new_where_only_last_digits_were_wrong() -> None:
    def low(**given: float) -> float:
        return right(**given) * (1 - 1e-14)

    def dies(**given: float) -> float:
        if 0.01 < given["epsilon"] < 0.2:
            raise RuntimeError("index out of range")
        return low(**given)

    strict = Gate(fail_on=Level.LAST_DIGITS)
    entries = recorded(judged("calibrate_sigma", low), gate=strict)
    found = judged("calibrate_sigma", dies)
    standing = judgement([found], strict, known_failures.KnownFailures(entries))
    assert standing.status == 1
    assert standing.standings[0].new


def test_who_violates_and_answers_little_passes_with_its_own_baseline() -> None:
    """Its failures known, it is not judged: that is recorded too."""

    def few(**given: float) -> float:
        if given["epsilon"] < 100:
            raise ValueError("not covered")
        return halved(0.9, **given)

    found = judged("calibrate_sigma", few)
    assert judgement([found]).status == 1
    entries = recorded(found)
    assert "not judged" in {entry.case for entry in entries}
    known = known_failures.KnownFailures(entries)
    assert judgement([found], known=known).status == 0
    assert not judgement([found], known=known_failures.KnownFailures(entries)).expired


def _often(share: float, epsilon: float, delta: float, sensitivity: float) -> float:
    """Answer too little in a strip of everyday inputs, but for the vectors."""
    answer = right(epsilon, delta, sensitivity)
    in_strip = 0.2 < epsilon < 3 and (epsilon, delta) not in _ASKED
    return answer * share if in_strip else answer


_ASKED = {
    (case.arguments["epsilon"], case.arguments["delta"])
    for case in all_cases()
    if case.quantity == "calibrate_sigma" and "core" in case.flags
}


def test_fresh_inputs_that_do_more_harm_than_was_known_are_new() -> None:
    """One run does not know the worst: a single worse answer is let pass, many are not."""
    many = Fresh(rounds=80, seed=1)
    slightly = judged("calibrate_sigma", lambda **given: _often(0.99999, **given), fresh=many)
    grossly = judged("calibrate_sigma", lambda **given: _often(0.001, **given), fresh=many)
    entries = recorded(slightly)
    (fresh,) = (entry for entry in entries if entry.case == "fresh")
    assert fresh.levels is not None
    assert [level for level, _ in fresh.levels] == [Level.SLIGHT]
    assert judgement([slightly], known=known_failures.KnownFailures(entries)).status == 0
    found = judgement([grossly], known=known_failures.KnownFailures(entries))
    assert found.status == 1
    assert found.standings[0].new


def test_what_is_worse_only_once_is_no_news() -> None:
    where, flags = ("a", "f", "q"), ("random",)
    entry = known_failures.KnownCases(
        case="fresh", reason="r", failed=30, asked=400, levels=((Level.SLIGHT, 30),)
    )
    for worse, new in ((1, False), (18, True)):
        known = known_failures.KnownFailures([entry])
        tally = known_failures.FreshTally(
            400, 30, Counter({Level.GRAVE: worse, Level.SLIGHT: 30 - worse})
        )
        known.count(where, (tally, known_failures.FreshTally()))
        for level, excused in ((Level.GRAVE, not new), (Level.SLIGHT, True)):
            assert known.excuses(where, "x", flags, "violating", level) == excused


@pytest.mark.parametrize(("failed", "new"), [(30, False), (45, False), (59, False), (60, True)])
def test_a_share_that_doubles_is_new(failed: int, new: bool) -> None:
    """Less than twice the share may be chance, and twice of so many inputs hardly ever is."""
    where = ("a", "f", "q")
    entry = known_failures.KnownCases(
        case="fresh", reason="r", failed=30, asked=450, levels=((Level.SLIGHT, 30),)
    )
    known = known_failures.KnownFailures([entry])
    tally = known_failures.FreshTally(450, failed, Counter({Level.SLIGHT: failed}))
    known.count(where, (tally, known_failures.FreshTally()))
    assert known.excuses(where, "x", ("random",), "violating", Level.SLIGHT) is not new
    least = known.excuses(where, "x", ("random",), "violating", None)
    assert least is not new  # whatever the harm


def test_twice_as_many_of_few_may_be_chance() -> None:
    where = ("a", "f", "q")
    entry = known_failures.KnownCases(case="fresh", reason="r", failed=4, asked=450)
    known = known_failures.KnownFailures([entry])
    known.count(where, (known_failures.FreshTally(450, 8), known_failures.FreshTally()))
    assert known.excuses(where, "x", ("random",), "violating", Level.SLIGHT)


def test_a_file_without_harm_counts_all_failures() -> None:
    where, flags = ("a", "f", "q"), ("random",)
    entry = known_failures.KnownCases(case="fresh", reason="r", failed=30, asked=400)
    (back,) = known_failures.read(known_failures.write([entry]).encode())
    assert back == entry
    known = known_failures.KnownFailures([back])
    tally = known_failures.FreshTally(400, 30, Counter({Level.GRAVE: 30}))
    known.count(where, (tally, known_failures.FreshTally()))
    assert known.excuses(where, "x", flags, "violating", Level.GRAVE)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("a = " + "[" * 100_000, "nested too deeply"),
        ("a = " + "{b = " * 50_000, "nested too deeply"),
        ("a" + ".a" * 20_000 + " = 1", "a key of 16 or more parts"),
        ("[" + ".".join(["a"] * 20_000) + "]", "a key of 16 or more parts"),
        ("\n".join('"a".' * 20 + f"b{n} = 1" for n in range(30_000)), "a key of 16 or more parts"),
    ],
    ids=["lists", "tables", "dots", "heading", "many dots"],
)
def test_what_takes_a_reader_long_is_refused_at_once(tmp_path: Path, text: str, words: str) -> None:
    file = tmp_path / "known.toml"
    file.write_text(text)
    before = time.process_time()
    done = CliRunner().invoke(main, ["conform", "--adapter", "x", "--known-failures", str(file)])
    assert time.process_time() - before < 2
    assert done.exit_code == 2
    assert f"{file}: not a file of known failures: " in done.output
    assert words in done.output


@pytest.mark.parametrize(
    ("known", "outcome", "level", "excused"),
    [
        (Level.NO_ANSWER, "violating", Level.SLIGHT, False),
        (Level.NO_ANSWER, "rounded", Level.LAST_DIGITS, False),
        (Level.NO_ANSWER, "crash", Level.NO_ANSWER, True),
        (Level.SLIGHT, "crash", Level.NO_ANSWER, False),
        (Level.SLIGHT, "violating", Level.SLIGHT, True),
        (Level.NOTICEABLE, "crash", Level.NO_ANSWER, True),
        (Level.NOTICEABLE, "violating", Level.GRAVE, False),
        (Level.SLIGHT, "accepts invalid", Level.INVALID, True),
    ],
)
def test_no_answer_stands_between_a_slight_error_and_a_broken_promise(
    known: Level, outcome: str, level: Level, excused: bool
) -> None:
    entry = known_failures.KnownCases(case="x", reason="y", level=known)
    found = known_failures.KnownFailures([entry])
    assert found.excuses(("l", "f", "q"), "x", (), outcome, level) is excused
    hang = known_failures.KnownCases(case="x", reason="y", outcome="hang", level=Level.NO_ANSWER)
    found = known_failures.KnownFailures([hang])
    assert found.excuses(("l", "f", "q"), "x", (), outcome, level) is (outcome in SILENT)


SILENT = ("crash", "accepts invalid")


def test_ten_times_the_harm_that_was_known_is_new() -> None:
    """Not all of its level: 3e-9 known forgives no 2e-4."""

    def low(share: float) -> Callable[..., float]:
        return lambda **given: right(**given) * (1 - share)

    slightly = judged("calibrate_sigma", low(1e-8))
    entries = recorded(slightly)
    assert {entry.level for entry in entries if entry.case not in ("fresh", "fresh-elsewhere")} <= {
        Level.SLIGHT, Level.NOTICEABLE, Level.GRAVE, Level.NO_PRIVACY,
    }  # fmt: skip
    assert any(entry.harm is not None for entry in entries)
    for share, status in ((1e-8, 0), (3e-8, 0), (1e-6, 1)):
        found = judged("calibrate_sigma", low(share), fresh=Fresh(rounds=4, seed=2))
        run = judgement([found], known=known_failures.KnownFailures(entries))
        assert run.status == status, share
        assert bool(run.standings[0].new) is bool(status)
