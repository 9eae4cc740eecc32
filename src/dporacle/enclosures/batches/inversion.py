"""Prices of means of lognormal variables, in balls (X.BAT.SUM, lemmas L2 to L5).

With Y_t independent as in `lognormal` and W = (Y_1 + … + Y_{m−1} + e^g·Y_m)/m, a mixture of such
for several m has the transform Λ(z) = Σ w_i·ℓ(z/m_i)^{m_i−1}·ℓ(e^g z/m_i). Inverted are Λ(z)/z,
P(W ≤ a), and for g = 0, where E W = 1, Λ(z)/z², E(a − W)₊. On a vertical line by Poisson
summation; round the negative axis on a hyperbola by the trapezoid rule. Floats choose; the error
terms are balls, and a design that breaks a hypothesis raises.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise

from flint import acb, acb_mat, arb, ctx

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.batches.lognormal import evaluate, log_transform, transform

_MOST_NODES = 40_000
_FINEST = 4000.0  # nats of a factor of Λ, beyond which each node takes seconds
_WIDEST = 20  # s² beyond which designs cost minutes, or leave float64
_NARROWEST = Fraction(1, 2500)  # s² below which the points of Λ need too many bits
_SPAN = 2.0  # ratio of the ends of a segment that one hyperbola serves
_ANGLES = [k / 16 for k in range(1, 25)]  # of lines, below π/2
_TRIALS = [math.exp(k / 4) * 1e-2 for k in range(80)]  # arguments of Chernoff's bound


@dataclass(frozen=True)
class Price:
    """What is known of W at a point a.

    Attributes:
        below: P(W ≤ a).
        put: E(a − W)₊; not a number if g > 0.
    """

    below: arb
    put: arb


@dataclass(frozen=True)
class Mean:
    """The law of W.

    Attributes:
        variance: s².
        parts: weight and number m ≥ 2 of each mean that is mixed.
        tilt: g ≥ 0.
    """

    variance: Fraction
    parts: tuple[tuple[Fraction, int], ...]
    tilt: Fraction = Fraction(0)

    def prices(self, points: Sequence[arb], nats: float) -> list[Price]:
        """Enclose the prices at rising exact points, with an absolute error of about e^−nats.

        Raises:
            ArithmeticError: if that needs too many nodes, or s² is too large.
        """
        if not points:
            return []
        if self.variance > _WIDEST:
            raise ArithmeticError("the variance of the logarithms is too large to invert")
        if self.variance < _NARROWEST:
            raise ArithmeticError("the variance of the logarithms is too small to invert")
        if any(m < 2 for _, m in self.parts) or self.tilt < 0:
            raise ArithmeticError("a mean of one variable, or turned down, is not inverted")
        floats = [float(each.mid()) for each in points]
        # Far to the left Chernoff's bound is all that is wanted (L5).
        far, c = -math.inf, 1.0
        for trial in _TRIALS:
            end = (-1.2 * nats - self.log_value(trial)) / trial
            far, c = max((far, c), (end, trial))
        start = sum(a <= far for a in floats)
        found, first = self._chernoff(points[:start], c, nats), start
        for design, end in _plan(self, floats[start:], nats):
            end += first
            found += design.prices(points[start:end])
            start = end
        return found

    def _chernoff(self, points: Sequence[arb], c: float, nats: float) -> list[Price]:
        if not points:
            return []
        with precision(128 + math.ceil(8 * nats)):
            value = self.upper(arb(c), arb(0), spare=False)
            bounds = [(c * a).exp() * value for a in points]
            return [self.price(each * _unit(), each * _unit() / c) for each in bounds]

    def price(self, below: arb, put: arb) -> Price:
        """Return a price; the formulas of the put want E W = 1.

        Raises:
            ArithmeticError: if the balls are not finite.
        """
        if not (below.is_finite() and put.is_finite()):
            raise ArithmeticError("the inversion's error is not bounded")
        return Price(below, arb("nan") if self.tilt else put)

    def log_value(self, c: float) -> float:
        """Estimate the logarithm of a bound of Λ(c), in float64."""
        square = float(self.variance)
        return max(
            math.log(max(float(w), 1e-300)) + m * log_transform(c / m, square)
            for w, m in self.parts
        ) + math.log(len(self.parts))

    def fine(self, bits: int) -> int:
        """Return the bits that points of Λ need: turned by up to π, e^{π²/2s²} of them cancel."""
        return bits + math.ceil(7.2 / float(self.variance))

    def values(self, points: Sequence[acb], nats: float) -> list[acb]:
        """Enclose Λ at points."""
        total = [acb(0)] * len(points)
        for weight, m in self.parts:
            with precision(self.fine(ctx.prec)):
                scaled = [each / m for each in points]
                factor = ball(self.tilt).exp()
                tilted = [each * factor for each in scaled] if self.tilt else []
            plain = transform(scaled, self.variance, nats)
            last = transform(tilted, self.variance, nats) if tilted else plain
            for i, (one, other) in enumerate(zip(plain, last, strict=True)):
                total[i] += ball(weight) * one ** (m - 1) * other
        return total

    def upper(self, x: arb, beta: arb, *, spare: bool) -> arb:
        """Bound Σ w_i·e^{m_iβ²/2s²}·ℓ(x/m_i)^{m_i}; one factor is m_ie^{s²−1} if spare."""
        square, here = ball(self.variance), float(x.mid())
        total = arb(0)
        for weight, m in self.parts:
            fine = 20 + math.log(m) - log_transform(here / m, float(self.variance))
            value = transform([acb(x / m)], self.variance, fine)[0].real.abs_upper()
            term = ball(weight) * (m * beta * beta / (2 * square)).exp()
            if spare:
                total += term * value ** (m - 1) * m * (square - 1).exp()
            else:
                total += term * value**m
        return total.upper()


class _Line:
    """Bromwich's line, summed by Poisson: one for all a up to `top`."""

    def __init__(self, law: Mean, top: float, nats: float) -> None:
        self.law, self.top, self.nats = law, top, nats
        floor, self.chernoff = max(((-2 * nats - 2 - law.log_value(c)) / c, c) for c in _TRIALS)
        self.period = top - floor if floor > 0 else top
        self.free = floor <= 0  # nothing comes from below 0
        self.c = nats / self.period
        self.log_line = max(0.0, self.c * top + law.log_value(self.c))
        self.reach, self.beta = self._reach()
        if not math.isfinite(self.reach * self.period):
            raise ArithmeticError("the frequencies that count have no end")
        self.nodes = max(4, math.ceil(self.reach * self.period / (2 * math.pi)))
        # Λ has m factors ℓ: an error of one is multiplied by m and by the others.
        most, least = (each(m for _, m in law.parts) for each in (max, min))
        self.wanted = nats + 10 + math.log(most) + self.log_line
        self.wanted -= log_transform(self.c / least, float(law.variance))
        self.cost = float(self.nodes)
        if not (self.nodes <= _MOST_NODES and self.wanted <= _FINEST):
            self.cost = math.inf

    def _left_out(self, u: float) -> tuple[float, float]:
        square, best = float(self.law.variance), (math.inf, 1.0)
        least, most = self.law.parts[0][1], self.law.parts[-1][1]
        for beta in (0.02, 0.05, 0.1, 0.2, 0.35, 0.5, 0.7, 0.9, 1.1, 1.3):
            x = self.c * math.cos(beta) + u * math.sin(beta)
            worst = max(
                m * beta * beta / (2 * square)
                + (m - 1) * log_transform(x / m, square)
                + max(0.0, math.log(m) + square - math.log(beta))
                for m in {least, most}
            )
            best = min(best, (worst, beta))
        return self.c * self.top + best[0] - math.log(3 * u), best[1]

    def _reach(self) -> tuple[float, float]:
        low, high = math.log(self.c), math.log(self.c) + 0.5
        while self._left_out(math.exp(high))[0] > -self.nats:
            low, high = high, high + 1.0
            if high > 60:
                return math.inf, 1.0
        for _ in range(6):
            middle = (low + high) / 2
            if self._left_out(math.exp(middle))[0] > -self.nats:
                low = middle
            else:
                high = middle
        return math.exp(high), self._left_out(math.exp(high))[1]

    def prices(self, points: Sequence[arb]) -> list[Price]:
        law, count, wanted = self.law, self.nodes, self.wanted
        bits = math.ceil(2 * wanted / math.log(2)) + 96
        with precision(law.fine(bits)):
            c, period = arb(self.c), arb(self.period)
            turn = 2 * arb.pi() / period
            lattice = [acb(c, turn * n) for n in range(count + 1)]
        with precision(bits):
            values = law.values(lattice, wanted)
            first = [value / z for value, z in zip(values, lattice, strict=True)]
            first[0] /= 2
            second = [value / z for value, z in zip(first, lattice, strict=True)]
            r = (-c * period).exp()
            if not (c > 0 and r < 1 and count >= 1):
                raise ArithmeticError("the line of the inversion is not right of zero")
            tail, low = self._tail(turn * count), self._from_below(r)
            bases = [acb(0, turn * a).exp() for a in points]
            sums = evaluate(first, bases), evaluate(second, bases)
            found = []
            for a, one, two in zip(points, *sums, strict=True):
                if not 0 < a <= self.top:
                    raise ArithmeticError("a point is outside the line's segment")
                front = (c * a).exp() * 2 / period
                rest = (c * a).exp()
                cdf = front * one.real + rest * tail[0] * arb(0, 1) - rest * low[0] * _unit()
                put = front * two.real + rest * tail[1] * arb(0, 1) - rest * low[1] * _unit()
                # From above come F(a+kL) in [0, 1] and the prices a+kL−1+[0, 1].
                cdf -= _unit() * r / (1 - r)
                put -= (a - 1 + _unit()) * r / (1 - r) + period * r / (1 - r) ** 2
                found.append(law.price(cdf, put))
        return found

    def _tail(self, u: arb) -> tuple[arb, arb]:
        """Bound what is left out beyond the last node, but for e^{ca}."""
        beta = arb(self.beta)
        if not 0 < beta < arb.pi() / 2:
            raise ArithmeticError("the transform is turned too far")
        x = arb(self.c) * beta.cos() + u * beta.sin()
        law = self.law
        # The last factor is at most e^{β²/2s²}, and e^{β²/2s²}·e^{s²−1}/(x e^g).
        plain = law.upper(x, beta, spare=False) / (arb.pi() * u)
        divided = law.upper(x, beta, spare=True) / (arb.pi() * u * beta.sin())
        return divided.upper(), plain.upper()

    def _from_below(self, r: arb) -> tuple[arb, arb]:
        """Bound what comes from the points a − kL, k > 0, but for e^{ca}."""
        if arb(self.top) <= arb(self.period):
            return arb(0), arb(0)
        c, other, period = arb(self.c), arb(self.chernoff), arb(self.period)
        q = (-(other - c) * period).exp()
        if not other > c:
            raise ArithmeticError("Chernoff's bound is taken left of the line")
        value = self.law.upper(other, arb(0), spare=False)
        top = arb(self.top)
        bound = value * ((other - c) * top).exp() * q / (1 - q)
        return bound.upper(), (bound / (other * arb(1).exp())).upper()


def _unit() -> arb:
    """Return the ball [0, 1]."""
    return arb(0.5, 0.5)


class _Hyperbola:
    """z = μ(1 + sin(iτ − α)), for all a of a segment."""

    def __init__(self, law: Mean, low: float, high: float, nats: float) -> None:
        self.law, self.low, self.high, self.nats = law, low, high, nats
        self.most = max(m for _, m in law.parts)
        self.cost = math.inf
        s2 = float(law.variance)
        for scale in (0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0, 32.0):
            lines = [(y, *self._line(y, scale / high, s2)) for y in _ANGLES]
            good = [each for each in lines if each[1] < math.inf]
            between: dict[float, tuple[float, float, bool]] = {}  # many pairs have one middle
            for i, (inner, pre, g, _) in enumerate(good):
                for outer, other, far, _ in good[i + 2 :: 2]:
                    alpha, b = (inner + outer) / 2, (outer - inner) / 2
                    rule = (
                        nats
                        + 2
                        + max(pre - g - 0.5 * math.log(g), other - far - 0.5 * math.log(far))
                    )
                    h = 2 * math.pi * b / max(rule, 1.0)
                    if alpha not in between:
                        between[alpha] = self._line(alpha, scale / high, s2)
                    mid_pre, mid_g, _ = between[alpha]
                    if mid_pre == math.inf:
                        continue
                    end = math.acosh(max(1.05, (nats + 2 + mid_pre) / mid_g))
                    if end / h < self.cost:
                        self.cost = end / h
                        self.mu, self.alpha, self.b = scale / high, alpha, b
                        self.h, self.count = h, math.ceil(end / h)
        self.cost = 1.0 + 2 * self.cost

    def _line(self, y: float, mu: float, s2: float) -> tuple[float, float, bool]:
        """Return the logarithm of the front, G and which bound."""
        sine, kappa = math.sin(y), y * y / (2 * s2)
        front = (
            0.5 * math.log((1 + sine) / (1 - sine))
            - math.log(2 * math.pi)
            + max(0.0, -math.log(mu * (1 - sine)))
            + mu * self.high
        )
        plain = front + self.most * kappa, mu * self.low * sine, False
        if kappa > 50:
            return math.inf, 1.0, False
        growth = math.exp(kappa)
        g = mu * (self.low * sine - growth)
        if g <= 1e-3:
            return plain if plain[0] < 2000 else (math.inf, 1.0, False)
        other = front + kappa - mu * growth * sine, g, True
        return other if other[0] - other[1] < plain[0] - plain[1] else plain

    def _bound(self, y: arb) -> tuple[arb, arb]:
        """Return front and G with |integrand| ≤ front·e^{−G ch τ} on the line, for F and put."""
        mu, sine = arb(self.mu), y.sin()
        low, high = arb(self.low), arb(self.high)
        kappa = y * y / (2 * ball(self.law.variance))
        front = ((1 + sine) / (1 - sine)).sqrt() / (2 * arb.pi())
        inverse = 1 / (mu * (1 - sine))
        front = front * (inverse if inverse > 1 else arb(1)) * (mu * high).exp()
        _, _, growing = self._line(float(y.mid()), self.mu, float(self.law.variance))
        if growing:
            growth = kappa.exp()
            return front * (kappa - mu * growth * sine).exp(), mu * (low * sine - growth)
        return front * (self.most * kappa).exp(), mu * low * sine

    def prices(self, points: Sequence[arb]) -> list[Price]:
        if self.cost == math.inf:
            raise ArithmeticError("no hyperbola inverts the transform here")
        law = self.law
        turned = (1.6**2) * self.most / (2 * float(law.variance))
        wanted = self.nats + 12 + math.log(self.most) + self.mu * self.high + min(turned, 60.0)
        bits = math.ceil(1.5 * wanted / math.log(2)) + 128
        with precision(bits):
            mu, alpha, b, h = arb(self.mu), arb(self.alpha), arb(self.b), arb(self.h)
            if not (alpha - b > 0 and alpha + b < arb.pi() / 2 and mu > 0 and b > 0):
                raise ArithmeticError("the strip of the hyperbola is too wide")
            error = arb(0)
            for y in (alpha - b, alpha + b):
                front, g = self._bound(y)
                if not g > 0:
                    raise ArithmeticError("the integrand on the hyperbola does not fall")
                # 2K₀(G) ≤ √(2π/G)·e^{−G}
                error += front * (2 * arb.pi() / g).sqrt() * (-g).exp()
            error /= (2 * arb.pi() * b / h).expm1()
            front, g = self._bound(alpha)
            end = h * self.count
            if not g > 0:
                raise ArithmeticError("the integrand on the hyperbola does not fall")
            error += 2 * front * (-g * end.cosh()).exp() / (g * end.sinh())
            ball_of = arb(0, error.upper())
            angles = [acb(-alpha, h * n) for n in range(self.count + 1)]
            with precision(law.fine(bits)):
                lattice = [mu * (1 + angle.sin()) for angle in angles]
            weights = [mu * angle.cos() * h / arb.pi() for angle in angles]
            weights[0] /= 2
            values = law.values(lattice, wanted)
            first = [v * w / z for v, w, z in zip(values, weights, lattice, strict=True)]
            second = [v / z for v, z in zip(first, lattice, strict=True)]
            if not all(self.low * (1 - 1e-9) <= a <= self.high for a in points):
                raise ArithmeticError("a point is outside the hyperbola's segment")
            waves = acb_mat([[(z * a).exp() for z in lattice] for a in points])
            sums = waves * acb_mat([list(pair) for pair in zip(first, second, strict=True)])
            return [
                law.price(sums[k, 0].real + ball_of, sums[k, 1].real + ball_of)
                for k in range(len(points))
            ]


_Design = _Line | _Hyperbola


def _plan(law: Mean, points: Sequence[float], nats: float) -> list[tuple[_Design, int]]:
    """Return designs and the index at which each one's points end: the cheapest by floats."""
    if not points:
        return []
    ends = [0]
    for i, a in enumerate(points):
        if a > _SPAN * points[ends[-1]]:
            ends.append(i)
    ends.append(len(points))
    curves: list[_Hyperbola] = [
        _Hyperbola(law, points[i] * (1 - 1e-12), points[j - 1] * (1 + 1e-12), nats)
        for i, j in pairwise(ends)
    ]
    best: list[tuple[_Design, int]] = []
    least = math.inf

    def price(design: _Design, width: int) -> float:
        return design.cost * (20 + width)

    for cut in range(len(curves) + 1):  # the line serves the first `cut` segments
        above = sum(price(c, ends[k + cut + 1] - ends[k + cut]) for k, c in enumerate(curves[cut:]))
        plan: list[tuple[_Design, int]] = []
        if above >= least:
            continue
        if cut:
            line = _Line(law, points[ends[cut] - 1] * (1 + 1e-12), nats)
            above += price(line, ends[cut] // 8)
            plan = [(line, ends[cut])]
        if above < least:
            least = above
            best = plan + [(c, ends[k + cut + 1]) for k, c in enumerate(curves[cut:])]
    if not best:
        raise ArithmeticError("the inversion would need too many nodes")
    return best
