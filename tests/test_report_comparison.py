"""Two runs: what became better or worse, on the inputs that both asked."""

import json

import pytest
from click.testing import CliRunner

from dporacle import report
from dporacle.cli import main
from dporacle.conformance.judge.outcomes import FLAWED
from dporacle.report.classes import CLASSES
from dporacle.report.comparison import compare
from support.reports import Page, document, judged, read


def run(epsilon, outcome, size=None):
    made = judged(outcome, f"calibrate_sigma/{outcome}")
    made["arguments"]["epsilon"] = epsilon.hex()
    if size is not None:
        made |= {"answer": "0x1p+0", "truth": "1.5", "excess": size, "ulp": size * 2.0**53}
    return made


def compared(old, new):
    return compare(read(document("mylib", *new)), read(document("mylib", *old)))


@pytest.mark.parametrize("old", CLASSES)
@pytest.mark.parametrize("new", CLASSES)
def test_classes(old, new):
    order = ["refuses valid", "loose", "tight"]

    def rank(name):
        name = "tight" if name == "refuses invalid" else name
        return -1 if name in FLAWED else order.index(name)

    (change,) = compared([run(1.0, old)], [run(1.0, new)]).changes
    if {old, new} & {"skipped", "not asked"}:
        assert (change.shared, change.same) == (0, True)
        return
    assert change.shared == 1
    assert bool(change.better) == (rank(new) > rank(old))
    assert bool(change.worse) == (rank(new) < rank(old))


@pytest.mark.parametrize("outcome", ["violating", "loose"])
def test_sizes(outcome):
    (change,) = compared(
        [run(1.0, outcome, 0.1), run(2.0, outcome, 0.1), run(3.0, outcome, 0.1)],
        [run(1.0, outcome, 0.3), run(2.0, outcome, 0.04), run(3.0, outcome, 0.15)],
    ).changes
    assert [new.arguments["epsilon"] for _, new in change.worse] == [(1.0).hex()]
    assert [new.arguments["epsilon"] for _, new in change.better] == [(2.0).hex()]


def test_nothing_in_common():
    found = compared([run(1.0, "tight")], [run(2.0, "violating")])
    assert found.summary == "The runs have no case in common: nothing can be compared."
    assert found.changed == []


def test_functions_that_come_and_go():
    new, old = document("mylib", run(1.0, "tight")), document("another", run(1.0, "tight"))
    found = compare(read(new), read(old))
    assert (found.appeared, found.gone) == ([("mylib 1.0", "sigma")], [("another 1.0", "sigma")])


def test_command(tmp_path):
    old, new = tmp_path / "old.json", tmp_path / "new.json"
    old.write_text(json.dumps(document("mylib", run(1.0, "tight"), run(2.0, "violating", -0.5))))
    after = document("mylib", run(1.0, "violating", -0.25), run(2.0, "tight"))
    after["targets"][0]["version"] = "2.0"
    new.write_text(json.dumps(after))
    result = CliRunner().invoke(main, ["report", str(new), "--against", str(old)])
    assert result.exit_code == 0
    assert "Of 2 inputs that both runs asked, 1 became worse and 1 better" in result.output
    assert "| `mylib 1.0 → 2.0` | `sigma` | 1 | 1 | 2 |" in result.output
    made = tmp_path / "report.html"
    command = ["report", str(new), "--against", str(old), "-o", str(made)]
    assert CliRunner().invoke(main, command).exit_code == 0
    text = Page(made.read_text()).text
    for words in (
        "mylib 1.0 → 2.0 sigma: ▼ 1 worse ▲ 1 better of 2",
        "▼ ✔ tight → ✖ violating 25 % at epsilon 1.0",
        "▲ ✖ violating 50 % → ✔ tight at epsilon 2.0",
    ):
        assert words in text, words
    same = CliRunner().invoke(main, ["report", str(new), "--against", str(new)])
    assert "None of the 2 inputs that both runs asked became better or worse." in same.output
    missing = CliRunner().invoke(main, ["report", str(new), "--against", "nothing.json"])
    assert missing.exit_code == 2
    assert "nothing.json" in missing.stderr


def test_the_page_without_an_earlier_run_has_no_section():
    content = read(document("mylib", run(1.0, "tight")))
    assert 'id="comparison"' not in report.render(content)
    assert 'id="comparison"' in report.render(content, against=content)
