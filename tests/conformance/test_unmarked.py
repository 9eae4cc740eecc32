"""A library that is judged meets nothing that tells it so: no variable, number or name."""

import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dporacle.conformance.libraries import environments, targets
from dporacle.conformance.libraries.pinned import LIBRARIES
from dporacle.conformance.process import supervisor
from dporacle.conformance.process.adapter import AdapterProcess

# What a library can look at when it is imported; the function refuses with all of it.
SEEING = """
import os, sys, traceback
DISTRIBUTION = "numpy"
SEEN = [" ".join(each) + " " for each in os.environ.items()]
SEEN += [*sys.argv, os.getcwd(), __file__, __name__]
SEEN += [frame.filename for frame in traceback.extract_stack()]
for name in ("environ", "cmdline"):
    if os.path.exists(f"/proc/self/{name}"):
        SEEN += open(f"/proc/self/{name}").read().split("\\0")
SEEN = [each for each in map(str, SEEN) if each != sys.executable]

def look(epsilon, delta):
    raise ValueError(f"{os.getpid()} " + " ".join(SEEN)[int(epsilon):][:400])

FUNCTIONS = {"look": ("calibrate_sigma", look)}
"""
MARKS = ("oracle", "conform", "adapter", "judge", "serve", "supervis", "audit")


@pytest.fixture
def library(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The command for a library of which nothing but our own folders has our name."""
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    monkeypatch.setenv("HOME", "/root")
    adapter = tmp_path / "adapter_of_dporacle.py"
    adapter.write_text(SEEING)
    known = replace(LIBRARIES["dp-accounting"], adapter=str(adapter))
    return [*targets.python_command(Path(sys.executable), known)]


def looks(child: AdapterProcess) -> tuple[int, str]:
    """The process number of a library, and what it sees."""
    child.start(timeout=60)
    seen, number = "", 0
    while True:
        given = {"epsilon": float(len(seen)), "delta": 1e-5}
        said = child.run("look", given, timeout=20).refused
        assert isinstance(said, str)
        first, _, more = said.removeprefix("ValueError: ").partition(" ")
        seen, number = seen + more, int(first)
        if len(more) < 400:
            return number, seen


@pytest.mark.parametrize("forks", [False, True])
def test_nothing_that_a_library_sees_has_our_name(library: list[str], forks: bool) -> None:
    environment = targets.library_environment()
    with AdapterProcess(library, environment=environment, forks=forks) as child:
        _, seen = looks(child)
    assert "numpy" not in seen
    assert "OMP_NUM_THREADS" in seen, "it did look"
    found = seen.lower()
    assert [mark for mark in MARKS if mark in found] == [], seen
    assert "PYTHONHASHSEED 0 " not in seen


def test_its_process_number_is_another_one_each_time(library: list[str]) -> None:
    numbers = set()
    for _ in range(3):
        with AdapterProcess(library, environment=targets.library_environment()) as child:
            numbers.add(looks(child)[0])
    assert len(numbers) == 3
    if supervisor.supported():
        assert min(numbers) > 100


def test_its_environment_is_reached_by_another_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    place = environments.cache_folder() / "opacus-1" / "bin" / "python"
    place.parent.mkdir(parents=True)
    place.write_text("python")
    command = targets.python_command(place, LIBRARIES["opacus"])
    assert "dporacle" not in " ".join(command)
    assert "opacus" not in " ".join(command)
    assert Path(command[0]).read_text() == "python"


def test_an_orphan_is_known_by_its_path_alone() -> None:
    marked = supervisor.marked({"A": "b", "PATH": "/bin"}, "0123456789abcdef")
    assert marked.keys() == {"A", "PATH"}
    assert marked["PATH"].startswith("/bin:")
    assert supervisor.marked({}, "0123456789abcdef").keys() == {"PATH"}
