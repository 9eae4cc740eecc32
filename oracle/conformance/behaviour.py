"""Inputs made anew in each run, and what answers must have to do with each other.

A library that had memorised the vectors would pass them; it does not know these. One round asks
a function about an everyday input, about an extreme one, about one with an argument at an edge of
the floats, about one that has to be refused, and about partners of a vector's input: with one
argument changed in the direction in which the exact answer cannot rise (`monotone`), and scaled by
a power of two (`scale`). Every single answer is judged by the proofs like a vector's; the
relations are judged besides.

Everything follows from the seed, so that a run can be repeated.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass

from dporacle.conformance.cases import EVERYDAY, Case, all_cases, lacked, limits_of
from dporacle.conformance.drawing import at_an_edge, extreme, nonsense, possible, usual
from dporacle.conformance.protocol import Function
from dporacle.conformance.quantities import QUANTITIES, Quantity

__all__ = ["RULES", "Relation", "chained", "random_cases"]

RULES = {
    "random": "Made anew in this run, where people work.",
    "random-extreme": "Made anew in this run, far from where people work: it has to end.",
    "random-edge": "Made anew in this run, one argument at an edge of the floats: it has to end.",
    "random-nonsense": "Made anew in this run, and not in the domain.",
    "monotone": "One argument of an everyday vector changed: the answer must not rise.",
    "scale": "A vector's input scaled by a power of two: the answer scales exactly with it.",
    "consistent": "The library's own σ put into its own δ and ε: they must be safe there too.",
}
"""Why a case exists, by its flag."""


@dataclass(frozen=True)
class Relation:
    """What the answer to `second` must have to do with the answer to `first`.

    Attributes:
        rule: monotone or scale.
        first: the case to compare with, one of the vectors.
        second: the case that is found inconsistent when the rule is broken.
        factor: for scale, what the answers' quotient must be.
        slack: how far a careful answer may rise anyway: by 1 where answers are whole numbers.
    """

    rule: str
    first: Case
    second: Case
    factor: float = 1.0
    slack: float = 0.0


def random_cases(
    function: Function, *, seed: int, rounds: int
) -> tuple[list[Case], list[Relation]]:
    """Return fresh cases for a function, and the relations among them and with vectors.

    Functions that take the same arguments get the same cases. The first case of a relation is
    asked as a vector too, so it is not among the cases returned.
    """
    quantity = QUANTITIES[function.quantity]
    if (lacking := lacked(quantity, function)) is None:
        return [], []  # as with the vectors
    names = [name for name in quantity.arguments if name not in lacking]
    generator = random.Random(f"{seed} {quantity.name} {' '.join(names)}")
    cases: list[Case] = []
    relations: list[Relation] = []
    bases = _bases(quantity, names)
    for _ in range(rounds):
        cases.append(_case(quantity.name, "random", usual(generator, quantity, names)))
        drawn = extreme(generator, quantity, names)
        cases.append(_case(quantity.name, "random-extreme", drawn))
        drawn = at_an_edge(generator, quantity, names)
        cases.append(_case(quantity.name, "random-edge", drawn))
        drawn = nonsense(generator, quantity, names)
        cases.append(_case(quantity.name, "random-nonsense", drawn, valid=False))
        relations.append(_lower(generator, quantity, bases, names))
        relations += _scaled(generator, quantity, generator.choice(bases), names)
    cases += [relation.second for relation in relations]
    return cases, relations


def chained(function: Function, calibration: Case, sigma: float) -> Case:
    """Return the case that puts a calibrated σ into the same library's δ or ε."""
    given = {**calibration.arguments, "sigma": sigma}
    names = QUANTITIES[function.quantity].arguments
    return _case(function.quantity, "consistent", {name: given[name] for name in names})


def _bases(quantity: Quantity, names: list[str]) -> list[Case]:
    """Return the everyday vectors, away from where halving or scaling leaves the floats."""
    counted = "sensitivity" in quantity.counts and "sensitivity" in names
    apart = {name: value for name, value in quantity.defaults.items() if name not in names}
    return [
        case
        for case in all_cases()
        if case.quantity == quantity.name
        and case.valid
        and not EVERYDAY.isdisjoint(case.flags)
        and all(1e-12 <= case.arguments[name] <= 1e6 for name in names)
        and all(case.arguments[name] == value for name, value in apart.items())
        and (counted or case.arguments.get("sensitivity", 1.0) == 1.0)
    ]


def _case(quantity: str, flag: str, arguments: dict[str, float], *, valid: bool = True) -> Case:
    row = QUANTITIES[quantity]
    arguments = {name: {**row.defaults, **arguments}[name] for name in row.arguments}
    text = ";".join(f"{name}={value!r}" for name, value in arguments.items())
    limits = () if valid else limits_of(quantity, arguments)
    return Case(
        f"{quantity}/{flag}/{text}", quantity, (flag,), arguments, RULES[flag], valid, limits
    )


def _lower(
    generator: random.Random, quantity: Quantity, bases: list[Case], names: list[str]
) -> Relation:
    """Change one argument of a vector so that the exact answer falls."""
    while True:
        base = generator.choice(bases)
        arguments = dict(base.arguments)
        name = generator.choice([name for name in names if name in quantity.ordered])
        factor = generator.uniform(1.5, 4.0)
        arguments[name] *= 1 / factor if quantity.rises(name) else factor
        if name in quantity.counts:
            arguments[name] = float(math.floor(arguments[name]))
        reached = all(arguments[each] in row.reach for each, row in quantity.rows.items())
        if reached and possible(quantity, arguments):
            slack = 1.0 if quantity.whole else 0.0
            second = _case(quantity.name, "monotone", arguments)
            return Relation("monotone", base, second, slack=slack)


def _scaled(
    generator: random.Random, quantity: Quantity, base: Case, names: list[str]
) -> Iterator[Relation]:
    unit = set(quantity.data_unit)
    if not unit or not unit <= set(names):
        return
    power = generator.choice([n for n in range(-20, 21) if n])
    factor = math.ldexp(1.0, power)
    arguments = {n: v * factor if n in unit else v for n, v in base.arguments.items()}
    second = _case(quantity.name, "scale", arguments)
    yield Relation("scale", base, second, factor**quantity.kind.degree)
