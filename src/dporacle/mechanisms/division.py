"""What the noisy sums of a training run are divided by: the words for it, and what is proved of it.

A number that is the same for both data sets, or that is computed from what was released, changes
nothing. A number that is computed from how many records there are tells whether one of them is
there, by the scale of the noise alone: X.AVG.SCALE in `proofs_notes/averaging.md`.
"""

import contextlib
import math
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from typing import Any

from dporacle import arguments
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.mechanisms import Ends
from dporacle.mechanisms.words import DIVISORS, TELLING, Divisor, Released
from dporacle.vocabulary.relations import ENCLOSED

_DIGITS = 15


@dataclass(frozen=True, slots=True)
class DivisionByCount:
    """A divisor, a rate, or both, that are computed from the number of records n.

    Attributes:
        records: n.
        batch_size: B, where the rate is 1/⌈n/B⌉; None where the rate does not depend on n.
        sampling_rate: with n records.
        dimension: how many coordinates a sum has; None where that is no matter.
        public: whether the divisor is a public number, and the rate alone is computed from n.
    """

    records: int
    batch_size: int | None
    sampling_rate: Fraction
    dimension: int | None
    public: bool = False

    def rate(self, records: int) -> Fraction:
        """Return the sampling rate of a data set."""
        if self.batch_size is None:
            return self.sampling_rate
        return Fraction(1, math.ceil(Fraction(records, self.batch_size)))

    def divisor(self, records: int) -> int | None:
        """Return ⌊n·rate⌋, in exact arithmetic; None where it is a public number."""
        return None if self.public else math.floor(records * self.rate(records))

    def around(self) -> tuple[int, ...]:
        """Return the numbers of records of this data set and of its neighbours."""
        return tuple(n for n in (self.records - 1, self.records, self.records + 1) if n > 0)

    def differs(self) -> bool:
        """Whether a neighbour has another divisor, or another rate."""
        said = {(self.rate(n), self.divisor(n)) for n in self.around()}
        return len(said) > 1

    def scales_differ(self) -> bool:
        """Whether a neighbour has another divisor, so that its noise has another scale."""
        return len({self.divisor(n) for n in self.around()}) > 1

    def rates_differ_alone(self) -> bool:
        """Whether a neighbour has the same divisor and another rate."""
        return any(
            self.divisor(more) == self.divisor(less) and self.rate(more) != self.rate(less)
            for more, less in self.pairs()
        )

    def is_chained(self) -> bool:
        """Whether an upper end is known where the divisors differ: the rate is one and below 1."""
        return not self.public and self.batch_size is None and self.sampling_rate < 1

    def words(self, *, alone: bool = False) -> str:
        """Say the divisors: of this data set alone, or of its neighbours by add-remove too."""
        numbers = (self.records,) if alone else self.around()
        return ", ".join(f"{self.divisor(n)} with {n} records" for n in numbers)

    def rates(self) -> str:
        """Say the rates, where they differ; else nothing."""
        if len({self.rate(n) for n in self.around()}) == 1:
            return ""
        return self.each_rate()

    def each_rate(self, *, alone: bool = False) -> str:
        """Say the rates: of this data set alone, or of its neighbours by add-remove too."""
        numbers = (self.records,) if alone else self.around()
        return ", ".join(f"{self.rate(n)} with {n} records" for n in numbers)

    def pairs(self) -> list[tuple[int, int]]:
        """Return the numbers of records of a data set with a record and without it."""
        around = self.around()
        return [(more, less) for less, more in pairwise(around)]


def read_division(
    *,
    divisor: Any,
    dimension: int | None,
    sampling: str,
    grouped: bool,
    records: Fraction | None,
    batch_size: Any,
    sampling_rate: Fraction,
    noise_divisor: Fraction | None = None,
    rate_from_n: bool = False,
) -> tuple[Divisor | None, DivisionByCount | None]:
    """Read what the sums are divided by, and what the rate is computed from.

    Args:
        divisor: one of `DIVISORS`, or None where nobody said.
        dimension: how many coordinates a sum has, which "from-n" needs and "drawn" may have.
        sampling: how the batches are drawn.
        grouped: whether neighbours differ in several records, or a sum has several batches.
        records: n, where it is stated.
        batch_size: as stated, or None where the rate is.
        sampling_rate: the rate.
        noise_divisor: what the noise alone is divided by, where the sum is divided by "drawn".
        rate_from_n: whether the rate is computed from the number of records.

    Raises:
        TypeError, ValueError: naming the argument that is missing or outside of its domain.
    """
    if divisor is not None and divisor not in DIVISORS:
        raise ValueError(
            f"divisor must be one of {', '.join(DIVISORS)}, got {arguments.show(divisor)}"
        )
    if divisor not in TELLING and dimension is not None:
        raise ValueError("dimension must be given with divisor 'from-n' or 'drawn' only")
    if noise_divisor is not None and divisor != "drawn":
        raise ValueError("noise_divisor must be given with divisor 'drawn' only")
    if noise_divisor is not None and dimension is not None:
        raise ValueError(
            "dimension must be absent with noise_divisor: noise of one scale tells nothing of the "
            "size of the batch"
        )
    if rate_from_n:
        return divisor, _rate_of_count(divisor, sampling, grouped, records, batch_size)
    if divisor not in TELLING:
        return divisor, None
    if sampling != "poisson" or grouped:
        what = "a group or microbatches" if grouped else f"sampling {sampling!r}"
        raise ValueError(
            f"divisor must be one of public, noisy-count for {what}, got {divisor!r}: with the "
            "others the privacy of one record under Poisson sampling is the nearest that is bounded"
        )
    if divisor == "drawn":
        if records is None:
            raise ValueError("dataset_size must be given with divisor 'drawn'")
        if records < 2:
            raise ValueError(
                f"dataset_size must be at least 2 with divisor 'drawn', got {records}: a neighbour "
                "has one record less"
            )
        return divisor, None
    if records is None or dimension is None:
        name = "dimension" if records is not None else "dataset_size"
        raise ValueError(f"{name} must be given with divisor 'from-n'")
    size = None
    if batch_size is not None:
        size = arguments.count("batch_size", int(_whole("batch_size", batch_size)))
    found = DivisionByCount(int(records), size, sampling_rate, dimension)
    if not all(found.divisor(n) for n in found.around()):
        raise ValueError(f"the divisor must be positive, got {found.words()}")
    return divisor, found


def _rate_of_count(
    divisor: str | None, sampling: str, grouped: bool, records: Fraction | None, batch_size: Any
) -> DivisionByCount:
    """Read a rate 1/⌈n/B⌉ that is computed from the number of records, with a public divisor."""
    if divisor in TELLING:
        said = (
            "with a batch size the rate is so computed there"
            if divisor == "from-n"
            else ("of both together nothing is proved")
        )
        raise ValueError(f"rate_from_n must be absent with divisor {divisor!r}: {said}")
    if sampling != "poisson" or grouped:
        what = "a group or microbatches" if grouped else f"sampling {sampling!r}"
        raise ValueError(
            f"rate_from_n must be absent for {what}: of a rate that is computed from the number of "
            "records the privacy of one record under Poisson sampling is the nearest that is "
            "bounded"
        )
    if batch_size is None or records is None:
        name = "dataset_size" if batch_size is not None else "batch_size"
        raise ValueError(f"{name} must be given with rate_from_n")
    size = arguments.count("batch_size", int(_whole("batch_size", batch_size)))
    rate = Fraction(1, math.ceil(records / size))
    return DivisionByCount(int(records), size, rate, None, public=True)


def _whole(name: str, value: Any) -> Fraction:
    number = arguments.positive(name, value)
    if number.denominator != 1:
        raise ValueError(f"{name} must be a whole number, got {arguments.show(value)}")
    return number


def ends_divided(
    division: DivisionByCount,
    *,
    sigma: Fraction,
    steps: int,
    delta: Fraction,
    way: str,
    released: Released,
) -> Ends:
    """Return proved ends of the ε of noisy sums that are divided by a number computed from n.

    From below by the scales of the noise, in both data sets that are neighbours of n records, and
    where the rates differ alone by how many records are drawn; from above, where one rate below 1
    is stated, by the scale and then the mean; of full batches that are divided by n the value.

    Args:
        division: the divisors.
        sigma: noise multiplier, which the lower end of other divisors does not depend on.
        steps: how many.
        delta: in (0, 1).
        way: "add-remove", "add" or "remove".
        released: every noisy sum, or the last iterate of plain SGD alone.

    Raises:
        ArithmeticError: if an enclosure would need too much work.
    """
    from dporacle.enclosures.averaging import divisor_epsilon
    from dporacle.enclosures.full_batch_mean import full_batch_mean_epsilon

    ways = ("remove", "add") if way == "add-remove" else (way,)
    whole = division.batch_size is None and division.sampling_rate == 1
    dimension = division.dimension or 1  # where the rates alone are computed it is no matter
    last = released == "last-iterate"
    orders = [(more, less, each) for more, less in division.pairs() for each in ways]
    if whole and not last:
        with contextlib.suppress(ArithmeticError):
            values = [
                bounds(
                    full_batch_mean_epsilon(
                        delta=delta,
                        sigma=sigma,
                        records=more,
                        steps=steps,
                        dimension=dimension,
                        direction=each,
                        digits=_DIGITS,
                    )
                )
                for more, _, each in orders
            ]
            low, high = (max(each[k] for each in values) for k in (0, 1))
            return Ends(max(low, Fraction(0)), high, exact=True)
    low = Fraction(0)
    highs: list[Fraction | None] = []
    for more, less, each in orders:
        with_it, without = division.divisor(more), division.divisor(less)
        if with_it == without and division.rate(more) == division.rate(less):
            highs.append(_of_equal(division, sigma, steps, delta, each))
            continue
        if with_it is None or without is None or with_it == without:
            if division.rate(more) != division.rate(less) and not last:
                low = max(low, _of_rates(division, more, less, sigma, steps, delta, each))
            highs.append(None)
            continue
        first, second = (with_it, without) if each == "remove" else (without, with_it)
        found = divisor_epsilon(
            delta=delta,
            divisor=first,
            other_divisor=second,
            coordinates=dimension * (1 if last else steps),
            digits=_DIGITS,
        )
        own = bounds(found)[0]
        low = max(low, own)
        highs.append(_above(division, more, less, sigma, steps, delta, each, own))
    known = [high for high in highs if high is not None]
    return Ends(low, max(known) if len(known) == len(highs) else None)


def _of_equal(
    division: DivisionByCount, sigma: Fraction, steps: int, delta: Fraction, way: str
) -> Fraction | None:
    """Return the upper end of a neighbour with the same divisor and rate: its noisy sums'."""
    if not division.is_chained():  # nothing is known from above of the other neighbour
        return None
    from dporacle.enclosures.batches import poisson_ends

    with contextlib.suppress(ArithmeticError):
        return poisson_ends.near(sigma, division.sampling_rate, steps, delta, way, _DIGITS).high
    return None


def _above(
    division: DivisionByCount,
    more: int,
    less: int,
    sigma: Fraction,
    steps: int,
    delta: Fraction,
    way: str,
    near: Fraction,
) -> Fraction | None:
    """Return an upper end where the divisors differ and the rates do not (X.AVG.CHAIN)."""
    with_it, without = division.divisor(more), division.divisor(less)
    if not division.is_chained() or with_it is None or without is None:
        return None
    from dporacle.enclosures.batches.counted_divisor import CountedDivisor, epsilon_above

    dimension = division.dimension or 1
    rate = division.sampling_rate
    asked = CountedDivisor(sigma, rate, more, with_it, without, dimension, steps)
    with contextlib.suppress(ArithmeticError):
        return epsilon_above(asked, delta, way, near)
    return None


def _of_rates(
    division: DivisionByCount,
    more: int,
    less: int,
    sigma: Fraction,
    steps: int,
    delta: Fraction,
    way: str,
) -> Fraction:
    """Return what is reached where the rates differ and the divisors do not (X.AVG.RATE).

    All records contribute the same, so that their number tells; or all but one contribute nothing.
    """
    from dporacle.enclosures.batches import poisson_ends
    from dporacle.enclosures.batches.counted_rate import counted_epsilon

    low = Fraction(0)
    with contextlib.suppress(ArithmeticError):
        low = poisson_ends.near(sigma, division.rate(more), steps, delta, way, _DIGITS).low
    laws = {n: (n, division.rate(n)) for n in (more, less)}
    often = max(laws, key=lambda n: n * division.rate(n))
    (seldom,) = set(laws) - {often}
    with contextlib.suppress(ArithmeticError):
        own = counted_epsilon(
            sigma=sigma,
            often=laws[often],
            seldom=laws[seldom],
            times=steps,
            delta=delta,
            swapped=often != (more if way == "remove" else less),
        )
        low = max(low, own)
    return low


def ends_divided_by_drawn(
    *,
    sigma: Fraction,
    rate: Fraction,
    records: int,
    dimension: int | None,
    steps: int,
    delta: Fraction,
    way: str,
    released: Released,
    noise_divisor: Fraction | None,
) -> Ends:
    """Return proved ends of the ε of noisy sums, each divided by the size of its drawn batch.

    Args:
        sigma: noise multiplier.
        rate: of Poisson sampling.
        records: n, of the larger data set.
        dimension: how many coordinates a sum has; None where nobody said.
        steps: how many.
        delta: in (0, 1).
        way: a relation, or a direction of one.
        released: every noisy sum, or the last iterate alone, of which nothing is proved from below.
        noise_divisor: what the noise alone is divided by; None where that is the size too.

    Raises:
        ArithmeticError: if an enclosure would need too much work.
    """
    from dporacle.enclosures.batches import drawn_divisor
    from dporacle.enclosures.full_batch_mean import full_batch_mean_epsilon

    direction, last = ENCLOSED[way], released == "last-iterate"
    if noise_divisor is not None:
        from dporacle.enclosures.batches import drawn_mean

        mean = drawn_mean.DrawnMean(sigma, noise_divisor, rate, records, steps)
        ends = drawn_mean.epsilon(mean, delta, direction)
        return _in_every_dimension(*ends, exact=rate == 1, last=last)
    if direction not in drawn_divisor.ADJACENCIES:
        from dporacle.enclosures.batches import drawn_divisor_shared

        run = drawn_divisor.DrawnDivisor(sigma, rate, records, steps, dimension)
        ends = drawn_divisor_shared.epsilon(run, delta, direction)
        return _in_every_dimension(*ends, exact=rate == 1, last=last)
    if rate == 1:  # every batch has all records
        if dimension is None or records < 2:
            return Ends(Fraction(0), None)
        value = full_batch_mean_epsilon(
            delta=delta,
            sigma=sigma,
            records=records,
            steps=steps,
            dimension=dimension,
            direction=direction,
            digits=_DIGITS,
        )
        low, high = bounds(value)
        return Ends(Fraction(0) if last else max(low, Fraction(0)), high, exact=not last)
    found = drawn_divisor.DrawnDivisor(sigma, rate, records, steps, dimension)
    below, above = drawn_divisor.epsilon(found, delta, direction)
    return Ends(Fraction(0) if last else below, above)


def _in_every_dimension(low: Fraction, high: Fraction | None, *, exact: bool, last: bool) -> Ends:
    """Return ends of which the upper one is known, in every dimension, if it is not too dear."""
    if high is None and last:  # from below nothing is proved of the last iterate
        raise ArithmeticError("the upper end of epsilon is out of reach")
    return Ends(Fraction(0) if last else low, high, exact=exact and not last)
