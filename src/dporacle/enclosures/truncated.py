"""Poisson batches of which at most B records are kept: two ends of δ and of ε (X.BAT.CAP).

Contributions depend on their own records, earlier outputs and public randomness alone.
`batches.capped` has the bounds, and `proofs_notes/truncated.md` their proofs.
"""

from __future__ import annotations

import functools
from fractions import Fraction

from flint import arb

from dporacle.enclosures.arithmetic.balls import ball, precision
from dporacle.enclosures.subsampled_gaussian import subsampled_delta, subsampled_epsilon
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
    return _ends("delta_of_pairs", epsilon, sigma, rate, records, cap, steps, direction)


@witness
def truncated_epsilon(
    *,
    delta: Fraction,
    sigma: Fraction,
    rate: Fraction,
    records: int,
    cap: int,
    steps: int,
    direction: Direction,
    digits: int = 8,
) -> arb:
    """Enclose two ends of the least ε ≥ 0 of T truncated Poisson batches (X.BAT.CAP).

    The ball reaches from one to the other, whatever digits are asked for.
    """
    if cap >= records:  # nothing is cut
        return subsampled_epsilon(
            delta=delta, sigma=sigma, rate=rate, steps=steps, direction=direction, digits=digits
        )
    return _ends("epsilon_of_pairs", delta, sigma, rate, records, cap, steps, direction)


@functools.lru_cache(maxsize=256)  # more digits of the ends are no others
def _ends(
    quantity: str,
    at: Fraction,
    sigma: Fraction,
    rate: Fraction,
    records: int,
    cap: int,
    steps: int,
    direction: Direction,
) -> arb:
    from dporacle.enclosures.batches import capped

    run = capped.Capped(sigma, rate, records, cap, steps)
    found = getattr(capped, quantity)(run, at, direction)
    with precision(256):
        return ball(found.low).union(ball(found.high))
