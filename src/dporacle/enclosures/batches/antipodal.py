"""A record of balls-and-bins batches is replaced: prices of the antipodal pair (X.BAT.REPLACED, R).

The pair is P = (1/T)ΣN(e_t, σ²I) against Q = (1/T)ΣN(−e_t, σ²I). With z_t standard normal, s = 1/σ,
v = ln a and X_t = 2e^{−s²/2}sinh(sz_t − v/2),

    e^{−v/2}·H_a(P‖Q) = (1/T)·E(ΣX_t)₊.

Two ways, both by the characteristic function of ΣX_t, which is a power. With much noise, or many
batches, the mean of the periodic function that is x₊ on [−A, B]; what lies outside is bounded. Else
E|x| = (2/π)∫(1 − cos ux)u^{−2}du by the trapezoid rule in ln u, for all v at once ("The antipodal
pair" in `proofs_notes/batches.md`). Floats choose; every error is a ball.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise

from flint import acb, acb_mat, arb, fmpz_mat

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.lognormal import powers

__all__ = ["Antipodal"]

_CELL = 0.125  # width of the cells of z over which an increasing function is bounded
_TURNS = [math.pi / 2 * 0.85**k for k in range(90, -1, -1)]  # of the line of z, times s: with
# much noise the best one is about as small as s
_MOST_TERMS = 4_000_000  # nodes of z times frequencies, of one price
_MOST_SECONDS = 10.0  # of all prices together, about
_SPARE = 3.0  # nats
_MOST_POWER = 60  # of 1.12, times the frequency at which a normal sum has died out
_TILTS = [1.25**k for k in range(-24, 1)]  # of a Chernoff bound, which every tilt gives


@dataclass(frozen=True)
class Antipodal:
    """The antipodal pair of one epoch of T bins.

    Attributes:
        sigma: noise multiplier.
        batches: T ≥ 2.
    """

    sigma: Fraction
    batches: int
    even = True  # P and Q change places where z changes its sign

    @property
    def decay(self) -> Fraction:
        """4s²/T: the mean of z is independent of what is left, and a Gaussian factor of ln R."""
        return 4 / (self.sigma**2 * self.batches)

    @property
    def spread(self) -> float:
        """About the standard deviation of ln R."""
        s = 1 / float(self.sigma)
        square = min(s * s, 700.0)
        return min(2 * s, math.sqrt(2 * (math.exp(square) - math.exp(-square)) / self.batches))

    def reach(self, nats: float, direction: int) -> float:
        """Estimate how far from 0 the prices are above e^−nats; both sides are alike."""
        s, z = 1 / float(self.sigma), math.sqrt(2 * nats)
        one = s * z + s * s / 2 - math.log(self.batches)
        # Few variables of large spread: their mean is typically far below 1.
        one += max(0.0, s * s / 2 - s * math.sqrt(2 * math.log(self.batches)))
        return 1.05 * max(self.spread * z, 2 * s * z / math.sqrt(self.batches), one) + 1e-3

    def prices(self, step: Fraction, indices: range, nats: float) -> list[arb]:
        """Enclose e^{−v/2}·E(R − e^v)₊ at v = jΔ ≥ 0.

        Raises:
            ArithmeticError: if that would need too much work.
        """
        if not indices:
            return []
        asked = nats + _SPARE
        bits = max(BITS, math.ceil(2.2 * asked / math.log(2)) + 96)
        with precision(bits):
            tails = _Tails(self, asked)
            mesh = _Mesh(tails, step, indices, asked)
            other = _periodic_cost(tails, indices)
            if min(mesh.cost, other) == math.inf:
                raise ArithmeticError("the antipodal pair would need too much work")
            if mesh.cost < other:
                return mesh.prices()
            return [_price(self, tails, ball(step) * j, asked) for j in indices]


class _Tails:
    """Bounds of the law of ΣX_t, from masses of z in cells."""

    def __init__(self, pair: Antipodal, nats: float) -> None:
        self.pair, self.nats = pair, nats
        self.s = 1 / ball(pair.sigma)
        s = float(self.s)
        self.square = self.s * self.s
        # Beyond `cut` z is clipped, at the price of T times the mass there, or of its shift by s.
        self.cut = math.ceil((math.sqrt(2 * (nats + math.log(pair.batches) + 2)) + s) / _CELL)
        self.edges = [arb(k * _CELL) for k in range(-self.cut, self.cut + 1)]
        self.top = self.edges[-1]
        self._cells: tuple[arb, list[arb], list[tuple[float, float]]] | None = None
        # Where the last searches ended: the next ones, at a price nearby, begin there.
        self._tilted, self._turned, self.counted = len(_TILTS) // 2, len(_TURNS) - 10, 5

    def _masses(self, shift: arb) -> list[arb]:
        """Return the masses of N(shift, 1) below the first edge and in the cells."""
        tails = [normal_tail(edge - shift) for edge in self.edges]
        return [1 - tails[0], *(a - b for a, b in pairwise(tails))]

    @cached_property
    def plain(self) -> list[arb]:
        return self._masses(arb(0))

    @cached_property
    def moved(self) -> tuple[list[arb], list[arb], list[arb]]:
        """Masses of N(s, 1), N(2s, 1) and N(−2s, 1)."""
        return self._masses(self.s), self._masses(2 * self.s), self._masses(-2 * self.s)

    def size(self, z: arb, v: arb) -> arb:
        """Return X at a z."""
        return 2 * (-self.square / 2).exp() * (self.s * z - v / 2).sinh()

    def squares(self, v: arb) -> list[arb]:
        """Return E[X²; cell]."""
        _, up, down = self.moved
        first, second, third = (
            (self.square - v).exp(),
            (self.square + v).exp(),
            2 * (-self.square).exp(),
        )
        return [
            first * a + second * b - third * c for a, b, c in zip(up, down, self.plain, strict=True)
        ]

    def beyond(self, v: arb, asked: float, *, shifted: bool) -> tuple[float, arb]:
        """Return a B and a bound of P(ΣX_t > B), about e^−asked.

        Args:
            v: ln a, of any sign.
            asked: nats.
            shifted: whether one of the z is N(s, 1).
        """
        times = self.pair.batches
        sizes = [self.size(edge, v) for edge in self.edges]
        squares = self.squares(v)
        mean = -2 * (v / 2).sinh()  # of X; clipping lowers it
        most = sizes[-1]
        if not most > 0:
            raise ArithmeticError("the window of the loss has no upper end")
        past = normal_tail(self.top)

        tilt, end = self._tilt(sizes, squares, mean, asked, shifted=shifted)
        rest = sum((m * _second(tilt * x) for m, x in zip(squares, sizes, strict=True)), arb(0))
        rest += past * most * most * _second(tilt * most)
        one = tilt * mean + tilt * tilt * rest
        log = (times - shifted) * one.log1p()
        if shifted:
            first = sum(
                (m * (tilt * x).exp() for m, x in zip(self.moved[0], sizes, strict=True)), arb(0)
            )
            first += normal_tail(self.top - self.s) * (tilt * most).exp()
            log += first.log()
        bound = (log - tilt * arb(end)).exp()
        clipped = times * past + (normal_tail(self.top - self.s) if shifted else 0)
        return end, (bound + clipped).upper()

    def _tilt(
        self, sizes: list[arb], squares: list[arb], mean: arb, asked: float, *, shifted: bool
    ) -> tuple[arb, float]:
        """Choose, in floats, a tilt and where Chernoff's bound is then e^−asked."""
        times, drift = self.pair.batches, float(mean)
        ends = [float(x) for x in sizes]
        weights = [float(m.mid()) for m in squares]
        moved = [float(m.mid()) for m in self.moved[0]] if shifted else []

        def end_of(place: int) -> float:
            tilt = _TILTS[place] * asked / ends[-1]
            logs = [tilt * x for x in ends]
            rest = math.fsum(m * _second_float(w) for m, w in zip(weights, logs, strict=True))
            one = tilt * drift + tilt * tilt * rest
            if not -1 < one < math.inf:
                return math.inf
            log = (times - shifted) * math.log1p(one)
            if shifted:
                log += math.log(
                    math.fsum(m * math.exp(min(w, 700.0)) for m, w in zip(moved, logs, strict=True))
                )
            return (asked + log) / tilt

        self._tilted = _descend(end_of, len(_TILTS), self._tilted)
        best = end_of(self._tilted)
        if best == math.inf:
            raise ArithmeticError("the window of the loss has no end")
        return arb(_TILTS[self._tilted] * asked / ends[-1]), max(best, ends[-1] * 1e-3)

    def _least_of(self, v: arb) -> tuple[list[arb], list[tuple[float, float]]]:
        """Return the least cosh(sz − v/2) of each cell, and about that with the cell's mass."""
        if self._cells is None or self._cells[0] is not v:
            ends = [self.s * edge - v / 2 for edge in self.edges]
            heights = [each.cosh() for each in ends]
            least = []
            for k, (left, right) in enumerate(pairwise(ends)):
                inside = heights[k] if left > 0 else heights[k + 1] if right < 0 else arb(1)
                least.append(inside)
            masses = (float(m.mid()) for m in self.plain[1:])
            cells = list(zip(masses, map(float, least), strict=True))
            self._cells = v, least, cells
        return self._cells[1:]

    def turned(self, u: arb, v: arb) -> tuple[arb, arb]:
        """Bound |E e^{iuX}|^T, and by what factor it falls per unit of u."""
        times, scale = self.pair.batches, 2 * (-self.square / 2).exp()
        least, cells = self._least_of(v)
        front = float(scale) * float(u)

        def estimate(place: int) -> float:
            turn = _TURNS[place]
            x = front * math.sin(turn)
            top = x  # every cosh is at least 1
            mass = math.fsum(m * math.exp(max(top - x * c, -700.0)) for m, c in cells)
            return math.log(mass) - top + turn * turn / (2 * float(self.square))

        self._turned = _descend(estimate, len(_TURNS), self._turned)
        beta = arb(_TURNS[self._turned])
        x = scale * u * beta.sin()
        mass = sum((m * (-x * c).exp() for m, c in zip(self.plain[1:], least, strict=True)), arb(0))
        mass += (self.plain[0] + normal_tail(self.top)) * (-x).exp()
        log = (mass.log() + beta * beta / (2 * self.square)) * times
        if not log.is_finite():
            raise ArithmeticError("the characteristic function is not bounded")
        return log, -times * scale * beta.sin()


def _descend(value: Callable[[int], float], count: int, start: int) -> int:
    """Return a place, of so many, whose neighbours have no smaller value; or the best of all.

    A search that begins where nothing is finite has no way down.
    """
    at, here = start, value(start)
    if here == math.inf:
        return min(range(count), key=value)
    for way in (-1, 1):
        while 0 <= at + way < count and (there := value(at + way)) < here:
            at, here = at + way, there
    return at


def _second_float(w: float) -> float:
    """Estimate (e^w − 1 − w)/w²."""
    return (math.expm1(min(w, 700.0)) - w) / (w * w) if abs(w) > 1e-3 else 0.5 + w / 6


def _second(w: arb) -> arb:
    """Bound (e^w − 1 − w)/w², which rises, from above."""
    if abs(w) < arb(2) ** -40:
        return arb(1) / 2 + abs(w)
    value: arb = (w.expm1() - w) / (w * w)
    return value


def _price(pair: Antipodal, tails: _Tails, v: arb, nats: float) -> arb:
    """Enclose (1/T)·E(ΣX_t)₊ at v ≥ 0 to about e^−nats."""
    times = pair.batches
    high, above = tails.beyond(v, nats, shifted=True)
    low, under = tails.beyond(-v, nats + max(0.0, math.log(high / times)), shifted=False)
    # E[ΣX; ΣX > B] ≤ T·e^{−v/2}·P(ΣX > B with one z moved by s); below −A at most B is missing.
    error = (-v / 2).exp() * above * arb(0.5, 0.5) - arb(high) / times * under * arb(0.5, 0.5)
    period = arb(high) + arb(low)
    delta = 2 * arb.pi() / period
    count, rest = _frequencies(tails, v, nats, arb(high), period)
    values = _characteristic(tails, v, delta, count, nats + math.log(float(period)) + _SPARE)
    total = arb(high) ** 2 / (2 * period)
    turn = acb(0, -delta * arb(high)).exp()
    wave, place = acb(1), acb(0)
    for n, one in enumerate(values, 1):
        u = delta * n
        wave = wave * turn if n % 64 else acb(0, -u * arb(high)).exp()
        place = (wave * acb(1, u * arb(high)) - 1) / (u * u)
        total += 2 * (place * one**times).real / period
    value: arb = (total + rest * arb(0, 1)) / times + error
    return value


def _frequencies(tails: _Tails, v: arb, nats: float, high: arb, period: arb) -> tuple[int, arb]:
    """Return how many frequencies count, and a bound of the others' terms together."""
    square, times = float(tails.square), tails.pair.batches
    variance = 2 * (math.exp(square) * math.cosh(float(v)) - math.exp(-square))
    variance -= 4 * math.sinh(float(v) / 2) ** 2
    delta = 2 * arb.pi() / period
    u = math.sqrt(2 * nats / (times * variance))

    def left_out(power: int) -> tuple[int, arb] | None:
        """Return how many frequencies there are up to a power of 1.12, and a bound of the rest."""
        count = max(1, math.ceil(u * 1.12**power / float(delta)))
        at = delta * count
        log, fall = tails.turned(at, v)
        ratio = (fall * delta).exp()
        rest = 2 / period * (2 / (at * at) + high / at) * log.exp() * ratio / (1 - ratio)
        if rest.is_finite() and float(rest.upper().log()) < math.log(times) - nats:
            return count, rest.upper()
        return None

    # The least power that is enough is near that of the last price.
    power = tails.counted
    found = left_out(power)
    while found is None:
        power += 1
        if power > _MOST_POWER:
            raise ArithmeticError("the characteristic function does not die out")
        found = left_out(power)
    while power > 0 and (fewer := left_out(power - 1)) is not None:
        power, found = power - 1, fewer
    tails.counted = power
    return found


def _characteristic(tails: _Tails, v: arb, delta: arb, count: int, nats: float) -> list[acb]:
    """Enclose E e^{iuX} at u = δ, 2δ, …, so many, by the trapezoid rule on a line above the axis.

    On Im z = y, 0 ≤ sy ≤ π, the integrand is at most e^{y²/2}φ(Re z).
    """
    s = tails.s
    b = 0.999 * min(math.sqrt(nats / 2), math.pi / (2 * float(s)))
    eta = 2 * math.pi * b / (nats + math.log1p(math.exp(2 * b * b)) + 1)
    ends = math.ceil(math.sqrt(2 * nats + b * b) / eta)
    width = max(1, math.isqrt(count))
    rows = -(-count // width)
    if (2 * ends + 1) * count > _MOST_TERMS:
        raise ArithmeticError("the characteristic function would need too many nodes")
    y, step = arb(b), arb(eta)
    if not (y > 0 and 2 * s * y < arb.pi()):
        raise ArithmeticError("the line of the characteristic function is turned too far")
    error = (1 + (2 * y * y).exp()) / (2 * arb.pi() * y / step).expm1()
    error += 2 * (y * y / 2).exp() * normal_tail(step * ends)
    front = step / (2 * arb.pi()).sqrt()
    scale = 2 * (-tails.square / 2).exp() * delta
    left, right = [], []
    for k in range(-ends, ends + 1):
        z = acb(step * k, y)
        base = (acb(0, 1) * scale * (s * z - v / 2).sinh()).exp()
        ladder = powers(base, width + 1)
        right.append(ladder[:width])
        first = (-z * z / 2).exp() * front * base
        left.append([first * each for each in powers(ladder[width], rows)])
    nodes = 2 * ends + 1
    product = acb_mat(rows, nodes, [left[j][a] for a in range(rows) for j in range(nodes)])
    product *= acb_mat(nodes, width, [each for row in right for each in row])
    radius = arb(0, error.upper())
    missing = acb(radius, radius)
    return [each + missing for each in product.entries()[:count]]


def _periodic_cost(tails: _Tails, indices: range) -> float:
    """Estimate the seconds of `_price` at so many v."""
    s, times = float(tails.s), tails.pair.batches
    farthest = float(tails.size(tails.top, arb(0)))
    variance = 2 * (math.exp(min(s * s, 700.0)) - math.exp(-s * s))
    spread = math.sqrt(times * variance)
    frequencies = math.sqrt(2 * tails.nats) * (3 * farthest / spread + 25) / 6
    nodes = 2 * math.sqrt(2 * tails.nats) / (0.3 * min(1.0, 1 / s))
    if frequencies * nodes > _MOST_TERMS:
        return math.inf
    return len(indices) * (0.02 + frequencies * (1e-5 + nodes * 1.5e-7))


class _Mesh:
    """The trapezoid rule in ln u, and in z on the line Im z = π/2s, on one lattice of exponents.

    There e^{iuX} is e^{−2cu·cosh(sz − v/2)} = f(ln u + sz − v/2)·f(ln u − sz + v/2), c = e^{−s²/2},
    f(x) = exp(−ce^x): a table of f serves all u, z and v, and a product of matrices adds up.
    """

    def __init__(self, tails: _Tails, step: Fraction, indices: range, nats: float) -> None:
        self.tails, self.indices, self.nats, self.step = tails, indices, nats, step
        s, times = float(tails.s), tails.pair.batches
        self.cost = math.inf
        if s * s > 20:
            return
        widest, half = max(abs(j) for j in indices) * float(step), float(step) / 2
        # A strip |Im ln u| < θ costs e^{Tθ²/2s²}.
        need = nats + 0.5 * (math.log(times) + s * s + widest) + 4
        theta = min(1.5, math.sqrt(2 * need / times) * s)
        finest = 2 * math.pi * theta / (need + times * theta * theta / (2 * s * s))
        fourth = 8 * s * s + 2 * widest + 4 * math.log(times)
        left = -(nats + fourth - math.log(times)) / 3 - 1
        variance = 2 * (math.exp(s * s) - math.exp(-s * s))
        right = math.log(math.sqrt(2 * nats / (times * variance)))
        self.asked = nats - left + math.log(times) + 4
        y = math.pi / (2 * s)
        widest_turn = 2 * math.pi * y / (self.asked + 2 * y * y + 1) * s  # of z, times s
        self.parts = max(1, math.ceil(half / min(finest, widest_turn)))
        self.theta, h = theta, half / self.parts
        self.first, self.right = math.floor(left / h), right
        turns = max(1, math.floor(widest_turn / h * (1 + 1e-12)))
        if turns > self.parts:
            turns -= turns % self.parts
        self.turns, self.lift = turns, y * y / 2
        self.ends = math.ceil(math.sqrt(2 * self.asked + y * y) * s / (turns * h))
        farthest = max(abs(j) for j in indices)
        self.farthest = turns * self.ends + self.parts * farthest
        rows, width = (right + 1 - left) / h, len(indices)
        classes = min(width, turns // math.gcd(turns, self.parts))
        columns = 2 * (self.ends + self.parts * farthest // turns)
        cost = rows * (columns * (3e-7 * classes + width * 1.5e-8) + width * 6e-6)
        self.cost = cost if cost < _MOST_SECONDS else math.inf

    def _last(self) -> int:
        """Return the index of the last u: beyond it no characteristic function counts."""
        h, times = float(self.step) / (2 * self.parts), self.tails.pair.batches
        at, gap = self.right, 0.05
        for _ in range(60):
            last = math.ceil(at / h)
            u = (ball(self.step) / (2 * self.parts) * last).exp()
            logs = [self.tails.turned(u, ball(self.step) * j)[0] for j in self._ends()]
            if all(float(log.upper()) - at < math.log(times) - self.nats for log in logs):
                return last
            at, gap = at + gap, 1.1 * gap
        raise ArithmeticError("the characteristic function does not die out")

    def _ends(self) -> tuple[int, int]:
        return self.indices[0], self.indices[-1]

    def prices(self) -> list[arb]:
        """Enclose (1/T)·E(ΣX_t)₊ at all v."""
        self.units = math.ceil((self.asked + self.lift) / math.log(2)) + 48
        with precision(self.units + 32):
            return self._prices()

    def _integer(self, value: arb) -> int:
        """Return a number in units of 2^−units, to within two of them.

        Raises:
            ArithmeticError: if its ball is wider than one.
        """
        if not value.rad() <= arb(2) ** -self.units:
            raise ArithmeticError("a term of the trapezoid rule has too few bits")
        mantissa, exponent = map(int, value.mid().man_exp())
        exponent += self.units
        return mantissa << exponent if exponent >= 0 else mantissa >> -exponent

    def _prices(self) -> list[arb]:
        tails, s, units = self.tails, self.tails.s, self.units
        h = ball(self.step) / (2 * self.parts)
        y = arb.pi() / (2 * s)
        eta = h * self.turns / s
        error = (1 + (2 * y * y).exp()) / (2 * arb.pi() * y / eta).expm1()
        error += 2 * (y * y / 2).exp() * normal_tail(eta * self.ends)
        front = eta / (2 * arb.pi()).sqrt()
        weights = {
            i: (-(acb(eta * i, y) ** 2) / 2).exp() * front for i in range(-self.ends, self.ends + 1)
        }
        # Sums of integers: each of the table is off by two units at most, a product of two by five,
        # and each weight by two.
        most = sum((abs(each) for each in weights.values()), arb(0))
        error += (6 * most + 4 * len(weights)) * arb(2) ** -units
        radius = arb(0, error.upper())
        missing = acb(radius, radius)
        whole = {i: (self._integer(w.real), self._integer(w.imag)) for i, w in weights.items()}
        last = self._last()
        rows = range(self.first, last + 1)
        table = {
            k: self._integer((-(h * k - tails.square / 2).exp()).exp())
            for k in range(rows[0] - self.farthest, rows[-1] + self.farthest + 1)
        }
        places = [(h * n).exp() for n in rows]
        inverses = [1 / u for u in places]
        found: dict[int, arb] = {}
        # The exponents |turns·i − parts·j| of a column have one residue, but for their sign.
        classes: dict[int, list[int]] = {}
        for j in self.indices:
            residue = self.parts * j % self.turns
            classes.setdefault(min(residue, self.turns - residue), []).append(j)
        scale = arb(2) ** (-2 * units)
        for members in classes.values():
            columns: dict[int, int] = {}
            for j in members:
                for i in weights:
                    columns.setdefault(abs(self.turns * i - self.parts * j), len(columns))
            width = 2 * len(members)
            parts = [0] * (len(columns) * width)
            for place, j in enumerate(members):
                for i, (real, imaginary) in whole.items():
                    at = columns[abs(self.turns * i - self.parts * j)] * width + 2 * place
                    parts[at] += real
                    parts[at + 1] += imaginary
            both = [(table[n + k] * table[n - k]) >> units for n in rows for k in columns]
            product = fmpz_mat(len(rows), len(columns), both)
            sums = (product * fmpz_mat(len(columns), width, parts)).entries()
            for place, j in enumerate(members):
                total = arb(0)
                ends = sums[2 * place :: width], sums[2 * place + 1 :: width]
                for a, b, u in zip(*ends, inverses, strict=True):
                    value = acb(arb(a) * scale, arb(b) * scale) + missing
                    total += (1 - (value**tails.pair.batches).real) * u
                v = ball(self.step) * j
                found[j] = self._half(total, v, h, places[0], places[-1])
        return [found[j] for j in self.indices]

    def _half(self, total: arb, v: arb, h: arb, first: arb, last: arb) -> arb:
        """Return (1/T)·(E|ΣX| + EΣX)/2 from the sum over ln u, with all that it leaves out."""
        tails, times = self.tails, self.tails.pair.batches
        square = tails.square
        mean = -2 * (v / 2).sinh()
        second = 2 * (square.exp() * v.cosh() - (-square).exp())
        fourth = (
            2
            * (-2 * square).exp()
            * ((8 * square).exp() * (2 * v).cosh() - 4 * (2 * square).exp() * v.cosh() + 3)
        )
        variance = second - mean * mean
        middle = times * 8 * (fourth + mean**4) + 3 * times * (times - 1) * variance**2
        fourths = 8 * (middle + (times * mean) ** 4)
        squares = times * second + times * (times - 1) * mean * mean
        # 1 − cos x is x²/2 less at most x⁴/24; far to the right it is 1 but for the characteristic.
        total += squares / 2 * first / h.expm1()
        total -= fourths / 24 * first**3 / (3 * h).expm1() * arb(0.5, 0.5)
        alive = tails.turned(last, v)[0].exp()
        total += (1 + alive * arb(0, 1)) / last / h.expm1()
        theta = arb(self.theta)
        growth = (times * theta * theta / (2 * square)).exp()
        larger = 2 * (square.exp() * v.cosh() + (-square).exp())
        small, large = growth * times**2 * larger / 2, 1 + growth
        if not 0 < theta < arb.pi() / 2:
            raise ArithmeticError("the strip of ln u is too wide")
        rule = 4 * (small * large).sqrt() / (2 * arb.pi() * theta / h).expm1()
        whole = h * total + rule * arb(0, 1)  # ∫(1 − Re χ)/u² du = π/2·E|ΣX|
        value: arb = (whole / arb.pi() + times * mean / 2) / times
        return value
