"""Where there is no Linux: no /proc, no prctl, no namespaces, no fork server; as on macOS."""

import os
import sys
from pathlib import Path

import pytest

from dporacle.conformance.ask.limits import Patience
from dporacle.conformance.process import clock, processes, supervisor
from dporacle.conformance.process.adapter import AdapterDiedError, AdapterHungError, AdapterProcess
from dporacle.conformance.run.runner import Fresh, Target, collect_and_judge

HERE = Path(__file__).parent
EXAMPLE = HERE.parents[1] / "examples" / "adapter.py"
INPUT = {"epsilon": 1.0, "delta": 1e-5, "sensitivity": 1.0}
# The supervisor as it is started there: whatever Linux alone has must not be touched.
BARE = """
import builtins, ctypes, os, runpy, sys
sys.platform = "darwin"
for name in ("pidfd_open", "memfd_create", "pipe2", "unshare", "setns"):
    if hasattr(os, name):
        delattr(os, name)
def refused(*args, **given):
    raise OSError("not here")
ctypes.CDLL = refused
opened = builtins.open
def without_proc(file, *args, **given):
    if str(file).startswith("/proc"):
        raise FileNotFoundError(file)
    return opened(file, *args, **given)
builtins.open = without_proc
sys.argv = sys.argv[:1] + sys.argv[1:]
runpy.run_path({supervisor!r}, run_name="__main__")
"""


@pytest.fixture(autouse=True)
def elsewhere(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    bare = tmp_path / "bare.py"
    bare.write_text(BARE.format(supervisor=supervisor.__file__))
    monkeypatch.setattr(processes, "_SUPERVISOR", str(bare))
    monkeypatch.setattr(supervisor, "supported", lambda: False)
    monkeypatch.setattr(clock, "clock_of", clock._PsClock)
    for name in ("pidfd_open", "pipe2"):
        monkeypatch.delattr(os, name, raising=False)


def misbehaving(mode: str) -> AdapterProcess:
    return AdapterProcess([sys.executable, str(HERE / "misbehaving.py"), mode], forks=True)


def test_an_adapter_is_judged() -> None:
    target = Target("example", lambda: [sys.executable, str(EXAMPLE)], own_environment=True)
    (result,) = collect_and_judge(
        [target],
        Patience(),
        filter_cases=lambda case: "core" in case.flags,
        fresh=Fresh(rounds=2, seed=1),
    )
    assert not result.failure
    assert result.functions
    for item in result.functions:
        assert item.judged
        assert all(not case.flawed for case in item.judged)


@pytest.mark.parametrize(
    ("mode", "error"),
    [
        ("hang", AdapterHungError),
        ("grandchild", AdapterHungError),
        ("close-everything", AdapterDiedError),
        ("exit", AdapterDiedError),
        ("segfault", AdapterDiedError),
    ],
)
def test_one_request_is_all_it_costs(mode: str, error: type[Exception]) -> None:
    with misbehaving(mode) as child:
        child.start(timeout=30)
        with pytest.raises(error):
            child.run("f", INPUT, timeout=0.5 if error is AdapterHungError else 20)
        assert not child.running
        child.start(timeout=30)  # and the next question gets a fresh process
        assert child.running
