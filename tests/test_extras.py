"""What is not installed is named, with the extra that brings it; what is misspelt is guessed."""

import builtins
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from dporacle import __version__
from dporacle.cli import main
from dporacle.common import extras
from dporacle.conformance.libraries import environments
from dporacle.conformance.run import runner
from support.cases import table
from support.files import module_at

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]


def test_every_extra_that_is_named_exists() -> None:
    for module in extras._EXTRAS:
        advice = extras.advice(ImportError(name=module))
        assert advice is not None
        found = re.search(r"dporacle\[(\w+)\]", advice)
        assert found is not None
        assert found[1] in PROJECT["optional-dependencies"]
    assert extras.advice(ImportError(name="elsewhere")) is None


@pytest.mark.parametrize(("module", "command"), table("a_missing_extra_is_a_line_and_no_finding"))
def test_a_missing_extra_is_a_line_and_no_finding(
    module: str, command: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.partition(".")[0] == module:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
        return real(name, *rest)

    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(builtins, "__import__", without)
    for loaded in ("dporacle.plots.dp_sgd", "dporacle.regions.picture"):
        monkeypatch.delitem(__import__("sys").modules, loaded, raising=False)
    done = CliRunner().invoke(main, command)
    assert done.exit_code == 3, done.output
    assert extras.advice(ImportError(name=module)) in done.output
    assert "Traceback" not in done.output


def test_help_needs_no_extra() -> None:
    """What a command is for is said where nothing optional can be imported."""
    script = """
import sys
from click.testing import CliRunner
from dporacle.cli import COMMANDS, main
from dporacle.common import extras

sys.modules.update(dict.fromkeys(extras._EXTRAS))
for name in COMMANDS:
    done = CliRunner().invoke(main, [name, "--help"])
    assert done.exit_code == 0, (name, done.output)
    assert "Usage:" in done.output, name
"""
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr


def test_what_a_wheel_is_tried_with_names_the_missing_extra(tmp_path: Path) -> None:
    """The trial itself takes minutes: here the same commands run where no extra can be imported."""
    tool = module_at(ROOT / "tools" / "try_wheel.py")
    for name, text in tool.INPUTS.items():
        (tmp_path / name).write_text(text, "utf-8")
    script = f"""
import sys
from click.testing import CliRunner
from dporacle.cli import main
from dporacle.common import extras

sys.modules.update(dict.fromkeys(extras._EXTRAS))
for extra, words in {tool.MISSING}.items():
    done = CliRunner().invoke(main, words)
    assert done.exit_code == 3, (words, done.output)
    assert f"dporacle[{{extra}}]" in done.output, (words, done.output)
"""
    done = subprocess.run(
        [sys.executable, "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False,
        env=os.environ | {"XDG_CACHE_HOME": str(tmp_path)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("known", [False, True])
def test_without_uv_a_library_is_not_even_begun(
    known: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What to install is said before anything else; an environment that is there needs no uv."""
    monkeypatch.setitem(sys.modules, "uv", None)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    begun: list[object] = []
    monkeypatch.setattr(runner, "collect_and_judge", lambda *_, **__: begun.append(1) or [])
    monkeypatch.setattr(environments._Place, "complete", lambda _: known)
    done = CliRunner().invoke(main, ["conform", "diffprivlib", "python-dp", "--random", "1"])
    assert done.exit_code == 3, done.output  # without a function nothing is judged
    assert bool(begun) == known
    if not known:
        advice = extras.advice(ImportError(name="uv"))
        assert done.output.startswith(f"Error: {advice}; it makes an environment for diffprivlib")


def test_a_parquet_file_that_is_missing_is_named() -> None:
    done = CliRunner().invoke(main, ["audit", "--stream", "nowhere.parquet"])
    assert done.exit_code == 2
    assert "nowhere.parquet" in done.output
    assert "None" not in done.output


def test_every_extra_for_users_has_its_weight_and_is_tried() -> None:
    """Those for users: not what only builds the site, or develops."""
    page = (ROOT / "docs" / "install.md").read_text("utf-8")
    tool = (ROOT / "tools" / "try_wheel.py").read_text("utf-8")
    for extra in PROJECT["optional-dependencies"].keys() - {"docs", "dev"}:
        assert f"`{extra}` (" in page
        assert f'"{extra}"' in tool


def test_the_version_is_one() -> None:
    assert PROJECT["version"] == __version__
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    assert f"version: {__version__}\n" in citation
    assert f"## {__version__}" in (ROOT / "CHANGELOG.md").read_text("utf-8")
