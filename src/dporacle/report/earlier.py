"""What earlier runs found, as inputs that the next run asks again: from records, or from a run."""

from collections.abc import Iterable, Iterator
from pathlib import Path

from dporacle.conformance.ask.earlier import MOST, Earlier, EarlierInput
from dporacle.conformance.grade.runs import MAX_BYTES, Document
from dporacle.conformance.grade.runs import read as read_run
from dporacle.conformance.judge.outcomes import SILENT, UNSAFE, JudgedCase, Outcome
from dporacle.report import history
from dporacle.report.history import MAIN, Record

_TOLD = frozenset({*UNSAFE, *SILENT, Outcome.LOOSE})
"""What a grade is made of; an invalid input that gets a number makes none."""

_Found = tuple[tuple[str, str, str], JudgedCase]


def read(path: Path) -> Earlier:
    """Return what was found by the runs of a folder of records, or by that of a run's document.

    Raises:
        OSError: if it cannot be read.
        ValueError: naming the file, if it is neither.
    """
    if path.is_dir():
        return found(of_records(history.load(path)))
    with path.open("rb") as file:
        data = file.read(MAX_BYTES + 1)
    try:
        return found(of_run(read_run(data)))
    except ValueError as error:
        raise ValueError(f"{path}: {error}") from None


def found(cases: Iterable[_Found]) -> Earlier:
    """Return the inputs of findings by what they are about, the gravest first."""
    by_function: dict[tuple[str, str, str], list[JudgedCase]] = {}
    for key, case in cases:
        if case.outcome in _TOLD:
            by_function.setdefault(key, []).append(case)
    return {
        key: [
            EarlierInput(case.arguments, case.flags, hung=case.outcome is Outcome.HANG)
            for case in sorted(all_, key=_gravity)
        ]
        for key, all_ in by_function.items()
    }


def of_records(records: Iterable[Record]) -> Iterator[_Found]:
    """Yield the findings that records keep, with the library, the function and the quantity."""
    for record in reversed([*records]):
        for row in record.rows:
            key = row.library.removesuffix(MAIN), row.function, row.quantity
            for each in (row.everyday, row.elsewhere):
                if each is not None:
                    yield key, each.case


def of_run(run: Document) -> Iterator[_Found]:
    """Yield the gravest answers of a run, with the library, the function and the quantity.

    Those to everyday inputs and to others, so that neither crowd the others out.
    """
    for target in run.targets:
        for item in target.functions:
            key = target.called, item.function.name, item.function.quantity
            for everyday in (True, False):
                told = (v for v in item.judged if v.outcome in _TOLD and v.everyday is everyday)
                for case in sorted(told, key=_gravity)[: MOST // 2]:
                    yield key, case


def _gravity(case: JudgedCase) -> tuple[int, float]:
    rank = -1 if case.level is None else case.level.rank
    return -rank, -(case.worst_harm if case.unsafe else case.size)


__all__ = ["found", "of_records", "of_run", "read"]
