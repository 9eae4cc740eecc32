"""Known failures: what is expected to be wrong, why, and until when.

One file serves `dporacle conform`, the action and the pytest plugin. Each entry names some cases
and the worst that may come of them; when all of them pass the entry has expired and is to be
removed, so that nothing that was mended breaks again unseen.
"""

from __future__ import annotations

import fnmatch
import json
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Annotated

import msgspec

from dporacle.conformance.ask.fresh import RULES
from dporacle.conformance.judge.harm_levels import Level

__all__ = ["FORMAT", "Entry", "Failure", "KnownFailures", "baseline", "read", "write"]

FORMAT = "dporacle-known-failures/1"

MAX_BYTES = 1 << 22

_Text = Annotated[str, msgspec.Meta(max_length=2000)]
_FLAG = "flag:"


class Entry(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Cases that are known to fail; each pattern may have `*` and `?`.

    Attributes:
        case: a pattern for a vector's id, or `flag:NAME`.
        reason: why that is so for now.
        library: a pattern for the library's name; the plugin passes over it.
        function: a pattern for the function's name in the library; the plugin passes over it.
        quantity: a pattern for what is computed: the plugin's group.
        outcome: a pattern for the outcomes.
        level: the worst harm that is known; anything worse is a new failure.
    """

    case: Annotated[_Text, msgspec.Meta(min_length=1)]
    reason: Annotated[_Text, msgspec.Meta(pattern=r"\S")]
    library: _Text = "*"
    function: _Text = "*"
    quantity: _Text = "*"
    outcome: _Text = "*"
    level: Level = Level.NO_PRIVACY

    def names(self, identifier: str, flags: Iterable[str]) -> bool:
        """Whether the entry is about a case."""
        if self.case.startswith(_FLAG):
            return self.case.removeprefix(_FLAG) in flags
        return _fits(identifier, self.case)

    def is_about(self, library: str, function: str, quantity: str) -> bool:
        """Whether the entry is about a function of a library."""
        return (
            _fits(library, self.library)
            and _fits(function, self.function)
            and _fits(quantity, self.quantity)
        )

    @property
    def fresh(self) -> bool:
        """Whether it is about inputs that each run makes anew, and so never expires."""
        return self.case.removeprefix(_FLAG) in RULES

    @property
    def text(self) -> str:
        """The entry on one line."""
        names = (self.library, self.function, self.quantity, self.case)
        return " ".join(name for name in names if name != "*") + f": {self.reason}"


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: str
    known: list[Entry] = []


def _fits(text: str, pattern: str) -> bool:
    # A vector's id has no brackets; a function's name may have some that are meant.
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


def read(data: bytes) -> tuple[Entry, ...]:
    """Return the entries of a file.

    Raises:
        ValueError: saying what is wrong with it.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"a file of known failures has at most {MAX_BYTES} bytes")
    try:
        file = msgspec.convert(tomllib.loads(data.decode()), _File)
    except (UnicodeDecodeError, tomllib.TOMLDecodeError, msgspec.MsgspecError) as error:
        raise ValueError(f"not a file of known failures: {error}") from None
    if file.format != FORMAT:
        raise ValueError(f"not a file of known failures: format {file.format[:60]!r}")
    return tuple(file.known)


def write(entries: Sequence[Entry]) -> str:
    """Return the file that holds these entries."""
    blocks = [f"format = {_quoted(FORMAT)}\n"]
    for entry in entries:
        fields = msgspec.to_builtins(entry)
        lines = [f"{name} = {_quoted(text)}\n" for name, text in fields.items() if text != "*"]
        blocks.append("".join(["\n[[known]]\n", *lines]))
    return "".join(blocks)


def _quoted(text: str) -> str:
    """Return a text as TOML has it, which reads JSON's escapes but for two of them."""
    return json.dumps(text, ensure_ascii=True).replace("\x7f", "\\u007f")


@dataclass(frozen=True)
class Failure:
    """A case that failed.

    Attributes:
        where: the library, the function and the quantity.
        identifier: the vector's id, without its quantity.
        flags: those of the case.
        outcome: what the answer was.
        level: its harm.
    """

    where: tuple[str, str, str]
    identifier: str
    flags: tuple[str, ...]
    outcome: str
    level: Level | None


def baseline(failures: Iterable[Failure], *, reason: str, each: bool = False) -> list[Entry]:
    """Return entries that excuse these failures and nothing worse.

    Args:
        failures: what is to be excused.
        reason: why, for all of them.
        each: whether each vector gets an entry of its own; else each flag does.
    """
    found: dict[tuple[str, ...], list[Failure]] = {}
    for failure in failures:
        telling = [flag for flag in failure.flags if flag != "core"] or ["core"]
        fresh = not RULES.keys().isdisjoint(failure.flags)
        case = failure.identifier if each and not fresh else _FLAG + telling[0]
        found.setdefault((*failure.where, failure.outcome, case), []).append(failure)
    entries = []
    for (library, function, quantity, outcome, case), members in sorted(found.items()):
        ranks = [failure.level for failure in members if failure.level is not None]
        entries.append(
            Entry(
                case=case,
                reason=f"{reason} ({len(members)} {'case' if len(members) == 1 else 'cases'})",
                library=library,
                function=function,
                quantity=quantity,
                outcome=outcome,
                level=max(ranks, key=lambda level: level.rank, default=Level.NO_ANSWER),
            )
        )
    return entries


class KnownFailures:
    """The entries for a run, and which of them are still needed."""

    def __init__(self, entries: Iterable[Entry] = ()) -> None:
        self._entries = tuple(entries)
        self._seen: set[Entry] = set()
        self._needed: set[Entry] = set()

    def excuses(
        self,
        where: tuple[str, str, str],
        identifier: str,
        flags: Iterable[str],
        outcome: str,
        level: Level | None,
    ) -> bool:
        """Whether a failure is known; `passes` is for cases that did not fail.

        Args:
            where: the library, the function and the quantity.
            identifier: the vector's id, without its quantity.
            flags: those of the case.
            outcome: what the answer was.
            level: its harm; None for what only costs noise.
        """
        rank = level.rank if level is not None else -1
        found = [
            entry
            for entry in self._about(where, identifier, flags)
            if _fits(outcome, entry.outcome) and rank <= entry.level.rank
        ]
        self._needed.update(found)
        return bool(found)

    def passes(self, where: tuple[str, str, str], identifier: str, flags: Iterable[str]) -> None:
        """Note a case that was asked and did not fail."""
        for _ in self._about(where, identifier, flags):
            pass

    def _about(
        self, where: tuple[str, str, str], identifier: str, flags: Iterable[str]
    ) -> Iterator[Entry]:
        named = set(flags)
        for entry in self._entries:
            if entry.is_about(*where) and entry.names(identifier, named):
                self._seen.add(entry)
                yield entry

    @property
    def expired(self) -> list[Entry]:
        """The entries whose cases were asked, and all passed."""
        return [e for e in self._entries if e in self._seen - self._needed and not e.fresh]
