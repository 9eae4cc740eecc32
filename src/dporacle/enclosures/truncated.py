"""Poisson batches of which at most B records are kept: two ends of δ and of ε (X.BAT.CAP).

Contributions depend on their own records, earlier outputs and public randomness alone.
`batches.capped` has the bounds, and `proofs_notes/truncated.md` their proofs.
"""

from __future__ import annotations

import functools
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.subsampled_gaussian import subsampled_delta
from dporacle.interface import Direction, witness


@witness
def truncated_delta(
    *,
    epsilon: Fraction,
    sigma: Fraction,
    rate: Fraction,
    records: int,
    cap: int,
    steps: int,
    direction: Direction,
    digits: int = 8,
) -> arb:
    """Enclose two ends of δ(ε) of T truncated Poisson batches (X.BAT.CAP).

    The ball reaches from one to the other, whatever digits are asked for.
    """
    if cap >= records:  # nothing is cut
        return subsampled_delta(
            epsilon=epsilon, sigma=sigma, rate=rate, steps=steps, direction=direction, digits=digits
        )
    return _delta(epsilon, sigma, rate, records, cap, steps, direction)


@functools.lru_cache(maxsize=256)  # more digits of the ends are no others
def _delta(
    epsilon: Fraction,
    sigma: Fraction,
    rate: Fraction,
    records: int,
    cap: int,
    steps: int,
    direction: Direction,
) -> arb:
    from dporacle.enclosures.batches import capped

    found = capped.delta_of_pairs(
        capped.Capped(sigma, rate, records, cap, steps), epsilon, direction
    )
    with precision(256):
        return ball(found.low).union(ball(found.high))
