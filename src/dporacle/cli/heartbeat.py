"""What a slow command is doing, on standard error, where that is a terminal.

It appears after some seconds and is erased before anything else is written. It rests while a
progress bar is shown, or another program that the command runs shows its own.
"""

import shutil
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from dporacle.cli import looked_at

_FIRST, _EACH = 3.0, 1.0  # seconds until it appears, and from one beat to the next
_ERASE = "\r\x1b[K"


class _Heart:
    """Writes a line again and again, which anything that is written erases."""

    def __init__(self, command: str, terminal: Any) -> None:
        self._command, self._terminal = command, terminal
        self._begun = time.monotonic()
        self._ended = threading.Event()
        self._lock = threading.RLock()
        self._shown = False
        self.doing = ""
        self.within_line = False
        self.resting = 0
        self._thread = threading.Thread(target=self._beat, daemon=True)
        self._thread.start()

    def _beat(self) -> None:
        pause = _FIRST
        while not self._ended.wait(pause):
            pause = _EACH
            with self._lock:
                if not (self.within_line or self.resting):
                    self._show()

    def _show(self) -> None:
        seconds = time.monotonic() - self._begun
        doing = f"{self._command}: {self.doing}" if self.doing else self._command
        width = shutil.get_terminal_size().columns - 10
        self._write(f"{_ERASE}{doing[:width]}  {seconds:.0f} s")
        self._shown = True

    def _write(self, text: str) -> None:
        encoding = getattr(self._terminal, "encoding", None) or "ascii"
        self._terminal.write(text.encode(encoding, "replace").decode(encoding))
        self._terminal.flush()

    @contextmanager
    def erased(self) -> Iterator[None]:
        """Keep the line away while something else is written."""
        with self._lock:
            if self._shown:
                self._write(_ERASE)
                self._shown = False
            yield

    def end(self) -> None:
        """Show it no more."""
        self._ended.set()
        self._thread.join()
        with self.erased():
            pass


class _Beside:
    """A stream that erases the line before it is written to."""

    def __init__(self, stream: Any, heart: _Heart) -> None:
        self._stream, self._heart = stream, heart

    def write(self, text: Any) -> Any:
        with self._heart.erased():
            if text:
                self._heart.within_line = str(text)[-1] != "\n"
            return self._stream.write(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


_beating: list[_Heart] = []


def doing(text: str) -> None:
    """Say what the command is doing now."""
    for heart in _beating:
        heart.doing = text


@contextmanager
def resting() -> Iterator[None]:
    """Show nothing meanwhile."""
    hearts = [*_beating]
    for heart in hearts:
        with heart.erased():
            heart.resting += 1
    try:
        yield
    finally:
        for heart in hearts:
            heart.resting -= 1
            heart.within_line = False


@contextmanager
def heartbeat(command: str) -> Iterator[None]:
    """Show that a command is at work, from some seconds on, if standard error is a terminal."""
    if not looked_at():
        yield
        return
    streams = sys.stdout, sys.stderr
    heart = _Heart(command, sys.stderr)
    _beating.append(heart)
    try:
        sys.stderr = _Beside(sys.stderr, heart)
        if sys.stdout.isatty():
            sys.stdout = _Beside(sys.stdout, heart)
        yield
    finally:
        sys.stdout, sys.stderr = streams
        _beating.remove(heart)
        heart.end()
