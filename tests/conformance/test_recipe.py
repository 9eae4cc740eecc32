"""The recipe for a library's maintainers: what it writes, and what its steps do."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from dporacle.cli import main
from dporacle.conformance.libraries import pinned, recipe, targets
from dporacle.conformance.libraries.pinned import LIBRARIES
from dporacle.report import history
from support import reports

ROOT = Path(__file__).resolve().parents[2]

KNOWN = [name for name, row in LIBRARIES.items() if not row.program]


def run(*words: str) -> Result:
    return CliRunner().invoke(main, list(words))


@pytest.mark.parametrize("name", KNOWN)
def test_each_known_library_has_one(name: str, tmp_path: Path) -> None:
    assert run("recipe", name, "-o", str(tmp_path)).exit_code == 0
    text = (tmp_path / ".github" / "workflows" / "dporacle.yml").read_text("utf-8")
    (job,) = yaml.safe_load(text)["jobs"].values()
    scripts = [each["run"] for each in job["steps"] if "run" in each]
    for script in scripts:
        assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0
    row = LIBRARIES[name]
    installed, judged = scripts[0].splitlines()[-1], scripts[2]
    assert f"conform {name} --python .judged/bin/python" in judged
    assert ("--no-deps" in installed) is row.alone
    for need in row.needs if row.alone else ():
        assert f'"{need}"' in installed
    assert job["steps"][1]["with"]["python-version"] == row.pythons[0]
    guide = (tmp_path / "dporacle.md").read_text("utf-8")
    for page in (text, guide):
        assert "@name@" not in page
        assert "{" not in page.replace("${", "").replace("{cron", "").replace("{python", "")
    assert len(guide.splitlines()) < 30
    assert row.summary in guide


COMMIT = "0123456789" * 4


@pytest.mark.parametrize("name", KNOWN)
def test_each_known_library_can_publish_its_own_results(name: str) -> None:
    found = recipe.harness(pinned.find(name), commit=COMMIT)
    workflow, guide = found.values()
    assert not re.search("@[a-z]+@", workflow + guide)
    content = yaml.safe_load(workflow)
    assert content["env"] == {"DPORACLE_COMMIT": COMMIT}
    steps = content["jobs"]["judge"]["steps"]
    for script in (each["run"] for each in steps if "run" in each):
        assert subprocess.run(["bash", "-n", "-c", script], check=False).returncode == 0
    action = yaml.safe_load((ROOT / "action.yml").read_text("utf-8"))
    (judge,) = (each for each in steps if each.get("uses") == "./.dporacle")
    assert judge["with"].keys() <= action["inputs"].keys()
    assert judge["with"]["library"] == name
    assert COMMIT in guide
    assert len(guide.splitlines()) < 30


def test_the_commit_of_the_judge_is_said_or_known(monkeypatch: pytest.MonkeyPatch) -> None:
    library = pinned.find("opendp")
    for bad in ("main", COMMIT[:-1]):
        with pytest.raises(ValueError, match=r"^commit: 40 hexadecimal digits"):
            recipe.harness(library, commit=bad)
    monkeypatch.setattr(recipe, "_checked_out", lambda: None)
    assert "say which commit" in run("recipe", "opendp", "--harness").output
    assert run("recipe", "opendp", "--tests", "--harness").exit_code == 2
    assert "known are autodp, diffprivlib, " in run("recipe").output
    assert "known are dp-accounting, jax-privacy, opacus, opendp" in run("recipe", "--tests").output
    assert run("recipe", "opendp", "--commit", COMMIT).exit_code == 2


@pytest.mark.thorough("git, and the command in processes of its own")
def test_the_steps_publish_what_history_reads(tmp_path: Path) -> None:
    """Two runs on a repository of one's own: the branch is made, and then goes on."""
    workflow = yaml.safe_load(next(iter(recipe.harness(pinned.find("opendp")).values())))
    steps = {each.get("name"): each.get("run") for each in workflow["jobs"]["judge"]["steps"]}
    (tmp_path / "temp").mkdir()
    (tmp_path / "temp" / "dporacle").symlink_to(Path(sys.prefix))
    environ = os.environ | {
        "GIT_CONFIG_GLOBAL": os.devnull,
        "GIT_CONFIG_SYSTEM": os.devnull,
        "RUNNER_TEMP": str(tmp_path / "temp"),
        "GITHUB_REPOSITORY": "them/lib",
        "GITHUB_SHA": "ab" * 20,
        "GITHUB_SERVER_URL": "https://ci.test",
        "GITHUB_RUN_ID": "7",
    }
    environ |= workflow["env"]

    def shell(folder: Path, script: str) -> None:
        words = ["bash", "-e", "-o", "pipefail", "-c", script]
        done = subprocess.run(
            words, cwd=folder, env=environ, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr

    origin, first = tmp_path / "origin.git", tmp_path / "first"
    shell(tmp_path, f"git init -q --bare {origin}; git init -q -b main {first}")
    shell(first, "git -c user.name=a -c user.email=a@b commit -q --allow-empty -m one")
    shell(first, f"git remote add origin {origin}; git push -q origin main")
    for number, outcome in enumerate(("violating", "tight")):
        clone = tmp_path / f"run{number}"
        shell(tmp_path, f"git clone -q -b main {origin} {clone}")
        (clone / "judged").mkdir()
        content = reports.document("mylib", reports.judged(outcome))
        (clone / "judged" / "conformance.json").write_text(json.dumps(content))
        for name in ("open the branch of results", "add the result", "publish"):
            shell(clone, steps[name])
    shell(tmp_path, f"git clone -q -b dporacle-results {origin} results")
    records = history.of_file(tmp_path / "results" / "results.json")
    assert len(records) == 2
    for each in records:
        assert each.made == history.origin(
            by="them/lib",
            commit="ab" * 20,
            judge=workflow["env"]["DPORACLE_COMMIT"],
            run="https://ci.test/them/lib/actions/runs/7",
        )


def test_a_python_is_for_one_library() -> None:
    python = sys.executable
    target = targets.library_target(pinned.find("opendp"), python=Path(python))
    assert next(iter(target.prepare())) == python


@pytest.mark.thorough("a library is judged twice, and once made worse")
def test_the_steps_judge_what_an_interpreter_has(tmp_path: Path) -> None:
    """A library of one's own under a known name: its baseline passes, what is worse fails."""
    library = tmp_path / "pydp"
    library.mkdir()
    (library / "__init__.py").write_text("")
    (tmp_path / "python_dp-9.dist-info").mkdir()
    (tmp_path / "python_dp-9.dist-info" / "METADATA").write_text("Name: python-dp\nVersion: 9\n")
    (tmp_path / "bin").mkdir()
    python = tmp_path / "bin" / "python"
    python.write_text(f'#!/bin/sh\nPYTHONPATH="{tmp_path}" exec {sys.executable} "$@"\n')
    python.chmod(0o755)
    scripts = [
        step["run"]
        for step in yaml.safe_load(
            recipe.files(LIBRARIES["python-dp"])[".github/workflows/dporacle.yml"]
        )["jobs"]["judge"]["steps"]
        if "run" in step
    ]
    (tmp_path / ".judged").symlink_to(tmp_path)
    (tmp_path / ".judge").symlink_to(Path(sys.executable).parents[1])
    environ = os.environ | {"GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md")}

    def step(index: int) -> int:
        script = scripts[index].replace("--output", "--random 8 --seed 1 --output")
        words = ["bash", "-e", "-o", "pipefail", "-c", script]
        return subprocess.run(words, cwd=tmp_path, env=environ, check=False).returncode

    def offers(factor: float) -> None:
        (library / "algorithms.py").write_text(_LIBRARY.replace("FACTOR", str(factor)))

    offers(0.999)
    assert step(2) == 1
    assert step(3) == 0
    (tmp_path / "new-dporacle.toml").rename(tmp_path / "dporacle.toml")
    assert step(2) == 0
    offers(0.25)
    assert step(2) == 1
    assert "conform" in (tmp_path / "summary.md").read_text("utf-8")


_LIBRARY = """
from types import SimpleNamespace
from dporacle import fast

def _gaussian(epsilon, delta, sensitivity):
    least = fast.calibrate_sigma(epsilon=epsilon, delta=delta, sensitivity=sensitivity)
    return SimpleNamespace(std=FACTOR * float(least))

def _laplace(epsilon, sensitivity):
    if not (0 < epsilon < float("inf") and 0 < sensitivity < float("inf")):
        raise RuntimeError("out of range")
    return SimpleNamespace(diversity=sensitivity / epsilon * (1 + 1e-9))

def _strategy(*given):
    raise RuntimeError("not here")

numerical_mechanisms = SimpleNamespace(GaussianMechanism=_gaussian, LaplaceMechanism=_laplace)
partition_selection = SimpleNamespace(create_laplace_partition_strategy=_strategy)
"""
