"""Run `dporacle dp-sgd` for the figures of divisors, truncated batches, bins and random allocation.

They are another program's, in `tests/data/figures_of_batches.jsonl`: what, the words of the
command, relation -> which end -> its value (or that with a nearness of its own), and how near it
comes out. Prints each end that does not come out. Exits with 1 if one is on the wrong side: a lower
end above, or an upper end below.

    python tools/figures_of_batches.py [PART OF WHAT]
"""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "tests" / "data" / "figures_of_batches.jsonl"
Row = tuple[str, str, dict[str, dict[str, Any]], float]


def rows() -> list[Row]:
    """Return the figures."""
    found: list[Row] = [tuple(json.loads(line)) for line in DATA.read_text().splitlines()]
    return found


def answered(words: str, relations: list[str]) -> dict[str, Any]:
    """Return what the command prints as JSON."""
    asked = [each for name in relations for each in ("--neighbours", name)]
    command = [sys.executable, "-m", "dporacle", "dp-sgd", *words.split(), *asked, "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def end_of(found: dict[str, Any], relation: str, end: str) -> float | None:
    """Return an end of a relation: "low", "high", or a further one, "seen" or "nothing"."""
    low, high = found["epsilon"][relation]
    if end in ("low", "high"):
        value = low if end == "low" else high
        return None if value is None else float(value)
    for each in found.get("further", {}).get(relation, ()):
        if end == "seen" and "at_most" in each:
            return float(each["at_most"])
        if each.get("by") == end:
            return float(each["at_least"])
    return None


def misses(row: Row, found: dict[str, Any]) -> list[tuple[str, bool]]:
    """Return the ends that do not come out, and whether they are on the wrong side."""
    what, words, expected, near = row
    said = []
    for relation, ends in expected.items():
        for end, figure in ends.items():
            value = end_of(found, relation, end)
            text, close = (figure, near) if isinstance(figure, str) else figure
            due = float(text)
            if value is not None and abs(value - due) <= close * abs(due):
                continue
            wrong = value is not None and (value > due) == (end in ("low", "nothing"))
            said.append((f"{what}: {words}: {relation}, {end}: {value}, not {due}", wrong))
    return said


def main(part: str = "") -> int:
    """Run them; return the exit status."""
    status = count = 0
    for row in rows():
        if part not in row[0]:
            continue
        count += 1
        for told, wrong in misses(row, answered(row[1], [*row[2]])):
            print(told, "WRONG SIDE" if wrong else "")
            status = status or int(wrong)
        print(f"{count}: {row[0]}", flush=True)
    if not count:
        raise SystemExit(f"no figure is of {part!r}")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
