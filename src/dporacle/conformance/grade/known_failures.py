"""Known failures: what is expected to be wrong, why, and until when.

One file serves `dporacle conform`, the action and the pytest plugin. Each entry names some cases
and the worst that may come of them; when all of them pass the entry has expired and is to be
removed, so that nothing that was mended breaks again unseen.

The vectors are the same in every run, and each that fails has an entry of its own: another one that
fails is new. Fresh inputs are others in every run. Of them an entry says how many failed, of how
many, and with which harm. One run does not know the worst, so they are new where nothing of their
kind was known to fail, or where more fail than chance explains, of any harm or of one and above.
"""

import fnmatch
import json
import math
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Annotated

import msgspec

from dporacle.claims.files import read_as
from dporacle.conformance.ask.fresh import EARLIER, RULES, SEARCHED, worked
from dporacle.conformance.grade.functions import NOT_JUDGED, OF_NO_USE
from dporacle.conformance.judge.harm_levels import Level
from dporacle.conformance.judge.outcomes import UNSAFE

FORMAT = "dporacle-known-failures/1"

FRESH = ("fresh", "fresh-elsewhere")
"""The cases of entries about inputs that each run makes anew: where people work, and others."""

_FORGIVEN = 10.0  # times the harm that is known

_CHANCE = 1e-6  # with which an unchanged function's fresh inputs are said to fail more often
_TWICE, _CHANCE_OF_TWICE = 2, 1e-3  # a share that doubles is believed to be more sooner
_UNCOUNTED = frozenset({"repeat", "neighbour", SEARCHED, "consistent", EARLIER})
# They come in flocks, or were chosen since they failed.

MAX_BYTES = 1 << 22

HANG = "hang"

_Text = Annotated[str, msgspec.Meta(max_length=2000)]
_FLAG = "flag:"


class KnownCases(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Cases that are known to fail; each pattern may have `*` and `?`.

    Attributes:
        case: a pattern for a vector's id, `flag:NAME`, one of `FRESH`, or what is known of a
            function as a whole: that it is of no use, or was not judged.
        reason: why that is so for now.
        library: a pattern for the library's name; the plugin passes over it.
        function: a pattern for the function's name in the library; the plugin passes over it.
        quantity: a pattern for what is computed: the plugin's group.
        outcome: a pattern for the outcomes.
        level: the worst harm that is known; anything worse is a new failure.
        harm: how much that is, as a share of the promise; an unsafe answer with more than ten
            times as much is a new failure too. Of fresh inputs it is that of all such answers of
            the function, those to vectors included.
        failed, asked: how many fresh inputs failed, and of how many.
        levels: how many of these had which harm.
    """

    case: Annotated[_Text, msgspec.Meta(min_length=1)]
    reason: Annotated[_Text, msgspec.Meta(pattern=r"\S")]
    library: _Text = "*"
    function: _Text = "*"
    quantity: _Text = "*"
    outcome: _Text = "*"
    level: Level = Level.NO_PRIVACY
    harm: Fraction | None = None
    failed: int | None = None
    asked: int | None = None
    levels: tuple[tuple[Level, int], ...] | None = None

    def names(self, identifier: str, flags: Iterable[str]) -> bool:
        """Whether the entry is about a case; one that is asked again has its input's name."""
        if self.case in FRESH:
            return _fresh(flags) and worked(tuple(flags)) is (self.case == FRESH[0])
        identifier = identifier.removeprefix("repeat/")
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
        return self.case.removeprefix(_FLAG) in (*RULES, *FRESH)

    @property
    def lasting(self) -> bool:
        """Whether it never expires: nor does what is known of a function as a whole."""
        return self.fresh or self.case in (OF_NO_USE, NOT_JUDGED)

    @property
    def text(self) -> str:
        """The entry on one line."""
        names = (self.library, self.function, self.quantity, self.case)
        return " ".join(name for name in names if name != "*") + f": {self.reason}"


class _File(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    format: str
    known: list[KnownCases] = []


def _fresh(flags: Iterable[str]) -> bool:
    """Whether an input was made anew; a vector that is asked again is none."""
    return not (RULES.keys() - {"repeat"}).isdisjoint(flags)


def _fits(text: str, pattern: str) -> bool:
    # A vector's id has no brackets; a function's name may have some that are meant.
    return fnmatch.fnmatchcase(text, pattern.replace("[", "[[]"))


def read(data: bytes) -> tuple[KnownCases, ...]:
    """Return the entries of a file.

    Raises:
        ValueError: saying what is wrong with it.
    """
    if len(data) > MAX_BYTES:
        raise ValueError(f"a file of known failures has at most {MAX_BYTES} bytes")
    file = read_as(_File, data, name="not a file of known failures")
    if file.format != FORMAT:
        raise ValueError(f"not a file of known failures: format {file.format[:60]!r}")
    return tuple(file.known)


def write(entries: Sequence[KnownCases]) -> str:
    """Return the file that holds these entries."""
    blocks = [f"format = {_quoted(FORMAT)}\n"]
    for entry in entries:
        fields = msgspec.to_builtins(entry, enc_hook=float)  # an exact number is no type of TOML
        lines = [
            f"{name} = {_quoted(value)}\n"
            for name, value in fields.items()
            if value not in ("*", None)
        ]
        blocks.append("".join(["\n[[known]]\n", *lines]))
    return "".join(blocks)


def _quoted(value: object) -> str:
    """Return a text, number or list as TOML has it, which reads JSON's but for two escapes."""
    return json.dumps(value, ensure_ascii=True).replace("\x7f", "\\u007f")


@dataclass(frozen=True)
class Failure:
    """A case that failed.

    Attributes:
        where: the library, the function and the quantity.
        identifier: the vector's id, without its quantity.
        flags: those of the case.
        outcome: what the answer was.
        level: its harm.
        harm: the same as a share of the promise, of an unsafe answer.
    """

    where: tuple[str, str, str]
    identifier: str
    flags: tuple[str, ...]
    outcome: str
    level: Level | None
    harm: float | None = None


@dataclass
class FreshTally:
    """How many fresh inputs were asked and failed, and how many of these had which harm."""

    asked: int = 0
    failed: int = 0
    levels: Counter[Level] = field(default_factory=Counter)

    def from_rank(self, rank: int) -> int:
        """Return how many have a harm of this rank or above; all that failed for −1."""
        if rank < 0:
            return self.failed
        return sum(n for level, n in self.levels.items() if level.rank >= rank)


def counted(
    judged: Iterable[tuple[Iterable[str], bool, Level | None]],
) -> tuple[FreshTally, FreshTally]:
    """Return how many fresh inputs failed, for each of `FRESH`.

    Args:
        judged: the flags of each input that was asked, whether its answer failed, and its harm.
    """
    found = FreshTally(), FreshTally()
    for flags, failed, level in judged:
        named = {*flags}
        if _fresh(named) and _UNCOUNTED.isdisjoint(named):
            tally = found[not worked(named)]
            tally.asked += 1
            tally.failed += failed
            if failed and level is not None:
                tally.levels[level] += 1
    return found


def baseline(
    failures: Iterable[Failure],
    *,
    reason: str,
    each: bool = True,
    fresh: Mapping[tuple[str, str, str], Sequence[FreshTally]] | None = None,
) -> list[KnownCases]:
    """Return entries that excuse these failures and nothing worse.

    Args:
        failures: what is to be excused.
        reason: why, for all of them.
        each: whether each vector gets an entry of its own; else each flag does.
        fresh: the library, the function and the quantity -> what `counted` says of it.
    """
    found: dict[tuple[str, ...], list[Failure]] = {}
    for failure in failures:
        for case in _cases(failure, each=each):
            found.setdefault((*failure.where, case), []).append(failure)
    most = _largest_harms(found)
    entries = []
    for (library, function, quantity, case), members in sorted(found.items()):
        entry = KnownCases(
            case=case, reason=reason, library=library, function=function, quantity=quantity
        )
        if case in FRESH:
            tallies = (fresh or {}).get((library, function, quantity), (FreshTally(), FreshTally()))
            tally = tallies[FRESH.index(case)]
            entry = msgspec.structs.replace(
                entry,
                reason=f"{reason} ({tally.failed} of {tally.asked} fresh inputs)",
                failed=tally.failed,
                asked=tally.asked,
                harm=most.get((library, function, quantity, case)),
                levels=tuple(sorted(tally.levels.items(), key=lambda each: -each[0].rank)),
            )
        elif case not in (OF_NO_USE, NOT_JUDGED):
            outcomes = {failure.outcome for failure in members}
            ranks = [failure.level for failure in members if failure.level is not None]
            entry = msgspec.structs.replace(
                entry,
                reason=f"{reason} ({', '.join(sorted(outcomes))})",
                outcome=HANG if outcomes == {HANG} else "*",
                level=max(ranks, key=lambda level: level.rank, default=Level.INVALID),
                harm=most.get((library, function, quantity, case)),
            )
        entries.append(entry)
    return entries


def _largest_harms(
    found: Mapping[tuple[str, ...], Sequence[Failure]],
) -> dict[tuple[str, ...], Fraction]:
    """Return the largest harm behind each entry; none where it has no bound, or was not told."""
    unsafe = {key: [f for f in members if f.outcome in UNSAFE] for key, members in found.items()}
    largest = {
        key: max(math.inf if f.harm is None else f.harm for f in members)
        for key, members in unsafe.items()
        if members
    }
    return {key: Fraction(harm) for key, harm in largest.items() if 0 < harm < math.inf}


def _cases(failure: Failure, *, each: bool) -> Iterator[str]:
    """Yield what the entries that excuse a failure name."""
    if failure.outcome in (OF_NO_USE, NOT_JUDGED):
        yield failure.outcome
        return
    if not _fresh(failure.flags):
        telling = [flag for flag in failure.flags if flag not in ("core", "repeat")] or ["core"]
        yield failure.identifier.removeprefix("repeat/") if each else _FLAG + telling[0]
    # Who fails where people work may do so anywhere.
    yield from FRESH if worked(failure.flags) else FRESH[1:]


class KnownFailures:
    """The entries for a run, and which of them are still needed."""

    def __init__(self, entries: Iterable[KnownCases] = ()) -> None:
        self._entries = tuple(entries)
        self._seen: set[KnownCases] = set()
        self._needed: set[KnownCases] = set()
        self._oftener: dict[tuple[tuple[str, str, str], str], int] = {}

    def __bool__(self) -> bool:
        """Whether anything is known to fail."""
        return bool(self._entries)

    def count(self, where: tuple[str, str, str], found: Sequence[FreshTally]) -> None:
        """Note how many fresh inputs of a function failed: more than chance explains is new.

        The same holds of those that fail with each harm or a worse one: of all that were asked, and
        of those that fail. Of all that fail, a share that is twice the known one is new sooner.
        """
        for entry in self._entries:
            if not (entry.case in FRESH and entry.asked and entry.is_about(*where)):
                continue
            now = found[FRESH.index(entry.case)]
            before = FreshTally(entry.asked, entry.failed or 0, Counter(dict(entry.levels or ())))
            if _doubles(now, before):
                self._oftener[where, entry.case] = -1
                continue
            ranks = [-1] if entry.levels is None else [-1, *(level.rank for level in Level)]
            for rank in ranks:
                worse = now.from_rank(rank), before.from_rank(rank)
                if any(
                    _more_often(worse[0], many, worse[1], of)
                    for many, of in ((now.asked, before.asked), (now.failed, before.failed))
                ):
                    self._oftener[where, entry.case] = rank
                    break

    def expects(self, where: tuple[str, str, str], what: str) -> bool:
        """Whether it is known of a function that it is of no use, or not judged."""
        return any(entry.case == what and entry.is_about(*where) for entry in self._entries)

    def excuses(
        self,
        where: tuple[str, str, str],
        identifier: str,
        flags: Iterable[str],
        outcome: str,
        level: Level | None,
        harm: float | None = None,
    ) -> bool:
        """Whether a failure is known; `passes` is for cases that did not fail.

        Args:
            where: the library, the function and the quantity.
            identifier: the vector's id, without its quantity.
            flags: those of the case.
            outcome: what the answer was.
            level: its harm; None for what only costs noise.
            harm: the same as a share of the promise, of an unsafe answer.
        """
        rank = level.rank if level is not None else -1
        about = list(self._about(where, identifier, flags))
        self._needed.update(about)  # what fails otherwise than it did has not expired
        found = [
            entry
            for entry in about
            if _no_worse(outcome, rank, harm, entry)
            and rank < self._oftener.get((where, entry.case), math.inf)
        ]
        return bool(found)

    def passes(self, where: tuple[str, str, str], identifier: str, flags: Iterable[str]) -> None:
        """Note a case that was asked and did not fail."""
        for _ in self._about(where, identifier, flags):
            pass

    def _about(
        self, where: tuple[str, str, str], identifier: str, flags: Iterable[str]
    ) -> Iterator[KnownCases]:
        named = set(flags)
        for entry in self._entries:
            if entry.is_about(*where) and entry.names(identifier, named):
                self._seen.add(entry)
                yield entry

    @property
    def expired(self) -> list[KnownCases]:
        """The entries whose cases were asked, and all passed."""
        return [e for e in self._passed if e.outcome != HANG]

    @property
    def answered(self) -> list[KnownCases]:
        """The entries about hangs whose cases were answered: this machine may be quicker."""
        return [e for e in self._passed if e.outcome == HANG]

    @property
    def _passed(self) -> Iterator[KnownCases]:
        return (e for e in self._entries if e in self._seen - self._needed and not e.lasting)


def _no_worse(outcome: str, rank: int, harm: float | None, entry: KnownCases) -> bool:
    """Whether what came is no worse than what an entry knows.

    Who gives no answer promises nothing, which is no worse than a promise that is broken by more
    than a hundredth. An unsafe answer is worse than none, be it by little.
    """
    unsafe = outcome in UNSAFE
    if rank > entry.level.rank or (unsafe and entry.level is Level.NO_ANSWER):
        return False
    if unsafe and entry.harm is not None:
        more = math.inf if harm is None and rank > Level.LAST_DIGITS.rank else harm or 0.0
        if more > _FORGIVEN * entry.harm:
            return False
    return _fits(outcome, entry.outcome) or (entry.outcome == HANG and not unsafe)


def _doubles(now: FreshTally, before: FreshTally) -> bool:
    """Whether twice the share fails that is known, and not by chance: once in a thousand runs."""
    twice = now.failed * before.asked >= _TWICE * before.failed * now.asked
    counts = now.failed, now.asked, before.failed, before.asked
    return twice and _more_often(*counts, chance=_CHANCE_OF_TWICE)


def _more_often(failed: int, asked: int, known: int, of: int, *, chance: float = _CHANCE) -> bool:
    """Whether so many fail, of so many, that chance hardly explains it.

    Fisher's exact test of both runs together; by default less than once in a million runs.
    """
    both, all_ = failed + known, asked + of
    if failed * of <= known * asked:
        return False
    ways = math.comb(all_, both)
    tail = sum(
        math.comb(asked, n) * math.comb(of, both - n) for n in range(failed, min(asked, both) + 1)
    )
    return Fraction(tail, ways) < Fraction(chance)
