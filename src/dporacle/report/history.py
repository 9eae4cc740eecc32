"""Verdicts on libraries over time: what is kept of a conformance run, and the table of all runs.

A run's document has megabytes; a record of it has a row per function. Records are files of their
own in one folder, by their date, so that a run a night needs nothing but a place for files.
"""

from __future__ import annotations

import datetime
import itertools
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Final, Literal, get_args

import msgspec

from dporacle.conformance.grade.functions import State
from dporacle.report.document import Document
from dporacle.report.summary import code, level, outcome_text

FORMAT: Final = "dporacle-verdicts/1"
"""The name and version of the format."""

Standing = Literal[
    "conformant", "no worse than known", "no worse than allowed", "not conformant", "not judged"
]

_MAX_BYTES = 4 << 20
_RUNS_SHOWN = 12  # beside each other in a table
_SIGNS = {"conformant": "✔", "not conformant": "✖", "not judged": "?"}  # the others have ≤
_STANDINGS: dict[str, Standing] = {each: each for each in get_args(Standing)}


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What a run said of one function.

    Attributes:
        library, version: as the adapter said.
        function, quantity: what was judged, and as what.
        grade: what it is; empty in a record of an earlier version.
        standing: what the run said, in the words of `State`.
        outcome: the class of answers that weighs most, with its sign and its count.
        core, extreme: the worst harm where people work and anywhere else; empty if there is none.
        asked: how many inputs it was asked.
    """

    library: str
    version: str
    function: str
    quantity: str
    standing: Standing
    outcome: str
    core: str
    extreme: str
    asked: int
    grade: str = ""

    @property
    def key(self) -> tuple[str, str, str]:
        """What is the same from version to version."""
        return self.library, self.function, self.quantity

    @property
    def said(self) -> str:
        """The standing; an earlier version said conformant of harm that a gate let pass."""
        harmed = self.standing == "conformant" and (self.core or self.extreme)
        return State.ALLOWED if harmed else self.standing


class Record(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What is kept of a run.

    Attributes:
        format: the format's name and version.
        date: when it was run.
        dporacle: the judge's version.
        rows: a row per function.
        failed: libraries that could not be run to the end.
    """

    format: Literal["dporacle-verdicts/1"]
    date: datetime.date
    dporacle: str
    rows: tuple[Row, ...]
    failed: tuple[str, ...] = ()


def record(document: Document, date: datetime.date) -> Record:
    """Return what is kept of a run of this date."""
    rows = tuple(
        Row(
            library=target.name or target.target,
            version=target.version or "",
            function=item.function.name,
            quantity=item.function.quantity,
            standing=_STANDINGS.get(item.state, "not judged"),
            outcome=outcome_text(item),
            core=level(item, "core"),
            extreme=level(item, "extreme"),
            asked=item.asked,
            grade=str(item.grade),
        )
        for target in document.targets
        for item in target.functions
    )
    failed = tuple(target.title for target in document.failures)
    return Record(format=FORMAT, date=date, dporacle=document.dporacle, rows=rows, failed=failed)


def render(kept: Record) -> bytes:
    """Return a record as it is written to a file."""
    return msgspec.json.format(msgspec.json.encode(kept), indent=1) + b"\n"


def load(folder: Path) -> list[Record]:
    """Read the records of a folder, the oldest first.

    Raises:
        OSError: if one cannot be read.
        ValueError: naming the file that is no record.
    """
    records = []
    for path in sorted(folder.glob("*.json"), key=lambda each: (len(each.name), each.name)):
        with path.open("rb") as file:
            data = file.read(_MAX_BYTES + 1)
        if len(data) > _MAX_BYTES:
            raise ValueError(f"{path}: a record has at most {_MAX_BYTES} bytes")
        try:
            records.append(msgspec.json.decode(data, type=Record))
        except (msgspec.DecodeError, RecursionError) as error:
            raise ValueError(f"{path}: not a record of verdicts: {error}") from error
    return sorted(records, key=lambda each: each.date)  # of one day, in the order of their names


def to_markdown(records: Sequence[Record]) -> str:
    """Return the page: the newest verdict on each function, what changed, and every run.

    Raises:
        ValueError: if there is no record.
    """
    if not records:
        raise ValueError("there is no record")
    seen: dict[tuple[str, str, str], list[tuple[datetime.date, Row]]] = {}
    for each in records:
        for row in each.rows:
            seen.setdefault(row.key, []).append((each.date, row))
    newest = records[-1]
    lines = [
        "# Verdicts on libraries",
        "",
        f"The newest verdict on each function that was judged, from {len(records)} "
        f"{'run' if len(records) == 1 else 'runs'} between {records[0].date} and {newest.date}; "
        f"judged by dporacle {code(newest.dporacle)}. What the words mean: "
        "[the protocol's page](protocol.md); how this page is made: "
        "[verdicts over time](report.md#verdicts-over-time).",
        "",
        "| grade | library | function | quantity | standing | outcome | harm, core "
        "| harm, extreme | asked | since |",
        "|---|---|---|---|---|---|---|---|--:|---|",
    ]
    lines += [_line(runs) for runs in seen.values()]
    lines += ["", "## What changed", "", *_changes(seen.values())]
    lines += _every_run(records)
    lines += ["", "## Runs", "", "| date | judged by dporacle | functions | not run to the end |"]
    lines += ["|---|---|--:|---|"]
    for each in reversed(records):
        names = ", ".join(code(name) for name in each.failed)
        lines.append(f"| {each.date} | {code(each.dporacle)} | {len(each.rows)} | {names} |")
    return "\n".join(lines) + "\n"


def _line(runs: list[tuple[datetime.date, Row]]) -> str:
    _, row = runs[-1]
    first, began = runs[-1]
    for date, earlier in reversed(runs):
        if earlier.said != row.said:
            break
        first, began = date, earlier
    cells = (
        code(row.grade) if row.grade else "",
        code(f"{row.library} {row.version}".strip()),
        code(row.function),
        code(row.quantity),
        row.said,
        *(code(each) if each else "" for each in (row.outcome, row.core, row.extreme)),
        str(row.asked),
        f"{first}, {code(began.version)}" if began.version else str(first),
    )
    return f"| {' | '.join(cells)} |"


def _every_run(records: Sequence[Record]) -> list[str]:
    """Return for each library a table of its functions, with a column for each run."""
    lines = []
    for library in dict.fromkeys(row.library for each in records for row in each.rows):
        runs = [
            (each.date, found)
            for each in records
            if (found := [row for row in each.rows if row.library == library])
        ]
        shown = runs[-_RUNS_SHOWN:]
        heads = [f"{date}, {code(rows[0].version)}" for date, rows in shown]
        lines += ["", f"## Every run: {code(library)}", ""]
        if len(shown) < len(runs):
            lines += [f"The last {len(shown)} of {len(runs)}.", ""]
        lines += [f"| function | quantity | {' | '.join(heads)} |", "|---" * (len(shown) + 2) + "|"]
        columns = [{row.key: row for row in rows} for _, rows in shown]
        for key in dict.fromkeys(key for column in columns for key in column):
            cells = (_cell(column.get(key)) for column in columns)
            lines.append(f"| {code(key[1])} | {code(key[2])} | {' | '.join(cells)} |")
    return lines


def _cell(row: Row | None) -> str:
    if row is None:
        return "–"
    said = f"{code(row.grade)}, {row.said}" if row.grade else row.said
    return f"{_SIGNS.get(row.said, '≤')} {said}, {code(row.outcome)}"


def _changes(histories: Iterable[list[tuple[datetime.date, Row]]]) -> list[str]:
    found = []
    for runs in histories:
        for (_, old), (date, new) in itertools.pairwise(runs):
            parts = [
                f"{name} {code(before)} → {code(after)}"
                for name, before, after in (
                    ("version", old.version, new.version),
                    ("grade", old.grade or new.grade, new.grade or old.grade),
                    ("standing", old.said, new.said),
                    ("harm, core", old.core or "none", new.core or "none"),
                    ("harm, extreme", old.extreme or "none", new.extreme or "none"),
                )
                if before != after
            ]
            if parts:
                found.append(
                    (date, f"{code(new.library)} {code(new.function)}: " + ", ".join(parts))
                )
    if not found:
        return ["Nothing, since the first run."]
    lines = [f"- {date}: {words}." for date, words in sorted(found, reverse=True)]
    words = "Where no version is named, the judge has changed, or a run's fresh inputs found more."
    return [words, "", *lines]
