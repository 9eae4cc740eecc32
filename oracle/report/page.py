"""One self-contained HTML page.

Every text goes through `_text`, and a content policy lets nothing run or load but the page's own
style and script, which it names by their hashes.
"""

from __future__ import annotations

import base64
import hashlib
import html
from collections.abc import Iterator

from dporacle.report.assets import SCRIPT, STYLE
from dporacle.report.model import CLASSES, Case, Class, Document, Item, Target

__all__ = ["render"]

_LONGEST = 400


def render(document: Document) -> str:
    """Return the page of a conformance run."""
    policy = (
        f"default-src 'none'; style-src '{_hash(STYLE)}'; script-src '{_hash(SCRIPT)}'; "
        "base-uri 'none'; form-action 'none'"
    )
    parts = [
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">',
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        "<title>Conformance of the Gaussian mechanism</title>",
        f"<style>{STYLE}</style>\n</head>\n<body>",
        '<a class="skip" href="#table">To the table</a>',
        *_head(document),
        "<main>",
        *_legend(document),
        *_table(document),
        "<h2>Function by function</h2>",
        "<p>The cases with the largest errors of each class, everyday inputs first.</p>",
    ]
    for number, target in enumerate(document.targets):
        parts += _target(number, target)
    parts.append(f"</main>\n<script>{SCRIPT}</script>\n</body>\n</html>\n")
    return "\n".join(parts)


def _hash(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"sha256-{digest}"


def _text(text: str) -> str:
    short = text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
    # Controls and marks that reorder text would make a page say something else than it holds.
    shown = "".join(each if each.isprintable() else "\N{REPLACEMENT CHARACTER}" for each in short)
    return html.escape(shown)


def _class(name: str) -> Class:
    return CLASSES.get(name) or Class(name, "?", "none", "")


def _key(name: str) -> str:
    """Return a class as the filter knows it."""
    return name.replace(" ", "-") if name in CLASSES else "other"


def _verdict(name: str, count: int | None = None) -> str:
    shown = _class(name)
    number = "" if count is None else f" {count}"
    return (
        f'<span class="verdict {shown.tone}"><span class="sign" aria-hidden="true">'
        f"{shown.sign}</span> {_text(shown.name)}{number}</span>"
    )


def _head(document: Document) -> Iterator[str]:
    items = document.items
    good = sum(item.conformant for item in items)
    machine = ", ".join(f"{_text(k)} {_text(v)}" for k, v in document.machine.items())
    yield "<header><h1>Conformance of the Gaussian mechanism</h1>"
    yield (
        f"<p><strong>{good} of {len(items)} functions</strong> in {len(document.targets)} "
        f"libraries are conformant: no answer on the unsafe side, no hang, no crash, no NaN, "
        f"nothing made up for an input outside the domain. {sum(i.asked for i in items)} answers "
        "were judged by interval arithmetic against the exact value.</p>"
    )
    for target in document.failures:
        yield (
            f'<p class="bad"><strong>{_text(target.title)} could not be run to the end:'
            f"</strong> {_text(target.failure or '')}</p>"
        )
    yield f'<p class="soft">dporacle {_text(document.dporacle)}; {machine}</p></header>'


def _legend(document: Document) -> Iterator[str]:
    counts: dict[str, int] = {}
    for item in document.items:
        for name, count in item.counts.items():
            counts[name] = counts.get(name, 0) + count
    yield '<fieldset id="filter" hidden><legend>Show functions and cases that are</legend>'
    keys = dict.fromkeys(_key(name) for name in (*CLASSES, *counts) if name in counts)
    for key in keys:
        name = key if key == "other" else next(each for each in CLASSES if _key(each) == key)
        yield f'<label><input type="checkbox" value="{key}" checked> {_verdict(name)}</label>'
    yield (
        '<button type="button" id="all">All or none</button> '
        '<span id="told" role="status"></span></fieldset>'
    )
    yield "<details><summary>What the words mean</summary><dl>"
    for name, shown in CLASSES.items():
        yield f"<dt>{_verdict(name, counts.get(name, 0))}</dt><dd>{shown.meaning}</dd>"
    yield f"</dl><p>Tight is within {document.tight_ulp:g} units in the last place (ulp).</p>"
    yield "</details>"


def _table(document: Document) -> Iterator[str]:
    """Libraries × quantities; a cell has one entry per function of the library."""
    yield '<h2 id="table">Libraries and quantities</h2><table><thead><tr>'
    yield '<th scope="col">library</th>'
    yield from (f'<th scope="col">{_text(each)}</th>' for each in document.quantities)
    yield "</tr></thead><tbody>"
    for number, target in enumerate(document.targets):
        yield f'<tr><th scope="row">{_text(target.title)}</th>'
        for quantity in document.quantities:
            entries = "".join(
                _entry(number, index, item)
                for index, item in enumerate(target.functions)
                if item.function.quantity == quantity
            )
            label = f' data-label="{_text(quantity)}"' if entries else ""
            yield f"<td{label}>{entries}</td>"
        yield "</tr>"
    yield "</tbody></table>"


def _entry(number: int, index: int, item: Item) -> str:
    worst = item.worst(item.verdict)
    error = f"<br>{_error(worst)}" if worst and worst.excess is not None else ""
    if item.verdict == "violating":
        error = f"<br>{item.beyond_rounding} by more than 1 ulp{error}"
    return (
        f'<a href="#f{number}-{index}" data-class="{_classes(item)}">'
        f"{_verdict(item.verdict, item.counts.get(item.verdict, 0))} of {item.asked}{error}"
        f'<br><span class="soft">{_text(item.function.name)}</span></a>'
    )


def _error(case: Case) -> str:
    words = {
        "violating": "unsafe by up to",
        "conservative": "extra on core inputs up to",
        "tight": "within",
    }
    return f"{words.get(case.outcome, 'off by')} {_text(case.error)}"


def _classes(item: Item) -> str:
    return ",".join(dict.fromkeys(_key(name) for name in item.counts))


def _target(number: int, target: Target) -> Iterator[str]:
    language = f' <span class="soft">{_text(target.language)}</span>' if target.language else ""
    yield f"<section><h3>{_text(target.title)}{language}</h3>"
    for index, item in enumerate(target.functions):
        yield f'<details id="f{number}-{index}" data-class="{_classes(item)}"><summary>'
        yield f"<code>{_text(item.function.name)}</code> · {_text(item.function.quantity)}: "
        yield ", ".join(_verdict(name, count) for name, count in item.counts.items())
        yield "</summary>"
        if item.function.note:
            yield f'<p class="soft">{_text(item.function.note)}</p>'
        yield from (_case(case) for case in item.telling())
        yield "</details>"
    yield "</section>"


def _case(case: Case) -> str:
    rows = {name: _number(value) for name, value in case.arguments.items()}
    if case.answer is not None:
        rows["answer"] = _number(case.answer)
    if case.truth is not None:
        rows["exact value"] = _text(case.truth)
    if case.answer is not None and case.truth is not None and case.ulp is not None:
        rows["off by"] = _text(case.error)
    if case.true_delta is not None and case.outcome == "violating":
        asked = "" if case.requested_delta is None else f", requested {case.requested_delta!r}"
        rows["true δ"] = _text(case.true_delta + asked)
    if case.message:
        rows["said"] = _text(case.message)
    if case.note:
        rows["why asked"] = _text(case.note)
    listed = "".join(
        f'<dt>{_text(name)}</dt><dd class="number">{value}</dd>' for name, value in rows.items()
    )
    tone = _class(case.outcome).tone
    return (
        f'<div class="case {tone}" data-class="{_key(case.outcome)}">'
        f"{_verdict(case.outcome)}<dl>{listed}</dl></div>"
    )


def _number(text: str) -> str:
    """Return a hexadecimal float with its shortest decimal; anything else stays."""
    try:
        shown = repr(float.fromhex(text)) if text.lstrip("-").startswith("0x") else ""
    except (ValueError, OverflowError):
        shown = ""
    return f'{shown} <span class="soft">({_text(text)})</span>' if shown else _text(text)
