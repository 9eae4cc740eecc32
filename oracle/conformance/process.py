"""One adapter in one child process that may do anything, and a judge that it cannot hurt.

Everything is read without blocking and with limited patience (`patience`): a child that hangs,
floods a stream, ignores signals, or leaves children behind that keep its streams open costs at
most the limit of one request. It runs under a `supervisor`, all of whose descendants are killed;
its streams are closed on our side, and it is waited for, never its streams.

An adapter that can (`serve.py`) imports its library once and forks a worker for each start, so that
a new start after a hang costs milliseconds; the worker is then what answers and what is killed.

POSIX only: process groups and non-blocking pipes.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import selectors
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import IO, TypeVar

import msgspec

from dporacle.conformance import patience, protocol, supervisor
from dporacle.conformance.protocol import (
    Capabilities,
    Draws,
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

_POSIX = os.name == "posix"
_STDERR_TAIL = 4096
_AT_ONCE = 0.005  # seconds
_CHUNK = 1 << 16
_SHOWN = 300

CONTROL = "DPORACLE_FORK"
"""The environment variable that tells an adapter on which socket it is asked to fork."""

_MODES = ("wb", "rb", "rb")
_CREDENTIALS = struct.Struct("3i")  # of a process: its number, user and group
_R = TypeVar("_R", Reply, Replies)
_SUPERVISOR = str(Path(__file__).with_name("supervisor.py"))


class AdapterDiedError(Exception):
    """The child's process ended, or closed its output, while an answer was due."""


class AdapterHungError(Exception):
    """No answer came before the judge's patience was used up; the child was killed."""


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
        self._forks = forks and supervisor.supported()
        self._control: socket.socket | None = None
        self._template = -1
        self._worker: _Worker | None = None
        self._ended: int | None = None
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
        self._clock: patience.Clock = patience.WallClock()
        self.spent = 0.0

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
        return self._selector is not None

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
        self._pending = self._stderr = self._said = b""
        self._ended = None
        if self._control is not None and not self._forked():
            self.close()
        if self._child is None:
            self._child = self._spawned()
        self._selector = selectors.DefaultSelector()
        for stream in self._streams:
            os.set_blocking(stream.fileno(), False)
        self._selector.register(self._streams[1], selectors.EVENT_READ, "stdout")
        self._selector.register(self._streams[2], selectors.EVENT_READ, "stderr")
        self._clock = patience.clock_of(self._child.pid)
        with self._killing_on_error():
            token = _token()
            asked = protocol.Start(id=token, samplers=samplers or msgspec.UNSET)
            line, _ = self._exchange(protocol.encode(asked), timeout)
            said = protocol.decode(line, Capabilities, token=token)
            if not samplers and not said.functions:
                raise ProtocolError("offers no function")
        self._clock = patience.clock_of(self._child.pid)  # which sees what was started meanwhile
        return said

    @property
    def _streams(self) -> tuple[IO[bytes], IO[bytes], IO[bytes]]:
        """The input, the output and the errors of who answers."""
        assert self._child is not None
        of = self._worker or self._child
        assert of.stdin is not None
        assert of.stdout is not None
        assert of.stderr is not None
        return of.stdin, of.stdout, of.stderr

    def _spawned(self) -> subprocess.Popen[bytes]:
        """Start the supervisor, which ends its charge when our end of the lifeline closes."""
        theirs, self._lifeline = os.pipe()
        environment = self._environment | {supervisor.MARK: self._mark}
        passed = [theirs]
        control = None
        if self._forks:
            self._control, control = socket.socketpair()
            self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            environment |= {CONTROL: str(control.fileno())}
            passed.append(control.fileno())
        try:
            supervised = [sys.executable, "-I", "-S", _SUPERVISOR, *self._limits, str(theirs)]
            return subprocess.Popen(
                [*supervised, *self._command],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=environment,
                cwd=self._directory,
                start_new_session=True,  # a process group of its own, to be killed as one
                pass_fds=passed,
            )
        except BaseException:
            os.close(self._lifeline)
            raise
        finally:
            os.close(theirs)
            if control is not None:
                control.close()

    def _forked(self) -> bool:
        """Let the template fork a worker; return whether it did."""
        assert self._control is not None
        if self._child is None or self._template < 0:
            return False
        pipes = [os.pipe() for _ in range(3)]  # the worker reads the first and writes the others
        given = [pipe[index > 0] for index, pipe in enumerate(pipes)]
        kept = [pipe[index == 0] for index, pipe in enumerate(pipes)]
        try:
            socket.send_fds(self._control, [b"f"], given)
        except OSError:
            for end in kept:
                os.close(end)
            return False
        finally:
            for end in given:
                os.close(end)
        self._worker = _Worker(
            *(os.fdopen(end, mode, 0) for end, mode in zip(kept, _MODES, strict=True))
        )
        return True

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
            line, _ = self._exchange(protocol.encode(message), timeout)
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

        with self._killing_on_error():
            line, drawn = self._exchange(protocol.encode(message), timeout, follows)
            return protocol.decode(line, Draws, token=message.id), drawn

    def stop(self, *, timeout: float = 2.0, ask: bool = True) -> bool:
        """Ask the child to end, give it a moment, and make sure that it is gone.

        Args:
            timeout: how long the moment is, in seconds.
            ask: whether to say so; otherwise only its input ends.

        Returns:
            Whether it ended by itself, without another word.
        """
        if self._selector is None:
            return False
        assert self._child is not None
        ended = False
        self._said = b""
        stdin = self._streams[0]
        with contextlib.suppress(OSError):
            if ask:
                os.write(stdin.fileno(), protocol.encode(protocol.Stop(id="stop")))
            stdin.close()
        if self._control is None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(timeout)
                ended = True
        else:
            ended = self._worker_status(timeout) is not None
        with contextlib.suppress(ProtocolError):
            self._drain(self._selector)
        self._said = self._pending
        self.kill()
        return ended and not self._said

    def kill(self) -> None:
        """Kill who answers and all that descends from it, and close our ends of its streams.

        A template that forks workers stays, and forks another one at the next start.
        """
        if self._selector is None:
            return
        self._selector.close()
        self._selector = None
        if self._control is None or self._child is None or not self._end_worker(self._child.pid):
            self.close()

    def _end_worker(self, root: int) -> bool:
        """Kill everything but the template; return whether that is still there."""
        if self._template < 0:
            self._template = self._introduced()
        streams = self._streams
        spared = supervisor.lineage(self._template, root) if self._template > 0 else frozenset()
        if not spared or not supervisor.sweep(root, spared=spared):
            return False
        for stream in streams:
            with contextlib.suppress(OSError):
                stream.close()
        self._worker = None
        return self._worker_status(2.0) is not None

    def _introduced(self) -> int:
        """Return the template's process number, which the system itself tells us, or -1."""
        assert self._control is not None
        self._control.settimeout(2.0)
        try:
            data, extra, _, _ = self._control.recvmsg(1, socket.CMSG_SPACE(_CREDENTIALS.size))
        except OSError:
            return -1
        for level, kind, content in extra:
            if data and (level, kind) == (socket.SOL_SOCKET, socket.SCM_CREDENTIALS):
                pid: int = _CREDENTIALS.unpack(content[: _CREDENTIALS.size])[0]
                return pid or -1
        return -1

    def _worker_status(self, timeout: float) -> int | None:
        """Return how the worker ended, or None if it has not, or the template is gone."""
        assert self._control is not None
        if self._ended is None:
            if self._template < 0:
                self._template = self._introduced()
            self._control.settimeout(timeout)
            with contextlib.suppress(OSError):
                data = self._control.recv(4)
                if len(data) == 4:
                    self._ended = os.waitstatus_to_exitcode(int.from_bytes(data, "little"))
        return self._ended

    def close(self) -> None:
        """Kill the child and all that descends from it, and close our ends of its streams."""
        if self._selector is not None:
            self._selector.close()
            self._selector = None
        child, self._child = self._child, None
        worker, self._worker = self._worker, None
        if self._control is not None:
            self._control.close()
            self._control, self._template = None, -1
        if child is None:
            return
        ended = child.poll()
        if ended is None:  # not collected yet, so the number cannot belong to another process
            if supervisor.supported():
                supervisor.sweep(child.pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
        for each in (child, worker):
            for stream in (each.stdin, each.stdout, each.stderr) if each else ():
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

    def _exchange(
        self,
        request: bytes,
        timeout: float,
        follows: Callable[[bytes], int] = lambda line: 0,
    ) -> tuple[bytes, bytes]:
        """Write one line, read one line and the bytes that follow it, of which it says how many.

        `spent` says how much patience that took.
        """
        selector = self._selector
        if self._child is None or selector is None:
            raise AdapterDiedError("the adapter is not running")
        stdin = self._streams[0]
        self._drain(selector)
        self._said = self._pending
        if self._pending:
            raise ProtocolError(f"spoke without being asked: {self._pending[:80]!r}")
        self._clock.begin()
        begun = looked = time.monotonic()
        guard = begun + max(patience.LEAST_GUARD, patience.GUARD * timeout)
        self.spent = 0.0
        length = None  # of the line, its end, and what follows
        selector.register(stdin, selectors.EVENT_WRITE, "stdin")
        try:
            while True:
                if length is None:
                    end = self._pending.find(b"\n")
                    if max(end + 1, len(self._pending) * (end < 0)) > protocol.MAX_LINE:
                        raise ProtocolError(f"sent a line longer than {protocol.MAX_LINE} bytes")
                    if end >= 0:
                        length = end + 1 + follows(self._pending[:end])
                if length is not None and len(self._pending) >= length:
                    break
                now = time.monotonic()
                if now - looked >= patience.TICK:
                    looked = now
                    self.spent = self._clock.spent()
                if self.spent >= timeout or now >= guard:
                    raise AdapterHungError(_waited(timeout, guarded=self.spent < timeout))
                for key, _ in selector.select(looked + patience.TICK - now):
                    if key.data == "stdin":
                        request = self._write(stdin.fileno(), request)
                        if not request:
                            selector.unregister(stdin)
                    else:
                        self._read(selector, key)
        finally:
            # What ends at once is measured on the wall; a busy machine makes more of it.
            wall = time.monotonic() - looked
            self.spent = self.spent + wall if wall < _AT_ONCE else self._clock.finished()
            if request:
                with contextlib.suppress(KeyError, ValueError):
                    selector.unregister(stdin)
        answer, self._pending = self._pending[:length], self._pending[length:]
        if self._pending:
            raise ProtocolError(f"said more than one line: {self._pending[:80]!r}")
        line, _, following = answer.partition(b"\n")
        return line, following

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
        self._said = self._pending[: protocol.MAX_LINE]

    def _gather_last_words(self, selector: selectors.BaseSelector) -> None:
        if self._child is None:
            return
        if self._status(0.2) == -signal.SIGKILL and self._worker is not None:
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._child.wait(0.2)  # the supervisor may have made an end of everything
        streams = {stream for of in (self._child, self._worker) if of and (stream := of.stderr)}
        for stream in streams:
            with contextlib.suppress(OSError, ValueError):
                os.set_blocking(stream.fileno(), False)
                for _ in range(64):  # a bounded amount, should it still be writing
                    data = os.read(stream.fileno(), _CHUNK)
                    if not data:
                        break
                    self._stderr = (self._stderr + data)[-_STDERR_TAIL:]

    def _status(self, timeout: float) -> int | None:
        """Return how who answers has ended, or None if it has not."""
        assert self._child is not None
        if self._control is not None and (status := self._worker_status(timeout)) is not None:
            return status
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._child.wait(timeout)
        return None

    def _obituary(self) -> str:
        status = None if self._child is None else self._status(0.0)
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


class _Worker:
    """Our ends of the streams of a process that the template forked."""

    def __init__(self, stdin: IO[bytes], stdout: IO[bytes], stderr: IO[bytes]) -> None:
        self.stdin, self.stdout, self.stderr = stdin, stdout, stderr


def _waited(timeout: float, *, guarded: bool) -> str:
    if not guarded:
        return f"no answer within {timeout:g} s of processor time or idleness"
    wall = max(patience.LEAST_GUARD, patience.GUARD * timeout)
    return f"no answer within {wall:g} s on the wall"


def _token() -> str:
    """Return an id that cannot be answered before it is asked."""
    return secrets.token_hex(8)
