"""Run the certified vectors against the specimens: who is convicted, and by which flags."""

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from dporacle.specimens.correct import CORRECT
from dporacle.specimens.faulty import FAULTY
from dporacle.specimens.specimen import EndlessLoopError, Specimen
from dporacle.vectors import GROUPS, Refusal, Vector, VectorFile, load
from dporacle.vectors.check import UNSAFE, CheckResult, check, check_refusal

EXCESS = 0.01
"""A specimen is loose, and convicted, where it is on the safe side by more than this."""

_REFUSALS = (ValueError, TypeError, NotImplementedError)
_COMPANIONS = 3


@dataclass(frozen=True, slots=True)
class Conviction:
    """One case that convicts a specimen."""

    case: str
    flags: tuple[str, ...]
    result: CheckResult


@dataclass(slots=True)
class Trial:
    """What the vectors of its function found in one specimen."""

    specimen: Specimen
    asked: int = 0
    convictions: list[Conviction] = field(default_factory=list)

    @property
    def flags(self) -> Counter[str]:
        """How many convicting cases have each flag."""
        return Counter(flag for each in self.convictions for flag in each.flags)

    @property
    def results(self) -> Counter[CheckResult]:
        """How many convicting cases ended in each way."""
        return Counter(each.result for each in self.convictions)

    @property
    def as_expected(self) -> bool:
        """Whether a correct one is not accused, and a faulty one is by each expected flag."""
        if not self.specimen.fault:
            return not self.convictions
        return bool(self.convictions) and set(self.specimen.expected) <= set(self.flags)


@dataclass(frozen=True, slots=True)
class Report:
    """The power of the vectors.

    Attributes:
        trials: one per specimen.
        convicts: (function, flag) -> names of the faulty specimens that it convicts, those
            with the fewest convicting cases first: what only this flag finds stands in front.
    """

    trials: tuple[Trial, ...]
    convicts: Mapping[tuple[str, str], tuple[str, ...]]

    @property
    def idle(self) -> tuple[str, ...]:
        """Flags of a function, as `function/flag`, that convict no faulty specimen."""
        return tuple(
            f"{function}/{flag}" for (function, flag), names in self.convicts.items() if not names
        )

    @property
    def escaped(self) -> tuple[str, ...]:
        """Faulty specimens that are not convicted, or not by a flag that should."""
        return tuple(t.specimen.name for t in self.trials if t.specimen.fault and not t.as_expected)

    @property
    def accused(self) -> tuple[str, ...]:
        """Correct specimens that are convicted."""
        return tuple(t.specimen.name for t in self.trials if not t.specimen.fault and t.convictions)


def power(specimens: Sequence[Specimen] = (*FAULTY, *CORRECT)) -> Report:
    """Return what the vectors find in these specimens."""
    files = {name: load(name) for name in {each.function for each in specimens}}
    return report_of([try_specimen(each, files[each.function]) for each in specimens])


def report_of(trials: Sequence[Trial]) -> Report:
    """Return what was found in these trials."""
    judged = {trial.specimen.function for trial in trials}
    files = {function: load(function) for function in GROUPS if function in judged}
    narrow = sorted(trials, key=lambda trial: len(trial.convictions))
    convicts = {
        (function, flag): tuple(
            trial.specimen.name
            for trial in narrow
            if trial.specimen.fault and trial.specimen.function == function and trial.flags[flag]
        )
        for function, file in files.items()
        for flag in file.notes
    }
    return Report(tuple(trials), convicts)


def try_specimen(specimen: Specimen, file: VectorFile) -> Trial:
    """Ask one specimen the vectors of its function."""
    trial = Trial(specimen)
    calibrator: Any = specimen.make()
    if specimen.batch:
        cases = _batches(calibrator, file)
    else:
        cases = _singles(calibrator, file, specimen.every)
    for case, result in cases:
        trial.asked += 1
        if result in UNSAFE:
            trial.convictions.append(Conviction(case.id, case.flags, result))
    return trial


_Judged = Iterator[tuple[Vector | Refusal, CheckResult]]


def _singles(calibrator: Any, file: VectorFile, every: int) -> _Judged:
    for vector in file.vectors[::every]:
        yield vector, _answered(lambda v=vector: calibrator(**v.inputs), vector, file)
    for refusal in file.refusals:
        yield refusal, _refused(lambda r=refusal: calibrator(**_numbers(r)), refusal)


def _batches(calibrator: Any, file: VectorFile) -> _Judged:
    """Ask one input at a time, and what is to be refused together with some that are not.

    A batch may be refused as a whole; whatever it answers to a valid input must be right.
    """
    for vector in file.vectors:
        yield vector, _answered(lambda v=vector: calibrator([v.inputs])[0], vector, file)
    companions = [each for each in file.vectors if "core" in each.flags][:_COMPANIONS]
    for refusal in file.refusals:
        try:
            answers = calibrator([_numbers(refusal), *(each.inputs for each in companions)])
        except Exception:
            yield refusal, CheckResult.REFUSES_INVALID
            continue
        results = [
            check(file, companion, answer, excess=EXCESS).result
            for companion, answer in zip(companions, answers[1:], strict=True)
        ]
        worst = next((each for each in results if each in UNSAFE), CheckResult.REFUSES_INVALID)
        yield refusal, worst


def _numbers(refusal: Refusal) -> dict[str, float]:
    return {
        name: float(value) if isinstance(value, str) else value
        for name, value in refusal.inputs.items()
    }


def _answered(ask: Any, vector: Vector, file: VectorFile) -> CheckResult:
    try:
        answer = ask()
    except EndlessLoopError:
        return CheckResult.HANG
    except _REFUSALS:
        return CheckResult.REFUSES_VALID
    except Exception:
        # Where no float64 is the answer, any error says so.
        return CheckResult.REFUSES_INVALID if vector.float64 is None else CheckResult.CRASH
    return check(file, vector, answer, excess=EXCESS).result


def _refused(ask: Any, refusal: Refusal) -> CheckResult:
    try:
        answer = ask()
    except EndlessLoopError:
        return CheckResult.HANG
    except Exception:
        return CheckResult.REFUSES_INVALID
    return check_refusal(refusal, answer).result
