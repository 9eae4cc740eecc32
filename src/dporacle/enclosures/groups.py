"""Groups under Poisson sampling: k records, or all of a user's, added, removed or replaced.

Each record is in each batch with the rate, independently, and the clipped contributions of those
that are there move the sum by at most their number J, or by a cap on it: one step is dominated, in
every dimension, by Σ P(J=j)·N(min(j, cap), σ²) against N(0, σ²), or against its mirror image where
the group is replaced (`proofs_notes/groups.md`).
"""

from __future__ import annotations

import contextlib
import math
from collections.abc import Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any

from flint import arb

from dporacle import arguments
from dporacle.arguments import Exact
from dporacle.enclosures.arithmetic.balls import bits_for, precision
from dporacle.enclosures.subsampled_gaussian import Phase, delta_of, epsilon_of, sigma_of
from dporacle.interface import Direction, read_direction, witness
from dporacle.vocabulary.domains import MOST_PHASES, MOST_RECORDS, UNIT

__all__ = ["group_delta", "group_epsilon", "group_sigma", "phase_of", "schedule_of"]


@witness
def group_delta(
    *,
    epsilon: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    size: int,
    cap: int | None = None,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose δ(ε) of T Poisson-subsampled Gaussian steps for a group (X.SG.GROUP)."""
    phase = phase_of(sigma, rate, steps, size, cap, direction)
    with _named(f"size {size} and sigma {arguments.show(sigma)}"):
        return delta_of([phase], epsilon, direction, digits)


@witness
def group_epsilon(
    *,
    delta: Fraction,
    sigma: Fraction,
    rate: Fraction,
    steps: int,
    size: int,
    cap: int | None = None,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose the smallest ε ≥ 0 for which T steps are (ε,δ)-DP for a group (X.SG.GROUP)."""
    phase = phase_of(sigma, rate, steps, size, cap, direction)
    with _named(f"size {size} and sigma {arguments.show(sigma)}"):
        return epsilon_of([phase], delta, direction, digits)


@witness
def group_sigma(
    *,
    epsilon: Fraction,
    delta: Fraction,
    rate: Fraction,
    steps: int,
    size: int,
    cap: int | None = None,
    direction: Direction,
    digits: int = 12,
) -> arb:
    """Enclose the smallest noise multiplier of T (ε,δ)-DP steps for a group (X.SG.GROUP).

    Raises:
        ValueError: also if σ would be outside [0.01, 10^5] times the most that a group moves a sum.
    """
    top = size if cap is None else min(size, cap)
    phase = phase_of(Fraction(top), rate, steps, size, cap, direction)
    with _named(f"size {size}"):
        found = sigma_of(phase, epsilon, delta, direction, digits)
    with precision(4 * bits_for(digits) + 128):  # what the product must not round
        return top * found


@contextlib.contextmanager
def _named(what: str) -> Iterator[None]:
    """Say in an error for which group, and what may do."""
    try:
        yield
    except ArithmeticError as error:
        raise ArithmeticError(
            f"{what}: {error}; a smaller size, a larger sigma or fewer digits may do"
        ) from error


def phase_of(
    sigma: Exact, rate: Exact, steps: int, size: int, cap: int | None, direction: str
) -> Phase:
    """Return the steps of a group, read."""
    read_direction("group_delta", direction)
    q = arguments.within(UNIT, "rate", rate)
    k = arguments.count("size", size, most=MOST_RECORDS)
    top = k if cap is None else min(k, arguments.count("cap", cap))
    weights = [Fraction(0)] * (top + 1)
    for j in range(k + 1):
        weights[min(j, top)] += math.comb(k, j) * q**j * (1 - q) ** (k - j)
    return _phase(sigma, {Fraction(j): weight for j, weight in enumerate(weights)}, steps)


def _phase(sigma: Exact, law: Mapping[Fraction, Fraction], steps: int) -> Phase:
    """Return steps that move the sum by lengths of a law."""
    noise, times = arguments.positive("sigma", sigma), arguments.count("steps", steps)
    moved = {length: chance for length, chance in law.items() if length and chance}
    rate, top = sum(moved.values(), Fraction(0)), max(moved)
    if rate == 1 and len(moved) > 1:
        raise ValueError("law must give a sensitivity of 0 a positive probability")
    parts = tuple((length / top, chance) for length, chance in moved.items())
    return noise / top, rate, times, parts if len(moved) > 1 else ()


def schedule_of(phases: Sequence[Sequence[Any]], size: int, direction: str) -> list[Phase]:
    """Return the steps of phases, one after the other, of a group, read.

    Args:
        phases: (σ, q, T) or (σ, q, T, cap) each, from 1 to 64. In the place of q there may be a
            law, sensitivity -> its probability, of which each step draws anew, independently of
            all else; the rest of 1 is the probability of 0. It is then that of the whole group.
        size: how many records, at most 64.
        direction: "add", "remove", "both" or "replace".

    Raises:
        TypeError, ValueError: naming the argument that is not such a number.
    """
    if not 1 <= len(phases) <= MOST_PHASES:
        raise ValueError(f"phases must be from 1 to {MOST_PHASES}, got {len(phases)}")
    found: dict[Any, int] = {}
    for sigma, rate, steps, *cap in phases:
        if isinstance(rate, Mapping):
            each = _phase(sigma, _law(rate), steps)
        else:
            each = phase_of(sigma, rate, steps, size, cap[0] if cap else None, direction)
        alike = each[0], each[1], each[3]
        found[alike] = found.get(alike, 0) + each[2]
    return [(sigma, rate, times, parts) for (sigma, rate, parts), times in found.items()]


def _law(given: Mapping[Exact, Exact]) -> dict[Fraction, Fraction]:
    law: dict[Fraction, Fraction] = {}
    for length, chance in given.items():
        exact = arguments.nonnegative("sensitivity", length)
        law[exact] = law.get(exact, Fraction(0)) + arguments.nonnegative("probability", chance)
    if sum(law.values()) > 1:
        raise ValueError(
            "probabilities of the drawn sensitivities must add up to at most 1, got "
            f"{arguments.show(sum(law.values()))}"
        )
    if not any(length * chance for length, chance in law.items()):
        raise ValueError("law must have a sensitivity above 0 with a positive probability")
    if len(law) > MOST_RECORDS:
        raise ValueError(f"law must have at most {MOST_RECORDS} sensitivities, got {len(law)}")
    return law
