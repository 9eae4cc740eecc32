"""The contracts of all functions of the witnesses: a mechanism and a kind of answer each, and more.

One row per function, under the name that it has in every witness; those with certified vectors are
the quantities, which have the same name in the vectors and in the protocol. The rows of a group of
statements stand in a file of data, or, if they follow from one another, in the `ROWS` of a module.
The file also has the `faults` that answers may have, for the
specimens in `dev/`, and may have `mechanisms` and `statements` of its own: rows as in
`mechanisms.json` and in the files of statements. To add a quantity is
to add a row, the witnesses' functions and cases for the vectors.
"""

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from dporacle.common.wing_files import left_out
from dporacle.vocabulary.discovery import modules
from dporacle.vocabulary.kinds import KINDS
from dporacle.vocabulary.mechanisms import MECHANISMS, MechanismRow, read_mechanism
from dporacle.vocabulary.quantities.row import Quantity
from dporacle.vocabulary.reading import fields as fields_of
from dporacle.vocabulary.reading import rows_of


def read(path: Path) -> tuple[Quantity, ...]:
    """Return the rows of a file, whose keys are the attributes of a `Quantity`.

    A mechanism and a kind are named; an error may be written as a multiple of a power of two, and a
    hard number that is no float as text. `why` says where a number is from.

    Raises:
        KeyError, TypeError, ValueError: if a row has another shape.
    """
    its = map(read_mechanism, rows_of(path.stem, path.parent, "mechanisms"))
    mechanisms = MECHANISMS | {row.name: row for row in its}
    return tuple(_row(each, mechanisms) for each in rows_of(path.stem, path.parent))


def _row(given: Mapping[str, Any], mechanisms: Mapping[str, MechanismRow]) -> Quantity:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in given.items()
        if key not in ("own", "unordered", "float64")
    }
    if "float64" in given:
        fields["float64"] = tuple(map(_error, given["float64"]))
    fields["hard"] = tuple(
        {name: Fraction(each) if isinstance(each, str) else each for name, each in where.items()}
        for where in given.get("hard", ())
    )
    return Quantity(
        **fields
        | {"mechanism": mechanisms[given["mechanism"]], "kind": KINDS[given["kind"]]}
        | {"unordered": frozenset(given.get("unordered", ()))}
        | {"own": {name: fields_of(each) for name, each in given.get("own", {}).items()}}
    )


def _error(written: str | float) -> float:
    if not isinstance(written, str):
        return written
    factor, power = written.replace("·", "").split("2^")
    return int(factor or 1) * 2.0 ** int(power)


__all__ = ["CONTRACTS", "FILES", "QUANTITIES", "SERVED", "Quantity"]


def _place(rows: tuple[Quantity, ...]) -> int:
    """Return where the first mechanism of a module stands among all; its own ones come last."""
    order = [*MECHANISMS]
    names = (row.mechanism.name for row in rows if row.vectors)
    places = (order.index(name) if name in order else len(order) for name in names)
    return min(places, default=len(order))


FILES = [
    path for path in sorted(Path(__file__).parent.glob("*.json")) if path.stem not in left_out()
]
"""The files of rows and faults; not those of a wing that is missing."""

_GROUPS = {path.stem: rows for path in FILES if (rows := read(path))} | {
    each.__name__: each.ROWS for each in modules(__name__) if hasattr(each, "ROWS")
}
_ROWS = [_GROUPS[name] for name in sorted(_GROUPS, key=lambda name: name.rsplit(".", 1)[-1])]

CONTRACTS: Mapping[str, Quantity] = {
    row.name: row for rows in sorted(_ROWS, key=_place) for row in rows
}
"""Every row by its name: at least one of each function of the witnesses."""

QUANTITIES = {name: row for name, row in CONTRACTS.items() if row.vectors}
"""Every quantity by its name, in the order of the vectors and of the protocol's page."""

SERVED = {name: row for name, row in QUANTITIES.items() if row.served}
"""Those that libraries may be asked for."""
