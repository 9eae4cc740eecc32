"""The recipe for a library's maintainers: what it writes, and what its steps do."""

import os
import subprocess
import sys
from pathlib import Path

import pytest
import yaml
from click.testing import CliRunner, Result

from dporacle.cli import main
from dporacle.conformance.libraries import pinned, recipe, targets
from dporacle.conformance.libraries.pinned import LIBRARIES

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
