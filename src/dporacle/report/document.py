"""The JSON document of a conformance run, as far as a report needs it.

Unknown fields are passed over, so that a page can be made from a later run's document. Nothing
in it is trusted: names and messages come from the judged libraries.
"""

import math
from collections import Counter
from collections.abc import Iterator

import msgspec

from dporacle import notebook
from dporacle.conformance.grade.findings import simplest, told
from dporacle.conformance.grade.functions import NOT_JUDGED, OF_NO_USE, State, let_pass, refusing
from dporacle.conformance.grade.grades import GRADES, Grade, grade_of
from dporacle.conformance.judge import outcomes
from dporacle.conformance.judge.excess import Looseness
from dporacle.conformance.judge.outcomes import Outcome
from dporacle.vectors.notes import everyday

MAX_BYTES = 128 << 20


class Class(msgspec.Struct, frozen=True):
    """How an outcome is shown: never by its colour alone."""

    name: str
    sign: str
    tone: str
    meaning: str


CLASSES = {
    each.name: each
    for each in (
        Class("violating", "✖", "bad", "proved to be on the unsafe side of the exact value"),
        Class("hang", "…", "bad", "no answer within the time limit"),
        Class("crash", "↯", "bad", "an unexpected error, a death or a broken protocol"),
        Class("non-finite", "∞", "bad", "NaN or infinity where the exact value is a number"),
        Class("accepts invalid", "⚠", "warn", "an answer to an input outside the domain"),
        Class("inconsistent", "≠", "warn", "fresh answers contradict those to the vectors"),
        Class("rounded", "↓", "warn", "on the unsafe side, by half a last place at most"),
        Class("refuses valid", "▽", "warn", "an error that says so, where an answer exists"),
        Class("conservative", "≥", "fair", "on the safe side, not tight"),
        Class("tight", "✔", "good", "on the safe side, within a few ulp"),
        Class("refuses invalid", "✔", "good", "an error for what is outside the domain"),
        Class("skipped", "–", "none", "the adapter passed"),
        Class("not asked", "–", "none", "left out after hangs or crashes"),
    )
}
"""Outcome -> how it is shown, worst first."""

GRADED = {
    grade: Class(str(grade), sign, tone, GRADES[grade])
    for grade, sign, tone in (
        (Grade.EVERYDAY, "✖", "bad"),
        (Grade.EXTREMES, "✖", "bad"),
        (Grade.FAILS, "↯", "warn"),
        (Grade.ROUNDS, "↓", "fair"),
        (Grade.NEAREST, "↓", "fair"),
        (Grade.UNKNOWN, "?", "none"),
        (Grade.LOOSE, "≥", "fair"),
        (Grade.TIGHT, "✔", "good"),
    )
}
"""Grade -> how it is shown."""

NONCONFORMANT = tuple(str(outcome) for outcome in Outcome if outcome in outcomes.NONCONFORMANT)
LENIENT = (State.KNOWN, State.ALLOWED)
"""The states of functions that fail no more than is known, or than the run's gate allows."""

_UNASKED = (Outcome.SKIPPED, Outcome.NOT_ASKED)


class Function(msgspec.Struct, frozen=True):
    """The judged function."""

    name: str
    quantity: str
    note: str = ""
    arguments: tuple[str, ...] = ()


class JudgedCase(msgspec.Struct, frozen=True, omit_defaults=True):
    """One judged answer; the fields are those of the conformance judge."""

    case: str
    arguments: dict[str, str]
    outcome: str
    answer: str | None = None
    truth: str | None = None
    excess: float | None = None
    ulp: float | None = None
    requested_delta: float | None = None
    true_delta: str | None = None
    promise: str = ""
    ratio: float | None = None
    level: str | None = None
    message: str = ""
    note: str = ""
    flags: tuple[str, ...] = ()
    seconds: float = 0.0

    @property
    def asked(self) -> bool:
        """Whether the library had the chance to answer."""
        return self.outcome not in _UNASKED

    @property
    def everyday(self) -> bool:
        """Whether people work with such inputs."""
        return everyday(self.flags)

    @property
    def size(self) -> float:
        """How bad: the relative error; where the truth is subnormal or 0, by its ulp."""
        return outcomes.size(self.excess, self.ulp)

    @property
    def error(self) -> str:
        """The error as ulp while it is one of rounding, else in percent."""
        if self.ulp is not None and abs(self.ulp) < 1000:
            return f"{abs(self.ulp):.2g} ulp" if abs(self.ulp) >= 0.01 else "< 0.01 ulp"
        if self.excess is None or not math.isfinite(self.excess):
            return "not in proportion"
        percent = abs(self.excess) * 100
        return (
            f"{percent:.3g} %" if percent < 1000 else f"{float(f'{abs(self.excess):.3g}'):g} times"
        )


class Coverage(msgspec.Struct, frozen=True):
    """What became of the inputs of one kind; the fields are those of the conformance judge."""

    kind: str
    answered: int = 0
    refused: int = 0
    skipped: int = 0
    unasked: int = 0

    @property
    def valid(self) -> int:
        """How many inputs there were that have an answer."""
        return self.answered + self.refused + self.skipped + self.unasked


class Standing(msgspec.Struct, frozen=True):
    """What is known of a function; the fields are those of the conformance judge."""

    state: str
    reasons: tuple[str, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    core: str | None = None
    extreme: str | None = None
    typical_extra: float | None = None
    let_pass: dict[str, int] = {}
    refused: float = 0.0
    grade: str = ""
    enough: bool = True


class Item(msgspec.Struct, frozen=True):
    """All that was judged of one function, and what it amounts to, where the document says it."""

    function: Function
    judged: list[JudgedCase] = msgspec.field(name="verdicts")
    standing: Standing | None = None
    looseness: Looseness | None = None

    @property
    def counts(self) -> dict[str, int]:
        """Outcome -> number of answers, worst first; classes unknown here stand at the end."""
        counted = Counter(each.outcome for each in self.judged)
        order = [*CLASSES, *sorted(set(counted) - set(CLASSES))]
        return {name: counted[name] for name in order if counted[name]}

    @property
    def asked(self) -> int:
        """How many cases were really asked."""
        return sum(n for name, n in self.counts.items() if name not in _UNASKED)

    @property
    def state(self) -> str:
        """What a run says about the function; nobody is conformant whose answers say otherwise."""
        fails = any(name in self.counts for name in NONCONFORMANT)
        if self.standing is None:
            state = State.CONFORMANT if self.asked else State.NOT_JUDGED
            return State.NOT_CONFORMANT if fails else state
        # An earlier version said so of what its gate let pass.
        passed = fails and self.standing.state == State.CONFORMANT
        return State.ALLOWED if passed else self.standing.state

    @property
    def grade(self) -> Grade:
        """What the function is; of a run by an earlier version, from its answers."""
        if self.standing is not None and self.standing.grade in GRADES:
            return Grade(self.standing.grade)
        loosest = self.worst("conservative")
        return grade_of(
            self.judged,
            enough=self.state != State.NOT_JUDGED,
            loosest=(loosest.excess if loosest else None) or 0.0,
        )

    @property
    def graded(self) -> Class:
        """How the grade is shown."""
        return GRADED[self.grade]

    @property
    def finding(self) -> str:
        """The answer that shows the grade, with the simplest input; nothing for a good one."""
        case = simplest(self.judged, self.grade)
        return told(case) if case else ""

    @property
    def conformant(self) -> bool:
        """Whether enough was asked, and nothing that came harms."""
        return self.state == State.CONFORMANT

    @property
    def lenient(self) -> bool:
        """Whether it fails, and no more than is known or allowed."""
        return self.state in LENIENT

    @property
    def refused(self) -> float:
        """The share of everyday inputs that were declined, where the document says it."""
        return self.standing.refused if self.standing else 0.0

    @property
    def refusing(self) -> str:
        """The same in words; nothing if it is next to none."""
        return refusing(self.refused)

    @property
    def shortcomings(self) -> set[str]:
        """What is to be known of the function as a whole: of no use, or not judged."""
        reasons = self.standing.reasons if self.standing else ()
        found = {OF_NO_USE} if any(words.startswith(OF_NO_USE) for words in reasons) else set()
        # Once its failures are known, a function of which too little was asked is not judged.
        silent = self.state == State.NOT_JUDGED or (self.standing and not self.standing.enough)
        return found | {NOT_JUDGED} if silent else found

    @property
    def let_pass(self) -> dict[str, int]:
        """Outcome -> how many answers are wrong and were let pass."""
        known = self.standing.let_pass if self.standing else {}
        return known or {name: n for name, n in self.counts.items() if name in NONCONFORMANT}

    @property
    def outcome(self) -> str:
        """The outcome that stands for a function: the worst that harms, else the most frequent."""
        counts = self.counts
        for name in NONCONFORMANT:
            if name in counts:
                return name
        usual = {name: counts[name] for name in ("conservative", "tight") if name in counts}
        return max(usual or counts or {"not asked": 0}, key=lambda name: counts.get(name, 0))

    @property
    def violations(self) -> list[JudgedCase]:
        """The answers on the unsafe side, the largest error first."""
        found = [each for each in self.judged if each.outcome == "violating"]
        return sorted(found, key=lambda each: -each.size)

    @property
    def beyond_rounding(self) -> int:
        """How many answers violate by more than the rounding of a last place.

        An error beyond all bounds, which JSON cannot hold, was written as nothing.
        """
        return sum(each.ulp is None or abs(each.ulp) > 1 for each in self.violations)

    def worst(self, of: str) -> JudgedCase | None:
        """Return the case of a class with the largest error.

        Extra noise is measured on the core inputs: at extremes nearly every answer has much.
        """
        found = [each for each in self.judged if each.outcome == of]
        if of == "conservative":
            found = [each for each in found if each.everyday and each.excess is not None]
        return max(found, key=lambda each: each.size) if found else None

    def telling(self, most: int = 3) -> Iterator[JudgedCase]:
        """Yield some cases of each class that harms or is loose, everyday inputs first."""
        for name in self.counts:
            if name in ("tight", "refuses invalid", *_UNASKED):
                continue
            found = [each for each in self.judged if each.outcome == name]
            found.sort(key=lambda each: each.size if each.excess is not None else 0, reverse=True)
            everyday = [each for each in found if each.everyday][:1]
            yield from (everyday + [each for each in found if each not in everyday])[:most]


class Target(msgspec.Struct, frozen=True):
    """One judged library."""

    target: str
    functions: list[Item]
    name: str | None = None
    version: str | None = None
    language: str | None = None
    failure: str | None = None
    seconds: float | None = None

    @property
    def called(self) -> str:
        """The library's name, else what was asked for."""
        return self.name or self.target

    @property
    def title(self) -> str:
        """The same with its version."""
        return f"{self.called} {self.version or ''}".strip()


class Fresh(msgspec.Struct, frozen=True):
    """What repeats a run's fresh inputs."""

    rounds: int
    seed: int


class Gate(msgspec.Struct, frozen=True):
    """What the run was to fail for, as far as it is needed."""

    max_extra: float | None = None


class Document(msgspec.Struct, frozen=True):
    """One conformance run."""

    format: str
    dporacle: str
    machine: dict[str, str]
    targets: list[Target]
    tight_ulp: float = 4
    fresh: Fresh | None = None
    gate: Gate = Gate()
    complete: bool = True
    expired: tuple[str, ...] = ()

    @property
    def items(self) -> list[Item]:
        """The judged functions of all libraries."""
        return [item for target in self.targets for item in target.functions]

    @property
    def states(self) -> dict[str, int]:
        """How many functions have which state."""
        return Counter(item.state for item in self.items)

    @property
    def grades(self) -> dict[Grade, int]:
        """How many functions have which grade, the worst first."""
        counted = Counter(item.grade for item in self.items)
        return {grade: counted[grade] for grade in GRADES if counted[grade]}

    @property
    def lenience(self) -> dict[str, str]:
        """State -> how many functions fail no more than is known or allowed, in words."""
        found = {}
        for state in LENIENT:
            items = [item for item in self.items if item.state == state]
            counts = sum((Counter(item.let_pass) for item in items), Counter[str]())
            if items:
                found[str(state)] = f"{len(items)} {state} ({let_pass(counts)})"
        return found

    @property
    def unfinished(self) -> bool:
        """Whether something was not run to its end."""
        return bool(self.failures) or not self.complete

    @property
    def failures(self) -> list[Target]:
        """The libraries that could not be run to the end."""
        return [target for target in self.targets if target.failure]

    @property
    def quantities(self) -> list[str]:
        """What was judged, in the order of its first appearance."""
        return list(dict.fromkeys(item.function.quantity for item in self.items))

    def _repr_html_(self) -> str:
        rows = [
            (
                str(item.grade),
                target.title,
                item.function.name,
                item.function.quantity,
                item.state,
                ", ".join(f"{name} {count}" for name, count in item.counts.items()),
            )
            for target in self.targets
            for item in target.functions
        ]
        counts = ", ".join(f"{count} {state}" for state, count in self.states.items())
        headings = ("grade", "library", "function", "quantity", "standing", "outcomes")
        return notebook.table(headings, rows, caption=f"{len(rows)} functions: {counts}")


def read(data: bytes) -> Document:
    """Read the JSON that `dporacle conform --output` writes.

    Raises:
        ValueError: saying where and what, if it is no such document.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"a document has at most {MAX_BYTES} bytes")
    try:
        document = msgspec.json.decode(data, type=Document)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"not the JSON of a conformance run: {error}") from error
    if not document.format.startswith("dporacle-conformance/"):
        raise ValueError(f"not the JSON of a conformance run: format {document.format[:60]!r}")
    return document
