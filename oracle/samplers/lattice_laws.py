"""Laws of noise on a grid, whose numbers have atoms."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from scipy import special

from dporacle.samplers.exact_tails import Limits, discrete_tails
from dporacle.samplers.law import Law, Rows, positive

__all__ = ["DiscreteGaussian", "RoundedGaussian"]

_TABLE = 2000.0
"""The largest σ for which the discrete law's tail is a table of sums."""
_REACH = 42.0
"""Standard deviations: beyond, a tail probability is below every positive float64."""


def _require_whole(shift: Rows) -> None:
    if np.any(shift != np.floor(shift)):
        raise ValueError(f"shift must be whole numbers, got {shift.tolist()}")


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

    name: ClassVar[str] = "discrete"
    sigma: float

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return (‖shift‖²/2 − ⟨x, shift⟩)/σ², for a whole shift: one number for each product."""
        _require_whole(shift)
        losses: Rows = (shift @ shift / 2 - noise @ shift) / self.sigma**2
        return losses

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return tails of the sum Σ shiftᵢxᵢ of whole numbers, by a finite Fourier transform."""
        _require_whole(shift)
        return discrete_tails(shift, self.sigma, epsilons)

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("sigma", self.sigma)

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

    name: ClassVar[str] = "rounded"
    sigma: float
    step: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("sigma", self.sigma)
        positive("step", self.step)

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
