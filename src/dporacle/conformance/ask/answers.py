"""What came back for one case."""

from __future__ import annotations

import enum

import msgspec


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
        value: the answer as it was sent, where there is one.
        message: what the library, the adapter or the operating system said.
        seconds: how long it took.
    """

    end: End
    value: float | str | None = None
    message: str = ""
    seconds: float = 0.0
