"""Laws of noise on a grid, whose numbers have atoms."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Self

import numpy as np
from scipy import special

from dporacle.wings.samplers.cells import shift_tails
from dporacle.wings.samplers.continuous_laws import laplace_square_moments
from dporacle.wings.samplers.exact_tails import Limits, discrete_tails
from dporacle.wings.samplers.law import (
    ALIKE,
    NEAR,
    Keys,
    Law,
    Members,
    Rows,
    cells_of,
    exactly,
    positive,
    whole,
)

_TABLE = 2000.0
"""The largest σ for which the discrete law's tail is a table of sums."""
_REACH = 42.0
"""Standard deviations: beyond, a tail probability is below every positive float64."""
_LEAST = 1e-300
"""The smallest tail probability that is reduced exactly."""
_MOST_CELLS = 1e300
_FINE = 2.0**-13
"""The step, in σ, below which rounded noise has the losses of noise that is not rounded."""
_WHOLE = 9.5
"""Standard deviations: beyond lies less than 10⁻²⁰ of the noise."""
_UNLIKELY = 46.1
"""Scales of discrete Laplace noise: beyond lies less than 10⁻²⁰ of it."""
_MET, _MET_SCALES = 17.0, 139.0
"""Standard deviations, and scales of Laplace noise, beyond which no audit meets a number."""
_SMOOTH = 2**16
"""More atoms of one sign are as good as a density: cells that narrow change no power."""


def require_whole(shift: Rows) -> None:
    """Refuse a shift that is not whole, naming it."""
    if np.any(shift != np.floor(shift)):
        raise ValueError(f"shift must be whole numbers, got {shift.tolist()}")


def require_whole_noise(noise: Rows) -> None:
    """Refuse noise that is not whole, or not finite, naming the first such number."""
    bad = noise[~(np.isfinite(noise) & (noise == np.floor(noise)))]
    if bad.size:
        raise ValueError(f"noise must be whole numbers, got {float(bad[0])!r}")


def moments_of_cells(there: Rows, beyond: Rows, tilts: Rows) -> Rows:
    """Return ln E e^{tZ²} of numbers Z that are normal within the cell of each atom.

    With r = √(1 − 2t) is ∫ e^{tz²}φ(z)dz from a to b (Φ(rb) − Φ(ra))/r.

    Args:
        there: how likely the atom of each size is, of both signs together.
        beyond: the claimed probability of a larger size, of one sign: it ends the atom's cell.
        tilts: each t.
    """
    ends = np.append(0.0, -special.ndtri(beyond))
    here = -np.diff(special.ndtr(-ends))
    kept = (there > 0) & (here > 0)
    if not kept.any():  # a step beyond all floats: noise that is always 0 makes normal numbers
        return -np.log1p(-2 * tilts) / 2
    chances = there[kept] / there[kept].sum()
    found = np.empty(len(tilts))
    for place, root in enumerate(np.sqrt(1 - 2 * tilts)):
        inside = -np.diff(special.ndtr(-root * ends))[kept]
        found[place] = math.log(float(np.sum(chances * (inside / here[kept])))) - math.log(root)
    return found


def drawn(sigma: float, uniform: Rows) -> Rows:
    """Return a number of the discrete Gaussian law for each uniform one, by a table."""
    last = math.ceil(12 * sigma) + 1
    numbers = np.arange(-last, last + 1)
    atoms = np.exp(-((numbers / sigma) ** 2) / 2)
    places = np.searchsorted(np.cumsum(atoms / atoms.sum()), uniform)
    return numbers[np.minimum(places, 2 * last)].astype(np.float64)


class Atoms(Law):
    """A symmetric law on a grid: a uniform number between its two tails takes an atom's place."""

    continuous: ClassVar[bool] = False

    def keys(self, rows: Rows, value: float, *, bits: int = NEAR) -> Keys:
        """Return how many steps of the grid the noise is; of the finest grids the cells' numbers.

        A release may be rounded: its number of steps and that of the value are whole, the sum of
        roundings is not.
        """
        if self.collision <= ALIKE:
            return cells_of(rows - value, self.spread, bits)
        return whole(rows / self.grid) - whole(np.array(value / self.grid))

    def _tails(self, sizes: Rows) -> tuple[Rows, Rows]:
        """Return Pr[noise ≥ s] and Pr[noise > s] for sizes s ≥ 0 on the grid."""
        raise NotImplementedError

    def _scaled(self, sizes: Rows) -> Rows:
        """Return t for which Pr[|noise| ≥ s] is at most 2e^{−t²/2}."""
        raise NotImplementedError

    def _log_chances(self, cells: Rows) -> Rows:
        """Return ln of the probability of each number of steps."""
        raise NotImplementedError

    def _loss_of_cells(self, cells: Rows, moved: Rows) -> Rows:
        """Return the sum of ln p(k)/p(k − m) over the coordinates that move."""
        kept = moved != 0
        here, there = cells[:, kept], cells[:, kept] - moved[kept]
        losses: Rows = np.sum(self._log_chances(here) - self._log_chances(there), axis=1)
        return losses

    def _tails_of_cells(
        self, cells: Rows, moved: Rows, epsilons: Sequence[float]
    ) -> list[tuple[Limits, Limits]]:
        """Return limits of the tails of that sum, from the cells that are likely."""
        logs = self._log_chances(cells)
        return shift_tails(
            lambda size: logs - self._log_chances(cells - size), np.exp(logs), moved, epsilons
        )

    @property
    def _met(self) -> float:
        """Beyond it lies less than 10⁻⁶⁰ of the noise."""
        raise NotImplementedError

    def _smaller(self, share: float) -> Self:
        """Return the law of noise that is smaller by a share, on the same grid."""
        raise NotImplementedError

    def square_moments(self, share: float, tilts: Rows) -> Rows | None:
        """Return ln E e^{tZ²}, atom by atom; of atoms without number as of a density."""
        atoms = self._met / self.grid  # infinite on the finest grids
        if atoms > _SMOOTH:
            return self._smooth_moments(share, tilts)
        sizes = self.grid * np.arange(math.ceil(atoms) + 1, dtype=np.float64)
        above, beyond = self._smaller(share)._tails(sizes)
        there = (above - beyond) * np.where(sizes > 0, 2, 1)
        return moments_of_cells(there, self._tails(sizes)[1], tilts)

    def _smooth_moments(self, share: float, tilts: Rows) -> Rows | None:
        """Return the same where the grid is too fine to matter."""
        return None

    def normal(self, rows: Rows, generator: np.random.Generator) -> Rows:
        """Return a normal number for each atom, uniformly within the atom's probability."""
        sizes = np.abs(rows)
        above, beyond = self._tails(sizes)
        place = beyond + generator.random(rows.shape) * (above - beyond)
        found = -special.ndtri(np.maximum(place, 5e-324))
        # Where the tail is no float any more, a number that is as improbable.
        found = np.where(above > _LEAST, found, np.maximum(found, self._scaled(sizes)))
        # The atom 0 has both signs: its probability is Pr[≥ 0] − Pr[> 0], cut at the median.
        return np.where(rows < 0, -found, found)


class WholeNumbers(Atoms):
    """A symmetric law on the whole numbers."""

    @property
    def grid(self) -> float:
        """Whole numbers."""
        return 1.0

    def possible(self, rows: Rows) -> Members:
        """Return which numbers are whole."""
        whole: Members = np.isfinite(rows) & (rows == np.floor(rows))
        return whole


@dataclass(frozen=True, kw_only=True)
class DiscreteGaussian(WholeNumbers):
    """Independent whole numbers k with probability in proportion to e^{−k²/2σ²}."""

    name: ClassVar[str] = "discrete"
    sigma: float

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return (‖shift‖²/2 − ⟨x, shift⟩)/σ², for a whole shift: one number for each product."""
        require_whole(shift)
        require_whole_noise(noise)
        losses: Rows = (shift @ shift / 2 - noise @ shift) / self.sigma**2
        return losses

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return tails of the sum Σ shiftᵢxᵢ of whole numbers, by a finite Fourier transform."""
        require_whole(shift)
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
        # A product may be infinite, where a power would be an error.
        return 1 + 2 * sum(math.exp(-(x * x) / 2) for x in (k / self.sigma for k in range(1, 60)))

    def _scaled(self, sizes: Rows) -> Rows:
        return sizes / self.sigma

    @property
    def _met(self) -> float:
        return _MET * self.sigma

    def _smaller(self, share: float) -> Self:
        return replace(self, sigma=self.sigma * (1 - share))

    def _tails(self, sizes: Rows) -> tuple[Rows, Rows]:
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
        x = np.minimum((sizes - 0.5) / self.sigma, 2 * _REACH)
        density = np.exp(-x * x / 2) / math.sqrt(2 * math.pi)
        return special.ndtr(-x) - x * density / (24 * self.sigma**2)

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law, by inversion over a table: for σ up to 2000."""
        if self.sigma > _TABLE:
            raise ValueError(f"sigma must be at most {_TABLE:g} to draw, got {self.sigma!r}")
        return drawn(self.sigma, generator.random((count, self.dimension)))


class _Steps(Atoms):
    """A law on the multiples of a step, which its own fields name."""

    step: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("step", self.step)

    @property
    def grid(self) -> float:
        """The step."""
        return self.step

    def _cells(self, name: str, values: Rows) -> Rows:
        """Return how many steps each value is from 0."""
        whole, near = self._whole(values)
        if not near.all():
            bad = float(values[~near].flat[0])
            raise ValueError(f"{name} must be multiples of step {self.step!r}, got {bad!r}")
        return whole

    def _whole(self, values: Rows) -> tuple[Rows, Members]:
        """Return the nearest whole numbers of steps, and which are as near as rounding explains."""
        with np.errstate(over="ignore"):
            cells = np.clip(values / self.step, -_MOST_CELLS, _MOST_CELLS)
        whole: Rows = np.rint(cells)
        return whole, np.abs(cells - whole) <= np.maximum(1e-6, np.abs(cells) * 2.0**-50)

    def possible(self, rows: Rows) -> Members:
        """Return which numbers are multiples of the step."""
        return np.isfinite(rows) & self._whole(rows)[1]


@dataclass(frozen=True, kw_only=True)
class RoundedGaussian(_Steps):
    """Independent N(0, σ²), rounded to the nearest multiple of `step`."""

    name: ClassVar[str] = "rounded"
    sigma: float
    step: float

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("sigma", self.sigma)

    @property
    def collision(self) -> float:
        """The probability of 0, the likeliest number."""
        return float(special.erf(self.step / self.sigma / math.sqrt(8)))

    @property
    def _unit(self) -> float:
        return self.step / self.sigma

    def _log_chances(self, cells: Rows) -> Rows:
        """Return ln of each cell's probability."""
        ends = np.abs(cells) * self._unit
        near, far = (special.log_ndtr(-ends + side * self._unit / 2) for side in (1, -1))
        found: Rows = near + np.log(-np.expm1(far - near))
        return found

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return the sum of ln p(k)/p(k − m) over the cells k; on a fine grid, its Gaussian limit.

        On a grid finer than 2⁻¹³σ both, and the loss of noise that is not rounded, are within a
        cell's share of each other (`proofs_notes/samplers.md`), and the tails' limits say so.
        """
        cells, moved = self._cells("noise", noise), self._cells("shift", shift)
        if self._unit < _FINE:
            scaled = moved * self._unit
            return scaled @ scaled / 2 - (cells * self._unit) @ scaled
        return self._loss_of_cells(cells, moved)

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return limits of the tails of that sum, of either sign: the law is symmetric."""
        moved = np.abs(self._cells("shift", shift))
        if self._unit < _FINE:
            scaled = moved * self._unit
            mu, apart = float(np.linalg.norm(scaled)), float(scaled.sum()) * self._unit
            tails = [
                [special.ndtr(sign * mu / 2 - (epsilon + side) / mu) for side in (apart, -apart)]
                for epsilon in epsilons
                for sign in (1, -1)
            ]
            pairs = [(float(low), float(high)) for low, high in tails]
            return list(zip(pairs[::2], pairs[1::2], strict=True))
        last = math.ceil(_WHOLE / self._unit)
        cells = np.arange(-last, last + 1, dtype=np.float64)
        return self._tails_of_cells(cells, moved, epsilons)

    def _tails(self, sizes: Rows) -> tuple[Rows, Rows]:
        cells, unit = self._whole(sizes)[0], self._unit
        return special.ndtr(-(cells - 0.5) * unit), special.ndtr(-(cells + 0.5) * unit)

    def _scaled(self, sizes: Rows) -> Rows:
        return np.maximum(sizes - self.step / 2, 0.0) / self.sigma

    @property
    def _met(self) -> float:
        return _MET * self.sigma + self.step

    def _smaller(self, share: float) -> Self:
        return replace(self, sigma=self.sigma * (1 - share))

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law."""
        smooth = self.sigma * generator.standard_normal((count, self.dimension))
        rounded: Rows = self.step * np.rint(smooth / self.step)
        return rounded


@dataclass(frozen=True, kw_only=True)
class DiscreteLaplace(_Steps):
    """Independent multiples k·step with probability in proportion to e^{−|k|·step/b}.

    Also called two-sided geometric noise. Of whole numbers (step 1), a neighbour's answer at
    distance D changes no probability by more than e^{D/b}, as with Laplace noise of the same scale.
    """

    name: ClassVar[str] = "discrete-laplace"
    scale: float
    step: float = 1.0

    def __post_init__(self) -> None:
        super().__post_init__()
        positive("scale", self.scale)

    @property
    def _unit(self) -> float:
        return self.step / self.scale

    @property
    def collision(self) -> float:
        """The probability of 0, the likeliest number: (1 − q)/(1 + q), q = e^{−step/b}."""
        return math.tanh(self._unit / 2)

    def _upper(self, cells: Rows) -> Rows:
        """Return Pr[noise ≥ k steps] = q^k/(1 + q) for k ≥ 0."""
        found: Rows = np.exp(-cells * self._unit) / (1 + math.exp(-self._unit))
        return found

    def _tails(self, sizes: Rows) -> tuple[Rows, Rows]:
        cells = self._whole(sizes)[0]
        return self._upper(cells), self._upper(cells + 1)

    def _scaled(self, sizes: Rows) -> Rows:
        return np.sqrt(2 * sizes / self.scale)

    @property
    def _met(self) -> float:
        return _MET_SCALES * self.scale

    def _smaller(self, share: float) -> Self:
        return replace(self, scale=self.scale * (1 - share))

    def _smooth_moments(self, share: float, tilts: Rows) -> Rows:
        return laplace_square_moments(share, tilts)

    def draw(self, count: int, generator: np.random.Generator) -> Rows:
        """Return rows of this law: the difference of two geometric numbers."""
        rate = -math.expm1(-self._unit)
        first, second = (generator.geometric(rate, (count, self.dimension)) for _ in range(2))
        return self.step * (first - second).astype(np.float64)

    def loss(self, noise: Rows, shift: Rows) -> Rows:
        """Return Σ (|kᵢ − mᵢ| − |kᵢ|)·step/b, for a shift of mᵢ whole steps."""
        cells, moved = self._cells("noise", noise), self._cells("shift", shift)
        sums: Rows = np.sum(np.abs(cells - moved) - np.abs(cells), axis=1)
        return sums * self._unit

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return the tails of that sum: exact if one coordinate moves, else limits by its atoms.

        Raises:
            ValueError: if several coordinates move and the scale is over 2¹³ steps.
        """
        moved = np.abs(self._cells("shift", shift))
        if np.count_nonzero(moved) == 1:
            return [self._one_tail(float(moved.max()), epsilon) for epsilon in epsilons]
        if self._unit < _FINE:
            words = f"at least {_FINE:g} of scale where several coordinates of shift move"
            raise ValueError(f"step must be {words}, got {self.step!r} of {self.scale!r}")
        last = math.ceil(_UNLIKELY / self._unit)
        cells = np.arange(-last, last + 1, dtype=np.float64)
        chances = self._upper(np.abs(cells)) * -math.expm1(-self._unit)

        def losses(size: float) -> Rows:
            found: Rows = (np.abs(cells - size) - np.abs(cells)) * self._unit
            return found

        return shift_tails(losses, chances, moved, epsilons)

    def _one_tail(self, m: float, epsilon: float) -> tuple[Limits, Limits]:
        """Return Pr[L ≥ ε] for a shift of m steps: L falls from m to −m steps' worth, by twos.

        At the first input's releases L ≥ ε is k ≤ (m − e)/2, e = ε·b/step; at the second's it is
        k ≤ −(m + e)/2, of the noise k. The loss is computed as whole steps times step/b, so that
        the smallest whole number that reaches ε is found with the same arithmetic.
        """
        steps = min(max(epsilon / self._unit, -m - 2), m + 2)
        whole_steps = math.ceil(steps) - 2
        while whole_steps * self._unit < epsilon and whole_steps <= m:
            whole_steps += 1
        if whole_steps > m:
            return exactly(0.0, 0.0)
        if whole_steps <= -m:
            return exactly(1.0, 1.0)
        first, second = math.floor((m - whole_steps) / 2), math.ceil((m + whole_steps) / 2)
        here = 1 - float(self._upper(np.array(first + 1.0)))
        return exactly(here, float(self._upper(np.array(float(second)))))
