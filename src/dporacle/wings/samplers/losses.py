"""The privacy loss of draws: its tails and δ(ε), measured, beside the exact ones.

L = ln p(y)/p'(y) at a release y of the first input, and L' at one of the second. By BW18.T5,
δ(ε) = Pr[L ≥ ε] − e^ε Pr[L' ≥ ε]; both probabilities get exact (Clopper-Pearson) limits.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from dporacle.wings.samplers.events import clopper_pearson
from dporacle.wings.samplers.exact_tails import Limits
from dporacle.wings.samplers.law import Releases

Rows = NDArray[np.float64]


@dataclass(frozen=True)
class LossTail:
    """The tail of the privacy loss at one ε.

    Attributes:
        epsilon: where.
        first: limits of Pr[L ≥ ε], for releases of the first input.
        second: limits of Pr[L' ≥ ε], for releases of the second.
        exact: limits of both exact values under the claimed law, mostly equal.
    """

    epsilon: float
    first: Limits
    second: Limits
    exact: tuple[Limits, Limits]

    @property
    def delta(self) -> Limits:
        """Limits of δ(ε), as measured."""
        return _delta(self.epsilon, self.first, self.second)

    @property
    def exact_delta(self) -> Limits:
        """Limits of δ(ε) under the claimed law."""
        return _delta(self.epsilon, *self.exact)

    @property
    def agrees(self) -> bool:
        """Whether both exact values may lie within their limits."""
        pairs = zip((self.first, self.second), self.exact, strict=True)
        return all(low <= most and least <= high for (low, high), (least, most) in pairs)


def _delta(epsilon: float, first: Limits, second: Limits) -> Limits:
    e = math.exp(epsilon)
    return max(first[0] - e * second[1], 0.0), max(first[1] - e * second[0], 0.0)


def loss_tails(
    *,
    law: Releases,
    shift: Sequence[float],
    first: Rows,
    second: Rows,
    epsilons: Sequence[float],
    budget: float = 1e-9,
) -> tuple[LossTail, ...]:
    """Return the measured and the exact tails of the privacy loss.

    Args:
        law: what the noise is claimed to be, or what is released in another way.
        shift: the second input's exact answer minus the first's, of the law's dimension.
        first: noise drawn for the first input, of shape (n, dimension); of what is no sum of
            an answer and noise, what the law calls a row.
        second: the same for the second.
        epsilons: where the tails are measured.
        budget: the probability that any limit misses what it measures.

    Raises:
        ValueError: if shapes do not fit, or the law's tails are not known for such a shift.
        ArithmeticError: if an enclosure of subsampled releases would need too much work.
    """
    moved = np.asarray(shift, dtype=np.float64)
    if moved.shape != (law.dimension,) or not np.isfinite(moved).all() or not moved.any():
        raise ValueError(f"shift must have {law.dimension} finite entries, not all 0, got {shift}")
    for name, noise in (("first", first), ("second", second)):
        if noise.ndim != 2 or noise.shape[1] != law.dimension or not law.possible(noise).all():
            raise ValueError(
                f"{name} must have shape (n, {law.dimension}) and only numbers that can be released"
            )
    if not all(math.isfinite(epsilon) for epsilon in epsilons):
        raise ValueError(f"epsilons must be finite, got {list(epsilons)}")
    losses = law.losses(first, second, moved)
    level = budget / (4 * len(epsilons))
    return tuple(
        LossTail(
            epsilon,
            _measured(losses[0], epsilon, level),
            _measured(losses[1], epsilon, level),
            exact,
        )
        for epsilon, exact in zip(epsilons, law.loss_tails(moved, epsilons), strict=True)
    )


def _measured(losses: Rows, epsilon: float, level: float) -> Limits:
    return clopper_pearson(int(np.sum(losses >= epsilon)), len(losses), level)
