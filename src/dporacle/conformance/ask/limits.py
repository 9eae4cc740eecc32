"""How long the judge waits for an adapter, and how often it tries again."""

from __future__ import annotations

from dataclasses import dataclass

from dporacle.conformance.process.processes import MEMORY_LIMIT

_LAST = 6  # times the first limit
_KNOWN = 2  # times less where an earlier run had no answer


@dataclass(frozen=True)
class Patience:
    """How much patience the judge has, in seconds of processor time or idleness.

    Attributes:
        request: for one answer, at first.
        start: for an adapter to import its library.
        starts: for all the starts of one function's processes, which no answer is late for.
        function: for all the answers of one function.
        library: for all the answers of one library.
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
    starts: float = 600.0
    function: float = 120.0
    library: float = 3600.0
    fresh: float = 5.0
    slow: float = 1.0
    hangs: int = 48
    of_a_kind: int = 3
    confirmed: int = 1
    deaths: int = 20
    batches: int = 3
    memory: int = MEMORY_LIMIT
    pause: float = 0.0

    @property
    def last(self) -> float:
        """For one answer, asked again alone before it counts as a hang.

        `dporacle conform self --seed 1` asked two inputs at which the float64 witness needs 9.2 and
        9.6 s of processor time on an idle machine: slow is not broken. Three times as long allows
        for a slower machine.
        """
        return _LAST * self.request

    @property
    def known(self) -> float:
        """The same where an earlier run had no answer in all that time.

        An answer that takes 29 s was a hang in one run and none in the next: what takes about as
        long as the limit is to be the same in each of them.
        """
        return self.last / _KNOWN
