"""What came back for one case."""

import enum
from fractions import Fraction

import msgspec

from dporacle.conformance.protocol import Ending


class End(enum.StrEnum):
    """How a request ended."""

    VALUE = "value"
    REFUSED = "refused"
    ERROR = "error"
    DIED = "died"
    BROKE_PROTOCOL = "broke protocol"
    HUNG = "hung"
    SKIPPED = "skipped"
    NOT_ASKED = "not asked"


class Answer(msgspec.Struct, frozen=True, kw_only=True):
    """What came back for one case.

    Attributes:
        kind: how the request ended.
        value: the answer as it was sent, or exactly, where there is one.
        message: what the library, the adapter or the operating system said.
        seconds: how long it took.
    """

    end: End
    value: float | str | Fraction | None = None
    message: str = ""
    seconds: float = 0.0


def answer_of(ending: Ending, seconds: float) -> Answer:
    """Return the answer that an adapter's words are."""
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
