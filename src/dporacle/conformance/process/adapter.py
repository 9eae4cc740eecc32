"""One adapter in child processes that may do anything, and a judge that they cannot hurt.

Its processes are a `family`, of which nothing survives; what is said to and by the one that answers
goes through a `channel`, with limited patience. An adapter that can forks a worker for each start.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TypeVar

import msgspec

from dporacle.conformance import protocol
from dporacle.conformance.process.channel import AdapterDiedError, AdapterHungError, Channel
from dporacle.conformance.process.processes import MEMORY_LIMIT, PROCESS_LIMIT, Processes
from dporacle.conformance.protocol import Capabilities, Draws, Ending, ProtocolError, Replies, Reply

__all__ = ["AdapterDiedError", "AdapterHungError", "AdapterProcess"]

_POSIX = os.name == "posix"
_R = TypeVar("_R", Reply, Replies)


class AdapterProcess:
    """A running adapter: ask it, one request at a time; it is killed when it misbehaves.

    Used as a context manager. After `AdapterDiedError`, `AdapterHungError` or
    `ProtocolError` the child is gone and `start` starts a new one.
    """

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
        memory_limit: int = MEMORY_LIMIT,
        process_limit: int = PROCESS_LIMIT,
        forks: bool = False,
    ) -> None:
        """Remember how to start the child; nothing runs before `start`.

        Args:
            command: the program and its arguments; no shell is involved.
            environment: its environment variables; ours by default.
            directory: its working directory; ours by default.
            memory_limit: bytes of address space that each of its processes may take, and of
                memory that all of them may take together.
            process_limit: how many processes it may have at a time.
            forks: whether it forks a worker for each start when it is asked to; Linux only.
        """
        self._family = Processes(
            command,
            environment=os.environ if environment is None else environment,
            directory=directory,
            memory_limit=memory_limit,
            process_limit=process_limit,
            forks=forks,
        )
        self._channel: Channel | None = None

    def __enter__(self) -> AdapterProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def running(self) -> bool:
        """Whether a child is there to be asked."""
        return self._channel is not None and self._channel.open

    @property
    def spent(self) -> float:
        """How much patience the latest request used, in seconds."""
        return self._channel.spent if self._channel else 0.0

    @property
    def last_words(self) -> str:
        """The end of what the latest child wrote to standard error, on one line."""
        return self._channel.last_words if self._channel else ""

    @property
    def last_line(self) -> str:
        """What the latest child said last to standard output, as far as it can be shown."""
        return self._channel.last_line if self._channel else ""

    def start(self, *, timeout: float, samplers: bool = False) -> Capabilities:
        """Start the child and return what it says it can do.

        Args:
            timeout: seconds of patience.
            samplers: whether it is asked which samplers it has as well.

        Raises:
            AdapterDiedError: if it ended, or could not be started.
            AdapterHungError: if it did not answer within `timeout` seconds of patience.
            ProtocolError: if it answered something else.
        """
        if not _POSIX:
            raise AdapterDiedError(f"adapters can be run on Linux and macOS, not on {sys.platform}")
        self.kill()
        self._family.begin()
        self._channel = Channel(self._family)
        token = _token()
        asked = protocol.Start(id=token, samplers=samplers or msgspec.UNSET)
        with self._listening() as channel:
            line, _ = channel.exchange(protocol.encode(asked), timeout, token=token)
            said = protocol.decode(line, Capabilities, token=token)
            if not samplers and not said.functions:
                raise ProtocolError("offers no function")
        channel.look_again()
        return said

    def run(self, function: str, arguments: Mapping[str, float], *, timeout: float) -> Reply:
        """Ask for one value; the errors are those of `start`."""
        written = {name: protocol.write_number(value) for name, value in arguments.items()}
        message = protocol.Run(id=_token(), function=function, arguments=written)
        return self._asked(message, Reply, timeout)

    def run_batch(
        self, function: str, inputs: Sequence[Mapping[str, float]], *, timeout: float
    ) -> Sequence[Ending]:
        """Ask for the values at several inputs in one request; the errors are those of `start`."""
        columns = {
            name: [protocol.write_number(each[name]) for each in inputs] for name in inputs[0]
        }
        message = protocol.RunBatch(id=_token(), function=function, arguments=columns)
        with self._listening():
            answers = self._asked(message, Replies, timeout).answers
            if len(answers) != len(inputs):
                raise ProtocolError(f"{len(answers)} answers to {len(inputs)} inputs")
            return answers

    def _asked(
        self, message: protocol.Run | protocol.RunBatch, kind: type[_R], timeout: float
    ) -> _R:
        with self._listening() as channel:
            line, _ = channel.exchange(protocol.encode(message), timeout, token=message.id)
            return protocol.decode(line, kind, token=message.id)

    def draw(
        self,
        sampler: str,
        parameters: Mapping[str, float],
        *,
        value: float,
        rows: int,
        dimension: int,
        timeout: float,
    ) -> tuple[Draws, bytes]:
        """Ask for rows of releases of a value; the errors are those of `start`.

        Returns:
            How it ended, and the float64 numbers, row by row, if there are any.
        """
        message = protocol.Draw(
            id=_token(),
            sampler=sampler,
            parameters={name: protocol.write_number(x) for name, x in parameters.items()},
            value=protocol.write_number(value),
            rows=rows,
            dimension=dimension,
        )

        def follows(line: bytes) -> int:
            draws = protocol.decode(line, Draws, token=message.id).draws
            if draws is msgspec.UNSET:
                return 0
            if draws != rows * dimension:
                raise ProtocolError(f"drew {draws} numbers where {rows * dimension} were asked")
            return draws * protocol.NUMBER_BYTES

        with self._listening() as channel:
            line, drawn = channel.exchange(
                protocol.encode(message), timeout, follows, token=message.id
            )
            return protocol.decode(line, Draws, token=message.id), drawn

    def stop(self, *, timeout: float = 2.0, ask: bool = True) -> bool:
        """Ask the child to end, give it a moment, and make sure that it is gone.

        Args:
            timeout: how long the moment is, in seconds.
            ask: whether to say so; otherwise only its input ends.

        Returns:
            Whether it ended by itself, without another word.
        """
        if self._channel is None or not self._channel.open:
            return False
        self._channel.say_goodbye(protocol.encode(protocol.Stop(id="stop")) if ask else b"")
        ended = self._family.ends(timeout)
        rest = self._channel.rest()
        self.kill()
        return ended and not rest

    def kill(self) -> None:
        """Kill who answers and all that descends from it, and close our ends of its streams.

        A template that forks workers stays, and forks another one at the next start.
        """
        if self._channel is not None and self._channel.open:
            self._channel.close()
            if not self._family.end_worker():
                self._family.close()

    def close(self) -> None:
        """Kill the child and all that descends from it, and close our ends of its streams."""
        if self._channel is not None and self._channel.open:
            self._channel.close()
        self._family.close()

    @contextlib.contextmanager
    def _listening(self) -> Iterator[Channel]:
        """Give the channel to the running child, which is killed when it misbehaves."""
        if self._channel is None or not self._channel.open:
            raise AdapterDiedError("the adapter is not running")
        try:
            yield self._channel
        except (AdapterDiedError, AdapterHungError, ProtocolError):
            self.kill()
            raise


def _token() -> str:
    """Return an id that cannot be answered before it is asked."""
    return secrets.token_hex(8)
