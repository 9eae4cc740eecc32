"""Privacy curves on a lattice of losses, from both sides, and their products (X.BAT.LATTICE).

A pair of laws is its curve H(a) = sup(P(A) − aQ(A)). From above: chords through upper bounds of H
at lattice points e^{jΔ} (Doroshenko et al. 2022). From below: points (Q(A), P(A)) of tests, and a
path under the polygon through them whose slopes lie on the lattice. Both are pairs of laws with
losses on the lattice; their products are convolutions of integers, rounded each to its side.
"""

from __future__ import annotations

import functools
import math
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import accumulate, pairwise

from flint import arb, arb_poly, fmpz, fmpz_poly

from dporacle.enclosures.arithmetic.balls import ball, precision

BITS = 320  # above `_FUDGE`: a step that stops so little short is still told from its end
_UNITS = 136  # bits of a mass, at least
_BELOW = 96  # bits of a mass that are below δ
_MOST_UNITS = 1000  # floats know no more
_FUDGE = 240  # bits to which a step of the path stops short
_REST = 200  # bits of the first law's mass that a path may leave out at its end
_MOST_CELLS = 1 << 20  # a product of two such laws takes a second and a half


@dataclass(frozen=True)
class Lattice:
    """Masses of the first law at losses jΔ.

    Attributes:
        step: Δ.
        masses: j -> mass.
        infinite: the mass whose loss is infinite.
        upper: whether this bounds δ from above; else from below.
    """

    step: Fraction
    masses: Mapping[int, arb]
    infinite: arb
    upper: bool

    def losses(self) -> list[tuple[arb, arb]]:
        """Return (mass, loss) of the finite losses."""
        return [(mass, ball(self.step) * j) for j, mass in self.masses.items()]


def chords(step: Fraction, heights: Mapping[int, arb]) -> tuple[Lattice, Lattice]:
    """Return a pair that dominates a curve, in its two orders (lemma C1).

    Args:
        step: Δ.
        heights: j -> an upper bound of H(e^{jΔ}), exact.

    Raises:
        ArithmeticError: if no convex curve is found through the bounds.
    """
    with precision(BITS):
        unit = ball(step)
        points: list[tuple[int | None, arb, arb]] = [(None, arb(0), arb(1))]
        points += [(j, (unit * j).exp(), heights[j]) for j in sorted(heights)]
        hull: list[tuple[int | None, arb, arb]] = []
        for point in points:
            while len(hull) > 1 and not _turns(hull[-2], hull[-1], point):
                hull.pop()
            hull.append(point)
        # After the last point the curve is constant: what rises before it is cut off.
        while len(hull) > 1 and not hull[-1][2] < hull[-2][2]:
            hull.pop()
        if len(hull) < 2:
            raise ArithmeticError("the bounds of the curve do not fall")
        slopes = [(v[2] - u[2]) / (v[1] - u[1]) for u, v in pairwise(hull)]
        slopes.append(arb(0))
        second = {
            j: (after - before, a)
            for (j, a, _), before, after in zip(hull[1:], slopes[:-1], slopes[1:], strict=True)
            if j is not None
        }
        if not (all(q >= 0 for q, _ in second.values()) and 1 + slopes[0] >= 0):
            raise ArithmeticError("the curve is not convex")
        first = {j: q * a for j, (q, a) in second.items()}
        other = {-j: q for j, (q, _) in second.items()}
        return (
            Lattice(step, first, hull[-1][2], upper=True),
            Lattice(step, other, 1 + slopes[0], upper=True),
        )


def _turns(
    u: tuple[int | None, arb, arb], v: tuple[int | None, arb, arb], w: tuple[int | None, arb, arb]
) -> bool:
    """Whether v lies provably below the chord from u to w."""
    return bool((v[2] - u[2]) * (w[1] - u[1]) < (w[2] - u[2]) * (v[1] - u[1]))


def path(step: Fraction, tests: Sequence[tuple[arb, arb]]) -> Lattice:
    """Return a pair that a pair of laws dominates (lemma C2).

    Args:
        step: Δ.
        tests: (upper bound of the second law's mass, lower bound of the first law's) of tests,
            exact.

    Raises:
        ArithmeticError: if a step of the path is not provably under the polygon.
    """
    with precision(BITS):
        hull = _concave(tests)
        unit, size = ball(step), float(step)
        x, y, k = arb(0), arb(0), 0
        masses: dict[int, arb] = {}
        while True:
            u, v = hull[k], hull[k + 1]
            slope = float(((v[1] - u[1]) / (v[0] - u[0])).log().mid())
            j = math.floor(slope / size - 1e-9)
            steep = (unit * j).exp()
            end = k + 1
            while end < len(hull) and hull[end][1] - y >= steep * (hull[end][0] - x):
                end += 1
            if end == len(hull):  # the ray passes under (1, 1)
                mass = steep * (1 - x)
                masses[j] = masses.get(j, arb(0)) + mass
                break
            u, v = hull[end - 1], hull[end]
            rise, run = v[1] - u[1], v[0] - u[0]
            whole = (
                u[1] + (steep * (u[0] - x) - (u[1] - y)) / (rise - steep * run) * rise - y
            ).mid()
            for bits in (_FUDGE, _FUDGE // 4):
                mass = (whole * (1 - arb(2) ** -bits)).mid()
                ahead = x + mass / steep, y + mass
                # Under the ray's end at u, or under the polygon's side from u to v.
                inside = (
                    u[0] <= ahead[0] <= v[0] and (ahead[1] - u[1]) * run <= (ahead[0] - u[0]) * rise
                )
                if inside or (ahead[0] <= u[0] and end > k + 1):
                    break
            else:
                if 1 - y < arb(2) ** -_REST:  # below the last bits of y: dropping mass is a bound
                    break
                raise ArithmeticError("a step of the path leaves the polygon")
            masses[j] = masses.get(j, arb(0)) + mass
            (x, y), k = ahead, max(end - 1, k + 1)
        return Lattice(step, masses, arb(0), upper=False)


def _concave(tests: Sequence[tuple[arb, arb]]) -> list[tuple[arb, arb]]:
    """Return the upper hull of tests, with the trivial ones."""
    found: list[tuple[arb, arb]] = []
    kept = [(q, p) for q, p in tests if 0 < q < 1 and 0 < p < 1 and p > q]
    # As balls: a mass of 2^(-10^12) is no fraction that a memory holds.
    kept.sort(key=functools.cmp_to_key(_order))
    for point in [(arb(0), arb(0)), *kept, (arb(1), arb(1))]:
        while len(found) > 1 and not (
            (found[-1][1] - found[-2][1]) * (point[0] - found[-2][0])
            > (point[1] - found[-2][1]) * (found[-1][0] - found[-2][0])
        ):
            found.pop()
        if found and not point[0] > found[-1][0]:
            if len(found) > 1 and point[1] > found[-1][1]:
                found[-1] = point
            continue
        found.append(point)
    return found


def polygon(tests: Sequence[tuple[arb, arb]]) -> list[tuple[arb, arb]]:
    """Return (mass of the first law, loss) of a pair that a pair of laws dominates.

    Its curve is the polygon of the tests itself: its losses lie on no lattice.

    Args:
        tests: as of `path`.
    """
    with precision(BITS):
        edges = [(v[0] - u[0], v[1] - u[1]) for u, v in pairwise(_concave(tests))]
        return [(rise, (rise / run).log()) for run, rise in edges]


def loss_spread(tests: Sequence[tuple[arb, arb]]) -> float:
    """Estimate the standard deviation of the loss over the cells between tests."""
    points = sorted((float(q.mid()), float(p.mid())) for q, p in tests)
    total = first = second = 0.0
    before = (0.0, 0.0)
    for q, p in [*points, (1.0, 1.0)]:
        dq, dp = q - before[0], p - before[1]
        if dq > 0 and dp > 0:
            loss = math.log(dp) - math.log(dq)
            total, first, second = total + dp, first + dp * loss, second + dp * loss * loss
        before = max(before[0], q), max(before[1], p)
    mean = first / total
    return math.sqrt(max(second / total - mean * mean, 1e-16))


def _order(one: tuple[arb, arb], other: tuple[arb, arb]) -> int:
    """Compare the middles of what two tests accept by mistake."""
    mine, its = one[0].mid(), other[0].mid()
    return (mine > its) - (mine < its)


class Product:
    """The product of lattice laws with themselves and one another (lemma C3)."""

    def __init__(
        self,
        step: Fraction,
        offset: int,
        cells: list[fmpz],
        infinite: int,
        upper: bool,
        units: int = _UNITS,
    ) -> None:
        self.step, self.offset, self.cells = step, offset, cells
        self.infinite, self.upper, self.units = infinite, upper, units

    def _like(self, offset: int, cells: list[fmpz], infinite: int = 0) -> Product:
        return Product(self.step, offset, cells, infinite, self.upper, self.units)

    @classmethod
    def of(cls, law: Lattice, target: float = 1.0) -> Product:
        """Round the masses of one law to integers, each to its side.

        Args:
            law: of the loss.
            target: about the δ that will be asked of it.
        """
        units = max(_UNITS, _BELOW - math.frexp(target)[1])
        if units > _MOST_UNITS:
            raise ArithmeticError("delta is below what the lattice can tell")
        with precision(BITS):
            scaled = {j: _integer(mass, units, upper=law.upper) for j, mass in law.masses.items()}
            infinite = _integer(law.infinite, units, upper=law.upper)
        if not scaled:
            scaled = {0: 0}
        first, last = min(scaled), max(scaled)
        if last - first > _MOST_CELLS:
            raise ArithmeticError("the lattice of losses is too long")
        cells = [fmpz(scaled.get(j, 0)) for j in range(first, last + 1)]
        return cls(law.step, first, cells, infinite, law.upper, units)

    def infinite_mass(self) -> Fraction:
        """Return the mass of infinite loss."""
        return Fraction(self.infinite, 1 << self.units)

    def power(self, times: int, spare: float) -> Product:
        """Return the product of so many copies.

        Args:
            times: how many, at least 1.
            spare: mass that may be dropped, or made infinite, at each end in each product.
        """
        result: Product | None = None
        base = self._trimmed(int(spare * 2.0**self.units))
        while True:
            if times & 1:
                result = base if result is None else result.times(base, spare)
            times >>= 1
            if not times:
                assert result is not None
                return result
            base = base.times(base, spare)

    def times(self, other: Product, spare: float) -> Product:
        """Return the product with another law on the same lattice."""
        assert self.step == other.step
        assert (self.upper, self.units) == (other.upper, other.units)
        mine = fmpz_poly(self.cells)
        whole = mine * (mine if other is self else fmpz_poly(other.cells))  # a square costs less
        more = int(self.upper)
        cells = [(c >> self.units) + more for c in whole.coeffs()] or [fmpz(more)]
        infinite = self.infinite + other.infinite if self.upper else 0
        infinite += (infinite >> 64) + more  # the masses' sum is 1 but for their rounding
        product = self._like(self.offset + other.offset, cells, infinite)
        return product._trimmed(int(spare * 2.0**self.units))

    def split(self, index: int) -> tuple[Product, Product]:
        """Return the masses at losses jΔ with j below an index, and the others."""
        cut = min(max(index - self.offset, 0), len(self.cells))
        parts = (self.offset, self.cells[:cut]), (self.offset + cut, self.cells[cut:])
        below, above = (self._like(offset, cells or [fmpz(0)]) for offset, cells in parts)
        return below, above

    def plus(self, other: Product) -> Product:
        """Return the sum of two laws' masses at finite losses."""
        offset = min(self.offset, other.offset)
        end = max(each.offset + len(each.cells) for each in (self, other))
        cells = [fmpz(0)] * (end - offset)
        for law in (self, other):
            for k, mass in enumerate(law.cells, law.offset - offset):
                cells[k] += mass
        return self._like(offset, cells)

    def _trimmed(self, spare: int) -> Product:
        cells = self.cells
        sums = [fmpz(0), *accumulate(cells)]
        low = min(bisect_right(sums, spare), len(cells)) - 1
        dropped = sums[low]
        # At least one cell stays; what is from `high` on has at most the spare mass.
        high = max(bisect_left(sums, sums[-1] - spare), low + 1)
        gone = sums[-1] - sums[high]
        kept = cells[low:high]
        if self.upper:
            kept[0] += dropped  # a larger loss
        infinite = self.infinite + int(gone) if self.upper else 0
        return self._like(self.offset + low, kept, infinite)

    def delta(self, epsilon: arb) -> arb:
        """Bound δ(ε) = P∞ + Σ w_k(1 − e^{ε−kΔ})₊ on the product's side."""
        with precision(BITS):
            step = ball(self.step)
            first = max(0, math.floor(float(epsilon.mid()) / float(self.step)) - self.offset - 1)
            tail = self.cells[first:]
            total = arb(self.infinite)
            # (1 − e^{ε−kΔ})₊ at the few cells around ε
            edge = min(3, len(tail))
            for i in range(edge):
                gap = 1 - (epsilon - step * (self.offset + first + i)).exp()
                total += (
                    tail[i] * gap
                    if gap > 0
                    else (tail[i] * gap.union(arb(0)) if not gap < 0 else arb(0))
                )
            rest = tail[edge:]
            if rest:
                start = self.offset + first + edge
                front = (epsilon - step * start).exp()
                total += arb(sum(rest)) - front * arb_poly([arb(c) for c in rest])((-step).exp())
            value = total / arb(2) ** self.units
            return value.upper() if self.upper else value.lower()

    def epsilon(self, target: Fraction) -> Fraction:
        """Return an ε ≥ 0 whose δ is at most (at least, from below) a target; 0 if there is none.

        Raises:
            ArithmeticError: from above, if there is none.
        """
        scale = 2.0**-self.units
        wanted, step = float(target), float(self.step)
        mass, price = self.infinite * scale, 0.0
        if self.upper and mass >= wanted:
            raise ArithmeticError("the mass of infinite loss is more than delta")
        fall = math.exp(-step)
        guess = 0.0
        for k in range(len(self.cells) - 1, -1, -1):
            loss = (self.offset + k) * step
            if loss < -step:
                break
            weight = float(self.cells[k]) * scale
            mass += weight
            price = price * fall + weight  # Σ w_j e^{−(j−k)Δ}
            # δ at the next lattice point below
            if mass - price * fall > wanted:
                guess = loss + math.log((mass - wanted) / price)
                break
        guess = max(guess, 0.0)
        nudge = 1e-12 * max(1.0, guess)
        for _ in range(60):
            epsilon = Fraction(max(guess, 0.0))
            with precision(BITS):
                value = self.delta(ball(epsilon))
                if self.upper and value <= ball(target):
                    return epsilon
                if not self.upper and (epsilon == 0 or value >= ball(target)):
                    return epsilon
            guess += nudge if self.upper else -nudge
            nudge *= 2
        raise ArithmeticError("the search for epsilon does not end")


def _integer(mass: arb, units: int, *, upper: bool) -> int:
    scaled = mass * arb(2) ** units
    exact = (scaled.upper() if upper else scaled.lower()).mid()
    mantissa, exponent = map(int, exact.man_exp())
    if not upper:
        return max(0, mantissa << exponent if exponent >= 0 else mantissa >> -exponent)
    return mantissa << exponent if exponent >= 0 else -((-mantissa) >> -exponent)
