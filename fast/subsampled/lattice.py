"""An upper bound of δ(ε) of composed steps, from losses on a lattice and Fourier's transform.

It is the answer where the contour sees nothing. The noise of a step is cut into cells. In a cell
the loss lies between those at its ends; the cell's mass goes to two points of the lattice around
these, so that both laws keep their masses. This spreads the likelihood ratio, and a spread ratio
has no smaller δ(ε), also after composition (`proofs_notes/subsampled_gaussian.md`). All mass beyond
the lattice counts as an infinite loss.

The losses are tilted by e^{cL} before the transform, with c the saddle, so that the tail keeps its
digits. The lattice is a circle: a sum that leaves it below or above counts once more, never less.
"""

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from scipy.fft import irfft, rfft
from scipy.special import ndtr

from dporacle.fast._broadcast import Array, quiet
from dporacle.fast.subsampled.contour import crossing
from dporacle.fast.subsampled.losses import FloatPhase, largest, log_odds, tilt

_POINTS = 2**17  # of the lattice
_COARSE = 4096  # cells of a step, and
_PARTS = 48  # the most parts of one
_REACH = 10.0  # standard deviations of noise: the mass below is 8e-24, and goes to the first cell
_FARTHEST = 40.0  # on the other side, where no float is left
_SHIFT = 2.0**-20  # of a cell's losses, for the rounding of its mean ratio
_ROUNDING = 8 * float(np.finfo(np.longdouble).eps)  # of the transform of a law
_MANY = 1e4  # steps from which on the lattice is finer
_LOG_PART = -14.0  # the logarithm of the most of the tilted mass that is beyond the end
_STRONGER = (1.03, 1.1, 1.25, 1.5, 2.0, 3.0, 5.0, 10.0)  # times the tilt, for the bound of it
_NEAR = 1e-3  # of the largest loss, to which the tilt goes at most; of a standard deviation
_NATS = 20.0  # of the tilt, which the lattice reaches beyond ε
_SPARE = 2.0**-16  # of δ, and
_LEAST = 1e-290  # in all, of what may be beyond
_HUGE = 700.0  # of an exponent
_ROUNDS = 8  # the certified vectors take two at most
_FINE = 1e-13  # of ε
_SEEN = 1e-3  # of δ, the transform's rounding from which on there are
_FEWER = 2**13  # points instead, which are multiplied directly
_UNDERFLOW = 1e-290  # of such a product: 10^8 · 2^26 losses of 5e-324 are less

_Factors = list[tuple[Array, float]]  # tilted laws on the circle, and how often
_Product = Callable[[_Factors], tuple[Array, float]]


class _Cells(NamedTuple):
    """A step's losses at both ends of each cell, their mean, and the first law's mass in it.

    The loss of a step without members is 0 here. `beyond` is the mass that is in no cell.
    """

    low: Array
    high: Array
    mean: Array
    mass: Array
    beyond: float


def _components(phase: FloatPhase) -> tuple[Array, Array]:
    """Return where the components of a step are, in units of σ, and their masses."""
    shares = phase.shares or ((1.0, 0.0),)
    places = [0.0, *(f / phase.sigma for f, _ in shares)]
    return np.array(places), np.array(
        [1 - phase.rate, *(phase.rate * math.exp(log) for _, log in shares)]
    )


def _between(ends: Array, place: float) -> Array:
    """Return the mass of a normal law in each cell, from the side on which it is small."""
    x = ends - place
    found: Array = np.where(x[1:] <= 0, np.diff(ndtr(x)), -np.diff(ndtr(-x)))
    return found


def _excess(phase: FloatPhase, t: Array) -> Array:
    """Return ln w₊(t), told from ln(1 − q)."""
    tau = tilt(phase, t / phase.sigma)
    return tau if phase.rate == 1 else np.logaddexp(0.0, tau - log_odds(phase))


@quiet
def _cells(phase: FloatPhase, direction: str, spare: float, width: float) -> _Cells:
    """Cut a step into cells in which the loss changes by a width at most, if that is not too fine.

    About `spare` of its mass is beyond.
    """
    places, masses = _components(phase)
    first = (np.zeros(1), np.ones(1)) if direction == "add" else (places, masses)

    def above(t: float) -> float:
        return float(np.sum(first[1] * ndtr(first[0] - t)))

    low = bottom = -_REACH
    high = float(first[0][-1]) + _FARTHEST
    while high - bottom > _NEAR:
        middle = (bottom + high) / 2
        bottom, high = (middle, high) if above(middle) > spare else (bottom, middle)

    def loss(t: Array) -> Array:
        if direction == "add":  # the noise is turned, so that losses rise
            return -_excess(phase, -t)
        return _excess(phase, t) - (_excess(phase, -t) if direction == "replace" else 0.0)

    t = np.linspace(low, high, _COARSE + 1)
    parts = np.clip(np.ceil(np.diff(loss(t)) / width), 1, _PARTS).astype(int)
    cell = np.repeat(np.arange(_COARSE), parts)
    within = np.arange(len(cell)) - np.repeat(np.cumsum(parts) - parts, parts)
    t = np.append(low + (cell + within / parts[cell]) * ((high - low) / _COARSE), high)
    losses = loss(t)
    plain = _between(t, 0.0)

    def law(sign: float) -> tuple[Array, Array]:
        """Return the mass with members on one side, and the excess of its mean."""
        mass = np.zeros_like(plain)
        for place, weight in zip(places[1:], masses[1:], strict=True):
            mass += weight * _between(t, sign * float(place))
        if phase.rate == 1:
            return mass, np.log(mass / plain)
        return masses[0] * plain + mass, np.log1p(mass / (masses[0] * plain))

    if direction == "add":
        mass, mean = plain, -law(-1.0)[1]
    else:
        mass, mean = law(1.0)
        mean = mean - law(-1.0)[1] if direction == "replace" else mean
    below, over = losses[:-1], np.maximum(losses[1:], losses[:-1])
    mean = np.where(np.isfinite(mean), mean, over)
    mean = np.clip(mean + _SHIFT * (over - below), below, over)
    mass[0] += 1e-23  # and what is left of it has smaller losses
    return _Cells(below, over, mean, mass * (1 + 2.0**-48), above(high))


def lattice_delta(epsilon: float, phases: list[FloatPhase], direction: str) -> float:
    """Return an upper bound of δ(ε)."""
    found, guess, part = 1.0, _guess(epsilon, phases, direction), _SPARE
    for _ in range(_ROUNDS):
        spare = max(guess * part, _LEAST)
        found = min(found, TiltedLattice(epsilon, spare, phases, direction).delta(epsilon))
        # With more it may be mostly what was spared, with less the lattice is needlessly wide.
        if found * _SPARE / 2 <= spare <= found * _SEEN or spare == _LEAST:
            break
        guess, part = found, _smaller(part, spare, found)
    return found


def _smaller(part: float, spare: float, found: float) -> float:
    """Return the part of δ to spare next: its square, where δ was mostly what was spared."""
    return max(part**2, _LEAST) if found < 2 * spare else _SPARE


def lattice_epsilon(delta: float, phases: list[FloatPhase], direction: str) -> float:
    """Return an upper bound of the least ε ≥ 0 with this δ(ε)."""
    spare = max(delta * _SPARE, _LEAST)
    rough = _Rough(spare, phases, direction)
    told = min(rough.epsilon(delta), rough.most) + sum(_anchor(phases, direction))
    epsilon, found = max(0.0, told), math.inf
    for _ in range(_ROUNDS):
        lattice = TiltedLattice(epsilon, spare, phases, direction)
        if lattice.delta(epsilon) > delta:
            if found < math.inf:
                break
            epsilon = 2 * epsilon + lattice.ends[1] - lattice.ends[0]
            continue
        low, high = max(0.0, epsilon - (lattice.ends[1] - lattice.ends[0]) / 4), epsilon
        if lattice.delta(low) <= delta:
            high = low
        while high - low > _FINE * high:
            middle = (low + high) / 2
            low, high = (middle, high) if lattice.delta(middle) > delta else (low, middle)
        near = lattice.c * (epsilon - high) < 1
        found = epsilon = high
        if near or not epsilon:
            break
    return found


def _guess(epsilon: float, phases: list[FloatPhase], direction: str) -> float:
    """Return about Chernoff's bound of δ(ε) without what is far out, and the mass of that."""
    near, rest = _anchor(phases, direction)
    found, part = 1.0, _SPARE
    for _ in range(3 * _ROUNDS):
        spare = max(found * part, _LEAST)
        bound = _Rough(spare, phases, direction).tail((epsilon - near) - rest) + spare
        if bound > found / 2:
            break
        found, part = bound, _smaller(part, spare, bound)
    return found


class TiltedLattice:
    """The law of a run's losses, tilted so that it is widest round an ε."""

    def __init__(
        self, epsilon: float, spare: float, phases: list[FloatPhase], direction: str
    ) -> None:
        """Multiply the steps' laws; what is beyond them has about the mass `spare`."""
        self.anchor = _anchor(phases, direction)
        self.phases, self.direction, self.spare = phases, direction, spare
        rough = _Rough(spare, phases, direction)
        told = min(self._told(epsilon), rough.most_mean - _NEAR * abs(rough.most_mean))
        self.c = crossing(lambda c: rough.tilted(c)[1] - 1 / c > told)
        log = rough.tilted(self.c)[0]
        powers = [factor * self.c for factor in _STRONGER]
        # So much of the tilted mass may be beyond the end: in the circle it may stand for δ.
        part = min(_LOG_PART, math.log(spare) + self.c * told - log)
        end, self.power = min(
            ((rough.tilted(power)[0] - log - part) / (power - self.c), power) for power in powers
        )
        end = max(end, told + _NATS / self.c)
        bottom = told - (end - told) / 2
        # Removing has no loss below that without members.
        bounded = direction == "remove" and all(phase.rate < 1 for phase in phases)
        self.ends = (max(bottom, 0.0) if bounded else bottom, end)
        many = sum(phase.steps for phase in phases) > _MANY
        self.laws = [self._law(8 * _POINTS if many else _POINTS, _by_transform)]
        if self.laws[0].unseen(told, self.c) > _SEEN:
            self.laws.append(self._law(_FEWER, _directly))

    def _told(self, epsilon: float) -> float:
        """Return ε, told from a run without members, or just below it."""
        near, rest = self.anchor
        return (epsilon - near) - rest - 2.0**-50 * (abs(epsilon) + abs(near))

    @quiet
    def _law(self, points: int, multiply: _Product) -> "_Law":
        low, high = self.ends
        width = (high - low) / (points - 2)
        first = math.floor(low / width)
        steps = sum(phase.steps for phase in self.phases)
        factors = []
        log = power = beyond = 0.0
        for phase in self.phases:
            cells = _cells(phase, self.direction, self.spare / steps, width)
            index, mass = _points(cells, width)
            power += phase.steps * _tilted(self.power * width * index, mass)[0]
            # One step beyond the end: in the circle it would come out again above ε.
            far = index >= max(first + points, 1)
            beyond += phase.steps * (cells.beyond + float(np.sum(mass[far])))
            index, mass = index[~far], mass[~far]
            moment, shares = _tilted(self.c * width * index, mass)
            factors.append((np.bincount(index % points, shares, points), phase.steps))
            log += phase.steps * moment
        found, doubt = multiply(factors)
        index = np.arange(points) + first
        beyond += math.exp(min(0.0, power - self.power * (first + points) * width))
        return _Law(index * width, found[index % points], doubt, log, beyond)

    @quiet
    def delta(self, epsilon: float) -> float:
        """Return an upper bound of δ(ε)."""
        off = self._told(epsilon)
        return min(1.0, *(law.delta(off, self.c) for law in self.laws))


class _Law(NamedTuple):
    """The losses, their tilted masses and what each may lack, ln E[e^{cS}], the mass beyond."""

    losses: Array
    mass: Array
    doubt: float
    log: float
    beyond: float

    def _weights(self, off: float, c: float) -> Array:
        over = np.maximum(self.losses - off, 0.0)
        found: Array = np.exp(-c * over) * -np.expm1(-over)
        return found

    def unseen(self, off: float, c: float) -> float:
        """Return what rounding may have taken from δ, over δ."""
        weights = self._weights(off, c)
        part = float(np.sum(self.mass * weights))
        return self.doubt * float(np.sum(weights)) / part if part else math.inf

    def delta(self, off: float, c: float) -> float:
        """Return the bound of δ at an ε, told from a run without members."""
        part = float(np.sum((self.mass + self.doubt) * self._weights(off, c)))
        return math.exp(min(self.log - c * off, _HUGE)) * part + self.beyond


def _points(cells: _Cells, width: float) -> tuple[Array, Array]:
    """Return where on the lattice the mass of the cells is, and how much."""
    low = np.floor(cells.low / width)
    high = np.maximum(np.ceil(cells.high / width), low + 1)
    # The second law has the first's mass times e^{−L}.
    up = np.expm1(low * width - cells.mean) / np.expm1((low - high) * width)
    up = np.clip(up, 0.0, 1.0)
    index = np.concatenate([low, high]).astype(np.int64)
    return index, np.concatenate([cells.mass * (1 - up), cells.mass * up])


def _by_transform(factors: _Factors) -> tuple[Array, float]:
    points = len(factors[0][0])
    spectrum = np.ones(points // 2 + 1, np.clongdouble)
    for law, count in factors:
        spectrum *= rfft(law.astype(np.longdouble)) ** count
    found = np.maximum(irfft(spectrum, points), 0.0).astype(float)
    steps = sum(count for _, count in factors)
    return found, _ROUNDING * (steps + len(factors) * math.log2(points))


def _directly(factors: _Factors) -> tuple[Array, float]:
    """Return the circular product from sums of positive terms, which keep their digits."""
    points = len(factors[0][0])

    def times(one: Array, other: Array) -> Array:
        whole = np.convolve(one, other)
        whole[: points - 1] += whole[points:]
        return whole[:points]

    found = np.zeros(points)
    found[0] = 1.0
    for law, count in factors:
        power, left = law, int(count)
        while left:
            found = times(found, power) if left % 2 else found
            left //= 2
            power = times(power, power) if left else power
    return found * (1 + 2.0**-52 * points * sum(count for _, count in factors)), _UNDERFLOW


def _anchor(phases: list[FloatPhase], direction: str) -> tuple[float, float]:
    """Return the loss of a run without members, as a float and what it lacks."""
    if direction == "replace":
        return 0.0, 0.0
    near, rest = largest(phases)
    return (near, rest) if direction == "add" else (-near, -rest)


class _Rough:
    """The steps of a run in coarse cells."""

    def __init__(self, spare: float, phases: list[FloatPhase], direction: str) -> None:
        steps = sum(phase.steps for phase in phases)
        self.steps = [
            (phase.steps, _cells(phase, direction, spare / steps, math.inf)) for phase in phases
        ]
        self.most = sum(count * float(cells.high[-1]) for count, cells in self.steps)
        self.most_mean = sum(count * float(cells.mean[-1]) for count, cells in self.steps)

    def tilted(self, c: float) -> tuple[float, float]:
        """Return ln E[e^{cS}] of the run's loss S, and its mean tilted by that."""
        log = mean = 0.0
        for count, cells in self.steps:
            each, shares = _tilted(c * cells.mean, cells.mass)
            log += count * each
            mean += count * float(np.sum(shares * cells.mean))
        return log, mean

    def tail(self, told: float) -> float:
        """Return about Chernoff's bound of a loss above ε, told from no members."""
        if told >= self.most_mean:
            return 0.0
        c = crossing(lambda c: self.tilted(c)[1] > told)
        return math.exp(min(self.tilted(c)[0] - c * told, 0.0))

    def epsilon(self, delta: float) -> float:
        """Return the ε, told from no members, at which Chernoff's bound is about δ."""
        goal = math.log(delta)

        def rises(c: float) -> bool:
            log, mean = self.tilted(c)
            return c * mean > log - goal

        c = crossing(rises)
        return (self.tilted(c)[0] - goal) / c


def _tilted(exponents: Array, mass: Array) -> tuple[float, Array]:
    """Return ln Σ mass·e^exponent, and the share of each term."""
    top = float(np.max(exponents[mass > 0]))
    log = top + math.log(float(np.sum(mass * np.exp(np.minimum(exponents - top, 0.0)))))
    return log, mass * np.exp(np.minimum(exponents - log, _HUGE))
