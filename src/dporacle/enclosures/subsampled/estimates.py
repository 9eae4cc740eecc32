"""Float64 estimates of one kind of step, for the choice of a contour. Nothing here is believed."""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Self

from dporacle.enclosures.subsampled.cut import Cut
from dporacle.enclosures.subsampled.transform import Step

_HEIGHTS = 40  # of the line of the tail bound, each 1.4 times lower than the last
ROOT = math.sqrt(2 * math.pi)
_REACH = 9.0  # of φ
_NEAR = 1e-3  # of an end of a range
_NODES = 3000  # of a line, at most
_WIDE = 100.0  # the range of a weight that is not summed where a value shows that it is
_HUGE, _TINY = 500.0, 50.0  # as logarithms
_LEAST, _HALF = 1e-300, 0.5  # of a ratio; below it a gain is not added to 1
_MOST = 30_000_000  # nodes of all the sums of one search: about a minute
_MOST_OF_GROUP = 5_000_000  # the same of a group, about ten seconds: then two ends are proved


@dataclass
class Effort:
    """How many nodes the estimates of one search have summed over, and how many they may."""

    most: int = _MOST
    nodes: int = 0

    @classmethod
    def for_steps(cls, steps: Sequence[Step]) -> Self:
        """Return what a search for these kinds of steps is given."""
        return cls(_MOST_OF_GROUP if any(len(each.parts) > 1 for each in steps) else _MOST)

    def spend(self, nodes: int) -> None:
        """Count more of them.

        Raises:
            ArithmeticError: if they are more than a search is given.
        """
        self.nodes += nodes
        if self.nodes > self.most:
            raise ArithmeticError("the search for a contour needs too much work")


class Estimate:
    """Estimates for one kind of step, those of the tail bound remembered.

    Args:
        step: the kind.
        effort: where its work is counted.
        window: only runs with |t| below it are counted.
    """

    def __init__(self, step: Step, effort: Effort, window: float = math.inf) -> None:
        self.window = window
        self.sigma, self.rate = float(step.sigma), float(step.rate)
        self.times, self.antipodal, self.plain = step.times, step.antipodal, step.rate == 1
        # A large group is hardly ever absent: 1 − rate would be 0 in float64.
        self.rest = max(float(1 - step.rate), _LEAST)
        self.log_rest = -math.inf if self.plain else _log(1 - step.rate)
        self.parts = [
            (float(weight), float(r) / self.sigma, _log(weight))
            for r, weight in step.parts
            if float(weight) > 0
        ]
        self._one = len(step.parts) == 1
        bounded = not step.antipodal and not self.plain
        self.lowest = self.times * self.log_rest if bounded else -math.inf
        self._tails: dict[tuple[float, float, Cut | None], tuple[float, float]] = {}
        self._lines: dict[
            tuple[float, int, Cut | None], tuple[float, list[tuple[float, float, float]]]
        ] = {}
        self._polars: dict[tuple[int, float], dict[int, tuple[float, float]]] = {}
        self._sizes: dict[tuple[Cut | None, float], dict[int, float]] = {}
        self._best: dict[tuple[float, Cut | None], int] = {}
        self._ratios: dict[int, float] = {}
        self._turns: dict[float, float] = {}
        self._effort = effort

        factor = 4 if self.antipodal else 1
        try:
            self.variance = self.times * sum(
                p * r * math.expm1(factor * g * h)
                for p, g, _ in self.parts
                for r, h, _ in self.parts
            )
        except OverflowError:
            self.variance = math.inf

    def powers(self, c: float) -> tuple[float, float]:
        """Return the exponents of w(t) and w(−t)."""
        return 1 + c, (-c if self.antipodal else 0.0)

    def range(self, c: float, cut: Cut | None = None) -> tuple[float, float, float]:
        """Return a range and a spacing that hold the weight of φ·w^(1+c), or of that times χ₁."""
        raising, falling = self.powers(c)
        low = -_REACH - max(falling, 0) / self.sigma - self._turned(raising)
        high = _REACH + max(raising, 0) / self.sigma + self._turned(falling)
        if cut is not None:
            high = max(high, cut.place + _REACH)
        low, high = max(low, -self.window), min(high, self.window)
        return low, high, min(0.3, 0.35 * self.sigma)

    def _pull(self, t: float) -> float:
        """Return d ln w/dt."""
        if self._one:
            ((p, g, _),) = self.parts
            weight = p * math.exp(min(g * t - g * g / 2, 300.0))
            return weight * g / (self.rest + weight)
        weights = [(p * math.exp(min(g * t - g * g / 2, 300.0)), g) for p, g, _ in self.parts]
        total = self.rest + sum(weight for weight, _ in weights)
        return sum(weight * g for weight, g in weights) / total

    def _turned(self, power: float) -> float:
        """Return how far to the left w(t)^power, the power negative, moves the weight."""
        if power >= 0:
            return 0.0
        if power not in self._turns:
            low, high = 0.0, -power * self._pull(0.0)
            while high - low > _NEAR + _NEAR * low:
                middle = (low + high) / 2
                if middle > -power * self._pull(-middle):
                    high = middle
                else:
                    low = middle
            self._turns[power] = high
        return self._turns[power]

    def _first_peak(self, raising: float, falling: float) -> float:
        """Return the t > 0 next to 0 at which φ·w(t)^raising·w(−t)^falling has a peak."""
        t = 0.0
        for _ in range(60):
            t = raising * self._pull(t) - falling * self._pull(-t)
        return t

    def log_jump(self, y: float) -> float:
        """Estimate ln of T times one step's δ(y), y > 0."""
        if not self._one:
            return self._log_jump_of_many(y)
        excess = (math.expm1(y) if y < 700 else math.exp(700)) + self.rate
        z = self.sigma * math.log(excess / self.rate) + 0.5 / self.sigma
        gap = max(_mills(z - 1 / self.sigma) - _mills(z), 1e-300)
        return math.log(self.times * excess * gap / ROOT) - z * z / 2

    def _log_jump_of_many(self, y: float) -> float:
        # ∫_z (w − e^y)φ with w(z) = e^y, term by term: Φ(−x) = φ(x)·m(x)
        z = rising_root(self.log_ratio, y)
        logs = [log + g * z - g * g / 2 for _, g, log in self.parts]
        top = max(logs)
        gaps = [max(_mills(z - g) - _mills(z), 1e-300) for _, g, _ in self.parts]
        total = sum(math.exp(log - top) * gap for log, gap in zip(logs, gaps, strict=True))
        return math.log(self.times * max(total, 1e-300) / ROOT) + top - z * z / 2

    def log_sup(self, t: float, part: float) -> float:
        """Estimate ln w(t), its terms beside 1 − q times a part."""
        total, terms = 0.0, 0.0
        for p, g, _ in self.parts:
            exponent = g * t - g * g / 2
            term = p * part * math.exp(exponent if exponent < 600.0 else 600.0)
            total += term - p
            terms += term
        return math.log1p(total) if total > -_HALF else math.log(self.rest + terms)

    def log_ratio(self, t: float) -> float:
        """Estimate ln w(t)."""
        if not self._one:
            logs = [g * t - g * g / 2 for _, g, _ in self.parts]
            if max(logs) < 40:
                gain = sum(p * math.expm1(x) for (p, _, _), x in zip(self.parts, logs, strict=True))
                if gain > -_HALF:
                    return math.log1p(gain)
                terms = (p * math.exp(x) for (p, _, _), x in zip(self.parts, logs, strict=True))
                return math.log(self.rest + sum(terms))
            logs = [x + log for x, (_, _, log) in zip(logs, self.parts, strict=True)]
            top = max(logs)
            rest = self.rest * math.exp(min(-top, 300.0))
            return top + math.log(rest + sum(math.exp(x - top) for x in logs))
        exponent = t / self.sigma - 0.5 / self.sigma**2
        if exponent > 40:
            return math.log(self.rate) + exponent + self.rest / self.rate * math.exp(-exponent)
        gain = self.rate * math.expm1(exponent)
        if gain > -_HALF:
            return math.log1p(gain)
        return math.log(self.rest + self.rate * math.exp(exponent))

    def _ratio_at(self, j: int, spacing: float) -> float:
        """Estimate ln w at a node of the transform's only mesh, once."""
        found = self._ratios.get(j)
        if found is None:
            found = self._ratios[j] = self.log_ratio(j * spacing)
        return found

    def log_transform(self, c: float) -> float:
        """Estimate ln M(c); infinite where it would not fit in floats many times over."""
        factor = 2.0 if self.antipodal else 1.0
        if self.plain:
            return c * (1 + c) * factor**2 / (2 * self.sigma**2)
        if self.antipodal and c < -0.5:  # its mirror image
            c = -1 - c
        low, high, spacing = self.range(c)
        raising, falling = self.powers(c)
        # At σ = 10⁵ a sum at the largest exponents had 400,000 nodes.
        if math.isinf(self.window) and high - low > _WIDE:
            far = high - _REACH
            values = {
                t: raising * self.log_ratio(t) + falling * self.log_ratio(-t) - t * t / 2
                for t in (low + _REACH, self.rate * far, far)
            }
            if max(values.values()) > _HUGE:
                return max(values.values())
            if values[far] < -_TINY:
                high = min(high, self._first_peak(raising, falling) + _REACH)
        terms, logs = [], []
        self._effort.spend(int((high - low) / spacing))
        for j in range(int(low / spacing), int(high / spacing) + 1):
            log = raising * self._ratio_at(j, spacing)
            if falling:
                log += falling * self._ratio_at(-j, spacing)
            t = j * spacing
            terms.append(-t * t / 2)
            logs.append(log)
        top = max(a + b for a, b in zip(terms, logs, strict=True))
        if top < 300 and max(logs) < 600:
            total = sum(math.exp(a) * math.expm1(b) for a, b in zip(terms, logs, strict=True))
            return math.log1p(max(total * spacing / ROOT, -1 + 1e-16))
        total = sum(math.exp(a + b - top) for a, b in zip(terms, logs, strict=True))
        return top + math.log(total * spacing / ROOT)

    def loss(self, t: float) -> float:
        """Estimate by how much the loss at t exceeds its least value, or zero for replace-one."""
        least = self.log_ratio(-t) if self.antipodal else self.log_rest
        return self.log_ratio(t) - least

    def edge(self, loss: float) -> float:
        """Return the t where a loss exceeds its least value (replace-one: zero) by so much."""
        if not self._one:
            return rising_root(self.loss, loss)
        odds = self.log_rest - math.log(self.rate) + 0.5 / self.sigma**2
        if not self.antipodal:
            return self.sigma * (math.log(math.expm1(loss)) + odds if loss < 30 else loss + odds)
        half = loss / 2
        big = odds + (math.log(math.sinh(half)) if half < 30 else half - math.log(2))
        arc = math.asinh(math.exp(big)) if big < 30 else big + math.log(2)
        return self.sigma * (arc + half)

    def log_small(self, cut: Cut, c: float) -> float:
        """Estimate ln E[χ₀·1(t ≤ edge)·e^{cL}], c > 0."""
        low = min(0.0, cut.place) - _REACH
        count = min(int((cut.edge - low) / min(0.1, 0.1 * self.sigma)) + 2, 400)
        spacing = (cut.edge - low) / (count - 1)
        raising, falling = self.powers(c)
        logs = []
        for j in range(count):
            t = low + j * spacing
            log = raising * self.log_ratio(t) - t * t / 2
            log += log_normal_tail(cut.steepness * (t - cut.place))
            logs.append(log + falling * self.log_ratio(-t) if falling else log)
        top = max(logs)
        return top + math.log(sum(math.exp(log - top) for log in logs) * spacing / ROOT)

    def log_beyond(self, t: float) -> float:
        """Estimate the logarithm of the first law's mass beyond t."""
        found = self.log_rest + log_normal_tail(t)
        for _, g, log in self.parts:
            found = _log_add(found, log + log_normal_tail(t - g))
        return found

    def log_bound(self, c: float) -> float:
        """Estimate ln M(c) as it is bounded: with what the ends of a window may contribute."""
        found = self.log_transform(c)
        if math.isinf(self.window):
            return found
        raising, falling = self.powers(c)
        sides = [
            raising * self.log_ratio(t) + falling * self.log_ratio(-t)
            for t in (self.window, -self.window)
        ]
        return _log_add(found, max(sides) - self.window**2 / 2 + 2)

    def end(self, log_mass: float) -> float:
        """Return a t beyond which there is no more than so much mass, nor beyond −t."""
        t = 3.0
        while max(self.log_beyond(t), log_normal_tail(t)) > log_mass:
            t += 0.25
        return t

    def log_tail(self, c: float, u: float, cut: Cut | None) -> float:
        """Estimate the least ln B(u) over the height of the line."""
        return self.tail(c, u, cut)[0]

    def tail(self, c: float, u: float, cut: Cut | None) -> tuple[float, float]:
        """Return that and the height, found by descent from the last one."""
        if self.plain:
            factor = 2.0 if self.antipodal else 1.0
            return (c * (1 + c) - u * u) * factor**2 / (2 * self.sigma**2), 0.0
        if (c, u, cut) not in self._tails:
            k = self._best.get((c, cut), 6)
            here = self._tail_at(c, u, k, cut)
            for direction in (-1, 1):
                while 0 <= k + direction < _HEIGHTS:
                    there = self._tail_at(c, u, k + direction, cut)
                    if there >= here:
                        break
                    k, here = k + direction, there
            self._best[c, cut] = k
            self._tails[c, u, cut] = here, self._height(k)
        return self._tails[c, u, cut]

    def _height(self, k: int) -> float:
        return 0.9 * math.pi / 2 * self.sigma * 1.4**-k

    def _tail_at(self, c: float, u: float, k: int, cut: Cut | None) -> float:
        if (c, k, cut) not in self._lines:
            self._lines[c, k, cut] = self._line(c, k, cut)
        spacing, line = self._lines[c, k, cut]
        self._effort.spend(len(line))
        height = self._height(k)
        growth = height * height / 2 * (1 if cut is None else 1 + cut.steepness**2)
        total = 0.0
        if cut is None:
            try:
                for weight, log, turn in line:
                    total += math.exp(weight) * math.expm1(log - u * turn)
            except OverflowError:
                total = math.inf
            total *= spacing / ROOT
            if -0.9 < total < math.inf:
                return growth + math.log1p(total)
        sizes = [weight + log - u * turn for weight, log, turn in line]
        top = max(sizes)
        total = sum(math.exp(each - top) for each in sizes) * spacing / ROOT
        return growth + top + math.log(total)

    def _line(
        self, c: float, k: int, cut: Cut | None
    ) -> tuple[float, list[tuple[float, float, float]]]:
        """Return the spacing, and (−t²/2, ln of the modulus, turn) at each t of a line."""
        height = self._height(k)
        low, high, spacing = self.range(c, cut)
        high = min(high, 37.0)  # where e^{−t²/2} is still a float
        low = max(low, -37.0)
        spacing = max(spacing, (high - low) / _NODES)
        raising, falling = self.powers(c)
        line = []
        first, last = int(low / spacing), int(high / spacing)
        self._effort.spend((last - first) * len(self.parts))
        polar = self._polars.setdefault((k, spacing), {})
        sizes = self._sizes.setdefault((cut, spacing), {})
        angle = height / self.sigma
        for j in range(first, last + 1):
            t = j * spacing
            if j not in polar:
                polar[j] = self._polar(t, angle)
            log, turn = polar[j]
            log *= raising
            if self.antipodal:
                if -j not in polar:
                    polar[-j] = self._polar(-t, angle)
                other, back = polar[-j]
                log += falling * other
                turn += back
            if j not in sizes:
                sizes[j] = 0.0 if cut is None else log_large(cut, t)
            line.append((-t * t / 2, log + sizes[j], turn))
        return spacing, line

    def _polar(self, t: float, angle: float) -> tuple[float, float]:
        """Estimate ln |w| and arg w at t + i·angle·σ."""
        real, imaginary, gain = self.rest, 0.0, 0.0
        for p, g, _ in self.parts:
            size, turn = p * math.exp(min(g * t - g * g / 2, 300.0)), g * self.sigma * angle
            real += size * math.cos(turn)
            gain += size * math.cos(turn) - p
            imaginary += size * math.sin(turn)
        square = gain * (2 + gain) + imaginary * imaginary
        if square > -_HALF:
            return math.log1p(square) / 2, math.atan2(imaginary, real)
        return math.log(max(math.hypot(real, imaginary), _LEAST)), math.atan2(imaginary, real)


def _log(weight: Fraction) -> float:
    return math.log(weight.numerator) - math.log(weight.denominator)


def rising_root(function: Callable[[float], float], value: float) -> float:
    """Return about where a rising function has a value."""
    low, high = -1.0, 1.0
    while function(high) < value and high < 1e9:
        low, high = high, 2 * high
    while function(low) > value and low > -1e9:
        low, high = 2 * low, low
    for _ in range(60):
        middle = (low + high) / 2
        low, high = (middle, high) if function(middle) < value else (low, middle)
    return high


def log_large(cut: Cut, t: float) -> float:
    """Estimate ln χ₁(t)."""
    return log_normal_tail(cut.steepness * (cut.place - t))


def log_normal_tail(x: float) -> float:
    """Estimate ln Φ(−x)."""
    if x < -5:
        return -math.erfc(-x / math.sqrt(2)) / 2
    return math.log(_mills(x) / ROOT) - x * x / 2


def _mills(x: float) -> float:
    """Estimate Φ(−x)/φ(x)."""
    if x < 4:
        return ROOT / 2 * math.exp(min(x * x / 2, 600.0)) * math.erfc(x / math.sqrt(2))
    tail = 0.0
    for k in range(20, 0, -1):
        tail = k / (x + tail)
    return 1 / (x + tail)


def _log_add(a: float, b: float) -> float:
    if a < b:
        a, b = b, a
    return a + math.log1p(math.exp(b - a)) if b > a - 40 else a
