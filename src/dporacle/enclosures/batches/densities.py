"""Many steps of one law, given by its densities: δ and ε of their product by inversion (X.BAT.CAP).

A step is a pair of mixtures of normal densities on parts of the line, and atoms. With L the loss
and M(s) = ∫ p^{1+s} p'^{−s} its transform, δ of T steps is the inverse Laplace transform of M^T,
summed over equidistant frequencies; the aliases and what is beyond the last frequency are bounded.
M is computed by Gauss and Legendre's rule on panels of a path above the line, where e^{ivL} falls
with v.
Floats choose the contour, and nothing that they say is believed. "Densities" in
`proofs_notes/truncated.md` has the proofs.
"""

from __future__ import annotations

import cmath
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import acb, acb_mat, arb, ctx

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds

Mixture = tuple[tuple[arb, arb], ...]
"""Weights and shifts g, of Σ weight·N(g, 1): positive weights."""

_ORDER = 28  # nodes of a panel
_ELLIPSES = (2.0, 3.0, 4.5)  # of Bernstein: sums of half-axes, of which the best one counts
_ROUGH = 64  # bits of a bound
_WIDTH, _LEAST = 0.5, 1e-3  # of a panel at first, and at last, in inverse shifts
_CELL = 0.25  # of the bound beyond the last frequency at first, the same
_BOUND = 12.0  # nats by which the errors of a bound are small
_LOOSE = 3e-5  # of M: what a cell of it may be too large by
_DEPTH = 1e4  # or a part of the cell itself
_DIGITS = 11  # of δ, which the contour is chosen for
_MOST_NODES = 3000
_MOST_WORK = 1.5e7  # products of balls: about two seconds
_MOST_PANELS = 1500
_MOST_BUILT = 3  # spectra, besides the first
_POWERS = [0.05 * 1.22**k for k in range(48)]  # real parts of contours
_HEIGHTS = (1.0, 0.7, 0.45, 0.25)  # of the path, in parts of the largest
_STEP = 0.04  # of the float sums, in inverse shifts
_MOST_POINTS = 1_000_000  # of a line of floats: half a minute
_FAINT = 45.0  # nats: a term so far below the largest is less than its last digit
_HARDLY = 1e-15  # of the largest part of a float sum
_TRIES = 5  # contours for δ at one ε, each for one e^6 times smaller than the last
_NUDGE = Fraction(1, 10**11)  # of an ε
_NEAR = 3e-12  # of the logarithm of a δ
_ENOUGH = 32  # bits of it
_MOST_STEPS = 40  # of a Newton search for ε, whose steps double its digits
_FARTHEST = 1e6  # ε


@dataclass(frozen=True)
class LawPiece:
    """Densities over a part of the line, of a variable t with unit noise.

    On it the loss ln(p/p') rises, and Im ln(p/p') ≥ 0 for 0 ≤ Im t ≤ `height`; there the real parts
    of both sums over e^{gt − g²/2} are positive. Whoever makes a piece has proved that.

    Attributes:
        first: p.
        second: p'.
        low: where it begins; None for −∞.
        high: where it ends; None for ∞.
        height: of the strip, a float that is not too large.
    """

    first: Mixture
    second: Mixture
    low: arb | None
    high: arb | None
    height: float

    @property
    def unit(self) -> float:
        """The densities change within its inverse."""
        shifts = (g for law in (self.first, self.second) for _, g in law)
        return max(0.5, *(abs(float(g.mid())) for g in shifts))

    def sums(self, t: acb) -> tuple[acb, acb]:
        """Return the loss, and ln Σ weight·e^{gt − g²/2} of the second law.

        Not finite where a branch is left.
        """
        second = log_sum(self.second, t)
        return log_sum(self.first, t) - second, second

    def sums_along(self, middle: acb, offsets: Offsets) -> list[tuple[acb, acb]]:
        """Return `sums` at each t = middle + offset."""
        firsts, seconds = (log_sums(law, middle, offsets) for law in (self.first, self.second))
        return [(one - other, other) for one, other in zip(firsts, seconds, strict=True)]

    def slopes(self, t: acb) -> tuple[acb, acb]:
        """Return the derivatives of both."""
        second = slope_of_sum(self.second, t)
        return slope_of_sum(self.first, t) - second, second

    def steepest(self, mine: arb, other: arb, *, last: bool) -> arb:
        """Bound d ln(p^mine p'^other)/dt + t on the line from above, or from below."""
        total = arb(0)
        for power, law in ((mine, self.first), (other, self.second)):
            least, most = ends_of_shifts(law)
            total += power * (most if (power > 0) == last else least)
        return total


def log_sum(law: Mixture, t: acb) -> acb:
    """Return ln Σ weight·e^{gt − g²/2}; not finite where a branch is left."""
    return sum((w * (g * t - g * g / 2).exp() for w, g in law), acb(0)).log(analytic=True)


class Offsets:
    """Offsets from a middle, and e^{g·offset} for each shift g of a law that is asked for.

    The panels of a leg have the same offsets: an exponential for each shift and panel is left, and
    the sums are products of matrices.

    Args:
        values: the offsets.
    """

    def __init__(self, values: Sequence[acb]) -> None:
        self.values = tuple(values)
        self._tables: list[tuple[Mixture, acb_mat]] = []

    def table(self, law: Mixture) -> acb_mat:
        """Return the matrix of e^{g·offset}: a row for each shift, a column for each offset."""
        for known, table in self._tables:
            if known is law:
                return table
        made = acb_mat([[(g * each).exp() for each in self.values] for _, g in law])
        self._tables.append((law, made))
        return made


def log_sums(law: Mixture, middle: acb, offsets: Offsets) -> list[acb]:
    """Return `log_sum` at each t = middle + offset."""
    heads = acb_mat([[w * (g * middle - g * g / 2).exp() for w, g in law]])
    return [each.log(analytic=True) for each in (heads * offsets.table(law)).entries()]


def slope_of_sum(law: Mixture, t: acb) -> acb:
    """Return the derivative of that."""
    terms = [(g, w * (g * t - g * g / 2).exp()) for w, g in law]
    return sum((g * each for g, each in terms), acb(0)) / sum((e for _, e in terms), acb(0))


def ends_of_shifts(law: Mixture) -> tuple[arb, arb]:
    """Return the least and the largest shift."""
    shifts = [g for _, g in law]
    return functools.reduce(arb.min, shifts), functools.reduce(arb.max, shifts)


@dataclass(frozen=True)
class StepLaw:
    """One step's pair of laws: densities on pieces, and atoms (masses under both laws).

    Attributes:
        pieces: at least one.
        atoms: of positive masses.
    """

    pieces: tuple[LawPiece, ...]
    atoms: tuple[tuple[arb, arb], ...] = ()


@dataclass(frozen=True)
class _Contour:
    c: float
    right: float
    period: float
    nodes: int
    height: float
    log_tolerance: float
    log_one: float
    bits: int


class Inversion:
    """δ of the product of so many equal steps.

    Args:
        law: of a step.
        times: how many steps.
        swapped: whether the second law comes first.
    """

    def __init__(self, law: StepLaw, times: int, *, swapped: bool) -> None:
        self._law, self._times, self._swapped = law, times, swapped
        self._sketch = _Sketch(law, times, swapped)

    def delta(self, epsilon: Fraction) -> arb:
        """Enclose δ at an ε ≥ 0.

        Raises:
            ArithmeticError: if it would need too much work.
        """
        guess = self._sketch.log_delta(float(epsilon))
        for _ in range(_TRIES):
            if not math.isfinite(guess):
                break
            value = self._built(float(epsilon), guess).delta(epsilon)
            if value > 0 and value.rel_accuracy_bits() >= _ENOUGH:
                return value
            guess = min(guess, _log(value)) - 6.0
        raise ArithmeticError("the inversion needs too much work")

    def _built(self, x: float, log_delta: float) -> _Spectrum:
        contour = self._sketch.contour(x, log_delta)
        return _Spectrum(self._law, self._times, self._swapped, contour)

    def start(self, target: Fraction) -> Fraction:
        """Estimate the ε of a δ.

        Raises:
            ArithmeticError: if it is 0, as far as floats tell.
        """
        goal = math.log(target.numerator) - math.log(target.denominator)
        low, high = 0.0, 1.0
        while self._sketch.log_delta(high) > goal:
            low, high = high, 2 * high
            if high > _FARTHEST:
                raise ArithmeticError("epsilon is too large to be inverted")
        for _ in range(40):
            middle = (low + high) / 2
            low, high = (middle, high) if self._sketch.log_delta(middle) > goal else (low, middle)
        if not low:
            raise ArithmeticError("an epsilon of 0 is not sought by an inversion")
        return Fraction(high)

    def epsilon(self, target: Fraction, start: Fraction) -> Fraction:
        """Return an ε ≥ 0 whose δ is at most a target, and that is hardly larger than needed.

        Args:
            target: of δ.
            start: about that ε.

        Raises:
            ArithmeticError: if it would need too much work.
        """
        return self._beside(target, start, 1)

    def least_epsilon(self, target: Fraction, start: Fraction) -> Fraction:
        """Return an ε whose δ is above a target, and that is hardly smaller than it can be.

        Arguments and errors as `epsilon` has them.
        """
        return self._beside(target, start, -1)

    def _beside(self, target: Fraction, start: Fraction, side: int) -> Fraction:
        x, spectrum = self._near(target, start)
        with precision(_ROUGH):
            goal = ball(target)
        for k in range(12):
            at: Fraction = Fraction(x) * (1 + side * _NUDGE * Fraction(4) ** k)
            value = spectrum.delta(at)
            if value <= goal if side > 0 else value > goal:
                return at
        raise ArithmeticError("the search for epsilon does not end")

    def _near(self, target: Fraction, start: Fraction) -> tuple[float, _Spectrum]:
        """Return about the ε of a δ, and what encloses δ there."""
        goal = math.log(target.numerator) - math.log(target.denominator)
        x = float(start)
        if not x > 0:
            raise ArithmeticError("an ε of 0 is not sought by an inversion")
        slope = self._sketch.slope(x)
        spectrum, rebuilt = self._built(x, goal), 0
        for _ in range(_MOST_STEPS):
            value = spectrum.delta(Fraction(x))
            if not (value > 0 and value.rel_accuracy_bits() >= _ENOUGH):
                if rebuilt == _MOST_BUILT:
                    raise ArithmeticError("the inversion needs too much work")
                spectrum, rebuilt = self._built(x, goal), rebuilt + 1
                continue
            miss = _log(value) - goal
            if abs(miss) < _NEAR:
                break
            step = max(min(-miss / slope, 1.0 + x), -x / 2)
            if step == 0 or abs(step) < 1e-15 * x:
                break
            after = spectrum.delta(Fraction(x + step))
            if after > 0:
                turned = (_log(after) - _log(value)) / step
                slope = turned if turned < 0 else slope
            x += step
        return x, spectrum


def _log(value: arb) -> float:
    with precision(_ROUGH):
        return float(value.mid().log()) if value > 0 else -math.inf


class _Spectrum:
    """The transform on a line, and δ at any ε from it."""

    def __init__(self, law: StepLaw, times: int, swapped: bool, contour: _Contour) -> None:
        self._bits = contour.bits
        with precision(contour.bits):
            spacing = 2 * arb.pi() / arb(contour.period)
            transform = _Transform(law, times, swapped, contour)
            values = [each**times for each in transform.along(spacing, contour.nodes + 1)]
            right = _Transform(law, times, swapped, contour, real=contour.right)
            above = right.along(arb(0), 1)[0].real ** times
            beyond = transform.beyond(float((spacing * contour.nodes).lower())) ** times
            self._sum = LineSum(
                arb(contour.c), arb(contour.right), arb(contour.period), values, above, beyond
            )

    def delta(self, epsilon: Fraction) -> arb:
        """Enclose δ(ε)."""
        with precision(self._bits):
            return self._sum.delta(ball(epsilon))


class LineSum:
    """δ of any pair of laws from its transform K(s) = ∫ p^{1+s} p'^{−s} on a line Re s = c > 0.

    Args:
        c: real part.
        right: another one, above it.
        period: W; the frequencies are multiples of 2π/W.
        values: K at the frequencies from 0 on.
        above: a bound of K(right).
        beyond: a bound of |K| at all frequencies from the last one on.
    """

    def __init__(
        self, c: arb, right: arb, period: arb, values: Sequence[acb], above: arb, beyond: arb
    ) -> None:
        if not 0 < c < right:
            raise ArithmeticError("the Chernoff bound is not to the right of the line")
        self._c, self._right, self._period = c, right, period
        self._spacing = spacing = 2 * arb.pi() / period
        self._tail = (beyond / (arb.pi() * spacing * (len(values) - 1))).abs_upper()
        kappa = (right * right.log() - (1 + right) * (1 + right).log()).exp()
        self._above = (kappa * above).abs_upper()
        self._terms = []
        for n, value in enumerate(values):
            s = acb(c, spacing * n)
            self._terms.append(value / (s * (s + 1)))
        self._terms[0] /= 2

    def delta(self, y: arb) -> arb:
        """Enclose δ(ε): the terms of the aliases are between 0 and their bounds."""
        turn = (acb(0, -self._spacing) * y).exp()
        total = acb(0)
        for term in reversed(self._terms):
            total = total * turn + term
        scale, period = (-self._c * y).exp(), self._period
        value = scale * (2 * total.real / period + arb(0, self._tail))
        # δ(y − kW) is between 1 − e^{y−kW} and 1, δ(y + kW) below its Chernoff bound.
        value -= _series(-self._c * period)
        value += (y.exp() * _series(-(self._c + 1) * period)).union(arb(0))
        more = self._above * (-self._right * y).exp() * _series((self._c - self._right) * period)
        value -= more.abs_upper().union(arb(0))
        return value.max(arb(0)).min(arb(1))


def _series(exponent: arb) -> arb:
    """Return Σ_{k≥1} e^{k·exponent} for a negative exponent."""
    if not exponent < 0:
        raise ArithmeticError("a series of aliases diverges")
    return 1 / (-exponent).expm1()


@functools.lru_cache(maxsize=32)
def _rule(bits: int) -> tuple[tuple[arb, arb], ...]:
    with precision(bits):
        return tuple(arb.legendre_p_root(_ORDER, k, weight=True) for k in range(_ORDER))


class _Transform:
    """M(s) = ∫ p^{1+s} p'^{−s} on a line Re s = c, by panels of a path above the real line.

    Args:
        law: of a step.
        times: how many steps.
        swapped: whether the second law comes first; then M(s̄) is what the path gives.
        contour: chosen by floats.
        real: c, if it is not the contour's.
    """

    def __init__(
        self, law: StepLaw, times: int, swapped: bool, contour: _Contour, real: float | None = None
    ) -> None:
        self._law, self._swapped = law, swapped
        self._c = arb(contour.c if real is None else real)
        self._fastest = contour.nodes * 2 * math.pi / contour.period if real is None else 0.0
        self._contour = contour
        goal = contour.log_tolerance - 8.0
        if real is not None:  # a bound, which may err a little more
            goal = -math.log(times) - _BOUND
        self._goal = goal
        self._blur = arb(0)
        self._paths = [self._path(piece) for piece in law.pieces]

    def _powers(self) -> tuple[arb, arb]:
        """Return the exponents of p and p' on the real line."""
        return (-self._c, 1 + self._c) if self._swapped else (1 + self._c, -self._c)

    def _log_size(self, piece: LawPiece, t: acb) -> tuple[acb, acb]:
        """Return ln of the integrand at v = 0, and the loss."""
        loss, second = piece.sums(t)
        return self._size(t, loss, second), loss

    def _size(self, t: acb, loss: acb, second: acb) -> acb:
        # The two exponents add up to 1.
        return -t * t / 2 + second + self._powers()[0] * loss

    def _path(self, piece: LawPiece) -> list[tuple[acb, acb]]:
        """Return the legs of the path, and add what is left out of it to the blur."""
        b = arb(min(self._contour.height, piece.height))
        legs: list[tuple[acb, acb]] = []
        depth = math.sqrt(max(1.0, 2 * (20 - min(self._goal, 0.0))))
        ends = []
        for end, last in ((piece.low, False), (piece.high, True)):
            if end is not None:
                ends.append((end, True))
                continue
            rise = float(piece.steepest(*self._powers(), last=last).mid())
            peak = max(rise, 0.0) if last else min(rise, 0.0)
            # e^{size} at its largest may be far above 1: reach so much farther.
            height = max(0.0, float(self._log_size(piece, acb(peak))[0].real.mid()))
            reach = math.sqrt(depth * depth + 2 * height) + 1.0
            at = arb(peak + reach if last else peak - reach)
            self._blur += self._outside(piece, at, b, last=last)
            ends.append((at, False))
        (low, from_line), (high, to_line) = ends
        if not low < high:
            # A piece that begins beyond all that counts.
            return []
        above, last_above = acb(low, b), acb(high, b)
        if from_line:
            legs.append((acb(low), above))
        legs.append((above, last_above))
        if to_line:
            legs.append((last_above, acb(high)))
        return legs

    def _outside(self, piece: LawPiece, at: arb, b: arb, *, last: bool) -> arb:
        """Bound the integral beyond an end of the path, and on the way up to the path there."""
        slope = piece.steepest(*self._powers(), last=last)
        fall = at - slope if last else slope - at
        if not fall > 0:
            raise ArithmeticError("the integrand does not fall where the path ends")
        root = (2 * arb.pi()).sqrt()
        beyond = self._log_size(piece, acb(at))[0].real.exp() / fall / root
        leg = acb(at, (arb(0)).union(b))
        up = b * self._log_size(piece, leg)[0].real.exp() / root
        return (beyond + up).abs_upper()

    def _panels(self, piece: LawPiece, leg: tuple[acb, acb]) -> list[tuple[acb, int]]:
        """Return the panels of a leg, whose errors are within the goal, and add these up.

        Each is its middle, and how many of its length the leg has.
        """
        start, end = leg
        length = float(abs(end - start).mid())
        unit = piece.unit
        count = max(1, math.ceil(length * unit / _WIDTH))
        todo = [(k, count) for k in range(count)]
        found: list[tuple[acb, int]] = []
        while todo:
            if len(todo) + len(found) > _MOST_PANELS:
                raise ArithmeticError("the inversion needs too many panels")
            k, count = todo.pop()
            with precision(_ROUGH):
                one, other = (start + (end - start) * each / count for each in (k, k + 1))
                error = self._error(piece, one, other)
                small = error.log() < self._goal if error > 0 else True
                short = length / count * unit < _LEAST
            if small:
                self._blur += error
                found.append((start + (end - start) * (2 * k + 1) / (2 * count), count))
            elif short:
                raise ArithmeticError("the panels do not end")
            else:
                todo += [(2 * k, 2 * count), (2 * k + 1, 2 * count)]
        return found

    def _error(self, piece: LawPiece, one: acb, other: acb) -> arb:
        """Bound the error of Gauss and Legendre's rule on a panel, at all frequencies.

        With |f| ≤ S within the ellipse of half-axes (ρ ± 1/ρ)/2 it is at most
        half the length times (64/15)·S·ρ^{−2(N−1)}/(1 − ρ^{−2}).
        """
        middle, half = (one + other) / 2, abs(other - one) / 2
        best = arb.pos_inf()
        for rho in _ELLIPSES:
            axis = (half * (rho + 1 / rho) / 2).upper()
            around = acb(middle.real + arb(0, axis), middle.imag + arb(0, axis))
            size, loss = self._log_size(piece, around)
            turn = (-self._fastest * loss.imag).max(arb(0))
            if not (size.is_finite() and turn.is_finite()):
                continue
            most = (size.real + turn).upper().exp()
            bound = half * 64 / 15 * most * arb(rho) ** (-2 * (_ORDER - 1)) / (1 - arb(rho) ** -2)
            bound = bound.upper() / 2  # 1/√2π is less
            if bound < best:
                best = bound
        return best

    def along(self, spacing: arb, count: int) -> list[acb]:
        """Enclose M(c + i·n·spacing), n < count."""
        starts: list[acb] = []
        turns: list[acb] = []
        few = arb(self._goal - 8.0).exp()
        rule = _rule(int(ctx.prec) + 8)
        root = (2 * arb.pi()).sqrt()
        for piece, path in zip(self._law.pieces, self._paths, strict=True):
            for leg in path:
                nodes: dict[int, Offsets] = {}
                for middle, panels in self._panels(piece, leg):
                    half = (leg[1] - leg[0]) / (2 * panels)
                    if panels not in nodes:
                        nodes[panels] = Offsets([half * x for x, _ in rule])
                    sums = piece.sums_along(middle, nodes[panels])
                    for x, (_, weight), (loss, second) in zip(
                        nodes[panels].values, rule, sums, strict=True
                    ):
                        size = self._size(middle + x, loss, second)
                        start = size.exp() * half * weight / root
                        most = abs(start).upper()
                        if most < few:  # no term grows with v
                            self._blur += most
                            continue
                        starts.append(start)
                        turns.append(loss * acb(0, spacing))
        mine, its = self._powers()
        for one, other in self._law.atoms:
            starts.append(acb((mine * one.log() + its * other.log()).exp()))
            turns.append(acb(0, spacing) * (one / other).log())
        if count > _MOST_NODES or len(starts) * count > _MOST_WORK:
            raise ArithmeticError("the inversion needs too much work")
        columns = math.isqrt(count - 1) + 1
        rows = -(-count // columns)
        heads, tails = [], []
        for start, turn in zip(starts, turns, strict=True):
            small = _powers_of(turn.exp(), columns + 1)
            big = _powers_of(small[columns], rows)
            heads.append([start * each for each in big])
            tails.append(small[:columns])
        left = acb_mat([[head[r] for head in heads] for r in range(rows)])
        found = (left * acb_mat(tails)).entries()[:count]
        radius = self._blur.abs_upper()
        around = acb(arb(0, radius), arb(0, radius))
        values = [value + around for value in found]
        return [value.conjugate() for value in values] if self._swapped else values

    def beyond(self, frequency: float) -> arb:
        """Bound |M(c + iv)| for every v at or above a frequency.

        On the path e^{ivL} falls with v.
        """
        total = self._blur.abs_upper()
        spare = math.exp(self._contour.log_one) * _LOOSE
        with precision(_ROUGH):
            for piece, path in zip(self._law.pieces, self._paths, strict=True):
                for start, end in path:
                    length = float(abs(end - start).mid())
                    count = max(1, math.ceil(length * piece.unit / _CELL))
                    step = (end - start) / count
                    cells = [(start + step * k, step) for k in range(count)]
                    while cells:
                        at, step = cells.pop()
                        bound, more = self._cell(piece, at, step, frequency)
                        if more < spare or more * _DEPTH < bound:
                            total += bound
                        else:
                            cells += [(at, step / 2), (at + step / 2, step / 2)]
            for first, second in self._law.atoms:
                mine, other_power = self._powers()
                total += (mine * first.log() + other_power * second.log()).exp().abs_upper()
        return total

    def _cell(self, piece: LawPiece, start: acb, step: acb, frequency: float) -> tuple[arb, arb]:
        """Bound the integral of |integrand| over a cell, at a frequency, and what is too much.

        With h its logarithm, and h' from D − r to D + r on the cell, of length 1 in its variable,
        it is at most e^{h(middle) + r/2}·sinh(D/2)/(D/2).
        """
        size, loss = self._log_size(piece, start + step / 2)
        around = start.union(start + step)
        rise, second = piece.slopes(around)
        slope = ((second + self._powers()[0] * rise - around) * step).real
        slope -= frequency * (rise * step).imag
        middle, spread = slope.mid() / 2, slope.rad() / 2
        even = arb(1) if middle.is_zero() else middle.sinh() / middle
        top = (size.real - frequency * loss.imag + spread).exp()
        bound = (top * even * abs(step) / (2 * arb.pi()).sqrt()).abs_upper()
        return bound, bound * -(-spread).expm1()


def _powers_of(base: acb, count: int) -> list[acb]:
    """Return base^k for k < count, by halves: else a product's ball would swell at each step."""
    found = [acb(1), base]
    for k in range(2, count):
        found.append(found[k // 2] * found[k - k // 2])
    return found[:count]


class _Sketch:
    """Float estimates of the transform; nothing of it is believed."""

    def __init__(self, law: StepLaw, times: int, swapped: bool) -> None:
        self._times, self._swapped = times, swapped
        self._pieces = [_FloatPiece(piece) for piece in law.pieces]
        atoms = [(float(p), float(q)) for p, q in law.atoms]
        self._atoms = [(math.log(p), math.log(q)) for p, q in atoms if p > 0 and q > 0]
        self._highest = min(piece.height for piece in law.pieces)
        self._logs = [times * self.log_transform(c) for c in _POWERS]

    def log_transform(self, c: float) -> float:
        """Estimate ln M(c)."""
        mine, other = (-c, 1 + c) if self._swapped else (1 + c, -c)
        logs = [each for piece in self._pieces for each in piece.logs(mine, other)]
        logs += [mine * p + other * q for p, q in self._atoms]
        most = max(logs)
        return most + math.log(sum(math.exp(each - most) for each in logs))

    def log_delta(self, y: float) -> float:
        """Estimate ln δ(y) by the saddle point."""

        def at(k: int) -> float:
            c = _POWERS[k]
            return self._logs[k] - c * y - math.log(c * (c + 1))

        k = min(range(1, len(_POWERS) - 1), key=at)
        ratio = math.log(_POWERS[1] / _POWERS[0])
        bend = max((at(k + 1) + at(k - 1) - 2 * at(k)) / ratio**2, 1e-3)
        return min(0.0, at(k) + math.log(_POWERS[k]) - math.log(2 * math.pi * bend) / 2)

    def slope(self, y: float) -> float:
        """Estimate how ln δ falls at an ε."""
        step = 1e-3 * y + 1e-9
        return min((self.log_delta(y + step) - self.log_delta(y)) / step, -1e-3)

    def contour(self, y: float, log_delta: float) -> _Contour:
        """Choose the line, the period and the number of frequencies with the least work."""
        goal = log_delta - _DIGITS * math.log(10)
        best: _Contour | None = None
        base = min(range(len(_POWERS)), key=lambda k: self._logs[k] - _POWERS[k] * y)
        for k in range(max(0, base - 9), min(len(_POWERS) - 1, base + 3), 2):
            c = _POWERS[k]
            size = self._logs[k] - c * y
            period, right = math.inf, 0.0
            for j in range(k + 1, len(_POWERS)):
                r = _POWERS[j]
                need = (self._logs[j] - r * y + _log_kappa(r) - goal + 2) / (r - c)
                if 0 < need < period:
                    period, right = need, r
            if not math.isfinite(period):
                continue
            period = max(period, (y - goal + 2) / (c + 1), 1e-3) * 1.001
            for part in _HEIGHTS:
                b = part * self._highest
                beyond = self._beyond(c, b)
                frequency = self._frequency(beyond, c, y, goal)
                if frequency is None:
                    continue
                nodes = max(8, math.ceil(frequency * period / (2 * math.pi)))
                if nodes > _MOST_NODES:
                    continue
                if best is None or nodes < best.nodes:
                    # What M may err by, so that M^T errs little.
                    weight = 1 + math.log1p(1 / c) + math.log1p(nodes) - math.log(period)
                    one = self._logs[k] / self._times
                    error = one + goal - size - math.log(self._times) - max(weight, 0.0) - 4
                    error = min(error, one - math.log(self._times) - 4)
                    bits = int((max(size, 0.0, y) - goal) / math.log(2)) + 60
                    bits += 2 * self._times.bit_length()
                    best = _Contour(c, right, period, nodes, b, error, one, bits)
        if best is None:
            raise ArithmeticError("the inversion needs too much work")
        return best

    def _beyond(self, c: float, b: float) -> list[tuple[float, float]]:
        """Return (size, fall with the frequency) of the parts of the path."""
        mine, other = (-c, 1 + c) if self._swapped else (1 + c, -c)
        found = [each for piece in self._pieces for each in piece.above(mine, other, b)]
        return found + [(math.exp(mine * p + other * q), 0.0) for p, q in self._atoms]

    def _frequency(
        self, parts: list[tuple[float, float]], c: float, y: float, goal: float
    ) -> float | None:
        # Parts that are hardly any are left out; what M is beyond is bounded in balls later.
        least = _HARDLY * max((size for size, _ in parts), default=0.0)
        counted = [part for part in parts if part[0] > least]

        def excess(v: float) -> float:
            total = sum(size * math.exp(-v * fall) for size, fall in counted)
            log = math.log(max(total * 1.015, 1e-300)) * self._times
            return log - math.log(math.pi * v) - c * y - goal + 2

        high = 1.0
        while excess(high) > 0:
            high *= 1.5
            if high > 1e7:
                return None
        return high


def _log_kappa(p: float) -> float:
    return p * math.log(p) - (1 + p) * math.log1p(p)


class _FloatPiece:
    """The same densities in floats, at points of the line and above it."""

    def __init__(self, piece: LawPiece) -> None:
        self._laws = [
            [(math.log(float(w)) - float(g) ** 2 / 2, float(g)) for w, g in law if float(w) > 0]
            for law in (piece.first, piece.second)
        ]
        unit = piece.unit
        self._step = _STEP / unit * 2
        most = 14.0 + 14 * unit
        self._low = -most if piece.low is None else max(-most, float(piece.low))
        self._high = most if piece.high is None else min(most, float(piece.high))
        self._count = max(0, math.ceil((self._high - self._low) / self._step))
        if self._count > _MOST_POINTS:  # it grows as the square of 1/σ
            raise ArithmeticError("so little noise needs too many points of a line")
        self._step = (self._high - self._low) / max(1, self._count)
        self._ends = piece.low is not None, piece.high is not None
        self._line = [self._at(complex(self._place(k))) for k in range(self._count)]
        self._paths: dict[float, list[tuple[float, complex, complex, complex]]] = {}

    def _place(self, k: int) -> float:
        return self._low + (k + 0.5) * self._step

    def _at(self, t: complex) -> tuple[complex, complex, complex]:
        first, second = (_log_of(law, t) for law in self._laws)
        return -t * t / 2 - math.log(2 * math.pi) / 2, first, second

    def logs(self, mine: float, other: float) -> list[float]:
        """Return the logarithms of the parts of ∫ p^mine p'^other."""
        unit = math.log(self._step) if self._count else 0.0
        return [
            base.real + mine * first.real + other * second.real + unit
            for base, first, second in self._line
        ]

    def above(self, mine: float, other: float, b: float) -> list[tuple[float, float]]:
        """Return (size, fall with the frequency) of parts of the path at a height."""
        if not self._count:
            return []
        if b not in self._paths:  # whatever the powers are
            self._paths[b] = [(length, *self._at(t)) for t, length in self._path(b)]
        found = []
        for length, base, first, second in self._paths[b]:
            size = base.real + mine * first.real + other * second.real
            fall = max((first - second).imag, 0.0)
            found.append((math.exp(min(size, 600.0)) * length, fall))
        return found

    def _path(self, b: float) -> list[tuple[complex, float]]:
        """Return points of the path at a height, and what length each stands for."""
        places = [complex(self._place(k), b) for k in range(0, self._count, 2)]
        found = [(t, 2 * self._step) for t in places]
        for end, there in zip((self._low, self._high), self._ends, strict=True):
            if there:
                found += [(complex(end, b * (k + 0.5) / 8), b / 8) for k in range(8)]
        return found


def _log_of(law: Sequence[tuple[float, float]], t: complex) -> complex:
    """Estimate ln Σ e^{a + gt}; terms that are nothing beside the largest are left out."""
    x, y = t.real, t.imag
    sizes = [a + g * x for a, g in law]
    most = max(sizes)
    near = [
        (size - most, g) for size, (_, g) in zip(sizes, law, strict=True) if size > most - _FAINT
    ]
    return most + cmath.log(sum(cmath.exp(complex(size, g * y)) for size, g in near))


def delta_ends(
    law: StepLaw, times: int, epsilon: Fraction, *, swapped: bool
) -> tuple[Fraction, Fraction]:
    """Return proved ends of δ at an ε."""
    low, high = bounds(Inversion(law, times, swapped=swapped).delta(epsilon))
    return max(low, Fraction(0)), min(high, Fraction(1))
