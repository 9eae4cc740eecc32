"""Enclosures of selections that are made again and again (X.ADAPTIVE, X.FLIPS).

Of which δ and ε are known between two proved ends: a ball reaches from one to the other, whatever
digits are asked for. The ends of the game are integers, rounded outwards, on a lattice through the
ε that is asked; a stage is the largest chord over windows of ratio e^{ε₀}.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import accumulate
from operator import add, mul

from flint import arb

from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, join, precision, tighten
from dporacle.enclosures.exponential_mechanism import (
    exponential_mechanism_delta,
    exponential_mechanism_epsilon,
)
from dporacle.enclosures.laplace import laplace_epsilon_at_delta
from dporacle.enclosures.laplace_composition import laplace_repeated_delta
from dporacle.interface import witness

_DIGITS = 10  # of an end that is a number, and of the vectors less
_LATTICE = 1600  # so many points to all ranges together
_FEWEST, _MOST = 8, 96  # and to one of them
_COARSE = 3  # times fewer where a root is sought
_CLOSE = Fraction(1, 10**6)  # of δ, by which an end of ε is off
_LEAST_CLOSE = Fraction(1, 10**10)  # of ε, where δ hardly falls
_TURNS = 200


@witness
def exponential_mechanism_adaptive_delta(
    *, epsilon: Fraction, selection_epsilon: Fraction, releases: int, digits: int = 8
) -> arb:
    """Enclose two ends of δ(ε) of n exponential mechanisms that may see earlier answers.

    X.ADAPTIVE. The ball reaches from one to the other, whatever digits are asked for. For two of
    them, and from ε = (n−1)ε₀ on, both are the exact value.
    """
    return _as_ball(_game(epsilon, selection_epsilon, releases, 1))


@witness
def exponential_mechanism_adaptive_epsilon(
    *, delta: Fraction, selection_epsilon: Fraction, releases: int, digits: int = 8
) -> arb:
    """Enclose two ends of the least ε ≥ 0 of such exponential mechanisms (X.ADAPTIVE).

    The ball reaches from one to the other, whatever digits are asked for.
    """
    most = releases * selection_epsilon
    if releases == 1:
        return exponential_mechanism_epsilon(
            delta=delta, scale=2, sensitivity=selection_epsilon, digits=digits
        )

    def end(which: int) -> Callable[[Fraction], Fraction]:
        return lambda at: _game(at, selection_epsilon, releases, _COARSE)[which]

    known = most - selection_epsilon  # from where on δ is a formula
    low, _ = _passing(end(0), delta, most, known, keep=0)
    _, high = _passing(end(1), delta, most, known, keep=1)
    return _as_ball((low, high))


@witness
def permute_and_flip_repeated_delta(
    *, epsilon: Fraction, selection_epsilon: Fraction, releases: int, digits: int = 8
) -> arb:
    """Enclose two ends of δ(ε) of n permute-and-flips (X.FLIPS).

    The upper one is that of Laplace releases, the lower one that of two candidates, with one gap
    of their scores. The ball reaches from one to the other, whatever digits are asked for.
    """
    if epsilon >= releases * selection_epsilon:
        return arb(0)
    above = rounding.bounds(_laplace(epsilon, selection_epsilon, releases))
    if releases == 1:
        return _as_ball(above)
    below = _gain(selection_epsilon, releases, lambda p, q: p - ball(epsilon).exp() * q)
    return _as_ball((below, above[1]))


@witness
def permute_and_flip_repeated_epsilon(
    *, delta: Fraction, selection_epsilon: Fraction, releases: int, digits: int = 8
) -> arb:
    """Enclose two ends of the least ε ≥ 0 of n permute-and-flips (X.FLIPS).

    The ball reaches from one to the other, whatever digits are asked for.
    """
    most = releases * selection_epsilon
    if releases == 1:
        return laplace_epsilon_at_delta(
            delta=delta, scale=1, sensitivity=selection_epsilon, digits=digits
        )

    def above(at: Fraction) -> Fraction:
        return rounding.bounds(_laplace(at, selection_epsilon, releases))[1]

    _, high = _passing(above, delta, most, most / 2, keep=1)

    def needed(p: arb, q: arb) -> arb:
        return ((p - ball(delta)) / q).log() if p > ball(delta) else arb(0)

    return _as_ball((_gain(selection_epsilon, releases, needed), high))


def _as_ball(ends: tuple[Fraction, Fraction]) -> arb:
    low, high = ends
    with precision(4 * _DIGITS + 64):
        first, second = ball(low), ball(high)
    return join(first, second, 2 * _DIGITS)


# Permute-and-flip.


def _laplace(epsilon: Fraction, eta: Fraction, n: int) -> arb:
    return laplace_repeated_delta(
        epsilon=epsilon, scale=1, sensitivity=eta, releases=n, digits=_DIGITS + 2
    )


_GAPS = 24  # scores of two candidates that are tried
_REFINED = 24


def _gain(eta: Fraction, n: int, gain: Callable[[arb, arb], arb]) -> Fraction:
    """Return a lower end of the best gain of a test "at least J of n times the first candidate".

    Args:
        eta: ε₀.
        n: how many selections.
        gain: what is gained by a test that has two probabilities, of P and of Q.
    """
    bits = 128 + 4 * max(0, eta.denominator.bit_length() - eta.numerator.bit_length()) + n

    def best(share: Fraction) -> arb:
        with precision(bits):
            return max((gain(p, q) for p, q in _tests(share * eta, eta, n)), key=arb.mid)

    start = max(range(_GAPS + 1), key=lambda k: best(Fraction(k, _GAPS)).mid())
    low, high = (Fraction(max(0, start - 1), _GAPS), Fraction(min(_GAPS, start + 1), _GAPS))
    for _ in range(_REFINED):  # by thirds: any gap is a proof
        third = (high - low) / 3
        if best(low + third).mid() < best(high - third).mid():
            low = Fraction(math.floor((low + third) * 2**32), 2**32)
        else:
            high = Fraction(math.ceil((high - third) * 2**32), 2**32)
    with precision(bits):
        return max(rounding.bounds(best(low))[0], Fraction(0))


def _tests(reach: Fraction, eta: Fraction, n: int) -> Iterator[tuple[arb, arb]]:
    """Yield the probabilities, of P and Q, that the first of two candidates wins J times of n.

    At least, for J from n to 1. The difference of their scores moves from `reach` − η to `reach`,
    from 0 to η: it wins with 1 − e^{−reach}/2 under P, and with e^{reach − η}/2 under Q.
    """
    p, q = 1 - (-ball(reach)).exp() / 2, ball(reach - eta).exp() / 2
    mine, other = p**n, q**n
    whole, odds = (mine, other), ((1 - p) / p, (1 - q) / q)
    for j in range(n, 0, -1):
        yield whole
        mine, other = (
            each * ratio * j / (n - j + 1) for each, ratio in zip((mine, other), odds, strict=True)
        )
        whole = whole[0] + mine, whole[1] + other


# The exponential mechanism.


@functools.lru_cache(maxsize=512)
def _game(epsilon: Fraction, eta: Fraction, n: int, coarse: int) -> tuple[Fraction, Fraction]:
    """Return both ends of δ(ε)."""
    if epsilon >= n * eta:
        return Fraction(0), Fraction(0)
    if n == 1:
        return rounding.bounds(
            exponential_mechanism_delta(epsilon=epsilon, scale=2, sensitivity=eta, digits=_DIGITS)
        )
    if epsilon >= (n - 1) * eta or n == 2:
        return rounding.bounds(tighten(lambda: _closed(epsilon, eta, n), _DIGITS))
    cuts = min(max(_LATTICE // (coarse * n), _FEWEST), _MOST)
    return _Lattice(epsilon, eta, n, cuts).ends()


def _closed(epsilon: Fraction, eta: Fraction, n: int) -> arb:
    """Enclose δ(ε) where it is known: of two, and where every smaller loss leads below ε."""
    whole = -ball(-eta).expm1()
    if epsilon >= (n - 1) * eta or 2 * epsilon >= eta:
        lack = -(ball((epsilon - n * eta) / (n + 1))).expm1()
        return lack ** (n + 1) / whole**n
    # With B = e^{−η/2} and R = e^{(2ε−η)/4}, both at most 1.
    b, r = (-ball(eta) / 2).exp(), (ball(2 * epsilon - eta) / 4).exp()
    return ((1 - b * r) ** 2 + b * (1 - r) ** 2) / ((1 - b) * (1 + b) ** 2)


class _Lattice:
    """The values of the game on ε + j·h, h = η/cuts, between two integers over 2^bits each.

    Attributes:
        below, above: what they are if nothing is left to play, (1 − e^x)₊.
    """

    def __init__(self, epsilon: Fraction, eta: Fraction, n: int, cuts: int) -> None:
        self.n, self.cuts, self.size = n, cuts, n * cuts
        self.place = epsilon * cuts / eta  # x_j = (place + j)·h
        h = eta / cuts
        # δ is not below that of the one test of X.SELECTIONS that asks for all of the larger loss.
        with precision(64):
            share = -ball((epsilon - n * eta) / (n + 1)).expm1()
            small = n * (-ball(-eta).expm1()).log() - (n + 1) * share.log()
            self.bits = 64 + max(0, math.ceil(float(small.mid()) / math.log(2)))
        self.parts = 64 + math.ceil(3 * eta / 2)
        with precision(self.bits + self.parts + 64):
            whole = ball(eta).expm1()
            fall = -ball(-eta).expm1()
            ends = [
                rounding.bounds(ball(k * h).expm1() / whole * 2**self.parts)
                for k in range(cuts, -1, -1)
            ]
            others = [
                rounding.bounds(-ball(k * h - eta).expm1() / fall * 2**self.parts)
                for k in range(cuts, -1, -1)
            ]
            self.near = [[math.floor(low) for low, _ in each] for each in (others, ends)]
            self.far = [[math.ceil(high) for _, high in each] for each in (others, ends)]
            for rows in (self.near, self.far):  # a window that begins or ends at the point
                rows[0][0] = rows[1][-1] = 0
            step = ball(h).expm1()
            self.bend = (
                math.ceil(rounding.bounds(step / fall * 2**self.parts)[1]),
                math.floor(rounding.bounds(step / whole * 2**self.parts)[0]),
            )
            points = [(self.place + j) * h for j in range(-self.size, self.size + 1)]
            first = [
                rounding.bounds(-ball(x).expm1() * 2**self.bits) if x < 0 else (0, 0)
                for x in points
            ]
        self.below = [max(math.floor(low), 0) for low, _ in first]
        self.above = [math.ceil(high) for _, high in first]

    def ends(self) -> tuple[Fraction, Fraction]:
        """Return both ends at ε."""
        low, high = self.below, self.above
        for stage in range(1, self.n + 1):
            low, high = self._played(low, high, stage)
        middle, whole = self.size, 1 << self.bits
        return Fraction(low[middle], whole), Fraction(high[middle], whole)

    def _played(self, low: list[int], high: list[int], stage: int) -> tuple[list[int], list[int]]:
        """Put one more selection before what follows, where it is asked for."""
        cuts, size = self.cuts, self.size
        span = size - stage * cuts
        begin = max(-span, math.floor(-stage * cuts - self.place) + 1)
        end = min(span, math.ceil(stage * cuts - self.place) - 1)
        # It falls: so may what bounds it from above.
        high = list(accumulate(reversed(high), max))[::-1]
        rise, fall = self.bend
        bends = [
            max(0, (high[k] - high[k + 1]) * rise - (high[k + cuts] - high[k + cuts + 1]) * fall)
            for k in range(2 * size - cuts)
        ]
        lows, highs = self.below[:], self.above[:]
        for k in range(begin + size, end + size + 1):
            here, there = slice(k - cuts, k + 1), slice(k, k + cuts + 1)
            lows[k] = max(self._chords(self.near, low, here, there)) >> self.parts
            dots = self._chords(self.far, high, here, there)
            best = -(-_between(dots, bends[k - cuts : k]) >> self.parts)
            highs[k] = min(best, 1 << self.bits)
        return lows, highs

    @staticmethod
    def _chords(
        weights: list[list[int]], values: list[int], here: slice, there: slice
    ) -> list[int]:
        """Return the chord at one point of each window that it is in, times 2^parts."""
        first, second = weights
        return [*map(add, map(mul, first, values[here]), map(mul, second, values[there]))]


def _between(dots: list[int], bends: list[int]) -> int:
    """Return what no chord is above, of windows that begin between two that are known.

    It is at most a line between both chords and 4σ(1−σ) times a quarter of the `bend` above it.
    """
    best = max(dots)
    least = best - max(bends) // 4 - 1
    for k in [k for k, each in enumerate(dots) if each >= least]:
        for cell in (k - 1, k):
            if not 0 <= cell < len(bends):
                continue
            bend, apart = bends[cell], abs(dots[cell] - dots[cell + 1])
            if bend > apart:
                top = max(dots[cell], dots[cell + 1])
                best = max(best, top + (bend - apart) ** 2 // (4 * bend) + 1)
    return best


def _passing(
    falling: Callable[[Fraction], Fraction],
    target: Fraction,
    most: Fraction,
    first: Fraction,
    *,
    keep: int,
) -> tuple[Fraction, Fraction]:
    """Return points on both sides of where a falling function passes a target.

    By false position in its logarithm, an end that stays counting half; one side is close.

    Args:
        falling: is 0 at `most`; where it is not monotone, both sides are true all the same.
        target: positive.
        most: the right end.
        first: a point between, which is tried before 0 is.
        keep: which of the two is close, 0 for the left one.

    Returns:
        ends: falling(left) ≥ target ≥ falling(right), or twice 0 if it is below it at 0.
    """
    points, excess = [first, most], [_log(falling(first), target), -math.inf]
    if excess[0] < 0:
        points, excess = [Fraction(0), first], [_log(falling(Fraction(0)), target), excess[0]]
        if excess[0] <= 0:
            return Fraction(0), Fraction(0)
    weights, before = [1.0, 1.0], 0
    for _ in range(_TURNS):
        left, right = points
        if abs(excess[keep]) <= _CLOSE or right - left <= _LEAST_CLOSE * right:
            break
        one, other = (weight * each for weight, each in zip(weights, excess, strict=True))
        # A little aside, so that the side that counts is the one that comes close.
        share = one / (one - other) + (2 * keep - 1) * 1e-7 if math.isfinite(other) else 0.5
        at = _short(left + (right - left) * Fraction(min(max(share, 1e-3), 1 - 1e-3)), right)
        value = falling(at)
        side = 0 if value >= target else 1
        points[side], excess[side], weights[side] = at, _log(value, target), 1.0
        if side == before:
            weights[1 - side] /= 2
        before = side
    return points[0], points[1]


def _log(value: Fraction, target: Fraction) -> float:
    if not value:
        return -math.inf
    with precision(64):
        return float((ball(value) / ball(target)).log().mid())


def _short(value: Fraction, size: Fraction) -> Fraction:
    """Return a number of few bits that is close to another."""
    unit = Fraction(2) ** (size.numerator.bit_length() - size.denominator.bit_length() - 64)
    return math.floor(value / unit) * unit
