"""How far a curve is from Gaussian privacy: μ at an ε and over a range, the best μ, its regret.

G is the curve of N(μ, 1) against N(0, 1). f₁(α + Δ) − Δ ≤ f₂(α) for all α if and only if
H₂ ≤ H₁ + Δ(1 + a) for all a (X.RISK.REGRET), so that trade-off curves are Δ apart where
|G − H|/(1 + a) has the supremum Δ. Curves here are those of both orders: a ≥ 1 is enough.

Between two places H and G lie below their chords and above lines: G above its tangents, H above
the lines through the places next to them. A difference of lines over 1 + a is largest at an end.
"""

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import NormalDist

from flint import arb

from dporacle.enclosures.analytic_gaussian import calibrate_sigma
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail, profile
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.tradeoff.curve import BITS, Node, TradeoffCurve

_FIRST = 24  # places of the first grid
_MOST = 1200  # places at which one search evaluates the curve
_ROUNDS = 40  # of new places; it ends where μ is as narrow as is asked
_DIGITS = 12  # of a μ at one ε
_NORMAL = NormalDist()
_FARTHEST = 700.0  # e^700 is a float64, e^710 is none
_NOISE = 16  # of H, as a line through two of its places has at a third


def mu_at(curve: TradeoffCurve, epsilon: Fraction, *, digits: int = _DIGITS) -> arb:
    """Enclose the μ whose Gaussian curve goes through the curve at an ε ≥ 0; 0 where δ is 0."""
    low, high = bounds(curve.at(epsilon).height)
    ends = (_mu(epsilon, each, digits) for each in (max(low, Fraction(0)), high))
    with precision(BITS):
        return arb.union(*ends)


def _mu(epsilon: Fraction, delta: Fraction, digits: int) -> arb:
    if delta == 0:
        return arb(0)
    if delta >= 1:
        raise ArithmeticError("no μ is finite where δ is not told from 1")
    sigma = calibrate_sigma(epsilon=epsilon, delta=delta, digits=digits)
    with precision(BITS):
        return 1 / sigma


class _Gauss:
    """The Gaussian curve of one μ, and its slopes, remembered by place."""

    def __init__(self, mu: Fraction) -> None:
        self.mu = mu
        self._values: dict[Fraction, tuple[arb, arb]] = {}

    def at(self, node: Node) -> tuple[arb, arb]:
        """Return G and dG/da = −Φ(−w)."""
        found = self._values.get(node.x)
        if found is None:
            y, w = (ball(node.x / self.mu + sign * self.mu / 2) for sign in (-1, 1))
            found = self._values[node.x] = profile(y, w)[0], -normal_tail(w)
        return found


class _Cell:
    """Bounds of both curves between two places."""

    def __init__(self, left: Node, right: Node, gauss: _Gauss) -> None:
        self.left, self.right = left, right
        self._gauss = gauss
        (self.g_left, self.slope_left), (self.g_right, self.slope_right) = (
            gauss.at(left),
            gauss.at(right),
        )
        self.width = right.a - left.a

    def excess(self) -> arb:
        """Bound H − G above, over 1 + a, inside of the cell: a chord against two tangents."""
        h_slope = (self.right.height - self.left.height) / self.width
        return self._largest(
            self.left.height - self.g_left,
            h_slope - self.slope_left,
            self.right.height - self.g_right,
            h_slope - self.slope_right,
        )

    def shortfall(self, before: Node, after: Node | None) -> arb:
        """Bound G − H above, over 1 + a: a chord against lines through the neighbours."""
        slope = (self.g_right - self.g_left) / self.width
        fall = _slope(before, self.left)
        rise = _slope(self.right, after) if after else arb(0)
        return self._largest(
            self.g_left - self.left.height,
            slope - fall,
            self.g_right - self.right.height,
            slope - rise,
        )

    def _largest(self, left: arb, left_slope: arb, right: arb, right_slope: arb) -> arb:
        """Bound the smaller of two lines, each given at its end, over 1 + a."""
        at = self._meeting(left, left_slope, right, right_slope)
        place = self.left.a + at
        rise = left + left_slope * at
        other = right - right_slope * (self.width - at)
        ends = (left / (1 + self.left.a), right / (1 + self.right.a))
        return ends[0].max(ends[1]).max(rise / (1 + place)).max(other / (1 + place))

    def _meeting(self, left: arb, left_slope: arb, right: arb, right_slope: arb) -> arb:
        """Return a distance from the left end at about which two lines meet: any one will do."""
        steep = left_slope - right_slope
        if not (steep > 0 or steep < 0):
            return (self.width / 2).mid()
        at = ((right - right_slope * self.width - left) / steep).mid()
        return at if at > 0 and at < self.width else (self.width / 2).mid()


def _slope(first: Node, second: Node) -> arb:
    return (second.height - first.height) / (second.a - first.a)


@dataclass(frozen=True)
class Fit:
    """The Gaussian curve that is nearest.

    Attributes:
        mu: its μ.
        regret: Δ, the distance: the largest difference of both curves' Bayes success over priors.
    """

    mu: arb
    regret: arb


@dataclass(frozen=True)
class _Gaps:
    """Bounds of sup (G − H)/(1 + a), `above`, and of sup (H − G)/(1 + a), `below`."""

    above: tuple[arb, arb]
    below: tuple[arb, arb]

    @property
    def sign(self) -> int:
        """1 if μ is proved to be too large, −1 if too small, else 0."""
        if self.above[0] > self.below[1]:
            return 1
        return -1 if self.below[0] > self.above[1] else 0


class _Search:
    """The search for the best μ of a curve of both orders."""

    def __init__(self, curve: TradeoffCurve, digits: int) -> None:
        self._curve, self._tolerance = curve, 10.0**-digits
        self._places: list[Fraction] = []

    def run(self) -> Fit:
        """Enclose the best μ and its regret."""
        with precision(BITS):
            start = float(mu_at(self._curve, Fraction(0)).mid())
        self._lay(start)
        mu = self._guess(start)
        self._lay(mu)
        for _ in range(3):  # the grid becomes finer where it counts, and the guess better
            self._gaps(Fraction(mu))
            mu = self._guess(mu)
        step = self._tolerance / 1024
        for _ in range(_ROUNDS):
            low, high = (self._gaps(Fraction(mu * (1 + side * step))) for side in (-1, 1))
            if low.sign < 0 < high.sign:
                with precision(BITS):
                    ends = ball(Fraction(mu * (1 - step))), ball(Fraction(mu * (1 + step)))
                    least = low.above[0].max(high.below[0]).max(arb(0)).lower()
                    most = low.below[1].min(high.above[1]).upper()
                    return Fit(ends[0].union(ends[1]), least.union(most))
            step *= 4
        raise ArithmeticError("the best μ is not told from its neighbours")

    def at(self, mu: Fraction) -> arb:
        """Enclose the distance from the Gaussian curve of a μ."""
        with precision(BITS):
            start = float(mu_at(self._curve, Fraction(0)).mid())
        self._lay(max(start, float(mu)))
        found = self._gaps(mu)
        with precision(BITS):
            least = found.above[0].max(found.below[0])
            return least.lower().union(found.above[1].max(found.below[1]).upper())

    def _lay(self, mu: float) -> None:
        """Lay a grid from 0 to where nothing counts."""
        places = {Fraction(0)}
        reach = min(mu * mu / 2 + 3 * mu, _FARTHEST)
        unit = Fraction(2) ** (math.floor(math.log2(reach)) - 20)
        for k in range(1, _FIRST + 1):
            places.add(round(Fraction(reach * k / _FIRST) / unit) * unit)
        self._places = sorted(places.union(self._places))

    def _guess(self, mu: float) -> float:
        """Return about the best μ on the grid, in float64."""
        self._curve.prepare(self._places)
        with precision(BITS):
            nodes = [self._curve.at(x) for x in self._places]
            table = [(float(n.x), float(n.height.mid())) for n in nodes]

        def gap(m: float) -> float:
            above = below = 0.0
            for x, height in table:
                y, w = x / m - m / 2, x / m + m / 2
                tail = math.exp(x) * _NORMAL.cdf(-w) if w < 37 else 0.0
                excess = (_NORMAL.cdf(-y) - tail - height) / (1 + math.exp(x))
                above, below = max(above, excess), max(below, -excess)
            return above - below

        low, high = mu / 2, mu * 2
        while gap(low) > 0:
            low /= 2
        while gap(high) < 0:
            high *= 2
        for _ in range(60):
            middle = (low + high) / 2
            low, high = (low, middle) if gap(middle) > 0 else (middle, high)
        return high

    def _gaps(self, mu: Fraction) -> _Gaps:
        """Bound both distances at a μ, on a grid that is made finer where they are decided."""
        gauss = _Gauss(mu)
        with precision(BITS):
            while True:
                found, wide = self._once(gauss)
                if not wide or len(self._places) > _MOST:
                    return found
                self._places = sorted({*self._places, *wide})

    def _once(self, gauss: _Gauss) -> tuple[_Gaps, list[Fraction]]:
        self._curve.prepare(self._places)
        nodes = [self._curve.at(x) for x in self._places]
        above = below = arb(0)
        for node in nodes:
            gap = (gauss.at(node)[0] - node.height) / (1 + node.a)
            above, below = above.max(gap.lower()), below.max((-gap).lower())
        floor = above.max(below) * self._tolerance / 8
        most_above, most_below, wide = above, below, []
        for k in range(len(nodes) - 1):
            cell = _Cell(nodes[k], nodes[k + 1], gauss)
            before = nodes[k - 1] if k else self._curve.at(-nodes[1].x)
            after = nodes[k + 2] if k + 2 < len(nodes) else None
            more, less = cell.shortfall(before, after), cell.excess()
            most_above, most_below = most_above.max(more.upper()), most_below.max(less.upper())
            # What the enclosures of H leave open no finer cell closes.
            least = floor + _NOISE * _noise([before, nodes[k], nodes[k + 1], after or nodes[k]])
            if not (more < above + least and less < below + least):
                wide.append((nodes[k].x + nodes[k + 1].x) / 2)
        last = nodes[-1]
        rest = gauss.at(last)[0].max(last.height) / (1 + last.a)
        most_above, most_below = most_above.max(rest.upper()), most_below.max(rest.upper())
        if not rest < above.min(below) + floor:
            wide.append(last.x * 5 / 4)
        return _Gaps((above, most_above), (below, most_below)), wide


def _noise(nodes: Sequence[Node]) -> float:
    """Return by how much H is open at places, over 1 + a."""
    return max(float((node.height.rad() / (1 + node.a)).upper()) for node in nodes)


def best_fit(curve: TradeoffCurve, *, digits: int = 4) -> Fit:
    """Enclose the μ whose Gaussian trade-off curve is nearest, and how far it is.

    Args:
        curve: that of both orders.
        digits: about how many of both are proved, where the curve is not too close to Gaussian.

    Raises:
        ArithmeticError: if no two signs are proved.
    """
    if curve.mu is not None:
        return Fit(curve.mu, arb(0))
    return _Search(curve, digits).run()


def regret_of(curve: TradeoffCurve, mu: Fraction, *, digits: int = 4) -> arb:
    """Enclose how far the Gaussian trade-off curve of a μ is from the curve's, either way.

    Args:
        curve: that of both orders.
        mu: positive.
        digits: about how many are proved, where the curves are not too close.
    """
    return _Search(curve, digits).at(mu)


def mu_over(curve: TradeoffCurve, low: Fraction, high: Fraction, *, digits: int = 5) -> arb:
    """Enclose the least μ whose δ is at least the curve's at every ε from one to another.

    Args:
        curve: that of both orders.
        low: the least ε, not negative.
        high: the largest.
        digits: the radius is at most 10^-digits of it.

    Raises:
        ArithmeticError: if that takes too many values of the curve.
    """
    if curve.mu is not None:
        return curve.mu
    tolerance = Fraction(1, 10**digits)
    count = _FIRST if high > low else 1
    places = [low + (high - low) * k / count for k in range(count + 1)] if high > low else [low]
    values = {x: mu_at(curve, x) for x in places}
    for _ in range(_ROUNDS):
        with precision(BITS):
            least = arb(0)
            for each in values.values():
                least = least.max(each.lower())
            most = least
            for each in values.values():
                most = most.max(each.upper())
        if least.is_zero() and most.is_zero():
            return arb(0)
        bound = bounds(most)[1] * (1 + tolerance)
        gauss = _Gauss(bound)
        with precision(BITS):
            nodes = [curve.at(x) for x in places]
            open_ = [
                (left.x + right.x) / 2
                for left, right in itertools.pairwise(nodes)
                if not _Cell(left, right, gauss).excess() <= 0
            ]
            if not open_:
                return least.union(ball(bound))
        if len(places) + len(open_) > _MOST:
            break
        values |= {x: mu_at(curve, x) for x in open_}
        places = sorted({*places, *open_})
    raise ArithmeticError(f"no μ of {digits} digits is enclosed over the range")
