"""Upper bounds of shuffling by hiding among clones (X.BAT.SHUFFLED, theorems V and U).

V, zero-out: a shuffle of T batches hides a record at least like balls and bins with Bin(T−1, p)+1
bins, but for an additive term. U, replace-one, in closed form: clones of the average of the two
records' laws. Adaptive queries; a contribution does not depend on the others in its batch.
"""

from __future__ import annotations

import functools
import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import profile
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import balls_and_bins
from dporacle.enclosures.batches.balls_and_bins import gaussian_profile
from dporacle.enclosures.batches.curves import BITS, Product, chords
from dporacle.enclosures.batches.inversion import Mean
from dporacle.enclosures.batches.scheme import Epochs, affordable

_BLOCKS = 6  # of the binomial law's left tail
_DEAR = 10  # σ above which a block takes a tenth of a second
_ALIKE = 0.03  # numbers of bins that count as one, relatively
_SHARE = 0.3  # of δ, for the additive term
_BELOW = 0.8  # of ε, to which p is suited in the last round of several epochs: more clones
_CELLS = 16  # of the lattice in a standard deviation
_WIDE = 1.4  # of the first round's ε, in logarithms, to each side
_FINER = 20  # a round than that before
_NARROW = 0.02  # below it the next round is the last
_SIDE = 6  # ε to each side
_ROUNDS = 12
_DOUBLINGS = 8  # of the first ε of several epochs, and rounds
_SETTLED = Fraction(99, 100)  # of a bound of δ: a round that gains less is the last
_FASTER = 1.7  # the power of δ that is tried next where the additive term is nearly all
_NUDGE = 1e-12  # of ε, by which a point is below it
_LEAST_GOAL = 1e-40  # of δ: a bound so small is not made smaller
_LEAST = arb(2) ** -1000  # below it a probability counts as this much


def _profile(mu: arb, epsilon: arb) -> arb:
    return profile(epsilon / mu - mu / 2, epsilon / mu + mu / 2)[0]


def _share(run: Epochs, budget: float) -> Fraction:
    """Return about the largest p with E(T−1)·p·δ_{1/σ}(ln 1/p) ≤ budget."""
    mu = 1 / float(run.sigma)
    times = run.epochs * (run.batches - 1)

    def small(log_p: float) -> bool:
        return times * math.exp(log_p) * gaussian_profile(mu, -log_p) <= budget

    low, high = -60.0, -1e-3
    for _ in range(40):
        middle = (low + high) / 2
        low, high = (middle, high) if small(middle) else (low, middle)
    return Fraction(math.exp(low))


def _missed(run: Epochs, p: Fraction) -> Fraction:
    """Bound E(T−1)η from above."""
    with precision(BITS):
        share = ball(p)
        eta = share * _profile(1 / ball(run.sigma), -share.log())
        return bounds(eta * (run.epochs * (run.batches - 1)))[1]


def _parts(
    run: Epochs, p: Fraction, tiny: float, few: float
) -> tuple[tuple[tuple[Fraction, int], ...], Fraction, Fraction]:
    """Cut Bin(T−1, p)+1 into blocks at their left ends.

    Args:
        run: T is its batches.
        p: of the binomial law.
        tiny: a weight that may be left out.
        few: a weight that may count as one bin.

    Returns:
        Weights and bins m ≥ 2, the weight of one bin, and a weight that is left out.
    """
    n = run.batches - 1
    middle, wide = n * float(p), math.sqrt(n * float(p))
    levels = {math.floor(2 * max(1.0, middle / 2) ** (k / _BLOCKS)) for k in range(_BLOCKS)}
    places: tuple[float, ...] = (-4, -3, -2, -1, -0.3, 0.5)
    if 4 * wide < _ALIKE * middle:  # ε of all these differ by half of that
        places = places[:1]
    elif run.sigma > _DEAR:
        places = (-4, -2, -0.5)
    levels |= {math.floor(middle + k * wide) for k in places}
    cuts = sorted(each for each in levels | {2} if 2 <= each <= n)
    below: list[Fraction] = []
    with precision(256):
        mass, ratio = (1 - ball(p)) ** n, ball(p / (1 - p))
        total = arb(0)
        for k in range(cuts[-1]):  # total = P(C + 1 ≤ k)
            if k + 1 == cuts[len(below)]:
                below.append(min(bounds(total.max(_LEAST))[1], Fraction(1)))
            total += mass
            mass = mass * ratio * (n - k) / (k + 1)
    out, first = (
        max((i for i, each in enumerate(below) if each <= most), default=0)
        for most in (tiny, max(tiny, few))
    )
    lost = below[out] if below[out] <= tiny else Fraction(0)
    bare = below[first] - lost
    ends = [*below[first + 1 :], Fraction(1)]
    parts = zip(below[first:], ends, cuts[first:], strict=True)
    return tuple((hi - lo, m) for lo, hi, m in parts if hi > lo), bare, lost


@dataclass(frozen=True)
class _Hidden:
    """One epoch of theorem V, for a p.

    Attributes:
        law: of W, where there are two bins or more.
        whole: its weight.
        bare: the weight of one bin, a Gaussian pair.
        lost: a weight that is left out.
        missed: E(T−1)η.
    """

    law: Mean
    whole: Fraction
    bare: Fraction
    lost: Fraction
    missed: Fraction

    @classmethod
    def of(cls, run: Epochs, epsilon: float, goal: float, *, rough: bool = False) -> _Hidden:
        """Choose p so that the additive term is a fixed share of δ at an ε.

        Args:
            run: of one epoch or several.
            epsilon: what p suits.
            goal: δ.
            rough: take one number of bins, the mean: for a guess, not for a bound.

        Raises:
            ArithmeticError: if that leaves too few clones.
        """
        p = _share(run, _SHARE * goal / (1 + math.exp(min(epsilon, 600.0))))
        if p * (run.batches - 1) < 3:
            raise ArithmeticError("there are too few clones")
        if rough:
            bins = 1 + math.floor((run.batches - 1) * p)
            law = Mean(1 / run.sigma**2, ((Fraction(1), bins),))
            return cls(law, Fraction(1), Fraction(0), Fraction(0), _missed(run, p))
        few = 0.0
        if run.epochs == 1:  # of which one bin makes little of δ
            few = goal / 300 / max(gaussian_profile(1 / float(run.sigma), epsilon), goal / 300)
        parts, bare, lost = _parts(run, p, goal * 1e-4 / run.epochs, few)
        whole = sum((weight for weight, _ in parts), Fraction(0))
        law = Mean(1 / run.sigma**2, tuple((weight / whole, m) for weight, m in parts))
        return cls(law, whole, bare, lost, _missed(run, p))

    def alone(self, epsilon: arb) -> arb:
        """Return what a record without clones adds to H at e^ε, in either order."""
        if not self.bare:
            return ball(self.lost)
        mu = ball(self.law.variance).sqrt()
        if epsilon > 0:
            gauss = _profile(mu, epsilon)
        else:
            gauss = 1 - epsilon.exp() + epsilon.exp() * _profile(mu, -epsilon)
        return ball(self.lost) + ball(self.bare) * gauss


def hidden_delta(run: Epochs, epsilon: Fraction, start: float) -> Fraction:
    """Bound the δ of zero-out at an ε by theorem V.

    Any p gives a bound; each round takes the p that suits the bound of the round before.

    Args:
        run: of one epoch or several.
        epsilon: at least 0.
        start: about the δ, or more.

    Raises:
        ArithmeticError: if it proves nothing here.
    """
    affordable(run.batches, run.epochs, None)
    place, goal, found = rounding.float_below(epsilon), min(start, 0.5), Fraction(1)
    rough, least = True, goal  # the least goal that was reached
    for _ in range(_ROUNDS):
        try:
            hidden = _Hidden.of(run, place, goal, rough=rough)
            value = _height(run, hidden, epsilon, place, goal)
        except ArithmeticError:  # the p that suits so small a δ leaves too few clones
            rough, goal = False, math.sqrt(goal * least)
            continue
        least = min(least, goal)
        settled = float(value) > goal / 2 or goal <= _LEAST_GOAL
        if not rough:
            last, found = found, min(found, value)
            if settled or value >= last * _SETTLED:
                return found
        rest = float(value) - _SHARE * goal  # where it is small the next δ is far below
        following = float(value) if rest > goal / 10 else max(2 * rest, goal**_FASTER)
        goal, rough = max(following, _LEAST_GOAL), rough and not settled
    if found == 1:
        raise ArithmeticError("the clones' bound does not settle")
    return found


def _height(run: Epochs, hidden: _Hidden, epsilon: Fraction, place: float, goal: float) -> Fraction:
    """Bound δ at an ε by theorem V of one p.

    Args:
        run: of one epoch or several.
        hidden: of its epochs.
        epsilon: at least 0.
        place: next below it.
        goal: about δ.
    """
    if run.epochs > 1:
        with precision(BITS):
            point, missed = ball(epsilon), ball(hidden.missed)
            tails = [each.delta(point) for each in _products(run, hidden, goal)]
            return bounds(tails[0].max(tails[1]) + (1 + point.exp()) * missed)[1]
    exact, value = _at_many(hidden, [place * (1 - _NUDGE)], 10 - math.log(goal))[0]
    with precision(BITS):
        if not exact <= ball(epsilon):  # H falls, so that what holds at less holds here
            raise ArithmeticError("the point is not below epsilon")
        return bounds(value)[1]


def hidden_epsilon(run: Epochs, target: Fraction, *, start: float = 0.0) -> Fraction:
    """Bound the ε of zero-out by theorem V, of one epoch from about where it is thought to be.

    Raises:
        ArithmeticError: if it proves nothing here.
    """
    if run.epochs == 1 and start:
        return _of_one_epoch(run, target, start)
    guess = balls_and_bins.pair_epsilon(balls_and_bins.mean(run), run.epochs, target, "remove").high
    if run.epochs == 1:
        return _of_one_epoch(run, target, 2 * float(guess) + min(0.01, float(guess)))
    epsilon, rough = float(guess) * 3 + 0.1, True  # e^ε decides p, and need not be well known
    for _ in range(_DOUBLINGS):
        hidden = _Hidden.of(run, epsilon, float(target), rough=rough)
        try:
            found = _with_clones(run, hidden, target)
        except ArithmeticError:  # that p suits a smaller ε, and proves nothing here
            epsilon *= 2 if rough else 1.15
            continue
        if not rough:
            return found
        epsilon, rough = _BELOW * float(found), False
    raise ArithmeticError("the clones' bound does not settle")


def _of_one_epoch(run: Epochs, target: Fraction, epsilon: float) -> Fraction:
    """Return an ε at which the bounds of both directions are at most a target.

    Each round takes the p that suits an ε, and many ε about it in one inversion. Any of them at
    which the balls say so is an upper end; the rounds only say where to look.

    Raises:
        ArithmeticError: if none is found.
    """
    goal, width, rough = float(target), _WIDE, True
    found: Fraction | None = None
    for _ in range(_ROUNDS):
        hidden = _Hidden.of(run, epsilon, goal, rough=rough)
        places = [epsilon * math.exp(width * k / _SIDE) for k in range(-_SIDE, _SIDE + 1)]
        if width <= _NARROW:  # the last round: just above where the root seems to be
            places = [epsilon * (1 + each) for each in (0.0, 3e-5, 3e-4, 3e-3)]
        values = _at_many(hidden, places, 10 - math.log(goal))
        with precision(BITS):
            good = [exact for exact, value in values if value <= ball(target)]
        if good and not rough:
            end = bounds(good[0])[1]
            found = end if found is None else min(found, end)
        if width <= _NARROW:
            break
        epsilon, inside = _crossing(places, [float(value.mid()) for _, value in values], goal)
        if inside:
            width, rough = (width / 4 if rough else width / _FINER), False
    if found is None:
        raise ArithmeticError("the clones' bound does not settle")
    return found


def _at_many(hidden: _Hidden, places: Sequence[float], nats: float) -> list[tuple[arb, arb]]:
    """Return, near every place, an ε and the larger of V's bounds of both directions there."""
    with precision(BITS):
        points = [arb(each).exp().mid() for each in places]
        inverses = [(1 / each).mid() for each in points]
    low = hidden.law.prices(inverses[::-1], nats + places[-1])[::-1]
    high = hidden.law.prices(points, nats)
    found = []
    with precision(BITS):
        for a, inverse, put, call in zip(points, inverses, low, high, strict=True):
            removed, added = a.log(), -inverse.log()
            values = [
                ball(hidden.whole) * value
                + hidden.alone(exact)
                + (1 + exact.exp()) * ball(hidden.missed)
                for exact, value in ((removed, call.put + 1 - a), (added, put.put / inverse))
            ]
            found.append((removed.max(added), values[0].max(values[1])))
    return found


def _crossing(places: Sequence[float], values: Sequence[float], goal: float) -> tuple[float, bool]:
    """Return about where values first fall to a goal, and whether that is between the places."""
    for k, value in enumerate(values):
        if value <= goal:
            if not k:
                return places[0], False
            above, below = math.log(values[k - 1] / goal), math.log(max(value, 1e-300) / goal)
            share = above / (above - below)
            return places[k - 1] * (places[k] / places[k - 1]) ** share, True
    return places[min(range(len(values)), key=lambda k: values[k])], False


def _with_clones(run: Epochs, hidden: _Hidden, target: Fraction) -> Fraction:
    products = _products(run, hidden, float(target))
    return max(_solve(product, hidden.missed, target) for product in products)


def _products(run: Epochs, hidden: _Hidden, goal: float) -> list[Product]:
    """Return what dominates all epochs, in both orders, but for E(T−1)η, well down to a δ."""
    tiny = goal * 1e-4 / run.epochs
    more = (lambda a: hidden.alone(a.log())) if hidden.bare else None
    curve = balls_and_bins.survey(hidden.law, tiny, cells=_CELLS, more=more)
    with precision(BITS):
        step, whole = ball(curve.step), ball(hidden.whole)
        heights = {
            j: (whole * height + hidden.alone(step * j)).upper()
            for j, height in curve.heights().items()
        }
    orders = chords(curve.step, heights)
    return [Product.of(one).power(run.epochs, tiny * 1e-2) for one in orders]


def _solve(product: Product, missed: Fraction, target: Fraction) -> Fraction:
    """Return an ε with δ(ε) + (1+e^ε)·missed ≤ target."""
    epsilon = product.epsilon(target)
    for _ in range(60):
        with precision(BITS):
            rest = target - bounds((1 + ball(epsilon).exp()) * ball(missed))[1]
            if rest <= 0:
                raise ArithmeticError("the clones' additive term is more than delta")
            if bounds(product.delta(ball(epsilon)))[1] <= rest:
                return epsilon
        following = product.epsilon(rest)
        epsilon = max(following, epsilon) + Fraction(1, 10**9)
    raise ArithmeticError("the clones' bound does not settle")


_LAMBDAS = [10 ** (k / 6) for k in range(-6, 31)]


@functools.lru_cache(maxsize=8)
def _moments(ratio: Fraction) -> dict[float, arb]:
    """Bound M(λ) = E e^{λθ} from above for many λ; ratio is D/σ."""
    step = min(0.25, float(ratio) ** -1 * 0.2) if ratio > 1 else 0.2
    width = 14.0
    count = math.ceil(width / step)
    with precision(BITS):
        mu, h = ball(ratio), arb(step)
        strip = min(arb.pi() / (2 * mu) * arb(0.999), arb(12))
        nodes = [(h * k, (h * k * mu + mu * mu / 2) / 2) for k in range(-count, count + 1)]
        density = [(-u * u / 2).exp() / (2 * arb.pi()).sqrt() * h for u, _ in nodes]
        theta = [(t).tanh() for _, t in nodes]
        rule = 2 / (2 * arb.pi() * strip / h).expm1() * (strip * strip / 2).exp()
        cut = (-((h * count) ** 2) / 2).exp() * 2
        found = {}
        for value in _LAMBDAS:
            size = arb(value)
            total = sum(
                (d * (size * t).cosh() for d, t in zip(density, theta, strict=True)), arb(0)
            )
            found[value] = (total + (rule + cut) * size.exp()).upper()
        return found


class _Labelled:
    """The bound of one epoch by theorem U; ratio is D/σ."""

    def __init__(self, run: Epochs, ratio: Fraction) -> None:
        self.run, self.ratio = run, ratio
        others, mu = run.batches - 1, 2 / float(run.sigma)
        self.missed = []
        for k in range(1, 49):
            p = 10 ** (-k / 6)
            eta = gaussian_profile(mu, -math.log(p)) + gaussian_profile(float(ratio), -math.log(p))
            self.missed.append((p, others * p / 2 * eta))
        self.logs = [(x, float(each.log().mid())) for x, each in _moments(ratio).items()]

    def guess(self, epsilon: float) -> tuple[float, float, float]:
        """Return the least bound of δ, its p and its λ, in float64."""
        k, growth = math.tanh(epsilon / 2), 1 + math.exp(epsilon)
        best = (math.inf, 0.1, 1.0)
        powers = [
            (value, math.expm1(min(log_moment - value * k, 50.0)))
            for value, log_moment in self.logs
        ]
        batches = self.run.batches
        for p, missed in self.missed:
            if growth * missed > min(best[0], 1.0):
                continue
            none = batches * math.log1p(-p)  # (1−p)^T
            for value, more in powers:
                size = batches * math.log1p(p * more)
                if size < 100:
                    first = math.exp(none) * math.expm1(size - none)
                    first /= math.e * value * p * batches
                    best = min(best, (growth * (first + missed), p, value))
        return best

    def bound(self, epsilon: arb, p: float, value: float) -> arb:
        share, size = arb(p), arb(value)
        k = (epsilon / 2).tanh()
        q = _moments(self.ratio)[value] * (-size * k).exp()
        times = self.run.batches
        first = (1 - share + share * q) ** times - (1 - share) ** times
        first /= arb(1).exp() * size * share * times
        edge = -share.log()
        eta = _profile(2 / ball(self.run.sigma), edge) + _profile(ball(self.ratio), edge)
        return ((1 + epsilon.exp()) * (first + (times - 1) * share / 2 * eta)).upper()

    def of_one_epoch(self, target: Fraction, top: float) -> Fraction:
        """Return an ε up to `top` at which the bound is at most a target.

        Raises:
            ArithmeticError: if none is found.
        """
        goal, low = float(target) * (1 - 1e-9), 0.0
        if not self.guess(top)[0] <= goal:
            raise ArithmeticError("labels prove nothing here")
        for _ in range(24):
            middle = (low + top) / 2
            low, top = (low, middle) if self.guess(middle)[0] <= goal else (middle, top)
        with precision(BITS):
            if self.bound(arb(top), *self.guess(top)[1:]) <= ball(target):
                return Fraction(top)
        raise ArithmeticError("labels prove nothing here")


def labelled_epsilon(run: Epochs, target: Fraction, distance: int) -> Fraction:
    """Bound the ε of replace-one (distance 2) or zero-out (1) by theorem U.

    Raises:
        ArithmeticError: if it proves nothing here.
    """
    affordable(run.batches, run.epochs, target)
    if run.epochs == 1:
        ratio = distance / run.sigma
        return _Labelled(run, ratio).of_one_epoch(target, _top(run, ratio, float(target)))
    return max(each.epsilon(target) for each in _labelled(run, distance, float(target)))


def labelled_delta(run: Epochs, epsilon: Fraction, distance: int, start: float) -> Fraction:
    """Bound the δ of replace-one (distance 2) or zero-out (1) at an ε by theorem U.

    Args:
        run: of one epoch or several.
        epsilon: at least 0.
        distance: 2 or 1.
        start: about the δ, or more.

    Raises:
        ArithmeticError: if it proves nothing here.
    """
    affordable(run.batches, run.epochs, None)
    ratio = distance / run.sigma
    if run.epochs == 1:
        _top(run, ratio, start)
        labelled, place = _Labelled(run, ratio), rounding.float_below(epsilon)
        _, p, size = labelled.guess(place)
        with precision(BITS):
            return bounds(labelled.bound(arb(place), p, size))[1]
    found, goal = Fraction(1), min(start, 0.5)
    for _ in range(_ROUNDS):
        products = _labelled(run, distance, goal)
        with precision(BITS):
            point = ball(epsilon)
            value = max(bounds(each.delta(point))[1] for each in products)
        if value >= found * _SETTLED or not value > _LEAST_GOAL:
            return min(found, value)
        found, goal = value, min(float(value), 0.5)
    return found


def _top(run: Epochs, ratio: Fraction, target: float) -> float:
    """Return a loss beyond which one Gaussian release has next to no δ.

    Raises:
        ArithmeticError: if it is out of reach.
    """
    mu, tiny = float(ratio), target * 1e-6 / run.epochs
    top = mu * mu / 2 + mu * math.sqrt(-2 * math.log(tiny))
    if top > 100:
        raise ArithmeticError("there is too little noise for clones")
    return top


def _labelled(run: Epochs, distance: int, target: float) -> list[Product]:
    """Return what dominates several epochs, in both orders, well down to a δ."""
    ratio = distance / run.sigma
    top, tiny = _top(run, ratio, target), target * 1e-6 / run.epochs
    labelled = _Labelled(run, ratio)
    step = Fraction(max(top / 400, min(0.01, top / 100))).limit_denominator(1 << 30)
    heights: dict[int, arb] = {}
    with precision(BITS):
        for j in range(math.ceil(top / float(step)) + 1):
            epsilon = ball(step) * j
            least = _profile(ball(ratio), epsilon).upper()
            bound, p, value = labelled.guess(j * float(step))
            if bound < float(least):
                least = labelled.bound(epsilon, p, value)
            heights[j] = least
            if j:  # H_{1/a}(Q‖P) = 1 − 1/a + H_a/a, the bound being of both orders
                inverse = (-epsilon).exp()
                heights[-j] = (1 - inverse + inverse * least).upper()
    return [Product.of(one).power(run.epochs, tiny) for one in chords(step, heights)]
