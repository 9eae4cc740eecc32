"""Adaptive bisection: every box of a theorem's parts is decided, or reported as undecided.

A box is proved by one call of the part's `decide`; one that balls cannot decide is bisected, down
to a bounded depth. Which boxes come out does not depend on the order, the executor or an
interruption: they are the leaves of one tree.
"""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import FIRST_COMPLETED, Executor, Future, ProcessPoolExecutor, wait
from dataclasses import dataclass, field
from multiprocessing import get_context, resource_tracker
from multiprocessing.synchronize import Event, Semaphore
from typing import Any

from dporacle.regions.boxes import bisect
from dporacle.regions.theorem import Box, CheckedNumber, Counterexample, ProofStatus, Theorem
from dporacle.regions.theorems import load

_AT_HOME = 256  # boxes that are tried before a pool of processes is worth its start
_BUDGET = 512  # boxes that one task decides before it hands back
_halt: Event | None = None  # of a worker: nobody waits for what it finds any more
_START = 20.0  # seconds in which a worker is up, or is not waited for
_AHEAD = 2  # tasks per worker that wait in the executor


@dataclass(frozen=True, slots=True)
class Limits:
    """When to stop.

    Attributes:
        depth: bisections after which a box is given up.
        boxes: boxes tried after which all that is left is given up.
    """

    depth: int = 60
    boxes: int = 200_000


@dataclass(frozen=True, slots=True, order=True)
class Todo:
    """A box that waits, with the number of bisections that made it."""

    part: int
    box: Box
    depth: int


@dataclass(frozen=True, slots=True, order=True)
class Leaf:
    """A decided box."""

    part: int
    box: Box
    depth: int
    label: str = ""


@dataclass
class ProofRun:
    """The state of a proof; what it holds tiles the parts at any time.

    Attributes:
        theorem: what is to be proved.
        leaves: decided boxes.
        todo: boxes that wait.
        given_up: boxes that balls could not decide.
        checked: the numbers of the lemmas.
        counterexample: the point that refutes the statement, if there is one.
        tried: boxes tried so far.
    """

    theorem: Theorem
    leaves: list[Leaf] = field(default_factory=list)
    todo: list[Todo] = field(default_factory=list)
    given_up: list[Todo] = field(default_factory=list)
    checked: tuple[CheckedNumber, ...] = ()
    counterexample: Counterexample | None = None
    tried: int = 0

    @classmethod
    def start(cls, theorem: Theorem) -> ProofRun:
        """Return a run that has everything before it."""
        todo = [Todo(index, part.box, 0) for index, part in enumerate(theorem.parts)]
        return cls(theorem=theorem, todo=todo)

    @property
    def status(self) -> ProofStatus:
        """What has been shown."""
        if self.counterexample is not None:
            return ProofStatus.REFUTED
        if self.todo:
            return ProofStatus.RUNNING
        lemmas = self.theorem.covered and all(check.holds for check in self.checked)
        return ProofStatus.UNDECIDED if self.given_up or not lemmas else ProofStatus.PROVED

    @property
    def share(self) -> float:
        """How much of the parts is decided, from 0 to 1; each bisection halves a share."""
        return sum(2.0**-leaf.depth for leaf in self.leaves) / max(1, len(self.theorem.parts))

    def settle(self) -> None:
        """Put the boxes in an order that depends on nothing but the boxes."""
        self.leaves.sort()
        self.todo.sort()
        self.given_up.sort()


Decided = tuple[list[Leaf], list[Todo], list[Todo], Counterexample | None, int]


def grind(spec: dict[str, Any], items: list[Todo], depth: int, budget: int) -> Decided:
    """Decide boxes, bisecting where needed, until all are decided or the budget is spent.

    Args:
        spec: of the theorem.
        items: the boxes.
        depth: bisections after which a box is given up.
        budget: how many boxes to try.

    Returns:
        the leaves, the boxes still to be tried, those given up, a certified counterexample if
        there is one, and the number of boxes tried.
    """
    parts = load(spec).parts
    leaves: list[Leaf] = []
    given_up: list[Todo] = []
    stack, tried = list(items), 0
    while stack and tried < budget and not (_halt and _halt.is_set()):
        item = stack.pop()
        tried += 1
        part = parts[item.part]
        outcome = part.decide(item.box)
        if outcome.kind == "proved":
            leaves.append(Leaf(item.part, item.box, item.depth, outcome.label))
            continue
        if outcome.point is not None:
            found = part.counterexample(outcome.point)
            if found is not None:
                return leaves, [item, *stack], given_up, found, tried
        low, high = item.box[outcome.axis]
        if item.depth >= depth or low == high:
            given_up.append(item)
        else:
            halves = reversed(bisect(part, item.box, outcome.axis))  # the lower half is next
            stack += [Todo(item.part, half, item.depth + 1) for half in halves]
    return leaves, stack, given_up, None, tried


def run(
    state: ProofRun,
    *,
    executor: Executor | None = None,
    workers: int | None = None,
    limits: Limits | None = None,
    progress: Callable[[ProofRun], None] | None = None,
) -> ProofRun:
    """Continue a run until it is decided.

    Args:
        state: a new or an interrupted run; it is changed, and stays whole if this is interrupted.
        executor: where boxes are decided; by default here, and in processes if there are many.
        workers: how many processes, or tasks at once in `executor`; by default one per processor.
        limits: when to give up.
        progress: called now and then with the run.

    Returns:
        the same run, its boxes in order.
    """
    bound = limits or Limits()
    count = workers or os.cpu_count() or 1
    state.checked = state.theorem.check_lemmas()
    if executor is None:
        _at_home(state, bound, bound.boxes if count == 1 else _AT_HOME, progress)
    if state.todo and state.counterexample is None and state.tried < bound.boxes:
        if executor is not None:
            _afield(state, executor, count, bound, progress)
        else:
            context = get_context("spawn")
            started, halt = context.Semaphore(0), context.Event()
            with ProcessPoolExecutor(
                count, mp_context=context, initializer=_begin, initargs=(started, halt)
            ) as pool:
                try:
                    with _interrupts_held():  # a task that finds no idle worker starts one
                        for _ in range(count):
                            pool.submit(int)
                        for _ in range(count):
                            started.acquire(timeout=_START)
                    _afield(state, pool, count, bound, progress)
                finally:
                    halt.set()  # what still runs is lost, and the pool waits for it
    if state.counterexample is None and state.tried >= bound.boxes:
        state.given_up += state.todo
        state.todo = []
    state.settle()
    return state


@contextlib.contextmanager
def _interrupts_held() -> Iterator[None]:
    """Let Ctrl-C wait, here and in processes that start now, which cannot handle it yet."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    resource_tracker.ensure_running()  # its start would let interrupts through again
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def _begin(started: Semaphore, halt: Event) -> None:
    """Leave Ctrl-C to the parent, which saves the run; stop where it says so."""
    global _halt
    _halt = halt
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    started.release()


def _take(state: ProofRun, found: Decided) -> None:
    leaves, todo, given_up, counterexample, tried = found
    state.leaves += leaves
    state.todo += todo
    state.given_up += given_up
    state.tried += tried
    state.counterexample = state.counterexample or counterexample


def _at_home(
    state: ProofRun, limits: Limits, tries: int, progress: Callable[[ProofRun], None] | None
) -> None:
    until = min(limits.boxes, state.tried + tries)
    while state.todo and state.counterexample is None and state.tried < until:
        todo, state.todo = state.todo, []
        try:
            found = grind(state.theorem.spec, todo, limits.depth, min(_BUDGET, until - state.tried))
        except BaseException:
            state.todo = todo
            raise
        _take(state, found)
        if progress is not None:
            progress(state)


def _afield(
    state: ProofRun,
    executor: Executor,
    workers: int,
    limits: Limits,
    progress: Callable[[ProofRun], None] | None,
) -> None:
    running: dict[Future[Decided], list[Todo]] = {}
    try:
        while (state.todo or running) and state.counterexample is None:
            if state.tried >= limits.boxes and not running:
                return
            while state.todo and len(running) < workers * _AHEAD and state.tried < limits.boxes:
                size = max(1, len(state.todo) // (workers * _AHEAD))
                items, state.todo = state.todo[-size:], state.todo[:-size]
                future = executor.submit(grind, state.theorem.spec, items, limits.depth, _BUDGET)
                running[future] = items
            done, _ = wait(running, return_when=FIRST_COMPLETED)
            for future in done:
                found = future.result()
                del running[future]
                _take(state, found)
            if progress is not None:
                progress(state)
    finally:
        for future, items in running.items():
            future.cancel()
            state.todo += items  # what they find is lost; it is found again
