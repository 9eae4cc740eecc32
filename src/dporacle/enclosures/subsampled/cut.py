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
        even: whether χ₁ is that at t and that at −t together, so that |t| counts; then the place
            is not negative.
    """

    place: float
    steepness: float
    edge: float
    even: bool = False

    def small(self, t: acb) -> acb:
        """Return χ₀(t)."""
        found = self._tail(t - self.place)
        return found - self._tail(t + self.place) if self.even else found

    def large(self, t: acb) -> acb:
        """Return χ₁(t)."""
        found = self._tail(self.place - t)
        return found + self._tail(t + self.place) if self.even else found

    def most_small(self, t: arb) -> arb:
        """Bound χ₀(t), t not negative where the weight is even, in half the time."""
        return (self.steepness * (t - self.place) / arb(2).sqrt()).erfc() / 2

    def most_large(self, t: arb) -> arb:
        """Bound χ₁(t), in the same way."""
        found = (self.steepness * (self.place - t) / arb(2).sqrt()).erfc() / 2
        if self.even:  # Φ(−x) ≤ e^{−x²/2}/2
            found += (-((self.steepness * (t + self.place)) ** 2) / 2).exp() / 2
        return found

    def growth(self, height: arb) -> arb:
        """Bound |χ(t + iy)|/χ(t) for |y| ≤ height, of either χ, at every real t."""
        return ((self.steepness * height) ** 2 / 2).exp()

    def ends(self, low: arb | None, high: arb | None) -> tuple[arb | None, arb | None]:
        """Return where χ₁ is least and most for low ≤ t ≤ high; None for no end."""
        if not self.even:
            return low, high
        if low is not None and low > 0:
            return low, high
        if high is not None and high < 0:
            return -high, None if low is None else -low
        return arb(0), None if low is None or high is None else abs(low).max(abs(high))

    def _tail(self, x: acb) -> acb:
        return (self.steepness * x / arb(2).sqrt()).erfc() / 2


Most = Callable[["arb | None", "arb | None"], arb]


class Weight(Protocol):
    """A weight of t: real and not negative on the line, bounded in strips around it."""

    @property
    def even(self) -> bool:
        """Whether it is the same at t and at −t."""

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

    @property
    def even(self) -> bool:
        """Whether it is the same at t and at −t."""
        return self.cut.even

    def at(self, t: acb) -> acb:
        """Return χ₀(t)."""
        return self.cut.small(t)

    def most(self, height: arb) -> Most:
        """Bound |χ₀|, by its growth, or by |χ₀| ≤ 1 + |χ₁| with that of the other."""
        own, other = self.cut.most_small, self.cut.most_large
        growth = self.cut.growth(height)

        def bound(low: arb | None, high: arb | None) -> arb:
            least, largest = self.cut.ends(low, high)
            return _most(own, least, other, largest, growth)

        return bound


@dataclass(frozen=True)
class Large:
    """χ₁ of a cut."""

    cut: Cut

    @property
    def even(self) -> bool:
        """Whether it is the same at t and at −t."""
        return self.cut.even

    def at(self, t: acb) -> acb:
        """Return χ₁(t)."""
        return self.cut.large(t)

    def most(self, height: arb) -> Most:
        """Bound |χ₁| in the same way."""
        own, other = self.cut.most_large, self.cut.most_small
        growth = self.cut.growth(height)

        def bound(low: arb | None, high: arb | None) -> arb:
            least, largest = self.cut.ends(low, high)
            return _most(own, largest, other, least, growth)

        return bound


@dataclass(frozen=True)
class Band:
    """What lies between two cuts of one steepness: χ₁ of the inner one less χ₁ of the outer one."""

    inner: Cut
    outer: Cut

    @property
    def even(self) -> bool:
        """Whether it is the same at t and at −t."""
        return self.inner.even and self.outer.even

    def at(self, t: acb) -> acb:
        """Return the difference, of the two that are small there."""
        far = abs(t.real) if self.inner.even else t.real
        if far < (self.inner.place + self.outer.place) / 2:
            return self.inner.large(t) - self.outer.large(t)
        return self.outer.small(t) - self.inner.small(t)

    def most(self, height: arb) -> Most:
        """Bound it by its growth: it is an integral of Gaussian densities, as either χ is."""
        growth = self.inner.growth(height)

        def bound(low: arb | None, high: arb | None) -> arb:
            least, largest = self.inner.ends(low, high)
            most = arb(1)
            if largest is not None:
                most = most.min(self.inner.most_large(largest))
            if least is not None:
                most = most.min(self.outer.most_small(least))
            return growth * most

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
