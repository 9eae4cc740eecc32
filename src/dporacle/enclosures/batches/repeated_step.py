"""Many steps of one kind: from above on a lattice that grows coarser, from below by half lines.

The curve of one step is replaced by chords between points of a lattice of losses, and the pair of
that curve is multiplied with itself. Where the product is too long every second point is dropped,
by a pair that dominates it (X.BAT.LATTICE). From below stands a path under the polygon of tests.
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb, fmpz

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches.curves import (
    BITS,
    Lattice,
    Product,
    chords,
    loss_spread,
    path,
    polygon,
)
from dporacle.enclosures.batches.lattice_below import product_below

__all__ = [
    "Product",
    "both_products",
    "deviations",
    "nested",
    "product",
    "reachable",
    "reached",
    "reached_by_half_lines",
    "reached_by_tests",
]

Normals = Sequence[tuple[arb, arb | int]]
"""Weights and centres of normal laws, in clipping norms."""

_CELLS, _FEWER = 1 << 15, 1 << 14  # of a law on the lattice, at most; where a step's loss is large:
_FAR = 45.0  # there the sparse points cost more than the lattice
_SPARE = 2.0**-36  # of δ: the masses that are moved to an infinite loss
_DENSE = 256  # lattice points of one step, until they grow sparser
_TESTS = 600  # half lines of one step
_HARDLY = 13  # standard deviations, beyond which a normal tail of a half line is one ball
_FINE = 500  # cells, of what is reached, in a standard deviation of the loss
_COARSER = 16  # times as long are its cells, where there would be too many of them
_DROPPED = 1e-6  # of δ: what is dropped there in each product
_LEAST_REACHED = 1e-20  # δ, for which that lattice is fine enough
_MOST_REACHED = 10**6  # steps, of which the product is made


def product(
    height: Callable[[arb], arb],
    times: int,
    target: float,
    farthest: Callable[[float], float],
    *,
    below: Callable[[arb], arb] | None = None,
    swapped: bool = False,
) -> Product:
    """Return the product of pairs that dominate each step, for δ about a target.

    Args:
        height: encloses, or bounds from above, H_a of one step for a ≥ 1.
        times: how many steps.
        target: about the δ that is asked; what is cut off is far below it.
        farthest: a mass -> about the loss of one step beyond which there is so much.
        below: the same as `height` for a < 1; None where both orders have the same bound.
        swapped: whether the second law comes first.

    Raises:
        ArithmeticError: if the target is below the floats.
    """
    laws, most = _dominating(height, times, target, farthest, below)
    return _multiplied(laws[int(swapped)], times, target, most)


def both_products(
    height: Callable[[arb], arb],
    times: int,
    target: float,
    farthest: Callable[[float], float],
    *,
    below: Callable[[arb], arb] | None = None,
) -> tuple[Product, Product]:
    """Return the products of both orders, the second law first in the second one.

    Arguments and errors as `product` has them.
    """
    laws, most = _dominating(height, times, target, farthest, below)
    first, second = (_multiplied(each, times, target, most) for each in laws)
    return first, second


def _dominating(
    height: Callable[[arb], arb],
    times: int,
    target: float,
    farthest: Callable[[float], float],
    below: Callable[[arb], arb] | None,
) -> tuple[tuple[Lattice, Lattice], int]:
    """Return a pair that dominates one step, in both orders, and the most cells of its product."""
    if not target > 0:
        raise ArithmeticError("delta is below the range of floats")
    reach = farthest(target * _SPARE / times) + 1e-3
    # Twice the reach is the lattice's length; the step is a power of two.
    most = _CELLS if reach < _FAR else _FEWER
    step = Fraction(2) ** math.ceil(math.log2(2 * reach / most))
    if below is None:

        def below(a: arb) -> arb:
            return 1 - a + a * height(1 / a)

    return chords(step, _heights(height, below, step, reach)), most


def _multiplied(law: Lattice, times: int, target: float, most: int) -> Product:
    """Return the product of so many copies of a law, of not too many cells."""
    spare = target * _SPARE
    base = Product.of(law, target)
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


def reachable(times: int, target: float) -> None:
    """Refuse a δ, or a number of steps, for which no lattice from below is made.

    Raises:
        ArithmeticError: if δ is too small, or the steps are too many.
    """
    if target < _LEAST_REACHED or times > _MOST_REACHED:
        raise ArithmeticError("so small a delta, or so many steps, are not reached on a lattice")


def reached(
    first: Normals, second: Normals, rest: arb, sigma: Fraction, times: int, target: float
) -> tuple[Product, Product]:
    """Return what so many steps of a pair of mixtures dominate, in both orders, about a δ.

    Tested are half lines of one step.

    Args:
        first: normal laws of the first mixture; its mass is to the right.
        second: those of the second one.
        rest: a bound of the mass that either list leaves out.
        sigma: noise multiplier.
        times: how many steps.
        target: about the δ that is asked.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    reachable(times, target)
    more, less = [], []
    spare = target * _DROPPED
    with precision(BITS):
        noise = ball(sigma)
        farthest = max(float((m / noise).mid()) for w, m in first if float(w.mid()) > spare)
        reach = deviations(spare) + 1
        tiny = normal_tail(arb(_HARDLY)).union(arb(0))

        def tail(x: arb) -> arb:
            if -_HARDLY < x < _HARDLY:
                return normal_tail(x)
            return tiny if x >= _HARDLY else 1 - tiny if x <= -_HARDLY else tiny.union(1 - tiny)

        for k in range(_TESTS):
            t = arb(-reach + (farthest + 2 * reach) * k / (_TESTS - 1))
            one, other = (
                sum((w * tail(t - m / noise) for w, m in law), arb(0)) for law in (first, second)
            )
            more.append(((other + rest).upper(), one.lower()))
            # Of what is left out of the first law all may lie to the left, of the second none.
            less.append(((1 - one).upper(), (1 - other - rest).lower()))
    return _of_tests(more, less, times, target)


def reached_by_half_lines(
    tails: Sequence[tuple[arb, arb]], times: int, target: float, fine: int = _FINE
) -> tuple[Product, Product]:
    """Return what so many steps of two laws dominate, in both orders, about a δ.

    Args:
        tails: of some half lines, the masses under the second law and under the first, which is to
            the right.
        times: how many steps.
        target: about the δ that is asked.
        fine: cells of the lattice in a standard deviation of the loss.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    reachable(times, target)
    with precision(BITS):
        more = [(q.upper(), p.lower()) for q, p in tails]
        less = [((1 - p).upper(), (1 - q).lower()) for q, p in tails]
    return _of_tests(more, less, times, target, fine)


def reached_by_tests(
    tails: Sequence[tuple[arb, arb]], times: int, target: float, *, swapped: bool
) -> Product:
    """Return what so many steps of two laws dominate, about a δ, on a lattice that grows coarser.

    Args:
        tails: of nested sets, the masses under the second law and under the first, which they
            favour.
        times: how many steps.
        target: about the δ that is asked.
        swapped: whether the second law comes first.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    reachable(times, target)
    with precision(BITS):
        if swapped:
            tails = [(1 - p, 1 - q) for q, p in tails]
        tests = [(q.upper(), p.lower()) for q, p in tails]
    return product_below(polygon(tests), times, target, target * _DROPPED / times)


def nested(cells: Sequence[tuple[arb, arb]], rest: arb) -> list[tuple[arb, arb]]:
    """Return the masses of unions of cells, those of the largest likelihood ratio first.

    Normal laws of several widths have no ratio that rises along the line.

    Args:
        cells: masses of disjoint sets under both laws.
        rest: a bound of the mass of the second law that they leave out; what they leave out of the
            first needs none, as no test counts it.
    """
    with precision(BITS):
        found = []
        left = rest.union(arb(0))
        one, other = arb(0), arb(0)
        for p, q in sorted(cells, key=_likelihood, reverse=True)[:-1]:
            one, other = one + p, other + q
            found.append((other + left, one))
        return found


def _likelihood(cell: tuple[arb, arb]) -> float:
    """Estimate the logarithm of a cell's likelihood ratio."""
    p, q = (each.mid() for each in cell)
    if not p > 0:
        return -math.inf
    return float((p / q).log()) if q > 0 else math.inf


def _of_tests(
    more: list[tuple[arb, arb]],
    less: list[tuple[arb, arb]],
    times: int,
    target: float,
    fine: int = _FINE,
) -> tuple[Product, Product]:
    """Return the products of the polygons of tests: masses of nested sets under both laws.

    Args:
        more: of sets that favour the first law: at most that under the second, at least under it.
        less: of their complements, the laws changing places.
        times: how many steps.
        target: about the δ that is asked.
        fine: cells of the lattice in a standard deviation of the loss.
    """
    first, second = (_of_one_order(tests, times, target, fine) for tests in (more, less))
    return first, second


def _of_one_order(tests: list[tuple[arb, arb]], times: int, target: float, fine: int) -> Product:
    """Return the product, on a coarser lattice where a few losses are far from all others."""
    spread = loss_spread(tests) * math.sqrt(times)
    for cells in (fine, fine // _COARSER, fine // _COARSER**2):
        with contextlib.suppress(ArithmeticError):
            unit = Fraction(spread / cells).limit_denominator(1 << 40)
            law = Product.of(path(unit, tests), target)
            return law.power(times, target * _DROPPED / times)
    raise ArithmeticError("the losses of the tests are too far apart for a lattice")


def _heights(
    height: Callable[[arb], arb], below: Callable[[arb], arb], step: Fraction, reach: float
) -> dict[int, arb]:
    """Return upper bounds of H at lattice points: dense near 0, sparser farther out."""
    found, at, last = {}, 0, math.ceil(reach / step)
    with precision(BITS):
        while True:
            a = ball(step * at).exp()
            found[-at] = arb(below(1 / a).upper())
            found[at] = arb(height(a).upper())
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
