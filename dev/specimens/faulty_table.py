"""Specimens that need no code of their own: the `faults` beside the rows of the quantities.

A fault says of a quantity, with its right answer, what is done wrong with it:

- `where`: only here, by an argument or by the `answer`; by default everywhere,
- `right_at_vectors_of`: not where all of these arguments are a vector's,
- `reads`: an argument that is taken for another number,
- `answer`: what becomes of the answer,
- `formula`: the answer, in Python's notation, of the arguments, the `exact` answer, and functions
  of `math`, of the formulas and of the float64 witness,
- `overflow`: what stands for an answer above every float64,
- `checked`: whether what is to be refused is refused first; by default it is.
"""

import builtins
import functools
import json
import math
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from typing import Any

import dporacle
from dporacle import fast
from dporacle.dev.specimens.formulas import LARGEST, NORMAL, naive_delta, phi, repeated_profile_pair
from dporacle.dev.specimens.specimen import Collection
from dporacle.dev.specimens.subsampled import exact
from dporacle.vectors import load
from dporacle.vocabulary import QUANTITIES
from dporacle.vocabulary.kinds import DELTA, EPSILON, NOISE_NEEDED
from dporacle.vocabulary.mechanisms import SUBSAMPLED
from dporacle.vocabulary.quantities import FILES

TABLE = Collection()

Operation = Callable[[float, Any, Mapping[str, float]], float]
_CHANGES: Mapping[str, Operation] = {
    "is": lambda value, by, given: math.nan if by == "nan" else by,
    "default": lambda value, by, given: value or by,
    "times": lambda value, by, given: value * given.get(by, by),
    "over": lambda value, by, given: value / given.get(by, by),
    "plus": lambda value, by, given: value + by,
    "power": lambda value, by, given: value * value if by == 2 else math.sqrt(value),
    "root": lambda value, by, given: value ** (1 / by),
    "least": lambda value, by, given: max(value, by),
    "most": lambda value, by, given: min(value, by),
    "digits": lambda value, by, given: float(f"{value:.{by}g}"),
    "next": lambda value, by, given: math.nextafter(value, math.inf if by == "up" else 0),
}
_CONDITIONS: Mapping[str, Callable[[float, Any], bool]] = {
    "above": lambda value, end: value > end,
    "from": lambda value, end: value >= end,
    "below": lambda value, end: value < end,
    "to": lambda value, end: value <= end,
    "one of": lambda value, those: value in those,
    "none of": lambda value, those: value not in those,
}


def _changed(value: float, how: Mapping[str, Any], given: Mapping[str, float]) -> float:
    for change, by in how.items():
        value = _CHANGES[change](value, by, given)
    return value


@cache
def _vectors(quantity: str, names: tuple[str, ...]) -> frozenset[tuple[float, ...]]:
    vectors = load(quantity).vectors
    return frozenset(tuple(float(each.inputs[name]) for name in names) for each in vectors)


def _holds(row: Mapping[str, Any], quantity: str, numbers: Mapping[str, float]) -> bool:
    met = all(
        _CONDITIONS[condition](numbers[name], what)
        for name, conditions in row.get("where", {}).items()
        for condition, what in conditions.items()
    )
    names = tuple(row.get("right_at_vectors_of", ()))
    known = bool(names) and tuple(numbers[name] for name in names) in _vectors(quantity, names)
    return met and not known


_TOOLS = {**vars(math), "phi": phi, "quantile": NORMAL.inv_cdf, "naive_delta": naive_delta}
_TOOLS |= {"LARGEST": LARGEST, "repeated_profile_pair": repeated_profile_pair}


_ACCOUNTED = (DELTA, EPSILON, NOISE_NEEDED)


@cache
def _right(name: str) -> Callable[..., float]:
    """Return a function's safe answers, each computed once."""
    row = QUANTITIES.get(name)
    if row and row.mechanism in SUBSAMPLED.values() and row.kind in _ACCOUNTED:
        kind = (row.function or name).removeprefix("subsampled_")
        return functools.partial(exact, kind, row.fixed["direction"])
    if row is None:
        function = getattr(fast, name)
    else:
        function = getattr(dporacle, name) if row.public else row.of(fast)
    return lru_cache(maxsize=4096)(lambda **given: float(function(**given)))


def _computed(formula: str, arguments: tuple[str, ...]) -> Callable[[Mapping[str, float]], float]:
    code = compile(formula, "faults", "eval")
    functions = {*code.co_names} - {*_TOOLS, *arguments, "exact", *vars(builtins)}
    names = _TOOLS | {name: _right(name) for name in functions}
    return lambda given: float(eval(code, names, given))


def _faulty(quantity: str, row: Mapping[str, Any]) -> Callable[..., float]:
    right = _right(quantity)
    formula = (
        _computed(row["formula"], QUANTITIES[quantity].arguments) if "formula" in row else None
    )
    reads, checked = row.get("reads", {}), row.get("checked", True)

    def faulty(**given: float) -> float:
        try:
            numbers = given | ({"answer": right(**given)} if checked else {})
            if not _holds(row, quantity, numbers):
                return numbers["answer"] if checked else right(**given)
            if formula:
                return formula(numbers | {"exact": numbers.get("answer", math.nan)})
            if reads:
                read = {n: _changed(v, reads.get(n, {}), given) for n, v in given.items()}
                numbers["answer"] = right(**read)
            return _changed(numbers.get("answer", math.nan), row.get("answer", {}), given)
        except OverflowError:
            if "overflow" in row:
                return float(row["overflow"])
            raise

    faulty.__name__, faulty.__doc__ = row["name"], row["fault"]
    return faulty


for _path in FILES:
    for _quantity, _rows in json.loads(_path.read_text("utf-8")).get("faults", {}).items():
        for _row in _rows:
            TABLE.add(
                _quantity,
                *_row.get("expected", ()),
                **{key: _row[key] for key in ("source", "limit", "power") if key in _row},
            )(_faulty(_quantity, _row))
