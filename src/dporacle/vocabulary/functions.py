"""What each function of the witnesses may be called with: the rows of its arguments.

They are those of the function's row. What beside it is known of functions by their names, such as
the words for a direction, is in `functions.json`.
"""

import dataclasses
import json
import re
from collections.abc import Mapping
from pathlib import Path

from dporacle.vocabulary.arguments import ARGUMENTS, Argument
from dporacle.vocabulary.domains import Domain
from dporacle.vocabulary.quantities import CONTRACTS, Quantity
from dporacle.vocabulary.reading import fields

_FILE = json.loads(Path(__file__).with_suffix(".json").read_text(encoding="utf-8"))
_OTHERS = {row["name"]: Argument(**fields(row)) for row in _FILE["rows"]}
_OWN = _FILE["own"]
_MEANINGS = {name: row.meaning for name, row in ARGUMENTS.items()}

_ROWS: Mapping[str, Quantity] = {
    row.function or row.name: row
    for row in sorted(CONTRACTS.values(), key=lambda row: -len(row.arguments), reverse=True)
}


def rows_of(function: str, reach: Mapping[str, Domain] = {}) -> dict[str, Argument]:
    """Return the rows of all arguments that a function of this name may have.

    Args:
        function: its name, the same in every witness.
        reach: domains of arguments that are narrower in one of them.
    """
    quantity = _ROWS.get(function)
    known = _OTHERS | (ARGUMENTS if quantity is None else quantity.rows)
    own = {name: fields(row) for name, row in _OWN.get(function, {}).items()}
    told = quantity is not None and "meaning" in quantity.own.get("sensitivity", {})
    if "sensitivity" in known and not told:
        norm = "ℓ1" if function.startswith("laplace") else "ℓ2"
        norm = norm if quantity is None else quantity.mechanism.norm.partition(" ")[0]
        if norm.startswith("ℓ"):  # else it is in words: an integer has one size
            own["sensitivity"] = {"meaning": f"D, the {norm}-sensitivity"}
    for name, beginning, meaning in _FILE["meanings"]:
        if (
            name in known
            and known[name].meaning == _MEANINGS[name]
            and re.match(beginning, function)
        ):
            own[name] = {"meaning": meaning} | own.get(name, {})
    for name, domain in reach.items():
        if name in known:
            own[name] = own.get(name, {}) | {"domain": domain}
    return {**known, **{name: dataclasses.replace(known[name], **row) for name, row in own.items()}}


def directions_of(function: str) -> tuple[tuple[str, ...], str]:
    """Return the words that a function may be given as its `direction`, and what they mean."""
    found = (each for each in _FILE["directions"] if re.match(each[0], function))
    _, words, meaning = next(found)
    return tuple(words), meaning


def errors_of(function: str, witness: str) -> list[str]:
    """Return what a docstring says of the errors that a witness's function raises besides."""
    return [
        text
        for where, beginning, text in _FILE["errors"]
        if where == witness and re.match(beginning, function)
    ]


def has_two_ends(function: str) -> bool:
    """Whether two ends of a function's answer are proved, and no exact value is known."""
    return function in _ROWS and _ROWS[function].ends


def rounds_down(function: str) -> bool:
    """Whether the safe side of a function's answer is down."""
    return function in _ROWS and _ROWS[function].safe == "down"
