"""The laws of noise that can be audited, each reduced to independent standard normal numbers.

A sample of the law goes in, independent N(0, 1) numbers come out: exactly so if the sample has
the law, and with every fault of the sample still there if it has not. Laws with atoms, and laws
with fewer dimensions than their vectors, take fresh randomness for it (the randomised
probability integral transform); `proofs_notes/samplers.md` has the proofs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import special

from dporacle import fast
from dporacle.samplers.exact_tails import Limits, discrete_tails, laplace_tails, rank_one_tails

__all__ = [
    "LAWS",
    "DiscreteGaussian",
    "Gaussian",
    "Laplace",
    "LaplaceWithGaussian",
    "Law",
    "RankOneGaussian",
    "RoundedGaussian",
]

Rows = NDArray[np.float64]

_TABLE = 2000.0
"""The largest σ for which the discrete law's tail is a table of sums."""
_REACH = 42.0
"""Standard deviations: beyond, a tail probability is below every positive float64."""


def _positive(name: str, value: float) -> None:
    if not (math.isfinite(value) and value > 0):
        raise ValueError(f"{name} must be positive and finite, got {value!r}")


def _whole(shift: Rows) -> None:
    if np.any(shift != np.floor(shift)):
        raise ValueError(f"shift must be whole numbers, got {shift.tolist()}")


def _exactly(first: float, second: float) -> tuple[Limits, Limits]:
    return (float(first), float(first)), (float(second), float(second))


def _counted(name: str, value: int, least: int) -> None:
    if isinstance(value, bool) or not isinstance(value, int) or value < least:
        raise ValueError(f"{name} must be an integer from {least}, got {value!r}")


@dataclass(frozen=True, kw_only=True)
class Law:
    """What noise is claimed to be: rows of `dimension` numbers, independent from row to row.

    Attributes:
        dimension: numbers in a row.
        continuous: whether two draws coincide with probability 0, but for the grid of the floats.
    """

    dimension: int = 1
    continuous: ClassVar[bool] = True

    def __post_init__(self) -> None:
        _counted("dimension", self.dimension, 1)

    @property
    def name(self) -> str:
        """What the command and adapters call it."""
        return next(name for name, kind in LAWS.items() if type(self) is kind)

    @property
    def parameters(self) -> dict[str, float]:
        """Its numbers by their names, without the dimension."""
        names = (each.name for each in fields(self) if each.name != "dimension")
        return {name: getattr(self, name) for name in names}

    @property
    def width(self) -> int:
        """How many normal numbers a row gives."""
        return self.dimension

    @property
    def collision(self) -> float:
        """A bound on the probability that two draws of one coordinate coincide."""
        return 2.0**-40

    def normal(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return numbers that are independent and N(0, 1) if the rows have this law.

        Args:
            rows: noise, of shape (n, dimension).
            generator: the fresh randomness of laws that need some.
        """
        raise NotImplementedError

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law, of shape (count, dimension), for tests and plans."""
        raise NotImplementedError

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return ln p(x)/p(x − shift) at each row x: the privacy loss of a release.

        Raises:
            ValueError: if this law's loss is not known here.
        """
        raise ValueError(f"the privacy loss of {type(self).__name__} is not known")

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return limits of Pr[L ≥ ε] under this law, for releases of either input.

        Raises:
            ValueError: if they are not known here.
        """
        raise ValueError(f"the tails of {type(self).__name__}'s loss are not known")


@dataclass(frozen=True, kw_only=True)
class Gaussian(Law):
    """Independent N(0, σ²)."""

    sigma: float

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive("sigma", self.sigma)

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
            _exactly(*special.ndtr([mu / 2 - epsilon / mu, -mu / 2 - epsilon / mu]))
            for epsilon in epsilons
        ]


class _Atoms(Law):
    """A symmetric law on a grid: a uniform number between its two tails takes an atom's place."""

    continuous: ClassVar[bool] = False

    def _tails(self, sizes: Rows) -> tuple[Rows, Rows]:
        """Return Pr[noise ≥ s] and Pr[noise > s] for sizes s ≥ 0."""
        raise NotImplementedError

    def normal(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return a normal number for each atom, uniformly within the atom's probability."""
        sizes = np.abs(rows)
        above, beyond = self._tails(sizes)
        place = beyond + generator.random(rows.shape) * (above - beyond)
        found = -special.ndtri(np.maximum(place, 5e-324))
        # The atom 0 has both signs: its probability is Pr[≥ 0] − Pr[> 0], cut at the median.
        return np.where(rows < 0, -found, found)


@dataclass(frozen=True, kw_only=True)
class DiscreteGaussian(_Atoms):
    """Independent whole numbers k with probability in proportion to e^{−k²/2σ²}."""

    sigma: float

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return (‖shift‖²/2 − ⟨x, shift⟩)/σ², for a whole shift: one number for each product."""
        _whole(shift)
        losses: Rows = (shift @ shift / 2 - noise @ shift) / self.sigma**2
        return losses

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return tails of the sum Σ shiftᵢxᵢ of whole numbers, by a finite Fourier transform."""
        _whole(shift)
        return discrete_tails(shift, self.sigma, epsilons)

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive("sigma", self.sigma)

    @property
    def collision(self) -> float:
        """The probability of 0, the likeliest number."""
        return 1 / self._whole

    @property
    def _whole(self) -> float:
        """Σ e^{−k²/2σ²}, by whichever of the two theta series converges at once."""
        if self.sigma > 1:
            correction = 2 * math.exp(-2 * (math.pi * self.sigma) ** 2)
            return self.sigma * math.sqrt(2 * math.pi) * (1 + correction)
        return 1 + 2 * sum(math.exp(-((k / self.sigma) ** 2) / 2) for k in range(1, 60))

    def _tails(self, sizes: Rows) -> tuple[Rows, Rows]:
        if np.any(sizes != np.floor(sizes)):
            bad = sizes[sizes != np.floor(sizes)].flat[0]
            raise ValueError(f"noise must be whole numbers, got one of size {bad!r}")
        atoms = np.exp(-((sizes / self.sigma) ** 2) / 2) / self._whole
        above = self._upper(sizes)
        return above, np.maximum(above - atoms, 0.0)

    def _upper(self, sizes: Rows) -> Rows:
        """Return Pr[noise ≥ s]."""
        if self.sigma > _TABLE:
            return self._smooth_upper(sizes)
        last = math.ceil(_REACH * self.sigma) + 1
        atoms = np.exp(-((np.arange(last + 1) / self.sigma) ** 2) / 2) / self._whole
        sums = np.cumsum(atoms[::-1])[::-1]
        return sums[np.minimum(sizes, last).astype(np.int64)]

    def _smooth_upper(self, sizes: Rows) -> Rows:
        """Return Pr[noise ≥ s] by Euler's and Maclaurin's formula at the midpoint s − ½.

        Its third term is below σ⁻⁴/1000 of the density: less than a last bit from σ = 2000 on.
        """
        x = (sizes - 0.5) / self.sigma
        density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        return special.ndtr(-x) - x * density / (24 * self.sigma**2)

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law, by inversion over a table: for σ up to 2000."""
        if self.sigma > _TABLE:
            raise ValueError(f"sigma must be at most {_TABLE:g} to draw, got {self.sigma!r}")
        last = math.ceil(12 * self.sigma) + 1
        numbers = np.arange(-last, last + 1)
        atoms = np.exp(-((numbers / self.sigma) ** 2) / 2)
        sums = np.cumsum(atoms / atoms.sum())
        found = np.searchsorted(sums, generator.random((count, self.dimension)))
        return numbers[np.minimum(found, len(numbers) - 1)].astype(np.float64)


@dataclass(frozen=True, kw_only=True)
class RoundedGaussian(_Atoms):
    """Independent N(0, σ²), rounded to the nearest multiple of `step`."""

    sigma: float
    step: float

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive("sigma", self.sigma)
        _positive("step", self.step)

    @property
    def collision(self) -> float:
        """The probability of 0, the likeliest number."""
        return float(special.erf(self.step / self.sigma / math.sqrt(8)))

    def _tails(self, sizes: Rows) -> tuple[Rows, Rows]:
        cells = sizes / self.step
        if np.any(np.abs(cells - np.rint(cells)) > 1e-6):
            bad = sizes[np.abs(cells - np.rint(cells)) > 1e-6].flat[0]
            raise ValueError(f"noise must be multiples of step {self.step!r}, got {bad!r}")
        cells = np.rint(cells)
        unit = self.step / self.sigma
        return special.ndtr(-(cells - 0.5) * unit), special.ndtr(-(cells + 0.5) * unit)

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law."""
        smooth = self.sigma * generator.standard_normal((count, self.dimension))
        rounded: Rows = self.step * np.rint(smooth / self.step)
        return rounded


@dataclass(frozen=True, kw_only=True)
class Laplace(Law):
    """Independent Laplace noise of scale b: density e^{−|x|/b}/2b."""

    scale: float

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive("scale", self.scale)

    def normal(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return the normal number with the same tail probability."""
        found: Rows = special.ndtri_exp(-np.abs(rows) / self.scale - math.log(2))
        return np.copysign(found, rows)

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law."""
        return generator.laplace(0.0, self.scale, (count, self.dimension))

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
        if abs(epsilon) > m:
            return _exactly(*(2 * [float(epsilon < 0)]))
        return _exactly(1 - math.exp((epsilon - m) / 2) / 2, math.exp(-(epsilon + m) / 2) / 2)


@dataclass(frozen=True, kw_only=True)
class LaplaceWithGaussian(Law):
    """Laplace noise of scale b on the first coordinate, independent N(0, σ²) on the others."""

    scale: float
    sigma: float

    def __post_init__(self) -> None:
        super().__post_init__()
        _counted("dimension", self.dimension, 2)
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

    sigma_star: float

    def __post_init__(self) -> None:
        super().__post_init__()
        _positive("sigma_star", self.sigma_star)
        _counted("dimension", self.dimension, 2)

    @property
    def width(self) -> int:
        """One number for the length, and as many as the direction has coordinates."""
        return self.dimension + 1

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


LAWS: dict[str, type[Law]] = {
    "gaussian": Gaussian,
    "discrete": DiscreteGaussian,
    "rounded": RoundedGaussian,
    "laplace": Laplace,
    "laplace-gaussian": LaplaceWithGaussian,
    "rank-one": RankOneGaussian,
}
"""The laws by the names that the command and adapters give them."""
