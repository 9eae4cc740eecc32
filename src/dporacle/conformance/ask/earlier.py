"""Inputs at which an earlier run found something: they are asked again, before all others.

What is drawn differs from run to run, so a fault on few inputs is met in one run and missed in the
next. Whoever keeps what was found asks it again, and the grade does not flip with the seed.
"""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

import msgspec

from dporacle.conformance.ask.cases import Case, cases_for
from dporacle.conformance.ask.fresh import EARLIER, fresh_case
from dporacle.conformance.protocol import Function
from dporacle.conformance.quantities import QUANTITIES

MOST = 40
"""So many inputs of one function are asked again."""


class EarlierInput(msgspec.Struct, frozen=True):
    """An input at which an earlier run found something.

    Attributes:
        arguments: name -> a hexadecimal float.
        flags: why it was asked.
        hung: whether there was no answer in all the time that it was given.
    """

    arguments: dict[str, str]
    flags: tuple[str, ...] = ()
    hung: bool = False


Earlier = Mapping[tuple[str, str, str], Sequence[EarlierInput]]
"""The library, the function and the quantity -> the inputs, the gravest findings first."""


def asked_again(function: Function, found: Iterable[EarlierInput]) -> list[Case]:
    """Return the cases of earlier findings of a function; what it cannot be asked is left out."""
    vectors = {_key(case.arguments): case for case in cases_for(function)}
    cases: dict[object, Case] = {}
    for each in found:
        arguments = _read(function, each.arguments)
        if arguments is None or (key := _key(arguments)) in cases:
            continue
        case = vectors.get(key) or _made(function, arguments, each.flags)
        cases[key] = replace(case, hung=each.hung)
        if len(cases) == MOST:
            break
    return [*cases.values()]


def _made(function: Function, arguments: dict[str, float], flags: Sequence[str]) -> Case:
    case = fresh_case(function.quantity, EARLIER, arguments)
    # Why it was asked says whether people work there; what was asked of it again says nothing.
    kept = tuple(flag for flag in flags if flag not in (EARLIER, "repeat"))
    return replace(case, flags=(EARLIER, *kept))


def _read(function: Function, given: Mapping[str, str]) -> dict[str, float] | None:
    """Return a valid input that the function takes; None for any other."""
    row = QUANTITIES[function.quantity]
    try:
        arguments = row.defaults | {name: float.fromhex(text) for name, text in given.items()}
    except (ValueError, OverflowError):
        return None
    if arguments.keys() != {*row.arguments}:
        return None
    lacking = {*row.arguments} - {*function.arguments}
    if any(arguments[name] != row.defaults.get(name) for name in lacking):
        return None
    if not all(math.isfinite(v) and v in row.rows[n].reach for n, v in arguments.items()):
        return None
    if any(not arguments[name].is_integer() for name in row.counts):
        return None
    return {name: float(arguments[name]) for name in row.arguments}


def _key(arguments: Mapping[str, float]) -> object:
    return frozenset(arguments.items())


def without(cases: Iterable[Case], again: Iterable[Case]) -> Iterator[Case]:
    """Yield the cases that are not among those that are asked again."""
    known = {case.id for case in again}
    return (case for case in cases if case.id not in known)
