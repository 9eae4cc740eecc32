"""The loss of a noisy sum over a Poisson-sampled batch, as compositions need it (X.SG.PROFILE)."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

from flint import arb

from dporacle.claims.losses import LossLaw, PairOnGrid, falls
from dporacle.enclosures.arithmetic import normal
from dporacle.enclosures.arithmetic.balls import ball, tighten

Way = Literal["remove", "add", "replace-one"]


class BatchLoss(LossLaw):
    """The loss of a step or an epoch of drawn batches: it has a density, and no end."""

    def lattice(self) -> tuple[Fraction, Fraction]:
        """Return 0 and 1: there are no atoms, every grid is as good."""
        return Fraction(0), Fraction(1)

    def is_discrete(self) -> bool:
        """Tell that there is a density."""
        return False

    def has_atoms(self) -> bool:
        """Tell that there are none."""
        return False

    def is_small(self) -> bool:
        """Tell that a grid has to be fine for one release, as many are made."""
        return True


class StepLoss(BatchLoss):
    """That of one noisy sum, of which the tails of both laws are enclosed.

    Attributes:
        way: which of two laws is P.
    """

    way: Way

    @abstractmethod
    def _tails(self, way: Way, x: Fraction) -> tuple[arb, arb]:
        """Enclose what the laws of "remove" or "replace-one" put on losses of at least x."""

    def _above(self, x: Fraction) -> tuple[arb, arb]:
        """Enclose what P and Q put on losses of at least x."""
        if self.way == "add":  # L of "add" is −L of "remove", with P and Q exchanged
            p, q = self._tails("remove", -x)
            return 1 - q, 1 - p
        return self._tails(self.way, x)

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε)."""

        def enclose() -> arb:
            p, q = self._above(epsilon)
            return p - ball(epsilon).exp() * q

        return tighten(enclose, digits)

    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Return what lies between the edges."""
        both = [self._above(x) for x in edges]
        p, q = [each for each, _ in both], [each for _, each in both]
        return PairOnGrid(falls(p), falls(q), 1 - p[0])


@dataclass(frozen=True)
class SampledLoss(StepLoss):
    """P and Q are mixtures of N(0, σ²) with weight 1 − q and N(±1, σ²) with weight q.

    "remove": P = (1−q)N(0) + qN(1), Q = N(0); "add": exchanged; "replace-one": P the same, Q with
    N(−1) in it. The worst pair of neighbours has the same way in every step (T1, T2), and in every
    run; where a record is replaced and this is a part of what happens, `tied` is False.
    """

    rate: Fraction
    sigma: Fraction
    way: Way
    tied: bool = True

    def spread(self) -> float:
        """Return about the standard deviation of the loss."""
        rate, square = float(self.rate), 1 / float(self.sigma) ** 2
        one = rate * math.sqrt(math.expm1(min(square, 40.0)))
        both = 2 if self.way == "replace-one" else 1
        return both * min(one, float(1 / self.sigma), 8.0)

    def told_way(self) -> str:
        """Return the way: one pair of neighbours has the same one in every release."""
        return self.way if self.tied else ""

    def reach(self, bits: int) -> tuple[float, float]:
        """Return numbers beyond which less than about 2^-bits lies."""
        sigma, rate = float(self.sigma), float(self.rate)
        y = 1 + sigma * math.sqrt(2 * (bits + 2) * math.log(2))
        far, near = (2 * y - 1) / (2 * sigma**2), (2 * y + 1) / (2 * sigma**2)
        # ln(1 − q + q·e^x) at both ends
        top = math.log1p(rate * math.expm1(far)) if far < 700 else math.log(rate) + far
        low = -math.log1p(rate * math.expm1(-near)) if rate < 1 else near
        if self.way == "replace-one":
            return -top - low, top + low
        return (-low, top) if self.way == "remove" else (-top, low)

    def _tails(self, way: Way, x: Fraction) -> tuple[arb, arb]:
        rate, sigma = ball(self.rate), ball(self.sigma)
        square = sigma * sigma
        if way == "remove":
            gap = ball(x).expm1() + rate  # e^x − 1 + q
            if gap <= 0:
                return arb(1), arb(1)
            if not gap > 0:  # a threshold that is far below: no less than nothing, no more than all
                return arb("0.5 +/- 0.5"), arb("0.5 +/- 0.5")
            y = square * (gap / rate).log() + arb(0.5)
        else:
            half = rate * (-1 / (2 * square)).exp()
            linear = (1 - rate) * -ball(
                x
            ).expm1()  # half·u² + linear·u − half·e^x = 0, u = e^{y/σ²}
            root = (linear * linear + 4 * half * half * ball(x).exp()).sqrt()
            u = (
                2 * half * ball(x).exp() / (linear + root)
                if x <= 0
                else (root - linear) / (2 * half)
            )
            y = square * u.log()
        here, ahead = normal.normal_tail(y / sigma), normal.normal_tail((y - 1) / sigma)
        p = (1 - rate) * here + rate * ahead
        if way == "remove":
            return p, here
        return p, (1 - rate) * here + rate * normal.normal_tail((y + 1) / sigma)
