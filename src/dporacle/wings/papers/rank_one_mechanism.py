"""Rank-one noise, R1SMG (JL24.T1, X.R1.*)."""

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar

import msgspec
from flint import arb

from dporacle import arguments, enclosures
from dporacle.claims.decision import INNER_BALL, Decided
from dporacle.claims.mechanisms.mechanism import LeastNoise, VectorNoise
from dporacle.claims.mechanisms.record import Neighbours, Strict
from dporacle.claims.quantities import ordinary
from dporacle.claims.wording import bounds_of, least_noise, round_decimal, with_unit
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, tighten

if TYPE_CHECKING:  # what decides is imported where a claim is about this noise
    from dporacle.wings.papers import rank_one_claims as rank_one

_DIGITS = 6
_MOST_DIMENSION = 10**6


class PublishedPoint(Strict, frozen=True, kw_only=True):
    """The (ε,δ) at which the published theorem's σ* is taken."""

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        arguments.positive("epsilon", self.epsilon)
        arguments.delta(self.delta)


class RankOne(VectorNoise, frozen=True, kw_only=True, tag="rank-one"):
    """Noise u·√σ*·z on R^M, u uniform on the unit sphere, z standard normal (R1SMG, JL24.T1).

    Attributes:
        dimension: M.
        sigma_star: σ*, a variance, in the square of `unit`.
        published: instead, where the published theorem's σ* = 2Δ²/(εψ) is taken.
    """

    noun: ClassVar[str] = "rank-one Gaussian noise"
    example: ClassVar[Mapping[str, object]] = {
        "dimension": 100,
        "sigma_star": 3,
        "sensitivity": 1,
        "neighbours": "add-remove",
    }
    refuses: ClassVar[Mapping[str, str]] = {
        "accuracy": "asserts must be privacy or loss for a rank-one mechanism"
    }

    dimension: Annotated[int, msgspec.Meta(ge=2, le=arguments.MAX_DIMENSION)]
    sigma_star: Fraction | None = None
    published: PublishedPoint | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._one_of("sigma_star", "published")
        if self.published is not None and self.dimension < 3:
            raise ValueError("dimension must be at least 3 for the published sigma_star")

    def coordinates(self) -> int:
        """Return M."""
        return self.dimension

    def variance(self, neighbours: Neighbours | None = None) -> "rank_one.Variance":
        """Return σ*/Δ² at the working precision, for a relation; for the stated one, if None."""
        from dporacle.wings.papers import rank_one_claims as rank_one

        square = self.distance_squared(neighbours)
        if self.published is not None:
            at, ratio = self.published, square / self.distance_squared()
            unit = rank_one.published(at.epsilon, at.delta, self.dimension)
            return lambda: unit() / ball(ratio)
        assert self.sigma_star is not None
        star = self.sigma_star / square
        return lambda: ball(star)

    def delta_at_epsilon(self, *, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Enclose δ(ε)."""
        from dporacle.wings.papers import rank_one_claims as rank_one

        return rank_one.exact_delta(
            epsilon=epsilon,
            dimension=self.dimension,
            variance=self.variance(neighbours),
            digits=digits,
        )

    def decide_privacy(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> Decided:
        """Decide whether it is (ε,δ)-DP, by the cheapest proof that is enough."""
        from dporacle.wings.papers import rank_one_claims as rank_one

        return rank_one.decide_rank_one(
            epsilon=epsilon,
            delta=delta,
            dimension=self.dimension,
            variance=self.variance(neighbours),
            doubled=not self.knows(neighbours),
        )

    def sharpened(self, decided: Decided, *, epsilon: Fraction, neighbours: Neighbours) -> Decided:
        """Enclose the exact δ(ε) too, for the words, where a bound was enough for the verdict."""
        from dporacle.wings.papers import rank_one_claims as rank_one

        if decided.proof not in rank_one.BOUNDS:
            return decided
        try:
            value = self.delta_at_epsilon(
                epsilon=epsilon, neighbours=neighbours, digits=decided.digits
            )
        except ArithmeticError:
            return decided
        told = rounding.side(value, decided.bound)
        return replace(decided, below=value, above=value) if told else decided

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return the least σ* that is (ε,δ)-DP."""
        if not (ordinary(epsilon, delta) and 2 < self.dimension <= _MOST_DIMENSION):
            return None  # the root of the exact profile could take minutes
        try:
            least = enclosures.rank_one_private_sigma_star(
                epsilon=epsilon, delta=delta, dimension=self.dimension, digits=_DIGITS
            )
            _, unit = rounding.bounds(least)
            present, _ = bounds_of(tighten(self.variance(neighbours), _DIGITS))
        except ArithmeticError:
            return None
        square = unit * self.distance_squared(neighbours)
        told, held = (
            f"σ* = {self._in_squares(least_noise(square, _DIGITS, holds_at=at))} would do"
            for at in (None, self.sigma_star)
        )
        return LeastNoise(told, unit / present if present else None, "σ*", held)

    def _in_squares(self, shown: str) -> str:
        """Show a number in the square of the unit."""
        if self.unit.startswith("·"):
            return f"{shown}{self.unit}²"
        return with_unit(shown, f"{self.unit}²" if self.unit else "")

    def rational_loss(self, *, dimension: int) -> Fraction | None:
        """Return σ*, unless it is the published one."""
        return self.sigma_star

    def expected_loss(self, *, dimension: int, digits: int) -> arb:
        """Enclose σ*."""
        variance, square = self.variance(), self.distance_squared()
        return tighten(lambda: variance() * ball(square), digits)

    def noise_for_loss(self, *, loss: Fraction, dimension: int) -> str:
        """Say up to which σ* the expected loss is at most a number."""
        if not loss:
            return ""
        shown = round_decimal(loss, _DIGITS, up=False)
        if self.sigma_star is not None and Fraction(shown) < self.sigma_star <= loss:
            shown = arguments.decimal(self.sigma_star)
        return f"σ* up to {self._in_squares(shown)} would do"

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program has one proof only for this noise."""
        if quantity == "loss":
            return "the checker has no expected loss of rank-one noise"
        if proof != INNER_BALL:
            return f"of rank-one noise the checker has the inner ball only, not: {proof}"
        return ""
