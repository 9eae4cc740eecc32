"""What a claim is: a mechanism, and what somebody asserts about it.

Every number is the `fractions.Fraction` that was written. All that verdicts need of a Gaussian
mechanism is μ² = (Δ/σ)², which is rational for each way to state one: (Δ/σ)², 2ρ of ρ-zCDP, μ² of
μ-GDP, 2ε/α of RDP at order α; releases compose by adding it (X.COMP, X.GDP, X.RDP, X.ZCDP).
"""

from __future__ import annotations

from fractions import Fraction
from typing import Annotated, Final, Literal

import msgspec

from dporacle import arguments

__all__ = [
    "FORMAT",
    "FORMULAS",
    "Accuracy",
    "Claim",
    "ClaimFile",
    "Composition",
    "Formula",
    "Gaussian",
    "Gdp",
    "Loss",
    "Privacy",
    "Rdp",
    "Release",
    "Zcdp",
]

FORMAT: Final = "dporacle-claims/1"
"""The name and version of the format."""

FORMULAS: Final = {"classical": Fraction(5, 4), "dwork-2006": Fraction(2)}
"""Name of a calibration σ = Δ√(2 ln(c/δ))/ε -> its constant c."""

Text = Annotated[str, msgspec.Meta(max_length=2000)]
Id = Annotated[str, msgspec.Meta(min_length=1, max_length=200)]
Unit = Annotated[str, msgspec.Meta(max_length=100)]
Neighbours = Literal["add-remove", "replace-one"]


class _Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A record without unknown fields."""


class _Release(_Strict, frozen=True, kw_only=True, tag_field="kind"):
    """One release of f(x) + N(0, σ²I).

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
        if (self.sensitivity is None) == (self.sensitivity_squared is None):
            raise ValueError("sensitivity or sensitivity_squared must be given, and not both")
        for name in ("sensitivity", "sensitivity_squared"):
            if getattr(self, name) is not None:
                arguments.positive(name, getattr(self, name))

    def distance_squared(self) -> Fraction:
        """Return Δ²."""
        if self.sensitivity is not None:
            return self.sensitivity**2
        assert self.sensitivity_squared is not None
        return self.sensitivity_squared

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


class Composition(_Strict, frozen=True, kw_only=True, tag_field="kind", tag="composition"):
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


class Privacy(_Strict, frozen=True, kw_only=True, tag_field="kind", tag="privacy"):
    """The mechanism is (ε,δ)-DP under a neighbouring relation."""

    epsilon: Fraction
    delta: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        arguments.epsilon(self.epsilon)
        if not 0 <= self.delta <= 1:
            raise ValueError(f"delta must be from 0 to 1, got {arguments.show(self.delta)}")


class Accuracy(_Strict, frozen=True, kw_only=True, tag_field="kind", tag="accuracy"):
    """The error of a coordinate exceeds `at_most` with probability at most alpha."""

    at_most: Fraction
    alpha: Fraction
    unit: Unit = ""

    def __post_init__(self) -> None:
        arguments.nonnegative("at_most", self.at_most)
        arguments.alpha(self.alpha)


class Loss(_Strict, frozen=True, kw_only=True, tag_field="kind", tag="loss"):
    """The expected squared ℓ2 error of all coordinates, dimension·σ², is at most `at_most`.

    Its unit is the unit of sigma, squared; `unit` names the one of sigma.
    """

    at_most: Fraction
    dimension: Annotated[int, msgspec.Meta(ge=1, le=10**18)]
    unit: Unit = ""

    def __post_init__(self) -> None:
        arguments.nonnegative("at_most", self.at_most)


class Formula(_Strict, frozen=True, kw_only=True, tag_field="kind", tag="formula"):
    """The σ that a named formula gives at (ε,δ) is (ε,δ)-DP, whatever the sensitivity."""

    name: Literal["classical", "dwork-2006"]
    epsilon: Fraction
    delta: Fraction

    def __post_init__(self) -> None:
        arguments.positive("epsilon", self.epsilon)
        arguments.delta(self.delta)


Mechanism = Gaussian | Zcdp | Gdp | Rdp | Composition
Assertion = Privacy | Accuracy | Loss | Formula


class Claim(_Strict, frozen=True, kw_only=True):
    """One claim.

    Attributes:
        id: what the claim is called.
        asserts: what is said.
        mechanism: what it is said about; absent for a formula, which brings its own σ.
        source: where it is said.
    """

    id: Id
    asserts: Assertion
    mechanism: Mechanism | None = None
    source: Text = ""

    def __post_init__(self) -> None:
        said, about = self.asserts, self.mechanism
        if isinstance(said, Formula):
            if about is not None:
                raise ValueError("mechanism must be absent: the formula determines it")
            return
        if about is None:
            raise ValueError("mechanism is missing")
        if isinstance(said, Privacy):
            if about.neighbours == "replace-one" and said.neighbours == "add-remove":
                raise ValueError(
                    "mechanism must state its sensitivity for add-remove, as the asserted privacy "
                    "does: the one for replace-one says nothing about it"
                )
        elif isinstance(about, Composition):
            raise ValueError("mechanism must be a single release for accuracy and loss")
        elif said.unit != about.unit:
            raise ValueError(f"asserts has unit {said.unit!r}, mechanism has {about.unit!r}")


class ClaimFile(_Strict, frozen=True, kw_only=True):
    """A file of claims."""

    format: Literal["dporacle-claims/1"]
    claims: Annotated[tuple[Claim, ...], msgspec.Meta(min_length=1)]

    def __post_init__(self) -> None:
        seen: set[str] = set()
        for claim in self.claims:
            if claim.id in seen:
                raise ValueError(f"claims has the id {claim.id!r} twice")
            seen.add(claim.id)
