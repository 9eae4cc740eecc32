"""Groups of records under Poisson sampling, in float64 (X.SG.GROUP).

A step is a mixture with a term for each number of members that are there; `subsampled` inverts its
transform as it does that of one record, with the same bounds of its own error. The weights are
those of the exact binomial law, rounded; no member there has no more than its own.
"""

from __future__ import annotations

import math
from fractions import Fraction
from functools import lru_cache
from typing import Any

from dporacle.fast._broadcast import Array, each_of
from dporacle.fast.subsampled.losses import FloatPhase
from dporacle.fast.subsampled_gaussian import calibrate, delta_of, epsilon_of, of_steps
from dporacle.interface import Direction


@of_steps
def group_delta(
    *,
    epsilon: Array,
    sigma: Array,
    rate: Array,
    steps: Array,
    size: Array,
    cap: int | None = None,
    direction: Direction,
) -> Any:
    """Return δ(ε) of T Poisson-subsampled Gaussian steps for a group, not below it (X.SG.GROUP)."""
    return each_of(
        lambda e, *run: delta_of(e, [_phase(*run, cap)], direction),
        (epsilon, sigma, rate, steps, size),
    )


@of_steps
def group_epsilon(
    *,
    delta: Array,
    sigma: Array,
    rate: Array,
    steps: Array,
    size: Array,
    cap: int | None = None,
    direction: Direction,
) -> Any:
    """Return the smallest ε ≥ 0 of T steps for a group, not below it (X.SG.GROUP)."""
    return each_of(
        lambda d, *run: epsilon_of(d, [_phase(*run, cap)], direction),
        (delta, sigma, rate, steps, size),
    )


@of_steps
def group_sigma(
    *,
    epsilon: Array,
    delta: Array,
    rate: Array,
    steps: Array,
    size: Array,
    cap: int | None = None,
    direction: Direction,
) -> Any:
    """Return the smallest noise multiplier of T steps for a group, not below it (X.SG.GROUP).

    Raises:
        ValueError: also if the noise multiplier is outside [0.1, 1000] times the most that a group
            moves a sum.
    """

    def calibrated(e: float, d: float, q: float, t: float, k: float) -> float:
        most = _most(k, cap)
        found = most * calibrate(e, d, _phase(most, q, t, k, cap), direction, most)
        return math.nextafter(found, math.inf)

    return each_of(calibrated, (epsilon, delta, rate, steps, size))


def _most(size: float, cap: int | None) -> int:
    return int(size if cap is None else min(size, cap))


@lru_cache(maxsize=1024)
def _phase(sigma: float, rate: float, steps: float, size: float, cap: int | None) -> FloatPhase:
    """Return the steps, with σ over the most that the group moves a sum."""
    top, many, q = _most(size, cap), int(size), Fraction(rate)
    noise = math.nextafter(sigma / top, 0.0) if top > 1 else sigma
    if rate == 1.0 or many == 1:
        return FloatPhase(noise, rate, steps)
    chances = [Fraction(0)] * (top + 1)
    for j in range(many + 1):
        chances[min(j, top)] += math.comb(many, j) * q**j * (1 - q) ** (many - j)
    anyone = math.nextafter(float(1 - chances[0]), math.inf)
    if top == 1:
        return FloatPhase(noise, min(anyone, 1.0), steps)
    if anyone >= 1.0:  # so rarely is nobody there that one member may be: that is no less
        anyone, chances[1] = 1.0, chances[0] + chances[1]
    logs = [math.log(each.numerator) - math.log(each.denominator) for each in chances[1:]]
    total = math.log(math.fsum(math.exp(each - max(logs)) for each in logs)) + max(logs)
    shares = tuple((j / top, each - total) for j, each in enumerate(logs, 1))
    # Without a cap w is a polynomial in z = e^{t/(σ·top)}, and its zeros are real and negative
    # (Laguerre: those of (1−q+qz)^k are, and the factors e^{−hj²} keep them so). Each factor
    # 1 + e^{u+iθ} turns by θ/(1+e^{−u}), but for θ³/62, so all by less than 3 where θ³k < 80.
    free = top * min(1.0, (80 / top) ** (1 / 3) / (0.6 * math.pi)) if top == many else 1.0
    return FloatPhase(noise, anyone, steps, shares, free)
