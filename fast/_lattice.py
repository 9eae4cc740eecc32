"""Laws of losses on a lattice, and their products, in float64.

A product is made by a Fourier transform, whose rounding is of the size of the largest masses. So
the masses are tilted first, by e^{c·loss}: with the c of Chernoff's bound the losses about the ε
that is asked are the likely ones, and what is rounded is small beside the δ that is left of them.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from dporacle.fast._broadcast import Array

_ULP = 2.0**-53
_LOST = 41.0  # nats of what is beyond the window
_TILTS: tuple[float, ...] = (0.0, *(2.0 ** (k / 3) for k in range(-18, 25)))
_SIDES = np.geomspace(1e-3, 1e3, 61)
_LARGEST = 700.0  # of an exponent


@dataclass(frozen=True)
class Losses:
    """A law on a lattice, which so many independent parts of a whole have.

    Attributes:
        first: index of the first loss.
        masses: of the first loss, the next one and so on.
        count: how many parts.
    """

    first: int
    masses: Array
    count: int

    def at(self, width: float) -> Array:
        """Return the losses, in a lattice of this width."""
        return (self.first + np.arange(len(self.masses))) * width

    def tilted(self, width: float, tilt: float) -> tuple[Array, float]:
        """Return the masses times e^{tilt·loss}, with the sum 1, and the logarithm of theirs."""
        powers = tilt * self.at(width)
        top = float(powers.max())
        masses = self.masses * np.exp(powers - top)
        total = float(masses.sum())
        if not total > 0:
            return masses, -math.inf
        return masses / total, top + math.log(total)


@dataclass(frozen=True)
class LatticeLaw:
    """Losses on a lattice, whose δ is not below that of what they dominate.

    Attributes:
        losses: rising.
        masses: of each, times e^{tilt·loss − top}, without what is infinite.
        rest: a bound of the mass of infinite loss.
        share: of a sum of masses, which may be lost to rounding.
        tilt: c ≥ 0.
        top: ln E e^{c·loss}.
        noise: a bound of the sum of the errors of all masses.
    """

    losses: Array
    masses: Array
    rest: float
    share: float
    tilt: float
    top: float
    noise: float

    def delta(self, epsilon: float) -> float:
        """Return Σ w(1 − e^{ε − loss})₊, not below it."""
        above = self.losses > epsilon
        beyond = self.losses[above]
        scale = math.exp(min(self.top - self.tilt * epsilon, _LARGEST))
        weights = self.masses[above] * np.exp(-self.tilt * (beyond - epsilon))
        value = float((weights * -np.expm1(epsilon - beyond)).sum())
        return scale * (value * (1 + self.share) + self.noise) + self.rest


def _log_moment(parts: Sequence[Losses], width: float, tilt: float) -> float:
    return math.fsum(part.count * part.tilted(width, tilt)[1] for part in parts)


def tilt_of(parts: Sequence[Losses], width: float, epsilon: float) -> float:
    """Return the c of Chernoff's bound of the mass above an ε."""

    def bound(tilt: float) -> float:
        return _log_moment(parts, width, tilt) - tilt * epsilon

    return min(_TILTS, key=bound)


def tilt_for(parts: Sequence[Losses], width: float, delta: float) -> float:
    """Return the c of Chernoff's bound of the ε that has a δ."""

    def bound(tilt: float) -> float:
        return (_log_moment(parts, width, tilt) - math.log(delta)) / tilt

    return min(_TILTS[1:], key=bound)


def window(parts: Sequence[Losses], width: float, tilt: float) -> tuple[float, float]:
    """Return losses that are passed below and above with e^{−41} each, of the tilted law."""
    laws = [(p.tilted(width, tilt)[0], p.at(width), p.count) for p in parts]

    def bound(side: float) -> float:
        best = math.inf
        for c in _SIDES:
            log = 0.0
            for masses, losses, count in laws:
                powers = side * c * losses
                top = float(powers.max())
                inner = float((masses * np.exp(powers - top)).sum())
                log += count * (top + math.log(inner) if inner > 0 else math.inf)
            best = min(best, (log + _LOST) / c)
        least = sum(count * float((side * losses).max()) for _, losses, count in laws)
        return min(best, least)

    return -bound(-1.0), bound(1.0)


def product(
    parts: Sequence[Losses], width: float, tilt: float, rest: float, share: float
) -> LatticeLaw:
    """Return the law of the sum of all parts' losses.

    Beyond the window is e^{−41} of the tilted law on either side: what wraps round from above is
    counted as noise, and what wraps from below only raises δ.

    Args:
        parts: the laws, without what is infinite.
        width: of the lattice.
        tilt: c ≥ 0.
        rest: a bound of the mass of infinite loss of all parts together.
        share: of a mass, which may be lost to the rounding of the parts' masses.
    """
    ends = window(parts, width, tilt)
    longest = max(len(part.masses) for part in parts)
    points = max(math.ceil((ends[1] - ends[0]) / width) + 2, longest)
    points = 1 << (points - 1).bit_length()
    spectrum, first, count, top = np.ones(points // 2 + 1, dtype=complex), 0, 0, 0.0
    for part in parts:
        masses, log = part.tilted(width, tilt)
        spectrum = spectrum * np.fft.rfft(masses, points) ** part.count
        first, count, top = (
            first + part.first * part.count,
            count + part.count,
            top + part.count * log,
        )
    start = math.floor(ends[0] / width)
    total = np.roll(np.fft.irfft(spectrum, points), -((start - first) % points))
    # Each frequency is rounded as often as there are parts, and so is each tilted mass. By Parseval
    # and Cauchy and Schwarz the sum of all cells' errors is √N times those of the frequencies.
    rounding = 2 * _ULP * (count + 4) * math.log2(points) * math.sqrt(points)
    reach = tilt * max(abs(each) for part in parts for each in part.at(width)[[0, -1]])
    share += 4 * _ULP * count * (4 + reach)
    losses = (start + np.arange(points)) * width
    noise = 2 * math.exp(-_LOST) + rounding
    return LatticeLaw(losses, np.maximum(total, 0.0), rest, share, tilt, top, noise)
