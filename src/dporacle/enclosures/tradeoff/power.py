"""The largest true positive rate at a false positive rate α, min over a of H(a) + aα.

Of a Gaussian pair it is a closed form. Of others, any one a proves it above. Below, the function of
a is convex: between two of its places it is not below the lines through the neighbours on either
side. A search in floats proposes the places.
"""

import functools
import math
from collections.abc import Callable
from fractions import Fraction
from statistics import NormalDist

from flint import arb

from dporacle.enclosures.arithmetic.balls import bits_for, precision
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.conversions import gdp_tradeoff
from dporacle.enclosures.tradeoff.curve import BITS, Node, TradeoffCurve

_MOST = 400  # places that one search looks at
_NORMAL = NormalDist()
_SPAN = 1 << 16  # of |x|: beyond, e^x is no number that anybody asks for
_UNEVEN = 64  # a parabola misleads where one side is so much wider: the next place is on that side
_LEAST = Fraction(1, 10**15)  # of a rate at which a curve in float64 says where to look
_FLOATS = 600.0  # e^600 is a float64, with room for a factor
_NEAR = 64  # of a width
_ROOM = 2  # by how much a value is narrower than what is asked for
_MOST_DIGITS = 40  # 133 bits: the curve carries 192
_GOLDEN = (math.sqrt(5) - 1) / 2  # of a cut that keeps one of two inner values for the next
_GRID = 48  # bits of a place, counted from the search's scale


class Rates:
    """A point of a trade-off curve.

    Attributes:
        found: the true positive rate.
        missed: what is left of 1, the type II error, as tight relatively.
    """

    __slots__ = ("found", "missed")

    def __init__(self, found: arb, missed: arb) -> None:
        self.found, self.missed = found, missed


def rates(curve: TradeoffCurve, fpr: Fraction, *, digits: int = 6) -> Rates:
    """Enclose the largest true positive rate of a test whose false positive rate is at most α.

    Args:
        curve: H of the law with the record against that without it.
        fpr: α, in (0, 1).
        digits: the radius of each of the two rates is at most 10^-digits of it.

    Raises:
        ArithmeticError: if that would take too many values of the curve.
    """
    if curve.mu is not None:
        return _gaussian(curve.mu, fpr, digits)
    return _Search(curve, fpr, digits).run()


def _gaussian(mu: arb, fpr: Fraction, digits: int) -> Rates:
    """Return the rates of N(μ, 1) against N(0, 1); the type II error falls in μ (X.GDP)."""
    low, high = bounds(mu)
    small = max(0, math.ceil(-_log10(min(fpr, 1 - fpr))))
    with precision(bits_for(small + digits) + BITS):
        ends = (gdp_tradeoff(alpha=fpr, mu=end, digits=digits + small + 3) for end in {low, high})
        missed = functools.reduce(arb.union, ends)
        found = 1 - missed
    if min(found.rel_accuracy_bits(), missed.rel_accuracy_bits()) < bits_for(digits):
        raise ArithmeticError(f"no rates of {digits} digits of so small a share are enclosed")
    return Rates(found, missed)


def _log10(number: Fraction) -> float:
    return math.log10(number.numerator) - math.log10(number.denominator)


class _Search:
    """A search for the least of H(a) + aα."""

    def __init__(self, curve: TradeoffCurve, fpr: Fraction, digits: int) -> None:
        self._curve, self._fpr = curve, fpr
        self._tolerance, self._digits = 10.0**-digits, curve.digits
        self._grid = max(_GRID, 2 * digits)
        self._nodes: list[Node] = []
        self._tried: dict[Fraction, int] = {}

    def run(self) -> Rates:
        """Search until both rates are tight."""
        x, scale = self._start()
        unit = Fraction(2) ** (math.floor(math.log2(scale)) - self._grid)

        def place(value: float) -> Fraction:
            return round(Fraction(value) / unit) * unit

        self._look(place(x))
        step = scale / 4
        for _ in range(_MOST):
            best = self._best()
            if best == 0 or best == len(self._nodes) - 1:
                end = float(self._nodes[best].x)
                if abs(end) > _SPAN:
                    break
                self._look(place(end - step if best == 0 else end + step))
                step *= 2
                continue
            with precision(BITS):
                found = self._proved(best)
            if found is not None:
                return found
            if self._sharpened(best):
                continue
            here = self._nodes[best].x
            for moved in self._next(best):
                self._look(here + place(moved))
        raise ArithmeticError(
            f"no true positive rate of {-math.log10(self._tolerance):.0f} digits is enclosed"
        )

    def _start(self) -> tuple[float, float]:
        """Return where the place would be, and how far it reaches, for Gaussian privacy."""
        with precision(BITS):
            advantage = min(float(self._curve.advantage().mid()), 1 - 1e-15)
        half = (1 + max(advantage, 1e-300)) / 2
        mu = 2 * _NORMAL.inv_cdf(half) if half > 0.5 + 1e-9 else advantage * math.sqrt(2 * math.pi)
        mu = max(mu, 1e-280)
        place = mu * _quantile(self._fpr) - mu * mu / 2
        if self._curve.about is None or not _LEAST < self._fpr < 1 - _LEAST:
            return place, mu
        return self._about(self._curve.about, place, mu)

    def _about(
        self, about: Callable[[float], float], place: float, mu: float
    ) -> tuple[float, float]:
        """Return the same from a curve in float64: a walk to its least value, in golden cuts."""
        fpr, rest = float(self._fpr), float(1 - self._fpr)

        @functools.cache
        def value(x: float) -> float:
            if x >= 0:
                return about(x) + math.exp(x) * fpr - 1
            return -math.exp(x) * (rest - about(x))

        step = mu / 4 if value(place + mu / 4) < value(place) else -mu / 4
        low, high = place - step, place + step
        while value(high) < value(high - step) and abs(high) < _FLOATS:
            low, step = high - step, 2 * step
            high += step
        low, high = sorted((low, high))
        while high - low > mu / _NEAR:
            left, right = high - _GOLDEN * (high - low), low + _GOLDEN * (high - low)
            low, high = (low, right) if value(left) < value(right) else (left, high)
        return (low + high) / 2, mu / _NEAR * 8

    def _look(self, x: Fraction) -> None:
        place = 0
        while place < len(self._nodes) and self._nodes[place].x < x:
            place += 1
        if place == len(self._nodes) or self._nodes[place].x != x:
            self._nodes.insert(place, self._curve.at(x, self._digits))

    def _sharpened(self, best: int) -> bool:
        """Ask for more digits of δ where a rate is a small difference, and say whether."""
        node = self._nodes[best]
        with precision(BITS):
            both = node.found(self._fpr), node.missed(self._fpr)
        known = max(0, min(each.rel_accuracy_bits() for each in both))
        lacking = math.log10(_ROOM / self._tolerance) - known * math.log10(2)
        if lacking <= 0 or self._digits >= _MOST_DIGITS:
            return False
        self._digits += math.ceil(lacking) + 1
        near = self._nodes[max(best - 2, 0) : best + 3]
        self._nodes = [self._curve.at(each.x, self._digits) for each in near]
        return True

    def _best(self) -> int:
        """Return the place with the least value."""
        with precision(BITS):
            values = [self._value(node) for node in self._nodes]
            best = 0
            for k, value in enumerate(values):
                if value.mid() < values[best].mid():
                    best = k
            return best

    def _value(self, node: Node) -> arb:
        # Less what is the same everywhere: −(1 − H − aα).
        return -node.missed(self._fpr)

    def _proved(self, best: int) -> Rates | None:
        """Return the rates if what is known bounds them well enough."""
        node = self._nodes[best]
        sink = self._sink(best)
        found, missed = node.found(self._fpr), node.missed(self._fpr)
        lowest, highest = found - sink, missed + sink
        if not (lowest > 0 and missed > 0):
            return None
        both = found.union(lowest), missed.union(highest)
        wide = max(float(each.rad() / each.mid()) for each in both)
        return Rates(*both) if wide <= self._tolerance else None

    def _sink(self, best: int) -> arb:
        """Bound by how much the least value is below that of the best place."""
        deepest = arb(0)
        for side in (-1, 1):
            end = self._nodes[best + side]
            # The line from the other neighbour through the best place, as far as the end.
            bounds = [self._drop(self._nodes[best - side], self._nodes[best], end)]
            if 0 <= best + 2 * side < len(self._nodes):
                # And the line from beyond through the end, as far as the best place.
                beyond = self._nodes[best + 2 * side]
                gain = self._value(self._nodes[best]) - self._value(end)
                bounds.append(gain + self._drop(beyond, end, self._nodes[best]))
            least = bounds[0]
            for other in bounds[1:]:
                least = least.min(other)
            deepest = deepest.max(least)
        return deepest.max(arb(0)).upper()

    def _drop(self, first: Node, second: Node, end: Node) -> arb:
        """Return how far below the second a line is at the end, 0 if it rises."""
        fall = (self._value(first) - self._value(second)).max(arb(0))
        return fall * (end.a - second.a) / (second.a - first.a)

    def _next(self, best: int) -> list[float]:
        """Return how far from the best place to look: about the least of a parabola, or halves."""
        (left, here, right) = (self._nodes[best + k] for k in (-1, 0, 1))
        h, k = float(left.x - here.x), float(right.x - here.x)
        with precision(BITS):
            base = self._value(here).mid()
            rise_left = float(self._value(left).mid() - base)
            rise_right = float(self._value(right).mid() - base)
            size = min(
                abs(float(here.found(self._fpr).mid())), abs(float(here.missed(self._fpr).mid()))
            )
        if max(-h, k) > _UNEVEN * min(-h, k):
            return [-4 * h if k > -h else -4 * k]  # a parabola through so uneven places misleads
        halves = [h / 2 if -h > k else k / 2]
        # v(t) = s·t + c·t²/2 through both neighbours.
        bend = 2 * (rise_left / h - rise_right / k) / (h - k)
        if not bend > 0:
            return halves
        slope = rise_right / k - bend * k / 2
        move = -slope / bend
        width = math.sqrt(self._tolerance * size / bend) / 2
        if not (h < move < k) or width >= min(-h, k):
            return halves
        if abs(move) < width / 2:
            return [each for each in (move - width, move + width) if h < each < k] or halves
        self._tried[here.x] = self._tried.get(here.x, 0) + 1
        return [move] if self._tried[here.x] < 3 else halves


def _quantile(fpr: Fraction) -> float:
    """Return about Φ⁻¹(1 − α)."""
    tail = min(fpr, 1 - fpr)
    small = float(tail)
    if small > 1e-300:
        z = -_NORMAL.inv_cdf(small)
    else:
        z = math.sqrt(2 * (math.log(tail.denominator) - math.log(tail.numerator)))
    return z if 2 * fpr < 1 else -z
