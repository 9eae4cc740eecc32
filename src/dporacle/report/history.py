"""Verdicts on libraries over time: what is kept of a conformance run, and what changed.

A run's document has megabytes; a record of it has a row per function, with the answers that show
the verdict. Records are files of their own in one folder, by their date, so that a run a night
needs nothing but a place for files. Private findings are left out when a record is made, and again
when one is read.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

import msgspec

from dporacle.conformance.grade.findings import (
    inputs_text,
    number_text,
    shortest,
    simplest,
    told,
    worst,
)
from dporacle.conformance.grade.functions import UNANSWERED, State
from dporacle.conformance.grade.grades import BROKEN, GRADES, Grade, Graded
from dporacle.conformance.grade.runs import Document, FunctionResult, TargetResult, renamed
from dporacle.conformance.judge.harm import of_privacy
from dporacle.conformance.judge.harm_levels import LEVELS, Level
from dporacle.conformance.judge.outcomes import SILENT, JudgedCase, Outcome
from dporacle.report import disclosure, issue, profile
from dporacle.report.classes import GRADED
from dporacle.report.issue import ExampleAnswer, Subject
from dporacle.report.summary import code, level, outcome_text

FORMAT: Final = "dporacle-verdicts/4"
"""The name and version of the format.

The first had no findings, the second other grades, the third did not say who made it.
"""

MAIN = "@main"
"""What follows a library's name where its main branch was judged, and not a release."""

HISTORY: Final = "dporacle-history/1"
"""The format of several records in one file."""

NO_RECORD: Final = "there is no record"

MAX_BYTES: Final = 16 << 20
"""The largest file of records that is read."""


class Row(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True
):
    """What a run said of one function.

    Attributes:
        library, version: as the adapter said.
        function, quantity: what was judged, and as what.
        grade: what it is; empty where a record of an earlier version does not tell.
        earlier: its grade in the words of an earlier version, where the record has those.
        size: what the grade carries: the largest harm, as a share of the promise.
        usual: whether an everyday answer does that harm.
        remarks: what is to be known beside the grade.
        standing: what the run said, in the words of `State`.
        outcome: the class of answers that weighs most, with its sign and its count.
        core, extreme: the worst harm where people work and anywhere else; empty if there is none.
        asked: how many inputs it was asked.
        arguments: those that it takes.
        declared: the grade on what the library declares of it, as `report.profile` says.
        everyday, elsewhere: the answers that show these harms, with the simplest inputs; of a
            function that fails its failures, of a loose one the loosest everyday answer.
    """

    library: str
    version: str
    function: str
    quantity: str
    standing: State
    outcome: str
    core: str
    extreme: str
    asked: int
    grade: Grade | None = None
    earlier: str = ""
    size: float | None = None
    usual: bool = False
    remarks: tuple[str, ...] = ()
    arguments: tuple[str, ...] = ()
    declared: str = ""
    everyday: ExampleAnswer | None = None
    elsewhere: ExampleAnswer | None = None

    @property
    def key(self) -> tuple[str, str, str]:
        """What is the same from version to version."""
        return self.library, self.function, self.quantity

    @property
    def said(self) -> str:
        """The standing; the first version said conformant of harm that a gate let pass."""
        harmed = self.grade is None and (self.core or self.extreme)
        return State.ALLOWED if self.standing == State.CONFORMANT and harmed else self.standing

    @property
    def shown(self) -> str:
        """The grade in words; of a record that has none, the standing."""
        return self.graded.text if self.graded else self.said

    @property
    def graded(self) -> Graded | None:
        """The grade with what it is about."""
        if self.grade is None:
            return None
        privacy = of_privacy(self.quantity)
        return Graded(self.grade, privacy=privacy, size=self.size, everyday=self.usual)

    @property
    def remarked(self) -> str:
        """The grade with the remarks beside it."""
        return f"{self.shown} ({'; '.join(self.remarks)})" if self.remarks else self.shown

    @property
    def sign(self) -> str:
        """The grade's sign."""
        return GRADED[self.grade].sign if self.grade else "?"

    @property
    def tone(self) -> str:
        """The name of the grade's colour."""
        return GRADED[self.grade].tone if self.grade else "none"

    @property
    def subject(self) -> Subject:
        """What a report about a finding says of the function."""
        return Subject(
            library=self.library.removesuffix(MAIN),
            version=self.version,
            function=self.function,
            quantity=self.quantity,
            grade=str(self.grade or ""),
            said=self.shown,
            asked=self.asked,
            arguments=self.arguments,
        )

    @property
    def private(self) -> bool:
        """Whether its library's maintainers are to be told before anybody else."""
        library = self.library.removesuffix(MAIN)
        harm = self.core or None
        shown = (each.case for each in (self.everyday, self.elsewhere) if each)
        flags = {flag for case in shown for flag in case.flags}
        return disclosure.known(library) and disclosure.private(
            library, self.function, str(self.grade or ""), harm, flags
        )


class Origin(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True
):
    """Who made a record, and where it was read. All but the address is what the record says.

    Attributes:
        by: who judged: a project, such as the repository of the library.
        commit: the commit of the library that was judged.
        judge: the commit of dporacle that judged.
        run: the address of the run.
        address: where the record was read, if that is no file of this machine; its reader says it.
    """

    by: Annotated[str, msgspec.Meta(min_length=1, max_length=100, pattern=r"^[!-~]( ?[!-~])*$")]
    commit: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{7,64})?$")] = ""
    judge: Annotated[str, msgspec.Meta(pattern="^([0-9a-f]{40,64})?$")] = ""
    run: Annotated[str, msgspec.Meta(max_length=500, pattern="^(https://[!-~]+)?$")] = ""
    address: Annotated[str, msgspec.Meta(max_length=500, pattern="^(https://[!-~]+)?$")] = ""

    @property
    def commits(self) -> str:
        """The commits in words; empty if none is said."""
        library = f"commit {self.commit[:12]}" if self.commit else ""
        judge = f"dporacle at {self.judge[:12]}" if self.judge else ""
        return ", ".join(filter(None, (library, judge)))


class Record(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True
):
    """What is kept of a run.

    Attributes:
        format: the format's name and version.
        date: when it was run.
        dporacle: the judge's version.
        rows: a row per function.
        failed: libraries that could not be run to the end.
        held_back: how many functions have no row, as what was found is private.
        made: who made it; None if that is who keeps it.
    """

    format: Literal[
        "dporacle-verdicts/1", "dporacle-verdicts/2", "dporacle-verdicts/3", "dporacle-verdicts/4"
    ]
    date: datetime.date
    dporacle: str
    rows: tuple[Row, ...]
    failed: tuple[str, ...] = ()
    held_back: int = 0
    made: Origin | None = None

    @property
    def maker(self) -> tuple[str, str]:
        """Who made it, and where it was read: one name at two addresses is two makers."""
        return (self.made.by, self.made.address) if self.made else ("", "")

    @property
    def public(self) -> Record:
        """The same without what is private."""
        rows = tuple(row for row in self.rows if not row.private)
        more = len(self.rows) - len(rows)
        return msgspec.structs.replace(self, rows=rows, held_back=self.held_back + more)


@dataclass(frozen=True)
class FunctionHistory:
    """All that one maker of records said of one function, the oldest first.

    Attributes:
        runs: the dates and rows.
        made: who made the newest record; None if that is who keeps the records.
    """

    runs: tuple[tuple[datetime.date, Row], ...]
    made: Origin | None = None

    @property
    def row(self) -> Row:
        """The newest row."""
        return self.runs[-1][1]

    @property
    def by(self) -> str:
        """Who said it; empty if that is who keeps the records."""
        return self.maker[0]

    @property
    def maker(self) -> tuple[str, str]:
        """Who said it, and where it was read."""
        return (self.made.by, self.made.address) if self.made else ("", "")

    @property
    def since(self) -> tuple[datetime.date, Row]:
        """The first of the runs since which the verdict is the same."""
        found = self.runs[-1]
        for date, earlier in reversed(self.runs):
            same = earlier.grade == self.row.grade or not (earlier.grade and self.row.grade)
            if not same or earlier.said != self.row.said:
                break
            found = date, earlier
        return found

    @property
    def versions(self) -> list[tuple[datetime.date, Row]]:
        """The last row of each version, the newest version first."""
        last = {row.version: (date, row) for date, row in self.runs}
        return [*last.values()][::-1]


@dataclass(frozen=True)
class Change:
    """What one run said of a function otherwise than the one before of the same maker."""

    date: datetime.date
    row: Row
    parts: tuple[tuple[str, str, str], ...]
    by: str = ""


def origin(*, by: str, commit: str = "", judge: str = "", run: str = "") -> Origin:
    """Return who made a record.

    Raises:
        ValueError: naming the field that is written wrongly.
    """
    said = {"by": by, "commit": commit, "judge": judge, "run": run}
    for name, text in said.items():
        try:
            msgspec.convert({"by": "x"} | {name: text}, Origin)
        except msgspec.ValidationError as error:
            raise ValueError(f"{name}: {text[:100]!r} is not of its form: {error}") from None
    return Origin(**said)


def record(document: Document, date: datetime.date, made: Origin | None = None) -> Record:
    """Return what is kept of a run of this date; private findings are not."""
    rows = tuple(_row(target, item) for target in document.targets for item in target.functions)
    failed = tuple(target.title for target in document.failures)
    whole = Record(
        format=FORMAT, date=date, dporacle=document.dporacle, rows=rows, failed=failed, made=made
    )
    return whole.public


def _shown(item: FunctionResult, *, everyday: bool) -> JudgedCase | None:
    """Return the answer that harms most; of a function that fails a failure, where there is one."""
    found = [each for each in item.judged if each.everyday is everyday]
    failure = simplest(found, item.grade) if item.grade is Grade.SILENT else None
    return failure or worst(found)


def _row(target: TargetResult, item: FunctionResult) -> Row:
    everyday = _shown(item, everyday=True)
    if everyday is None and item.grade is Grade.LOOSE:
        everyday = item.loosest
    elsewhere = _shown(item, everyday=False)
    return Row(
        library=target.called + (MAIN if target.target.endswith(MAIN) else ""),
        version=target.version or "",
        function=item.function.name,
        quantity=item.function.quantity,
        standing=item.state,
        outcome=outcome_text(item),
        core=level(item, "core"),
        extreme=level(item, "extreme"),
        asked=item.asked,
        grade=item.grade,
        size=item.graded.size,
        usual=item.graded.everyday,
        remarks=item.remarks,
        arguments=item.function.arguments,
        declared=profile.grade(target.called, item),
        everyday=issue.finding(item, everyday) if everyday else None,
        elsewhere=issue.finding(item, elsewhere) if elsewhere else None,
    )


def render(kept: Record) -> bytes:
    """Return a record as it is written to a file."""
    return msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"


def load(folder: Path) -> list[Record]:
    """Read the records of a folder, the oldest first, without what is private.

    Raises:
        OSError: if one cannot be read.
        ValueError: naming the file that is no record.
    """
    paths = sorted(folder.glob("*.json"), key=lambda each: (len(each.name), each.name))
    return in_order(each for path in paths for each in of_file(path))


def of_file(path: Path) -> list[Record]:
    """Read the records of a file, without what is private.

    Raises:
        OSError: if it cannot be read.
        ValueError: if it holds none.
    """
    with path.open("rb") as file:
        return of_bytes(file.read(MAX_BYTES + 1), str(path))


def of_bytes(data: bytes, name: str) -> list[Record]:
    """Read one record, or a history of several, without what is private.

    Args:
        data: what stands in the file.
        name: what an error calls it.

    Raises:
        ValueError: if it is neither.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"{name}: records have at most {MAX_BYTES} bytes")
    try:
        content = msgspec.json.decode(data)
        if isinstance(content, dict) and content.get("format") == HISTORY:
            whole = msgspec.convert(content, _History)
            return [_record(each).public for each in whole.records]
        return [_record(content).public]
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"{name}: not a record of verdicts: {error}") from error


def in_order(records: Iterable[Record]) -> list[Record]:
    """Return records by their dates; those of one day stay in their order."""
    return sorted(records, key=lambda each: each.date)


def read(data: bytes) -> Record:
    """Read a record, private findings included.

    Raises:
        msgspec.DecodeError: if it is none.
    """
    return _record(msgspec.json.decode(data))


def _record(content: Any) -> Record:
    if isinstance(content, dict) and content.get("format") in _EARLIER:
        for row in msgspec.convert(content.get("rows", []), list[Any]):
            if isinstance(row, dict):
                _regrade(row)
    return msgspec.convert(content, Record)


class _History(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Several records in one file, as `dporacle history --json` prints them."""

    format: str
    records: list[Any]


_EARLIER = ("dporacle-verdicts/1", "dporacle-verdicts/2")
_BROKEN = ("broken in everyday use", "broken at extremes")
_FAILS = "fails or hangs"
_OF_EARLIER_VERSIONS = {
    "rounds to the wrong side": Grade.ROUNDS,
    "rounded to nearest": Grade.ROUNDS,
    "not judged": Grade.UNKNOWN,
    "sound but loose": Grade.LOOSE,
    "sound and tight": Grade.TIGHT,
}


def _regrade(row: dict[str, Any]) -> None:
    """Give a row of an earlier version the grade that its stored outcomes have now.

    None where they do not tell: of a function of which no worse was kept than that it answers
    invalid inputs, nobody knows how loose it is.
    """
    found = [row[name]["case"] for name in ("everyday", "elsewhere") if row.get(name)]
    for case in found:
        renamed(case)
    said, _, share = str(row.get("outcome", "")).rpartition(", ")
    if share.endswith(UNANSWERED):
        row |= {"outcome": said, "remarks": [share]}
    earlier = row.pop("grade", "")
    grade = _OF_EARLIER_VERSIONS.get(earlier)
    worst = {name: Level(row[name]) for name in ("core", "extreme") if row.get(name) in LEVELS}
    much = [name for name, level in worst.items() if level.rank >= Level.NOTICEABLE.rank]
    if earlier and much:
        grade = Grade.EVERYDAY if "core" in much else Grade.EXTREMES
    elif earlier in _BROKEN:
        grade = Grade.SLIGHT
    elif earlier == _FAILS:
        silent = Level.NO_ANSWER in worst.values() or any(c["outcome"] in SILENT for c in found)
        low = Level.LAST_DIGITS in worst.values()
        grade = Grade.SILENT if silent else Grade.ROUNDS if low else None
    if earlier:
        row["earlier"] = earlier
    if grade is not None:
        row["grade"] = grade
    if grade is Grade.ROUNDS and row.get("standing") == State.NOT_CONFORMANT:
        row["standing"] = State.CONFORMANT


def verdicts(records: Iterable[Record]) -> list[FunctionHistory]:
    """Return what was said of each function: libraries by name, the worst functions first.

    What different makers say of one function stands apart, those first who keep the records.
    """
    seen: dict[tuple[tuple[str, str], tuple[str, str, str]], list[tuple[Record, Row]]] = {}
    for each in records:
        for row in each.rows:
            seen.setdefault((each.maker, row.key), []).append((each, row))
    found = [
        FunctionHistory(tuple((each.date, row) for each, row in runs), runs[-1][0].made)
        for runs in seen.values()
    ]
    order = [*GRADES, None]
    return sorted(found, key=lambda v: (v.row.library, *v.maker, order.index(v.row.grade)))


def changes(found: Iterable[FunctionHistory]) -> list[Change]:
    """Return what changed from run to run, the newest first."""
    changed = []
    for verdict in found:
        for (_, old), (date, new) in itertools.pairwise(verdict.runs):
            parts = tuple(
                (name, before, after)
                for name, before, after in (
                    ("version", old.version, new.version),
                    ("grade", *_grades(old, new)),
                    ("standing", old.said, new.said),
                    ("harm, everyday", old.core or "none", new.core or "none"),
                    ("harm, elsewhere", old.extreme or "none", new.extreme or "none"),
                )
                if before != after
            )
            if parts:
                changed.append(Change(date, new, parts, verdict.by))
    return sorted(changed, key=lambda each: (each.date, each.row.key), reverse=True)


def _grades(old: Row, new: Row) -> tuple[str, str]:
    """Return both grades in words; alike where one is not known, or only the size has changed."""
    if old.grade is None or new.grade is None or old.grade is new.grade:
        return "", ""
    return old.shown, new.shown


def sentence(case: JudgedCase) -> str:
    """Return a finding on one line: the input, the answer, the exact value, what follows."""
    if case.outcome != Outcome.LOOSE or case.truth is None:
        return told(case)
    answer = case.answer or ""
    both = f"{number_text(answer, case.truth)}, exact {number_text(case.truth, shortest(answer))}"
    return f"{inputs_text(case)}: answers {both}: off by {case.error}, on the safe side"


def to_markdown(records: Sequence[Record]) -> str:
    """Return the page in Markdown: the newest verdict on each function, and what changed.

    Raises:
        ValueError: if there is no record.
    """
    if not records:
        raise ValueError(NO_RECORD)
    found, newest = verdicts(records), records[-1]
    libraries = {verdict.row.library for verdict in found}
    lines = [
        "# Verdicts on libraries",
        "",
        f"The newest verdict on each of {len(found)} "
        f"{'function' if len(found) == 1 else 'functions'} of {len(libraries)} "
        f"{'library' if len(libraries) == 1 else 'libraries'}:",
        "",
        *_overview(found),
        f"From {len(records)} "
        f"{'run' if len(records) == 1 else 'runs'} between {records[0].date} and {newest.date}; "
        f"judged by dporacle {code(newest.dporacle)}. What the words mean: "
        "[the protocol's page](protocol.md#the-grade); how this page is made: "
        "[verdicts over time](report.md#verdicts-over-time).",
        "",
        *held_back(records),
        "## Every function",
        "",
        "| grade | library | function | everyday inputs | other inputs | since |",
        "|---|---|---|---|---|---|",
    ]
    lines += map(_line, found)
    lines += ["", "## What changed", "", *_changed(changes(found))]
    several = any(each.made for each in records)
    lines += ["", "## Runs", "", "| date | judged by dporacle | functions | not run to the end |"]
    lines += ["|---|---|--:|---|"]
    if several:
        lines[-2] += " made by |"
        lines[-1] += "---|"
    for each in reversed(records):
        names = ", ".join(code(name) for name in each.failed)
        line = f"| {each.date} | {code(each.dporacle)} | {len(each.rows)} | {names} |"
        lines.append(f"{line} {_made(each.made)} |" if several else line)
    return "\n".join(lines) + "\n"


def _made(made: Origin | None) -> str:
    """Return who made a record, as it says, and where it was read."""
    if made is None:
        return "who keeps this page"
    said = [code(made.by), made.commits, code(made.run) if made.run else ""]
    read = f"read at {code(made.address)}" if made.address else "read from a file"
    return ", ".join(filter(None, (*said, read)))


def _overview(found: Sequence[FunctionHistory]) -> Iterator[str]:
    """Yield how many functions have which grade, and those that break a promise, gravest first."""
    yield from ("| functions | grade | that is |", "|--:|---|---|")
    for grade, meaning in GRADES.items():
        if number := sum(each.row.grade is grade for each in found):
            yield f"| {number} | {GRADED[grade].sign} {grade} | {meaning} |"
    if number := sum(each.row.grade is None for each in found):
        yield f"| {number} | ? not conformant | an older record does not tell more |"
    yield ""
    broken = [each.row for each in found if each.row.grade in BROKEN]
    if not broken:
        return
    yield "These break their promise, the gravest first:"
    yield ""
    for row in sorted(broken, key=lambda row: (row.grade is not Grade.EVERYDAY, -_rank(row))):
        shown = row.everyday if row.grade is Grade.EVERYDAY else row.elsewhere
        what = f": {code(sentence(shown.case))}" if shown else ""
        yield f"- {code(f'{row.library} {row.version}'.strip())} {code(row.function)}{what}"
    yield ""


def _rank(row: Row) -> int:
    """Return the place of a broken function's harm among the levels; -1 if it was not kept."""
    level = row.core if row.grade is Grade.EVERYDAY else row.extreme
    return Level(level).rank if level in LEVELS else -1


def held_back(records: Sequence[Record]) -> Iterator[str]:
    """Say that something is private, if it is."""
    if any(each.held_back for each in records):
        yield (
            "A function is left out if everyday answers of it do noticeable harm and this is not "
            "public yet: its maintainers are told before anybody else, and have ninety days."
        )
        yield ""


def _line(verdict: FunctionHistory) -> str:
    row, (first, began) = verdict.row, verdict.since
    cells = (
        f"{row.sign} {row.remarked}",
        code(f"{row.library} {row.version}".strip())
        + (f", judged by {code(verdict.by)}" if verdict.by else ""),
        code(row.function),
        _harm(row.core, row.everyday),
        _harm(row.extreme, row.elsewhere),
        f"{first}, {code(began.version)}" if began.version else str(first),
    )
    return f"| {' | '.join(cells)} |"


def _harm(harm: str, found: ExampleAnswer | None) -> str:
    if found is None:
        return harm or "–"
    harm = found.case.level or harm
    return f"{harm}: {code(sentence(found.case))}" if harm else code(sentence(found.case))


def _changed(changed: Sequence[Change]) -> list[str]:
    if not changed:
        return ["Nothing, since the first run."]
    lines = [
        f"- {each.date}: {code(each.row.library)} {code(each.row.function)}"
        + (f", judged by {code(each.by)}: " if each.by else ": ")
        + ", ".join(f"{name} {code(old)} → {code(new)}" for name, old, new in each.parts)
        + "."
        for each in changed
    ]
    words = "Where no version is named, the judge has changed, or a run's fresh inputs found more."
    return [words, "", *lines]
