"""What the inversions of DP-SGD's transform are designed by, in float64: none of it is exact."""

import cmath
import math
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import NamedTuple

Exponents = Callable[[float], tuple[float, float]]
"""c -> the powers of w(t) and of w(−t) in the moment at s = c."""

_PAUSE = 4.0  # from a frequency to so many times it, the transform is small: it stays so
_MARGIN = 12.0  # nats by which an estimate of ln δ may be too large

CS = tuple(10 ** (k / 5 - 2) for k in range(31))
"""Lines Re s = c that are tried, or −c."""


class ExactPhase(NamedTuple):
    """Steps of one noise multiplier σ and one sampling rate q, one after the other.

    Of a group σ is over its largest sum, and q the chance that any member is there; its parts are
    (share of the largest sum, chance), in which w has a term each.
    """

    sigma: Fraction
    rate: Fraction
    steps: int
    parts: tuple[tuple[Fraction, Fraction], ...] = ()

    @property
    def terms(self) -> tuple[tuple[Fraction, Fraction], ...]:
        """The parts, of one record too."""
        return self.parts or ((Fraction(1), self.rate),)


class Ratio:
    """ln w(t) in float64, of real and of complex t."""

    def __init__(self, phase: ExactPhase) -> None:
        sigma = float(phase.sigma)
        self.rest = math.log1p(-float(phase.rate)) if phase.rate < 1 else -math.inf
        self.lines = [
            (
                math.log(chance.numerator) - math.log(chance.denominator) - (f / sigma) ** 2 / 2,
                f / sigma,
            )
            for f, chance in ((float(share), chance) for share, chance in phase.terms)
        ]
        self.sigma = sigma

    def log(self, t: float) -> float:
        """Return ln w(t)."""
        sizes = [self.rest, *(start + slope * t for start, slope in self.lines)]
        top = max(sizes)
        return top + math.log(math.fsum(math.exp(size - top) for size in sizes))

    def turned(self, t: float, b: float) -> complex:
        """Return ln w(t + ib)."""
        t = min(t, 600 * self.sigma)
        whole = math.exp(self.rest) + sum(
            cmath.exp(start + slope * complex(t, b)) for start, slope in self.lines
        )
        return cmath.log(whole)


def _grid(low: float, high: float, step: float) -> list[float]:
    return [low + k * step for k in range(int((high - low) / step) + 1)]


def moment(phases: Sequence[ExactPhase], c: float, exponents: Exponents) -> float:
    """Return ln of the product of E w(t)^x w(−t)^y over the steps."""
    total = 0.0
    plus, minus = exponents(c)
    for phase in phases:
        ratio, sigma = Ratio(phase), float(phase.sigma)
        step = min(0.06, sigma / 12)
        found = []
        for t in _grid(-12.0, 12.0 + max(plus, 0.0) / sigma, step):
            each = -t * t / 2 + plus * ratio.log(t)
            found.append(each + minus * ratio.log(-t) if minus else each)
        top = max(found)
        width = step / math.sqrt(2 * math.pi)
        total += phase.steps * (top + math.log(math.fsum(math.exp(f - top) for f in found) * width))
    return total


def added(c: float) -> tuple[float, float]:
    """Return the powers for add."""
    return -c, 0.0


def removed(c: float) -> tuple[float, float]:
    """Return the powers for remove."""
    return 1 + c, 0.0


def exchanged(c: float) -> tuple[float, float]:
    """Return the powers for replace-one."""
    return 1 + c, -c


def estimate(phases: Sequence[ExactPhase], epsilon: float, exponents: Exponents) -> float:
    """Return ln δ, or somewhat less."""
    best = 0.0
    for c in CS[:25]:
        bound = (
            moment(phases, c, exponents) - c * epsilon + c * math.log(c) - (1 + c) * math.log1p(c)
        )
        if bound > best + 50:
            break
        best = min(best, bound)
    return float(best) - _MARGIN


def last_frequency(
    phases: Sequence[ExactPhase], c: float, exponents: Exponents, small: float, frequency: float
) -> float:
    """Return a frequency from which on |K(c+iu)|/K(c) stays small, by float64, with a margin."""
    plus, minus = exponents(c)
    grids = []
    for phase in phases:
        ratio, sigma = Ratio(phase), float(phase.sigma)
        reach = 9.0 + abs(plus) / sigma if plus > 0 else 9.0
        rows = []
        for t in _grid(-9.0, reach, min(0.02, sigma / 20)):
            up = ratio.log(t)
            down = ratio.log(-t) if exponents is exchanged else 0.0
            rows.append((-t * t / 2 + plus * up + minus * down, up - down))
        top = max(log for log, _ in rows)
        weights = [(math.exp(log - top), loss) for log, loss in rows if log > top - 40]
        total = math.fsum(weight for weight, _ in weights)
        grids.append(([(weight / total, loss) for weight, loss in weights], phase.steps))
    u = last = frequency
    floor = max(small, -30.0 * sum(steps for _, steps in grids))
    # Much further out, the coarse grid would make it rise again.
    while u < _PAUSE * last and u < 1e7:
        sizes = (
            steps * math.log(max(abs(sum(w * cmath.rect(1.0, u * x) for w, x in rows)), 1e-13))
            for rows, steps in grids
        )
        if sum(sizes) > floor:
            last = u
        u *= 1.15
    return 2 * last


def mesh(
    phase: ExactPhase, powers: tuple[float, float], mirrored: bool, reach: float, nats: float
) -> tuple[float, int, int]:
    """Return the step and the ends of the mesh in t."""
    ratio, sigma = Ratio(phase), float(phase.sigma)
    plus, minus = powers
    size = nats + math.log(phase.steps) + 8
    edge = math.sqrt(2 * size) + (abs(plus) + abs(minus)) / sigma + 1
    ts = _grid(-edge, edge, 0.05)
    flat = [
        -t * t / 2 + plus * ratio.log(t) + (minus * ratio.log(-t) if minus else 0.0) for t in ts
    ]
    top, best = max(flat), 0.0
    for share in (0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.93):
        b = share * math.pi * sigma
        most = -math.inf
        for t in ts:
            turned = ratio.turned(t, b)
            log, angle = -t * t / 2 + plus * turned.real, abs(turned.imag)
            if mirrored:
                other = ratio.turned(-t, -b)
                log, angle = log + minus * other.real, angle + abs(other.imag)
            most = max(most, log + reach * angle)
        growth = most - top + b * b / 2
        best = max(best, 2 * math.pi * b / (size + max(growth, 0.0)))
    wide = [t for t, each in zip(ts, flat, strict=True) if each - top > -size]
    return best, int(wide[0] / best) - 2, int(wide[-1] / best) + 2


def work(
    phases: Sequence[ExactPhase], c: float, period: float, nats: float, exponents: Exponents
) -> float:
    """Return about how many terms a sum over the line Re s = c with this period has."""
    frequency = 2 * math.pi / period
    reach = last_frequency(phases, c, exponents, -nats, frequency)
    mirrored = exponents is exchanged
    meshes = [mesh(each, exponents(c), mirrored, reach, nats) for each in phases]
    return reach / frequency * sum(high - low for _, low, high in meshes)
