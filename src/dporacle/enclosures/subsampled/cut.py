"""The smooth line between the steps that lose much and those that lose little, in balls."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from flint import acb, arb


@dataclass(frozen=True)
class Cut:
    """χ₁(t) = Φ(steepness·(t − place)), the weight of a large step, and χ₀ = 1 − χ₁.

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
        return self._tail(t - self.place)

    def large(self, t: acb) -> acb:
        """Return χ₁(t)."""
        return self._tail(self.place - t)

    def most_small(self, t: arb) -> arb:
        """Enclose χ₀(t) at a real t, in half the time."""
        return (self.steepness * (t - self.place) / arb(2).sqrt()).erfc() / 2

    def most_large(self, t: arb) -> arb:
        """Enclose χ₁(t) in the same way."""
        return (self.steepness * (self.place - t) / arb(2).sqrt()).erfc() / 2

    def growth(self, height: arb) -> arb:
        """Bound |χ(t + iy)|/χ(t) for |y| ≤ height, of either χ, at every real t."""
        return ((self.steepness * height) ** 2 / 2).exp()

    def _tail(self, x: acb) -> acb:
        return (self.steepness * x / arb(2).sqrt()).erfc() / 2


Most = Callable[["arb | None", "arb | None"], arb]


class Weight(Protocol):
    """A weight of t: real and not negative on the line, bounded in strips around it."""

    def at(self, t: acb) -> acb:
        """Return it at one t."""

    def most(self, height: arb) -> Most:
        """Return (low, high) -> a bound of it for low ≤ Re t ≤ high and |Im t| ≤ height.

        None is for no end.
        """


@dataclass(frozen=True)
class Small:
    """χ₀ of a cut."""

    cut: Cut

    def at(self, t: acb) -> acb:
        """Return χ₀(t)."""
        return self.cut.small(t)

    def most(self, height: arb) -> Most:
        """Bound |χ₀|, by its growth, or by |χ₀| ≤ 1 + |χ₁| with that of the other."""
        own, other = self.cut.most_small, self.cut.most_large
        growth = self.cut.growth(height)

        def bound(low: arb | None, high: arb | None) -> arb:
            return _most(own, low, other, high, growth)

        return bound


@dataclass(frozen=True)
class Large:
    """χ₁ of a cut."""

    cut: Cut

    def at(self, t: acb) -> acb:
        """Return χ₁(t)."""
        return self.cut.large(t)

    def most(self, height: arb) -> Most:
        """Bound |χ₁| in the same way."""
        own, other = self.cut.most_large, self.cut.most_small
        growth = self.cut.growth(height)

        def bound(low: arb | None, high: arb | None) -> arb:
            return _most(own, high, other, low, growth)

        return bound


def _most(
    own: Callable[[arb], arb],
    at: arb | None,
    other: Callable[[arb], arb],
    there: arb | None,
    growth: arb,
) -> arb:
    if at is None:
        return 1 + growth * (arb(1) if there is None else other(there))
    most = growth * own(at)
    if there is None or most <= 1:
        return most
    return most.min(1 + growth * other(there))
