"""Batches of a fixed size, drawn anew at each step (X.BAT.SIZE).

Under add or remove a record takes the place of another one: the sum moves by 2, not by 1. So the
value is that of Poisson sampling at rate B/n and noise σ/2, and of no other δ, ε or σ.
"""

from __future__ import annotations

from fractions import Fraction

from dporacle import arguments
from dporacle.interface import witness
from dporacle.reference.numerics.precision import Real, bits_for, freeze, real, working
from dporacle.reference.subsampled_gaussian import (
    subsampled_delta,
    subsampled_epsilon,
    subsampled_sigma,
)


@witness
def fixed_size_delta(
    *,
    epsilon: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: str,
    digits: int = 12,
) -> Real:
    """Return δ(ε) of T batches of a fixed size (X.BAT.SIZE).

    Args:
        direction: "add", "remove" or "both" (the larger after composition).

    Raises:
        ArithmeticError: if the moments do not die out soon enough.
    """
    return subsampled_delta(
        epsilon=epsilon,
        sigma=sigma / 2,
        rate=rate,
        steps=steps,
        direction=_way(direction),
        digits=digits,
    )


@witness
def fixed_size_epsilon(
    *,
    delta: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: str,
    digits: int = 12,
) -> Real:
    """Return the smallest ε ≥ 0 of T batches of a fixed size (X.BAT.SIZE).

    Args:
        direction: "add", "remove" or "both" (the larger after composition).

    Raises:
        ArithmeticError: if the moments do not die out soon enough.
    """
    return subsampled_epsilon(
        delta=delta,
        sigma=sigma / 2,
        rate=rate,
        steps=steps,
        direction=_way(direction),
        digits=digits,
    )


@witness
def fixed_size_sigma(
    *,
    epsilon: Fraction,
    delta: Fraction,
    rate: Fraction,
    steps: int,
    direction: str,
    digits: int = 12,
) -> Real:
    """Return the smallest noise multiplier of T batches of a fixed size (X.BAT.SIZE).

    Args:
        direction: "add", "remove" or "both" (the larger after composition).

    Raises:
        ValueError: if no noise at all would do.
        ArithmeticError: if the moments do not die out soon enough.
    """
    half = subsampled_sigma(
        epsilon=epsilon,
        delta=delta,
        rate=rate,
        steps=steps,
        direction=_way(direction),
        digits=digits,
    )
    with working(bits_for(digits) + 128) as ctx:
        return freeze(2 * real(ctx, half))


def _way(direction: str) -> str:
    if direction not in ("add", "remove", "both"):
        raise ValueError(f"direction must be add, remove or both, got {arguments.show(direction)}")
    return direction
