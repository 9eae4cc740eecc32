"""Ask libraries, several at a time, and collect what they answer; judging comes afterwards.

Collecting runs in threads that wait for child processes; judging runs in the caller's thread,
since ball arithmetic works at a precision that threads would share.
"""

from __future__ import annotations

import math
import os
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field, replace
from pathlib import Path

from dporacle.conformance import environments, protocol, relations
from dporacle.conformance.asking import Asking, Child, Limits
from dporacle.conformance.behaviour import Relation, chained, random_cases
from dporacle.conformance.cases import EVERYDAY, Case, cases_for
from dporacle.conformance.judge import Answer, Kind, Verdict, judge
from dporacle.conformance.libraries import SELF, Library
from dporacle.conformance.process import AdapterDiedError, AdapterHungError, AdapterProcess
from dporacle.conformance.protocol import Capabilities, Function, ProtocolError

__all__ = [
    "Fresh",
    "FunctionResult",
    "Limits",
    "Result",
    "Target",
    "collect_and_judge",
    "command_target",
    "judge_child",
    "library_target",
]

_ADAPTERS = Path(__file__).parent / "adapters"

# What a library's process gets to see of our environment: enough to run, no secrets.
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "LD_LIBRARY_PATH")
_SET = {
    "OMP_NUM_THREADS": "1",  # thread pools cost start-up time and address space
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
}


@dataclass(frozen=True)
class Fresh:
    """Inputs made anew in a run.

    Attributes:
        rounds: how many rounds of them for a function; a slow one gets one.
        seed: from which they follow.
    """

    rounds: int = 0
    seed: int = 0


@dataclass(frozen=True)
class Target:
    """Something to be judged.

    Attributes:
        name: what it is called in the table.
        prepare: makes what it needs, and returns the adapter's command.
        own_environment: whether the adapter sees all of our environment variables.
    """

    name: str
    prepare: Callable[[], Sequence[str]]
    own_environment: bool = False


@dataclass
class FunctionResult:
    """The verdicts on one function."""

    function: Function
    verdicts: list[Verdict] = field(default_factory=list)


@dataclass
class Result:
    """What is known of one target after the run.

    Attributes:
        name: what it was called.
        capabilities: what its adapter said, if it was started.
        functions: the verdicts.
        failure: why it could not be run, else empty.
        seconds: how long it took.
    """

    name: str
    capabilities: Capabilities | None = None
    functions: list[FunctionResult] = field(default_factory=list)
    failure: str = ""
    seconds: float = 0.0


_NOTHING_FRESH = Fresh()
_RESERVED = 10.0  # seconds

# Fresh inputs on which a function may hang; they must not use up the patience for the vectors.
_UNUSUAL = frozenset({"random-extreme", "random-edge", "random-nonsense"})

Progress = Callable[[str, str, int, int], None]
"""Called with the target's name, what it does, how many cases are done, and of how many."""


def library_target(library: Library) -> Target:
    """Return the target for a known library, in an environment of its own."""

    def prepare() -> Sequence[str]:
        if library.program:
            program = environments.program_for(library)
            return [str(program), str(_ADAPTERS / library.adapter)]
        python = sys.executable if library is SELF else str(environments.python_for(library))
        return [python, "-I", str(_ADAPTERS / "serve.py"), str(_ADAPTERS / library.adapter)]

    return Target(library.name, prepare)


def command_target(command: Sequence[str]) -> Target:
    """Return the target for any command that speaks the protocol."""
    return Target(" ".join(command), lambda: command, own_environment=True)


def collect_and_judge(
    targets: Sequence[Target],
    limits: Limits,
    *,
    jobs: int = 2,
    progress: Progress = lambda name, what, done, total: None,
    filter_cases: Callable[[Case], bool] = lambda case: True,
    fresh: Fresh = _NOTHING_FRESH,
) -> list[Result]:
    """Ask every target everything and judge it.

    Args:
        targets: what to judge.
        limits: how much patience to have.
        jobs: how many targets to run at a time.
        progress: told of each step, from several threads.
        filter_cases: which vectors to ask; all by default.
        fresh: which inputs to ask besides; none by default.

    Returns:
        One result per target, in the order of the targets.
    """
    results: dict[int, Result] = {}
    stopping = threading.Event()
    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        waiting = {
            pool.submit(_collect, target, limits, progress, filter_cases, fresh, stopping): index
            for index, target in enumerate(targets)
        }
        try:
            for future in as_completed(waiting):
                collected = future.result()
                results[waiting[future]] = collected.judged()
        except BaseException:  # Ctrl-C: the threads end after the question that they wait for
            stopping.set()
            for future in waiting:
                future.cancel()
            raise
    return [results[index] for index in range(len(targets))]


def judge_child(
    child: Child, name: str, limits: Limits, wanted: Callable[[Case], bool], fresh: Fresh
) -> Result:
    """Ask one child everything and judge it, in this thread.

    Raises:
        AdapterDiedError, AdapterHungError, ProtocolError: if it does not start.
    """
    collected = _Collected(Result(name))
    target = Target(name, lambda: ())
    _converse(
        child, target, limits, lambda *args: None, wanted, fresh, collected, threading.Event()
    )
    return collected.judged()


@dataclass
class _Answered:
    """What one function answered."""

    function: Function
    relations: list[Relation]
    pairs: list[tuple[Case, Answer]] = field(default_factory=list)


@dataclass
class _Collected:
    """Answers that wait for their verdicts."""

    result: Result
    answers: list[_Answered] = field(default_factory=list)

    def judged(self) -> Result:
        for answered in self.answers:
            item = FunctionResult(answered.function)
            self.result.functions.append(item)
            for case, answer in answered.pairs:
                try:
                    item.verdicts.append(judge(case, answer))
                except ArithmeticError as error:  # no proof, no verdict: the run is incomplete
                    self.result.failure = f"{case.id} cannot be judged: {error}"
            item.verdicts = relations.consistent(item.verdicts, answered.relations)
        verdicts = [verdict for item in self.result.functions for verdict in item.verdicts]
        silent = all(verdict.conformant and verdict.answer is None for verdict in verdicts)
        if verdicts and silent and not self.result.failure:  # nobody is conformant by silence
            self.result.failure = f"no value came in answer to {len(verdicts)} questions"
        return self.result


def _collect(
    target: Target,
    limits: Limits,
    progress: Progress,
    wanted: Callable[[Case], bool],
    fresh: Fresh,
    stopping: threading.Event,
) -> _Collected:
    begun = time.monotonic()
    collected = _Collected(Result(target.name))
    try:
        progress(target.name, "preparing", 0, 0)
        command = target.prepare()
        with tempfile.TemporaryDirectory(prefix="dporacle-") as folder:
            environment = None
            if not target.own_environment:
                environment = {k: os.environ[k] for k in _PASSED_ON if k in os.environ} | _SET
            directory = None if target.own_environment else Path(folder)
            with AdapterProcess(
                command,
                environment=environment,
                directory=directory,
                memory_limit=limits.memory,
            ) as child:
                _converse(child, target, limits, progress, wanted, fresh, collected, stopping)
    except environments.EnvironmentBuildError as error:
        collected.result.failure = str(error)
    except (AdapterDiedError, AdapterHungError, ProtocolError) as error:
        collected.result.failure = f"the adapter does not start: {error}"
    except OSError as error:
        collected.result.failure = f"the adapter cannot be run: {error}"
    collected.result.seconds = time.monotonic() - begun
    progress(target.name, "failed" if collected.result.failure else "done", 0, 0)
    return collected


def _converse(
    child: Child,
    target: Target,
    limits: Limits,
    progress: Progress,
    wanted: Callable[[Case], bool],
    fresh: Fresh,
    collected: _Collected,
    stopping: threading.Event,
) -> None:
    progress(target.name, "starting", 0, 0)
    capabilities = child.start(timeout=limits.start)
    collected.result.capabilities = capabilities
    plan = []
    for function in capabilities.functions:
        rounds = min(1, fresh.rounds) if function.slow else fresh.rounds
        made, related = random_cases(function, seed=fresh.seed, rounds=rounds)
        cases = [case for case in cases_for(function) if wanted(case)]
        known = {case.id for case in cases}
        # A slow function is not asked every vector, but those that others are compared with.
        cases += {r.first.id: r.first for r in related if r.first.id not in known}.values()
        usual = sum(not EVERYDAY.isdisjoint(case.flags) for case in cases)  # they come first
        early = [case for case in made if _UNUSUAL.isdisjoint(case.flags)]
        late = [case for case in made if not _UNUSUAL.isdisjoint(case.flags)]
        ordered = [*cases[:usual], *early, *cases[usual:], *late]
        plan.append((_Answered(function, related), ordered))
    total = sum(len(cases) for _, cases in plan)
    done = 0
    # Calibrations come first: their answers are inputs for the other functions.
    plan.sort(key=lambda item: item[0].function.quantity != "calibrate_sigma")
    collected.answers += [answered for answered, _ in plan]
    end = time.monotonic() + limits.library
    gone = ""
    for index, (answered, cases) in enumerate(plan):
        function = answered.function
        # What the library's time leaves, but for a little for each function to come.
        left = end - time.monotonic() - _RESERVED * (len(plan) - index - 1)
        share = min(limits.function, max(left, _RESERVED))
        asked = Asking(child, function, replace(limits, function=round(share, 1)))
        if gone:
            message = f"not asked: the adapter does not start again: {gone}"
            answer = Answer(kind=Kind.NOT_ASKED, message=message)
            answered.pairs += [(case, answer) for case in cases]
            continue
        for pair in asked.answers([*cases, *_chain(function, collected.answers)]):
            if stopping.is_set():
                return
            answered.pairs.append(pair)
            done += 1
            progress(target.name, function.name, min(done, total), total)
        gone = asked.gone
    child.stop()


def _chain(function: Function, answers: Sequence[_Answered]) -> Iterator[Case]:
    """Yield the cases that put the library's own fresh σ into its δ and ε."""
    if function.quantity not in ("delta_at_epsilon", "epsilon_at_delta"):
        return
    takes = {"sensitivity"} & set(function.arguments)
    for answered in answers:
        if {"sensitivity"} & set(answered.function.arguments) != takes:
            continue
        for case, answer in answered.pairs:
            if case.quantity == "calibrate_sigma" and case.flags == ("random",):
                sigma = _positive(answer)
                if sigma is not None:
                    yield chained(function, case, sigma)


def _positive(answer: Answer) -> float | None:
    if answer.value is None:
        return None
    try:
        value = float(protocol.read_number(answer.value))
    except OverflowError:
        return None
    return value if 0 < value < math.inf else None
