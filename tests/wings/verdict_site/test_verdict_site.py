"""The site of verdicts: pages, permanent links, badges and the feed, made of records alone."""

import datetime
import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import msgspec
import pytest
from click.testing import CliRunner

from dporacle.cli import main
from dporacle.conformance.grade import runs as document
from dporacle.report import history
from dporacle.wings.verdict_site import site as verdict_site
from support import reports
from support.browser import CHROMIUM, Browser, chromium
from support.reports import Page

ATOM = "{http://www.w3.org/2005/Atom}"
RECORDS = Path(__file__).resolve().parents[3] / "docs" / "verdicts"


def _record(day: int, version: str, *cases: dict[str, object], name: str = "x") -> history.Record:
    content = reports.document(name, *cases, version=version)
    read = document.read(json.dumps(content).encode())
    return history.record(read, datetime.date(2026, 11, day))


BAD = reports.VIOLATING | {"level": "noticeable", "promise": "delta", "ratio": 14.0}
FAR = BAD | {"level": "grave", "flags": ["tiny-delta"], "case": "calibrate_sigma/far"}
GOOD = reports.judged("tight", answer=(4.0).hex(), truth="3.9999999999999999", ulp=0.1)


def test_each_finding_has_a_link_that_stays() -> None:
    first = [_record(1, "1.0", BAD, FAR), _record(2, "2.0", FAR)]
    later = [*first, _record(3, "3.0", GOOD), _record(4, "3.0", GOOD)]
    links = [set[str](), set[str]()]
    for found, records in zip(links, (first, later), strict=True):
        page = Page(verdict_site.pages(records)["x.html"])
        ids = [each["id"] for _, each in page.elements if each.get("id")]
        assert len(set(ids)) == len(ids)
        found |= {str(each) for each in ids}
        assert {str(a["href"])[1:] for a in page.all("a") if str(a["href"])[0] == "#"} <= found
    assert (
        {
            "sigma--calibrate_sigma--1.0--everyday",
            "sigma--calibrate_sigma--1.0--elsewhere",
            "sigma--calibrate_sigma--2.0--elsewhere",
        }
        <= links[0]
        <= links[1]
    )


def test_the_verdict_comes_first() -> None:
    page = Page(verdict_site.pages([_record(1, "1.0", BAD, FAR)])["index.html"])
    shown = page.text
    for words in (
        "✖ breaks its promise in everyday use",
        "epsilon=1, delta=1e-05: answers 3, exact 3.731: the true δ is 14 times the promised",
        "since 2026-11-01, 1.0",
    ):
        assert words in shown
    assert shown.index("since 2026-11-01") < shown.index("What changed")
    other = Page(verdict_site.pages([_record(1, "1.0", BAD)])["x.html"]).text
    assert "Text of a bug report" in other
    assert "## What is true" in other


def test_nothing_from_outside_is_markup() -> None:
    content = reports.hostile()
    bad = BAD | {"message": reports.HOSTILE, "arguments": {reports.HOSTILE: (1.0).hex()}}
    content["targets"][0]["functions"][0]["verdicts"].append(bad)
    read = document.read(json.dumps(content).encode())
    records = [history.record(read, datetime.date(2026, 11, day)) for day in (1, 2)]
    moved = msgspec.structs.replace(records[1].rows[0], version="2")
    records[1] = msgspec.structs.replace(records[1], rows=(moved,))
    for name, text in verdict_site.pages(records, address="https://example.org/a?b&c").items():
        assert ".." not in name
        assert not set(name) - set(
            "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./"
        )
        if name.endswith(".html"):
            page = Page(text)
            assert len(page.all("script")) == 1
            assert page.all("img") == []
            assert [a for a in page.outside if ":" in a or "/" in a] == []
        else:
            tree = ElementTree.fromstring(text)
            assert all("script" not in each.tag for each in tree.iter())


def test_names_become_addresses_that_differ() -> None:
    names = ["f(a)", "f-a-", "f a", "f.a", "f, a", "", "../../x", "ε", "δ", "x" * 300, "x" * 301]
    found = [verdict_site.slug(name) for name in names]
    assert len(set(found)) == len(names)
    assert found[3] == "f.a"
    assert not [each for each in found if "/" in each or len(each) > 90]


@pytest.mark.parametrize(
    ("functions", "title"),
    [
        (["a"], "x: a"),
        (["a", "a"], "x: a"),
        (["a", "b"], "x: a and 1 more"),
        (["a", "b", "a", "c", "d"], "x: a and 3 more"),
    ],
)
def test_the_title_of_a_day_counts_the_other_functions(functions: list[str], title: str) -> None:
    records = [_record(1, "1.0", GOOD), _record(2, "1.1", BAD)]
    (change,) = history.changes(history.verdicts(records))
    rows = [msgspec.structs.replace(change.row, function=each) for each in functions]
    changes = tuple(replace(change, row=each) for each in rows)
    day = verdict_site.LibraryChanges(change.date, "x", changes)
    assert day.title == title
    assert replace(day, by="y").title == title.replace("x", "x, judged by y", 1)


def test_the_feed_and_the_badges_are_xml() -> None:
    records = [_record(1, "1.0", GOOD), _record(2, "1.1", BAD), _record(3, "1.1", BAD)]
    site = verdict_site.pages(records, address="https://example.org/verdicts/")
    feed = ElementTree.fromstring(site["feed.xml"])
    (entry,) = feed.findall(f"{ATOM}entry")
    for required in ("id", "title", "updated"):
        assert feed.findtext(ATOM + required)
        assert entry.findtext(ATOM + required)
    told = entry.findtext(f"{ATOM}content") or ""
    assert "grade sound and tight → breaks its promise in everyday use" in told
    assert entry.findtext(f"{ATOM}updated") == "2026-11-02T00:00:00Z"
    badges = {name for name in site if name.endswith(".svg")}
    assert badges == {"badges/x.svg", "badges/x/sigma--calibrate_sigma.svg"}
    for name in badges:
        svg = ElementTree.fromstring(site[name])
        words = "".join(svg.itertext())
        assert "0 of 1 functions conformant" in words or "breaks its promise" in words


@pytest.mark.thorough("seconds")
def test_the_command_makes_the_site_of_recorded_runs(tmp_path: Path) -> None:
    """Of this project's own records: what the nightly workflow publishes."""
    done = CliRunner().invoke(main, ["history", str(RECORDS), "--site", str(tmp_path)])
    assert (done.exit_code, done.output) == (0, "")
    made = {path.relative_to(tmp_path).as_posix(): path for path in tmp_path.rglob("*.*")}
    index = Page(made["index.html"].read_text("utf-8"))
    pages = {str(a["href"]).partition("#")[0] for a in index.all("a")} - {""}
    assert pages <= made.keys()
    for name in pages - {"feed.xml"}:
        page = Page(made[name].read_text("utf-8"))
        assert {f"#{each['id']}" for _, each in page.elements if each.get("id")} >= {
            str(a["href"])[len(name) :] for a in index.all("a") if f"{a['href']}".startswith(name)
        } - {""}
    ElementTree.parse(made["feed.xml"])
    assert CliRunner().invoke(main, ["history", str(RECORDS), "--address", "x"]).exit_code == 2


def test_a_page_that_is_not_made_again_is_removed(tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    mine, outside = tmp_path / "site" / "mine.html", tmp_path / "outside.html"
    for file in (mine, outside):
        file.write_text("")
    verdict_site.write([_record(1, "1", BAD, name="a"), _record(1, "1", BAD)], tmp_path / "site")
    assert (tmp_path / "site" / "a.html").exists()
    with (tmp_path / "site" / "files.txt").open("a") as written:
        written.write("../outside.html\n")
    verdict_site.write([_record(1, "1", BAD)], tmp_path / "site")
    assert not (tmp_path / "site" / "a.html").exists()
    assert not (tmp_path / "site" / "badges" / "a.svg").exists()
    assert (tmp_path / "site" / "x.html").exists()
    assert mine.exists()
    assert outside.exists()


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with chromium(tmp_path_factory.mktemp("profile")) as started:
        yield started


@pytest.mark.thorough("a browser")
@pytest.mark.parametrize(("width", "dark"), [(390, True), (1280, False)])
def test_in_a_browser(browser: Browser, tmp_path: Path, width: int, dark: bool) -> None:
    records = [_record(1, "1.0", BAD, FAR, name="old"), _record(2, "1.0", BAD, FAR)]
    records.append(_record(3, "2.0", GOOD))
    verdict_site.write(records, tmp_path)
    browser.look(width=width, dark=dark)
    browser.open(tmp_path / "index.html")
    assert browser.complaints == []
    assert browser.ask("document.documentElement.scrollWidth") <= width
    shown = "[...document.querySelectorAll('.verdicts li:not([hidden])')].length"
    assert browser.ask(shown) == 2
    first = "document.querySelector('.verdicts li').getBoundingClientRect().top"
    assert browser.ask(first) < 850  # a verdict is seen without scrolling
    grade = "document.getElementById('grade')"
    browser.ask(
        f"{grade}.value = 'sound and tight'; {grade}.dispatchEvent(new Event('input', "
        "{bubbles: true}))"
    )
    assert browser.ask(shown) == 1
    assert browser.ask("document.getElementById('told').textContent") == "1 of 2 functions"
    browser.open(tmp_path / "x.html", "#sigma--calibrate_sigma--1.0--elsewhere")
    assert browser.complaints == []
    assert browser.ask("document.documentElement.scrollWidth") <= width
    assert browser.ask("document.querySelector('article:target').closest('details').open")
    assert browser.ask("document.querySelectorAll('.copied button:not([hidden])').length") > 0
    browser.look(width=width, script=False)
    browser.open(tmp_path / "index.html")
    assert browser.ask("1") == 1
