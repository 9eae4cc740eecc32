"""What one function is asked: vectors, fresh inputs, and what its library answered before."""

import itertools
import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import msgspec

from dporacle.conformance import protocol
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.cases import Case, cases_for
from dporacle.conformance.ask.earlier import EarlierInput, asked_again, without
from dporacle.conformance.ask.events import bad_events, owed
from dporacle.conformance.ask.fresh import (
    DRAWN,
    HARMLESS_RULES,
    ConsistencyRule,
    chained,
    random_cases,
    repeated,
    worked,
)
from dporacle.conformance.protocol import Function
from dporacle.conformance.quantities import QUANTITIES
from dporacle.vectors.notes import everyday
from dporacle.vocabulary import calibration_of

_SLOW_ROUNDS = 4  # for a slow function
_MOST_CHAINED = 60
_PLAINLY = Fraction(1, 100)  # far more than the last digits that a grade forgives
_ONCE_MORE = 16  # inputs that are asked once more in another process


@dataclass(frozen=True)
class Fresh:
    """Inputs made anew in a run.

    Attributes:
        rounds: how many rounds of them for a function; a slow one gets four at most, and one whose
            exact values take long fewer.
        seed: from which they follow.
    """

    rounds: int = 0
    seed: int = 0


@dataclass
class Plan:
    """What one function is asked, and what it answered.

    Attributes:
        function: the function.
        relations: what its answers must have to do with each other.
        again: the inputs at which earlier runs found something, which are asked first.
        usual: the vectors where people work.
        fresh: the fresh inputs where people work, of which a slow function is asked fewer.
        unusual: all the others.
        vectors: how many vectors there are for it, be they asked or not.
        pairs: the questions and the answers.
        patience: what the seconds went into that it took.
        broken: whether an answer to an everyday vector breaks the promise for certain, so that no
            other answer makes the grade worse.
    """

    function: Function
    relations: list[ConsistencyRule]
    usual: list[Case]
    fresh: list[Case]
    unusual: list[Case]
    vectors: int
    pairs: list[tuple[Case, Answer]] = field(default_factory=list)
    again: list[Case] = field(default_factory=list)
    patience: dict[str, float] = field(default_factory=dict)
    broken: bool = False

    @property
    def cases(self) -> list[Case]:
        """All that is asked, in order."""
        return [*self.again, *self.usual, *self.fresh, *self.unusual]


def planned(
    function: Function,
    fresh: Fresh,
    wanted: Callable[[Case], bool],
    found: Sequence[EarlierInput] = (),
) -> Plan:
    """Choose the questions to a function: where something was found before, and the others.

    Args:
        function: whom to ask.
        fresh: which inputs to make anew.
        wanted: which vectors to ask.
        found: the inputs at which earlier runs found something.
    """
    plan = _planned(function, fresh, wanted)
    plan.again = asked_again(function, found)
    for part in (plan.usual, plan.fresh, plan.unusual):
        part[:] = without(part, plan.again)
    return plan


def _planned(function: Function, fresh: Fresh, wanted: Callable[[Case], bool]) -> Plan:
    few = function.slow and QUANTITIES[function.quantity].rounds is None
    rounds = min(_SLOW_ROUNDS, fresh.rounds) if few else fresh.rounds
    made, related = random_cases(function, seed=fresh.seed, rounds=rounds)
    row, drawn = QUANTITIES[function.quantity], [c for c in made if c.flags[0] in DRAWN]
    laws = list(owed(row, drawn))
    known = {case.id for case in made}
    asked = {case.id: case for law in laws for case in (law.first, law.second)}
    made += [case for case in asked.values() if case.id not in known]
    related += laws
    vectors = [
        case for case in cases_for(msgspec.structs.replace(function, slow=False)) if wanted(case)
    ]
    cases = [case for case in cases_for(function) if wanted(case)] if function.slow else vectors
    known = {case.id for case in [*cases, *made]}
    # A slow function is not asked every vector, but those that others are compared with.
    cases += {r.first.id: r.first for r in related if r.first.id not in known}.values()
    usual = [case for case in cases if everyday(case.flags)]
    unusual = [case for case in cases if not everyday(case.flags)]
    early = [case for case in made if not HARMLESS_RULES.isdisjoint(case.flags)]
    late = [case for case in made if HARMLESS_RULES.isdisjoint(case.flags)]
    late = [*bad_events(row, [case.arguments for case in drawn]), *late]
    if function.slow:
        compared = {relation.first.id for relation in related}
        usual = sorted(_spread(usual), key=lambda case: case.id not in compared)
        telling = _telling(unusual)
        unusual = [case for case in unusual if case not in telling]
        late = [*{(c.flags, c.part and c.id): c for c in late}.values()]
        early.sort(key=lambda case: frozenset(DRAWN).isdisjoint(case.flags))
        return Plan(function, related, usual, early, [*telling, *late, *unusual], len(vectors))
    return Plan(function, related, usual, early, [*unusual, *late], len(vectors))


def _spread(cases: Sequence[Case]) -> list[Case]:
    """Return the cases in an order of which each beginning is spread over all of them."""
    golden = (math.sqrt(5) - 1) / 2
    return [cases[i] for i in sorted(range(len(cases)), key=lambda i: i * golden % 1)]


def _telling(cases: Sequence[Case]) -> list[Case]:
    """Return those with a reason that no case before them has; those with few reasons first."""
    seen: set[str] = set()
    found: list[Case] = []
    for case in sorted(cases, key=lambda case: len(case.flags)):
        if not seen.issuperset(case.flags):
            found.append(case)
            seen.update(case.flags)
    return found


def plainly_broken(case: Case, answer: Answer) -> bool:
    """Whether an everyday vector's answer is unsafe by more than a hundredth."""
    if case.proved is None or answer.value is None or not worked(case.flags):
        return False
    value, (least, most) = protocol.read_number(answer.value), case.proved
    if isinstance(value, float):  # not finite
        return False
    up = QUANTITIES[case.quantity].safe == "up"
    return least > 0 and (value < least * (1 - _PLAINLY) if up else value > most * (1 + _PLAINLY))


def calibrates(function: Function) -> bool:
    """Whether a function's answers are inputs for others."""
    return any(
        (source := calibration_of(row)) is not None and source.name == function.quantity
        for row in QUANTITIES.values()
    )


def chain(function: Function, plans: Sequence[Plan]) -> Iterator[Case]:
    """Yield the cases that put the library's own fresh noise into its δ and ε."""
    row = QUANTITIES[function.quantity]
    if (source := calibration_of(row)) is None:
        return
    # What both may lack, both have or both lack: else the noise is for another input.
    optional = row.defaults.keys() & source.defaults.keys()
    takes = optional & {*function.arguments}
    found = (
        chained(function, case, noise)
        for plan in plans
        if plan.function.quantity == source.name and optional & {*plan.function.arguments} == takes
        for case, answer in plan.pairs
        if case.flags == ("random",) and (noise := _positive(answer)) is not None
    )
    yield from itertools.islice(found, _SLOW_ROUNDS if function.slow else _MOST_CHAINED)


def _positive(answer: Answer) -> float | None:
    if answer.value is None:
        return None
    try:
        value = float(protocol.read_number(answer.value))
    except OverflowError:
        return None
    return value if 0 < value < math.inf else None


def once_more(plan: Plan) -> list[Case]:
    """Return some of what was answered, to be asked again, and note how they have to agree."""
    twice = {each.first.id for each in plan.relations if each.rule == "repeat"}
    answered = [
        case
        for case, answer in plan.pairs
        if answer.end is End.VALUE and "repeat" not in case.flags and case.id not in twice
    ]
    chosen = answered[:: max(1, len(answered) // _ONCE_MORE)]
    pairs = [(case, repeated(case, alone=True)) for case in chosen]
    plan.relations += [ConsistencyRule("repeat", first, second) for first, second in pairs]
    return [second for _, second in pairs]
