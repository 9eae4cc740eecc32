"""Discrete Gaussian noise, at any σ² that is rational (X.DG).

Its δ(ε) is not monotone in σ, so that a root of σ² cannot be caught between two rationals.
"""

import math
from collections.abc import Mapping
from fractions import Fraction
from typing import Annotated, ClassVar

import msgspec
from flint import arb
from msgspec import UNSET, UnsetType

from dporacle import enclosures
from dporacle.claims.losses import DiscreteGaussianLoss, PrivacyLoss
from dporacle.claims.mechanisms.contribution import SumStatistic, whole_sum
from dporacle.claims.mechanisms.mechanism import LeastNoise, NumberNoise
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.claims.quantities import almost_zero, ordinary, root_bounds
from dporacle.claims.wording import round_decimal, sigma_would_do, with_unit
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten
from dporacle.vocabulary.mechanisms import MOST_DISCRETE_SENSITIVITY

_MOST_VARIANCE = 10**30
_FAR = 10**6  # e to the minus this is below all that a file can state
_DIGITS = 6
_ROOT_DIGITS = 20
_ERROR_DIGITS = 30
_REACH_BITS = 256  # of an upper end of a search, which may be too high


class DiscreteGaussianMechanism(NumberNoise, frozen=True, kw_only=True, tag="discrete-gaussian"):
    """An integer answer with noise Pr[Y = x] ∝ e^{−x²/2σ²} (X.DG).

    Attributes:
        neighbours: the relation that the sensitivity is for.
        sensitivity: the answer's sensitivity Δ, an integer that some pair of neighbours reaches.
        statistic: what the answer is, instead, for every relation: a sum of integers.
        sigma: the parameter σ, up to 10¹⁵; not the standard deviation, which is a little smaller.
        sigma_squared: σ² instead.
        rho: Δ²/(2σ²) instead, the parameter of zCDP that this noise has.
        unit: what σ and Δ are counted in.
    """

    noun: ClassVar[str] = "discrete Gaussian noise"
    example: ClassVar[Mapping[str, object]] = {
        "sigma": 1,
        "sensitivity": 1,
        "neighbours": "add-remove",
    }

    sensitivity: Annotated[int, msgspec.Meta(ge=1, le=MOST_DISCRETE_SENSITIVITY)] | UnsetType = (
        UNSET
    )
    statistic: SumStatistic | UnsetType = UNSET
    sigma: Fraction | None = None
    sigma_squared: Fraction | None = None
    rho: Fraction | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._one_of("sigma", "sigma_squared", "rho")
        if not isinstance(self.statistic, UnsetType):
            whole_sum(self.statistic, most=MOST_DISCRETE_SENSITIVITY)
            if self.rho is not None:
                raise ValueError(
                    "rho must be absent where a statistic is given: its sensitivity depends on the "
                    "relation; state sigma or sigma_squared"
                )
        if self.variance() > _MOST_VARIANCE:
            raise ValueError("sigma must be at most 10^15")

    def variance(self) -> Fraction:
        """Return the parameter σ²."""
        if self.sigma is not None:
            return self.sigma**2
        if self.sigma_squared is not None:
            return self.sigma_squared
        assert self.rho is not None
        assert isinstance(self.sensitivity, int)
        return self.sensitivity**2 / (2 * self.rho)

    def distance(self, neighbours: Neighbours) -> int:
        """Return Δ for a relation, or a bound of it."""
        return int(self.moved_by(neighbours))

    def privacy_loss(self, neighbours: Neighbours) -> PrivacyLoss:
        """Return its privacy loss."""
        return PrivacyLoss(others={self._loss(neighbours): 1})

    def _loss(self, neighbours: Neighbours) -> DiscreteGaussianLoss:
        return DiscreteGaussianLoss(self.variance(), self.distance(neighbours))

    def scaled(self, *, square: Fraction, neighbours: Neighbours) -> str:
        """Say which σ has a square that is so many times the present one."""
        _, sigma = root_bounds(square * self.variance(), _ROOT_DIGITS)
        return sigma_would_do(sigma, self.variance(), self.unit, holds=square <= 1)

    def delta_at_epsilon(self, *, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Enclose δ(ε)."""
        return self._loss(neighbours).delta_at_epsilon(epsilon=epsilon, digits=digits)

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise | None:
        """Return a σ from which on every σ is private; the least one where that is soon found."""
        if delta in {0, 1}:
            return None
        distance = self.distance(neighbours)
        # The zCDP bound e^{−(ε−ρ)²/4ρ}, ρ = Δ²/2σ², is δ at GN.T1's σ; or Pinsker's δ(0) ≤ Δ/2σ.
        sigma = distance / (2 * delta)
        if epsilon:
            zcdp = enclosures.rho_sigma(
                epsilon=epsilon, delta=delta, sensitivity=distance, digits=9
            )
            sigma = min(sigma, rounding.bounds(zcdp)[1])
        if distance <= MOST_DISCRETE_SENSITIVITY and ordinary(epsilon, delta):
            try:
                least = enclosures.discrete_calibrate_sigma(
                    epsilon=epsilon, delta=delta, sensitivity=distance, digits=_DIGITS
                )
                sigma = rounding.bounds(least)[1]
            except ArithmeticError:
                pass
        shown = with_unit(round_decimal(sigma, _DIGITS, up=True), self.unit)
        return LeastNoise(f"every σ from {shown} on would do")

    def error_tail(self, *, error: Fraction, queries: int, digits: int) -> arb:
        """Enclose Pr[the largest of independent errors > error]."""
        most, variance = math.floor(error), self.variance()
        if (most + 1) ** 2 > 2 * _FAR * variance:
            return almost_zero()
        from dporacle.enclosures import discrete_gaussian

        if queries == 1:
            return discrete_gaussian.tail_of_variance(most, variance, digits)
        # 1 − (1 − tail)^k is concave in the tail and 0 at 0: no relative error of the tail grows.
        tail = discrete_gaussian.tail_of_variance(most, variance, digits + 4)
        return tighten(lambda: -(queries * (-tail).log1p()).expm1(), digits)

    def least_error(self, *, alpha: Fraction, queries: int) -> str:
        """Return the least integer that the largest error exceeds with probability ≤ α.

        It is larger where 30 digits do not tell a probability from α, as for an α next to 1.
        """

        def may_exceed(error: int) -> bool:
            found = self.error_tail(error=Fraction(error), queries=queries, digits=_ERROR_DIGITS)
            return rounding.side(found, alpha) >= 0  # what is not told apart is not promised

        # Pr[|Y| ≥ a] ≤ 2e^{−a²/2σ²}, as the noise is σ²-subgaussian; the rest is the union bound.
        with precision(_REACH_BITS):
            reach = (2 * ball(self.variance()) * (2 * queries / ball(alpha)).log()).sqrt()
            low, high = -1, math.ceil(rounding.bounds(reach)[1])
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if may_exceed(middle) else (low, middle)
        return str(high)

    def expected_loss(self, *, dimension: int, digits: int) -> arb:
        """Enclose dimension·E[Y²]."""
        from dporacle.enclosures import discrete_gaussian

        if 2 * _FAR * self.variance() < 1:
            each = almost_zero()
        else:
            each = discrete_gaussian.square_of_variance(self.variance(), digits + 2)
        with precision(bits_for(digits) + 64):
            return dimension * each

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say that the stand-alone program does not know this noise."""
        return "the checker has no sums of discrete Gaussians"
