"""Does a gate lie? Libraries with known failures, unchanged in many runs, and made worse in one.

A baseline is made of one run of each, as `dporacle baseline` makes it of the run's document. Every
further run has fresh inputs of its own. Who did not change has to pass in all of them, and who was
made worse has to fail, with what is new named.
"""

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from dporacle import fast
from dporacle.common.exit_status import ExitStatus
from dporacle.conformance.ask.limits import Patience
from dporacle.conformance.ask.plan import Fresh
from dporacle.conformance.grade.functions import Gate
from dporacle.conformance.grade.known_failures import KnownFailures, read, write
from dporacle.conformance.grade.runs import TargetResult, judgement
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.run.runner import judge_child
from dporacle.dev.specimens.serve import InProcess
from dporacle.dev.specimens.specimen import Calibrator, Specimen
from dporacle.report.baseline import baseline

_LIMITS = Patience(request=3.0, start=60.0)
_ROUNDS = 12
_STRICT = Gate(fail_on=Level.INVALID)  # so that each change makes something fail


@dataclass(frozen=True)
class SpecimenLibrary:
    """Somebody with known failures.

    Attributes:
        name: what is wrong with it.
        quantity: what it computes.
        answer: how.
        worse: what is changed -> the changed calibrator.
    """

    name: str
    quantity: str
    answer: Calibrator
    worse: Mapping[str, Calibrator]


def _classical(constant: float = 1.25, factor: float = 2.0) -> Calibrator:
    def sigma(epsilon: float, delta: float, sensitivity: float) -> float:
        if not (0 < epsilon < math.inf and 0 < delta < 1 and 0 < sensitivity < math.inf):
            raise ValueError("out of the domain")
        inside = max(0.0, math.log(constant) - math.log(delta))
        return sensitivity * math.sqrt(factor * inside) / epsilon

    return sigma


def _scaled(answer: Calibrator, factor: float, *, where: Callable[..., bool]) -> Calibrator:
    """Return a calibrator whose answers are too small by a factor where somebody says so."""

    def found(**given: float) -> float:
        value = float(answer(**given))
        return value * factor if where(**given) else value

    return found


def _nan(answer: Calibrator, *, where: Callable[..., bool]) -> Calibrator:
    def found(**given: float) -> float:
        return math.nan if where(**given) else float(answer(**given))

    return found


def _dies(answer: Calibrator, *, where: Callable[..., bool]) -> Calibrator:
    def found(**given: float) -> float:
        if where(**given):
            raise RuntimeError("an index is out of range")
        return float(answer(**given))

    return found


def _unchecked(answer: Calibrator) -> Calibrator:
    """Return a calibrator that takes the size of what it is given, and so refuses little."""

    def found(**given: float) -> float:
        own = {name: abs(value) for name, value in given.items()}
        own |= {"delta": min(own["delta"], 0.5)} if "delta" in own else {}
        own |= {"alpha": min(own["alpha"], 0.5)} if "alpha" in own else {}
        return float(answer(**own))

    return found


def _everywhere(**given: float) -> bool:
    return True


def _first(**given: float) -> float:
    return next(iter(given.values()))


def _worse(answer: Calibrator) -> dict[str, Calibrator]:
    """Return eight ways to make a calibrator worse."""
    return {
        "10 % too small everywhere": _scaled(answer, 0.9, where=_everywhere),
        "0.1 % too small everywhere": _scaled(answer, 0.999, where=_everywhere),
        "1e-6 too small everywhere": _scaled(answer, 1 - 1e-6, where=_everywhere),
        "halved where the first argument is 1 or 1e-5": _scaled(
            answer, 0.5, where=lambda **given: _first(**given) in (1.0, 1e-5)
        ),
        "1 % too small below 1/2": _scaled(
            answer, 0.99, where=lambda **given: _first(**given) < 0.5
        ),
        "NaN below 1e-3": _nan(answer, where=lambda **given: _first(**given) < 1e-3),
        "an unexpected error between 1e-6 and 0.2": _dies(
            answer, where=lambda **given: 1e-6 < _first(**given) < 0.2
        ),
        "does not look whether the input is valid": _unchecked(answer),
    }


def _nearly(answer: Callable[..., object]) -> Calibrator:
    """Return a calibrator that is low by some last places, as those that stop early are."""

    def found(**given: float) -> float:
        return float(answer(**given)) * (1 - 2e-14)  # type: ignore[arg-type]

    return found


def _libraries() -> Iterator[SpecimenLibrary]:
    classical = {
        f"{constant:g} for 1.25": _classical(constant) for constant in (1.1, 1.05, 1.0, 0.8, 0.5)
    }
    classical |= {f"{factor:g} for 2": _classical(factor=factor) for factor in (1.9, 1.5, 1.0)}
    yield SpecimenLibrary("the classical σ for every ε", "calibrate_sigma", _classical(), classical)
    nearest = _nearly(fast.calibrate_sigma)
    yield SpecimenLibrary(
        "σ that is low in the last places", "calibrate_sigma", nearest, _worse(nearest)
    )
    large = _dies(_nearly(fast.epsilon_at_delta), where=lambda **given: given["sigma"] < 0.05)
    yield SpecimenLibrary(
        "ε with an error below σ = 0.05", "epsilon_at_delta", large, _worse(large)
    )
    rough = _scaled(fast.delta_at_epsilon, 1 - 1e-4, where=lambda **given: given["epsilon"] < 0.05)
    yield SpecimenLibrary("δ that is low at small ε", "delta_at_epsilon", rough, _worse(rough))
    careless = _nan(_nearly(fast.accuracy), where=lambda **given: given["alpha"] < 1e-12)
    yield SpecimenLibrary("an accuracy with NaN at tiny α", "accuracy", careless, _worse(careless))


LIBRARIES = tuple(_libraries())
"""Five, with eight changes each."""


@dataclass(frozen=True)
class GateOutcome:
    """What a gated run said.

    Attributes:
        status: its exit status.
        new: how many cases it named as new.
        words: the reasons, where it failed.
    """

    status: ExitStatus
    new: int
    words: str


@dataclass
class GateTrial:
    """One library behind its gate.

    Attributes:
        library: whose.
        entries: how many entries its baseline has.
        unchanged: what each run of it said.
        worse: change -> what a run of it said.
    """

    library: SpecimenLibrary
    entries: int = 0
    unchanged: list[GateOutcome] = field(default_factory=list)
    worse: dict[str, GateOutcome] = field(default_factory=dict)

    @property
    def passed(self) -> int:
        """How many unchanged runs passed."""
        return sum(each.status is ExitStatus.FINE for each in self.unchanged)

    @property
    def caught(self) -> int:
        """How many changes failed, with something that is new."""
        return sum(
            each.status is ExitStatus.FINDING and each.new > 0 for each in self.worse.values()
        )


def trials(runs: int, seed: int) -> Iterator[GateTrial]:
    """Yield what becomes of each library in so many unchanged runs, and of each change."""
    for library in LIBRARIES:
        first = _judged(library, library.answer, seed)
        text = write(baseline(judgement([first], _STRICT), reason="known"))
        trial = GateTrial(library, entries=text.count("[[known]]"))
        for number in range(1, runs + 1):
            trial.unchanged.append(_gated(_judged(library, library.answer, seed + number), text))
        for index, (change, answer) in enumerate(library.worse.items(), 1):
            trial.worse[change] = _gated(_judged(library, answer, seed + runs + index), text)
        yield trial


def _judged(library: SpecimenLibrary, answer: Calibrator, seed: int) -> TargetResult:
    specimen = Specimen(name="known", function=library.quantity, fault="", make=lambda: answer)
    fresh = Fresh(rounds=_ROUNDS, seed=seed)
    result = judge_child(InProcess(specimen), "known", _LIMITS, lambda case: True, fresh)
    result.functions = [each for each in result.functions if each.function.name == "known"]
    return result


def _gated(result: TargetResult, text: str) -> GateOutcome:
    found = judgement([result], _STRICT, KnownFailures(read(text.encode())))
    (standing,) = (each for *_, each in found.graded)
    expired = [f"expired: {entry}" for entry in found.expired]
    words = "; ".join([*standing.reasons[:3], *expired[:1]])
    return GateOutcome(ExitStatus(found.status), len(standing.new), words)
