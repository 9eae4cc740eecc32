"""Draw fresh inputs: usual, extreme, at an edge of the floats, or to be refused.

Where each argument is drawn stands in its row of the vocabulary.
"""

from __future__ import annotations

import math
import random
from collections.abc import Mapping, Sequence

from dporacle.vocabulary import DEEPEST, Argument, Quantity

__all__ = ["at_an_edge", "extreme", "nonsense", "possible", "usual"]


def usual(generator: random.Random, quantity: Quantity, names: Sequence[str]) -> dict[str, float]:
    """Draw an input where people work."""
    return _drawn(generator, quantity, {name: quantity.rows[name].usual for name in names})


def extreme(generator: random.Random, quantity: Quantity, names: Sequence[str]) -> dict[str, float]:
    """Draw an input far from where people work."""
    return _drawn(generator, quantity, {name: quantity.rows[name].extreme for name in names})


def _drawn(
    generator: random.Random,
    quantity: Quantity,
    ranges: Mapping[str, tuple[float, float] | None],
) -> dict[str, float]:
    while True:
        drawn = {}
        for name, ends in ranges.items():
            assert ends is not None, f"{quantity.name} is served, and {name} has no range"
            drawn[name] = 10 ** generator.uniform(*ends)
        drawn |= {name: float(round(drawn[name])) for name in quantity.counts if name in drawn}
        if possible(quantity, drawn):
            return drawn


def at_an_edge(
    generator: random.Random, quantity: Quantity, names: Sequence[str]
) -> dict[str, float]:
    """Draw a usual input and put one argument to an edge."""
    while True:
        drawn = usual(generator, quantity, names)
        name = generator.choice([name for name in names if quantity.rows[name].edges])
        drawn[name] = generator.choice(quantity.rows[name].edges)(generator)
        if possible(quantity, drawn):
            return drawn


def nonsense(
    generator: random.Random, quantity: Quantity, names: Sequence[str]
) -> dict[str, float]:
    """Draw a usual input and take one argument out of the domain."""
    drawn = usual(generator, quantity, names)
    name = generator.choice(names)
    row = quantity.rows[name]
    if row.counts:  # adapters may make it an integer
        drawn[name] = generator.choice([0.0, -float(generator.randint(1, 10**9))])
    else:
        drawn[name] = generator.choice([*_wrong(generator, quantity, row)])
    return drawn


def _wrong(generator: random.Random, quantity: Quantity, row: Argument) -> list[float]:
    """Return numbers outside an argument's domain; a limit that depends on the others is true."""
    wrong = [-(10 ** generator.uniform(-12, 12)), math.nan, -math.inf]
    if row.domain.most is not None:
        wrong.append(row.domain.most + 10 ** generator.uniform(-12, 12))
    if 0 not in row.domain and not callable(quantity.kind.limits.get((row.name, 0.0))):
        wrong.append(0.0)
    return wrong


def possible(quantity: Quantity, drawn: Mapping[str, float]) -> bool:
    """Whether the tail that an input asks for is not too deep for a float64."""
    return quantity.mechanism.depth(drawn) <= DEEPEST
