"""The claim that the noise which a formula gives is private."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Annotated, ClassVar, Final, Literal

import msgspec
from flint import arb

from dporacle import arguments, enclosures
from dporacle.claims import quantities
from dporacle.claims.assertions.assertion import Assertion
from dporacle.claims.decision import Decided, decide_probability
from dporacle.claims.mechanisms import Mechanism, Neighbours
from dporacle.claims.mechanisms.gaussian import least_unit
from dporacle.claims.mechanisms.mechanism import ATTAINED, VectorNoise
from dporacle.claims.wording import compare, round_decimal, scale
from dporacle.common import wing_files as wings
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, join, tighten
from dporacle.verdicts import Verdict
from dporacle.vocabulary import QUANTITIES, Quantity
from dporacle.vocabulary.formulas import FORMULAS as NAMED
from dporacle.vocabulary.witnesses import lacking

_DIGITS = 20
_SIGMA_DIGITS = 17  # so many tell every float64 from the next
_MORE_DIGITS = 20  # that μ of a formula has than δ

_ANY: Neighbours = "add-remove"  # the formula's Δ is for the relation of its privacy

Bounds = tuple[Fraction, Fraction]


if TYPE_CHECKING:  # mypy reads no computed Literal
    Name = str
else:
    Name = Literal[
        tuple(row.name for row in NAMED.values() if row.claimed and not lacking(row.statement))
    ]


class Formula(Assertion, frozen=True, kw_only=True, tag="formula"):
    """The noise that a named formula gives at (ε,δ) is (ε,δ)-DP, whatever the sensitivity.

    Attributes:
        constant: the c of `linear`, at least 1.
        dimension: the M of `r1smg`, at least 3.
    """

    needless: ClassVar[str] = "the formula determines it"

    name: Name
    epsilon: Fraction
    delta: Fraction
    constant: Fraction | None = None
    dimension: Annotated[int, msgspec.Meta(ge=3, le=arguments.MAX_DIMENSION)] | None = None

    def __post_init__(self) -> None:
        if self.name == "pinsker":  # this σ does not depend on ε, and is meant for ε = 0
            arguments.epsilon(self.epsilon)
        else:
            arguments.positive("epsilon", self.epsilon)
        arguments.delta(self.delta)
        for row in NAMED.values():
            if row.takes and (getattr(self, row.takes) is None) == (self.name == row.name):
                raise ValueError(f"{row.takes} must be given for {row.name}, and only for it")
        check_constant(self.constant)

    def subject(self) -> tuple[str, Fraction]:
        """Return δ."""
        return "delta", self.delta

    def decide(self, about: Mechanism | None) -> Decided:
        """Compare δ(ε) of the formula's noise with δ."""
        return FORMULAS[self.name].decide(self)

    def sharpened(self, about: Mechanism | None, decided: Decided) -> Decided:
        """Enclose the exact δ(ε) too, where a bound was enough for the verdict."""
        return FORMULAS[self.name].sharpened(self, decided)

    def describe(self, about: Mechanism | None, decided: Decided) -> tuple[str, str]:
        """Return how far off δ is, and the noise that would do."""
        return FORMULAS[self.name].describe(self, decided)

    def supposes(self, about: Mechanism | None) -> str:
        """Say which pair of neighbours is supposed to exist."""
        return ATTAINED

    def missing_elsewhere(self, about: Mechanism | None, decided: Decided) -> str:
        """Say what the stand-alone program lacks to check a verdict; empty if nothing."""
        return FORMULAS[self.name].missing_elsewhere(self, decided)


def check_constant(constant: Fraction | None) -> None:
    """Refuse a constant below 1."""
    if constant is not None and constant < 1:
        raise ValueError(f"constant must be at least 1, got {arguments.show(constant)}")


@dataclass(frozen=True, slots=True)
class _Calibration(ABC):
    """A calibration that somebody published."""

    @abstractmethod
    def decide(self, said: Formula) -> Decided: ...

    def sharpened(self, said: Formula, decided: Decided) -> Decided:
        return decided

    @abstractmethod
    def describe(self, said: Formula, decided: Decided) -> tuple[str, str]: ...

    @abstractmethod
    def missing_elsewhere(self, said: Formula, decided: Decided) -> str: ...


@dataclass(frozen=True, slots=True)
class _GaussianCalibration(_Calibration):
    """A σ of Gaussian noise.

    Attributes:
        mu_squared: returns rationals below and above (Δ/σ)², of a number of digits.
        missing: what the stand-alone program lacks to check its claims; empty if nothing.
    """

    mu_squared: Callable[[Formula, int], Bounds]
    missing: str = ""

    def decide(self, said: Formula) -> Decided:
        def enclose(digits: int) -> arb:
            low, high = self.mu_squared(said, 2 * digits + _MORE_DIGITS)
            at = (
                quantities.delta_of(epsilon=said.epsilon, mu_squared=mu_squared, digits=digits)
                for mu_squared in (low, high)
            )
            return join(next(at), next(at), digits)

        return decide_probability(enclose, "delta", said.delta)

    def describe(self, said: Formula, decided: Decided) -> tuple[str, str]:
        margin, unit = compare("true δ", decided), least_unit(said.epsilon, said.delta)
        _, mu_squared = self.mu_squared(said, _DIGITS)
        _, mu = quantities.root_bounds(mu_squared, _DIGITS)
        if decided.verdict is not Verdict.UNDECIDED:
            margin = f"{margin}; {scale(unit * mu, verdict=decided.verdict)}"
        return margin, f"σ = {round_decimal(unit, _SIGMA_DIGITS, up=True)}·Δ would do"

    def missing_elsewhere(self, said: Formula, decided: Decided) -> str:
        return self.missing


@dataclass(frozen=True, slots=True)
class _RankOneCalibration(_Calibration):
    """The σ* of the published theorem on rank-one noise."""

    def _noise(self, said: Formula) -> VectorNoise:
        assert said.dimension is not None
        noise = wings.module("papers", "rank_one_mechanism")  # without it there is no such name
        point = noise.PublishedPoint(epsilon=said.epsilon, delta=said.delta)
        one = Fraction(1)  # numbers are multiples of Δ, whatever that is
        found: VectorNoise = noise.RankOne(
            neighbours=_ANY, sensitivity=one, dimension=said.dimension, published=point, unit="·Δ"
        )
        return found

    def decide(self, said: Formula) -> Decided:
        return self._noise(said).decide_privacy(
            epsilon=said.epsilon, delta=said.delta, neighbours=_ANY
        )

    def sharpened(self, said: Formula, decided: Decided) -> Decided:
        return self._noise(said).sharpened(decided, epsilon=said.epsilon, neighbours=_ANY)

    def describe(self, said: Formula, decided: Decided) -> tuple[str, str]:
        return self._noise(said).describe_privacy(
            decided, epsilon=said.epsilon, delta=said.delta, neighbours=_ANY
        )

    def missing_elsewhere(self, said: Formula, decided: Decided) -> str:
        return self._noise(said).missing_elsewhere(quantity="delta", proof=decided.proof)


def _by_sigma(sigma: Callable[..., arb]) -> Callable[[Formula, int], Bounds]:
    def mu_squared(said: Formula, digits: int) -> Bounds:
        value = sigma(epsilon=said.epsilon, delta=said.delta, digits=digits)
        low, high = rounding.bounds(value)
        return 1 / high**2, 1 / low**2

    return mu_squared


def _pinsker(said: Formula, digits: int) -> Bounds:
    return 4 * said.delta**2, 4 * said.delta**2


def _linear(said: Formula, digits: int) -> Bounds:
    assert said.constant is not None
    # The classical formula in its own words, with δ·(5/4)/c in place of δ.
    delta = said.delta * Fraction(5, 4) / said.constant
    if delta < 1:
        low, high = rounding.bounds(
            enclosures.classical_sigma(epsilon=said.epsilon, delta=delta, digits=digits)
        )
        return 1 / high**2, 1 / low**2
    ratio = said.constant / said.delta
    low, high = rounding.bounds(tighten(lambda: 2 * ball(ratio).log(), digits))
    return said.epsilon**2 / high, said.epsilon**2 / low


def _enclosed(row: Quantity) -> Callable[..., arb]:
    return quantities.enclosed(lambda: row.of(enclosures))


_OWN: Final[dict[str, _Calibration]] = {
    "linear": _GaussianCalibration(_linear),
    "pinsker": _GaussianCalibration(_pinsker),
    "plrv-tail": _GaussianCalibration(
        _by_sigma(quantities.enclosed(lambda: enclosures.plrv_tail_sigma)),
        missing="the checker has no normal quantile",
    ),
    "r1smg": _RankOneCalibration(),
}

FORMULAS: Final[dict[str, _Calibration]] = {
    row.name: _OWN.get(row.name)
    or _GaussianCalibration(_by_sigma(_enclosed(QUANTITIES[row.quantity])))
    for row in NAMED.values()
    if row.claimed
}
"""Name of a calibration -> how a claim about it is decided."""
