"""Ask libraries, several functions at a time, and collect what they answer.

Collecting runs in threads that wait for child processes: each function of a known library in a
process of its own, so that two slow ones share the processors; all functions of any other adapter
in one, since what it keeps in mind is its own. Judging runs in the caller's thread, since ball
arithmetic works at a precision that threads would share. A library is judged when it is done, and
its trouble is its own.
"""

from __future__ import annotations

import contextlib
import heapq
import itertools
import math
import os
import queue
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from dporacle.conformance import environments, protocol, relations
from dporacle.conformance.asking import Asking, Child, Limits
from dporacle.conformance.behaviour import HARMLESS_RULES, Relation, chained, random_cases
from dporacle.conformance.cases import EVERYDAY, Case, cases_for
from dporacle.conformance.judge import Answer, End, JudgedCase, judge
from dporacle.conformance.libraries import SELF, Library
from dporacle.conformance.process import AdapterDiedError, AdapterHungError, AdapterProcess
from dporacle.conformance.protocol import Capabilities, Function, ProtocolError
from dporacle.conformance.quantities import QUANTITIES
from dporacle.vocabulary import SERVED, calibration_of

__all__ = [
    "Fresh",
    "FunctionResult",
    "Limits",
    "Result",
    "Target",
    "collect_and_judge",
    "command_target",
    "judge_child",
    "library_environment",
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
        apart: whether each function is asked in a process of its own.
        forks: whether the adapter can fork a worker for each start.
    """

    name: str
    prepare: Callable[[], Sequence[str]]
    own_environment: bool = False
    apart: bool = False
    forks: bool = False


@dataclass
class FunctionResult:
    """What one function answered, judged."""

    function: Function
    judged: list[JudgedCase] = field(default_factory=list)


@dataclass
class Result:
    """What is known of one target after the run.

    Attributes:
        name: what it was called.
        capabilities: what its adapter said, if it was started.
        functions: their answers, judged.
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

_SLOW_ROUNDS = 4  # for a slow function

Progress = Callable[[str, str, int, int], None]
"""Called with the target's name, what it does, how many cases are done, and of how many."""


def library_target(library: Library) -> Target:
    """Return the target for a known library, in an environment of its own."""

    def prepare() -> Sequence[str]:
        if library.program:
            program = environments.program_for(library)
            return [str(program), str(_ADAPTERS / library.adapter)]
        python = sys.executable if library is SELF else str(environments.python_for(library))
        # Not -I, which would also pass over what we set.
        serve = [python, "-P", "-s", str(_ADAPTERS / "serve.py")]
        return [*serve, str(_ADAPTERS / library.adapter)]

    forks = library.forks and not library.program
    return Target(library.name, prepare, apart=True, forks=forks)


def library_environment() -> dict[str, str]:
    """Return what a known library's process gets to see of our environment variables."""
    return {k: os.environ[k] for k in _PASSED_ON if k in os.environ} | _SET


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
    finished: Callable[[Result], None] = lambda result: None,
) -> list[Result]:
    """Ask every target everything and judge it.

    Args:
        targets: what to judge.
        limits: how much patience to have.
        jobs: how many functions to ask at a time.
        progress: told of each step, from several threads.
        filter_cases: which vectors to ask; all by default.
        fresh: which inputs to ask besides; none by default.
        finished: told of each result as soon as it is there, in this thread.

    Returns:
        One result per target, in the order of the targets.
    """
    work = _Work()
    inquiries = [
        _Inquiry(index, target, limits, progress, filter_cases, fresh, work)
        for index, target in enumerate(targets)
    ]
    for inquiry in inquiries:
        work.add(inquiry.index, inquiry.open)
    threads = [threading.Thread(target=work.run, daemon=True) for _ in range(max(1, jobs))]
    for thread in threads:
        thread.start()
    try:
        for _ in inquiries:
            inquiry = work.done.get()
            finished(inquiry.judged())
    finally:  # after Ctrl-C the threads end with the question that they wait for
        work.stop()
        for inquiry in inquiries:
            inquiry.close()
        for thread in threads:
            thread.join()
    return [inquiry.result for inquiry in inquiries]


def judge_child(
    child: Child, name: str, limits: Limits, wanted: Callable[[Case], bool], fresh: Fresh
) -> Result:
    """Ask one child everything and judge it, in this thread.

    Raises:
        AdapterDiedError, AdapterHungError, ProtocolError: if it does not start.
    """
    target = Target(name, lambda: ())
    inquiry = _Inquiry(0, target, limits, lambda *args: None, wanted, fresh, _Work())
    inquiry.plan(child.start(timeout=limits.start))
    inquiry.ask(child, inquiry.answered)
    return inquiry.judged()


class _Work:
    """What is to be done, the earlier targets first, by several threads."""

    def __init__(self) -> None:
        self._waiting: list[tuple[int, int, Callable[[], None]]] = []
        self._count = itertools.count()
        self._change = threading.Condition()
        self.stopping = False
        self.done: queue.SimpleQueue[_Inquiry] = queue.SimpleQueue()

    def add(self, rank: int, task: Callable[[], None]) -> None:
        with self._change:
            heapq.heappush(self._waiting, (rank, next(self._count), task))
            self._change.notify()

    def stop(self) -> None:
        with self._change:
            self.stopping = True
            self._change.notify_all()

    def run(self) -> None:
        """Do what is to be done until `stop`."""
        while True:
            with self._change:
                self._change.wait_for(lambda: self.stopping or bool(self._waiting))
                if self.stopping:
                    return
                _, _, task = heapq.heappop(self._waiting)
            task()


@dataclass
class _Answered:
    """What one function is asked, and what it answered.

    Attributes:
        function: the function.
        relations: what its answers must have to do with each other.
        usual: the vectors where people work.
        fresh: the fresh inputs where people work, of which a slow function is asked fewer.
        unusual: all the others.
        pairs: the questions and the answers.
    """

    function: Function
    relations: list[Relation]
    usual: list[Case]
    fresh: list[Case]
    unusual: list[Case]
    pairs: list[tuple[Case, Answer]] = field(default_factory=list)

    @property
    def cases(self) -> list[Case]:
        """All that is asked, in order."""
        return [*self.usual, *self.fresh, *self.unusual]


class _Inquiry:
    """One target: what it is asked, by whom, and what it answered."""

    def __init__(
        self,
        index: int,
        target: Target,
        limits: Limits,
        progress: Progress,
        wanted: Callable[[Case], bool],
        fresh: Fresh,
        work: _Work,
    ) -> None:
        self.index = index
        self.result = Result(target.name)
        self.answered: list[_Answered] = []
        self._target = target
        self._limits = limits
        self._progress = progress
        self._wanted = wanted
        self._fresh = fresh
        self._work = work
        self._lock = threading.Lock()
        self._left = limits.library
        self._unbegun = self._open_units = self._done = self._total = 0
        self._later: list[_Answered] = []
        self._idle: list[AdapterProcess] = []
        self._command: Sequence[str] = ()
        self._folder: tempfile.TemporaryDirectory[str] | None = None
        self._begun = time.monotonic()
        self._gone = ""

    def open(self) -> None:
        """Start the adapter, and give out the work."""
        self._begun = time.monotonic()
        with self._telling():
            self._progress(self._target.name, "preparing", 0, 0)
            self._command = self._target.prepare()
            self._folder = tempfile.TemporaryDirectory(prefix="dporacle-")
            self._progress(self._target.name, "starting", 0, 0)
            child = self._process()
            self._idle.append(child)
            self.plan(child.start(timeout=self._limits.start))
            if not self._target.apart:
                self._open_units = 1
                self._work.add(self.index, lambda: self._unit(self.answered))
                return
            # Calibrations come first: their answers are inputs for the other functions.
            firsts = [a for a in self.answered if _calibrates(a.function)]
            self._later = [a for a in self.answered if a not in firsts]
            self._give_out(firsts or self._later)
            return
        self._finish()

    def plan(self, capabilities: Capabilities) -> None:
        """Choose the questions to each function."""
        self.result.capabilities = capabilities
        for function in capabilities.functions:
            self.answered.append(_planned(function, self._fresh, self._wanted))
        self.answered.sort(key=lambda each: not _calibrates(each.function))
        self._unbegun = len(self.answered)
        self._total = sum(len(each.cases) for each in self.answered)

    def _give_out(self, units: Sequence[_Answered]) -> None:
        if units is self._later:
            self._later = []
        self._open_units = len(units)
        # The slow ones first, so that the last of them does not keep everybody waiting.
        for each in sorted(units, key=lambda each: not each.function.slow):
            self._work.add(self.index, lambda each=each: self._unit([each]))  # type: ignore[misc]

    def _unit(self, units: Sequence[_Answered]) -> None:
        """Ask some of the functions, in one process."""
        child = None
        with self._telling():
            with self._lock:
                child = self._idle.pop() if self._idle else None
            child = child or self._process()
            self.ask(child, units)
        with self._lock:
            if child is not None:
                self._idle.append(child)
            self._open_units -= 1
            last = not self._open_units
        if last and self._later and not self.result.failure:
            self._give_out(self._later)
        elif last:
            self._finish()

    def ask(self, child: Child, units: Sequence[_Answered]) -> None:
        """Put the questions to a child."""
        for answered in units:
            if self._gone:
                self._not_asked(answered)
                continue
            asked = Asking(child, answered.function, self._share())
            chain = [*_chain(answered.function, self.answered)]
            parts = [
                asked.answers(answered.usual),
                asked.answers(answered.fresh, most=self._limits.fresh),
                asked.answers([*answered.unusual, *chain]),
            ]
            for pair in itertools.chain.from_iterable(parts):
                if self._work.stopping:
                    return
                answered.pairs.append(pair)
                self._tell(answered.function, pair[0])
            with self._lock:
                self._left -= asked.spent
                self._gone = self._gone or asked.gone
        child.stop()

    def _tell(self, function: Function, case: Case) -> None:
        with self._lock:
            self._done = min(self._done + 1, self._total)
            done = self._done
        inputs = ", ".join(f"{name}={value:.6g}" for name, value in case.arguments.items())
        self._progress(self._target.name, f"{function.name}, after {inputs}", done, self._total)

    def _share(self) -> Limits:
        """Return the patience for one function: a little is kept for each one to come."""
        with self._lock:
            self._unbegun -= 1
            left = self._left - _RESERVED * self._unbegun
        share = min(self._limits.function, max(left, _RESERVED))
        return replace(self._limits, function=round(share, 1))

    def _not_asked(self, answered: _Answered) -> None:
        message = f"not asked: the adapter does not start again: {self._gone}"
        answer = Answer(end=End.NOT_ASKED, message=message)
        answered.pairs += [(case, answer) for case in answered.cases]

    def _process(self) -> AdapterProcess:
        environment: Mapping[str, str] | None = None
        if not self._target.own_environment:
            environment = {k: os.environ[k] for k in _PASSED_ON if k in os.environ} | _SET
        assert self._folder is not None
        return AdapterProcess(
            self._command,
            environment=environment,
            directory=None if self._target.own_environment else Path(self._folder.name),
            memory_limit=self._limits.memory,
            forks=self._target.forks,
        )

    @contextlib.contextmanager
    def _telling(self) -> Iterator[None]:
        """Keep what goes wrong as the result of this target, and of no other."""
        try:
            yield
        except environments.EnvironmentBuildError as error:
            self.result.failure = str(error)
        except (AdapterDiedError, AdapterHungError, ProtocolError) as error:
            self.result.failure = f"the adapter does not start: {error}"
        except OSError as error:
            self.result.failure = f"the adapter cannot be run: {error}"
        except Exception as error:  # a mistake of ours: the other libraries' results are kept
            self.result.failure = f"the judge failed: {type(error).__name__}: {error}"

    def _finish(self) -> None:
        self.close()
        self.result.seconds = time.monotonic() - self._begun
        words = "failed" if self.result.failure else "done"
        self._progress(self._target.name, words, 0, 0)
        self._work.done.put(self)

    def close(self) -> None:
        """End the processes, and remove what they were given to work in."""
        with self._lock:
            idle, self._idle = self._idle, []
            folder, self._folder = self._folder, None
        for child in idle:
            child.close()
        if folder is not None:
            with contextlib.suppress(OSError):
                folder.cleanup()

    def judged(self) -> Result:
        """Return the result, with each answer judged."""
        for answered in self.answered:
            item = FunctionResult(answered.function)
            self.result.functions.append(item)
            for case, answer in answered.pairs:
                with self._proving(case.id):
                    item.judged.append(judge(case, answer))
            with self._proving(answered.function.name):
                item.judged = relations.consistent(item.judged, answered.relations)
        self.answered.clear()
        return self.result

    @contextlib.contextmanager
    def _proving(self, what: str) -> Iterator[None]:
        """Where there is no proof there is no outcome, and the run is incomplete."""
        try:
            yield
        except Exception as error:
            words = f"{what} cannot be judged: {type(error).__name__}: {error}"
            self.result.failure = self.result.failure or words


def _planned(function: Function, fresh: Fresh, wanted: Callable[[Case], bool]) -> _Answered:
    rounds = min(_SLOW_ROUNDS, fresh.rounds) if function.slow else fresh.rounds
    made, related = random_cases(function, seed=fresh.seed, rounds=rounds)
    cases = [case for case in cases_for(function) if wanted(case)]
    known = {case.id for case in [*cases, *made]}
    # A slow function is not asked every vector, but those that others are compared with.
    cases += {r.first.id: r.first for r in related if r.first.id not in known}.values()
    usual = [case for case in cases if not EVERYDAY.isdisjoint(case.flags)]
    unusual = [case for case in cases if EVERYDAY.isdisjoint(case.flags)]
    early = [case for case in made if not HARMLESS_RULES.isdisjoint(case.flags)]
    late = [case for case in made if HARMLESS_RULES.isdisjoint(case.flags)]
    if function.slow:
        late = [*{case.flags: case for case in late}.values()]
    return _Answered(function, related, usual, early, [*unusual, *late])


def _calibrates(function: Function) -> bool:
    """Whether a function's answers are inputs for others."""
    return any(
        (source := calibration_of(row)) is not None and source.name == function.quantity
        for row in SERVED.values()
    )


def _chain(function: Function, answers: Sequence[_Answered]) -> Iterator[Case]:
    """Yield the cases that put the library's own fresh noise into its δ and ε."""
    row = QUANTITIES[function.quantity]
    if (source := calibration_of(row)) is None:
        return
    # What both may lack, both have or both lack: else the noise is for another input.
    optional = row.defaults.keys() & source.defaults.keys()
    takes = optional & {*function.arguments}
    for answered in answers:
        if optional & {*answered.function.arguments} != takes:
            continue
        for case, answer in answered.pairs:
            if case.quantity == source.name and case.flags == ("random",):
                noise = _positive(answer)
                if noise is not None:
                    yield chained(function, case, noise)


def _positive(answer: Answer) -> float | None:
    if answer.value is None:
        return None
    try:
        value = float(protocol.read_number(answer.value))
    except OverflowError:
        return None
    return value if 0 < value < math.inf else None
