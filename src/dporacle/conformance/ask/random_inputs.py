"""Draw fresh inputs: usual, as people type them, evenly, extreme, at an edge, or to be refused.

Where each argument is drawn stands in its row of the vocabulary.
"""

import math
import random
from collections.abc import Mapping, Sequence

from dporacle.vocabulary import DEEPEST, Argument, Quantity

_DIGITS = (1, 1, 1, 1, 1, 1, 2, 2, 2, 3)
"""How many digits a number has that somebody types: mostly one."""

_COMPUTED = 0.12
"""The share of numbers that are typed as something to compute: 1/60000, √3, ln 2."""

_DEFAULT = 0.5
"""The share of typed inputs in which an argument that may be left out is what it then is."""

_NOT_FAR, _POPULAR = 0.25, 2 / 3
"""How far a popular number may be from what was drawn, and how often it takes its place."""

_WHOLE, _FEW = 20, 10
"""Counts and whole numbers that are typed; numbers that are typed lie near 1 or not far from it."""


def usual(generator: random.Random, quantity: Quantity, names: Sequence[str]) -> dict[str, float]:
    """Draw an input where people work."""
    return _drawn(generator, quantity, {name: quantity.rows[name].usual for name in names})


def extreme(generator: random.Random, quantity: Quantity, names: Sequence[str]) -> dict[str, float]:
    """Draw an input far from where people work."""
    return _drawn(generator, quantity, {name: quantity.rows[name].extreme for name in names})


def _drawn(
    generator: random.Random, quantity: Quantity, ranges: Mapping[str, tuple[float, float] | None]
) -> dict[str, float]:
    while True:
        drawn = {}
        for name, ends in ranges.items():
            assert ends is not None, f"{quantity.name} is served, and {name} has no range"
            drawn[name] = 10 ** generator.uniform(*ends)
        drawn |= {name: float(round(drawn[name])) for name in quantity.counts if name in drawn}
        if possible(quantity, drawn):
            return drawn


def typed(generator: random.Random, quantity: Quantity, names: Sequence[str]) -> dict[str, float]:
    """Draw an input as people type it: few digits, whole numbers, powers of two, 1/n, √n, ln n."""
    while True:
        drawn = usual(generator, quantity, names)
        for name in names:
            drawn[name] = _typed(generator, quantity.rows[name], drawn[name])
        drawn = _left_out(generator, quantity, drawn)
        if _reached(quantity, drawn) and possible(quantity, drawn):
            return drawn


def _left_out(
    generator: random.Random, quantity: Quantity, drawn: dict[str, float]
) -> dict[str, float]:
    """Let arguments that may be left out often be what they then are: a sensitivity of 1."""
    defaults = {name: value for name, value in quantity.defaults.items() if name in drawn}
    return drawn | {n: value for n, value in defaults.items() if generator.random() < _DEFAULT}


def _typed(generator: random.Random, row: Argument, drawn: float) -> float:
    ends = row.usual
    assert ends is not None
    if row.counts:
        few = float(generator.randint(1, min(_WHOLE, int(10 ** ends[1]))))
        return generator.choice([few, max(1.0, float(f"{drawn:.0e}"))])
    if generator.random() < _COMPUTED:
        found = _computed(generator, row, drawn)
        if 10 ** ends[0] <= found <= 10 ** ends[1]:
            return found
    above = row.domain.most is None
    if above and ends[1] > 0 and generator.random() < 0.3:
        whole = float(generator.randint(1, max(1, min(_FEW, int(10 ** ends[1])))))
        return generator.choice([whole, whole, 2.0 ** generator.randint(-3, 3)])
    if not above and ends[0] < -7 and generator.random() < 0.5:
        drawn = 10 ** generator.uniform(max(ends[0], -8.0), min(ends[1], -3.0))
    return float(f"{drawn:.{generator.choice(_DIGITS) - 1}e}")


def few_digits(generator: random.Random, row: Argument, drawn: float) -> float:
    """Return a number as people type it, as near to one that was drawn as such numbers are.

    It is the nearest popular one, if that is not far, or one of few digits.
    """
    near = [value for value in row.popular if abs(value / drawn - 1) <= _NOT_FAR]
    if near and generator.random() < _POPULAR:
        return min(near, key=lambda value: abs(value - drawn))
    low, high = row.parts[0], row.parts[-1]
    found = float(f"{drawn:.{generator.choice(_DIGITS) - 1}e}")
    return found if low <= found <= high else drawn


def _computed(generator: random.Random, row: Argument, drawn: float) -> float:
    """Return what people compute from a whole number: n⁻¹, n^−1.1, its root, its logarithm."""
    if row.domain.most is not None:
        power = generator.choice([-1.0, -1.1])
        number = float(f"{drawn ** (1 / power):.{generator.choice(_DIGITS) - 1}e}")
        return 1 / number if power == -1 else number**power
    whole = generator.randint(2, _WHOLE)
    return generator.choice([1 / whole, math.sqrt(whole), math.log(whole)])


def popular(
    generator: random.Random, quantity: Quantity, names: Sequence[str], number: int
) -> list[dict[str, float]]:
    """Draw so many different inputs, or fewer, of values that many people type."""
    axes = [_popular(quantity.rows[name]) or (math.nan,) for name in names]
    size = math.prod(map(len, axes))
    found = []
    for place in generator.sample(range(size), min(number, size)):
        drawn = typed(generator, quantity, names)
        for name, axis in zip(names, axes, strict=True):
            place, at = divmod(place, len(axis))
            drawn[name] = drawn[name] if math.isnan(axis[at]) else axis[at]
        if _reached(quantity, drawn) and possible(quantity, drawn):
            found.append(drawn)
    return found


def _popular(row: Argument) -> list[float]:
    assert row.usual is not None
    low, high = (10**end for end in row.usual)
    return [value for value in row.popular if 0.99 * low <= value <= 1.01 * high]


def evenly(generator: random.Random, quantity: Quantity, names: Sequence[str]) -> dict[str, float]:
    """Draw an input in which one argument, or each, lies evenly in its range, not its logarithm.

    Probabilities near 1 and the upper ends of ranges are all but missing from the others.
    """
    while True:
        drawn = typed(generator, quantity, names)
        chosen = names if generator.random() < 0.3 else [generator.choice(names)]
        for name in chosen:
            row = quantity.rows[name]
            ends = row.usual
            assert ends is not None
            if row.counts:
                drawn[name] = float(generator.randint(1, max(2, min(100, int(10 ** ends[1])))))
            elif row.domain.most is not None:
                drawn[name] = generator.uniform(0.0, float(row.domain.most))
            else:
                drawn[name] = generator.uniform(0.0, 2 * 10 ** ends[1])
        if _reached(quantity, drawn) and possible(quantity, drawn):
            return drawn


def _reached(quantity: Quantity, drawn: Mapping[str, float]) -> bool:
    return all(value in quantity.rows[name].reach for name, value in drawn.items())


def at_an_edge(
    generator: random.Random, quantity: Quantity, names: Sequence[str], turn: int
) -> dict[str, float]:
    """Draw a usual input, and put one argument to an edge, each in turn."""
    edges = [(name, edge) for name in names for edge in quantity.rows[name].edges]
    while True:
        drawn = _left_out(generator, quantity, usual(generator, quantity, names))
        name, edge = edges[turn % len(edges)]
        drawn[name] = edge(generator)
        if possible(quantity, drawn):
            return drawn
        turn = generator.randrange(len(edges))


def nonsense(
    generator: random.Random, quantity: Quantity, names: Sequence[str]
) -> dict[str, float]:
    """Draw a usual input and take one argument out of the domain."""
    drawn = usual(generator, quantity, names)
    name = generator.choice(names)
    row = quantity.rows[name]
    if row.counts:  # adapters may make it an integer
        below = -float(generator.randint(1, 10**9))
        if below in row.domain:  # whole numbers of either sign
            assert row.domain.least is not None
            below += 2 * float(row.domain.least)
        drawn[name] = generator.choice([below if 0 in row.domain else 0.0, below])
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
    return [each for each in wrong if not (math.isfinite(each) and each in row.domain)]


def possible(quantity: Quantity, drawn: Mapping[str, float]) -> bool:
    """Whether some are not more than all, and the tail asked for is not too deep for a float64."""
    counts = all(
        drawn[name] <= drawn[row.at_most]
        for name, row in quantity.rows.items()
        if row.at_most and name in drawn and row.at_most in drawn
    )
    return counts and quantity.mechanism.depth(drawn) <= DEEPEST
