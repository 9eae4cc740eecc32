"""Where to cut the quasi-atom off, chosen in float64. A bad cut only widens a ball.

As far out as the runs without a loss beyond the edge can be neglected, by Chernoff's bound.
"""

import math
from collections.abc import Iterator, Sequence

from dporacle.enclosures.subsampled.cut import Cut
from dporacle.enclosures.subsampled.estimates import Estimate

_LOSSES = [math.exp(0.15 * k) for k in range(-80, 21)]  # of an edge, as parts of the distance
STEEP = (4.8, 9.6, 2.4, 1.2, 0.6)  # χ₁'s steepness, per unit of the loss's logarithm; most: 4.8


def choose_cuts(
    kinds: Sequence[Estimate],
    y: float,
    log_tolerance: float,
    exponents: Sequence[float],
    steepnesses: Sequence[float] = STEEP,
) -> Iterator[tuple[tuple[Cut, ...], float]]:
    """Find possible cuts for δ(y), each with its Chernoff exponent; none if none will do."""
    if any(each.plain for each in kinds):
        return
    bounded = all(not each.antipodal for each in kinds)
    distance = y - sum(each.lowest for each in kinds) if bounded else y
    # At the largest loss of adding no float tells one from the other: σ = 0.15, q = 1/2, T = 2.
    if not distance > 0:
        return
    goal = log_tolerance - 3.0
    ends = [each.end(goal - math.log(each.times * len(kinds))) for each in kinds]
    edges = [
        [min(each.edge(distance * part), end) for each, end in zip(kinds, ends, strict=True)]
        for part in _LOSSES
    ]
    few = [p for p in exponents if 5 < p * distance < 1500]

    def cuts_at(k: int, steep: float) -> tuple[Cut, ...]:
        found = []
        for each, edge in zip(kinds, edges[k], strict=True):
            steepness = steep / each.sigma
            excess = math.log(each.times * len(kinds)) + each.log_beyond(edge) - goal
            found.append(Cut(edge - math.sqrt(2 * max(excess, 0.0)) / steepness, steepness, edge))
        return tuple(found)

    def enough(cuts: tuple[Cut, ...], p: float) -> bool:
        total = sum(
            each.times * each.log_small(cut, p) for each, cut in zip(kinds, cuts, strict=True)
        )
        return log_kappa(p) - p * y + total < goal

    for steep in steepnesses:
        best, low = 0.0, -1  # the exponent of the farthest edge that will do
        for p in few:
            high = len(_LOSSES)
            if low + 1 == high or not enough(cuts_at(low + 1, steep), p):
                continue
            best, low = p, low + 1
            while high - low > 1:
                middle = (low + high) // 2
                if enough(cuts_at(middle, steep), p):
                    low = middle
                else:
                    high = middle
        if best:
            yield cuts_at(low, steep), best


def log_kappa(p: float) -> float:
    """Return ln sup (1 − e^{−v})e^{−pv}."""
    return p * math.log(p) - (1 + p) * math.log1p(p)
