"""How much an unsafe answer leaves of a promise, in words; `harm` proves which it is.

Imports nothing, so that the options of `dporacle conform` are quick to print.
"""

import enum


class Level(enum.StrEnum):
    """How much is left of the promise, the least harm first."""

    INVALID = "invalid-input"
    LAST_DIGITS = "last-digits"
    SLIGHT = "slight"
    NO_ANSWER = "no-answer"
    NOTICEABLE = "noticeable"
    GRAVE = "grave"
    NO_PRIVACY = "no-privacy"

    @property
    def rank(self) -> int:
        """Its place in the order of harm."""
        return _RANK[self]


LEVELS: dict[Level, str] = {
    Level.INVALID: "an answer to an input outside the domain, for which nothing can be promised",
    Level.LAST_DIGITS: "the true figure is above the promised one by 1e-9 of it at most, "
    "or the answer is the float64 nearest to the exact one",
    Level.SLIGHT: "by a hundredth at most",
    Level.NO_ANSWER: "a hang, a crash, NaN or infinity: nothing is promised, and nothing broken",
    Level.NOTICEABLE: "by more than a hundredth, up to twice the promised one",
    Level.GRAVE: "more than twice the promised one",
    Level.NO_PRIVACY: "more than twice the promised one, and at least one half",
}
"""Every level and what it means, the least harm first."""

_RANK = {level: rank for rank, level in enumerate(Level)}

FAILING = Level.SLIGHT
"""The least harm for which a function is not conformant, unless another is named."""

MUCH = 0.01
"""An unsafe answer with more harm than this, as a share of the promise, breaks the promise."""


def least_harm(text: str) -> Level | float:
    """Read what a run is to fail for: a level, or the harm above which an answer counts.

    Args:
        text: a level's name, or a share of the promise: "1e-6", "1 %".

    Raises:
        ValueError: if it is neither.
    """
    if text in LEVELS:
        return Level(text)
    words = text.strip()
    percent = words.endswith("%")
    try:
        share = float(words.removesuffix("%")) / (100 if percent else 1)
    except ValueError:
        share = -1.0
    if not 0 <= share < float("inf"):
        levels = ", ".join(LEVELS)
        raise ValueError(f"{text!r} is no harm: give {levels}, or a share such as 1e-6 or '1 %'")
    return share
