"""The losses of training runs, as compositions need them (C14 of proofs_notes/claims.md).

Where one pair of laws is the worst of a step, or of an epoch, it is the law from both sides. Where
only its curve is known there is a pair above it, and others are reached from below.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from flint import arb

from dporacle.claims.losses import Extent, LossLaw, PairOnGrid, PrivacyLoss
from dporacle.claims.sampled import BatchLoss, SampledLoss, StepLoss, Way
from dporacle.enclosures.arithmetic import normal
from dporacle.enclosures.arithmetic.balls import ball, bits_for, precision, tighten

if TYPE_CHECKING:
    from dporacle.enclosures.batches.curves import Lattice
    from dporacle.mechanisms.training import TrainingRun, TrainingSchedule

_MOST_POINTS = 1 << 15  # as many cells as a convolution may have
_DENSE = 256  # points of a curve on either side of 0, until they grow sparser
_WIDEST = 20  # 1/σ² of a mean of lognormals that is inverted, at most
_LOUDEST = 50  # σ, at most
_ROOTS = 12  # steps of Newton's in balls
_NOTHING = PrivacyLoss()
_UNBOUNDED = PrivacyLoss(leaks={Fraction(1): 1})


@dataclass(frozen=True)
class MixtureLoss(StepLoss):
    """The sum is moved by a random length: P = Σ w·N(c, σ²), Q = N(0, σ²), or exchanged.

    "replace-one": Q is the mirror image of P.

    Attributes:
        parts: (c, w) with 0 < c; the rest of 1 is for c = 0.
        sigma: σ.
        way: which of the two is P.
    """

    parts: tuple[tuple[Fraction, Fraction], ...]
    sigma: Fraction
    way: Way

    def _rate(self) -> Fraction:
        return sum((w for _, w in self.parts), Fraction(0))

    def _top(self) -> Fraction:
        return max(c for c, _ in self.parts)

    def _like(self) -> SampledLoss:
        """Return about the same: all that moves moves by the most."""
        return SampledLoss(self._rate(), self.sigma / self._top(), self.way)

    def spread(self) -> float:
        """Return about the standard deviation of the loss."""
        return self._like().spread()

    def told_way(self) -> str:
        """Return the way: one pair of neighbours has the same one in every release."""
        return self.way

    def reach(self, bits: int) -> tuple[float, float]:
        """Return numbers beyond which less than about 2^-bits lies."""
        low, high = self._like().reach(bits)
        return (low, high) if self.way == "replace-one" else (min(low, -high), max(high, -low))

    def _tails(self, way: Way, x: Fraction) -> tuple[arb, arb]:
        sigma = ball(self.sigma)
        rest = 1 - self._rate()
        law = [(ball(c) / sigma, ball(w)) for c, w in self.parts]
        if rest:
            law.append((arb(0), ball(rest)))
        if way == "remove":
            if rest and not ball(x) > ball(rest).log():
                return (arb(1), arb(1)) if ball(x) < ball(rest).log() else _anything()
            z = _root(law, ball(x), mirrored=False)
            q = normal.normal_tail(z)
        else:
            z = _root(law, ball(x), mirrored=True)
            q = sum((w * normal.normal_tail(z + c) for c, w in law), arb(0))
        return sum((w * normal.normal_tail(z - c) for c, w in law), arb(0)), q


def _anything() -> tuple[arb, arb]:
    """Return tails beyond a threshold that is far below, no less than nothing and at most all."""
    return arb("0.5 +/- 0.5"), arb("0.5 +/- 0.5")


Law = Sequence[tuple[arb, arb]]


def _log_ratio(law: Law, y: arb) -> tuple[arb, arb]:
    """Return ln Σ w·e^{cy − c²/2} and its slope."""
    terms = [(c, w * (c * y - c * c / 2).exp()) for c, w in law]
    total = sum((term for _, term in terms), arb(0))
    return total.log(), sum((c * term for c, term in terms), arb(0)) / total


def _rough(law: Sequence[tuple[float, float]], y: float) -> float:
    """Return about the same logarithm in floats."""
    terms = [math.log(w) + c * y - c * c / 2 for c, w in law]
    most = max(terms)
    return most + math.log(math.fsum(math.exp(each - most) for each in terms))


def _root(law: Law, at: arb, *, mirrored: bool) -> arb:
    """Enclose where the logarithm of the ratio to N(0, 1), or to the mirror image, has a value.

    It rises. A root in floats is refined by Newton's steps, without a proof; signs on both sides of
    the last one prove where it is.
    """
    floats = [(float(c.mid()), float(w.mid())) for c, w in law]
    floats = [(c, w) for c, w in floats if w > 0]
    target = float(at.mid())

    def rough(y: float) -> float:
        return _rough(floats, y) - (_rough(floats, -y) if mirrored else 0.0)

    def function(y: arb) -> tuple[arb, arb]:
        value, slope = _log_ratio(law, y)
        if not mirrored:
            return value, slope
        down, fall = _log_ratio(law, -y)
        return value - down, slope + fall

    low, high = -1.0, 1.0
    while rough(low) > target and low > -1e9:
        low *= 2
    while rough(high) < target and high < 1e9:
        high *= 2
    for _ in range(80):
        middle = (low + high) / 2
        low, high = (middle, high) if rough(middle) < target else (low, middle)
    point = arb((low + high) / 2)
    for _ in range(_ROOTS):
        value, slope = function(point)
        if not slope > 0:
            break
        step = ((value - at) / slope).mid()
        point = (point - step).mid()
        if abs(step) < arb(2) ** (-0.45 * _bits()) * (1 + abs(point)):
            break
    for bits in (_bits() - 24, _bits() // 2, 40, 20):
        wide = (1 + abs(point)) * arb(2) ** -bits
        if function((point - wide).mid())[0] < at and function((point + wide).mid())[0] > at:
            return point + arb(0, wide.upper())
    raise ArithmeticError("a threshold of the loss is not enclosed")


def _bits() -> int:
    import flint

    return int(flint.ctx.prec)


@dataclass(frozen=True)
class CurveLoss(BatchLoss):
    """A pair of which the curve H_a of one step is known, and not its law: an upper bound.

    Attributes:
        about: the steps of `fixed_size`, or of `capped`.
        adjacency: "zero-out", "both" or "replace", as the enclosures call it.
        way: which of the two data sets has more; "" where that is all the same.
    """

    about: Any
    adjacency: str
    way: str

    def _curve(self) -> Any:
        from dporacle.enclosures.batches import capped, fixed_size

        of_size = isinstance(self.about, fixed_size.Steps)
        return (fixed_size if of_size else capped).curve(self.about, self.adjacency)

    def _height(self, a: arb) -> arb:
        """Enclose H_a, the loss being that of P."""
        curve = self._curve()
        if self.way == "add":
            return 1 - a + a * self._first(curve, 1 / a)
        return self._first(curve, a)

    @staticmethod
    def _first(curve: Any, a: arb) -> arb:
        value: arb = curve.height(a) if a >= 1 else curve.below(a)
        return value

    def has_formula(self) -> bool:
        """Tell that δ is not enclosed to digits: of a bounded loss it is 0, and no ball says so."""
        return False

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε), to about so many digits after the point."""
        with precision(2 * bits_for(digits) + 64):
            return self._height(ball(epsilon).exp()) if epsilon else self._height(arb(1))

    def spread(self) -> float:
        """Return about the standard deviation of the loss."""
        return SampledLoss(self.about.rate, self.about.sigma / 2, "remove").spread()

    def told_way(self) -> str:
        """Return the way."""
        return self.way

    def reach(self, bits: int) -> tuple[float, float]:
        """Return numbers beyond which less than about 2^-bits lies."""
        far = self._curve().farthest(2.0**-bits) + 1e-3
        return -far, far

    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Refuse: the law is not known."""
        raise ArithmeticError("the law of a curve is not known")

    def on_lattice(self, step: Fraction, bits: int, *, up: bool) -> tuple[int, list[arb]]:
        """Return the masses of a pair that dominates it; from below, those of no loss at all."""
        if not up:
            return 0, [arb(1)]
        from dporacle.enclosures.batches.curves import chords

        curve = self._curve()
        last = math.ceil(self.reach(bits)[1] / step)
        heights: dict[int, arb] = {}
        at = 0
        while at <= last:
            a = (ball(step) * at).exp()
            heights[at] = arb(curve.height(a).upper())
            heights[-at] = arb((curve.below(1 / a) if at else curve.height(a)).upper())
            at += max(1, at // _DENSE)
        return _listed(chords(step, heights)[int(self.way == "add")], bits)


@dataclass(frozen=True)
class BinsLoss(BatchLoss):
    """One epoch of balls-and-bins: P = (1/T)ΣN(e_t, σ²), Q = N(0, σ²), or exchanged (theorem B).

    "replace-one": from above, by zeroing out twice, and by a fixed order (D').
    """

    sigma: Fraction
    batches: int
    way: Way

    def _law(self) -> Any:
        from dporacle.enclosures.batches import balls_and_bins
        from dporacle.enclosures.batches.scheme import Epochs

        return balls_and_bins.mean(Epochs(self.sigma, self.batches, 1))

    def _epoch(self) -> Any:
        from dporacle.enclosures.batches.balls_and_bins import Thrown

        return Thrown(self._law())

    def has_formula(self) -> bool:
        """Whether δ of one epoch is enclosed: not of a replaced record, of which it is dear."""
        return self.way != "replace-one"

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε)."""
        from dporacle.enclosures.batches import balls_and_bins

        if not self.has_formula():
            raise ArithmeticError("δ of a replaced record is bounded from above")

        def enclose() -> arb:
            with precision(bits_for(digits) + 400):
                return balls_and_bins.one_epoch_delta(
                    self._law(), ball(epsilon), self.way, digits + 2
                )

        return tighten(enclose, digits)

    def spread(self) -> float:
        """Return about the standard deviation of the loss."""
        return (2 if self.way == "replace-one" else 1) * float(self._epoch().spread)

    def told_way(self) -> str:
        """Return the way."""
        return self.way

    def reach(self, bits: int) -> tuple[float, float]:
        """Return numbers beyond which less than about 2^-bits lies."""
        epoch, nats = self._epoch(), bits * math.log(2)
        sides = (epoch.reach(nats, 1), epoch.reach(nats, -1))
        if self.way == "replace-one":
            return -2 * max(sides), 2 * max(sides)
        return (-sides[0], sides[1]) if self.way == "add" else (-sides[1], sides[0])

    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Refuse: the law is inverted on a lattice."""
        raise ArithmeticError("the law is inverted on a lattice")

    def on_lattice(self, step: Fraction, bits: int, *, up: bool) -> tuple[int, list[arb]]:
        """Return the masses of a pair that dominates it, or that it dominates."""
        from dporacle.enclosures.batches.curves import chords, path

        if self.way == "replace-one":
            if not up:
                return 0, [arb(1)]
            return _listed(chords(step, self._replaced(step, bits))[0], bits)
        curve, which = _surveyed(self.sigma, self.batches, step, bits), self.way == "add"
        if up:
            return _listed(chords(step, curve.heights())[which], bits)
        return _listed(path(step, curve.tests()[which]), bits)

    def _replaced(self, step: Fraction, bits: int) -> dict[int, arb]:
        """Return upper bounds of H(e^{2jΔ}) where a record is replaced.

        H(ab) ≤ H(a) + aH(b), of zeroing out and of what is zeroed out becoming another one.
        """
        heights = _surveyed(self.sigma, self.batches, step, bits).heights()
        mu, found = 2 / ball(self.sigma), {}
        for j in sorted(each for each in heights if each >= 0 and -each in heights):
            a = (ball(step) * j).exp()
            twice = heights[j] + a * (1 - a + a * heights[-j])
            v = ball(step) * (2 * j)
            fixed = normal.profile(v / mu - mu / 2, v / mu + mu / 2)[0]
            value = twice.min(fixed).min(arb(1)).max(arb(0))
            found[2 * j] = arb(value.upper())
            found[-2 * j] = arb((1 - 1 / a**2 + value / a**2).upper())
        return found


@functools.lru_cache(maxsize=8)
def _surveyed(sigma: Fraction, batches: int, step: Fraction, bits: int) -> Any:
    from dporacle.enclosures.batches import balls_and_bins
    from dporacle.enclosures.batches.scheme import Epochs

    law = balls_and_bins.mean(Epochs(sigma, batches, 1))
    return balls_and_bins.survey(law, 2.0**-bits, step=step)


def _listed(law: Lattice, bits: int) -> tuple[int, list[arb]]:
    """Return the masses from the first one on, but for what is tiny at both ends.

    From above that is lost at the upper end, which counts as a loss without end, and is moved up
    at the lower end; from below both are left out.
    """
    tiny, places = arb(2) ** -bits, sorted(law.masses)
    gone = arb(0)
    while len(places) > 1 and gone + law.masses[places[-1]] < tiny:
        gone += law.masses[places.pop()]
    gone, first = arb(0), 0
    while first < len(places) - 1 and gone + law.masses[places[first]] < tiny:
        gone += law.masses[places[first]]
        first += 1
    low, high = places[first], places[-1]
    if high - low > _MOST_POINTS:
        raise ArithmeticError(f"a loss needs more than {_MOST_POINTS} cells")
    masses = [arb(0)] * (high - low + 1)
    for j in places[first:]:
        masses[j - low] = law.masses[j]
    if law.upper:
        masses[0] += gone
    return low, masses


def of_schedule(schedule: TrainingSchedule, neighbours: str) -> Extent:
    """Return what is known of the loss of phases of Poisson sampling; from below, of every sum."""
    from dporacle.mechanisms.training import enclosed_word

    plan = schedule.plan(enclosed_word(neighbours))
    replaced = neighbours == "replace-one"
    ways: tuple[Way, ...] = ("replace-one",) if replaced else ("remove", "add")
    most = []
    for way in ways:
        total = _NOTHING
        for sigma, rate, steps, parts in plan:
            if rate == 1 and not parts:
                loss = PrivacyLoss((4 if replaced else 1) / sigma**2)
            elif parts:
                loss = PrivacyLoss(others={MixtureLoss(parts, sigma, way): 1})
            else:
                loss = PrivacyLoss(others={SampledLoss(rate, sigma, way): 1})
            total += loss.times(steps)
        if total not in most:
            most.append(total)
    return Extent(tuple(most), tuple(most) if schedule.released == "every-step" else (_NOTHING,))


def of_run(run: TrainingRun, neighbours: str) -> Extent:
    """Return what is known of the loss of a run; from below, of every noisy sum.

    Raises:
        ArithmeticError: if an enclosure would need too much work.
    """
    from dporacle.mechanisms import sampling as drawing

    (scheme,) = drawing.readings(run.sampling)
    if scheme == "poisson":
        return of_schedule(run.as_schedule(), neighbours)
    if not drawing.has_neighbours(run.sampling, run.sampling_rate, neighbours):  # type: ignore[arg-type]
        return Extent((_UNBOUNDED,), (_NOTHING,))
    found = _SCHEMES[scheme](run, neighbours)
    return found if run.released == "every-step" else Extent(found.most, (_NOTHING,))


def _distance(neighbours: str) -> int:
    return 2 if neighbours == "replace-one" else 1


def _gaussian(square: Fraction) -> PrivacyLoss:
    return PrivacyLoss(square)


def _cyclic(run: TrainingRun, neighbours: str) -> Extent:
    """A record is in one batch of each epoch that is begun, or in as many as there are epochs."""
    whole = run.whole_epochs()
    times = -(-run.steps // math.ceil(1 / run.sampling_rate)) if whole is None else whole[1]
    if run.epochs is not None:
        times = min(times, run.epochs)
    loss = _gaussian(times * _distance(neighbours) ** 2 / run.noise_multiplier**2)
    return Extent((loss,), (loss,))


def _fixed_size(run: TrainingRun, neighbours: str) -> Extent:
    return _sized(run.noise_multiplier, run.sampling_rate, run.steps, neighbours)


def _sized(sigma: Fraction, rate: Fraction, times: int, neighbours: str) -> Extent:
    """Return that of new sets of one size, a share of the records."""
    from dporacle.enclosures.batches.fixed_size import Steps

    if rate == 1:
        loss = _gaussian(times * _distance(neighbours) ** 2 / sigma**2)
        return Extent((loss,), (loss,))
    ways: tuple[Way, ...] = ("remove", "add")
    if neighbours == "add-remove":  # a batch moves by 2: exactly Poisson sampling at σ/2 (T-F2)
        losses = tuple(_of_law(SampledLoss(rate, sigma / 2, way), times) for way in ways)
        return Extent(losses, losses)
    steps = Steps(sigma, rate, 1)
    if neighbours == "zero-out":
        most = tuple(_of_law(CurveLoss(steps, "zero-out", way), times) for way in ways)
        return Extent(most, tuple(_of_law(SampledLoss(rate, sigma, way), times) for way in ways))
    most = (_of_law(CurveLoss(steps, "replace", ""), times),)
    least = (SampledLoss(rate, sigma / 2, way, tied=False) for way in ways)
    return Extent(most, tuple(_of_law(law, times) for law in least))


def _of_law(law: LossLaw, times: int) -> PrivacyLoss:
    return PrivacyLoss(others={law: times})


def _bins(run: TrainingRun, neighbours: str) -> Extent:
    batches, epochs = run.need_whole_epochs()
    return _of_bins(run.noise_multiplier, batches, epochs, neighbours)


def _of_bins(sigma: Fraction, batches: int, epochs: int, neighbours: str) -> Extent:
    distance = _distance(neighbours)
    above = _gaussian(epochs * distance**2 / sigma**2)
    if batches == 1:
        return Extent((above,), (above,))
    # Of the sum of all outputs of an epoch.
    below = _gaussian(epochs * distance**2 / (sigma**2 * batches))
    if sigma > _LOUDEST or sigma**2 * _WIDEST < 1:
        return Extent((above,), (below,))
    ways: tuple[Way, ...] = ("remove", "add")
    if neighbours != "replace-one":
        laws = tuple(_of_law(BinsLoss(sigma, batches, way), epochs) for way in ways)
        return Extent(laws, laws)
    return Extent((_of_law(BinsLoss(sigma, batches, "replace-one"), epochs),), (below,))


def _allocated(run: TrainingRun, neighbours: str) -> Extent:
    """A random partition into k blocks is revealed: from above k epochs of bins."""
    batches, epochs = run.need_whole_epochs()
    size, larger = divmod(batches, run.participations)
    parts = [
        _of_bins(run.noise_multiplier, bins, count * epochs, neighbours)
        for bins, count in ((size, run.participations - larger), (size + 1, larger))
        if count
    ]
    most = functools.reduce(Extent.__add__, parts).most
    if run.participations in (1, batches):
        return functools.reduce(Extent.__add__, parts)
    moved = _distance(neighbours) * run.participations
    return Extent(most, (_gaussian(epochs * moved**2 / (run.noise_multiplier**2 * batches)),))


def _truncated(run: TrainingRun, neighbours: str) -> Extent:
    from dporacle.enclosures.batches import capped

    assert run.sizes is not None
    assert run.batch_cap is not None
    batches = capped.Capped(
        run.noise_multiplier,
        run.sampling_rate,
        int(run.sizes[1]),
        run.batch_cap,
        1,
        first_come=run.kept == "first-come",
    )
    sigma, times = run.noise_multiplier, run.steps
    ways: tuple[Way, ...] = ("replace-one",) if neighbours == "replace-one" else ("remove", "add")
    if run.sampling_rate == 1:  # all are drawn
        if batches.first_come:  # under add-remove another record takes its place
            loss = _gaussian(times * (1 if neighbours == "zero-out" else 4) / sigma**2)
            return Extent((loss,), (loss,))
        share = Fraction(run.batch_cap, batches.records)
        return _sized(sigma, share, times, neighbours)
    pair = {"zero-out": "zero-out", "add-remove": "both", "replace-one": "replace"}[neighbours]
    told = ("",) if neighbours == "replace-one" else ways
    most = tuple(_of_law(CurveLoss(batches, pair, way), times) for way in told)
    kept = capped.kept_rate(batches)[0]
    if not kept:
        return Extent(most, (_NOTHING,))
    return Extent(most, tuple(_of_law(SampledLoss(kept, sigma, way), times) for way in ways))


def _shuffled(run: TrainingRun, neighbours: str) -> Extent:
    """From above a fixed order, for which the order is revealed; from below the sum of an epoch."""
    batches, epochs = run.need_whole_epochs()
    square = epochs * _distance(neighbours) ** 2 / run.noise_multiplier**2
    most = _UNBOUNDED if neighbours == "add-remove" else _gaussian(square)
    return Extent((most,), (_gaussian(square / batches),))


_SCHEMES: dict[str, Callable[[TrainingRun, str], Extent]] = {
    "cyclic": _cyclic,
    "fixed-size": _fixed_size,
    "balls-and-bins": _bins,
    "random-allocation": _allocated,
    "truncated": _truncated,
    "shuffled": _shuffled,
    "shuffled-once": _shuffled,
}
