"""A misbehaving adapter costs one answer: it cannot hang, crash or mislead the judge."""

import contextlib
import secrets
import subprocess
import sys
import time
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

from dporacle.conformance.adapters import serve
from dporacle.conformance.process import processes, supervisor
from dporacle.conformance.process.adapter import AdapterDiedError, AdapterHungError, AdapterProcess
from dporacle.conformance.protocol import ProtocolError
from dporacle.conformance.run.target import TargetRun

SCRIPT = Path(__file__).with_name("misbehaving.py")
INPUT = {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 1.0}
PATIENCE = 0.5


LINUX = pytest.mark.skipif(not supervisor.supported(), reason="needs Linux")


def adapter(mode: str, *words: str, **limits: int) -> AdapterProcess:
    return AdapterProcess([sys.executable, "-I", "-S", str(SCRIPT), mode, *words], **limits)


@contextlib.contextmanager
def started(mode: str, *words: str, **limits: int) -> Iterator[AdapterProcess]:
    with adapter(mode, *words, **limits) as child:
        child.start(timeout=20)
        yield child


def survivors(word: str) -> list[str]:
    """The processes that have this word on their command line, by their numbers."""
    found = []
    for each in Path("/proc").iterdir():
        with contextlib.suppress(OSError):
            if each.name.isdigit() and word.encode() in (each / "cmdline").read_bytes():
                found.append(each.name)
    return found


def none_survives(word: str) -> bool:
    deadline = time.monotonic() + 5
    while survivors(word) and time.monotonic() < deadline:
        time.sleep(0.02)
    return not survivors(word)


@pytest.mark.parametrize(
    ("mode", "error"),
    [
        ("hang", AdapterHungError),
        ("ignore-sigterm", AdapterHungError),
        ("no-newline", AdapterHungError),
        ("drip", AdapterHungError),
        ("close-everything", AdapterDiedError),
        ("answer-and-guess", ProtocolError),
        ("stop-parent", AdapterHungError),
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
    with started(mode) as child:
        begun = time.monotonic()
        with pytest.raises(error):
            child.run("f", INPUT, timeout=PATIENCE if error is AdapterHungError else 10)
        assert time.monotonic() - begun < 10
        assert not child.running
        child.start(timeout=20)  # and the next question gets a fresh process
        assert child.running


def test_a_flood_of_answers_answers_one_question() -> None:
    """The first line may be taken for the answer that it is; nothing after it may."""
    with started("flood-lines") as child:
        with contextlib.suppress(ProtocolError):
            child.run("f", INPUT, timeout=5)
        with pytest.raises((ProtocolError, AdapterDiedError)):
            child.run("f", INPUT, timeout=5)


def test_unasked_words_do_not_answer_the_next_question() -> None:
    with started("speaks-later") as child:
        assert child.run("f", INPUT, timeout=5).value == 1.0
        time.sleep(0.3)
        with pytest.raises(ProtocolError, match="without being asked"):
            child.run("f", INPUT, timeout=5)


def test_noise_on_standard_error_does_not_block_an_answer() -> None:
    with started("gigabytes-on-stderr-then-answer") as child:
        assert child.run("f", INPUT, timeout=20).value == 1.0


def test_an_answer_to_an_earlier_question_answers_nothing() -> None:
    with started("early-id") as child:
        assert child.run("f", INPUT, timeout=5).value == 1.0
        with pytest.raises(ProtocolError, match="answered id"):
            child.run("f", INPUT, timeout=5)


# With a process namespace of its own, and with the means of a system that does not allow one.
KEPT = pytest.mark.parametrize("namespace", [True, False], ids=["namespace", "subreaper"])


@pytest.fixture
def own_namespace(namespace: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    if not namespace:
        script = Path(supervisor.__file__).read_text()
        assert script.count("if _namespace(libc):") == 1
        without = tmp_path / "supervisor.py"
        without.write_text(script.replace("if _namespace(libc):", "if False:"))
        monkeypatch.setattr(processes, "_SUPERVISOR", str(without))


@LINUX
@KEPT
@pytest.mark.usefixtures("own_namespace")
def test_grandchildren_end_with_their_adapter_however_it_ends() -> None:
    word = secrets.token_hex(16)
    with started("grandchild-then-answer", word) as child:
        assert child.run("f", INPUT, timeout=5).value == 1.0
        assert len(survivors(word)) >= 2  # the search finds them while they are there
        assert child.stop()
        assert none_survives(word)
    with started("grandchild-then-exit", word) as child:
        with pytest.raises(AdapterDiedError, match="exited with status 3"):
            child.run("f", INPUT, timeout=5)
        assert none_survives(word)


@LINUX
@KEPT
@pytest.mark.usefixtures("own_namespace")
@pytest.mark.parametrize(
    ("mode", "limits", "ends"),
    [
        ("grandchild", {}, "no answer within"),
        ("detached-grandchild", {}, "no answer within"),
        ("deaf-grandchild", {}, "no answer within"),
        ("fork-bomb", {"process_limit": 30}, "more than 30 processes"),
        ("doubling-fork-bomb", {"process_limit": 30}, "more than 30 processes"),
        ("kill-parent", {}, "."),
        ("kill-everything", {}, "."),
    ],
)
def test_what_an_adapter_starts_or_kills_does_not_survive_it(
    mode: str, limits: dict[str, int], ends: str
) -> None:
    word = secrets.token_hex(16)
    with started(mode, word, **limits) as child:
        with pytest.raises((AdapterDiedError, AdapterHungError), match=ends):
            child.run("f", INPUT, timeout=20 if limits else PATIENCE)
        assert not child.running
        assert mode.startswith("kill") or none_survives(word)


@LINUX
def test_an_adapter_finds_itself_below_proc() -> None:
    """Whether in a namespace or not, its own number is one of those that it sees."""
    with started("processes") as child:
        said = child.run("f", INPUT, timeout=5).error
        assert isinstance(said, str)
        own, seen = said.split(" of ")
        assert own in seen.split()


@LINUX
def test_nothing_survives_the_judge(tmp_path: Path) -> None:
    """The judge is killed in the middle of a question."""
    word = secrets.token_hex(16)
    code = (
        "import sys; from dporacle.conformance.process.adapter import AdapterProcess; "
        "child = AdapterProcess(sys.argv[1:]); child.start(timeout=20); print(flush=True); "
        "child.run('f', {'epsilon': 1.0}, timeout=60)"
    )
    command = [sys.executable, "-I", "-S", str(SCRIPT), "detached-grandchild", word]
    with subprocess.Popen([sys.executable, "-c", code, *command], stdout=subprocess.PIPE) as judge:
        assert judge.stdout is not None
        judge.stdout.readline()
        deadline = time.monotonic() + 10
        while len(survivors(word)) < 4 and time.monotonic() < deadline:
            time.sleep(0.05)  # judge, supervisor, adapter, grandchild
        judge.kill()
    assert none_survives(word)


@LINUX
@KEPT
@pytest.mark.usefixtures("own_namespace")
@pytest.mark.parametrize(
    ("mode", "words"),
    [
        ("eat-memory", "MemoryError|bytes of memory"),
        ("eat-memory-stubbornly", "no answer within|bytes of memory"),
        ("eat-memory-in-children", "bytes of memory"),
    ],
)
def test_memory_is_not_without_end(mode: str, words: str) -> None:
    with started(mode, memory_limit=250 << 20) as child:
        with pytest.raises((AdapterDiedError, AdapterHungError), match=words):
            child.run("f", INPUT, timeout=2 if "stubbornly" in mode else 30)
        child.start(timeout=20)


def test_a_death_is_told_with_status_and_last_words() -> None:
    for mode, words in (("exit", "exited with status 7: the end"), ("segfault", "SIGSEGV")):
        with started(mode) as child, pytest.raises(AdapterDiedError, match=words):
            child.run("f", INPUT, timeout=5)


@LINUX
def test_address_space_is_limited() -> None:
    with started("memory", memory_limit=4 << 30) as child:
        assert child.run("f", INPUT, timeout=20).error == "out of memory"


@pytest.mark.parametrize(
    ("mode", "error"),
    [
        ("never-starts", AdapterHungError),
        ("greeting", ProtocolError),
        ("other-protocol", ProtocolError),
        ("batch-in-version-1", ProtocolError),
        ("batch-too-large", ProtocolError),
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


@pytest.mark.parametrize(
    ("error", "told"),
    [
        (PermissionError("no right to run it"), "the adapter cannot be run: no right to run it"),
        (ZeroDivisionError("by zero"), "the judge failed: ZeroDivisionError: by zero"),
        (ProtocolError("no line"), "the adapter does not start: no line"),
    ],
)
def test_what_goes_wrong_is_the_result_of_its_target(error: Exception, told: str) -> None:
    run = types.SimpleNamespace(result=types.SimpleNamespace(failure=""))
    with TargetRun._telling(run):
        raise error
    assert run.result.failure == told


@pytest.mark.parametrize(
    ("error", "word"),
    [
        (ValueError("epsilon must be positive"), "refused"),
        (ValueError("math range error"), "error"),
        (TypeError("epsilon must be positive"), "error"),
    ],
)
def test_a_refusal_is_meant_and_an_accident_is_none(error: Exception, word: str) -> None:
    assert serve._failure(error, (ValueError,)) == {word: f"{type(error).__name__}: {error}"}
