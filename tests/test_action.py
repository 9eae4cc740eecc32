"""The GitHub action: its steps, read from its file and run by a shell as GitHub runs them."""

import json
import os
import re
import shutil
import subprocess
import sys
import sysconfig
from pathlib import Path
from typing import Any

import pytest
import yaml

from support.cases import table

ROOT = Path(__file__).parents[1]
ACTION: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text(encoding="utf-8"))
ALL: list[dict[str, Any]] = ACTION["runs"]["steps"]
STEPS = [step for step in ALL if "run" in step]  # the others are GitHub's own actions
EXPRESSION = re.compile(r"\$\{\{\s*([a-z_.-]+)\s*\}\}")

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell"),
    pytest.mark.thorough("the action builds and installs the package"),
]


class Runner:
    """What GitHub does for a composite action, in a folder."""

    def __init__(self, folder: Path, action: Path) -> None:
        self.temp, self.work = folder / "temp", folder / "work"
        self.summary, self.output = folder / "summary.md", folder / "output"
        for each in (self.temp, self.work):
            each.mkdir()
        self._action = action

    def run(self, step: dict[str, Any], **given: str) -> subprocess.CompletedProcess[str]:
        """Run one step with these inputs, the others at their defaults."""
        assert step.keys() <= {"id", "name", "shell", "env", "run"}
        assert step["shell"] == "bash"
        assert given.keys() <= ACTION["inputs"].keys()
        values = {f"inputs.{name}": each["default"] for name, each in ACTION["inputs"].items()}
        values |= {f"inputs.{name}": value for name, value in given.items()}
        values["github.action_path"] = str(self._action)
        values["steps.python.outputs.python-path"] = sys.executable
        environment = {
            name: EXPRESSION.sub(lambda found: str(values[found[1]]), text)
            for name, text in step.get("env", {}).items()
        }
        script = self.temp / "step.sh"
        script.write_text(step["run"], encoding="utf-8")
        return subprocess.run(
            ["bash", "--noprofile", "--norc", "-eo", "pipefail", str(script)],
            cwd=self.work,
            env=os.environ
            | {"RUNNER_TEMP": str(self.temp), "GITHUB_STEP_SUMMARY": str(self.summary)}
            | {"GITHUB_OUTPUT": str(self.output)}
            | environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """The repository as GitHub would check it out: what is in it, and no environment of ours."""
    folder = tmp_path / "checkout"
    for name in ("src", "fast", "reference", "vectors", "proofs_notes/coq", "tools"):
        ignored = shutil.ignore_patterns("__pycache__", "__init__.pyi")
        shutil.copytree(ROOT / name, folder / name, ignore=ignored)
    for name in ("pyproject.toml", "setup.py", "README.md", "LICENSE", "constraints.txt"):
        shutil.copy(ROOT / name, folder / name)
    return folder


def test_the_steps_from_the_first_to_the_last(
    tmp_path: Path, checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Only the dependencies come from our own environment, in place of the package index."""
    monkeypatch.setenv("PATH", f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}")
    monkeypatch.setenv("PYTHONPATH", sysconfig.get_path("purelib"))
    monkeypatch.setenv("PIP_NO_DEPS", "1")
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_NO_BUILD_ISOLATION", "0")  # pip reads this as: without isolation
    runner = Runner(tmp_path, checkout)
    install, judge = STEPS
    done = runner.run(install)
    assert done.returncode == 0, done.stdout + done.stderr
    packages = list((runner.temp / "dporacle" / "lib").glob("python*/site-packages/dporacle"))
    assert len(packages) == 1, "it is installed, and not linked"
    stubs = {each.parent.name for each in packages[0].glob("*/__init__.pyi")}
    assert stubs == {"enclosures", "fast", "reference"}, "made by the installation"
    assert (packages[0] / "conformance" / "adapters" / "classical_js.mjs").is_file()
    assert (packages[0] / "wings" / "samplers" / "wing.json").is_file()
    assert not (packages[0] / "dev").exists()

    adapter = f"{sys.executable} {ROOT / 'examples' / 'adapter.py'}"
    done = runner.run(judge, adapter=adapter)
    assert done.returncode == 0, done.stdout + done.stderr
    assert "1 sound but loose" in done.stdout
    left = runner.work / "dporacle"
    assert json.loads((left / "conformance.json").read_text())["status"] == 0
    assert "1 of 1 functions conformant" in runner.summary.read_text()
    outputs = dict(line.split("=", 1) for line in runner.output.read_text().splitlines())
    # The classical formula is for ε ≤ 1.
    verdict = (
        r"1 sound but loose; 1 function leaves \d+ % of everyday inputs unanswered; "
        r"1 of 1 functions conformant"
    )
    assert re.fullmatch(verdict, outputs.pop("verdict"))
    assert outputs == {"status": "0", "report": "dporacle/report.html"}
    assert (left / "report.html").is_file()
    assert (left / "badge.json").is_file()
    assert str(packages[0]) in _home(runner)

    done = runner.run(judge, adapter=f"{sys.executable} {checkout / 'nothing.py'}")
    assert done.returncode == 3, done.stdout + done.stderr
    assert "could not be run" in done.stdout


def _home(runner: Runner) -> str:
    """Where the installed command finds the project."""
    code = "import dporacle; print(dporacle.__file__)"
    command = [str(runner.temp / "dporacle" / "bin" / "python"), "-c", code]
    return subprocess.run(
        command, cwd=runner.work, capture_output=True, text=True, check=True
    ).stdout


@pytest.mark.parametrize(("given", "status", "words"), table("inputs_that_cannot_be"))
def test_inputs_that_cannot_be(
    tmp_path: Path, given: dict[str, str], status: int, words: str
) -> None:
    runner = Runner(tmp_path, ROOT)
    (runner.temp / "dporacle").symlink_to(Path(sys.prefix))
    done = runner.run(STEPS[-1], **given)
    assert done.returncode == status, done.stdout + done.stderr
    assert words in " ".join((done.stdout + done.stderr).replace("│", " ").split())
    assert not list(tmp_path.rglob("injected")), "no input is part of a script"


def test_no_input_becomes_part_of_a_script() -> None:
    assert len(STEPS) == 2
    assert not any("${{" in step["run"] for step in STEPS)
    given = [*(step.get("env", {}) for step in ALL), *(step.get("with", {}) for step in ALL)]
    used = {
        name for each in given for text in each.values() for name in EXPRESSION.findall(str(text))
    }
    inputs = {f"inputs.{name}" for name in ACTION["inputs"]}
    assert used == {"github.action_path", "steps.python.outputs.python-path", *inputs}
    told = {f"steps.judge.outputs.{name}" for name in ACTION["outputs"]}
    assert told == {name for each in ACTION["outputs"].values()
                    for name in EXPRESSION.findall(each["value"])}  # fmt: skip


def test_a_second_run_in_the_same_job_has_its_own_folder(tmp_path: Path) -> None:
    runner = Runner(tmp_path, ROOT)
    (runner.temp / "dporacle").symlink_to(Path(sys.prefix))
    adapter = f"{sys.executable} {ROOT / 'examples' / 'adapter.py'}"
    for folder in ("first", "second one"):
        done = runner.run(STEPS[-1], adapter=adapter, folder=folder, seed="7", budget="100")
        assert done.returncode == 0, done.stdout + done.stderr
        document = json.loads((runner.work / folder / "conformance.json").read_text())
        assert document["fresh"]["seed"] == 7
        assert document["limits"]["library"] == 100
    bad = runner.run(STEPS[-1], adapter=adapter, **{"fail-on": "everything"})
    assert bad.returncode == 2
