"""Laws of noise with a density."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from dporacle import fast
from dporacle.wings.samplers.exact_tails import Limits, laplace_tails, rank_one_tails
from dporacle.wings.samplers.law import NEAR, Keys, Law, Rows, cells_of, counted, exactly, positive

_LONGEST = 1e150
"""Coordinates are cut here before they are squared."""
_TIED = 1e-12
"""The share of its largest size by which rounding may move a Laplace loss."""


@dataclass(frozen=True, kw_only=True)
class Gaussian(Law):
    """Independent N(0, σ²)."""

    name: ClassVar[str] = "gaussian"
    linear: ClassVar[bool] = True
    sigma: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("sigma", self.sigma)

    def normal(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return rows/σ."""
        return rows / self.sigma

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law."""
        return self.sigma * generator.standard_normal((count, self.dimension))

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return (‖shift‖² − 2⟨x, shift⟩)/2σ² (BW18.L3)."""
        scaled = shift / self.sigma
        return scaled @ scaled / 2 - (noise / self.sigma) @ scaled

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return Φ(μ/2 − ε/μ) and Φ(−μ/2 − ε/μ), μ = ‖shift‖/σ (BW18.L6)."""
        mu = float(np.linalg.norm(shift / self.sigma))
        return [
            exactly(*special.ndtr([mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu]))
            for epsilon in epsilons
        ]


def laplace_square_moments(share: float, tilts: Rows) -> Rows:
    """Return ln E e^{tZ²} of the normal numbers of Laplace noise that is too small by a share.

    With κ = 1/(1 − share) is Pr[|Z| ≥ z] = (2Φ(−z))^κ, so that |Z| has the density
    2κφ(z)(2Φ(−z))^{κ−1}: by Gauss's rule with 16 points on each of 80 intervals of [0, 40].
    """
    power = 1 / (1 - share)
    nodes, weights = np.polynomial.legendre.leggauss(16)
    z = ((nodes + 1) / 4 + np.arange(0, 40, 0.5)[:, None]).ravel()
    logs = special.log_ndtr(-z) + math.log(2)
    density = math.log(power) + (power - 1) * logs - z * z / 2 + math.log(2 / math.pi) / 2
    spread = np.tile(weights / 4, 80)
    found: Rows = np.log(np.exp(density + tilts[:, None] * z * z) @ spread)
    return found


@dataclass(frozen=True, kw_only=True)
class Laplace(Law):
    """Independent Laplace noise of scale b: density e^{−|x|/b}/2b."""

    name: ClassVar[str] = "laplace"
    scale: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("scale", self.scale)

    def normal(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return the normal number with the same tail probability."""
        found: Rows = special.ndtri_exp(-np.abs(rows) / self.scale - math.log(2))
        return np.copysign(found, rows)

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law."""
        return generator.laplace(0.0, self.scale, (count, self.dimension))

    def square_moments(self, share: float, tilts: Rows) -> Rows:
        """Return ln E e^{tZ²} by quadrature."""
        return laplace_square_moments(share, tilts)

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return Σ (|xᵢ − shiftᵢ| − |xᵢ|)/b."""
        sums: Rows = np.sum(np.abs(noise - shift) - np.abs(noise), axis=1)
        return sums / self.scale

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return 1 − ½e^{(ε−m)/2} and ½e^{−(ε+m)/2} if one coordinate moves by mb; else limits."""
        sizes = np.abs(shift[shift != 0]) / self.scale
        if len(sizes) > 1:
            return laplace_tails(sizes, epsilons)
        return [self._one_tail(float(sizes[0]), epsilon) for epsilon in epsilons]

    @staticmethod
    def _one_tail(m: float, epsilon: float) -> tuple[Limits, Limits]:
        """Return both tails: at ±m the loss has atoms, and no float tells on which side it is."""
        beyond, within = (
            (float(end < 0), float(end < 0))
            if abs(end) > m
            else (1 - math.exp((end - m) / 2) / 2, math.exp(-(end + m) / 2) / 2)
            for end in (epsilon + _TIED * m, epsilon - _TIED * m)
        )
        return (beyond[0], within[0]), (beyond[1], within[1])


@dataclass(frozen=True, kw_only=True)
class LaplaceWithGaussian(Law):
    """Laplace noise of scale b on the first coordinate, independent N(0, σ²) on the others."""

    name: ClassVar[str] = "laplace-gaussian"
    scale: float
    sigma: float

    def __post_init__(self) -> None:
        super().__post_init__()
        counted("dimension", self.dimension, 2)
        self._parts  # noqa: B018 - their own errors name what is wrong

    @property
    def _parts(self) -> tuple[Laplace, Gaussian]:
        return Laplace(scale=self.scale), Gaussian(sigma=self.sigma, dimension=self.dimension - 1)

    def normal(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return both parts' normal numbers."""
        first, rest = self._parts
        return np.hstack(
            (first.normal(rows[:, :1], generator), rest.normal(rows[:, 1:], generator))
        )

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law."""
        return np.hstack([part.draw(count, generator) for part in self._parts])

    def square_moments(self, share: float, tilts: Rows) -> Rows:
        """Return the mean over the numbers of a row: both parts are too small by the share."""
        first = laplace_square_moments(share, tilts)
        rest = -np.log1p(-2 * tilts * (1 - share) ** 2) / 2
        mean: Rows = (first + (self.dimension - 1) * rest) / self.dimension
        return mean

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return the sum of both parts' losses."""
        first, rest = self._parts
        return first.loss(noise[:, :1], shift[:1]) + rest.loss(noise[:, 1:], shift[1:])

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return the tails of that sum; of one part alone where the other does not move."""
        first, rest = self._parts
        if not shift[1:].any():
            return first.loss_tails(shift[:1], epsilons)
        if not shift[0]:
            return rest.loss_tails(shift[1:], epsilons)
        mu = float(np.linalg.norm(shift[1:] / self.sigma))
        return laplace_tails(np.abs(shift[:1]) / self.scale, epsilons, mu=mu)


@dataclass(frozen=True, kw_only=True)
class RankOneGaussian(Law):
    """u·√σ*·z, u uniform on the unit sphere of R^d and z standard normal (JL24.T1)."""

    name: ClassVar[str] = "rank-one"
    peaked: ClassVar[bool] = True
    sigma_star: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("sigma_star", self.sigma_star)
        counted("dimension", self.dimension, 2)

    @property
    def width(self) -> int:
        """One number for the length, and as many as the direction has coordinates."""
        return self.dimension + 1

    @property
    def spread(self) -> float:
        """A coordinate's standard deviation."""
        return math.sqrt(self.sigma_star / self.dimension)

    @property
    def sized(self) -> str:
        """All numbers together: the length, which alone has a scale, is one of many."""
        return "a σ of the normal numbers that draws are made"

    def keys(self, rows: Rows, value: float, *, bits: int = NEAR) -> Keys:
        """Return a number for the length of each row: its coordinates have no highest density.

        Returns:
            An array of shape (n, 1).
        """
        length = np.linalg.norm(np.clip(rows - value, -_LONGEST, _LONGEST), axis=1, keepdims=True)
        return cells_of(length, math.sqrt(self.sigma_star), bits)

    def normal(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return the signed length over √σ*, and the direction times a fresh chi variable."""
        count = len(rows)
        largest = np.max(np.abs(rows), axis=1, keepdims=True)
        scaled = rows / np.where(largest > 0, largest, 1.0)
        norm = np.sqrt(np.sum(scaled**2, axis=1, keepdims=True))
        direction = scaled / np.where(norm > 0, norm, 1.0)
        length = largest * norm / math.sqrt(self.sigma_star)
        sign = generator.choice((-1.0, 1.0), size=(count, 1))
        chi = np.sqrt(2 * generator.standard_gamma(self.dimension / 2, size=(count, 1)))
        return np.hstack((sign * length, chi * direction))

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law."""
        drawn: Rows = fast.rank_one_sample(
            sigma_star=self.sigma_star, dimension=self.dimension, size=count, generator=generator
        )
        return drawn

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return (d−1) ln(‖x − shift‖/‖x‖) + (‖x − shift‖² − ‖x‖²)/2σ* (JL24.T1's density)."""
        here, there = (np.linalg.norm(rows, axis=1) for rows in (noise, noise - shift))
        with np.errstate(divide="ignore"):
            losses: Rows = (self.dimension - 1) * np.log(there / here)
        losses += (there - here) * (there + here) / (2 * self.sigma_star)
        return losses

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return the tails by integration over the noise's length; all turns are alike."""
        distance = float(np.linalg.norm(shift))
        return rank_one_tails(distance, self.sigma_star, self.dimension, epsilons)
