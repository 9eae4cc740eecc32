"""A law of losses on a lattice, in float64."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from dporacle.fast._broadcast import Array


@dataclass(frozen=True)
class LatticeLaw:
    """Losses on a lattice, whose δ is not below that of what they dominate.

    Attributes:
        losses: rising.
        masses: of each, without what is infinite.
        rest: a bound of the mass of infinite loss, and of all rounding over e^ε.
        share: of a sum of masses, which may be lost to rounding.
    """

    losses: Array
    masses: Array
    rest: float
    share: float

    def delta(self, epsilon: float) -> float:
        """Return Σ w(1 − e^{ε − loss})₊, not below it."""
        above = self.losses > epsilon
        value = float((self.masses[above] * -np.expm1(epsilon - self.losses[above])).sum())
        return value * (1 + self.share) + self.rest
