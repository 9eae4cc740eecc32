"""Cases of tests that are data: a JSON list on each line of a file of `tests/data`."""

import json
from pathlib import Path
from typing import Any

DATA = Path(__file__).resolve().parents[1] / "data"


def rows(name: str) -> list[Any]:
    """Return the rows of a file."""
    return list(map(json.loads, (DATA / f"{name}.jsonl").read_text("utf-8").splitlines()))
