"""The Coq development that comes with the package: its files, compiled once and kept in the cache.

The folder of a compiled development is named by its text and by Coq's version. A folder without
its last file was interrupted and is made again.
"""

import hashlib
import os
import shutil
import subprocess
from importlib import resources
from pathlib import Path

from filelock import FileLock

NAME = "Dporacle"
"""What the development is called in `From Dporacle Require Import …`."""

INSTALL = "apt-get install --no-install-recommends coq libcoq-interval"
"""How Debian and its relatives install what is needed."""

_SECONDS = 600  # for one file of the development, which takes some seconds
_MEMORY = 8_000_000  # in kilobytes: a proof that needs more has gone astray, and would take all
_DONE = "complete"
_LIBRARIES = ("Flocq", "Coquelicot", "Interval")


class CoqError(Exception):
    """Coq is not there, or did not do what it should."""


def find_coqc() -> str:
    """Return where `coqc` is.

    Raises:
        CoqError: if it, or a library that the development needs, is not installed.
    """
    found = shutil.which("coqc")
    if found is None:
        raise CoqError(f"coqc is not installed: {INSTALL}")
    place = Path(_asked(found, "-where").strip()) / "user-contrib"
    for library in _LIBRARIES:
        if not (place / library).is_dir():
            raise CoqError(f"Coq is installed, but its library {library} is not: {INSTALL}")
    return found


def _asked(coqc: str, option: str) -> str:
    try:
        return subprocess.run([coqc, option], capture_output=True, text=True, check=True).stdout
    except (OSError, subprocess.CalledProcessError) as error:
        raise CoqError(f"coqc could not be started: {error}") from None


def cache_folder() -> Path:
    """Return where compiled developments are kept: below `XDG_CACHE_HOME`, or `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification says that a relative path is to be ignored.
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    return root / "dporacle" / "coq"


def sources() -> dict[str, str]:
    """Return the files of the development and their text, each after those that it needs."""
    folder = resources.files("dporacle.wings.coq") / "theories"
    lines = (folder / "_CoqProject").read_text(encoding="utf-8").splitlines()
    names = [line for line in lines if line.endswith(".v")]
    return {name: (folder / name).read_text(encoding="utf-8") for name in names}


def run(file: Path, *, development: Path, seconds: float) -> subprocess.CompletedProcess[str]:
    """Compile one file that may use the development, and return what `coqc` did.

    Args:
        file: the file; what is compiled of it is put beside it.
        development: the folder of the compiled development.
        seconds: the time limit.

    Raises:
        CoqError: if coqc is not installed, cannot be started or exceeds the time limit.
    """
    limited = ["sh", "-c", f'ulimit -v {_MEMORY} 2>/dev/null; exec "$@"', "sh"]
    command = [find_coqc(), "-q", "-w", "none", "-R", str(development), NAME, str(file)]
    try:
        return subprocess.run(
            limited + command, capture_output=True, text=True, timeout=seconds, check=False,
            stdin=subprocess.DEVNULL,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        raise CoqError(f"coqc took more than {seconds:g} seconds for {file.name}") from None
    except OSError as error:
        raise CoqError(f"coqc could not be started: {error}") from None


def compiled(cache: Path | None = None) -> Path:
    """Return the folder of the compiled development, compiling it if it is not there.

    Args:
        cache: where compiled developments are kept; `cache_folder()` if None.

    Raises:
        CoqError: if that fails, with what Coq said about it.
    """
    texts = sources()
    version = _asked(find_coqc(), "--print-version")
    content = version + "".join(f"{name}\n{text}" for name, text in texts.items())
    key = hashlib.sha256(content.encode()).hexdigest()[:16]
    folder = (cache or cache_folder()) / key
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with FileLock(folder / "lock"):
            if not (folder / _DONE).is_file():
                _compile(folder, texts)
                (folder / _DONE).touch()
    except (OSError, NotImplementedError) as error:  # a file system without locks
        raise CoqError(f"cannot use the cache folder {folder}: {error}") from None
    return folder


def _compile(folder: Path, texts: dict[str, str]) -> None:
    for name, text in texts.items():
        file = folder / name
        file.write_text(text, encoding="utf-8")
        done = run(file, development=folder, seconds=_SECONDS)
        if done.returncode:
            raise CoqError(f"coqc refuses {name} of the development:\n{done.stderr.strip()}")
