"""A real browser, driven through its debugging pipe with the standard library alone."""

import json
import os
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
_PATIENCE = 60

# The pipe's ends are file descriptors 3 and 4 in the browser.
_START = """
import fcntl, os, sys
ends = [fcntl.fcntl(int(end), fcntl.F_DUPFD, 10) for end in sys.argv[1:3]]
for number, end in enumerate(ends, 3):
    os.dup2(end, number)
os.execv(sys.argv[3], sys.argv[3:])
"""


class Browser:
    """One page. Events are kept: what the page logged, asked for and threw."""

    def __init__(self, to: int, back: int) -> None:
        self.events: list[dict[str, Any]] = []
        self._to, self._back = to, back
        self._buffer = b""
        self._number = 0
        self._session = ""
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        attached = self.call("Target.attachToTarget", targetId=target, flatten=True)
        self._session = attached["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def call(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command of the protocol and return its result."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if self._session:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._read()
            if answer.get("id") == self._number:
                assert "error" not in answer, answer
                result: dict[str, Any] = answer["result"]
                return result

    def _read(self) -> dict[str, Any]:
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._back], [], [], _PATIENCE)
            assert ready, "the browser is silent"
            data = os.read(self._back, 1 << 16)
            assert data, "the browser ended"
            self._buffer += data
        line, _, self._buffer = self._buffer.partition(b"\0")
        message: dict[str, Any] = json.loads(line)
        if "method" in message:
            self.events.append(message)
        return message

    def look(self, *, width: int, dark: bool = False, media: str = "", script: bool = True) -> None:
        """Set the screen."""
        self.call(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=850,
            deviceScaleFactor=1,
            mobile=width < 500,
        )
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.call("Emulation.setEmulatedMedia", media=media, features=[scheme])
        self.call("Emulation.setScriptExecutionDisabled", value=not script)

    def open(self, place: Path | str, fragment: str = "") -> None:
        """Load a file or an address, and wait for it."""
        target = place if isinstance(place, str) else place.as_uri()
        for address in ("about:blank", target + fragment):
            self.events.clear()
            self.call("Page.navigate", url=address)
            while not any(e["method"] == "Page.loadEventFired" for e in self.events):
                self._read()

    def ask(self, expression: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, key: str) -> None:
        """Press a key, for real."""
        codes = {"ArrowRight": 39, "ArrowLeft": 37, "Home": 36, "End": 35, "Tab": 9, " ": 32}
        codes |= {"Enter": 13, "ArrowDown": 40}
        text = {" ": " ", "Enter": "\r"}.get(key, "")
        for kind in ("keyDown", "keyUp"):
            self.call(
                "Input.dispatchKeyEvent",
                type=kind,
                key=key,
                text=text if kind == "keyDown" else "",
                windowsVirtualKeyCode=codes[key],
            )

    def type(self, text: str) -> None:
        """Replace what stands in the focused field, as typing does."""
        self.ask("document.activeElement.select()")
        self.call("Input.insertText", text=text)

    def wait(self, expression: str) -> None:
        """Wait until an expression in the page holds."""
        end = time.monotonic() + _PATIENCE
        while not self.ask(expression):
            assert time.monotonic() < end, expression
            time.sleep(0.1)

    @property
    def complaints(self) -> list[dict[str, Any]]:
        """What the page logged, threw, opened or asked the network for."""
        told = {"Log.entryAdded", "Runtime.exceptionThrown", "Runtime.consoleAPICalled"}
        told |= {"Page.javascriptDialogOpening", "Page.windowOpen"}
        asked = [e for e in self.events if e["method"] == "Network.requestWillBeSent"]
        return [e for e in self.events if e["method"] in told] + asked[1:]


@contextmanager
def chromium(folder: Path) -> Iterator[Browser]:
    """Start the browser with a profile of its own, and end it."""
    assert CHROMIUM is not None
    there, to = os.pipe()
    back, here = os.pipe()
    options = ["--headless=new", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe"]
    start = [sys.executable, "-c", _START, str(there), str(here), CHROMIUM]
    command = [*start, *options, f"--user-data-dir={folder}"]
    process = subprocess.Popen(
        command, pass_fds=(there, here), stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    os.close(there)
    os.close(here)
    try:
        yield Browser(to, back)
    finally:
        os.close(to)  # the browser ends with its pipe
        try:
            process.wait(timeout=_PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        os.close(back)
