"""Enclosures for batches of a fixed size, drawn anew at each step (X.BAT.SIZE).

Hypotheses, in full in `proofs_notes/drawn_batches.md`: σ, the batch size and the steps are fixed
before the run; each batch is a new uniformly random set of B of the n records, B < n; a
contribution has norm at most 1 and does not depend on other records, except through what was
released before. Then the value is that of Poisson sampling at rate B/n and noise σ/2.
"""

from __future__ import annotations

from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import bits_for, precision
from dporacle.enclosures.subsampled_gaussian import (
    subsampled_delta,
    subsampled_epsilon,
    subsampled_sigma,
)
from dporacle.interface import Direction, witness


@witness
def fixed_size_delta(
    *,
    epsilon: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose δ(ε) of T batches of a fixed size (X.BAT.SIZE)."""
    return subsampled_delta(
        epsilon=epsilon, sigma=sigma / 2, rate=rate, steps=steps, direction=direction, digits=digits
    )


@witness
def fixed_size_epsilon(
    *,
    delta: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose the smallest ε ≥ 0 of T batches of a fixed size (X.BAT.SIZE)."""
    return subsampled_epsilon(
        delta=delta, sigma=sigma / 2, rate=rate, steps=steps, direction=direction, digits=digits
    )


@witness
def fixed_size_sigma(
    *,
    epsilon: Fraction,
    delta: Fraction,
    rate: Fraction,
    steps: int,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose the smallest noise multiplier of T batches of a fixed size (X.BAT.SIZE).

    Raises:
        ValueError: if it would be outside [0.02, 2·10^5], such as where every σ is private.
    """
    half = subsampled_sigma(
        epsilon=epsilon, delta=delta, rate=rate, steps=steps, direction=direction, digits=digits
    )
    with precision(4 * bits_for(digits) + 128):  # what doubles must not round
        return 2 * half
