"""The questions to one function of an adapter, with limited patience.

What takes too long is put off (`late`), starts have time of their own (`starting`), and what the
patience went into is kept, so that a run can be traced. A process that was killed by a signal that
others send is asked again at once, twice per function. If it dies again, it has crashed.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Sequence
from typing import TypeVar

from dporacle.conformance.ask.answers import Answer, End, answer_of
from dporacle.conformance.ask.batches import batches
from dporacle.conformance.ask.cases import Case
from dporacle.conformance.ask.late import TRIES, Late
from dporacle.conformance.ask.limits import Patience
from dporacle.conformance.ask.starting import Child, Starting
from dporacle.conformance.process.channel import AdapterDiedError, AdapterHungError
from dporacle.conformance.protocol import Function, ProtocolError, read_number

_T = TypeVar("_T")
_END: dict[type[Exception], End] = {
    AdapterHungError: End.HUNG,
    AdapterDiedError: End.DIED,
    ProtocolError: End.BROKE_PROTOCOL,
}
_FAILURES = tuple(_END)
_ORDERLY = {End.VALUE, End.REFUSED, End.ERROR, End.SKIPPED}
_LATE, _LATE_THEN = 4, 2  # answers that took too long, after which a part that is limited is left
_TINY = 1e-200  # below which an answer may have no enclosure to be judged by
_KILLS = 2  # times that somebody else may have killed the process: a third is its own doing
_IN_VAIN = ("too long at first", "hangs asked again")


class Asking:
    """The questions to one function, until its share of patience is used up."""

    def __init__(
        self,
        child: Child,
        function: Function,
        limits: Patience,
        broken: Callable[[], Collection[bool]] = frozenset,
    ) -> None:
        """Ask nothing yet.

        Args:
            child: whom to ask.
            function: for what.
            limits: how much patience to have.
            broken: says whether promises are broken where people work (true) and elsewhere, as far
                as that is known of the answers until then.
        """
        self._child = child
        self._broken = broken
        self._function = function
        self._limits = limits
        self._starting = Starting(child, limits)
        self._late = Late(limits)
        self._hangs = self._deaths = self._failed_batches = self._kills = 0
        # What is asked again last needs a part of the patience.
        kept = min(2 * TRIES * limits.request, limits.function / 2)
        self._budget = limits.function - kept
        self._confirming = False
        self._spent: defaultdict[str, float] = defaultdict(float)

    @property
    def patience(self) -> dict[str, float]:
        """What the seconds went into, those of the starts too."""
        return self._spent | {"starts": self._starting.spent}

    @property
    def spent(self) -> float:
        """The seconds that were spent on answers, all together."""
        return sum(self._spent.values())

    @property
    def usual_time(self) -> float:
        """The median of the answers' times; infinite before there are some."""
        return self._late.usual_time

    @property
    def decided(self) -> bool:
        """Whether it is known to fail or hang."""
        return self._late.decided()

    @property
    def gone(self) -> str:
        """Why the child is given up, if it is: it does not start again."""
        return self._starting.gone

    def _spend(self, what: str) -> None:
        self._spent[what] += self._child.spent

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
                four took too long, or two where it is known to fail …
            least: … but for so many. Answers that are almost 0 come on top, up to as many again:
                the exact value may be too small to be enclosed, and then they are left out.
        """
        end = self._spent["answers"] + most
        begun, tiny, late = 0, 0, len(self._late)
        for chunk in batches(cases, self._function.batch):
            most_late = _LATE_THEN if self.decided else _LATE
            enough = self._spent["answers"] >= end or len(self._late) - late >= most_late
            if math.isfinite(most) and enough and begun - min(tiny, least) >= least:
                break
            begun += len(chunk)
            together = self._together(chunk)
            if isinstance(together, list):
                tiny += sum(map(_tiny, together))
                yield from zip(chunk, together, strict=True)
                continue
            alone = [self._at_first(case) for case in chunk]
            orderly = all(each is not None and each.end in _ORDERLY for each in alone)
            if together is not None and orderly:
                alone[0] = together
            tiny += sum(map(_tiny, alone))
            yield from ((c, a) for c, a in zip(chunk, alone, strict=True) if a is not None)
        limits = self._limits
        if self._late.undecided():
            self._late.fails(self._broken())
        self._hangs, self._budget, self._confirming = 0, limits.function, True
        again = self._late.asked_again(
            lambda case: self.ask(case, limit=limits.known if case.hung else limits.last)
        )
        self._confirming = False
        yield from again

    def _together(self, cases: Sequence[Case]) -> list[Answer] | Answer | None:
        """Return the answers to a batch, or its failure; nothing if it is not to be asked."""
        limits = self._limits
        if len(cases) == 1 or self._failed_batches >= limits.batches:
            return None
        if self._enough() or not self._starting.runs():
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
        return [answer_of(ending, self._child.spent / len(cases)) for ending in endings]

    def _at_first(self, case: Case) -> Answer | None:
        """Return the answer to a case, or nothing if it takes too long for now."""
        if not self._enough() and self._late.kind_hangs(case):
            self._late.put_off(case, Answer(end=End.NOT_ASKED, message=""))
            return None
        limit = self._late.limit(case, sum(self._spent[what] for what in _IN_VAIN))
        answer = self.ask(case, limit=limit)
        if answer.end is not End.HUNG:
            return answer
        self._late.put_off(case, answer, limit=limit)
        return None

    def ask(self, case: Case, *, limit: float | None = None) -> Answer:
        """Return the answer to one case; what goes wrong is an answer too."""
        if why := self._enough():
            return Answer(end=End.NOT_ASKED, message=f"not asked: {why}")
        if not self._starting.runs():
            self._deaths += 1
            message = f"does not start again: {self._starting.why_not}"
            return Answer(end=End.DIED, message=message)
        answer = self._request(case, self._limits.request if limit is None else limit)
        if answer.end is End.HUNG:
            self._spend(_IN_VAIN[self._confirming])
        else:
            self._spend("answers")
        self._late.note(case, answer)
        return answer

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
        # The long waits for what may hang are few, and no other question is worse off for them.
        if self.spent - self._spent[_IN_VAIN[True]] >= self._budget:
            return f"the function's {limits.function:g} s were used up"
        return self._starting.used_up

    def _asked(self, ask: Callable[[], _T]) -> _T:
        """Return what is answered; once more where somebody else may have killed the process."""
        try:
            return ask()
        except AdapterDiedError as error:
            if not error.killed or self._kills >= _KILLS:
                raise
            self._kills += 1
            self._spend("killed, asked again")
            if not self._starting.runs():
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
        return answer_of(reply, self._child.spent)


def _tiny(answer: Answer | None) -> bool:
    if answer is None or answer.value is None:
        return False
    return -_TINY < read_number(answer.value) < _TINY
