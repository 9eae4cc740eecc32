"""What an exit status says is true: when interrupted, on a full disk, in a poor encoding."""

import json
import os
import re
import signal
import subprocess
import sys
import time
from pathlib import Path

import click
import pytest

from dporacle.cli import COMMANDS, main
from dporacle.cli.demo import STEPS, demo
from dporacle.common.exit_status import ExitStatus, true_status

DPORACLE = [str(Path(sys.executable).with_name("dporacle"))]
SIGMA = ["sigma", "--epsilon", "1", "--delta", "1e-5"]
VIOLATED = ["rank-one", "verdict", "--dimension", "100", "--epsilon", "1", "--delta", "1e-5"]
FULL = Path("/dev/full")


def run(*words, **how):
    how = {"capture_output": True, "timeout": 120, **how}
    return subprocess.run([*DPORACLE, *words], check=False, **how)


def test_each_status_says_one_thing():
    assert [status.value for status in ExitStatus] == [0, 1, 2, 3, 4, 70, 130]


@pytest.mark.skipif(not FULL.exists(), reason="there is no full device")
@pytest.mark.parametrize("command", [SIGMA, VIOLATED, ["--help"]])
def test_a_full_disk_is_not_a_finding(command):
    with FULL.open("w") as full:
        found = run(*command, stdout=full, capture_output=False, stderr=subprocess.PIPE)
    assert found.returncode == ExitStatus.OUTPUT
    assert b"Traceback" not in found.stderr
    assert b"No space left" in found.stderr


STREAM = ["audit", "--stream", str(Path(__file__).parents[1] / "examples" / "stream.jsonl")]


@pytest.mark.parametrize("command", [VIOLATED, STREAM])
def test_a_reader_that_goes_away_is_not_a_finding(command):
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "w") as pipe:
        found = run(*command, stdout=pipe, capture_output=False, stderr=subprocess.PIPE)
    assert found.returncode == ExitStatus.OUTPUT
    assert found.stderr == b""


def test_a_closed_standard_output_is_not_a_finding():
    words = " ".join(DPORACLE + VIOLATED)
    found = subprocess.run(["sh", "-c", f"{words} >&-"], capture_output=True, check=False)
    assert found.returncode == ExitStatus.OUTPUT
    assert b"Traceback" not in found.stderr


@pytest.mark.thorough("commands are run and interrupted")
@pytest.mark.parametrize("encoding", ["latin-1", "cp1252"])  # click makes UTF-8 of ascii
def test_what_an_encoding_lacks_is_escaped(encoding):
    poor = {**os.environ, "PYTHONIOENCODING": encoding, "PYTHONUTF8": "0"}
    found = run(*VIOLATED, env=poor)
    assert found.returncode == ExitStatus.FINDING
    assert b"\\u03c3" in found.stdout  # σ
    shown = run(*VIOLATED, "--json", env=poor)
    assert json.loads(shown.stdout.decode(encoding))["claim"].startswith("R1SMG with σ* =")


@pytest.mark.thorough("commands are run and interrupted")
def test_an_interrupt_is_not_a_finding():
    words = [*DPORACLE, "prove", "--all", "--workers", "2"]
    child = subprocess.Popen(
        words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True
    )
    while len(_children(child.pid)) < 2 and child.poll() is None:  # until the workers run
        time.sleep(0.05)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does
    _, errors = child.communicate(timeout=120)
    assert child.returncode == ExitStatus.INTERRUPTED
    assert b"Traceback" not in errors


def _children(pid):
    return Path(f"/proc/{pid}/task/{pid}/children").read_text().split()


def _raise(error):
    raise error


def _interrupted_in_an_integral():
    found = SystemError("<an integral> returned a result with an exception set")
    found.__cause__ = KeyboardInterrupt()
    return found


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (RuntimeError("a fault"), ExitStatus.FAULT),
        (MemoryError(), ExitStatus.FAULT),
        (SystemExit("a text"), ExitStatus.FAULT),
        (SystemExit(3), ExitStatus.NO_ANSWER),
        (click.ClickException("no answer"), ExitStatus.NO_ANSWER),
        (click.UsageError("which?"), ExitStatus.USAGE),
        (FileNotFoundError(2, "No such file", "x"), ExitStatus.USAGE),
        (OSError(28, "No space left on device"), ExitStatus.OUTPUT),
        (KeyboardInterrupt(), ExitStatus.INTERRUPTED),
        (_interrupted_in_an_integral(), ExitStatus.INTERRUPTED),
        (click.Abort(), ExitStatus.INTERRUPTED),
        (click.exceptions.Exit(1), ExitStatus.FINDING),
    ],
)
def test_every_end_of_a_command_has_its_status(error, status, capfd):
    assert true_status(lambda: _raise(error)) == status


def test_a_command_that_ends_well():
    assert true_status(lambda: None) == ExitStatus.FINE


@pytest.mark.parametrize("command", sorted(COMMANDS))
def test_wrong_usage_has_its_status_everywhere(command, capsys):
    with pytest.raises(SystemExit) as stop:
        main([command, "--no-such-option"])
    assert stop.value.code == ExitStatus.USAGE


def test_as_many_digits_as_are_allowed():
    found = run(*SIGMA, "--digits", "10000")
    assert found.returncode == ExitStatus.FINE
    first = found.stdout.split()[1]
    assert first.startswith(b"3.7306316348159418322")
    assert len(first) == 10001
    refused = run(*SIGMA, "--digits", "10001")
    assert refused.returncode == ExitStatus.USAGE
    assert b"10001" in refused.stderr


def test_ctrl_c_leaves_no_traceback_before_the_command_begins():
    words = """import os, sys, dporacle.__main__
assert "enum" not in sys.modules  # it takes longer than all that is loaded before it
os.kill(os.getpid(), 2)
print(1)"""
    found = subprocess.run([sys.executable, "-c", words], capture_output=True, check=False)
    assert (found.returncode, found.stdout, found.stderr) == (ExitStatus.INTERRUPTED, b"", b"")


def test_ctrl_c_is_told_while_a_command_runs():
    words = """import os, signal, sys, dporacle.__main__
from dporacle import cli
def interrupted(*_): os.kill(os.getpid(), signal.SIGINT)
cli.main.invoke = interrupted
sys.argv = ["dporacle", "sigma"]
dporacle.__main__.main()"""
    found = subprocess.run([sys.executable, "-c", words], capture_output=True, check=False)
    assert (found.returncode, found.stderr) == (ExitStatus.INTERRUPTED, b"interrupted\n")


def test_a_second_ctrl_c_ends_a_command_at_once():
    words = """import os, signal, sys, dporacle.__main__
from dporacle import cli
def stubborn(*_):
    try:
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        os.kill(os.getpid(), signal.SIGINT)
        print("not at once")
cli.main.invoke = stubborn
sys.argv = ["dporacle", "sigma"]
dporacle.__main__.main()"""
    found = subprocess.run([sys.executable, "-c", words], capture_output=True, check=False)
    assert (found.returncode, found.stdout) == (ExitStatus.INTERRUPTED, b"")


def test_the_version_names_what_the_numbers_rest_on():
    shown = run("--version").stdout.decode()
    assert all(name in shown for name in ("dporacle 0", "Python 3.", "python-flint", "mpmath"))


def test_the_demo_computes_and_does_not_wait_in_a_pipe(monkeypatch, capfd):
    cheap = [step for step in STEPS if not step[2] or step[2].split()[0] in {"audit", "sigma"}]
    assert len(cheap) == 3
    monkeypatch.setattr("dporacle.cli.demo.STEPS", cheap)
    assert true_status(lambda: demo.main([], standalone_mode=False)) == ExitStatus.FINE
    shown = capfd.readouterr().out
    assert "1 VIOLATED" in shown
    assert "3.7306316348159418322" in shown
    assert re.search(r"\d+ violating", shown)
    assert "Press a key" not in shown


@pytest.mark.parametrize(("sigma", "status"), [("3.3", ExitStatus.FINE), ("3.1", 3)])
def test_a_question_of_the_demo_without_an_answer_is_none(sigma, status, monkeypatch, capfd):
    """Twenty thousand draws do not tell σ = 3 from 3.1; the demo asked that."""
    question, about, command = STEPS[-1]
    assert command.endswith("--sigma 3.3")
    steps = [(question, about, command.replace("3.3", sigma))]
    monkeypatch.setattr("dporacle.cli.demo.STEPS", steps)
    assert true_status(lambda: demo.main([], standalone_mode=False)) == status
    assert ("CONVICTED" in capfd.readouterr().out) == (status == ExitStatus.FINE)


def test_every_command_of_the_demo_is_one():
    for _, _, words in STEPS:
        if words:
            name, *given = words.split()
            command = main.get_command(click.Context(main), name)
            known = {each for parameter in command.params for each in parameter.opts}
            assert {word for word in given if word.startswith("--")} <= known
