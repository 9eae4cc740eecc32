"""What a claim is about: a mechanism, with the sensitivity of what it releases.

Every number is the `fractions.Fraction` that was written. All that verdicts need of a Gaussian
mechanism is μ² = (Δ/σ)², which is rational for each way to state one: (Δ/σ)², 2ρ of ρ-zCDP, μ² of
μ-GDP, 2ε/α of RDP at order α; releases compose by adding it (X.COMP, X.GDP, X.RDP, X.ZCDP).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Literal

import msgspec

from dporacle import arguments

__all__ = [
    "Composition",
    "DiscreteGaussian",
    "Gaussian",
    "Gdp",
    "Mechanism",
    "Neighbours",
    "PublishedPoint",
    "RankOne",
    "Rdp",
    "Release",
    "Strict",
    "Unit",
    "Zcdp",
]

Unit = Annotated[str, msgspec.Meta(max_length=100)]
Neighbours = Literal["add-remove", "replace-one"]

_MOST_DISCRETE_VARIANCE = 10**30


class Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A record without unknown fields."""

    def _one_of(self, *names: str) -> None:
        """Require that one of these positive numbers is given, and only one."""
        given = [name for name in names if getattr(self, name) is not None]
        if len(given) != 1:
            raise ValueError(f"{' or '.join(names)} must be given, and only one of them")
        for name in given:
            if isinstance(getattr(self, name), Fraction):
                arguments.positive(name, getattr(self, name))


class _Noise(Strict, frozen=True, kw_only=True, tag_field="kind"):
    """Noise that is added to an answer f(x) in R^k.

    Attributes:
        neighbours: the relation that the sensitivity is for: one record is added or removed, or
            one is replaced.
        sensitivity: the ℓ2-sensitivity Δ of f, reached or approached by some pair of neighbours.
        sensitivity_squared: Δ² instead, for a Δ such as √2.
        unit: what σ and Δ are counted in.
    """

    neighbours: Neighbours
    sensitivity: Fraction | None = None
    sensitivity_squared: Fraction | None = None
    unit: Unit = ""

    def __post_init__(self) -> None:
        self._one_of("sensitivity", "sensitivity_squared")

    def distance_squared(self) -> Fraction:
        """Return Δ²."""
        if self.sensitivity is not None:
            return self.sensitivity**2
        assert self.sensitivity_squared is not None
        return self.sensitivity_squared


class _Release(_Noise, frozen=True, kw_only=True):
    """One release of f(x) + N(0, σ²I)."""

    def mu_squared(self) -> Fraction:
        """Return (Δ/σ)²."""
        raise NotImplementedError

    def variance(self) -> Fraction:
        """Return σ²."""
        return self.distance_squared() / self.mu_squared()


class Gaussian(_Release, frozen=True, kw_only=True, tag="gaussian"):
    """A release with noise of standard deviation sigma per coordinate."""

    sigma: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.positive("sigma", self.sigma)

    def mu_squared(self) -> Fraction:
        """Return (Δ/σ)²."""
        return self.distance_squared() / self.sigma**2


class Zcdp(_Release, frozen=True, kw_only=True, tag="zcdp"):
    """A release whose noise is exactly that of ρ-zCDP: σ = Δ/√(2ρ)."""

    rho: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.positive("rho", self.rho)

    def mu_squared(self) -> Fraction:
        """Return 2ρ."""
        return 2 * self.rho


class Gdp(_Release, frozen=True, kw_only=True, tag="gdp"):
    """A release whose noise is exactly that of μ-GDP: σ = Δ/μ."""

    mu: Fraction

    def __post_init__(self) -> None:
        super().__post_init__()
        arguments.positive("mu", self.mu)

    def mu_squared(self) -> Fraction:
        """Return μ²."""
        return self.mu**2


class Rdp(_Release, frozen=True, kw_only=True, tag="rdp"):
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


Release = Gaussian | Zcdp | Gdp | Rdp


class Composition(Strict, frozen=True, kw_only=True, tag_field="kind", tag="composition"):
    """Several releases about the same records, with independent noise; later ones may adapt.

    Attributes:
        releases: the releases, all with sensitivities for the same relation.
        times: how often the whole list is released.
    """

    releases: Annotated[tuple[Release, ...], msgspec.Meta(min_length=1, max_length=100)]
    times: Annotated[int, msgspec.Meta(ge=1, le=10**9)] = 1

    def __post_init__(self) -> None:
        if len({release.neighbours for release in self.releases}) > 1:
            raise ValueError("releases must have sensitivities for one and the same relation")

    @property
    def neighbours(self) -> Neighbours:
        """The relation that the sensitivities are for."""
        return self.releases[0].neighbours

    def mu_squared(self) -> Fraction:
        """Return the μ² of all releases together."""
        return self.times * sum((r.mu_squared() for r in self.releases), Fraction(0))


class DiscreteGaussian(
    Strict, frozen=True, kw_only=True, tag_field="kind", tag="discrete-gaussian"
):
    """An integer answer with noise Pr[Y = x] ∝ e^{−x²/2σ²} (X.DG).

    Attributes:
        neighbours: the relation that the sensitivity is for.
        sensitivity: the answer's sensitivity Δ, an integer that some pair of neighbours reaches.
        sigma: the parameter σ, up to 10¹⁵; not the standard deviation, which is a little smaller.
        sigma_squared: σ² instead.
        rho: Δ²/(2σ²) instead, the parameter of zCDP that this noise has.
        unit: what σ and Δ are counted in.
    """

    neighbours: Neighbours
    sensitivity: Annotated[int, msgspec.Meta(ge=1, le=10**6)]
    sigma: Fraction | None = None
    sigma_squared: Fraction | None = None
    rho: Fraction | None = None
    unit: Unit = ""

    def __post_init__(self) -> None:
        self._one_of("sigma", "sigma_squared", "rho")
        if self.variance() > _MOST_DISCRETE_VARIANCE:
            raise ValueError("sigma must be at most 10^15")

    def variance(self) -> Fraction:
        """Return the parameter σ²."""
        if self.sigma is not None:
            return self.sigma**2
        if self.sigma_squared is not None:
            return self.sigma_squared
        assert self.rho is not None
        return self.sensitivity**2 / (2 * self.rho)


class PublishedPoint(Strict, frozen=True, kw_only=True):
    """The (ε,δ) at which the published theorem's σ* is taken."""

    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        arguments.positive("epsilon", self.epsilon)
        arguments.delta(self.delta)


class RankOne(_Noise, frozen=True, kw_only=True, tag="rank-one"):
    """Noise u·√σ*·z on R^M, u uniform on the unit sphere, z standard normal (R1SMG, JL24.T1).

    Attributes:
        dimension: M.
        sigma_star: σ*, a variance, in the square of `unit`.
        published: instead, where the published theorem's σ* = 2Δ²/(εψ) is taken.
    """

    dimension: Annotated[int, msgspec.Meta(ge=2, le=arguments.MAX_DIMENSION)]
    sigma_star: Fraction | None = None
    published: PublishedPoint | None = None

    def __post_init__(self) -> None:
        super().__post_init__()
        self._one_of("sigma_star", "published")
        if self.published is not None and self.dimension < 3:
            raise ValueError("dimension must be at least 3 for the published sigma_star")


Mechanism = Gaussian | Zcdp | Gdp | Rdp | Composition | DiscreteGaussian | RankOne
