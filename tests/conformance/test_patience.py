"""Patience is processor time and idleness: the same outcomes on an idle and on a busy machine."""

import os
import selectors
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from dporacle.conformance import adapters
from dporacle.conformance.ask.answers import End
from dporacle.conformance.ask.cases import all_cases
from dporacle.conformance.ask.limits import Patience
from dporacle.conformance.ask.one_function import Asking
from dporacle.conformance.libraries.targets import _SET
from dporacle.conformance.process import clock, supervisor
from dporacle.conformance.process.adapter import AdapterDiedError, AdapterHungError, AdapterProcess
from dporacle.conformance.run.runner import Target, collect_and_judge

SERVE = Path(adapters.__file__).parent / "serve.py"
LINUX = pytest.mark.skipif(not supervisor.supported(), reason="needs Linux")
CORE_VECTORS = [c for c in all_cases() if c.quantity == "calibrate_sigma" and "core" in c.flags]
CORE = [c for c in CORE_VECTORS if c.flags == ("core",)][:6]
INPUT = {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 1.0}

ADAPTER = """
import os, signal, sys, time
DISTRIBUTION = "msgspec"
WHAT = {what!r}
calls = 0

def sigma(epsilon, delta, sensitivity):
    global calls
    calls += 1
    if WHAT == "works":  # what it takes is processor time, whatever the machine does
        end = time.process_time() + 0.15
        while time.process_time() < end:
            pass
    elif WHAT == "never ends" or WHAT == "both" and epsilon > 10:
        while True:
            pass
    elif WHAT == "both":
        end = time.process_time() + 0.05
        while time.process_time() < end:
            pass
        return 1e6
    elif WHAT == "sleeps":
        time.sleep(3600)
    elif WHAT == "dies":
        os.kill(os.getpid(), signal.SIGSEGV)
    elif WHAT == "forks":
        if os.fork() == 0:
            time.sleep(3600)
        time.sleep(3600)
    elif WHAT == "hash":
        return hash("a text") % 1000 + 1
    elif WHAT == "counts" and calls == 2:
        sys.exit(3)
    return calls

FUNCTIONS = {{"f": ("calibrate_sigma", sigma)}}
"""


def adapter(tmp_path: Path, what: str, *, forks: bool = False) -> AdapterProcess:
    file = tmp_path / "adapter.py"
    file.write_text(ADAPTER.format(what=what))
    command = [sys.executable, "-P", "-s", str(SERVE), str(file)]
    return AdapterProcess(command, environment=os.environ | _SET, forks=forks)


@contextmanager
def load(processes: int) -> Iterator[None]:
    busy = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"])
        for _ in range(processes)
    ]
    try:
        yield
    finally:
        for each in busy:
            each.kill()
            each.wait()


@pytest.mark.thorough("keeps the machine busy")
@LINUX
@pytest.mark.parametrize("processes", [0, 3 * (os.cpu_count() or 1)])
def test_a_slow_answer_is_no_hang_and_a_loop_is_one_whatever_the_load(
    tmp_path: Path, processes: int
) -> None:
    """Each answer takes 0.15 s of processor time; on a busy machine's wall four times as much."""
    with load(processes):
        for what, kinds in (("works", {End.VALUE}), ("never ends", {End.HUNG})):
            with adapter(tmp_path, what, forks=True) as child:
                (function,) = child.start(timeout=60).functions
                cases = CORE[: 2 if what == "works" else 1]
                answers = [
                    a for _, a in Asking(child, function, Patience(request=0.3)).answers(cases)
                ]
            assert {answer.end for answer in answers} == kinds
            # The system counts in ticks, rounded down: 0.125 was seen where a machine is busy. What
            # is tested is that work is counted, and not only idleness.
            assert all(answer.seconds > 0.15 / 2 for answer in answers)


@pytest.mark.deep("keeps all processors busy while a library is judged: 16 s")
@LINUX
def test_a_run_says_the_same_on_an_idle_and_on_a_busy_machine(tmp_path: Path) -> None:
    """Of answers that take a quarter of the limit, and of such as never come."""
    file = tmp_path / "adapter.py"
    file.write_text(ADAPTER.format(what="both"))
    command = [sys.executable, "-P", "-s", str(SERVE), str(file)]
    target = Target("both", lambda: command, own_environment=True, apart=True, forks=True)
    chosen = {
        case.id
        for kind in (float.__gt__, float.__le__)
        for case in [c for c in CORE_VECTORS if kind(c.arguments["epsilon"], 10.0)][:2]
    }
    found = []
    for processes in (0, 3 * (os.cpu_count() or 1)):
        with load(processes):
            (result,) = collect_and_judge(
                [target], Patience(request=0.2), filter_cases=lambda case: case.id in chosen
            )
        assert not result.failure
        found.append([(v.case, v.outcome) for item in result.functions for v in item.judged])
    assert found[0] == found[1]
    counted = Counter(outcome for _, outcome in found[0])
    assert counted == {"loose": 2, "hang": 2}


@LINUX
@pytest.mark.parametrize("what", ["never ends", "sleeps", "forks"])
def test_whoever_sleeps_instead_of_answering_hangs(tmp_path: Path, what: str) -> None:
    with adapter(tmp_path, what) as child:
        child.start(timeout=60)
        with pytest.raises(AdapterHungError, match=r"within 0\.5 s of processor time or idleness"):
            child.run("f", INPUT, timeout=0.5)
        assert child.spent >= 0.5


class Kept(selectors.DefaultSelector):
    """Who waits here is kept from the processor for a while when nothing was said."""

    def select(self, timeout: float | None = None) -> list[tuple[selectors.SelectorKey, int]]:
        found = super().select(0)
        if timeout and not found:
            time.sleep(0.3)
        return found


@LINUX
def test_who_has_answered_while_we_were_kept_waiting_is_not_idle(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with adapter(tmp_path, "answers at once") as child:
        monkeypatch.setattr(selectors, "DefaultSelector", Kept)
        child.start(timeout=60)
        assert child.run("f", INPUT, timeout=5).value == (1.0).hex()
        assert child.spent < 2 * clock.TICK


@LINUX
def test_others_of_a_kind_that_hangs_are_left_out(tmp_path: Path) -> None:
    cases = CORE[:5]
    limits = Patience(request=0.3)
    with adapter(tmp_path, "never ends", forks=True) as child:
        (function,) = child.start(timeout=60).functions
        found = {case.id: a for case, a in Asking(child, function, limits).answers(cases)}
    answers = [found[case.id] for case in cases]
    assert [answer.end for answer in answers] == 3 * [End.HUNG] + 2 * [End.NOT_ASKED]
    last, *others = (answer.message for answer in answers[:3])
    assert last == "no answer within 1.8 s of processor time or idleness"
    assert all("and 1 of its kind (core) had none at all" in message for message in others)
    for answer in answers[3:]:
        assert "others of its kind (core) took too long" in answer.message


@LINUX
def test_a_fork_starts_anew_in_no_time_and_knows_nothing(tmp_path: Path) -> None:
    with adapter(tmp_path, "counts", forks=True) as child:
        child.start(timeout=60)
        template = None
        for _ in range(3):
            assert child.run("f", INPUT, timeout=5).value == (1.0).hex()
            with pytest.raises(AdapterDiedError, match="exited with status 3"):
                child.run("f", INPUT, timeout=5)
            assert not child.running
            child.start(timeout=60)
            assert child._family.template > 0
            assert template in (None, child._family.template), "the library is imported once"
            template = child._family.template
        assert child.stop()


@LINUX
def test_how_a_fork_died_is_told(tmp_path: Path) -> None:
    with adapter(tmp_path, "dies", forks=True) as child:
        child.start(timeout=60)
        with pytest.raises(AdapterDiedError, match="died of SIGSEGV"):
            child.run("f", INPUT, timeout=5)
        child.start(timeout=60)
        assert child.running


@LINUX
def test_nothing_of_a_fork_survives(tmp_path: Path) -> None:
    with adapter(tmp_path, "forks", forks=True) as child:
        child.start(timeout=60)
        root = child._family.root
        with pytest.raises(AdapterHungError):
            child.run("f", INPUT, timeout=0.3)
        left = {each.pid for each in supervisor.descendants(root)}
        assert left == supervisor.lineage(child._family.template, root)
        child.start(timeout=60)
    deadline = time.monotonic() + 10
    while supervisor.descendants(root) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not supervisor.descendants(root)


def test_hashes_are_the_same_in_every_process(tmp_path: Path) -> None:
    """What we set for Python reaches the adapter."""
    said = set()
    for _ in range(2):
        with adapter(tmp_path, "hash") as child:
            child.start(timeout=60)
            said.add(child.run("f", INPUT, timeout=5).value)
    assert len(said) == 1


def test_what_ps_says() -> None:
    text = (
        "    1     0 Ss   00:00:07\n   20     1 R+   01:02:03\n   30    20 S   2-00:00:01\n bad\n"
    )
    found = clock.from_ps(text)
    assert found[20] == (1, True, 3723.0, 0.0)
    assert found[30].own == 172801.0
    assert not found[1].ready
    assert clock.from_ps("1 0 U 0:01.50\n")[1] == (0, True, 1.5, 0.0)


def test_ps_knows_us() -> None:
    assert os.getpid() in clock.from_ps(clock._ps())
