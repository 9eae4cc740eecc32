"""Poisson batches whose mean gets noise of one scale, whatever their size (X.AVG.FIXED).

The sum is divided by the size of the drawn batch, the noise by a fixed number b. If m others are
drawn, a record moves the mean by at most 2/(m + 1), or by 1 if it is alone: small batches decide.
The pair with the label m told dominates; from below stand others that all contribute against the
record. `proofs_notes/averaging.md` has the proofs.
"""

from __future__ import annotations

import contextlib
import functools
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.batches import deterministic
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.drawn_divisor import DrawnDivisor, drawn_sizes
from dporacle.enclosures.batches.fixed_size import Steps, curve
from dporacle.enclosures.batches.labelled import LabelledCurve, OneCurve, PoissonCurve
from dporacle.enclosures.batches.repeated_step import Product, reached
from dporacle.enclosures.batches.scheme import Epochs, designed

ADJACENCIES = ("zero-out", "add", "remove", "both", "replace")

_LEFT_OUT = 2.0**-44  # of δ: the numbers of others that no label has, over all steps
_LABELS = 64  # which are told apart; more are told in groups,
_PLACES = 128  # from below in smaller ones
_EACH = ("remove", "add")  # the record is in the first law, or in the second


@dataclass(frozen=True)
class DrawnMean:
    """Steps that release a mean over the drawn batch, with noise N(0, (σ/b)²) in clipping norms.

    A batch without a record has the mean 0.

    Attributes:
        sigma: noise multiplier, in units of the clipping norm.
        noise_divisor: b.
        rate: q, in (0, 1].
        records: n, at least 2; under add/remove the larger of the two sizes.
        times: how many steps.
    """

    sigma: Fraction
    noise_divisor: Fraction
    rate: Fraction
    records: int
    times: int

    def noise(self, others: int) -> Fraction:
        """Return the noise over half of what a record moves beside so many others."""
        return self.sigma * (others + 1) / self.noise_divisor


def epsilon(steps: DrawnMean, delta: Fraction, adjacency: str) -> tuple[Fraction, Fraction | None]:
    """Return proved ends of the ε at a δ in (0, 1); None where the upper one is out of reach.

    Raises:
        ArithmeticError: if either would need too much work.
    """
    assert adjacency in ADJACENCIES
    designed(steps.sigma)
    if steps.rate * steps.times <= delta:  # the record is in no batch but with so small a chance
        return Fraction(0), Fraction(0)
    if steps.rate == 1:
        return _of_whole_batches(steps, delta, adjacency)
    low = Fraction(0)
    with contextlib.suppress(ArithmeticError):
        found = _reached(steps, float(delta), _word(adjacency))
        ends = dict(zip(_EACH, found, strict=True))
        low = max(ends[way].epsilon(delta) for way in _ways(adjacency))
    try:
        most = dict(zip(_EACH, _dominating(steps, float(delta), _word(adjacency)), strict=True))
        high = max(most[way].epsilon(delta) for way in _ways(adjacency))
    except ArithmeticError:
        if not low:
            raise
        return low, None  # with little noise it is above what the lattice can hold
    return min(low, high), high


def _ways(adjacency: str) -> tuple[str, ...]:
    return (adjacency,) if adjacency in _EACH else _EACH


def _word(adjacency: str) -> str:
    """Return "both" for its directions too: one lattice has them."""
    return "both" if adjacency in _EACH else adjacency


def _of_whole_batches(
    steps: DrawnMean, delta: Fraction, adjacency: str
) -> tuple[Fraction, Fraction]:
    """Return the ends where each batch has all records: a Gaussian release, at each step.

    Its mean moves by 2/n where the record is missing or replaced, by 1/n where it contributes 0.
    """
    moved = 1 if adjacency == "zero-out" else 2
    noise = steps.noise(steps.records - 1) / moved
    found = deterministic.epsilon(Epochs(noise, 1, steps.times), delta, "zero-out")
    return found.low, found.high


@functools.lru_cache(maxsize=8)
def _others(steps: DrawnMean, target: float) -> tuple[tuple[tuple[int, arb], ...], arb]:
    """Return how many others are drawn with which chance, and a bound of all other chances."""
    like = DrawnDivisor(steps.sigma, steps.rate, steps.records, steps.times)
    sizes = drawn_sizes(like, target * _LEFT_OUT / steps.times)
    with precision(BITS):
        rows = tuple((m, mass) for m, _, mass in sizes.labels())
        return rows, (1 - sizes.kept_without).abs_upper()


@functools.lru_cache(maxsize=8)
def _dominating(steps: DrawnMean, target: float, adjacency: str) -> tuple[Product, Product]:
    """Return the products of what dominates a step, in both orders."""
    return labelled(steps, target, adjacency).products()


def labelled(steps: DrawnMean, target: float, adjacency: str) -> LabelledCurve:
    """Return what dominates a step about a δ, told how many others are drawn.

    Raises:
        ArithmeticError: if they are too many.
    """
    rows, left = _others(steps, target)
    parts: list[tuple[arb, OneCurve]] = []
    with precision(BITS):
        for m, _, mass in grouped(rows, _LABELS):
            one: OneCurve
            if m and adjacency in ("zero-out", "replace"):
                one = curve(Steps(steps.noise(m), steps.rate, 1), adjacency)
            else:  # alone it moves the mean by 1, beside m others by 2/(m + 1)
                noise = steps.noise(m) / (2 if m else 1)
                one = PoissonCurve(noise, steps.rate, replaced=adjacency == "replace")
            parts.append((mass, one))
    return LabelledCurve(parts, left, steps.times, target)


def grouped(rows: Sequence[tuple[int, arb]], count: int) -> list[tuple[int, int, arb]]:
    """Return so many groups, and one more: the least number, the largest one, and the mass of all.

    To be alone is another thing than to be among few.
    """
    several = -(-len(rows) // count)
    alone = [(0, 0, mass) for m, mass in rows if not m]
    among = [row for row in rows if row[0]]
    for k in range(0, len(among), several):
        some = among[k : k + several]
        alone.append((some[0][0], some[-1][0], sum((mass for _, mass in some), arb(0))))
    return alone


@functools.lru_cache(maxsize=8)
def _reached(steps: DrawnMean, target: float, adjacency: str) -> tuple[Product, Product]:
    """Return what is reached where the others, and a record that replaces it, contribute −1."""
    rows, left = _others(steps, target)
    with precision(BITS):
        q, b = ball(steps.rate), ball(steps.noise_divisor)
        # Places are from b·(−1) on, where the mean of others is.
        first: list[tuple[arb, arb | int]] = []
        second: list[tuple[arb, arb | int]] = []
        still, alone = arb(0), arb(0)
        # Of a group the first law gets the smallest place, the second the largest: no test gains.
        for least, most, mass in grouped(rows, _PLACES):
            first.append((mass * q, 2 * b / (most + 1)))
            if least:
                still += mass
            else:
                alone = mass
            if adjacency == "zero-out":  # then the mean is −m/(m + 1)
                second.append((mass * q, b / (least + 1)))
            elif adjacency == "replace":
                second.append((mass * q, 0))
        for law, share in ((first, 1 - q), (second, 1 - q if second else arb(1))):
            law += [(still * share, 0), (alone * share, b)]  # of an empty batch the mean is 0
        one, other = ([row for row in law if not row[0].is_zero()] for law in (first, second))
    return reached(one, other, left, steps.sigma, steps.times, target)
