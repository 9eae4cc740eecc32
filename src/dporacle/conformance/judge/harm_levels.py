"""How much an unsafe answer leaves of a promise, in words; `harm` proves which it is.

Imports nothing, so that the options of `dporacle conform` are quick to print.
"""

import enum


class Level(enum.StrEnum):
    """How much is left of the promise, the least harm first."""

    INVALID = "invalid-input"
    NO_ANSWER = "no-answer"
    LAST_DIGITS = "last-digits"
    SLIGHT = "slight"
    NOTICEABLE = "noticeable"
    GRAVE = "grave"
    NO_PRIVACY = "no-privacy"

    @property
    def rank(self) -> int:
        """Its place in the order of harm."""
        return _RANK[self]


LEVELS: dict[Level, str] = {
    Level.INVALID: "an answer to an input outside the domain, for which nothing can be promised",
    Level.NO_ANSWER: "a hang, a crash, NaN or infinity: nothing is promised, and nothing broken",
    Level.LAST_DIGITS: "the true figure is above the promised one by 1e-9 of it at most, "
    "or the answer is the float64 nearest to the exact one",
    Level.SLIGHT: "by a hundredth at most; or answers disagree with each other",
    Level.NOTICEABLE: "up to twice the promised one",
    Level.GRAVE: "more than twice the promised one",
    Level.NO_PRIVACY: "more than twice the promised one, and at least one half",
}
"""Every level and what it means, the least harm first."""

_RANK = {level: rank for rank, level in enumerate(Level)}
