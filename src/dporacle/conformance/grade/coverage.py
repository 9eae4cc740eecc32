"""What became of a function's inputs, and what is missing to judge it."""

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction

import msgspec

from dporacle.conformance.ask.fresh import DRAWN, RULES
from dporacle.conformance.ask.power import LEAST_POWER, LEAST_SHARE, SHARE, power_of, rounds_for
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome

EVERYDAY_ANSWERED = Fraction(1, 2)
"""The least share of everyday inputs to be answered, of the vectors and of the fresh ones."""

SCATTERED = 0.2
"""The largest share of everyday inputs that may be declined within the range that is answered."""

MOST_UNASKED = Fraction(1, 10)
"""The largest share of inputs that may remain unasked for want of time."""

_MOST_SKIPPED = Fraction(1, 2)  # of the inputs: who refuses more of them was not judged
_NONSENSE = frozenset({"nonsense", "random-nonsense"})  # flags of inputs that are to be refused

_CHANCE = 4  # standard deviations: what a run says of a share does not change with its seed


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


def _fresh(judged: Sequence[JudgedCase]) -> list[JudgedCase]:
    return [v for v in judged if not RULES.keys().isdisjoint(v.flags)]


def covered(judged: Sequence[JudgedCase], there: int) -> tuple[Coverage, ...]:
    """Return what became of the vectors, of which there are so many, and of the fresh inputs."""
    vectors = [v for v in judged if RULES.keys().isdisjoint(v.flags)]
    kinds = {"vectors": vectors, "fresh": _fresh(judged)}
    usual = {f"everyday {k}": [v for v in found if v.everyday] for k, found in kinds.items()}
    left_out = {"vectors": max(0, there - len(vectors))}
    return tuple(
        _coverage(kind, found, left_out.get(kind, 0)) for kind, found in (kinds | usual).items()
    )


def lacking(judged: Sequence[JudgedCase], coverage: Sequence[Coverage]) -> Iterator[str]:
    """Yield what is missing to judge the function."""
    yield from _gaps(coverage, _why_unasked(judged))
    yield from _nonsense_unasked(judged)
    yield from _weak(_fresh(judged))
    yield from _scattered(judged)


def met(judged: Sequence[JudgedCase]) -> float:
    """Return with which probability a fault on a fiftieth of the drawn inputs was met."""
    drawn = Counter(v.flags[0] for v in _fresh(judged) if v.answer is not None)
    return power_of(min(drawn[flag] for flag in DRAWN), share=SHARE)


def refused(coverage: Sequence[Coverage]) -> float:
    """Return the share of everyday inputs that were declined."""
    usual = [each for each in coverage if each.kind.startswith("everyday")]
    valid = sum(each.valid for each in usual)
    return sum(each.refused + each.skipped for each in usual) / valid if valid else 0.0


def _coverage(kind: str, judged: Sequence[JudgedCase], left_out: int) -> Coverage:
    counted: Counter[str] = Counter()
    for each in judged:
        match each.outcome:
            case Outcome.REFUSES_INVALID | Outcome.ACCEPTS_INVALID:
                counted["declined"] += 1
            case Outcome.REFUSES_VALID:
                counted["refused"] += 1
            case Outcome.SKIPPED:
                counted["skipped" if each.everyday else "beyond"] += 1
            case Outcome.NOT_ASKED if _NONSENSE.isdisjoint(each.flags):
                counted["unasked"] += 1
            case Outcome.NOT_ASKED:  # `_nonsense_unasked` counts them
                continue
            case Outcome.INCONSISTENT if each.answer is None:
                counted["refused"] += 1
            case _:
                counted["answered"] += 1
    return Coverage(kind, left_out=left_out, **counted)


def too_few(judged: Sequence[JudgedCase]) -> str:
    """Return that too few everyday vectors were answered, for one that is asked vectors alone."""
    (usual,) = (each for each in covered(judged, 0) if each.kind == "everyday vectors")
    if not usual.valid or usual.answered >= _needed(usual):
        return ""
    return _few_answered(usual)


def _few_answered(each: Coverage) -> str:
    return (
        f"{each.answered} of {each.valid} {_inputs(each)} were answered; at least "
        f"{_percent(EVERYDAY_ANSWERED)} is needed"
    )


def _why_unasked(judged: Sequence[JudgedCase]) -> str:
    """Return the reason that most of what was not asked was not."""
    told = Counter(v.message for v in judged if v.outcome is Outcome.NOT_ASKED and v.message)
    return told.most_common(1)[0][0].removeprefix("not asked: ") if told else ""


def _gaps(coverage: Sequence[Coverage], unasked: str) -> Iterator[str]:
    """Yield what is missing to judge the function."""
    for each in coverage:
        if not each.valid:
            if not each.kind.startswith("everyday"):
                yield f"no {_inputs(each)} were asked"
            continue
        if each.kind.startswith("everyday"):
            if each.answered < _needed(each):
                yield _few_answered(each)
        elif each.share(each.unasked) > MOST_UNASKED:
            why = f" ({unasked})" if unasked else ""
            yield f"{each.unasked} of {each.valid} {_inputs(each)} were not asked{why}"
        elif each.share(each.skipped) > _MOST_SKIPPED:
            yield f"{each.skipped} of {each.valid} {_inputs(each)} were skipped"


def _inputs(each: Coverage) -> str:
    return each.kind if each.kind.endswith("vectors") else f"{each.kind} inputs"


def _needed(found: Coverage) -> float:
    """Return how many answers are needed: of few fresh inputs, chance may leave less than that."""
    fresh, share = found.kind.endswith("fresh"), float(EVERYDAY_ANSWERED)
    chance = _CHANCE * math.sqrt(share * (1 - share) * found.valid) if fresh else 0.0
    return max(1.0, float(EVERYDAY_ANSWERED * found.valid) - chance)


def _nonsense_unasked(judged: Sequence[JudgedCase]) -> Iterator[str]:
    nonsense = [v for v in judged if not _NONSENSE.isdisjoint(v.flags)]
    silent = sum(v.outcome in (Outcome.SKIPPED, Outcome.NOT_ASKED) for v in nonsense)
    if silent > _MOST_SKIPPED * len(nonsense):
        yield f"{silent} of {len(nonsense)} inputs to be refused were not asked"


def _weak(fresh: Sequence[JudgedCase]) -> Iterator[str]:
    """Yield that too little was drawn to speak of power; that nothing was is told elsewhere."""
    drawn = sum(v.answer is not None and v.flags[0] in DRAWN for v in fresh)
    needed = rounds_for(share=LEAST_SHARE, power=LEAST_POWER)
    if fresh and drawn < needed:
        yield (
            f"{drawn} of the drawn inputs {'was' if drawn == 1 else 'were'} answered; {needed} are "
            "needed to find a fault on a third of them with a probability of "
            f"{100 * LEAST_POWER:g} %"
        )


def _scattered(judged: Sequence[JudgedCase]) -> Iterator[str]:
    """Yield that too much is declined that no range of the arguments explains."""
    usual = [v for v in judged if v.everyday]
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
