"""One release with Gaussian noise, its size stated by σ or by a parameter of privacy.

All that verdicts need of it is μ² = (Δ/σ)², which is rational for each way to state it: (Δ/σ)², 2ρ
of ρ-zCDP, μ² of μ-GDP, 2ε/α of RDP at order α.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle import arguments, enclosures
from dporacle.claims import quantities
from dporacle.claims.decided import Decided
from dporacle.claims.mechanisms.model import LeastNoise, VectorNoise
from dporacle.claims.words import compare, round_decimal, with_unit
from dporacle.enclosures.arithmetic import rounding

__all__ = ["Gaussian", "Gdp", "Rdp", "Release", "Zcdp", "describe_trivial", "least_unit"]

_DIGITS = 20
_SIGMA_DIGITS = 17  # of a σ that is shown
_SHORT_DIGITS = 6


class Release(VectorNoise, frozen=True, kw_only=True):
    """One release of f(x) + N(0, σ²I)."""

    def mu_squared(self) -> Fraction:
        """Return (Δ/σ)²; releases compose by adding it (X.COMP, X.GDP, X.RDP, X.ZCDP)."""
        raise NotImplementedError

    def count(self) -> int:
        """Return the number of releases."""
        return 1

    def variance(self) -> Fraction:
        """Return σ²."""
        return self.distance_squared() / self.mu_squared()

    def delta_at_epsilon(self, *, epsilon: Fraction, factor: int, digits: int) -> arb:
        """Enclose δ(ε)."""
        square = self.mu_squared() * factor**2
        return quantities.delta_of(epsilon=epsilon, mu_squared=square, digits=digits)

    def least_noise(self, *, epsilon: Fraction, delta: Fraction, factor: int) -> LeastNoise:
        """Return the least σ that is (ε,δ)-DP."""
        unit = least_unit(epsilon, delta)
        _, mu = quantities.root_bounds(self.mu_squared() * factor**2, _DIGITS)
        _, distance = quantities.root_bounds(self.distance_squared() * factor**2, _DIGITS)
        sigma = with_unit(round_decimal(unit * distance, _SIGMA_DIGITS, up=True), self.unit)
        return LeastNoise(f"σ = {sigma} would do", unit * mu)

    def describe_privacy(
        self, decided: Decided, *, epsilon: Fraction, delta: Fraction
    ) -> tuple[str, str]:
        """Return how far off a claim of (ε,δ)-DP is, and the noise that would do."""
        return describe_trivial(decided, delta) or super().describe_privacy(
            decided, epsilon=epsilon, delta=delta
        )

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
        return f"σ up to {with_unit(most, self.unit)} would do"

    def rational_loss(self, *, dimension: int) -> Fraction:
        """Return dimension·σ²."""
        return dimension * self.variance()

    def noise_for_loss(self, *, loss: Fraction, dimension: int) -> str:
        """Say up to which σ the expected loss is at most a number."""
        if loss == 0:
            return ""
        most, _ = quantities.root_bounds(loss / dimension, _DIGITS)
        shown = with_unit(round_decimal(most, _SIGMA_DIGITS, up=False), self.unit)
        return f"σ up to {shown} would do"


class Gaussian(Release, frozen=True, kw_only=True, tag="gaussian"):
    """A release with noise of standard deviation sigma per coordinate."""

    sigma: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.positive("sigma", self.sigma)

    def mu_squared(self) -> Fraction:
        """Return (Δ/σ)²."""
        return self.distance_squared() / self.sigma**2


class Zcdp(Release, frozen=True, kw_only=True, tag="zcdp"):
    """A release whose noise is exactly that of ρ-zCDP: σ = Δ/√(2ρ)."""

    rho: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.positive("rho", self.rho)

    def mu_squared(self) -> Fraction:
        """Return 2ρ."""
        return 2 * self.rho


class Gdp(Release, frozen=True, kw_only=True, tag="gdp"):
    """A release whose noise is exactly that of μ-GDP: σ = Δ/μ."""

    mu: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.positive("mu", self.mu)

    def mu_squared(self) -> Fraction:
        """Return μ²."""
        return self.mu**2


class Rdp(Release, frozen=True, kw_only=True, tag="rdp"):
    """A release whose noise is exactly that of Rényi DP ε at an order: σ² = order·Δ²/(2ε)."""

    order: Fraction
    epsilon: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.positive("epsilon", self.epsilon)
        if self.order <= 1:
            raise ValueError(f"order must be above 1, got {arguments.show(self.order)}")

    def mu_squared(self) -> Fraction:
        """Return 2ε/α."""
        return 2 * self.epsilon / self.order


def least_unit(epsilon: Fraction, delta: Fraction) -> Fraction:
    """Return the least σ for sensitivity 1, rounded up."""
    sigma = enclosures.calibrate_sigma(epsilon=epsilon, delta=delta, digits=_DIGITS)
    return rounding.bounds(sigma)[1]


def describe_trivial(decided: Decided, delta: Fraction) -> tuple[str, str] | None:
    """Describe a claim that Gaussian noise is (ε,δ)-DP for δ = 0 or 1; None for others."""
    if delta == 0:
        return f"{compare('true δ', decided)} for Gaussian noise", ""
    if delta == 1:
        return f"{compare('true δ', decided)}; with δ = 1 every σ would do", ""
    return None


def _quantile(alpha: Fraction, queries: int) -> Fraction:
    """Return the largest error of σ = 1 that is exceeded with probability α, rounded up."""
    if queries == 1:
        return rounding.bounds(enclosures.accuracy(alpha=alpha, sigma=1, digits=_DIGITS))[1]
    quantile = enclosures.max_error_quantile(queries=queries, beta=alpha, sigma=1, digits=_DIGITS)
    return rounding.bounds(quantile)[1]
