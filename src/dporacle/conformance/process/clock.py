"""How much of the judge's patience an adapter has used: its processor time, and its idleness.

A clock on the wall would judge the machine. What counts is the processor time of the adapter's
processes, and the time in which none of them was even ready to run: whoever sleeps instead of
answering uses up patience too, whoever waits for a busy machine's processor does not. A clock on
the wall is only the guard behind it, and generous.

Where there is no /proc, `ps` tells the same.
"""

import contextlib
import math
import os
import subprocess
import time
from pathlib import Path
from typing import NamedTuple, Protocol

TICK = 0.05
"""Seconds between two looks at the processes."""

GUARD = 25.0
"""On the wall, this many times the patience is too long, whatever the machine does …"""

LEAST_GUARD = 20.0
"""… and never less than so many seconds."""

_RESCAN = 10  # looks between two searches for new processes
_JIFFY = 1 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else math.nan  # Windows: no /proc


class _Look(NamedTuple):
    """What the system says of one process.

    Attributes:
        parent: its parent.
        ready: whether it runs, would run, or waits for the disk.
        own: its processor time, in seconds.
        children: that of its children that have ended and were collected.
    """

    parent: int
    ready: bool
    own: float
    children: float


class Clock(Protocol):
    """Tells how much patience was used since `begin`."""

    def begin(self) -> None:
        """Start to count."""

    def spent(self) -> float:
        """Return the seconds that count, up to now."""

    def finished(self) -> float:
        """Return the same when an answer has come: whoever waits for us now is not idle."""


class _TreeClock:
    """Counts the processor time and the idleness of the descendants of a process.

    The root itself is our supervisor: of its time only that of collected children counts.
    """

    def __init__(self, root: int) -> None:
        self._root = root
        self._known: list[int] = []
        self._looks = 0
        self._used = self._at = self._spent = 0.0
        self.begin()

    def begin(self) -> None:
        """Start to count."""
        self._spent = 0.0
        self._used, _ = self._measured(rescan=not self._known)
        self._at = time.monotonic()

    def spent(self) -> float:
        """Return the seconds of processor time or idleness since `begin`."""
        self._looks += 1
        used, ready = self._measured(rescan=self._looks % _RESCAN == 0)
        now = time.monotonic()
        # Whoever watches may himself have been kept waiting: a look counts for two ticks at most.
        idle = 0.0 if ready else min(now - self._at, 2 * TICK)
        self._spent += max(used - self._used, idle)
        self._used, self._at = max(used, self._used), now
        return self._spent

    def finished(self) -> float:
        """Return the seconds since `begin`, the last of them without idleness."""
        used, _ = self._measured(rescan=False)
        self._spent += max(used - self._used, 0.0)
        return self._spent

    def _measured(self, *, rescan: bool) -> tuple[float, bool]:
        """Return the processor time of all together, and whether one of them is ready to run."""
        if rescan:
            self._known = self._found()
        looks = [look for pid in self._known if (look := self._look(pid))]
        root = self._look(self._root)
        total = sum(look.own + look.children for look in looks)
        return total + (root.children if root else 0.0), any(look.ready for look in looks)

    def _look(self, pid: int) -> _Look | None:
        return _from_proc(pid)

    def _found(self) -> list[int]:
        pids = [int(name) for name in os.listdir("/proc") if name.isdigit()]  # noqa: PTH208
        return _below(self._root, {pid: look for pid in pids if (look := _from_proc(pid))})


class _PsClock(_TreeClock):
    """The same by `ps`, asked once for every look."""

    def _measured(self, *, rescan: bool) -> tuple[float, bool]:
        table = from_ps(_ps())
        found = [table[pid] for pid in _below(self._root, table)]
        return sum(look.own for look in found), any(look.ready for look in found)


def clock_of(root: int) -> Clock:
    """Return the clock for the descendants of a process."""
    return _TreeClock(root) if Path("/proc/self/stat").exists() else _PsClock(root)


def _below(root: int, table: dict[int, _Look]) -> list[int]:
    children: dict[int, list[int]] = {}
    for pid, look in table.items():
        children.setdefault(look.parent, []).append(pid)
    found = [root]
    for pid in found:
        found += children.get(pid, ())
    return found[1:]


def _from_proc(pid: int) -> _Look | None:
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123 - a hot loop
            words = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    own, children = (_JIFFY * (int(words[at]) + int(words[at + 1])) for at in (11, 13))
    ready = words[0] in b"RD" or (int(words[17]) > 1 and _threads_ready(pid))
    return _Look(int(words[1]), ready, own, children)


def _threads_ready(pid: int) -> bool:
    """Whether a thread other than the first is ready to run."""
    with contextlib.suppress(OSError):
        for name in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            with open(f"/proc/{pid}/task/{name}/stat", "rb") as file:  # noqa: PTH123
                if file.read().rpartition(b")")[2].split()[0] in b"RD":
                    return True
    return False


def _ps() -> str:
    command = ["ps", "-A", "-o", "pid=,ppid=,stat=,time="]
    return subprocess.run(command, capture_output=True, text=True, check=False).stdout


def from_ps(text: str) -> dict[int, _Look]:
    """Return what `ps -A -o pid=,ppid=,stat=,time=` says of each process.

    Times are written as minutes and seconds, with hours and days where there are some.
    """
    found: dict[int, _Look] = {}
    for line in text.splitlines():
        words = line.split()
        if len(words) == 4:
            days, dash, clock = words[3].rpartition("-")
            seconds = 86400.0 * int(days) if dash else 0.0
            for place, part in enumerate(reversed(clock.split(":"))):
                seconds += float(part) * 60**place
            ready = words[2][0] in "RDU"
            found[int(words[0])] = _Look(int(words[1]), ready, seconds, 0.0)
    return found
