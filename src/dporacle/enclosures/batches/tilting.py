"""Two ends of the ε of very many steps, from laws of one step on a lattice of losses (X.SG.GROUP).

A product of so many laws has no lattice that is both fine and short. Its exponential moments are
products of numbers: with Markov's inequality they bound δ from above, and with Berry and Esseen's
theorem or Chebyshev's inequality for the tilted law from below ("Very many steps" in
`proofs_notes/groups.md`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches.curves import BITS

_GAP = 1  # between ε and the losses that count from below
_REACHES = (0.02, 0.05, 0.1, 0.2, 0.4, 1.05, 1.2, 1.5)  # standard deviations of the tilted loss
_SHEVTSOVA = 0.56  # constant of Berry and Esseen's theorem
_TILTS = (1e-9, 60.0)  # of which the best is looked for
_ROUNDS = 50  # of a search in floats
_SHORTER = 0.999  # of a tilt that floats found and balls do not confirm

Run = Sequence[tuple[Sequence[tuple[arb, arb]], int]]
"""(mass, loss) of one step's first law, and how many steps have it."""


def epsilon_above(run: Run, target: arb) -> Fraction:
    """Return an ε for which the steps together are (ε,δ)-DP.

    (1 − e^{ε−S})₊ ≤ c·e^{t(S−ε)}, c = t^t/(1 + t)^{1+t}, for every t > 0.

    Args:
        run: laws that dominate the steps'.
        target: δ less the mass of infinite losses.

    Raises:
        ArithmeticError: if that mass is all of δ.
    """
    if not target > 0:
        raise ArithmeticError("the mass of infinite loss is more than delta")
    steps = [_Step(*each) for each in run]
    spent = -math.log(float(target))

    def found(power: float) -> float:
        t = math.exp(power)
        return (sum(each.times * each.guess(t)[0] for each in steps) + spent) / t

    low, high = map(math.log, _TILTS)
    for _ in range(_ROUNDS):  # (Λ(t) + c)/t falls and then rises, as Λ is convex
        first, second = (2 * low + high) / 3, (low + 2 * high) / 3
        low, high = (low, second) if found(first) < found(second) else (first, high)
    with precision(BITS):
        t = arb(math.exp(low))
        moment = sum((step.moments(t)[0] * step.times for step in steps), arb(0))
        share = t * t.log() - (1 + t) * (1 + t).log()
        return max(Fraction(0), bounds((moment + share - target.log()) / t)[1])


def epsilon_below(run: Run, target: Fraction) -> Fraction:
    """Return an ε that is not above the steps' smallest, for a δ.

    Args:
        run: laws that the steps' dominate.
        target: δ.
    """
    steps = [_Step(*each) for each in run]
    best, wanted = Fraction(0), math.log(target) - math.log(-math.expm1(-_GAP))
    for reach in _REACHES:
        low, high = map(math.log, _TILTS)
        for _ in range(_ROUNDS):
            middle = (low + high) / 2
            if _guessed(steps, math.exp(middle), reach) > wanted:
                low = middle
            else:
                high = middle
        with precision(BITS):
            for power in range(3):
                t = arb(math.exp(low) * _SHORTER**power)
                moment, mean, square, cube = (
                    sum((each.moments(t)[i] * each.times for each in steps), arb(0))
                    for i in range(4)
                )
                width = arb(reach) * square.max(arb(0)).sqrt()
                inside = (arb(reach) / arb(2).sqrt()).erf() - 2 * arb(_SHEVTSOVA) * cube / (
                    square * square.sqrt()
                )
                inside = inside.max(1 - 1 / arb(reach) ** 2)
                share = inside * (moment - t * (mean + width)).exp()
                if share * (1 - (-arb(_GAP)).exp()) >= ball(target):
                    best = max(best, bounds(mean - width - _GAP)[0])
                    break
    return best


def _guessed(steps: Sequence[_Step], tilt: float, reach: float) -> float:
    """Return the logarithm of the mass of the first law next to the tilted mean, in floats."""
    moment, mean, square, cube = (sum(s.times * s.guess(tilt)[i] for s in steps) for i in range(4))
    if not square > 0:
        return -math.inf
    inside = math.erf(reach / math.sqrt(2)) - 2 * _SHEVTSOVA * cube / square**1.5
    inside = max(inside, 1 - reach**-2)
    if not inside > 0:
        return -math.inf
    return moment - tilt * (mean + reach * math.sqrt(square)) + math.log(inside)


class _Step:
    """One law, its number of steps, and moments of its tilted loss."""

    def __init__(self, law: Sequence[tuple[arb, arb]], times: int) -> None:
        self.times = times
        self._law = law
        pairs = [(float(mass.mid()), float(loss.mid())) for mass, loss in law]
        self._pairs = [(math.log(mass), loss) for mass, loss in pairs if mass > 0]

    def guess(self, tilt: float) -> tuple[float, float, float, float]:
        """Return ln E[e^{tL}] and, of the tilted loss, mean, variance and third absolute moment.

        In floats.
        """
        top = max(log + tilt * loss for log, loss in self._pairs)
        weights = [(math.exp(log + tilt * loss - top), loss) for log, loss in self._pairs]
        total = sum(weight for weight, _ in weights)
        mean = sum(weight * loss for weight, loss in weights) / total
        square = sum(weight * (loss - mean) ** 2 for weight, loss in weights) / total
        cube = sum(weight * abs(loss - mean) ** 3 for weight, loss in weights) / total
        return top + math.log(total), mean, square, cube

    def moments(self, tilt: arb) -> tuple[arb, arb, arb, arb]:
        """Enclose the same four."""
        weights = [(mass * (tilt * loss).exp(), loss) for mass, loss in self._law]
        total = sum((weight for weight, _ in weights), arb(0))
        mean = sum((weight * loss for weight, loss in weights), arb(0)) / total
        square, cube = (
            sum((weight * abs(loss - mean) ** power for weight, loss in weights), arb(0)) / total
            for power in (2, 3)
        )
        return total.log(), mean, square, cube
