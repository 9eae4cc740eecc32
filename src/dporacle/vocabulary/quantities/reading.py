"""Read rows of quantities from a file of data."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from dporacle.vocabulary.kinds import KINDS
from dporacle.vocabulary.mechanisms import MECHANISMS
from dporacle.vocabulary.quantities.row import Quantity
from dporacle.vocabulary.reading import fields as fields_of
from dporacle.vocabulary.reading import rows_of


def read(path: Path) -> tuple[Quantity, ...]:
    """Return the rows of a file, whose keys are the attributes of a `Quantity`.

    A mechanism and a kind are named; an error may be written as a multiple of a power of two. `why`
    says where a number is from.

    Raises:
        KeyError, TypeError, ValueError: if a row has another shape.
    """
    return tuple(_row(each) for each in rows_of(path.stem, path.parent))


def _row(given: Mapping[str, Any]) -> Quantity:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in given.items()
        if key not in ("own", "unordered", "float64")
    }
    if "float64" in given:
        fields["float64"] = tuple(map(_error, given["float64"]))
    return Quantity(
        **fields
        | {"mechanism": MECHANISMS[given["mechanism"]], "kind": KINDS[given["kind"]]}
        | {"unordered": frozenset(given.get("unordered", ()))}
        | {"own": {name: fields_of(each) for name, each in given.get("own", {}).items()}}
    )


def _error(written: str | float) -> float:
    if not isinstance(written, str):
        return written
    factor, power = written.replace("·", "").split("2^")
    return int(factor or 1) * 2.0 ** int(power)
