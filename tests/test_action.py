"""The GitHub action's judging step, run by a shell as GitHub would run it."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def scripts() -> list[str]:
    blocks = re.findall(r"      run: \|\n((?:        .*\n)+)", (ROOT / "action.yml").read_text())
    return [textwrap.dedent(block) for block in blocks]


@pytest.mark.skipif(sys.platform == "win32", reason="needs a POSIX shell")
@pytest.mark.parametrize(
    ("adapter", "library", "status"),
    [(f"{sys.executable} {ROOT / 'examples' / 'adapter.py'}", "", 0), ("", "", 2)],
)
def test_the_judging_step(tmp_path: Path, adapter: str, library: str, status: int) -> None:
    (tmp_path / "dporacle").symlink_to(Path(sys.prefix))
    work = tmp_path / "work"
    work.mkdir()
    environment = os.environ | {
        "RUNNER_TEMP": str(tmp_path),
        "GITHUB_STEP_SUMMARY": str(tmp_path / "summary.md"),
        "ADAPTER": adapter,
        "LIBRARY": library,
        "TIMEOUT": "5",
    }
    (_, judging) = scripts()
    ran = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", judging],
        cwd=work,
        env=environment,
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == status, ran.stdout + ran.stderr
    if status == 0:
        assert json.loads((work / "dporacle" / "conformance.json").read_text())["status"] == 0
        assert "1 of 1 functions conformant" in (tmp_path / "summary.md").read_text()
        assert (work / "dporacle" / "report.html").is_file()


def test_no_input_becomes_part_of_a_script() -> None:
    assert len(scripts()) == 2
    assert not any("${{" in script for script in scripts())
