"""The Markdown summary and the badge."""

import json
from collections.abc import Iterator

from dporacle.conformance.grade.functions import State, told_refusals
from dporacle.conformance.grade.grades import GRADES, Grade, counted
from dporacle.conformance.grade.runs import LENIENT, Document, FunctionResult
from dporacle.report.classes import CLASSES, GRADED
from dporacle.report.comparison import Comparison, compare

_LONGEST = 200
_COLOURS = {  # of a badge, where that is the worst grade of what is not conformant
    Grade.SILENT: "orange",
    Grade.SLIGHT: "yellow",
    Grade.ROUNDS: "blue",
    Grade.LOOSE: "blue",
}
_SUBSTITUTES = str.maketrans({"`": "ˋ", "|": "¦", "\n": " ", "\r": " ", "\t": " "})


def markdown(document: Document, *, against: Document | None = None) -> str:
    """Return the table as Markdown, for a run's page or a pull request.

    Args:
        document: the run.
        against: an earlier run: a second table tells what changed since.
    """
    lines = [
        "# Conformance of libraries of differential privacy",
        "",
        f"{verdict(document)}; judged by dporacle {code(document.dporacle)}.",
        "",
        "| grade | library | function | quantity | simplest finding | outcome | harm, core "
        "| harm, extreme | asked | worst unsafe | most extra, core |",
        "|---|---|---|---|---|---|---|---|--:|--:|--:|",
    ]
    for target in document.failures:
        why = f"could not be run to the end: {code(target.failure or '')}"
        lines.append(f"| | {code(target.title)} | {why} | | | | | | | | |")
    order = [*GRADES]
    every = [(target, item) for target in document.targets for item in target.functions]
    lines += [
        f"| {graded(item)} | {code(target.title)} | {code(item.function.name)} "
        f"| {code(item.function.quantity)} | {code(item.finding) if item.finding else ''} "
        f"| {_outcome(item)} "
        f"| {level(item, 'core')} | {level(item, 'extreme')} | {item.asked} "
        f"| {_error(item, 'violating') or _error(item, 'rounded')} "
        f"| {item.loosest.error if item.loosest else ''} |"
        for target, item in sorted(every, key=lambda pair: order.index(pair[1].grade))
    ]
    if against:
        lines += ["", *_changes(compare(document, against))]
    return "\n".join(lines) + "\n"


def _changes(found: Comparison) -> Iterator[str]:
    yield from ("## Against the earlier run", "", found.summary)
    if found.changed:
        yield ""
        yield "| library | function | worse | better | of | all inputs before | all inputs now |"
        yield "|---|---|--:|--:|--:|---|---|"
    for change in found.changed:
        yield (
            f"| {code(change.title)} | {code(change.new.function.name)} "
            f"| {len(change.worse)} | {len(change.better)} | {change.shared} "
            f"| {outcome_text(change.old)} | {outcome_text(change.new)} |"
        )
    for words, names in (("New", found.appeared), ("No longer there", found.gone)):
        if names:
            listed = ", ".join(f"{code(library)} {code(name)}" for library, name in names)
            yield from ("", f"{words}: {listed}.")


def badge(document: Document) -> str:
    """Return the JSON of a badge, in the form that shields.io's endpoint reads."""
    states = document.states
    bad = [item.grade for item in document.items if item.state == State.NOT_CONFORMANT]
    if bad and not document.failures and not document.expired:
        colour = _COLOURS.get(min(bad, key=[*GRADES].index), "red")
    elif bad or document.failures or document.expired:
        colour = "red"
    elif not states or not document.complete or not {State.CONFORMANT, *LENIENT} >= {*states}:
        colour = "lightgrey"
    else:
        colour = "brightgreen" if {*states} == {State.CONFORMANT} else "yellow"
    content = {
        "schemaVersion": 1,
        "label": "dporacle",
        "message": verdict(document),
        "color": colour,
    }
    return json.dumps(content) + "\n"


def verdict(document: Document) -> str:
    """Return what a run amounts to on one line, the grades first."""
    items, states = document.items, document.states
    good = states.get(State.CONFORMANT, 0)
    named = counted(item.graded for item in items)
    refused = told_refusals([item.refused for item in items])
    conformant = "; ".join((named, *refused, f"{good} of {len(items)} functions conformant"))
    parts = [conformant if items else "nothing judged"]
    parts += document.lenience.values()
    unjudged = states.get(State.NOT_JUDGED, 0)
    if unjudged != sum(item.grade is Grade.UNKNOWN for item in items):  # said by the grades
        parts.append(f"{unjudged} not judged")
    if number := len(document.expired):
        parts.append(f"{number} known {'failure has' if number == 1 else 'failures have'} expired")
    if document.unfinished:
        parts.append("incomplete")
    return ", ".join(parts)


def graded(item: FunctionResult) -> str:
    """Return a function's grade with its sign, and the remarks beside it."""
    return f"{GRADED[item.grade].sign} {item.said}"


def level(item: FunctionResult, where: str) -> str:
    """Return the worst harm; nothing if there is none."""
    return str(getattr(item.standing, where, None) or "")


def outcome_text(item: FunctionResult) -> str:
    """Return a function's outcome with its sign and its count."""
    if item.state == State.NOT_JUDGED:
        return "? not judged"
    shown = CLASSES[item.outcome]
    return f"{shown.sign} {shown.name} {item.counts.get(item.outcome, 0)}"


def _outcome(item: FunctionResult) -> str:
    return outcome_text(item) + (f", {item.state}" if item.lenient else "")


def _error(item: FunctionResult, of: str) -> str:
    case = item.worst(of)
    return case.error if case else ""


def code(text: str, *, longest: int = _LONGEST) -> str:
    """Return a text from outside as code, in which Markdown reads no tag, link, name or emphasis.

    What would end the code or the cell is replaced, and so is what cannot be seen; what is longer
    than so many letters is cut.
    """
    short = text[:longest].translate(_SUBSTITUTES)
    shown = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in short)
    return f"`{shown.strip() or '?'}`"
