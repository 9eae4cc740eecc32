"""The smooth line between the steps that lose much and those that lose little, in balls."""

from __future__ import annotations

from collections.abc import Callable
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

    def most_small(self, low: arb | None, high: arb | None, height: arb) -> arb:
        """Bound |χ₀(t + iy)| for low ≤ t ≤ high, None for no end, and |y| ≤ height.

        By its growth, or by |χ₀| ≤ 1 + |χ₁| with that of the other.
        """
        return self._most(self.small, low, self.large, high, height)

    def most_large(self, low: arb | None, high: arb | None, height: arb) -> arb:
        """Bound |χ₁(t + iy)| in the same way."""
        return self._most(self.large, high, self.small, low, height)

    def _most(
        self,
        own: Callable[[acb], acb],
        at: arb | None,
        other: Callable[[acb], acb],
        there: arb | None,
        height: arb,
    ) -> arb:
        growth = self.growth(height)
        if at is None:
            assert there is not None
            return 1 + growth * other(acb(there)).real
        most = growth * own(acb(at)).real
        if there is None:
            return most
        return most.min(1 + growth * other(acb(there)).real)

    def _scaled(self, t: acb) -> acb:
        return self.steepness * (t - self.place)
