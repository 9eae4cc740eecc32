"""What is to be judged, what starts it, and what is known of it after the run."""

from __future__ import annotations

import os
import sys
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from dporacle import notebook
from dporacle.conformance import environments
from dporacle.conformance.judge import JudgedCase
from dporacle.conformance.libraries import SELF, Library
from dporacle.conformance.looseness import Looseness
from dporacle.conformance.protocol import Capabilities, Function

__all__ = [
    "FunctionResult",
    "Result",
    "Target",
    "command_target",
    "library_environment",
    "library_target",
    "python_command",
]

_ADAPTERS = Path(__file__).parent / "adapters"

# What a library's process gets to see of our environment: enough to run, no secrets.
_PASSED_ON = ("PATH", "HOME", "LANG", "LC_ALL", "TMPDIR", "TZ", "LD_LIBRARY_PATH")
_SET = {
    "OMP_NUM_THREADS": "1",  # thread pools cost start-up time and address space
    "OPENBLAS_NUM_THREADS": "1",
    "PYTHONHASHSEED": "0",
    "PYTHONDONTWRITEBYTECODE": "1",
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


@dataclass
class FunctionResult:
    """What one function answered, judged.

    Attributes:
        function: the function.
        judged: its answers.
        looseness: what the loosest of them gives away where people work, if that is much.
        vectors: how many vectors there are for it, of which a slow one is asked fewer.
        patience: what the seconds of processor time or idleness went into, and those of judging.
    """

    function: Function
    judged: list[JudgedCase] = field(default_factory=list)
    looseness: Looseness | None = None
    vectors: int = 0
    patience: dict[str, float] = field(default_factory=dict)


@dataclass
class Result:
    """What is known of one target after the run.

    Attributes:
        name: what it was called.
        capabilities: what its adapter said, if it was started.
        functions: their answers, judged.
        failure: why it could not be run, else empty.
        seconds: how long it took.
    """

    name: str
    capabilities: Capabilities | None = None
    functions: list[FunctionResult] = field(default_factory=list)
    failure: str = ""
    seconds: float = 0.0

    def _repr_html_(self) -> str:
        said = self.capabilities
        caption = f"{said.name} {said.version}" if said else self.name
        if self.failure:
            caption += f", could not be run to the end: {self.failure}"
        rows = []
        for item in self.functions:
            counted = Counter(str(judged.outcome) for judged in item.judged)
            counts = ", ".join(f"{outcome} {number}" for outcome, number in counted.most_common())
            rows.append((item.function.name, item.function.quantity, counts))
        return notebook.table(("function", "quantity", "outcomes"), rows, caption=caption)


def library_target(library: Library) -> Target:
    """Return the target for a known library, in an environment of its own."""

    def prepare() -> Sequence[str]:
        if library.program:
            program = environments.program_for(library)
            return [str(program), str(_ADAPTERS / library.adapter)]
        own = library is SELF
        python = Path(sys.executable) if own else environments.python_for(library)
        return python_command(python, library)

    forks = library.forks and not library.program
    return Target(library.name, prepare, apart=True, forks=forks)


def python_command(python: Path, library: Library) -> Sequence[str]:
    """Return the command that serves a library's adapter in Python."""
    # Not -I, which would also pass over what we set.
    return [str(python), "-P", "-s", str(_ADAPTERS / "serve.py"), str(_ADAPTERS / library.adapter)]


def library_environment() -> dict[str, str]:
    """Return what a known library's process gets to see of our environment variables."""
    return {k: os.environ[k] for k in _PASSED_ON if k in os.environ} | _SET


def command_target(command: Sequence[str]) -> Target:
    """Return the target for any command that speaks the protocol."""
    return Target(" ".join(command), lambda: command, own_environment=True)
