"""Cases of tests that are data: rows of a file of `tests/data`, a JSON list each."""

import functools
import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "data"


def rows(name: str) -> list[Any]:
    """Return the rows of a file."""
    return list(map(json.loads, (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()))


def table(name: str) -> list[Any]:
    """Return the rows of `cases.json` with a name, which is that of their test."""
    return _tables()[name]  # type: ignore[no-any-return]


@functools.cache
def _tables() -> Any:
    return json.loads((DATA / "cases.json").read_text("utf-8"))
