"""The mean over a drawn batch in one coordinate, cut into cells (X.AVG.DRAWN).

Given the size k the laws are normal, of standard deviation σ/k, with centres 0, 1/k and 2/k. Both
densities are Taylor polynomials on panels, with Cauchy's bound of what is left out. The cells are
where the losses that count for δ change: from a sketch in floats, which no bound depends on.
`proofs_notes/averaging.md` has the proof.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import arb, arb_poly

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.batches.curves import BITS

_BITS = 128  # of densities
_TERMS = 40  # of a polynomial: what is left out is about e^-28 of its value in the middle
_HALF = 0.5  # of a panel's length, in standard deviations of the largest size that counts there;
_SLOPE = 6.5  # less where a logarithm changes by more in it
_GRID_BITS = 16  # of the shortest standard deviation: places have few bits
_WIDEST = 9.5  # standard deviations, beyond which the line has no further edges
_GONE = 13.0  # beyond which, and the distance of the centres, a size does not count
_ROUNDED = arb(2) ** -40  # a share of that distance, for a few roundings
_CELLS = 3000  # each of them loses what losses differ in it
_MOST_SERIES = 30_000  # sizes on panels, of some 60 µs each
_LITTLE = Fraction(1, 10)  # σ below which panels are short; then, and where sizes are too many,
_FEWER, _FEWEST = 480, 60  # there are so many cells, of
_MOST_TAILS = 150_000  # normal tails
_SAMPLES = 4  # parts of a panel, where floats look at the losses
_TILTS = [1.3**k for k in range(-16, 25)]

Cells = list[tuple[arb, arb]]
"""Masses of disjoint sets under both laws."""


@dataclass(frozen=True)
class SizedLaws:
    """What both laws have at one size of the batch.

    Attributes:
        size: k > 0.
        first: the masses of the first law at the centres 0, 1/k and 2/k.
        second: those of the second one.
    """

    size: int
    first: tuple[arb, arb, arb]
    second: tuple[arb, arb, arb]


@dataclass(frozen=True)
class _Panel:
    """A part of the line: densities as polynomials in s from −1 to 1.

    Attributes:
        half: half its length.
        masses: of both laws, ∫ from its middle to s.
        densities: as floats.
        left: bounds of what the polynomials leave out of the densities.
    """

    half: arb
    masses: tuple[arb_poly, arb_poly]
    densities: tuple[list[float], list[float]]
    left: tuple[arb, arb]

    def at(self, s: float) -> tuple[float, float]:
        """Estimate both densities."""
        found = []
        for each in self.densities:
            total = 0.0
            for c in reversed(each):
                total = total * s + c
            found.append(max(total, 1e-300))
        return found[0], found[1]

    def cells(self, count: int) -> Cells:
        """Enclose both laws' masses in so many cells of one length."""
        ends = [arb(2 * j - count) / count for j in range(count + 1)]
        length = 2 * self.half / count
        rows = []
        for each, left in zip(self.masses, self.left, strict=True):
            values = [each(s) for s in ends]
            near = arb(0, (length * left).abs_upper())
            rows.append([b - a + near for a, b in pairwise(values)])
        return [*zip(*rows, strict=True)]


def cells_of_line(
    rows: Sequence[SizedLaws],
    sigma: Fraction,
    times: int,
    target: float,
    atoms: Sequence[tuple[arb, arb]] = (),
) -> Cells:
    """Enclose the masses of both laws in cells that cover the line.

    Args:
        rows: sizes, which rise.
        sigma: noise multiplier.
        times: how many steps, and
        target: about which δ, the cells are made for.
        atoms: masses of what is told besides, under both laws.

    Raises:
        ArithmeticError: if the sizes are too many.
    """
    with precision(_BITS):
        found = _panels(rows, sigma) if sigma >= _LITTLE else None
        if found is None:
            return _by_tails(rows, sigma)
        low, panels, high = found
        beyond = [_beyond(rows, sigma, place, side) for place, side in ((low, -1), (high, 1))]
        counts = _counts(panels, times, target, atoms)
        inner = [panel.cells(count) for panel, count in zip(panels, counts, strict=True)]
        return [beyond[0], *(cell for each in inner for cell in each), beyond[1]]


def _ends(rows: Sequence[SizedLaws], noise: float) -> tuple[float, float]:
    """Return the places beyond which there are no further edges."""
    reach = _WIDEST * noise / rows[0].size
    return -reach, 2 / rows[0].size + reach


def _panels(rows: Sequence[SizedLaws], sigma: Fraction) -> tuple[float, list[_Panel], float] | None:
    """Return panels and the places that they are between; None if they would be too many."""
    noise = float(sigma)
    panels, spent = [], 0
    # All places and lengths are its multiples, so that floats add them exactly.
    grid = 2.0 ** (math.floor(math.log2(noise / rows[-1].size)) - _GRID_BITS)
    low, high = (math.floor(end / grid) * grid for end in _ends(rows, noise))
    at = low
    while at < high:
        half, counting = _next(rows, noise, at, grid)
        spent += len(counting) + 1
        if spent > _MOST_SERIES:
            return None
        panels.append(_panel(rows, counting, ball(sigma), at + half, half))
        at += 2 * half
    return low, panels, at


def _by_tails(rows: Sequence[SizedLaws], sigma: Fraction) -> Cells:
    """Return fewer cells, of which each edge has the tails of all normal laws.

    Raises:
        ArithmeticError: if the sizes are too many.
    """
    cells = min(_FEWER, _MOST_TAILS // (2 * len(rows)))
    if cells < _FEWEST:
        raise ArithmeticError("the sizes of a batch are too many for one dimension")
    narrow, (_, reach) = float(sigma) / rows[-1].size, _ends(rows, float(sigma))
    # Dense where all of them are, sparse where only small batches are.
    turn = math.asinh(reach / narrow)
    edges = [narrow * math.sinh(turn * (2 * j / cells - 1)) for j in range(cells + 1)]
    with precision(BITS):  # differences of tails have their absolute error: e^-222
        above = [_beyond(rows, sigma, place, 1) for place in edges]
        low = _beyond(rows, sigma, edges[0], -1)
        inner = [(a[0] - b[0], a[1] - b[1]) for a, b in pairwise(above)]
        return [low, *inner, above[-1]]


def _gone(noise: float) -> float:
    return _GONE + 2 / noise


def _farther(sigma: arb) -> arb:
    """Return standard deviations that a size which does not count is from its centres at least.

    Floats compare, a few roundings off: so a little less than they ask for.
    """
    return (_GONE + 2 / sigma) * (1 - _ROUNDED)


def _near(rows: Sequence[SizedLaws], noise: float, start: float, end: float) -> list[SizedLaws]:
    """Return the sizes that count in a panel: the others have all centres beyond `_farther`."""
    far = _gone(noise) * noise
    return [row for row in rows if max(-end, start) * row.size - 2 * (start > 0) < far]


def _next(
    rows: Sequence[SizedLaws], noise: float, start: float, grid: float
) -> tuple[float, list[SizedLaws]]:
    """Return half the length, and the sizes, of the panel that starts at a place."""

    def half_of(counting: Sequence[SizedLaws]) -> float:
        most = (counting or rows)[-1].size
        farthest = max(-start * most, start * most) / noise + 2 / noise
        return math.floor(min(_HALF, _SLOPE / farthest) * noise / most / grid) * grid

    half = half_of(_near(rows, noise, start, start))
    counting = _near(rows, noise, start, start + 2 * half)
    if start < 0:  # at its end larger sizes count than at its start
        half = half_of(counting)
    return half, counting


def _panel(
    rows: Sequence[SizedLaws], counting: Sequence[SizedLaws], sigma: arb, middle: float, half: float
) -> _Panel:
    """Return the densities about a place."""
    totals = [arb_poly([0]), arb_poly([0])]
    left = [arb(0), arb(0)]
    root = (2 * arb.pi()).sqrt()
    tiny = (-(_farther(sigma) ** 2) / 2).exp()  # of a size that does not count
    taken = {row.size for row in counting}
    for row in rows:
        scale = row.size / sigma
        if row.size not in taken:
            for k, law in enumerate((row.first, row.second)):
                left[k] += sum(law, arb(0)) * scale / root * tiny
            continue
        ratio = scale * half
        for centre in range(3):
            masses = row.first[centre], row.second[centre]
            if all(each.is_zero() for each in masses):
                continue
            y = (row.size * arb(middle) - centre) / sigma
            height = scale / root * (-y * y / 2).exp()
            series = arb_poly(_hermite(y * ratio, ratio * ratio))
            rest = height * _rest(y, ratio)
            for k, mass in enumerate(masses):
                if not mass.is_zero():
                    totals[k] += mass * height * series
                    left[k] += mass * rest
    length = arb(half)
    masses_of = tuple((each * length).integral() for each in totals)
    densities = tuple([float(c.mid()) for c in each.coeffs()] for each in totals)
    bounds_of = tuple(each.abs_upper() for each in left)
    return _Panel(
        length,
        (masses_of[0], masses_of[1]),
        (densities[0], densities[1]),
        (bounds_of[0], bounds_of[1]),
    )


def _hermite(slope: arb, square: arb) -> list[arb]:
    """Return the first coefficients of exp(−slope·s − square·s²/2)."""
    found = [arb(1), -slope]
    for n in range(1, _TERMS - 1):
        found.append(-(slope * found[n] + square * found[n - 1]) / (n + 1))
    return found


def _rest(y: arb, ratio: arb) -> arb:
    """Bound what the first terms of e^{−yu − u²/2} leave out at |u| ≤ ratio.

    By Cauchy's bound on a circle of any radius r above it: e^{|y|r + r²/2}(ratio/r)^N/(1−ratio/r).
    """
    size = float(abs(y).mid())
    radius = arb(max(2 * float(ratio.mid()), min(math.sqrt(_TERMS), _TERMS / (size + 1e-9))))
    part = ratio / radius
    if not part < 1:
        raise ArithmeticError("a panel of one coordinate is too long")
    return (abs(y) * radius + radius * radius / 2).exp() * part**_TERMS / (1 - part)


def _beyond(rows: Sequence[SizedLaws], sigma: Fraction, place: float, side: int) -> tuple[arb, arb]:
    """Enclose what both laws have beyond a place."""
    found = [arb(0), arb(0)]
    noise = ball(sigma)
    for row in rows:
        for centre in range(3):
            masses = row.first[centre], row.second[centre]
            if all(each.is_zero() for each in masses):
                continue
            tail = normal_tail(side * (row.size * arb(place) - centre) / noise)
            for k, mass in enumerate(masses):
                found[k] += mass * tail
    return found[0], found[1]


def _counts(
    panels: Sequence[_Panel], times: int, target: float, atoms: Sequence[tuple[arb, arb]]
) -> list[int]:
    """Choose how many cells each panel has.

    A cell loses the variance of the losses in it, under the law that the best exponential moment
    tilts. With ∫p·L'² over a cell of length h that is h²/12 of it: best with h as its power −1/3.
    """
    parts = []  # of each panel: (ln of both masses, change of the loss) of its parts
    for panel in panels:
        ends = [panel.at(2 * j / _SAMPLES - 1) for j in range(_SAMPLES + 1)]
        length = 2 * float(panel.half) / _SAMPLES
        logs = [(math.log(p), math.log(q)) for p, q in ends]
        parts.append(
            [
                (
                    (a[0] + b[0]) / 2 + math.log(length),
                    (a[1] + b[1]) / 2 + math.log(length),
                    abs(b[0] - b[1] - a[0] + a[1]),
                )
                for a, b in pairwise(logs)
            ]
        )
    rows = [row[:2] for each in parts for row in each]
    rows += [(math.log(float(p)), math.log(float(q))) for p, q in atoms]
    wanted = [0.0] * len(panels)
    for order in (1, -1):
        pairs = [row[::order] for row in rows]
        tilt = _tilt(pairs, times, target)
        sizes = [
            sum(
                math.exp((_tilted(row[:2][::order], tilt) + 2 * math.log(row[2] + 1e-300)) / 3)
                for row in each
            )
            for each in _lowered(parts, order, tilt)
        ]
        whole = sum(sizes) or 1.0
        wanted = [a + b / whole for a, b in zip(wanted, sizes, strict=True)]
    return [1 + math.ceil(_CELLS / 2 * each) for each in wanted]


def _tilted(pair: Sequence[float], tilt: float) -> float:
    return pair[0] + tilt * (pair[0] - pair[1])


def _lowered(
    parts: Sequence[Sequence[tuple[float, float, float]]], order: int, tilt: float
) -> list[list[tuple[float, float, float]]]:
    """Return the parts with both laws' logarithms lowered, so that no power overflows."""
    top = max(_tilted(row[:2][::order], tilt) for each in parts for row in each)
    return [[(a - top, b - top, c) for a, b, c in each] for each in parts]


def _tilt(pairs: Sequence[Sequence[float]], times: int, target: float) -> float:
    """Return the t > 0 at which (times·ln E e^{tL} − ln δ)/t is least, in floats."""

    def value(tilt: float) -> float:
        logs = [_tilted(pair, tilt) for pair in pairs]
        top = max(logs)
        moment = top + math.log(sum(math.exp(each - top) for each in logs))
        return (times * moment - math.log(target)) / tilt

    return min(_TILTS, key=value)
