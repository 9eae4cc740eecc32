"""What a slow command is doing is seen on a terminal, and leaves no trace in what it prints."""

import io
import re
import sys
import time

import pytest

from dporacle.cli import COMMANDS, heartbeat, main


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True

    def seen(self) -> str:
        """What is left on the screen."""
        return re.sub(r"[^\n]*\r\x1b\[K", "", self.getvalue())

    def wait(self, text: str) -> None:
        end = time.monotonic() + 5
        while text not in self.getvalue():
            assert time.monotonic() < end, self.getvalue()
            time.sleep(0.01)


def watched(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    found = Terminal()
    monkeypatch.setattr(sys, "stdout", found)
    monkeypatch.setattr(sys, "stderr", found)
    monkeypatch.setattr(heartbeat, "_FIRST", 0.01)
    monkeypatch.setattr(heartbeat, "_EACH", 0.01)
    return found


def test_a_command_says_what_it_does_until_it_answers(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with heartbeat.heartbeat("dp-sgd"):
        heartbeat.doing("shuffled, 2 of 6")
        terminal.wait("dp-sgd: shuffled, 2 of 6  0 s")
        sys.stdout.write("the answer\n")
        heartbeat.doing("drawing")
        terminal.wait("dp-sgd: drawing")
    assert terminal.seen() == "the answer\n"
    assert sys.stdout is sys.stderr is terminal


def test_half_a_line_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    with heartbeat.heartbeat("audit"):
        terminal.wait("audit  0 s")
        sys.stdout.write("half a line")
        time.sleep(0.1)
        sys.stdout.write(" and the rest\n")
    assert terminal.seen() == "half a line and the rest\n"


@pytest.mark.parametrize("command", ["audit", *sorted(heartbeat.OWN_BARS)])
def test_nothing_is_seen_where_nobody_looks_or_a_bar_is_shown(
    command: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    terminal = watched(monkeypatch)
    assert command in COMMANDS
    if command == "audit":
        monkeypatch.setattr(sys, "stderr", io.StringIO())
    before = sys.stdout, sys.stderr
    with heartbeat.heartbeat(command):
        assert (sys.stdout, sys.stderr) == before
        time.sleep(0.05)
    assert not terminal.getvalue()


def test_every_command_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    options = "--noise-multiplier 2 --batches-per-epoch 4 --epochs 1 --delta 1e-5"
    with pytest.raises(SystemExit) as stop:
        main(["dp-sgd", "--compare", *options.split()])
    assert stop.value.code == 0
    assert "of 6" in terminal.getvalue()
    assert terminal.seen().startswith("noise multiplier  2")
