"""What a region theorem is: a statement over a continuum, cut into parts that balls can decide.

A theorem's domain is covered by *parts*, boxes of one or more coordinates, and by what lies
beyond their sides. Each side of a part says what is beyond it: nothing (the side belongs to the
domain, or the domain ends there), or an analytic lemma that covers the rest. A lemma is proved on
paper, in `proofs_notes/region_proofs.md`; the numbers that it needs are checked here by balls.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final, Literal

from flint import arb

from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import precision

CLOSED: Final = "closed"
"""The side of a part belongs to the domain, which ends there."""

OUTSIDE: Final = "outside"
"""The side of a part lies outside the domain: the part covers more than was asked."""

UNCOVERED: Final = "uncovered"
"""The domain goes on and nothing covers it: the statement can be refuted, not proved."""

_CHECK_BITS = 512

Point = tuple[Fraction, ...]
Parameters = Mapping[str, Fraction]
Box = tuple[tuple[Fraction, Fraction], ...]
"""One closed interval per coordinate."""


class ProofStatus(StrEnum):
    """What a run has shown."""

    PROVED = "proved"
    REFUTED = "refuted"
    UNDECIDED = "undecided"
    RUNNING = "running"


@dataclass(frozen=True, slots=True)
class BoxOutcome:
    """What balls say about a box.

    Attributes:
        kind: "proved" for every point of the box, "refuted" at one of them, or "unknown".
        label: what was proved, where there is a choice (maps); else empty.
        axis: of any other box, the coordinate to bisect.
        point: of a refuted one, where.
    """

    kind: Literal["proved", "refuted", "unknown"]
    label: str = ""
    axis: int = 0
    point: Point | None = None


def proved(label: str = "") -> BoxOutcome:
    """Say that the statement holds at every point of the box."""
    return BoxOutcome("proved", label=label)


def refuted(point: Point, axis: int = 0) -> BoxOutcome:
    """Say that the statement fails at a point of the box; if that cannot be certified, bisect."""
    return BoxOutcome("refuted", axis=axis, point=point)


def unknown(axis: int = 0) -> BoxOutcome:
    """Say that the box has to be bisected, along which coordinate."""
    return BoxOutcome("unknown", axis=axis)


@dataclass(frozen=True, slots=True)
class CheckedNumber:
    """A number that was enclosed, and whether it lies where it should."""

    says: str
    low: str
    high: str
    holds: bool


@dataclass(frozen=True, slots=True)
class Check:
    """A number that a lemma needs to be positive (or negative).

    Attributes:
        says: which number, in words or as a formula.
        value: computes its ball at the working precision.
        sign: 1 if it has to be positive, −1 if negative.
    """

    says: str
    value: Callable[[], arb]
    sign: Literal[-1, 1] = 1

    def run(self) -> CheckedNumber:
        """Enclose the number and compare it with 0."""
        with precision(_CHECK_BITS):
            value = self.value()
            holds = bool(value > 0) if self.sign > 0 else bool(value < 0)
        low, high = rounding.decimal_bounds(value, 12) if value.is_finite() else ("nan", "nan")
        return CheckedNumber(f"{self.says} {'>' if self.sign > 0 else '<'} 0", low, high, holds)


@dataclass(frozen=True, slots=True)
class Lemma:
    """An analytic step, proved in the note.

    Attributes:
        id: its name in the note.
        says: the lemma, in a line.
        checks: the numbers that it needs.
    """

    id: str
    says: str
    checks: tuple[Check, ...] = ()


@dataclass(frozen=True, slots=True)
class Axis:
    """A coordinate of a part.

    Attributes:
        name: what it is.
        low, high: the part's sides.
        below, above: what lies beyond them: `CLOSED`, `OUTSIDE`, `UNCOVERED`, or a lemma's id.
        geometric: whether to bisect at the geometric mean.
    """

    name: str
    low: Fraction
    high: Fraction
    below: str = CLOSED
    above: str = CLOSED
    geometric: bool = False


@dataclass(frozen=True, slots=True)
class Counterexample:
    """A point at which a statement is false, certified again apart from the search.

    Attributes:
        at: name of each parameter -> its exact value.
        says: what is false there, with the enclosure that shows it.
    """

    at: Parameters
    says: str


@dataclass(frozen=True, slots=True)
class Part:
    """A compact box of the domain, and how balls decide a box inside it.

    Attributes:
        name: what distinguishes it from the theorem's other parts.
        axes: its coordinates.
        decide: box -> what balls say; deterministic, since proofs are checked by asking again.
        candidates: point -> parameters at which the statement may be seen to fail.
        certify: parameters -> a certified counterexample, or None if they are none.
    """

    name: str
    axes: tuple[Axis, ...]
    decide: Callable[[Box], BoxOutcome]
    candidates: Callable[[Point], Iterable[Parameters]] = lambda _: ()
    certify: Callable[[Parameters], Counterexample | None] = lambda _: None

    def counterexample(self, point: Point) -> Counterexample | None:
        """Return a certified counterexample near a point, or None."""
        found = (self.certify(candidate) for candidate in self.candidates(point))
        return next((each for each in found if each is not None), None)

    @property
    def box(self) -> Box:
        """The whole part."""
        return tuple((axis.low, axis.high) for axis in self.axes)


@dataclass(frozen=True, slots=True)
class Theorem:
    """A statement over a continuum and the plan of its proof.

    Attributes:
        id: its name on the command line.
        statement: what is claimed, in words.
        spec: what `theorems.load` makes it from again; JSON.
        parts: compact parts of the domain, decided by boxes.
        lemmas: the analytic steps, the ends of the parts among them.
        covering: why parts and ends together are the whole domain.
        role: "proof" if the boxes are needed; "check" if the lemmas prove the statement alone and
            the boxes only check it.
        true: whether a run is expected to prove it.
    """

    id: str
    statement: str
    spec: dict[str, Any]
    parts: tuple[Part, ...]
    lemmas: tuple[Lemma, ...]
    covering: str
    role: Literal["proof", "check"] = "proof"
    true: bool = True

    def __post_init__(self) -> None:
        known = {CLOSED, OUTSIDE, UNCOVERED, *(lemma.id for lemma in self.lemmas)}
        for part in self.parts:
            for axis in part.axes:
                if not {axis.below, axis.above} <= known:
                    raise ValueError(f"{self.id}: nothing covers what is beyond {axis.name}")
                if axis.low > axis.high:
                    raise ValueError(f"{self.id}: {axis.name} is empty")

    @property
    def covered(self) -> bool:
        """Whether parts and lemmas are the whole domain."""
        sides = (s for part in self.parts for axis in part.axes for s in (axis.below, axis.above))
        return UNCOVERED not in sides

    def check_lemmas(self) -> tuple[CheckedNumber, ...]:
        """Enclose every number that the lemmas need."""
        return tuple(check.run() for lemma in self.lemmas for check in lemma.checks)
