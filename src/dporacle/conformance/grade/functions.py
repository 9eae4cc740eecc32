"""Whether a function is conformant, is let pass, is not conformant, or was not judged.

A function that does not answer is not judged, and one with accepted faults is never conformant.

What was refused, skipped or never asked was not judged. A function is conformant only when enough
of its inputs were answered, among the vectors and among the fresh inputs, and when what it
answers is of some use.
"""

from __future__ import annotations

import enum
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from fractions import Fraction
from statistics import median

import msgspec

from dporacle.conformance.ask.fresh import DRAWN, RULES, SEARCHED, worked
from dporacle.conformance.ask.power import LEAST_POWER, LEAST_SHARE, SHARE, power_of, rounds_for
from dporacle.conformance.grade.grades import Grade, grade_of
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import UNSAFE, JudgedCase, Outcome

__all__ = [
    "EVERYDAY_ANSWERED",
    "MOST_UNASKED",
    "NOT_JUDGED",
    "OF_NO_USE",
    "PASSING",
    "SCATTERED",
    "TOLD_REFUSED",
    "USELESS",
    "Coverage",
    "Gate",
    "Standing",
    "State",
    "everyday",
    "extra",
    "let_pass",
    "refusing",
    "standing",
    "told_refusals",
]

EVERYDAY_ANSWERED = Fraction(1, 2)
"""The least share of everyday inputs to be answered, of the vectors and of the fresh ones."""

SCATTERED = 0.25
"""The largest share of everyday inputs that may be declined within the range that is answered."""

MOST_UNASKED = Fraction(1, 10)
"""The largest share of inputs that may remain unasked for want of time."""

OF_NO_USE, NOT_JUDGED = "of no use", "not judged"
"""What may be known of a function as a whole."""

_MOST_SKIPPED = Fraction(1, 2)

_CHANCE = 4  # standard deviations: what a run says of a share does not change with its seed

TOLD_REFUSED = 0.01
"""A share of everyday inputs refused that is at least this stands beside the outcome."""

USELESS = 10.0
"""A function whose typical answer is above the truth by more than this many times is of no use."""


class State(enum.StrEnum):
    """What a run says about a function."""

    CONFORMANT = "conformant"
    KNOWN = "no worse than known"
    ALLOWED = "no worse than allowed"
    NOT_CONFORMANT = "not conformant"
    NOT_JUDGED = "not judged"


PASSING = (State.CONFORMANT, State.KNOWN, State.ALLOWED)

_DO = {
    Outcome.VIOLATING: ("violates", "violate"),
    Outcome.HANG: ("hangs", "hang"),
    Outcome.CRASH: ("crashes", "crash"),
    Outcome.NON_FINITE: ("is not finite", "are not finite"),
    Outcome.ACCEPTS_INVALID: ("accepts invalid input", "accept invalid input"),
    Outcome.INCONSISTENT: ("is inconsistent", "are inconsistent"),
    Outcome.ROUNDED: ("is rounded to nearest", "are rounded to nearest"),
    Outcome.CONSERVATIVE: ("is too loose", "are too loose"),
}


def let_pass(counts: Mapping[str, int]) -> str:
    """Return in words how many answers of each outcome were let pass."""
    words = [
        f"{number} {words[number > 1]}"
        for each, words in _DO.items()
        if (number := counts.get(each))
    ]
    for whole in (OF_NO_USE, NOT_JUDGED):  # of the function
        if number := counts.get(whole):
            words.append(f"{number} {whole}" if number > 1 else whole)
    return ", ".join(words)


def refusing(share: float) -> str:
    """Return in words what share of everyday inputs is refused; nothing if it is next to none."""
    return f"refuses {100 * share:.0f} % of everyday inputs" if share >= TOLD_REFUSED else ""


def told_refusals(shares: Sequence[float]) -> list[str]:
    """Return in words how many that pass refuse everyday inputs, and at most what share."""
    told = [share for share in shares if share >= TOLD_REFUSED]
    if not told:
        return []
    return [
        f"{len(told)} of them {'refuses' if len(told) == 1 else 'refuse up to'} "
        f"{100 * max(told):.0f} % of everyday inputs"
    ]


class Coverage(msgspec.Struct, frozen=True):
    """What became of the inputs of one kind.

    Attributes:
        kind: vectors, fresh, or one of the two with "everyday" before it.
        answered: answers that were judged: numbers, and failures to give one.
        refused: the library declined a valid input.
        skipped: the adapter did not ask the library.
        unasked: left out for want of time, or after too many failures.
        beyond: skipped away from where people work, as documented: they count for nothing else.
        declined: inputs to be refused that were; they count for nothing else.
        left_out: vectors that were not chosen, since the function is slow.
    """

    kind: str
    answered: int = 0
    refused: int = 0
    skipped: int = 0
    unasked: int = 0
    beyond: int = 0
    declined: int = 0
    left_out: int = 0

    @property
    def valid(self) -> int:
        """How many inputs there were that have an answer."""
        return self.answered + self.refused + self.skipped + self.unasked

    def share(self, count: int) -> Fraction:
        """Return a count as a share of the inputs that have an answer."""
        return Fraction(count, self.valid) if self.valid else Fraction(0)


class Gate(msgspec.Struct, frozen=True):
    """What a run is to fail for.

    Attributes:
        fail_on: the least harm that counts.
        max_extra: the largest excess on the safe side on an everyday input, as a share of the
            exact value; by default any that leaves the function of some use.
        unsafe_ulp: how far on the unsafe side an answer may lie, in units in the last place, for
            a library that promises the nearest float64 and not a side.
    """

    fail_on: Level = Level.INVALID
    max_extra: float | None = None
    unsafe_ulp: float = 0.0

    def counts(self, judged: JudgedCase) -> bool:
        """Whether an outcome makes its function not conformant."""
        if judged.outcome in UNSAFE and abs(judged.ulp or 0.0) <= self.unsafe_ulp:
            return False
        if judged.level is not None:
            return judged.level.rank >= self.fail_on.rank
        if self.max_extra is None or not everyday(judged):
            return False
        return (extra(judged) or 0.0) > self.max_extra


class Standing(msgspec.Struct, frozen=True):
    """What is known of a function after a run.

    Attributes:
        state: whether it is conformant, in the strict sense or by the run's gate.
        grade: what it is, whatever the gate.
        reasons: why it is not conformant or not judged, and what was let pass, in words.
        coverage: how much was judged, by kind of input.
        core: the worst harm where people work.
        extreme: the worst harm anywhere else.
        typical_extra: the median excess on the safe side over everyday inputs.
        refused: the share of everyday inputs that it, or its adapter, declined.
        let_pass: outcome -> how many answers are wrong, and were known or allowed by the gate.
        power: the probability with which a fault on a fiftieth of the drawn inputs was met, in
            whichever way they are drawn.
        new: the cases that fail the run, where others are known to fail.
    """

    state: State
    grade: Grade
    reasons: tuple[str, ...]
    coverage: tuple[Coverage, ...]
    core: Level | None = None
    extreme: Level | None = None
    typical_extra: float | None = None
    refused: float = 0.0
    let_pass: dict[str, int] = {}
    power: float = 0.0
    new: tuple[str, ...] = ()

    @property
    def passes(self) -> bool:
        """Whether it is conformant, or no worse than known or allowed."""
        return self.state in PASSING


def everyday(judged: JudgedCase) -> bool:
    """Whether the input is one where people work."""
    return worked(judged.flags)


def extra(judged: JudgedCase) -> float | None:
    """Return the excess of a safe answer, as a share of the smaller of it and the exact value.

    None for an answer on the unsafe side, and for what is no number.
    """
    if judged.outcome not in (Outcome.CONSERVATIVE, Outcome.TIGHT, Outcome.INCONSISTENT):
        return None
    excess = judged.excess
    if excess is None:  # a truth of 0, or one beyond all floats
        return None if judged.ulp is None or judged.outcome is Outcome.TIGHT else float("inf")
    if excess >= 0:
        return excess
    return -excess / (1 + excess) if excess > -1 else float("inf")


def standing(
    judged: Sequence[JudgedCase],
    gate: Gate | None = None,
    *,
    excused: Callable[[JudgedCase], bool] = lambda judged: False,
    expected: Callable[[str], bool] = lambda what: False,
    there: int = 0,
    known: bool = False,
) -> Standing:
    """Return what the outcomes of a function's answers amount to.

    Args:
        judged: all of them.
        gate: what counts; everything by default.
        excused: whether one is a known failure.
        expected: whether it is known that the function is `OF_NO_USE`, or `NOT_JUDGED`.
        there: how many vectors there are for the function, be they asked or not.
        known: whether there are known failures, so that others are new.
    """
    gate = gate or Gate()
    fresh = [v for v in judged if not RULES.keys().isdisjoint(v.flags)]
    vectors = [v for v in judged if RULES.keys().isdisjoint(v.flags)]
    kinds = {"vectors": vectors, "fresh": fresh}
    usual = {f"everyday {k}": [v for v in found if everyday(v)] for k, found in kinds.items()}
    left_out = {"vectors": max(0, there - len(vectors))}
    coverage = tuple(
        _coverage(kind, found, left_out.get(kind, 0)) for kind, found in (kinds | usual).items()
    )
    extras = [
        e for v in judged if everyday(v) and SEARCHED not in v.flags and (e := extra(v)) is not None
    ]
    typical = median(extras) if extras else None
    failing = [(v, excused(v)) for v in judged if v.level is not None or gate.counts(v)]
    guilty = [v for v, known in failing if gate.counts(v) and not known]
    passing = Counter(str(v.outcome) for v, known in failing if known or not gate.counts(v))
    useless = [*_useless(typical)]
    if useless and expected(OF_NO_USE):
        passing[OF_NO_USE] += 1
    reasons = [*_convictions(guilty), *([] if passing[OF_NO_USE] else useless)]
    silent = [
        *_gaps(coverage, _why_unasked(judged)),
        *_nonsense_unasked(judged),
        *_weak(fresh),
        *_scattered(judged),
    ]
    enough = not silent
    if silent and not reasons and expected(NOT_JUDGED):
        passing[NOT_JUDGED] += 1
    let = [known for v, known in failing if known or not gate.counts(v)]
    lenient = State.KNOWN if all(let) else State.ALLOWED
    if reasons:
        state = State.NOT_CONFORMANT
    elif silent and not passing[NOT_JUDGED]:
        state = State.NOT_JUDGED
    else:
        state = lenient if +passing else State.CONFORMANT
    if +passing:
        silent.append(f"{lenient.removeprefix('no worse than ')}: {let_pass(passing)}")
    harmed = {
        kind: [v for v in judged if v.level and everyday(v) is kind] for kind in (True, False)
    }
    looseness = max((e for v in judged if everyday(v) and (e := extra(v)) is not None), default=0.0)
    return Standing(
        state=state,
        grade=grade_of(judged, enough=enough, loosest=looseness),
        reasons=(*reasons, *silent),
        coverage=coverage,
        core=_worst(harmed[True]),
        extreme=_worst(harmed[False]),
        typical_extra=typical,
        refused=_refused([each for each in coverage if each.kind in usual]),
        let_pass=dict(+passing),
        new=tuple(v.case for v in guilty) if known else (),
        power=_power(fresh),
    )


def _power(fresh: Sequence[JudgedCase]) -> float:
    drawn = Counter(v.flags[0] for v in fresh if v.answer is not None)
    return power_of(min(drawn[flag] for flag in DRAWN), share=SHARE)


def _refused(coverage: Sequence[Coverage]) -> float:
    valid = sum(each.valid for each in coverage)
    return sum(each.refused + each.skipped for each in coverage) / valid if valid else 0.0


def _worst(judged: Sequence[JudgedCase]) -> Level | None:
    levels = [v.level for v in judged if v.level is not None]
    return max(levels, key=lambda level: level.rank) if levels else None


def _coverage(kind: str, judged: Sequence[JudgedCase], left_out: int) -> Coverage:
    counted: Counter[str] = Counter()
    for each in judged:
        match each.outcome:
            case Outcome.REFUSES_INVALID | Outcome.ACCEPTS_INVALID:
                counted["declined"] += 1
            case Outcome.REFUSES_VALID:
                counted["refused"] += 1
            case Outcome.SKIPPED:
                counted["skipped" if everyday(each) else "beyond"] += 1
            case Outcome.NOT_ASKED:
                counted["unasked"] += 1
            case Outcome.INCONSISTENT if each.answer is None:
                counted["refused"] += 1
            case _:
                counted["answered"] += 1
    return Coverage(kind, left_out=left_out, **counted)


def _convictions(guilty: Sequence[JudgedCase]) -> Iterator[str]:
    counted = Counter(str(v.outcome) for v in guilty)
    for outcome, number in counted.items():
        yield f"{outcome}: {number}"


def _useless(typical: float | None) -> Iterator[str]:
    if typical is not None and typical > USELESS:
        yield f"{OF_NO_USE}: the typical answer is off by {typical:.3g} times what is needed"


def _why_unasked(judged: Sequence[JudgedCase]) -> str:
    """Return the reason that most of what was not asked was not."""
    told = Counter(v.message for v in judged if v.outcome is Outcome.NOT_ASKED and v.message)
    return told.most_common(1)[0][0].removeprefix("not asked: ") if told else ""


def _gaps(coverage: Sequence[Coverage], unasked: str) -> Iterator[str]:
    """Yield what is missing to judge the function."""
    for each in coverage:
        if not each.valid:
            if not each.kind.startswith("everyday"):
                yield f"no input was asked of the {each.kind}"
            continue
        if each.kind.startswith("everyday"):
            if each.answered < _needed(each):
                yield (
                    f"of the {each.kind} inputs {each.answered} of {each.valid} were answered, "
                    f"at least {_percent(EVERYDAY_ANSWERED)} is needed"
                )
        elif each.share(each.unasked) > MOST_UNASKED:
            why = f" ({unasked})" if unasked else ""
            yield f"of the {each.kind} inputs {each.unasked} of {each.valid} were not asked{why}"
        elif each.share(each.skipped) > _MOST_SKIPPED:
            yield f"of the {each.kind} inputs {each.skipped} of {each.valid} were skipped"


def _needed(found: Coverage) -> float:
    """Return how many answers are needed: of few fresh inputs, chance may leave less than that."""
    fresh, share = found.kind.endswith("fresh"), float(EVERYDAY_ANSWERED)
    chance = _CHANCE * math.sqrt(share * (1 - share) * found.valid) if fresh else 0.0
    return max(1.0, float(EVERYDAY_ANSWERED * found.valid) - chance)


def _nonsense_unasked(judged: Sequence[JudgedCase]) -> Iterator[str]:
    nonsense = [v for v in judged if not {"nonsense", "random-nonsense"}.isdisjoint(v.flags)]
    silent = sum(v.outcome in (Outcome.SKIPPED, Outcome.NOT_ASKED) for v in nonsense)
    if silent > _MOST_SKIPPED * len(nonsense):
        yield f"of the inputs to be refused {silent} of {len(nonsense)} were not asked"


def _weak(fresh: Sequence[JudgedCase]) -> Iterator[str]:
    """Yield that too little was drawn to speak of power; that nothing was is told elsewhere."""
    drawn = sum(v.answer is not None and v.flags[0] in DRAWN for v in fresh)
    needed = rounds_for(share=LEAST_SHARE, power=LEAST_POWER)
    if fresh and drawn < needed:
        yield (
            f"of the inputs drawn at random {drawn} were answered, and {needed} are needed to meet "
            f"a fault on a third of them with {100 * LEAST_POWER:g} %"
        )


def _scattered(judged: Sequence[JudgedCase]) -> Iterator[str]:
    """Yield that too much is declined that no range of the arguments explains."""
    usual = [v for v in judged if everyday(v)]
    answered = [_values(v) for v in usual if v.answer is not None]
    declined = [_values(v) for v in usual if v.outcome in (Outcome.REFUSES_VALID, Outcome.SKIPPED)]
    if not answered or not declined:
        return
    ends = [(min(column), max(column)) for column in zip(*answered, strict=True)]
    inside = sum(
        all(low <= value <= high for value, (low, high) in zip(each, ends, strict=True))
        for each in declined
    )
    valid = len(answered) + len(declined)
    if inside > SCATTERED * valid + _CHANCE * math.sqrt(SCATTERED * (1 - SCATTERED) * valid):
        yield (
            f"{inside} of {valid} everyday inputs were declined within the range that is answered, "
            f"more than {100 * SCATTERED:g} %"
        )


def _values(judged: JudgedCase) -> tuple[float, ...]:
    return tuple(float.fromhex(value) for value in judged.arguments.values())


def _percent(share: Fraction) -> str:
    return f"{float(100 * share):.0f} %"
