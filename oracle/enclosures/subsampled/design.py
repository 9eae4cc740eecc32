"""The float64 choice of a contour. Nothing here is believed: a bad choice only widens a ball.

The line, the period and the number of nodes are chosen for the least work among a grid of real
parts: to the right of 0, where frequent sampling is cheap, and to the left of −1, where the tail
of a rarely sampled record does not count. Work is counted beforehand and refused above a limit.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from dporacle.enclosures.subsampled.inversion import Contour
from dporacle.enclosures.subsampled.transform import Mesh, Step

__all__ = ["Model"]

MAX_NODES = 1 << 18
MAX_WORK = 1 << 28  # in products of balls within a matrix
_PER_NODE = 800.0  # products that take as long as a power and a division
_CHEAP = 1 << 18  # work that is not worth a search
_HEIGHTS = 40  # of the line of the tail bound, each 1.4 times lower than the last
_RATIO = 0.35  # of neighbouring exponents, as a logarithm
_POWERS = [math.exp(_RATIO * k) for k in range(-34, 62)]
_ROOT = math.sqrt(2 * math.pi)


class Model:
    """Float64 estimates of the transform, each remembered."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self.steps = tuple(steps)
        self._one = [_Single(step) for step in steps]
        self._logs: dict[float, float] = {}
        self.lowest = sum(each.lowest for each in self._one)

    def log_transform(self, c: float) -> float:
        """Estimate ln K(c)."""
        if c not in self._logs:
            self._logs[c] = sum(each.times * each.log_transform(c) for each in self._one)
        return self._logs[c]

    def _saddle(self, y: float, put: bool) -> tuple[float, float, float]:
        """Return (c, ln of the Chernoff-like integrand there, ln of its width in ln p)."""
        best: list[float] = []
        for p in _POWERS:
            c = -1 - p if put else p
            best.append(self.log_transform(c) - c * y - math.log(p) - math.log1p(p))
        k = min(range(1, len(best) - 1), key=best.__getitem__)
        bend = max((best[k + 1] + best[k - 1] - 2 * best[k]) / _RATIO**2, 1e-3)
        p = _POWERS[k]
        return (-1 - p if put else p), best[k], math.log(p) - math.log(2 * math.pi * bend) / 2

    def log_divergence(self, y: float, put: bool) -> float:
        """Estimate ln δ(y), or ln π(y), by the saddle point."""
        _, value, width = self._saddle(y, put)
        estimate = min(value + width, y if put and y > 0 else 0.0)
        if put or y <= 0:
            return estimate
        # Where one step does it all the saddle point overrates it.
        variance = sum(each.variance for each in self._one)
        excess = max(y - variance / 2, 0.0)
        bulk = -excess * excess / (2 * variance)
        if bulk > -8:
            return estimate
        jump = max(each.log_jump(max(y - math.sqrt(variance), y / 2)) for each in self._one)
        return min(estimate, max(jump + math.log(len(self._one)), bulk))

    def root(self, log_target: float, put: bool) -> float:
        """Estimate the ε ≥ 0 with δ(ε) = e^log_target, or with e^ε π(−ε) = it."""

        def gap(x: float) -> float:
            epsilon = math.exp(x)
            if put:
                return epsilon + self.log_divergence(-epsilon, True) - log_target
            return self.log_divergence(epsilon, False) - log_target

        low, high = -30.0, 12.0
        if put and math.isfinite(self.lowest):
            high = math.log(-self.lowest)
        for _ in range(40):
            middle = (low + high) / 2
            if gap(middle) > 0:
                low = middle
            else:
                high = middle
        return math.exp(high)

    def contour(self, y: float, log_tolerance: float, put: bool) -> Contour:
        """Choose a contour for δ(y) or π(y) with an absolute tolerance e^log_tolerance.

        Raises:
            ArithmeticError: if every contour that is tried needs too much work.
        """
        near = self._saddle(y, put)[0]
        other = self._saddle(y, not put)[0]
        best: tuple[float, Contour] | None = None
        for base, factor in (
            *((near, each) for each in (1.0, 0.5, 0.2)),
            *((other, each) for each in (1.0, 4.0, 16.0, 0.25)),
        ):
            c = base * factor if base > 0 else -1 + (base + 1) * factor
            plan = self._plan(c, y, log_tolerance)
            if plan is None:
                continue
            limit = best[0] / _PER_NODE if best else MAX_NODES
            frequency = self._frequency(plan, log_tolerance, y, 2 * math.pi * limit)
            if frequency is None:
                continue
            nodes = max(int(plan.period * frequency / (2 * math.pi)) + 2, 4)
            contour = self._finish(plan, nodes, y, log_tolerance, put)
            work = nodes * _PER_NODE + sum(
                (m[0].left + m[0].right) * (nodes + 150 * math.sqrt(nodes))
                + 300 * sum(each.left + each.right for each in m)
                for m in contour.meshes
            )
            if work < MAX_WORK and (best is None or work < best[0]):
                best = (work, replace(contour, work=work))
            if work < _CHEAP:
                break
        if best is None:
            raise ArithmeticError(f"the inversion at {y:.6g} needs too much work")
        return best[1]

    def _plan(self, c: float, y: float, log_tolerance: float) -> _Plan | None:
        goal = log_tolerance - 2.0
        right, period = 0.0, math.inf
        for p in _POWERS:
            if p > 1.02 * c:
                size = _log_kappa(p) + self.log_transform(p) - p * y - goal
                needed = max(size, 0.1) / (p - c)
                if needed < period:
                    right, period = p, needed
        left, below = -2.0, math.inf
        for p in _POWERS:
            a = -1 - p
            if a < c - 0.02 * abs(c):
                size = _log_kappa(p) + self.log_transform(a) - a * y - goal
                needed = max(size, 0.1) / (c - a)
                if needed < below:
                    left, below = a, needed
        if math.isfinite(self.lowest) and y - self.lowest < below:
            below = (y - self.lowest) * (1 + 1e-9) + 1e-300
            if left >= c:
                left = -1.5 + 1.5 * min(c, -1)
        total = max(period, below)
        if right <= 0 or not math.isfinite(total) or total <= 0 or left >= min(c, -1):
            return None
        return _Plan(c, right, left, total * 1.0001)

    def _frequency(self, plan: _Plan, log_tolerance: float, y: float, limit: float) -> float | None:
        """Estimate U with e^{−cy} B(U)/(πU) below the tolerance; None beyond the limit."""
        goal = log_tolerance - 1.5 + plan.c * y

        def gap(u: float) -> float:
            tail = sum(each.times * each.log_tail(plan.c, u) for each in self._one)
            return tail - math.log(math.pi * u) - goal

        high = 4 * math.pi / plan.period
        if not math.isfinite(self.log_transform(plan.c)):
            return None
        while gap(high) > 0:
            high *= 3
            if high / 3 * plan.period > min(limit, 8.0 * MAX_NODES):
                return None
        low = high / 3
        for _ in range(4):
            middle = math.sqrt(low * high)
            if gap(middle) > 0:
                low = middle
            else:
                high = middle
        return high

    def _finish(
        self, plan: _Plan, nodes: int, y: float, log_tolerance: float, put: bool
    ) -> Contour:
        c, period = plan.c, plan.period
        weight = 1 / (2 * math.sqrt(abs(c * (c + 1)))) + 1 / (period * abs(c * (c + 1)))
        size = self.log_transform(c) - c * y + math.log(weight)  # of the sum, were it all one sign
        relative = min(log_tolerance - 1.0 - size, -3.0)
        kinds = len(self._one)
        meshes = []
        for each in self._one:
            share = relative - math.log(each.times * kinds)
            rough = -7.0 - math.log(each.times * kinds)
            u = 2 * math.pi / period * nodes
            meshes.append(
                (
                    each.mesh(c, share + each.log_transform(c)),
                    each.mesh(plan.right, rough + each.log_transform(plan.right)),
                    each.mesh(plan.left, rough + each.log_transform(plan.left)),
                    each.tail_mesh(c, u, rough + each.log_tail(c, u)),
                )
            )
        parts = [size, -abs(c) * period, y - abs(c + 1) * period]
        if put:
            parts += [0.0] * (c > 0) + [y] * (c > -1)
        else:
            parts += [0.0] * (c < 0) + [y] * (c < -1)
        largest = max(parts)  # the logarithm of what is added up
        bits = max(largest - log_tolerance, 0.0) / math.log(2) + 64
        bits += math.log2(sum(each.times for each in self._one) + 1)
        bits += 2 * max(m[0].height for m in meshes) ** 2
        return Contour(c, plan.right, plan.left, period, nodes, tuple(meshes), int(bits))


@dataclass(frozen=True)
class _Plan:
    c: float
    right: float
    left: float
    period: float


class _Single:
    """Float64 estimates for one kind of step."""

    def __init__(self, step: Step) -> None:
        self.sigma, self.rate = float(step.sigma), float(step.rate)
        self.times, self.antipodal, self.plain = step.times, step.antipodal, step.rate == 1
        bounded = not step.antipodal and not self.plain
        self.lowest = self.times * math.log1p(-self.rate) if bounded else -math.inf
        self._tails: dict[tuple[float, float], tuple[float, float]] = {}
        self._lines: dict[tuple[float, int], tuple[float, list[tuple[float, float, float]]]] = {}
        self._best: dict[float, int] = {}

        try:
            growth = math.expm1((4 if self.antipodal else 1) / self.sigma**2)
        except OverflowError:
            growth = math.inf
        self.variance = self.times * self.rate**2 * growth

    def log_jump(self, y: float) -> float:
        """Estimate ln of T times one step's δ(y), y > 0."""
        excess = (math.expm1(y) if y < 700 else math.exp(700)) + self.rate
        z = self.sigma * math.log(excess / self.rate) + 0.5 / self.sigma
        gap = max(_mills(z - 1 / self.sigma) - _mills(z), 1e-300)
        return math.log(self.times * excess * gap / _ROOT) - z * z / 2

    def _log_w(self, t: float) -> float:
        exponent = t / self.sigma - 0.5 / self.sigma**2
        if exponent > 40:
            return (
                math.log(self.rate) + exponent + (1 - self.rate) / self.rate * math.exp(-exponent)
            )
        return math.log1p(self.rate * math.expm1(exponent))

    def _powers(self, c: float) -> tuple[float, float]:
        return 1 + c, (-c if self.antipodal else 0.0)

    def _range(self, c: float) -> tuple[float, float, float]:
        """Return a range and a spacing that hold the weight of φ·w^(1+c)."""
        raising, falling = self._powers(c)
        reach = 9.0
        low, high = -reach, reach
        low -= max(falling, 0) / self.sigma
        high += max(raising, 0) / self.sigma
        return low, high, min(0.3, 0.35 * self.sigma)

    def log_transform(self, c: float) -> float:
        """Estimate ln M(c); infinite where it would not fit in floats many times over."""
        factor = 2.0 if self.antipodal else 1.0
        if self.plain:
            return c * (1 + c) * factor**2 / (2 * self.sigma**2)
        for power in self._powers(c):
            if power > 1:
                least = power * math.log(self.rate) + power * (power - 1) / (2 * self.sigma**2)
                if least > 500:
                    return least
        low, high, spacing = self._range(c)
        raising, falling = self._powers(c)
        terms, logs = [], []
        for j in range(int(low / spacing), int(high / spacing) + 1):
            t = j * spacing
            log = raising * self._log_w(t)
            if falling:
                log += falling * self._log_w(-t)
            terms.append(-t * t / 2)
            logs.append(log)
        top = max(a + b for a, b in zip(terms, logs, strict=True))
        if top < 300 and max(logs) < 600:
            total = sum(math.exp(a) * math.expm1(b) for a, b in zip(terms, logs, strict=True))
            return math.log1p(max(total * spacing / _ROOT, -1 + 1e-16))
        total = sum(math.exp(a + b - top) for a, b in zip(terms, logs, strict=True))
        return top + math.log(total * spacing / _ROOT)

    def log_tail(self, c: float, u: float) -> float:
        """Estimate the least ln B(u) over the height of the line."""
        return self._tail(c, u)[0]

    def _tail(self, c: float, u: float) -> tuple[float, float]:
        """Return that and the height, found by descent from the last one."""
        if self.plain:
            factor = 2.0 if self.antipodal else 1.0
            return (c * (1 + c) - u * u) * factor**2 / (2 * self.sigma**2), 0.0
        if (c, u) not in self._tails:
            k = self._best.get(c, 6)
            here = self._tail_at(c, u, k)
            for direction in (-1, 1):
                while 0 <= k + direction < _HEIGHTS:
                    there = self._tail_at(c, u, k + direction)
                    if there >= here:
                        break
                    k, here = k + direction, there
            self._best[c] = k
            self._tails[c, u] = here, self._height(k)
        return self._tails[c, u]

    def _height(self, k: int) -> float:
        return 0.9 * math.pi / 2 * self.sigma * 1.4**-k

    def _tail_at(self, c: float, u: float, k: int) -> float:
        if (c, k) not in self._lines:
            self._lines[c, k] = self._line(c, self._height(k))
        spacing, line = self._lines[c, k]
        height = self._height(k)
        total = 0.0
        try:
            for weight, log, turn in line:
                total += weight * math.expm1(log - u * turn)
        except OverflowError:
            total = math.inf
        total *= spacing / _ROOT
        if -0.9 < total < math.inf:
            return height * height / 2 + math.log1p(total)
        sizes = [math.log(weight) + log - u * turn for weight, log, turn in line]
        top = max(sizes)
        total = sum(math.exp(each - top) for each in sizes) * spacing / _ROOT
        return height * height / 2 + top + math.log(total)

    def _line(self, c: float, height: float) -> tuple[float, list[tuple[float, float, float]]]:
        """Return the spacing, and (e^{−t²/2}, ln of the modulus, turn) at each t of a line."""
        low, high, spacing = self._range(c)
        high = min(high, 37.0)  # where e^{−t²/2} is still a float
        low = max(low, -37.0)
        raising, falling = self._powers(c)
        angle = height / self.sigma
        line = []
        for j in range(int(low / spacing), int(high / spacing) + 1):
            t = j * spacing
            log, turn = self._polar(t, angle)
            log *= raising
            if self.antipodal:
                other, back = self._polar(-t, angle)
                log += falling * other
                turn += back
            line.append((math.exp(-t * t / 2), log, turn))
        return spacing, line

    def _polar(self, t: float, angle: float) -> tuple[float, float]:
        """Estimate ln |w| and arg w at t + i·angle·σ."""
        q, rest = self.rate, 1 - self.rate
        e = q * math.exp(min(t / self.sigma - 0.5 / self.sigma**2, 300.0))
        cosine, sine = math.cos(angle), math.sin(angle)
        log = math.log1p(q * (q - 2) + e * (e + 2 * rest * cosine)) / 2
        return log, math.atan2(e * sine, rest + e * cosine)

    def mesh(self, c: float, log_tolerance: float) -> Mesh:
        """Choose the mesh of M(c + iu), u ≥ 0, for an absolute tolerance."""
        if self.plain:
            return Mesh(1.0, 1.0, 1, 1, 1.0)
        negative = min(self._powers(c)) < 0
        limit = math.pi * self.sigma / (4 if negative else 2)
        best: tuple[float, float, float] | None = None
        for part in (0.97, 0.8, 0.6, 0.4, 0.25, 0.12, 0.05, 0.02, 0.005, 0.001, 2e-4, 4e-5):
            b = min(part * limit, 6.0 * part)
            bound = self._log_mass(c, math.cos(2 * b / self.sigma)) + 2 * b * b
            need = max(bound + math.log(8) - log_tolerance, 1.0)
            spacing = 2 * math.pi * b / need
            if best is None or spacing > best[1]:
                best = (b, spacing, bound)
        assert best is not None
        b, spacing, _ = best
        return self._ends(c, b, b, spacing, log_tolerance - b * b / 2, math.cos(2 * b / self.sigma))

    def tail_mesh(self, c: float, u: float, log_tolerance: float) -> Mesh:
        """Choose the line and the mesh of the tail bound."""
        if self.plain:
            return Mesh(1.0, 1.0, 1, 1, 1.0)
        height = self._tail(c, u)[1]
        best: tuple[float, float] | None = None
        for part in (0.97, 0.8, 0.6, 0.4, 0.2, 0.05, 0.01, 0.002):
            a = min(part * (math.pi * self.sigma / 2 - height), 6.0 * part)
            cosine = math.cos((a + height) / self.sigma)
            bound = self._log_mass(c, cosine) + (a * a + height * height) / 2
            need = max(bound + math.log(8) - log_tolerance, 1.0)
            spacing = 2 * math.pi * a / need
            if best is None or spacing > best[1]:
                best = (a, spacing)
        assert best is not None
        a, spacing = best
        cosine = math.cos((a + height) / self.sigma)
        return self._ends(c, height, a, spacing, log_tolerance - height * height / 2, cosine)

    def _log_mass(self, c: float, cosine: float) -> float:
        """Estimate ln ∫ φ·sup|integrand/φ| as the enclosure bounds it."""
        low, high, spacing = self._range(c)
        spacing *= 2
        raising, falling = self._powers(c)
        logs = []
        for j in range(int(low / spacing), int(high / spacing) + 1):
            t = j * spacing
            log = -t * t / 2
            for power, at in ((raising, t), (falling, -t)):
                if power:
                    part = 1.0 if power > 0 else cosine
                    exponent = min(at / self.sigma - 0.5 / self.sigma**2, 600.0)
                    log += power * math.log1p(self.rate * (part * math.exp(exponent) - 1))
            logs.append(log)
        top = max(logs)
        return top + math.log(sum(math.exp(each - top) for each in logs) * spacing)

    def _ends(
        self, c: float, height: float, strip: float, spacing: float, goal: float, cosine: float
    ) -> Mesh:
        raising, falling = self._powers(c)
        right = self._end(raising, falling, goal, cosine)
        left = self._end(falling, raising, goal, cosine)
        return Mesh(height, spacing, int(left / spacing) + 1, int(right / spacing) + 1, strip)

    def _end(self, own: float, other: float, goal: float, cosine: float) -> float:
        shift = max(own, 0) / self.sigma

        def size(end: float) -> float:
            log = 0.0
            for power, at in ((own, end), (other, -end)):
                if power:
                    part = 1.0 if power > 0 else cosine
                    exponent = min(at / self.sigma - 0.5 / self.sigma**2, 600.0)
                    if power < 0 and at < 0:
                        log += power * math.log1p(-self.rate)
                    else:
                        log += power * math.log1p(self.rate * (part * math.exp(exponent) - 1))
            return log - end * end / 2 - math.log(1 + end - shift)

        end = shift + 1.0
        while size(end) > goal - 2.5 and end < 1e6:
            end += 0.25
        return end


def _mills(x: float) -> float:
    """Estimate Φ(−x)/φ(x)."""
    if x < 4:
        return _ROOT / 2 * math.exp(min(x * x / 2, 600.0)) * math.erfc(x / math.sqrt(2))
    tail = 0.0
    for k in range(20, 0, -1):
        tail = k / (x + tail)
    return 1 / (x + tail)


def _log_kappa(p: float) -> float:
    return p * math.log(p) - (1 + p) * math.log1p(p)
