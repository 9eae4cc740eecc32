"""An adapter's process that is started where it does not run, in time of its own.

A heavy library takes seconds to be imported, in each process anew. No answer is late for that, and
it takes nothing of what its function may spend on answers.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from dporacle.conformance.ask.limits import Patience
from dporacle.conformance.process.channel import AdapterDiedError, AdapterHungError
from dporacle.conformance.protocol import Capabilities, Ending, ProtocolError, Reply

_TRIES = 2  # failed starts, one after the other, after which an adapter is given up


class Child(Protocol):
    """What can be asked: an adapter's process, or something that behaves like one."""

    @property
    def running(self) -> bool:
        """Whether it is there to be asked."""

    @property
    def spent(self) -> float:
        """How much patience the latest request used, in seconds."""

    def start(self, *, timeout: float) -> Capabilities:
        """Start it, and return what it can do."""

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        """Ask for one value."""

    def run_batch(
        self, function: str, inputs: Sequence[Mapping[str, float]], *, timeout: float
    ) -> Sequence[Ending]:
        """Ask for several values at once."""

    def stop(self) -> bool:
        """Let it end."""


class Starting:
    """Starts a child where it does not run, until that fails or takes too long."""

    def __init__(self, child: Child, limits: Patience) -> None:
        self._child = child
        self._limits = limits
        self._failed = 0
        self.spent = 0.0
        self.why_not = ""

    @property
    def gone(self) -> str:
        """Why the child is given up, if it is: it does not start again."""
        return self.why_not if self._failed >= _TRIES else ""

    @property
    def used_up(self) -> str:
        """Why it is not to be started once more, if it would have to be."""
        if self._child.running or self.spent < self._limits.starts:
            return ""
        return f"its starts took {self.spent:.0f} s"

    def runs(self) -> bool:
        """Start it if it does not run; return whether it does then."""
        if self._child.running:
            return True
        try:
            self._child.start(timeout=self._limits.start)
        except (AdapterHungError, AdapterDiedError, ProtocolError) as error:
            self.why_not = str(error)
            self._failed += 1
            return False
        finally:
            self.spent += self._child.spent
        self._failed = 0
        return True
