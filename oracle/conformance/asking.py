"""The questions to one function of an adapter, with limited patience."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass

from dporacle.conformance.cases import Case
from dporacle.conformance.judge import Answer, Kind
from dporacle.conformance.process import (
    MEMORY_LIMIT,
    AdapterDiedError,
    AdapterHungError,
    AdapterProcess,
)
from dporacle.conformance.protocol import Function, ProtocolError

__all__ = ["Asking", "Limits"]


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
        memory: bytes that an adapter's processes may take.
    """

    request: float = 5.0
    start: float = 120.0
    function: float = 60.0
    hangs: int = 8
    deaths: int = 20
    memory: int = MEMORY_LIMIT


class Asking:
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
        """Return the answer to one case; what goes wrong is an answer too."""
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
