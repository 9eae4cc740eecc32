"""One release with Gaussian noise, its size stated by σ or by a parameter of privacy.

All that verdicts need of it is μ² = (Δ/σ)², which is rational for each way to state it: (Δ/σ)², 2ρ
of ρ-zCDP, μ² of μ-GDP, 2ε/α of RDP at order α.
"""

from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache
from typing import ClassVar, Self

import msgspec
from flint import arb
from msgspec import UNSET, UnsetType

from dporacle import arguments, enclosures
from dporacle.claims import quantities
from dporacle.claims.losses import PrivacyLoss
from dporacle.claims.mechanisms.contribution import NoisyStatistics
from dporacle.claims.mechanisms.mechanism import LeastNoise, VectorNoise
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.claims.wording import round_decimal, sigma_would_do, with_unit
from dporacle.enclosures.arithmetic import rounding
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis

_DIGITS = 20
_SIGMA_DIGITS = 17  # of a σ that is shown
_SHORT_DIGITS = 6
_KEPT = 1 << 12  # points of a file of claims tend to be the same few


class Release(VectorNoise, frozen=True, kw_only=True):
    """One release of f(x) + N(0, σ²I)."""

    def __post_init__(self) -> None:
        if self.computed() is None:
            super().__post_init__()
            return
        for name in ("sensitivity", "sensitivity_squared", "contribution"):
            if getattr(self, name) not in (None, UNSET):
                raise ValueError(f"{name} must be absent where a statistic is given")

    def variance(self) -> Fraction:
        """Return σ²."""
        raise NotImplementedError

    def mu_squared(self, neighbours: Neighbours | None = None) -> Fraction:
        """Return (Δ/σ)²; releases compose by adding it (X.COMP, X.GDP, X.RDP, X.ZCDP)."""
        return self.distance_squared(neighbours) / self.variance()

    def privacy_loss(self, neighbours: Neighbours) -> PrivacyLoss:
        """Return its privacy loss."""
        return PrivacyLoss(self.mu_squared(neighbours))

    def delta_at_epsilon(self, *, epsilon: Fraction, neighbours: Neighbours, digits: int) -> arb:
        """Enclose δ(ε)."""
        square = self.mu_squared(neighbours)
        return quantities.delta_of(epsilon=epsilon, mu_squared=square, digits=digits)

    def least_noise(
        self, *, epsilon: Fraction, delta: Fraction, neighbours: Neighbours
    ) -> LeastNoise:
        """Return the least σ that is (ε,δ)-DP."""
        unit = least_unit(epsilon, delta)
        _, mu = quantities.root_bounds(self.mu_squared(neighbours), _DIGITS)
        _, distance = quantities.root_bounds(self.distance_squared(neighbours), _DIGITS)
        told, held = (self._would_do(unit * distance, holds=holds) for holds in (False, True))
        return LeastNoise(told, unit * mu, held=held)

    def _would_do(self, sigma: Fraction, *, holds: bool) -> str:
        return sigma_would_do(sigma, self.variance(), self.noise_unit(), holds=holds)

    def noise_unit(self) -> str:
        """Return what σ is counted in, if anything."""
        return self.unit

    def scaled(self, *, square: Fraction, neighbours: Neighbours) -> str:
        """Say which σ has a square that is so many times the present one."""
        _, sigma = quantities.root_bounds(square * self.variance(), _DIGITS)
        return self._would_do(sigma, holds=square <= 1)

    def error_tail(self, *, error: Fraction, queries: int, digits: int) -> arb:
        """Enclose Pr[the largest error of so many coordinates > error]."""
        return quantities.alpha_of(
            accuracy=error, variance=self.variance(), queries=queries, digits=digits
        )

    def least_error(self, *, alpha: Fraction, queries: int) -> str:
        """Return an error that is exceeded with probability α at most, as a decimal."""
        _, sigma = quantities.root_bounds(self.variance(), _DIGITS)
        return round_decimal(_quantile(alpha, queries) * sigma, _SHORT_DIGITS, up=True)

    def noise_for_error(self, *, error: Fraction, alpha: Fraction, queries: int) -> str:
        """Say up to which σ an error is exceeded with probability α at most."""
        if error == 0:
            return ""
        most = round_decimal(error / _quantile(alpha, queries), _SIGMA_DIGITS, up=False)
        return f"σ up to {with_unit(most, self.noise_unit())} would do"

    def rational_loss(self, *, dimension: int) -> Fraction:
        """Return dimension·σ²."""
        return dimension * self.variance()

    def noise_for_loss(self, *, loss: Fraction, dimension: int) -> str:
        """Say up to which σ the expected loss is at most a number."""
        if loss == 0:
            return ""
        most, _ = quantities.root_bounds(loss / dimension, _DIGITS)
        shown = round_decimal(most, _SIGMA_DIGITS, up=False)
        if Fraction(shown) ** 2 < self.variance() <= loss / dimension:  # it holds at the present σ
            least, most = quantities.root_bounds(self.variance(), _DIGITS)
            if least != most:
                return "no σ above the one that it has would do"
            shown = arguments.decimal(least)
        return f"σ up to {with_unit(shown, self.noise_unit())} would do"


class Noised(Release, frozen=True, kw_only=True):
    """A release whose noise is stated by itself.

    Attributes:
        sigma: σ, the standard deviation of the noise per coordinate.
        noise_multiplier: σ/Δ instead, Δ being the stated sensitivity, or that of the contributions
            for add-remove, such as the clipping norm; without any, σ and errors count in Δ.
    """

    sigma: Fraction | UnsetType = UNSET
    noise_multiplier: Fraction | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        self._one_of("sigma", "noise_multiplier")
        name = "contribution" if self.contribution is not UNSET else "statistic"
        if self.neighbours is not UNSET and (
            self.contribution is not UNSET or self.computed() is not None
        ):
            raise ValueError(f"neighbours must be absent: the {name} is for every relation")
        if self.computed() is not None and self.noise_multiplier is not UNSET:
            raise ValueError(
                "noise_multiplier must be absent where a statistic is given: its sensitivity "
                "depends on the relation; state sigma"
            )

    def _needs_sensitivity(self) -> bool:
        return self.noise_multiplier is UNSET or self._is_stated()

    def stated(self) -> Self:
        """Return itself with every number that a default stands for: counted in Δ, Δ is 1."""
        return self if self._is_stated() else msgspec.structs.replace(self, sensitivity=Fraction(1))

    def noise_unit(self) -> str:
        """Return what σ is counted in, if anything: Δ where nobody says how much one is."""
        return self.unit if self._is_stated() else "Δ"

    def of_errors(self) -> tuple[Hypothesis, ...]:
        """Return that they are counted in sensitivities, if nobody says how much one is."""
        return () if self._is_stated() else (hypothesis("errors-in-sensitivities"),)

    def _is_stated(self) -> bool:
        if self.contribution is not UNSET or self.computed() is not None:
            return True
        if self.sensitivity is not None:
            return True
        return self.sensitivity_squared is not None

    def one_step(self, neighbours: Neighbours | None = None) -> Fraction:
        """Return Δ² of one sum for a relation, or a bound of it; for the stated one, if None."""
        if self._is_stated():
            return super().distance_squared(neighbours)
        return Fraction(self.steps(neighbours or self.relation()) ** 2)

    def distance_squared(self, neighbours: Neighbours | None = None) -> Fraction:
        """Return Δ² for a relation, or a bound of it; for the stated one, if None."""
        return self.one_step(neighbours)

    def variance(self) -> Fraction:
        """Return σ²."""
        if isinstance(self.sigma, Fraction):
            return self.sigma**2
        assert isinstance(self.noise_multiplier, Fraction)
        return self.noise_multiplier**2 * self.one_step()


class GaussianMechanism(Noised, frozen=True, kw_only=True, tag="gaussian"):
    """A release with noise of standard deviation sigma per coordinate.

    Attributes:
        statistic: what is released, instead of its sensitivity, for every relation that it has.
    """

    noun: ClassVar[str] = "Gaussian noise"
    example: ClassVar[Mapping[str, object]] = {
        "sigma": 1,
        "sensitivity": 1,
        "neighbours": "add-remove",
    }

    statistic: NoisyStatistics | UnsetType = UNSET


class _Stated(Release, frozen=True, kw_only=True):
    """A release whose noise is exactly that of a parameter of privacy under `neighbours`.

    A conversion is about every mechanism with such a parameter; this is Gaussian noise.

    Attributes:
        statistic: what is released, instead of its sensitivity, for every relation that it has.
    """

    statistic: NoisyStatistics | UnsetType = UNSET

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.neighbours is UNSET:
            raise ValueError(
                "neighbours must be given, the relation of the parameter: add-remove, replace-one "
                "or zero-out"
            )
        statistic = self.computed()
        if statistic is not None and (why := statistic.refusal(self.neighbours)):
            raise ValueError(why)

    def stated_mu_squared(self) -> Fraction:
        """Return (Δ/σ)² under the stated relation."""
        raise NotImplementedError

    def variance(self) -> Fraction:
        """Return σ²."""
        return self.distance_squared() / self.stated_mu_squared()


class Zcdp(_Stated, frozen=True, kw_only=True, tag="zcdp"):
    """A release whose noise is exactly that of ρ-zCDP: σ = Δ/√(2ρ)."""

    noun: ClassVar[str] = "Gaussian noise of exactly the given zCDP"
    example: ClassVar[Mapping[str, object]] = {
        "rho": 1,
        "sensitivity": 1,
        "neighbours": "add-remove",
    }
    meaning: ClassVar[str] = "Gaussian noise of exactly this ρ"

    rho: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.positive("rho", self.rho)

    def stated_mu_squared(self) -> Fraction:
        """Return 2ρ."""
        return 2 * self.rho


class Gdp(_Stated, frozen=True, kw_only=True, tag="gdp"):
    """A release whose noise is exactly that of μ-GDP: σ = Δ/μ."""

    noun: ClassVar[str] = "Gaussian noise of exactly the given GDP"
    example: ClassVar[Mapping[str, object]] = {
        "mu": 1,
        "sensitivity": 1,
        "neighbours": "add-remove",
    }
    meaning: ClassVar[str] = "Gaussian noise of exactly this μ"

    mu: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.positive("mu", self.mu)

    def stated_mu_squared(self) -> Fraction:
        """Return μ²."""
        return self.mu**2


class Rdp(_Stated, frozen=True, kw_only=True, tag="rdp"):
    """A release whose noise is exactly that of Rényi DP ε at an order: σ² = order·Δ²/(2ε)."""

    noun: ClassVar[str] = "Gaussian noise of exactly the given Rényi divergence"
    example: ClassVar[Mapping[str, object]] = {
        "order": 2,
        "epsilon": 1,
        "sensitivity": 1,
        "neighbours": "add-remove",
    }
    meaning: ClassVar[str] = "Gaussian noise of exactly this Rényi divergence"

    order: Fraction
    epsilon: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.positive("epsilon", self.epsilon)
        if self.order <= 1:
            raise ValueError(f"order must be above 1, got {arguments.show(self.order)}")

    def stated_mu_squared(self) -> Fraction:
        """Return 2ε/α."""
        return 2 * self.epsilon / self.order


@lru_cache(maxsize=_KEPT)
def least_unit(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the least σ for sensitivity 1, rounded up."""
    sigma = enclosures.calibrate_sigma(epsilon=epsilon, delta=delta, digits=_DIGITS)
    return rounding.bounds(sigma)[1]


@lru_cache(maxsize=_KEPT)
def _quantile(alpha: Fraction, queries: int) -> Fraction:
    """Return the largest error of σ = 1 that is exceeded with probability α, rounded up."""
    if queries == 1:
        return rounding.bounds(enclosures.accuracy(alpha=alpha, sigma=1, digits=_DIGITS))[1]
    quantile = enclosures.max_error_quantile(queries=queries, beta=alpha, sigma=1, digits=_DIGITS)
    return rounding.bounds(quantile)[1]
