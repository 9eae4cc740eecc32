"""What a run has released, one line of JSON each, read as a stream (C13 of proofs_notes/claims.md).

Where all parameters were fixed beforehand a ledger is the composition of its lines. Where they were
chosen by earlier answers its lines say nothing of what else might have been released: then a cap
that was stated beforehand does, and the lines have to stay within it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from io import BytesIO
from pathlib import Path
from typing import IO, Annotated, ClassVar, Literal, get_args

import msgspec
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.losses import Extent, LossLaw, PrivacyLoss, ResponseLoss
from dporacle.claims.mechanisms import several
from dporacle.claims.mechanisms.gaussian import Release
from dporacle.claims.mechanisms.mechanism import LeastNoise, Mechanism
from dporacle.claims.mechanisms.record import FOLDER, LineReading, Neighbours, Strict
from dporacle.claims.wording import round_decimal
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

_LONGEST = 1 << 16  # bytes of a line
_KEPT = 1 << 14  # different lines whose meaning is kept while a ledger is read
_MOST_KINDS = 20_000  # different releases of a ledger whose parameters are fixed
_MOST_LAWS = 100  # different laws that are convolved; of more the sum of ρ decides
_MOST_BITS = 1 << 12  # of a sum that is written out; it is rounded up beyond
_ROUNDED_BITS = 512  # of a sum that is rounded up: by 2^-511 of it at most
_SHOWN_DIGITS = 6
_MARK = b"\xef\xbb\xbf"  # that some editors begin a file with
_NO_ERROR = "mechanism must be a single release for accuracy and loss"

_KINDS: dict[str, type[Mechanism]] = {
    each.__struct_config__.tag: each for each in get_args(several.Listed)
}
_ONCE = {
    kind: {"times": 1}  # a line is one release
    for kind, each in _KINDS.items()
    if any(n.name == "times" and n.default is UNSET for n in msgspec.structs.fields(each))
}

_ODOMETER = (
    "the parameters were chosen by earlier answers, and no cap was stated beforehand: what the "
    "lines add up to is the reading of an odometer, and bounds no other run that might have been; "
    "state the `cap` of a filter"
)
_EXCEEDED = (
    "{where} takes the sum of {what} to {total}, above the cap of {cap}: the filter was not kept, "
    "and nothing is proved"
)
_WITHIN_CAP = (
    "a run that spends the whole cap may break the claim; whether this one may depends on what "
    "else might have been released, of which the ledger says nothing"
)
_MANY_LAWS = (
    f"of more than {_MOST_LAWS} different laws only the sum of their ρ is followed from above, and "
    f"the first {_MOST_LAWS} from below"
)


class FilterCap(Strict, frozen=True, kw_only=True):
    """What all releases together may spend, stated before the first of them.

    Attributes:
        neighbours: the relation that it is for.
        rho: ρ of zCDP, which is added up; or
        mu: μ of Gaussian releases, whose squares are added up; or
        epsilon: ε, which is added up.
        delta: what the δ of all black boxes may add up to; none has one if absent.
    """

    neighbours: Neighbours
    rho: Fraction | UnsetType = UNSET
    mu: Fraction | UnsetType = UNSET
    epsilon: Fraction | UnsetType = UNSET
    delta: Fraction | UnsetType = UNSET

    def __post_init__(self) -> None:
        self._one_of("rho", "mu", "epsilon")
        if isinstance(self.delta, Fraction):
            if self.mu is not UNSET:
                raise ValueError("delta must be absent where mu is given")
            if not 0 < self.delta < 1:
                raise ValueError(f"delta must be in (0, 1), got {arguments.show(self.delta)}")

    @property
    def called(self) -> str:
        """What is added up."""
        return "ρ" if self.rho is not UNSET else "μ²" if self.mu is not UNSET else "ε"

    @property
    def total(self) -> Fraction:
        """What that may be at most."""
        if isinstance(self.rho, Fraction):
            return self.rho
        return self.mu**2 if isinstance(self.mu, Fraction) else self.epsilon  # type: ignore[return-value]

    @property
    def leak(self) -> Fraction:
        """What the δ may add up to."""
        return self.delta if isinstance(self.delta, Fraction) else Fraction(0)

    def loss(self) -> PrivacyLoss:
        """Return a loss that no run within the cap exceeds."""
        leaks = {self.leak: 1} if self.leak else {}
        if isinstance(self.rho, Fraction):
            return PrivacyLoss(rho=self.rho, leaks=leaks)
        if isinstance(self.mu, Fraction):
            return PrivacyLoss(self.total)
        pure: dict[LossLaw, int] = {ResponseLoss(self.total, 2): 1}
        return PrivacyLoss(others=pure, leaks=leaks)

    def spent(self, part: Mechanism) -> tuple[Fraction, Fraction]:
        """Return what a release spends of the cap, and its δ.

        Raises:
            ValueError: if it has no such parameter.
        """
        if part.knows(self.neighbours) is None:
            raise ValueError(
                f"neighbours must be {self.neighbours}, the relation of the cap, got "
                f"{part.relation()}, which says nothing about it"
            )
        if isinstance(part, Release) and self.epsilon is UNSET:  # what most lines are
            square = part.mu_squared(self.neighbours)
            return (square / 2 if self.mu is UNSET else square), Fraction(0)
        extent = part.extent(self.neighbours)
        kind = part.__struct_config__.tag
        if extent is None:
            raise ValueError(f"kind must have a known privacy loss, got {kind!r}")
        most = Fraction(0), Fraction(0)
        for loss in extent.most:
            value = self._value(loss)
            if value is None:
                raise ValueError(f"kind must have a {self.called} that a cap counts, got {kind!r}")
            leak = sum((delta * n for delta, n in loss.leaks.items()), Fraction(0))
            most = max(most[0], value), max(most[1], leak)
        if most[1] and not self.leak:
            raise ValueError("delta must be 0 where the cap has no delta")
        return most

    def _value(self, loss: PrivacyLoss) -> Fraction | None:
        """Return what a loss spends; None if it has no such parameter."""
        if self.rho is not UNSET:
            return loss.zcdp()
        if self.mu is not UNSET:
            return loss.mu_squared if loss.is_gaussian else None
        return PrivacyLoss(loss.mu_squared, loss.others, rho=loss.rho).most()


@dataclass(slots=True)
class _Sum:
    """A sum in bounded memory: it is rounded up where it would be long."""

    value: Fraction = Fraction(0)

    def add(self, term: Fraction) -> Fraction:
        """Add a term, and return the sum."""
        if not term:
            return self.value
        self.value += term
        if self.value.denominator.bit_length() > _MOST_BITS:
            size = self.value.denominator.bit_length() - self.value.numerator.bit_length()
            scale = 1 << max(_ROUNDED_BITS + size, 0)
            self.value = Fraction(-(-self.value.numerator * scale // self.value.denominator), scale)
        return self.value


@dataclass(frozen=True, slots=True)
class LedgerLines:
    """What the lines of a ledger say together.

    Attributes:
        parts: each different release, and in how many lines it stands; with a cap, only those
            that have a condition which none before has.
        lines: how many releases there are.
        exceeded: why a cap is not kept; empty if it is, or if there is none.
    """

    parts: tuple[tuple[Mechanism, int], ...]
    lines: int
    exceeded: str = ""


@dataclass(slots=True)
class _Line:
    """A line, what it spends of a cap, and how often it stands there."""

    part: Mechanism
    spent: tuple[Fraction, Fraction]
    times: int = 0


@dataclass(slots=True)
class _Reader:
    """Reads lines, each different one once."""

    name: str
    ignored: tuple[str, ...]
    cap: FilterCap | None
    known: dict[bytes, _Line] = field(default_factory=dict)
    counts: dict[Mechanism, int] = field(default_factory=dict)
    spends: dict[Mechanism, tuple[Fraction, Fraction]] = field(default_factory=dict)
    said: set[tuple[str, str]] = field(default_factory=set)
    relations: set[str] = field(default_factory=lambda: {*get_args(Neighbours)})

    def read(self, stream: IO[bytes]) -> LedgerLines:
        """Read all lines.

        Raises:
            ValueError: naming the file, the line and the field.
        """
        lines, exceeded = 0, ""
        spent, leaked = _Sum(), _Sum()
        for number, raw in self._raw(stream):
            found = self.known.get(raw)
            if found is None:
                try:
                    found = self._understood(raw)
                except (ValueError, RecursionError) as error:
                    what = "nested too deeply" if isinstance(error, RecursionError) else str(error)
                    raise ValueError(f"{self.name}: line {number}: {what}") from None
                if len(self.known) >= _KEPT:
                    self._flush()
                self.known[raw] = found
            found.times += 1
            lines += 1
            if self.cap is not None and not exceeded:
                value, leak = found.spent
                exceeded = self._exceeded(number, spent.add(value), leaked.add(leak))
        if not lines:
            raise ValueError(f"{self.name}: a ledger has one line at least")
        self._flush()
        return LedgerLines(tuple(self.counts.items()), lines, exceeded)

    def _flush(self) -> None:
        """Count what was read, and forget the lines."""
        for each in self.known.values() if self.cap is None else ():
            self.counts[each.part] += each.times
        self.known.clear()
        self.spends.clear()

    def _raw(self, stream: IO[bytes]) -> Iterator[tuple[int, bytes]]:
        number = 0
        while raw := stream.readline(_LONGEST + 1):
            number += 1
            if len(raw) > _LONGEST:
                raise ValueError(f"{self.name}: line {number}: longer than {_LONGEST} bytes")
            if number == 1:
                raw = raw.removeprefix(_MARK)
            raw = raw.strip()
            if raw:
                yield number, raw

    def _understood(self, raw: bytes) -> _Line:
        part: Mechanism = LineReading.line(_KINDS, raw, self.ignored, _ONCE)
        if self.ignored and (spent := self.spends.get(part)) is not None:
            return _Line(part, spent)  # a line that differs in what is ignored
        if self.cap is not None:
            spent = self.cap.spent(part)  # which knows the relation of the cap
            self._keep_conditions(part, self.cap.neighbours)
        else:
            self.relations &= {one for one in get_args(Neighbours) if part.knows(one)}
            if not self.relations:
                raise ValueError("neighbours must be a relation that all lines before are for, too")
            spent = Fraction(0), Fraction(0)
            if len(self.counts) >= _MOST_KINDS and part not in self.counts:
                raise ValueError(
                    f"a ledger without a cap has {_MOST_KINDS} different releases at most: equal "
                    "lines are counted, others are kept"
                )
            self.counts.setdefault(part, 0)
        if self.ignored:
            self.spends[part] = spent
        return _Line(part, spent)

    def _keep_conditions(self, part: Mechanism, neighbours: Neighbours) -> None:
        """Keep a release that is proved under something else than those before.

        Raises:
            ValueError: if there are too many, or if it is about another group of records.
        """
        says = {(each.says, each.condition) for each in part.hypotheses(neighbours)}
        if self.counts and says <= self.said:
            several.check_groups((next(iter(self.counts)), part))
            return
        if len(self.counts) >= _MOST_KINDS:
            raise ValueError(
                f"a ledger has releases with {_MOST_KINDS} different conditions at most: each of "
                "them is printed"
            )
        self.said |= says
        self.counts[part] = 1

    def _exceeded(self, number: int, spent: Fraction, leaked: Fraction) -> str:
        """Say that a line goes beyond the cap; nothing if it does not."""
        assert self.cap is not None
        for what, total, cap in (
            (self.cap.called, spent, self.cap.total),
            ("δ", leaked, self.cap.leak),
        ):
            if total > cap:
                return _EXCEEDED.format(
                    where=f"line {number} of {self.name}",
                    what=what,
                    total=round_decimal(total, _SHOWN_DIGITS, up=True),
                    cap=round_decimal(cap, _SHOWN_DIGITS, up=False),
                )
        return ""


@lru_cache(maxsize=4)
def _of_file(
    path: Path, changed: int, size: int, ignored: tuple[str, ...], cap: FilterCap | None
) -> LedgerLines | str:
    """Return what a file says, or why it says nothing: it is asked for more than once."""
    try:
        with path.open("rb") as stream:
            return _Reader(path.name, ignored, cap).read(stream)
    except ValueError as error:
        return str(error)


class RecordedLedger(several.SeveralReleases, frozen=True, kw_only=True, tag="ledger", dict=True):
    """What a run has released, as it was recorded: a line of JSON for each release.

    A line is what an entry of a composition's `releases` is; without `times` it is one release.

    Attributes:
        file: a file of lines in the folder of the claims; or
        lines: the lines themselves.
        parameters: "fixed" if the kinds and parameters of all releases were fixed before the first
            answer, and only what is asked may depend on answers; "adaptive" if they were chosen by
            earlier answers, too.
        cap: with "adaptive", what the releases may spend together, stated beforehand: a filter.
        records: "same" if one pair of neighbours has the full sensitivities of all releases,
            "unknown" if that is not known.
        ignored: fields of lines that say nothing about privacy, such as a time.
    """

    noun: ClassVar[str] = "the releases of a ledger"
    example: ClassVar[Mapping[str, object]] = {
        "parameters": "fixed",
        "records": "same",
        "lines": '{"kind": "gaussian", "sigma": 1, "sensitivity": 1, "neighbours": "add-remove"}\n',
    }
    refuses: ClassVar[Mapping[str, str]] = {"accuracy": _NO_ERROR, "loss": _NO_ERROR}
    twice: ClassVar[str] = "with twice the sensitivities"

    file: Annotated[str, msgspec.Meta(min_length=1, max_length=200)] | UnsetType = UNSET
    lines: str | UnsetType = UNSET
    parameters: Literal["fixed", "adaptive"]
    cap: FilterCap | UnsetType = UNSET
    records: Literal["same", "unknown"] = "unknown"
    ignored: Annotated[
        tuple[Annotated[str, msgspec.Meta(max_length=100)], ...], msgspec.Meta(max_length=50)
    ] = ()

    def __post_init__(self) -> None:
        if (self.file is UNSET) == (self.lines is UNSET):
            raise ValueError("file or lines must be given, and only one of them")
        if self.cap is not UNSET and self.parameters == "fixed":
            raise ValueError("cap must be absent where parameters are 'fixed'")
        self._check_ignored()
        self.__dict__["_read"] = self._lines()
        several.check_groups(self.parts)

    def _check_ignored(self) -> None:
        decisive = {"kind"}.union(*(each.__struct_fields__ for each in get_args(several.Listed)))
        for name in self.ignored:
            if name in decisive:
                raise ValueError(f"ignored must have no field of a release, got {name!r}")

    def _lines(self) -> LedgerLines:
        cap = None if isinstance(self.cap, UnsetType) else self.cap
        if isinstance(self.lines, str):
            stream = BytesIO(self.lines.encode())
            return _Reader("lines", self.ignored, cap).read(stream)
        assert isinstance(self.file, str)
        folder = FOLDER.get()
        if folder is None:
            raise ValueError("file must be absent: a file is read only beside a file of claims")
        path = folder / self.file
        plain = Path(self.file).name == self.file and "\\" not in self.file
        if not plain or path.is_symlink() or not path.is_file():
            raise ValueError(
                "file must be the name of a file in the folder of the claims, got "
                f"{arguments.show(self.file)}"
            )
        state = path.stat()
        found = _of_file(path, state.st_mtime_ns, state.st_size, self.ignored, cap)
        if isinstance(found, str):
            raise ValueError(f"file cannot be read: {found}")
        return found

    def group_of(self) -> int | None:
        """Return in how many records neighbours differ; None where that is one, or not said."""
        return self.parts[0].group_of()

    @property
    def read(self) -> LedgerLines:
        """What its lines say."""
        return self.__dict__["_read"]  # type: ignore[no-any-return]

    @property
    def parts(self) -> tuple[Mechanism, ...]:
        """Each different release; of parameters that were chosen, one of each kind."""
        return tuple(part for part, _ in self.read.parts)

    def _is_fixed(self) -> bool:
        return self.parameters == "fixed"

    def relation(self) -> Neighbours:
        """Return a relation that its lines, or its cap, are for."""
        if not isinstance(self.cap, UnsetType):
            return self.cap.neighbours
        return several.relations(self.parts)[0]

    def states_relation(self) -> bool:
        """Whether every line states the relation of its parameters."""
        return all(part.states_relation() for part in self.parts)

    def counted_in(self) -> str:
        """Return nothing: there is no one noise."""
        return ""

    def knows(self, neighbours: Neighbours) -> bool | None:
        """Tell whether all sensitivities for a relation are stated; None: one has no bound."""
        if not isinstance(self.cap, UnsetType):
            return True if neighbours == self.cap.neighbours else None
        return several.knows(self.parts, neighbours)

    def unknown(self, neighbours: Neighbours) -> str:
        """Say of which line, or that of the cap, nothing is known for a relation."""
        if isinstance(self.cap, UnsetType):
            return several.unknown(self.parts, neighbours)
        return super().unknown(neighbours)

    def stays_apart(self) -> bool:
        """Whether something is known of a record that only one of two data sets has."""
        return self.relation() != "replace-one" and self.states_relation()

    def count(self) -> int:
        """Return the number of releases."""
        if not self._is_fixed():
            return self.read.lines
        return sum(part.count() * n for part, n in self.read.parts)

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return those of its lines, and what makes a ledger a promise."""
        found = [hypothesis("ledger-complete")]
        if self._is_fixed():
            found.append(hypothesis("ledger-fixed"))
        elif not isinstance(self.cap, UnsetType):
            found.append(hypothesis("filter-kept", what=self.cap.called))
            if self.cap.mu is not UNSET:
                found.append(hypothesis("filter-gaussian"))
        return (*found, *several.hypotheses(self.parts, neighbours))

    def extent(self, neighbours: Neighbours) -> Extent:
        """Return what is known of the loss of the worst pair of neighbours."""
        if not self._is_fixed():
            worst = PrivacyLoss(leaks={Fraction(1): 1})
            if not isinstance(self.cap, UnsetType) and not self.read.exceeded:
                worst = self.cap.loss()
            return Extent((worst,), (PrivacyLoss(),))
        parts = [(several.extent_of(part, neighbours), n) for part, n in self.read.parts]
        found = _summed([each.times(n) for each, n in parts])
        if self.records == "unknown" and self.read.lines > 1:
            found = found.with_least_of([each for each, _ in parts])
        return Extent(
            tuple(_by_rho(loss) for loss in found.most), tuple(_first(loss) for loss in found.least)
        )

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say why a claim that fails for the worst that can be, and not for less, is open."""
        if self._is_fixed():
            if self.records == "unknown" and self.read.lines > 1:
                return several.NOT_SAID
            for part in self.parts:  # known between two ends, where the rest is known exactly
                if not several.extent_of(part, neighbours).is_exact:
                    return part.open_reason(neighbours)
            return _MANY_LAWS
        if self.cap is UNSET:
            return _ODOMETER
        return self.read.exceeded or _WITHIN_CAP

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return none: what was released has the noise that it had."""
        return None

    def supposes(self, neighbours: Neighbours) -> str:
        """Say which pair of neighbours is supposed to exist."""
        return several.supposes(
            self.parts, self.records, several=self.read.lines > 1, repeated=False
        )

    def details(self) -> frozenset[str]:
        """Return what that means within a composition."""
        return several.details(self.parts)

    def means(self) -> frozenset[str]:
        """Return what is meant by parameters that state the noise."""
        return several.means(self.parts)

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program reads none."""
        return "the checker has no ledgers"


def _summed(extents: list[Extent]) -> Extent:
    """Return the sum, by halves: each law is copied as often as there are levels."""
    while len(extents) > 1:
        pairs = zip(extents[::2], extents[1::2], strict=False)
        extents = [one + other for one, other in pairs] + extents[len(extents) & ~1 :]
    return extents[0]


def _by_rho(loss: PrivacyLoss) -> PrivacyLoss:
    """Return a loss that bounds one of too many different laws, by the sum of their ρ."""
    if len(loss.others) <= _MOST_LAWS:
        return loss
    rho = PrivacyLoss(others=loss.others).zcdp()
    if rho is None:
        raise ArithmeticError(f"a ledger has more than {_MOST_LAWS} different laws")
    return PrivacyLoss(loss.mu_squared, {}, loss.leaks, loss.rho + rho)


def _first(loss: PrivacyLoss) -> PrivacyLoss:
    """Return a loss of some of the releases of one with too many different laws."""
    if len(loss.others) <= _MOST_LAWS:
        return loss
    some = dict(list(loss.others.items())[:_MOST_LAWS])
    return PrivacyLoss(loss.mu_squared, some, loss.leaks, loss.rho)
