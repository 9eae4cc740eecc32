"""What a slow command is doing is seen on a terminal, and leaves no trace in what it prints."""

import io
import re
import sys
import time
from pathlib import Path

import pytest

import dporacle
from dporacle.cli import heartbeat, main
from dporacle.cli.bars import bars, followed
from dporacle.cli.run_conform import _Bars


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
    monkeypatch.setenv("TERM", "xterm")
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


def test_nothing_is_seen_where_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    before = sys.stdout, sys.stderr
    with heartbeat.heartbeat("audit"):
        assert (sys.stdout, sys.stderr) == before
        time.sleep(0.05)
    assert not terminal.getvalue()


def test_it_rests_while_a_bar_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    monkeypatch.setattr(sys, "stdout", io.StringIO())  # bars are on standard error
    with heartbeat.heartbeat("prove"):
        terminal.wait("prove  0 s")
        with bars() as progress:
            progress.add_task("boxes", total=2)
            terminal.wait("boxes")
            before = terminal.getvalue().count("prove")
            time.sleep(0.1)
            assert terminal.getvalue().count("prove") == before
        heartbeat.doing("writing")
        terminal.wait("prove: writing")


@pytest.mark.parametrize("term", ["xterm", "dumb"])
@pytest.mark.parametrize("colours", [True, False])
def test_nothing_that_moves_is_shown_where_nothing_can_be_erased(
    colours: bool, term: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """In a file, though a service asks for colours in its log, and on a terminal without them."""
    monkeypatch.setattr(heartbeat, "_FIRST", 0.01)
    monkeypatch.setenv("TERM", term)
    if colours:
        monkeypatch.setenv("FORCE_COLOR", "1")
    else:
        monkeypatch.delenv("FORCE_COLOR", raising=False)
    file = io.StringIO() if term == "xterm" else Terminal()
    monkeypatch.setattr(sys, "stderr", file)
    assert [*followed(iter("abc"), "reading", 3)] == ["a", "b", "c"]
    with heartbeat.heartbeat("audit"):
        time.sleep(0.05)
    assert not file.getvalue()
    with _Bars(quiet=False) as shown:
        shown.update("mine", "building", 0, 0)
        shown.update("mine", "delta_at_epsilon", 3, 9)
    assert file.getvalue() == "mine: building\n"


@pytest.mark.parametrize("terminal", [True, False])
@pytest.mark.parametrize("quiet", [True, False])
def test_judging_in_quiet_shows_that_it_is_at_work(
    terminal: bool, quiet: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a terminal bars, of which nothing stays; in a file nothing but the last line."""
    file = Terminal() if terminal else io.StringIO()
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr(sys, "stderr", file)
    with _Bars(quiet=quiet) as shown:
        shown.update("mine", "building", 0, 0)
        shown.update("mine", "delta_at_epsilon", 3, 9)
    assert ("3/9" in file.getvalue()) == terminal
    assert ("mine: building" in file.getvalue()) == (not terminal and not quiet)
    assert file.getvalue().endswith("\x1b[2K") == (terminal and quiet)


def test_progress_is_shown_in_one_way() -> None:
    """A bar beside `bars` would be written into files, or over the line of a slow command."""
    source = Path(dporacle.__file__).parent
    found = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if re.search(r"import.*\b(Progress|track)\b", path.read_text("utf-8"))
        and "rich.progress" in path.read_text("utf-8")
    }
    assert found == {"cli/bars.py", "cli/run_conform.py"}


def test_every_command_is_watched(monkeypatch: pytest.MonkeyPatch) -> None:
    terminal = watched(monkeypatch)
    options = "--noise-multiplier 2 --batches-per-epoch 4 --epochs 1 --delta 1e-5"
    with pytest.raises(SystemExit) as stop:
        main(["dp-sgd", "--compare", *options.split()])
    assert stop.value.code == 0
    assert "of 6" in terminal.getvalue()
    assert terminal.seen().startswith("noise multiplier  2")
