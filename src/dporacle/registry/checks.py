"""What a description of a deployment says of its privacy, and whether all of it can be true."""

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from dporacle import arguments, claims
from dporacle.claims.report import exact_text, in_words
from dporacle.registry import mentions
from dporacle.registry.mentions import Mention, number, plain
from dporacle.registry.reading import Entry, text_of
from dporacle.verdicts import Verdict

CONTRADICTION, QUESTION, NOTE = "CONTRADICTION", "QUESTION", "NOTE"

_KEYS = {"epsilon": "ε", "eps": "ε", "ε": "ε", "delta": "δ", "δ": "δ", "rho": "ρ", "ρ": "ρ"}
_RANGES = {"ε": (0, None), "ρ": (0, None), "δ": (0, 1)}
_TOTAL = re.compile(r"(?<![a-z])(total|global|overall|altogether|sum)(?![a-z])", re.IGNORECASE)
_SPLIT = re.compile(r"\b(split|divided|sum of|consists? of|allocated|composed of)\b", re.IGNORECASE)
_OTHERWISE = re.compile(
    r"amplif|disjoint|parallel|partition|maxim|at most one|incorrect|erroneous|mistake|wrong"
    r"|advanced|moments|subsampl",
    re.IGNORECASE,
)
_TIME = r"(day|week|month|quarter|year|hour|release|round|query)"
_EACH = re.compile(
    rf"^[^.;\n]{{0,30}}?\b(?:per|each|every|a|an|for one) (?:single |user[- ])?{_TIME}\b", re.I
)
_EACH_BEFORE = re.compile(
    rf"\b(?:each|every|per) (?:single )?{_TIME}\b[^.;\n]{{0,40}}$", re.IGNORECASE
)
_COUNT = re.compile(
    r"\b(\d[\d,]{0,9}) (?:consecutive |(?:dai|hour|week|month|quarter|year)ly |annual )?"
    rf"{_TIME}s\b",
    re.IGNORECASE,
)
_ONE_OF_THEM = re.compile(r"^ each\b", re.IGNORECASE)
_NEIGHBOURS = re.compile(r"neighbo|adjacen", re.IGNORECASE)
_REPEATED = re.compile(
    r"\b(daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|hourly|ongoing|continual(?:ly)?|rolling"
    r"|every (?:hour|day|week|month|quarter|year))\b",
    re.IGNORECASE,
)
_IN_TIME = re.compile(
    r"\b(?:in|for|on|during|of|over) (?:a|one|any|each|every) (?:single |given |particular )?"
    r"(day|week|month|year)\b"
    r"|\b(daily) \w+ activity",
    re.IGNORECASE,
)
_SCOPE = re.compile(r"hour|day|daily|week|month|quarter|year|event|record|release", re.IGNORECASE)
_RELATIONS = {
    "replace-one": r"(?<!un)bounded (?:neighbo|dp|diff|adjac)|change[- ]one|replac|substitut|swap"
    r"|modif(?:y|ied|ication)",
    "add-remove": r"add(?:ing|ed|ition)?(?: or |/| and )(?:of |the )?remov|unbounded"
    r"|symmetric distance|insert(?:ion|ing)?(?: or |/)delet|presence or absence|insert[- ]delete",
}


@dataclass(frozen=True)
class Finding:
    """What is wrong, or not said.

    Attributes:
        kind: CONTRADICTION, for what cannot all be true as printed; QUESTION, for the deployer;
            or NOTE.
        topic: of `topics.TOPICS`.
        text: a sentence, or a question.
    """

    kind: str
    topic: str
    text: str


@dataclass(frozen=True)
class Said:
    """A set of parameters that stand together."""

    label: str
    values: dict[str, Mention]


@dataclass
class Audited:
    """An entry, what is wrong with it, and what of it was proved.

    Attributes:
        entry: the description.
        findings: what is wrong, or not said.
        verdicts: of the claims that can be stated formally.
    """

    entry: Entry
    findings: list[Finding] = field(default_factory=list)
    verdicts: list[claims.AuditVerdict] = field(default_factory=list)
    contents: list[dict[str, Any]] = field(default_factory=list)

    def say(self, kind: str, topic: str, text: str) -> None:
        """Add a finding, once."""
        if (found := Finding(kind, topic, text)) not in self.findings:
            self.findings.append(found)

    @property
    def contradictions(self) -> list[Finding]:
        """What cannot all be true as it is printed."""
        return [each for each in self.findings if each.kind == CONTRADICTION]

    @cached_property
    def variant(self) -> str:
        """What kind is said: "pure", "approximate", "zcdp", "other" or ""."""
        stated = self.entry.find("dp_variant", "dp_flavor", "variant_name", "privacy_definition")
        if isinstance(stated, dict):
            stated = stated.get("variant_name") or stated.get("name") or ""
        text = plain(text_of(stated)).lower()
        kinds = {
            "zcdp": r"concentrated|cdp",
            "approximate": r"approx|\(ε ?, ?δ\)",
            "pure": r"pure|^ε-",
        }
        return next(
            (kind for kind, shape in kinds.items() if re.search(shape, text)),
            "other" if text else "",
        )

    @cached_property
    def told(self) -> str:
        """What is said of the parameters in words."""
        return self.entry.text("privacy_parameters_details", "privacy_parameters_description")

    @cached_property
    def composition(self) -> str:
        """What is said of composition."""
        return self.entry.text("composition")

    @cached_property
    def unit(self) -> tuple[str, str]:
        """What is said of the unit of privacy: its name, and its description."""
        described = self.entry.text("privacy_unit_details", "privacy_unit_description")
        return self.entry.text("privacy_unit", "unit_of_privacy"), plain(described)

    @cached_property
    def relations(self) -> dict[str, set[str]]:
        """Where a neighbouring relation is stated -> which."""
        places = {
            name: plain(self.entry.text(name))
            for name in ("input_metric", "neighbours", "neighbors")
        }
        places["privacy_unit"] = "\n".join(self.unit)
        told = mentions.sentences(plain(f"{self.told}\n{self.composition}"))
        places["the description"] = "\n".join(filter(_NEIGHBOURS.search, told))
        found = {
            place: {
                name for name, shape in _RELATIONS.items() if re.search(shape, text, re.IGNORECASE)
            }
            for place, text in places.items()
        }
        return {place: names for place, names in found.items() if names}

    @cached_property
    def sets(self) -> list[Said]:
        """Every set of parameters that stands under keys of its own."""
        found = list(self._sets("", self.entry.find("privacy_parameters")))
        if not found:  # older shapes have them without that key
            loss = self.entry.find("privacy_loss") or self.entry.content
            found = list(self._sets("", loss, named_only=True))
        return found

    def _sets(self, label: str, value: Any, *, named_only: bool = False) -> Iterator[Said]:
        if isinstance(value, str):
            for text in [] if named_only else mentions.sentences(plain(text_of(value))):
                if values := {each.name: each for each in mentions.mentions(text)}:
                    yield Said(label, values)
            return
        if isinstance(value, list):
            for place, each in enumerate(value, 1):
                yield from self._sets(f"{label} {place}".strip(), each, named_only=named_only)
            return
        own: dict[str, Mention] = {}
        for key, each in value.items():
            word = str(key).lower().strip()
            name = _KEYS.get(word)
            apart = next((_KEYS[each] for each in re.split(r"[_ -]+", word) if each in _KEYS), None)
            if name is None and apart and isinstance(each, str) and text_of(each):
                if stated := self._stated(apart, each):
                    yield Said(word, {apart: stated})
            elif name is None:
                yield from self._sets(str(key), each, named_only=named_only)
            elif isinstance(each, str) and text_of(each):
                if stated := self._stated(name, each):
                    own[name] = stated
            elif isinstance(each, list):
                for place, part in enumerate(each, 1):
                    if (
                        isinstance(part, str)
                        and text_of(part)
                        and (stated := self._stated(name, part))
                    ):
                        yield Said(f"{label} {place}".strip(), {name: stated})
            elif isinstance(each, dict):
                yield from (
                    Said(str(part), {name: stated})
                    for part, below in each.items()
                    if isinstance(below, str)
                    and text_of(below)
                    and (stated := self._stated(name, below))
                )
        if own:
            yield Said(
                str(value.get("name") or label) if isinstance(value.get("name"), str) else label,
                own,
            )

    def _stated(self, name: str, text: str) -> Mention | None:
        value = number(re.sub(rf"^{name} ?[=:≤] ?", "", plain(text).strip()), power=name == "δ")
        if value is not None:
            return Mention(name, value, text.strip())
        given = mentions.mentions(plain(text))
        same = [each for each in given if each.name == name]
        if len(same) == 1:
            return same[0]
        shown = " ".join(text.split())[:60]
        if re.search(r"\d", text) and not re.fullmatch(r"\W*\d[\d.]*\s*%\W*", text):
            self.say(
                QUESTION, "ε and δ", f"{name} is {shown!r}: which one number holds for everybody?"
            )
        else:
            self.say(
                CONTRADICTION,
                "ε and δ",
                f"{name} is {shown!r}, which is no number that {name} can be",
            )
        return None

    @cached_property
    def total(self) -> dict[str, Mention]:
        """The parameters of the whole deployment."""
        whole = [each for each in self.sets if not each.label or _TOTAL.search(each.label)]
        if not whole and len(self.sets) == 1:
            whole = self.sets
        return {name: value for each in whole for name, value in each.values.items()}


def audit(entry: Entry) -> Audited:
    """Check an entry, and prove or refute what of it can be stated formally."""
    found = Audited(entry)
    for check in (_ranges, _variant, _totals, _calculations, _time, _unit, _mechanism, _formal):
        check(found)
    found.findings.sort(key=lambda each: (CONTRADICTION, QUESTION, NOTE).index(each.kind))
    return found


def _ranges(found: Audited) -> None:
    stated = [(each, "privacy_parameters") for one in found.sets for each in one.values.values()]
    stated += [(each, "the description") for each in mentions.mentions(plain(found.told))]
    for each, where in stated:
        low, high = _RANGES[each.name]
        if each.value < low or (high is not None and each.value >= high):
            domain = "[0, 1)" if high else "[0, ∞)"
            text = f"{each.name} = {_shown(each)} in {where}: {each.name} lies in {domain}"
            found.say(CONTRADICTION, "ε and δ", text)
        elif each.value == 0 and each.name != "δ":
            found.say(
                QUESTION,
                "ε and δ",
                f"{each.name} = 0 says that nothing is learnt: is a number missing?",
            )


def _variant(found: Audited) -> None:
    names = {name for each in found.sets for name in each.values}
    said = mentions.mentions(plain(found.told))
    values = [each.values["δ"] for each in found.sets if "δ" in each.values]
    deltas = [*values, *(each for each in said if each.name == "δ")]
    positive = next((each for each in deltas if each.value > 0), None)
    if found.variant == "pure" and positive is not None:
        text = f"it is called pure DP, and δ is {_shown(positive)}: pure DP has δ = 0"
        hedged = positive not in values and _OTHERWISE.search(found.told)
        found.say(QUESTION if hedged else CONTRADICTION, "ε and δ", text)
    if found.variant == "pure" and "ρ" in names and "ε" not in names:
        found.say(
            CONTRADICTION,
            "ε and δ",
            "it is called pure DP, and its parameter is a ρ of zero-concentrated DP",
        )
    if not found.variant:
        found.say(
            QUESTION,
            "ε and δ",
            "which kind of differential privacy is promised: pure, approximate, zero-concentrated?",
        )
    if not names and not said:
        found.say(QUESTION, "ε and δ", "what are ε and δ, or ρ?")
    elif found.variant == "approximate" and positive is None and "ρ" not in names:
        found.say(QUESTION, "ε and δ", "it is called approximate DP: what is its δ?")
    elif found.variant == "zcdp" and "ρ" not in names | {each.name for each in said}:
        found.say(QUESTION, "ε and δ", "it is called zero-concentrated DP: what is its ρ?")
    if "δ" in names and not names & {"ε", "ρ"}:
        found.say(QUESTION, "ε and δ", "a δ is stated without an ε: what is ε?")


def _totals(found: Audited) -> None:
    """Compare parts with totals: those with keys of their own, in lists, and in sentences."""
    parts = [each for each in found.sets if each.label and not _TOTAL.search(each.label)]
    hedged = f"{found.told}\n{found.composition}"
    for name in "ρεδ":
        own = [each.values[name] for each in parts if name in each.values]
        whole = found.total.get(name)
        if len(own) > 1 and whole is not None:
            _compare(found, own, whole, "the total under privacy_parameters", hedged)
        _in_words(found, name, whole, hedged)


def _in_words(found: Audited, name: str, whole: Mention | None, hedged: str) -> None:
    rows = mentions.lines(found.told)
    given = [[each for each in mentions.mentions(row.text) if each.name == name] for row in rows]
    if name == "ε":  # beside a ρ it is what the ρ converts to
        given = [[] if "ρ" in row.text else each for row, each in zip(rows, given, strict=True)]
    summed: set[int] = set()
    for parent in range(-1, len(rows)):
        depth = rows[parent].indent if parent >= 0 else -1
        below = list(_children(rows, parent, depth))
        above = [each for each in given[parent] if not _is_each(each)] if parent >= 0 else []
        stated = above[0] if above else whole
        used = [
            given[place][-1]
            for place in below
            if given[place]
            and not (len(given[place]) == 1 and _TOTAL.search(given[place][0].before))
        ]
        bullets = all(
            rows[place].text[:1] in "-*•" or rows[place].text[:2].isdigit() for place in below
        )
        if len(used) > 1 and stated is not None and bullets and not any(map(_is_each, used)):
            summed.update(below)
            _compare(found, used, stated, f"the total, {name} = {_shown(stated)},", hedged)
            if above and whole is not None and stated.value != whole.value:
                _compare(found, used, whole, "the total under privacy_parameters", hedged)
    for sentence in mentions.sentences(plain(found.told)):
        own = [each for each in mentions.mentions(sentence) if each.name == name]
        stated = whole or (own[0] if own else None)
        used = [each for each in own if stated is None or each.value != stated.value]
        if stated is not None and whole is None:
            used = own[1:]
        split = _SPLIT.search(sentence) and (name == "ρ" or "ρ" not in sentence)
        if split and len(used) > 1 and stated is not None:
            _compare(found, used, stated, f"the total, {name} = {_shown(stated)},", hedged)
    _repeated(found, name, whole, [each for place, each in enumerate(given) if place not in summed])


def _repeated(found: Audited, name: str, whole: Mention | None, given: list[list[Mention]]) -> None:
    """Compare the total in words with the one that has a key of its own."""
    every = [each for row in given for each in row if not _is_each(each)]
    totals = [each for each in every if _TOTAL.search(each.before)]
    alone = every if len({each.value for each in every}) == 1 else []
    for each in totals or alone:
        if whole is not None and each.value != whole.value:
            text = (
                f"privacy_parameters has {name} = {_shown(whole)}, its description {_shown(each)}"
            )
            hedged = _OTHERWISE.search(found.told) or (alone and not totals and len(found.sets) > 1)
            found.say(QUESTION if hedged else CONTRADICTION, "ε and δ", text)


def _children(rows: Sequence[mentions.Line], parent: int, depth: int) -> Iterator[int]:
    """Yield the places of the lines that stand one step below another."""
    inner: int | None = None
    for place in range(parent + 1, len(rows)):
        if rows[place].indent <= depth:
            return
        inner = rows[place].indent if inner is None else inner
        if rows[place].indent == inner:
            yield place


def _is_each(mention: Mention) -> bool:
    return bool(_EACH.search(mention.after) or _ONE_OF_THEM.search(mention.after))


def _compare(
    found: Audited, parts: Sequence[Mention], whole: Mention, which: str, hedged: str
) -> None:
    value = sum((each.value for each in parts), Fraction(0))
    name = whole.name
    if name == "ρ" and not _OTHERWISE.search(hedged):
        _parts(found, parts, whole)
    if value == whole.value:
        return
    written = " + ".join(map(_shown, parts))
    text = f"the parts {written} add up to {name} = {exact_text(value)}; {which} is {_shown(whole)}"
    slack = whole.half_unit + sum((each.half_unit for each in parts), Fraction(0))
    if max(each.value for each in parts) == whole.value:
        text += "; the largest part is enough only if no record is in two parts. Is it so?"
        found.say(QUESTION, "composition", text)
    elif _OTHERWISE.search(hedged):
        found.say(QUESTION, "composition", f"{text}. By which theorem do they compose?")
    elif abs(value - whole.value) <= slack and slack < min(each.value for each in parts) / 20:
        found.say(QUESTION, "composition", f"{text}. Is it the rounding of the printed numbers?")
    elif name == "ε" and found.variant not in {"pure", ""} and value > whole.value:
        found.say(QUESTION, "composition", f"{text}. By which theorem do they compose?")
    else:
        found.say(CONTRADICTION, "composition", text)


def _calculations(found: Audited) -> None:
    for text in (found.told, found.composition):
        for written, value, said in mentions.sums(plain(text)):
            if abs(value - said.value) > said.half_unit:
                right = exact_text(value)
                found.say(
                    CONTRADICTION, "composition", f"{written.strip()}: the left side is {right}"
                )


def _time(found: Audited) -> None:
    """Compare what is spent each day with what is spent in all days."""
    described = found.entry.text(
        "release_type_details", "release_type_description", "is_many_release_description"
    )
    text = plain("\n".join([found.told, found.composition, described]))
    stated = mentions.mentions(text)
    for each in stated:
        after, before = _EACH.search(each.after), _EACH_BEFORE.search(each.before)
        every = (after or before)[1].lower() if after or before else None  # type: ignore[index]
        if every is None and _ONE_OF_THEM.search(each.after):
            every = next((one[2].lower() for one in _COUNT.finditer(each.before)), None)
        counts = [
            int(one[1].replace(",", "")) for one in _COUNT.finditer(text) if one[2].lower() == every
        ]
        if every is None or len(set(counts)) != 1:
            continue
        totals = [one for one in stated if one.name == each.name and _TOTAL.search(one.before)]
        whole = totals[0] if totals and totals[0] != each else found.total.get(each.name)
        product = counts[0] * each.value
        if whole is None or whole.value == product or every in "\n".join(found.unit).lower():
            continue
        line = (
            f"{each.name} = {_shown(each)} for each {every} and {counts[0]} {every}s make "
            f"{exact_text(product)}; the total is {_shown(whole)}"
        )
        sure = (
            each.name == "ρ" or found.variant == "pure" or whole.value > product
        ) and not _OTHERWISE.search(text)
        found.say(CONTRADICTION if sure else QUESTION, "composition", line)
    kind = found.entry.text("release_type", "is_many_release").strip().lower()
    repeated = _REPEATED.search(plain(described))
    if kind in {"one release", "false", "no"} and repeated:
        text = f"the release type is one release, and its description says {repeated[0].lower()!r}"
        found.say(CONTRADICTION, "composition", text)
    many = kind in {"many releases", "true", "yes"} or repeated
    if many and not _SCOPE.search("\n".join(found.unit)) and (found.sets or found.told):
        question = (
            "releases are repeated: do the parameters cover all those about a person, or one?"
        )
        found.say(QUESTION, "composition", question)


def _unit(found: Audited) -> None:
    name, described = found.unit
    if not name:
        found.say(
            QUESTION,
            "unit of privacy",
            "whose data, and how much of it, may change: a person's, a device's, one day's?",
        )
    shorter = _IN_TIME.search(described) or _IN_TIME.search(plain(found.told))
    if name and shorter and not _SCOPE.search(name):
        text = (
            f"the unit is {' '.join(name.split())[:60]!r}, and its description says {shorter[0]!r}"
        )
        found.say(CONTRADICTION, "unit of privacy", text)
    stated = found.relations
    if not stated:
        question = "which data sets are neighbours: is a record added or removed, or replaced?"
        found.say(QUESTION, "neighbours", question)
    sole = {place: next(iter(names)) for place, names in stated.items() if len(names) == 1}
    if len(set(sole.values())) > 1:
        text = "; ".join(f"{place} says {relation}" for place, relation in sole.items())
        found.say(CONTRADICTION, "neighbours", text)
    elif len(set().union(*stated.values())) > 1:
        found.say(
            QUESTION,
            "neighbours",
            "both adding or removing a record and replacing one are named: which is meant?",
        )


def _mechanism(found: Audited) -> None:
    text = found.entry.text("mechanisms", "mechanism").lower()
    drawn = {
        name
        for name in ("gaussian", "laplace", "geometric", "exponential", "randomized", "sketch")
        if name in text
    }
    if (
        found.variant == "pure"
        and "gaussian" in drawn
        and not re.search(r"(instead of|over|not) (the )?(discrete )?gaussian", text)
    ):
        line = "it is called pure DP, and its noise is Gaussian: that has δ > 0 at every ε"
        found.say(CONTRADICTION if drawn == {"gaussian"} else QUESTION, "mechanism", line)


def _formal(found: Audited) -> None:
    """State what can be stated as claims, and prove or refute it."""
    seen: list[tuple[Mention, Mention, Mention]] = []
    texts = [
        each for text in (found.told, found.composition) for each in mentions.sentences(plain(text))
    ]
    groups = [list(each.values.values()) for each in found.sets] + [
        mentions.mentions(text) for text in texts
    ]
    for group in groups:
        named = {name: [each for each in group if each.name == name] for name in "ρεδ"}
        if [len(named[name]) for name in "εδ"] != [1, 1] or len(named["ρ"]) > 1:
            if len(named["ρ"]) == len(named["ε"]) == 1 and not named["δ"]:
                at = f"ρ = {_shown(named['ρ'][0])} and ε = {_shown(named['ε'][0])}"
                found.say(QUESTION, "ε and δ", f"{at} are stated together: at which δ?")
            continue
        rho = (
            named["ρ"][0]
            if named["ρ"]
            else found.total.get("ρ")
            if group and found.variant == "zcdp"
            else None
        )
        if rho is not None:
            three = (rho, named["ε"][0], named["δ"][0])
            if [each.value for each in three] not in [[each.value for each in one] for one in seen]:
                seen.append(three)
    for rho, epsilon, delta in seen:
        if rho.value > 0 and epsilon.value >= 0 and 0 < delta.value < 1:
            _conversion(found, rho, epsilon, delta)


def _conversion(found: Audited, rho: Mention, epsilon: Mention, delta: Mention) -> None:
    def content(least: Fraction) -> dict[str, Any]:
        said = {"epsilon": str(least), "delta": str(delta.value)}
        given = {"kind": "zcdp", "rho": str(rho.value)}
        return {
            "id": f"conversion-{len(found.contents) + 1}",
            "asserts": {"kind": "conversion", "given": given, **said},
        }

    verdict = _judged(found, content(epsilon.value))
    if verdict is None:
        return
    text = f"ρ = {_shown(rho)} is said to give ε = {_shown(epsilon)} at δ = {_shown(delta)}"
    if verdict.verdict is Verdict.VIOLATED:
        rounded = claims.audit(content(epsilon.value + epsilon.half_unit))
        if rounded.verdict is Verdict.VIOLATED:
            found.say(CONTRADICTION, "ε and δ", f"{text}: {in_words(verdict)}")
        else:
            found.say(QUESTION, "ε and δ", f"{text}: {in_words(verdict)}. Is it the rounding of ε?")
    elif verdict.verdict is Verdict.UNDECIDED:
        found.say(QUESTION, "ε and δ", f"{text}: {in_words(verdict)}. By which conversion?")
    elif _simple(rho.value, delta.value) < float(epsilon.value - epsilon.half_unit):
        text += f", more than the simplest conversion gives, {_simple(rho.value, delta.value):.4g}"
        found.say(QUESTION, "ε and δ", f"{text}. Which ρ is it about?")


def _simple(rho: Fraction, delta: Fraction) -> float:
    """Return ρ + 2√(ρ ln(1/δ)), upwards by far more than its error."""
    logarithm = math.log(delta.denominator) - math.log(delta.numerator)
    return (float(rho) + 2 * math.sqrt(float(rho) * logarithm)) * (1 + 1e-9)


def _parts(found: Audited, parts: Sequence[Mention], whole: Mention) -> None:
    """State that Gaussian parts with these ρ have the total ρ."""
    if min(each.value for each in (whole, *parts)) <= 0:
        return
    stated = {relation for names in found.relations.values() for relation in names}
    relation = stated.pop() if len(stated) == 1 else "add-remove"
    releases = [
        {"kind": "zcdp", "rho": str(each.value), "sensitivity": 1, "neighbours": relation}
        for each in parts
    ]
    _judged(
        found,
        {
            "id": f"parts-{len(found.contents) + 1}",
            "mechanism": {"kind": "composition", "records": "same", "releases": releases},
            "asserts": {"kind": "zcdp", "rho": str(whole.value), "neighbours": relation},
        },
    )


def _judged(found: Audited, content: dict[str, Any]) -> claims.AuditVerdict | None:
    content = {**content, "source": f"{found.entry.title} ({found.entry.name})"[:2000]}
    try:
        verdict = claims.audit(content)
    except ValueError:  # out of what claims may say, such as a ρ of 2^2000
        return None
    found.contents.append(content)
    found.verdicts.append(verdict)
    return verdict


def _shown(mention: Mention) -> str:
    written = " ".join(mention.written.split())
    return written if len(written) <= 30 else arguments.show(mention.value)
