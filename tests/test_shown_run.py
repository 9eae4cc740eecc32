"""README shows a run of `dporacle conform`: it is what is said today of the answers that are kept.

`python tests/test_shown_run.py` judges the library anew, and writes the kept answers and README's
lines. Of each function the answer is kept that shows its grade: a screen names no other.
"""

import io
import os
import re
import shlex
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner
from rich.console import Console

from dporacle.cli import main
from dporacle.conformance.ask.answers import Answer, End
from dporacle.conformance.ask.plan import planned
from dporacle.conformance.grade import runs
from dporacle.conformance.grade.findings import simplest
from dporacle.conformance.judge.outcomes import judge
from dporacle.conformance.protocol import Function
from dporacle.report import terminal

ROOT = Path(__file__).resolve().parent.parent
README, KEPT = ROOT / "README.md", ROOT / "tests" / "data" / "shown_run.json"
_SHOWN = re.compile(r"^\$ \.venv/bin/dporacle (conform [^\n]*)\n(.*?)^…$", re.MULTILINE | re.DOTALL)


def _shown() -> re.Match[str]:
    found = _SHOWN.search(README.read_text("utf-8"))
    assert found is not None, "README shows no run"
    return found


def _screen(run: runs.Document) -> str:
    """What a terminal shows, as far as README does: up to the empty line before the hints."""
    page = io.StringIO()
    terminal.show(run, Console(file=page, width=terminal.WIDEST, color_system=None))
    return page.getvalue().partition("\n\n")[0] + "\n"


def _only_shown(run: runs.Document) -> runs.Document:
    for item in run.items:
        case = simplest(item.judged, item.grade)
        item.judged = [] if case is None else [case]
    return run


def test_readme_shows_what_a_terminal_shows() -> None:
    assert _shown()[2] == _screen(runs.read(KEPT.read_bytes()))


def test_the_answers_that_readme_shows_are_asked_for_and_judged_like_this() -> None:
    run = runs.read(KEPT.read_bytes())
    assert run.fresh is not None
    words = shlex.split(_shown()[1])
    assert words[1] == run.targets[0].name
    assert words[2:] == ["--random", str(run.fresh.rounds), "--seed", str(run.fresh.seed)]
    for item in run.items:
        said = item.function
        function = Function(name=said.name, quantity=said.quantity, arguments=[*said.arguments])
        asked = {case.id: case for case in planned(function, run.fresh, lambda _: True).cases}
        (kept,) = item.judged
        anew = judge(asked[kept.case], Answer(end=End.VALUE, value=kept.answer))
        assert msgspec.structs.replace(anew, seconds=kept.seconds) == kept


@pytest.mark.skipif(
    os.environ.get("DPORACLE_HYPOTHESIS") != "deep", reason="downloads the library: `make deep`"
)
@pytest.mark.thorough("the library is installed and asked")
def test_the_library_answers_like_this() -> None:
    assert _screen(_judged()) == _shown()[2]


def _judged() -> runs.Document:
    result = CliRunner().invoke(main, [*shlex.split(_shown()[1]), "--json"], catch_exceptions=False)
    assert result.exit_code == 1, result.output
    return runs.read(result.stdout.encode())


if __name__ == "__main__":
    made = _judged()
    lines = _screen(made)
    kept = _only_shown(made)
    assert _screen(kept) == lines, "the kept answers do not show what all of them do"
    KEPT.write_bytes(runs.write(kept) + b"\n")
    start, end = _shown().span(2)
    page = README.read_text("utf-8")
    README.write_text(page[:start] + lines + page[end:], "utf-8")
