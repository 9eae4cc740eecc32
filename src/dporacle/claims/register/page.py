"""The register as a page, as JSON, and as rows of a table."""

import json
import re
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

import msgspec

from dporacle.claims import judge, report, wording
from dporacle.claims.register.entries import FORMAT, KINDS, Absent, Publication
from dporacle.claims.register.proving import Proved, summary
from dporacle.verdicts import Verdict

HEADINGS = ("entry", "said in", "claim", "verdict", judge.EPSILON, "margin")
"""The columns of the table on a terminal."""
VERDICT_AT = 3
"""The place of the verdict among them."""

_DECIMAL = re.compile(r"\d+(\.\d+)?(e[+-]?\d+)?")

_TITLE = """\
# A register of published claims

Numbers and formulas about noise that somebody published, proved or refuted again."""

_READING = """\
How to read this page:

- Each claim was read at its source; the entry says where and on which day. The words are ours.
  Below them it stands in the [language of claims](claims.md).
- A claim is taken as it is printed: ε = 17.14 is 17.14. Where a text gives a tolerance, or says
  that a number is rounded, the claim is judged with that tolerance, and the entry says so.
- VIOLATED is about the printed numbers, not about a library or a data product. Many gaps are a
  rounding in the last digit; the note of the entry says what the gap means. Each violated claim
  says which pair of neighbouring data sets it supposes to exist.
- Where a text leaves out what the language of claims needs, the entry says what is assumed.
  Where a text leaves the neighbouring relation open, sensitivity and privacy are stated for the
  same relation, so that it does not matter.

`dporacle audit --register` proves all of them again. A test does so at every change, and makes sure
that this page, which `dporacle audit --register --markdown` prints, is up to date.
"""

_MUCH = Fraction(1, 100)
"""How far a violated claim is off, as a share of what is claimed, to be named at the head."""


def cells(proved: Proved) -> tuple[str, ...]:
    """Return the row of a claim under `HEADINGS`."""
    entry = proved.published.entry
    verdict = str(proved.verdict.verdict)
    return (
        entry.id,
        proved.published.sources[0].title,
        entry.words,
        f"{verdict} (was {entry.verdict})" if proved.changed else verdict,
        wording.interval(proved.verdict.epsilon),
        judge.in_words(proved.verdict),
    )


def to_json(proved: Sequence[Proved]) -> str:
    """Return the register with its verdicts as one JSON document."""
    content = {"format": FORMAT, "claims": [_record(one) for one in proved]}
    return json.dumps(content, indent=2, ensure_ascii=False)


def to_markdown(proved: Sequence[Proved], absent: Sequence[Absent]) -> str:
    """Return the page about the register."""
    lines = [_TITLE, "", *_overview(proved), _READING]
    for kind, heading in KINDS.items():
        some = [one for one in proved if one.published.kind == kind]
        lines += [
            f"## {heading}",
            "",
            f"| entry | claim | verdict | {judge.EPSILON} | margin |",
            "|---|---|---|---|---|",
        ]
        lines += [_row(one) for one in some]
        lines.append("")
        for one in some:
            lines += _paragraph(one)
    lines += ["## What is not here, and why", ""]
    lines += [f"- **{_plain(one.what)}** {_plain(one.why)}" for one in absent]
    return "\n".join(lines)


def _overview(proved: Sequence[Proved]) -> Iterator[str]:
    """Yield what was found: how many claims of which kind hold, and which are far off."""
    yield f"**{summary(proved)}.**"
    verdicts = [verdict for verdict in Verdict if any(_is(one, verdict) for one in proved)]
    yield from ("", f"| published in | {' | '.join(verdicts)} |", f"|---{'|--:' * len(verdicts)}|")
    for kind, heading in KINDS.items():
        some = [one for one in proved if one.published.kind == kind]
        counts = (str(sum(_is(one, verdict) for one in some)) for verdict in verdicts)
        if some:
            anchor = heading.lower().replace(" ", "-")
            yield f"| [{heading}](#{anchor}) | {' | '.join(counts)} |"
    violated = [one for one in proved if _is(one, Verdict.VIOLATED)]
    far = sorted((one for one in violated if _excess(one) > _MUCH), key=_excess, reverse=True)
    if not violated:
        yield ""
        return
    yield ""
    near = len(violated) - len(far)
    if near:
        yield f"{near} of the {len(violated)} violated claims are off by a hundredth at most."
    yield f"These {len(far)} violated claims are off by more than a hundredth, the farthest first:"
    yield ""
    for one in far:
        name, title = one.published.entry.id, one.published.sources[0].title
        yield f"- [{name}](#{name}), {_plain(title)}: {_plain(one.verdict.margin)}"
    yield ""


def _is(proved: Proved, verdict: Verdict) -> bool:
    return proved.verdict.verdict is verdict


def _excess(proved: Proved) -> Fraction:
    """Return by which share of the claimed number the exact one is above it, at least."""
    if not proved.verdict.bound:
        return Fraction(1)
    return Fraction(proved.verdict.low) / proved.verdict.bound - 1


def _record(proved: Proved) -> dict[str, Any]:
    published = proved.published
    return {
        "kind": published.kind,
        "words": published.entry.words,
        "assumed": published.entry.assumed,
        "note": published.entry.note,
        "sources": [
            {**msgspec.to_builtins(source), "address": source.address}
            for source in published.sources
        ],
        "recorded_verdict": published.entry.verdict,
        "changed": proved.changed,
        "proved": report.record(proved.verdict),
    }


def _row(proved: Proved) -> str:
    entry, verdict = proved.published.entry, proved.verdict.told
    shown = [f"[{entry.id}](#{entry.id})", _plain(entry.words), verdict]
    shown += [wording.interval(proved.verdict.epsilon), _plain(proved.verdict.margin)]
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in shown) + " |"


def _paragraph(proved: Proved) -> list[str]:
    entry = proved.published.entry
    lines = [f"### {entry.id}", "", f"{_plain(entry.words)} **{proved.verdict.told}:**"]
    found = "; ".join(filter(None, (judge.in_words(proved.verdict), proved.verdict.limit)))
    lines[-1] += f" {_plain(found)}."
    if entry.note:
        lines[-1] += f" {_plain(entry.note)}"
    encoded = {"mechanism": entry.mechanism, "asserts": entry.asserts}
    for name, part in encoded.items():
        if part is not None:
            lines += ["", f"    {name} = {_toml(msgspec.to_builtins(part, enc_hook=_number))}"]
    lines += ["", f"Assumed: {_plain(entry.assumed)}", ""]
    if under := "; ".join(each.says for each in proved.verdict.hypotheses):
        lines += [f"Proved under: {_plain(under)}.", ""]
    lines += [f"Read: {'; '.join(_source(source) for source in proved.published.sources)}", ""]
    return lines


def _source(source: Publication) -> str:
    text = f"[{_plain(source.title)}]({source.address}), {_plain(source.owner)}, {source.read}"
    if source.commit:
        text += f", version {source.commit[:10]}"
    return f"{text} ({_plain(source.note)})" if source.note else text


def _number(value: Any) -> str:
    if not isinstance(value, Fraction):
        raise NotImplementedError
    return wording.exact_text(value)


def _toml(value: Any) -> str:
    """Write a part of a claim as an inline table; what is not given is left out."""
    if isinstance(value, dict):
        items = {key: one for key, one in value.items() if one not in (None, "")}
        return "{" + ", ".join(f"{key} = {_toml(one)}" for key, one in items.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(_toml(one) for one in value) + "]"
    if isinstance(value, str) and _DECIMAL.fullmatch(value):
        return value
    return json.dumps(value, ensure_ascii=False)


def _plain(text: str) -> str:
    """Return a text without what Markdown would take for its own."""
    for letter in "\\`*_<>[]":
        text = text.replace(letter, f"\\{letter}")
    return text
