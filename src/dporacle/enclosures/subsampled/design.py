"""The float64 choice of a contour. Nothing here is believed: a bad choice only widens a ball.

The line, the period and the number of nodes are chosen for the least work among a grid of real
parts: to the right of 0, where frequent sampling is cheap, and to the left of −1, where the tail
of a rarely sampled record does not count. Work is counted beforehand and refused above a limit.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from dporacle.enclosures.subsampled.cut import Cut
from dporacle.enclosures.subsampled.cutting import STEEP, choose_cuts, log_kappa
from dporacle.enclosures.subsampled.estimates import Effort, Estimate
from dporacle.enclosures.subsampled.inversion import Contour
from dporacle.enclosures.subsampled.meshes import bound_mesh, line_mesh, tail_mesh
from dporacle.enclosures.subsampled.transform import Step

MAX_NODES = 1 << 18  # as many powers and divisions as `MAX_WORK` has, at `_PER_NODE` products each
MAX_WORK = 1 << 28  # in products of balls within a matrix, of at most so many bits:
_BITS = 512
_PER_NODE = 800.0  # products that take as long as a power and a division
_JUMPS = 4  # from so many large losses on the saddle point is believed
_CHEAP = 1 << 18  # work that is not worth a search
_DEAR = 1 << 26  # work that takes as long as the search for how to cut the quasi-atom off
_QUICK = 1 << 25  # the same, for the first of those cuts
# Nearer to the pole than the saddle, aliases need no long period for a heavy tail.
_NEARER = (1.0, 0.5, 0.25, 0.12, 0.06)
_AGAIN = 10.0  # times the work of a cut, up to which the same steepness is not questioned
_RATIO = 0.35  # of neighbouring exponents, as a logarithm
_FINER = 12.0  # as a logarithm: for so much less tolerance a choice is made anew
_STRIDE = 6  # of a first look at the powers
# From 7e-6 to 4e16: σ = 0.4, q = 0.000105, T = 5, δ = 4.32e-90 (add) needs one above 10¹⁰.
_POWERS = [math.exp(_RATIO * k) for k in range(-34, 110)]


@dataclass
class Habits:
    """What the search for a contour has come to: the next is for much the same.

    Attributes:
        straight: whether nothing was cheaper than the contour that has all runs.
        cut: how steep the cut was of the cheapest contour; 0 if it had none.
        work: what that one cost.
        point: which real part was cheapest for the contour that has all runs; −1 for unknown.
        finest: the logarithm of the tolerance for which it was.
    """

    straight: bool = False
    cut: float = 0.0
    work: float = 0.0
    point: int = -1
    finest: float = 0.0


class Model:
    """Float64 estimates of the transform, each remembered."""

    def __init__(
        self,
        steps: Sequence[Step],
        windows: Sequence[float] = (),
        effort: Effort | None = None,
        habits: Habits | None = None,
    ) -> None:
        self.steps, self.windows = tuple(steps), tuple(windows)
        self._habits = habits or Habits()
        self._effort = effort or Effort.for_steps(self.steps)
        ends = windows or [math.inf] * len(self.steps)
        self._one = [
            Estimate(step, self._effort, end) for step, end in zip(steps, ends, strict=True)
        ]
        self._logs: dict[float, float] = {}
        self._bounds: dict[float, float] = {}
        self._narrow: dict[float, Model] = {}
        self.lowest = sum(each.lowest for each in self._one)
        self.antipodal = any(each.antipodal for each in self._one)

    def log_transform(self, c: float) -> float:
        """Estimate ln K(c)."""
        if c not in self._logs:
            self._logs[c] = sum(each.times * each.log_transform(c) for each in self._one)
        return self._logs[c]

    def _log_bound(self, c: float) -> float:
        """Estimate ln K(c) as it is bounded."""
        if not self.windows:
            return self.log_transform(c)
        if c not in self._bounds:
            self._bounds[c] = sum(each.times * each.log_bound(c) for each in self._one)
        return self._bounds[c]

    def _chernoff(self, c: float, y: float) -> float:
        return self.log_transform(c) - c * y - math.log(abs(c * (c + 1)))

    def _saddle(self, y: float, put: bool) -> tuple[float, float, float]:
        """Return (c, ln of the Chernoff-like integrand there, ln of its width in ln p)."""

        def at(k: int) -> float:
            return self._chernoff(-1 - _POWERS[k] if put else _POWERS[k], y)

        k = _lowest(at, 1, len(_POWERS) - 1)
        bend = max((at(k + 1) + at(k - 1) - 2 * at(k)) / _RATIO**2, 1e-3)
        p = _POWERS[k]
        return (-1 - p if put else p), at(k), math.log(p) - math.log(2 * math.pi * bend) / 2

    def log_divergence(self, y: float, put: bool) -> float:
        """Estimate ln δ(y), or ln π(y), by the saddle point."""
        estimate = self._log_divergence(y, put)
        if self.windows or any(each.plain for each in self._one):
            return estimate
        # A tail that has no part in δ can rule the transform: then without it.
        for _ in range(4):
            times = math.log(sum(each.times for each in self._one))
            end = 4.0 * math.ceil(1.0 + math.sqrt(2 * (times - estimate)) / 4)
            if end > 100:
                break
            narrow = self._narrow.get(end)
            if narrow is None:
                narrow = Model(self.steps, [end] * len(self.steps), self._effort)
                self._narrow[end] = narrow
            c, value, _ = self._saddle(y, put)
            if narrow._chernoff(_scaled(c, 2.0), y) > value - 0.5:
                break
            beyond = max(each.log_beyond(end) for each in self._one) + times
            less = max(narrow._log_divergence(y, put), beyond)
            if less > estimate - 0.5:
                break
            estimate = less
        return estimate

    def _log_divergence(self, y: float, put: bool) -> float:
        _, value, width = self._saddle(y, put)
        estimate = min(value + width, y if put and y > 0 else 0.0)
        if put or y <= 0:
            return estimate
        # Where one step does it all the saddle point overrates it: σ = 4, q = 10⁻⁵, T = 100.
        variance = sum(each.variance for each in self._one)
        excess = max(y - variance / 2, 0.0)
        bulk = -excess * excess / (2 * variance)
        if bulk > -8:
            return estimate
        reach = max(y - math.sqrt(variance), y / 2)
        jumps = [
            max(k * each.log_jump(reach / k) for each in self._one)
            + k * math.log(len(self._one))
            - math.lgamma(k + 1)
            for k in range(1, _JUMPS + 1)
        ]
        if max(jumps) == jumps[-1]:
            return estimate
        return min(estimate, max(*jumps, bulk))

    def root(self, log_target: float, put: bool) -> float:
        """Estimate the ε ≥ 0 with δ(ε) = e^log_target, or with e^ε π(−ε) = it."""

        def gap(x: float) -> float:
            epsilon = math.exp(x)
            if put:
                return epsilon + self.log_divergence(-epsilon, True) - log_target
            return self.log_divergence(epsilon, False) - log_target

        low, high = -30.0, 12.0  # ε from 10⁻¹³ to 1.6·10⁵: beyond it no root is searched for
        if put and math.isfinite(self.lowest):
            high = math.log(-self.lowest)
        for _ in range(40):  # 42 nats, halved so often: ε to 4·10⁻¹¹ of itself
            middle = (low + high) / 2
            if gap(middle) > 0:
                low = middle
            else:
                high = middle
        return math.exp(high)

    def contour(self, y: float, log_tolerance: float, put: bool) -> Contour:
        """Choose a contour that gives δ(y) or π(y) to an absolute e^log_tolerance.

        Raises:
            ArithmeticError: if all that are tried need too much work.
        """
        habits = self._habits
        if habits.cut:
            best = self._cut(y, log_tolerance, put, None, [habits.cut])
            if best and not _dear(best) and best.work < _AGAIN * habits.work:
                return best
        best = straight = self._straight(y, log_tolerance, put)
        if (best is None or best.work > _QUICK) and not (straight and habits.straight):
            best = self._cut(y, log_tolerance, put, best)
            if best is not None and best.cuts:
                habits.cut, habits.work = best.cuts[0].steepness * self._one[0].sigma, best.work
            if _dear(best):
                best = self._windowed(y, log_tolerance, put, best)
            habits.straight = best is not None and best is straight
        if best is None:
            raise ArithmeticError(f"the inversion at {y:.6g} needs too much work")
        return best

    def _straight(self, y: float, log_tolerance: float, put: bool) -> Contour | None:
        """Choose a contour that has all runs."""
        near = self._saddle(y, put)[0]
        other = self._saddle(y, not put)[0]
        points = [_scaled(near, each) for each in (1.0, 0.5, 0.2)]
        # σ = 1, q = 10⁻⁴, T = 1000, δ = 10⁻⁹: 540 nodes left of −1, 36,000 right of 0.
        points += [_scaled(other, each) for each in (1.0, 4.0, 16.0, 0.25)]
        if self.antipodal:
            points.append(-0.5)  # both tails are heavy, and this is between them
        choices: list[tuple[float, tuple[Cut, ...], float]] = [(c, (), 1.0) for c in points]
        habits = self._habits
        if habits.point >= 0 and log_tolerance > habits.finest - _FINER:
            found = self._cheapest([choices[habits.point]], y, log_tolerance, put, None)
            if not _dear(found):
                return found
        best = self._cheapest(choices, y, log_tolerance, put, None)
        if best is not None:
            habits.point, habits.finest = points.index(best.c), log_tolerance
        return best

    def _cut(
        self,
        y: float,
        log_tolerance: float,
        put: bool,
        best: Contour | None,
        steep: Sequence[float] = STEEP,
    ) -> Contour | None:
        """Cut off the quasi-atom."""
        # σ = 0.6, q = 0.01, T = 2, δ = 10⁻⁹: 125 nodes with a cut, more than 10⁵ without.
        near, other = self._saddle(y, put)[0], self._saddle(y, not put)[0]
        tilts = [_scaled(near, each) for each in _NEARER]
        if self.antipodal:
            tilts.append(-0.5)
        else:
            tilts += [_scaled(other, each) for each in (1.0, 4.0, 16.0, 64.0)]
            far = -log_tolerance / max(y - self.lowest, 1e-300)
            tilts += [-1 - far * each for each in (0.3, 1.0)]
        for cuts, p in choose_cuts(self._one, y, log_tolerance, _POWERS, steep):
            best = self._cheapest([(c, cuts, p) for c in tilts], y, log_tolerance, put, best)
            if not _dear(best):
                break
        return best

    def _windowed(
        self, y: float, log_tolerance: float, put: bool, best: Contour | None
    ) -> Contour | None:
        """Leave out the runs in which any t is far from 0, as far as they cannot count."""
        if any(each.plain for each in self._one):
            return best
        # σ = 1.83, q = 2.02·10⁻⁶, T = 14, δ = 3.68·10⁻⁷⁹ (replace-one): a cut alone needs 14,000
        # nodes, a window alone 155,000, both together 3,300.
        for stretch in (1.0, 1.2):
            ends = [
                stretch * each.end(log_tolerance - 10.0 - math.log(each.times * len(self._one)))
                for each in self._one
            ]
            model = Model(self.steps, ends, self._effort)
            near, other = model._saddle(y, put)[0], model._saddle(y, not put)[0]
            tilts = [_scaled(near, each) for each in _NEARER] + [other]
            best = model._cheapest([(c, (), 1.0) for c in tilts], y, log_tolerance, put, best)
            if _dear(best):
                best = model._cut(y, log_tolerance, put, best)
            if not _dear(best):
                break
        return best

    def _cheapest(
        self,
        choices: Sequence[tuple[float, tuple[Cut, ...], float]],
        y: float,
        log_tolerance: float,
        put: bool,
        best: Contour | None,
    ) -> Contour | None:
        for c, cuts, small in choices:
            plan = self._plan(c, y, log_tolerance)
            if plan is None:
                continue
            limit = best.work / _PER_NODE if best else MAX_NODES
            frequency = self._frequency(plan, log_tolerance, y, 2 * math.pi * limit, cuts)
            if frequency is None:
                continue
            nodes = max(int(plan.period * frequency / (2 * math.pi)) + 2, 4)
            try:
                contour = self._finish(plan, nodes, y, log_tolerance, put, cuts)
            except ArithmeticError:
                continue
            work = nodes * _PER_NODE + sum(
                (m[0].left + m[0].right) * (nodes + 150 * math.sqrt(nodes)) * (1.2 if cuts else 1)
                + 300 * sum(each.left + each.right for each in m)
                for m in contour.meshes
            )
            dear = max(1.0, contour.bits / _BITS) ** 2  # what a product of so many bits costs
            if work * dear < MAX_WORK and (best is None or work < best.work):
                best = replace(contour, work=work, small=small)
            if work < _CHEAP:
                break
        return best

    def _plan(self, c: float, y: float, log_tolerance: float) -> _Plan | None:
        goal = log_tolerance - 2.0
        powers = _POWERS

        def after(k: int) -> float:
            p = powers[k]
            size = log_kappa(p) + self._log_bound(p) - p * y - goal
            return max(size, 0.1) / (p - c)

        def before(k: int) -> float:
            p, a = powers[k], -1 - powers[k]
            size = log_kappa(p) + self._log_bound(a) - a * y - goal
            return max(size, 0.1) / (c - a)

        right, period = 0.0, math.inf
        if (first := bisect_right(powers, 1.02 * c)) < len(powers):
            k = _lowest(after, first, len(powers))
            right, period = powers[k], after(k)
        left, below = -2.0, math.inf
        if (first := bisect_right(powers, 0.02 * abs(c) - c - 1)) < len(powers):
            k = _lowest(before, first, len(powers))
            left, below = -1 - powers[k], before(k)
        if math.isfinite(self.lowest) and y - self.lowest < below:
            below = (y - self.lowest) * (1 + 1e-9) + 1e-300
            if left >= c:
                left = -1.5 + 1.5 * min(c, -1)
        total = max(period, below)
        if right <= 0 or not math.isfinite(total) or total <= 0 or left >= min(c, -1):
            return None
        return _Plan(c, right, left, total * 1.0001)

    def _frequency(
        self, plan: _Plan, log_tolerance: float, y: float, limit: float, cuts: tuple[Cut, ...]
    ) -> float | None:
        """Estimate U with e^{−cy} B(U)/(πU) below the tolerance; None beyond the limit."""
        goal = log_tolerance - 1.5 + plan.c * y

        def gap(u: float) -> float:
            if cuts:
                tail = self.log_transform(plan.c) + max(
                    math.log(each.times * len(cuts))
                    + each.log_tail(plan.c, u, cut)
                    - each.log_transform(plan.c)
                    for each, cut in zip(self._one, cuts, strict=True)
                )
            else:
                tail = sum(each.times * each.log_tail(plan.c, u, None) for each in self._one)
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
        self,
        plan: _Plan,
        nodes: int,
        y: float,
        log_tolerance: float,
        put: bool,
        cuts: tuple[Cut, ...],
    ) -> Contour:
        c, period = plan.c, plan.period
        weight = 1 / (2 * math.sqrt(abs(c * (c + 1)))) + 1 / (period * abs(c * (c + 1)))
        size = self.log_transform(c) - c * y + math.log(weight)  # of the sum, were it all one sign
        relative = min(log_tolerance - 2.0 - size, -3.0)  # M and M₀ both err
        kinds = len(self._one)
        meshes = []
        for each, cut in zip(self._one, cuts or [None] * kinds, strict=True):
            share = relative - math.log(each.times * kinds)
            rough = -7.0 - math.log(each.times * kinds)
            u = 2 * math.pi / period * nodes
            far = (-3.0 if cut else rough) + each.log_tail(c, u, cut)
            meshes.append(
                (
                    line_mesh(each, c, share + each.log_transform(c), cut),
                    bound_mesh(each, plan.right, rough),
                    bound_mesh(each, plan.left, rough),
                    tail_mesh(each, c, u, far, cut),
                )
            )
        parts = [size, -abs(c) * period, y - abs(c + 1) * period]
        if put:
            parts += [0.0] * (c > 0 or bool(cuts or self.windows)) + [y] * (
                c > -1 or bool(cuts or self.windows)
            )
        else:
            parts += [0.0] * (c < 0) + [y] * (c < -1)
        largest = max(parts)  # the logarithm of what is added up
        bits = max(largest - log_tolerance, 0.0) / math.log(2) + 40 + math.log2(1 + abs(c))
        bits += math.log2(sum(each.times for each in self._one) + 1)
        bits += 2 * max(m[0].height for m in meshes) ** 2
        return Contour(
            c,
            plan.right,
            plan.left,
            period,
            nodes,
            tuple(meshes),
            int(bits),
            cuts=cuts,
            windows=self.windows,
        )


def _lowest(function: Callable[[int], float], first: int, end: int) -> int:
    """Return where a function that falls and then rises is lowest, from the first to the end."""
    near = min(range(first, end, _STRIDE), key=function)
    return min(range(max(first, near - _STRIDE + 1), min(end, near + _STRIDE)), key=function)


def _dear(contour: Contour | None) -> bool:
    return contour is None or contour.work > _DEAR


def _scaled(c: float, factor: float) -> float:
    """Return a c farther from 0 to the right of it, or from −1 to the left."""
    return c * factor if c > 0 else -1 + (c + 1) * factor


@dataclass(frozen=True)
class _Plan:
    c: float
    right: float
    left: float
    period: float
