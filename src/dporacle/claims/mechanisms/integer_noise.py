"""Integer sums whose noise several parties add (X.SUM, proofs_notes/integer_noise.md)."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar, Literal, Self

import msgspec
from flint import arb
from msgspec import UNSET, UnsetType

from dporacle import arguments
from dporacle.claims.decision import DOUBLED, FIRST_DIGITS, Decided, decide_probability, exactly
from dporacle.claims.losses import DiscreteGaussianLoss, Extent, LossLaw, PrivacyLoss, ResponseLoss
from dporacle.claims.mechanisms.contribution import SumStatistic, whole_sum
from dporacle.claims.mechanisms.mechanism import LeastNoise, Mechanism
from dporacle.claims.mechanisms.record import Neighbours, Strict, Unit
from dporacle.claims.quantities import Ends, ordinary
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball
from dporacle.verdicts import Decision, Verdict
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis
from dporacle.vocabulary.mechanisms import MOST_DISCRETE_SENSITIVITY

if TYPE_CHECKING:
    from dporacle.enclosures.discrete.sums import Addends, NoiseBound

_MOST_PARTS = 20
_MOST_SHIFTS = 32  # changes that may be the worst: the others are bounded together
_DIGITS = 12
_FIRST_EPSILON = Fraction(
    1, 2**20
)  # doubled until its δ is below what is claimed, or is not listed
_STEPS = 36  # of the bisection for ε
_MOST_EPSILON = 32  # no larger one is sought: e^32 is a promise of nothing
_NO_ERROR = (
    "out of scope: the error of a sum of noises, of which a claim states the least number; the "
    "nearest claim that can be decided is the same claim about `discrete-gaussian` noise"
)

_PARAMETERS = {
    "discrete-gaussian": "sigma_squared",
    "discrete-laplace": "scale",
    "skellam": "variance",
}

Count = Annotated[int, msgspec.Meta(ge=0, le=10**9)]


class PartyNoise(Strict, frozen=True, kw_only=True):
    """The noise that each of some parties adds.

    Attributes:
        law: "discrete-gaussian", Pr[x] ∝ e^{−x²/2σ²}; "discrete-laplace", Pr[x] ∝ e^{−|x|/b}; or
            "skellam", the difference of two Poisson variables of the same mean.
        sigma_squared: σ² of each discrete Gaussian.
        scale: b of each discrete Laplace noise.
        variance: λ of each Skellam noise, twice the mean of either Poisson variable.
        parties: how many parties there are.
        dropouts: how many of them at most add nothing. If absent, a claim of several parties holds
            if every party adds its noise, and the verdict says so.
        colluders: how many of them at most tell somebody who sees the sum their noise. If absent,
            a claim of several parties holds if none does, and the verdict says so.
    """

    law: Literal["discrete-gaussian", "discrete-laplace", "skellam"]
    parties: Annotated[int, msgspec.Meta(ge=1, le=10**9)]
    sigma_squared: Fraction | UnsetType = UNSET
    scale: Fraction | UnsetType = UNSET
    variance: Fraction | UnsetType = UNSET
    dropouts: Count | UnsetType = UNSET
    colluders: Count | UnsetType = UNSET

    def __post_init__(self) -> None:
        for law, name in _PARAMETERS.items():
            value = getattr(self, name)
            if (law == self.law) != (value is not UNSET):
                must = "given" if law == self.law else "absent"
                raise ValueError(f"{name} must be {must} beside law = {self.law}")
        arguments.positive(_PARAMETERS[self.law], self.parameter())
        if self.honest() < 0:
            raise ValueError(
                f"dropouts and colluders must be {self.parties} together at most, the parties"
            )

    def parameter(self) -> Fraction:
        """Return the parameter of the law."""
        value = getattr(self, _PARAMETERS[self.law])
        assert isinstance(value, Fraction)
        return value

    def stated(self) -> Self:
        """Return itself with every number that a default stands for."""
        dropouts, colluders = (
            each if isinstance(each, int) else 0 for each in (self.dropouts, self.colluders)
        )
        return msgspec.structs.replace(self, dropouts=dropouts, colluders=colluders)

    def honest(self) -> int:
        """Return how many noises at least are in the sum and unknown."""
        absent = [each for each in (self.dropouts, self.colluders) if isinstance(each, int)]
        return self.parties - sum(absent)


class WholeBound(Strict, frozen=True, kw_only=True):
    """How the whole noise is kept within −at, …, at before it is added.

    Attributes:
        at: the largest noise.
        by: "redrawn", until it is no larger, or "clamped" to the nearer end.
    """

    at: Annotated[int, msgspec.Meta(ge=0, le=10**9)]
    by: Literal["redrawn", "clamped"]


def _law(addends: tuple[Addends, ...], distance: int) -> LossLaw:
    """Return the loss of a sum: of one noise alone it may have all its atoms on a lattice."""
    from dporacle.claims.integer_losses import SumLoss

    if len(addends) == 1 and addends[0].times == 1:
        name, parameter, _ = addends[0]
        if name == "discrete-gaussian":
            return DiscreteGaussianLoss(parameter, distance)
        if name == "discrete-laplace" and distance == 1:  # L is 1/b or −1/b
            return ResponseLoss(1 / parameter, 2)
    return SumLoss(addends, distance)


def _together(
    shifts: Sequence[tuple[int, ...]], law: Callable[[int], LossLaw]
) -> tuple[PrivacyLoss, ...]:
    """Return the loss of each change, whose coordinates have independent noise."""
    return tuple(
        PrivacyLoss(others={law(moved): times for moved, times in Counter(shift).items()})
        for shift in shifts
    )


def longest_vectors(square: int, dimension: int, most: int) -> list[tuple[int, ...]]:
    """Return vectors of falling positive integers that no other such vector exceeds.

    Args:
        square: the largest sum of squares.
        dimension: the largest number of coordinates.
        most: how many are returned at most; if so many are, there may be more.
    """
    found: list[tuple[int, ...]] = []

    def extend(head: tuple[int, ...], left: int) -> None:
        largest = min(math.isqrt(left), head[-1] if head else left)
        if len(head) == dimension or not largest:
            raised = [(*head[:j], each + 1, *head[j + 1 :]) for j, each in enumerate(head)]
            longer = [(*head, 1)] if len(head) < dimension else []
            if all(sum(each * each for each in one) > square for one in raised + longer):
                found.append(head)
            return
        for each in range(largest, 0, -1):
            if len(found) < most:
                extend((*head, each), left - each * each)

    extend((), square)
    return found


class IntegerNoise(Mechanism, frozen=True, kw_only=True, tag="integer-noise"):
    """An integer sum with the noises of several parties.

    Attributes:
        parts: the noises, by what each party draws.
        sensitivity: Δ, by which some pair of neighbours moves the sum, an integer.
        statistic: what the sum is instead, for every relation: a sum of integers.
        sensitivity_squared: of a vector instead, the square of its ℓ2-sensitivity, up to 10,000:
            pairs of neighbours move it by every vector of integers that is no longer.
        dimension: how many coordinates the vector has, each with noise of its own.
        neighbours: the relation that Δ is for; that of the claim if absent, which a verdict then
            says.
        modulus: what is seen is the remainder of the sum modulo this; if absent, the sum. A claim
            that holds without it holds with every modulus.
        bound: the whole noise is redrawn or clamped before it is added; if absent, it is not.
        unit: what Δ and the noise are counted in.
    """

    noun: ClassVar[str] = "an integer sum with the noise of several parties"
    example: ClassVar[Mapping[str, object]] = {
        "sensitivity": 1,
        "parts": [{"law": "skellam", "variance": 1, "parties": 2}],
    }
    refuses: ClassVar[Mapping[str, str]] = {"accuracy": _NO_ERROR, "loss": _NO_ERROR}

    parts: Annotated[tuple[PartyNoise, ...], msgspec.Meta(min_length=1, max_length=_MOST_PARTS)]
    sensitivity: Annotated[int, msgspec.Meta(ge=1, le=MOST_DISCRETE_SENSITIVITY)] | UnsetType = (
        UNSET
    )
    statistic: SumStatistic | UnsetType = UNSET
    sensitivity_squared: Annotated[int, msgspec.Meta(ge=1, le=10_000)] | UnsetType = UNSET
    dimension: Annotated[int, msgspec.Meta(ge=1, le=10**12)] | UnsetType = UNSET
    neighbours: Neighbours | UnsetType = UNSET
    modulus: Annotated[int, msgspec.Meta(ge=2)] | UnsetType = UNSET
    bound: WholeBound | UnsetType = UNSET
    unit: Unit = ""

    def __post_init__(self) -> None:
        self._one_of("sensitivity", "statistic", "sensitivity_squared")
        if not isinstance(self.statistic, UnsetType):
            self._check_statistic(self.statistic)
        if (self.dimension is UNSET) != (self.sensitivity_squared is UNSET):
            must = "given" if self.dimension is UNSET else "absent"
            number = "sensitivity" if self.statistic is UNSET else "a statistic"
            beside = "sensitivity_squared" if self.dimension is UNSET else number
            raise ValueError(f"dimension must be {must} beside {beside}")
        if self.bound is not UNSET and self.dimension is not UNSET:
            raise ValueError("bound must be absent beside dimension: it is of one number")
        if self.bound is not UNSET and any(each.honest() < each.parties for each in self.parts):
            raise ValueError(
                "bound must be absent beside dropouts and colluders: one place draws the whole "
                "noise that it keeps within bounds"
            )

    def _check_statistic(self, statistic: SumStatistic) -> None:
        whole_sum(statistic, most=MOST_DISCRETE_SENSITIVITY)
        if self.neighbours is not UNSET:
            raise ValueError("neighbours must be absent: the statistic is for every relation")
        if self._reaches_every_shift() and not statistic.lower <= 0 <= statistic.upper:
            raise ValueError(
                "0 must lie between lower and upper of the statistic beside a modulus or clamped "
                "noise: else no record moves the sum by each integer up to the sensitivity"
            )

    def stated(self) -> Self:
        """Return itself with every number that a default stands for."""
        return msgspec.structs.replace(self, parts=tuple(each.stated() for each in self.parts))

    def relation(self) -> Neighbours:
        """Return the relation that is stated; replace-one stands where none is."""
        return "replace-one" if isinstance(self.neighbours, UnsetType) else self.neighbours

    def knows(self, neighbours: Neighbours) -> bool | None:
        """Tell whether the sensitivity is for a relation: where none is stated, it is."""
        stated = self.neighbours is not UNSET or self.computed() is not None
        return super().knows(neighbours) if stated else True

    def addends(self) -> tuple[Addends, ...]:
        """Return the noises that are in the sum and unknown, whoever drops out or colludes."""
        from dporacle.enclosures.discrete.sums import Addends

        return tuple(Addends(each.law, each.parameter(), each.honest()) for each in self.parts)

    def kept_within(self) -> NoiseBound | None:
        """Return how the whole noise is kept within bounds."""
        from dporacle.enclosures.discrete.sums import NoiseBound

        if isinstance(self.bound, UnsetType):
            return None
        return NoiseBound(self.bound.at, self.bound.by)

    def _square(self) -> int:
        """Return the square of the sensitivity of a vector."""
        assert isinstance(self.sensitivity_squared, int)
        return self.sensitivity_squared

    def _moved_by(self, neighbours: Neighbours) -> int | None:
        """Return by how much one number moves for a relation, or a bound of it; None of vectors."""
        if not isinstance(self.statistic, UnsetType):
            return int(self.statistic.distance(neighbours))
        if isinstance(self.sensitivity, int):
            return self.sensitivity * self.steps(neighbours)
        return None

    def shifts(self, neighbours: Neighbours) -> list[tuple[int, ...]]:
        """Return changes for a relation, by how far each coordinate moves, that none exceeds."""
        if (moved := self._moved_by(neighbours)) is not None:
            return [(moved,)]
        assert isinstance(self.dimension, int)
        steps = self.steps(neighbours)
        return longest_vectors(self._square() * steps**2, self.dimension, _MOST_SHIFTS)

    def coordinates(self) -> int | None:
        """Return how many coordinates a vector has."""
        return self.dimension if isinstance(self.dimension, int) else None

    def _reaches_every_shift(self) -> bool:
        """Whether a smaller change of the sum may be told more easily than a larger one."""
        clamped = isinstance(self.bound, WholeBound) and self.bound.by == "clamped"
        return clamped or self.modulus is not UNSET

    def supposes(self, neighbours: Neighbours) -> str:
        """Say which pair of neighbours, and which parties, are supposed."""
        who = "as many parties drop out or collude as may"
        changes, moved = "by the sensitivity", self._moved_by(neighbours)
        if moved is None:
            changes = "by whichever vector of integers within the sensitivity is the worst"
        elif self._reaches_every_shift() and moved > 1:
            changes = "by whichever integer up to the sensitivity is the worst"
        elif (statistic := self.computed()) is not None:
            changes = f"by the sensitivity ({statistic.pair(neighbours)})"
        pair = f"two neighbouring data sets exist whose sums differ {changes}"
        few = any(each.honest() < each.parties for each in self.parts)
        return f"{pair}, and {who}" if few else pair

    def hypotheses(self, neighbours: Neighbours) -> tuple[Hypothesis, ...]:
        """Return who adds noise, how it is drawn, and how the sum is taken."""
        found = [*super().hypotheses(neighbours), hypothesis("parties-draw-alone")]
        parties = sum(each.parties for each in self.parts)
        honest = sum(each.honest() for each in self.parts)
        if parties > 1:
            found.append(hypothesis("honest-parties", parties=parties, honest=honest))
        several = [each for each in self.parts if each.parties > 1]
        if any(each.dropouts is UNSET for each in several):
            found.append(hypothesis("every-party-adds"))
        if any(each.colluders is UNSET for each in several):
            found.append(hypothesis("no-party-tells"))
        if isinstance(self.modulus, int):
            found.append(hypothesis("public-modulus", modulus=self.modulus))
        else:
            found.append(hypothesis("sum-of-integers"))
        if isinstance(self.bound, WholeBound):
            found.append(hypothesis("noise-bounded", at=self.bound.at, by=self.bound.by))
        if self.neighbours is UNSET and self.computed() is None:
            found.append(hypothesis("relation-of-the-claim", relation=neighbours))
        return tuple(found)

    def delta_at_epsilon(self, *, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Enclose δ(ε), of one number."""
        from dporacle.enclosures.discrete.sums import integer_noise_delta

        if self.dimension is not UNSET:
            raise ArithmeticError("δ(ε) of a vector is known between two ends")
        ((distance,),) = self.shifts(neighbours)
        return integer_noise_delta(
            epsilon=epsilon,
            addends=self.addends(),
            sensitivity=distance,
            digits=digits,
            modulus=self.modulus if isinstance(self.modulus, int) else None,
            bound=self.kept_within(),
        )

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP; where no loss is above ε it is, whatever δ.

        A remainder, or the noise of Laplace laws, has a largest loss.
        """
        if self.dimension is not UNSET:
            return self.decide_by_extent(epsilon=epsilon, delta=delta, neighbours=neighbours)
        if delta == 0 and self._always_loses(epsilon, neighbours):
            return decide_probability(
                lambda digits: self._lost(epsilon, neighbours, digits),
                "delta",
                delta,
                doubled=not self.knows(neighbours),
            )
        if delta < 1:
            doubled = not self.knows(neighbours)
            value = self._at_most(epsilon, delta, neighbours)
            if value.is_zero():
                decision = Decision(Verdict.HOLDS, value, FIRST_DIGITS)
                return exactly(decision, "delta", delta, doubled=doubled)
            if value.contains(0):  # what a smaller ε has is enough
                most = value.upper()
                return Decided(
                    Verdict.HOLDS, "delta", delta, arb(0), most, FIRST_DIGITS, doubled=doubled
                )
            assert delta or value > 0  # it is tight
        return super().decide_privacy(epsilon=epsilon, delta=delta, neighbours=neighbours)

    def _always_loses(self, epsilon: Fraction, neighbours: Neighbours) -> bool:
        """Tell whether δ(ε) of one number is above 0, however small: no list shows that (N3, N4).

        A sum has a loss above every ε, with Laplace noise above every ε < Δ/b. Noise within bounds
        has outputs that one of two neighbours alone has, unless they go around the modulus.
        """
        if isinstance(self.bound, WholeBound):
            return not isinstance(self.modulus, int) or 2 * self.bound.at + 1 < self.modulus
        if isinstance(self.modulus, int):
            return False
        widest = max(
            (n.parameter for n in self.addends() if n.name == "discrete-laplace" and n.times),
            default=None,
        )
        ((distance,),) = self.shifts(neighbours)
        return widest is None or epsilon * widest < distance

    def _lost(self, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Enclose a δ(ε) that is above 0, if that is soon done.

        Raises:
            ArithmeticError: if it is not.
        """
        from dporacle import enclosures

        known = [each for each in self.addends() if each.times]
        if self.bound is UNSET and any(each.name == "discrete-laplace" for each in known):
            # Near the largest loss δ is far beyond all lists.
            if len(known) > 1:
                raise ArithmeticError("a mixed sum is listed alone")
            ((distance,),) = self.shifts(neighbours)
            try:
                return enclosures.discrete_laplace_sum_delta(
                    epsilon=epsilon,
                    scale=known[0].parameter,
                    parties=known[0].times,
                    sensitivity=distance,
                    digits=digits,
                )
            except ValueError as error:  # beyond what the quantity is asked about
                raise ArithmeticError(str(error)) from None
        return self.delta_at_epsilon(epsilon=epsilon, neighbours=neighbours, digits=digits)

    def _at_most(self, epsilon: Fraction, delta: Fraction, neighbours: Neighbours) -> arb:
        """Enclose δ(ε); from 0 to that of a smaller ε where no masses are listed so far out.

        Raises:
            ArithmeticError: if that takes too many points, or does not tell δ(ε) from δ.
        """
        try:
            return self.delta_at_epsilon(
                epsilon=epsilon, neighbours=neighbours, digits=FIRST_DIGITS
            )
        except ArithmeticError:
            less = _FIRST_EPSILON
            with suppress(ArithmeticError):  # no masses are listed farther out
                while less < epsilon:
                    value = self.delta_at_epsilon(
                        epsilon=less, neighbours=neighbours, digits=FIRST_DIGITS
                    )
                    if value <= ball(delta):
                        return arb(0).union(value)
                    less *= 2
            raise

    def epsilon_ends(self, *, delta: Fraction, neighbours: Neighbours) -> Ends | None:
        """Return rationals around the least ε at a δ: δ(ε) falls."""
        if not ordinary(Fraction(1), delta) or self._reaches_every_shift():
            return None
        if self.dimension is not UNSET:
            return None

        def side(epsilon: Fraction) -> int:
            value = self.delta_at_epsilon(epsilon=epsilon, neighbours=neighbours, digits=_DIGITS)
            return rounding.side(value, delta)

        low, high = Fraction(0), Fraction(1, 8)
        try:
            if side(low) < 0:
                return Ends(low, low)
            while (found := side(high)) >= 0:
                low, high = high if found else low, 2 * high
                if high > _MOST_EPSILON:
                    return None
            for _ in range(_STEPS):
                middle = (low + high) / 2
                found = side(middle)
                if found == 0:
                    break
                low, high = (low, middle) if found < 0 else (middle, high)
        except ArithmeticError:
            return None
        # Of twice the sensitivity no pair is known to exist.
        return Ends(low if self.knows(neighbours) else Fraction(0), high)

    def extent(self, neighbours: Neighbours) -> Extent:
        """Return what is known of the loss of the worst pair, as compositions need it (N5).

        Of noise within bounds nothing is, of remainders what the sum has from above.
        """
        from dporacle.claims.integer_losses import SumLoss

        endless = PrivacyLoss(leaks={Fraction(1): 1})
        if self.bound is not UNSET:
            return Extent((endless,), (PrivacyLoss(),))
        addends = tuple(each for each in self.addends() if each.times)
        exact = self.knows(neighbours)
        if not addends:
            return Extent((endless,), (endless if exact else PrivacyLoss(),))
        modulus = self.modulus if isinstance(self.modulus, int) else 0
        shifts = self.shifts(neighbours)
        most = _together(shifts, lambda moved: _law(addends, moved))
        if len(shifts) == _MOST_SHIFTS:  # there may be more
            variances = [each.parameter for each in addends if each.name == "discrete-gaussian"]
            square = self._square() * self.steps(neighbours) ** 2
            above = PrivacyLoss(rho=square / (2 * max(variances))) if variances else endless
            if not exact or modulus:
                return Extent((above,), (PrivacyLoss(),))
            assert isinstance(self.dimension, int)
            ends = [shifts[0], (1,) * min(square, self.dimension)]
            return Extent((above,), _together(ends, lambda moved: _law(addends, moved)))
        if not exact:
            return Extent(most, (PrivacyLoss(),))
        if not modulus:
            return Extent(most, most)
        return Extent(most, _together(shifts, lambda moved: SumLoss(addends, moved, modulus)))

    def open_reason(self, neighbours: Neighbours) -> str:
        """Say between what the truth is."""
        if len(self.shifts(neighbours)) == _MOST_SHIFTS:
            return f"more than {_MOST_SHIFTS} changes of the vector may be the worst"
        if not self.knows(neighbours):
            return DOUBLED
        if self.bound is not UNSET:
            return "of noise that is kept within bounds no loss is known that could be composed"
        return (
            "remainders are at least as private as sums; by how much more is known of one "
            "release alone"
        )

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return none: δ(ε) is not monotone in the parameters of noise on integers."""
        return None

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program does not know this noise."""
        return "the checker has no sums of noises on the integers"
