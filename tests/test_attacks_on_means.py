"""An attack by enumeration on means over drawn batches: 3 to 5 records, 3 steps, two dimensions.

At each step the attacker chooses the contributions by the losses so far, which is the best that an
adaptive algorithm can do with them: the value is found backwards, on a lattice of losses.
"""

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from dporacle.enclosures.batches import drawn_divisor, drawn_mean
from dporacle.enclosures.batches import drawn_divisor_shared as shared

STEPS, RATE, SIGMA = 3, Fraction(2, 5), Fraction(3, 2)
DELTA, LARGE = Fraction(1, 20), Fraction(1, 4)
UNIT, REACH = 0.02, 12.0  # of the lattice of losses
# Above ε the second derivative of what a loss is worth, 1 − e^{ε−L}, is at most 1: the shares of a
# cell err by UNIT²/8 in each step. The kink at ε adds UNIT/4 of one cell's mass, some 1e-5.
ERROR = STEPS * UNIT**2 / 8
ALONG, ACROSS, NONE = (1.0, 0.0), (0.0, 1.0), (0.0, 0.0)
AGAINST, OPPOSITE = (-1.0, 0.0), (0.0, -1.0)
OTHERS = [(AGAINST, AGAINST), (NONE, NONE), (AGAINST, ACROSS), (ACROSS, OPPOSITE), (ALONG, ALONG)]
CENTRES = (np.arange(-150, 150) + 0.5) * 0.08
X, Y = np.meshgrid(CENTRES, CENTRES)


def masses(values: Any, *, by_size: bool) -> Any:
    """Return the masses of cells under the law of a step; of a batch that is skipped, the last."""
    rate, sigma, none = float(RATE), float(SIGMA), 0.0
    found = np.zeros(X.shape)
    for drawn in itertools.product([0, 1], repeat=len(values)):
        chance = math.prod(rate if each else 1 - rate for each in drawn)
        size = max(1, sum(drawn))
        if by_size and not any(drawn):
            none = chance
            continue
        width = sigma / size if by_size else sigma
        at = [sum(v[i] for v, e in zip(values, drawn, strict=True) if e) / size for i in (0, 1)]
        square = ((X - at[0]) ** 2 + (Y - at[1]) ** 2) / width**2
        found += chance * np.exp(-square / 2) / (2 * math.pi * width**2) * 0.08**2
    return np.append(found.ravel(), none)


def best(pairs: Any, epsilon: float) -> float:
    """Return the largest δ of an attacker who chooses among pairs by the losses so far."""
    half = round(REACH / UNIT)
    losses = np.arange(-STEPS * half, STEPS * half + 1) * UNIT
    value = np.maximum(0, -np.expm1(np.minimum(epsilon - losses, 0)))
    laws = []
    for p, q in pairs:
        kept = (p > 1e-300) & (q > 1e-300)
        place = np.clip(np.log(p[kept] / q[kept]) / UNIT, -half, half - 1e-9)
        low = np.floor(place).astype(int)
        law = np.zeros(2 * half + 1)
        np.add.at(law, low + half, p[kept] * (low + 1 - place))
        np.add.at(law, low + 1 + half, p[kept] * (place - low))
        laws.append((law, p[~kept].sum()))
    for _ in range(STEPS):
        wide = np.concatenate([np.zeros(half), value, np.full(half, value[-1])])
        each = [np.convolve(wide, law[::-1], "valid") + told for law, told in laws]
        value = np.max(each, axis=0)
    return float(value[STEPS * half])


def ends(
    kind: str, relation: str, delta: Fraction, records: int
) -> tuple[Fraction, Fraction | None]:
    """Return the ends of ε that are proved of these steps in two dimensions."""
    if kind == "mean":
        run = drawn_mean.DrawnMean(SIGMA, Fraction(1), RATE, records, STEPS)
        return drawn_mean.epsilon(run, delta, relation)
    steps = drawn_divisor.DrawnDivisor(SIGMA, RATE, records, STEPS, 2)
    module = shared if relation in shared.ADJACENCIES else drawn_divisor
    return module.epsilon(steps, delta, relation)


@pytest.mark.thorough("convolutions for six attackers, and a lattice of each relation")
@pytest.mark.parametrize("kind", ["mean", "drawn"])
@pytest.mark.parametrize("relation", ["remove", "add", "zero-out", "replace"])
@pytest.mark.parametrize("records", [3, 4, 5])
def test_no_end_is_on_the_wrong_side_of_the_best_attack(
    kind: str, relation: str, records: int
) -> None:
    pairs = []
    for others, own in itertools.product(OTHERS, (ALONG, ACROSS)):
        rest = {"zero-out": [NONE], "replace": [tuple(-v for v in own)]}.get(relation, [])
        first = [*others, *others][: records - 1]
        pair = [masses([*first, *more], by_size=kind == "drawn") for more in ([own], rest)]
        pairs.append(pair[::-1] if relation == "add" else pair)
    orders = [pairs]
    if relation in ("zero-out", "replace"):
        orders.append([pair[::-1] for pair in pairs])
    # In one of the steps all three are drawn with a chance of 0.18, which divides by 3.
    delta = LARGE if (kind, relation) == ("drawn", "remove") else DELTA
    low, high = ends(kind, relation, delta, records)
    assert high is not None
    above, below = (max(best(each, float(at)) for each in orders) for at in (high, low))
    assert above <= float(delta) + ERROR
    assert below >= float(delta) - ERROR
    assert 0 < low < high
