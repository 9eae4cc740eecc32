"""Keep an adapter's processes together, so that none of them survives it.

On Linux the judge starts this file as a program of its own, which starts the adapter, in a new
process namespace where the system allows that: then the kernel ends everything with its first
process, whatever it forked or however it detached itself. Elsewhere orphans are handed to this
program (it is their subreaper), which is asked for all its descendants. Standard library only,
and nothing of ours, since it runs as a bare script.

It also ends an adapter whose processes together are too many or take too much memory, and one
whose judge is gone.
"""

import ctypes
import os
import select
import signal
import sys
import time
from collections.abc import Mapping
from typing import NamedTuple, NoReturn

try:
    import resource
except ImportError:  # Windows has no such limits
    resource = None  # type: ignore[assignment]

_PATH = "PATH"  # where a folder that is not there marks the processes of an adapter
_LEAST_NUMBER, _NUMBERS = 1000, 20000  # of processes, in a namespace of their own
_PASSED = 256  # numbers that are passed over one by one, where they cannot be set

ENDED = "ended by the judge"
"""With these words it says that it made an end of an adapter itself."""

_TICK = 0.5  # seconds between two looks at what the adapter takes
_PDEATHSIG, _SUBREAPER = 1, 36  # prctl
_NEWUSER, _NEWPID, _NEWNS = 0x10000000, 0x20000000, 0x00020000  # unshare
_PRIVATE = 0x4000 | 0x40000  # mount: MS_REC, MS_PRIVATE


class _Process(NamedTuple):
    pid: int
    parent: int
    started: str
    resident: int


def supported() -> bool:
    """Whether this platform has what the supervisor needs."""
    return sys.platform.startswith("linux") and os.path.exists("/proc/self/stat")  # noqa: PTH110


def descendants(root: int) -> list[_Process]:
    """Return the living descendants of a process, nearest first."""
    children: dict[int, list[_Process]] = {}
    for name in os.listdir("/proc"):  # noqa: PTH208 - a hot loop
        if name.isdigit() and (process := _look(int(name))):
            children.setdefault(process.parent, []).append(process)
    found: list[_Process] = []
    ahead = [root]
    for pid in ahead:
        found += children.get(pid, ())
        ahead += (process.pid for process in children.get(pid, ()))
    return found


def lineage(pid: int, root: int) -> frozenset[int]:
    """Return a descendant of a process and those that it descends from; none if it is gone."""
    parents = {process.pid: process.parent for process in descendants(root)}
    found = set()
    while pid in parents:
        found.add(pid)
        pid = parents[pid]
    return frozenset(found)


def sweep(root: int, *, spared: frozenset[int] = frozenset(), seconds: float = 10.0) -> bool:
    """Kill all descendants of a process but those to be spared; return whether none is left."""
    deadline = time.monotonic() + seconds
    while found := [each for each in descendants(root) if each.pid not in spared]:
        if time.monotonic() > deadline:
            return False
        for process in found:
            _kill(process)
        time.sleep(0.002)
    return True


def marked(environment: Mapping[str, str], token: str) -> dict[str, str]:
    """Return an environment by which processes are known when they are orphans.

    Their search path has one folder more, which is not there; a variable would tell them more.
    """
    path = environment.get(_PATH, os.defpath)
    return {**environment, _PATH: f"{path}{os.pathsep}/usr/local/{token}"}


def sweep_marked(token: str) -> None:
    """Kill the processes that were started with this mark in their environment."""
    wanted = f"/usr/local/{token}".encode()
    for name in os.listdir("/proc"):  # noqa: PTH208
        try:
            with open(f"/proc/{name}/environ", "rb") as file:  # noqa: PTH123
                found = name.isdigit() and wanted in file.read()
        except OSError:
            continue
        if found and (process := _look(int(name))):
            _kill(process)


def _look(pid: int) -> _Process | None:
    """Return what the system says of a process, unless it has ended."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:  # noqa: PTH123
            words = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    if words[0] in b"ZX":
        return None
    return _Process(pid, int(words[1]), words[19].decode(), int(words[21]))


def _kill(process: _Process) -> None:
    """Kill exactly this process, not one that got its number in the meantime."""
    try:
        handle = os.pidfd_open(process.pid)
    except OSError:
        return
    try:
        now = _look(process.pid)
        if now is not None and now.started == process.started:
            signal.pidfd_send_signal(handle, signal.SIGKILL)
    except OSError:
        pass
    finally:
        os.close(handle)


def _limited(name: str, most: int) -> None:
    if resource is None:
        return
    what = getattr(resource, name)
    try:
        hard = resource.getrlimit(what)[1]
        most = most if hard == resource.RLIM_INFINITY else min(most, hard)
        resource.setrlimit(what, (most, hard))
    except (OSError, ValueError):
        pass  # where a platform refuses the limit, the adapter runs without it


def _become(command: list[str], memory: int) -> NoReturn:
    """Turn this process into the adapter."""
    _limited("RLIMIT_CORE", 0)
    _limited("RLIMIT_AS", memory)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):  # Python ignores them, and would pass that on
        signal.signal(number, signal.SIG_DFL)
    try:
        os.execvp(command[0], command)
    except OSError as error:
        os.write(2, f"{command[0]}: {error.strerror}\n".encode())
    os._exit(127)


def _namespace(libc: ctypes.CDLL) -> bool:
    """Move the children to come into a process namespace of their own, if that is allowed."""
    user, group = os.getuid(), os.getgid()
    if libc.unshare(_NEWPID) == 0:  # root may
        return True
    if libc.unshare(_NEWUSER | _NEWPID):
        return False
    try:
        for name, text in (
            ("setgroups", "deny"),
            ("uid_map", f"{user} {user} 1"),
            ("gid_map", f"{group} {group} 1"),
        ):
            with open(f"/proc/self/{name}", "w") as file:  # noqa: PTH123
                file.write(text)
    except OSError:
        pass  # the adapter sees itself as nobody, and may do what it may
    return True


def _own_proc(libc: ctypes.CDLL) -> None:
    """Show the namespace's own processes below /proc, where that is allowed, and no others."""
    if libc.unshare(_NEWNS) == 0 and libc.mount(b"none", b"/", None, _PRIVATE, None) == 0:
        libc.mount(b"proc", b"/proc", b"proc", 0, None)


def _pass_numbers() -> None:
    """See to it that the next process of a namespace has no number that tells what it is."""
    chosen = int.from_bytes(os.urandom(4), "little")
    try:
        with open("/proc/sys/kernel/ns_last_pid", "w") as file:  # noqa: PTH123
            file.write(str(_LEAST_NUMBER + chosen % _NUMBERS))
    except OSError:
        for _ in range(_PASSED + chosen % _PASSED):
            if (pid := os.fork()) == 0:
                os._exit(0)
            os.waitpid(pid, 0)


def _first(channel: int, command: list[str], memory: int) -> NoReturn:
    """Be the first process of a namespace: collect who ends, and end with the adapter."""
    _pass_numbers()
    adapter = _forked(command, memory)
    _let_go(0, 1, 2)
    while True:
        pid, status = os.wait()
        if pid == adapter:
            os.write(channel, status.to_bytes(4, "little"))
            os._exit(0)


def _forked(command: list[str], memory: int) -> int:
    pid = os.fork()
    if pid == 0:
        os.setsid()
        _become(command, memory)
    return pid


def _let_go(*streams: int) -> None:
    """Close standard streams, so that the adapter alone holds them."""
    nothing = os.open(os.devnull, os.O_RDWR)
    for stream in streams:
        os.dup2(nothing, stream)


def _watch(first: int, lifeline: int, memory: int, processes: int) -> tuple[int, str]:
    """Wait for the end; return its status, and why we made an end if we did."""
    awake, wake = os.pipe2(os.O_NONBLOCK)
    signal.set_wakeup_fd(wake, warn_on_full_buffer=False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    page = os.sysconf("SC_PAGE_SIZE")
    while True:
        while True:  # orphans that were handed to us are collected too
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return signal.SIGKILL, ""
            if pid == first:
                return status, ""
            if pid == 0:
                break
        ready, _, _ = select.select([awake, lifeline], [], [], _TICK)
        if lifeline in ready:
            return signal.SIGKILL, "its judge is gone"
        if awake in ready:
            os.read(awake, 4096)
            continue
        found = descendants(os.getpid())
        if len(found) > processes:
            return signal.SIGKILL, f"more than {processes} processes"
        if sum(process.resident for process in found) * page > memory:
            return signal.SIGKILL, f"more than {memory} bytes of memory in its processes"


def _leave(status: int) -> NoReturn:
    """End as the adapter ended."""
    if os.WIFSIGNALED(status):
        number = os.WTERMSIG(status)
        if number != signal.SIGKILL:
            signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
    os._exit(os.WEXITSTATUS(status))


def main(memory: int, processes: int, lifeline: int, command: list[str]) -> NoReturn:
    """Run an adapter and see to it that nothing of it remains."""
    if not supported():  # no supervision: the process group has to do
        os.close(lifeline)
        _become(command, memory)
    _limited("RLIMIT_CORE", 0)  # we end by the adapter's signal
    libc = ctypes.CDLL(None)
    libc.prctl(_SUBREAPER, 1, 0, 0, 0)
    channel = None
    if _namespace(libc):
        channel, inner = os.pipe()
        first = os.fork()
        if first == 0:
            libc.prctl(_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
            _own_proc(libc)
            os.close(channel)
            os.close(lifeline)
            _first(inner, command, memory)
        os.close(inner)
    else:
        os.set_inheritable(lifeline, False)
        first = _forked(command, memory)
    _let_go(0, 1)
    status, why = _watch(first, lifeline, memory, processes)
    sweep(os.getpid())
    if channel is not None and not why:
        told = os.read(channel, 4)
        status = int.from_bytes(told, "little") if told else signal.SIGKILL
    if why and select.select([], [2], [], 0)[1]:
        os.write(2, f"\n{ENDED}: {why}\n".encode())
    _leave(status)


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:])
