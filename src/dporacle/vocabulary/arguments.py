"""The arguments: what each means, where it may lie, and where it is asked.

One row per argument, in `arguments.json`. A quantity whose own domain or ranges differ says so in
its own row.
"""

from dataclasses import dataclass, field

from dporacle.vocabulary.domains import Domain
from dporacle.vocabulary.draws import Distribution
from dporacle.vocabulary.reading import fields, rows_of

_NEAR = 100
"""How many times beyond the range in use a value still is one that people give."""

_QUARTERS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """An argument of quantities.

    Attributes:
        name: what it is called in every witness, in vectors and in the protocol.
        meaning: what it is, for the pages.
        domain: where it may lie; a number outside is refused.
        everyday: a value that nobody refuses.
        default: what it is for a function of a library that does not take it; None if every
            function has to.
        noise: it says how much noise there is; the kinds of answer speak of it as `noise`.
        uses: it counts how often the mechanism is used.
        role: the argument as which the kinds speak of it, where that is another one.
        data_unit: it is measured in the unit of the data, and scales with it.
        refused: what the vectors ask to be refused.
        usual: log10 of the range in which most people work: there float64 errors are promised.
        decades: where the parts of the range end that are in use at all, from its least value to
            its largest; the quarters of the usual range where nothing is said. A run asks in each.
        popular: values that many people type.
        extreme: log10 of the range in which an answer has to come, and is proved in well under a
            second.
        edges: where it goes, one argument at a time: next to the ends of its domain and of the
            floats.
        asked: where changed inputs stay, if that is less than the domain.
        at_most: the argument that it does not exceed: a count of some of those that it counts.
        not_zero: why it is never 0, where that is no mere convention; the refusal says so.
        several: what the numbers are of, where a function takes several as one list; lists with the
            same word are as long.
        parts: where the parts of the range end that is in use; nothing where there is no range.
    """

    name: str
    meaning: str
    domain: Domain
    everyday: float
    default: float | None = None
    noise: bool = False
    uses: bool = False
    role: str = ""
    data_unit: bool = False
    refused: tuple[float, ...] = ()
    usual: tuple[float, float] | None = None
    decades: tuple[float, ...] = ()
    popular: tuple[float, ...] = ()
    extreme: tuple[float, float] | None = None
    edges: tuple[Distribution, ...] = ()
    asked: Domain | None = None
    at_most: str = ""
    not_zero: str = ""
    several: str = ""
    # Computed once: a run of the judge asks for it a million times.
    parts: tuple[float, ...] = field(init=False, repr=False, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "parts", self._ends())

    @property
    def counts(self) -> bool:
        """Whether it counts something: its values are whole numbers."""
        return self.domain.whole

    @property
    def reach(self) -> Domain:
        """Where changed inputs stay."""
        return self.domain if self.asked is None else self.asked

    def _ends(self) -> tuple[float, ...]:
        if self.decades or self.usual is None:
            return self.decades
        low, high = self.usual
        ends = (10 ** (low + (high - low) * n / _QUARTERS) for n in range(_QUARTERS + 1))
        return tuple(float(round(end)) if self.counts else end for end in ends)

    def at(self, place: float) -> float:
        """Return the value so far along the parts of the range: 0 is its least, 1 its largest.

        Within a part it lies on a logarithmic scale; above ½ on that of the distance to 1, if 1 is
        the end of the domain.
        """
        parts = self.parts
        index = min(int(place * (len(parts) - 1)), len(parts) - 2)
        low, high, within = parts[index], parts[index + 1], place * (len(parts) - 1) - index
        if self.domain.most == 1 and low >= 1 / 2:
            if high == 1:
                return low + (high - low) * within
            return float(1 - (1 - low) ** (1 - within) * (1 - high) ** within)
        value = float(low ** (1 - within) * high**within)
        return float(round(value)) if self.counts else value

    def in_use(self, value: float) -> bool:
        """Whether people give such a value: near what is in use, its default or a closed end."""
        if self.usual is None or value in (0, self.default, self.domain.most):
            return True
        low, high = self.parts[0], self.parts[-1]
        if self.domain.most == 1 and 1 - value < (1 - high) / _NEAR:
            return False
        return low / _NEAR <= value <= high * _NEAR


ARGUMENTS = {row["name"]: Argument(**fields(row)) for row in rows_of("arguments")}
"""Every argument by its name."""
