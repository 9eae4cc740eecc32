"""The core works without any of the wings, and says what is missing where somebody asks for it."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from dporacle.common import wing_files as wings

PACKAGE = Path(wings.__file__).parents[1]
COMMANDS = {
    wing.package.removeprefix("dporacle.").replace(".", "/"): [*wing.commands]
    for wing in wings.present()
}
"""Folder of a wing -> its commands."""
ELSEWHERE = {"wings/papers": ("reference/papers", "fast/papers")}
"""What of a wing stands in the two witnesses at the top of the repository."""
REFUSED = {
    "wings/coq": (
        "audit --epsilon 1 --delta 1e-5 --sigma 3.74 --coq-check",
        "this needs dporacle.wings.coq, which is not installed",
    ),
    "wings/papers": (
        "statements --figures",
        "this needs dporacle.wings.papers, which is not installed",
    ),
    "wings/verdict_site": (
        f"history {PACKAGE.parents[1] / 'docs' / 'verdicts'} --site site",
        "this needs dporacle.wings.verdict_site, which is not installed",
    ),
    "dev": ("specimens", "'specimens' is for a checkout of the project"),
}
"""What of the core asks a wing for something, and what it says without it."""

CORE = """
import sys
home, command, said, *lost = sys.argv[1:]
sys.path.insert(0, home)
import dporacle
assert dporacle.__file__.startswith(home)
from click.testing import CliRunner
from dporacle.cli import main

def run(words, status=0):
    done = CliRunner().invoke(main, words.split())
    assert done.exit_code == status, (words, done.output, done.exception)
    return done.output

listed = run("--help")
assert not any(name.startswith(("dporacle.wings.", "dporacle.dev")) for name in sys.modules)
for each in lost:
    assert f"\\n  {each} " not in listed
    run(each, 2)
assert "\\n  audit " in listed
assert "3.7306316348159418" in run("sigma --epsilon 1 --delta 1e-5")
assert "1 HOLDS" in run("audit --epsilon 1 --delta 1e-5 --sigma 3.74")
assert "--max-extra" in run("conform --help")
if command:
    done = CliRunner().invoke(main, command.split())
    assert done.exit_code
    assert said in done.output, done.output
"""
WITHOUT_PAPERS = """
from dporacle import claims, enclosures, fast, reference
for witness in (enclosures, fast, reference):
    assert all(getattr(witness, name) for name in witness.__all__)
    assert not hasattr(witness, "rank_one_sigma_star")
run("statements --json", 1)  # which has holes now
run("vectors")
noise = {"kind": "rank-one", "dimension": 5, "sigma_star": 1, "sensitivity": 1}
private = {"kind": "privacy", "epsilon": 1, "delta": 1e-5, "neighbours": "add-remove"}
formula = {"kind": "formula", "name": "r1smg", "epsilon": 1, "delta": 1e-5, "dimension": 3}
point = {"epsilon": 1, "delta": 1e-5}
inequality = {"kind": "inequality", "statement": "JL24.L2.reversed", "at": point}
for content, said in (
    ({"mechanism": noise | {"neighbours": "add-remove"}, "asserts": private}, "'rank-one'"),
    ({"asserts": formula}, "'r1smg'"),
    ({"asserts": inequality}, "JL24.L2.reversed needs dporacle.wings.papers"),
):
    try:
        claims.make({"id": "it"} | content)
    except ValueError as error:
        assert said in str(error), error
    else:
        raise AssertionError(content)
"""


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a copy of the package, in which the links are followed."""
    home = tmp_path_factory.mktemp("copy")
    shutil.copytree(PACKAGE, home / "dporacle")
    return home


@pytest.mark.parametrize("wing", COMMANDS)
def test_the_core_works_without_a_wing(home: Path, wing: str) -> None:
    code = CORE + (WITHOUT_PAPERS if wing == "wings/papers" else "")
    moved = [
        (home / "dporacle" / each, home / "aside") for each in (wing, *ELSEWHERE.get(wing, ()))
    ]
    for number, (place, aside) in enumerate(moved):
        place.rename(aside.with_name(f"aside{number}"))
    try:
        words = [str(home), *REFUSED.get(wing, ("", "")), *COMMANDS[wing]]
        done = subprocess.run(
            [sys.executable, "-c", code, *words], capture_output=True, text=True, cwd=home
        )
    finally:
        for number, (place, aside) in enumerate(moved):
            aside.with_name(f"aside{number}").rename(place)
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_copy_with_every_wing_has_all_commands(home: Path) -> None:
    """So that what the other tests miss is missing for want of a folder."""
    words = [sys.executable, "-m", "dporacle", "--help"]
    listed = subprocess.run(words, capture_output=True, text=True, cwd=home, check=True).stdout
    assert all(f"\n  {each} " in listed for own in COMMANDS.values() for each in own)
