"""The table of verdicts over time: what is kept of a run, and what changed."""

import datetime
import json
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from dporacle.cli import main
from dporacle.report import document, history
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
    assert "from 4 runs between 2026-11-01 and 2026-11-04" in page
    row = next(line for line in page.splitlines() if "| `mylib 1.2` |" in line)
    assert row.startswith("| `broken in everyday use` |")
    assert "| not conformant | `✖ violating 1` |" in row
    assert row.endswith("| 2026-11-02, `1.1` |")
    changes = [line for line in page.splitlines() if line.startswith("- ")]
    (library,) = [line for line in page.splitlines() if line.startswith("## Every run")]
    assert library == "## Every run: `mylib`"
    (head,) = [
        line for line in page.splitlines() if line.startswith("| function | quantity | 2026")
    ]
    assert head == (
        "| function | quantity | 2026-11-01, `1.0` | 2026-11-02, `1.1` | 2026-11-03, `1.1` "
        "| 2026-11-04, `1.2` |"
    )
    assert page.split("\n## Runs")[0].splitlines()[-1] == (
        "| `sigma` | `calibrate_sigma` | ✔ `sound and tight`, conformant, `✔ tight 1` "
        + 3 * "| ✖ `broken in everyday use`, not conformant, `✖ violating 1` "
        + "|"
    )
    assert changes == [
        "- 2026-11-04: `mylib` `sigma`: version `1.1` → `1.2`.",
        "- 2026-11-02: `mylib` `sigma`: version `1.0` → `1.1`, grade `sound and tight` → "
        "`broken in everyday use`, standing `conformant` → `not conformant`.",
    ]


def test_what_comes_from_outside_is_code() -> None:
    content = reports.document(reports.HOSTILE, BAD)
    run = document.read(json.dumps(content).encode())
    page = history.to_markdown([history.record(run, _day(1))])
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
    assert CliRunner().invoke(main, ["history", str(tmp_path / "none")]).exit_code == 2


def test_the_page_of_the_project_is_made_of_its_records() -> None:
    """As `make verdicts` writes it."""
    folder = Path(__file__).resolve().parent.parent / "docs" / "verdicts"
    page = folder.with_suffix(".md").read_text("utf-8")
    assert page == history.to_markdown(history.load(folder))
    assert sum(folder_file.stat().st_size for folder_file in folder.iterdir()) < 1 << 20


def test_a_long_history_shows_its_last_runs() -> None:
    records = [history.record(_run(f"1.{n}", GOOD), _day(n + 1)) for n in range(14)]
    page = history.to_markdown(records)
    assert "The last 12 of 14." in page
    assert "2026-11-02, `1.1`" not in page.split("## Every run")[1]
    other = history.record(_run("9", GOOD), _day(20))
    moved = history.Record(
        format=history.FORMAT,
        date=other.date,
        dporacle=other.dporacle,
        rows=tuple(msgspec.structs.replace(row, function="new") for row in other.rows),
    )
    page = history.to_markdown([records[0], moved])
    assert "| `new` | `calibrate_sigma` | – | ✔ `sound and tight`, conformant," in page
