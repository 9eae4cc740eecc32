"""Prove the error of the float64 δ(ε) with balls, over every cell of its tables.

    python tools/prove_float64_error.py

The formulas that are bounded are those that run: `mills_series`, `slope_series` and `exponential`
are evaluated on floats elsewhere, here on two other kinds of numbers. A `Bound` carries how large
a number can be and how much rounding it can have gathered, by the standard model of IEEE 754. A
`Polynomial` has exact coefficients, which are compared with Taylor's. What Taylor's
polynomial leaves out is largest at the left end of a cell, because the Mills ratio m is completely
monotone: m(x) = ∫ e^(−xt − t²/2) dt over t > 0. The rest of the argument, and what is assumed of
the inputs, stands in proofs_notes/analytic_gaussian_float64.md.

The exit status is 1 if a bound is not below what `fast` adds before it rounds.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from dporacle.enclosures.arithmetic.normal import mills
from dporacle.fast.gaussian.delta import ERRORS
from dporacle.fast.gaussian.density import exponential
from dporacle.fast.gaussian.loss import ABOVE, NEARBY, WIDE
from dporacle.fast.gaussian.mills import FAR, far_series, mills_series, slope_series
from dporacle.fast.gaussian.profile import NEAR
from dporacle.fast.tables import EXP, MILLS, SLOPE, STEP_HEAD, STEP_REST

U = arb(2) ** -53
_BITS = 300
_EDGE = 1 + arb(2) ** -40  # floats fall into cells with a rounding error
_LEAST, _MOST = Fraction(-7, 10), 40  # y of the two lower regions, and |y| of any


def up(x: arb) -> arb:
    """An exact number that is not below x."""
    return arb(x.upper())


def half_unit(size: arb) -> arb:
    """The largest error of rounding a number of at most this size to a float64."""
    man, exponent = up(size).man_exp()
    return arb(2) ** (int(exponent) + int(man).bit_length() - 54)


@dataclass(frozen=True)
class Bound:
    """A number of at most `size`, computed with an error of at most `error`."""

    size: arb
    error: arb

    @staticmethod
    def of(x: Any) -> Bound:
        """Return a number that is known exactly."""
        return x if isinstance(x, Bound) else Bound(abs(arb(x)), arb(0))

    def _rounded(self, size: arb, error: arb) -> Bound:
        return Bound(up(size), up(error + half_unit(size + error)))

    def __add__(self, other: Any) -> Bound:
        b = Bound.of(other)
        return self._rounded(self.size + b.size, self.error + b.error)

    def __mul__(self, other: Any) -> Bound:
        b = Bound.of(other)
        error = self.size * b.error + self.error * (b.size + b.error)
        return self._rounded(self.size * b.size, error)

    def __truediv__(self, divisor: float) -> Bound:
        return self._rounded(self.size / divisor, self.error / divisor)

    __radd__, __rmul__ = __add__, __mul__
    __sub__ = __rsub__ = __add__  # neither a size nor an error knows signs


@dataclass(frozen=True)
class Polynomial:
    """Exact factors of products of letters: {"pxx": 2} is 2px²."""

    terms: dict[str, Fraction]

    @staticmethod
    def of(x: Any) -> Polynomial:
        """Return a constant; a float is the number that it is."""
        return x if isinstance(x, Polynomial) else Polynomial({"": Fraction(x)})

    def __add__(self, other: Any) -> Polynomial:
        found = dict(self.terms)
        for letters, factor in Polynomial.of(other).terms.items():
            found[letters] = found.get(letters, Fraction(0)) + factor
        return Polynomial({letters: factor for letters, factor in found.items() if factor})

    def __mul__(self, other: Any) -> Polynomial:
        found = Polynomial({})
        for a, first in self.terms.items():
            for b, second in Polynomial.of(other).terms.items():
                found += Polynomial({"".join(sorted(a + b)): first * second})
        return found

    def __truediv__(self, divisor: float) -> Polynomial:
        return self * (1 / Fraction(divisor))

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Polynomial:
        return self * -1

    def __sub__(self, other: Any) -> Polynomial:
        return self + -Polynomial.of(other)

    def __rsub__(self, other: Any) -> Polynomial:
        return -self + other

    def slope(self, letter: str) -> Polynomial:
        """Return the derivative in one letter."""
        found = Polynomial({})
        for letters, factor in self.terms.items():
            rest = letters.replace(letter, "", 1)
            found += Polynomial({rest: factor * letters.count(letter)})
        return found

    def at(self, **values: Any) -> Any:
        """Return the value where all letters are balls, or polynomials."""
        balls = all(isinstance(value, arb) for value in values.values())
        total: Any = arb(0) if balls else Polynomial({})
        for letters, factor in self.terms.items():
            term: Any = fmpq_of(factor) if balls else Polynomial({"": factor})
            for letter in letters:
                term *= values[letter]
            total += term
        return total

    def most(self, **sizes: arb) -> arb:
        """Return a bound of the sizes of all terms together."""
        found: arb = Polynomial({k: abs(f) for k, f in self.terms.items()}).at(**sizes)
        return found


R, T, NOTHING = (Polynomial(terms) for terms in ({"r": Fraction(1)}, {"t": Fraction(1)}, {}))


def letters_of(p: int, j: int, n: int) -> str:
    """Return rᵖ·tʲ·aₙ in letters; n = 0 stands for no aₙ."""
    return (chr(64 + n) if n else "") + "r" * p + "t" * j


def symbols(count: int) -> list[Polynomial]:
    found = (Polynomial({letters_of(0, 0, n): Fraction(1)}) for n in range(1, count))
    return [NOTHING, NOTHING, NOTHING, *found]


def taylor(x: arb, count: int) -> list[arb]:
    """m⁽ᵏ⁾(x)/k!, by m′ = xm − 1 and m⁽ᵏ⁺¹⁾ = xm⁽ᵏ⁾ + km⁽ᵏ⁻¹⁾."""
    found = [mills(x)]
    found.append(x * found[0] - 1)
    for k in range(1, count):
        found.append(x * found[k] + k * found[k - 1])
    return [value / math.factorial(k) for k, value in enumerate(found)]


def difference(
    series: Polynomial,
    exact: dict[str, Fraction],
    table: Sequence[arb],
    true: Sequence[arb],
    r: arb,
    t: arb,
) -> arb:
    """Bound |Σ κ·aₙ·rᵖtʲ − Σ κ*·aₙ*·rᵖtʲ|: the code's factors and a table's numbers, true ones."""
    total = arb(0)
    for letters in series.terms.keys() | exact.keys():
        here = fmpq_of(series.terms.get(letters, Fraction(0)))
        there = fmpq_of(exact.get(letters, Fraction(0)))
        n = ord(letters[0]) - 64 if letters[:1].isupper() else 0
        powers = r ** letters.count("r") * t ** letters.count("t")
        total += abs(here * table[n] - there * true[n]) * powers
    return up(total)


def fmpq_of(x: Fraction) -> arb:
    return arb(fmpq(x.numerator, x.denominator))


@dataclass(frozen=True)
class Cell:
    """What is known of m, or of the mean of −m′, over one cell.

    Attributes:
        low, high: the ends.
        error: of the value, absolute.
        rest: how large the part besides the head can be.
        most, least: the ends of the value.
    """

    low: arb
    high: arb
    error: arb
    rest: arb
    most: arb
    least: arb


def ends(table: Sequence[Sequence[float]], cells: int) -> Iterator[tuple[Sequence[float], arb]]:
    for place, row in enumerate(table):
        yield row, arb(2) ** (place // cells) / (2 * cells)


def mills_cells() -> Iterator[Cell]:
    series = mills_series(symbols(8), R)[1]
    exact = {letters_of(n, 0, n): Fraction(1) for n in range(1, 8)}
    for row, half in ends(MILLS, 128):
        c, reach = arb(row[0]), half * _EDGE
        true, left = taylor(c, 8), taylor(c - reach, 8)
        known = [arb(1), *map(arb, row[3:])]
        missed = abs(arb(row[1]) + arb(row[2]) - true[0])
        missed += difference(series, exact, known, [arb(1), *true[1:]], reach, arb(0))
        missed += abs(left[8]) * reach**8
        rest = mills_series([Bound.of(x) for x in row], distance(c, reach))[1]
        yield Cell(
            c - reach,
            c + reach,
            up(missed + rest.error),
            rest.size,
            up(left[0]),
            arb(mills(c + reach).lower()),
        )


def slope_cells() -> Iterator[Cell]:
    series = slope_series(symbols(13), R, T)[1]
    exact = {
        letters_of(n - 2 * i, 2 * i, n): Fraction(math.comb(n, 2 * i), 2 * i + 1)
        for n in range(1, 13)
        for i in range(n // 2 + 1)
    }
    for row, half in ends(SLOPE, 64):
        c, reach = arb(row[0]), half * _EDGE
        t = arb(NEAR) * (c + reach + arb(1.75)) * _EDGE
        coefficients = taylor(c, 14)
        true = [-(n + 1) * coefficients[n + 1] for n in range(13)]
        missed = abs(arb(row[1]) + arb(row[2]) - true[0])
        known = [arb(1), *map(arb, row[3:])]
        missed += difference(series, exact, known, [arb(1), *true[1:]], reach, t)
        # The mean of |r + tU|¹³ over U in [−1, 1].
        mean = ((reach + t) ** 14 + abs(reach - t) ** 14) / (28 * t)
        missed += 14 * abs(taylor(c - reach - t, 14)[14]) * mean
        rest = slope_series([Bound.of(x) for x in row], distance(c, reach), Bound(t, U * t))[1]
        # −m′ is convex: its mean is at least its value in the middle.
        least = -taylor(c + reach, 1)[1]
        yield Cell(
            c - reach,
            c + reach,
            up(missed + rest.error),
            rest.size,
            up(-taylor(c - reach - t, 1)[1]),
            arb(least.lower()),
        )


def distance(c: arb, reach: arb) -> Bound:
    """Of x from c, with what y has beyond a float64: the difference is exact, but around 0."""
    error = half_unit(reach) * (1 if abs(c) > 3 * reach else 2)
    return Bound(reach, up(error * _EDGE))


def far_error() -> arb:
    """The asymptotic series beyond the tables, relative to m: its next term, and its rounding."""
    a = 1 / arb(FAR) ** 2
    true = {"r": Fraction(1), "rr": Fraction(-3), "rrr": Fraction(15)}
    missed = difference(far_series(R), true, [arb(1)], [arb(1)], a, arb(0))
    return up((missed + 105 * a**4 + 16 * U * a + 8 * U * U) / (1 - a))


def density_error() -> tuple[arb, arb]:
    """The relative error of φ(y) for |y| ≤ 40, and how large its rest is against its head."""
    y, step = arb(_MOST) * _EDGE, arb(2).log() / 64
    steps = int((y * y / 2 / step).upper().ceil().unique_fmpz()) + 1
    assert bits(STEP_HEAD) + steps.bit_length() <= 53, "their product is exact"
    most = step / 2 * (1 + arb(2) ** -30)  # |r|: to the nearest step, but for a rounding
    y_rest = y * arb(2) ** -26
    error = abs(arb(STEP_HEAD) + arb(STEP_REST) - step) * steps
    error += U * (2 * most + 2 * arb(STEP_REST) * steps + 6 * y_rest * y)
    p = exponential(Bound(most, error))
    missed = 2 * most**7 / math.factorial(7)
    true = {letters_of(n, 0, 0): Fraction(1, math.factorial(n)) for n in range(1, 7)}
    missed += difference(exponential(R), true, [arb(1)], [arb(1)], most, arb(0))
    worst = rest_size = arb(0)
    for j, (head, rest) in enumerate(EXP):
        assert bits(head) <= 26
        true = (-step * j).exp() / (2 * arb.pi()).sqrt()
        table = abs(arb(head) + arb(rest) - true) * (1 + p.size)
        value = Bound.of(rest) + (Bound.of(head) + rest) * p
        whole = table + value.error + missed * true
        worst = larger(worst, up(whole / (true * (-most).exp())))
        rest_size = larger(rest_size, up(p.size * (1 + 2 * U) + 2 * abs(arb(rest)) / head))
    return worst, rest_size


def bits(x: float) -> int:
    return abs(Fraction(x).numerator).bit_length()


def larger(a: arb, b: arb) -> arb:
    return a if a > b else b


def from_each_on(cells: Sequence[Cell]) -> list[tuple[arb, arb]]:
    """The largest error and rest of m in each cell or any later one, and beyond the tables."""
    far = mills(arb(FAR))
    after = [(up(far_error() * far), up(far * arb(2) ** -15))]
    for cell in reversed(cells):
        after.append((larger(after[-1][0], cell.error), larger(after[-1][1], cell.rest)))
    return after[::-1]


def difference_error(cell: Cell, error: arb, rest: arb) -> tuple[arb, arb]:
    """The error of m(y) − m(w), y in a cell, from those of m(w); and how large the rests can be."""
    rests = cell.rest + rest
    # The heads' difference is exact; its rounding error joins the rests.
    low = rests + 2 * U * cell.most
    return up(cell.error + error + half_unit(rests * _EDGE) + half_unit(low * _EDGE)), rests


def wide_error(cells: Sequence[Cell]) -> arb:
    """The relative error of m(y) − m(w) where w is not near."""
    worst, after = arb(0), from_each_on(cells)
    factor = 2 * arb(NEAR) / (1 - arb(NEAR)) / _EDGE
    for place, cell in enumerate(cells):
        if cell.high < fmpq_of(_LEAST) or cell.low > _MOST:
            continue
        w = cell.high + factor * (cell.high + arb(1.75))
        least = -taylor(w, 1)[1] * factor * (cell.low + arb(1.75))
        total, rests = difference_error(cell, *after[place])
        assert rests * 2 + 2 * U * cell.most < least, "the rests are smaller than the head"
        worst = larger(worst, up(total / least))
    return worst


def mean_error(cell: Cell) -> arb:
    """The relative error of the mean of −m′ over a cell, times μ."""
    return up(cell.error / cell.least + 4 * U * (cell.rest / cell.least + arb(2) ** -25))


def near_error(cells: Sequence[Cell]) -> arb:
    """The relative error of m(y) − m(w) where w is near."""
    worst = arb(0)
    for row, cell in zip(SLOPE, cells, strict=True):
        assert bits(row[1]) <= 26
        if cell.low <= _MOST * arb(1.1):
            worst = larger(worst, mean_error(cell))
    return worst


def above_error(cells: Sequence[Cell]) -> arb:
    """The relative error of m(−y) + m(w): that of the worse of both, and two sums."""
    worst = far_error()
    for cell in cells:
        worst = larger(worst, up((cell.error + 4 * U * (cell.rest + U * cell.most)) / cell.least))
    return worst


def main() -> int:
    ctx.prec = _BITS
    cells, slopes = list(mills_cells()), list(slope_cells())
    density, rest = density_error()
    # y, as head and rest, and the products and sums that follow (see the note).
    products, geometry = U * (5 * rest + arb(2) ** -20), arb(2) ** -62
    brackets = {
        ("wide", WIDE): wide_error(cells),
        ("near", NEARBY): near_error(slopes),
        ("above", ABOVE): above_error(cells),
    }
    print(f"m(x), every cell    {units(larger_of(c.error / c.least for c in cells))} u")
    print(f"m(x), beyond        {units(far_error())} u")
    print(f"φ(y)                {units(density)} u")
    good = True
    for (name, region), bracket in brackets.items():
        total = (1 + bracket) * (1 + density) * (1 + products) * (1 + geometry) - 1
        # The sum of the rest and of the margin is rounded once more.
        needed = up(total + U * (2 * rest + 4 * U))
        good = good and bool(needed < arb(ERRORS[region]))
        added = ERRORS[region] * 2**53
        print(f"{name:5} bracket {units(bracket)} u, δ {units(needed)} u, of {added:g} u added")
    print("PROVED" if good else "NOT PROVED")
    return 0 if good else 1


def larger_of(numbers: Iterator[arb]) -> arb:
    worst = arb(0)
    for each in numbers:
        worst = larger(worst, up(each))
    return worst


def units(x: arb) -> str:
    return (x / U).str(4, radius=False)


if __name__ == "__main__":
    sys.exit(main())
