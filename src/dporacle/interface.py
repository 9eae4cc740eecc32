"""What a witness's file does not say: how its functions are called, read and described.

A function of a witness is a formula of numbers that were read. Its row in the vocabulary says
which numbers these may be; from the row come its keyword-only signature, the reading of its
arguments and what its docstring says of them.
"""

from __future__ import annotations

import functools
import inspect
import re
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, TypeVar

from dporacle import arguments
from dporacle.vocabulary.arguments import Argument
from dporacle.vocabulary.functions import directions_of, errors_of, has_two_ends, rows_of

Numbers = tuple[Fraction, ...]
"""Several exact numbers that are taken together."""

Direction = str
"""Which neighbours: one of the words that the vocabulary has for the function."""


def orders_of(direction: Direction) -> tuple[Direction, ...]:
    """Return the orders of a pair of laws of which the worse one counts."""
    return ("remove", "add") if direction == "both" else (direction,)


_Answer = TypeVar("_Answer")
_Reader = Callable[[Any], Any]

_READ = ("Fraction", "int", "int | None", "Numbers")
_REFUSED = "    TypeError, ValueError: if an argument is not such a number; the message names it."
_DIGITS = {
    "reference": "correct decimal digits wanted.",
    "enclosures": "the ball's radius is at most 10^-digits times its midpoint.",
}
_ENDS = "where the value is known, the ball's radius is at most 10^-digits times its midpoint."
_SECTION = re.compile(r"\n\n(Args|Returns|Raises):\n")
_ENTRY = re.compile(r"^    (\w+): (.*(?:\n      .*)*)", re.MULTILINE)


def witness(formula: Callable[..., _Answer]) -> Callable[..., _Answer]:
    """Return the public function of an exact witness, from a formula of exact numbers.

    What the formula annotates as `Fraction`, `int`, `int | None`, `Numbers` or `Direction` is read
    before it is called; all else it reads itself. `digits` is 50 unless it is given, or the formula
    says so.
    """
    rows = rows_of(formula.__name__)
    kinds: dict[str, Any] = formula.__annotations__
    read = {name for name in kinds if kinds[name] in _READ} & rows.keys()
    readers = {name: _reader(rows[name], kinds[name]) for name in read}
    if "digits" in kinds:
        readers["digits"] = arguments.digits
    shown = {"Fraction": "Exact", "Numbers": "Any"}
    kinds = {key: shown.get(kind, kind) for key, kind in kinds.items()}
    return called(formula, rows, kinds, reading(formula, rows, readers))


def _reader(row: Argument, kind: str) -> _Reader:
    domain = row.domain
    if kind.endswith(" | None"):
        inner = _reader(row, kind.removesuffix(" | None"))
        return lambda value: None if value is None else inner(value)
    if kind == "Numbers":
        return lambda values: tuple(
            arguments.within(domain, f"{row.name}[{index}]", each)
            for index, each in enumerate(arguments.vector(row.name, values))
        )
    if domain.whole:
        least, most = int(domain.least or 0), int(domain.most or arguments.MAX_DIMENSION)
        return lambda value: arguments.count(row.name, value, least=least, most=most)
    if row.name == "delta" and domain.open_below:
        return lambda value: arguments.delta(
            value, one_allowed=not domain.open_above, not_zero=row.not_zero
        )
    return lambda value: arguments.within(domain, row.name, value)


def read_direction(function: str, value: str) -> str:
    """Return the direction that a function is given, if it is one of its words."""
    words, _ = directions_of(function)
    if value not in words:
        known = ", ".join(words)
        raise ValueError(f"direction must be one of {known}, got {arguments.show(value)}")
    return value


def reading(
    formula: Callable[..., _Answer],
    rows: Mapping[str, Argument],
    readers: Mapping[str, _Reader],
    at_most: Callable[[str, Any, str, Any], None] = arguments.at_most,
) -> Callable[..., _Answer]:
    """Return a function of keywords that reads what a formula is called with.

    Args:
        formula: takes them as keywords.
        rows: those of its arguments that the vocabulary knows.
        readers: argument -> what makes of a value the number that the formula takes.
        at_most: refuses a number that is above another argument, as `arguments.at_most` does.
    """
    if formula.__annotations__.get("direction") == "Direction":
        words = functools.partial(read_direction, formula.__name__)
        readers = {**readers, "direction": words}

    taken = {name: rows[name] for name in formula.__annotations__ if name in rows}
    bounded = [(name, row.at_most) for name, row in taken.items() if row.at_most in taken]

    def read(**given: Any) -> _Answer:
        found = {name: readers[name](v) if name in readers else v for name, v in given.items()}
        for name, limit in bounded:
            at_most(limit, found[limit], name, found[name])
        return formula(**found)

    return read


def called(
    formula: Callable[..., Any],
    rows: Mapping[str, Argument],
    kinds: Mapping[str, str],
    answer: Callable[..., _Answer],
) -> Callable[..., _Answer]:
    """Return the function that a caller has of a formula: of keywords, with a signature and words.

    Args:
        formula: says which arguments there are.
        rows: those of its arguments that the vocabulary knows.
        kinds: argument -> its annotation in the signature.
        answer: takes all arguments as keywords, in the formula's order.
    """
    signature = inspect.signature(formula)
    taken = signature.parameters
    empty = inspect.Parameter.empty
    if kinds.get("direction") == "Direction":
        kinds = {**kinds, "direction": "str"}
    defaults = {name: each.default for name, each in taken.items() if each.default is not empty}
    own = {
        name: int(rows[name].default or 0)
        for name in taken
        if name in rows and rows[name].default  # 0 is what libraries may leave out alone
    }
    if "digits" in taken:
        own["digits"] = defaults.get("digits", 50)
    defaults |= own

    @functools.wraps(formula)
    def asked(*placed: Any, **given: Any) -> _Answer:
        if placed or given.keys() != taken.keys():
            given = defaults | given
            if placed or given.keys() != taken.keys():
                raise TypeError(_miscalled(asked, placed, given))
        return answer(**{name: given[name] for name in taken})

    asked.__signature__ = signature.replace(  # type: ignore[attr-defined]
        parameters=[
            each.replace(
                annotation=kinds[name],
                default=defaults.get(name, empty),
                kind=inspect.Parameter.KEYWORD_ONLY,
            )
            for name, each in taken.items()
        ]
    )
    asked.__doc__ = described(formula, rows, list(taken), own)
    asked.__annotations__ = dict(kinds)
    return asked


def _miscalled(
    function: Callable[..., Any], placed: Sequence[Any], given: Mapping[str, Any]
) -> str:
    """Return what is wrong with a call, in the words of the arguments that there are."""
    taken = inspect.signature(function).parameters
    unknown = [f"has no argument {name!r}" for name in given if name not in taken]
    if unknown or placed:
        what = unknown[0] if unknown else "takes its arguments by name"
        return f"{function.__name__}() {what}: {', '.join(f'{name}=' for name in taken)}"
    name = next(name for name in taken if name not in given)
    told = dict(_ENTRY.findall(inspect.getdoc(function) or ""))
    words = " ".join(told.get(name, "there is no default").split())
    return f"{function.__name__}() needs {name}=: {words}"


def described(
    function: Callable[..., Any],
    rows: Mapping[str, Argument],
    names: list[str],
    defaults: Mapping[str, Any],
) -> str:
    """Return a docstring with what the rows say of the arguments, and the errors."""
    head, *parts = _SECTION.split(inspect.cleandoc(function.__doc__ or ""))
    sections = dict(zip(parts[::2], parts[1::2], strict=True))
    own = dict(_ENTRY.findall(sections.pop("Args", "")))
    lines = [
        f"    {name}: {own.get(name) or _said(name, function, rows, defaults)}" for name in names
    ]
    others = [f"    {each}" for each in errors_of(function.__name__, _room(function))]
    raised = "\n".join([_REFUSED, *filter(None, [sections.pop("Raises", "")]), *others])
    whole = {**({"Args": "\n".join(lines)} if lines else {}), **sections, "Raises": raised}
    return (
        "\n\n".join([head, *(f"{name}:\n{text.rstrip()}" for name, text in whole.items())]) + "\n"
    )


def _said(
    name: str,
    function: Callable[..., Any],
    rows: Mapping[str, Argument],
    defaults: Mapping[str, Any],
) -> str:
    if name == "digits":
        room = _room(function)
        two_ends = room == "enclosures" and has_two_ends(function.__name__)
        return _ENDS if two_ends else _DIGITS[room]
    if name == "direction":
        return directions_of(function.__name__)[1]
    row = rows[name]
    domain = str(row.domain) if row.counts else f"in {row.domain}"
    left_out = f"; {defaults[name]} if it is left out" if name in defaults else ""
    return f"{row.meaning}, {domain}{left_out}."


def _room(function: Callable[..., Any]) -> str:
    """Return which witness a function is of."""
    rooms = function.__module__.split(".")
    return "enclosures" if "enclosures" in rooms else rooms[1]  # those of a wing stand deeper
