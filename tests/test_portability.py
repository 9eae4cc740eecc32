"""Where the system lacks what Linux has: imports work, and what cannot be done says so."""

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from dporacle.conformance.process import adapter
from dporacle.conformance.process.adapter import AdapterDiedError, AdapterProcess
from support.cases import table

pytestmark = pytest.mark.thorough("hundreds of modules are imported anew, as on another system")

# What only POSIX systems have fails as it does on Windows: modules, and names in two others.
BLOCKED = """
import importlib.abc, multiprocessing, os, pkgutil, signal, subprocess, sys
from importlib import import_module
class Windows(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in {"fcntl", "resource", "pwd", "grp", "termios"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Windows())
for module, names in {
    os: "fork forkpty setsid killpg getpgid getpgrp getuid geteuid getgid getegid sysconf wait4"
        " nice sched_getaffinity pipe2 set_blocking mkfifo O_NONBLOCK WNOHANG pidfd_open statvfs",
    signal: "SIGKILL SIGALRM SIGHUP SIGCHLD SIGPIPE SIGXFSZ SIGUSR1 SIGUSR2 pthread_sigmask"
        " setitimer alarm pidfd_send_signal",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
"""
OURS = """
import dporacle
package = import_module(sys.argv[1])
for each in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    if not each.name.endswith("__main__") and ".adapters" not in each.name:
        import_module(each.name)
print("imported")
"""


@pytest.mark.parametrize("package", table("everything_is_imported_without_posix_modules"))
def test_everything_is_imported_without_posix_modules(package: str) -> None:
    done = subprocess.run(
        # filelock asks for fcntl itself, and does without.
        [sys.executable, "-c", BLOCKED + OURS, f"dporacle.{package}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "imported\n", done.stderr


COMMANDS = """
from dporacle.cli import main
for line in sys.stdin.read().splitlines():
    try:
        main(line.split())
    except SystemExit as stop:
        print("status", stop.code)
"""
# What is said, and the status, of commands that are no wonder anywhere.
SAID = {
    "sigma --epsilon 1 --delta 1e-5": ("3.7306316348159418322", 0),
    "audit --epsilon 1 --delta 1e-5 --sigma 3.73": ("VIOLATED", 1),
    "audit --example dp-report": ("dp-report.toml", 0),
    "audit dp-report.toml --json": ("HOLDS", 1),
    "dp-sgd --noise-multiplier 2 --sampling-rate 1/10 --steps 2 --delta 1e-5": ("replace one", 0),
    "prove BW18.T1 --workers 1": ("statement", 0),
    "statements --verbose": ("BW18.T8", 0),
    "sample numpy --sigma 3 --limit 20000 --deviation 0.1": ("claim", 0),
    "history nowhere": ("No such file", 2),
}


@pytest.mark.parametrize("encoding", ["cp1252", "cp437"])
def test_commands_do_without_posix_in_the_encodings_of_windows(
    encoding: str, tmp_path: Path
) -> None:
    done = subprocess.run(
        [sys.executable, "-c", BLOCKED + COMMANDS],
        input="\n".join(SAID).encode(),
        cwd=tmp_path,
        env=os.environ | {"PYTHONIOENCODING": encoding, "PYTHONUTF8": "0", "COLUMNS": "100"},
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    parts = re.split(r"status (\d+)\n", done.stdout.decode(encoding))
    assert len(parts) == 2 * len(SAID) + 1, parts[-1]
    for (line, (said, status)), text, found in zip(
        SAID.items(), parts[::2], parts[1::2], strict=False
    ):
        assert (said in text, int(found)) == (True, status), (line, text)


def test_an_adapter_that_cannot_be_run_here_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "_POSIX", False)
    with (
        AdapterProcess([sys.executable, "-c", "raise SystemExit"]) as child,
        pytest.raises(AdapterDiedError, match=f"Linux and macOS, not on {sys.platform}"),
    ):
        child.start(timeout=1.0)
