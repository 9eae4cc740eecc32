"""What is to be judged, and what starts it."""

import os
import secrets
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from dporacle.conformance.libraries import environments
from dporacle.conformance.libraries.pinned import SELF, Library
from dporacle.conformance.process import unmarked

_ADAPTERS = Path(__file__).parents[1] / "adapters"

# What a library's process gets to see of our environment: enough to run, no secrets.
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "LD_LIBRARY_PATH")
_MAIN, _CALLS = "main", "calls"  # what the adapter's files are called, where a library sees them
_SET = {
    "OMP_NUM_THREADS": "1",  # thread pools cost start-up time and address space
    "OPENBLAS_NUM_THREADS": "1",
    # The same in all processes of a run, and no number by which a run is known.
    "PYTHONHASHSEED": str(secrets.randbelow(1 << 32)),
}


@dataclass(frozen=True)
class Target:
    """Something to be judged.

    Attributes:
        name: what it is called in the table.
        prepare: makes what it needs, and returns the adapter's command.
        own_environment: whether the adapter sees all of our environment variables.
        apart: whether each function is asked in a process of its own.
        forks: whether the adapter can fork a worker for each start.
    """

    name: str
    prepare: Callable[[], Sequence[str]]
    own_environment: bool = False
    apart: bool = False
    forks: bool = False

    @property
    def environment(self) -> Mapping[str, str] | None:
        """The environment variables of its processes; None for all of ours."""
        return None if self.own_environment else library_environment()


def library_target(library: Library, *, python: Path | None = None) -> Target:
    """Return the target for a known library, in an environment of its own.

    Args:
        library: the library.
        python: an interpreter that has it already, to be used instead.

    Raises:
        ValueError: if there is an interpreter, and the library needs another program.
    """
    if python is not None and (library.program or library is SELF):
        raise ValueError(f"{library.name} is not a library that a Python has")

    def prepare() -> Sequence[str]:
        if python is not None:
            return python_command(python.absolute(), library)
        if library.program:
            program = environments.program_for(library)
            calls = _ADAPTERS / library.adapter
            copy = unmarked.copied(calls, f"{_CALLS}{calls.suffix}")
            return [str(_elsewhere(program)), str(copy)]
        own = library is SELF
        made = Path(sys.executable) if own else environments.python_for(library)
        return python_command(made, library)

    forks = library.forks and not library.program
    return Target(library.name, prepare, apart=True, forks=forks)


def adapter_source(library: Library) -> str:
    """Return the text of a library's adapter, if that is in Python; else nothing."""
    if not library.adapter.endswith(".py"):
        return ""
    return (_ADAPTERS / library.adapter).read_text(encoding="utf-8")


def python_command(python: Path, library: Library) -> Sequence[str]:
    """Return the command that serves a library's adapter in Python, from files without our name."""
    main = unmarked.copied(_ADAPTERS / "serve.py", f"{_MAIN}.py")
    calls = unmarked.copied(_ADAPTERS / library.adapter, f"{_CALLS}.py")
    # Not -I, which would also pass over what we set.
    return [str(_elsewhere(python)), "-P", "-s", str(main), str(calls)]


def _elsewhere(program: Path) -> Path:
    """Return a program of an environment of ours by a path that does not have our name."""
    root = environments.cache_folder()
    if not program.is_relative_to(root):
        return program
    inside = program.relative_to(root)
    return unmarked.linked(root / inside.parts[0]).joinpath(*inside.parts[1:])


def library_environment() -> dict[str, str]:
    """Return what a known library's process gets to see of our environment variables."""
    return {k: os.environ[k] for k in _PASSED_ON if k in os.environ} | _SET


def command_target(command: Sequence[str]) -> Target:
    """Return the target for any command that speaks the protocol."""
    return Target(" ".join(command), lambda: command, own_environment=True)
