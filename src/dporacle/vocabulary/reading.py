"""Read rows from files of data: what an argument's row, or a part of it, may say."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

from dporacle.vocabulary import domains, draws

_NO_NUMBERS = {"nan": float("nan"), "inf": float("inf")}


def rows_of(
    name: str, folder: Path = Path(__file__).parent, part: str = "rows"
) -> list[dict[str, Any]]:
    """Return the rows of a file, without the reasons that stand beside them.

    A row that is `like` a name has the fields that are shared under it, but for those of its own.

    Args:
        name: the file's, without its ending.
        folder: where it stands.
        part: which rows: those of the file's own kind, which no file lacks, or others beside them.
    """
    content = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    shared = content.get("shared", {})
    listed = content["rows"] if part == "rows" else content.get(part, [])
    rows = [{**shared.get(row.get("like"), {}), **row} for row in listed]
    return [{k: v for k, v in row.items() if k not in ("why", "like")} for row in rows]


def fields(given: Mapping[str, Any]) -> dict[str, Any]:
    """Return the fields of a row of an argument.

    A domain is named, or its ends are given; a way to draw is its name and its numbers; "nan" and
    "inf" are written out, as JSON has no such numbers.

    Raises:
        AttributeError, TypeError: if there is no such domain, or no such way to draw.
    """
    return {key: _READ.get(key, _plain)(value) for key, value in given.items()}


def _plain(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_NO_NUMBERS.get(each, each) for each in value)
    return value


def _domain(value: str | dict[str, Any]) -> domains.Domain:
    found = getattr(domains, value) if isinstance(value, str) else domains.Domain(**value)
    assert isinstance(found, domains.Domain)
    return found


def _draws(value: list[list[Any]]) -> tuple[draws.Distribution, ...]:
    return tuple(getattr(draws, kind)(*numbers) for kind, *numbers in value)


_READ: Mapping[str, Callable[[Any], Any]] = {"domain": _domain, "asked": _domain, "edges": _draws}
