"""The table holds every class within 120 columns, and nothing is cut off."""

import io

import pytest
from rich.console import Console

from dporacle.conformance.grade.runs import Document, judgement
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.protocol import Capabilities, Function
from dporacle.conformance.run.runner import Fresh, FunctionResult, TargetResult
from dporacle.report import terminal
from dporacle.report.terminal import summary
from support.cases import table


def judged(outcome: Outcome, excess: float, ulp: float) -> JudgedCase:
    return JudgedCase(
        case="calibrate_sigma/epsilon=1;delta=1e-05;sensitivity=1",
        quantity="calibrate_sigma",
        arguments={"epsilon": "0x1p+0"},
        outcome=outcome,
        excess=excess,
        ulp=ulp,
        flags=("core",),
    )


@pytest.mark.parametrize(("excess", "ulp", "words"), table("the_table_holds_everything"))
def test_the_table_holds_everything(excess: float, ulp: float, words: str) -> None:
    function = Function(
        name="a_function_whose_name_is_very_long(indeed)",
        quantity="calibrate_sigma",
        arguments=["epsilon", "delta"],
        slow=True,
    )
    said = Capabilities(id="", protocol=1, name="library", version="1.0", functions=[function])
    cases = [judged(o, -excess if o is Outcome.VIOLATING else excess, ulp) for o in Outcome]
    result = TargetResult(
        "library",
        said.name,
        said.version,
        said.language,
        [FunctionResult(function, cases, vectors=505, unreached=3)],
    )
    assert summary.searched(Document([result])).endswith(
        "; 3 fresh inputs left out, as no enclosure reaches them"
    )
    for width in (80, 120):
        text = io.StringIO()
        shown = Console(file=text, width=width, highlight=False)
        terminal.show(judgement([result], fresh=Fresh()), shown, verbose=True)
        table = text.getvalue().partition("core, extreme:")[0]
        assert table.count(words) == 2
        assert "…" not in table
        assert max(len(line.rstrip()) for line in table.splitlines()) <= width
        told = " ".join(table.split())
        for outcome in Outcome:
            # A word may be folded, but nothing of it is cut off.
            assert f"{outcome}1".replace(" ", "") in told.replace(" ", ""), outcome


def test_nothing_of_a_name_reaches_the_terminal_unseen() -> None:
    """A right-to-left override would make a table say something else than it holds."""
    function = Function(name="f\u202eg", quantity="calibrate_sigma", arguments=["epsilon"])
    said = Capabilities(id="", protocol=1, name="l\u202eb", version="1\u2066", functions=[function])
    result = TargetResult(
        "l\u202eb",
        said.name,
        said.version,
        said.language,
        [FunctionResult(function, [judged(Outcome.VIOLATING, -1, 9)])],
    )
    text = io.StringIO()
    terminal.show(
        judgement([result], fresh=Fresh()), Console(file=text, width=120, highlight=False)
    )
    assert "f?g" in text.getvalue()
    assert not {"\u202e", "\u2066"} & set(text.getvalue())
