"""Prove the error of the float64 σ(ε, δ) with balls, over boxes that cover every last step.

    python tools/prove_float64_sigma.py

What σ inherits from δ's tables is bounded by `prove_float64_error.py`. Here is what the last step
adds: what its series leaves out, and its roundings. The unknown of a box is (y, w), of which ε ≥ 0
and δ ≤ 1/2 (or 1 − δ ≤ 1/2) leave a strip; where w is large, (y, 1/w). The argument stands in
proofs_notes/analytic_gaussian_float64.md.

The exit status is 1 if a bound is not below what `fast` adds before it rounds.
"""

import bisect
import math
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial as partial_of
from typing import Any

from flint import arb, ctx
from prove_float64_error import (
    Bound,
    Cell,
    Polynomial,
    U,
    above_error,
    density_error,
    difference_error,
    from_each_on,
    half_unit,
    larger,
    mean_error,
    mills_cells,
    slope_cells,
    units,
    up,
)

from dporacle.enclosures.arithmetic.normal import mills
from dporacle.fast.gaussian.calibrate import MU_ERROR, expm1
from dporacle.fast.gaussian.profile import NEAR
from dporacle.fast.gaussian.start import TABLE_END
from dporacle.fast.gaussian.step import log_mu_step, log_ratio, step_series

_BITS = 96
_HALF = arb("0.509")  # the largest δ (or 1 − δ) at a last step: |z| is at most 2⁻⁷
_LEAST, _MOST = arb("-0.71"), arb("38.8")  # y: δ(0) > 0.51 below, φ(y)·m(y) < 2⁻¹⁰⁷⁵ above
_Z, _STEP, _SMALL = arb(2) ** -7, arb(2) ** -11, arb(2) ** -60  # of a last step
_MORE = 1 + arb(2) ** -10  # what tests on floats let through, and a step's higher powers
_RATIO = arb("1.3")  # of the ends of a first box in w − y; it is halved where that is too coarse
_HALVINGS = 8
_CLEAR, _UNBOUNDED = U / 1000, arb(2) ** 20
_SCALED = arb(2) ** -60  # what scaling ε and δ below 2⁻⁶⁰ leaves out, e^{ε/2} and t² (see the note)


@dataclass(frozen=True)
class Box:
    """What is known of x, p·x, q·x² of a step, and of the profile's error in it."""

    x: arb
    p: arb
    q: arb
    # (1 + |yw| + w²/4)|x|: what the rounding errors of p are in proportion to, y's among them.
    gross: arb
    inherited: arb


def between(a: Any, b: Any) -> arb:
    return arb(a).union(arb(b))


def low(x: arb) -> arb:
    return arb(x.lower())


def size(x: arb) -> arb:
    return up(abs(x))


X, P, Q, L, Y, W, Z = (Polynomial({letter: Fraction(1)}) for letter in "xpqlywz")
ALONG = {"x": X * (1 - P), "p": P * (1 - P) - Q, "q": 2 * Q * (1 - P) - 4 * (P - X) * X * X}
"""Derivatives along L = ln f at fixed ε: dx/dL = x(1 − p), dp/dL = p(1 − p) − q, and dq/dL."""


def derivatives(count: int) -> list[Polynomial]:
    """s⁽ⁿ⁾/x for n = 1, 2, …: A₁ = 1 and Aₙ₊₁ = (1 − p)Aₙ + dAₙ/dL."""
    found = [Polynomial.of(1)]
    while len(found) < count:
        last = found[-1]
        along = (last.slope(letter) * speed for letter, speed in ALONG.items())
        found.append(sum(along, (1 - P) * last))
    return found


SERIES = derivatives(5)


def powers(factors: Sequence[Any], variable: Polynomial) -> Polynomial:
    """Return Σ factorₙ·variableⁿ, n = 0, 1, …, by Horner's rule."""
    found = Polynomial({})
    for factor in reversed(factors):
        found = found * variable + factor
    return found


FORMULAS = {
    "the step": (
        lambda: step_series(X, P, Q, L),
        X * powers([0, *(a / math.factorial(n) for n, a in enumerate(SERIES[:4], 1))], L),
    ),
    "2 artanh z": (
        lambda: log_ratio(Z),
        powers([Fraction(2 * (n % 2), n or 1) for n in range(8)], Z),
    ),
    "e^l − 1": (
        lambda: expm1(L),
        powers([Fraction(n > 0, math.factorial(n)) for n in range(5)], L),
    ),
}
"""What runs, on letters in the place of floats, and what it should be."""


def misfits() -> dict[str, Polynomial]:
    """Return what the formulas that run have too much: the rounding of their factors, no more.

    Raises:
        ArithmeticError: naming a formula that has another factor, or another term.
    """
    found = {}
    for name, (formula, true) in FORMULAS.items():
        found[name] = formula() - true
        for letters, factor in found[name].terms.items():
            if abs(factor) > abs(true.terms.get(letters, Fraction(0))) / 2**53:
                raise ArithmeticError(f"{name} is another in the term {letters or 1}")
    # The step's arguments are what the boxes hold; y² + w² and 1 + yw take the place of q and p.
    lengths: Any = (Y, 0, W)
    given = {"x": X, "p": (1 + Y * W) * X, "q": (Y * Y + W * W) * X * X, "l": log_ratio(Z)}
    if (log_mu_step(lengths, X, Z) - step_series(X, P, Q, L).at(**given)).terms:
        raise ArithmeticError("the step is taken from another argument")
    return found


def step_error(box: Box, misfit: dict[str, Polynomial]) -> arb:
    """The error of the last step from a point of a box: a bound on that of ln μ."""
    x, here = size(box.x), {"x": box.x, "p": box.p, "q": box.q}
    slopes = [size(a.at(**here)) for a in SERIES[:4]]
    log = 2 * _Z * _MORE**2
    terms = [a * log**n / math.factorial(n) for n, a in enumerate(slopes)]
    # |s| is at least this times |xℓ|, which what is known of |s| bounds.
    share = low(1 - sum((term / (n + 2) for n, term in enumerate(terms[1:])), arb(0)) * _MORE)
    if not share > 0:
        return _UNBOUNDED
    least = low(abs(box.x)) * share
    if least > 0:
        log = min_of(log, _STEP / least * _MORE)
    z = up(log / 2)
    fifth = on_the_way(box, log)
    left_out = fifth * 16 * _SMALL / (120 * share) * _MORE**5
    rounded = step_series(
        Bound(x, 5 * U * x),
        Bound(size(box.p), up(10 * U * box.gross)),
        Bound(size(box.q), up(20 * U * size(box.q))),
        log_ratio(Bound(z, 5 * U * z)),
    )
    # The first power that `log_ratio` leaves out, more than once; and what its factors are wrong.
    artanh = x * 2 * (z**9 + misfit["2 artanh z"].most(z=z))
    sizes = {letter: size(value) for letter, value in here.items()}
    artanh += misfit["the step"].most(l=log, **sizes)
    # A relative error of the profile moves ℓ, and the series by its slope there.
    return up(box.inherited * sum(terms, arb(0)) + rounded.error + left_out + artanh)


def on_the_way(box: Box, log: arb) -> arb:
    """A bound on |A₅| from a point of the box to where the step ends.

    Over a distance ℓ nothing leaves an interval that is wider by more than ℓ times its speed there.
    """
    here = {"x": box.x, "p": box.p, "q": box.q}
    margins = {k: up(2 * log * size(along.at(**here))) for k, along in ALONG.items()}
    wider = {k: v + between(-margins[k], margins[k]) for k, v in here.items()}
    for letter, along in ALONG.items():
        if not log * size(along.at(**wider)) <= margins[letter]:
            return _UNBOUNDED
    return size(SERIES[4].at(**wider))


def min_of(a: arb, b: arb) -> arb:
    return a if a < b else b


@dataclass(frozen=True)
class UnknownInterval:
    """An interval of one unknown, and what makes a box of a part of it (none if δ > 1/2 there)."""

    box: Callable[[arb], Box | None]
    low: arb
    high: arb


@dataclass(frozen=True)
class Tables:
    """Cells of m and of its slope, and the relative errors that all regions or one region share.

    Attributes:
        cells, slopes: of m, and of the mean of −m′.
        lows: the left ends of the former.
        after: the largest error and rest of m in a cell or any later one.
        above: of m(−y) + m(w).
        common: of what the bracket is multiplied with.
    """

    cells: Sequence[Cell]
    slopes: Sequence[Cell]
    lows: Sequence[float]
    after: Sequence[tuple[arb, arb]]
    above: arb
    common: arb

    def from_here(self, x: arb) -> tuple[arb, arb]:
        """The largest error and rest of m at x or beyond."""
        place = bisect.bisect_right(self.lows, float(x.lower()) - 1e-9) - 1
        return self.after[max(place, 0)]


def tables() -> Tables:
    cells = list(mills_cells())
    density, rest = density_error()
    products, geometry = U * (5 * rest + arb(2) ** -20), arb(2) ** -62
    common = up(density + products + geometry + arb(2) ** -100)
    lows = [float(cell.low.lower()) for cell in cells]
    return Tables(cells, list(slope_cells()), lows, from_each_on(cells), above_error(cells), common)


def near_boxes(table: Tables) -> Iterator[UnknownInterval]:
    """Have h in a cell of the slopes' table, any t up to the border and a little beyond."""
    for cell in table.slopes:
        if cell.high < 0 or cell.low > _MOST * arb(1.1):
            continue
        yield UnknownInterval(
            partial_of(near_box, table, cell), larger(cell.low, arb(0)), cell.high
        )


def near_box(table: Tables, cell: Cell, h: arb) -> Box:
    """Return what is known there, for h in an interval of a cell."""
    t = between(0, arb(NEAR) * (cell.high + arb(1.75)) * (1 + arb(2) ** -9))
    x = between(cell.least, cell.most * _MORE)
    p, q = 1 + h**2 - t**2, 2 * (h**2 + t**2)
    gross = up((1 + h**2 + t**2 + (h + t) ** 2 / 4) * x)
    return Box(x, p * x, q * x**2, gross, up(x * (mean_error(cell) + table.common)))


def wide_boxes(table: Tables) -> Iterator[UnknownInterval]:
    """Have y in a cell of the Mills ratio's table, w from the near region's border to ε = 1000."""
    for cell in table.cells:
        if cell.high > _LEAST and cell.low < _MOST:
            border = 2 * arb(NEAR) / (1 - arb(NEAR)) * (cell.low + arb(1.75)) * (1 - arb(2) ** -9)
            box = partial_of(wide_box, table, cell)
            yield from pieces(box, cell.low, cell.high, larger(border, -2 * cell.high))


def wide_box(table: Tables, cell: Cell, mu: arb) -> Box | None:
    """Return what is known there, for w − y in an interval."""
    y = between(cell.low, cell.high)
    w = y + mu
    bracket = between(low(cell.least - mills(low(w))), up(cell.most - mills(up(w))))
    x = meet(bracket / mu, mean_slope(y, w))
    if low(density_at(y) * x * mu) > _HALF:
        return None
    inherited = up(difference_error(cell, *table.from_here(w))[0] / mu + x * table.common)
    return from_lengths(x, y, w, inherited)


def from_lengths(x: arb, y: arb, w: arb, inherited: arb) -> Box:
    gross = up((1 + abs(y) * w + w**2 / 4) * abs(x))
    return Box(x, (1 + y * w) * x, (y**2 + w**2) * x**2, gross, inherited)


def mean_slope(y: arb, w: arb) -> arb:
    """An interval for the mean of −m′ from y to w.

    −m′ = 1 − xm falls and is convex: its mean is above its value in the middle, and below the mean
    of those at the ends.
    """
    first, middle, last = (1 - x * mills(x) for x in (low(y), up((y + w) / 2), low(w)))
    return between(low(middle), up((first + last) / 2))


def pieces(
    box: Callable[[arb], Box | None], first: arb, last: arb, least: arb
) -> Iterator[UnknownInterval]:
    """Intervals of w − y for y between two numbers: from the least w − y to ε = 1000."""
    farthest = larger(up(abs(first)), up(abs(last)))
    most = up((farthest**2 + 2 * arb(TABLE_END)).sqrt() * _MORE - first)
    start = low(larger(least, arb("0.01")))
    while start < most:
        end = up(start * _RATIO)
        yield UnknownInterval(box, start, end)
        start = end


def meet(a: arb, b: arb) -> arb:
    return between(larger(low(a), low(b)), min_of(up(a), up(b)))


def density_at(y: arb) -> arb:
    return (-(y**2) / 2).exp() / (2 * arb.pi()).sqrt()


def beyond_boxes(table: Tables) -> Iterator[UnknownInterval]:
    """Have y in a cell, ε > 1000: the second unknown is 1/w."""
    for cell in table.cells:
        if cell.high > _LEAST and cell.low < _MOST:
            y = between(cell.low, cell.high)
            yield UnknownInterval(partial_of(beyond_box, table, cell, y), arb(0), reciprocal(y))


def beyond_box(table: Tables, cell: Cell, y: arb, r: arb) -> Box | None:
    """Return what is known there, for 1/w in an interval."""
    right = between(low(r) * (1 - up(r) ** 2), up(r))  # r − r³ < m(1/r) < r
    b = between(low(cell.least - right), up(cell.most - right))
    if low(density_at(y) * b) > _HALF:
        return None
    least = low((1 - y * r) / up(r))  # of w − y
    error = up(difference_error(cell, *table.from_here(1 / up(r)))[0] / least)
    return from_reciprocal(y, r, b / (1 - y * r), error, table.common)


def reciprocal(y: arb) -> arb:
    """The largest 1/w for ε > 1000."""
    return up(1 / (low(abs(y)) ** 2 + 2 * arb(TABLE_END) / _MORE).sqrt())


def from_reciprocal(y: arb, r: arb, xw: arb, error: arb, common: arb) -> Box:
    x, gross = xw * r, up((r + abs(y)) * abs(xw))
    return Box(x, (r + y) * xw, (1 + (y * r) ** 2) * xw**2, gross, up(error + abs(x) * common))


def above_boxes(table: Tables) -> Iterator[UnknownInterval]:
    """Have −y in a cell of the Mills ratio's table: 1 − δ is the target, and x is negative."""
    for cell in table.cells:
        if cell.high > -arb("0.1") and cell.low < _MOST:
            y = between(-cell.high, -cell.low)
            box = partial_of(above_box, table, cell, y)
            yield from pieces(box, -cell.high, -cell.low, 2 * cell.low)
            box = partial_of(above_beyond, table, cell, y)
            yield UnknownInterval(box, arb(0), reciprocal(y))


def above_box(table: Tables, cell: Cell, y: arb, mu: arb) -> Box | None:
    """Return what is known there, for w − y in an interval."""
    w = y + mu
    c = between(cell.least + mills(up(w)), cell.most + mills(low(w)))
    if low(density_at(y) * c) > _HALF:
        return None
    x = -c / mu
    return from_lengths(x, y, w, up(abs(x) * (table.above + table.common)))


def above_beyond(table: Tables, cell: Cell, y: arb, r: arb) -> Box | None:
    """Return what is known there, for 1/w in an interval."""
    c = between(cell.least, cell.most + up(r))
    if low(density_at(y) * c) > _HALF:
        return None
    return from_reciprocal(y, r, -c / (1 - y * r), arb(0), table.above + table.common)


def worst_of(
    piece: UnknownInterval, goal: arb, misfit: dict[str, Polynomial], halvings: int = _HALVINGS
) -> tuple[int, arb]:
    """The number of boxes, and a bound on the last step's error in all of them."""
    box = piece.box(between(piece.low, piece.high))
    found = arb(0) if box is None else step_error(box, misfit)
    if found < goal or not halvings:
        return 1, found
    middle = low((piece.low + piece.high) / 2)
    parts = (
        UnknownInterval(piece.box, *ends) for ends in ((piece.low, middle), (middle, piece.high))
    )
    (n, a), (m, b) = (worst_of(part, goal, misfit, halvings - 1) for part in parts)
    return n + m, larger(a, b)


def last_error(misfit: Polynomial) -> arb:
    """The error of (D/v)·e^−s, or (a/v)·e^s, given s: three roundings, and two of the series."""
    s = Bound(_STEP, arb(0))
    left_out = _STEP**5 / 120 * _MORE + misfit.most(l=_STEP)
    small = expm1(s)
    roundings = half_unit(2 * _STEP) * 3 + 4 * U * _STEP
    return up(small.error + left_out + roundings + 16 * U * U)


def main() -> int:
    ctx.prec = 300
    try:
        misfit = misfits()
    except ArithmeticError as error:
        print(f"{error}\nNOT PROVED")
        return 1
    table = tables()
    ctx.prec = _BITS
    added, last, good = arb(MU_ERROR), last_error(misfit["e^l − 1"]), True
    for name, found, besides in (
        ("wide", wide_boxes(table), arb(0)),
        ("ε > 1000", beyond_boxes(table), arb(0)),
        ("near", near_boxes(table), _SCALED),
        ("above", above_boxes(table), arb(0)),
    ):
        count, worst, goal = 0, arb(0), added - last - besides - _CLEAR
        for piece in found:
            boxes, error = worst_of(piece, goal, misfit)
            count, worst = count + boxes, larger(worst, error)
            if not worst < goal:
                break
        needed = up((worst + last + besides) * _MORE)
        good = good and count > 0 and bool(needed < added)
        print(f"{name:9} {count:6} boxes, σ {units(needed)} u, of {MU_ERROR * 2**53:g} u added")
    print("PROVED" if good else "NOT PROVED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
