"""δ(ε) of composed steps by a contour integral through the saddle.

With K(s) the product of the steps' moments, for every contour from the right half-plane's −i∞ to
+i∞ that stays right of the poles on the real line,

    δ(ε) = (1/2πi)∫ K(s)e^{−sε}/(s(s+1)) ds.

The vertical line is hopeless where the record is rarely sampled: the loss is nearly an atom and
|K| stays near 1 up to Im s ~ 1/q. The contour is therefore a hyperbola that bends to the side on
which e^{−sε} outweighs the atom: to the right for remove, to the left for add. It leaves the saddle
with the curvature of the steepest descent, but no more than keeps (Re s)² − (Im s)² from growing,
since the lognormal part of a moment is of size e^{((Re s)² − (Im s)²)/2σ²}, and no less than leaves
the atom behind. Its points are graded, Im s = a·sinh y, and the rule in y is the trapezoid's, whose
error falls geometrically.
"""

import math
from collections.abc import Callable

import numpy as np

from dporacle.fast._broadcast import Array, quiet
from dporacle.fast.subsampled.losses import Cumulants, FloatPhase, cumulants, largest
from dporacle.fast.subsampled.moment import moments

_FIRST = 24  # intervals of the first rule
_MOST = 3072  # seven doublings of the first rule
_GOAL = 1e-10  # relative difference of a rule and the next finer one at which to stop
ROUNDING = 32 * 2.0**-52  # of a moment's logarithm, per unit of ∫|integrand|/|M| (measured: 6)
_REFINEMENTS = 4  # of the rule of one moment, while its error shows and work is left
_FARTHEST = 1e9  # of Im s, and of Im s in units of c
_WORK = 1_500_000  # terms after which nothing is refined any more: a few seconds
_LEAST_BEND = 0.1  # of 1/(c + 1), where the steepest descent bends less or to the other side
_LARGEST_CENTRE = {"add": 1e200, "remove": 1e7, "replace": 1e7}
_SLOPE = 0.7  # of the hyperbola's asymptotes: below 1, so that a normal loss decays on it


def offset(epsilon: float, phases: list[FloatPhase], direction: str) -> float:
    """Return ε less what losses are told from: nothing, or the largest of the direction add."""
    if direction != "add":
        return epsilon
    near, rest = largest(phases)
    return (epsilon - near) - rest


def _derivative(c: float, found: Cumulants, epsilon: float) -> float:
    return found.mean - epsilon - 1 / c - 1 / (1 + c)


def _estimate(c: float, found: Cumulants) -> tuple[float, float]:
    """Return the (offset of) ε whose saddle is c, and about ln δ of it."""
    epsilon = found.mean - 1 / c - 1 / (1 + c)
    spread = found.variance + 1 / c**2 + 1 / (1 + c) ** 2
    log = found.log - c * epsilon - math.log(c) - math.log1p(c)
    return epsilon, log - 0.5 * math.log(2 * math.pi * spread)


def crossing(rises: Callable[[float], bool], most: float = 1e200) -> float:
    """Return where a function of c changes its sign upwards, to a few digits."""
    c, low, high = 1.0, 1e-7, most
    # From 1 outwards: far off, sums may be beyond the floats.
    if rises(c):
        high = c
        while high > low:
            c = max(low, high / 4)
            if not rises(c):
                low = c
                break
            high = c
    else:
        low = c
        while low < high:
            c = min(high, low * 4)
            if rises(c):
                high = c
                break
            low = c
    for _ in range(14):  # ln 4, halved so often, is 10⁻⁴ of the saddle
        c = math.sqrt(low * high)
        if rises(c):
            high = c
        else:
            low = c
    return math.sqrt(low * high)


def saddle(epsilon: float, phases: list[FloatPhase], direction: str) -> float:
    """Return the c > 0 at which K(c)e^{−cε}/(c(c+1)) is least."""
    off = offset(epsilon, phases, direction)
    return crossing(
        lambda c: _derivative(c, cumulants(c, phases, direction), off) > 0,
        _LARGEST_CENTRE[direction],
    )


def saddle_for_delta(delta: float, phases: list[FloatPhase], direction: str) -> tuple[float, float]:
    """Return the ε ≥ 0 with about this δ(ε), and its saddle."""
    goal = math.log(delta)

    def rises(c: float) -> bool:
        return _estimate(c, cumulants(c, phases, direction))[1] < goal

    c = crossing(rises, _LARGEST_CENTRE[direction])
    epsilon = _estimate(c, cumulants(c, phases, direction))[0]
    epsilon -= offset(0.0, phases, direction)
    return (epsilon, c) if epsilon > 0 else (0.0, saddle(0.0, phases, direction))


class ContourMoments:
    """The moments on a contour that fits one ε; it serves the ε near it."""

    def __init__(self, c: float, epsilon: float, phases: list[FloatPhase], direction: str) -> None:
        """Place the contour through c, and refine it until δ(ε) is steady."""
        c = self._before_far_jumps(c, epsilon, phases, direction)
        self.phases, self.direction, self.centre = phases, direction, c
        shape = cumulants(c, phases, direction)
        self.base, self.work = shape.log, 0
        # Losses are told from the largest if that is nearer to ε than 0.
        self.near, self.rest = largest(phases) if direction == "add" else (0.0, 0.0)
        self.from_end = self.near > 0 and self.near - epsilon < epsilon
        if not self.from_end:
            self.base += c * self.near
            self.near = self.rest = 0.0
        second = shape.variance + 1 / c**2 + 1 / (1 + c) ** 2
        # Positive: towards the side on which the atom is outweighed.
        self.side = -1.0 if direction == "add" else 1.0
        bend = self.side * shape.third / (6 * second)
        most = (1.0 if direction == "add" else 0.5) / (c + 1)
        bend = min(max(bend, _LEAST_BEND / (c + 1)), most)
        self.radius = _SLOPE / (2 * max(bend, 1e-300))
        self.width = 2 / math.sqrt(second)
        self.top = self._top(epsilon)
        self.intervals = _FIRST
        self._set(np.linspace(0, self.top, _FIRST + 1))
        while self.intervals < _MOST and self.work < _WORK:
            total, half, doubt, _ = self._sums(epsilon)
            if abs(total - half) <= max(_GOAL * abs(total), doubt):
                break
            self._double()

    @staticmethod
    def _before_far_jumps(
        c: float, epsilon: float, phases: list[FloatPhase], direction: str
    ) -> float:
        """Return a smaller c, if it is nearly as good, at which no far jump of the loss is seen.

        Where records are rare, the saddle stands where a loss near c/σ² begins to count, far
        beyond any that happens: it would make the integrand oscillate for nothing.
        """
        if direction == "add":
            return c
        less = c
        jumps = [
            ((phase.sigma / size) ** 2, -math.log(phase.rate) - log, phase.steps)
            for phase in phases
            if phase.rate < 1
            for size, log in phase.shares or ((1.0, 0.0),)
        ]
        for square, slope, steps in jumps:
            far = square * slope
            if c > far:
                # (c² + c)/2σ² − slope·(1 + c) = −45 − ln T
                room = 2 * square * (45 + math.log(steps) - slope)
                root = far - 0.5 + math.sqrt(max((far - 0.5) ** 2 - room, 0.0))
                less = min(less, max(root, 0.5 * c))
        if less < c:
            powers = [
                cumulants(each, phases, direction).log - each * epsilon - 2 * math.log(each)
                for each in (less, c)
            ]
            if powers[0] < powers[1] + 3:
                return less
        return c

    def _points(self, y: Array) -> tuple[Array, Array]:
        u = self.width * np.sinh(y)
        far = np.hypot(self.radius, u)
        # hypot(r, u) − r without its cancellation
        s = self.centre + self.side * _SLOPE * u * (u / (far + self.radius)) + 1j * u
        return s, (1j + self.side * _SLOPE * u / far) * self.width * np.cosh(y)

    @quiet
    def _top(self, epsilon: float) -> float:
        """Return a y beyond which nothing counts."""
        peak, small, y = 0.0, 0, 0.0
        while self.width * math.sinh(y) < _FARTHEST * max(1.0, self.centre):
            s, turn = self._points(np.array([y]))
            found = [
                moments(s, phase, self.direction, from_end=self.from_end) for phase in self.phases
            ]
            self.work += sum(each.work for each in found)
            if self.work > _WORK:
                break
            log = sum(p.steps * each.log for p, each in zip(self.phases, found, strict=True))
            value = float(np.abs(np.exp(self._power(log, s, epsilon)) * turn)[0])
            small = small + 1 if value < 1e-16 * peak else 0
            if small == 2:
                break
            peak = max(peak, value if math.isfinite(value) else 0.0)
            y += 0.25
        return y - 0.25

    @quiet
    def _moments(self, s: Array) -> tuple[Array, Array, Array]:
        log, error, size = np.zeros(len(s), complex), np.zeros(len(s)), np.zeros(len(s))
        for phase in self.phases:
            found = moments(s, phase, self.direction, from_end=self.from_end)
            each = found.error
            self.work += found.work
            for refine in range(1, _REFINEMENTS):
                # A step's error counts as often as there are steps; what is not seen is not small.
                poor = ~(each * phase.steps < 1e-12) & (found.size * phase.steps < 1e5)
                if not poor.any() or self.work > _WORK:
                    break
                again = moments(s[poor], phase, self.direction, refine, from_end=self.from_end)
                self.work += again.work
                found.log[poor], found.size[poor], each[poor] = again.log, again.size, again.error
            log = log + phase.steps * found.log
            error = error + phase.steps * each
            size = size + phase.steps * (found.size + np.abs(found.log))
        return log, error, size

    def _power(self, log: Array, s: Array, epsilon: float) -> Array:
        off = self._offset(epsilon)
        return log - self.base - (s - self.centre) * off - np.log(s) - np.log(1 + s)

    def _offset(self, epsilon: float) -> float:
        return (epsilon - self.near) - self.rest

    def _set(self, y: Array) -> None:
        self.y = y
        self.s, self.turn = self._points(y)
        self.log, self.error, self.size = self._moments(self.s)

    def _double(self) -> None:
        y = (self.y[1:] + self.y[:-1]) / 2
        s, turn = self._points(y)
        log, error, size = self._moments(s)
        for name, new in (
            ("y", y),
            ("s", s),
            ("turn", turn),
            ("log", log),
            ("error", error),
            ("size", size),
        ):
            old = getattr(self, name)
            both = np.empty(len(old) + len(new), old.dtype)
            both[::2], both[1::2] = old, new
            setattr(self, name, both)
        self.intervals *= 2

    def delta(self, epsilon: float) -> tuple[float, float]:
        """Return δ(ε) and a bound of the error in it.

        The bound is the sum of four: the rule in y against that with half the points; the rules
        in t; rounding, by what cancels in the moments and in their exponents; the cut at the top.
        """
        lift = self.base - self.centre * self._offset(epsilon)
        total, half, doubt, cut = self._sums(epsilon)
        error = abs(total - half) + doubt + cut + 2.0**-50 * abs(lift) * abs(total)
        if not math.isfinite(total + error):
            return 1.0, math.inf
        scale = math.exp(min(lift, 700.0))
        return scale * total, scale * error

    @quiet
    def slope(self, epsilon: float) -> float:
        """Return about d ln δ/dε."""
        term = np.exp(self._power(self.log, self.s, epsilon)) * self.turn / 1j
        term[0] /= 2
        return -float(np.sum((self.s * term).real) / np.sum(term.real))

    @quiet
    def _sums(self, epsilon: float) -> tuple[float, float, float, float]:
        term = np.exp(self._power(self.log, self.s, epsilon)) * self.turn / (1j * math.pi)
        modulus = np.abs(term)
        doubt = self.error + ROUNDING * (
            self.size + np.abs(self.s) * abs(self._offset(epsilon)) + 4
        )
        # Where a moment is not known at all, neither is the size of its term.
        lost = (doubt > 0.1) & (modulus > 1e-16 * np.max(modulus))
        doubt = np.where(lost, math.inf, np.where(modulus > 0, doubt * modulus, 0.0))
        weight = np.full(len(term), self.top / self.intervals)
        weight[0] /= 2
        total = float(np.sum(weight * term.real))
        half = 2 * float(np.sum((weight * term.real)[::2]))
        return total, half, float(np.sum(weight * doubt)), 4 * float(modulus[-1])
