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
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from dporacle.conformance.cases import EVERYDAY, Case, all_cases, limits_of
from dporacle.conformance.protocol import Function
from dporacle.conformance.quantities import QUANTITIES

__all__ = ["RENEWED", "RULES", "Relation", "chained", "random_cases"]

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

# log10 of where each argument usually lies, and of how far it may lie.
_USUAL = {
    "epsilon": (-3.0, 1.7),
    "delta": (-12.0, -1.0),
    "sigma": (-1.0, 2.0),
    "alpha": (-9.0, -0.05),
    "accuracy": (-1.0, 1.0),
    "sensitivity": (-3.0, 3.0),
    "mu": (-2.0, 0.6),
    "rho": (-4.0, 1.0),
}
_EXTREME = {
    "epsilon": (-12.0, 4.0),
    "delta": (-300.0, -0.01),
    "sigma": (-10.0, 10.0),
    "alpha": (-300.0, -0.001),
    "accuracy": (-10.0, 10.0),
    "sensitivity": (-10.0, 10.0),
    "mu": (-10.0, 10.0),
    "rho": (-300.0, 300.0),
}
# Where one argument at a time goes: next to 0 and 1, to e^ε's overflow, to the ends of the floats.
_EDGES: dict[str, tuple[Callable[[random.Random], float], ...]] = {
    "epsilon": (
        lambda g: 0.0,
        lambda g: 10 ** g.uniform(-300, -13),
        lambda g: g.uniform(690, 760),
        lambda g: 10 ** g.uniform(4, 12),
    ),
    "delta": (
        lambda g: math.ldexp(g.uniform(0.5, 1), -g.randint(1023, 1073)),
        lambda g: 1 - 2.0 ** -g.randint(8, 53),
    ),
    "alpha": (
        lambda g: math.ldexp(g.uniform(0.5, 1), -g.randint(1023, 1073)),
        lambda g: 1 - 2.0 ** -g.randint(8, 53),
    ),
    "sigma": (lambda g: math.ldexp(g.uniform(0.5, 1), g.randint(-1000, 1000)),),
    "accuracy": (lambda g: math.ldexp(g.uniform(0.5, 1), g.randint(-1000, 1000)),),
    "sensitivity": (lambda g: math.ldexp(g.uniform(0.5, 1), g.randint(-1000, 1000)),),
    "mu": (lambda g: math.ldexp(g.uniform(0.5, 1), g.randint(-1000, 1000)),),
    "rho": (lambda g: math.ldexp(g.uniform(0.5, 1), g.randint(-1000, 1000)),),
}
_NEVER_ZERO = {"delta", "alpha", "sigma", "sensitivity", "mu", "rho"}
_DEEPEST = 35.0  # standard deviations: a deeper tail is no float64

_RISES_WITH = {
    "calibrate_sigma": {"sensitivity"},
    "delta_at_epsilon": {"sensitivity"},
    "epsilon_at_delta": {"sensitivity"},
    "accuracy": {"sigma"},
    "alpha_at_accuracy": {"sigma"},
    "sigma_at_accuracy": {"accuracy", "alpha"},
    "zcdp_sigma": {"sensitivity"},
    "gdp_delta": {"mu"},
    "gdp_epsilon": {"mu"},
}
"""The arguments with which the exact value rises; with the others it falls.

Of the other quantities, no fresh inputs are made: their exact values are simple formulas, are
slow to prove, or follow from these.
"""

RENEWED = tuple(_RISES_WITH)
"""The quantities of which fresh inputs are made."""

_SCALES = {"sigma", "sensitivity", "accuracy"}
"""What is measured in the unit of the data."""


@dataclass(frozen=True)
class Relation:
    """What the answer to `second` must have to do with the answer to `first`.

    Attributes:
        rule: monotone or scale.
        first: the case to compare with, one of the vectors.
        second: the case that is found inconsistent when the rule is broken.
        factor: for scale, what the answers' quotient must be.
    """

    rule: str
    first: Case
    second: Case
    factor: float = 1.0


def random_cases(
    function: Function, *, seed: int, rounds: int
) -> tuple[list[Case], list[Relation]]:
    """Return fresh cases for a function, and the relations among them and with vectors.

    Functions that take the same arguments get the same cases. The first case of a relation is
    asked as a vector too, so it is not among the cases returned.
    """
    quantity = QUANTITIES[function.quantity]
    offered: set[str] = set(function.arguments)
    if quantity.name not in RENEWED or not offered <= set(quantity.arguments):
        return [], []
    names = [name for name in quantity.arguments if name in offered]
    generator = random.Random(f"{seed} {quantity.name} {' '.join(names)}")
    cases: list[Case] = []
    relations: list[Relation] = []
    bases = _bases(quantity.name)
    for _ in range(rounds):
        cases.append(_case(quantity.name, "random", _drawn(generator, names, _USUAL)))
        cases.append(_case(quantity.name, "random-extreme", _drawn(generator, names, _EXTREME)))
        cases.append(_case(quantity.name, "random-edge", _at_an_edge(generator, names)))
        cases.append(_nonsense(generator, quantity.name, names))
        relations.append(_lower(generator, bases, names))
        relations += _scaled(generator, generator.choice(bases), names)
    cases += [relation.second for relation in relations]
    return cases, relations


def chained(function: Function, calibration: Case, sigma: float) -> Case:
    """Return the case that puts a calibrated σ into the same library's δ or ε."""
    given = {**calibration.arguments, "sigma": sigma}
    names = QUANTITIES[function.quantity].arguments
    return _case(function.quantity, "consistent", {name: given[name] for name in names})


def _bases(quantity: str) -> list[Case]:
    """Return the everyday vectors, away from where halving or scaling leaves the floats."""
    return [
        case
        for case in all_cases()
        if case.quantity == quantity
        and case.valid
        and not EVERYDAY.isdisjoint(case.flags)
        and all(1e-12 <= value <= 1e6 for value in case.arguments.values())
        and case.arguments.get("sensitivity", 1.0) == 1.0
    ]


def _case(quantity: str, flag: str, arguments: dict[str, float], *, valid: bool = True) -> Case:
    arguments = {name: arguments.get(name, 1.0) for name in QUANTITIES[quantity].arguments}
    text = ";".join(f"{name}={value!r}" for name, value in arguments.items())
    limits = () if valid else limits_of(quantity, arguments)
    return Case(
        f"{quantity}/{flag}/{text}", quantity, (flag,), arguments, RULES[flag], valid, limits
    )


def _drawn(
    generator: random.Random, names: list[str], ranges: dict[str, tuple[float, float]]
) -> dict[str, float]:
    while True:
        drawn = {name: 10 ** generator.uniform(*ranges[name]) for name in names}
        if _depth(drawn) <= _DEEPEST:
            return drawn


def _at_an_edge(generator: random.Random, names: list[str]) -> dict[str, float]:
    while True:
        drawn = _drawn(generator, names, _USUAL)
        name = generator.choice([name for name in names if name in _EDGES])
        drawn[name] = generator.choice(_EDGES[name])(generator)
        if _depth(drawn) <= _DEEPEST:
            return drawn


def _depth(given: dict[str, float]) -> float:
    """Return how many standard deviations out the tail is that has to be computed."""
    if "mu" in given and "epsilon" in given:
        return given["epsilon"] / given["mu"] - given["mu"] / 2
    if "sigma" not in given or "delta" in given or "alpha" in given:
        return 0.0
    ratio = given["sigma"] / given.get("sensitivity", 1.0)
    if "epsilon" in given:
        return given["epsilon"] * ratio - 0.5 / ratio
    return given["accuracy"] / given["sigma"]


def _nonsense(generator: random.Random, quantity: str, names: list[str]) -> Case:
    arguments = _drawn(generator, names, _USUAL)
    name = generator.choice(names)
    wrong = [-(10 ** generator.uniform(-12, 12)), math.nan, -math.inf]
    if name in ("delta", "alpha"):
        wrong.append(1 + 10 ** generator.uniform(-12, 12))
    if name in _NEVER_ZERO:
        wrong.append(0.0)
    arguments[name] = generator.choice(wrong)
    return _case(quantity, "random-nonsense", arguments, valid=False)


def _lower(generator: random.Random, bases: list[Case], names: list[str]) -> Relation:
    """Change one argument of a vector so that the exact answer falls."""
    while True:
        base = generator.choice(bases)
        arguments = dict(base.arguments)
        name = generator.choice(names)
        factor = generator.uniform(1.5, 4.0)
        rising = name in _RISES_WITH[base.quantity]
        arguments[name] *= 1 / factor if rising else factor
        possible = max(arguments.get("delta", 0.0), arguments.get("alpha", 0.0)) < 1
        if possible and _depth(arguments) <= _DEEPEST:
            return Relation("monotone", base, _case(base.quantity, "monotone", arguments))


def _scaled(generator: random.Random, base: Case, names: list[str]) -> Iterator[Relation]:
    unit = _SCALES & set(QUANTITIES[base.quantity].arguments)
    if not unit or not unit <= set(names):
        return
    power = generator.choice([n for n in range(-20, 21) if n])
    factor = math.ldexp(1.0, power)
    arguments = {n: v * factor if n in unit else v for n, v in base.arguments.items()}
    answer_scales = base.quantity in (
        "calibrate_sigma",
        "accuracy",
        "sigma_at_accuracy",
        "zcdp_sigma",
    )
    second = _case(base.quantity, "scale", arguments)
    yield Relation("scale", base, second, factor if answer_scales else 1.0)
