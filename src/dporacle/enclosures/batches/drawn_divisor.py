"""Poisson batches whose noisy sum is divided by the size K of the drawn batch (X.AVG.DRAWN).

Told K, a step is a batch of a fixed size: the record moves the sum by two clipping norms. And K has
another law if the record is there. The pair with the label K dominates in every dimension, and as
the dimension grows it is reached, because the scale of the noise tells K. In one dimension stands a
lower end that holds in every one. `proofs_notes/averaging.md` has the proofs.
"""

from __future__ import annotations

import contextlib
import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from flint import acb, arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.densities import (
    Inversion,
    LawPiece,
    Offsets,
    StepLaw,
    ends_of_shifts,
    log_sum,
    log_sums,
    slope_of_sum,
)
from dporacle.enclosures.batches.one_coordinate import SizedLaws, cells_of_line
from dporacle.enclosures.batches.repeated_step import (
    Product,
    deviations,
    nested,
    product,
    reachable,
    reached_by_tests,
)
from dporacle.enclosures.batches.scheme import Interval, designed
from dporacle.interface import orders_of

ADJACENCIES = ("add", "remove", "both")

_LAW_BITS = 640  # of the probabilities of the sizes
LEFT_OUT = 2.0**-56  # of δ: the sizes that no label has, over all steps; e^ε times counts
_MOST_LABELS = 3000
_MOST_RECORDS = 10**12  # as of truncated batches
_STRIP = 1.5  # of a shift times the height of the path: below π/2
_LITTLE = Fraction(3, 20)  # σ below which the inversion takes up to a minute; a lattice answers
_LATTICE_LABELS = 400  # products of a lattice of more are dear
_CENTRE = 1 << 20  # a dyadic centre is an exact ball; any place near the middle serves


@dataclass(frozen=True)
class DrawnDivisor:
    """Steps whose sums are divided by the size of the batch; one of an empty batch is skipped.

    Attributes:
        sigma: noise multiplier, in units of the clipping norm.
        rate: q, in (0, 1).
        records: n, the larger of the two sizes.
        times: how many steps.
        dimension: how many coordinates a sum has; None where only that it has one is known.
    """

    sigma: Fraction
    rate: Fraction
    records: int
    times: int
    dimension: int | None = None


@dataclass(frozen=True)
class DrawnSizes:
    """The sizes K that count, and their probabilities with the record and without it.

    Attributes:
        first: the least one.
        with_it: P(K = k) with n records, k < n.
        without: with n − 1.
        all_drawn: qⁿ: K = n, which without the record does not occur.
        kept: the sum of `with_it`.
        kept_without: the sum of `without`.
    """

    first: int
    with_it: tuple[arb, ...]
    without: tuple[arb, ...]
    all_drawn: arb
    kept: arb
    kept_without: arb

    def labels(self) -> list[tuple[int, arb, arb]]:
        """Return size and both probabilities."""
        pairs = zip(self.with_it, self.without, strict=True)
        return [(k, *each) for k, each in enumerate(pairs, self.first)]


@functools.lru_cache(maxsize=8)
def drawn_sizes(steps: DrawnDivisor, spare: float) -> DrawnSizes:
    """Enclose the probabilities; those beyond a mass of about `spare` are left out.

    Raises:
        ArithmeticError: if there are too many.
    """
    n, rate = steps.records, steps.rate
    if n > _MOST_RECORDS:
        raise ArithmeticError(f"more than {_MOST_RECORDS} records are not enclosed")
    with precision(_LAW_BITS):
        q = ball(rate)
        odds = q / (1 - q)

        def without(k: int) -> arb:
            ways = arb(n).lgamma() - arb(k + 1).lgamma() - arb(n - k).lgamma()
            return (ways + k * q.log() + (n - 1 - k) * (1 - q).log()).exp()

        def row(k: int, mass: arb) -> tuple[arb, arb]:
            return mass * n * (1 - q) / (n - k), mass

        low = high = min(math.floor(n * rate), n - 1)
        mass = start = without(low)
        above = [row(low, start)]
        while high < n - 1 and not above[-1][0] < spare:
            mass = mass * (n - 1 - high) / (high + 1) * odds
            high += 1
            above.append(row(high, mass))
            if len(above) > _MOST_LABELS:
                raise ArithmeticError("the sizes of a batch are too many")
        mass = start
        below: list[tuple[arb, arb]] = []
        while low > 0 and not (below or above)[-1 if below else 0][0] < spare:
            mass = mass * low / (n - low) / odds
            low -= 1
            below.append(row(low, mass))
            if len(below) > _MOST_LABELS:
                raise ArithmeticError("the sizes of a batch are too many")
        rows = [*below[::-1], *above]
        mine, other = (tuple(each[i] for each in rows) for i in (0, 1))
        total, rest = (sum(each, arb(0)) for each in (mine, other))
        return DrawnSizes(low, mine, other, q**n, total, rest)


@dataclass(frozen=True)
class _ToldPiece(LawPiece):
    """The law of Y = ln(k/(n−k)) + 2x/σ² − 2/σ², of which the loss is ln(1−q) + ln(1+e^Y).

    The variable is t = Y/g less a centre, g = 2/σ.

    Attributes:
        gap: g.
        centre: of Y.
        scale: what is added to the loss: ln(1−q), and of both totals.
    """

    gap: arb
    centre: arb
    scale: arb

    @property
    def unit(self) -> float:
        """The densities change within its inverse."""
        return max(0.5, float(self.gap) / 2)

    def sums(self, t: acb) -> tuple[acb, acb]:
        """Return the loss, and the logarithm of the second density over the normal one."""
        return self._loss(t), log_sum(self.second, t)

    def sums_along(self, middle: acb, offsets: Offsets) -> list[tuple[acb, acb]]:
        """Return `sums` at each t = middle + offset."""
        losses = [self._loss(middle + each) for each in offsets.values]
        return [*zip(losses, log_sums(self.second, middle, offsets), strict=True)]

    def _loss(self, t: acb) -> acb:
        odds = (self.gap * t + self.centre).exp()
        return self.scale + (1 + odds).log(analytic=True)

    def slopes(self, t: acb) -> tuple[acb, acb]:
        """Return their derivatives."""
        odds = (self.gap * t + self.centre).exp()
        return self.gap * odds / (1 + odds), slope_of_sum(self.second, t)

    def steepest(self, mine: arb, other: arb, *, last: bool) -> arb:
        """Bound that of the integrand: the derivative of the loss is from 0 to g."""
        least, most = ends_of_shifts(self.second)
        if last:
            return most + mine.max(arb(0)) * self.gap
        return least + mine.min(arb(0)) * self.gap


@functools.lru_cache(maxsize=8)
def _law(steps: DrawnDivisor, spare: float) -> StepLaw:
    """Return the pair of the labels that count, each law made one of mass 1."""
    with precision(_LAW_BITS):
        sizes, n, gap = drawn_sizes(steps, spare), steps.records, 2 / ball(steps.sigma)
        labels = sizes.labels()
        atoms = [(w / sizes.kept, v / sizes.kept_without) for k, w, v in labels if k == 0]
        labels = [each for each in labels if each[0]]
        if not labels:
            raise ArithmeticError("a batch has a record with too small a chance")
        places = [(arb(k) / (n - k)).log() / gap - gap / 2 for k, _, _ in labels]
        middle = float(((places[0] + places[-1] + gap) / 2).mid())
        centre = arb(round(middle * _CENTRE)) / _CENTRE
        second = tuple(
            (v / sizes.kept_without, place - centre)
            for (_, _, v), place in zip(labels, places, strict=True)
        )
        first = []
        for (k, w, _), place in zip(labels, places, strict=True):
            first.append((w * (n - k) / n / sizes.kept, place - centre))
            first.append((w * k / n / sizes.kept, place - centre + gap))
        widest = max(abs(float(each)) for _, each in first)
        scale = (1 - ball(steps.rate)).log() + (sizes.kept_without / sizes.kept).log()
        piece = _ToldPiece(
            tuple(first), second, None, None, _STRIP / widest, gap, gap * centre, scale
        )
        return StepLaw((piece,), tuple(atoms))


class _Told:
    """The pair of T steps with the labels told, about a δ.

    δ(ε) = infinite + first^T·δ'(ε + T·ln(second/first)) + some of `rest`, with δ' of the labels
    that count, each law made one of mass 1.
    """

    def __init__(self, steps: DrawnDivisor, target: float, direction: str) -> None:
        self.steps, self.swapped = steps, direction == "add"
        spare = max(target, 1e-300) * LEFT_OUT / steps.times
        self.spare = spare
        with precision(_LAW_BITS):
            sizes = drawn_sizes(steps, spare)
            times, whole = steps.times, 1 - sizes.all_drawn
            first, second = sizes.kept**times, sizes.kept_without**times
            if self.swapped:
                self.infinite, finite = arb(0), arb(1)
                first, second = second, first
            else:
                finite = whole**times
                self.infinite = 1 - finite
            self.first, self.rest = first, (finite - first).max(arb(0))
            self.shift = (second / first).log()

    def goals(self, delta: Fraction, loss: arb) -> tuple[Fraction, Fraction]:
        """Return what δ' must exceed below the lower end of ε, and be at most above the upper."""
        with precision(_LAW_BITS):
            at = ball(delta) - self.infinite
            most = ((at + loss) / self.first).abs_upper() if at + loss > 0 else arb(0)
            least = (at - self.rest) / self.first
            low = bounds(least)[0]
            return bounds(most)[1], max(low, Fraction(0))

    def moved(self, epsilon: Fraction, *, back: bool) -> tuple[Fraction, Fraction]:
        """Return ends of the ε of δ' for an ε, or of the ε for that of δ'."""
        with precision(_LAW_BITS):
            return bounds(ball(epsilon) - self.shift if back else ball(epsilon) + self.shift)

    def inversion(self) -> Inversion:
        """Return δ' by an inversion."""
        return Inversion(_law(self.steps, self.spare), self.steps.times, swapped=self.swapped)

    def lattice(self, target: float) -> Product:
        """Return the product on a lattice, an upper end of all of δ."""
        curve = _Curve(self.steps, self.spare)
        return product(
            curve.height,
            self.steps.times,
            target,
            curve.farthest,
            below=curve.height,
            swapped=self.swapped,
        )


class _Curve:
    """H_a of one step, at any a > 0: what is left out of the labels counts as told."""

    def __init__(self, steps: DrawnDivisor, spare: float) -> None:
        self._steps = steps
        self._sizes = drawn_sizes(steps, spare)
        if len(self._sizes.with_it) > _LATTICE_LABELS:
            raise ArithmeticError("the sizes of a batch are too many for a lattice")

    def height(self, a: arb) -> arb:
        """Enclose H_a; what is left out is counted in full."""
        n, gap = self._steps.records, 2 / ball(self._steps.sigma)
        sizes = self._sizes
        total = (1 - sizes.kept).abs_upper()
        ahead = a / (1 - ball(self._steps.rate)) - 1
        if not (ahead > 0 or ahead < 0):
            return arb(1)
        for k, w, v in sizes.labels():
            if ahead < 0:  # the loss is at least ln(1 − q) everywhere
                total += w - a * v
                continue
            if not k:
                continue
            t = (ahead * (n - k) / k).log() / gap + gap / 2
            near, far = normal_tail(t), normal_tail(t - gap)
            total += (w * (n - k) / n - a * v) * near + w * k / n * far
        return total

    def farthest(self, mass: float) -> float:
        """Estimate the loss of one step beyond which there is so much."""
        n, gap = self._steps.records, 2 / float(self._steps.sigma)
        t, last = gap + deviations(min(1.0, mass)), self._sizes.labels()[-1][0]
        top = math.log(max(last, 1) / (n - last)) + gap * t - gap * gap / 2
        return max(abs(math.log1p(-float(self._steps.rate))), top, 0.0) + 1.0


def delta(steps: DrawnDivisor, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε as the dimension grows.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    assert adjacency in ADJACENCIES
    designed(steps.sigma)
    found = [_delta(steps, epsilon, way) for way in orders_of(adjacency)]
    return Interval(max(each.low for each in found), max(each.high for each in found), exact=True)


def _delta(steps: DrawnDivisor, epsilon: Fraction, way: str) -> Interval:
    told = _Told(steps, 1e-60, way)
    if steps.times == 1:
        return _of_one_step(steps, told, epsilon, way)
    low, high = told.moved(epsilon, back=False)
    inversion = told.inversion()
    with precision(_LAW_BITS):
        # δ' falls, and by no more than e^ε does.
        spare = (-ball(low).exp() + 1).max(arb(0))
        least = inversion.delta(max(high, Fraction(0)))
        most = inversion.delta(max(low, Fraction(0))) + spare
        ends = [told.infinite + told.first * least, told.infinite + told.first * most + told.rest]
        return Interval(
            max(bounds(ends[0])[0], Fraction(0)), min(bounds(ends[1])[1], Fraction(1)), exact=True
        )


def _of_one_step(steps: DrawnDivisor, told: _Told, epsilon: Fraction, way: str) -> Interval:
    curve = _Curve(steps, told.spare)
    with precision(_LAW_BITS):
        a = ball(epsilon).exp()
        value = curve.height(a)
        if way == "add":
            value = 1 - a + a * curve.height(1 / a)
        slack = (told.rest.abs_upper() + (1 - drawn_sizes(steps, told.spare).kept).abs_upper()) * (
            1 + a
        )
        low, high = bounds(value)
        return Interval(max(low - bounds(slack)[1], Fraction(0)), min(high, Fraction(1)), True)


def epsilon(
    steps: DrawnDivisor, delta: Fraction, adjacency: str
) -> tuple[Fraction, Fraction | None]:
    """Return proved ends of the ε at a δ; None where no upper one holds in every dimension.

    None also where that is out of reach.

    Raises:
        ArithmeticError: if either would need too much work.
    """
    assert adjacency in ADJACENCIES
    designed(steps.sigma)
    found, dear = [], []
    for way in orders_of(adjacency):
        try:
            found.append(_epsilon(steps, delta, way))
        except ArithmeticError as error:  # the other order may have a lower end
            dear.append(error)
    low = max((low for low, _ in found), default=Fraction(0))
    if dear and not low:
        raise dear[0]
    highs = [high for _, high in found if high is not None]
    high = max(highs) if len(highs) == len(orders_of(adjacency)) else None
    return low, high


@functools.lru_cache(maxsize=32)  # both directions are asked for apart, and together
def _epsilon(steps: DrawnDivisor, delta: Fraction, way: str) -> tuple[Fraction, Fraction | None]:
    told = _Told(steps, float(delta), way)
    goal = told.goals(delta, arb(0))[1]
    if not goal:  # all records are drawn so often that the one more is known
        return _in_few_dimensions(steps, delta, way), None
    if goal >= 1:
        return Fraction(0), Fraction(0)
    high: Fraction | None = None
    start = None
    with contextlib.suppress(ArithmeticError):
        if steps.sigma < _LITTLE:
            raise ArithmeticError("with so little noise a search for the value ends in nothing")
        inversion = told.inversion()
        start = inversion.start(goal)
        high = max(Fraction(0), told.moved(inversion.epsilon(goal, start), back=True)[1])
    if high is None:
        try:
            high = told.lattice(float(delta)).epsilon(delta)
        except ArithmeticError:  # of many sizes, or with little noise
            low = _in_few_dimensions(steps, delta, way)
            if not low:
                raise
            return low, None
    if steps.dimension is not None and start is not None:
        with contextlib.suppress(ArithmeticError):
            loss = _misread(steps, told, high)
            if loss < ball(delta) / 2:
                least = inversion.least_epsilon(told.goals(delta, loss)[0], start)
                return max(told.moved(least, back=True)[0], Fraction(0)), high
    return min(_in_few_dimensions(steps, delta, way), high), high


def _in_few_dimensions(steps: DrawnDivisor, delta: Fraction, way: str) -> Fraction:
    with contextlib.suppress(ArithmeticError):
        return _in_one_dimension(replace(steps, dimension=None), delta, way)
    return Fraction(0)


def _misread(steps: DrawnDivisor, told: _Told, epsilon: Fraction) -> arb:
    """Bound what δ loses where K is read from the scale of the other coordinates' noise.

    At every ε up to the one given. y⊥ has the squared length σ²χ²/K² with d − 1 degrees of freedom;
    k and k + 1 are told apart at the point where both densities are equal.
    """
    assert steps.dimension is not None
    freedom = steps.dimension - 1
    with precision(BITS):
        sizes = drawn_sizes(steps, told.spare)
        labels = [each for each in sizes.labels() if each[0]]  # that a batch is empty is seen
        wrong = (1 - sizes.kept).abs_upper() + misread([(k, w) for k, w, _ in labels], freedom)
        wrong_without = (1 - sizes.kept_without).abs_upper()
        wrong_without += misread([(k, v) for k, _, v in labels], freedom)
        if told.swapped:
            wrong, wrong_without = wrong_without, wrong
        return (steps.times * (wrong + ball(epsilon).exp() * wrong_without)).abs_upper()


def misread(rows: Sequence[tuple[int, arb]], freedom: int) -> arb:
    """Bound the chance that a size is misread as another one of some.

    Args:
        rows: sizes above 0, in their order, and their chances.
        freedom: coordinates that have noise alone; with less than 1 of them all are misread.
    """
    if freedom < 1:
        return arb(1)
    total, before = arb(0), arb(0)  # that k is read as less: for k + 1 and for all above it
    for k, mass in rows:
        square, after = arb(k) ** 2, arb(k + 1) ** 2
        turn = (after / square).log() / (after - square)  # over the degrees of freedom
        total += mass * (_beyond(freedom, square * turn) + before)
        before = _beyond(freedom, after * turn)
    return total.min(arb(1))


def _beyond(freedom: int, share: arb) -> arb:
    """Bound the chance that χ² is beyond a share of its mean, away from it (Chernoff)."""
    return (-arb(freedom) / 2 * (share - 1 - share.log())).exp()


@functools.lru_cache(maxsize=16)
def _in_one_dimension(steps: DrawnDivisor, delta: Fraction, way: str) -> Fraction:
    """Return what is reached in one coordinate, so that it is in any number: others at −1."""
    tests, target = _tests_of_one_dimension(steps, delta), float(delta)
    return reached_by_tests(tests, steps.times, target, swapped=way == "add").epsilon(delta)


@functools.lru_cache(maxsize=4)
def _tests_of_one_dimension(steps: DrawnDivisor, delta: Fraction) -> list[tuple[arb, arb]]:
    reachable(steps.times, float(delta))
    spare = float(delta) * LEFT_OUT / steps.times
    with precision(BITS):
        sizes, n, none = drawn_sizes(steps, spare), steps.records, arb(0)
        atoms = [(w, v) for k, w, v in sizes.labels() if k == 0]
        rows = [
            SizedLaws(k, (w * (n - k) / n, none, w * k / n), (v, none, none))
            for k, w, v in sizes.labels()
            if k
        ]
        if not sizes.all_drawn < spare:  # without the record no batch is so large
            rows.append(SizedLaws(n, (none, none, sizes.all_drawn), (none, none, none)))
        cells = cells_of_line(rows, steps.sigma, steps.times, float(delta), atoms)
        return nested([*cells, *atoms], (1 - sizes.kept_without).abs_upper())
