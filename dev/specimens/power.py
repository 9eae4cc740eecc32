"""Run the certified vectors against the specimens: who is convicted, and by which flags."""

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import msgspec

from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import case_of
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome, judge
from dporacle.dev.specimens.correct import CORRECT
from dporacle.dev.specimens.faulty import FAULTY
from dporacle.dev.specimens.specimen import EndlessLoopError, Specimen
from dporacle.vectors import GROUPS, Refusal, Vector, VectorFile, load

_REFUSALS = (ValueError, TypeError, NotImplementedError)
_COMPANIONS = 3


@dataclass(slots=True)
class Trial:
    """What the vectors of its function found in one specimen."""

    specimen: Specimen
    asked: int = 0
    convictions: list[JudgedCase] = field(default_factory=list)

    @property
    def flags(self) -> Counter[str]:
        """How many convicting cases have each flag."""
        return Counter(flag for each in self.convictions for flag in each.flags)

    @property
    def results(self) -> Counter[Outcome]:
        """How many convicting cases ended in each way."""
        return Counter(each.outcome for each in self.convictions)

    @property
    def as_expected(self) -> bool:
        """Whether a faulty one is convicted by each expected flag, and any other is not.

        What is true as a limit is no fault for the judge.
        """
        if not self.specimen.fault or self.specimen.limit:
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
        if not _only_limits(file, flag)
    }
    return Report(tuple(trials), convicts)


def _only_limits(file: VectorFile, flag: str) -> bool:
    """Whether every case with a flag is to be refused, and has an answer that is true as a limit.

    Who forgets to refuse it mostly gives that answer.
    """
    cases: tuple[Vector | Refusal, ...] = (*file.vectors, *file.refusals)
    return all(case_of(file, each).acceptable for each in cases if flag in each.flags)


def try_specimen(specimen: Specimen, file: VectorFile) -> Trial:
    """Ask one specimen the vectors of its function."""
    trial = Trial(specimen)
    calibrator: Any = specimen.make()
    if specimen.batch:
        cases = _batches(calibrator, file)
    else:
        cases = _singles(calibrator, file, specimen.every)
    for judged in cases:
        trial.asked += 1
        if convicts(judged):
            trial.convictions.append(judged)
    return trial


def _singles(calibrator: Any, file: VectorFile, every: int) -> Iterator[JudgedCase]:
    both: tuple[Vector | Refusal, ...] = (*file.vectors[::every], *file.refusals)
    for vector in both:
        yield _judged(file, vector, lambda given: calibrator(**given))


def _batches(calibrator: Any, file: VectorFile) -> Iterator[JudgedCase]:
    """Ask one input at a time, and what is to be refused together with some that are not.

    A batch may be refused as a whole; whatever it answers to a valid input must be right.
    """
    for vector in file.vectors:
        yield _judged(file, vector, lambda given: calibrator([given])[0])
    companions = [each for each in file.vectors if "core" in each.flags][:_COMPANIONS]
    for refusal in file.refusals:
        refused = judge(case_of(file, refusal), Answer(end=End.REFUSED), told=False)
        try:
            answers = calibrator([_numbers(refusal), *(each.inputs for each in companions)])
        except Exception:
            yield refused
            continue
        beside = (
            judge(case_of(file, each), Answer(end=End.VALUE, value=float(answer)), told=False)
            for each, answer in zip(companions, answers[1:], strict=True)
        )
        wrong = next((each for each in beside if convicts(each)), refused)
        yield msgspec.structs.replace(wrong, case=refused.case, flags=refused.flags)


def _numbers(case: Vector | Refusal) -> dict[str, float]:
    return {
        name: float(value) if isinstance(value, str) else value
        for name, value in case.inputs.items()
    }


def _judged(file: VectorFile, case: Vector | Refusal, ask: Any) -> JudgedCase:
    try:
        answer = Answer(end=End.VALUE, value=_sent(ask(_numbers(case))))
    except EndlessLoopError:
        answer = Answer(end=End.HUNG)
    except _REFUSALS as error:
        answer = Answer(end=End.REFUSED, message=str(error))
    except Exception as error:
        answer = Answer(end=End.ERROR, message=str(error))
    return judge(case_of(file, case), answer, told=False)


def _sent(answer: Any) -> float | str:
    """Return an answer as an adapter sends it."""
    number = float(answer)
    return number if math.isfinite(number) else str(number)


def convicts(case: JudgedCase) -> bool:
    """Whether an answer convicts: it harms, be it in its last digits, or it is loose."""
    return case.flawed or case.outcome is Outcome.LOOSE
