"""The privacy loss of a release, L = ln(P/Q) under P, as compositions need it.

Gaussian releases add their μ² and are one. Every other law of a loss says how much of P and of Q it
puts on each cell of a grid; `dporacle.claims.convolution` does the rest.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise

from flint import arb

from dporacle import enclosures
from dporacle.claims.quantities import almost_zero, delta_of
from dporacle.enclosures.arithmetic.balls import ball

_MOST_LISTED = 60_000  # points of a lattice whose masses are listed
_MOST_LOSSES = 64  # pairs of neighbours that are told apart
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

    @abstractmethod
    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε) of the release alone."""

    def renyi(self, order: Fraction) -> Fraction | None:
        """Return the Rényi divergence of an order; None where it is not known exactly."""
        return None

    @abstractmethod
    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Return what lies in [x_j, x_{j+1}) for each two edges that follow each other."""


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
    """

    mu_squared: Fraction = Fraction(0)
    others: dict[LossLaw, int] = field(default_factory=dict)

    def __add__(self, other: PrivacyLoss) -> PrivacyLoss:
        laws = dict(self.others)
        for law, times in other.others.items():
            laws[law] = laws.get(law, 0) + times
        return PrivacyLoss(self.mu_squared + other.mu_squared, laws)

    def most(self) -> Fraction | None:
        """Return the largest loss; None if there is none."""
        each = [(law.most(), times) for law, times in self.others.items()]
        if self.mu_squared or any(one is None for one, _ in each):
            return None
        return sum((one * times for one, times in each if one is not None), Fraction(0))

    def times(self, count: int) -> PrivacyLoss:
        """Return the loss of so many releases of all this."""
        laws = {law: times * count for law, times in self.others.items()}
        return PrivacyLoss(count * self.mu_squared, laws)

    def renyi(self, order: Fraction) -> Fraction | None:
        """Return the Rényi divergence of an order; None where it is not known exactly."""
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
        return (self.mu_squared > 0) + sum(self.others.values()) <= 1

    def delta_at_epsilon(self, *, epsilon: Fraction, digits: int) -> arb:
        """Enclose δ(ε), by a formula."""
        if not self.others:
            return delta_of(epsilon=epsilon, mu_squared=self.mu_squared, digits=digits)
        (law,) = self.others
        return law.delta_at_epsilon(epsilon=epsilon, digits=digits)


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

    def __add__(self, other: Extent) -> Extent:
        """Return that of two releases whose worst pairs are the same one."""
        return _extent(
            [a + b for a in self.most for b in other.most],
            [a + b for a in self.least for b in other.least],
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
        above = (PrivacyLoss(max(loss.mu_squared for loss in above), most_of_each),)
    return Extent(above, _worst(least)[:_MOST_LOSSES])


def _worst(losses: Sequence[PrivacyLoss]) -> tuple[PrivacyLoss, ...]:
    """Return, of losses that differ in their Gaussian part alone, the worst one."""
    found: dict[frozenset[tuple[LossLaw, int]], PrivacyLoss] = {}
    for loss in losses:
        key = frozenset(loss.others.items())
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
        return None if order.denominator > 1 else order * self.distance**2 / (2 * self.variance)

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
        return PairOnGrid(_falls(p), _falls([upper[y] for y in first]), 1 - p[0])

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

    def is_discrete(self) -> bool:
        """Tell that there is a density between the atoms."""
        return False

    def cells(self, edges: Sequence[Fraction]) -> PairOnGrid:
        """Return what lies between the edges, and on them."""
        m = self.ratio
        inside = [-m < x <= m for x in edges]
        below = [arb(int(x <= -m)) for x in edges]
        p = _falls(
            [
                1 - ball((x - m) / 2).exp() / 2 if within else rest
                for x, within, rest in zip(edges, inside, below, strict=True)
            ]
        )
        q = _falls(
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


def _falls(values: list[arb]) -> list[arb]:
    return [a - b for a, b in pairwise(values)]
