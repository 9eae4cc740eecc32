"""One conversation with an adapter that may do anything: questions out, answers in.

Everything is read without blocking and with limited patience (`patience`): an adapter that hangs,
floods a stream or ignores what it is told costs at most the limit of one request.
"""

import contextlib
import os
import selectors
import time
from collections.abc import Callable

from dporacle.conformance import protocol
from dporacle.conformance.process import clock, supervisor
from dporacle.conformance.process.processes import Processes
from dporacle.conformance.protocol import ProtocolError

_STDERR_TAIL = 4096  # bytes of the last words: the end of a traceback
_SENT = ("SIGKILL", "SIGTERM", "SIGINT", "SIGHUP")  # a fault of its own ends it by others
_AT_ONCE = 0.005  # seconds
_CHUNK = 1 << 16  # what a pipe of Linux holds
_SHOWN = 300  # bytes of a line that is no answer


class AdapterDiedError(Exception):
    """The child's process ended, or closed its output, while an answer was due.

    Attributes:
        killed: whether a signal ended it that others send; the judge's own words say when it did.
    """

    def __init__(self, text: str, *, killed: bool = False) -> None:
        super().__init__(text)
        self.killed = killed


class AdapterHungError(Exception):
    """No answer came before the judge's patience was used up; the child was killed."""


class Channel:
    """The streams of who answers, from its start to its end."""

    def __init__(self, family: Processes) -> None:
        """Listen to whom the family has begun."""
        self._family = family
        self._stdin, stdout, stderr = family.streams
        for stream in family.streams:
            os.set_blocking(stream.fileno(), False)
        self._selector = selectors.DefaultSelector()
        self._selector.register(stdout, selectors.EVENT_READ, "stdout")
        self._selector.register(stderr, selectors.EVENT_READ, "stderr")
        self._pending = self._stderr = self._said = b""
        self.open = True
        self.spent = 0.0
        self.look_again()

    def look_again(self) -> None:
        """Watch what was started in the meantime, too."""
        self._clock = clock.clock_of(self._family.root)

    @property
    def last_words(self) -> str:
        """The end of what was written to standard error, on one line."""
        text = self._stderr.decode("utf-8", "replace")
        lines = [line.strip() for line in text.splitlines() if line.strip()]
        words = lines[-1] if lines else ""
        return "".join(c if c.isprintable() else "?" for c in words)[-300:]

    @property
    def last_line(self) -> str:
        """What was said last to standard output, as far as it can be shown."""
        return repr(self._said[:_SHOWN])[2:-1] + ("…" if len(self._said) > _SHOWN else "")

    def close(self) -> None:
        """Listen no more; what was said last is kept."""
        self._selector.close()
        self.open = False

    def exchange(
        self,
        request: bytes,
        timeout: float,
        follows: Callable[[bytes], int] = lambda line: 0,
        *,
        token: str,
    ) -> tuple[bytes, bytes]:
        """Write one line, read one line and the bytes that follow it, of which it says how many.

        `spent` says how much patience that took.

        Args:
            request: the line.
            timeout: the patience, in seconds.
            follows: how many bytes follow a line.
            token: the request's id, which an answer repeats and a foreign line does not know.

        Raises:
            AdapterDiedError, AdapterHungError, ProtocolError: if that is not what comes.
        """
        selector = self._selector
        self._drain()
        self._said = self._pending.partition(b"\n")[0]
        if self._pending:
            raise ProtocolError(f"spoke without being asked: {self._said[:80]!r}")
        begun = looked = time.monotonic()
        guard = begun + max(clock.LEAST_GUARD, clock.GUARD * timeout)
        self.spent = first = 0.0
        counting = False  # what ends at once is measured on the wall, which costs next to nothing
        length = None  # of the line, its end, and what follows
        selector.register(self._stdin, selectors.EVENT_WRITE, "stdin")
        try:
            while True:
                if length is None:
                    length = self._length(follows)
                if length is not None and len(self._pending) >= length:
                    break
                now = time.monotonic()
                if not counting and now - begun >= _AT_ONCE:
                    self._clock.begin()
                    counting, looked, self.spent, first = True, now, _AT_ONCE, _AT_ONCE
                due = counting and now - looked >= clock.TICK
                until = looked + clock.TICK if counting else begun + _AT_ONCE
                ready = selector.select(0 if due else until - now)
                for key, _ in ready:
                    if key.data == "stdin":
                        request = self._write(request)
                        if not request:
                            selector.unregister(self._stdin)
                    else:
                        self._read(key)
                if any(key.data == "stdout" for key, _ in ready):
                    continue  # who has answered while we were kept waiting ourselves is not idle
                if due:
                    looked = now
                    self.spent = first + self._clock.spent()
                if self.spent >= timeout or now >= guard:
                    raise AdapterHungError(_waited(timeout, guarded=self.spent < timeout))
        finally:
            # The last moment is measured on the wall too; a busy machine makes more of it.
            wall = time.monotonic() - looked
            if not counting or wall < _AT_ONCE:
                self.spent += min(wall, _AT_ONCE)
            else:
                self.spent = first + self._clock.finished()
            if request:
                with contextlib.suppress(KeyError, ValueError):
                    selector.unregister(self._stdin)
        answer, self._pending = self._pending[:length], self._pending[length:]
        line, _, following = answer.partition(b"\n")
        if self._pending:  # a banner may stand before the answer, or something else after it
            said = [line, *self._pending.splitlines()]
            self._said = next((each for each in said if token.encode() not in each), said[1])
            shown = self._said[:80]
            raise ProtocolError(f"said more than one line: {shown!r} is not the answer")
        return line, following

    def _length(self, follows: Callable[[bytes], int]) -> int | None:
        """Return how many bytes the whole answer has, once its line is there."""
        end = self._pending.find(b"\n")
        if max(end + 1, len(self._pending) * (end < 0)) > protocol.MAX_LINE:
            raise ProtocolError(f"sent a line longer than {protocol.MAX_LINE} bytes")
        return end + 1 + follows(self._pending[:end]) if end >= 0 else None

    def say_goodbye(self, message: bytes) -> None:
        """Say something, or nothing, and close the input."""
        self._said = b""
        with contextlib.suppress(OSError):
            if message:
                os.write(self._stdin.fileno(), message)
            self._stdin.close()

    def rest(self) -> bytes:
        """Return what was said without being asked."""
        self._drain()
        self._said = self._pending
        return self._said

    def _write(self, request: bytes) -> bytes:
        try:
            return request[os.write(self._stdin.fileno(), request) :]
        except BlockingIOError:
            return request
        except OSError:
            return b""  # it closed its input: whether it still answers, the deadline decides

    def _drain(self) -> None:
        """Take what is there already: late standard error, or words that nobody asked for."""
        for key, _ in self._selector.select(0):
            with contextlib.suppress(AdapterDiedError):
                self._read(key)

    def _read(self, key: selectors.SelectorKey) -> None:
        try:
            data = os.read(key.fd, _CHUNK)
        except BlockingIOError:
            return
        if key.data == "stderr":
            self._stderr = (self._stderr + data)[-_STDERR_TAIL:]
            if not data:
                self._selector.unregister(key.fileobj)
            return
        if not data:
            self._stderr = (self._stderr + self._family.last_words())[-_STDERR_TAIL:]
            words = f": {self.last_words}" if self.last_words else ""
            ending = self._family.ending()
            killed = ending.endswith(_SENT) and supervisor.ENDED not in self.last_words
            raise AdapterDiedError(ending + words, killed=killed)
        self._pending += data
        self._said = self._pending[: protocol.MAX_LINE]


def _waited(timeout: float, *, guarded: bool) -> str:
    if not guarded:
        return f"no answer within {timeout:g} s of processor time or idleness"
    wall = max(clock.LEAST_GUARD, clock.GUARD * timeout)
    return f"no answer within {wall:g} s on the wall"
