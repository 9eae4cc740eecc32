"""A misbehaving adapter costs one verdict: it cannot hang, crash or mislead the judge."""

from __future__ import annotations

import contextlib
import os
import sys
import time
from pathlib import Path

import pytest

from dporacle.conformance.process import AdapterDiedError, AdapterHungError, AdapterProcess
from dporacle.conformance.protocol import ProtocolError

SCRIPT = Path(__file__).with_name("misbehaving.py")
INPUT = {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 1.0}
PATIENCE = 0.5


def adapter(mode: str) -> AdapterProcess:
    return AdapterProcess([sys.executable, "-I", "-S", str(SCRIPT), mode])


def ended(pid: int) -> bool:
    """Whether a process is gone, or a zombie that its new parent has yet to collect."""
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return True
    stat = Path(f"/proc/{pid}/stat")
    return stat.exists() and stat.read_text().rpartition(")")[2].split()[0] == "Z"


@pytest.mark.parametrize(
    ("mode", "error"),
    [
        ("hang", AdapterHungError),
        ("ignore-sigterm", AdapterHungError),
        ("flood-stderr", AdapterHungError),
        ("close-stdin", AdapterHungError),
        ("close-stdout", AdapterDiedError),
        ("exit", AdapterDiedError),
        ("half-a-line", AdapterDiedError),
        ("segfault", AdapterDiedError),
        ("flood-stdout", ProtocolError),
        ("wrong-id", ProtocolError),
        ("no-id", ProtocolError),
        ("invalid-utf8", ProtocolError),
        ("not-json", ProtocolError),
        ("deep-json", ProtocolError),
        ("array", ProtocolError),
        ("huge-number", ProtocolError),
        ("long-number", ProtocolError),
        ("huge-number-text", ProtocolError),
        ("expression", ProtocolError),
        ("boolean", ProtocolError),
        ("null", ProtocolError),
        ("value-and-refused", ProtocolError),
        ("unknown-field", ProtocolError),
        ("two-lines", ProtocolError),
    ],
)
def test_one_request_is_all_it_costs(mode: str, error: type[Exception]) -> None:
    with adapter(mode) as child:
        child.start(timeout=20)
        begun = time.monotonic()
        with pytest.raises(error):
            child.run("f", INPUT, timeout=PATIENCE)
        assert time.monotonic() - begun < PATIENCE + 3
        assert not child.running
        child.start(timeout=20)  # and the next question gets a fresh process
        assert child.running


def test_a_flood_of_answers_answers_one_question() -> None:
    """The first line may be taken for the answer that it is; nothing after it may."""
    with adapter("flood-lines") as child:
        child.start(timeout=20)
        with contextlib.suppress(ProtocolError):
            child.run("f", INPUT, timeout=5)
        with pytest.raises((ProtocolError, AdapterDiedError)):
            child.run("f", INPUT, timeout=5)


def test_unasked_words_do_not_answer_the_next_question() -> None:
    with adapter("speaks-later") as child:
        child.start(timeout=20)
        assert child.run("f", INPUT, timeout=5).value == 1.0
        time.sleep(0.3)
        with pytest.raises(ProtocolError, match="without being asked"):
            child.run("f", INPUT, timeout=5)


def test_noise_on_standard_error_does_not_block_an_answer() -> None:
    with adapter("gigabytes-on-stderr-then-answer") as child:
        child.start(timeout=20)
        assert child.run("f", INPUT, timeout=20).value == 1.0


def test_grandchildren_are_killed_with_their_group() -> None:
    with adapter("stubborn-grandchild") as child:
        child.start(timeout=20)
        with pytest.raises(AdapterHungError):
            child.run("f", INPUT, timeout=PATIENCE)
        grandchild = int(child.last_words)
    deadline = time.monotonic() + 5
    while not ended(grandchild) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert ended(grandchild)


def test_a_death_is_told_with_status_and_last_words() -> None:
    with adapter("exit") as child:
        child.start(timeout=20)
        with pytest.raises(AdapterDiedError, match="exited with status 7: the end"):
            child.run("f", INPUT, timeout=5)
    with adapter("segfault") as child:
        child.start(timeout=20)
        with pytest.raises(AdapterDiedError, match="SIGSEGV"):
            child.run("f", INPUT, timeout=5)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="address space limits")
def test_memory_is_limited() -> None:
    command = [sys.executable, "-I", "-S", str(SCRIPT), "memory"]
    with AdapterProcess(command, memory_limit=4 << 30) as child:
        child.start(timeout=20)
        assert child.run("f", INPUT, timeout=20).error == "out of memory"


@pytest.mark.parametrize(
    ("mode", "error"),
    [
        ("never-starts", AdapterHungError),
        ("greeting", ProtocolError),
        ("other-protocol", ProtocolError),
        ("no-functions", ProtocolError),
        ("unknown-quantity", ProtocolError),
        ("twice", ProtocolError),
        ("escape-in-name", ProtocolError),
    ],
)
def test_a_bad_start_is_refused(mode: str, error: type[Exception]) -> None:
    with adapter(mode) as child, pytest.raises(error):
        child.start(timeout=PATIENCE if mode == "never-starts" else 20)


def test_a_missing_program_dies() -> None:
    with AdapterProcess(["/nonexistent/adapter"]) as child, pytest.raises(AdapterDiedError):
        child.start(timeout=20)


def test_stop_ends_a_well_behaved_child_and_kill_any_other() -> None:
    for mode in ("hang", "ignore-sigterm"):
        child = adapter(mode)
        child.start(timeout=20)
        child.stop(timeout=5)
        assert not child.running
        with pytest.raises(AdapterDiedError):
            child.run("f", INPUT, timeout=1)
