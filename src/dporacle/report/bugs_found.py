"""The page of bugs found: each public finding of recorded runs, with what repeats it.

A reproduction needs the library alone. The state of a finding comes from the records and from
`report.disclosure` alone: of a report elsewhere without a row there, nothing is known.
"""

from __future__ import annotations

import datetime
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from dporacle.common import marked
from dporacle.conformance.grade.findings import harm_text, inputs_text, shortest
from dporacle.conformance.grade.grades import BROKEN, GRADES, Grade, shown_by
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.quantities import QUANTITIES
from dporacle.report import disclosure, issue
from dporacle.report.classes import GRADED
from dporacle.report.history import MAIN, FunctionHistory, Record, Row, verdicts
from dporacle.report.notes import thread
from dporacle.report.summary import code
from dporacle.report.terminal.wording import printable
from dporacle.vectors.notes import NOTES

_START, _END = "<!-- findings of recorded runs -->\n", "<!-- end of the findings -->\n"
LISTED = (*BROKEN, Grade.SLIGHT, Grade.SILENT)
"""The grades that make a finding; what rounds is on the page of verdicts."""


@dataclass(frozen=True)
class PublicFinding:
    """What one version of a function does.

    Attributes:
        row: the last record of that version.
        first: the day of the first record of that version with this grade.
        later: the first later version in which the function has none of the listed grades.
    """

    row: Row
    first: datetime.date
    later: str = ""

    @property
    def case(self) -> JudgedCase | None:
        """The answer that shows it, an everyday one if there is one; None if none was kept."""
        kept = (self.row.everyday, self.row.elsewhere)
        grade = self.row.grade
        found = [each.case for each in kept if each and grade and shown_by(grade, each.case)]
        return found[0] if found else None

    @property
    def state(self) -> str:
        """Where it is public, and whether a later version still does it."""
        where = disclosure.PUBLISHED.get((self.row.library.removesuffix(MAIN), self.row.function))
        told = f"reported: <{where}>" if where and where.startswith("https:") else ""
        told = told or f"shown here since {self.first}; no report to its maintainers is recorded"
        return f"{told}; not found in {code(self.later)}" if self.later else told


def within(page: str, records: Sequence[Record]) -> str:
    """Return a page with the findings of records between its marks.

    Raises:
        ValueError: if the page does not say where they stand, or there is no record.
    """
    if not records:
        raise ValueError("there is no record")
    return marked.between(page, _START, _END, _sections(findings(records)))


def findings(records: Sequence[Record]) -> list[PublicFinding]:
    """Return every public finding: the gravest grade first, then by library and function."""
    found = [each for verdict in verdicts([r.public for r in records]) for each in _of(verdict)]
    return sorted(
        found,
        key=lambda each: (
            LISTED.index(each.row.grade) if each.row.grade else len(LISTED),
            each.row.key,
            each.first,
        ),
    )


def _of(verdict: FunctionHistory) -> Iterator[PublicFinding]:
    later = ""
    for _, row in verdict.versions:
        if row.grade in LISTED:
            same = (
                day
                for day, each in verdict.runs
                if (each.version, each.grade) == (row.version, row.grade)
            )
            yield PublicFinding(row, min(same), later)
        elif row.grade is not None and row.grade is not Grade.UNKNOWN:
            later = row.version


def _sections(found: Sequence[PublicFinding]) -> Iterator[str]:
    used = [grade for grade in LISTED if any(each.row.grade is grade for each in found)]
    yield "| findings | grade | that is |"
    yield "|--:|---|---|"
    for grade in used:
        number = sum(each.row.grade is grade for each in found)
        place = str(grade).replace(" ", "-")
        yield f"| {number} | {GRADED[grade].sign} [{grade}](#{place}) | {GRADES[grade]} |"
    yield ""
    subjects = [each.row.subject for each in found]
    installed = dict.fromkeys(
        issue.install_of(about) for about in subjects if disclosure.known(about.library)
    )
    if installed:
        yield "Each answer is of a library in this environment:"
        yield ""
        yield from ("```", *installed, "```", "")
    for grade in used:
        yield f"### {str(grade).capitalize()}"
        yield ""
        for each in found:
            if each.row.grade is grade:
                yield from _entry(each)


def _entry(found: PublicFinding) -> Iterator[str]:
    row, case = found.row, found.case
    yield f"#### {code(row.function)}, {code(f'{row.library} {row.version}'.strip())}"
    yield ""
    if case is None:
        yield f"- asked: {code(row.quantity)}; the record keeps no input"
        yield f"- state: {found.state}"
        yield ""
        return
    quantity = QUANTITIES.get(row.quantity)
    meaning = f"{quantity.exact}, " if quantity else ""
    yield f"- asked: {meaning}{code(row.quantity)} at {code(inputs_text(case))}"
    yield f"- answer: {_answer(case)}"
    if case.truth is not None:
        yield f"- exact value: {code(case.truth)}"
    yield f"- harm: {_harm(row, case)}"
    yield f"- state: {found.state}"
    if elsewhere := list(dict.fromkeys(_elsewhere(case))):
        yield f"- such inputs elsewhere: {', '.join(elsewhere)}"
    yield ""
    script = issue.script_of(row.subject, case)
    if script:
        yield from ("```", f"# {printable(f'{row.library} {row.version}')}")
        yield from (printable(line) for line in script.splitlines())
        yield "```"
    else:
        yield issue.call_of(row.subject, case)
    yield ""


def _answer(case: JudgedCase) -> str:
    if case.outcome == Outcome.HANG:
        return f"none: {code(case.message)}" if case.message else "none in time"
    answer = code(shortest(case.answer)) if case.answer is not None else f"none: {case.outcome}"
    return f"{answer}, {code(case.message)}" if case.message else answer


def _harm(row: Row, case: JudgedCase) -> str:
    if row.grade is Grade.SILENT and issue.outside(case):
        return "the input lies outside the domain, and no error says so"
    if case.outcome == Outcome.HANG:
        return "the number does not come in that time; who waits longer may get it"
    if row.grade is Grade.SILENT:
        return "whoever needs this number gets none"
    quantity = QUANTITIES.get(row.quantity)
    words = f"{quantity.harm}; " if quantity else ""
    where = "an everyday input" if case.everyday else "not an everyday input"
    return f"{words}{harm_text(case)} ({where})"


def _elsewhere(case: JudgedCase) -> Iterator[str]:
    for flag in case.flags:
        for address in thread(NOTES.get(flag, "")):
            yield f"<{address}>"
