"""A run: what each library answered, judged and graded, and the JSON document that it is.

What a run gives and what is read from its document are the same records: whoever shows a run, on a
terminal or on a page, needs no more. Fields that this version does not know are passed over, and
outcomes, states and harms that it does not know are refused. Nothing in a document is trusted:
names and messages come from the judged libraries.
"""

import math
import platform
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from dporacle.common import notebook
from dporacle.common.exit_status import ExitStatus
from dporacle.common.version import VERSION
from dporacle.conformance import protocol
from dporacle.conformance.ask.limits import Patience
from dporacle.conformance.ask.plan import Fresh
from dporacle.conformance.grade.findings import simplest, told
from dporacle.conformance.grade.functions import (
    NOT_JUDGED,
    OF_NO_USE,
    Gate,
    Standing,
    State,
    fails,
    let_pass,
    refusing,
    standing,
)
from dporacle.conformance.grade.grades import Grade, Graded, graded, remarks, tallied
from dporacle.conformance.grade.known_failures import KnownFailures, counted
from dporacle.conformance.judge.contradictions import Contradiction
from dporacle.conformance.judge.excess import Looseness
from dporacle.conformance.judge.harm import level_of
from dporacle.conformance.judge.harm_levels import MUCH, Level
from dporacle.conformance.judge.outcomes import (
    FLAWED,
    LOOSE,
    ROUNDING,
    TIGHT_ULP,
    UNSAFE,
    JudgedCase,
    Outcome,
)
from dporacle.vocabulary.questions import presupposed

MAX_BYTES = 128 << 20
LENIENT = (State.KNOWN, State.ALLOWED)
"""The states of functions that fail no more than is known, or than the run's gate allows."""

_FORMAT, _VERSION = "dporacle-conformance/", "3"
_MOST = {Level.LAST_DIGITS: ROUNDING, Level.SLIGHT: MUCH, Level.NOTICEABLE: 1.0}
_FLAWED = tuple(outcome for outcome in Outcome if outcome in FLAWED)


class DeclaredFunction(msgspec.Struct, frozen=True, kw_only=True):
    """What an adapter said of a function, in the protocol's words or in those of a later one."""

    name: str
    quantity: str
    arguments: tuple[str, ...] = ()
    slow: bool = False
    batch: int = 1
    note: str = ""
    relation: str = ""
    unit: str = ""


class FunctionResult(msgspec.Struct):
    """What one function answered, judged, and what it amounts to once that is known.

    Attributes:
        function: the function.
        judged: its answers.
        looseness: what the loosest of them gives away where people work, if that is much.
        vectors: how many vectors there are for it, of which a slow one is asked fewer.
        patience: what the seconds of processor time or idleness went into, and those of judging.
        unreached: fresh inputs that were left out, as no enclosure reaches their exact value.
        standing: what it amounts to under a gate.
    """

    function: DeclaredFunction
    judged: list[JudgedCase] = msgspec.field(name="verdicts", default_factory=list)
    looseness: Looseness | None = None
    vectors: int = 0
    patience: dict[str, float] = {}
    unreached: int = 0
    standing: Standing | None = None

    @property
    def counts(self) -> dict[Outcome, int]:
        """Outcome -> number of answers, worst first."""
        found = Counter(each.outcome for each in self.judged)
        return {outcome: found[outcome] for outcome in Outcome if found[outcome]}

    @property
    def asked(self) -> int:
        """How many cases were really asked."""
        return sum(each.asked for each in self.judged)

    @property
    def state(self) -> State:
        """What the run says about the function; by its answers alone where it says nothing."""
        if self.standing is not None:
            return self.standing.state
        if any(map(Gate().counts, self.judged)):
            return State.NOT_CONFORMANT
        return State.CONFORMANT if self.asked else State.NOT_JUDGED

    @property
    def graded(self) -> Graded:
        """What the function is."""
        if self.standing is not None and self.standing.graded is not None:
            return self.standing.graded
        enough = self.state is not State.NOT_JUDGED
        return graded(self.judged, self.function.quantity, enough=enough)

    @property
    def grade(self) -> Grade:
        """The grade alone."""
        return self.graded.grade

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is to be known of it beside the grade: counts, and what got no answer."""
        if self.standing is not None and self.standing.graded is not None:
            said = self.standing.remarks
        else:  # a document of an earlier version
            said = remarks(self.judged, self.grade)
        return (*said, *filter(None, [self.refusing]))

    @property
    def said(self) -> str:
        """The grade in words, with the remarks beside it."""
        return self.graded.text + (f" ({'; '.join(self.remarks)})" if self.remarks else "")

    @property
    def finding(self) -> str:
        """The answer that shows the grade, with the simplest input; nothing for a good one."""
        case = simplest(self.judged, self.grade)
        return told(case) if case else ""

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
        found = {OF_NO_USE} if self.standing and self.standing.useless else set()
        # Once its failures are known, a function of which too little was asked is not judged.
        silent = self.state == State.NOT_JUDGED or (self.standing and not self.standing.enough)
        return found | {NOT_JUDGED} if silent else found

    @property
    def let_pass(self) -> dict[str, int]:
        """Outcome -> how many answers are wrong and were let pass."""
        known = self.standing.let_pass if self.standing else {}
        return known or {name: n for name, n in self.counts.items() if name in FLAWED}

    @property
    def outcome(self) -> Outcome:
        """The outcome that stands for a function: the worst that harms, else the most frequent."""
        counts = self.counts
        for name in _FLAWED:
            if name in counts:
                return name
        kinds: list[Outcome] = [Outcome.LOOSE, Outcome.TIGHT]
        usual = [name for name in kinds if name in counts] or [*counts]
        return max(usual or [Outcome.NOT_ASKED], key=lambda name: counts.get(name, 0))

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

    def worst(self, *of: str) -> JudgedCase | None:
        """Return the case of some classes with the largest error."""
        found = [each for each in self.judged if each.outcome in of]
        return max(found, key=lambda each: each.size, default=None)

    @property
    def loosest(self) -> JudgedCase | None:
        """The safe answer to an everyday input with the largest excess.

        At extremes nearly every answer has much.
        """
        safe = (Outcome.LOOSE, Outcome.TIGHT)
        found = [v for v in self.judged if v.outcome in safe and v.everyday and v.excess]
        return max(found, key=lambda each: each.size, default=None)

    def telling(self, most: int = 3) -> Iterator[JudgedCase]:
        """Yield some cases of each class that harms or is loose, everyday inputs first."""
        for name in self.counts:
            if name in ("tight", "refuses invalid", "skipped", "not asked"):
                continue
            found = [each for each in self.judged if each.outcome == name]
            found.sort(key=lambda each: each.size if each.excess is not None else 0, reverse=True)
            everyday = [each for each in found if each.everyday][:1]
            yield from (everyday + [each for each in found if each not in everyday])[:most]


class TargetResult(msgspec.Struct):
    """What is known of one target after the run.

    Attributes:
        target: what it was called.
        name, version, language: what its adapter said, if it was started.
        functions: their answers, judged.
        contradictions: answers of two functions to one event that cannot both be right.
        failure: why it could not be run, if so.
        seconds: how long it took.
    """

    target: str
    name: str | None = None
    version: str | None = None
    language: str | None = None
    functions: list[FunctionResult] = []
    contradictions: list[Contradiction] = []
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

    def _repr_html_(self) -> str:
        caption = self.title
        if self.failure:
            caption += f", could not be run to the end: {self.failure}"
        rows = [
            (item.function.name, item.function.quantity, _listed(item)) for item in self.functions
        ]
        return notebook.table(("function", "quantity", "outcomes"), rows, caption=caption)


class Document(msgspec.Struct):
    """One conformance run.

    Attributes:
        expired: known failures whose cases all pass.
        answered: known hangs that were answered; they change nothing of the status.
    """

    targets: list[TargetResult]
    format: str = _FORMAT + _VERSION
    dporacle: str = VERSION
    protocol: int = protocol.VERSIONS[-1]
    machine: dict[str, str] = msgspec.field(
        default_factory=lambda: {
            "python": platform.python_version(),
            "system": platform.system(),
            "processor": platform.machine(),
        }
    )
    limits: Patience | None = None
    fresh: Fresh | None = None
    gate: Gate = Gate()
    tight_ulp: float = TIGHT_ULP
    complete: bool = True
    status: int = 0
    expired: list[str] = []
    answered: list[str] = []

    @property
    def items(self) -> list[FunctionResult]:
        """The judged functions of all libraries."""
        return [item for target in self.targets for item in target.functions]

    @property
    def graded(self) -> list[tuple[TargetResult, FunctionResult, Standing]]:
        """The judged functions, with their libraries and their standings."""
        return [(t, i, i.standing) for t in self.targets for i in t.functions if i.standing]

    @property
    def standings(self) -> list[Standing]:
        """What each judged function amounts to."""
        return [standing for *_, standing in self.graded]

    @property
    def states(self) -> Counter[State]:
        """How many functions have which state."""
        return Counter(item.state for item in self.items)

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
    def grades(self) -> list[tuple[Grade, str]]:
        """Each grade that some function has, and how many have it in words, the worst first."""
        return tallied(item.graded for item in self.items)

    @property
    def failures(self) -> list[TargetResult]:
        """The libraries that could not be run to the end."""
        return [target for target in self.targets if target.failure]

    @property
    def unfinished(self) -> bool:
        """Whether something was not run to its end."""
        return bool(self.failures) or not self.complete

    @property
    def quantities(self) -> list[str]:
        """What was judged, in the order of its first appearance."""
        return list(dict.fromkeys(item.function.quantity for item in self.items))

    def _repr_html_(self) -> str:
        rows = [
            (
                item.said,
                target.title,
                item.function.name,
                item.function.quantity,
                item.state,
                _listed(item),
            )
            for target in self.targets
            for item in target.functions
        ]
        counts = ", ".join(f"{count} {state}" for state, count in self.states.items())
        headings = ("grade", "library", "function", "quantity", "standing", "outcomes")
        return notebook.table(headings, rows, caption=f"{len(rows)} functions: {counts}")


def _listed(item: FunctionResult) -> str:
    return ", ".join(f"{name} {count}" for name, count in item.counts.items())


def judgement(
    results: Sequence[TargetResult],
    gate: Gate | None = None,
    known: KnownFailures | None = None,
    *,
    limits: Patience | None = None,
    fresh: Fresh | None = None,
    complete: bool = True,
) -> Document:
    """Return what the outcomes amount to under a gate, but for known failures.

    The status is no answer if a target could not be run, else what the worst function deserves.
    A finding is one that is not conformant, and a known failure that has expired; where there is
    none, a function that was not judged is no answer. What is no worse than known or allowed
    passes. An incomplete run comes first: what was not run is not known to be conformant.
    """
    gate, known = gate or Gate(), known or KnownFailures()
    for result in results:
        for item in result.functions:
            item.standing = _standing(result, item, gate, known)
    run = Document([*results], limits=limits, fresh=fresh, gate=gate, complete=complete)
    run.expired, run.answered = ([each.text for each in e] for e in (known.expired, known.answered))
    if run.failures:
        run.status = ExitStatus.NO_ANSWER
    elif run.expired or State.NOT_CONFORMANT in run.states:
        run.status = ExitStatus.FINDING
    else:
        unknown = State.NOT_JUDGED in run.states or not run.states
        run.status = ExitStatus.NO_ANSWER if unknown else ExitStatus.FINE
    return run


def _standing(
    result: TargetResult, item: FunctionResult, gate: Gate, known: KnownFailures
) -> Standing:
    where = (result.called, item.function.name, item.function.quantity)

    def excused(judged: JudgedCase) -> bool:
        identifier = judged.case.partition("/")[2]
        return known.excuses(
            where, identifier, judged.flags, judged.outcome, judged.level, judged.harm
        )

    known.count(where, counted((v.flags, fails(v, gate), v.level) for v in item.judged if v.asked))
    for judged in item.judged:
        if not fails(judged, gate) and judged.asked:
            known.passes(where, judged.case.partition("/")[2], judged.flags)
    return standing(
        item.judged,
        gate,
        excused=excused,
        expected=lambda what: known.expects(where, what),
        there=item.vectors,
        known=bool(known),
    )


def write(run: Document) -> bytes:
    """Return a run as JSON; a function with the relation and the unit that it was asked under."""
    content = msgspec.to_builtins(run)
    for target in content["targets"]:
        for item in target["functions"]:
            relation, unit = presupposed(item["function"]["quantity"])
            said = item["function"]
            said |= {"relation": said["relation"] or relation, "unit": said["unit"] or unit}
            item["counts"] = Counter(each["outcome"] for each in item["verdicts"])
    return msgspec.json.format(msgspec.json.encode(content), indent=1)


class _Head(msgspec.Struct, frozen=True):
    format: str


def read(data: bytes) -> Document:
    """Read the JSON that `dporacle conform --output` writes.

    A document of an earlier version has no grades, or grades by other rules: they are made anew
    from its outcomes. An outcome, a state or a harm that this version does not know is refused:
    nobody knows here whether it is a good one.

    Raises:
        ValueError: saying where and what, if it is no such document.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"a document has at most {MAX_BYTES} bytes")
    try:
        form = msgspec.json.decode(data, type=_Head).format
        if not form.startswith(_FORMAT):
            raise ValueError(f"not the JSON of a conformance run: format {form[:60]!r}")
        if form == _FORMAT + _VERSION:
            return msgspec.json.decode(data, type=Document)
        return _of_an_earlier_version(msgspec.json.decode(data))
    except (msgspec.DecodeError, RecursionError, UnicodeDecodeError) as error:
        raise ValueError(f"not the JSON of a conformance run: {error}") from error


def _of_an_earlier_version(content: Any) -> Document:
    """Return a document with the grades that this version gives."""
    for target in msgspec.convert(content, type=_Targets).targets:
        for said in target.functions:
            for judged in said.verdicts:  # of the content itself, which is not copied
                renamed(judged)
            if isinstance(said.standing, dict) and isinstance(said.standing.get("reasons"), list):
                words = map(str, said.standing["reasons"])
                said.standing["useless"] = any(each.startswith(OF_NO_USE) for each in words)
    document = msgspec.convert(content, type=Document)
    for item in document.items:
        if item.standing is not None:
            state = _state_anew(item, item.standing)
            item.standing = msgspec.structs.replace(item.standing, state=state)
    return document


def renamed(judged: Any) -> None:
    """Give an answer the outcome that it has in this version."""
    if not isinstance(judged, dict):
        return
    if judged.get("outcome") == "conservative":
        excess = judged.get("excess")
        tight = isinstance(excess, float) and abs(excess) <= LOOSE
        judged["outcome"] = Outcome.TIGHT if tight else Outcome.LOOSE
    elif judged.get("outcome") == Outcome.VIOLATING and judged.get("level") == Level.LAST_DIGITS:
        excess = judged.get("excess")
        if isinstance(excess, float) and abs(excess) <= ROUNDING:
            judged["outcome"] = Outcome.ROUNDED
    if judged.get("outcome") == Outcome.INCONSISTENT:
        judged.pop("level", None)
    elif (level := level_of(str(judged.get("outcome")), judged.get("level"))) is not None:
        judged["level"] = level
    ratio = judged.get("ratio")
    if judged.get("outcome") in UNSAFE and "harm" not in judged and isinstance(ratio, float):
        # Of two harms the smaller one counts, which the level bounds.
        judged["harm"] = max(0.0, min(ratio - 1, _MOST.get(judged["level"], math.inf)))


class _Item(msgspec.Struct):
    standing: Any = None
    verdicts: list[Any] = []


class _Target(msgspec.Struct):
    functions: list[_Item]


class _Targets(msgspec.Struct):
    targets: list[_Target]


def _state_anew(item: FunctionResult, standing: Standing) -> State:
    """Return the state of a function that an earlier version judged.

    The first one said conformant of what its gate let pass, and all of them not conformant of
    rounding, and of invalid inputs that get a number.
    """
    failing = any(map(Gate().counts, item.judged))
    if failing and standing.state is State.CONFORMANT:
        return State.ALLOWED
    good = not failing and standing.enough and not standing.useless
    lenient = (State.NOT_CONFORMANT, *LENIENT)
    return State.CONFORMANT if good and standing.state in lenient else standing.state
