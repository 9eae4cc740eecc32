"""Noisy counts that are shown from a threshold on, and the tails of their privacy loss."""

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from scipy import stats

from dporacle.wings.samplers.cells import Cells, cell_tails
from dporacle.wings.samplers.continuous_laws import Gaussian, Laplace
from dporacle.wings.samplers.exact_tails import Limits, clipped
from dporacle.wings.samplers.law import Members, Releases, Rows, counted

_CELLS = 1 << 16
_BEYOND = 1e-20
"""How much of the noise lies beyond the last cell."""


@dataclass(frozen=True, kw_only=True)
class ThresholdedCounts(Releases):
    """Counts with noise, each shown if it is above 0 and reaches a threshold with its noise.

    A row has what is shown of each category, and −∞ for what is not. The shift is the second
    input's counts minus the first's.

    Attributes:
        noise: on each count: `Gaussian` or `Laplace` of one dimension.
        threshold: from which on a noisy count is shown.
        counts: of the first input, one for each category; 0 where it has none.
        dimension: the number of categories.
    """

    name: ClassVar[str] = "thresholded"
    noise: Gaussian | Laplace
    threshold: float
    counts: tuple[int, ...]

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.noise.dimension != 1:
            raise ValueError(f"noise must have 1 dimension, got {self.noise.dimension}")
        if not math.isfinite(self.threshold):
            raise ValueError(f"threshold must be finite, got {self.threshold!r}")
        for count in self.counts:
            counted("counts", count, 0)
        if len(self.counts) != self.dimension:
            raise ValueError(f"counts must be {self.dimension}, got {len(self.counts)}")

    @property
    def _law(self) -> Any:
        if isinstance(self.noise, Gaussian):
            return stats.norm(scale=self.noise.sigma)
        return stats.laplace(scale=self.noise.scale)

    def _both(self, shift: Rows) -> tuple[Rows, Rows]:
        """Return the first input's counts and the second's."""
        first = np.array(self.counts, dtype=np.float64)
        second = first + shift
        if np.any(second < 0) or np.any(second != np.floor(second)):
            raise ValueError(f"shift must leave counts from 0 on, got {shift.tolist()}")
        return first, second

    def possible(self, rows: Rows) -> Members:
        """Return which numbers are −∞, or at least the threshold and finite."""
        found: Members = ((rows >= self.threshold) & (rows < math.inf)) | (rows == -math.inf)
        return found

    def simulate(
        self, count: int, shift: Rows, generator: np.random.Generator
    ) -> tuple[Rows, Rows]:
        """Return what is shown of either input."""

        def rows(counts: Rows) -> Rows:
            noise = self._law.rvs((count, self.dimension), random_state=generator)
            shown = (counts > 0) & (counts + noise >= self.threshold)
            return np.where(shown, counts + noise, -math.inf)

        first, second = self._both(shift)
        return rows(first), rows(second)

    def losses(self, first: Rows, second: Rows, shift: Rows) -> tuple[Rows, Rows]:
        """Return the sums of the categories' losses: ±∞ where one input alone shows a category."""
        logs = self._both(shift)

        def of(rows: Rows) -> Rows:
            here, there = (self._log_density(rows, counts) for counts in logs)
            with np.errstate(invalid="ignore"):
                losses: Rows = np.sum(here - there, axis=1)
            if np.isnan(losses).any():
                raise ValueError("rows must be released by an input, got one that neither releases")
            return losses

        return of(first), of(second)

    def _log_density(self, rows: Rows, counts: Rows) -> Rows:
        """Return ln of the density of what is shown, of the probability of what is not."""
        law, shown, there = self._law, rows > -math.inf, counts > 0
        of_shown = np.where(there, law.logpdf(np.where(shown, rows, 0.0) - counts), -math.inf)
        of_hidden = np.where(there, law.logcdf(self.threshold - counts), 0.0)
        return np.where(shown, of_shown, of_hidden)

    def loss_tails(self, shift: Rows, epsilons: Sequence[float]) -> list[tuple[Limits, Limits]]:
        """Return limits: what one input alone shows apart, the common categories by their cells."""
        first, second = self._both(shift)
        hidden = self._law.logcdf
        alone = float(np.sum(hidden(self.threshold - first[(first > 0) & (second == 0)])))
        other = float(np.sum(hidden(self.threshold - second[(first == 0) & (second > 0)])))
        common = (first > 0) & (second > 0) & (first != second)
        pairs = Counter(zip(first[common].tolist(), second[common].tolist(), strict=True))
        ends = [epsilon - (alone - other) for epsilon in epsilons]
        found = []
        for centre in (0, 1):
            parts = [self._cells(pair, pair[centre], count) for pair, count in pairs.items()]
            found.append(cell_tails(parts, ends))
        # Shown by the first alone: L = ∞. Shown by the second alone: L = −∞.
        return [
            (
                clipped(*(-math.expm1(alone) + math.exp(alone) * end for end in here)),
                clipped(*(math.exp(other) * end for end in there)),
            )
            for here, there in zip(*found, strict=True)
        ]

    def _cells(self, pair: tuple[float, float], centre: float, count: int) -> Cells:
        """Return the loss of a category that both inputs have, at noise around one of its counts.

        Within a cell it is a linear function of what is shown: its mean is at the mean.
        """
        law, width = self._law, self._law.isf(_BEYOND)
        low, high = max(self.threshold, min(pair) - width), max(pair) + width
        hidden = law.logcdf(self.threshold - np.array(pair))
        losses, chances = [hidden[:1] - hidden[1:]], [law.cdf([self.threshold - centre])]
        spread = 0.0
        if low < high:
            edges = np.union1d(np.linspace(low, high, _CELLS), [x for x in pair if x > low])
            starts, ends = edges[:-1], edges[1:]
            nodes, weights = np.polynomial.legendre.leggauss(6)
            inside = (starts + ends)[:, None] / 2 + (ends - starts)[:, None] / 2 * nodes
            mass = weights * law.pdf(inside - centre)
            total = np.maximum(mass.sum(axis=1), 1e-300)
            means = np.clip((mass * inside).sum(axis=1) / total, starts, ends)
            losses.append(law.logpdf(means - pair[0]) - law.logpdf(means - pair[1]))
            chances.append(law.sf(starts - centre) - law.sf(ends - centre))
            at_edges = law.logpdf(edges - pair[0]) - law.logpdf(edges - pair[1])
            spread = float(np.max(np.abs(np.diff(at_edges))))
        return Cells(np.concatenate(losses), np.concatenate(chances), count, spread)
