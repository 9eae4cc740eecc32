"""The register of published claims: every verdict proved again, every claim with its source."""

import datetime
import json
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from dporacle.claims import register
from dporacle.claims.register import page, reading
from dporacle.claims.register.entries import KINDS
from dporacle.cli import main
from dporacle.verdicts import Verdict
from support.cases import table

ROOT = Path(__file__).parent.parent
SMALL = (Path(__file__).parent / "data" / "register.toml").read_text("utf-8")


@pytest.fixture(scope="module")
def published() -> register.Register:
    return register.load()


def small(text: str = SMALL) -> register.Register:
    return register.read({"papers.toml": text.encode()})


@pytest.mark.thorough("all published claims of the register are proved anew")
def test_no_verdict_has_changed_and_the_page_is_up_to_date(published: register.Register) -> None:
    """One test, so that one process proves them, once."""
    proved = register.prove(published)
    changed = [(one.published.entry.id, str(one.verdict.verdict)) for one in proved if one.changed]
    assert not changed
    written = (ROOT / "docs" / "register.md").read_text(encoding="utf-8")
    decided = sum(one.verdict.verdict is not Verdict.UNDECIDED for one in proved)
    said = f"has {len(proved)} published claims, of which {decided} are decided"
    assert said in (ROOT / "README.md").read_text(encoding="utf-8")
    assert written == page.to_markdown(proved, published.absent) + "\n", "run `make register`"


def test_every_kind_of_source_and_verdict_is_there(published: register.Register) -> None:
    assert len(published.claims) >= 40
    assert {claim.kind for claim in published.claims} == set(KINDS)
    assert {claim.entry.verdict for claim in published.claims} == {str(kind) for kind in Verdict}
    assert published.absent


def test_every_claim_says_who_said_it_where_and_when_it_was_read(
    published: register.Register,
) -> None:
    for claim in published.claims:
        assert claim.sources
        assert len(claim.entry.words) > 20
        for source in claim.sources:
            assert re.match(r"https://[a-zA-Z0-9.-]+\.[a-z]+/", source.address), source.id
            assert source.title
            assert source.owner
            assert datetime.date(2026, 11, 1) <= source.read <= datetime.date(2100, 1, 1)


def test_every_violated_claim_that_is_no_formula_is_explained(published: register.Register) -> None:
    for claim in published.claims:
        if claim.entry.verdict == "UNDECIDED" or (
            claim.entry.verdict == "VIOLATED" and claim.kind in ("software", "deployments")
        ):
            assert claim.entry.note, claim.entry.id


def test_its_files_are_in_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert "*.toml" in project["tool"]["setuptools"]["package-data"]["*"]
    assert "dporacle.claims.register" in project["tool"]["setuptools"]["packages"]


def test_a_register_is_read_exactly() -> None:
    first, second = small().claims
    assert [source.id for source in first.sources] == ["one", "two"]
    assert first.sources[0].address == "https://example.org/paper"
    assert first.sources[1].address == (
        "https://github.com/owner/name/blob/0123456789abcdef0123456789abcdef01234567/a/file.md"
    )
    assert first.entry.claim().id == "first"
    assert 100_000 * second.entry.claim().asserts.delta == 1


@pytest.mark.parametrize(
    ("old", "new", "message"), table("a_register_that_is_not_in_order_is_refused")
)
def test_a_register_that_is_not_in_order_is_refused(old: str, new: str, message: str) -> None:
    assert old in SMALL
    with pytest.raises(ValueError, match=message):
        small(SMALL.replace(old, new, 1))


def test_the_page_of_a_small_register() -> None:
    some = small()
    text = page.to_markdown(register.prove(some), some.absent)
    assert "2 published claims: 1 HOLDS, 1 VIOLATED; none changed." in text
    assert "| [first](#first) | Noise of σ = 4 is (1, 1e-5)-DP. | HOLDS | [0.9" in text
    assert "| The formula is \\| private at" in text
    assert '    asserts = {kind = "formula", name = "classical", epsilon = 10, delta' in text
    assert "[A file](https://github.com/owner/name/blob/0123456789" in text
    assert "- **A thing.** It is not there." in text


def run(monkeypatch: pytest.MonkeyPatch, some: register.Register, *options: str) -> object:
    monkeypatch.setattr(register, "load", lambda: some)
    return CliRunner().invoke(main, ["audit", "--register", *options])


def test_the_command_prints_and_tells_by_its_status(monkeypatch: pytest.MonkeyPatch) -> None:
    result = run(monkeypatch, small())
    assert result.exit_code == 0
    assert "first  HOLDS\n  said in: A paper\n" in result.output
    shown = run(monkeypatch, small(), "--table").output
    assert re.search(r"first +A paper .*HOLDS", shown)
    assert result.output.endswith("2 published claims: 1 HOLDS, 1 VIOLATED; none changed\n")
    as_json = json.loads(run(monkeypatch, small(), "--json").output)
    assert [claim["recorded_verdict"] for claim in as_json["claims"]] == ["HOLDS", "VIOLATED"]
    assert as_json["claims"][0]["sources"][0]["read"] == "2026-11-21"
    assert as_json["claims"][1]["proved"]["verdict"] == "VIOLATED"
    assert run(monkeypatch, small(), "--markdown").output.startswith("# A register of published")


@pytest.mark.parametrize("option", [[], ["--json"], ["--markdown"]])
def test_a_changed_verdict_is_a_failure(monkeypatch: pytest.MonkeyPatch, option: list[str]) -> None:
    first, second = small().claims
    wrong = replace(second, entry=msgspec.structs.replace(second.entry, verdict="HOLDS"))
    result = run(monkeypatch, reading.Register((first, wrong), ()), *option)
    assert result.exit_code == 1
    if not option:
        assert "VIOLATED (was HOLDS)" in result.output
        assert "1 changed" in result.output


def test_certificates_of_the_register(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    result = run(monkeypatch, small(), "--certificates", str(tmp_path / "new"))
    assert result.exit_code == 0
    assert sorted(file.name for file in (tmp_path / "new").iterdir()) == ["0001.json", "0002.json"]
