"""Where the system lacks what Linux has: imports work, and what cannot be done says so."""

from __future__ import annotations

import subprocess
import sys

import pytest

from dporacle.conformance import process
from dporacle.conformance.process import AdapterDiedError, AdapterProcess

# An import that fails as it does on Windows, of what only POSIX systems have.
BLOCKED = """
import importlib.abc, pkgutil, sys
from importlib import import_module
class Windows(importlib.abc.MetaPathFinder):
    def find_spec(self, name, path=None, target=None):
        if name in {"fcntl", "resource", "pwd", "grp", "termios"}:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
for name in ("fcntl", "resource", "pwd", "grp", "termios"):
    sys.modules.pop(name, None)
sys.meta_path.insert(0, Windows())
"""
OURS = """
import dporacle
package = import_module(sys.argv[1])
for each in pkgutil.iter_modules(package.__path__, package.__name__ + "."):
    if not each.name.endswith("__main__") and ".adapters" not in each.name:
        import_module(each.name)
print("imported")
"""


@pytest.mark.parametrize(
    "package",
    ["conformance", "coq", "claims", "claims.streaming", "cli", "regions", "samplers", "report"],
)
def test_everything_is_imported_without_posix_modules(package: str) -> None:
    done = subprocess.run(
        # filelock asks for fcntl itself, and does without.
        [sys.executable, "-c", BLOCKED + OURS, f"dporacle.{package}"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "imported\n", done.stderr


def test_an_adapter_that_cannot_be_run_here_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_POSIX", False)
    with (
        AdapterProcess([sys.executable, "-c", "raise SystemExit"]) as child,
        pytest.raises(AdapterDiedError, match=f"Linux and macOS, not on {sys.platform}"),
    ):
        child.start(timeout=1.0)
