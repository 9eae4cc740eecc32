"""The table of verdicts over time: what is kept of a run, and what changed."""

import datetime
import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner

from dporacle.cli import main
from dporacle.conformance.grade import runs as document
from dporacle.conformance.grade.functions import State
from dporacle.conformance.grade.grades import Grade
from dporacle.report import bugs_found, disclosure, history, regraded
from dporacle.wings.verdict_site import site as verdict_site
from support import reports


def _run(version: str, *cases: dict[str, object]) -> document.Document:
    content = reports.document("mylib", *cases, version=version)
    return document.read(json.dumps(content).encode())


def _day(day: int) -> datetime.date:
    return datetime.date(2026, 11, day)


BAD, GOOD = reports.judged("violating"), reports.judged("tight")


def test_the_page_says_since_when_and_what_changed() -> None:
    runs = [("1.0", GOOD), ("1.1", BAD), ("1.1", BAD), ("1.2", BAD)]
    records = [history.record(_run(v, case), _day(n + 1)) for n, (v, case) in enumerate(runs)]
    page = history.to_markdown(records)
    assert "From 4 runs between 2026-11-01 and 2026-11-04" in page
    assert page.startswith(
        "# Verdicts on libraries\n\nThe newest verdict on each of 1 function of 1"
    )
    assert "| 1 | ✖ breaks its promise in everyday use | some everyday answer leaves" in page
    broken = "- `mylib 1.2` `sigma`: `epsilon=1, delta=1e-05: answers nothing`\n"
    assert page.index(broken) < page.index("## Every function")
    (row,) = [line for line in page.splitlines() if "| `mylib 1.2` |" in line]
    assert row == (
        "| ✖ breaks its promise in everyday use | `mylib 1.2` | `sigma` | no-privacy: "
        "`epsilon=1, delta=1e-05: answers nothing` | – | 2026-11-02, `1.1` |"
    )
    assert [line for line in page.splitlines() if line.startswith("- 2")] == [
        "- 2026-11-04: `mylib` `sigma`: version `1.1` → `1.2`.",
        "- 2026-11-02: `mylib` `sigma`: version `1.0` → `1.1`, grade `sound and tight` → "
        "`breaks its promise in everyday use`, standing `conformant` → `not conformant`.",
    ]


def test_the_note_sets_earlier_grades_beside_those_of_today() -> None:
    root = Path(__file__).resolve().parents[1]
    records = history.load(root / "docs" / "verdicts")
    page = (root / "proofs_notes" / "grades.md").read_text("utf-8")
    assert regraded.within(page, records) == page, (
        "dporacle history docs/verdicts --grades proofs_notes/grades.md"
    )
    rows = [each for each in history.verdicts(records) if any(row.earlier for _, row in each.runs)]
    assert page.count("\n| `") == len(rows) > 100
    assert f"{len(rows)} functions have a grade of both kinds." in page


@pytest.mark.parametrize(
    ("earlier", "stored", "grade", "standing"),
    [
        ("rounded to nearest", {}, Grade.ROUNDS, State.CONFORMANT),
        ("rounds to the wrong side", {}, Grade.ROUNDS, State.CONFORMANT),
        ("fails or hangs", {"core": "last-digits"}, Grade.ROUNDS, State.CONFORMANT),
        ("fails or hangs", {"core": "no-answer"}, Grade.SILENT, State.NOT_CONFORMANT),
        ("fails or hangs", {"extreme": "slight"}, None, State.NOT_CONFORMANT),
        ("broken at extremes", {"extreme": "slight"}, Grade.SLIGHT, State.NOT_CONFORMANT),
        ("broken at extremes", {"extreme": "grave"}, Grade.EXTREMES, State.NOT_CONFORMANT),
        ("fails or hangs", {"core": "noticeable"}, Grade.EVERYDAY, State.NOT_CONFORMANT),
        ("not judged", {}, Grade.UNKNOWN, State.NOT_CONFORMANT),
    ],
)
def test_a_row_of_an_earlier_version_has_the_grade_of_its_outcomes(
    earlier: str, stored: dict[str, str], grade: Grade | None, standing: State
) -> None:
    row: dict[str, Any] = {"grade": earlier, "standing": State.NOT_CONFORMANT.value, **stored}
    history._regrade(row)
    assert (row.get("grade"), row["standing"], row["earlier"]) == (grade, standing, earlier)


def test_a_record_that_is_too_large_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "2026-11-01.json").write_text("{}" + " " * 99)
    monkeypatch.setattr(history, "MAX_BYTES", 100)
    with pytest.raises(ValueError, match="records have at most 100 bytes"):
        history.load(tmp_path)


def test_the_page_of_bugs_is_made_of_the_records() -> None:
    """As `make verdicts` writes it: each finding has a state and its exact value, if it has one."""
    root = Path(__file__).resolve().parents[1]
    records = history.load(root / "docs" / "verdicts")
    page = (root / "docs" / "bugs-found.md").read_text("utf-8")
    assert bugs_found.within(page, records) == page, "make verdicts"
    found = bugs_found.findings(records)
    harmful = [v.row.key for v in history.verdicts(records) if v.row.grade in bugs_found.LISTED]
    assert {each.row.key for each in found} >= {*harmful}
    assert page.count("\n- state: ") == page.count("\n#### ") == len(found) > 50
    shown = [each.case for each in found if each.case]
    assert page.count("\n- answer: ") == page.count("\n- harm: ") == len(shown)
    assert page.count("\n- exact value: ") == sum(case.truth is not None for case in shown)
    with pytest.raises(ValueError, match="the page has no <!-- findings"):
        bugs_found.within("# Bugs", records)
    with pytest.raises(ValueError, match="no record"):
        bugs_found.within(page, [])


def test_a_bug_that_a_later_version_does_not_have_is_said_to_be_mended() -> None:
    runs = [("1.0", BAD), ("1.1", BAD), ("1.1", BAD), ("1.2", GOOD)]
    records = [history.record(_run(v, case), _day(n + 1)) for n, (v, case) in enumerate(runs)]
    assert [
        (each.row.version, each.first, each.later) for each in bugs_found.findings(records)
    ] == [("1.0", _day(1), "1.2"), ("1.1", _day(2), "1.2")]
    (still,) = bugs_found.findings(records[:1])
    assert not still.later
    assert still.state == "shown here since 2026-11-01; no report to its maintainers is recorded"


def test_what_comes_from_outside_is_code() -> None:
    content = reports.document(reports.HOSTILE, BAD)
    run = document.read(json.dumps(content).encode())
    records = [history.record(run, _day(1))]
    marks = "<!-- findings of recorded runs -->\n<!-- end of the findings -->\n"
    page = history.to_markdown(records) + bugs_found.within(marks, records)
    assert page.count("\n#### ") == 1
    for line in page.splitlines():
        if "script" in line:
            assert line.count("`") % 2 == 0
            outside = "".join(line.split("`")[::2])
            assert "<" not in outside


def test_records_are_read_as_they_were_written(tmp_path: Path) -> None:
    kept = history.record(_run("1.0", GOOD, BAD), _day(3))
    for name, each in (("b", kept), ("a", history.record(_run("0.9", GOOD), _day(1)))):
        (tmp_path / f"{name}.json").write_bytes(history.render(each))
    assert history.load(tmp_path)[1] == kept
    (tmp_path / "c.json").write_text('{"format": "dporacle-verdicts/1", "rows": 3}')
    with pytest.raises(ValueError, match=r"c\.json: not a record of verdicts"):
        history.load(tmp_path)
    with pytest.raises(ValueError, match="no record"):
        history.to_markdown([])


def test_the_command(tmp_path: Path) -> None:
    run, folder, page = tmp_path / "run.json", tmp_path / "kept", tmp_path / "page.md"
    run.write_text(json.dumps(reports.document("mylib", BAD)))
    words = ["history", str(folder), "--add", str(run), "--date", "2026-11-05"]
    assert CliRunner().invoke(main, words).exit_code == 0
    again = CliRunner().invoke(main, words)
    assert again.exit_code == 2
    assert "is the record of this run already" in again.output
    run.write_text(json.dumps(reports.document("mylib", GOOD)))
    for name in ("2026-11-05.2.json", "2026-11-05.3.json"):
        assert CliRunner().invoke(main, words).exit_code == 0
        assert (folder / name).exists()
        run.write_text(json.dumps(reports.document("mylib", GOOD, BAD)))
    kept = history.load(folder)
    assert [each.rows[0].asked for each in kept] == [1, 1, 2]
    for name in ("2026-11-05.2.json", "2026-11-05.3.json"):
        (folder / name).unlink()
    shown = CliRunner().invoke(main, ["history", str(folder), "-o", str(page)])
    assert (shown.exit_code, shown.output) == (0, "")
    assert page.read_text("utf-8").startswith("# Verdicts on libraries")
    shown = json.loads(CliRunner().invoke(main, ["history", str(folder), "--json"]).stdout)
    (record,) = shown["records"]
    assert record["date"] == "2026-11-05"


def test_the_page_of_the_project_is_made_of_its_records() -> None:
    """As `make verdicts` writes it."""
    folder = Path(__file__).resolve().parent.parent / "docs" / "verdicts"
    page = folder.with_suffix(".md").read_text("utf-8")
    assert page == history.to_markdown(history.load(folder))
    assert sum(each.stat().st_size for each in folder.iterdir()) < 2 << 20


def test_the_worst_answers_are_kept_with_the_simplest_inputs() -> None:
    cases = [
        harm("slight", epsilon=1.0),
        harm("noticeable", epsilon=0.123),
        harm("noticeable", epsilon=0.5),
        harm("grave", epsilon=3e-300, flags=["tiny-delta"]),
    ]
    (row,) = history.record(_run("1.0", *cases), _day(1)).rows
    assert row.everyday is not None
    assert row.elsewhere is not None
    assert history.sentence(row.everyday.case).startswith("epsilon=0.5, delta=1e-05: answers 3")
    assert row.elsewhere.case.arguments["epsilon"] == (3e-300).hex()
    loose = reports.judged(
        "loose", answer=(4.0).hex(), truth="3.7306316348", excess=0.0722, ulp=1e14
    )
    (row,) = history.record(_run("1.0", loose), _day(1)).rows
    assert row.everyday is not None
    assert history.sentence(row.everyday.case).endswith("off by 7.22 %, on the safe side")


def harm(level: str, *, epsilon: float, flags: Sequence[str] = ("core",)) -> dict[str, object]:
    """An answer on the unsafe side that does harm."""
    case = reports.VIOLATING | {"level": level, "flags": list(flags), "promise": "delta"}
    return case | {"arguments": {"epsilon": epsilon.hex(), "delta": (1e-5).hex()}, "ratio": 1.5}


@pytest.mark.parametrize("version", ["dporacle-verdicts/1", "dporacle-verdicts/2"])
def test_what_is_private_is_neither_kept_nor_read(tmp_path: Path, version: str) -> None:
    """As SECURITY.md has it: of libraries that others keep, until it is public."""
    bad = harm("noticeable", epsilon=1.0)
    content = reports.document("opendp", bad, version="7")
    content["targets"][0]["functions"][0]["standing"] = {
        "state": "not conformant",
        "grade": "broken in everyday use",
        "core": "noticeable",
    }
    document_of = document.read(json.dumps(content).encode())
    kept = history.record(document_of, _day(1))
    assert (kept.rows, kept.held_back) == ((), 1)
    own = content["targets"][0] | {"name": "mine"}
    read = document.read(json.dumps(content | {"targets": [own]}).encode())
    (row,) = history.record(read, _day(1)).rows  # what is one's own is shown
    grade = None if version.endswith("1") else row.grade
    leaked = msgspec.structs.replace(row, library="opendp", grade=grade)
    record = history.Record(format=history.FORMAT, date=_day(2), dporacle="1", rows=(leaked,))
    (tmp_path / "x.json").write_bytes(history.render(msgspec.structs.replace(record)))
    text = (tmp_path / "x.json").read_text("utf-8").replace(history.FORMAT, version)
    (tmp_path / "x.json").write_text(text)
    records = history.load(tmp_path)
    assert [(each.rows, each.held_back) for each in records] == [((), 1)]
    told = history.to_markdown(records)
    assert "left out" in told
    for site in (verdict_site.pages(records), verdict_site.pages([record])):
        assert not [name for name in site if "opendp" in name]
        assert not [name for name, page in site.items() if "opendp" in page]
    public = msgspec.structs.replace(leaked, function="then_laplace_threshold.map")
    assert not public.private
    assert msgspec.structs.replace(leaked, library="opendp@main").private


def test_what_is_said_to_be_public_is() -> None:
    for (library, function), where in disclosure.PUBLISHED.items():
        assert disclosure.known(library)
        if where.startswith("https://github.com/"):
            _, issue = where.removeprefix("https://github.com/").split("/issues/")
            assert issue.isdigit()
        else:
            text = (Path(__file__).resolve().parent.parent / where).read_text("utf-8")
            assert function in text


def test_no_record_of_the_project_has_what_is_private() -> None:
    folder = Path(__file__).resolve().parent.parent / "docs" / "verdicts"
    for path in folder.glob("*.json"):
        record = history.read(path.read_bytes())
        assert not [row.key for row in record.rows if row.private], path
