"""The summary of the tests on vectors: by class, harm and flag, with one example of each cause.

A broken function fails hundreds of vectors for one reason. The first of each cause is printed
in full, the others are counted. A known failure is expected; if it passes, it has expired.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dporacle import files

if TYPE_CHECKING:
    from dporacle.conformance.grade.known_failures import Failure, KnownFailures
    from dporacle.vectors import Refusal, Vector

_ALIKE = "alike"
_LISTED = 8


class Ledger:
    """The plugin's memory of one run."""

    def __init__(self, config: pytest.Config) -> None:
        self._all = bool(config.getoption("--dporacle-all"))
        self._baseline = config.getoption("--dporacle-baseline")
        self._known = _read(config.getoption("--dporacle-known-failures"))
        self._told: dict[tuple[str, ...], str] = {}  # cause -> the test that is printed
        self._failures: list[Failure] = []
        self._tests: Counter[str] = Counter()

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        """Note on each report what the vector's test found."""
        report: Any = yield
        mark = item.get_closest_marker("dporacle_group")
        if mark is None or call.when != "call":
            return report
        flags = [m.kwargs["name"] for m in item.iter_markers("dporacle_flag")]
        identifier = item.name.partition("[")[2].removesuffix("]")
        name = getattr(item, "originalname", None) or item.name
        note = {"group": mark.kwargs["name"], "test": name, "id": identifier, "flags": flags}
        if report.failed and call.excinfo is not None:
            error = call.excinfo.value
            checked = getattr(error, "checked", None)  # of a VectorError
            note["outcome"] = str(checked.result) if checked is not None else "crash"
            note["level"] = getattr(error, "level", "") or "no-answer"
        report.dporacle_note = note  # which goes with the report from process to process
        reason = self._excuse(note)
        if reason:
            report.outcome, report.wasxfail = "skipped", reason
        return report

    def _excuse(self, note: dict[str, Any]) -> str:
        failure = _failure(note)
        if failure is None or self._known is None:
            return ""
        known = self._known.excuses(
            failure.where, failure.identifier, failure.flags, failure.outcome, failure.level
        )
        return "known failure" if known else ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Enter a report; with several processes, in the one that sums up."""
        note = _note(report)
        if note is None:
            return
        self._tests[note["group"]] += 1
        failure = _failure(note)
        if failure is not None:
            if not self._excuse(note) and report.failed:
                self._failures.append(failure)
        elif self._known is not None and report.passed:
            self._known.passes(_where(note), note["id"], note["flags"])

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Keep what is like an earlier failure out of the long account."""
        note = _note(report) if report.when == "call" else None
        failure = _failure(note) if note is not None and report.failed else None
        if failure is None or note is None or self._all:
            return None
        cause = (note["test"], note["group"], failure.outcome, note["level"])
        # pytest asks twice: when a test ends, and for the list at the end.
        alike = self._told.setdefault(cause, report.nodeid) != report.nodeid
        return (_ALIKE, "F", "FAILED (like another)") if alike else None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail when a known failure has expired, and write what fails where that is wanted."""
        if hasattr(session.config, "workerinput"):
            return  # one of several processes: the first one sums up
        if self._baseline is not None:
            _write(self._baseline, self._failures)
        if self._known is not None and self._known.expired and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Tell how many vectors fail, by class, by harm and by flag."""
        if self._known is not None and self._known.expired:
            terminalreporter.section("dporacle: known failures that have expired")
            for entry in self._known.expired:
                terminalreporter.line(f"to be removed: {entry.text}")
        if not self._failures:
            return
        terminalreporter.section("dporacle: vectors")
        for line in self._lines():
            terminalreporter.line(line)

    def _lines(self) -> Iterator[str]:
        groups: dict[str, list[Failure]] = {}
        for failure in self._failures:
            groups.setdefault(failure.where[2], []).append(failure)
        for group, found in groups.items():
            yield f"{group}: {len(found)} of {self._tests[group]} vectors fail"
            yield f"  classes  {_counted(str(f.outcome) for f in found)}"
            yield f"  harm     {_counted(str(f.level) for f in found)}"
            yield f"  flags    {_counted(flag for f in found for flag in f.flags)}"
        if not self._all:
            yield "one failure of each cause is printed in full; --dporacle-all prints the others"


def _counted(words: Iterator[str]) -> str:
    counted = Counter(words).most_common()
    more = f", {len(counted) - _LISTED} more" if len(counted) > _LISTED else ""
    return ", ".join(f"{word} {number}" for word, number in counted[:_LISTED]) + more


def harm(function: str, case: Vector | Refusal, answer: Any) -> tuple[str, str]:
    """Return what an unsafe answer to a vector does to the promise, in words and as a level."""
    # Only a wrong answer is worth loading the judge.
    from dporacle.conformance.grade.findings import compared, times
    from dporacle.conformance.judge.compare import around
    from dporacle.conformance.judge.harm import consequence
    from dporacle.vectors import Vector
    from dporacle.vectors.check import read_answer
    from dporacle.vocabulary import SERVED

    value = read_answer(answer)
    if function not in SERVED or not isinstance(case, Vector) or isinstance(value, float):
        return "", ""
    given = {name: float(each) for name, each in case.inputs.items()}
    found = consequence(function, given, value, around(*case.bounds()))
    words = compared(found.promise, times(found.excess_float))
    return f"{words} ({found.text}): {found.level}", str(found.level)


def _note(report: pytest.TestReport) -> dict[str, Any] | None:
    found: dict[str, Any] | None = getattr(report, "dporacle_note", None)
    return found


def _where(note: dict[str, Any]) -> tuple[str, str, str]:
    return "*", "*", note["group"]


def _failure(note: dict[str, Any]) -> Failure | None:
    if "outcome" not in note:
        return None
    from dporacle.conformance.grade.known_failures import Failure
    from dporacle.conformance.judge.harm_levels import Level

    flags = tuple(note["flags"])
    return Failure(_where(note), note["id"], flags, note["outcome"], Level(note["level"]))


def _read(path: str | None) -> KnownFailures | None:
    if path is None:
        return None
    import msgspec

    from dporacle.conformance.grade import known_failures

    try:
        with Path(path).open("rb") as file:
            entries = known_failures.read(file.read(known_failures.MAX_BYTES + 1))
    except OSError as error:
        raise pytest.UsageError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise pytest.UsageError(f"{path}: {error}") from None
    # Which library and which function of it are meant, only its own tests know.
    return known_failures.KnownFailures(
        msgspec.structs.replace(entry, library="*", function="*") for entry in entries
    )


def _write(path: str, failures: list[Failure]) -> None:
    from dporacle.conformance.grade import known_failures

    entries = known_failures.baseline(failures, reason="recorded by the plugin")
    files.write(Path(path), known_failures.write(entries))
