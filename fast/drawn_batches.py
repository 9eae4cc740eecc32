"""Batches of a fixed size, drawn anew at each step, in float64 (X.BAT.SIZE).

The value is that of Poisson sampling at rate B/n and noise σ/2, which is σ/2 exactly in float64:
what `subsampled_gaussian` says of its errors is true of these.
"""

from __future__ import annotations

from typing import Any

from dporacle.fast._broadcast import Array, Number, witness
from dporacle.fast.subsampled_gaussian import subsampled_delta, subsampled_epsilon, subsampled_sigma
from dporacle.interface import Direction


@witness
def fixed_size_delta(
    *, epsilon: Array, sigma: Array, rate: Array, steps: Number, direction: Direction
) -> Any:
    """Return δ(ε) of T batches of a fixed size, not below it (X.BAT.SIZE)."""
    return subsampled_delta(
        epsilon=epsilon, sigma=sigma / 2, rate=rate, steps=steps, direction=direction
    )


@witness
def fixed_size_epsilon(
    *, delta: Array, sigma: Array, rate: Array, steps: Number, direction: Direction
) -> Any:
    """Return the smallest ε ≥ 0 of T batches of a fixed size, not below it (X.BAT.SIZE)."""
    return subsampled_epsilon(
        delta=delta, sigma=sigma / 2, rate=rate, steps=steps, direction=direction
    )


@witness
def fixed_size_sigma(
    *, epsilon: Array, delta: Array, rate: Array, steps: Number, direction: Direction
) -> Any:
    """Return the smallest noise multiplier of T batches of a fixed size, not below it (X.BAT.SIZE).

    Raises:
        ValueError: also if it is outside [0.2, 2000].
    """
    return 2 * subsampled_sigma(
        epsilon=epsilon, delta=delta, rate=rate, steps=steps, direction=direction
    )
