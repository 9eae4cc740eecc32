"""Read rows of quantities from a file of data."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dporacle.vocabulary import domains, draws
from dporacle.vocabulary.kinds import KINDS
from dporacle.vocabulary.mechanisms import MECHANISMS
from dporacle.vocabulary.quantities.row import Quantity


def read(path: Path) -> tuple[Quantity, ...]:
    """Return the rows of a file, whose keys are the attributes of a `Quantity`.

    A mechanism, a kind and a domain are named; a way to draw is its name and its numbers; an error
    may be written as a multiple of a power of two. `why` says where a number is from.

    Raises:
        KeyError, TypeError, ValueError: if a row has another shape.
    """
    return tuple(_row(each) for each in json.loads(path.read_text(encoding="utf-8"))["rows"])


def _row(given: Mapping[str, Any]) -> Quantity:
    fields: dict[str, Any] = {
        key: tuple(value) if isinstance(value, list) else value
        for key, value in given.items()
        if key not in ("why", "own", "unordered", "float64")
    }
    if "float64" in given:
        fields["float64"] = tuple(map(_error, given["float64"]))
    return Quantity(
        **fields
        | {"mechanism": MECHANISMS[given["mechanism"]], "kind": KINDS[given["kind"]]}
        | {"unordered": frozenset(given.get("unordered", ()))}
        | {"own": {name: _own(each) for name, each in given.get("own", {}).items()}}
    )


def _error(written: str | float) -> float:
    if not isinstance(written, str):
        return written
    factor, power = written.replace("·", "").split("2^")
    return int(factor or 1) * 2.0 ** int(power)


def _own(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return what differs in the row of an argument."""
    return {key: _OWN.get(key, _plain)(value) for key, value in given.items()}


def _plain(value: Any) -> Any:
    return tuple(value) if isinstance(value, list) else value


def _domain(value: str | dict[str, Any]) -> domains.Domain:
    found = getattr(domains, value) if isinstance(value, str) else domains.Domain(**value)
    assert isinstance(found, domains.Domain)
    return found


def _draws(value: list[list[Any]]) -> tuple[draws.Draw, ...]:
    return tuple(getattr(draws, kind)(*numbers) for kind, *numbers in value)


_OWN: Mapping[str, Callable[[Any], Any]] = {"domain": _domain, "asked": _domain, "edges": _draws}
