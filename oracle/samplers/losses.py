"""The privacy loss of draws: its tails and δ(ε), measured, beside the exact ones.

L = ln p(y)/p'(y) at a release y of the first input, and L' at one of the second. By BW18.T5,
δ(ε) = Pr[L ≥ ε] − e^ε Pr[L' ≥ ε]; both probabilities get exact (Clopper-Pearson) limits.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy import stats

from dporacle.samplers.laws import Law

__all__ = ["LossTail", "loss_tails"]

Rows = NDArray[np.float64]


@dataclass(frozen=True)
class LossTail:
    """The tail of the privacy loss at one ε.

    Attributes:
        epsilon: where.
        first: limits of Pr[L ≥ ε], for releases of the first input.
        second: limits of Pr[L' ≥ ε], for releases of the second.
        exact: both exact values under the claimed law.
    """

    epsilon: float
    first: tuple[float, float]
    second: tuple[float, float]
    exact: tuple[float, float]

    @property
    def delta(self) -> tuple[float, float]:
        """Limits of δ(ε)."""
        e = math.exp(self.epsilon)
        low = self.first[0] - e * self.second[1]
        return max(low, 0.0), max(self.first[1] - e * self.second[0], 0.0)

    @property
    def exact_delta(self) -> float:
        """δ(ε) under the claimed law."""
        return self.exact[0] - math.exp(self.epsilon) * self.exact[1]

    @property
    def agrees(self) -> bool:
        """Whether both exact values lie within their limits."""
        pairs = zip((self.first, self.second), self.exact, strict=True)
        return all(low <= value <= high for (low, high), value in pairs)


def loss_tails(
    *,
    law: Law,
    shift: Sequence[float],
    first: Rows,
    second: Rows,
    epsilons: Sequence[float],
    budget: float = 1e-9,
) -> tuple[LossTail, ...]:
    """Return the measured and the exact tails of the privacy loss.

    Args:
        law: what the noise is claimed to be.
        shift: the second input's exact answer minus the first's, of the law's dimension.
        first: noise drawn for the first input, of shape (n, dimension).
        second: noise drawn for the second.
        epsilons: where the tails are measured.
        budget: the probability that any limit misses what it measures.

    Raises:
        ValueError: if shapes do not fit, or the law has no loss in closed form.
    """
    moved = np.asarray(shift, dtype=np.float64)
    if moved.shape != (law.dimension,) or not np.isfinite(moved).all() or not moved.any():
        raise ValueError(f"shift must have {law.dimension} finite entries, not all 0, got {shift}")
    losses = (law.loss(first, moved), law.loss(second + moved, moved))
    level = budget / (4 * len(epsilons))
    found = []
    for epsilon in epsilons:
        here, there = (_limits(int(np.sum(x >= epsilon)), len(x), level) for x in losses)
        found.append(LossTail(epsilon, here, there, law.loss_tail(moved, epsilon)))
    return tuple(found)


def _limits(count: int, draws: int, level: float) -> tuple[float, float]:
    low = stats.beta.ppf(level, count, draws - count + 1) if count else 0.0
    high = stats.beta.isf(level, count + 1, draws - count) if count < draws else 1.0
    return float(low), float(high)
