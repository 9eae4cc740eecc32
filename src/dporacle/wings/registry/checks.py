"""What a description of a deployment says of its privacy, and whether all of it can be true.

A contradiction is between two numbers that were parsed: each is all that stands under a key of its
own, is a side of an equation that stands alone, or belongs to a definition (δ = 0 to pure DP).
Whatever is found by a search of prose may mean something else than what it looks like. It asks a
question, or turns a contradiction into one; it never makes one. `Audited.accuse` sees to that.
"""

import difflib
import math
import re
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from typing import Any

from dporacle import arguments, claims
from dporacle.claims.judge import in_words
from dporacle.claims.wording import exact_text
from dporacle.verdicts import Verdict
from dporacle.wings.registry import mentions
from dporacle.wings.registry.mentions import Mention, number, plain
from dporacle.wings.registry.reading import METRICS, READ, UNREAD, Entry, text_of

CONTRADICTION, QUESTION = "CONTRADICTION", "QUESTION"

_KEYS = {"epsilon": "ε", "eps": "ε", "ε": "ε", "delta": "δ", "δ": "δ", "rho": "ρ", "ρ": "ρ"}
_RANGES = {"ε": (0, None), "ρ": (0, None), "δ": (0, 1)}
_TOTAL = re.compile(r"(?<![a-z])(total|global|overall|altogether|sum)(?![a-z])", re.IGNORECASE)
_TOTAL_WORDS = {"total", "global", "overall", "altogether"}
_OF_WORDS = {"the", "grand", "epsilon", "eps", "ε", "rho", "ρ", "privacy", "budget", "loss", "cost"}
_SPLIT = re.compile(r"\b(split|divided|sum of|consists? of|allocated|composed of)\b", re.IGNORECASE)
# The first sentence about composition, where it says that parts add up and nothing else.
_ADDS = re.compile(
    r"\W*(?:(?:the )?(?:basic|simple|sequential|additive|linear|standard)(?: sequential)?"
    r" composition(?: theorem)?(?: (?:is used|applies|of zcdp|of pure dp))?"
    r"|(?:under |by )?zcdp(?:,? (?:which|it))? (?:adds|sums) up[^.;]*"
    r"|(?:the |all )?(?:ρ|ε|budgets|parts|privacy losses)(?: of [^.;]*)? (?:adds?|sums?) up[^.;]*"
    r"|(?:adaptive |sequential )?composition (?:under|of) zcdp)\W*",
    re.IGNORECASE,
)
# Where one of these is said, parts need not add up to their total.
_OTHERWISE = re.compile(
    r"amplif|subsampl|sampling rate|random sample|shuffl|disjoint|parallel|partition|separate"
    r"|distinct|different (?:people|persons|users|records|households|groups)|\beither\b"
    r"|exclusive|respectively|overlap|only one of|in one of|maxim|\bmax\b|largest|worst|at most"
    r"|up to|bound on|upper bound|advanced|moments|r[ée]nyi|\brdp\b|tight|optimal|numerical"
    r"|accountant|\bpld\b|incorrect|erroneous|mistake|wrong|round|approximat|\bshare|\bboth\b"
    r"|quadrature|squared?\b|\broots?\b|\bmod(?:ulo)?\b|\bxor\b"
    r"|\beach (?:user|person|household|record)\b",
    re.IGNORECASE,
)
# A set of parameters with one of these in its label is no part beside others.
_NO_PART = re.compile(
    r"(?<![a-z])(?:per|each|every|dai\w+|week\w*|month\w*|quarter\w*|year\w*|annual\w*|hour\w*|day"
    r"|local|central|shuffl\w*|min\w*|max\w*|low\w*|high\w*|upper|worst|best|average|mean of|bound"
    r"|initial|old|new|previous|before|after|effective|nominal|theoretical|empirical|audited|target"
    r"|alternative|remaining|left|query|user|version|v\d+|lifetime|reported|corrected|value|unit"
    r"|n|k|steps?|rates?|rounds?|number|orders?|alpha|sigma|scale|noise|sensitivity|seed|weights?"
    r"|share|percent\w*|fraction|exponent|base|degree|multiplier|size|batch\w*|epochs?|iterations?"
    r"|clip\w*|confidence|levels?|days|time\w*|greedy|correlation)(?![a-z])",
    re.IGNORECASE,
)
# Where one of these is said of the parameters, a ρ and an ε may not be of the same thing.
_APART = re.compile(
    r"\b(?:per|each|every|one|single|before|after|local|central|whereas|while|only|budget|limit|cap"
    r"|person|user|query|old|new|earlier|other|another|instead)\b",
    re.IGNORECASE,
)
_OTHER_DELTA = re.compile(
    r"δ[^.;\n]{0,120}\b(?:only|accuracy|fail\w*|threshold\w*|error|confidence|instead|not)\b"
    r"|\b(?:only|accuracy|fail\w*|threshold\w*|error|confidence|instead|not)\b[^.;\n]{0,120}δ",
    re.IGNORECASE,
)
_MOST_PARTS = 12  # more have too many sums of some of them
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
_NEIGHBOURS = re.compile(r"neighbo(?!u?rhood)|adjacen|differ (?:by|in|only)", re.IGNORECASE)
_REPEATED = re.compile(
    r"\b(daily|weekly|monthly|quarterly|yearly|annual(?:ly)?|hourly|ongoing|continual(?:ly)?|rolling"
    r"|every (?:hour|day|week|month|quarter|year))\b",
    re.IGNORECASE,
)
_ONCE = re.compile(r"\bonce\b(?! (?:a|per|every|each)\b)|one[- ]time|single release", re.IGNORECASE)
_IN_TIME = re.compile(
    r"\b(?:in|for|on|during|of|over) (?:a|one|any|each|every) (?:single |given |particular )?"
    r"(day|week|month|year)\b"
    r"|\b(daily) \w+ activity",
    re.IGNORECASE,
)
_SCOPE = re.compile(r"hour|day|daily|week|month|quarter|year|event|record|release", re.IGNORECASE)
_DENIED = re.compile(
    r"\b(?:but not|not by|not|without|rather than|instead of|neither|never) [^.,;)\n]*",
    re.IGNORECASE,
)
_RELATIONS = {
    "replace-one": r"(?<!un)bounded (?:neighbo|dp|diff|adjac)|chang(?:e|es|ed|ing)[- ]one\b"
    r"|chang(?:e|es|ed|ing)(?: \([^)]{0,80}\))? (?:of |in |to )?(?:exactly |at most )?"
    r"(?:a|an|any|the|one)\b"
    r"|\breplac(?:e|es|ed|ing)\b|replacement of (?:a|an|one|any)\b|substitut|\bswap"
    r"|modif(?:y|ied|ies|ying|ication)|replace[-_ ]one|hamming",
    "add-remove": r"\badd(?:ing|ed|ition)?(?:(?:,? or |/| and )(?:of |the )?| ?\()remov|unbounded"
    r"|remov(?:al|e|ed|ing)(?:(?:,? or |/| and )(?:of |the )?)add|add[-_ ]remove"
    r"|symmetric distance|insert(?:ion|ing)?(?: or |/)delet|presence or absence|insert[- ]delete",
    "zero-out": r"zero(?:ed|ing)?[-_ ]out|replac(?:ed|ing) (?:by|with) (?:a )?(?:null|zero|dummy)",
}
_PROSE = (  # where else words of the guarantee stand
    ("model_name_details", "model_name_description"),
    ("data_domain",),
    ("release_type_details", "release_type_description", "is_many_release_description"),
    ("mechanisms", "mechanism"),
)
_LABELS = ("name", "label", "title")
_TOLD = {"details", "description", "notes", "note", "source", "comment", "unit", "justification"}
_ONE_RELEASE = {"one release", "one-shot", "false", "no"}
_MANY_RELEASES = {"many releases", "many-shot", "true", "yes"}
_PURE = re.compile(
    r"pure(?: (?:ε[- ])?(?:local )?(?:dp|differential privacy))?(?: \(ε-dp\))?"
    r"|\(?ε\)?[- ](?:local )?(?:dp|differential privacy)"
)
_GAUSSIAN = re.compile(
    r"gaussian(?: |-)(?:noise|mechanism)|^(?:discrete )?gaussian\W*$", re.I | re.M
)
# Noise that is not Gaussian alone, or not as it was drawn.
_NOT_GAUSSIAN = re.compile(
    r"laplac|geometric|exponential|gumbel|noisy[- ]max|randomi[sz]ed response|sketch|staircase"
    r"|skellam|binomial|permute|sparse vector|svt|threshold|histogram of|bounded|truncat"
    r"|clipped noise|rectif|subsampl|sampled gaussian|amplif|dp-?sgd|\bnot\b|instead|rather"
    r"|over the|propose|test|select|smooth|\bor\b",
    re.IGNORECASE,
)
_BOUNDED = re.compile("(?<!un)bounded|truncat|rectif", re.IGNORECASE)
_FIGURATIVE = re.compile(
    r"gaussian (?:kernel|process|mixture|copula|blur|random field|prior|model|data|approximation)",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Finding:
    """What is wrong, or not said.

    Attributes:
        kind: CONTRADICTION, for numbers that cannot all be true as printed; or QUESTION, for the
            deployer.
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

    @property
    def is_total(self) -> bool:
        """Whether it is called the total and nothing else: a sum or a global mean is a query."""
        words = set(re.split(r"[\W_]+", self.label.lower())) - {""}
        return bool(words & _TOTAL_WORDS) and words <= _TOTAL_WORDS | _OF_WORDS

    def in_prose(self) -> "Said":
        """Return it as if it had been found in prose: it accuses nobody."""
        return Said(
            self.label, {name: replace(each, parsed=False) for name, each in self.values.items()}
        )


@dataclass
class Audited:
    """An entry, what is wrong with it, and what of it was proved.

    Attributes:
        entry: the description.
        findings: what is wrong, or not said.
        verdicts: of the claims that can be stated formally. One that is violated is kept only with
            a contradiction: what prose seems to claim may not be what it claims.
        contents: those claims, as `dporacle audit` reads them.
        unclear: the parameters of which something is stated that is no number.
    """

    entry: Entry
    findings: list[Finding] = field(default_factory=list)
    verdicts: list[claims.AuditVerdict] = field(default_factory=list)
    contents: list[dict[str, Any]] = field(default_factory=list)
    unclear: set[str] = field(default_factory=set)
    _said: set[Finding] = field(default_factory=set)

    def ask(self, topic: str, text: str) -> None:
        """Add a question, once."""
        self._say(Finding(QUESTION, topic, text))

    def accuse(self, topic: str, text: str, numbers: Sequence[Mention]) -> bool:
        """Add a contradiction between two or more numbers, if all were parsed; else a question.

        Returns whether it is a contradiction.
        """
        if len(numbers) < 2 or not all(each.parsed for each in numbers):
            self.ask(topic, f"{text}. How is it meant?")
            return False
        self._say(Finding(CONTRADICTION, topic, text))
        return True

    def _say(self, finding: Finding) -> None:
        if finding not in self._said:
            self._said.add(finding)
            self.findings.append(finding)

    @property
    def contradictions(self) -> list[Finding]:
        """What cannot all be true as it is printed."""
        return [each for each in self.findings if each.kind == CONTRADICTION]

    @cached_property
    def called(self) -> str:
        """What kind of differential privacy is said to be promised, as written."""
        stated = self.entry.find("dp_variant", "dp_flavor", "variant_name", "privacy_definition")
        if isinstance(stated, dict):
            stated = stated.get("variant_name") or stated.get("name") or ""
        return text_of(stated).strip()

    @cached_property
    def variant(self) -> str:
        """That kind: "pure", "approximate", "zcdp", "other" or ""."""
        text = " ".join(plain(self.called).lower().split())
        if _PURE.fullmatch(text):
            return "pure"
        kinds = {"zcdp": r"concentrated|cdp", "approximate": r"approx|\(?ε ?, ?δ\)?|ε-δ"}
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
    def prose(self) -> str:
        """All that is said of the guarantee in words."""
        unit = "\n".join(self.unit)
        return "\n".join([plain(f"{self.told}\n{self.composition}"), unit, self._elsewhere])

    @cached_property
    def otherwise(self) -> bool:
        """Whether anything is said for which parts need not add up to their total."""
        return bool(_OTHERWISE.search(self.prose))

    @cached_property
    def _elsewhere(self) -> str:
        return plain("\n".join(self.entry.text(*names) for names in _PROSE))

    @cached_property
    def relations(self) -> dict[str, set[str]]:
        """Where a neighbouring relation is stated -> which."""
        places = {name: plain(self.entry.text(name)) for name in METRICS}
        places["privacy_unit"] = "\n".join(self.unit)
        told = mentions.sentences(
            plain(f"{self.told}\n{self.composition}") + f"\n{self._elsewhere}"
        )
        places["the description"] = "\n".join(filter(_NEIGHBOURS.search, told))
        found = {}
        for place, text in places.items():
            meant = _DENIED.sub(" ", text)
            found[place] = {
                name for name, shape in _RELATIONS.items() if re.search(shape, meant, re.IGNORECASE)
            }
        return {place: names for place, names in found.items() if names}

    @cached_property
    def sets(self) -> list[Said]:
        """Every set of parameters that stands under keys of its own."""
        return list(self._sets("", self._parameters))

    @cached_property
    def _parameters(self) -> Any:
        """What stands under privacy_parameters; older shapes have the parameters without it."""
        if stated := self.entry.find("privacy_parameters"):
            return stated
        loss = self.entry.find("privacy_loss")
        for place in (loss, self.entry.content.get("deployment"), self.entry.content):
            if isinstance(place, dict) and (own := {k: v for k, v in place.items() if _is_own(k)}):
                return own
        return ""

    def _sets(self, label: str, value: Any) -> Iterator[Said]:
        if isinstance(value, str):
            if values := {each.name: each for each in mentions.mentions(plain(text_of(value)))}:
                yield Said(label, values)
            elif label and re.search(r"\d", text_of(value)):
                self._unread(label, value)
            return
        if isinstance(value, list):
            for place, each in enumerate(value, 1):
                yield from self._sets(f"{label} {place}".strip(), each)
            return
        own: dict[str, Mention] = {}
        in_parts = any(_TOTAL.search(str(key)) for key in value)
        for key, each in value.items():
            word = str(key).lower().strip()
            if word in _LABELS:
                continue
            name = _KEYS.get(word)
            parts = re.split(r"[_ -]+", word)
            apart = next((_KEYS[part] for part in parts if part in _KEYS), None)
            if name is None and apart and parts[-1] in _TOLD:
                yield from self._sets("", each)
            elif name is None and apart:
                for said in self._numbers(apart, word, each):
                    # delta_days is no δ; beside a total, epsilon_homes is the ε of homes
                    yield said if in_parts and apart != "δ" else said.in_prose()
            elif name is None:
                yield from self._sets(str(key), each)
            elif isinstance(each, str):
                if text_of(each) and (stated := self._stated(name, each)):
                    own[name] = stated
            else:
                yield from self._numbers(name, label, each)
        if own:
            named = next((value[key] for key in _LABELS if isinstance(value.get(key), str)), label)
            yield Said(str(named), own)

    def _numbers(self, name: str, label: str, value: Any) -> Iterator[Said]:
        """Yield the numbers of one parameter, alone, in a list or below the names of parts."""
        if isinstance(value, str):
            if text_of(value) and (stated := self._stated(name, value)):
                yield Said(label, {name: stated})
        elif isinstance(value, dict) and any(map(_is_own, value)):
            yield from self._sets(label, value)
        else:
            below = enumerate(value, 1) if isinstance(value, list) else value.items()
            for part, each in below:
                for said in self._numbers(name, f"{label} {part}".strip(), each):
                    # below delta may stand a base and its exponent; parts of ε and ρ are positive
                    sure = name != "δ" and said.values[name].value >= 0
                    yield said if sure else said.in_prose()

    def _stated(self, name: str, text: str) -> Mention | None:
        """Return the number under a key; what is more than a number, or less, asks a question."""
        written = plain(text).strip()
        for sign, parsed in (("[=:]", True), ("(?:<=|>=|[=:≤<≈~])", False)):
            alone = re.sub(rf"^(?:{name} ?{sign}|{'' if parsed else sign}) ?", "", written)
            value = number(alone)
            if value is None and name == "δ":  # 10-5, as copied out of a PDF, may be 10^-5
                value, parsed = number(alone, power=True), False
            if value is not None:
                return Mention(name, value, text.strip(), parsed=parsed)
        same = [each for each in mentions.mentions(written) if each.name == name]
        if len(same) == 1:
            return same[0]
        self.unclear.add(name)
        shown = " ".join(text.split())[:60]
        self.ask("ε and δ", f"{name} is {shown!r}: which one number holds for everybody?")
        return None

    def _unread(self, label: str, value: str) -> None:
        shown = " ".join(value.split())[:60]
        self.ask(
            "ε and δ",
            f"{label[:60]!r} beside the parameters is {shown!r}, which no check reads: what is it?",
        )

    @cached_property
    def total(self) -> dict[str, Mention]:
        """The parameters of the whole deployment: those called so, else those without a label."""
        labelled = [each for each in self.sets if _TOTAL.search(each.label)]
        bare = [each for each in self.sets if not each.label]
        if not labelled and not bare and len(self.sets) == 1:
            bare = self.sets
        found: dict[str, Mention] = {}
        for each in (*labelled, *bare):
            for name, value in each.values.items():
                if found.setdefault(name, value).value != value.value:
                    two = f"{_shown(found[name])} and {_shown(value)}"
                    text = f"{name} is {two} under privacy_parameters: which is the total?"
                    self.ask("ε and δ", text)
        return found


def _is_own(key: object) -> bool:
    """Whether a key is that of a parameter."""
    return str(key).lower().strip() in _KEYS


def audit(entry: Entry) -> Audited:
    """Check an entry, and prove or refute what of it can be stated formally."""
    found = Audited(entry)
    checks = (_keys, _ranges, _variant, _totals, _calculations, _time, _unit, _mechanism, _formal)
    for check in checks:
        check(found)
    found.findings.sort(key=lambda each: each.kind != CONTRADICTION)
    return found


def _keys(found: Audited) -> None:
    """Ask what is meant by what stands in an entry, and no check reads."""
    for unknown in found.entry.unknown:
        near = difflib.get_close_matches(unknown.lower(), sorted(READ | UNREAD), 1, 0.8)
        meant = f": is it {near[0]!r}?" if near else ": what is it?"
        found.ask("ε and δ", f"no check reads the key {unknown[:60]!r}{meant}")
    for one, other in found.entry.repeated:
        text = f"{one!r} is read, and {other!r}, which stands elsewhere, is not: which holds?"
        found.ask("ε and δ", text)
    for name, written in found.entry.outside(found._parameters, _KEYS):
        text = f"{name} = {written[:60]!r} stands apart from the parameters and is not read: why?"
        found.ask("ε and δ", text)


def _ranges(found: Audited) -> None:
    stated = [(each, "privacy_parameters") for one in found.sets for each in one.values.values()]
    stated += [(each, "the description") for each in mentions.mentions(plain(found.told))]
    for each, where in stated:
        low, high = _RANGES[each.name]
        bound = low if each.value < low else high
        if each.value < low or (high is not None and each.value >= high):
            domain = "[0, 1)" if high else "[0, ∞)"
            text = f"{each.name} = {_shown(each)} in {where}: {each.name} lies in {domain}"
            found.accuse("ε and δ", text, [each, _defined(each.name, Fraction(bound or 0))])
        elif each.value == 0 and each.name != "δ":
            found.ask(
                "ε and δ", f"{each.name} = 0 says that nothing is learnt: is a number missing?"
            )


def _defined(name: str, value: Fraction) -> Mention:
    """Return the number that a definition has."""
    return Mention(name, value, str(value), parsed=True)


def _variant(found: Audited) -> None:
    names = {name for each in found.sets for name in each.values}
    said = mentions.mentions(plain(found.told))
    deltas = [each.values["δ"] for each in found.sets if "δ" in each.values]
    deltas += [each for each in said if each.name == "δ"]
    positive = next((each for each in deltas if each.value > 0), None)
    if found.variant == "pure" and positive is not None:
        text = f"it is called pure DP, and δ is {_shown(positive)}: pure DP has δ = 0"
        if _OTHER_DELTA.search(plain(found.told)):
            positive = replace(positive, parsed=False)
        found.accuse("ε and δ", text, [positive, _defined("δ", Fraction(0))])
    if found.variant == "pure" and "ρ" in names and "ε" not in names:
        text = "it is called pure DP, and its parameter is a ρ of zero-concentrated DP: what is ε?"
        found.ask("ε and δ", text)
    if not found.variant:
        text = (
            "which kind of differential privacy is promised: pure, approximate, zero-concentrated?"
        )
        found.ask("ε and δ", text)
    elif found.variant == "other":
        kind = found.called[:60]
        found.ask("ε and δ", f"no check reads the kind {kind!r}: what does it promise?")
    if not names and not said and not found.unclear:
        found.ask("ε and δ", "what are ε and δ, or ρ?")
    elif found.variant == "approximate" and positive is None and "ρ" not in names:
        if "δ" not in found.unclear:
            found.ask("ε and δ", "it is called approximate DP: what is its δ?")
    elif found.variant == "zcdp" and "ρ" not in names | {each.name for each in said}:
        found.ask("ε and δ", "it is called zero-concentrated DP: what is its ρ?")
    if "δ" in names and not names & {"ε", "ρ"}:
        found.ask("ε and δ", "a δ is stated without an ε: what is ε?")


def _totals(found: Audited) -> None:
    """Compare parts with totals: those with keys of their own, in lists, and in sentences."""
    parts = [each for each in found.sets if each.label and not _TOTAL.search(each.label)]
    alike = not any(_NO_PART.search(each.label) for each in parts)
    named = [each for each in found.sets if each.is_total]
    for name in "ρεδ":
        own = [each.values[name] for each in parts if name in each.values]
        whole = found.total.get(name)
        if len(own) > 1 and whole is not None:
            total = any(each.values.get(name) is whole for each in named)
            _compare(found, own, whole, alike=alike and total)
        _in_words(found, name, whole)


def _in_words(found: Audited, name: str, whole: Mention | None) -> None:
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
            _compare(found, used, stated)
            if above and whole is not None and stated.value != whole.value:
                _compare(found, used, whole)
    for sentence in mentions.sentences(plain(found.told)):
        own = [each for each in mentions.mentions(sentence) if each.name == name]
        stated = whole or (own[0] if own else None)
        used = [each for each in own if stated is None or each.value != stated.value]
        if stated is not None and whole is None:
            used = own[1:]
        split = _SPLIT.search(sentence) and (name == "ρ" or "ρ" not in sentence)
        if split and len(used) > 1 and stated is not None:
            _compare(found, used, stated)
    _repeated(found, name, whole, [each for place, each in enumerate(given) if place not in summed])


def _repeated(found: Audited, name: str, whole: Mention | None, given: list[list[Mention]]) -> None:
    """Compare the total in words with the one that has a key of its own."""
    every = [each for row in given for each in row if not _is_each(each)]
    totals = [each for each in every if _TOTAL.search(each.before)]
    alone = every if len({each.value for each in every}) == 1 else []
    for each in totals or alone:
        if whole is not None and each.value != whole.value:
            pair = f"{name} = {_shown(whole)}, its description {_shown(each)}"
            found.accuse("ε and δ", f"privacy_parameters has {pair}", [whole, each])


def _children(rows: Sequence[mentions.ListLine], parent: int, depth: int) -> Iterator[int]:
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
    found: Audited, parts: Sequence[Mention], whole: Mention, *, alike: bool = False
) -> None:
    """Compare the sum of parts with their total.

    Parts below their total leave room for others that are not listed. Parts above it contradict it
    only if they compose by addition, and the description says that they do; and only if the total
    is not the sum of some of them, for a record need not be in all.
    """
    value = sum((each.value for each in parts), Fraction(0))
    name = whole.name
    written = " + ".join(map(_shown, parts))
    text = (
        f"the parts {written} add up to {name} = {exact_text(value)}; the total is {_shown(whole)}"
    )
    slack = sum((each.rounding for each in (whole, *parts)), Fraction(0))
    otherwise = found.otherwise
    if value <= whole.value:
        if name == "ρ" and not otherwise:
            _parts(found, parts, whole)
        if value < whole.value:
            found.ask("composition", f"{text}. What is the rest spent on?")
    elif value - whole.value <= slack:
        found.ask("composition", f"{text}. Is it the rounding of the printed numbers?")
    elif _some_add_up(parts, whole):
        text += "; some of the parts are enough only if no record is in all. Is it so?"
        found.ask("composition", text)
    elif (
        otherwise
        or not alike
        or not 1 < len(parts) <= _MOST_PARTS
        or not _ADDS.fullmatch(next(iter(mentions.sentences(plain(found.composition))), "")[:300])
        or not (name == "ρ" or (name == "ε" and found.variant == "pure"))
    ):
        found.ask("composition", f"{text}. By which theorem do they compose?")
    elif found.accuse("composition", text, [*parts, whole]) and name == "ρ":
        _parts(found, parts, whole)


def _some_add_up(parts: Sequence[Mention], whole: Mention) -> bool:
    """Whether the total is the sum of some of the parts, those of one record, as far as printed."""
    sums = {(Fraction(0), whole.rounding)}
    for each in parts[:_MOST_PARTS]:
        sums |= {(value + each.value, slack + each.rounding) for value, slack in sums}
    most = max(each.value for each in parts)
    return any(value >= most and abs(value - whole.value) <= slack for value, slack in sums)


def _calculations(found: Audited) -> None:
    for text in (found.told, found.composition):
        for each in mentions.sums(plain(text)):
            if abs(each.left.value - each.right.value) > each.slack:
                right = exact_text(each.left.value)
                line = f"{_cut(each.written)}: the left side is {right}"
                sides = [each.left, each.right]
                if found.otherwise:  # losses may add up in another way
                    sides = [replace(side, parsed=False) for side in sides]
                found.accuse("composition", line, sides)


def _time(found: Audited) -> None:
    """Compare what is spent each day with what is spent in all days."""
    described = found.entry.text(
        "release_type_details", "release_type_description", "is_many_release_description"
    )
    text = plain("\n".join([found.told, found.composition, described]))
    stated = mentions.mentions(text)
    totals: dict[str, Mention] = {}
    for each in stated:
        if _TOTAL.search(each.before):
            totals.setdefault(each.name, each)
    counts: dict[str, set[int]] = defaultdict(set)
    for one in _COUNT.finditer(text):
        counts[one[2].lower()].add(int(one[1].replace(",", "")))
    for each in stated:
        after, before = _EACH.search(each.after), _EACH_BEFORE.search(each.before)
        every = (after or before)[1].lower() if after or before else None  # type: ignore[index]
        if every is None and _ONE_OF_THEM.search(each.after):
            every = next((one[2].lower() for one in _COUNT.finditer(each.before)), None)
        if every is None or len(counts[every]) != 1:
            continue
        first = totals.get(each.name)
        whole = first if first not in (None, each) else found.total.get(each.name)
        (count,) = counts[every]
        product = count * each.value
        if whole is None or whole.value == product or every in "\n".join(found.unit).lower():
            continue
        line = (
            f"{each.name} = {_shown(each)} for each {every} and {count} {every}s make "
            f"{exact_text(product)}; the total is {_shown(whole)}"
        )
        found.ask("composition", f"{line}. How do they compose?")
    kind = found.entry.text("release_type", "is_many_release").strip().lower()
    once = _ONCE.search(plain(described))
    repeated = None if once else _REPEATED.search(plain(described))
    if kind and kind not in _ONE_RELEASE | _MANY_RELEASES:
        found.ask("composition", f"release_type is {kind[:60]!r}: is it one release, or many?")
    if kind in _ONE_RELEASE and repeated:
        text = f"the release type is one release, and its description says {repeated[0].lower()!r}"
        found.ask("composition", f"{text}: how often is what about a person released?")
    many = kind in _MANY_RELEASES or repeated
    if many and not _SCOPE.search("\n".join(found.unit)) and (found.sets or found.told):
        question = (
            "releases are repeated: do the parameters cover all those about a person, or one?"
        )
        found.ask("composition", question)


def _unit(found: Audited) -> None:
    name, described = found.unit
    if not name:
        question = "whose data, and how much of it, may change: a person's, a device's, one day's?"
        found.ask("unit of privacy", question)
    shorter = _IN_TIME.search(described) or _IN_TIME.search(plain(found.told))
    if name and shorter and not _SCOPE.search(name):
        text = (
            f"the unit is {' '.join(name.split())[:60]!r}, and its description says {shorter[0]!r}"
        )
        found.ask("unit of privacy", f"{text}: how much of a person's data is protected?")
    stated = found.relations
    for metric in METRICS:
        written = " ".join(found.entry.text(metric).split())
        if written and metric not in stated:
            question = f"{metric} is {written[:60]!r}: which data sets are neighbours?"
            found.ask("neighbours", question)
    if not stated:
        question = "which data sets are neighbours: is a record added or removed, or replaced?"
        found.ask("neighbours", question)
    sole = {place: next(iter(names)) for place, names in stated.items() if len(names) == 1}
    if len(set(sole.values())) > 1:
        text = "; ".join(f"{place} says {relation}" for place, relation in sole.items())
        found.ask("neighbours", f"{text}: which is meant?")
    elif len(named := sorted(set().union(*stated.values()))) > 1:
        found.ask("neighbours", f"{' and '.join(named)} are named: which is meant?")


def _mechanism(found: Audited) -> None:
    text = _FIGURATIVE.sub(" ", plain(found.entry.text("mechanisms", "mechanism")))
    if found.variant == "pure" and re.search(
        "gaussian", "" if _BOUNDED.search(text) else _DENIED.sub(" ", text), re.IGNORECASE
    ):
        line = (
            "it is called pure DP, and Gaussian noise is named, which has δ > 0 at every ε unless "
            "it is bounded: where is it used?"
        )
        found.ask("mechanism", line)


def _is_gaussian(found: Audited) -> bool:
    """Whether Gaussian noise is named, and nothing else that may be drawn or done."""
    text = plain(found.entry.text("mechanisms", "mechanism"))
    drawn = _GAUSSIAN.search(text) and not _FIGURATIVE.search(text)
    return bool(drawn) and not _NOT_GAUSSIAN.search(text)


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
                found.ask("ε and δ", f"{at} are stated together: at which δ?")
            continue
        rho = named["ρ"][0] if named["ρ"] else None
        if rho is None and found.variant == "zcdp" and "ρ" in found.total:
            rho = replace(found.total["ρ"], parsed=False)  # it stands elsewhere: is it this one's?
        if rho is not None:
            three = (rho, named["ε"][0], named["δ"][0])
            if [each.value for each in three] not in [[each.value for each in one] for one in seen]:
                seen.append(three)
    for rho, epsilon, delta in seen:
        if rho.value > 0 and epsilon.value >= 0 and 0 < delta.value < 1:
            _conversion(found, rho, epsilon, delta)


def _conversion(found: Audited, rho: Mention, epsilon: Mention, delta: Mention) -> None:
    def content(*, slack: int = 0) -> dict[str, Any]:
        most = {each.name: each.value + slack * each.half_unit for each in (epsilon, delta)}
        given = {"kind": "zcdp", "rho": str(rho.value - slack * rho.half_unit)}
        said = {"epsilon": str(most["ε"]), "delta": str(most["δ"])}
        return {
            "id": f"conversion-{len(found.contents) + 1}",
            "asserts": {"kind": "conversion", "given": given, **said},
        }

    verdict = _judged(found, content())
    if verdict is None:
        return
    text = f"ρ = {_shown(rho)} is said to give ε = {_shown(epsilon)} at δ = {_shown(delta)}"
    why = f"{text}: {in_words(verdict)}"
    if verdict.verdict is not Verdict.VIOLATED:
        _keep(found, verdict, content())
    if verdict.verdict is Verdict.VIOLATED:
        rounded = _judged(found, content(slack=1))
        if rounded is None or rounded.verdict is not Verdict.VIOLATED:
            found.ask("ε and δ", f"{why}. Is it the rounding of the printed numbers?")
        elif not _of_one_mechanism(found, [rho, epsilon, delta]):
            found.ask("ε and δ", f"{why}. Is the noise another, or are they not of one mechanism?")
        elif found.accuse("ε and δ", why, [rho, epsilon, delta]):
            _keep(found, verdict, content())
    elif verdict.verdict is Verdict.UNDECIDED:
        found.ask("ε and δ", f"{why}. By which conversion?")
    elif _simple(rho.value, delta.value) < float(epsilon.value - epsilon.half_unit):
        text += f", more than the simplest conversion gives, {_simple(rho.value, delta.value):.4g}"
        found.ask("ε and δ", f"{text}. Which ρ is it about?")


def _of_one_mechanism(found: Audited, numbers: Sequence[Mention]) -> bool:
    """Whether a ρ, an ε and a δ are those of Gaussian noise, as far as a description can say so."""
    told = plain(found.told)
    own = {each.name: each.value for each in numbers}
    return (
        found.variant == "zcdp"
        and _is_gaussian(found)
        and not found.otherwise
        and not _APART.search(told)
        and all(each.value == own[each.name] for each in mentions.mentions(told))
    )


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
    content = {
        "id": f"parts-{len(found.contents) + 1}",
        "mechanism": {"kind": "composition", "records": "same", "releases": releases},
        "asserts": {"kind": "zcdp", "rho": str(whole.value), "neighbours": relation},
    }
    if (verdict := _judged(found, content)) is not None:
        _keep(found, verdict, content)


def _judged(found: Audited, content: dict[str, Any]) -> claims.AuditVerdict | None:
    try:
        return claims.audit(_sourced(found, content))
    except ValueError:  # out of what claims may say, such as a ρ of 2^2000
        return None


def _keep(found: Audited, verdict: claims.AuditVerdict, content: dict[str, Any]) -> None:
    found.contents.append(_sourced(found, content))
    found.verdicts.append(verdict)


def _sourced(found: Audited, content: dict[str, Any]) -> dict[str, Any]:
    return {**content, "source": f"{found.entry.title} ({found.entry.name})"[:2000]}


def _cut(written: str) -> str:
    """Return what was written in one line; of a long text both ends."""
    text = " ".join(written.split())
    return text if len(text) <= 200 else f"{text[:100]} … {text[-60:]}"


def _shown(mention: Mention) -> str:
    written = " ".join(mention.written.split())
    return written if len(written) <= 30 else arguments.show(mention.value)
