"""The summary of the tests on vectors: the grade, and by class, harm and flag what fails.

A broken function fails hundreds of vectors for one reason. The first of each cause is printed
in full, the others are counted. A known failure is expected; if it passes, it has expired.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from dporacle.common import files

if TYPE_CHECKING:
    from dporacle.conformance.grade.asked_vector import AskedVector
    from dporacle.conformance.grade.known_failures import Failure, KnownFailures
    from dporacle.conformance.judge.outcomes import JudgedCase

_ALIKE = "alike"
_FIXTURE = "dporacle_vector"
_LISTED = 8


class VectorSummary:
    """The plugin's memory of one run."""

    def __init__(self, config: pytest.Config) -> None:
        self._all = bool(config.getoption("--dporacle-all"))
        self._baseline = config.getoption("--dporacle-baseline")
        self._known = _read(config.getoption("--dporacle-known-failures"))
        self._told: dict[tuple[str, ...], str] = {}  # cause -> the test that is printed
        self._failures: list[Failure] = []
        self._answers: defaultdict[tuple[str, str], list[JudgedCase]] = defaultdict(list)

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_makereport(
        self, item: pytest.Item, call: pytest.CallInfo[None]
    ) -> Generator[None, Any, Any]:
        """Note on each report what the vector's test found."""
        report: Any = yield
        mark = item.get_closest_marker("dporacle_group")
        if mark is None or call.when != "call":
            return report
        asked = item.callspec.params[_FIXTURE]  # type: ignore[attr-defined]
        failed = report.failed and call.excinfo is not None  # no failure known to come, and absent
        judged = _judged(asked, call.excinfo.value if call.excinfo else None, failed=failed)
        if judged is None:  # the test asked nothing
            return report
        import msgspec

        name = getattr(item, "originalname", None) or item.name
        note = {"test": name, "failed": failed, "judged": msgspec.to_builtins(judged)}
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
            failure.where,
            failure.identifier,
            failure.flags,
            failure.outcome,
            failure.level,
            failure.harm,
        )
        return "known failure" if known else ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Enter a report; with several processes, in the one that sums up."""
        note = _note(report)
        if note is None:
            return
        judged = _read_judged(note)
        self._answers[note["test"], judged.quantity].append(judged)
        failure = _failure(note)
        if failure is not None:
            if not self._excuse(note) and report.failed:
                self._failures.append(failure)
        elif self._known is not None and not hasattr(report, "wasxfail"):
            self._known.passes(_where(judged), judged.case.partition("/")[2], judged.flags)

    @pytest.hookimpl(tryfirst=True)
    def pytest_report_teststatus(self, report: pytest.TestReport) -> tuple[str, str, str] | None:
        """Keep what is like an earlier failure out of the long account."""
        note = _note(report) if report.when == "call" else None
        failure = _failure(note) if note is not None and report.failed else None
        if failure is None or note is None or self._all:
            return None
        cause = (note["test"], failure.where[2], failure.outcome, str(failure.level))
        # pytest asks twice: when a test ends, and for the list at the end.
        alike = self._told.setdefault(cause, report.nodeid) != report.nodeid
        return (_ALIKE, "F", "FAILED (like another)") if alike else None

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        """Fail when a known failure has expired, and write what fails where that is wanted."""
        if hasattr(session.config, "workerinput"):
            return  # one of several processes: the first one sums up
        if self._baseline is not None:
            _write(self._baseline, self._failures)
        expired = self._known is not None and self._known.expired
        if (expired or self._silent) and not session.exitstatus:
            session.exitstatus = pytest.ExitCode.TESTS_FAILED

    @property
    def _silent(self) -> list[str]:
        """What is missing to judge a function, for each test that answered too little."""
        found = []
        for (test, group), answers in self._answers.items():
            from dporacle.conformance.grade.coverage import too_few
            from dporacle.conformance.grade.functions import NOT_JUDGED

            words = too_few(answers)
            known = self._known is not None and self._known.expects(("*", "*", group), NOT_JUDGED)
            if words and not known:
                found.append(f"{test} ({group}) is not judged: {words}")
        return found

    def pytest_terminal_summary(self, terminalreporter: Any) -> None:
        """Tell how many vectors fail, by class, by harm and by flag."""
        if self._known is not None and self._known.expired:
            terminalreporter.section("dporacle: known failures that have expired")
            for entry in self._known.expired:
                terminalreporter.line(f"to be removed: {entry.text}")
        silent, remarked = self._silent, [*self._remarks()]
        if not self._failures and not silent and not remarked:
            return
        terminalreporter.section("dporacle: vectors")
        for line in (*silent, *remarked):
            terminalreporter.line(line)
        for line in self._lines():
            terminalreporter.line(line)

    def _remarks(self) -> Iterator[str]:
        """Yield the grade of each test's function, where there is more to know than that it passes.

        The same table decides it as for a run of `dporacle conform`.
        """
        for (test, group), answers in self._answers.items():
            from dporacle.conformance.grade.coverage import too_few
            from dporacle.conformance.grade.grades import graded, remarks

            found = graded(answers, group, enough=not too_few(answers))
            beside = [*remarks(answers, found.grade)]
            if refused := sum(each.outcome == "refuses valid" for each in answers):
                beside.append(f"{refused} of {len(answers)} vectors refused")
            if self._failures or beside:
                words = f" ({'; '.join(beside)})" if beside else ""
                yield f"{test} ({group}): {found.text}{words}"

    def _lines(self) -> Iterator[str]:
        groups: dict[str, list[Failure]] = {}
        for failure in self._failures:
            groups.setdefault(failure.where[2], []).append(failure)
        for group, found in groups.items():
            asked = sum(len(each) for (_, name), each in self._answers.items() if name == group)
            yield f"{group}: {len(found)} of {asked} vectors fail"
            yield f"  classes  {_counted(str(f.outcome) for f in found)}"
            yield f"  harm     {_counted(str(f.level or 'none') for f in found)}"
            yield f"  flags    {_counted(flag for f in found for flag in f.flags)}"
        if self._failures and not self._all:
            yield "one failure of each cause is printed in full; --dporacle-all prints the others"


def _counted(words: Iterator[str]) -> str:
    counted = Counter(words).most_common()
    more = f", {len(counted) - _LISTED} more" if len(counted) > _LISTED else ""
    return ", ".join(f"{word} {number}" for word, number in counted[:_LISTED]) + more


def _note(report: pytest.TestReport) -> dict[str, Any] | None:
    found: dict[str, Any] | None = getattr(report, "dporacle_note", None)
    return found


def _judged(asked: AskedVector, error: BaseException | None, *, failed: bool) -> JudgedCase | None:
    """Return the answer that a test is about: the one that failed, else the latest."""
    judged: JudgedCase | None = getattr(error, "judged", None)  # of a VectorError
    if judged is None and failed and isinstance(error, Exception) and not asked.found:
        judged = asked.raised(error)
    return judged or (asked.found[-1] if asked.found else None)


def _read_judged(note: dict[str, Any]) -> JudgedCase:
    import msgspec

    from dporacle.conformance.judge.outcomes import JudgedCase

    return msgspec.convert(note["judged"], JudgedCase)


def _where(judged: JudgedCase) -> tuple[str, str, str]:
    return "*", "*", judged.quantity


def _failure(note: dict[str, Any]) -> Failure | None:
    if not note["failed"]:
        return None
    from dporacle.conformance.grade.known_failures import Failure

    judged = _read_judged(note)
    identifier = judged.case.partition("/")[2]
    return Failure(
        _where(judged), identifier, judged.flags, judged.outcome, judged.level, judged.harm
    )


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
