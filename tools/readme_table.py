"""Write the README's table of `make conform` anew from a run.

    .venv/bin/dporacle conform dp-accounting opendp … --output run.json
    .venv/bin/python tools/readme_table.py run.json

The functions for one release of Gaussian noise stand in the table, with all columns of the summary
that `dporacle report` makes; the line above it counts the others.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from dporacle.vocabulary import QUANTITIES
from dporacle.vocabulary.mechanisms import GAUSSIAN

README = Path(__file__).parents[1] / "README.md"
HEAD = "| library | function | quantity |"
COUNTED = re.compile(r"In that run \d+ of \d+ functions .*?\.(?=[ \n])", re.DOTALL)


def summary(run: str) -> str:
    """Return what `dporacle report --markdown` says of a run."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "summary.md"
        program = Path(sys.executable).with_name("dporacle")
        subprocess.run([program, "report", run, "--markdown", file], check=True)
        return file.read_text(encoding="utf-8")


def main(run: str) -> None:
    """Replace the table and the counts."""
    lines = summary(run).splitlines()
    counts = next(line for line in lines if "functions conformant" in line)
    start = next(index for index, line in enumerate(lines) if HEAD in line)
    rows = [line for line in lines[start + 2 :] if line.startswith("|")]
    shown = [row for row in rows if _quantity(row) in QUANTITIES and _single(row)]
    text = README.read_text(encoding="utf-8").splitlines()
    first = next(index for index, line in enumerate(text) if HEAD in line)
    last = next(index for index in range(first, len(text)) if not text[index].startswith("|"))
    text[first:last] = [*lines[start : start + 2], *shown]
    said = counts.partition("; judged")[0].replace(
        " functions conformant", " functions were conformant"
    )
    sentence = f"In that run {said}; {len(shown)} of them stand here."
    README.write_text(COUNTED.sub(sentence, "\n".join(text) + "\n", count=1), encoding="utf-8")


def _quantity(row: str) -> str:
    return row.split("|")[4].strip(" `")


def _single(row: str) -> bool:
    return QUANTITIES[_quantity(row)].mechanism is GAUSSIAN


if __name__ == "__main__":
    main(sys.argv[1])
