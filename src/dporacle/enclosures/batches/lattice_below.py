"""Many steps from below: masses of one step are gathered on a lattice of losses (X.BAT.LATTICE).

A law's price Σm(1 − ce^{−loss})₊ is convex in e^{−loss} and rises with the loss. So masses that are
moved to one loss whose e^{−loss} is at least their mean lose in price, at every c and in every
product. The lattice grows coarser as the product becomes longer. Gathering starts at the end where
most of the mass is, so that what finds no partner is little (C3 in `proofs_notes/batches.md`).
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb, fmpz

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.batches.curves import BITS, Product

_SHARE = 64  # bits of a share of a mass
_SHARE_BITS = 128  # with which it is computed
_NUDGE = 1e-6  # of a cell, by which a loss is above its point at least
_FIRST = 1 << 15  # cells of one step
_MOST = 3 << 14  # of a product, until its lattice grows coarser; early ones, of which many copies
_EARLY = (2.0, 2.0, 1.5)  # are left, may have so many times as many
_FARTHEST = 40.0  # losses so far below another one hardly balance it
_UNITS = 136  # bits of a mass
_BELOW = 96  # bits of a mass that are below δ
_MOST_UNITS = 1000  # floats know no more
_LITTLE = 1e-8  # of all runs: those with a loss below the lattice

Edges = Sequence[tuple[arb, arb]]
"""Masses of the first law and their losses."""


Own = Callable[[int, int], "int | fmpz"]
Bound = Callable[[int, int], "int | fmpz | None"]


def _gathered(
    masses: Sequence[fmpz], places: Sequence[int], own: Own, partner: Bound, *, upwards: bool
) -> tuple[dict[int, fmpz], int, fmpz]:
    """Return masses at lattice points, none of which is above the mean of what is gathered there.

    And from which one on they are not gathered, and what is left of that one.

    Args:
        masses: those of the largest losses first; upwards, of the smallest.
        places: the lattice point of each, at its loss or next below it; upwards, next above it.
        own: number of a mass, and its place -> a lower bound of 1 − e^{place−loss}, upwards an
            upper bound of e^{place−loss} − 1, each times 2^64.
        partner: number of a mass, and a lattice point that is above it, upwards below it -> the
            other one of these bounds; 0 or None for one that cannot balance.
        upwards: whether it begins with the smallest losses.
    """
    found: dict[int, fmpz] = {}
    i, count = 0, len(masses)
    rest = masses[0] if count else fmpz(0)
    while i < count:
        at, start, begun = places[i], i, rest
        left = rest * own(i, at) if rest else fmpz(0)
        whole, rest, i = rest, fmpz(0), i + 1
        while i < count:
            if places[i] == at:
                whole += masses[i]
                left += masses[i] * own(i, at)
                i += 1
                continue
            share = partner(i, at) if left else None
            if not share:
                rest = masses[i]
                break
            taken = -(-left // share) if upwards else left // share
            if taken <= masses[i]:
                whole, rest, left = whole + taken, masses[i] - taken, fmpz(0)
                break
            whole, left = whole + masses[i], left - masses[i] * share
            i += 1
        if upwards and left:
            return found, start, begun
        if whole:
            found[at] = found.get(at, fmpz(0)) + whole
    return found, count, fmpz(0)


def _on_lattice(
    masses: Sequence[fmpz],
    places: Sequence[int],
    on_point: Sequence[bool],
    excess: Own,
    lack: Bound,
    between: Bound,
) -> dict[int, fmpz]:
    """Return masses gathered at lattice points: upwards up to the middle, and then downwards.

    Downwards alone the smallest losses would find no partner, upwards the largest.

    Args:
        masses: those of the smallest losses first.
        places: the lattice point of each, at its loss or next below it.
        on_point: whether it is at it.
        excess: number of a mass and a lattice point -> a lower bound of 1 − e^{point−loss}.
        lack: the same -> an upper bound of e^{point−loss} − 1; None for more than counts.
        between: two lattice points, the lower one first -> `lack` of what is at it.
    """
    total, half, sofar = sum(masses, fmpz(0)), 0, fmpz(0)
    while half < len(masses) and 2 * sofar < total:
        sofar, half = sofar + masses[half], half + 1
    above = [k + (not exact) for k, exact in zip(places[:half], on_point[:half], strict=True)]

    def lacked(i: int, at: int) -> int | fmpz:
        share = lack(i, at)
        if share is None:
            raise ArithmeticError("a lattice of losses is too coarse")
        return share

    low, first, rest = _gathered(masses[:half], above, lacked, excess, upwards=True)
    numbers = [*range(len(masses) - 1, first - 1, -1)]
    remaining = [masses[i] for i in numbers]
    if first < half:
        remaining[-1] = rest
    points = sorted(low, reverse=True)
    count = len(numbers)

    def own(j: int, at: int) -> int | fmpz:
        return excess(numbers[j], at) if j < count else 0

    def partner(j: int, at: int) -> int | fmpz | None:
        return lack(numbers[j], at) if j < count else between(points[j - count], at)

    found, _, _ = _gathered(
        [*remaining, *(low[k] for k in points)],
        [*(places[i] for i in numbers), *points],
        own,
        partner,
        upwards=False,
    )
    return found


def _as_product(found: dict[int, fmpz], step: Fraction, units: int) -> Product:
    low, high = min(found, default=0), max(found, default=0)
    cells = [found.get(k, fmpz(0)) for k in range(low, high + 1)]
    return Product(step, low, cells, 0, upper=False, units=units)


class _Bounds:
    """Bounds of e^{gap} − 1 and 1 − e^{−gap} between points of a lattice, times 2^64."""

    def __init__(self, step: Fraction) -> None:
        self.step, self.unit = step, float(step)
        self._above: dict[int, fmpz] = {}
        self._below: dict[int, fmpz] = {}

    def excess(self, gap: int) -> fmpz:
        """Return a lower bound of 1 − e^{−gap}."""
        if gap not in self._above:
            with precision(_SHARE_BITS):
                value = 1 - (-ball(self.step) * gap).exp()
                self._above[gap] = _floor(value * arb(2) ** _SHARE)
        return self._above[gap]

    def lack(self, gap: int) -> fmpz | None:
        """Return an upper bound of e^{gap} − 1; None for more than counts."""
        if gap * self.unit > _FARTHEST:
            return None
        if gap not in self._below:
            with precision(_SHARE_BITS):
                value = (ball(self.step) * gap).expm1()
                self._below[gap] = -_floor(-value * arb(2) ** _SHARE)
        return self._below[gap]


def coarser_below(law: Product) -> Product:
    """Return a law on every second lattice point that a law dominates, in all products."""
    cells, first, bounds_of = law.cells, law.offset, _Bounds(law.step)
    numbers = range(first, first + len(cells))
    found = _on_lattice(
        cells,
        [k // 2 for k in numbers],
        [k % 2 == 0 for k in numbers],
        lambda i, at: bounds_of.excess(first + i - 2 * at),
        lambda i, at: bounds_of.lack(2 * at - first - i),
        lambda low, at: bounds_of.lack(2 * (at - low)),
    )
    return _as_product(found, 2 * law.step, law.units)


def product_below(edges: Edges, times: int, target: float, spare: float) -> Product:
    """Return a product that so many steps dominate, for δ about a target.

    Args:
        edges: one step's law, the largest losses first.
        times: how many steps.
        target: about the δ that is asked.
        spare: mass that may be dropped at each end in each product.

    Raises:
        ArithmeticError: if δ is below what floats can tell.
    """
    base = _one_step(edges, times, target, spare)
    result = base
    for k, bit in enumerate(bin(times)[3:]):
        most = _MOST * (_EARLY[k] if k < len(_EARLY) else 1)
        result = result.times(result, spare)
        if bit == "1":
            result = result.times(base, spare)
        while len(result.cells) > most:
            result, base = coarser_below(result), coarser_below(base)
    return result


def _one_step(edges: Edges, times: int, target: float, spare: float) -> Product:
    """Return one step on a lattice."""
    units = max(_UNITS, _BELOW - math.frexp(target)[1])
    if units > _MOST_UNITS:
        raise ArithmeticError("delta is below what the lattice can tell")
    with precision(BITS):
        masses = [_floor(m * arb(2) ** units) for m, _ in edges]
    near = [float(loss.mid()) for _, loss in edges]
    high = _without(masses, near, spare * 2.0**units, 1)
    low = _without(masses, near, _LITTLE / times * 2.0**units, -1)
    step = Fraction(max(high - low, 1e-6) / _FIRST).limit_denominator(1 << 40)
    kept = [
        (mass, loss, place)
        for mass, (_, loss), place in zip(masses, edges, near, strict=True)
        if place >= low
    ]
    # A loss beyond the last point counts as the last one.
    return _placed(kept[::-1], step, math.floor(high / float(step)), units)


def _floor(value: arb) -> fmpz:
    """Return an integer that is not above a ball, and hardly below it."""
    found = value.lower().floor().unique_fmpz()
    if found is None:
        raise ArithmeticError("a share of a mass has too many bits")
    return found


def _without(masses: Sequence[fmpz], losses: Sequence[float], spare: float, way: int) -> float:
    """Return the loss beyond which there is about so much, from the top or from the bottom."""
    total, pairs = 0.0, [*zip(masses, losses, strict=True)][::way]
    for mass, loss in pairs:
        total += float(mass)
        if total > spare:
            return loss
    return pairs[-1][1]


def _placed(
    rows: Sequence[tuple[fmpz, arb, float]], step: Fraction, top: int, units: int
) -> Product:
    """Return masses at losses, and about where these are, on a lattice: the smallest first."""
    bounds_of, scale = _Bounds(step), arb(2) ** _SHARE
    places = [min(math.floor(near / bounds_of.unit - _NUDGE), top) for _, _, near in rows]
    with precision(_SHARE_BITS):
        size = ball(step)
        parts = [  # e^{place − loss}, of a mass's own place
            (size * place - loss).exp() for place, (_, loss, _) in zip(places, rows, strict=True)
        ]
        if not all(each <= 1 for each in parts):
            raise ArithmeticError("a loss is below its point of the lattice")

        @functools.lru_cache(maxsize=1 << 15)
        def rise(gap: int) -> arb:
            return (size * gap).exp()

        def excess(i: int, at: int) -> fmpz:
            return max(_floor((1 - parts[i] * rise(at - places[i])) * scale), fmpz(0))

        def lack(i: int, at: int) -> fmpz | None:
            gap = at - places[i]
            if gap * bounds_of.unit > _FARTHEST:
                return None
            share: fmpz = -_floor((1 - parts[i] * rise(gap)) * scale)
            return max(share, fmpz(1))  # of a loss that is next to the point, or beyond the last

        found = _on_lattice(
            [mass for mass, _, _ in rows],
            places,
            [False] * len(rows),
            excess,
            lack,
            lambda low, at: bounds_of.lack(at - low),
        )
    return _as_product(found, step, units)
