"""The questions to one function of an adapter, with limited patience.

An answer first gets a time that fits the function's own median, and less after one full timeout.
A question that took longer is asked again last, alone, with the full limit: only if that fails too
is it a hang. One hang is confirmed, on everyday inputs or else on others, because a second one says
little more about the function. If the first limit was the full one, two hangs in separate processes
confirm each other. When some inputs of a kind have hung, and none was answered, the others of that
kind are left out, and the run says so.

A process that was killed by a signal that others send is asked again at once, twice per function.
If it dies again, it has crashed.

What the patience went into is kept, so that a run can be traced.
"""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Protocol, TypeVar

import msgspec

from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import Case
from dporacle.conformance.ask.fresh import worked
from dporacle.conformance.process.channel import AdapterDiedError, AdapterHungError
from dporacle.conformance.process.processes import MEMORY_LIMIT
from dporacle.conformance.protocol import Capabilities, Ending, Function, ProtocolError, Reply

_T = TypeVar("_T")
_END: dict[type[Exception], End] = {
    AdapterHungError: End.HUNG,
    AdapterDiedError: End.DIED,
    ProtocolError: End.BROKE_PROTOCOL,
}
_FAILURES = tuple(_END)
_STARTS = 2  # failed starts, one after the other, after which an adapter is given up
_ORDERLY = {End.VALUE, End.REFUSED, End.ERROR, End.SKIPPED}

_MEDIANS, _LEAST_FIRST = 20, 0.5  # the first limit: so many medians, and at least so many seconds
_FEW_MEDIANS, _LEAST_THEN = 5, 0.2  # the same after one full timeout
_ALIKE = 2  # full timeouts that confirm each other
_LATE = 4  # answers that took too long, after which a part that is limited is left
_KILLS = 2  # times that somebody else may have killed the process: a third is its own doing
_KNOWN = 5  # answers from which a median is taken
_TRIES = 2  # times that something is asked again where people work, and elsewhere


@dataclass(frozen=True)
class Limits:
    """How much patience the judge has, in seconds of processor time or idleness.

    Attributes:
        request: for one answer.
        start: for an adapter to import its library.
        function: for all the cases of one function.
        library: for all the functions of one library.
        fresh: for a function's fresh inputs where people work, beyond the first of them.
        slow: for the answers to each of the four parts of what a slow function is asked (vectors
            where people work, fresh inputs, what is to be refused, all others), beyond the least
            number of them.
        hangs: answers that took too long at first after which a function is not asked any more.
        of_a_kind: the same for inputs with the same flags, of which none was answered.
        confirmed: hangs of a function that are confirmed, where people work or else elsewhere:
            further ones of the same kind, of which nothing was answered, are taken for hangs too.
        deaths: crashes of the process and breaches of the protocol after which a function is not
            asked any more.
        batches: failures of whole batches after which a function gets no more of them.
        memory: bytes that an adapter's processes may take.
        pause: to wait before some inputs are asked again, once for each process.
    """

    request: float = 5.0
    start: float = 120.0
    function: float = 120.0
    library: float = 3600.0
    fresh: float = 5.0
    slow: float = 1.5
    hangs: int = 48
    of_a_kind: int = 3
    confirmed: int = 1
    deaths: int = 20
    batches: int = 3
    memory: int = MEMORY_LIMIT
    pause: float = 0.0


class Child(Protocol):
    """What can be asked: an adapter's process, or something that behaves like one."""

    @property
    def running(self) -> bool:
        """Whether it is there to be asked."""

    @property
    def spent(self) -> float:
        """How much patience the latest request used, in seconds."""

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
        self._hangs = self._deaths = self._failed_batches = self._kills = 0
        self._failed_starts = 0
        self._why_not = ""
        self._times: list[float] = []
        self._hung: Counter[tuple[str, ...]] = Counter()
        self._answered: set[tuple[str, ...]] = set()
        self._late: list[tuple[Case, Answer]] = []
        self._had_all: set[str] = set()
        self._confirmed: Counter[tuple[str, ...]] = Counter()
        self._again: Counter[bool] = Counter()
        self._in_vain = 0
        # What is asked again last needs a part of the patience.
        kept = min(2 * _TRIES * limits.request, limits.function / 2)
        self._budget = limits.function - kept
        self._confirming = False
        self.patience: defaultdict[str, float] = defaultdict(float)

    @property
    def spent(self) -> float:
        """The seconds of patience that were used, all together."""
        return sum(self.patience.values())

    @property
    def usual_time(self) -> float:
        """The median of the answers' times; infinite before there are some."""
        return median(self._times) if len(self._times) >= _KNOWN else math.inf

    def _spend(self, what: str) -> None:
        self.patience[what] += self._child.spent

    @property
    def gone(self) -> str:
        """Why the child is given up, if it is: it does not start again."""
        return self._why_not if self._failed_starts >= _STARTS else ""

    def answers(
        self, cases: Sequence[Case], *, most: float = math.inf, least: int = 1
    ) -> Iterator[tuple[Case, Answer]]:
        """Yield each case with its answer; in batches where the function takes them.

        When a batch fails as a whole, its cases are asked one by one, which finds the culprit.
        A failure that none of them shows alone is put down to the first. What took too long is
        asked again last.

        Args:
            cases: what to ask, in this order.
            most: seconds of answers after which the rest is left out altogether, as it is when
                four took too long …
            least: … but for so many.
        """
        end = self.patience["answers"] + most
        begun, late = 0, len(self._late)
        for chunk in _chunks(cases, self._function.batch):
            enough = self.patience["answers"] >= end or len(self._late) - late >= _LATE
            if math.isfinite(most) and enough and begun >= least:
                break
            begun += len(chunk)
            together = self._together(chunk)
            if isinstance(together, list):
                yield from zip(chunk, together, strict=True)
                continue
            alone = [self._at_first(case) for case in chunk]
            orderly = all(each is not None and each.end in _ORDERLY for each in alone)
            if together is not None and orderly:
                alone[0] = together
            yield from ((c, a) for c, a in zip(chunk, alone, strict=True) if a is not None)
        yield from self._asked_again()

    def _together(self, cases: Sequence[Case]) -> list[Answer] | Answer | None:
        """Return the answers to a batch, or its failure; nothing if it is not to be asked."""
        limits = self._limits
        if len(cases) == 1 or self._failed_batches >= limits.batches:
            return None
        if self._enough() or not self._started():
            return None
        inputs = [self._arguments(case) for case in cases]
        try:
            endings = self._asked(
                lambda: self._child.run_batch(self._function.wire, inputs, timeout=limits.request)
            )
        except _FAILURES as error:
            self._failed_batches += 1
            self._spend("failed batches")
            return Answer(
                end=_END[type(error)],
                message=f"in a batch of {len(cases)}, and not with any of them alone: {error}",
            )
        self._spend("answers")
        return [_answer(ending, self._child.spent / len(cases)) for ending in endings]

    def _at_first(self, case: Case) -> Answer | None:
        """Return the answer to a case, or nothing if it takes too long for now."""
        if not self._enough() and self._kind_hangs(case):
            unasked = Answer(end=End.NOT_ASKED, message="")
            self._late.append((case, unasked))
            return None
        limit = self._first_limit()
        answer = self.ask(case, limit=limit)
        if answer.end is not End.HUNG:
            return answer
        if limit >= self._limits.request:
            self._in_vain += 1
            self._had_all.add(case.id)
        self._late.append((case, answer))
        return None

    def _first_limit(self) -> float:
        request, known = self._limits.request, len(self._times) >= _KNOWN
        if not known and self._in_vain < _ALIKE:
            return request
        usual = median(self._times or [0.0])
        in_vain = self.patience["too long at first"] + self.patience["hangs asked again"]
        if not known or in_vain < request:
            medians = _MEDIANS if self._in_vain < _ALIKE else _FEW_MEDIANS
            return min(request, max(_LEAST_FIRST, medians * usual))
        return min(request, max(_LEAST_THEN, _FEW_MEDIANS * usual))

    def _kind_hangs(self, case: Case) -> bool:
        kind = case.flags
        return self._hung[kind] >= self._limits.of_a_kind and kind not in self._answered

    def _asked_again(self) -> Iterator[tuple[Case, Answer]]:
        """Yield what took too long, asked again as far as that says more."""
        late, self._late = self._late, []
        hung = [case for case, answer in late if answer.end is End.HUNG]
        firsts = {case.flags: case.id for case in reversed(hung)}
        order = sorted(hung, key=lambda c: (not worked(c.flags), firsts[c.flags] != c.id))
        found = self._as_good_as_confirmed(late)
        self._confirmed.update(case.flags for case in hung if case.id in found)
        self._hangs, self._budget, self._confirming = 0, self._limits.function, True
        for case in order:
            usual = worked(case.flags)
            if case.id in found or self._again[usual] >= _TRIES or self._enough_hangs(usual):
                continue
            answer = self.ask(case, limit=self._limits.request)
            if answer.end is End.NOT_ASKED:
                break
            self._again[usual] += 1
            found[case.id] = answer
            self._confirmed[case.flags] += answer.end is End.HUNG
            self._in_vain += answer.end is End.HUNG
        self._confirming = False
        for case, answer in late:
            alike = 0 if case.flags in self._answered else self._confirmed[case.flags]
            yield case, found.get(case.id) or _grouped(case, answer, alike)

    def _enough_hangs(self, usual: bool) -> bool:
        """Whether no further hang is to be confirmed where people work, or else elsewhere."""
        found = sum(n for kind, n in self._confirmed.items() if worked(kind) or not usual)
        return found >= self._limits.confirmed

    def _as_good_as_confirmed(self, late: Sequence[tuple[Case, Answer]]) -> dict[str, Answer]:
        """Return those that had the whole limit, a process each, if that was in vain twice."""
        if self._in_vain < _ALIKE:
            return {}
        return {case.id: answer for case, answer in late if case.id in self._had_all}

    def ask(self, case: Case, *, limit: float | None = None) -> Answer:
        """Return the answer to one case; what goes wrong is an answer too."""
        if why := self._enough():
            return Answer(end=End.NOT_ASKED, message=f"not asked: {why}")
        if not self._started():
            self._deaths += 1
            return Answer(end=End.DIED, message=f"does not start again: {self._why_not}")
        answer = self._request(case, self._limits.request if limit is None else limit)
        if answer.end is End.HUNG:
            self._spend("hangs asked again" if self._confirming else "too long at first")
            self._hung[case.flags] += 1
        else:
            self._spend("answers")
            self._answered.add(case.flags)
            self._times.append(answer.seconds)
        return answer

    def _started(self) -> bool:
        if not self._child.running:
            try:
                self._child.start(timeout=self._limits.start)
            except _FAILURES as error:
                self._why_not = str(error)
                self._failed_starts += 1
                return False
            finally:
                self._spend("starts")
            self._failed_starts = 0
        return True

    def _arguments(self, case: Case) -> dict[str, float]:
        return {name: case.arguments[name] for name in self._function.arguments}

    def _enough(self) -> str:
        """Return why no case is worth another wait, or nothing."""
        limits = self._limits
        if self.gone:
            return f"the adapter does not start again: {self.gone}"
        if self._hangs >= limits.hangs:
            return f"the function hung {self._hangs} times"
        if self._deaths >= limits.deaths:
            return f"its process died, or broke the protocol, {self._deaths} times"
        if self.spent >= self._budget:
            return f"the function's {limits.function:g} s were used up"
        return ""

    def _asked(self, ask: Callable[[], _T]) -> _T:
        """Return what is answered; once more where somebody else may have killed the process."""
        try:
            return ask()
        except AdapterDiedError as error:
            if not error.killed or self._kills >= _KILLS:
                raise
            self._kills += 1
            self._spend("killed, asked again")
            if not self._started():
                raise
            return ask()

    def _request(self, case: Case, limit: float) -> Answer:
        given = self._arguments(case)
        try:
            reply = self._asked(lambda: self._child.run(self._function.wire, given, timeout=limit))
        except _FAILURES as error:
            self._hangs += isinstance(error, AdapterHungError)
            self._deaths += not isinstance(error, AdapterHungError)
            seconds = round(self._child.spent, 6)
            return Answer(end=_END[type(error)], message=str(error), seconds=seconds)
        return _answer(reply, self._child.spent)


def _grouped(case: Case, answer: Answer, confirmed: int) -> Answer:
    """Return what is said of a case that was not asked again, or not at all."""
    kind = ", ".join(case.flags)
    if answer.end is End.HUNG and confirmed:
        words = f"{answer.message}, and {confirmed} of its kind ({kind}) had none at all"
        return Answer(end=End.HUNG, message=words, seconds=answer.seconds)
    if answer.end is End.HUNG:
        words = f"not asked again: {answer.message} at first"
    else:
        words = f"not asked: others of its kind ({kind}) took too long, and none answered"
    return Answer(end=End.NOT_ASKED, message=words, seconds=answer.seconds)


def _chunks(cases: Sequence[Case], size: int) -> Iterator[Sequence[Case]]:
    """Yield what is asked together: those that are asked alone stay alone."""
    for alone, group in itertools.groupby(cases, key=lambda case: case.alone):
        members = list(group)
        step = 1 if alone else size
        if step > 1:
            members = _mixed(members)
        for start in range(0, len(members), step):
            yield members[start : start + step]


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
        return Answer(end=End.VALUE, value=ending.value, seconds=seconds)
    for end, message in (
        (End.REFUSED, ending.refused),
        (End.ERROR, ending.error),
        (End.SKIPPED, ending.skip),
    ):
        if message is not msgspec.UNSET:
            return Answer(end=end, message=_printable(message), seconds=seconds)
    raise AssertionError("an answer has one of its four parts")


def _printable(text: str) -> str:
    """Return an adapter's text without control characters, so that it cannot move the cursor."""
    return "".join(c if c.isprintable() else " " for c in text)[:500]
