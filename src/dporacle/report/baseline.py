"""What fails in a conformance run, as known failures."""

from collections.abc import Iterator

from dporacle.conformance.ask.fresh import worked
from dporacle.conformance.grade import known_failures
from dporacle.conformance.grade.functions import NOT_JUDGED, OF_NO_USE
from dporacle.conformance.grade.known_failures import Entry, Failure
from dporacle.conformance.grade.runs import Document, FunctionResult, Result
from dporacle.conformance.judge.harm import level_of
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome


def baseline(document: Document, *, reason: str, each: bool = True) -> list[Entry]:
    """Return the entries that excuse what fails in a run, and nothing worse.

    Args:
        document: the run.
        reason: why, for all of them.
        each: whether each vector gets an entry of its own; else each flag does.
    """
    functions = [(target, item) for target in document.targets for item in target.functions]
    fresh = {
        _where(target, item): known_failures.counted(
            (case.flags, _fails(case, document), _level(case)) for case in item.judged if case.asked
        )
        for target, item in functions
    }
    failures = (
        failure for target, item in functions for failure in _failures(document, target, item)
    )
    return known_failures.baseline(failures, reason=reason, each=each, fresh=fresh)


def _where(target: Result, item: FunctionResult) -> tuple[str, str, str]:
    return target.called, item.function.name, item.function.quantity


def _failures(document: Document, target: Result, item: FunctionResult) -> Iterator[Failure]:
    where = _where(target, item)
    for case in item.judged:
        if _fails(case, document):
            identifier = case.case.partition("/")[2]
            yield Failure(where, identifier, case.flags, case.outcome, _level(case))
    for what in (OF_NO_USE, NOT_JUDGED):
        if what in item.shortcomings:
            yield Failure(where, "", (), what, None)


def _level(case: JudgedCase) -> Level | None:
    return level_of(case.outcome, Level(case.level) if case.level else None)


def _fails(case: JudgedCase, document: Document) -> bool:
    """Whether a case fails, or is looser than the run's gate allows."""
    if _level(case) is not None:
        return True
    most = document.gate.max_extra
    loose = case.outcome == Outcome.CONSERVATIVE and worked(case.flags)
    return most is not None and loose and (case.excess is None or abs(case.excess) > most)
