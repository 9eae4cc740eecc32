"""The curves of mechanisms, from the δ(ε) that the other modules enclose.

`remove` is the law with the record against that without it: its tests look for the record. `add` is
the other order, and `both` the larger of both curves, which is what (ε, δ) speaks of.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import TYPE_CHECKING

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten
from dporacle.enclosures.arithmetic.normal import profile
from dporacle.enclosures.subsampled.area import area
from dporacle.enclosures.subsampled.profile import Profile
from dporacle.enclosures.subsampled.transform import Step
from dporacle.enclosures.subsampled_gaussian import Phase
from dporacle.enclosures.tradeoff.curve import BITS, DIGITS, Delta, TradeoffCurve

if TYPE_CHECKING:
    from dporacle.enclosures.batches.balls_and_bins import Parts
    from dporacle.enclosures.batches.composed import EpochProduct

DIRECTIONS = ("remove", "add", "both", "replace")
_POINT_BITS = 1024  # an ε has no width beside that of any ball which is computed from it
_ROUGH = 2  # digits of a δ of which it is enough to be the smaller one
_ROOT_BITS = 4096  # of μ: a rate of 10^-1000 is 1 less another
_MOST, _BAND = 400.0, 2.0  # bands, and the least width of one
_GRAIN = 16.0  # nats: compositions are made for multiples of it, and serve all ε in between
_NATS = 100.0  # that δ of an epoch may lack, before it is told as small


def one_order(delta: Delta, *, digits: int = DIGITS) -> TradeoffCurve:
    """Return the curve of a pair whose two orders have one δ(ε), or of the larger of two."""
    return TradeoffCurve(delta, delta, digits=digits)


def larger(first: Delta, second: Delta) -> Delta:
    """Return the larger of two δ(ε)."""

    def both(epsilon: Fraction, digits: int) -> arb:
        one, other = first(epsilon, digits), second(epsilon, digits)
        with precision(bits_for(digits) + 64):
            return one.max(other)

    return both


def gaussian(mu_squared: Fraction, *, digits: int = DIGITS) -> TradeoffCurve:
    """Return the curve of N(μ, 1) against N(0, 1): Gaussian releases, of whatever number."""

    def delta(epsilon: Fraction, digits: int) -> arb:
        def formula() -> arb:
            mu = ball(mu_squared).sqrt()
            h = ball(epsilon) / mu
            return profile(h - mu / 2, h + mu / 2)[0]

        return tighten(formula, digits)

    with precision(_ROOT_BITS):
        return TradeoffCurve(delta, delta, digits=digits, mu=ball(mu_squared).sqrt())


def steps(
    phases: Sequence[tuple[Fraction, Fraction, int] | Phase],
    direction: str,
    *,
    digits: int = DIGITS,
) -> TradeoffCurve:
    """Return the curve of Poisson-subsampled Gaussian steps (X.SG.PROFILE).

    Args:
        phases: triples (σ, q, T) of exact numbers, or these with the parts of a group.
        direction: "remove", "add", "both" or "replace".
        digits: the tightness of every δ.
    """
    factor = 2 if direction == "replace" else 1
    if all(each[1] == 1 for each in phases):
        squares = (each[2] * (factor / each[0]) ** 2 for each in phases)
        return gaussian(sum(squares, Fraction(0)), digits=digits)
    kinds = [Step(*each[:3], direction == "replace", *each[3:]) for each in phases]
    remove = _Composed(kinds, add=False)
    if direction == "replace":
        curve = one_order(remove.delta, digits=digits)
        curve.about = lambda x: remove.about(abs(x))
        curve.area = lambda digits: area(kinds, digits)
        return curve
    add = _Composed(kinds, add=True)
    if direction == "both":

        def both(epsilon: Fraction, digits: int) -> arb:
            one = remove.delta(epsilon, digits)
            with precision(BITS):
                floor = float(one.lower().log()) if one > 0 else -math.inf
            if add.delta(epsilon, _ROUGH, floor=floor) < one:
                return one
            return larger(remove.delta, add.delta)(epsilon, digits)

        curve = one_order(both, digits=digits)
        curve.about = lambda x: max(remove.about(abs(x)), add.about(abs(x)))
    else:
        curve = turned(remove.delta, add.delta, direction, digits=digits)
        curve.area = lambda digits: area(kinds, digits)
        sign = 1 if direction == "remove" else -1
        curve.about = lambda x: (remove if sign * x >= 0 else add).about(abs(x))
    return curve


def turned(remove: Delta, add: Delta, direction: str, *, digits: int = DIGITS) -> TradeoffCurve:
    """Return the curve of a direction, "remove", "add" or "both"."""
    if direction == "both":
        return one_order(larger(remove, add), digits=digits)
    return TradeoffCurve(
        *((remove, add) if direction == "remove" else (add, remove)), digits=digits
    )


def balls_and_bins(
    sigma: Fraction, batches: int, direction: str, *, digits: int = DIGITS
) -> TradeoffCurve:
    """Return the curve of one epoch of balls-and-bins batches, two or more (X.BAT.BINS).

    Raises:
        ArithmeticError: if there are too many batches.
    """
    from dporacle.enclosures.batches.balls_and_bins import mean, one_epoch_delta, one_epoch_deltas
    from dporacle.enclosures.batches.scheme import Epochs, affordable

    affordable(batches, 1, None)
    law = mean(Epochs(sigma, batches, 1))

    known: dict[tuple[str, Fraction, int], arb] = {}

    def point(epsilon: Fraction) -> arb:
        with precision(_POINT_BITS):
            return ball(epsilon)

    def of(way: str) -> Delta:
        def delta(epsilon: Fraction, digits: int) -> arb:
            found = known.get((way, epsilon, digits))
            if found is None:
                found = one_epoch_delta(law, point(epsilon), way, digits, deepest=_NATS)
            return found.max(arb(0))

        return delta

    def prepare(places: Sequence[Fraction]) -> None:
        for way in ("remove", "add"):
            new = sorted({abs(x) for x in places if (way, abs(x), digits) not in known})
            points = [point(x) for x in new]
            if points:
                values = one_epoch_deltas(law, points, way, digits, deepest=_NATS)
                known.update(((way, x, digits), v) for x, v in zip(new, values, strict=True))

    curve = turned(of("remove"), of("add"), direction, digits=digits)
    curve.prepare = prepare
    return curve


def epochs(parts: Parts, direction: str, *, digits: int = DIGITS) -> TradeoffCurve:
    """Return the curve of epochs of balls-and-bins batches together (X.BAT.BINS).

    Args:
        parts: pairs of one epoch, and how many epochs of each.
        direction: "remove", "add" or "both"; "replace" of pairs of a record that is replaced.
        digits: the tightness of every δ.
    """
    from dporacle.enclosures.batches.balls_and_bins import composition
    from dporacle.enclosures.batches.composed import composed_delta

    def made(nats: float) -> EpochProduct:
        return composition(parts, _GRAIN * math.ceil(nats / _GRAIN))

    def of(way: str) -> Delta:
        def delta(epsilon: Fraction, digits: int) -> arb:
            found = composed_delta(epsilon, way, made, digits)
            with precision(BITS):
                return ball(found.low).union(ball(found.high))

        return delta

    if direction == "replace":
        return one_order(of("remove"), digits=digits)
    return turned(of("remove"), of("add"), direction, digits=digits)


class _Composed:
    """δ(ε) of composed steps at many ε: a transform for each band of them, made once."""

    def __init__(self, kinds: Sequence[Step], *, add: bool) -> None:
        self._kinds, self._add = kinds, add
        self._bands: dict[int, Profile] = {}
        self._width = 0.0

    def delta(self, epsilon: Fraction, digits: int, *, floor: float = -math.inf) -> arb:
        """Enclose δ(ε); where it is far below e^floor, any ball there will do."""
        with precision(_POINT_BITS):
            point = ball(epsilon)
        if not self._width:
            at_zero = self._profile(0).delta(arb(0), digits)
            self._width = max(2 * float(at_zero.mid()), _BAND, float(epsilon) / _MOST)
        return self._profile(int(epsilon / Fraction(self._width))).delta(point, digits, floor=floor)

    def about(self, epsilon: float) -> float:
        """Return about δ(ε), in float64."""
        return math.exp(min(0.0, self._profile(0).log_estimate(epsilon)))

    def _profile(self, band: int) -> Profile:
        found = self._bands.get(band)
        if found is None:
            found = self._bands[band] = Profile(self._kinds, add=self._add)
            found.model = self._bands[min(self._bands)].model
        return found
