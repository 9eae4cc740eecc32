"""What no number of draws shows: the words that go with "nothing found"."""

from collections.abc import Sequence
from typing import Protocol

from dporacle.wings.samplers.laws import Law
from dporacle.wings.samplers.repeats import watched


class DrawingRecord(Protocol):
    """What tells how the draws were made: an audit."""

    @property
    def requests(self) -> int:
        """Short requests that were made; none of a file."""

    @property
    def processes(self) -> int:
        """Processes of a program whose first draws were compared."""


def unseen(law: Law, values: Sequence[float], found: DrawingRecord) -> list[str]:
    """Return the kinds of faults that an audit of this law does not see.

    Args:
        law: the claim.
        values: the exact answers of which releases were drawn; none of a file, which has noise.
        found: the audit.
    """
    answers = ", ".join(f"{each:.6g}" for each in values) or "those of the file"
    words = [f"noise that is wrong only for exact answers other than {answers}"]
    if not found.requests:
        words.append("what a new request changes: seeds, noise of the request before")
    if found.processes < 2:
        words.append("what a new process changes: the same seed in every run")
    words.append("noise of more than 8 batches ago mixed with fresh noise, or at another scale")
    if law.dimension > 1 and not law.peaked:
        words.append("noise of before whose coordinates are mixed with one another")
    longest = max((watch.size for watch in watched(law)), default=1)
    if longest > 1:
        words.append(f"copies of fewer than {longest} draws, or in another order")
    if law.peaked:
        words.append("whether privacy is lost, but by noise that comes again: lengths alone count")
    elif law.folded:
        words.append("whether privacy is lost, but by noise that comes again: ends and remainders")
    elif not law.linear:
        words.append("whether privacy is lost by sums and differences of several numbers")
    words.append("a generator of more than 65,536 seeds, or of seeds that can be guessed; timing")
    return words
