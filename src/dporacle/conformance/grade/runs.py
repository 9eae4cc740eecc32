"""What a run amounts to: the standing of each function, and the exit status."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from dporacle.conformance.grade.functions import Gate, Standing, State, standing
from dporacle.conformance.grade.known_failures import Entry, KnownFailures, counted
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.judge.results import FunctionResult, Result
from dporacle.exit_status import ExitStatus

_UNASKED = (Outcome.SKIPPED, Outcome.NOT_ASKED)


def exit_status(
    results: Sequence[Result], gate: Gate | None = None, known: KnownFailures | None = None
) -> ExitStatus:
    """Return no answer if a target could not be run, else what the worst function deserves.

    A finding is one that is not conformant, and a known failure that has expired; where there is
    none, a function that was not judged is no answer. What is no worse than known or allowed
    passes. An incomplete run comes first: what was not run is not known to be conformant.
    """
    return judgement(results, gate, known).status


@dataclass(frozen=True)
class Judgement:
    """What a run amounts to.

    Attributes:
        standings: of each function, by the places of the library and the function.
        expired: known failures whose cases all pass.
        answered: known hangs that were answered; they change nothing of the status.
        status: the exit status.
    """

    standings: Mapping[tuple[int, int], Standing]
    expired: tuple[Entry, ...]
    answered: tuple[Entry, ...]
    status: ExitStatus


def judgement(
    results: Sequence[Result], gate: Gate | None = None, known: KnownFailures | None = None
) -> Judgement:
    """Return what the outcomes amount to under a gate, but for known failures."""
    gate, known = gate or Gate(), known or KnownFailures()
    standings = {
        (place, index): _standing(result, item, gate, known)
        for place, result in enumerate(results)
        for index, item in enumerate(result.functions)
    }
    expired = tuple(known.expired)
    states = {each.state for each in standings.values()}
    if any(result.failure for result in results):
        status = ExitStatus.NO_ANSWER
    elif expired or State.NOT_CONFORMANT in states:
        status = ExitStatus.FINDING
    else:
        unknown = State.NOT_JUDGED in states or not states
        status = ExitStatus.NO_ANSWER if unknown else ExitStatus.FINE
    return Judgement(standings, expired, tuple(known.answered), status)


def _standing(result: Result, item: FunctionResult, gate: Gate, known: KnownFailures) -> Standing:
    name = result.capabilities.name if result.capabilities else result.name
    where = (name, item.function.name, item.function.quantity)

    def fails(judged: JudgedCase) -> bool:
        return judged.level is not None or gate.counts(judged)

    def excused(judged: JudgedCase) -> bool:
        identifier = judged.case.partition("/")[2]
        return known.excuses(where, identifier, judged.flags, judged.outcome, judged.level)

    found = ((v.flags, fails(v), v.level) for v in item.judged if v.outcome not in _UNASKED)
    known.count(where, counted(found))
    for judged in item.judged:
        if not fails(judged) and judged.outcome not in _UNASKED:
            known.passes(where, judged.case.partition("/")[2], judged.flags)
    return standing(
        item.judged,
        gate,
        excused=excused,
        expected=lambda what: known.expects(where, what),
        there=item.vectors,
        known=bool(known),
    )


def counts(item: FunctionResult) -> dict[Outcome, int]:
    """Return how many of a function's answers have which outcome, the worst first."""
    counted = Counter(each.outcome for each in item.judged)
    return {outcome: counted[outcome] for outcome in Outcome if counted[outcome]}
