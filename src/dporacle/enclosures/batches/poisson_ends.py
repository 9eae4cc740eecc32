"""Poisson sampling between two proved ends, where the inversion needs too much work (X.SG.GROUP).

One step's loss rises in t, so that its tests are half lines: a path under their polygon is a pair
from below, chords through its curve are one from above, and both are multiplied on a lattice of
losses; where that is too coarse, their exponential moments are ("Two ends" and "Very many steps"
in `proofs_notes/groups.md`).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Callable, Sequence
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches.curves import BITS, Lattice, Product, chords, path, polygon
from dporacle.enclosures.batches.scheme import Interval, from_ball
from dporacle.enclosures.batches.tilting import Run, epsilon_above, epsilon_below
from dporacle.enclosures.composition import repeated_epsilon
from dporacle.enclosures.subsampled.estimates import Effort, Estimate, rising_root
from dporacle.enclosures.subsampled.transform import Step
from dporacle.enclosures.subsampled_gaussian import Phase, shortened, subsampled_epsilon

_BITS = 160  # of sums over the phases, whose ends are rounded outwards
_DIGITS = 9  # of the ε of batches of everyone, which only cuts an upper end off
_HIT_BITS = 400  # products of hundreds of factors, for a δ down to 10⁻³⁰
_MOST_HITS = 300  # steps with the record: each number of them gives a bound by itself
LITTLE = Fraction(3, 20)  # σ below which a search for the value of many steps takes minutes
_SMALL = Fraction(1, 2**24)  # of δ: what is left out of long shifts, and at the ends of products
_CELLS = 1 << 14  # of a law on the lattice, at most
_DENSE = 128  # lattice points of one step at which its curve is taken, until they grow sparser
_NUDGE = 1e-8  # of a lattice, by which a loss next to its point is on the safe side
_MOST_CELLS = 1 << 16  # of one step, where that point asks for so many
_ROUGH = 256  # lattice points up to a step's largest loss, to see how wide the product will be
_WIDTH = 24.0  # standard deviations of the run's loss that are on the lattice
_FAR = Fraction(21, 20)  # of two ends: exponential moments may bring them nearer
_FINE = 1 << 12  # lattice points up to a step's largest loss, for these moments
_LEVELS = 400  # of a loss that some step may exceed
_NEAR = 1e-11  # of a place that floats find
_FARTHEST = 1e6  # of places
_LEAST_DELTA = Fraction(1, 10**30)  # the integers of the lattice know no smaller


def near(
    sigma: Fraction, rate: Fraction, steps: int, target: Fraction, kind: str, digits: int
) -> Interval:
    """Return the smallest ε ≥ 0 of one phase, or two ends of it where its noise is too little.

    Args:
        sigma: noise multiplier.
        rate: in (0, 1].
        steps: how many.
        target: δ, in (0, 1).
        kind: "add", "remove", "both" or "replace".
        digits: of the value.

    Raises:
        ArithmeticError: if both would need too much work.
    """
    if sigma >= LITTLE or steps == 1 or rate == 1:
        with contextlib.suppress(ArithmeticError):
            value = subsampled_epsilon(
                delta=target, sigma=sigma, rate=rate, steps=steps, direction=kind, digits=digits
            )
            return from_ball(value)
    return epsilon([(sigma, rate, steps, ())], target, kind)


def epsilon(phases: Sequence[Phase], target: Fraction, kind: str) -> Interval:
    """Return proved ends of the smallest ε ≥ 0 for which phases together are (ε,δ)-DP.

    Args:
        phases: σ, rate, steps and parts, as the inversion takes them.
        target: δ, in (0, 1).
        kind: "add", "remove", "both" or "replace".
    """
    if kind == "both":
        found = [epsilon(phases, target, each) for each in ("add", "remove")]
        return Interval(max(e.low for e in found), max(e.high for e in found), exact=False)
    high = _without_sampling(phases, target, kind)
    if kind == "add" and all(rate < 1 for _, rate, _, _ in phases):
        high = min(high, _most_added(phases))
    low = Fraction(0)
    with contextlib.suppress(ArithmeticError):
        law = _Laws(phases, target, kind)
        high = min(high, law.above().epsilon(law.goal))
        low = min(max(law.largest(target), law.below().epsilon(target)), high)
        # A product of 10⁶ steps has no lattice that is both fine and short: σ = 0.5, q = 0.2.
        if high > _FAR * low:
            high = min(high, law.by_moments())
            low = min(max(low, epsilon_below(law.polygons(), target)), high)
    if kind != "add" and len(phases) == 1:
        low = min(max(low, _by_hits(phases[0], target)), high)
    return Interval(low, high, exact=False)


def _by_hits(phase: Phase, target: Fraction) -> Fraction:
    """Return an ε that is not too large, from the largest sums of j steps (T-H).

    With little noise the loss counts the steps with the record. A group's, of which a share of the
    members may be there, is told from its steps with all of them alone, which is not done here.
    """
    sigma, rate, times, parts = phase
    if parts or rate == 1:
        return Fraction(0)
    best, goal = Fraction(0), ball(target)
    with precision(_HIT_BITS):
        q, noise = ball(rate), ball(sigma)
        mass, less = (times * (-q).log1p()).exp(), arb(0)  # P(J = j), P(J < j)
        ways = arb(1)  # C(T, j)
        # Six standard deviations to either side: beyond, a tail is below 10⁻⁹.
        places = [arb(k) / 4 for k in range(-24, 25)]
        for j in range(1, min(times, _MOST_HITS) + 1):
            less += mass
            mass = mass * (times - j + 1) / j * q / (1 - q)
            ways = ways * (times - j + 1) / j
            often = 1 - less
            if not often > goal:
                break
            wide = arb(j).sqrt() * noise
            for z in places:  # the sum of j steps with the record is above j − z√jσ
                excess = often * normal_tail(-z) - goal
                if excess > 0:
                    second = ways * normal_tail(j / wide - z)
                    if second > 0:
                        best = max(best, bounds((excess / second).log().lower())[0])
    return best


def _without_sampling(phases: Sequence[Phase], target: Fraction, kind: str) -> Fraction:
    """Return the ε of the Gaussian that each step is where everyone is in it: by convexity."""
    distance = 2 if kind == "replace" else 1
    lengths = (times * (distance / sigma) ** 2 for sigma, _, times, _ in phases)
    square = sum(lengths, Fraction(0))
    with precision(_BITS):
        rounded = bounds(ball(square).sqrt().upper())[1]
    found = repeated_epsilon(delta=target, sigma=1, releases=1, sensitivity=rounded, digits=_DIGITS)
    return bounds(found)[1]


def _most_added(phases: Sequence[Phase]) -> Fraction:
    """Return the ε of the add direction from which on δ is 0."""
    with precision(_BITS):
        return bounds(sum((times * -ball(1 - q).log() for _, q, times, _ in phases), arb(0)))[1]


class _Laws:
    """The steps, without shifts that count for little, and δ less what these may add to it."""

    def __init__(self, phases: Sequence[Phase], target: Fraction, kind: str) -> None:
        if target < _LEAST_DELTA:
            raise ArithmeticError("delta is below what the lattice can tell")
        budget = target * _SMALL / len(phases)
        if kind != "remove":
            budget *= min(1 - rate for _, rate, _, _ in phases)
        self.kind, self.steps = kind, []
        lost = odds = Fraction(0)
        for phase in phases:
            (sigma, rate, times, parts), left = shortened(phase, budget)
            self.steps.append(Step(sigma, rate, times, kind == "replace", parts))
            lost += left
            odds += left / (1 - phase[1]) if left else 0
        self.goal = target - (0 if kind == "add" else lost)  # as `Profile.left_out`
        if kind != "remove":
            with precision(_BITS):
                self.goal -= bounds(ball(odds).expm1())[1]
        self._spare = float(target * _SMALL)
        self._curves = [_Curve(step, self._spare / step.times) for step in self.steps]
        self._reach = max(curve.reach for curve in self._curves)

    def _aligned(self, size: Fraction) -> Fraction:
        """Return a lattice at most so coarse that has a point next to the loss of most steps.

        It is ln p₀, and has to be rounded up for the second order and down for the first.
        """
        most = max(self._curves, key=lambda curve: -curve.least * curve.step.times)
        if self.kind == "replace" or not math.isfinite(most.least):
            return size
        nudge = -_NUDGE if self.kind == "add" else _NUDGE
        found = Fraction(-most.least * (1 + nudge)) / math.ceil(-most.least / size)
        return found if self._reach < found * _MOST_CELLS else size

    def above(self) -> Product:
        """Return a law that dominates the run."""
        return self._at_last(lambda curve, size: self._ordered(curve, size))

    def below(self) -> Product:
        """Return a law that the run dominates."""
        return self._at_last(
            lambda curve, size: path(size, curve.tests(size, swapped=self.kind == "add"))
        )

    def _at_last(self, law: Callable[[_Curve, Fraction], Lattice]) -> Product:
        """Return the product on about the finest lattice on which it is not too long."""
        rough, square = Fraction(self._reach) / _ROUGH, 0.0
        for curve in self._curves:
            square += curve.step.times * _variance(Product.of(law(curve, rough)))
        width = max(2 * self._reach, _WIDTH * math.sqrt(square))
        size = Fraction(2) ** math.ceil(math.log2(width / _CELLS))
        found = self._product(law, self._aligned(size))
        while found is None:
            found = self._product(law, size)
            size *= 4
        return found

    def by_moments(self) -> Fraction:
        """Return an ε that is not too small, from the exponential moments of the steps' losses."""
        with precision(BITS):
            run, left = [], ball(self.goal)
            for curve in self._curves:
                law = self._ordered(curve, Fraction(curve.reach) / _FINE)
                run.append((law.losses(), curve.step.times))
                left -= law.infinite * curve.step.times
            return epsilon_above(run, left)

    def polygons(self) -> Run:
        """Return the laws under the polygons of the steps' tests, and the numbers of steps."""
        swapped = self.kind == "add"
        return [
            (polygon(c.tests(Fraction(c.reach) / _FINE, swapped=swapped)), c.step.times)
            for c in self._curves
        ]

    def largest(self, target: Fraction) -> Fraction:
        """Return an ε that is not too large, from a test of the whole run.

        P(S) − e^ε·Q(S) is at most δ(ε). S is "some step's loss is beyond a level"; for add, whose
        first law is the other one, it is "no step's is".
        """
        found = Fraction(0)
        size = Fraction(self._reach) / _LEVELS
        with precision(_BITS):
            for j in range(-_LEVELS, _LEVELS + 1):
                none = [arb(0), arb(0)]
                for curve in self._curves:
                    place = arb(max(-_FARTHEST, min(_FARTHEST, curve.place(float(size * j)))))
                    for k, mass in enumerate(curve.masses(place, -1)):
                        none[k] += curve.step.times * mass.log()
                first, second = (-each.expm1() for each in none)
                if self.kind == "add":
                    first, second = none[1].exp(), none[0].exp()
                excess = first - ball(target)
                if excess > 0 and second > 0:
                    found = max(found, bounds((excess / second).log().lower())[0])
        return found

    def _ordered(self, curve: _Curve, size: Fraction) -> Lattice:
        removed, added = chords(size, curve.heights(size))
        return added if self.kind == "add" else removed

    def _product(
        self, law: Callable[[_Curve, Fraction], Lattice], size: Fraction
    ) -> Product | None:
        """Return the product of all steps; None where it is too long."""
        most = 2 * max(_CELLS, math.ceil(self._reach / size))
        total: Product | None = None
        for curve in self._curves:
            base = Product.of(law(curve, size))
            found = base
            for bit in [*bin(curve.step.times)[3:], ""]:
                if len(found.cells) > most:
                    return None
                if bit:
                    found = found.times(found, self._spare)
                if bit == "1":
                    found = found.times(base, self._spare)
            total = found if total is None else total.times(found, self._spare)
        assert total is not None
        return total if len(total.cells) <= most else None


def _variance(law: Product) -> float:
    """Estimate the variance of a law's finite losses."""
    masses = [float(mass) for mass in law.cells]
    whole = max(sum(masses), 1.0)
    first = sum(k * mass for k, mass in enumerate(masses)) / whole
    second = sum((k - first) ** 2 * (mass / whole) for k, mass in enumerate(masses))
    return second * float(law.step) ** 2


class _Curve:
    """The tests of one step and its curve, H_a for a > 0, of the first law against the second."""

    def __init__(self, step: Step, spare: float) -> None:
        self.step = step
        guess = Estimate(step, Effort())
        self._places: dict[Fraction, list[tuple[int, float]]] = {}
        self.least = guess.log_rest
        with precision(_BITS):
            self._rest, noise = ball(1 - step.rate), ball(step.sigma)
            self._moved = [(ball(weight), ball(r) / noise) for r, weight in step.parts]
        self._guess = (
            (lambda t: guess.log_ratio(t) - guess.log_ratio(-t))
            if step.antipodal
            else guess.log_ratio
        )
        end = guess.end(math.log(spare))
        self.reach = max(self._guess(end), -self._guess(-end), 1e-6)

    def places(self, size: Fraction) -> list[tuple[int, float]]:
        """Return where the loss is about a lattice point: dense near 0, sparser farther out."""
        if size not in self._places:
            last, at, found = math.ceil(self.reach / size), 0, []
            while True:
                found += [(j, self.place(float(size * j))) for j in {at, -at}]
                if at >= last:
                    break
                at += max(1, at // _DENSE)
            self._places[size] = found
        return self._places[size]

    def place(self, loss: float) -> float:
        if not self.step.antipodal and loss <= self.least:
            return -math.inf
        return rising_root(self._guess, loss)

    def masses(self, t: arb, side: int = 1) -> tuple[arb, arb]:
        """Return what both laws have above t, or below it."""
        plain = normal_tail(side * t)
        first = second = self._rest * plain
        for weight, shift in self._moved:
            first += weight * normal_tail(side * (t - shift))
            if self.step.antipodal:
                second += weight * normal_tail(side * (t + shift))
        return first, second if self.step.antipodal else plain

    def tests(self, size: Fraction, *, swapped: bool) -> list[tuple[arb, arb]]:
        """Return (upper bound of the second law's mass, lower bound of the first's) of half lines.

        Args:
            size: of the lattice.
            swapped: whether the laws are, and with them the half lines.
        """
        found = []
        with precision(_BITS):
            for _, place in self.places(size):
                if abs(place) < _FARTHEST:
                    first, second = self.masses(arb(place), -1 if swapped else 1)
                    if swapped:
                        first, second = second, first
                    found.append((arb(second.upper()), arb(first.lower())))
        return found

    def heights(self, size: Fraction) -> dict[int, arb]:
        """Return upper bounds of H at lattice points."""
        with precision(_BITS):
            return {j: self._height(ball(size * j), place) for j, place in self.places(size)}

    def _height(self, loss: arb, place: float) -> arb:
        """Bound H_a, a = e^loss, at the end of the half line that is best, between two signs."""
        a = loss.exp()
        if not self.step.antipodal and loss <= self._rest.log():
            return arb((1 - a).upper())
        width = _NEAR * (1 + abs(place))
        for _ in range(8):
            if not width < _FARTHEST:
                break
            low, high = arb(place - width), arb(place + width)
            if self._loss(low) <= loss <= self._loss(high):
                first, second = self.masses(low.union(high))
                return arb((first - a * second).min(arb(1)).max((1 - a).max(arb(0))).upper())
            width *= 100
        return arb(1)

    def _loss(self, t: arb) -> arb:
        return self._log(t) - self._log(-t) if self.step.antipodal else self._log(t)

    def _log(self, t: arb) -> arb:
        terms = (weight * (t * g - g * g / 2).exp() for weight, g in self._moved)
        return sum(terms, self._rest).log()
