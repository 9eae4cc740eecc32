"""Run `dporacle dp-sgd` for the figures of divisors, truncated batches, bins and random allocation.

They are another program's, in `tests/data/figures_of_batches.jsonl`: what, the words of the
command, relation -> which end -> its value (or that with a nearness of its own), and how near it
comes out. Prints each end, the figure asked for and what the command says; how many of the figures
come out with all their ends, and the seconds of processor time of each command. Exits with 1 if an
end is on the wrong side: a lower end above, or an upper end below.

    python tools/figures_of_batches.py [PART OF WHAT]
"""

import json
import resource
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DATA = Path(__file__).parents[1] / "tests" / "data" / "figures_of_batches.jsonl"
Row = tuple[str, str, dict[str, dict[str, Any]], float]


@dataclass(frozen=True)
class AskedEnd:
    """An end, the figure asked for and what the command says."""

    relation: str
    end: str
    asked: float
    found: float | None
    near: float

    @property
    def comes_out(self) -> bool:
        """Whether it is as near as it should be."""
        return self.found is not None and abs(self.found - self.asked) <= self.near * abs(
            self.asked
        )

    @property
    def wrong(self) -> bool:
        """Whether it is a lower end that is above, or an upper end below."""
        if self.found is None or self.comes_out:
            return False
        return (self.found > self.asked) == (self.end in ("low", "nothing"))


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


def figures(row: Row, found: dict[str, Any]) -> list[AskedEnd]:
    """Return each end of a row."""
    said = []
    for relation, ends in row[2].items():
        for end, figure in ends.items():
            text, near = (figure, row[3]) if isinstance(figure, str) else figure
            value = end_of(found, relation, end)
            said.append(AskedEnd(relation, end, float(text), value, near))
    return said


def misses(row: Row, found: dict[str, Any]) -> list[tuple[str, bool]]:
    """Return the ends that do not come out, and whether they are on the wrong side."""
    what, words, *_ = row
    return [
        (
            f"{what}: {words}: {each.relation}, {each.end}: {each.found}, not {each.asked}",
            each.wrong,
        )
        for each in figures(row, found)
        if not each.comes_out
    ]


def _spent() -> float:
    spent = resource.getrusage(resource.RUSAGE_CHILDREN)
    return spent.ru_utime + spent.ru_stime


def main(part: str = "") -> int:
    """Run them; return the exit status."""
    status = count = whole = 0
    for row in rows():
        if part not in row[0]:
            continue
        count += 1
        before = _spent()
        ends = figures(row, answered(row[1], [*row[2]]))
        print(f"{count}. {row[0]}: {row[1]}: {_spent() - before:.1f} s", flush=True)
        for each in ends:
            state = "" if each.comes_out else "  WRONG SIDE" if each.wrong else "  not so near"
            print(f"   {each.relation}, {each.end}: asked {each.asked}, found {each.found}{state}")
            status = status or int(each.wrong)
        whole += all(each.comes_out for each in ends)
    if not count:
        raise SystemExit(f"no figure is of {part!r}")
    print(f"{whole} of {count} figures come out")
    return status


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
