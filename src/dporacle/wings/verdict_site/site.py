"""The static site of verdicts: a page of all, a page per library, badges and a feed of changes.

It is made of records alone. Nothing on it loads anything; the content policy is that of a report.
Names and messages come from judged libraries: the templates escape every text.
"""

import datetime
import hashlib
import importlib.resources
import itertools
import re
import uuid
from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from markupsafe import Markup, escape

from dporacle.common import files
from dporacle.conformance.grade.grades import GOOD, GRADES, tallied
from dporacle.conformance.judge.harm_levels import LEVELS, Level
from dporacle.conformance.libraries.declared import declared
from dporacle.report import issue, profile
from dporacle.report.classes import GRADED, Class
from dporacle.report.history import (
    MAIN,
    Change,
    FunctionHistory,
    Origin,
    Record,
    Row,
    changes,
    held_back,
    sentence,
    verdicts,
)
from dporacle.report.page import STYLE, environment, policy

_TEMPLATES = importlib.resources.files(__package__) / "templates"
_STYLE = STYLE + (_TEMPLATES / "verdicts.css").read_text(encoding="utf-8")
_SCRIPT = (_TEMPLATES / "verdicts.js").read_text(encoding="utf-8")
_RUNS_SHOWN = 12  # in a table of all runs
_IN_FEED = 100  # entries
_WRITTEN = "files.txt"  # which says what a later site has to remove
_LONGEST = 20_000  # characters of a report
_COLOURS = {
    "bad": "#a3161b",
    "warn": "#8a5200",
    "fair": "#0b4f8a",
    "good": "#12602f",
    "none": "#55555c",
}
_CHARACTER = 6.6  # pixels of a badge's text, of which the picture keeps the length


@dataclass(frozen=True)
class LibraryVerdicts:
    """What one maker of records says of one library.

    Attributes:
        name: its name.
        verdicts: those on its functions, the worst first.
        made: who made the newest record; None if that is who keeps the records.
    """

    name: str
    verdicts: tuple[FunctionHistory, ...]
    made: Origin | None = None

    @property
    def version(self) -> str:
        """The version that was judged last."""
        return max((v.runs[-1] for v in self.verdicts), key=lambda run: run[0])[1].version

    @property
    def capabilities(self) -> list[profile.Capability]:
        """What it is for."""
        return profile.capabilities((v.row.function, v.row.quantity) for v in self.verdicts)

    @property
    def page(self) -> str:
        """The name of its page."""
        return f"{self.place}.html"

    @property
    def place(self) -> str:
        """Its name in addresses; what others say of it has another one."""
        if self.made is None:
            return slug(self.name)
        return f"{slug(self.name)}--{slug(f'{self.made.by} {self.made.address}')}"

    @property
    def bars(self) -> list[tuple[Any, int, str]]:
        """How its grades are shown, how many functions have each, and in words, worst first."""
        counts = Counter(v.row.grade for v in self.verdicts)
        order = [(grade, GRADED[grade]) for grade in GRADES] + [(None, _UNTOLD)]
        return [
            (shown, counts[grade], f"{counts[grade]} {shown.name}")
            for grade, shown in order
            if counts[grade]
        ]

    @property
    def grades(self) -> list[tuple[Any, str]]:
        """How its grades are shown, and in words how many functions have each, the worst first."""
        return _shown(self.verdicts)


_UNTOLD = Class("not conformant", "?", "none", "an older record does not tell more")


def _shown(found: Sequence[FunctionHistory]) -> list[tuple[Any, str]]:
    grades = tallied(v.row.graded for v in found if v.row.graded)
    return [(GRADED[grade], words) for grade, words in grades]


def slug(text: str) -> str:
    """Return a name as it can stand in an address; no two names are written alike."""
    short = re.sub(r"[^A-Za-z0-9._-]+", "-", text).strip("-.")[:80]
    digest = hashlib.sha256(text.encode()).hexdigest()[:6]
    return short if short == text else f"{short or 'name'}-{digest}"


def anchor(row: Row) -> str:
    """Return a function's place on its library's page."""
    return f"{slug(row.function)}--{slug(row.quantity)}"


def link(row: Row, where: str) -> str:
    """Return the place of what a version of a function does; it stays while the record does."""
    return f"{anchor(row)}--{slug(row.version)}--{where}"


def write(records: Sequence[Record], folder: Path, *, address: str = "") -> None:
    """Write the site.

    Args:
        records: what is known, the oldest first.
        folder: where to; it is made.
        address: the site's address, for the feed; links are relative without one.

    Raises:
        OSError: if a file cannot be written.
        ValueError: if there is no record.
    """
    site = pages(records, address=address)
    _forget(folder, site.keys())
    for name, text in {**site, _WRITTEN: "\n".join(sorted(site)) + "\n"}.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        files.write(path, text)


def _forget(folder: Path, kept: Collection[str]) -> None:
    """Remove what was written before and is not written now, such as what became private."""
    try:
        before = (folder / _WRITTEN).read_text("utf-8").splitlines()
    except FileNotFoundError:
        return
    for name in before:
        if name not in kept and re.fullmatch(r"(?:[\w.-]*\w/)*[\w.-]*\w", name, re.ASCII):
            (folder / name).unlink(missing_ok=True)


def pages(records: Sequence[Record], *, address: str = "") -> dict[str, str]:
    """Return the site's files by their names.

    Raises:
        ValueError: if there is no record.
    """
    if not records:
        raise ValueError("there is no record")
    records = [each.public for each in records]
    found = verdicts(records)
    changed = changes(found)
    libraries = [
        LibraryVerdicts(name, tuple(group), group[-1].made)
        for (name, *_), each in itertools.groupby(found, lambda v: (v.row.library, *v.maker))
        for group in [[*each]]
    ]
    common: dict[str, Any] = {
        "anchor": anchor,
        "classes": GRADED,
        "declared": lambda row: declared(row.library.removesuffix(MAIN), row.function),
        "harms": LEVELS,
        "level_rank": _rank,
        "link": link,
        "policy": policy(_STYLE, _SCRIPT),
        "records": records,
        "script": Markup(_SCRIPT),
        "sentence": sentence,
        "slug": slug,
        "style": Markup(_STYLE),
        "meanings": GRADES,
    }

    def made(template: str, **more: Any) -> str:
        return environment(__package__).get_template(template).render(common | more)

    site = {
        "index.html": made(
            "verdicts.html.jinja",
            libraries=libraries,
            changed=changed[:30],
            total=_shown(found),
            untold=sum(v.row.grade is None for v in found),
            widest=max((len(library.verdicts) for library in libraries), default=1),
            missing=" ".join(held_back(records)).strip(),
        ),
        "feed.xml": made("verdicts.xml.jinja", entries=_entries(changed), address=address),
    }
    for library in libraries:
        site[library.page] = made(
            "verdicts_library.html.jinja",
            library=library,
            runs=_runs(records, library),
            script_of=lambda row, found: _long(issue.script_of(row.subject, found.case)),
            report_of=lambda row, found: _long(issue.written(row.subject, found).text),
            changed=changes(library.verdicts),
        )
        name, good = library.place, sum(v.row.grade in GOOD for v in library.verdicts)
        worst = min(library.verdicts, key=lambda v: [*GRADES, None].index(v.row.grade)).row
        words = f"{good} of {len(library.verdicts)} functions conformant"
        site[f"badges/{name}.svg"] = badge(library.name, words, worst.tone)
        for verdict in library.verdicts:
            row = verdict.row
            site[f"badges/{name}/{anchor(row)}.svg"] = badge(row.function, row.shown, row.tone)
    return site


def badge(label: str, words: str, tone: str) -> str:
    """Return a badge as SVG: a label, and words on a coloured ground."""
    label = label if len(label) <= 60 else f"{label[:59]}…"
    widths = [round(len(text) * _CHARACTER) for text in (label, words)]
    return (
        environment(__package__)
        .get_template("badge.svg.jinja")
        .render(label=label, words=words, widths=widths, colour=_COLOURS[tone])
    )


def _rank(harm: str) -> int:
    return Level(harm).rank if harm in LEVELS else -1


def _long(text: str) -> Markup:
    """Return a text of several lines, with nothing in it that is not seen."""
    shown = "".join(
        each if each.isprintable() or each == "\n" else "\N{REPLACEMENT CHARACTER}"
        for each in text[:_LONGEST]
    )
    return escape(shown)


def _runs(
    records: Sequence[Record], library: LibraryVerdicts
) -> list[tuple[datetime.date, str, dict[tuple[str, str, str], Row]]]:
    """Return the last runs of a library: date, version, and its rows by their keys."""
    runs = []
    for each in records:
        if each.maker != library.verdicts[0].maker:
            continue
        rows = {row.key: row for row in each.rows if row.library == library.name}
        if rows:
            runs.append((each.date, next(iter(rows.values())).version, rows))
    return runs[-_RUNS_SHOWN:]


@dataclass(frozen=True)
class LibraryChanges:
    """What changed in one library on one day."""

    date: datetime.date
    library: str
    changes: tuple[Change, ...]
    by: str = ""

    @property
    def id(self) -> str:
        """A name that stays."""
        said = f"{self.date} {self.library}{self.by and ' '}{self.by}"
        return f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_OID, said)}"

    @property
    def title(self) -> str:
        """What is in it, on a line."""
        names = list(dict.fromkeys(each.row.function for each in self.changes))
        more = f" and {len(names) - 1} more" if len(names) > 1 else ""
        by = f", judged by {self.by}" if self.by else ""
        return f"{self.library}{by}: {names[0]}{more}"


def _entries(changed: Sequence[Change]) -> list[LibraryChanges]:
    grouped: dict[tuple[datetime.date, str, str], list[Change]] = {}
    for each in changed:
        grouped.setdefault((each.date, each.row.library, each.by), []).append(each)
    entries = [
        LibraryChanges(date, name, tuple(found), by) for (date, name, by), found in grouped.items()
    ]
    return entries[:_IN_FEED]
