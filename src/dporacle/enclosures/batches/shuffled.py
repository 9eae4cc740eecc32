"""Shuffled batches: a new random permutation for each epoch (X.BAT.SHUFFLED).

Lower bounds: pairs that data sets and queries reach. Others contribute −1, the record +1 or 0 (S1),
tested by the maximum and by sums of exponentials; others contribute 0, balls-and-bins; for
replace-one, others −1 and the record +1 or −1 (S2), balls-and-bins at half the noise, tested by the
maximum too. Upper bounds: deterministic batches, and `clones`.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Sequence
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import balls_and_bins, clones, deterministic
from dporacle.enclosures.batches.curves import BITS, Product, path
from dporacle.enclosures.batches.inversion import Mean
from dporacle.enclosures.batches.scheme import Interval, Run

__all__ = ["ADJACENCIES", "Tests", "at_delta", "at_epsilon", "delta", "epsilon", "lower", "tests"]

ADJACENCIES = ("zero-out", "replace")

Tests = tuple[list[tuple[arb, arb]], list[tuple[arb, arb]]]
"""(upper bound under one law, lower bound under the other) of tests, for remove and for add."""

_POINTS = 600
_POWERS = (Fraction(2),)
_STEEPEST = 4.5  # of the exponents of the sums
_FINE = 60  # cells of the lattice in a standard deviation of the loss
_FLOOR = 1e-13
_QUIET = Fraction(7, 10)  # σ below which no clones are tried: they prove next to nothing


_CENTRES = {"zero-out": (1, 2), "replace": (0, 2)}
"""Where one coordinate is centred under the two laws; the others are centred at 0."""


def _by_maximum(variance: Fraction, batches: int, tiny: float, adjacency: str) -> Tests:
    """Return the tests max x_t > C; variance is σ²."""
    more, less = [], []
    s = math.sqrt(float(variance))
    reach = math.sqrt(-2 * math.log(tiny))
    low = s * math.sqrt(max(0.0, 2 * math.log(max(1.0, batches / -math.log(tiny) / 4)))) - 3 * s
    low = min(low, 1.0 - 3 * s) if batches < 100 else max(low, -3 * s)
    high = max(2.0, s * math.sqrt(2 * math.log(batches))) + s * reach
    with precision(BITS):
        sigma = ball(variance).sqrt()
        for k in range(_POINTS):
            c = arb(low + (high - low) * k / (_POINTS - 1))
            # ln P(max ≤ C) = ln Φ((C−m)/σ) + (T−1) ln Φ(C/σ)
            others = (batches - 1) * (-normal_tail(c / sigma)).log1p()
            logs = [(-normal_tail((c - m) / sigma)).log1p() + others for m in _CENTRES[adjacency]]
            q, p = (-(each.expm1()) for each in logs)
            if q.upper() > 0 and p > 0:
                more.append((q.upper(), p.lower()))
            alt, null = logs[0].exp(), logs[1].exp()
            if alt > 0:
                less.append((null.upper(), alt.lower()))
    return more, less


def _by_sum(variance: Fraction, batches: int, power: Fraction, tiny: float) -> Tests:
    """Return the tests Σ e^{kx_t/σ²} > K."""
    first = Mean(power * power / variance, ((Fraction(1), batches),), 2 * power / variance)
    second = Mean(power * power / variance, ((Fraction(1), batches),), power / variance)
    if float(first.tilt) > _STEEPEST:
        raise ArithmeticError("the exponents of the sum are too large")
    scale = balls_and_bins.spread(second)
    step = Fraction(min(scale / 10, 0.04)).limit_denominator(1 << 40)
    nats = 14 - math.log(tiny)

    def prices(points: Sequence[arb]) -> Sequence[tuple[arb, arb]]:
        both = zip(first.prices(points, nats), second.prices(points, nats), strict=True)
        return [(one.below, other.below) for one, other in both]

    def right(_: arb, found: tuple[arb, arb]) -> bool:
        return float((1 - found[0]).mid()) < tiny

    def left(_: arb, found: tuple[arb, arb]) -> bool:
        return float(found[1].mid()) < tiny

    points = [
        *balls_and_bins.march(step, scale, 1, prices, right),
        *balls_and_bins.march(step, scale, -1, prices, left),
    ]
    more, less = [], []
    with precision(BITS):
        for _, _, (under_first, under_second) in points:
            more.append(((1 - under_second).upper(), (1 - under_first).lower()))
            less.append((under_first.upper(), under_second.lower()))
    return more, less


@functools.lru_cache(maxsize=16)
def tests(variance: Fraction, batches: int, tiny: float, adjacency: str) -> Tests:
    """Return tests of S1's pair, or of S2's for replace-one, at σ² = variance."""
    more, less = _by_maximum(variance, batches, tiny, adjacency)
    for power in _POWERS if adjacency == "zero-out" else ():
        with contextlib.suppress(ArithmeticError):
            found = _by_sum(variance, batches, power, tiny)
            more, less = more + found[0], less + found[1]
    return more, less


def at_delta(found: Sequence[tuple[arb, arb]], target: Fraction) -> Fraction:
    """Return an ε ≥ 0 at which some test has P(A) − e^εQ(A) ≥ target, or 0."""
    best = Fraction(0)
    with precision(BITS):
        for q, p in found:
            gap = p - ball(target)
            if q > 0 and gap > q:
                best = max(best, bounds((gap / q).log())[0])
    return best


def at_epsilon(found: Sequence[tuple[arb, arb]], epsilon: Fraction) -> Fraction:
    """Return the largest P(A) − e^εQ(A) of the tests."""
    with precision(BITS):
        factor = ball(epsilon).exp()
        return max((bounds(p - factor * q)[0] for q, p in found), default=Fraction(0))


@functools.lru_cache(maxsize=8)
def _products(
    variance: Fraction, batches: int, epochs: int, floor: float, adjacency: str
) -> list[Product]:
    tiny = floor * 1e-6 / epochs
    made = []
    for found in tests(variance, batches, tiny, adjacency):
        step = Fraction(max(1e-9, _loss_spread(found) / _FINE)).limit_denominator(1 << 40)
        made.append(Product.of(path(step, found)).power(epochs, tiny))
    return made


def _loss_spread(found: Sequence[tuple[arb, arb]]) -> float:
    """Estimate the standard deviation of the loss over the cells between tests."""
    points = sorted((float(q.mid()), float(p.mid())) for q, p in found)
    total = first = second = 0.0
    before = (0.0, 0.0)
    for q, p in [*points, (1.0, 1.0)]:
        dq, dp = q - before[0], p - before[1]
        if dq > 0 and dp > 0:
            loss = math.log(dp / dq)
            total, first, second = total + dp, first + dp * loss, second + dp * loss * loss
        before = max(before[0], q), max(before[1], p)
    mean = first / total
    return math.sqrt(max(second / total - mean * mean, 1e-16))


def lower(
    run: Run, adjacency: str, *, delta: Fraction | None, epsilon: Fraction | None
) -> Fraction:
    """Bound ε at a δ, or δ at an ε, from below."""
    law = balls_and_bins.mean(run, 2 if adjacency == "replace" else 1)
    best = Fraction(0)
    for way in ("remove", "add"):
        with contextlib.suppress(ArithmeticError):
            if delta is not None:
                found = balls_and_bins.pair_epsilon(law, run.epochs, delta, way)
            else:
                assert epsilon is not None
                found = balls_and_bins.pair_delta(law, run.epochs, epsilon, way)
            best = max(best, found.low)
    if adjacency == "replace" and best:
        return best  # of S2's pair itself
    variance = run.sigma**2
    floor = float(delta) if delta is not None else _FLOOR
    with contextlib.suppress(ArithmeticError):
        if run.epochs == 1:
            for each in tests(variance, run.batches, floor * 1e-4, adjacency):
                if delta is not None:
                    best = max(best, at_delta(each, delta))
                else:
                    assert epsilon is not None
                    best = max(best, at_epsilon(each, epsilon))
        else:
            for product in _products(variance, run.batches, run.epochs, floor, adjacency):
                if delta is not None:
                    best = max(best, product.epsilon(delta))
                else:
                    assert epsilon is not None
                    with precision(BITS):
                        best = max(best, bounds(product.delta(ball(epsilon)))[0])
    return best


def upper_epsilon(run: Run, delta: Fraction, adjacency: str) -> Fraction:
    """Bound ε at a δ from above."""
    best = deterministic.epsilon(run, delta, adjacency).high
    if run.sigma < _QUIET:
        return best
    with contextlib.suppress(ArithmeticError):
        best = min(best, clones.labelled_epsilon(run, delta, 2 if adjacency == "replace" else 1))
    if adjacency == "zero-out":
        with contextlib.suppress(ArithmeticError):
            best = min(best, clones.hidden_epsilon(run, delta))
    return best


def delta(run: Run, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε; from above by deterministic batches alone."""
    if run.batches == 1:
        return deterministic.delta(run, epsilon, adjacency)
    high = deterministic.delta(run, epsilon, adjacency).high
    return Interval(lower(run, adjacency, delta=None, epsilon=epsilon), high, exact=False)


def epsilon(run: Run, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ."""
    if run.batches == 1:
        return deterministic.epsilon(run, delta, adjacency)
    low = lower(run, adjacency, delta=delta, epsilon=None)
    return Interval(low, upper_epsilon(run, delta, adjacency), exact=False)
