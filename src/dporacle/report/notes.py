"""Why cases are asked: the notes of their flags, as the vectors of this version have them."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

from dporacle.conformance.ask.fresh import RULES
from dporacle.conformance.grade.runs import Document
from dporacle.conformance.judge.outcomes import JudgedCase
from dporacle.vectors import GROUPS, load

_THREAD = re.compile(r"([A-Za-z0-9_.-]+/[A-Za-z0-9_.-]+)#([0-9]+)")


def thread(text: str) -> Iterator[str]:
    """Yield the addresses of the public threads that a note names."""
    for found in _THREAD.finditer(text):
        repository, number = found.groups()
        yield f"https://github.com/{repository}/issues/{number}"


@dataclass(frozen=True)
class LinkedText:
    """A stretch of a note, and the page of the bug that it names."""

    text: str
    address: str = ""


@dataclass(frozen=True)
class Note:
    """Why cases of a quantity with a flag exist.

    Attributes:
        flag: the flag.
        quantities: what the cases are about.
        text: why they exist.
        anchor: the note's name on the page.
    """

    flag: str
    quantities: tuple[str, ...]
    text: str
    anchor: str

    @property
    def pieces(self) -> Iterator[LinkedText]:
        """The text, with the threads it names as links."""
        end = 0
        for found in _THREAD.finditer(self.text):
            yield LinkedText(self.text[end : found.start()])
            yield LinkedText(found.group(), next(thread(found.group())))
            end = found.end()
        yield LinkedText(self.text[end:])


class Notes:
    """The notes of the flags that a run's cases bear, as far as this version has them."""

    def __init__(self, document: Document) -> None:
        used = {
            (_quantity(case), flag)
            for item in document.items
            for case in item.judged
            for flag in case.flags
        }
        meaning: dict[tuple[str, str], list[str]] = {}
        for group in (group for group in GROUPS if any(group == name for name, _ in used)):
            for flag, text in (load(group).notes | RULES).items():
                if (group, flag) in used:
                    meaning.setdefault((flag, text), []).append(group)
        # Quantities for which a flag means the same share a note.
        self._known = {
            (group, flag): Note(flag, tuple(groups), text, f"n-{groups[0]}-{flag}")
            for (flag, text), groups in meaning.items()
            for group in groups
        }

    def anchor(self, case: JudgedCase, flag: str) -> str | None:
        """Return the name of a flag's note on the page; None for a flag without one."""
        note = self._known.get((_quantity(case), flag))
        return note.anchor if note else None

    def __iter__(self) -> Iterator[Note]:
        """Yield each note, in alphabetical order of the flags."""
        found = {note.anchor: note for note in self._known.values()}
        yield from sorted(found.values(), key=lambda note: (note.flag, note.quantities))


def _quantity(case: JudgedCase) -> str:
    return case.case.partition("/")[0]
