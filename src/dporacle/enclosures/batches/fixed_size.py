"""Batches of B of n records, drawn anew at each step without replacement (X.BAT.SIZE).

A distance of two clipping norms at noise σ is one at σ/2: under add/remove the value is that of
Poisson sampling at rate B/n and noise σ/2, exactly. Under replace-one it is at least that, for few
steps at least what an adversary reaches who switches between the directions of a step, and at most
the product of a pair whose curve is the larger of both. Under zero-out one step has a largest curve
in closed form: its product is an upper end, and from below stand the two pairs that it is made of.
"""

from __future__ import annotations

import contextlib
import functools
import math
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import deterministic, poisson_ends
from dporacle.enclosures.batches.curves import BITS, loss_spread, path
from dporacle.enclosures.batches.repeated_step import Product, deviations, product, reached
from dporacle.enclosures.batches.scheme import Epochs, Interval, designed, from_ball, larger
from dporacle.enclosures.subsampled_gaussian import subsampled_delta
from dporacle.interface import orders_of

ADJACENCIES = ("zero-out", "add", "remove", "both", "replace")

_DIGITS, _FEWER = 12, 9  # of what Poisson sampling gives, and where the noise is little:
_LITTLE = Fraction(3, 5)  # σ, below which each digit takes a tenth of a second
_FEW = 32  # steps, of which the adversary's switching is followed
_TESTS = 600  # of one step
_CELLS = 500  # of the lattice in a standard deviation of the loss
_MOST_TOLD = 1000  # batches that have a record, on average, whose number is counted
_TRIED = 4  # of such numbers
_LEAST = Fraction(1, 10**20)  # δ, for which that lattice is fine enough
_SPARE = 1e-6  # of δ: what is dropped in each product


@dataclass(frozen=True)
class Steps:
    """Batches of one size.

    Attributes:
        sigma: noise multiplier, in units of the clipping norm.
        rate: B/n; under add/remove n is the larger of the two sizes.
        times: how many batches.
    """

    sigma: Fraction
    rate: Fraction
    times: int


def delta(steps: Steps, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    designed(steps.sigma)
    if adjacency == "zero-out":
        return _zeroed_delta(steps, epsilon)
    exact, direction = _direction(steps, adjacency)
    value = subsampled_delta(
        epsilon=epsilon,
        sigma=steps.sigma / 2,
        rate=steps.rate,
        steps=steps.times,
        direction=direction,
    )
    low = from_ball(value)
    if exact:
        return low
    with precision(BITS):
        point = ball(epsilon)
        high = _dominating(steps, float(low.low)).delta(point)
        least = low.low
        if steps.times <= _FEW and least > _LEAST:
            least = max(least, bounds(_switching(steps, epsilon, least).delta(point))[0])
        return Interval(least, min(bounds(high)[1], Fraction(1)), exact=False)


def epsilon(steps: Steps, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    designed(steps.sigma)
    if steps.rate * steps.times <= delta:  # the record is in no batch but with so small a chance
        return Interval(Fraction(0), Fraction(0), exact=True)
    if adjacency == "zero-out":
        return _zeroed_epsilon(steps, delta)
    exact, direction = _direction(steps, adjacency)
    ways = orders_of(direction)
    found = [_of_one_way(steps, delta, way) for way in ways]
    low = found[0] if len(found) == 1 else larger(*found)
    if exact:
        return low
    least = low.low
    if steps.times <= _FEW and delta > _LEAST:
        least = max(least, _switching(steps, least, delta).epsilon(delta))
    # Convexity: no worse than if everyone were in each batch, a Gaussian of twice the norm.
    high = deterministic.epsilon(Epochs(steps.sigma, 1, steps.times), delta, "replace").high
    high = min(high, _told_when(steps, delta, "replace"))
    with contextlib.suppress(ArithmeticError):
        high = min(high, _dominating(steps, float(delta)).epsilon(delta))
    return Interval(least, high, exact=False)


def _zeroed_delta(steps: Steps, epsilon: Fraction) -> Interval:
    """Enclose the δ at an ε where a record contributes 0 in the other data set."""
    most = deterministic.delta(Epochs(steps.sigma, 1, steps.times), epsilon, "zero-out")
    if steps.rate == 1:
        return most
    value = subsampled_delta(
        epsilon=epsilon, sigma=steps.sigma, rate=steps.rate, steps=steps.times, direction="both"
    )
    low = from_ball(value).low
    with precision(BITS):
        point = ball(epsilon)
        if steps.times == 1:
            a = point.exp()
            return from_ball(_apart(steps, a).max(_removed(steps.sigma, steps.rate, a)))
        goal = max(low, Fraction(1, 10**12))
        with contextlib.suppress(ArithmeticError):
            made = _others_against(steps, float(goal))
            low = max(low, *(bounds(each.delta(point))[0] for each in made))
        high = most.high
        with contextlib.suppress(ArithmeticError):
            laws = [_zeroed(steps, float(low or goal), way) for way in (False, True)]
            high = min(high, max(bounds(each.delta(point))[1] for each in laws))
        return Interval(low, high, exact=False)


def _zeroed_epsilon(steps: Steps, delta: Fraction) -> Interval:
    """Enclose the ε at a δ where a record contributes 0 in the other data set."""
    most = deterministic.epsilon(Epochs(steps.sigma, 1, steps.times), delta, "zero-out")
    if steps.rate == 1:
        return most
    # Others contribute nothing: Poisson sampling, whose step is this pair.
    low = max(_of_one_way(steps, delta, way, steps.sigma).low for way in ("remove", "add"))
    with contextlib.suppress(ArithmeticError):
        low = max(low, *(e.epsilon(delta) for e in _others_against(steps, float(delta))))
    high = min(most.high, _told_when(steps, delta, "zero-out"))
    with contextlib.suppress(ArithmeticError):
        laws = (_zeroed(steps, float(delta), way) for way in (False, True))
        high = min(high, max(each.epsilon(delta) for each in laws))
    return Interval(low, high, exact=False)


def _told_when(steps: Steps, delta: Fraction, adjacency: str) -> Fraction:
    """Return an upper end of ε as if the batches were told: few of them have the record.

    Given the batches the run is a Gaussian release for each that has it; more than m of T do with
    P(J > m), which is taken off δ.
    Where T·q is large it is the ε of all steps.
    """
    best = deterministic.epsilon(Epochs(steps.sigma, 1, steps.times), delta, adjacency).high
    if steps.rate * steps.times > _MOST_TOLD or steps.rate == 1:
        return best
    tried = 0
    with precision(BITS):
        q = ball(steps.rate)
        mass, more = (steps.times * (-q).log1p()).exp(), arb(1)  # P(J = m), P(J > m)
        for m in range(steps.times):
            more -= mass
            mass = mass * (steps.times - m) / (m + 1) * q / (1 - q)
            if m and more < ball(delta):
                rest = delta - bounds(more)[1]
                if rest > 0:
                    found = deterministic.epsilon(Epochs(steps.sigma, 1, m), rest, adjacency).high
                    best, tried = min(best, found), tried + 1
            if tried == _TRIED:
                break
    return best


def _others_against(steps: Steps, target: float) -> tuple[Product, Product]:
    """Return what is reached under zero-out where others contribute −1, the record 1 or 0."""
    with precision(BITS):
        rate = ball(steps.rate)
        first, second = ([(1 - rate, 0), (rate, centre)] for centre in (2, 1))
    return reached(first, second, arb(0), steps.sigma, steps.times, target)


@dataclass(frozen=True)
class SizedCurve:
    """H_a of the pair that dominates one step, at every a > 0.

    Attributes:
        steps: the steps.
        zeroed: whether the record is zeroed out (T-F4); else it is replaced (T-F3).
    """

    steps: Steps
    zeroed: bool

    def height(self, a: arb) -> arb:
        """Enclose H_a at a ≥ 1."""
        return _apart(self.steps, a) if self.zeroed else _height(self.steps, a)

    def below(self, a: arb) -> arb:
        """Enclose H_a at a < 1."""
        if self.zeroed:
            return 1 - a + a * _removed(self.steps.sigma, self.steps.rate, 1 / a)
        return 1 - a + a * self.height(1 / a)

    def farthest(self, mass: float) -> float:
        """Estimate the loss of one step beyond which there is so much."""
        gap, rate = (1 if self.zeroed else 2) / float(self.steps.sigma), float(self.steps.rate)
        most = 2 if self.zeroed else 1
        t = most * gap + deviations(min(1.0, mass / rate))
        far, near = (
            math.log1p(rate * math.expm1(min(m * gap * t - (m * gap) ** 2 / 2, 700.0)))
            for m in (most, 1)
        )
        return max(far - near, near)


def curve(steps: Steps, adjacency: str) -> SizedCurve:
    """Return H_a of one step, of "zero-out" or "replace"."""
    assert adjacency in ("zero-out", "replace")
    return SizedCurve(steps, adjacency == "zero-out")


def _zeroed(steps: Steps, target: float, swapped: bool) -> Product:
    """Return the product of the pair of the largest curve under zero-out (T-F4), about a δ."""
    one = curve(steps, "zero-out")
    return product(one.height, steps.times, target, one.farthest, below=one.below, swapped=swapped)


def _apart(steps: Steps, a: arb) -> arb:
    """Enclose H_a((1−q)N(0) + qN(2) ‖ (1−q)N(0) + qN(1)) at a ≥ 1: the record zeroed out."""
    sigma, rate = ball(steps.sigma), ball(steps.rate)
    # With y = e^{x/σ²} the ratio is a where y²e^{−2/σ²} − aye^{−1/2σ²} = (a − 1)(1 − q)/q.
    half, rest = a * (3 / (2 * sigma**2)).exp() / 2, (a - 1) * (1 - rate) / rate
    root = half + (half * half + rest.max(arb(0)) * (2 / sigma**2).exp()).sqrt()
    z = sigma * root.log()
    far, near, none = (normal_tail(z - m / sigma) for m in (2, 1, 0))
    return rate * (far - a * near) - (a - 1) * (1 - rate) * none


@functools.lru_cache(maxsize=8)
def _of_one_way(
    steps: Steps, delta: Fraction, direction: str, noise: Fraction | None = None
) -> Interval:
    noise = steps.sigma / 2 if noise is None else noise
    digits = _FEWER if steps.sigma < _LITTLE else _DIGITS
    return poisson_ends.near(noise, steps.rate, steps.times, delta, direction, digits)


def _direction(steps: Steps, adjacency: str) -> tuple[bool, str]:
    """Return whether Poisson sampling at σ/2 has the exact value, and in which direction."""
    if adjacency != "replace":
        return True, adjacency
    # Of one step, and without sampling, both orders of replace-one are the remove direction.
    if steps.times == 1 or steps.rate == 1:
        return True, "remove"
    return False, "both"


def _switching(steps: Steps, epsilon: Fraction, target: Fraction) -> Product:
    """Return a law of the loss that an adversary reaches, about a δ.

    Each step is R while the loss so far is at most ε, and A after that (T-F3).
    """
    more, less = [], []
    with precision(BITS):
        gap, rate = 2 / ball(steps.sigma), ball(steps.rate)
        reach = deviations(float(target) * _SPARE) + 1
        for k in range(_TESTS):
            t = arb(-reach + (float(gap) + 2 * reach) * k / (_TESTS - 1))
            still = normal_tail(t)
            mixed = still + rate * (normal_tail(t - gap) - still)
            more.append((still.upper(), mixed.lower()))
            less.append(((1 - mixed).upper(), (1 - still).lower()))
    unit = Fraction(loss_spread(more) * math.sqrt(steps.times) / _CELLS).limit_denominator(1 << 40)
    first, then = (Product.of(path(unit, tests)) for tests in (more, less))
    spare, switch, law = float(target) * _SPARE, math.floor(epsilon / unit) + 1, first
    for _ in range(steps.times - 1):
        below, above = law.split(switch)
        law = below.times(first, spare).plus(above.times(then, spare))
    return law


def _dominating(steps: Steps, target: float) -> Product:
    """Return the product of the pair whose curve is the larger of R and A, about a δ."""
    one = curve(steps, "replace")
    return product(one.height, steps.times, target, one.farthest)


def _height(steps: Steps, a: arb) -> arb:
    """Enclose R at a ≥ 1: there it is the larger, and A is 1 − a + aR_{1/a} below 1."""
    return _removed(steps.sigma / 2, steps.rate, a)


def _removed(noise: Fraction, sampled: Fraction, a: arb) -> arb:
    """Enclose H_a((1−q)N(0) + qN(1) ‖ N(0)) at a ≥ 1."""
    sigma, rate = ball(noise), ball(sampled)
    ahead = a - 1 + rate
    z = sigma * (ahead / rate).log() + 1 / (2 * sigma)
    return rate * normal_tail(z - 1 / sigma) - ahead * normal_tail(z)
