"""The privacy loss of integer sums with independent noises, in compositions (N5)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from itertools import accumulate

import flint
from flint import arb

from dporacle.claims.losses import LossLaw, PairOnGrid, falls
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.discrete.sums import Addends, integer_noise_delta, law_of_sum

_SURE = 32  # bits by which a mass is above all that its list leaves out, where its loss is used
_ROUGH_BITS = 80  # of a spread, which only says how wide a cell is
_AWAY = Fraction(355, 113 * 97 * 89)  # where no loss of noise with short parameters is expected


@dataclass(frozen=True)
class SumLoss(LossLaw):
    """L = ln(p(y − d)/p(y)), y the output, P centred at d and Q at 0, p the law of the whole noise.

    It does not fall in y, as p is log-concave (N1).

    Attributes:
        addends: the noises that are added; one at least.
        distance: d.
        modulus: what is seen is a remainder; 0: the sum. Of remainders this is a lower end only.
    """

    addends: tuple[Addends, ...]
    distance: int
    modulus: int = 0

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε)."""
        return integer_noise_delta(
            epsilon=epsilon, addends=self.addends, sensitivity=self.distance, digits=digits
        )

    def has_formula(self) -> bool:
        """Tell whether δ(ε) of the release alone is that of the law itself."""
        return not self.modulus

    def most(self) -> Fraction | None:
        """Return Δ/b of the widest Laplace noise (N4); None if there is none."""
        laplace = [each.parameter for each in self.addends if each.name == "discrete-laplace"]
        return self.distance / max(laplace) if laplace else None

    def zcdp(self) -> Fraction | None:
        """Return a ρ that one of the noises has by itself: the others are post-processing."""
        gaussian = [each.parameter for each in self.addends if each.name == "discrete-gaussian"]
        found = [self.distance**2 / (2 * max(gaussian))] if gaussian else []
        pure = super().zcdp()
        return min([*found, *([] if pure is None else [pure])], default=None)

    def is_discrete(self) -> bool:
        """Tell that its atoms are on no lattice."""
        return False

    def has_atoms(self) -> bool:
        """Tell that no atom is to be a point of a grid."""
        return False

    def spread(self) -> float:
        """Return the root of the mean square of the loss."""
        table = _table(self.addends, self.distance, _ROUGH_BITS)
        pairs = ((float(table.mass(y)), float(table.loss(y))) for y in table.range)
        return max(math.sqrt(sum(mass * loss * loss for mass, loss in pairs)), 1e-6)

    def reach(self, bits: int) -> tuple[float, float]:
        """Return the losses beyond which P has less than about 2^-bits."""
        table = _table(self.addends, self.distance, 2 * bits)
        with precision(bits + 64):
            law = law_of_sum(self.addends, bits)
        low = max(law.low + self.distance, table.range[0])
        high = min(law.low + len(law.masses) - 1 + self.distance, table.range[-1])
        return float(table.loss(low).mid()), float(table.loss(high).mid())

    def lattice(self) -> tuple[Fraction, Fraction]:
        """Return a place where no atom is, so that each is in one cell."""
        return _AWAY, Fraction(1)

    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Return what lies between the edges."""
        table = _table(self.addends, self.distance, 2 * flint.ctx.prec)
        if self.modulus and table.points + self.distance > self.modulus:
            raise ArithmeticError("the noise reaches around the modulus")
        tails = [table.tails(edge) for edge in edges]
        p, q = ([each[side] for each in tails] for side in (0, 1))
        return PairOnGrid(falls(p), falls(q), 1 - p[0])


class _Table:
    """Losses and tails of a sum, from a list that leaves out next to nothing."""

    def __init__(self, addends: tuple[Addends, ...], distance: int, bits: int) -> None:
        self._bits, self._distance = bits + 64, distance
        with precision(self._bits):
            law = law_of_sum(addends, bits)
            self._low, self._masses, self.points = law.low, law.masses, len(law.masses)
            self._more = arb(0).union(law.lost)
            self._upper = list(accumulate(reversed(law.masses)))[::-1]
            least = law.lost * arb(2) ** _SURE + arb(2) ** -(bits - _SURE)
            sure = [y for y, mass in enumerate(law.masses, law.low) if mass > least]
        first, last = (sure[0], sure[-1]) if sure else (0, -1)
        self.range = range(first + distance, last + 1)
        if not self.range:
            raise ArithmeticError("the noise is too narrow for its losses to be listed")

    def mass(self, y: int) -> arb:
        """Return what P has at y."""
        return self._masses[y - self._distance - self._low]

    def loss(self, y: int) -> arb:
        """Enclose the loss at a y of the range."""
        with precision(self._bits):
            at = y - self._low
            moved, still = (self._masses[j] + self._more for j in (at - self._distance, at))
            return (moved / still).log()

    def _from(self, y: int) -> arb:
        """Enclose the mass of the noise from y on."""
        at = max(y - self._low, 0)
        return (self._upper[at] if at < self.points else arb(0)) + self._more

    def tails(self, edge: Fraction) -> tuple[arb, arb]:
        """Enclose what P and Q have where the loss is at least an edge."""
        low, high = self.range[0], self.range[-1] + 1  # the first such y is in [low, high]
        while low < high:
            middle = (low + high) // 2
            away = self.loss(middle) - ball(edge)
            if not (away > 0 or away < 0):
                raise ArithmeticError("a loss is not told from an edge of a grid")
            low, high = (low, middle) if away > 0 else (middle + 1, high)
        p, q = self._from(low - self._distance), self._from(low)
        if low == self.range[0]:  # what is before the range may be meant too
            return p.union(arb(1)), q.union(arb(1))
        if low == self.range[-1] + 1:
            return p.union(arb(0)), q.union(arb(0))
        return p, q


@lru_cache(maxsize=32)
def _table(addends: tuple[Addends, ...], distance: int, bits: int) -> _Table:
    return _Table(addends, distance, bits)
