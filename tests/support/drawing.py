"""Inputs of any quantity, drawn from its row: where people work, far away, and at its ends."""

import math
import random
from collections.abc import Callable, Iterator
from typing import Any

from dporacle.conformance.ask import random_inputs
from dporacle.vocabulary import DEEPEST, Quantity
from dporacle.vocabulary.arguments import Argument

WIDE = 3.0
"""Powers of ten about its everyday value, in which an argument without a range is drawn."""

MOST = 4
"""How many numbers a drawn list has at most."""

Inputs = dict[str, Any]


def inputs(row: Quantity, number: int, seed: str = "") -> list[Inputs]:
    """Return inputs inside the row's domain, at most so many, in turn of each sort.

    An argument of several numbers is a list, of the same length in all of them.
    """
    generator, found = random.Random(f"{row.name} {seed}"), []
    ranges = all(each.usual and each.extreme for each in row.rows.values())
    length = generator.randint(1, MOST) if any(r.several for r in row.rows.values()) else 1
    for turn in range(number):
        for _ in range(_REDRAWN):
            where = _ranged(generator, row, turn) if ranges else _about(generator, row, turn)
            for name, each in row.rows.items():
                if each.several:
                    rest = [_near(generator, each) for _ in range(length - 1)]
                    where[name] = [where[name], *rest]
            where = {k: int(v) if row.rows[k].counts else v for k, v in where.items()}
            if near_practice(row, where):
                break
        if all(v in row.rows[k].domain for k, value in where.items() for v in parts(value)):
            found.append(where)
        if not row.arguments:
            return found
    return found


def hard(row: Quantity) -> list[Inputs]:
    """Return the row's own hard inputs."""
    return [row.everyday | each for each in row.hard]


def parts(value: Any) -> list[Any]:
    """Return the numbers of an argument: of a list each, else the one."""
    return value if isinstance(value, list) else [value]


def changed(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return an argument with each of its numbers changed."""
    return [*map(change, value)] if isinstance(value, list) else change(value)


def begun(value: Any, number: Any) -> Any:
    """Return an argument with another number in its first place."""
    return [number, *value[1:]] if isinstance(value, list) else number


def near_practice(row: Quantity, where: Inputs) -> bool:
    """Whether float64 keeps its promise of an error there; beyond, its bounds may be wide.

    The judge asks DP-SGD further out, where records are hardly ever drawn or tails are deep; what
    float64 says there is no less than the exact value (`test_subsampled_domain`).
    """
    if "rate" not in where:
        return True
    phases = [(where["rate"], where["steps"])]
    if "later_rate" in where:
        phases.append((where["later_rate"], where["later_steps"]))
    if any(steps > 1 and rate * steps < 1 for rate, steps in phases):
        return False
    if {"epsilon", "delta"} <= where.keys():  # nearly all that adding a record can cost
        (rate, steps), *_ = phases
        spared = steps * math.log1p(-rate) if rate < 1 else -math.inf
        return bool(where["delta"] <= -math.expm1(where["epsilon"] + spared) / 2)
    return row.mechanism.depth(where) <= DEEPEST * _NEAR_TAILS


_NEAR_TAILS = 3 / 5
_REDRAWN = 50  # times at most


def _ranged(generator: random.Random, row: Quantity, turn: int) -> Inputs:
    names = row.arguments
    if row.confined or turn % 4 == 0:
        return dict(random_inputs.usual(generator, row, names))
    if turn % 4 == 1:
        return dict(random_inputs.typed(generator, row, names))
    if turn % 4 == 2 and any(row.rows[name].edges for name in names):
        return dict(random_inputs.at_an_edge(generator, row, names, turn))
    return dict(random_inputs.extreme(generator, row, names))


def _about(generator: random.Random, row: Quantity, turn: int) -> Inputs:
    """Return values about the everyday ones; every third time one at an end of its domain."""
    where = {name: _near(generator, each) for name, each in row.rows.items()}
    if turn % 3 == 2:
        name = generator.choice(row.arguments)
        where[name] = generator.choice([*ends(row.rows[name]), where[name]])
    return where


def _near(generator: random.Random, argument: Argument) -> float:
    if argument.usual is not None:
        value = float(10 ** generator.uniform(*argument.usual))
    else:
        value = argument.everyday * 10 ** generator.uniform(-WIDE, WIDE)
    return max(1.0, round(value)) if argument.counts else value


def ends(argument: Argument) -> Iterator[float]:
    """Yield the ends of a domain that lie in it, or next to them."""
    domain = argument.domain
    for end, inwards in ((domain.least, 1), (domain.most, -1)):
        if end is None or abs(end) >= 1 << 20:
            continue
        if end in domain:
            yield end
        else:
            yield end + inwards if domain.whole else math.nextafter(end, inwards * math.inf)


def more(argument: Argument, value: float, factor: float) -> float | None:
    """Return a larger value in an argument's domain; None where there is none."""
    if argument.counts:
        found: float = max(int(value) + 1, int(value * factor))
    elif value:
        found = value * factor if value > 0 else value / factor
    else:
        found = abs(argument.everyday) * (factor - 1)
    return found if found in argument.domain else None
