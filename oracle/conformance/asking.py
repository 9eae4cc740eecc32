"""The questions to one function of an adapter, with limited patience."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import msgspec

from dporacle.conformance.cases import Case
from dporacle.conformance.judge import Answer, Kind
from dporacle.conformance.process import (
    MEMORY_LIMIT,
    AdapterDiedError,
    AdapterHungError,
)
from dporacle.conformance.protocol import (
    Capabilities,
    Ending,
    Function,
    ProtocolError,
    Reply,
)

__all__ = ["Asking", "Child", "Limits"]


_KIND = {
    AdapterHungError: Kind.HUNG,
    AdapterDiedError: Kind.DIED,
    ProtocolError: Kind.BROKE_PROTOCOL,
}
_FAILURES = tuple(_KIND)
_STARTS = 2  # failed starts, one after the other, after which an adapter is given up
_ORDERLY = {Kind.VALUE, Kind.REFUSED, Kind.ERROR, Kind.SKIPPED}


@dataclass(frozen=True)
class Limits:
    """How much patience the judge has.

    Attributes:
        request: seconds for one answer.
        start: seconds for an adapter to import its library.
        function: seconds for all the cases of one function.
        library: seconds for all the functions of one library.
        hangs: hangs after which a function is not asked any more; already after two hangs at
            one value of an argument, and no answer there, that value is not asked any more.
        deaths: the same for crashes of the process and breaches of the protocol.
        batches: failures of whole batches after which a function gets no more of them.
        memory: bytes that an adapter's processes may take.
    """

    request: float = 5.0
    start: float = 120.0
    function: float = 60.0
    library: float = 3600.0
    hangs: int = 8
    deaths: int = 20
    batches: int = 3
    memory: int = MEMORY_LIMIT


class Child(Protocol):
    """What can be asked: an adapter's process, or something that behaves like one."""

    @property
    def running(self) -> bool:
        """Whether it is there to be asked."""

    def start(self, *, timeout: float) -> Capabilities:
        """Start it, and return what it can do."""

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        """Ask for one value."""

    def run_batch(
        self, function: str, inputs: Sequence[Mapping[str, float]], *, timeout: float
    ) -> Sequence[Ending]:
        """Ask for several values at once."""

    def stop(self) -> bool:
        """Let it end."""


class Asking:
    """The questions to one function, until its share of patience is used up."""

    def __init__(self, child: Child, function: Function, limits: Limits) -> None:
        self._child = child
        self._function = function
        self._limits = limits
        self._hangs = self._deaths = self._failed_batches = 0
        self._spent = 0.0
        self._failed_starts = 0
        self._why_not = ""
        self._hung_at: Counter[tuple[str, float]] = Counter()
        self._answered_at: set[tuple[str, float]] = set()

    @property
    def gone(self) -> str:
        """Why the child is given up, if it is: it does not start again."""
        return self._why_not if self._failed_starts >= _STARTS else ""

    def answers(self, cases: Sequence[Case]) -> Iterator[tuple[Case, Answer]]:
        """Yield each case with its answer; in batches where the function takes them.

        When a batch fails as a whole, its cases are asked one by one, which finds the culprit.
        A failure that none of them shows alone is put down to the first.
        """
        size = self._function.batch
        if size > 1:
            cases = _mixed(cases)
        for start in range(0, len(cases), size):
            chunk = cases[start : start + size]
            together = self._together(chunk)
            if isinstance(together, list):
                yield from zip(chunk, together, strict=True)
                continue
            alone = [self.ask(case) for case in chunk]
            if together is not None and all(each.kind in _ORDERLY for each in alone):
                alone[0] = together
            yield from zip(chunk, alone, strict=True)

    def _together(self, cases: Sequence[Case]) -> list[Answer] | Answer | None:
        """Return the answers to a batch, or its failure; nothing if it is not to be asked."""
        limits = self._limits
        if len(cases) == 1 or self._failed_batches >= limits.batches:
            return None
        if any(self._enough(case) for case in cases) or not self._started():
            return None
        begun = time.monotonic()
        try:
            endings = self._child.run_batch(
                self._function.name,
                [self._arguments(case) for case in cases],
                timeout=limits.request,
            )
        except _FAILURES as error:
            self._failed_batches += 1
            self._spent += time.monotonic() - begun
            return Answer(
                kind=_KIND[type(error)],
                message=f"in a batch of {len(cases)}, and not with any of them alone: {error}",
            )
        seconds = time.monotonic() - begun
        self._spent += seconds
        return [_answer(ending, seconds / len(cases)) for ending in endings]

    def ask(self, case: Case) -> Answer:
        """Return the answer to one case; what goes wrong is an answer too."""
        if why := self._enough(case):
            return Answer(kind=Kind.NOT_ASKED, message=f"not asked: {why}")
        started = time.monotonic()
        if not self._started():
            self._deaths += 1
            self._spent += time.monotonic() - started
            return Answer(kind=Kind.DIED, message=f"does not start again: {self._why_not}")
        begun = time.monotonic()
        answer = self._request(case, begun)
        self._spent += time.monotonic() - started
        if answer.kind is Kind.HUNG:
            self._hung_at.update(case.arguments.items())
        else:
            self._answered_at.update(case.arguments.items())
        return answer

    def _started(self) -> bool:
        if not self._child.running:
            try:
                self._child.start(timeout=self._limits.start)
            except _FAILURES as error:
                self._why_not = str(error)
                self._failed_starts += 1
                return False
            self._failed_starts = 0
        return True

    def _arguments(self, case: Case) -> dict[str, float]:
        return {name: case.arguments[name] for name in self._function.arguments}

    def _enough(self, case: Case) -> str:
        """Return why this case is not worth another wait, or nothing."""
        limits = self._limits
        if self.gone:
            return f"the adapter does not start again: {self.gone}"
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

    def _request(self, case: Case, begun: float) -> Answer:
        try:
            reply = self._child.run(
                self._function.name, self._arguments(case), timeout=self._limits.request
            )
        except _FAILURES as error:
            self._hangs += isinstance(error, AdapterHungError)
            self._deaths += not isinstance(error, AdapterHungError)
            seconds = round(time.monotonic() - begun, 6)
            return Answer(kind=_KIND[type(error)], message=str(error), seconds=seconds)
        return _answer(reply, time.monotonic() - begun)


def _mixed(cases: Sequence[Case]) -> list[Case]:
    """Spread the inputs that are to be refused among the others: one must not spoil its batch."""
    valid, wrong = ([c for c in cases if c.valid is which] for which in (True, False))
    step = len(valid) // (len(wrong) + 1) + 1
    mixed: list[Case] = []
    for start in range(0, len(valid), step):
        mixed += [*valid[start : start + step], *wrong[start // step : start // step + 1]]
    return mixed + wrong[len(mixed) - len(valid) :]


def _answer(ending: Ending, seconds: float) -> Answer:
    seconds = round(seconds, 6)
    if ending.value is not msgspec.UNSET:
        return Answer(kind=Kind.VALUE, value=ending.value, seconds=seconds)
    for kind, message in (
        (Kind.REFUSED, ending.refused),
        (Kind.ERROR, ending.error),
        (Kind.SKIPPED, ending.skip),
    ):
        if message is not msgspec.UNSET:
            return Answer(kind=kind, message=_printable(message), seconds=seconds)
    raise AssertionError("an answer has one of its four parts")


def _printable(text: str) -> str:
    """Return an adapter's text without control characters, so that it cannot move the cursor."""
    return "".join(c if c.isprintable() else " " for c in text)[:500]
