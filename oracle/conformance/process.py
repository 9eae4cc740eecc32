"""One adapter in one child process that may do anything, and a judge that it cannot hurt.

Everything is read without blocking and against a deadline: a child that hangs, floods a
stream, ignores signals, or leaves children behind that keep its streams open costs at most
the time limit of one request. It runs under a `supervisor`, all of whose descendants are killed;
its streams are closed on our side, and it is waited for, never its streams.

POSIX only: process groups and non-blocking pipes.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import TypeVar

from dporacle.conformance import protocol, supervisor
from dporacle.conformance.protocol import (
    Capabilities,
    Ending,
    ProtocolError,
    Replies,
    Reply,
)

__all__ = ["AdapterDiedError", "AdapterHungError", "AdapterProcess"]

MEMORY_LIMIT = 8 << 30
"""Bytes of address space that a process may take, and of memory all of an adapter's together."""

PROCESS_LIMIT = 512
"""Processes that an adapter may have at a time."""

_STDERR_TAIL = 4096
_CHUNK = 1 << 16
_SHOWN = 300

_R = TypeVar("_R", Reply, Replies)
_SUPERVISOR = str(Path(__file__).with_name("supervisor.py"))


class AdapterDiedError(Exception):
    """The child's process ended, or closed its output, while an answer was due."""


class AdapterHungError(Exception):
    """No answer came within the time limit; the child was killed."""


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
    ) -> None:
        """Remember how to start the child; nothing runs before `start`.

        Args:
            command: the program and its arguments; no shell is involved.
            environment: its environment variables; ours by default.
            directory: its working directory; ours by default.
            memory_limit: bytes of address space that each of its processes may take, and of
                memory that all of them may take together.
            process_limit: how many processes it may have at a time.
        """
        self._command = list(command)
        self._limits = (str(memory_limit), str(process_limit))
        self._environment = dict(os.environ if environment is None else environment)
        self._mark = secrets.token_hex(16)
        self._lifeline = -1
        self._directory = directory
        self._child: subprocess.Popen[bytes] | None = None
        self._selector: selectors.BaseSelector | None = None
        self._pending = b""
        self._stderr = b""
        self._said = b""

    def __enter__(self) -> AdapterProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.kill()

    @property
    def running(self) -> bool:
        """Whether a child is there to be asked."""
        return self._child is not None

    @property
    def last_words(self) -> str:
        """The end of what the latest child wrote to standard error, on one line."""
        text = self._stderr.decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        words = lines[-1] if lines else ""
        return "".join(c if c.isprintable() else "?" for c in words)[-300:]

    @property
    def last_line(self) -> str:
        """What the latest child said last to standard output, as far as it can be shown."""
        return repr(self._said[:_SHOWN])[2:-1] + ("…" if len(self._said) > _SHOWN else "")

    def start(self, *, timeout: float) -> Capabilities:
        """Start the child and return what it says it can do.

        Raises:
            AdapterDiedError: if it ended, or could not be started.
            AdapterHungError: if it did not answer within `timeout` seconds.
            ProtocolError: if it answered something else.
        """
        self.kill()
        self._pending = self._stderr = self._said = b""
        child = self._child = self._spawned()
        self._selector = selectors.DefaultSelector()
        for stream in (child.stdin, child.stdout, child.stderr):
            assert stream is not None
            os.set_blocking(stream.fileno(), False)
        assert child.stdout is not None
        assert child.stderr is not None
        self._selector.register(child.stdout, selectors.EVENT_READ, "stdout")
        self._selector.register(child.stderr, selectors.EVENT_READ, "stderr")
        with self._killing_on_error():
            token = _token()
            line = self._exchange(protocol.encode(protocol.Start(id=token)), timeout)
            return protocol.decode(line, Capabilities, token=token)

    def _spawned(self) -> subprocess.Popen[bytes]:
        """Start the supervisor, which ends its charge when our end of the lifeline closes."""
        theirs, self._lifeline = os.pipe()
        try:
            supervised = [sys.executable, "-I", "-S", _SUPERVISOR, *self._limits, str(theirs)]
            return subprocess.Popen(
                [*supervised, *self._command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=self._environment | {supervisor.MARK: self._mark},
                cwd=self._directory,
                start_new_session=True,  # a process group of its own, to be killed as one
                pass_fds=(theirs,),
            )
        except BaseException:
            os.close(self._lifeline)
            raise
        finally:
            os.close(theirs)

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
        with self._killing_on_error():
            answers = self._asked(message, Replies, timeout).answers
            if len(answers) != len(inputs):
                raise ProtocolError(f"{len(answers)} answers to {len(inputs)} inputs")
            return answers

    def _asked(
        self, message: protocol.Run | protocol.RunBatch, kind: type[_R], timeout: float
    ) -> _R:
        with self._killing_on_error():
            line = self._exchange(protocol.encode(message), timeout)
            return protocol.decode(line, kind, token=message.id)

    def stop(self, *, timeout: float = 2.0, ask: bool = True) -> bool:
        """Ask the child to end, give it a moment, and make sure that it is gone.

        Args:
            timeout: how long the moment is, in seconds.
            ask: whether to say so; otherwise only its input ends.

        Returns:
            Whether it ended by itself, without another word.
        """
        if self._child is None or self._child.stdin is None or self._selector is None:
            return False
        ended = False
        self._said = b""
        with contextlib.suppress(OSError):
            if ask:
                os.write(self._child.stdin.fileno(), protocol.encode(protocol.Stop(id="stop")))
            self._child.stdin.close()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(timeout)
            ended = True
        with contextlib.suppress(ProtocolError):
            self._drain(self._selector)
        self._said = self._pending
        self.kill()
        return ended and not self._said

    def kill(self) -> None:
        """Kill the child and all that descends from it, and close our ends of its streams."""
        child, self._child = self._child, None
        if self._selector is not None:
            self._selector.close()
            self._selector = None
        if child is None:
            return
        ended = child.poll()
        if ended is None:  # not collected yet, so the number cannot belong to another process
            if supervisor.supported():
                supervisor.sweep(child.pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
        for stream in (child.stdin, child.stdout, child.stderr):
            if stream is not None:
                with contextlib.suppress(OSError):
                    stream.close()
        os.close(self._lifeline)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(10)
        if ended == -signal.SIGKILL and supervisor.supported():
            supervisor.sweep_marked(self._mark)  # the supervisor itself may have been killed

    @contextlib.contextmanager
    def _killing_on_error(self) -> Iterator[None]:
        try:
            yield
        except (AdapterDiedError, AdapterHungError, ProtocolError):
            self.kill()
            raise

    def _exchange(self, request: bytes, timeout: float) -> bytes:
        """Write one line, read one line."""
        deadline = time.monotonic() + timeout
        child, selector = self._child, self._selector
        if child is None or selector is None or child.stdin is None:
            raise AdapterDiedError("the adapter is not running")
        self._drain(selector)
        self._said = self._pending
        if self._pending:
            raise ProtocolError(f"spoke without being asked: {self._pending[:80]!r}")
        selector.register(child.stdin, selectors.EVENT_WRITE, "stdin")
        try:
            while b"\n" not in self._pending:
                left = deadline - time.monotonic()
                if left <= 0:
                    raise AdapterHungError(f"no answer within {timeout:g} s")
                for key, _ in selector.select(left):
                    if key.data == "stdin":
                        request = self._write(child.stdin.fileno(), request)
                        if not request:
                            selector.unregister(child.stdin)
                    else:
                        self._read(selector, key)
        finally:
            if request:
                with contextlib.suppress(KeyError, ValueError):
                    selector.unregister(child.stdin)
        line, _, self._pending = self._pending.partition(b"\n")
        if self._pending:
            raise ProtocolError(f"said more than one line: {self._pending[:80]!r}")
        return line

    def _write(self, descriptor: int, request: bytes) -> bytes:
        try:
            return request[os.write(descriptor, request) :]
        except BlockingIOError:
            return request
        except OSError:
            return b""  # it closed its input: whether it still answers, the deadline decides

    def _drain(self, selector: selectors.BaseSelector) -> None:
        """Take what is there already: late standard error, or words that nobody asked for."""
        for key, _ in selector.select(0):
            with contextlib.suppress(AdapterDiedError):
                self._read(selector, key)

    def _read(self, selector: selectors.BaseSelector, key: selectors.SelectorKey) -> None:
        try:
            data = os.read(key.fd, _CHUNK)
        except BlockingIOError:
            return
        if key.data == "stderr":
            self._stderr = (self._stderr + data)[-_STDERR_TAIL:]
            if not data:
                selector.unregister(key.fileobj)
            return
        if not data:
            self._gather_last_words(selector)
            raise AdapterDiedError(self._obituary())
        self._pending += data
        self._said = self._pending
        if len(self._pending) > protocol.MAX_LINE:
            raise ProtocolError(f"sent a line longer than {protocol.MAX_LINE} bytes")

    def _gather_last_words(self, selector: selectors.BaseSelector) -> None:
        if self._child is None or self._child.stderr is None:
            return
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._child.wait(0.2)
        with contextlib.suppress(OSError, ValueError):
            for _ in range(64):  # a bounded amount, should it still be writing
                data = os.read(self._child.stderr.fileno(), _CHUNK)
                if not data:
                    break
                self._stderr = (self._stderr + data)[-_STDERR_TAIL:]

    def _obituary(self) -> str:
        status = None if self._child is None else self._child.poll()
        if status is None:
            how = "closed its output"
        elif status < 0:
            try:
                how = f"died of {signal.Signals(-status).name}"
            except ValueError:
                how = f"died of signal {-status}"
        else:
            how = f"exited with status {status}"
        return how + (f": {self.last_words}" if self.last_words else "")


def _token() -> str:
    """Return an id that cannot be answered before it is asked."""
    return secrets.token_hex(8)
