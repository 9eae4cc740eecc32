"""The row of a function: what is true of it alone, and what follows from its mechanism and kind.

It is the contract of the function in every witness that has it. Where there are certified vectors,
the function computes a quantity that libraries are measured by.
"""

import dataclasses
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Literal

from dporacle.vocabulary.arguments import ARGUMENTS, Argument
from dporacle.vocabulary.kinds import Kind
from dporacle.vocabulary.mechanisms import MechanismRow

_FLOAT64 = 2.0**-48  # sixteen units in the last place


@dataclass(frozen=True, kw_only=True)
class Quantity:
    """Something that the witnesses compute.

    Attributes:
        name: its name everywhere.
        mechanism: the row of the mechanism that it is about.
        kind: the row of the kind of answer that it is.
        arguments: what it depends on, in the order in which vectors spell them.
        exact: its exact value, for the pages.
        harm: what an unsafe answer is, where there are vectors.
        statements: the statements that define it.
        arithmetic: what an answer takes: an integer, elementary functions, or more than these.
        served: libraries may be asked for it over the protocol.
        public: the float64 function stands at the top of the package.
        vectors: there are certified vectors of it.
        unordered: arguments with which the exact value both rises and falls.
        own: argument -> the fields of its row that differ here.
        function: the witnesses' function, where it has another name.
        fixed: what that function takes besides, such as a direction in a word.
        gathered: what it takes as one argument -> the names of ours that stand in it, in tuples.
        noise_scale: what the noise is multiplied by to be that of the witnesses' function.
        confined: where every witness answers in good time, if that is less than the domain.
        judged: the digits to which the exact value is enclosed, one after the other, until an
            answer is told from it.
        certified: significant digits of the enclosures in its vectors.
        float64: how far below and above its exact value the float64 function may be, relatively, at
            the vectors, as its module derives; 2^-48 on the safe side where nothing is said.
        cancels: what terms that cancel in the float64 function may leave besides, over e^ε: a share
            of a δ much smaller than that is not promised.
        float64_of: arguments, with a space between, whose product that error is relative to where
            it is larger than the value, a slash before those that divide; "1" where the error is
            absolute.
        ends: the exact value is not known: a ball reaches from one proved end to the other,
            whatever digits are asked for; the reference and float64 have the end on the safe side.
        apart: of such ends, how far apart two witnesses' ends on the safe side may be, relatively,
            where each takes a grid of its own; 0 where the end is one number.
        costly: its exact value takes a tenth of a second: fewer fresh inputs are made.
        rounds: of so many rounds of fresh inputs one is asked, where proofs take longer still.
        hard: inputs at which a witness was wrong once, or nearly; what is left out is everyday.
        excluded: inputs that are refused although each argument is in its domain; `blamed` is the
            argument that the error names.
        same_as: the function whose values these are, at the same arguments.
        at: argument of that function -> the function whose value it is there.
    """

    name: str
    mechanism: MechanismRow
    kind: Kind
    arguments: tuple[str, ...]
    exact: str
    statements: tuple[str, ...]
    harm: str = ""
    arithmetic: Literal["special", "elementary", "integer"] = "special"
    served: bool = False
    public: bool = False
    vectors: bool = True
    unordered: frozenset[str] = frozenset()
    own: Mapping[str, Mapping[str, Any]] = field(default_factory=dict)
    ends: bool = False
    apart: float = 0.0
    costly: bool = False
    rounds: int | None = None
    float64: tuple[float, float] | None = None
    cancels: float = 0.0
    function: str = ""
    fixed: Mapping[str, Any] = field(default_factory=dict)
    gathered: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    noise_scale: int = 1
    confined: str = ""
    judged: tuple[int, ...] = (40, 200, 1000)
    certified: int = 45
    float64_of: str = ""
    hard: tuple[Mapping[str, Any], ...] = ()
    excluded: tuple[Mapping[str, Any], ...] = ()
    same_as: str = ""
    at: Mapping[str, str] = field(default_factory=dict)

    def of(self, witness: Any) -> Callable[..., Any]:
        """Return a witness's function for it, which takes the arguments by name.

        Raises:
            AttributeError: if the witness has none.
        """
        found: Callable[..., Any] = getattr(witness, self.function or self.name)
        if self.gathered:
            found = partial(self._gathering, found)
        if self.noise_scale != 1:
            found = partial(self._scaled, found)
        return partial(found, **self.fixed) if self.fixed else found

    def _scaled(self, function: Callable[..., Any], **given: Any) -> Any:
        """Call a function whose noise is told in another unit."""
        noise = self.mechanism.parameter
        if noise in self.arguments:
            return function(**{**given, noise: given[noise] * self.noise_scale})
        return function(**given) / self.noise_scale

    def _gathering(self, function: Callable[..., Any], **given: Any) -> Any:
        """Call a function that takes several of the arguments as one."""
        for name in (name for parts in self.gathered.values() for each in parts for name in each):
            if not math.isfinite(given[name]):
                raise ValueError(f"{name} must be finite, got {given[name]}")
            self.rows[name].domain.require(name, given[name], str(given[name]))
        lists = {
            name: [tuple(given.pop(each) for each in part) for part in parts]
            for name, parts in self.gathered.items()
        }
        return function(**given, **lists)

    @cached_property
    def rows(self) -> dict[str, Argument]:
        """The arguments' rows, with what differs for the mechanism and for this quantity."""
        return {
            name: dataclasses.replace(
                ARGUMENTS[name],
                **{
                    "not_zero": self.mechanism.why_not_zero(name),
                    **self.mechanism.own.get(name, {}),
                    **self.own.get(name, {}),
                },
            )
            for name in self.arguments
        }

    @property
    def safe(self) -> Literal["up", "down"]:
        """The side of the exact value on which an error does no harm."""
        return self.kind.safe

    @property
    def float64_error(self) -> tuple[float, float]:
        """How far below and above the exact value the float64 function may be, relatively."""
        if self.float64 is not None:
            return self.float64
        return (0.0, _FLOAT64) if self.safe == "up" else (_FLOAT64, 0.0)

    @property
    def everyday(self) -> dict[str, Any]:
        """An input that nobody refuses."""
        return {
            name: [row.everyday] * 2 if row.several else row.everyday
            for name, row in self.rows.items()
        }

    def error_unit(self, given: Mapping[str, Any], value: Fraction) -> Fraction:
        """Return what the float64 error is relative to, at an input and its exact value."""
        if not self.float64_of:
            return abs(value)
        unit = Fraction(1)
        for name in self.float64_of.split():
            factor = Fraction(given.get(name.removeprefix("/"), 1))
            unit = unit / factor if name.startswith("/") else unit * factor
        return max(abs(value), unit)

    @property
    def counts(self) -> tuple[str, ...]:
        """The arguments that are whole numbers."""
        return tuple(name for name, row in self.rows.items() if row.counts)

    @property
    def defaults(self) -> dict[str, float]:
        """What the arguments are that a function of a library may lack."""
        return {name: row.default for name, row in self.rows.items() if row.default is not None}

    @property
    def whole(self) -> bool:
        """Whether the answer is a whole number."""
        return self.arithmetic == "integer"

    def rises(self, name: str) -> bool:
        """Whether the exact value rises with an argument."""
        return self._role(name) in self.kind.rises and name not in self.unordered

    def falls(self, name: str) -> bool:
        """Whether the exact value falls with an argument."""
        return self._role(name) in self.kind.falls and name not in self.unordered

    def _role(self, name: str) -> str:
        row = self.rows[name]
        return "noise" if row.noise else row.role or name

    @property
    def ordered(self) -> tuple[str, ...]:
        """The arguments with which the exact value only rises or only falls."""
        return tuple(name for name in self.arguments if self.rises(name) or self.falls(name))

    @property
    def data_unit(self) -> tuple[str, ...]:
        """The arguments that are scaled with the unit of the data, if it has one."""
        if not self.mechanism.has_unit:
            return ()
        return tuple(name for name, row in self.rows.items() if row.data_unit)

    def limit(self, name: str, given: Mapping[str, float]) -> float | None:
        """Return the answer that is true where an argument is at an end or beyond it, if any."""
        role = self._role(name)
        end, answer = self.kind.beyond.get(role, (math.inf, 0.0))
        if end <= given[name] < math.inf:
            return answer
        found = self.kind.limits.get((role, given[name]))
        return found(given) if callable(found) else found
