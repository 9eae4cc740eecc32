"""Losses of selections: of which no one pair of neighbours is the worst for every ε.

A release of a selection has a family of worst pairs. From above, the exponential mechanism is a
game against an adversary who chooses the pair by what was released before (X.GAME);
permute-and-flip and noisy max are bounded by a Laplace release (X.FLIP). From below, one pair of
the family, chosen for the ε that is asked, is a proof.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Literal

from flint import arb

from dporacle import enclosures
from dporacle.claims.losses import LossLaw, PairOnGrid, PrivacyLoss, of_atoms, rounded_up
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten

if TYPE_CHECKING:
    import numpy as np

Family = Literal["range", "flip", "laplace"]

_ROUNDED = 2048  # a range has so many places for the losses of a chosen pair
_AROUND = 20  # members on either side of one that are compared with it
_MEMBERS = 96  # of a family that are tried in floats
_MOST_SELECTED = 2000
_MOST_STATES = 4000
_WORK = 4e7  # values of the game times its choices
_CHOICES = (60, 40, 20, 10, 8, 5, 4)  # so that the step has a common measure with other losses
_LOW_BITS = 128  # of numbers that are rounded outwards to float64
_UP = 1 + 2.0**-48  # more than the rounding of one stage: four operations of float64
_DOWN = 1 - 2.0**-48  # as much to the other side
_LEAST = 1e-300  # more than is lost where float64 runs out of exponents


@dataclass(frozen=True)
class TwoPointLoss(LossLaw):
    """Two outcomes, of losses `above` > 0 and −`below` < 0.

    That Q and P have a sum of 1 says what they put on them: q·e^above + (1−q)·e^{−below} = 1.
    """

    above: Fraction
    below: Fraction

    def _atoms(self) -> list[tuple[Fraction, arb, arb]]:
        """Return each loss with its masses under P and Q."""
        up, down = ball(self.above).exp(), (-ball(self.below)).exp()
        whole = (-ball(self.above + self.below)).expm1()  # (down − up)/up
        q = -(-ball(self.below)).expm1() / (-whole * up)
        p = q * up
        rest = ball(self.above).expm1() / (-whole * up)  # 1 − q
        return [(self.above, p, q), (-self.below, rest * down, rest)]

    def divergence(self) -> arb:
        """Enclose E_P L, at the working precision."""
        return sum((ball(at) * p for at, p, _ in self._atoms()), arb(0))

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε)."""
        return tighten(
            lambda: sum(
                (-p * ball(epsilon - at).expm1() for at, p, _ in self._atoms() if at > epsilon),
                arb(0),
            ),
            digits,
        )

    def spread(self) -> float:
        """Return about the standard deviation of the loss."""
        return math.sqrt(float(self.above) * float(self.below))

    def reach(self, bits: int) -> tuple[float, float]:
        """Return both losses."""
        return -float(self.below), float(self.above)

    def most(self) -> Fraction:
        """Return the larger loss."""
        return self.above

    def zcdp(self) -> Fraction:
        """Return an eighth of the square of its range (X.EXPMECH)."""
        return (self.above + self.below) ** 2 / 8

    def has_few_atoms(self) -> bool:
        """Tell that it has two."""
        return True

    def lattice(self) -> tuple[Fraction, Fraction]:
        """Return the larger loss, and how far the other one is from it."""
        return self.above, self.above + self.below

    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Return what lies between the edges."""
        return of_atoms(self._atoms(), edges)


@dataclass(frozen=True)
class _Family(LossLaw):
    """What is no law, and stands for one: it is replaced before masses are asked for."""

    def spread(self) -> float:
        """Refuse."""
        raise ArithmeticError("a selection has no one pair of neighbours that is the worst")

    def reach(self, bits: int) -> tuple[float, float]:
        """Refuse."""
        raise ArithmeticError("a selection has no one pair of neighbours that is the worst")

    def lattice(self) -> tuple[Fraction, Fraction]:
        """Refuse."""
        raise ArithmeticError("a selection has no one pair of neighbours that is the worst")

    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Refuse."""
        raise ArithmeticError("a selection has no one pair of neighbours that is the worst")


@dataclass(frozen=True)
class BoundedRangeLoss(_Family):
    """From above: every release whose losses have a range of η, such as exponential mechanisms."""

    eta: Fraction

    def most(self) -> Fraction:
        """Return η."""
        return self.eta

    def zcdp(self) -> Fraction:
        """Return u − 1 − ln u, u = η/(e^η − 1), rounded up (X.EXPMECH)."""
        return rounded_up(
            enclosures.exponential_mechanism_zcdp_rho(scale=2, sensitivity=self.eta, digits=25)
        )

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε) of one release (X.EXPMECH)."""
        return enclosures.exponential_mechanism_delta(
            epsilon=epsilon, scale=2, sensitivity=self.eta, digits=digits
        )


@dataclass(frozen=True)
class ChosenPair(_Family):
    """From below: some pair of a family, the same in each release.

    Attributes:
        family: "range" of the exponential mechanism, "flip" of permute-and-flip, "laplace" of noisy
            max with Laplace noise; all with two candidates.
        eta: η, by which the difference of their scores moves, over the scale of the noise.
        adaptive: whether the scores may depend on earlier answers, so that the game is played.
    """

    family: Family
    eta: Fraction
    adaptive: bool = False

    def most(self) -> Fraction:
        """Return η, which some member has as its loss, or nearly."""
        return self.eta

    def zcdp_least(self) -> Fraction:
        """Return the largest divergence of order 1 of the members that are tried, rounded down."""
        if self.family == "range":
            exact = enclosures.exponential_mechanism_zcdp_rho(
                scale=2, sensitivity=self.eta, digits=25
            )
            return rounding.bounds(exact)[0]
        with precision(_LOW_BITS):
            found = (each.divergence() for each in _members(self))
            return max((rounding.bounds(each)[0] for each in found), default=Fraction(0))

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Refuse: a member is chosen first."""
        raise ArithmeticError("a member of the family is chosen first")

    def masses(self, at: Fraction) -> tuple[arb, arb]:
        """Return the probability of the first outcome under P and Q; t or τ says which member."""
        eta = self.eta
        if self.family == "range":
            q = (ball(at - eta).expm1() / ball(-eta).expm1()) * ball(-at).exp()
            return q * ball(at).exp(), q
        return _wins(self.family, at + eta), _wins(self.family, at)

    def member(self, share: Fraction) -> TwoPointLoss | None:
        """Return a pair that is no worse than a member, with losses on multiples of η/2048.

        Two outcomes with smaller losses of both signs are a processing of two with larger ones.

        Args:
            share: from 0 to 1; which member.
        """
        if self.family == "range":
            at = min(max(share, Fraction(1, _ROUNDED)), 1 - Fraction(1, _ROUNDED)) * self.eta
            return TwoPointLoss(at, self.eta - at)
        unit = self.eta / _ROUNDED
        with precision(_LOW_BITS):
            p, q = self.masses(self._place(share))
            losses = (p / q).log(), ((1 - q) / (1 - p)).log()
            counts = [rounding.bounds(each / ball(unit))[0] // 1 for each in losses]
        if min(counts) < 1:
            return None
        return TwoPointLoss(counts[0] * unit, counts[1] * unit)

    def _place(self, share: Fraction) -> Fraction:
        """Return a τ, from far below −η to 0."""
        wide = self.eta + 4
        return -wide + share * (wide + 1)

    def exponent(self, tilt: float) -> tuple[float, int]:
        """Return the largest ln E_P e^{λL} of the members that are tried, and which has it."""
        best = -math.inf, 0
        for place, (a, b) in enumerate(_tried(self)):
            q = -math.expm1(-b) / (math.exp(a) - math.exp(-b))
            p = q * math.exp(a)
            value = math.log(p) + tilt * a + math.log1p((1 - p) / p * math.exp(-tilt * (a + b)))
            best = max(best, (value, place))
        return best


def _wins(family: Family, x: Fraction) -> arb:
    """Enclose the distribution function of the difference of two noises of scale 1."""
    tail = (-ball(abs(x))).exp()
    tail = tail / 2 if family == "flip" else (2 + ball(abs(x))) * tail / 4
    return tail if x < 0 else 1 - tail


def noisy_max_delta(epsilon: Fraction, eta: Fraction, digits: int) -> arb:
    """Enclose δ(ε) of one noisy max with Laplace noise of two candidates, 0 ≤ ε < η.

    It is the largest F(τ+η) − e^ε·F(τ), F the distribution function of the difference of two
    Laplace variables; its density is log-concave, so the derivative in τ changes its sign once.
    """

    def density(x: Fraction) -> arb:
        return (1 + ball(abs(x))) * (-ball(abs(x))).exp()

    def rises(at: Fraction) -> bool:
        return bool(density(at + eta) > ball(epsilon).exp() * density(at))

    def enclose() -> arb:
        low = high = -eta / 2  # where both densities are the same
        while not rises(low := 2 * low):
            if low < -(2**40):
                raise ArithmeticError("ε is too close to the largest loss")
        for _ in range(4 * digits + 40):
            middle = (low + high) / 2
            low, high = (middle, high) if rises(middle) else (low, middle)
        power = ball(epsilon).exp()
        least = _wins("laplace", low + eta) - power * _wins("laplace", low)
        most = _wins("laplace", high + eta) - power * _wins("laplace", low)
        return least.union(most)

    return tighten(enclose, digits)


@lru_cache(maxsize=256)
def _members(family: ChosenPair) -> tuple[TwoPointLoss, ...]:
    shares = (Fraction(j, _MEMBERS) for j in range(1, _MEMBERS))
    found = (family.member(share) for share in shares)
    return tuple(dict.fromkeys(each for each in found if each is not None))


@lru_cache(maxsize=256)
def _tried(family: ChosenPair) -> tuple[tuple[float, float], ...]:
    return tuple((float(each.above), float(each.below)) for each in _members(family))


def chosen(loss: PrivacyLoss, epsilon: Fraction) -> PrivacyLoss:
    """Return a loss with a good member of each family for this ε: any member is a proof.

    It is the one that is best in Chernoff's bound of δ(ε).
    """
    families = {law: n for law, n in loss.others.items() if isinstance(law, ChosenPair)}
    if not families:
        return loss
    laws = {law: n for law, n in loss.others.items() if law not in families}
    picked: dict[ChosenPair, TwoPointLoss] = {}
    if sum(families.values()) == 1 and not (laws or loss.mu_squared):  # one release: exactly
        (family,) = families
        if family.family == "range" and epsilon < family.eta:
            at = (epsilon + family.eta) / 2
            picked[family] = TwoPointLoss(at, family.eta - at)
    known = replace(loss, others=laws).zcdp() or Fraction(0)
    rho, target = float(known), float(epsilon)

    def bound(tilt: float) -> float:
        rest = tilt * (1 + tilt) * rho + sum(n * f.exponent(tilt)[0] for f, n in families.items())
        return rest - tilt * target + tilt * math.log(tilt) - (1 + tilt) * math.log1p(tilt)

    low, high = -8.0, 8.0
    for _ in range(24):  # the logarithm of the best tilt, by thirds
        third = (high - low) / 3
        if bound(math.exp(low + third)) < bound(math.exp(high - third)):
            high -= third
        else:
            low += third
    tilt = math.exp(low)
    for family in families:
        if family not in picked and (members := _members(family)):
            picked[family] = members[family.exponent(tilt)[1]]
    for family in [each for each in picked if families[each] > 1 or len(families) > 1 or rho]:
        shifts = [
            (float(picked[f].above), float(picked[f].below), f) for f in picked if f != family
        ]
        variance = 2 * rho + sum(a * b * families[f] for a, b, f in shifts)  # of all else, nearly
        picked[family] = _refined(family, families[family], picked[family], variance, epsilon)
    for family, law in picked.items():
        laws[law] = laws.get(law, 0) + families[family]
    return replace(loss, others=laws)


def _refined(
    family: ChosenPair, times: int, first: TwoPointLoss, variance: float, target_at: Fraction
) -> TwoPointLoss:
    """Return a member near a first one whose δ is larger, the rest taken as Gaussian in floats."""
    members, target = _members(family), float(target_at)
    if first not in members or times > _MOST_SELECTED:
        return first
    value = {each: _rough(each, times, variance, target) for each in _near(members, first)}
    best = max(value, key=value.__getitem__)
    if family.family != "range":
        return best
    if not variance:  # the best common t is said to be one of these (Dong, Durfee & Rogers 2020)
        ends = [(target_at + (each + 1) * family.eta) / (times + 1) for each in range(times)]
        ends = sorted((t for t in ends if 0 < t < family.eta), key=lambda t: abs(t - best.above))
        tried = [TwoPointLoss(t, family.eta - t) for t in ends[: 2 * _AROUND]]
        return max([best, *tried], key=lambda law: _rough(law, times, 0.0, target))
    low, high = (best.above + sign * family.eta / _MEMBERS for sign in (-1, 1))
    for _ in range(12):  # t is any rational number
        third = (high - low) / 3
        sides = [
            _rough(TwoPointLoss(t, family.eta - t), times, variance, target)
            for t in (low + third, high - third)
        ]
        low, high = (low + third, high) if sides[0] < sides[1] else (low, high - third)
    parts = 2**16
    at = Fraction(round(low / family.eta * parts), parts) * family.eta
    return TwoPointLoss(at, family.eta - at) if 0 < at < family.eta else best


def _near(members: Sequence[TwoPointLoss], one: TwoPointLoss) -> Sequence[TwoPointLoss]:
    place = members.index(one)
    return members[max(0, place - _AROUND) : place + _AROUND + 1]


def _rough(law: TwoPointLoss, times: int, variance: float, target: float) -> float:
    """Return about δ at a target of so many releases of two outcomes, and of Gaussian noise."""
    a, b = float(law.above), float(law.below)
    q = -math.expm1(-b) / (math.exp(a) - math.exp(-b))
    p = q * math.exp(a)
    mu, total = math.sqrt(variance), 0.0
    for k in range(times + 1):
        e = target - (k * a - (times - k) * b)
        if mu:
            y = e / mu - mu / 2
            gain = math.erfc(y / math.sqrt(2)) / 2
            gain -= math.exp(min(e, 700.0)) * math.erfc((y + mu) / math.sqrt(2)) / 2
        else:
            gain = -math.expm1(e) if e < 0 else 0.0
        if gain > 0:
            weight = math.lgamma(times + 1) - math.lgamma(k + 1) - math.lgamma(times - k + 1)
            total += gain * math.exp(weight + k * math.log(p) + (times - k) * math.log1p(-p))
    return total


@dataclass(frozen=True, slots=True)
class Game:
    """Ends of the values of the game on start + j·step, j from −size to size.

    Attributes:
        start: the point in the middle.
        step: how far apart the points are.
        size: how many there are on either side.
        values: upper ends of V at each point, or lower ends.
    """

    start: Fraction
    step: Fraction
    size: int
    values: tuple[float, ...]


def choices(counts: Sequence[tuple[Fraction, int]]) -> int:
    """Return into how many steps the largest range is cut, for the work that is worth it.

    Raises:
        ArithmeticError: if there are more selections than are followed.
    """
    if len(counts) > 2:
        raise ArithmeticError("selections of more than two ranges are followed by ρ only")
    states = math.prod(n + 1 for _, n in counts)
    if sum(n for _, n in counts) > _MOST_SELECTED or states > _MOST_STATES:
        raise ArithmeticError("so many selections are followed by ρ only")
    largest = max(eta for eta, _ in counts)
    length = sum(float(eta / largest) * n for eta, n in counts)
    most = math.sqrt(_WORK / (2 * length * states))
    return next((cuts for cuts in _CHOICES if cuts <= most), _CHOICES[-1])


def game(counts: Sequence[tuple[Fraction, int]], cuts: int) -> Game:
    """Return what the values of every order of selections are not above, chosen adaptively.

    Args:
        counts: one or two pairs (η, how often); an η is rounded up to a multiple of the step.
        cuts: into how many steps the largest η is cut.

    Returns:
        ends: of V at j·step, nothing else being released.
    """
    step = max(eta for eta, _ in counts) / cuts
    return _game(tuple((math.ceil(eta / step), n) for eta, n in counts), step)


@lru_cache(maxsize=16)
def _game(parts: tuple[tuple[int, int], ...], step: Fraction) -> Game:
    size = sum(places * n for places, n in parts)
    first = _first(Fraction(0), step, size + max(places for places, _ in parts), up=True)
    middle = len(first) // 2
    start = first[middle - size : middle + size + 1]
    return Game(Fraction(0), step, size, _played(parts, step, first, start, up=True))


def played_below(
    counts: Sequence[tuple[Fraction, int]],
    cuts: int,
    epsilon: Fraction,
    rest: Callable[[Sequence[Fraction]], Sequence[Fraction]] | None,
) -> Fraction:
    """Return what an adversary can reach at ε who plays all selections, and then the rest.

    Args:
        counts: one or two pairs (η, how often); an η is rounded down to a multiple of the step.
        cuts: into how many steps the largest η is cut.
        epsilon: ε.
        rest: returns lower ends of the profile of all else at points; None if there is nothing.
    """
    import numpy as np

    step = max(eta for eta, _ in counts) / cuts
    parts = tuple((math.floor(eta / step), n) for eta, n in counts)
    size = sum(places * n for places, n in parts)
    first = _first(epsilon, step, size + max(places for places, _ in parts), up=False)
    middle = len(first) // 2
    start = first[middle - size : middle + size + 1]
    if rest is not None:
        lows = rest([epsilon + j * step for j in range(-size, size + 1)])
        start = np.maximum(start, [_float(max(low, Fraction(0)), up=False) for low in lows])
    return Fraction(_played(parts, step, first, start, up=False)[size])


def _played(
    parts: tuple[tuple[int, int], ...],
    step: Fraction,
    first: np.ndarray[Any, Any],
    start: np.ndarray[Any, Any],
    *,
    up: bool,
) -> tuple[float, ...]:
    """Return the ends after all selections, the largest of every order of two kinds."""
    import numpy as np

    (one, many), (other, more) = (*parts, (0, 0))[:2]
    row: list[np.ndarray[Any, Any]] = []
    for i in range(many + 1):
        column: list[np.ndarray[Any, Any]] = []
        for j in range(more + 1):
            before = []
            if i:
                before.append(_stage(row[j], one, step, first, up=up))
            if j:
                before.append(_stage(column[j - 1], other, step, first, up=up))
            column.append(np.maximum(before[0], before[-1]) if before else start)
        row = column
    return tuple(row[-1].tolist())


def _first(start: Fraction, step: Fraction, size: int, *, up: bool) -> np.ndarray[Any, Any]:
    """Return (1 − e^x)₊ at x = start + j·step, rounded up or down."""
    import numpy as np

    points = [start + j * step for j in range(-size, size + 1)]
    with precision(_LOW_BITS):
        ends = [
            rounding.bounds(-ball(x).expm1())[int(up)] if x < 0 else Fraction(0) for x in points
        ]
    return np.array([_float(max(end, Fraction(0)), up=up) for end in ends])


def _float(value: Fraction, *, up: bool) -> float:
    """Return a float that is not below a number from 0 on, or not above it."""
    found = float(value)
    if (found < value) if up else (found > value):
        found = math.nextafter(found, math.inf if up else 0.0)
    return found


def _stage(
    values: np.ndarray[Any, Any],
    places: int,
    step: Fraction,
    first: np.ndarray[Any, Any],
    *,
    up: bool,
) -> np.ndarray[Any, Any]:
    """Put one more selection of range places·step before what follows.

    The terms of a choice are positive, and so few that 2^-48 is more than all their rounding. Of a
    cell between two choices the whole is f(y) = α + βy + κ/y, y = e^{−t}: it is above its chord by
    u(1−u) times four times its `arch` at most, if κ < 0, so that its maximum is above the larger
    end by (4·arch − |difference of the ends|)₊²/(16·arch) at most.
    """
    import numpy as np

    if not places:
        return values
    size = (len(values) - 1) // 2
    middle = len(first) // 2
    # Beyond, V is (1 − e^x)₊; of what the rest adds to it there, nothing counts from below.
    pad = first[middle - size - places : middle - size]
    padded = np.concatenate([pad, values, np.zeros(places)])
    shares, excess, per_step = _coefficients(places, step, up)

    def at(shift: int) -> np.ndarray[Any, Any]:
        return padded[places - shift : places - shift + 2 * size + 1]

    best = np.zeros(2 * size + 1)
    for i, (p, rest) in enumerate(shares):
        best = np.maximum(best, p * at(i) + rest * at(i - places))
    if not up:
        return np.maximum(best * _DOWN - _LEAST, 0)
    found = best
    for i, each in enumerate(excess):
        here, there = at(i), at(i + 1)
        far, further = at(i - places), at(i + 1 - places)
        bend = (there - further) + ((there - here) - (further - far)) * per_step
        bend += 1e-14 * (1 + per_step) * (here + there)
        ends = [shares[k][0] * at(k) + shares[k][1] * at(k - places) for k in (i, i + 1)]
        arch = each * np.maximum(bend, 0)
        apart = np.maximum(np.abs(ends[0] - ends[1]) * (1 - 1e-9) - 1e-15 * (ends[0] + ends[1]), 0)
        inside = np.maximum(4 * arch - apart, 0) ** 2 / (16 * np.maximum(arch, 1e-300))
        found = np.maximum(found, np.maximum(*ends) + inside * (1 + 1e-9))
    return found * _UP + _LEAST


@lru_cache(maxsize=64)
def _coefficients(
    places: int, step: Fraction, up: bool
) -> tuple[list[tuple[float, float]], list[float], float]:
    """Return p_t and 1 − p_t of each t, and what a cell between two of them can have in excess."""
    eta = places * step

    def bound(value: arb) -> float:
        return max(_float(rounding.bounds(value)[int(up)], up=up), 0.0)

    with precision(_LOW_BITS):
        whole, small = -ball(-eta).expm1(), ball(-eta).exp()
        shares = []
        for i in range(places + 1):
            p = -ball(i * step - eta).expm1() / whole if i < places else arb(0)
            rest = small * ball(i * step).expm1() / whole if i else arb(0)
            shares.append((bound(p), bound(rest)))
        half = ball(step).expm1() ** 2 / 4
        excess = [
            bound(small / whole * ball(i * step).exp() * half) * (1 + 1e-9) for i in range(places)
        ]
        per_step = bound(1 / ball(step).expm1())
    return shares, excess, per_step
