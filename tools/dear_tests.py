"""Write the lists of dear tests, by what each test has cost: `make dear` calls it.

    python tools/dear_tests.py build/each_cost.tsv

`tests/data/dear_tests.txt` is what `make test` leaves out, `tests/data/deep_tests.txt` what every
change leaves to `make deep`. The second follows from one rule. Of a test's cases that take over
0.3 s and are about the same thing (a function of the witnesses, a way to draw batches, a
page of the documentation), one stays for every change: the cheapest. It can find what is wrong
with the law, the command or the page; the others ask the same at inputs where proofs are longer.
A test that has one such case keeps it, and so does each that is in `KEPT`.
"""

import functools
import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from pathlib import Path
from typing import get_args

from dporacle.mechanisms.words import Sampling
from dporacle.vocabulary import CONTRACTS

DEAR = 0.15
"""Processor seconds above which `make test` leaves a test out."""

DEEP = 0.3
"""Processor seconds above which one case of each thing is enough for a change."""

KEPT = (
    "tests/laws/test_rows.py",  # agreement of the witnesses, refusals, ends of domains
    "tests/test_vectors.py",  # what the command makes, and what the reference confirms of it
    "tests/test_documentation.py",  # pages say what the commands of this change print
)
"""Files of which each change runs everything: what every public function must keep."""

DATA = Path(__file__).resolve().parents[1] / "tests" / "data"
Costs = Mapping[str, float]
"""Id of a test -> processor seconds."""


@functools.cache
def _things() -> re.Pattern[str]:
    names = sorted({*CONTRACTS, *get_args(Sampling)}, key=len, reverse=True)
    words = "|".join(map(re.escape, names))
    return re.compile(rf"(?<![a-z_])(?:{words})(?![a-z_])|[\w./-]+\.md")


def thing(test: str) -> str:
    """Return what a case of a test is about, by the first name in its id; "" if none is there."""
    _, _, case = test.partition("[")
    found = _things().search(case)
    return found.group() if found else ""


def dear(costs: Costs) -> list[str]:
    """Return what a change in `make test` does without."""
    return sorted(test for test, cost in costs.items() if cost > DEAR)


def deep(costs: Costs) -> list[str]:
    """Return the cases that are left to `make deep`, by the rule above."""
    groups: dict[tuple[str, str], list[str]] = defaultdict(list)
    for test, cost in costs.items():
        if "[" in test and cost > DEEP and not test.startswith(KEPT):
            groups[test.partition("[")[0], thing(test)].append(test)
    rest = [sorted(each, key=lambda test: (costs[test], test))[1:] for each in groups.values()]
    return sorted(test for each in rest for test in each)


def read(path: Path) -> dict[str, float]:
    """Return the most that each test has cost in the runs of a file."""
    costs: dict[str, float] = {}
    for line in path.read_text("utf-8").splitlines():
        cost, test = line.split("\t", 1)
        costs[test] = max(float(cost), costs.get(test, 0.0))
    return costs


def main(path: Path) -> None:
    """Write both lists."""
    costs = read(path)
    if not costs:
        raise SystemExit(f"{path} has no costs: the lists would be left empty")
    for name, tests in (("dear_tests.txt", dear(costs)), ("deep_tests.txt", deep(costs))):
        (DATA / name).write_text("".join(f"{each}\n" for each in tests), "utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
