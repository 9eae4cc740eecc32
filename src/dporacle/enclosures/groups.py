"""Groups under Poisson sampling: k records, or all of a user's, added, removed or replaced.

Each record is in each batch with the rate, independently, and the clipped contributions of those
that are there move the sum by at most their number J, or by a cap on it: one step is dominated, in
every dimension, by Σ P(J=j)·N(min(j, cap), σ²) against N(0, σ²), or against its mirror image where
the group is replaced (`proofs_notes/groups.md`).
"""

from __future__ import annotations

import math
from fractions import Fraction

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import bits_for, precision
from dporacle.enclosures.subsampled_gaussian import Phase, delta_of, epsilon_of, sigma_of
from dporacle.vocabulary.domains import UNIT

__all__ = ["MOST_RECORDS", "group_delta", "group_epsilon", "group_sigma", "phase_of"]

MOST_RECORDS = 64
_DIRECTIONS = ("add", "remove", "both", "replace")


def group_delta(
    *,
    epsilon: Exact,
    sigma: Exact,
    rate: Exact,
    steps: int,
    size: int,
    cap: int | None = None,
    direction: str,
    digits: int = 12,
) -> arb:
    """Enclose δ(ε) of T Poisson-subsampled Gaussian steps for a group of records.

    Args:
        epsilon: in [0, ∞).
        sigma: noise multiplier, over the clipping norm of a record.
        rate: of each record, in (0, 1].
        steps: T, at least 1.
        size: how many records, at most 64.
        cap: how many of these may count in one step, as a multiple of the clipping norm.
        direction: "add", "remove", "both" or "replace".
        digits: the ball's radius is at most 10^-digits of its midpoint.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if so tight a ball would need too much work.
    """
    phase = phase_of(sigma, rate, steps, size, cap, direction)
    return delta_of([phase], arguments.epsilon(epsilon), direction, digits)


def group_epsilon(
    *,
    delta: Exact,
    sigma: Exact,
    rate: Exact,
    steps: int,
    size: int,
    cap: int | None = None,
    direction: str,
    digits: int = 12,
) -> arb:
    """Enclose the smallest ε ≥ 0 for which T steps are (ε,δ)-DP for a group of records.

    The arguments are those of `group_delta`, with δ in (0, 1) in the place of ε.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
        ArithmeticError: if so tight a ball would need too much work.
    """
    phase = phase_of(sigma, rate, steps, size, cap, direction)
    return epsilon_of([phase], arguments.delta(delta), direction, digits)


def group_sigma(
    *,
    epsilon: Exact,
    delta: Exact,
    rate: Exact,
    steps: int,
    size: int,
    cap: int | None = None,
    direction: str,
    digits: int = 12,
) -> arb:
    """Enclose the smallest noise multiplier for which T steps are (ε,δ)-DP for a group of records.

    The arguments are those of the other two.

    Raises:
        TypeError, ValueError: naming the argument that is not such a number, or if σ would be
            outside [0.01, 10^5] times the most that a group moves a sum.
        ArithmeticError: if so tight a ball would need too much work.
    """
    most = arguments.count("size", size, most=MOST_RECORDS)
    top = most if cap is None else min(most, arguments.count("cap", cap))
    phase = phase_of(Fraction(top), rate, steps, size, cap, direction)
    eps, target = arguments.epsilon(epsilon), arguments.delta(delta)
    found = sigma_of(phase, eps, target, direction, digits)
    with precision(4 * bits_for(digits) + 128):  # what the product must not round
        return top * found


def phase_of(
    sigma: Exact, rate: Exact, steps: int, size: int, cap: int | None, direction: str
) -> Phase:
    """Return the steps of a group, read."""
    if direction not in _DIRECTIONS:
        raise ValueError(
            f"direction must be one of {', '.join(_DIRECTIONS)}, got {arguments.show(direction)}"
        )
    noise = arguments.positive("sigma", sigma)
    q = arguments.within(UNIT, "rate", rate)
    times = arguments.count("steps", steps)
    k = arguments.count("size", size, most=MOST_RECORDS)
    top = k if cap is None else min(k, arguments.count("cap", cap))
    weights = [Fraction(0)] * (top + 1)
    for j in range(k + 1):
        weights[min(j, top)] += math.comb(k, j) * q**j * (1 - q) ** (k - j)
    parts = tuple((Fraction(j, top), weights[j]) for j in range(1, top + 1))
    if q == 1:
        return noise / top, Fraction(1), times, ()
    return noise / top, 1 - weights[0], times, parts if top > 1 else ()
