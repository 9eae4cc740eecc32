"""The claim that a mechanism has a parameter of another notion of privacy: its total ρ, μ or ε."""

from __future__ import annotations

from fractions import Fraction
from typing import ClassVar

from flint import arb

from dporacle import arguments
from dporacle.claims.assertions.assertion import AboutMechanism
from dporacle.claims.assertions.privacy import check_relation
from dporacle.claims.decided import Decided, exactly
from dporacle.claims.mechanisms import Mechanism, Neighbours
from dporacle.claims.quantities import root_bounds
from dporacle.claims.words import compare, scale
from dporacle.enclosures.arithmetic.balls import ball, tighten
from dporacle.verdicts import Decision, Verdict

__all__ = ["HasGdp", "HasRdp", "HasZcdp"]

_DIGITS = 20


class _Parameter(AboutMechanism, frozen=True, kw_only=True):
    """What is said of a parameter that is a rational number, or whose square is."""

    called: ClassVar[str]

    def relation(self) -> Neighbours:
        """Return the relation of the promise."""
        return self.neighbours  # type: ignore[attr-defined, no-any-return]

    def true_value(self, about: Mechanism) -> Fraction | None:
        """Return the least true parameter, or its square; None where it is not known exactly."""
        raise NotImplementedError

    def bound(self) -> Fraction:
        """Return the asserted parameter, or its square."""
        return self.subject()[1]

    def shown(self, value: Fraction) -> arb:
        """Enclose the parameter itself, at the working precision."""
        return ball(value)

    def check_mechanism(self, about: Mechanism) -> None:
        """Refuse a mechanism whose parameter is not known exactly."""
        check_relation(self.relation(), about)
        if self.true_value(about) is None:
            raise ValueError(
                f"asserts must be another: out of scope: the exact {self.called} of "
                f"{about.__struct_config__.tag}; the nearest claim that can be decided is "
                f"{self.nearest(about)}"
            )

    def nearest(self, about: Mechanism) -> str:
        """Return the nearest claim that can be decided."""
        square = about.renyi(order=Fraction(2), neighbours=self.relation())
        return "`privacy` at one ε" if square is None else "`zcdp`, or `privacy` at one ε"

    def decide_about(self, about: Mechanism) -> Decided:
        """Compare the true parameter with the asserted one."""
        value = self._value(about)
        verdict = Verdict.HOLDS if value <= self.bound() else Verdict.VIOLATED
        decision = Decision(verdict, tighten(lambda: self.shown(value), _DIGITS), _DIGITS)
        return exactly(decision, *self.subject(), doubled=not about.knows(self.relation()))

    def _value(self, about: Mechanism) -> Fraction:
        value = self.true_value(about)
        assert value is not None
        return value

    def describe_about(self, about: Mechanism, decided: Decided) -> tuple[str, str]:
        """Return how far off the parameter is, and the noise that would do."""
        square = self._value(about) / self.bound()  # every one is inverse to σ, or to σ²
        _, ratio = root_bounds(square, _DIGITS)
        margin = compare(f"true {self.called}", decided)
        if square != 1:
            margin = f"{margin}; {scale(ratio)}"
        limit = about.scaled(square=square, neighbours=self.relation())
        return about.with_steps(margin, decided), limit

    def missing_elsewhere(self, about: Mechanism | None, decided: Decided) -> str:
        """Say that the stand-alone program has none of them."""
        return "it has no parameters of other notions; claim the privacy that follows"


class HasZcdp(_Parameter, frozen=True, kw_only=True, tag="zcdp"):
    """The mechanism is ρ-zCDP."""

    called: ClassVar[str] = "ρ"

    rho: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        arguments.positive("rho", self.rho)

    def subject(self) -> tuple[str, Fraction]:
        """Return ρ."""
        return "rho", self.rho

    def true_value(self, about: Mechanism) -> Fraction | None:
        """Return D_2/2: of all that is answered, D_α/α is largest there (X.ZCDP, X.DG)."""
        found = about.renyi(order=Fraction(2), neighbours=self.neighbours)
        return None if found is None else found / 2


class HasGdp(_Parameter, frozen=True, kw_only=True, tag="gdp"):
    """The mechanism is μ-GDP."""

    called: ClassVar[str] = "μ"

    mu: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        arguments.positive("mu", self.mu)

    def subject(self) -> tuple[str, Fraction]:
        """Return μ."""
        return "mu", self.mu

    def true_value(self, about: Mechanism) -> Fraction | None:
        """Return μ²."""
        return about.mu_squared(self.neighbours)

    def bound(self) -> Fraction:
        """Return the asserted μ²."""
        return self.mu**2

    def shown(self, value: Fraction) -> arb:
        """Enclose μ."""
        return ball(value).sqrt()


class HasRdp(_Parameter, frozen=True, kw_only=True, tag="rdp"):
    """The mechanism's Rényi divergence of an order is at most epsilon."""

    called: ClassVar[str] = "Rényi divergence"

    order: Fraction
    epsilon: Fraction
    neighbours: Neighbours

    def __post_init__(self) -> None:
        arguments.positive("epsilon", self.epsilon)
        if self.order <= 1:
            raise ValueError(f"order must be above 1, got {arguments.show(self.order)}")

    def subject(self) -> tuple[str, Fraction]:
        """Return ε."""
        return "divergence", self.epsilon

    def true_value(self, about: Mechanism) -> Fraction | None:
        """Return the divergence."""
        return about.renyi(order=self.order, neighbours=self.neighbours)
