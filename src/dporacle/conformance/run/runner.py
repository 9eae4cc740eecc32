"""Ask libraries, several functions at a time, and collect what they answer.

Collecting runs in threads that wait for child processes: each function of a known library in a
process of its own, so that two slow ones share the processors; all functions of any other adapter
in one, since what it keeps in mind is its own. Judging runs in the caller's thread, since ball
arithmetic works at a precision that threads would share. A library is judged when it is done, and
its trouble is its own.
"""

import contextlib
import queue
import sys
import threading
from collections.abc import Callable, Sequence
from types import MappingProxyType

from dporacle.conformance.ask.cases import Case
from dporacle.conformance.ask.earlier import Earlier
from dporacle.conformance.ask.limits import Patience
from dporacle.conformance.ask.plan import Fresh
from dporacle.conformance.ask.starting import Child
from dporacle.conformance.grade.runs import FunctionResult, TargetResult
from dporacle.conformance.libraries.targets import (
    Target,
    command_target,
    library_environment,
    library_target,
)
from dporacle.conformance.run.target import Progress, TargetRun
from dporacle.conformance.run.tasks import Tasks

__all__ = [
    "Fresh",
    "FunctionResult",
    "Patience",
    "Target",
    "TargetResult",
    "collect_and_judge",
    "command_target",
    "judge_child",
    "library_environment",
    "library_target",
]

_NOTHING_FRESH = Fresh()
_PAUSING = 1  # function that may pause while others are asked
_IN_TIME = 3.0  # seconds in which a proof comes in time to spare a hang
_LOOK = 5.0  # seconds between two looks at whether somebody still asks
_SWITCH = 0.0005  # seconds after which who asks comes before who judges: adapters wait for us


def collect_and_judge(
    targets: Sequence[Target],
    limits: Patience,
    *,
    jobs: int = 2,
    processes: int = 1,
    progress: Progress = lambda name, what, done, total: None,
    filter_cases: Callable[[Case], bool] = lambda case: True,
    fresh: Fresh = _NOTHING_FRESH,
    finished: Callable[[TargetResult], None] = lambda result: None,
    earlier: Earlier = MappingProxyType({}),
) -> list[TargetResult]:
    """Ask every target everything and judge it.

    Args:
        targets: what to judge.
        limits: how much patience to have.
        jobs: how many functions to ask at a time.
        processes: how many to judge in where exact values take long; more than one only from a
            program that can be imported.
        progress: told of each step, from several threads; once it fails, of no further one.
        filter_cases: which vectors to ask; all by default.
        fresh: which inputs to ask besides; none by default.
        finished: told of each result as soon as it is there, in this thread.
        earlier: the inputs at which earlier runs found something, which are asked first.

    Returns:
        One result per target, in the order of the targets.
    """
    work = Tasks(max(1, jobs))
    told = _unfailing(progress)
    done: queue.SimpleQueue[TargetRun | Callable[[], None]] = queue.SimpleQueue()

    def judging(job: Callable[[], frozenset[bool]]) -> frozenset[bool]:
        found: queue.SimpleQueue[frozenset[bool]] = queue.SimpleQueue()
        done.put(lambda: found.put(job()))
        with contextlib.suppress(queue.Empty):
            return found.get(timeout=_IN_TIME)
        return frozenset()

    inquiries = [
        TargetRun(
            index, target, limits, told, filter_cases, fresh, work, done.put, judging, earlier
        )
        for index, target in enumerate(targets)
    ]
    for inquiry in inquiries:
        work.add(inquiry.index, inquiry.open)
    threads = [
        threading.Thread(target=work.run, daemon=True) for _ in range(_PAUSING + max(1, jobs))
    ]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(_SWITCH)
    for thread in threads:
        thread.start()
    try:
        for _ in inquiries:
            finished(_next(done, threads).judged(processes=processes))
    finally:  # after Ctrl-C the threads end with the question that they wait for
        work.stop()
        for inquiry in inquiries:
            inquiry.close()
        for thread in threads:
            thread.join()
        sys.setswitchinterval(interval)
    return [inquiry.result for inquiry in inquiries]


def _next(
    done: queue.SimpleQueue[TargetRun | Callable[[], None]], threads: Sequence[threading.Thread]
) -> TargetRun:
    """Return the next inquiry that is done, and do what is to be done in this thread until then.

    Nobody waits for threads that are gone.
    """
    while True:
        working = any(thread.is_alive() for thread in threads)
        try:
            found = done.get(timeout=_LOOK if working else 0)
            if isinstance(found, TargetRun):
                return found
            found()
        except queue.Empty:
            if not working:
                raise RuntimeError("the threads that ask ended before their work") from None


def _unfailing(progress: Progress) -> Progress:
    """Return what tells the same and never fails: whether it can be read decides nothing."""
    readable = True

    def tell(name: str, what: str, done: int, total: int) -> None:
        nonlocal readable
        if readable:
            try:
                progress(name, what, done, total)
            except (Exception, SystemExit):  # a console may exit when its reader goes away
                readable = False

    return tell


def judge_child(
    child: Child,
    name: str,
    limits: Patience,
    wanted: Callable[[Case], bool],
    fresh: Fresh,
    *,
    told: bool = True,
    earlier: Earlier = MappingProxyType({}),
) -> TargetResult:
    """Ask one child everything and judge it, in this thread.

    Args:
        child: whom to ask.
        name: what it is called.
        limits: how much patience to have.
        wanted: which vectors to ask.
        fresh: which inputs to ask besides.
        told: whether to tell what its answers do to their promises, and not only what they are.
        earlier: the inputs at which earlier runs found something, which are asked first.

    Raises:
        AdapterDiedError, AdapterHungError, ProtocolError: if it does not start.
    """
    target = Target(name, lambda: ())
    inquiry = TargetRun(
        0, target, limits, lambda *args: None, wanted, fresh, Tasks(), earlier=earlier
    )
    inquiry.plan(child.start(timeout=limits.start))
    inquiry.ask(child, inquiry.answered)
    return inquiry.judged(told=told)
