"""Several epochs at once, from prices of one on a lattice, to twelve digits (X.BAT.BINS, S).

With R = dP/dQ of one epoch, k(τ) = E_Q R^{1/2 − iτ} is a sum of prices on a lattice, but for
aliases that a Gaussian bounds; its powers are inverted by a second sum, but for aliases that are
prices far out ("Epochs by two sums" in `proofs_notes/batches.md`). Floats choose both lattices;
every error is a ball.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Protocol

from flint import acb, arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches.curves import BITS, Lattice, chords
from dporacle.enclosures.batches.lognormal import evaluate
from dporacle.enclosures.batches.scheme import Interval

__all__ = ["EpochProduct", "PricedEpoch", "composed_delta", "composed_epsilon"]

_DIGITS = 12  # of an end: as many as commands show
_SPARE = 4.0  # nats
_MOST_PRICES = 20_000
_MOST_NODES = 20_000
_DEEPEST = 700.0  # nats
_LEAST_NATS = 90.0  # of a δ that is asked for; one far below that is only bounded
_TILTS = [1.5**k for k in range(-24, 13)]  # of Chernoff's bound, in units of the best Gaussian one
_GRAIN = 1 << 40  # a step is rounded down to a short fraction: a finer grid is as true


class PricedEpoch(Protocol):
    """A pair of laws (P, Q) of one epoch, R = dP/dQ."""

    @property
    def decay(self) -> Fraction:
        """α with |E_Q R^{1/2 − iτ}| ≤ e^{−ατ²/2} at all τ."""

    @property
    def spread(self) -> float:
        """About the standard deviation of ln R."""

    @property
    def even(self) -> bool:
        """Whether the prices at v and −v are equal."""

    def reach(self, nats: float, direction: int) -> float:
        """Estimate how far from 0 the prices are above e^−nats, to the right (1) or left (−1)."""

    def prices(self, step: Fraction, indices: range, nats: float) -> list[arb]:
        """Enclose e^{−v/2}·E(R − e^v)₊, v = jΔ ≥ 0, and e^{−v/2}·E(e^v − R)₊, v < 0.

        Their absolute error is about e^−nats.

        Raises:
            ArithmeticError: if that would need too much work.
        """


@dataclass(frozen=True)
class _Priced:
    """Prices of one epoch at jΔ, first ≤ j ≤ last, what is missing outside, and dominating pairs.

    Attributes:
        step: Δ.
        first: the smallest j.
        prices: e^{−v/2} times the prices.
        beyond: a bound of Δ times the sum of all others.
        alias: a bound of what the other periods add to k(τ), for the τ that count.
        above: a pair that dominates, in its two orders.
    """

    step: Fraction
    first: int
    prices: list[arb]
    beyond: arb
    alias: arb
    above: tuple[Lattice, Lattice]

    def transform(self, points: Sequence[arb]) -> list[acb]:
        """Enclose k at some τ."""
        h = ball(self.step)
        bases = [acb(0, -tau * h).exp() for tau in points]
        sums = evaluate(self.prices, bases)
        found = []
        for tau, base, total in zip(points, bases, sums, strict=True):
            square = arb(1) / 4 + tau * tau
            whole = h * (h / 2).sinh() / ((h / 2).cosh() - (tau * h).cos())
            value = square * (whole - h * total * base**self.first)
            error = square * self.beyond + self.alias
            radius = arb(0, error.upper())
            found.append(value + acb(radius, radius))
        return found


def _lattice(epoch: PricedEpoch, top: float, times: int, nats: float) -> _Priced:
    """Price one epoch so finely that k is known up to τ = top, to about e^−nats over `times`."""
    alpha = float(epoch.decay)
    fine = nats + math.log(times) + _SPARE
    far = max(math.sqrt(2 * fine / alpha), 1.02 * top)
    step = Fraction(math.floor(2 * math.pi / (top + far) * _GRAIN), _GRAIN)
    # An error of a price is divided by 1/4 + τ² again: it counts for each of the nodes.
    asked = fine + math.log(1 + top)
    ends = [max(1, math.ceil(epoch.reach(asked, way) / float(step))) for way in (1, -1)]
    if sum(ends) > _MOST_PRICES:
        raise ArithmeticError("one epoch would need too many prices")
    low = 0 if epoch.even else -ends[1]
    found = epoch.prices(step, range(low, ends[0] + 1), asked + math.log(sum(ends)))
    for _ in range(6):  # the ends were estimated
        grow = [found[-1].upper().log() > -asked, found[0].upper().log() > -asked and low < 0]
        if not any(grow):
            break
        more = max(2, (ends[0] - low) // 6)
        if grow[0]:
            new = range(ends[0] + 1, ends[0] + more + 1)
            found, ends[0] = found + epoch.prices(step, new, asked + math.log(sum(ends))), new[-1]
        if grow[1]:
            new = range(low - more, low)
            found, low = epoch.prices(step, new, asked + math.log(sum(ends))) + found, new[0]
    if epoch.even:
        found, low = found[:0:-1] + found, -ends[0]
    h, alpha_ball, edge = ball(step), ball(epoch.decay), arb(top)
    # Δ·Σ_{j beyond J} ≤ Δ·g_J/(e^{Δ/2} − 1): e^{v/2}g falls to the right, e^{−v/2}g to the left.
    beyond = (found[0].abs_upper() + found[-1].abs_upper()) * h / (h / 2).expm1()
    period = 2 * arb.pi() / h
    nearest = period - edge
    if not nearest > edge:
        raise ArithmeticError("the lattice of prices is too coarse")
    alias = 2 * (-alpha_ball * nearest * nearest / 2).exp()
    alias /= 1 - (-alpha_ball * nearest * period).exp()
    heights = {}
    for j, price in enumerate(found, low):
        v = h * j
        value = price * (v / 2).exp() + (0 if j >= 0 else 1 - v.exp())
        heights[j] = value.upper()
    return _Priced(step, low, found, beyond.upper(), alias.upper(), chords(step, heights))


class EpochProduct:
    """The product of so many epochs of each of some pairs, on both sides of 0.

    Attributes:
        nats: how small the errors were designed to be, and what the answers have.
    """

    def __init__(self, parts: Sequence[tuple[PricedEpoch, int]], nats: float) -> None:
        """Design both sums.

        Args:
            parts: pairs and how many epochs of each.
            nats: e^−nats is about the error of e^{−|ε|/2}δ.

        Raises:
            ArithmeticError: if it would need too much work.
        """
        if nats > _DEEPEST:
            raise ArithmeticError("so small a delta of several epochs is not enclosed")
        self.nats, times = nats, sum(n for _, n in parts)
        self.bits = max(BITS, math.ceil(2.5 * nats / math.log(2)) + 64)
        with precision(self.bits):
            self.decay = sum((ball(each.decay) * n for each, n in parts), arb(0))
            top = math.sqrt(2 * (nats + _SPARE) / float(self.decay))
            self.parts = [(_lattice(each, 1.01 * top, times, nats), n) for each, n in parts]
        spread = math.sqrt(sum(n * each.spread**2 for each, n in parts))
        self.tilts = [t * math.sqrt(2 * nats) / spread for t in _TILTS]
        self.moments = [[self._guess(t, side) for t in self.tilts] for side in (0, 1)]
        self.top, self.spread = top, spread
        self._period, self._room = 0.0, 0.0

    def _guess(self, tilt: float, side: int) -> float:
        """Estimate ln(c_t Π E[e^{tL}]), in floats."""
        total = tilt * math.log(tilt) - (1 + tilt) * math.log1p(tilt)
        for each, n in self.parts:
            law = each.above[side]
            size = float(law.step)
            logs = [
                math.log(w) + tilt * j * size
                for j, mass in law.masses.items()
                if (w := float(mass.mid())) > 0
            ]
            best = max(logs)
            total += n * (best + math.log(math.fsum(math.exp(x - best) for x in logs)))
        return total

    def farthest(self, nats: float, side: int) -> float:
        """Estimate where δ is at most e^−nats: removing (0) or adding (1) the record."""
        return max(
            0.0, min((nats + m) / t for t, m in zip(self.tilts, self.moments[side], strict=True))
        )

    def _far(self, loss: arb, side: int) -> arb:
        """Bound δ at a loss."""
        at = float(loss)
        tilt = min(
            zip(self.tilts, self.moments[side], strict=True),
            key=lambda each: each[1] - each[0] * at,
        )[0]
        t = arb(tilt)
        value = (t * t.log() - (1 + t) * (1 + t).log() - t * loss).exp()
        infinite = arb(0)
        for each, n in self.parts:
            law = each.above[side]
            moment = sum(
                (mass * (t * ball(law.step) * j).exp() for j, mass in law.masses.items()), arb(0)
            )
            value *= moment**n
            infinite += n * law.infinite.abs_upper()
        return (value + infinite).upper()

    def _cover(self, reach: float) -> None:
        """Make the nodes serve losses up to a reach."""
        if self._period and 2 * reach <= self._room:
            return
        with precision(self.bits):
            rest = max(self.farthest(self.nats + _SPARE, side) for side in (0, 1))
            reach = max(1.2 * reach, self.spread)
            self._room, self._period = 2 * reach, reach + rest
            rho = 2 * arb.pi() / arb(self._period)
            count = math.ceil(self.top * self._period / (2 * math.pi))
            if count > _MOST_NODES:
                raise ArithmeticError("the product of the epochs would need too many nodes")
            points = [rho * n for n in range(count + 1)]
            if not points[-1] <= 1.01 * self.top or count < 1:
                points = points[: max(2, math.floor(1.01 * self.top / float(rho)) + 1)]
            if not points[-1] <= arb(1.01 * self.top):
                raise ArithmeticError("a node of the product is outside of the lattice's strip")
            values = [acb(1)] * len(points)
            for each, n in self.parts:
                for i, one in enumerate(each.transform(points)):
                    values[i] *= one**n
            self.terms = [v / (arb(1) / 4 + p * p) for v, p in zip(values, points, strict=True)]
            self.terms[0] /= 2
            after = points[-1] + rho
            left = (-self.decay * after * after / 2).exp()
            left /= (1 - (-self.decay * after * rho).exp()) * (arb(1) / 4 + after * after)
            self.rho, self.cut = rho, (left * rho / arb.pi()).upper()
            # What the other periods bring, but for the factor of their weight (see `price`).
            room = arb(self._period) - arb(self._room) / 2
            self.far = (self._far(room, 0) + self._far(room, 1)).upper()
            self.room = room

    def price(self, loss: arb) -> arb:
        """Enclose e^{−y/2}·E(R − e^y)₊ at y ≥ 0, e^{−y/2}·E(e^y − R)₊ at y < 0."""
        self._cover(abs(float(loss)))
        size, period = abs(loss), arb(self._period)
        if not period - size >= self.room:
            raise ArithmeticError("a loss is outside of what the nodes serve")
        base = acb(0, self.rho * loss).exp()
        total = evaluate(self.terms, [base])[0].real
        whole = (period / 4 - size / 2).cosh() / (period / 4).sinh()
        value = whole - self.rho / arb.pi() * total
        weight = (-self.room / 2).exp() / (1 - (-period / 2).exp())
        return value - self.far * weight * arb(0.5, 0.5) + self.cut * arb(0, 1)

    def bound(self, epsilon: arb, direction: str) -> arb:
        """Bound δ at an ε ≥ 0, by Chernoff's inequality."""
        return self._far(epsilon, 0 if direction == "remove" else 1)

    def delta(self, epsilon: arb, direction: str) -> arb:
        """Enclose δ at an ε ≥ 0, the record removed ("remove") or added ("add")."""
        with precision(self.bits):
            sign = 1 if direction == "remove" else -1
            value: arb = self.price(sign * epsilon) * (epsilon / 2).exp()
            return value


def composed_delta(
    epsilon: Fraction, direction: str, made: Callable[[float], EpochProduct], digits: int = _DIGITS
) -> Interval:
    """Enclose δ at an ε ≥ 0.

    Args:
        epsilon: in [0, ∞).
        direction: "remove" or "add".
        made: nats -> the composition.
        digits: asked for; fewer where δ is below e^-60 or so.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    nats = digits * math.log(10) + 16 + float(epsilon) / 2
    for _ in range(7):
        found = made(nats)
        with precision(found.bits):
            most = found.bound(ball(epsilon), direction)
            if most < (-arb(_LEAST_NATS)).exp():
                return Interval(Fraction(0), bounds(most)[1], exact=True)
            value = found.delta(ball(epsilon), direction)
            tight = value > 0 and value.rad() < value.mid() * arb(10) ** -digits
            if tight or nats > _LEAST_NATS + float(epsilon) / 2:
                low, high = bounds(value)
                return Interval(max(low, Fraction(0)), min(high, Fraction(1)), exact=True)
            lacks = max(8.0, -float(most.log()) + digits * math.log(10) + 12 - nats)
            if value > 0:
                lacks = float((value.rad() / value.mid()).log()) + digits * math.log(10)
        nats += max(4.0, lacks + 2)
    raise ArithmeticError("delta is not told from 0")


def composed_epsilon(
    target: Fraction, direction: str, made: Callable[[float], EpochProduct], digits: int = _DIGITS
) -> Interval:
    """Enclose the least ε ≥ 0 at a δ.

    Args:
        target: δ, in (0, 1).
        direction: "remove" or "add".
        made: nats -> the composition.
        digits: asked for.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    spent = math.log(target.denominator) - math.log(target.numerator)
    nats = spent + (digits + 1) * math.log(10) + 6
    found = made(math.ceil(nats / 8) * 8.0)
    side = 0 if direction == "remove" else 1
    extra = found.farthest(spent, side) / 2
    if extra > 8:
        found = made(math.ceil((nats + extra) / 8) * 8.0)
    with precision(found.bits):
        goal = ball(target)
        if found.delta(arb(0), direction) <= goal:
            return Interval(Fraction(0), Fraction(0), exact=True)
        epsilon = _root(found, spent, direction, digits)
        gap = Fraction(1, 10 ** (digits + 1))
        for _ in range(digits + 2):
            low, high = epsilon * (1 - gap), epsilon * (1 + gap)
            if found.delta(ball(low), direction) >= goal >= found.delta(ball(high), direction):
                return Interval(low, high, exact=True)
            gap *= 10
    raise ArithmeticError("delta is not told from its target near the root")


def _root(found: EpochProduct, spent: float, direction: str, digits: int) -> Fraction:
    """Return about where ln δ is −spent, by the method of false position (Illinois)."""

    def excess(epsilon: float) -> float:
        value = found.delta(arb(epsilon), direction).mid()
        return float(value.log()) + spent if value > 0 else -1e3

    low, high = 0.0, found.farthest(spent, 0 if direction == "remove" else 1)
    first, second = excess(low), excess(high)
    at, before = high, -1.0
    for _ in range(80):
        if second >= 0 or abs(at - before) <= at * 10.0 ** -(digits + 2):
            break
        before = at
        at = high - second * (high - low) / (second - first)
        # ln δ bends down: near the right end false position may crawl.
        value = excess(at)
        if value > 0:
            first, low = value, at
            second /= 2
        else:
            second, high = value, at
            first /= 2
        if value == 0:
            break
    return Fraction(at)
