"""Inputs made anew in each run, and what answers must have to do with each other.

A library that had memorised the vectors would pass them; it does not know these. A round asks a
function about an everyday input, drawn evenly on a logarithmic scale, about one as people type it,
and about one drawn evenly; where proofs take long, about one of the three. The first of these
leave out no decade that is in use (`covering`). Two thirds of
the rounds ask besides about values that many people type. So many are asked that a fault on a share
of these inputs is met with the power that was declared (`power`).

Some rounds add a neighbour, which a careless cache mistakes for the input before; an extreme input,
one with an argument at an edge of the floats, one that has to be refused; and partners of a
vector's input: with one argument changed in the direction in which the exact answer cannot rise
(`monotone`), and scaled by a power of two (`scale`). Some inputs are asked three times in a row,
some again after another one; at last many are asked again, in the other order, those of batches
alone, and a few after a pause and in another process: an answer must not depend on what was asked
before.

Every single answer is judged by the proofs like a vector's; the relations are judged besides.

Everything follows from the seed, so that a run can be repeated.
"""

import math
import random
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial

from dporacle.conformance.ask.cases import Case, all_cases, lacked, limits_of
from dporacle.conformance.ask.covering import Covering
from dporacle.conformance.ask.random_inputs import (
    at_an_edge,
    evenly,
    extreme,
    nonsense,
    popular,
    possible,
    typed,
    usual,
)
from dporacle.conformance.protocol import Function
from dporacle.conformance.quantities import QUANTITIES, Quantity
from dporacle.vectors.notes import EVERYDAY, everyday

__all__ = [
    "BAD_EVENT",
    "DRAWN",
    "EARLIER",
    "EVERYDAY_RULES",
    "HARMLESS_RULES",
    "LISTED",
    "ONE_MORE",
    "REORDERED",
    "RULES",
    "SEARCHED",
    "ConsistencyRule",
    "chained",
    "fresh_case",
    "random_cases",
    "repeated",
    "worked",
]

DRAWN = ("random", "random-typed", "random-uniform")
"""The flags of the inputs that are drawn, each from a distribution of its own."""

_DRAWS = dict(zip(DRAWN, (usual, typed, evenly), strict=True))

SEARCHED = "searched"
"""The flag of the further inputs near answers that look worse than others."""

BAD_EVENT = "bad-event"
"""The flag of compositions in which one of two events has bad noise."""

ONE_MORE, REORDERED, LISTED = "one-more", "reordered", "listed"
"""The flags of what every accountant owes: an event more, another order, a count as a list."""

EARLIER = "earlier"
"""The flag of the inputs at which an earlier run found something; their other flags are kept."""

EVERYDAY_RULES = frozenset(
    {*DRAWN[:2], "popular", "monotone", "scale", ONE_MORE, REORDERED, LISTED, SEARCHED}
)
"""The flags of the fresh inputs where people work."""

HARMLESS_RULES = EVERYDAY_RULES | {"random-uniform", "neighbour", "repeat"}
"""The flags of those on which nothing should hang; they are asked before the extremes."""

_AT_FIRST = 4  # rounds with one of everything; later only every so many-th has one
_SELDOM = {"random-edge": 4, "neighbour": 4, "random-extreme": 12, "random-nonsense": 12}
_PARTNERS = 12
_STEADY = 100  # tries, of which one succeeds if any may: the seed does not decide it
_LARGEST_BASE = 1e6  # from which halving and scaling stay within the floats
_COSTLY, _SHARE = 24, 6  # rounds, where the exact value takes long, or of so many one
_MANY = 16  # rounds in which there is one of everything, where the exact value takes longer still
_LEAST_DEAR = 8  # the least draws there, from two rounds on: six that count and two in reserve
_COVERING = 48  # rounds, or as many as there are, whose everyday inputs leave out no decade
_EVENLY = 4  # inputs of those whose proofs take long, of which one is drawn evenly
_POPULAR = 2 / 3  # of the rounds, or where proofs take long of what is typed
_REDRAWN = 20  # times at most
_IN_A_ROW = 12  # rounds, of which the last has an input that is asked three times in a row, and
_AGAIN = 5  # this one an input that is asked again after another
_NEAR = (2.0**-25, 2.0**-33, 2.0**-42)
"""The relative distances of neighbours, which float32, nine and twelve digits do not tell apart."""

RULES = {
    EARLIER: "An earlier run found something here.",
    "random": "Made anew in this run, where people work.",
    "random-typed": "Made anew in this run, with few digits, as people type numbers.",
    "popular": "Made in this run of values that many people type.",
    "random-uniform": "Made anew in this run, drawn evenly: probabilities near 1, large numbers.",
    "neighbour": "So close to the input before that float32, or twelve digits, do not tell.",
    "repeat": "Asked before: the answer must not depend on what was asked in between, or how.",
    "random-extreme": "Made anew in this run, far from where people work: it has to end.",
    "random-edge": "Made anew in this run, one argument at an edge of the floats: it has to end.",
    "random-nonsense": "Made anew in this run, and not in the domain.",
    BAD_EVENT: "One of two events has NaN, infinity or zero for its noise: what the other one "
    "costs is the least that any answer may be.",
    "monotone": "One argument of an everyday vector changed: the answer must not rise.",
    ONE_MORE: "One event more than in an input that was drawn: who sees it learns no less.",
    REORDERED: "Two events of an input that was drawn, in the other order: they cost the same.",
    LISTED: "The same event some times and once more, or told in two other parts: it is the same.",
    "scale": "A vector's input scaled by a power of two: the answer scales exactly with it.",
    SEARCHED: "Near an answer that is worse than those around it.",
    "consistent": "The library's own noise put into its own δ and ε: they must be safe there too.",
}
"""Why a case exists, by its flag."""


@dataclass(frozen=True)
class ConsistencyRule:
    """What the answer to `second` must have to do with the answer to `first`.

    Attributes:
        rule: monotone, scale, repeat, or what an accountant owes.
        first: the case to compare with: one of the vectors, or what is repeated.
        second: the case that is found inconsistent when the rule is broken.
        factor: for scale, what the answers' quotient must be.
        slack: how far a careful answer may rise anyway: by 1 where answers are whole numbers.
        side: which side of the first answer the second must not be on: −1 is below, 1 above, and 0
            either.
    """

    rule: str
    first: Case
    second: Case
    factor: float = 1.0
    slack: float = 0.0
    side: int = 0


def worked(flags: Collection[str]) -> bool:
    """Whether an input with these flags is one where people work."""
    return everyday(flags, EVERYDAY | EVERYDAY_RULES)


def random_cases(
    function: Function, *, seed: int, rounds: int
) -> tuple[list[Case], list[ConsistencyRule]]:
    """Return fresh cases for a function, and the relations among them and with vectors.

    Functions that take the same arguments get the same cases. The first case of a relation is
    asked as a vector too, so it is not among the cases returned. A slow function is asked little
    more than these vectors: they are the same whatever the seed, and its grade with them.
    """
    quantity = QUANTITIES[function.quantity]
    if (lacking := lacked(quantity, function)) is None:
        return [], []  # as with the vectors
    names = [name for name in quantity.arguments if name not in lacking]
    generator = random.Random(f"{seed} {quantity.name} {' '.join(names)}")
    early: list[Case] = []
    late: list[Case] = []
    relations: list[ConsistencyRule] = []
    bases = _bases(quantity, names)
    chosen = random.Random(f"{quantity.name} {' '.join(names)}") if function.slow else generator
    tries = _STEADY if function.slow else 1
    dear = quantity.rounds is not None
    rounds = _rounds(quantity, rounds)
    edge = generator.randrange(1 << 16)
    made: set[str] = set()
    typed_often = _popular_cases(generator, quantity, names, rounds)
    number = rounds - rounds // _EVENLY if dear else min(rounds, _COVERING)
    covering = Covering(generator, quantity, names, seed=seed, number=number)
    for index in range(rounds):
        # The first half goes in batches, where there are some, the other one by one.
        alone = index >= (rounds + 1) // 2
        early += (replace(case, alone=alone) for case in typed_often[index : index + 1])
        for flag in _kinds(index, dear=dear):
            for _ in range(_REDRAWN):  # few digits are soon drawn twice
                if flag != "random-uniform" and (dear or (flag == "random" and index < number)):
                    drawn = covering.draw(typed=flag == "random-typed")
                else:
                    drawn = _DRAWS[flag](generator, quantity, names)
                case = fresh_case(quantity.name, flag, drawn, alone=alone)
                if case.id not in made:
                    break
            early.append(case)
            made.add(case.id)
        if index % _IN_A_ROW == _AGAIN:
            early.append(repeated(early[-2], alone=alone))
            relations.append(ConsistencyRule("repeat", early[-3], early[-1]))
        if _due(index, _SELDOM["neighbour"], dear):
            early += _neighbours(generator, quantity, early[-1], names)
        if index % _IN_A_ROW == _IN_A_ROW - 1:
            for _ in range(2):
                early.append(repeated(early[-1], alone=alone))
                relations.append(ConsistencyRule("repeat", early[-2], early[-1]))
        if _due(index, _SELDOM["random-extreme"], dear):
            drawn = extreme(generator, quantity, names)
            late.append(fresh_case(quantity.name, "random-extreme", drawn))
        if _due(index, _SELDOM["random-edge"], dear):
            drawn = at_an_edge(generator, quantity, names, edge := edge + 1)
            late.append(fresh_case(quantity.name, "random-edge", drawn))
        if _due(index, _SELDOM["random-nonsense"], dear and index > 0):
            drawn = nonsense(generator, quantity, names)
            late.append(fresh_case(quantity.name, "random-nonsense", drawn, valid=False))
        if bases and _due(index, _PARTNERS, dear) and not quantity.unordered.issuperset(names):
            choose = partial(chosen.choice, bases)
            relations.append(_lower(generator, quantity, choose, names, tries))
            relations += _scaled(generator, quantity, choose(), names)
    if rounds >= _AT_FIRST:
        rest = covering.rest()
        early += (fresh_case(quantity.name, "random", drawn, alone=True) for drawn in rest)
    partners = [relation for relation in relations if relation.rule != "repeat"]
    early += [relation.second for relation in partners]
    twice = {id_ for r in relations if r.rule == "repeat" for id_ in (r.first.id, r.second.id)}
    again = [relation.first for relation in partners]
    again += [case for case in early if case.id not in twice]
    for case in reversed(generator.sample(again, min(rounds, len(again)))):
        early.append(repeated(case, alone=not case.alone))
        relations.append(ConsistencyRule("repeat", case, early[-1]))
    return [*{case.id: case for case in (*early, *late)}.values()], relations


def repeated(case: Case, *, alone: bool) -> Case:
    """Return the case that asks the same again, alone or not; it has its input's flags besides."""
    name = f"{case.quantity}/repeat/{case.id.partition('/')[2]}"
    flags = ("repeat", *(flag for flag in case.flags if flag != "repeat"))
    return replace(case, id=name, flags=flags, note=RULES["repeat"], alone=alone)


def _rounds(quantity: Quantity, rounds: int) -> int:
    """Return how many rounds are asked of so many: fewer where the exact value takes long."""
    if quantity.rounds is not None:
        return max(min(len(DRAWN) * rounds, _LEAST_DEAR), rounds // quantity.rounds)
    return max(min(rounds, _COSTLY), rounds // _SHARE) if quantity.costly else rounds


def _kinds(index: int, *, dear: bool) -> Sequence[str]:
    """Return the flags of what a round draws; each of them comes last, before a neighbour."""
    if dear:
        return (DRAWN[2] if index % _EVENLY == _EVENLY - 1 else DRAWN[index % 2],)
    first = index // 2 % len(DRAWN)
    return *DRAWN[first:], *DRAWN[:first]


def _popular_cases(
    generator: random.Random, quantity: Quantity, names: list[str], rounds: int
) -> list[Case]:
    """Return cases of popular values that no vector has, for most of so many rounds."""
    if quantity.rounds is not None:
        return []
    asked = {case.id.partition("/")[2] for case in all_cases() if case.quantity == quantity.name}
    drawn = popular(generator, quantity, names, math.ceil(_POPULAR * rounds) + len(asked))
    cases = [fresh_case(quantity.name, "popular", each) for each in drawn]
    new = [case for case in cases if case.id.rpartition("/")[2] not in asked]
    return new[: math.ceil(_POPULAR * rounds)]


def _due(index: int, every: int, dear: bool) -> bool:
    if dear:  # nothing but draws where there are few of them
        every = min(2 * every, _MANY)
        return index % every == every - 1
    return index < _AT_FIRST or index % every == 0


def _neighbours(
    generator: random.Random, quantity: Quantity, case: Case, names: list[str]
) -> Iterator[Case]:
    """Yield a case that is too near for a cache's key, where less noise would do, or more."""
    able = [n for n in names if n in quantity.ordered and n not in quantity.counts]
    if able:
        name = generator.choice(able)
        # What is asked for here is less safe than the answer to the case before would be.
        up = (name in quantity.kind.rises) == (quantity.safe == "up")
        arguments = {n: case.arguments[n] for n in names}
        step = generator.choice(_NEAR)
        arguments[name] *= 1 + step if up else 1 - step
        if arguments[name] in quantity.rows[name].reach and possible(quantity, arguments):
            made = fresh_case(quantity.name, "neighbour", arguments, alone=case.alone)
            # It is as everyday as the input that it is near to.
            yield replace(
                made, flags=(*made.flags, *(f for f in case.flags if f in EVERYDAY_RULES))
            )


def chained(function: Function, calibration: Case, noise: float) -> Case:
    """Return the case that puts calibrated noise into the same library's δ or ε."""
    row = QUANTITIES[function.quantity]
    given = {**calibration.arguments, row.mechanism.parameter: noise}
    return fresh_case(row.name, "consistent", {name: given[name] for name in row.arguments})


def _bases(quantity: Quantity, names: list[str]) -> list[Case]:
    """Return the everyday vectors, away from where halving or scaling leaves the floats.

    What scales stands at its default, unless that is too large to scale from: no bound at all.
    """
    plain = {
        name: value
        for name, value in quantity.defaults.items()
        if name not in names
        or (
            quantity.rows[name].data_unit and name not in quantity.counts and value <= _LARGEST_BASE
        )
    }
    return [
        case
        for case in all_cases()
        if case.quantity == quantity.name
        and case.valid
        and not EVERYDAY.isdisjoint(case.flags)
        and all(1e-12 <= case.arguments[name] <= _LARGEST_BASE for name in names)
        and all(case.arguments[name] == value for name, value in plain.items())
    ]


def fresh_case(
    quantity: str,
    flag: str,
    arguments: dict[str, float],
    *,
    valid: bool = True,
    alone: bool = False,
) -> Case:
    """Return the case of an input that was made anew; arguments that are missing are default."""
    row = QUANTITIES[quantity]
    arguments = {name: {**row.defaults, **arguments}[name] for name in row.arguments}
    text = ";".join(f"{name}={value!r}" for name, value in arguments.items())
    limits = () if valid else limits_of(quantity, arguments)
    return Case(
        f"{quantity}/{flag}/{text}",
        quantity,
        (flag,),
        arguments,
        RULES[flag],
        valid,
        limits,
        alone=alone,
    )


def _lower(
    generator: random.Random,
    quantity: Quantity,
    choose: Callable[[], Case],
    names: list[str],
    tries: int,
) -> ConsistencyRule:
    """Change one argument of a vector, with so many tries for each, so that the answer falls."""
    while True:
        base = choose()
        for _ in range(tries):
            arguments = dict(base.arguments)
            name = generator.choice([name for name in names if name in quantity.ordered])
            factor = generator.uniform(1.5, 4.0)
            arguments[name] *= 1 / factor if quantity.rises(name) else factor
            if name in quantity.counts:
                arguments[name] = float(math.floor(arguments[name]))
            reached = all(arguments[each] in row.reach for each, row in quantity.rows.items())
            if reached and possible(quantity, arguments):
                slack = 1.0 if quantity.whole else 0.0
                second = fresh_case(quantity.name, "monotone", arguments)
                return ConsistencyRule("monotone", base, second, slack=slack, side=1)


def _scaled(
    generator: random.Random, quantity: Quantity, base: Case, names: list[str]
) -> Iterator[ConsistencyRule]:
    unit = set(quantity.data_unit)
    if not unit or not unit <= set(names):
        return
    power = generator.choice([n for n in range(-20, 21) if n])
    factor = math.ldexp(1.0, power)
    arguments = {n: v * factor if n in unit else v for n, v in base.arguments.items()}
    second = fresh_case(quantity.name, "scale", arguments)
    yield ConsistencyRule("scale", base, second, factor**quantity.kind.degree)
