"""What claims ask of every mechanism; each mechanism is one file of this folder.

A mechanism says which neighbours it covers, encloses its δ at ε, its errors and its expected loss
as balls, names the least noise that would do, and, where its releases can be composed, gives its
privacy loss. What it does not answer it refuses when a claim is read. Numbers are the
`fractions.Fraction` that was written.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated, ClassVar, Literal

import msgspec
from flint import arb

from dporacle import arguments
from dporacle.claims.decided import Decided, decide_probability
from dporacle.claims.words import compare, scale
from dporacle.verdicts import Verdict

__all__ = ["LeastNoise", "Mechanism", "Neighbours", "Strict", "Unit", "VectorNoise"]

Unit = Annotated[str, msgspec.Meta(max_length=100)]
Neighbours = Literal["add-remove", "replace-one"]


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


@dataclass(frozen=True, slots=True)
class LeastNoise:
    """The noise from which on a claim of privacy would hold.

    Attributes:
        words: what would do.
        ratio: it, as a multiple of the present noise; None where that is not known.
        name: what that noise is called.
    """

    words: str
    ratio: Fraction | None = None
    name: str = "σ"


class Mechanism(Strict, frozen=True, kw_only=True, tag_field="kind"):
    """What a claim is about.

    A `factor` is what the stated sensitivity is multiplied with: 2 where a claim is about
    replacing a record and the sensitivity about adding one. Each enclosure may raise an
    `ArithmeticError`, if the number is out of its reach.
    """

    refuses: ClassVar[Mapping[str, str]] = {}
    """Kind of assertion that is no question about this mechanism -> why."""

    twice: ClassVar[str] = "with twice the sensitivity"

    def relation(self) -> Neighbours:
        """Return the relation that the sensitivity is for."""
        return self.neighbours  # type: ignore[attr-defined, no-any-return]

    def counted_in(self) -> str:
        """Return the unit of the noise."""
        return self.unit  # type: ignore[attr-defined, no-any-return]

    def coordinates(self) -> int | None:
        """Return how many coordinates the answer has, if the mechanism says so."""
        return None

    def factor(self, neighbours: Neighbours) -> int | None:
        """Return by what the sensitivity is to be multiplied for a relation; None: not known.

        Replacing a record is removing one and adding one: it changes an answer by at most twice as
        much. The other way nothing follows.
        """
        if neighbours == self.relation():
            return 1
        return 2 if neighbours == "replace-one" else None

    def delta_at_epsilon(self, *, epsilon: Fraction, factor: int, digits: int) -> arb:
        """Enclose δ(ε)."""
        raise NotImplementedError

    def decide_privacy(self, *, epsilon: Fraction, delta: Fraction, factor: int = 1) -> Decided:
        """Decide whether it is (ε,δ)-DP."""
        return decide_probability(
            lambda digits: self.delta_at_epsilon(epsilon=epsilon, factor=factor, digits=digits),
            "delta",
            delta,
            doubled=factor > 1,
        )

    def sharpened(self, decided: Decided, *, epsilon: Fraction) -> Decided:
        """Enclose the exact δ(ε) too, for the words, where a bound was enough for the verdict."""
        return decided

    def least_noise(self, *, epsilon: Fraction, delta: Fraction, factor: int) -> LeastNoise | None:
        """Return the least noise that is (ε,δ)-DP; None where it is not soon found."""
        raise NotImplementedError

    def describe_privacy(
        self, decided: Decided, *, epsilon: Fraction, delta: Fraction
    ) -> tuple[str, str]:
        """Return how far off a claim of (ε,δ)-DP is, and the noise that would do."""
        least = self.least_noise(epsilon=epsilon, delta=delta, factor=1 + decided.doubled)
        margin = compare("true δ", decided)
        if least is None:
            return self._with_factor(margin, decided), ""
        told = decided.verdict is not Verdict.UNDECIDED or decided.doubled
        if least.ratio is not None and told:
            margin = f"{margin}; {scale(least.ratio, least.name)}"
        return self._with_factor(margin, decided), least.words

    def _with_factor(self, margin: str, decided: Decided) -> str:
        return f"{self.twice} {margin}" if decided.doubled else margin

    def error_tail(self, *, error: Fraction, queries: int, digits: int) -> arb:
        """Enclose Pr[the largest error of so many coordinates > error]."""
        raise NotImplementedError

    def least_error(self, *, alpha: Fraction, queries: int) -> str:
        """Return an error that is exceeded with probability α at most, as a decimal."""
        raise NotImplementedError

    def noise_for_error(self, *, error: Fraction, alpha: Fraction, queries: int) -> str:
        """Say up to which noise an error is exceeded with probability α at most; may be empty."""
        return ""

    def rational_loss(self, *, dimension: int) -> Fraction | None:
        """Return the expected squared ℓ2 error of all coordinates, if it is a rational number."""
        return None

    def expected_loss(self, *, dimension: int, digits: int) -> arb:
        """Enclose the expected squared ℓ2 error of all coordinates."""
        raise NotImplementedError

    def noise_for_loss(self, *, loss: Fraction, dimension: int) -> str:
        """Say up to which noise the expected loss is at most a number; may be empty."""
        return ""

    def missing_elsewhere(self, *, quantity: str, proof: str) -> str:
        """Say what the stand-alone program lacks to check a verdict; empty if nothing."""
        return ""


class VectorNoise(Mechanism, frozen=True, kw_only=True):
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
