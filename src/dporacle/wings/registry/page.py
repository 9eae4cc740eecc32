"""What was found of deployments, as text, as a page and as JSON."""

import json
import re
from collections.abc import Sequence

from dporacle.claims.judge import in_words, plain
from dporacle.claims.topics import QUESTIONS, Topic, TopicStatus
from dporacle.claims.topics import to_text as topics_text
from dporacle.verdicts import Verdict
from dporacle.wings.registry.checks import QUESTION, Audited

_SILENT = (
    r"no (?:information|details?|mention)\b[^.\n]{{0,200}}?(?:{})"
    r"|(?:{})[^.\n]{{0,200}}?not (?:stated|known|provided|mentioned)"
)
_SPEAKS = {
    "floating point": r"floating|exact sampl|discrete gaussian|geometric|integer-based|snapping",
    "side channels": r"side[- ]channel|timing attack|constant[- ]time|computing platform|enclave",
}


def topics(audited: Audited) -> list[Topic]:
    """Return what an entry states, and what of it is proved, by topic."""
    entry = audited.entry
    name, described = audited.unit
    parameters = "; ".join(
        (f"{_cut(plain(one.label), 40)}: " if one.label else "")
        + ", ".join(f"{key} = {_cut(plain(each.written), 60)}" for key, each in one.values.items())
        for one in audited.sets[:20]
    )
    relations = sorted({each for names in audited.relations.values() for each in names})
    mechanism = entry.text("mechanisms", "mechanism")
    said = {
        "unit of privacy": name or described,
        "neighbours": " and ".join(relations),
        "ε and δ": parameters or audited.told,
        "mechanism": mechanism,
        "composition": audited.composition,
        **{topic: _speaks(topic, f"{mechanism}\n{described}") for topic in _SPEAKS},
    }
    proved = {
        topic: all(judged) and bool(judged)
        for topic, kind in (("ε and δ", "conversion"), ("composition", "parts"))
        for judged in [
            [
                each.verdict is Verdict.HOLDS
                for each in audited.verdicts
                if each.claim.id.startswith(kind)
            ]
        ]
    }
    failing = {each.topic for each in audited.contradictions}
    found = []
    for topic, question in QUESTIONS.items():
        text = _cut(" ".join(plain(said[topic].replace("\n", " ")).split()), 160)
        level = TopicStatus.STATED if text else TopicStatus.MISSING
        if text and proved.get(topic) and topic not in failing:
            level, text = TopicStatus.PROVED, f"from the ρ that is stated: {text}"
        if text and topic in failing:
            text = f"with a contradiction: {text}"
        found.append(Topic(topic, level, text or question))
    return found


def _cut(text: str, length: int) -> str:
    """Return a text that is too long with an ellipsis where it ends."""
    return text if len(text) <= length else f"{text[: length - 1].rstrip()}…"


def _speaks(topic: str, text: str) -> str:
    """Return the sentence that speaks of a topic, and says more than that nothing is known."""
    shape = _SPEAKS[topic]
    # What ends at a colon says nothing without what follows it.
    for sentence in re.split(r"(?<=[.;])\s|(?<!:)\n", text):
        silent = re.search(_SILENT.format(shape, shape), sentence, re.IGNORECASE)
        if re.search(shape, sentence, re.IGNORECASE) and not silent:
            return sentence
    return ""


def questions(audited: Audited) -> list[str]:
    """Return what the deployer is asked."""
    asked = [(each.topic, each.text) for each in audited.findings if each.kind == QUESTION]
    topics_asked = {topic for topic, _ in asked}
    missing = [
        (each.name, each.note)
        for each in topics(audited)
        if each.level is TopicStatus.MISSING and each.name not in topics_asked
    ]
    return [f"{topic}: {plain(text)}" for topic, text in (*asked, *missing)]


def summary(audited: Sequence[Audited]) -> str:
    """Return how many entries were read, and what is wrong."""
    wrong = sum(bool(each.contradictions) for each in audited)
    count = sum(len(each.contradictions) for each in audited)
    claims = sum(len(each.verdicts) for each in audited)
    return (
        f"{len(audited)} read; {count} contradictions in {wrong}; {claims} formal claims; "
        f"{sum(len(questions(each)) for each in audited)} questions"
    )


def to_text(audited: Sequence[Audited], *, skipped: Sequence[str] = ()) -> str:
    """Return what was found as plain text."""
    parts = []
    for each in audited:
        lines = [f"{plain(each.entry.title)} ({plain(each.entry.name)})"]
        lines += [f"  CONTRADICTION {one.topic}: {plain(one.text)}" for one in each.contradictions]
        lines += [
            f"  {one.verdict} {one.claim.id}: {plain(in_words(one))}" for one in each.verdicts
        ]
        lines += [f"  question: {one}" for one in questions(each)]
        lines += [f"  {one}" for one in topics_text(topics(each)).splitlines()]
        parts.append("\n".join(lines))
    return "\n\n".join([*parts, *map(plain, _skipped(skipped)), summary(audited)])


def _skipped(names: Sequence[str]) -> list[str]:
    """Return a line about the files that are no entries, where there are any."""
    told = "skipped, for they describe no deployment: "
    return [told + ", ".join(names)] if names else []


def to_markdown(audited: Sequence[Audited], *, skipped: Sequence[str] = ()) -> str:
    """Return what was found as a page."""
    lines = [
        "# Deployments, audited",
        "",
        "A contradiction is about the printed numbers and words: they cannot all be true. It is no "
        "judgement of the deployment. *Proved*, *stated*, *missing* and *out of reach* are about "
        "the topics of NIST SP 800-226.",
        "",
        f"{summary(audited)}.",
        *(line for each in _skipped(skipped) for line in ("", _escape(each))),
    ]
    for each in audited:
        lines += [
            "",
            f"## {_escape(each.entry.title)}",
            "",
            f"File: {_escape(each.entry.name)}",
            "",
        ]
        lines += [
            f"- **CONTRADICTION**, {one.topic}: {_escape(one.text)}" for one in each.contradictions
        ]
        lines += [
            f"- **{one.verdict}**, {one.claim.id}: {_escape(in_words(one))}"
            for one in each.verdicts
        ]
        lines += [f"- Question: {_escape(one)}" for one in questions(each)]
        lines += ["", "| topic | level | |", "|---|---|---|"]
        lines += [f"| {one.name} | {one.level} | {_escape(one.note)} |" for one in topics(each)]
    return "\n".join([*lines, ""])


def to_json(audited: Sequence[Audited], *, skipped: Sequence[str] = ()) -> str:
    """Return what was found as one JSON document."""
    entries = [
        {
            "file": each.entry.name,
            "title": each.entry.title,
            "contradictions": [
                {"topic": one.topic, "text": one.text} for one in each.contradictions
            ],
            "questions": questions(each),
            "verdicts": {one.claim.id: str(one.verdict) for one in each.verdicts},
            "topics": {one.name: {"level": one.level, "note": one.note} for one in topics(each)},
        }
        for each in audited
    ]
    return json.dumps(
        {"format": "dporacle-registry/1", "entries": entries, "skipped": list(skipped)},
        indent=2,
        ensure_ascii=False,
    )


def _escape(text: str) -> str:
    for letter in "\\`*_|<>[]":
        text = text.replace(letter, f"\\{letter}")
    return plain(text)
