"""One step of which a label is told: the curve of each label, times the label's mass.

The label has the same law in both data sets, so that H_a of the step is the sum. Labels that are
left out count in full. Where a label's loss hardly ever is, its curve is bounded by one value.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.repeated_step import Product, both_products, deviations

_HARDLY = 2.0**-44  # of δ: the chance, over all steps, of a loss whose curve is one value


class OneCurve(Protocol):
    """H_a of one step, at every a > 0."""

    def height(self, a: arb) -> arb:
        """Enclose H_a at a ≥ 1."""

    def below(self, a: arb) -> arb:
        """Enclose H_a at a < 1."""

    def farthest(self, mass: float) -> float:
        """Estimate the loss beyond which there is so much."""


@dataclass(frozen=True)
class EqualLaws:
    """H_a of a label that tells nothing."""

    def height(self, a: arb) -> arb:
        """Return H_a at a ≥ 1."""
        return arb(0)

    def below(self, a: arb) -> arb:
        """Return H_a at a < 1."""
        return 1 - a

    def farthest(self, mass: float) -> float:
        """Return the loss."""
        return 0.0


@dataclass(frozen=True)
class PoissonCurve:
    """H_a((1−q)N(0) + qN(1) ‖ N(0)), or where the record is replaced that of the antipodal pair.

    Attributes:
        noise: σ, the shift being 1.
        rate: q, in (0, 1].
        replaced: whether the second law is (1−q)N(0) + qN(−1).
    """

    noise: Fraction
    rate: Fraction
    replaced: bool = False

    def height(self, a: arb) -> arb:
        """Enclose H_a at a ≥ 1."""
        gap, q = 1 / ball(self.noise), ball(self.rate)
        half = gap / 2
        if self.replaced:  # with y = e^{gt}, w = e^{−g²/2}: qwy² = (a−1)(1−q)y + aqw at the root
            w, rest = (-gap * half).exp(), (a - 1) * (1 - q)
            z = ((rest + (rest * rest + 4 * a * (q * w) ** 2).sqrt()) / (2 * q * w)).log() / gap
            far = -a * q * normal_tail(z + gap)
            return q * normal_tail(z - gap) - (rest * normal_tail(z) - far)
        ahead = a - 1 + q
        if not ahead > 0:
            return 1 - a if ahead <= 0 else (1 - a).union(q + 1 - a).union(arb(0))
        z = (ahead / q).log() / gap + half
        return q * normal_tail(z - gap) - ahead * normal_tail(z)

    def below(self, a: arb) -> arb:
        """Enclose H_a at a < 1."""
        return 1 - a + a * self.height(1 / a) if self.replaced else self.height(a)

    def farthest(self, mass: float) -> float:
        """Estimate the loss beyond which there is so much."""
        gap, q = 1 / float(self.noise), float(self.rate)
        t = gap + deviations(min(1.0, mass / q))
        far = math.log1p(q * math.expm1(min(gap * t - gap * gap / 2, 700.0)))
        return 2 * far if self.replaced else max(far, -math.log1p(-q) if q < 1 else far)


class LabelledCurve:
    """H_a of a step of which a label is told, from above.

    Args:
        parts: of each label, its mass and its curve.
        left_out: a bound of the mass of all others.
        times: how many steps there are.
        target: about the δ that is asked.
    """

    def __init__(
        self, parts: Sequence[tuple[arb, OneCurve]], left_out: arb, times: int, target: float
    ) -> None:
        self._parts, self._left_out = parts, left_out
        self._times, self._target = times, target
        self._ends: list[tuple[arb, arb, arb]] = []
        hardly = target * _HARDLY / times / len(parts)
        with precision(BITS):
            for mass, one in parts:
                reach = one.farthest(hardly / float(mass.mid()))
                a = arb(reach).exp()
                # H_a falls with a, and (H_a − 1 + a)/a, H of the other order at 1/a, with 1/a.
                other = (one.below(1 / a) - 1 + 1 / a) * a
                self._ends.append((a, one.height(a).upper(), other.upper()))

    def height(self, a: arb) -> arb:
        """Bound H_a from above, at a ≥ 1."""
        total = self._left_out
        for (mass, one), (end, far, _) in zip(self._parts, self._ends, strict=True):
            total += mass * (far if a >= end else one.height(a))
        return total

    def below(self, a: arb) -> arb:
        """Bound H_a from above, at a < 1."""
        total, turned = self._left_out, 1 / a
        for (mass, one), (end, _, far) in zip(self._parts, self._ends, strict=True):
            total += mass * (1 - a + a * far if turned >= end else one.below(a))
        return total

    def farthest(self, mass: float) -> float:
        """Estimate the loss of one step beyond which there is so much."""
        each = mass / len(self._parts)
        shares = [(float(m.mid()), one) for m, one in self._parts]
        return max((one.farthest(each / m) for m, one in shares if m > each), default=1.0)

    def products(self) -> tuple[Product, Product]:
        """Return the products of pairs that dominate each step, about that δ, in both orders.

        Raises:
            ArithmeticError: if the δ is below the floats.
        """
        return both_products(
            self.height, self._times, self._target, self.farthest, below=self.below
        )
