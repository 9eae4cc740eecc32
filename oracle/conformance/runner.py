"""Ask libraries, several at a time, and collect what they answer; judging comes afterwards.

Collecting runs in threads that wait for child processes; judging runs in the caller's thread,
since ball arithmetic works at a precision that threads would share.
"""

from __future__ import annotations

import os
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import dataclass, field
from pathlib import Path

from dporacle.conformance import environments
from dporacle.conformance.cases import Case, cases_for
from dporacle.conformance.judge import Answer, Kind, Verdict, judge
from dporacle.conformance.libraries import SELF, Library
from dporacle.conformance.process import AdapterDiedError, AdapterHungError, AdapterProcess
from dporacle.conformance.protocol import Capabilities, Function, ProtocolError

__all__ = [
    "FunctionResult",
    "Limits",
    "Result",
    "Target",
    "collect_and_judge",
    "command_target",
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
class Limits:
    """How much patience the judge has.

    Attributes:
        request: seconds for one answer.
        start: seconds for an adapter to import its library.
        function: seconds for all the cases of one function.
        hangs: hangs after which a function is not asked any more; already after two hangs at
            one value of an argument, and no answer there, that value is not asked any more.
        deaths: the same for crashes of the process and breaches of the protocol.
    """

    request: float = 5.0
    start: float = 120.0
    function: float = 60.0
    hangs: int = 8
    deaths: int = 20


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


Progress = Callable[[str, str, int, int], None]
"""Called with the target's name, what it does, how many cases are done, and of how many."""


def library_target(library: Library) -> Target:
    """Return the target for a known library, in an environment of its own."""

    def prepare() -> Sequence[str]:
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
) -> list[Result]:
    """Ask every target everything and judge it.

    Args:
        targets: what to judge.
        limits: how much patience to have.
        jobs: how many targets to run at a time.
        progress: told of each step, from several threads.
        filter_cases: which cases to ask; all by default.

    Returns:
        One result per target, in the order of the targets.
    """
    results: dict[int, Result] = {}
    stopping = threading.Event()
    with ThreadPoolExecutor(max_workers=max(1, jobs)) as pool:
        waiting = {
            pool.submit(_collect, target, limits, progress, filter_cases, stopping): index
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


@dataclass
class _Collected:
    """Answers that wait for their verdicts."""

    result: Result
    answers: list[tuple[Function, list[tuple[Case, Answer]]]] = field(default_factory=list)

    def judged(self) -> Result:
        for function, pairs in self.answers:
            item = FunctionResult(function)
            self.result.functions.append(item)
            for case, answer in pairs:
                try:
                    item.verdicts.append(judge(case, answer))
                except ArithmeticError as error:  # no proof, no verdict: the run is incomplete
                    self.result.failure = f"{case.id} cannot be judged: {error}"
        return self.result


def _collect(
    target: Target,
    limits: Limits,
    progress: Progress,
    wanted: Callable[[Case], bool],
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
            with AdapterProcess(command, environment=environment, directory=directory) as child:
                _converse(child, target, limits, progress, wanted, collected, stopping)
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
    child: AdapterProcess,
    target: Target,
    limits: Limits,
    progress: Progress,
    wanted: Callable[[Case], bool],
    collected: _Collected,
    stopping: threading.Event,
) -> None:
    progress(target.name, "starting", 0, 0)
    capabilities = child.start(timeout=limits.start)
    collected.result.capabilities = capabilities
    plan = [
        (function, [case for case in cases_for(function) if wanted(case)])
        for function in capabilities.functions
    ]
    total = sum(len(cases) for _, cases in plan)
    done = 0
    for function, cases in plan:
        asked = _Asking(child, function, limits)
        pairs: list[tuple[Case, Answer]] = []
        collected.answers.append((function, pairs))
        for case in cases:
            if stopping.is_set():
                return
            pairs.append((case, asked.ask(case)))
            done += 1
            progress(target.name, function.name, done, total)
    child.stop()


class _Asking:
    """The questions to one function, until its share of patience is used up."""

    def __init__(self, child: AdapterProcess, function: Function, limits: Limits) -> None:
        self._child = child
        self._function = function
        self._limits = limits
        self._hangs = self._deaths = 0
        self._spent = 0.0
        self._hung_at: Counter[tuple[str, float]] = Counter()
        self._answered_at: set[tuple[str, float]] = set()

    def ask(self, case: Case) -> Answer:
        if why := self._enough(case):
            return Answer(kind=Kind.NOT_ASKED, message=f"not asked: {why}")
        limits = self._limits
        if not self._child.running:
            try:
                self._child.start(timeout=limits.start)
            except (AdapterDiedError, AdapterHungError, ProtocolError) as error:
                self._deaths += 1
                return Answer(kind=Kind.DIED, message=f"does not start again: {error}")
        begun = time.monotonic()
        answer = self._request(case)
        seconds = time.monotonic() - begun
        self._spent += seconds
        if answer.kind is Kind.HUNG:
            self._hung_at.update(case.arguments.items())
        else:
            self._answered_at.update(case.arguments.items())
        return Answer(
            kind=answer.kind,
            value=answer.value,
            message=answer.message,
            seconds=round(seconds, 6),
        )

    def _enough(self, case: Case) -> str:
        """Return why this case is not worth another wait, or nothing."""
        limits = self._limits
        if self._hangs >= limits.hangs:
            return f"the function hung {self._hangs} times"
        if self._deaths >= limits.deaths:
            return f"the function crashed its process {self._deaths} times"
        if self._spent >= limits.function:
            return f"the function's {limits.function:g} s were used up"
        for name, value in case.arguments.items():
            if self._hung_at[name, value] >= 2 and (name, value) not in self._answered_at:
                return f"it hung twice at {name}={value!r}"
        return ""

    def _request(self, case: Case) -> Answer:
        arguments: dict[str, float] = {
            name: case.arguments[name] for name in self._function.arguments
        }
        try:
            reply = self._child.run(self._function.name, arguments, timeout=self._limits.request)
        except AdapterHungError as error:
            self._hangs += 1
            return Answer(kind=Kind.HUNG, message=str(error))
        except AdapterDiedError as error:
            self._deaths += 1
            return Answer(kind=Kind.DIED, message=str(error))
        except ProtocolError as error:
            self._deaths += 1
            return Answer(kind=Kind.BROKE_PROTOCOL, message=str(error))
        if reply.value is not None:
            return Answer(kind=Kind.VALUE, value=reply.value)
        for kind, message in (
            (Kind.REFUSED, reply.refused),
            (Kind.ERROR, reply.error),
            (Kind.SKIPPED, reply.skip),
        ):
            if message is not None:
                return Answer(kind=kind, message=_printable(message))
        raise AssertionError("a reply has one of its four parts")


def _printable(text: str) -> str:
    """Return an adapter's text without control characters, so that it cannot move the cursor."""
    return "".join(c if c.isprintable() else " " for c in text)[:500]
