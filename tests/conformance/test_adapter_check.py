"""`dporacle adapter-check`: each rule is tried, and the line that breaks it is shown."""

import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dporacle.cli import main
from dporacle.vocabulary import SERVED
from support.cases import table
from support.dear import mostly_dear

HERE = Path(__file__).parent
EXAMPLES = HERE.parents[1] / "examples"


def run(command: str, *options: str) -> Result:
    return CliRunner().invoke(main, ["adapter-check", command, *options])


def misbehaving(mode: str, *options: str) -> str:
    command = f"{sys.executable} -I -S {HERE / 'misbehaving.py'} {mode}"
    result = run(command, "--timeout", "0.5", *options)
    assert result.exit_code == 1, result.output
    return " ".join(result.stdout.split())


def test_nothing_is_wrong_with_the_example() -> None:
    result = run(f"{sys.executable} {EXAMPLES / 'adapter.py'}")
    assert result.exit_code == 0, result.output
    assert "WRONG" not in result.stdout
    assert result.stdout.count("ok ") == 9


LIBRARY = """
from scipy.stats import norm

DISTRIBUTION = "scipy"
FUNCTIONS = {"norm.isf": ("accuracy", lambda alpha, sigma: float(norm.isf(alpha / 2) * sigma))}
"""


@pytest.mark.thorough("the commands of the page are run as they stand there")
def test_the_page_about_adapters_works_as_it_is_written(tmp_path: Path) -> None:
    root = HERE.parents[1]
    adapters = Path("src", "dporacle", "conformance", "adapters")
    (tmp_path / adapters).mkdir(parents=True)
    (tmp_path / adapters / "serve.py").symlink_to(root / adapters / "serve.py")
    (tmp_path / adapters / "mine.py").write_text(LIBRARY)
    (tmp_path / ".venv").symlink_to(Path(sys.executable).parents[1])
    (tmp_path / "examples").symlink_to(EXAMPLES)
    page = (root / "docs" / "contributing" / "adapter.md").read_text("utf-8")
    lines = [line.strip() for line in page.splitlines() if line.startswith("    ")]
    *written, last = [line.replace("<library>", "mine") for line in lines]
    assert last == ".venv/bin/dporacle conform mine"  # for which it has to be pinned
    done = subprocess.run(
        ["sh", "-e", "-c", "\n".join(written)],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "norm.isf: it answers `run`" in done.stdout
    assert "1 conformant" in done.stdout


@pytest.mark.thorough("an adapter for every quantity is judged")
def test_an_adapter_may_offer_every_quantity() -> None:
    result = run(f"{sys.executable} {HERE / 'every_quantity.py'}")
    assert result.exit_code == 0, result.output
    for name in SERVED:
        assert f"ok     {name}: it survives subnormal and huge numbers" in result.stdout
        assert f"ok     {name}: it answers a batch of 5" in result.stdout


@pytest.mark.parametrize(("mode", "rule", "words"), mostly_dear(table("a_broken_rule_is_named"), 4))
def test_a_broken_rule_is_named(mode: str, rule: str, words: str) -> None:
    said = misbehaving(mode)
    wrong = said[said.index("WRONG") :]
    assert rule in wrong
    assert words in wrong


def test_an_adapter_cannot_write_to_the_terminal() -> None:
    assert "\x1b" not in misbehaving("escape-in-name")


def test_a_batch_that_answers_otherwise_is_remarked() -> None:
    result = run(f"{sys.executable} -I -S {HERE / 'misbehaving.py'} batch-zeroes")
    said = " ".join(result.stdout.split())
    assert "note f: a batch answers as one input does in a batch 0.0, alone 1e+306" in said


def test_what_is_not_there() -> None:
    result = run("/nonexistent/adapter")
    assert result.exit_code == 1
    assert "No such file" in result.stdout
