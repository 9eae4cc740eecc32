"""The Markdown summary and the badge."""

from __future__ import annotations

import json
from collections.abc import Iterator

from dporacle.report.comparison import Comparison
from dporacle.report.model import CLASSES, Document, Item

__all__ = ["badge", "markdown"]

# What would end a cell, start a tag, a link or an emphasis in a name that a library chose.
_SPECIAL = str.maketrans(
    {each: f"\\{each}" for each in "\\`*_{}[]<>()#+!|~"} | {"\n": " ", "\r": " "}
)


def markdown(document: Document, *, against: Comparison | None = None) -> str:
    """Return the table as Markdown, for a run's page or a pull request.

    Args:
        document: the run.
        against: what changed since an earlier one.
    """
    good = sum(item.conformant for item in document.items)
    lines = [
        "# Conformance of the Gaussian mechanism",
        "",
        f"{good} of {len(document.items)} functions conformant; judged by dporacle "
        f"{_safe(document.dporacle)}.",
        "",
        "| library | function | quantity | verdict | asked | worst unsafe | most extra, core |",
        "|---|---|---|---|--:|--:|--:|",
    ]
    for target in document.targets:
        if target.failure:
            lines.append(f"| {_safe(target.title)} | could not be run to the end | | | | | |")
        lines += [
            f"| {_safe(target.title)} | {_safe(item.function.name)} "
            f"| {_safe(item.function.quantity)} | {verdict_text(item)} | {item.asked} "
            f"| {_error(item, 'violating')} | {_error(item, 'conservative')} |"
            for item in target.functions
        ]
    if against:
        lines += ["", *_changes(against)]
    return "\n".join(lines) + "\n"


def _changes(against: Comparison) -> Iterator[str]:
    yield from ("## Against the earlier run", "", against.summary, "")
    if against.changed:
        yield "| library | function | worse | better | of | before | now |"
        yield "|---|---|--:|--:|--:|---|---|"
    for change in against.changed:
        yield (
            f"| {_safe(change.title)} | {_safe(change.new.function.name)} "
            f"| {len(change.worse)} | {len(change.better)} | {change.shared} "
            f"| {verdict_text(change.old)} | {verdict_text(change.new)} |"
        )
    for words, names in (("New", against.appeared), ("No longer there", against.gone)):
        if names:
            listed = ", ".join(f"{_safe(library)} {_safe(name)}" for library, name in names)
            yield from ("", f"{words}: {listed}.")


def badge(document: Document) -> str:
    """Return the JSON of a badge, in the form that shields.io's endpoint reads."""
    items = document.items
    good = sum(item.conformant for item in items)
    whole = good == len(items) and good and not document.failures
    message = f"{good} of {len(items)} functions conformant" if items else "nothing judged"
    if document.failures:
        message += ", incomplete"
    content = {
        "schemaVersion": 1,
        "label": "dporacle",
        "message": message,
        "color": "brightgreen" if whole else "lightgrey" if not items else "red",
    }
    return json.dumps(content) + "\n"


def verdict_text(item: Item) -> str:
    """Return a function's verdict with its sign and its count; the class is never trusted text."""
    shown = CLASSES.get(item.verdict)
    if shown is None:
        return "unknown class"
    count = item.counts.get(item.verdict, 0)
    return f"{shown.sign} {shown.name} {count}"


def _error(item: Item, of: str) -> str:
    case = item.worst(of)
    return case.error if case else ""


def _safe(text: str) -> str:
    return text[:200].translate(_SPECIAL)
