"""The privacy loss of a release, L = ln(P/Q) under P, as compositions need it.

Gaussian releases add their μ² and are one. Every other law of a loss says how much of P and of Q it
puts on each cell of a grid; `dporacle.claims.convolution` does the rest.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import lru_cache
from itertools import pairwise
from typing import TypeVar

from flint import arb

from dporacle import enclosures
from dporacle.claims.quantities import almost_zero, delta_of
from dporacle.enclosures.arithmetic import rounding
from dporacle.enclosures.arithmetic.balls import ball, precision, tighten

_MOST_LISTED = 60_000  # points of a lattice whose masses are listed
_MOST_LOSSES = 64  # pairs of neighbours that are told apart
_EXACT_BITS = 20_000  # of a product of fractions that is written out
_LEAK_BITS = 1024  # of one that is not
_MOST_KINDS = 6  # 2 + 4e^{ε/2} at ε = 0
_RHO_DIGITS = 25
_RHO_BITS = 128
_FAR = 10**6  # e to the minus this is below all that a file can state


@dataclass(frozen=True)
class LossLaw(ABC):
    """The law of the loss of one release."""

    @abstractmethod
    def spread(self) -> float:
        """Return about the standard deviation of the loss."""

    @abstractmethod
    def reach(self, bits: int) -> tuple[float, float]:
        """Return numbers beyond which less than about 2^-bits lies; only speed rests on them."""

    def most(self) -> Fraction | None:
        """Return the largest loss; None if there is none."""
        return None

    @abstractmethod
    def lattice(self) -> tuple[Fraction, Fraction]:
        """Return one of the law's atoms, and a distance such that all lie on multiples of it."""

    def is_discrete(self) -> bool:
        """Tell whether there is nothing beside the atoms."""
        return True

    def has_few_atoms(self) -> bool:
        """Tell whether it is a handful of atoms, so that a fine grid costs little."""
        return False

    def has_atoms(self) -> bool:
        """Tell whether there is an atom, which a grid should have as a point."""
        return True

    def is_small(self) -> bool:
        """Tell whether a grid has to be fine for one release, however many are made."""
        return False

    def told_way(self) -> str:
        """Return which of two neighbours has more, where that is not all the same."""
        return ""

    @abstractmethod
    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε) of the release alone."""

    def has_formula(self) -> bool:
        """Whether that is enclosed by itself."""
        return True

    def renyi(self, order: Fraction) -> Fraction | None:
        """Return the Rényi divergence of an order; None where it is not known exactly."""
        return None

    def zcdp(self) -> Fraction | None:
        """Return a ρ with D_α ≤ αρ for every α > 1; None where none is known."""
        most = self.most()
        return None if most is None else rho_of_pure(most)

    def zcdp_least(self) -> Fraction:
        """Return a number that no ρ of the law is below; each divergence of order 1 is one."""
        return Fraction(0)

    @abstractmethod
    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Return what lies in [x_j, x_{j+1}) for each two edges that follow each other."""

    def on_lattice(self, step: Fraction, bits: int, *, up: bool) -> tuple[int, list[arb]] | None:
        """Return masses at multiples of a step, from the first one on; None where cells say more.

        They are those of a pair that dominates the law, or, from below, that it dominates. Masses
        below 2^-bits are not followed.
        """
        return None


@dataclass(frozen=True, slots=True)
class PairOnGrid:
    """What P and Q put on the cells of a grid.

    Attributes:
        p, q: of each cell, but for what is in `atoms`.
        below: what P puts below the first edge.
        atoms: place of an edge -> what P puts on it.
    """

    p: list[arb]
    q: list[arb]
    below: arb
    atoms: dict[int, arb] = field(default_factory=dict)


@dataclass(frozen=True)
class PrivacyLoss:
    """The loss of independent releases together.

    Attributes:
        mu_squared: μ² of those that are Gaussian.
        others: the laws of the others, and how often each is released.
        leaks: δ₀ of a release -> how often; with probability δ₀ its loss has no end.
        rho: the sum of the ρ of releases of which nothing but ρ is known: an upper bound.
    """

    mu_squared: Fraction = Fraction(0)
    others: dict[LossLaw, int] = field(default_factory=dict)
    leaks: dict[Fraction, int] = field(default_factory=dict)
    rho: Fraction = Fraction(0)

    def __add__(self, other: PrivacyLoss) -> PrivacyLoss:
        return PrivacyLoss(
            self.mu_squared + other.mu_squared,
            _counted(self.others, other.others),
            _counted(self.leaks, other.leaks),
            self.rho + other.rho,
        )

    def ways(self) -> set[str]:
        """Return which of two neighbours has more, in the releases in which that matters.

        In one pair of neighbours it is the same one in all.
        """
        return {way for law in self.others if (way := law.told_way())}

    @property
    def is_gaussian(self) -> bool:
        """Whether it is that of Gaussian noise, or of nothing."""
        return not (self.others or self.leaks or self.rho)

    def most(self) -> Fraction | None:
        """Return the largest loss; None if there is none."""
        each = [(law.most(), times) for law, times in self.others.items()]
        if self.mu_squared or self.leaks or self.rho or any(one is None for one, _ in each):
            return None
        return sum((one * times for one, times in each if one is not None), Fraction(0))

    def times(self, count: int) -> PrivacyLoss:
        """Return the loss of so many releases of all this."""
        laws = {law: times * count for law, times in self.others.items()}
        leaks = {delta: times * count for delta, times in self.leaks.items()}
        return PrivacyLoss(count * self.mu_squared, laws, leaks, count * self.rho)

    def leaked(self) -> tuple[Fraction, Fraction]:
        """Return what the probability of an endless loss is between, 1 − Π(1 − δ₀)."""
        if any(delta == 1 for delta in self.leaks):
            return Fraction(1), Fraction(1)
        bits = sum(delta.denominator.bit_length() * n for delta, n in self.leaks.items())
        if bits <= _EXACT_BITS:
            kept = math.prod((1 - delta) ** n for delta, n in self.leaks.items())
            return 1 - Fraction(kept), 1 - Fraction(kept)
        with precision(_LEAK_BITS):
            logs = (n * (-ball(delta)).log1p() for delta, n in self.leaks.items())
            return rounding.bounds(-(sum(logs, arb(0))).expm1())

    def zcdp(self) -> Fraction | None:
        """Return a ρ that all but the leaks have; None where a law of them has none."""
        total = self.rho + self.mu_squared / 2
        for law, times in self.others.items():
            each = law.zcdp()
            if each is None:
                return None
            total += times * each
        return total

    def zcdp_least(self) -> Fraction:
        """Return a number that no ρ is below: the divergences of order 1 are met together."""
        each = (n * law.zcdp_least() for law, n in self.others.items())
        return self.mu_squared / 2 + sum(each, Fraction(0))

    def renyi(self, order: Fraction) -> Fraction | None:
        """Return the Rényi divergence of an order; None where it is not known exactly."""
        if self.leaks or self.rho:
            return None
        total = order * self.mu_squared / 2
        for law, times in self.others.items():
            each = law.renyi(order)
            if each is None:
                return None
            total += times * each
        return total

    @property
    def has_formula(self) -> bool:
        """Whether there is a formula of δ(ε): it is Gaussian noise, or one release."""
        if self.leaks or self.rho or not all(law.has_formula() for law in self.others):
            return False
        return (self.mu_squared > 0) + sum(self.others.values()) <= 1

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε), by a formula."""
        if not self.others:
            return delta_of(epsilon=epsilon, mu_squared=self.mu_squared, digits=digits)
        (law,) = self.others
        return law.delta_at_epsilon(epsilon=epsilon, digits=digits)


_Kind = TypeVar("_Kind")


def _counted(one: Mapping[_Kind, int], other: Mapping[_Kind, int]) -> dict[_Kind, int]:
    """Return how often each is in both together."""
    return {each: one.get(each, 0) + other.get(each, 0) for each in {**one, **other}}


@dataclass(frozen=True)
class Extent:
    """What is known of the loss of the worst pair of neighbours.

    Attributes:
        most: no pair has a loss that is worse than all of these.
        least: some pair has each of these; where nothing is known the loss is 0.
    """

    most: tuple[PrivacyLoss, ...]
    least: tuple[PrivacyLoss, ...]

    @property
    def is_exact(self) -> bool:
        """Whether the worst pair is known."""
        return self.most == self.least

    @property
    def is_nothing(self) -> bool:
        """Whether no pair is known to have a loss."""
        return self.least == (PrivacyLoss(),)

    @property
    def is_gaussian(self) -> bool:
        """Whether all of it is that of Gaussian noise, or of nothing."""
        return all(loss.is_gaussian for loss in self.most + self.least)

    def __add__(self, other: Extent) -> Extent:
        """Return that of two releases whose worst pairs are the same one."""
        return _extent(
            *(
                [c for a in one for b in two if len((c := a + b).ways()) < 2]
                for one, two in ((self.most, other.most), (self.least, other.least))
            )
        )

    def __or__(self, other: Extent) -> Extent:
        """Return that of two releases no pair of which has a loss in both."""
        return _extent(self.most + other.most, self.least + other.least)

    def with_least_of(self, parts: Sequence[Extent]) -> Extent:
        """Return that of releases of which only one is known to be at its worst."""
        return _extent(self.most, [loss for part in parts for loss in part.least])

    def times(self, count: int) -> Extent:
        """Return that of so many releases of all this."""
        most, least = (
            tuple(loss.times(count) for loss in losses) for losses in (self.most, self.least)
        )
        return Extent(most, least)


def _extent(most: Sequence[PrivacyLoss], least: Sequence[PrivacyLoss]) -> Extent:
    """Leave out what is not the worst, and what is too much to be told apart."""
    above = _worst(most)
    if len(above) > _MOST_LOSSES:  # what is worse than all of them
        laws = {law for loss in above for law in loss.others}
        most_of_each = {law: max(loss.others.get(law, 0) for loss in above) for law in laws}
        deltas = {delta for loss in above for delta in loss.leaks}
        leaks = {delta: max(loss.leaks.get(delta, 0) for loss in above) for delta in deltas}
        rho = max(loss.rho for loss in above)
        above = (PrivacyLoss(max(loss.mu_squared for loss in above), most_of_each, leaks, rho),)
    return Extent(above, _worst(least)[:_MOST_LOSSES])


def _worst(losses: Sequence[PrivacyLoss]) -> tuple[PrivacyLoss, ...]:
    """Return, of losses that differ in their Gaussian part alone, the worst one."""
    found: dict[Hashable, PrivacyLoss] = {}
    for loss in losses:
        key = frozenset(loss.others.items()), frozenset(loss.leaks.items()), loss.rho
        if key not in found or found[key].mu_squared < loss.mu_squared:
            found[key] = loss
    rest = [loss for loss in found.values() if loss != PrivacyLoss()]
    return tuple(rest) or (PrivacyLoss(),)


@dataclass(frozen=True)
class DiscreteGaussianLoss(LossLaw):
    """L = (2yΔ − Δ²)/2σ², y the output, P centred at Δ and Q at 0 (X.DG)."""

    variance: Fraction
    distance: int

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε)."""
        distance, variance = self.distance, self.variance
        first = math.floor(epsilon * variance / distance - Fraction(distance, 2)) + 1
        if first > 0 and first**2 > 2 * _FAR * variance:
            return almost_zero()  # Pr[Y ≥ t] ≤ e^{−t²/2σ²}, as the noise is σ²-subgaussian
        from dporacle.enclosures import discrete_gaussian

        return discrete_gaussian.profile_of_variance(epsilon, variance, distance, digits)

    def renyi(self, order: Fraction) -> Fraction | None:
        """Return αρ for a whole order α, at which it is exact (C4 of proofs_notes/claims.md)."""
        return None if order.denominator > 1 else order * self.zcdp()

    def zcdp(self) -> Fraction:
        """Return Δ²/2σ² (C4 of proofs_notes/claims.md)."""
        return self.distance**2 / (2 * self.variance)

    def zcdp_least(self) -> Fraction:
        """Return the same: a whole order α has exactly αρ."""
        return self.zcdp()

    def spread(self) -> float:
        """Return Δ/σ, which is a little more."""
        return self.distance / math.sqrt(self.variance)

    def _wide(self, bits: int) -> int:
        """Return a y beyond which P has less than 2^-bits on either side of its centre."""
        return math.ceil(math.sqrt(2 * self.variance * (bits + 2) * math.log(2))) + 1

    def reach(self, bits: int) -> tuple[float, float]:
        """Return the losses at either end."""
        wide, unit = self._wide(bits), self.distance / self.variance
        middle = unit * Fraction(self.distance, 2)
        return float(middle - wide * unit), float(middle + wide * unit)

    def lattice(self) -> tuple[Fraction, Fraction]:
        """Return the loss at y = 0, and Δ/σ²."""
        return -Fraction(self.distance**2) / (2 * self.variance), self.distance / self.variance

    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Return what lies between the edges."""
        start, unit = self.lattice()
        first = [math.ceil((edge - start) / unit) for edge in edges]  # the least y with L ≥ edge
        low, high = first[0] - self.distance, first[-1]
        is_short = high - low <= _MOST_LISTED
        upper = self._listed(low, high) if is_short else _Upper(self.variance)
        p = [upper[y - self.distance] for y in first]
        return PairOnGrid(falls(p), falls([upper[y] for y in first]), 1 - p[0])

    def _listed(self, low: int, high: int) -> dict[int, arb]:
        """Return Pr[Y ≥ y] for every y of a range, by adding masses from the end."""
        from dporacle.enclosures.discrete.lattice import normaliser

        upper, s = _Upper(self.variance), ball(1 / (2 * self.variance))
        total = upper[high]
        found = {high: total}
        whole, size = normaliser(s)[0], max(abs(low), abs(high))
        # e^{−sx²} for x = 0, 1, …, each from the one before.
        masses, term, step, ratio = [], 1 / whole, (-s).exp(), (-2 * s).exp()
        for _ in range(size + 1):
            masses.append(term)
            term, step = term * step, step * ratio
        for y in range(high - 1, low - 1, -1):
            total += masses[abs(y)]
            found[y] = total
        return found


class _Upper:
    """Pr[Y ≥ y] of discrete Gaussian noise, one at a time."""

    def __init__(self, variance: Fraction) -> None:
        from dporacle.enclosures.discrete.lattice import half_sums, normaliser

        self._half_sums = half_sums
        self._s = ball(1 / (2 * variance))
        self._whole = normaliser(self._s)[0]

    def __getitem__(self, y: int) -> arb:
        if y > 0:
            return self._half_sums(self._s, y)[0] / self._whole
        return 1 - self._half_sums(self._s, 1 - y)[0] / self._whole


@dataclass(frozen=True)
class LaplaceLoss(LossLaw):
    """L = (|y| − |y − Δ|)/b, y the output, P centred at Δ and Q at 0, m = Δ/b.

    P(L ≥ x) = 1 − e^{−(m−x)/2}/2 and Q(L ≥ x) = e^{−(m+x)/2}/2 for −m < x ≤ m.
    """

    ratio: Fraction

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε)."""
        return enclosures.laplace_delta_at_epsilon(
            epsilon=epsilon, scale=1, sensitivity=self.ratio, digits=digits
        )

    def spread(self) -> float:
        """Return about the standard deviation: most of m where that is small."""
        return min(float(self.ratio), 2.0)

    def reach(self, bits: int) -> tuple[float, float]:
        """Return −m and m."""
        return -float(self.ratio), float(self.ratio)

    def lattice(self) -> tuple[Fraction, Fraction]:
        """Return m and 2m: the atoms are m, with half of P, and −m."""
        return self.ratio, 2 * self.ratio

    def most(self) -> Fraction:
        """Return m."""
        return self.ratio

    def zcdp(self) -> Fraction:
        """Return m − 1 + e^{−m}, rounded up (X.LAPRDP)."""
        return rounded_up(
            enclosures.laplace_zcdp_rho(scale=1, sensitivity=self.ratio, digits=_RHO_DIGITS)
        )

    def zcdp_least(self) -> Fraction:
        """Return m − 1 + e^{−m}, its divergence of order 1, rounded down."""
        exact = enclosures.laplace_zcdp_rho(scale=1, sensitivity=self.ratio, digits=_RHO_DIGITS)
        return rounding.bounds(exact)[0]

    def is_discrete(self) -> bool:
        """Tell that there is a density between the atoms."""
        return False

    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Return what lies between the edges, and on them."""
        m = self.ratio
        inside = [-m < x <= m for x in edges]
        below = [arb(int(x <= -m)) for x in edges]
        p = falls(
            [
                1 - ball((x - m) / 2).exp() / 2 if within else rest
                for x, within, rest in zip(edges, inside, below, strict=True)
            ]
        )
        q = falls(
            [
                ball((-m - x) / 2).exp() / 2 if within else rest
                for x, within, rest in zip(edges, inside, below, strict=True)
            ]
        )
        half, tail = arb(1) / 2, ball(-m).exp() / 2
        # P has 1/2 at m and e^{−m}/2 at −m; Q the other way about.
        atoms = {}
        for j, x in enumerate(edges[:-1]):
            if abs(x) == m:
                atoms[j] = half if x > 0 else tail
                p[j] -= atoms[j]
                q[j] -= tail if x > 0 else half
        least = ball((edges[0] - m) / 2).exp() / 2 if inside[0] else 1 - below[0]
        return PairOnGrid(p, q, least, atoms)


@dataclass(frozen=True)
class ResponseLoss(LossLaw):
    """Randomised response on k values: P = (e^ε, 1, 1, …)/(e^ε + k − 1), Q the same but for two.

    L is ε, −ε or 0. For k = 2 it is the worst that is ε-DP (T-BOX).
    """

    epsilon: Fraction
    kinds: int

    def _atoms(self) -> list[tuple[Fraction, arb]]:
        """Return each loss with its mass under P."""
        power = ball(self.epsilon).exp()
        whole = power + self.kinds - 1
        return [
            (self.epsilon, power / whole),
            (Fraction(0), (self.kinds - 2) / whole),
            (-self.epsilon, 1 / whole),
        ]

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε)."""
        return tighten(
            lambda: sum(
                (-p * ball(epsilon - at).expm1() for at, p in self._atoms() if at > epsilon), arb(0)
            ),
            digits,
        )

    def spread(self) -> float:
        """Return the root of the mean square of the loss."""
        size = float(self.epsilon)
        small = math.exp(-size)
        return size * math.sqrt((1 + small) / (1 + (self.kinds - 1) * small))

    def reach(self, bits: int) -> tuple[float, float]:
        """Return −ε and ε."""
        return -float(self.epsilon), float(self.epsilon)

    def most(self) -> Fraction:
        """Return ε."""
        return self.epsilon

    def zcdp(self) -> Fraction:
        """Return its divergence, rounded up, for k ≤ 2 + 4e^{ε/2}; else that of k = 2 (X.BOX)."""
        return rho_of_pure(self.epsilon, self.kinds)

    def zcdp_least(self) -> Fraction:
        """Return its divergence of order 1, ε(e^ε − 1)/(e^ε + k − 1), rounded down."""
        with precision(_RHO_BITS):
            return rounding.bounds(_divergence(self.epsilon, self.kinds))[0]

    def has_few_atoms(self) -> bool:
        """Tell that it has three at most."""
        return True

    def lattice(self) -> tuple[Fraction, Fraction]:
        """Return ε, and the distance of neighbouring atoms."""
        return self.epsilon, self.epsilon if self.kinds > 2 else 2 * self.epsilon

    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Return what lies between the edges."""
        return of_atoms([(at, p, p * ball(-at).exp()) for at, p in self._atoms()], edges)


@lru_cache(maxsize=4096)
def rho_of_pure(epsilon: Fraction, kinds: int = 2) -> Fraction:
    """Return the ρ of randomised response, rounded up; of k = 2, that of every ε-DP mechanism.

    It is ε(e^ε − 1)/(e^ε + k − 1) where k ≤ 2 + 4e^{ε/2}, which is proved in C10 of
    proofs_notes/claims.md; for more values that is false, and k = 2 is above it.
    """
    with precision(_RHO_BITS):
        few = kinds <= _MOST_KINDS or kinds - 2 < 4 * ball(epsilon / 2).exp()
        return rounded_up(_divergence(epsilon, kinds if few else 2))


def _divergence(epsilon: Fraction, kinds: int) -> arb:
    """Enclose ε(e^ε − 1)/(e^ε + k − 1), at the working precision."""
    if kinds == 2:  # in which nothing cancels
        return ball(epsilon) * (ball(epsilon) / 2).tanh()
    small = (-ball(epsilon)).exp()
    return -ball(epsilon) * (-ball(epsilon)).expm1() / (1 + (kinds - 1) * small)


def rounded_up(value: arb) -> Fraction:
    """Return a rational number that is not below a ball."""
    return rounding.bounds(value)[1]


def of_atoms(atoms: Sequence[tuple[Fraction, arb, arb]], edges: Sequence[Fraction]) -> PairOnGrid:
    """Return what a law of a few atoms, (place, mass of P, mass of Q), has between the edges."""
    p = [sum((mass for at, mass, _ in atoms if at >= x), arb(0)) for x in edges]
    q = [sum((mass for at, _, mass in atoms if at >= x), arb(0)) for x in edges]
    below = sum((mass for at, mass, _ in atoms if at < edges[0]), arb(0))
    return PairOnGrid(falls(p), falls(q), below)


def falls(values: list[arb]) -> list[arb]:
    """Return what lies between each two values that follow each other."""
    return [a - b for a, b in pairwise(values)]
