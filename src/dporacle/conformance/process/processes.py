"""The processes of one adapter: its supervisor, and below it who answers.

An adapter runs under a `supervisor`, all of whose descendants are killed; its streams are closed on
our side, and it is waited for, never its streams. One that can (`serve.py`) imports its library
once and forks a worker for each start, so that a new start after a hang costs milliseconds; the
worker is then what answers and what is killed.

POSIX only: process groups and non-blocking pipes.
"""

import contextlib
import os
import secrets
import signal
import socket
import struct
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, NamedTuple

from dporacle.conformance.process import supervisor, unmarked

MEMORY_LIMIT = 8 << 30
"""Bytes of address space that a process may take, and of memory all of an adapter's together."""

PROCESS_LIMIT = 512
"""Processes that an adapter may have at a time."""

_MODES = ("wb", "rb", "rb")
_CREDENTIALS = struct.Struct("3i")  # of a process: its number, user and group
_SUPERVISOR = str(Path(__file__).with_name("supervisor.py"))
_NAME = "run.py"  # of the supervisor, where a library may see it
_MOMENT = 0.2  # seconds in which an end that is seen on one stream is seen everywhere


class Streams(NamedTuple):
    """Our ends of the input, the output and the errors of who answers."""

    stdin: IO[bytes]
    stdout: IO[bytes]
    stderr: IO[bytes]

    def close(self) -> None:
        """Close them; what was not written yet is lost."""
        for stream in self:
            with contextlib.suppress(OSError):
                stream.close()


class Processes:
    """An adapter's processes; none runs before `begin`, and none after `close`."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        environment: Mapping[str, str],
        directory: Path | None,
        memory_limit: int,
        process_limit: int,
        forks: bool,
    ) -> None:
        """Remember how to start them; the arguments are those of `AdapterProcess`."""
        self._command = list(command)
        self._environment = dict(environment)
        self._directory = directory
        self._limits = (str(memory_limit), str(process_limit))
        self._forks = forks and supervisor.supported()
        self._mark = secrets.token_hex(8)
        self._child: subprocess.Popen[bytes] | None = None
        self._lifeline = -1
        self._control: socket.socket | None = None
        self._worker: Streams | None = None
        self._ended: int | None = None
        self.template = -1

    @property
    def root(self) -> int:
        """The number of the supervisor, below which all the others are."""
        assert self._child is not None
        return self._child.pid

    @property
    def streams(self) -> Streams:
        """Those of the worker, or of the child where there is none."""
        if self._worker is not None:
            return self._worker
        assert self._child is not None
        return _of(self._child)

    def begin(self) -> None:
        """Start somebody who answers: a worker, or where none can be forked all of them."""
        self._ended = None
        if self._control is not None and not self._forked():
            self.close()
        if self._child is None:
            self._child = self._spawned()

    def _spawned(self) -> subprocess.Popen[bytes]:
        """Start the supervisor, which ends its charge when our end of the lifeline closes."""
        theirs, self._lifeline = os.pipe()
        environment = supervisor.marked(self._environment, self._mark)
        passed = [theirs]
        control = None
        if self._forks:
            self._control, control = socket.socketpair()
            self._control.setsockopt(socket.SOL_SOCKET, socket.SO_PASSCRED, 1)
            passed.append(control.fileno())
        try:
            program = str(unmarked.copied(Path(_SUPERVISOR), _NAME))
            supervised = [sys.executable, "-I", "-S", program, *self._limits, str(theirs)]
            # Who forks is told last on which socket it is asked to.
            told = [] if control is None else [str(control.fileno())]
            return subprocess.Popen(
                [*supervised, *self._command, *told],
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
        if self._child is None or self.template < 0:
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
        ends = (os.fdopen(end, mode, 0) for end, mode in zip(kept, _MODES, strict=True))
        self._worker = Streams(*ends)
        return True

    def end_worker(self) -> bool:
        """Kill everything but the template; return whether that is there and will fork again."""
        if self._control is None or self._child is None:
            return False
        if self.template < 0:
            self.template = self._introduced()
        streams, root = self.streams, self.root
        spared = supervisor.lineage(self.template, root) if self.template > 0 else frozenset()
        if not spared or not supervisor.sweep(root, spared=spared):
            return False
        streams.close()
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
            if self.template < 0:
                self.template = self._introduced()
            self._control.settimeout(timeout)
            with contextlib.suppress(OSError):
                data = self._control.recv(4)
                if len(data) == 4:
                    self._ended = os.waitstatus_to_exitcode(int.from_bytes(data, "little"))
        return self._ended

    def ends(self, timeout: float) -> bool:
        """Whether who answers ends by itself in so many seconds."""
        if self._control is not None:
            return self._worker_status(timeout) is not None
        return self._child_status(timeout) is not None

    def _child_status(self, timeout: float) -> int | None:
        assert self._child is not None
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._child.wait(timeout)
        return None

    def _status(self, timeout: float) -> int | None:
        """Return how who answers has ended, or None if it has not."""
        if self._control is not None and (status := self._worker_status(timeout)) is not None:
            return status
        return self._child_status(timeout)

    def last_words(self) -> bytes:
        """Return what somebody who has just ended left to be read on the streams of errors."""
        if self._child is None:
            return b""
        if self._status(_MOMENT) == -signal.SIGKILL and self._worker is not None:
            self._child_status(_MOMENT)  # the supervisor may have made an end of everything
        words = b""
        for stream in {_of(self._child).stderr, self.streams.stderr}:
            with contextlib.suppress(OSError, ValueError):
                os.set_blocking(stream.fileno(), False)
                for _ in range(64):  # a bounded amount, should it still be writing
                    if not (data := os.read(stream.fileno(), 1 << 16)):
                        break
                    words += data
        return words

    def ending(self) -> str:
        """Return how who answers came to an end."""
        status = None if self._child is None else self._status(0.0)
        if status is None:
            return "closed its output"
        if status >= 0:
            return f"exited with status {status}"
        try:
            return f"died of {signal.Signals(-status).name}"
        except ValueError:
            return f"died of signal {-status}"

    def close(self) -> None:
        """Kill all of them, and close our ends of their streams."""
        child, self._child = self._child, None
        worker, self._worker = self._worker, None
        if self._control is not None:
            self._control.close()
            self._control, self.template = None, -1
        if child is None:
            return
        ended = child.poll()
        if ended is None:  # not collected yet, so the number cannot belong to another process
            if supervisor.supported():
                supervisor.sweep(child.pid)
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(child.pid, signal.SIGKILL)
        _of(child).close()
        if worker is not None:
            worker.close()
        os.close(self._lifeline)
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(10)
        if ended == -signal.SIGKILL and supervisor.supported():
            supervisor.sweep_marked(self._mark)  # the supervisor itself may have been killed


def _of(child: subprocess.Popen[bytes]) -> Streams:
    assert child.stdin is not None
    assert child.stdout is not None
    assert child.stderr is not None
    return Streams(child.stdin, child.stdout, child.stderr)
