"""The documentation site: built as `make site` does, whole, and readable without a network."""

import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dporacle.vocabulary.statements import STATEMENTS, WITNESSES
from support.browser import CHROMIUM, chromium

ROOT = Path(__file__).resolve().parent.parent
pytestmark = [
    pytest.mark.skipif(shutil.which("npm") is None, reason="npm is not installed"),
    pytest.mark.deep("mkdocs and npm build the site: 20 s, and the night publishes it"),
]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    calculator = tmp_path_factory.mktemp("calculator")
    (calculator / "index.html").write_text("its own tests build it")
    build = [sys.executable, str(ROOT / "tools" / "make_site.py"), "--output", str(folder)]
    build += ["--calculator", str(calculator)]
    done = subprocess.run(build, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    return folder


def test_the_site(site: Path, tmp_path: Path) -> None:
    # Every statement stands on its page, every function in the reference of its witness.
    listed = (site / "statements" / "index.html").read_text("utf-8")
    for witness in WITNESSES:
        page = (site / "api" / f"{witness}.html").read_text("utf-8")
        assert "D, the ℓ1-sensitivity" in page  # what the rows say of arguments
        for row in STATEMENTS:
            assert row.id in listed
            for name in () if witness in row.holes else row.functions:
                assert f'.{name}"' in page, (witness, name)
    # The verdicts stand beside it, one link away.
    assert 'href="../verdicts/index.html"' in (site / "docs" / "verdicts.html").read_text("utf-8")
    assert (site / "verdicts" / "index.html").exists()
    for page in site.rglob("*.html"):
        for link in re.findall(r'href="([^"#?]+)["#?]', page.read_text("utf-8")):
            if not re.match(r"[a-z]+:|/", link):
                assert (page.parent / link).exists(), (page, link)
    # Formulas are set, in the pages and as text in what is searched.
    assert listed.count("<math>") > 100
    for file in site.rglob("*"):
        if file.suffix in {".html", ".js", ".json"}:
            assert "\ue000" not in file.read_text("utf-8"), file
    if CHROMIUM is None:
        pytest.skip("Chromium is not installed")
    with chromium(tmp_path) as browser:
        for page, width in (
            ("index.html", 390),
            ("proofs_notes/subsampled_gaussian.html", 390),
            ("proofs_notes/conversions.html", 1400),
        ):
            browser.look(width=width, dark=width < 500)
            browser.open(site / page)
            assert browser.ask("document.documentElement.scrollWidth") <= width
            if width > 1220:  # narrower pages have their tabs in a drawer
                tab = "document.querySelector('.md-tabs__link')"
                assert browser.ask(f"+getComputedStyle({tab}).opacity") >= 0.75  # 4.5:1
            asked = [e["params"]["request"]["url"] for e in browser.events if "Will" in e["method"]]
            assert [url for url in asked if not url.startswith(("file:", "data:", "about:"))] == []
            told = {"Log.entryAdded", "Runtime.exceptionThrown"}
            assert [e for e in browser.events if e["method"] in told] == []
        # On a phone the first column of a wide table stays while the others pass under it.
        browser.look(width=390)
        browser.open(site / "docs" / "register.html")
        tables = "document.querySelectorAll('article .md-typeset__scrollwrap')"
        table = f"{tables}[1]"  # that of papers: the first one counts
        browser.ask(f"{table}.scrollLeft = 150")
        assert browser.ask(f"{table}.scrollLeft") == 150
        cell = f"{table}.querySelector('tbody td').getBoundingClientRect()"
        assert browser.ask(f"{cell}.left") >= 0
        assert browser.ask(f"{cell}.width") <= 0.45 * 390
