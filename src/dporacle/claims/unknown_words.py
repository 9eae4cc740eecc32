"""Words that people try and that name nothing here: what they may mean, or what is nearest.

What cannot be decided is answered by name. A word is looked up only where it stands for no kind
that is known, so that a row of `unknown_words.json` is idle, and harmless, once its mechanism has a
file. That pure ε-DP implies ε²/2-zCDP is in Bun and Steinke (2016).
"""

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final


@dataclass(frozen=True, slots=True)
class Unsupported:
    """What no claim can be about.

    Attributes:
        what: it, in words.
        nearest: the nearest claim that can be decided.
    """

    what: str
    nearest: str

    def __str__(self) -> str:
        return f"out of scope: {self.what}; the nearest claim that can be decided is {self.nearest}"


_FILE = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_TEXTS: Mapping[str, str] = _FILE["texts"]  # that several rows have


def _fields(rows: Iterable[Mapping[str, Any]]) -> dict[str, tuple[tuple[str, str], ...]]:
    found: dict[str, tuple[tuple[str, str], ...]] = {}
    for row in rows:
        for name in row["names"]:
            meaning = row["field"], row["what"].format(**_TEXTS)
            found[name] = (*found.get(name, ()), meaning)
    return found


OUT_OF_SCOPE: Final = {
    word: Unsupported(row["what"], row["nearest"].format(**_TEXTS))
    for row in _FILE["out_of_scope"]
    for word in row["words"]
}
"""Word -> what it means and what is nearest."""

ALONE: Final = {
    name: Unsupported(what, nearest.format(**_TEXTS))
    for name, (what, nearest) in _FILE["alone"].items()
}
"""Mechanism that is decided by itself only -> what is nearest to a composition with it."""

FIELDS: Final = _fields(_FILE["fields"])
"""Another name of a field -> each field that it may mean, and what that is; the likeliest first.

A meaning counts only where the record has that field.
"""

MISSING: Final = {field: what.format(**_TEXTS) for field, what in _FILE["missing"].items()}
"""Field of a kind of record, as kind.field -> what to write, where it must be given."""

MEANT: Final = {word: meant for meant, words in _FILE["meant"].items() for word in words}
"""Another word for something -> the word that claims use."""
