"""The smooth line between the steps that lose much and those that lose little, in balls."""

from __future__ import annotations

from dataclasses import dataclass

from flint import acb, arb

__all__ = ["Cut"]


@dataclass(frozen=True)
class Cut:
    """χ₁(t) = Φ(steepness·(t − place)), the weight of a large step.

    Attributes:
        place: where χ₁ is one half, in units of t.
        steepness: not negative.
        edge: not below the place; t beyond it counts as large where the rest is bounded.
    """

    place: float
    steepness: float
    edge: float

    def small(self, t: acb) -> acb:
        """Return χ₀(t)."""
        return (self._scaled(t) / arb(2).sqrt()).erfc() / 2

    def large(self, t: acb) -> acb:
        """Return χ₁(t)."""
        return (-self._scaled(t) / arb(2).sqrt()).erfc() / 2

    def growth(self, height: arb) -> arb:
        """Bound |χ(t + iy)|/χ(t) for |y| ≤ height, of either χ, at every real t."""
        return ((self.steepness * height) ** 2 / 2).exp()

    def _scaled(self, t: acb) -> acb:
        return self.steepness * (t - self.place)
