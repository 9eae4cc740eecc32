"""Answers that took too long at first, and which of them are asked for again.

An answer first gets a time that fits the function's own median, and less after one full timeout.
A question that took longer is asked again last, alone, with six times the full limit: only if that
fails too is it a hang. So what is slow is told from what does not end, on a slow machine too. One
hang is confirmed, on everyday inputs or else on others, because a second one says little more about
the function. None is confirmed where the function has failed otherwise, or breaks a promise, since
its grade is no worse for a hang. When some inputs of a kind have hung, and none was answered, the
others of that kind are left out, and the run says so.
"""

from __future__ import annotations

import math
import sys
from collections import Counter
from collections.abc import Callable, Collection
from statistics import median

from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import Case
from dporacle.conformance.ask.fresh import worked
from dporacle.conformance.ask.limits import Patience
from dporacle.conformance.protocol import read_number

TRIES = 2
"""Hangs for which something is asked again where people work, and as many elsewhere."""

_MOST = 8  # of a function's questions are asked again

_MEDIANS, _LEAST_FIRST = 20, 0.5  # the first limit: so many medians, and at least so many seconds
_FEW_MEDIANS, _LEAST_THEN = 5, 0.2  # the same after one full timeout
_ALIKE = 2  # full timeouts after which no other question gets the full limit at first
_KNOWN = 3  # answers from which a median is taken
_LOST = 0.3  # of a full limit: after so long in vain less is waited; so long where all is decided


class Late:
    """How long one function's answers may take, and which of them took longer."""

    def __init__(self, limits: Patience) -> None:
        self._limits = limits
        self._times: list[float] = []
        self._hung: Counter[tuple[str, ...]] = Counter()
        self._answered: set[tuple[str, ...]] = set()
        self._late: list[tuple[Case, Answer]] = []
        self._confirmed: Counter[tuple[str, ...]] = Counter()
        self._again: Counter[bool] = Counter()
        self._asked_again = 0
        self._in_vain = 0
        self._failed: set[bool] = set()

    def __len__(self) -> int:
        """How many are to be asked again."""
        return len(self._late)

    @property
    def usual_time(self) -> float:
        """The median of the answers' times; infinite before there are some."""
        return median(self._times) if len(self._times) >= _KNOWN else math.inf

    def decided(self, *, usual: bool = False) -> bool:
        """Whether it is known to fail or to hang: at all, or where people work."""
        hangs = sum(n for kind, n in self._confirmed.items() if worked(kind) or not usual)
        failed = True in self._failed or (bool(self._failed) and not usual)
        return failed or hangs >= self._limits.confirmed

    def undecided(self) -> bool:
        """Whether a hang is to be confirmed, unless the function is known to fail otherwise."""
        return any(
            answer.end is End.HUNG and not self.decided(usual=worked(case.flags))
            for case, answer in self._late
        )

    def fails(self, places: Collection[bool]) -> None:
        """Take note that it fails, or worse, where people work (true) or elsewhere."""
        self._failed.update(places)

    def note(self, case: Case, answer: Answer) -> None:
        """Take note of an answer, or of a hang."""
        if _fails(case, answer):
            self._failed.add(worked(case.flags))
        if answer.end is End.HUNG:
            self._hung[case.flags] += 1
        else:
            self._answered.add(case.flags)
            self._times.append(answer.seconds)

    def limit(self, case: Case, in_vain: float) -> float:
        """Return how long an answer may take at first.

        Args:
            case: what is asked.
            in_vain: the seconds that were spent on what did not come.
        """
        request, known = self._limits.request, len(self._times) >= _KNOWN
        usual = median(self._times or [0.0])
        decided = self.decided(usual=worked(case.flags))
        short = max(_LEAST_THEN, _FEW_MEDIANS * usual)
        if decided:
            return min(_LOST * request, short)
        if not known and self._in_vain < _ALIKE:
            return request
        if known and in_vain >= _LOST * request:
            return min(request, short)
        medians = _MEDIANS if self._in_vain < _ALIKE else _FEW_MEDIANS
        return min(request, max(_LEAST_FIRST, medians * usual))

    def put_off(self, case: Case, answer: Answer, *, limit: float = 0.0) -> None:
        """Keep a case for the end: it took longer than this limit, or is like those that did."""
        if limit >= self._limits.request:
            self._in_vain += 1
        self._late.append((case, answer))

    def kind_hangs(self, case: Case) -> bool:
        """Whether some of this kind took too long, and none was answered.

        After a hang was confirmed, which decides what the function is, one of a kind says enough.
        """
        kind = case.flags
        enough = 1 if self.decided() else self._limits.of_a_kind
        return self._hung[kind] >= enough and kind not in self._answered

    def asked_again(self, ask: Callable[[Case], Answer]) -> list[tuple[Case, Answer]]:
        """Return what took too long, asked again as far as that says more."""
        late, self._late = self._late, []
        hung = [case for case, answer in late if answer.end is End.HUNG]
        firsts = {case.flags: case.id for case in reversed(hung)}
        order = sorted(hung, key=lambda c: (not worked(c.flags), firsts[c.flags] != c.id))
        found: dict[str, Answer] = {}
        for case in order:
            usual = worked(case.flags)
            enough = self._again[usual] >= TRIES or self._asked_again >= _MOST
            if enough or self.decided(usual=usual):
                continue
            answer = ask(case)
            if answer.end is End.NOT_ASKED:
                break
            self._asked_again += 1
            self._again[usual] += answer.end is End.HUNG
            found[case.id] = answer
            self._confirmed[case.flags] += answer.end is End.HUNG
            self._in_vain += answer.end is End.HUNG
        return [(case, found.get(case.id) or self._grouped(case, answer)) for case, answer in late]

    def _grouped(self, case: Case, answer: Answer) -> Answer:
        """Return what is said of a case that was not asked again, or not at all."""
        kind = ", ".join(case.flags)
        confirmed = 0 if case.flags in self._answered else self._confirmed[case.flags]
        if answer.end is End.HUNG and confirmed:
            words = f"{answer.message}, and {confirmed} of its kind ({kind}) had none at all"
            return Answer(end=End.HUNG, message=words, seconds=answer.seconds)
        if answer.end is End.HUNG:
            words = f"not asked again: {answer.message} at first"
        else:
            words = f"not asked: others of its kind ({kind}) took too long, and none answered"
        return Answer(end=End.NOT_ASKED, message=words, seconds=answer.seconds)


def _fails(case: Case, answer: Answer) -> bool:
    """Whether an answer is no number where one is due for certain."""
    if not case.valid or answer.end in (End.DIED, End.BROKE_PROTOCOL):
        return answer.end in (End.DIED, End.BROKE_PROTOCOL)
    most = case.proved[1] if case.proved else math.inf
    if answer.end is End.ERROR:
        return worked(case.flags) or most < sys.float_info.max
    value = 0 if answer.value is None else read_number(answer.value)
    return isinstance(value, float) and (math.isnan(value) or most < sys.float_info.max)
