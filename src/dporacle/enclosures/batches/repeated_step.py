"""Many steps of one symmetric kind, from above: a lattice that grows coarser (X.BAT.LATTICE).

The curve of one step, H_a = 1 − a + aH_{1/a}, is replaced by chords between points of a lattice of
losses, and the pair of that curve is multiplied with itself. Where the product is too long every
second point is dropped, by a pair that dominates it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction

from flint import arb, fmpz

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches.curves import BITS, Product, chords

__all__ = ["Product", "deviations", "product"]

_CELLS, _FEWER = 1 << 15, 1 << 14  # of a law on the lattice, at most; where a step's loss is large:
_FAR = 45.0  # there the sparse points cost more than the lattice
_SPARE = 2.0**-36  # of δ: the masses that are moved to an infinite loss
_DENSE = 256  # lattice points of one step, until they grow sparser


def product(
    height: Callable[[arb], arb], times: int, target: float, farthest: Callable[[float], float]
) -> Product:
    """Return the product of pairs that dominate each step, for δ about a target.

    Args:
        height: encloses, or bounds from above, H_a of one step for a ≥ 1.
        times: how many steps.
        target: about the δ that is asked; what is cut off is far below it.
        farthest: a mass -> about the loss of one step beyond which there is so much.

    Raises:
        ArithmeticError: if the target is below the floats.
    """
    if not target > 0:
        raise ArithmeticError("delta is below the range of floats")
    spare = target * _SPARE
    reach = farthest(spare / times) + 1e-3
    # Twice the reach is the lattice's length; the step is a power of two.
    most = _CELLS if reach < _FAR else _FEWER
    step = Fraction(2) ** math.ceil(math.log2(2 * reach / most))
    base = Product.of(chords(step, _heights(height, step, reach))[0], target)
    result = base
    for bit in bin(times)[3:]:
        result = result.times(result, spare)
        if bit == "1":
            result = result.times(base, spare)
        while len(result.cells) > most:
            result, base = _coarser(result), _coarser(base)
    return result


def deviations(mass: float) -> float:
    """Return about how many standard deviations of a normal have a mass beyond them."""
    low, high = 0.0, 40.0
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (low, middle) if math.erfc(middle / math.sqrt(2)) < mass else (middle, high)
    return high


def _heights(height: Callable[[arb], arb], step: Fraction, reach: float) -> dict[int, arb]:
    """Return upper bounds of H at lattice points: dense near 0, sparser farther out."""
    found, at, last = {}, 0, math.ceil(reach / step)
    with precision(BITS):
        while True:
            a = ball(step * at).exp()
            value = arb(height(a).upper())
            found[at] = value
            found[-at] = arb((1 - 1 / a + value / a).upper())
            if at >= last:
                return found
            at += max(1, at // _DENSE)


def _coarser(law: Product) -> Product:
    """Return a law on every second lattice point that dominates a law.

    A mass between two points goes to both so that both laws of the pair keep their mass: the
    share e^Δ/(e^Δ + 1) goes up, and is rounded up.
    """
    with precision(BITS):
        share = math.ceil(bounds(2**64 / (1 + (-ball(law.step)).exp()))[1])
    first = law.offset // 2
    cells = [fmpz(0)] * ((law.offset + len(law.cells)) // 2 - first + 1)
    for k, mass in enumerate(law.cells, law.offset):
        if k % 2:
            above = min(mass, ((mass * share) >> 64) + 1)
            cells[k // 2 - first] += mass - above
            cells[k // 2 + 1 - first] += above
        else:
            cells[k // 2 - first] += mass
    return Product(2 * law.step, first, cells, law.infinite, law.upper, law.units)
