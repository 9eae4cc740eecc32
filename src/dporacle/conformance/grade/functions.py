"""Whether a function is conformant, is let pass, is not conformant, or was not judged.

A function that is sound or rounds is conformant.
A function that does not answer is not judged, and one with accepted faults is never conformant.

What was refused, skipped or never asked was not judged. A function is conformant only when enough
of its inputs were answered, among the vectors and among the fresh inputs, and when what it
answers is of some use.
"""

import enum
import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from statistics import median

import msgspec

from dporacle.conformance.ask.fresh import SEARCHED
from dporacle.conformance.grade.coverage import Coverage, covered, lacking, met, refused
from dporacle.conformance.grade.grades import Grade, Graded, graded, remarks
from dporacle.conformance.judge.harm_levels import FAILING, MUCH, Level
from dporacle.conformance.judge.outcomes import LOOSE, UNSAFE, JudgedCase, Outcome

__all__ = [
    "NOT_JUDGED",
    "OF_NO_USE",
    "PASSING",
    "TOLD_REFUSED",
    "UNANSWERED",
    "USELESS",
    "Gate",
    "Standing",
    "State",
    "extra",
    "let_pass",
    "refusing",
    "standing",
    "told_refusals",
]

OF_NO_USE, NOT_JUDGED = "of no use", "not judged"
"""What may be known of a function as a whole."""

TOLD_REFUSED = 0.01
"""A share of everyday inputs refused that is at least this stands beside the outcome."""

UNANSWERED = "of everyday inputs unanswered"
"""How that share is named."""

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
    Outcome.LOOSE: ("is too loose", "are too loose"),
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
    """Return in words what share of everyday inputs has no answer; nothing if next to none has."""
    return f"{100 * share:.0f} % {UNANSWERED}" if share >= TOLD_REFUSED else ""


def told_refusals(shares: Sequence[float]) -> list[str]:
    """Return in words how many leave everyday inputs unanswered, and at most what share.

    The library refused them, or its adapter could not ask: nothing says here which.
    """
    told = [share for share in shares if share >= TOLD_REFUSED]
    if not told:
        return []
    who = "1 function leaves" if len(told) == 1 else f"{len(told)} functions leave up to"
    return [f"{who} {100 * max(told):.0f} % {UNANSWERED}"]


class Gate(msgspec.Struct, frozen=True):
    """What a run is to fail for.

    Attributes:
        fail_on: the least harm that counts: a level, or the share of the promise above which an
            unsafe answer counts. What gets no answer counts with the levels up to its own, and with
            shares up to a hundredth, which lie below it.
        max_extra: the largest excess on the safe side on an everyday input, as a share of the
            exact value; None: unlimited, as long as the answers are of some use.
        unsafe_ulp: how far on the unsafe side an answer may lie, in units in the last place, for
            a library that promises the nearest float64 and not a side.
    """

    fail_on: Level | float = FAILING
    max_extra: float | None = None
    unsafe_ulp: float = 0.0

    def counts(self, judged: JudgedCase) -> bool:
        """Whether an outcome makes its function not conformant."""
        if self.unsafe_ulp > 0 and judged.outcome in UNSAFE:
            off = math.inf if judged.ulp is None else abs(judged.ulp)
            if off <= self.unsafe_ulp:
                return False
        if judged.level is not None:
            if isinstance(self.fail_on, Level):
                return judged.level.rank >= self.fail_on.rank
            if judged.unsafe:
                return judged.worst_harm > self.fail_on
            return judged.level is Level.NO_ANSWER and self.fail_on <= MUCH
        if self.max_extra is None or not judged.everyday:
            return False
        return (extra(judged) or 0.0) > self.max_extra


def fails(judged: JudgedCase, gate: Gate) -> bool:
    """Whether an answer fails, by a gate or by what counts where none is named."""
    return gate.counts(judged) or Gate().counts(judged)


class Standing(msgspec.Struct, frozen=True):
    """What is known of a function after a run.

    Attributes:
        state: whether it is conformant, in the strict sense or by the run's gate.
        graded: what it is, whatever the gate; a document of an earlier version does not say it.
        remarks: what is to be known of it beside the grade, in words.
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
        enough: whether enough was asked and answered to judge it.
        useless: whether its typical answer is of no use.
    """

    state: State
    graded: Graded | None = None
    remarks: tuple[str, ...] = ()
    reasons: tuple[str, ...] = ()
    coverage: tuple[Coverage, ...] = ()
    core: Level | None = None
    extreme: Level | None = None
    typical_extra: float | None = None
    refused: float = 0.0
    let_pass: dict[str, int] = {}
    power: float = 0.0
    new: tuple[str, ...] = ()
    enough: bool = True
    useless: bool = False

    @property
    def grade(self) -> Grade:
        """The grade alone."""
        return self.graded.grade if self.graded else Grade.UNKNOWN

    @property
    def passes(self) -> bool:
        """Whether it is conformant, or no worse than known or allowed."""
        return self.state in PASSING


def extra(judged: JudgedCase) -> float | None:
    """Return the excess of a safe answer, as a share of the smaller of it and the exact value.

    None for an answer on the unsafe side, for what is no number, and for the last places of a tiny
    one: where the truth is below the smallest float64, no answer is nearer.
    """
    if judged.outcome not in (Outcome.LOOSE, Outcome.TIGHT, Outcome.INCONSISTENT):
        return None
    excess, tight = judged.excess, judged.outcome is Outcome.TIGHT
    if tight and (excess is None or abs(excess) > LOOSE):
        return None
    if excess is None:  # a truth of 0, or one beyond all floats
        return None if judged.ulp is None else float("inf")
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
    coverage = covered(judged, there)
    extras = [
        e for v in judged if v.everyday and SEARCHED not in v.flags and (e := extra(v)) is not None
    ]
    typical = median(extras) if extras else None
    failing = [(v, excused(v)) for v in judged if fails(v, gate)]
    guilty = [v for v, known in failing if gate.counts(v) and not known]
    passing = Counter(str(v.outcome) for v, known in failing if known or not gate.counts(v))
    useless = [*_useless(typical)]
    if useless and expected(OF_NO_USE):
        passing[OF_NO_USE] += 1
    reasons = [*_convictions(guilty), *([] if passing[OF_NO_USE] else useless)]
    silent = [*lacking(judged, coverage)]
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
    harmed = {kind: [v for v in judged if v.level and v.everyday is kind] for kind in (True, False)}
    about = graded(judged, judged[0].quantity if judged else "", enough=enough)
    return Standing(
        state=state,
        graded=about,
        remarks=remarks(judged, about.grade),
        reasons=(*reasons, *silent),
        coverage=coverage,
        core=_worst(harmed[True]),
        extreme=_worst(harmed[False]),
        typical_extra=typical,
        refused=refused(coverage),
        let_pass=dict(+passing),
        new=tuple(v.case for v in guilty) if known else (),
        power=met(judged),
        enough=enough,
        useless=bool(useless),
    )


def _worst(judged: Sequence[JudgedCase]) -> Level | None:
    levels = [v.level for v in judged if v.level is not None]
    return max(levels, key=lambda level: level.rank) if levels else None


def _convictions(guilty: Sequence[JudgedCase]) -> Iterator[str]:
    counted = Counter(str(v.outcome) for v in guilty)
    for outcome, number in counted.items():
        yield f"{outcome}: {number}"


def _useless(typical: float | None) -> Iterator[str]:
    if typical is not None and typical > USELESS:
        yield f"{OF_NO_USE}: the typical answer is off by {typical:.3g} times what is needed"
