"""The nightly run: one command on recorded results, and the workflow that calls it."""

import json
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from dporacle.conformance.grade import runs as document
from dporacle.conformance.libraries import declared, environments, pinned
from dporacle.conformance.libraries.pinned import LIBRARIES, Library
from dporacle.report import history, profile
from support import reports

ROOT = Path(__file__).resolve().parent.parent
WORKFLOW = yaml.safe_load((ROOT / ".github" / "workflows" / "nightly.yml").read_text("utf-8"))
STEPS: list[dict[str, Any]] = WORKFLOW["jobs"]["judge"]["steps"]


def step(name: str) -> str:
    (found,) = [each["run"] for each in STEPS if each.get("name") == name]
    return str(found)


@pytest.mark.thorough("make installs what is not there")
def test_one_command_records_a_run_and_makes_the_site(tmp_path: Path) -> None:
    records, site, run = tmp_path / "records", tmp_path / "site", tmp_path / "run.json"
    shutil.copytree(ROOT / "docs" / "verdicts", records)
    before = len(history.load(records))
    run.write_text(json.dumps(reports.document("mylib", reports.VIOLATING)))
    words = [f"RESULTS={records}", f"SITE={site}", f"RUN={run}", "ADDRESS=https://example.org/v/"]
    done = subprocess.run(
        ["make", "nightly", *words], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert len(history.load(records)) == before + 1
    for name in ("index.html", "mylib.html", "badges/mylib.svg", "opendp.html", "feed.xml"):
        assert (site / name).exists(), name
    assert "https://example.org/v/" in (site / "feed.xml").read_text("utf-8")


def test_the_workflow_calls_what_exists() -> None:
    makefile = (ROOT / "Makefile").read_text("utf-8")
    for words in ("judge", "build the site"):
        (target,) = re.findall(r"make (\w+)", step(words))
        assert re.search(rf"^{target}:", makefile, re.MULTILINE)
    assert "build/nightly.json" in makefile
    assert [each["with"]["path"] for each in STEPS if "upload" in each.get("uses", "")] == [
        "build/site",
        "build/nightly.json",
    ]


@pytest.mark.parametrize(
    ("broken", "status"),
    [*((each, 1) for each in ("--deep", "vectors", "conform", "--still", "--count")),
     ("--count", 2), ("none", 0)],
)  # fmt: skip
def test_every_step_of_the_night_is_run(broken: str, status: int, tmp_path: Path) -> None:
    """The first that fails hides no other; new mutants that survive (1) are shown, and no fault."""
    log, programs = tmp_path / "log", tmp_path / "bin"
    programs.mkdir()
    for name in ("python", "dporacle"):
        program = programs / name
        program.write_text(
            f'#!/bin/sh\necho "$*" >> {log}\ncase " $* " in *" {broken} "*) exit {status};; esac\n'
        )
        program.chmod(0o755)
    (tmp_path / "installed").touch()
    done = subprocess.run(
        ["make", "deep", f"VENV={tmp_path}"], cwd=ROOT, capture_output=True, text=True, check=False
    )
    begun = log.read_text("utf-8").splitlines()
    words = ("--deep", "vectors", "conform", "test_shown_run", "--still", "--count")
    assert [word in line for word, line in zip(words, begun, strict=True)] == [True] * 6
    fails = (broken, status) not in (("--count", 1), ("none", 0))
    assert (done.returncode != 0) == fails, done.stderr


def test_the_records_are_kept_on_a_branch(tmp_path: Path) -> None:
    """The steps of the workflow, two nights: the branch is made, and then goes on."""
    environ = os.environ | {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}

    def run(folder: Path, script: str) -> str:
        words = ["bash", "-e", "-o", "pipefail", "-c", script]
        done = subprocess.run(
            words, cwd=folder, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout

    origin, first = tmp_path / "origin.git", tmp_path / "first"
    run(tmp_path, f"git init -q --bare {origin}; git init -q -b main {first}")
    (first / "docs" / "verdicts").mkdir(parents=True)
    (first / "docs" / "verdicts" / "2026-11-01.json").write_text("{}")
    run(first, "git add -A; git -c user.name=a -c user.email=a@b commit -qm one")
    run(first, f"git remote add origin {origin}; git push -q origin main")
    for night in ("2026-11-02", "2026-11-03"):
        clone = tmp_path / night
        run(tmp_path, f"git clone -q -b main {origin} {clone}")
        run(clone, step("open the branch of results"))
        (clone / "results" / "verdicts" / f"{night}.json").write_text("{}")
        run(clone, step("keep the records"))
    names = run(origin, "git ls-tree -r --name-only results").split()
    assert names == [f"verdicts/2026-11-0{day}.json" for day in (1, 2, 3)]
    assert run(origin, "git rev-list --count results").strip() == "2"
    assert run(origin, "git ls-tree -r --name-only main").split() == [
        "docs/verdicts/2026-11-01.json"
    ]


def test_words_that_stand_for_versions() -> None:
    newest = pinned.named("all==newest")
    assert [each.name for each in newest] == [
        name for name, row in LIBRARIES.items() if not row.program
    ]
    assert all(each.requirements[0] == each.distribution for each in newest if not each.alone)
    for each in pinned.named("all@main"):
        assert each.name.endswith("@main")
        assert each.requirements[0] == f"{each.distribution} @ git+{each.repository}"
        assert each.repository.startswith("https://github.com/")
    for wrong in ("opendp==main", "python-dp@main", "opendp@other", "all==", "nothing@main"):
        with pytest.raises(ValueError, match=r"not a version|main branch|no adapter"):
            pinned.named(wrong)


@pytest.mark.thorough("pip builds a package from a repository")
def test_a_main_branch_is_built_at_its_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    source = tmp_path / "source"
    source.mkdir()
    (source / "setup.py").write_text(
        "from setuptools import setup\nsetup(name='tiny-dp', version='1.2', py_modules=['tiny'])\n"
    )
    (source / "tiny.py").write_text("")
    commit = "git add -A && git -c user.name=a -c user.email=a@b commit -qm one"
    subprocess.run(["bash", "-c", f"git init -q . && {commit}"], cwd=source, check=True)
    library = Library("tiny@main", "x.py", "tiny-dp", pinned.MAIN, repository=source.as_uri())
    try:
        python = environments.python_for(library)
    except environments.EnvironmentBuildError as error:
        pytest.skip(f"no package index: {error}")
    head = subprocess.check_output(["git", "rev-parse", "HEAD"], cwd=source, text=True)
    assert f"tiny@main-{head[:8]}" in str(python)
    subprocess.run([python, "-c", "import tiny"], check=True)


def test_what_was_never_promised_is_not_held_against_a_library() -> None:
    inside = reports.judged("conservative", excess=0.001, ulp=1e6)
    outside = reports.VIOLATING | {"arguments": {"epsilon": (3.0).hex(), "delta": (1e-5).hex()}}
    invalid = reports.judged("accepts invalid", flags=["nonsense"])
    for function, expected in (
        ("Gaussian", "sound and tight"),  # for ε ≤ 1 only, it says
        ("GaussianAnalytic", "breaks its promise in everyday use"),
    ):
        content = reports.document("diffprivlib", inside, outside, invalid)
        content["targets"][0]["functions"][0]["function"]["name"] = function
        (target,) = document.read(json.dumps(content).encode()).targets
        assert profile.grade("diffprivlib", target.functions[0]) == expected
        assert target.functions[0].grade == "breaks its promise in everyday use"
    (item,) = document.read(json.dumps(reports.document("x", inside, invalid)).encode()).items
    assert item.remarks == ("1 of 1 invalid inputs get a number",)
    assert (item.grade, profile.grade("x", item)) == ("sound and tight", "sound and tight")
    assert profile.grade("opacus", _renamed(item, "get_epsilon(gdp), sampled")) == profile.ESTIMATE


def _renamed(item: document.FunctionResult, name: str) -> document.FunctionResult:
    function = document.DeclaredFunction(
        name=name, quantity=item.function.quantity, arguments=["epsilon"]
    )
    return document.FunctionResult(function=function, judged=item.judged)


def test_declared_ranges_have_open_and_closed_ends() -> None:
    of = declared.DeclaredRange(most=1.0)
    assert [x in of for x in (0.0, 5e-324, 1.0, 1.5, float("nan"))] == [
        False,
        True,
        True,
        False,
        False,
    ]
    assert 1.0 not in declared.DeclaredRange(most=1.0, open=True)
    assert (str(of), str(declared.DeclaredRange())) == ("(0, 1]", "(0, ∞]")


@pytest.mark.parametrize(("library", "function"), declared.DECLARED)
def test_a_declaration_quotes_the_library(library: str, function: str) -> None:
    """Where its environment is there already."""
    assert library in LIBRARIES
    found = declared.DECLARED[library, function]
    assert found.says
    python = environments.python_there(LIBRARIES[library])
    if python is None:
        pytest.skip(f"{library} is not installed")
    files = [*python.parents[1].glob(f"[lL]ib/**/site-packages/{found.file}")]
    assert files
    text = " ".join(files[0].read_text("utf-8").split())
    for words in found.says:
        assert words in text


def test_capabilities_name_relations_and_sampling() -> None:
    found = profile.capabilities(
        [
            ("f", "calibrate_sigma"),
            ("g", "epsilon_at_delta, replace-one"),
            ("h", "subsampled_epsilon"),
            ("i", "subsampled_delta"),
            ("j", "of a later version"),
        ]
    )
    assert {each.functions: each.relation for each in found} == {
        ("f",): "add or remove one or replace one",
        ("g",): "replace-one",
        ("h", "i"): "add or remove one",
        ("j",): "",
    }
    assert any("Poisson" in each.mechanism or "batch" in each.mechanism for each in found)
