"""Look for the inputs at which float64 is worst: `python tools/search_accuracy.py [NAME …]`.

Every quantity's row says how far below and above its exact value the float64 function may be.
A sample says little about the worst input; so this climbs: from the worst of some usual inputs it
goes on to neighbours that are worse, in steps that shrink from a factor of ten to the last bits.
It prints the largest share of the allowed error that was reached, and where, and ends with status 1
if it is above 1, or if an answer lies on the unsafe side. Two units in the last
place of the answer are allowed besides, and to an ε what one of δ changes it by: next to ε = 0 that
is far more than its own.
"""

from __future__ import annotations

import argparse
import math
import random
import sys
import time
from typing import Any

import numpy as np
from flint import arb, ctx, fmpq

from dporacle import enclosures, fast
from dporacle.randomness import chance
from dporacle.vocabulary import QUANTITIES
from dporacle.vocabulary.kinds import EPSILON
from dporacle.vocabulary.quantities import Quantity

DIGITS = 30
START, SHRINK, LEAST = 1.0, 0.7, 2.0**-52
ONE_UNIT_OF_DELTA = 2.0**-52
NORMAL = 1e-290  # below, a float64 has fewer digits


def exact(value: float) -> arb:
    """Return a float as a ball of radius 0."""
    return arb(fmpq(*value.as_integer_ratio()))


def share(row: Quantity, where: dict[str, Any]) -> float | None:
    """Return the error as a share of what is allowed; none where a witness has no answer."""
    try:
        ball = row.of(enclosures)(**where, digits=DIGITS)
        answer = float(np.asarray(row.of(fast)(**where)))
    except (ValueError, ArithmeticError, AttributeError):
        return None
    if not math.isfinite(answer) or not abs(answer) > NORMAL:
        return None
    with ctx.workprec(256):
        gap = exact(answer) - ball
        below, above = row.float64_error
        if gap < 0 and not below:
            return math.inf
        allowed = (above if gap > 0 else below) * abs(ball) + 2 * exact(math.ulp(answer))
        if row.kind is EPSILON:
            nearby = where | {"delta": where["delta"] * (1 - ONE_UNIT_OF_DELTA)}
            allowed += row.of(enclosures)(**nearby, digits=DIGITS) - ball
        return float((abs(gap) / allowed).mid())


def usual(row: Quantity, draw: random.Random) -> dict[str, Any]:
    """Draw an input of the everyday ranges."""
    where: dict[str, Any] = {}
    for name, argument in row.rows.items():
        low, high = argument.usual or (-3.0, 3.0)
        value = 10 ** draw.uniform(low, high)
        where[name] = max(1, round(value)) if argument.counts else value
    return where


def moved(row: Quantity, draw: random.Random, where: dict[str, Any], step: float) -> dict[str, Any]:
    """Return a neighbour: some arguments are multiplied by something near e^±step."""
    found = dict(where)
    for name in draw.sample(list(where), draw.randint(1, len(where))):
        value = where[name] * math.exp(draw.gauss(0, step))
        low, high = row.rows[name].usual or (-3.0, 3.0)
        value = min(max(value, 10**low), 10**high)
        found[name] = max(1, round(value)) if row.rows[name].counts else value
    return found


def climb(row: Quantity, draw: random.Random, seconds: float) -> tuple[float, dict[str, Any], int]:
    """Return the largest share found, where, and how many inputs were asked."""
    end, asked, best, place = time.monotonic() + seconds, 0, -1.0, {}
    while time.monotonic() < end:
        worst, at, step = -1.0, usual(row, draw), START
        for turn in range(200):
            tried = usual(row, draw) if turn < 20 else moved(row, draw, at, step)
            found, asked = share(row, tried), asked + 1
            if found is not None and found > worst:
                worst, at = found, tried
            elif turn >= 20 and turn % 4 == 3:
                step = max(step * SHRINK, LEAST)
            if time.monotonic() > end:
                break
        if worst > best:
            best, place = worst, at
    return best, place, asked


def main() -> int:
    """Search every quantity, or those that are named."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("names", nargs="*", choices=[[], *QUANTITIES], metavar="NAME")
    parser.add_argument("--seconds", type=float, default=10.0, help="for each")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    beyond = 0
    for name in given.names or QUANTITIES:
        row = QUANTITIES[name]
        if not hasattr(fast, row.function or row.name) or row.whole:
            continue
        found, where, asked = climb(row, chance("climbs", given.seed, name), given.seconds)
        beyond += found > 1
        inputs = ", ".join(f"{key}={value!r}" for key, value in where.items())
        print(f"{name:<34}{asked:>8}{found:>10.3f}  {inputs}", flush=True)
    return 1 if beyond else 0


if __name__ == "__main__":
    sys.exit(main())
