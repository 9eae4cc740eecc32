"""Judge the answers of a target: in several processes where the exact values take long."""

import itertools
import signal
import time
from collections.abc import Hashable, Iterator, Sequence
from concurrent.futures import Executor, ProcessPoolExecutor
from contextlib import contextmanager
from multiprocessing import get_context
from typing import NamedTuple

from dporacle.conformance.ask.answers import Answer
from dporacle.conformance.ask.cases import Case
from dporacle.conformance.ask.fresh import worked
from dporacle.conformance.grade.grades import breaks
from dporacle.conformance.judge.outcomes import JudgedCase, judge
from dporacle.conformance.quantities import QUANTITIES

_AT_ONCE = 4  # inputs that a process is given at a time
_WORTH = 24  # inputs whose exact values take long, for which processes are started

Pair = tuple[Case, Answer]


class Judging(NamedTuple):
    """How judging one answer went.

    Attributes:
        judged: the answer, judged; None where there is no proof.
        seconds: of processor time that it took.
        failure: why there is no proof.
        unreached: whether no enclosure reaches the exact value of a fresh input.
    """

    judged: JudgedCase | None
    seconds: float
    failure: str = ""
    unreached: bool = False


def judged_answers(pairs: Sequence[Pair], *, told: bool, processes: int) -> list[Judging]:
    """Judge answers, in the order of the questions.

    Args:
        pairs: the questions and the answers.
        told: whether to tell what the answers do to their promises.
        processes: how many to use where exact values take long.
    """
    places: dict[Hashable, list[int]] = {}  # one input is proved once, whoever is asked it
    for place, (case, _) in enumerate(pairs):
        if QUANTITIES[case.quantity].costly:
            key = (case.quantity, frozenset(case.arguments.items()))
            places.setdefault(key, []).append(place)
    if processes == 1 or len(places) < _WORTH:
        return _judged(pairs, told)
    inputs = [*places.values()]
    parts = [
        [*itertools.chain(*inputs[start : start + _AT_ONCE])]
        for start in range(0, len(inputs), _AT_ONCE)
    ]
    with _processes(processes) as pool:
        asked = [pool.submit(_judged, [pairs[place] for place in part], told) for part in parts]
        elsewhere = {place for part in parts for place in part}
        here = [place for place in range(len(pairs)) if place not in elsewhere]
        found = dict(zip(here, _judged([pairs[place] for place in here], told), strict=True))
        for part, future in zip(parts, asked, strict=True):
            found |= zip(part, future.result(), strict=True)
    return [found[place] for place in range(len(pairs))]


def broken(pairs: Sequence[Pair]) -> frozenset[bool]:
    """Return whether vectors' answers break promises where people work (true) and elsewhere."""
    found: set[bool] = set()
    for case, answer in pairs:
        usual = worked(case.flags)
        if case.proved is None or answer.value is None or usual in found:
            continue
        judged = _one(case, answer, told=True).judged
        if judged is not None and breaks(judged):
            found.add(usual)
    return frozenset(found)


def _judged(pairs: Sequence[Pair], told: bool) -> list[Judging]:
    return [_one(case, answer, told) for case, answer in pairs]


def _one(case: Case, answer: Answer, told: bool) -> Judging:
    begun, unreached = time.thread_time(), False
    try:
        judged, failure = judge(case, answer, told=told), ""
    except Exception as error:
        judged, failure = None, f"{type(error).__name__}: {error}"
        unreached = case.proved is None and isinstance(error, ArithmeticError)
    return Judging(judged, time.thread_time() - begun, failure, unreached)


@contextmanager
def _processes(count: int) -> Iterator[Executor]:
    """Give processes that end with what they have begun, also after Ctrl-C."""
    # Not forked: there are threads, which ask.
    pool = ProcessPoolExecutor(count, mp_context=get_context("spawn"), initializer=_unmoved)
    try:
        yield pool
    finally:
        pool.shutdown(cancel_futures=True)


def _unmoved() -> None:
    """Leave an interrupt to the process that waits for this one."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
