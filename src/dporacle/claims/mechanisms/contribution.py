"""What bounds of the records say of an answer, and the sensitivity that follows.

A contribution bounds what a record adds to a sum; a statistic says what is computed of the records.
"""

import math
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import msgspec
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.mechanisms.record import Neighbours, Strict
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

Count = Annotated[int, msgspec.Meta(ge=1, le=10**9)]
Size = Annotated[int, msgspec.Meta(ge=1, le=10**15)]
Norm = Annotated[int, msgspec.Meta(ge=1, le=2)] | Literal["max"]


class Contribution(Strict, frozen=True, kw_only=True):
    """The answer is the sum of one vector per record, each within these bounds.

    Its sensitivities are proved in C1 of proofs_notes/claims.md.

    Attributes:
        clipping_norm: C, the largest ℓ2 norm of a vector; or
        l0: in how many coordinates a vector differs from 0 at most, with
        linf: the largest absolute value of a coordinate.
        values: "any", or "nonnegative" for vectors without a negative coordinate.
        coordinates: how many coordinates the answer has; needed for nonnegative ones.
    """

    clipping_norm: Fraction | UnsetType = UNSET
    l0: Count | UnsetType = UNSET
    linf: Fraction | UnsetType = UNSET
    values: Literal["any", "nonnegative"] = "any"
    coordinates: Count | UnsetType = UNSET

    def __post_init__(self) -> None:
        bounded = self.l0 is not UNSET, self.linf is not UNSET
        if (self.clipping_norm is not UNSET) == any(bounded) or any(bounded) != all(bounded):
            raise ValueError("clipping_norm must be given, or both l0 and linf instead")
        for name in ("clipping_norm", "linf"):
            if getattr(self, name) is not UNSET:
                arguments.positive(name, getattr(self, name))
        if (self.values == "nonnegative") and self.coordinates is UNSET:
            raise ValueError("coordinates must be given for nonnegative values")
        if UNSET not in (self.l0, self.coordinates) and self.l0 > self.coordinates:  # type: ignore[operator]
            raise ValueError(f"l0 must be at most coordinates, got {self.l0}")

    def largest_squared(self) -> Fraction:
        """Return the square of the largest norm of a vector: Δ² for add-remove and zero-out."""
        if isinstance(self.clipping_norm, Fraction):
            return self.clipping_norm**2
        assert isinstance(self.linf, Fraction)
        assert isinstance(self.l0, int)
        return self.l0 * self.linf**2

    def distance_squared(self, neighbours: Neighbours) -> Fraction:
        """Return Δ² for a relation; some pair of neighbours reaches it."""
        if neighbours != "replace-one":
            return self.largest_squared()
        if self.values == "any":  # v and −v
            return 4 * self.largest_squared()
        assert isinstance(self.coordinates, int)
        if isinstance(self.clipping_norm, Fraction):  # orthogonal vectors, where there are any
            return min(self.coordinates, 2) * self.clipping_norm**2
        assert isinstance(self.linf, Fraction)
        assert isinstance(self.l0, int)
        return min(self.coordinates, 2 * self.l0) * self.linf**2


class Statistic(Strict, frozen=True, kw_only=True, tag_field="kind"):
    """A statistic of bounded records (proofs_notes/sensitivities.md)."""

    called: ClassVar[str]
    statement: ClassVar[str]
    relations: ClassVar[tuple[Neighbours, ...]] = ("add-remove", "replace-one")
    norms: ClassVar[tuple[Norm, ...]] = (2,)
    """The norms in which its sensitivity is known."""

    def refusal(self, neighbours: Neighbours) -> str:
        """Say why it has no sensitivity for a relation; empty if it has one."""
        if neighbours not in self.relations:
            known = " or ".join(self.relations)
            return f"neighbours must be {known} for {self.called}, got {neighbours}"
        if not self.distance_squared(neighbours):
            return f"{self.called} must change with a record, and does not for {neighbours}"
        return ""

    def distance(self, neighbours: Neighbours) -> Fraction:
        """Return Δ of a statistic whose sensitivity is rational, the same in all its norms."""
        raise NotImplementedError

    def distance_squared(self, neighbours: Neighbours, norm: Norm = 2) -> Fraction:
        """Return Δ² for a relation; some pair of neighbours reaches it, or comes near."""
        return self.distance(neighbours) ** 2

    def formula(self, neighbours: Neighbours, norm: Norm = 2) -> str:
        """Return how Δ follows from the fields."""
        raise NotImplementedError

    def where(self, neighbours: Neighbours) -> str:
        """Say for which data that is, after a comma; empty where it is for all."""
        return ""

    def pair(self, neighbours: Neighbours) -> str:
        """Say which two data sets are so far apart."""
        raise NotImplementedError

    def divides(self) -> bool:
        """Tell whether its sensitivity depends on how many records there are."""
        return False

    def hypotheses(self, neighbours: Neighbours, norm: Norm = 2) -> tuple[Hypothesis, ...]:
        """Return where the sensitivity is from, and what is done with records before."""
        derived = hypothesis(
            "sensitivity-of-statistic",
            what=self.called,
            relation=neighbours,
            formula=self.formula(neighbours, norm),
            value=_root(self.distance_squared(neighbours, norm)),
            where=self.where(neighbours),
            statement=self.statement,
        )
        return derived, hypothesis("records-brought-within")


def _root(square: Fraction) -> str:
    """Return the root of a rational number as a number, or as the root that it is."""
    sides = [math.isqrt(side) for side in (square.numerator, square.denominator)]
    root = Fraction(*sides)
    return arguments.decimal(root) if root**2 == square else f"√{arguments.decimal(square)}"


_decimal = arguments.decimal


def _larger(lower: Fraction, upper: Fraction) -> str:
    return arguments.decimal(max(lower, upper, key=abs))


class SumStatistic(Statistic, frozen=True, kw_only=True, tag="sum"):
    """A sum of values that are clamped to an interval; a count has lower = upper = 1.

    Attributes:
        lower: L, the least value.
        upper: U, the largest value.
    """

    called: ClassVar[str] = "a sum"
    statement: ClassVar[str] = "X.SENS.MEAN"
    relations: ClassVar[tuple[Neighbours, ...]] = ("add-remove", "replace-one", "zero-out")
    norms: ClassVar[tuple[Norm, ...]] = (1, 2)

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        arguments.at_most("upper", self.upper, "lower", self.lower)

    def distance(self, neighbours: Neighbours) -> Fraction:
        """Return U − L, or the larger size of the two."""
        from dporacle.enclosures.sensitivities import largest_size

        if neighbours == "replace-one":
            return self.upper - self.lower
        return largest_size(self.lower, self.upper)

    def formula(self, neighbours: Neighbours, norm: Norm = 2) -> str:
        """Return how Δ follows from the fields."""
        return "U − L" if neighbours == "replace-one" else "max(|L|, |U|)"

    def pair(self, neighbours: Neighbours) -> str:
        """Say which two data sets are so far apart."""
        if neighbours == "replace-one":
            return (
                f"a record of {_decimal(self.lower)} is replaced by one of {_decimal(self.upper)}"
            )
        verb = "is added" if neighbours == "add-remove" else "is set to 0"
        return f"a record of {_larger(self.lower, self.upper)} {verb}"


class _OfRecords(Statistic, frozen=True, kw_only=True):
    """A statistic that divides by a number of records.

    Attributes:
        records: N, how many records the larger data set has; or
        least_records: how many every data set has at least.
    """

    fewest: ClassVar[int] = 1
    """The number of records at which the sensitivity is largest."""

    records: Size | UnsetType = UNSET
    least_records: Size | UnsetType = UNSET

    def divides(self) -> bool:
        """Tell that its sensitivity depends on how many records there are."""
        return True

    def _least(self) -> int:
        """Return how many records a data set needs, so that it has the statistic."""
        return 1

    def refusal(self, neighbours: Neighbours) -> str:
        """Say why it has no sensitivity for a relation."""
        if neighbours not in self.relations:
            return super().refusal(neighbours)
        more = neighbours == "add-remove"
        if isinstance(self.records, int):
            least = max(self._least() + more, self.fewest)
            name, given = "records", self.records
        else:
            assert isinstance(self.least_records, int)
            name, given, least = "least_records", self.least_records, self._least()
        if given < least:
            return (
                f"{name} must be at least {least} for {self.called} and {neighbours}, got {given}"
            )
        return super().refusal(neighbours)

    def size(self, neighbours: Neighbours) -> int:
        """Return the number of records of the larger of the data sets that are farthest apart."""
        if isinstance(self.records, int):
            return self.records
        assert isinstance(self.least_records, int)
        return max(self.least_records + (neighbours == "add-remove"), self.fewest)

    def where(self, neighbours: Neighbours) -> str:
        """Say how many records there are."""
        larger = " in the larger data set" if neighbours == "add-remove" else ""
        if isinstance(self.records, int):
            return f", with N = {self.records}{larger}"
        least = self.least_records
        return (
            f", with at least {least} records in every data set and so N = {self.size(neighbours)}"
        )


class _NumberOfRecords(_OfRecords, frozen=True, kw_only=True):
    """A number that divides by a number of records, of values that are clamped to an interval.

    Attributes:
        lower: L, the least value.
        upper: U, the largest value.
    """

    norms: ClassVar[tuple[Norm, ...]] = (1, 2)

    lower: Fraction
    upper: Fraction

    def __post_init__(self) -> None:
        arguments.at_most("upper", self.upper, "lower", self.lower)
        self._one_of("records", "least_records")

    def pair(self, neighbours: Neighbours) -> str:
        """Say which two data sets are so far apart."""
        low, high, size = _decimal(self.lower), _decimal(self.upper), self.size(neighbours)
        if neighbours == "add-remove":
            return f"{size - 1} records are all {low}, and one of {high} is added"
        return f"{size} records are all {low}, and one of them is replaced by {high}"


class MeanStatistic(_NumberOfRecords, frozen=True, kw_only=True, tag="mean"):
    """A mean of clamped values.

    Attributes:
        divisor: "own", the number of records that the data have; or "public", one that is no
            secret: it stays when a record is replaced or set to 0.
    """

    called: ClassVar[str] = "a mean"
    statement: ClassVar[str] = "X.SENS.MEAN"

    divisor: Literal["own", "public"]

    def refusal(self, neighbours: Neighbours) -> str:
        """Say why it has no sensitivity for a relation."""
        known = ("replace-one", "zero-out") if self.divisor == "public" else self.relations
        if neighbours not in known:
            return (
                f"neighbours must be {' or '.join(known)} for a mean with the divisor "
                f"{self.divisor!r}, got {neighbours}"
            )
        if neighbours == "zero-out":
            return "" if self.distance(neighbours) else f"{self.called} of zeros must be left out"
        return super().refusal(neighbours)

    def distance(self, neighbours: Neighbours) -> Fraction:
        """Return (U − L)/N, or the larger size over N."""
        from dporacle.enclosures.sensitivities import largest_size

        size = self.size(neighbours)
        if neighbours == "zero-out":
            return largest_size(self.lower, self.upper) / size
        return (self.upper - self.lower) / size

    def formula(self, neighbours: Neighbours, norm: Norm = 2) -> str:
        """Return how Δ follows from the fields."""
        top = "max(|L|, |U|)" if neighbours == "zero-out" else "(U − L)"
        return f"{top}/N"

    def pair(self, neighbours: Neighbours) -> str:
        """Say which two data sets are so far apart."""
        if neighbours != "zero-out":
            return super().pair(neighbours)
        return f"a record of {_larger(self.lower, self.upper)} is set to 0"


class VarianceStatistic(_NumberOfRecords, frozen=True, kw_only=True, tag="variance"):
    """A variance of clamped values.

    Attributes:
        ddof: by how much the divisor is less than the number of records.
    """

    called: ClassVar[str] = "a variance"
    statement: ClassVar[str] = "X.SENS.VAR"
    fewest: ClassVar[int] = 2

    ddof: Literal[0, 1]

    def _least(self) -> int:
        return 1 + self.ddof

    def distance(self, neighbours: Neighbours) -> Fraction:
        """Return the step of the squared deviations over the divisor."""
        from dporacle.enclosures.sensitivities import deviations_step

        size = self.size(neighbours)
        return deviations_step(self.upper - self.lower, size) / (size - self.ddof)

    def formula(self, neighbours: Neighbours, norm: Norm = 2) -> str:
        """Return how Δ follows from the fields."""
        rest = "/N" if self.ddof else "(N − 1)/N²"
        return f"(U − L)²{rest}"


class DeviationsStatistic(_NumberOfRecords, frozen=True, kw_only=True, tag="squared-deviations"):
    """The sum of the squared deviations from the mean; without limit it tends to (U − L)²."""

    called: ClassVar[str] = "a sum of squared deviations"
    statement: ClassVar[str] = "X.SENS.VAR"
    fewest: ClassVar[int] = 2

    def distance(self, neighbours: Neighbours) -> Fraction:
        """Return the step of the sum, or its limit for many records."""
        from dporacle.enclosures.sensitivities import deviations_step

        width = self.upper - self.lower
        if self.records is UNSET:
            return width**2
        return deviations_step(width, self.size(neighbours))

    def formula(self, neighbours: Neighbours, norm: Norm = 2) -> str:
        """Return how Δ follows from the fields."""
        return "(U − L)²" if self.records is UNSET else "(U − L)²(N − 1)/N"

    def where(self, neighbours: Neighbours) -> str:
        """Say how many records there are."""
        if self.records is UNSET:
            return ", the limit for many records"
        return super().where(neighbours)

    def pair(self, neighbours: Neighbours) -> str:
        """Say which two data sets are so far apart."""
        if self.records is not UNSET:
            return super().pair(neighbours)
        low, high = _decimal(self.lower), _decimal(self.upper)
        return f"very many records are all {low}, and one becomes {high}, or one of {high} is added"


class CovarianceStatistic(_OfRecords, frozen=True, kw_only=True, tag="covariance"):
    """A covariance matrix of rows that are shortened to a ball, all of its entries.

    Attributes:
        clipping_norm: C, the radius of the ball.
        ddof: by how much the divisor is less than the number of records.
    """

    called: ClassVar[str] = "a covariance matrix"
    statement: ClassVar[str] = "X.SENS.VAR"
    fewest: ClassVar[int] = 2

    clipping_norm: Fraction
    ddof: Literal[0, 1]

    def __post_init__(self) -> None:
        arguments.positive("clipping_norm", self.clipping_norm)
        self._one_of("records", "least_records")

    def _least(self) -> int:
        return 1 + self.ddof

    def distance_squared(self, neighbours: Neighbours, norm: Norm = 2) -> Fraction:
        """Return the square of what a row moves from one end of a diameter to the other."""
        from dporacle.enclosures.sensitivities import deviations_step

        size = self.size(neighbours)
        return (deviations_step(2 * self.clipping_norm, size) / (size - self.ddof)) ** 2

    def formula(self, neighbours: Neighbours, norm: Norm = 2) -> str:
        """Return how Δ follows from the fields."""
        rest = "/N" if self.ddof else "(N − 1)/N²"
        return f"4C²{rest}"

    def pair(self, neighbours: Neighbours) -> str:
        """Say which two data sets are so far apart."""
        size, norm = self.size(neighbours), _decimal(self.clipping_norm)
        if neighbours == "add-remove":
            return f"{size - 1} rows are all one vector of norm {norm}, and its opposite is added"
        rows = f"{size} rows are all one vector of norm {norm}"
        return f"{rows}, and one of them is replaced by its opposite"


class MomentsStatistic(Statistic, frozen=True, kw_only=True, tag="second-moments"):
    """X'X of rows that are shortened to a ball, all of its entries, or its upper triangle.

    Attributes:
        clipping_norm: C, the radius of the ball.
    """

    called: ClassVar[str] = "X'X"
    statement: ClassVar[str] = "X.SENS.MOMENT"
    relations: ClassVar[tuple[Neighbours, ...]] = ("add-remove", "replace-one", "zero-out")

    clipping_norm: Fraction

    def __post_init__(self) -> None:
        arguments.positive("clipping_norm", self.clipping_norm)

    def _bound(self) -> Fraction:
        return Fraction(0)

    def distance_squared(self, neighbours: Neighbours, norm: Norm = 2) -> Fraction:
        """Return the square of a row's share, or of the distance of two."""
        from dporacle.enclosures.sensitivities import row_squared, rows_apart_squared

        found = rows_apart_squared if neighbours == "replace-one" else row_squared
        return found(self.clipping_norm, self._bound())

    def formula(self, neighbours: Neighbours, norm: Norm = 2) -> str:
        """Return how Δ follows from the fields."""
        return "√2·C²" if neighbours == "replace-one" else "C²"

    def where(self, neighbours: Neighbours) -> str:
        """Say of how many features."""
        return ", of two features or more" if neighbours == "replace-one" else ""

    def pair(self, neighbours: Neighbours) -> str:
        """Say which two data sets are so far apart."""
        norm = _decimal(self.clipping_norm)
        if neighbours == "replace-one":
            return f"a row of norm {norm} is replaced by one at a right angle to it"
        return f"a row of norm {norm} {'is added' if neighbours == 'add-remove' else 'is set to 0'}"


class RegressionStatistic(MomentsStatistic, frozen=True, kw_only=True, tag="regression"):
    """(X'X, X'y) of rows that are shortened to a ball and targets that are clamped.

    Attributes:
        target_bound: Y, the largest absolute value of a target.
    """

    called: ClassVar[str] = "(X'X, X'y)"

    target_bound: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.positive("target_bound", self.target_bound)

    def _bound(self) -> Fraction:
        return self.target_bound

    def formula(self, neighbours: Neighbours, norm: Norm = 2) -> str:
        """Return how Δ follows from the fields."""
        if neighbours != "replace-one":
            return "C√(C² + Y²)"
        near = self.target_bound**2 <= 2 * self.clipping_norm**2
        return "√2·(C² + Y²/2)" if near else "2CY"

    def pair(self, neighbours: Neighbours) -> str:
        """Say which two data sets are so far apart."""
        from dporacle.enclosures.sensitivities import rows_along

        norm, bound = _decimal(self.clipping_norm), _decimal(self.target_bound)
        if neighbours != "replace-one":
            verb = "is added" if neighbours == "add-remove" else "is set to 0"
            return f"a row of norm {norm} with the target {bound} {verb}"
        along = _decimal(rows_along(self.clipping_norm, self.target_bound))
        return (
            f"a row of norm {norm} with the target {bound} is replaced by one of the same norm "
            f"with the target -{bound}, whose scalar product with it is {along}"
        )


class CountsStatistic(Statistic, frozen=True, kw_only=True, tag="counts"):
    """Counts to which a person, or a record, adds within bounds, never less than 0.

    Attributes:
        l0: in how many counts one is counted at most.
        linf: how much one adds to a count at most.
        coordinates: how many counts there are.
        total: how much one adds to all together at most; l0·linf if absent.
    """

    called: ClassVar[str] = "counts"
    statement: ClassVar[str] = "X.SENS.COUNT"
    relations: ClassVar[tuple[Neighbours, ...]] = ("add-remove", "replace-one", "zero-out")
    norms: ClassVar[tuple[Norm, ...]] = (1, 2)

    l0: Count
    linf: Fraction
    coordinates: Count
    total: Fraction | UnsetType = UNSET

    def __post_init__(self) -> None:
        arguments.positive("linf", self.linf)
        if self.total is not UNSET:
            arguments.positive("total", self.total)

    def moved(self, neighbours: Neighbours) -> int:
        """Return how many counts move, each by linf, where no total is bounded."""
        people = 2 if neighbours == "replace-one" else 1
        return min(people * self.l0, self.coordinates)

    def _total(self) -> Fraction:
        return self.total if isinstance(self.total, Fraction) else self.l0 * self.linf

    def distance_squared(self, neighbours: Neighbours, norm: Norm = 2) -> Fraction:
        """Return the square of one person's longest counts, or of the distance of two."""
        from dporacle.enclosures.sensitivities import counted, counted_of_two

        function = counted_of_two if neighbours == "replace-one" else counted
        power = 1 if norm == 1 else 2
        found = function(power, self.l0, self.linf, self._total(), self.coordinates)
        return found if power == 2 else found**2

    def formula(self, neighbours: Neighbours, norm: Norm = 2) -> str:
        """Return how Δ follows from the fields."""
        places = f"{min(self.l0, self.coordinates)} counts"
        if neighbours == "replace-one":
            halves = {min(self.l0, self.coordinates // 2), min(self.l0, -(-self.coordinates // 2))}
            places = f"two persons' {' and '.join(map(str, sorted(halves)))} counts"
        return f"the ℓ{norm} norm of {places}, full one after the other"

    def pair(self, neighbours: Neighbours) -> str:
        """Say which two data sets are so far apart."""
        full = "a person whose counts are full one after the other"
        if neighbours == "replace-one":
            return f"{full} is replaced by another, who has no count in common with the first"
        return f"{full} {'is added' if neighbours == 'add-remove' else 'is left out'}"


class RoundedStatistic(Statistic, frozen=True, kw_only=True, tag="rounded-sum"):
    """A sum of vectors that are shortened to a ball and then rounded to the nearest grid point.

    Attributes:
        clipping_norm: C, the radius of the ball.
        grid: g, the distance of two grid points.
        coordinates: how many coordinates a vector has.
    """

    called: ClassVar[str] = "a sum of rounded vectors"
    statement: ClassVar[str] = "X.SENS.GRID"
    relations: ClassVar[tuple[Neighbours, ...]] = ("add-remove", "replace-one", "zero-out")

    clipping_norm: Fraction
    grid: Fraction
    coordinates: Count

    def __post_init__(self) -> None:
        arguments.positive("clipping_norm", self.clipping_norm)
        arguments.positive("grid", self.grid)

    def distance_squared(self, neighbours: Neighbours, norm: Norm = 2) -> Fraction:
        """Return the square of the longest rounded vector, or of twice that."""
        from dporacle.enclosures.sensitivities import rounded_squared

        longest = rounded_squared(self.clipping_norm, self.grid, self.coordinates)
        return 4 * longest if neighbours == "replace-one" else longest

    def formula(self, neighbours: Neighbours, norm: Norm = 2) -> str:
        """Return how Δ follows from the fields."""
        twice = "twice " if neighbours == "replace-one" else ""
        return f"{twice}the norm of the longest rounded vector"

    def pair(self, neighbours: Neighbours) -> str:
        """Say which two data sets are so far apart."""
        text = "a vector whose rounded coordinates are as long as they may be, ties away from 0,"
        if neighbours == "replace-one":
            return f"{text} is replaced by its opposite"
        return f"{text} {'is added' if neighbours == 'add-remove' else 'is left out'}"


class QuantileScore(Statistic, frozen=True, kw_only=True, tag="quantile-score"):
    """The scores −|#{x < o} − qn| of the candidates o for a quantile.

    Attributes:
        quantile: q.
    """

    called: ClassVar[str] = "a score of a quantile"
    statement: ClassVar[str] = "X.SENS.RANK"
    norms: ClassVar[tuple[Norm, ...]] = ("max",)

    quantile: Fraction

    def __post_init__(self) -> None:
        if not 0 < self.quantile < 1:
            raise ValueError(f"quantile must be in (0, 1), got {arguments.show(self.quantile)}")

    def distance(self, neighbours: Neighbours) -> Fraction:
        """Return how far one score moves, while another moves as far the other way."""
        return Fraction(1) if neighbours == "replace-one" else max(self.quantile, 1 - self.quantile)

    def formula(self, neighbours: Neighbours, norm: Norm = 2) -> str:
        """Return how Δ follows from the fields."""
        return "one record" if neighbours == "replace-one" else "max(q, 1 − q)"

    def hypotheses(self, neighbours: Neighbours, norm: Norm = 2) -> tuple[Hypothesis, ...]:
        """Return where the sensitivity is from: records have no bounds."""
        return super().hypotheses(neighbours, norm)[:1]

    def pair(self, neighbours: Neighbours) -> str:
        """Say which two data sets are so far apart."""
        if neighbours == "replace-one":
            return "many records are all below the candidate, and one is replaced by one above it"
        side = "above" if 2 * self.quantile > 1 else "below"
        return f"a first record is added, {side} the candidate"


def whole_sum(statistic: SumStatistic, *, most: int) -> None:
    """Check that a sum is one of integers, of which no relation moves it by more than a limit.

    Raises:
        ValueError: if it is not.
    """
    for name in ("lower", "upper"):
        value = getattr(statistic, name)
        if value.denominator != 1:
            raise ValueError(
                f"{name} of the statistic must be an integer, as the noise is on the integers, got "
                f"{arguments.show(value)}"
            )
        if abs(value) > most:
            raise ValueError(f"{name} of the statistic must be within ±{most}, got {value}")
    if statistic.upper - statistic.lower > most:
        raise ValueError(f"upper − lower of the statistic must be at most {most}")


NumberStatistics = SumStatistic | MeanStatistic | VarianceStatistic | DeviationsStatistic
"""Statistics that are one number."""

NoisyStatistics = (
    SumStatistic
    | MeanStatistic
    | VarianceStatistic
    | DeviationsStatistic
    | CovarianceStatistic
    | MomentsStatistic
    | RegressionStatistic
    | CountsStatistic
    | RoundedStatistic
)
"""Statistics to which noise is added."""
Statistics = NoisyStatistics | QuantileScore
