"""What fails in a conformance run, as known failures."""

from collections.abc import Iterator

from dporacle.conformance.grade import known_failures
from dporacle.conformance.grade.functions import NOT_JUDGED, OF_NO_USE, fails
from dporacle.conformance.grade.known_failures import Failure, KnownCases
from dporacle.conformance.grade.runs import Document, FunctionResult, TargetResult


def baseline(document: Document, *, reason: str, each: bool = True) -> list[KnownCases]:
    """Return the entries that excuse what fails in a run, and nothing worse.

    Args:
        document: the run.
        reason: why, for all of them.
        each: whether each vector gets an entry of its own; else each flag does.
    """
    functions = [(target, item) for target in document.targets for item in target.functions]
    fresh = {
        _where(target, item): known_failures.counted(
            (case.flags, fails(case, document.gate), case.level)
            for case in item.judged
            if case.asked
        )
        for target, item in functions
    }
    failures = (
        failure for target, item in functions for failure in _failures(document, target, item)
    )
    return known_failures.baseline(failures, reason=reason, each=each, fresh=fresh)


def _where(target: TargetResult, item: FunctionResult) -> tuple[str, str, str]:
    return target.called, item.function.name, item.function.quantity


def _failures(document: Document, target: TargetResult, item: FunctionResult) -> Iterator[Failure]:
    where = _where(target, item)
    for case in item.judged:
        if fails(case, document.gate):
            identifier = case.case.partition("/")[2]
            yield Failure(where, identifier, case.flags, case.outcome, case.level, case.harm)
    for what in (OF_NO_USE, NOT_JUDGED):
        if what in item.shortcomings:
            yield Failure(where, "", (), what, None)
