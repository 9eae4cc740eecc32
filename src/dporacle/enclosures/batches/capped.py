"""Poisson batches of which at most B records are kept: truncated Poisson sampling (X.BAT.CAP).

Each record enters with the rate q; of a batch of more than B a uniformly random set of B is kept,
or the first B in an order that does not change. If contributions do not depend on who else is kept,
a step is dominated by two labels: fewer than B − 1 others were drawn, which is Poisson sampling, or
more, where the record may take another one's place. If they may, the numbers kept tell more. From
below stands Poisson sampling at the probability that a record is kept, and others that contribute a
little against it. `proofs_notes/truncated.md` has the proofs.
"""

from __future__ import annotations

import contextlib
import functools
import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.arithmetic.normal import normal_tail
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.batches import deterministic, fixed_size, poisson_ends
from dporacle.enclosures.batches.curves import BITS
from dporacle.enclosures.batches.densities import Inversion, LawPiece, Mixture, StepLaw
from dporacle.enclosures.batches.repeated_step import Product, deviations, product, reached
from dporacle.enclosures.batches.scheme import Epochs, Interval, designed
from dporacle.enclosures.subsampled_gaussian import subsampled_delta
from dporacle.interface import orders_of

ADJACENCIES = ("zero-out", "add", "remove", "both", "replace")

_MOST_RECORDS = 10**12  # more than there are people; ln n! loses 45 of 64 bits that are spare
_MOST_TERMS = 10**6  # of a sum over the numbers of records: some seconds
_LAW_BITS = 640  # of the probabilities, some of which are differences
_TAIL_BITS = 700  # a term of a tail that is smaller is bounded with all that follow
_DIGITS = 12  # of an end: as many as commands show
_STRIP = 1.04  # of shift times height: below π/3
_NEAR_RATES = 200  # bits of a rate that is rounded
_MOST_AGAINST, _RATIO = 0.09, 6.0  # what the others contribute: about what was best of some
_SHARES = (Fraction(-3, 10), Fraction(-1))  # of the norm, where many batches are cut
_MOSTLY = 0.9  # a chance that a batch is cut
_MOST_CENTRES = 64  # of numbers kept, for these
_LEFT_OUT = 2.0**-30  # of δ: the numbers kept that are left out there
_FARTHEST = 10**6  # ε of one step
_LEAST_GOAL = Fraction(1, 10**12)  # δ, about which is looked where the lower end is less


@dataclass(frozen=True)
class Capped:
    """Batches that are truncated.

    Attributes:
        sigma: noise multiplier, in units of the clipping norm.
        rate: q, in (0, 1].
        records: n; under add/remove the larger of the two sizes.
        cap: B, at least 1 and below n: else nothing is cut.
        times: how many batches.
        first_come: whether the first B of a fixed order are kept, not a random set.
    """

    sigma: Fraction
    rate: Fraction
    records: int
    cap: int
    times: int
    first_come: bool = False


@dataclass(frozen=True)
class Chances:
    """Probabilities about the M other records that are drawn, M ~ Bin(n − 1, q).

    Attributes:
        few: W = P(M ≤ B − 2).
        next: w = P(M = B − 1).
        many: τ = P(M ≥ B).
        kept: κ = P(the record is drawn and kept, M ≥ B).
        displaced: qτ − κ = P(it is drawn and not kept).
    """

    few: arb
    next: arb
    many: arb
    kept: arb
    displaced: arb


@functools.lru_cache(maxsize=8)
def chances(batches: Capped) -> Chances:
    """Enclose them; the record is the first of a fixed order.

    Raises:
        ArithmeticError: if there are too many terms.
    """
    n, cap, rate = batches.records, batches.cap, batches.rate
    if n > _MOST_RECORDS:
        raise ArithmeticError(f"more than {_MOST_RECORDS} records are not enclosed")
    with precision(_LAW_BITS):
        q = ball(rate)
        if rate == 1:  # all others are drawn: M = n − 1 ≥ B
            share = arb(1) if batches.first_come else arb(cap) / n
            return Chances(arb(0), arb(0), arb(1), share, 1 - share)
        odds = q / (1 - q)
        last = n - 1

        def mass(m: int) -> arb:
            ways = arb(last + 1).lgamma() - arb(m + 1).lgamma() - arb(last - m + 1).lgamma()
            return (ways + m * q.log() + (last - m) * (1 - q).log()).exp()

        with precision(_LAW_BITS + 64):
            at = mass(cap - 1)
        mean = float(q.mid()) * last
        # Σ_{m ≥ B} w_m and Σ_{m ≥ B} w_m(m + 1 − B)/(m + 1), or their complements below B.
        if cap > mean:
            many, displaced = _above(at, cap, last, odds)
            few = 1 - many - at if cap > 1 else arb(0)
        else:
            few = _below(at, cap, last, odds)
            many = 1 - few - at
            displaced = None
        if batches.first_come:
            return Chances(few, at, many, q * many, arb(0))
        if displaced is None:
            # κ = (B/n)·P(Bin(n, q) ≥ B + 1), which is P(M ≥ B) less what is B without the record.
            kept = arb(cap) / n * (many - (1 - q) * _next(at, cap, last, odds))
            return Chances(few, at, many, kept, q * many - kept)
        return Chances(few, at, many, q * (many - displaced), q * displaced)


def _next(at: arb, cap: int, last: int, odds: arb) -> arb:
    """Return P(M = B) from P(M = B − 1)."""
    return at * (last - cap + 1) / cap * odds


def _above(at: arb, cap: int, last: int, odds: arb) -> tuple[arb, arb]:
    """Return Σ_{m ≥ B} w_m and Σ_{m ≥ B} w_m(m + 1 − B)/(m + 1)."""
    total, lost = arb(0), arb(0)
    term = at
    for m in range(cap, last + 1):
        ratio = arb(last - m + 1) / m * odds
        term = term * ratio
        total += term
        lost += term * (m + 1 - cap) / (m + 1)
        if ratio < 1 and term < total * arb(2) ** -_TAIL_BITS:
            rest = (term * ratio / (1 - ratio)).upper()  # the ratios fall
            return total.union(total + rest), lost.union(lost + rest)
        if m - cap > _MOST_TERMS:
            raise ArithmeticError("the numbers of records drawn are too many to be added up")
    return total, lost


def _below(at: arb, cap: int, last: int, odds: arb) -> arb:
    """Return Σ_{m ≤ B − 2} w_m."""
    total, term = arb(0), at
    for m in range(cap - 1, 0, -1):
        ratio = arb(m) / (last - m + 1) / odds
        term = term * ratio
        total += term
        if ratio < 1 and term < total * arb(2) ** -_TAIL_BITS:
            return total.union(total + (term * ratio / (1 - ratio)).upper())
        if cap - m > _MOST_TERMS:
            raise ArithmeticError("the numbers of records drawn are too many to be added up")
    return total


def kept_rate(batches: Capped) -> tuple[Fraction, Fraction]:
    """Return ends of the probability that a record is kept; of a fixed order, the first one."""
    if batches.first_come:
        return batches.rate, batches.rate
    with precision(_LAW_BITS):
        found = chances(batches)
        low, high = bounds(ball(batches.rate) * (found.few + found.next) + found.kept)
    unit = 1 << _NEAR_RATES
    return Fraction(math.floor(low * unit), unit), Fraction(math.ceil(high * unit), unit)


# One step.


def apart_law(batches: Capped, adjacency: str) -> StepLaw:
    """Return the pair that dominates a step if a contribution depends on its own record only.

    Of zero-out, replace-one, or of both orders of add/remove ("add", "remove", "both").
    """
    with precision(_LAW_BITS):
        found, gap, q = chances(batches), 1 / ball(batches.sigma), ball(batches.rate)
        pieces, atoms = _displacing(found, q, gap, adjacency, batches.first_come)
        weight = _plain_weight(found, batches.first_come)
        pieces = _plain(weight, q, gap, adjacency) + pieces
        return StepLaw(tuple(pieces), tuple(atoms))


def _plain_weight(found: Chances, first_come: bool) -> arb:
    return found.few + found.next if first_come else found.few


def _plain(weight: arb, q: arb, gap: arb, adjacency: str) -> list[LawPiece]:
    """Return Poisson sampling at a rate, as a part of a step.

    Raises:
        ArithmeticError: if its weight is neither 0 nor provably above it.
    """
    if weight.is_zero():
        return []
    if not weight > 0:
        raise ArithmeticError("so small a chance that nothing is cut off is not enclosed")
    still = (weight * (1 - q), arb(0))
    first: Mixture = (still, (weight * q, gap)) if q < 1 else ((weight, gap),)
    second: Mixture = ((weight, arb(0)),)
    if adjacency == "replace":
        second = (still, (weight * q, -gap)) if q < 1 else ((weight, -gap),)
    return [LawPiece(first, second, None, None, _STRIP / float(gap))]


def _displacing(
    found: Chances, q: arb, gap: arb, adjacency: str, first_come: bool
) -> tuple[list[LawPiece], list[tuple[arb, arb]]]:
    """Return the label under which the record may take another one's place."""
    w = arb(0) if first_come else found.next
    many, kept = found.many, found.kept
    rest = found.displaced + (1 - q) * many  # τ − κ: the record is not kept
    moved = w * q + kept
    height = _STRIP / float(gap)
    if not many > 0:
        raise ArithmeticError("so small a chance that records are cut off is not enclosed")
    if adjacency == "replace":
        return _replacing(w * (1 - q), rest, moved, many + w * q, gap, height)
    none = w * (1 - q)
    second_none = w + kept if adjacency == "zero-out" else w
    second_other = rest if adjacency == "zero-out" else many
    pieces: list[LawPiece] = []
    atoms: list[tuple[arb, arb]] = []
    if adjacency == "zero-out":
        place: arb | None = gap / 2
    elif first_come or not w > 0:
        place = None
    else:
        # Where both curves meet: the loss is ln(1 − κ/τ) there.
        less = w * found.displaced / many  # w(q − κ/τ)
        if not less > 0:
            raise ArithmeticError("the two curves do not provably meet")
        place = gap / 2 + (less / moved).log() / gap
    below = _mixture((rest, -gap), (none, arb(0)), (moved, gap))
    pieces.append(
        LawPiece(below, _mixture((second_none, arb(0)), (second_other, -gap)), place, None, height)
    )
    if place is not None:
        together = _mixture((none, arb(0)), (rest + moved, gap))
        other = _mixture((second_none, arb(0)), (second_other, gap))
        pieces.append(LawPiece(together, other, None, place, height))
        missing = 1 - normal_tail(place + gap) - normal_tail(gap - place)
        if missing > 0:
            atoms.append((rest * missing, second_other * missing))
        else:
            raise ArithmeticError("the mass between the two curves is not provably positive")
    return pieces, atoms


def _replacing(
    none: arb, rest: arb, moved: arb, other: arb, gap: arb, height: float
) -> tuple[list[LawPiece], list[tuple[arb, arb]]]:
    """Return the same under replace-one: one curve for a ≥ 1, and its mirror image below 1."""
    zero = arb(0)
    first = _mixture((rest, -gap), (none, zero), (moved, gap))
    second = _mixture((other, -gap), (none, zero))
    mirrored = (tuple((w, -g) for w, g in law) for law in (second, first))
    turned, last = mirrored
    missing = rest * (1 - 2 * normal_tail(gap))
    return (
        [LawPiece(first, second, zero, None, height), LawPiece(turned, last, None, zero, height)],
        [(missing, missing)],
    )


def _mixture(*parts: tuple[arb, arb]) -> Mixture:
    return tuple((weight, shift) for weight, shift in parts if not weight.is_zero())


def seen_law(batches: Capped, adjacency: str) -> StepLaw | None:
    """Return the pair that dominates a step if contributions may depend on who else is kept.

    None where the number kept may tell the record for certain, or for a fixed order.

    Its rate q₁ is rounded up, which raises every curve.
    """
    if batches.first_come or batches.rate == 1:
        return None
    with precision(_LAW_BITS):
        found, gap, q = chances(batches), 1 / ball(batches.sigma), ball(batches.rate)
        w, kept = found.next, found.kept
        rest = found.displaced + (1 - q) * found.many
        pieces = _plain(found.few, q, gap, adjacency)
        height = _STRIP / float(gap)
        zero = arb(0)
        none, moved = w * (1 - q), w * q + kept
        if adjacency in ("zero-out", "replace"):
            second: Mixture = ((w + kept, zero),)
            if adjacency == "replace":
                second = ((none, zero), (moved, -gap))
            pieces.append(LawPiece(((none, zero), (moved, gap)), second, None, None, height))
            return StepLaw(tuple(pieces), ((rest, rest),))
        pieces.append(LawPiece(((none, zero), (moved, gap)), ((w, zero),), None, None, height))
        return StepLaw(tuple(pieces), ((rest, found.many),))


class _Curve:
    """H_a of one step in closed form, if a contribution depends on its own record only."""

    def __init__(self, batches: Capped, adjacency: str) -> None:
        self._adjacency = adjacency
        with precision(_LAW_BITS):
            self._gap, self._q = 1 / ball(batches.sigma), ball(batches.rate)
            found = chances(batches)
            self._plain = _plain_weight(found, batches.first_come)
            self._w = arb(0) if batches.first_come else found.next
            self._many, self._kept = found.many, found.kept
            self._rest = found.displaced + (1 - self._q) * found.many
            self._moved = self._w * self._q + found.kept

    def ordered(self, a: arb, *, swapped: bool) -> arb:
        """Enclose H_a of the laws in either order, at any a > 0."""
        if swapped:
            return 1 - a + a * self.ordered(1 / a, swapped=False)
        return self.height(a) if a >= 1 else self.below(a)

    def height(self, a: arb) -> arb:
        """Enclose H_a at a ≥ 1."""
        return self._plain * self._poisson(a) + self._displaced(a, -1)

    def below(self, a: arb) -> arb:
        """Enclose H_a at a < 1."""
        if self._adjacency == "replace":
            return 1 - a + a * self.height(1 / a)
        meeting = arb(1) if self._adjacency == "zero-out" else self._rest / self._many
        if not (a > meeting or a < meeting):
            return arb(1)
        return self._plain * self._poisson(a) + self._displaced(a, -1 if a > meeting else 1)

    def _poisson(self, a: arb) -> arb:
        """Enclose H_a((1 − q)N(0) + qN(1) ‖ N(0)), or of replace-one's pair."""
        still, moved = (1 - self._q, arb(0)), (self._q, self._gap)
        if self._adjacency == "replace":
            return self._above((still, moved), (still, (self._q, -self._gap)), a)
        return self._above((still, moved), ((arb(1), arb(0)),), a)

    def _laws(self, side: int) -> tuple[Mixture, Mixture]:
        """Return the label under which the record may take another one's place."""
        other, none = side * self._gap, self._w * (1 - self._q)
        first = ((self._moved, self._gap), (none, arb(0)), (self._rest, other))
        if self._adjacency == "replace":
            return first, ((none, arb(0)), (self._many + self._w * self._q, other))
        if self._adjacency == "zero-out":
            return first, ((self._w + self._kept, arb(0)), (self._rest, other))
        return first, ((self._w, arb(0)), (self._many, other))

    def _displaced(self, a: arb, side: int) -> arb:
        return self._above(*self._laws(side), a)

    def _above(self, first: Mixture, second: Mixture, a: arb) -> arb:
        """Enclose Σ(p − a·p')₊ where p − a·p' is positive beyond one place, and negative before.

        With y = e^{gt} its sign is that of a polynomial in y, of which the last coefficient is
        positive and the first one negative, or 0. 1 is a bound where signs are not proved.
        """
        powers = [arb(0), arb(0), arb(0)]
        for sign, law in ((arb(1), first), (-a, second)):
            for weight, g in law:
                k = 2 if g > 0 else 0 if g < 0 else 1
                powers[k] += sign * weight * (-g * g / 2).exp()
        low, middle, high = powers
        if not high > 0:
            return arb(1)
        if low.is_zero() and middle >= 0:
            return self._mass(first, second, a, None)
        if middle < 0:
            root = (-middle + (middle * middle - 4 * high * low).sqrt()) / (2 * high)
        elif low < 0:
            root = -2 * low / (middle + (middle * middle - 4 * high * low).sqrt())
        else:
            return arb(1)
        return self._mass(first, second, a, root.log() / self._gap)

    def _mass(self, first: Mixture, second: Mixture, a: arb, at: arb | None) -> arb:
        def beyond(law: Mixture) -> arb:
            tails = (w * (arb(1) if at is None else normal_tail(at - g)) for w, g in law)
            return sum(tails, arb(0))

        return beyond(first) - a * beyond(second)

    def farthest(self, mass: float) -> float:
        """Estimate the loss of one step beyond which there is so much."""
        gap, q = float(self._gap), float(self._q)
        t = gap + deviations(min(1.0, mass / q))

        def log(law: Mixture) -> float:
            terms = [
                math.log(float(w)) + float(g) * t - float(g) ** 2 / 2
                for w, g in law
                if float(w) > 0
            ]
            if not terms:
                return 0.0
            most = max(terms)
            return most + math.log(sum(math.exp(each - most) for each in terms))

        still = ((1 - self._q, arb(0)),)
        against = (*still, (self._q, -self._gap)) if self._adjacency == "replace" else None
        plain = log((*still, (self._q, self._gap))) - log(against or ((arb(1), arb(0)),))
        first, second = self._laws(-1)
        return max(plain, log(first) - log(second), 0.0) + 1.0


class _SeenCurve(_Curve):
    """H_a of one step, if contributions may depend on who else is kept."""

    def height(self, a: arb) -> arb:
        """Enclose H_a at any a > 0."""
        told = (self._rest - a * (self._many if self._adjacency == "both" else self._rest)).max(
            arb(0)
        )
        return self._plain * self._poisson(a) + self._displaced(a, 1) + told

    def below(self, a: arb) -> arb:
        """Enclose the same: no contribution is chosen by a."""
        return self.height(a)

    def _laws(self, side: int) -> tuple[Mixture, Mixture]:
        """Return the label of one other record fewer than the cap."""
        none, moved = (self._w * (1 - self._q), arb(0)), (self._moved, self._gap)
        if self._adjacency == "replace":
            return (none, moved), (none, (self._moved, -self._gap))
        still = self._w + self._kept if self._adjacency == "zero-out" else self._w
        return (none, moved), ((still, arb(0)),)


def curve(batches: Capped, adjacency: str) -> _Curve:
    """Return H_a of the pair that dominates one step: of "zero-out", "both" or "replace"."""
    return _curve(batches, adjacency)


@functools.lru_cache(maxsize=8)
def _curve(batches: Capped, adjacency: str) -> _Curve:
    assert adjacency in ("zero-out", "both", "replace")
    return _Curve(batches, adjacency)


# Many steps.


def delta(batches: Capped, epsilon: Fraction, adjacency: str) -> Interval:
    """Enclose the δ at an ε, if contributions depend on their own records only.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    assert adjacency in ADJACENCIES
    designed(batches.sigma)
    rate = kept_rate(batches)[0]
    if batches.rate == 1 and not batches.first_come:
        share = Fraction(batches.cap, batches.records)
        return fixed_size.delta(_sized(batches, share), epsilon, adjacency)
    kind = _kind(adjacency)
    value = subsampled_delta(
        epsilon=epsilon, sigma=batches.sigma, rate=rate, steps=batches.times, direction=kind
    )
    with precision(BITS):
        low = max(Fraction(0), bounds(value)[0])
        highs = [_delta_above(batches, epsilon, adjacency, way, low) for way in _ways(adjacency)]
    return Interval(low, min(max(highs), Fraction(1)), exact=False)


def _sized(batches: Capped, share: Fraction) -> fixed_size.Steps:
    return fixed_size.Steps(batches.sigma, share, batches.times)


def delta_of_pairs(batches: Capped, epsilon: Fraction, direction: str) -> Interval:
    """Enclose δ of a record more or less, above by the product of the steps' pairs alone.

    From below others contribute nothing, or the same against the record.

    Raises:
        ArithmeticError: if that would need too much work.
    """
    designed(batches.sigma)
    if batches.rate == 1:
        return delta(batches, epsilon, direction)
    value = subsampled_delta(
        epsilon=epsilon,
        sigma=batches.sigma,
        rate=kept_rate(batches)[0],
        steps=batches.times,
        direction=direction,
    )
    with precision(BITS):
        low = max(Fraction(0), bounds(value)[0])
        low = max(low, _reached_against(batches, epsilon, direction, low))
        highs = [_of_pairs(batches, epsilon, direction, way, low) for way in _ways(direction)]
    return Interval(low, min(max(highs), Fraction(1)), exact=False)


def _reached_against(batches: Capped, epsilon: Fraction, direction: str, low: Fraction) -> Fraction:
    """Return a δ that is reached where each other record contributes the same, or 0."""
    best = Fraction(0)
    if batches.first_come:  # who is kept has another law
        return best
    for share in {_least_share(batches), *_SHARES}:
        with contextlib.suppress(ArithmeticError):
            target = float(max(low, best, _LEAST_GOAL))
            made = _products_against(batches, share, target, "both")
            for way, law in zip(("remove", "add"), made, strict=True):
                if way in _ways(direction):
                    best = max(best, bounds(law.delta(ball(epsilon)))[0])
    return best


def _least_share(batches: Capped) -> Fraction:
    often = float(chances(batches).many)
    return -Fraction(min(_MOST_AGAINST, often / _RATIO)).limit_denominator(1000)


def _of_pairs(
    batches: Capped, epsilon: Fraction, adjacency: str, way: str, low: Fraction
) -> Fraction:
    """Return δ of the product of the steps' pairs in one order, rounded up."""
    swapped = way == "add"
    curve = _Curve(batches, adjacency)
    with precision(BITS):
        if batches.times == 1:
            value = curve.ordered(ball(epsilon).exp(), swapped=swapped)
            return bounds(value.max(arb(0)))[1]
        with contextlib.suppress(ArithmeticError):
            law = apart_law(batches, adjacency)
            return bounds(Inversion(law, batches.times, swapped=swapped).delta(epsilon))[1]
        made = _on_lattice(batches, adjacency, float(low or _LEAST_GOAL), swapped=swapped)
        return bounds(made.delta(ball(epsilon)))[1]


def _delta_above(
    batches: Capped, epsilon: Fraction, adjacency: str, way: str, low: Fraction
) -> Fraction:
    distance = "zero-out" if adjacency == "zero-out" else "replace"
    best = deterministic.delta(Epochs(batches.sigma, 1, batches.times), epsilon, distance).high
    with contextlib.suppress(ArithmeticError):
        best = min(best, _of_pairs(batches, epsilon, adjacency, way, low))
    return best


def epsilon(batches: Capped, delta: Fraction, adjacency: str) -> Interval:
    """Enclose the ε at a δ, if contributions depend on their own records only.

    Raises:
        ArithmeticError: if it would need too much work.
    """
    assert adjacency in ADJACENCIES
    designed(batches.sigma)
    high = kept_rate(batches)[1]
    if high * batches.times <= delta:  # the record is in no batch but with so small a chance
        return Interval(Fraction(0), Fraction(0), exact=True)
    if batches.rate == 1 and not batches.first_come:  # all are drawn: a set of one size is kept
        share = Fraction(batches.cap, batches.records)
        return fixed_size.epsilon(_sized(batches, share), delta, adjacency)
    least = lower_ends(batches, delta, adjacency)
    most = max(_epsilon_above(batches, delta, _pair(adjacency), way) for way in _ways(adjacency))
    low = max(least.values())
    assert low <= most
    return Interval(low, most, exact=False)


def epsilon_of_pairs(batches: Capped, delta: Fraction, direction: str) -> Interval:
    """Enclose ε of a record more or less, above by the product of the steps' pairs alone.

    From below others contribute nothing, or the same against the record.

    Raises:
        ArithmeticError: if that would need too much work.
    """
    designed(batches.sigma)
    if batches.rate == 1 or kept_rate(batches)[1] * batches.times <= delta:
        return epsilon(batches, delta, direction)
    low = max(lower_ends(batches, delta, direction).values())
    most = max(_epsilon_of_pairs(batches, delta, way) for way in _ways(direction))
    return Interval(low, most, exact=False)


def _epsilon_of_pairs(batches: Capped, delta: Fraction, way: str) -> Fraction:
    """Return ε of the product of the steps' pairs in one order, rounded up."""
    swapped = way == "add"
    if batches.times == 1:
        return _of_one_step(_Curve(batches, "both"), delta, swapped=swapped)
    with precision(BITS), contextlib.suppress(ArithmeticError):
        inversion = Inversion(apart_law(batches, "both"), batches.times, swapped=swapped)
        return inversion.epsilon(delta, inversion.start(delta))
    return _on_lattice(batches, "both", float(delta), swapped=swapped).epsilon(delta)


def _of_one_step(curve: _Curve, delta: Fraction, *, swapped: bool) -> Fraction:
    """Return an ε whose δ is at most a target: an end of a bracket that is halved."""
    with precision(BITS):

        def kept(at: Fraction) -> bool:
            return bool(curve.ordered(ball(at).exp(), swapped=swapped) <= ball(delta))

        low, high = Fraction(0), Fraction(1)
        if kept(low):
            return low
        while not kept(high):
            low, high = high, 2 * high
            if high > _FARTHEST:
                raise ArithmeticError("the epsilon of one step is too large")
        while (high - low) * 10**_DIGITS > high:
            middle = (low + high) / 2
            low, high = (low, middle) if kept(middle) else (middle, high)
        return high


@functools.lru_cache(maxsize=32)  # both orders of add/remove are asked for together, and apart
def _epsilon_above(batches: Capped, delta: Fraction, adjacency: str, way: str) -> Fraction:
    """Return an upper end of one order."""
    swapped = way == "add"
    distance = "zero-out" if adjacency == "zero-out" else "replace"
    best = deterministic.epsilon(Epochs(batches.sigma, 1, batches.times), delta, distance).high
    with contextlib.suppress(ArithmeticError):
        best = min(
            best, _on_lattice(batches, adjacency, float(delta), swapped=swapped).epsilon(delta)
        )
    with contextlib.suppress(ArithmeticError):
        if _often(batches):
            inversion = Inversion(apart_law(batches, adjacency), batches.times, swapped=swapped)
            best = min(best, inversion.epsilon(delta, best))
    return best


def _often(batches: Capped) -> bool:
    """Whether the record is kept once or more on average: else an inversion is dear."""
    return kept_rate(batches)[1] * batches.times >= 1


def _on_lattice(batches: Capped, adjacency: str, target: float, *, swapped: bool) -> Product:
    curve = _Curve(batches, adjacency)
    return product(
        curve.height, batches.times, target, curve.farthest, below=curve.below, swapped=swapped
    )


def epsilon_if_seen(batches: Capped, delta: Fraction, adjacency: str) -> Fraction | None:
    """Return an ε that holds though contributions may depend on who else is kept.

    None where nothing is proved.
    """
    assert adjacency in ADJACENCIES
    designed(batches.sigma)
    if kept_rate(batches)[1] * batches.times <= delta:
        return Fraction(0)
    if seen_law(batches, adjacency) is None:
        return None
    with contextlib.suppress(ArithmeticError):
        return max(_if_seen(batches, delta, _pair(adjacency), way) for way in _ways(adjacency))
    return None


@functools.lru_cache(maxsize=32)
def _if_seen(batches: Capped, delta: Fraction, pair: str, way: str) -> Fraction:
    law = seen_law(batches, pair)
    assert law is not None
    swapped = way == "add"
    curve, target = _SeenCurve(batches, pair), float(delta)
    made = product(
        curve.height, batches.times, target, curve.farthest, below=curve.below, swapped=swapped
    )
    best = made.epsilon(delta)
    with contextlib.suppress(ArithmeticError):
        if _often(batches):
            best = min(best, Inversion(law, batches.times, swapped=swapped).epsilon(delta, best))
    return best


def _pair(adjacency: str) -> str:
    """Return a name that both orders of add/remove share."""
    return adjacency if adjacency in ("zero-out", "replace") else "both"


def lower_ends(batches: Capped, delta: Fraction, adjacency: str) -> dict[str, Fraction]:
    """Return what is reached where others contribute nothing, or the same against the record."""
    rate = kept_rate(batches)[0]
    kind = _kind(adjacency)
    found = {"nothing": Fraction(0), "against": Fraction(0)}
    if rate > 0:
        ways = orders_of(kind)
        found["nothing"] = max(_alone(batches, rate, delta, way) for way in ways)
    with contextlib.suppress(ArithmeticError):
        made = _against(batches, delta, _pair(adjacency))
        found["against"] = max(made[way] for way in _ways(adjacency))
    return found


@functools.lru_cache(maxsize=32)
def _alone(batches: Capped, rate: Fraction, delta: Fraction, way: str) -> Fraction:
    return poisson_ends.near(batches.sigma, rate, batches.times, delta, way, _DIGITS).low


@functools.lru_cache(maxsize=32)
def _against(batches: Capped, delta: Fraction, pair: str) -> dict[str, Fraction]:
    """Return what is reached where each other record contributes the same."""
    if batches.first_come or batches.rate == 1:
        return {"remove": Fraction(0), "add": Fraction(0)}
    shares = [_least_share(batches)]
    if float(chances(batches).many) > _MOSTLY:
        # nearly batches of one size, in which the others contribute −1
        shares += _SHARES
    ends = {"remove": Fraction(0), "add": Fraction(0)}
    for share in shares:
        with contextlib.suppress(ArithmeticError):
            made = _products_against(batches, share, float(delta), pair)
            found = zip(("remove", "add"), made, strict=True)
            ends = {way: max(ends[way], law.epsilon(delta)) for way, law in found}
    # Both orders are reached: the larger one is the end of zero-out and of replace-one.
    return ends if pair == "both" else dict.fromkeys(ends, max(ends.values()))


def _products_against(
    batches: Capped, share: Fraction, target: float, pair: str
) -> tuple[Product, Product]:
    """Return what is reached where each other record contributes a share, in both orders."""
    first, second, rest = _centres(batches, share, target, pair)
    return reached(first, second, rest, batches.sigma, batches.times, target)


def _centres(
    batches: Capped, share: Fraction, target: float, adjacency: str
) -> tuple[list[tuple[arb, Any]], list[tuple[arb, Any]], arb]:
    """Return the laws of the sum where every other record contributes a share of the norm."""
    assert not batches.first_come
    n, cap = batches.records, batches.cap
    spare = target * _LEFT_OUT / batches.times
    with precision(BITS):
        found, q = chances(batches), ball(batches.rate)
        odds = q / (1 - q)
        c = ball(share)
        first: list[tuple[arb, Any]] = []
        second: list[tuple[arb, Any]] = []
        left = found.few
        weight = found.next
        for r in range(cap - 2, -1, -1):  # w_r of r + 1 others less
            weight = weight * (r + 1) / (n - 1 - r) / odds
            left -= weight
            first += [(weight * (1 - q), r * c), (weight * q, r * c + 1)]
            second += _without(weight, q, r * c, adjacency)
            if left < spare:
                break
            if len(second) > _MOST_CENTRES:
                raise ArithmeticError("the numbers of records that are kept are too many")
        w, kept, many = found.next, found.kept, found.many
        rest = found.displaced + (1 - q) * many
        last, full = (cap - 1) * c, cap * c
        first += [(w * (1 - q), last), (w * q + kept, last + 1), (rest, full)]
        if adjacency == "replace":
            second += [(w * (1 - q), last), (w * q + kept, last - 1), (rest, full)]
        elif adjacency == "zero-out":
            second += [(w + kept, last), (rest, full)]
        else:
            second += [(w, last), (many, full)]
        return first, second, arb(left.abs_upper())


def _without(weight: arb, q: arb, centre: arb, adjacency: str) -> list[tuple[arb, Any]]:
    if adjacency == "replace":
        return [(weight * (1 - q), centre), (weight * q, centre - 1)]
    return [(weight, centre)]


def _ways(adjacency: str) -> tuple[str, ...]:
    """Return the orders that are bounded: both are one under replace-one."""
    if adjacency == "replace":
        return ("remove",)
    return (adjacency,) if adjacency in ("add", "remove") else ("remove", "add")


def _kind(adjacency: str) -> str:
    return "both" if adjacency == "zero-out" else adjacency
