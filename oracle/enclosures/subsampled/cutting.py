"""Where to cut the quasi-atom off, chosen in float64. A bad cut only widens a ball.

As far out as the runs without a loss beyond the edge can be neglected, by Chernoff's bound.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from dporacle.enclosures.subsampled.cut import Cut
from dporacle.enclosures.subsampled.estimates import Estimate

__all__ = ["choose_cuts", "log_kappa"]

_LOSSES = [math.exp(-0.15 * k) for k in range(80)]  # of an edge, as parts of the whole distance
_STEEP = (0.6, 1.2, 2.4, 4.8)  # χ₁'s steepness, per unit of the loss's logarithm


def choose_cuts(
    kinds: Sequence[Estimate], y: float, log_tolerance: float, exponents: Sequence[float]
) -> list[tuple[tuple[Cut, ...], float]]:
    """Return possible cuts for δ(y), each with its Chernoff exponent; none if none will do."""
    if any(each.plain for each in kinds):
        return []
    bounded = all(not each.antipodal for each in kinds)
    distance = y - sum(each.lowest for each in kinds) if bounded else y
    if not distance > 0:
        return []
    goal = log_tolerance - 3.0
    losses = [distance * part for part in reversed(_LOSSES)]
    edges = [[each.edge(loss) for loss in losses] for each in kinds]
    found: tuple[int, float] | None = None
    for p in exponents:
        if not 5 < p * distance < 1500:
            continue
        rows = [each.small_within(row, p) for each, row in zip(kinds, edges, strict=True)]
        base = log_kappa(p) - p * y
        for k in range(len(losses) - 1, found[0] if found else -1, -1):
            total = sum(each.times * row[k] for each, row in zip(kinds, rows, strict=True))
            if base + total < goal:
                found = k, p
                break
    if found is None:
        return []
    k, p = found
    options = []
    for steep in _STEEP:
        cuts = []
        for each, row in zip(kinds, edges, strict=True):
            edge, steepness = row[k], steep / each.sigma
            excess = math.log(each.times * len(kinds)) + each.log_beyond(edge) - goal
            reach = math.sqrt(2 * max(excess, 0.0)) / steepness
            cuts.append(Cut(edge - reach, steepness, edge))
        options.append((tuple(cuts), p))
    return options


def log_kappa(p: float) -> float:
    """Return ln sup (1 − e^{−v})e^{−pv}."""
    return p * math.log(p) - (1 + p) * math.log1p(p)
