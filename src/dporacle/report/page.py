"""One self-contained HTML page.

The templates escape every text, and a content policy lets nothing run or load but the page's own
style and script, which it names by their hashes. The only addresses are those of the public bug
reports that this package's own notes name.
"""

import base64
import hashlib
import importlib.resources
import itertools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from typing import Any

import jinja2
from markupsafe import Markup

from dporacle.conformance.grade.runs import Document, FunctionResult
from dporacle.conformance.judge.outcomes import JudgedCase
from dporacle.report.classes import CLASSES, GRADED
from dporacle.report.comparison import Comparison, compare
from dporacle.report.notes import Notes
from dporacle.report.picture import LEFT, RIGHT, WIDTH, PlottedCase, pictures


def _read(name: str) -> str:
    folder = importlib.resources.files("dporacle.report") / "templates"
    return (folder / name).read_text(encoding="utf-8")


STYLE, SCRIPT = _read("page.css"), _read("page.js")
"""Of the report on a run."""

MOST_BYTES = 5_000_000
"""A page is made with less detail until it is below this, as far as that helps."""

_LONGEST = 400
_DETAIL = ((110, 200), (60, 60), (30, 20), (10, 5))  # points in a picture, violations listed
_INDEX = {name: index for index, name in enumerate(CLASSES)}
_PIECE = re.compile(r"[^_.(]*[_.(]|[^_.(]+")  # a long name may break after these


@dataclass(frozen=True)
class Detail:
    """How much a page holds."""

    points: int
    listed: int


def render(document: Document, *, against: Document | None = None) -> str:
    """Return the page of a conformance run.

    Args:
        document: the run.
        against: an earlier run: the page tells what changed since.
    """
    text = ""
    change = compare(document, against) if against else None
    for points, listed in _DETAIL:
        text = _Page(document, change, Detail(points, listed)).render()
        if len(text.encode()) < MOST_BYTES:
            break
    return text


class _Page:
    """The page of one run, with as much detail as is asked for."""

    def __init__(self, document: Document, change: Comparison | None, detail: Detail) -> None:
        self._document = document
        self._flags = {
            flag: index
            for index, flag in enumerate(
                sorted({f for i in document.items for v in i.judged for f in v.flags})
            )
        }
        anchors = {
            id(item): f"f{number}-{index}"
            for number, target in enumerate(document.targets)
            for index, item in enumerate(target.functions)
        }
        notes = Notes(document)
        self._context: dict[str, Any] = {
            "document": document,
            "against": change,
            "detail": detail,
            "flags": self._flags,
            "notes": list(notes),
            "counts": _counts(document),
            "classes": CLASSES,
            "policy": policy(STYLE, SCRIPT),
            # These two are the package's own; nothing else is taken as markup.
            "style": Markup(STYLE),
            "script": Markup(SCRIPT),
            "anchor": lambda item: anchors[id(item)],
            "class_of": CLASSES.__getitem__,
            "grades": GRADED,
            "index_of": _INDEX.__getitem__,
            "marks_of_item": self._marks_of_item,
            "marks_of": self._marks_of,
            "pictures": lambda item: pictures(item, most=detail.points),
            "title": _title,
            "note_of": notes.anchor,
            "decimal": _decimal,
            "pieces": lambda name: _PIECE.findall(_clean(name)),
            "extent": {"width": WIDTH, "left": LEFT, "right": RIGHT},
        }

    def render(self) -> str:
        """Return the text."""
        return environment().get_template("page.html.jinja").render(self._context)

    def _marks_of_item(self, item: FunctionResult) -> str:
        """Return what the filters match: for each class of a function its flags."""
        found: dict[int, set[int]] = {}
        for case in item.judged:
            found.setdefault(_INDEX[case.outcome], set()).update(self._numbers(case.flags))
        return " ".join(_mark(index, found[index]) for index in sorted(found))

    def _marks_of(self, marked: JudgedCase | PlottedCase) -> str:
        case, flags = (
            (marked.case, marked.flags)
            if isinstance(marked, PlottedCase)
            else (marked, marked.flags)
        )
        return _mark(_INDEX[case.outcome], self._numbers(flags))

    def _numbers(self, flags: Iterable[str]) -> Iterator[int]:
        return (self._flags[flag] for flag in flags)


@cache
def environment(package: str = "dporacle.report") -> jinja2.Environment:
    """Return what the templates of a package's pages are read by: they escape every text."""
    found = jinja2.Environment(
        loader=jinja2.PackageLoader(package),
        autoescape=True,
        finalize=_clean,
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.filters["groupby_order"] = _groups
    return found


def _groups(points: list[PlottedCase]) -> list[tuple[str, list[PlottedCase]]]:
    """Return runs of points of one class, in their order."""
    return [(k, list(g)) for k, g in itertools.groupby(points, lambda p: p.case.outcome)]


def _clean(value: Any) -> Any:
    """Shorten a text and take out what would make a page say something else than it holds."""
    if isinstance(value, Markup) or not isinstance(value, str):
        return value
    short = value if len(value) <= _LONGEST else f"{value[:_LONGEST]}…"
    return "".join(
        each if each.isprintable() else " " if each in "\t\n\r" else "\N{REPLACEMENT CHARACTER}"
        for each in short
    )


def policy(style: str, script: str) -> str:
    """Return the content policy of a page with this style and this script, and nothing else."""
    return (
        f"default-src 'none'; style-src '{_hash(style)}'; "
        f"script-src '{_hash(script)}'; base-uri 'none'; form-action 'none'"
    )


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"sha256-{digest}"


def _mark(index: int, flags: Iterable[int]) -> str:
    return f"{index}:{','.join(map(str, sorted(flags)))}"


def _counts(document: Document) -> dict[str, int]:
    """Outcome -> number of answers in the run, worst first."""
    counts: dict[str, int] = {}
    for item in document.items:
        for name, count in item.counts.items():
            counts[name] = counts.get(name, 0) + count
    return {name: counts[name] for name in CLASSES if name in counts}


def _title(point: PlottedCase) -> str:
    """Return what a point tells: the class, the exact input, the error."""
    case = point.case
    inputs = ", ".join(f"{name} {_decimal(value)}" for name, value in case.arguments.items())
    parts = [f"{case.outcome}: {inputs}"]
    if case.answer is not None:
        parts.append(f"answer {_decimal(case.answer)}")
    if case.truth is not None:
        parts.append(f"exact {case.truth}")
    if case.ulp:
        parts.append(f"{case.error} too {'small' if case.ulp < 0 else 'large'}")
    if point.more:
        parts.append(f"{point.more} more at this spot")
    return "; ".join(parts)


def _decimal(text: str) -> str:
    """Return a hexadecimal float as its shortest decimal; anything else stays."""
    try:
        return repr(float.fromhex(text)) if text.lstrip("-").startswith("0x") else text
    except (ValueError, OverflowError):
        return text
