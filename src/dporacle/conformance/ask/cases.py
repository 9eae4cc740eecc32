"""The inputs that every library is asked: the certified vectors, under their own ids.

A vector brings its proved enclosure, and its flags say why it exists. Inputs made anew in each
run come from `behaviour`.
"""

from collections import Counter
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache

from dporacle.conformance.protocol import Function
from dporacle.conformance.quantities import JUDGED, QUANTITIES, Quantity
from dporacle.vectors import Refusal, Vector, VectorFile, load
from dporacle.vectors.cases import GridPoint
from dporacle.vectors.notes import FAR_FROM_USE, everyday
from dporacle.vocabulary.kinds import NOISE_NEEDED
from dporacle.vocabulary.questions import QUESTIONS, Question

_SLOW_EVERYDAY = 5  # of the everyday inputs, a slow function is asked every fifth …
# … and the first of every other flag and of every pair of them.
_TOGETHER = 2


@dataclass(frozen=True)
class Case:
    """One input.

    Attributes:
        id: the quantity and, after a slash, the vector's own stable id.
        quantity: what is asked.
        flags: why the case exists, in words that can be filtered by.
        arguments: exact floats by name.
        note: the same in a sentence.
        valid: whether there is a right answer; otherwise the input has to be refused.
        acceptable: answers to an invalid input that are true as limits, such as σ = ∞ at δ = 0.
        proved: an enclosure of the exact answer that is known already.
        alone: it is asked by itself, even where the function takes batches.
        part: of an input to be refused, a quantity and a valid input, whose exact value any answer
            must reach all the same: an event that is valid, beside one that is not.
        hung: an earlier run had no answer here in all the time that it gave.
    """

    id: str
    quantity: str
    flags: tuple[str, ...]
    arguments: dict[str, float]
    note: str
    valid: bool = True
    acceptable: tuple[float, ...] = ()
    proved: tuple[Fraction, Fraction] | None = None
    alone: bool = False
    part: tuple[str, dict[str, float]] | None = None
    hung: bool = False


@cache
def all_cases() -> tuple[Case, ...]:
    """Return every vector of every quantity, in the order of the files."""
    cases: list[Case] = []
    for quantity in QUANTITIES:
        if quantity in QUESTIONS:
            question = QUESTIONS[quantity]
            source = (case for case in cases if case.quantity == question.source.name)
            cases += [made for case in source if (made := _turned(question, case)) is not None]
            continue
        file = load(quantity)
        both: tuple[Vector | Refusal, ...] = (*file.vectors, *file.refusals)
        cases += [case_of(file, vector) for vector in both]
    return tuple(cases)


def case_of(file: VectorFile, vector: Vector | Refusal) -> Case:
    """Return a vector, or an input that is to be refused, as a case."""
    arguments = {name: float(value) for name, value in vector.inputs.items()}
    # Where another reason is given, that an input is usual explains nothing.
    reasons = [flag for flag in vector.flags if flag != "core"] or ["core"]
    valid = isinstance(vector, Vector)
    return Case(
        id=f"{file.function}/{vector.id}",
        quantity=file.function,
        flags=_with_far(file.function, vector.flags, arguments),
        arguments=arguments,
        note=" ".join(file.notes[flag] for flag in reasons),
        valid=valid,
        acceptable=() if valid else limits_of(file.function, arguments),
        proved=vector.bounds() if isinstance(vector, Vector) else None,
    )


def _with_far(
    quantity: str, flags: tuple[str, ...], arguments: dict[str, float]
) -> tuple[str, ...]:
    """Return an everyday vector's flags, with another one if nobody gives such an argument."""
    rows = JUDGED[quantity].rows
    used = all(rows[name].in_use(value) for name, value in arguments.items())
    return flags if used or not everyday(flags) else (*flags, FAR_FROM_USE)


def _turned(question: Question, case: Case) -> Case | None:
    """Return a vector of the source as one of a question that was made of it, if it is one."""
    row, arguments, proved = question.row, case.arguments.copy(), case.proved
    for name in question.source.arguments:
        if name not in row.arguments and arguments.pop(name) != question.source.defaults[name]:
            return None
    if question.noise is None:
        proved = None
    elif row.kind is NOISE_NEEDED:
        scale = Fraction(question.noise)
        proved = (proved[0] * scale, proved[1] * scale) if proved else None
    elif case.valid:
        noise = row.mechanism.parameter
        scaled = arguments[noise] * question.noise
        if scaled / question.noise != arguments[noise] or scaled not in row.rows[noise].reach:
            return None  # beyond the floats, where doubling is not exact
        arguments[noise] = scaled
    text = GridPoint(arguments, case.flags).id
    return replace(
        case,
        id=f"{row.name}/{text}",
        quantity=row.name,
        flags=_with_far(row.name, case.flags, arguments),
        arguments=arguments,
        acceptable=() if case.valid else limits_of(row.name, arguments),
        proved=proved,
    )


def limits_of(quantity: str, arguments: dict[str, float]) -> tuple[float, ...]:
    """Return the answers to an invalid input that are true as limits.

    Noise 0 is right for inputs that do not matter, infinite noise for promises that need it.
    """
    row = JUDGED[quantity]
    limits = (row.limit(name, arguments) for name in arguments)
    return tuple(limit for limit in limits if limit is not None)


def lacked(row: Quantity, function: Function) -> frozenset[str] | None:
    """Return the arguments that a function lacks; None where it does not fit the quantity."""
    lacking = frozenset(row.arguments) - frozenset(function.arguments)
    fits = set(function.arguments) <= set(row.arguments) and lacking <= set(row.defaults)
    return lacking if fits else None


def cases_for(function: Function) -> list[Case]:
    """Return the cases that a function can be asked.

    One that lacks an argument with a default is asked those at the default. A slow one is asked
    every fifth of the everyday inputs, and the first of every other flag and of every pair of them.
    """
    row = QUANTITIES[function.quantity]
    if (lacking := lacked(row, function)) is None:
        return []
    chosen = [
        case
        for case in all_cases()
        if case.quantity == row.name
        and all(case.arguments[name] == row.defaults[name] for name in lacking)
    ]
    chosen.sort(key=_rank)
    return _fewer(chosen) if function.slow else chosen


def _rank(case: Case) -> int:
    """The usual first, and extremes of two arguments last: hangs use up a function's patience."""
    if everyday(case.flags):
        return 0
    defaults = QUANTITIES[case.quantity].defaults
    plain = all(case.arguments[name] == value for name, value in defaults.items())
    return 1 if plain or not case.valid else 2


def _fewer(cases: list[Case]) -> list[Case]:
    kept = []
    seen: Counter[object] = Counter()
    asked: set[str] = set()
    for case in cases:
        usual = everyday(case.flags)
        wrong = [n for n, v in case.arguments.items() if not case.valid and not 0 < v < 2]
        # Each argument that is wrong counts as a reason of its own.
        key: object = "everyday" if usual else (case.flags, *wrong)
        due = seen[key] % _SLOW_EVERYDAY == 0 if usual else not seen[key]
        # Three extremes at once take a slow function long, and say little that two do not.
        due = due and (usual or not case.valid or len(case.flags) <= _TOGETHER)
        if due or not asked.issuperset(case.flags):
            kept.append(case)
            asked.update(case.flags)
        seen[key] += 1
    return kept
