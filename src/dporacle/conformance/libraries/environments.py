"""An isolated environment for each audited library, built once by uv and kept in the cache.

The environment's folder is named by what is in it, so a changed requirement is a new folder.
A folder without its last file was interrupted and is built again, and so is one whose packages are
gone: what cleans a cache may leave the one and take the others.
"""

import hashlib
import importlib.metadata
import json
import os
import platform
import re
import subprocess
import sys
import threading
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import NamedTuple

from filelock import FileLock

from dporacle.common import extras
from dporacle.conformance.libraries.pinned import LIBRARIES, Library

_BUILD_SECONDS = 900
_DONE = "dporacle-complete.json"
_FINDING = threading.Lock()  # it asks sysconfig, whose first use is not safe in two threads


class EnvironmentBuildError(Exception):
    """A library's environment could not be made."""


def cache_folder() -> Path:
    """Return where environments are kept: below `XDG_CACHE_HOME`, or `~/.cache`."""
    base = os.environ.get("XDG_CACHE_HOME", "")
    # The specification says that a relative path is to be ignored.
    root = Path(base) if base and Path(base).is_absolute() else Path.home() / ".cache"
    return root / "dporacle" / "environments"


def python_for(library: Library) -> Path:
    """Return the interpreter of a library's environment, building it if it is not there.

    Raises:
        EnvironmentBuildError: if it cannot be built, with what uv said about it.
    """
    if library.moving:
        library = _found(library)
    place = _place(library)
    folder = place.folder
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(folder.with_name(folder.name + ".lock")):
            if not place.complete():
                _build(folder, place.python, place.interpreter, library)
                if missing := place.missing():
                    raise EnvironmentBuildError(f"{folder} was built without {', '.join(missing)}")
                (folder / _DONE).write_text(place.content, encoding="utf-8")
    except (OSError, NotImplementedError) as error:  # a file system without locks
        raise EnvironmentBuildError(f"cannot use the cache folder {folder}: {error}") from None
    return place.interpreter


def check_tool(libraries: Sequence[Library]) -> None:
    """Make sure that the environments that are not there yet can be built.

    Raises:
        EnvironmentBuildError: with what to install, where they cannot.
    """
    unbuilt = [each for each in libraries if each.distribution and not _is_built(each)]
    if not unbuilt:
        return
    try:
        _tool()
    except EnvironmentBuildError as error:
        names = ", ".join(each.name for each in unbuilt)
        raise EnvironmentBuildError(
            f"{error}; it makes an environment for {names}. A LIBRARY that a Python has already is "
            "judged without it: --python FILE"
        ) from None


def _is_built(library: Library) -> bool:
    return not library.moving and _place(library).complete()


def python_there(library: Library) -> Path | None:
    """Return an interpreter that has a library already: of its environment, or else our own."""
    place = _place(library)
    if place.complete():
        return place.interpreter
    try:
        importlib.metadata.version(library.distribution)
    except (importlib.metadata.PackageNotFoundError, ValueError):
        return None
    return Path(sys.executable)


class _Place(NamedTuple):
    """Where a library's environment is, or would be, and what it is made of."""

    folder: Path
    python: str
    interpreter: Path
    content: str
    requirements: tuple[str, ...]

    def complete(self) -> bool:
        """Whether it is there, its making was not interrupted, and nothing was taken from it."""
        made = (self.folder / _DONE).is_file() and self.interpreter.exists()
        return made and not self.missing()

    def missing(self) -> list[str]:
        """Return what it should hold and does not."""
        return sorted(_names(self.requirements) - set(_installed(self.folder)))


def _names(requirements: Sequence[str]) -> set[str]:
    found = (re.match(r"[\w.-]+", each, re.ASCII) for each in requirements)
    return {_normal(each[0]) for each in found if each}


def _normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def _packages(folder: Path, pattern: str) -> Iterator[Path]:
    """Yield what matches below lib/python3.x/site-packages, or Lib/site-packages on Windows."""
    yield from folder.glob(f"lib/python*/site-packages/{pattern}")
    yield from folder.glob(f"Lib/site-packages/{pattern}")


def _installed(folder: Path) -> Iterator[str]:
    """Yield the distributions of an environment of which every module and folder is there."""
    for record in _packages(folder, "*.dist-info/RECORD"):
        packages = record.parents[1]
        lines = record.read_text(encoding="utf-8", errors="replace").splitlines()
        # A path with a comma stands in quotes; its first part is all that is looked at.
        tops = {line.lstrip('"').partition(",")[0].partition("/")[0] for line in lines if line}
        if all((packages / top).exists() for top in tops - {"..", "__pycache__"}):
            yield _normal(record.parent.name.removesuffix(".dist-info").rpartition("-")[0])


def _place(library: Library) -> _Place:
    python = _interpreter(library)
    content = {
        "python": python,
        "platform": [platform.python_implementation(), platform.machine(), sys.platform],
        "requirements": sorted(library.requirements),
    }
    text = json.dumps(content, indent=1, sort_keys=True)
    key = hashlib.sha256(text.encode()).hexdigest()[:16]
    folder = cache_folder() / f"{library.name}-{library.version}-{key}"
    scripts = "Scripts/python.exe" if sys.platform == "win32" else "bin/python"
    return _Place(folder, python, folder / scripts, text, library.requirements)


def program_for(library: Library) -> Path:
    """Return the program in a library's environment that runs its adapter, building it first.

    Raises:
        EnvironmentBuildError: if it cannot be built, or the program is not there.
    """
    python = python_for(library)
    for program in _packages(python.parents[1], library.program):
        if program.is_file():
            return program
    raise EnvironmentBuildError(f"{library.requirements[0]} has no {library.program}")


def _interpreter(library: Library) -> str:
    """Return our own interpreter where the library runs on it, else a version for uv to find."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    return os.path.realpath(sys.executable) if version in library.pythons else library.pythons[0]


def _found(library: Library) -> Library:
    """Return a library with the newest versions that there are now, or with the main branch's.

    Where the newest release is the one that was tried, what was tried with it is taken too.
    """
    source = [word for name in _from_source(library) for word in ("--no-binary", name)]
    text = _call(
        [
            *_quiet(),
            "pip",
            "compile",
            "--quiet",
            "--no-header",
            "--no-annotate",
            "--only-binary",
            ":all:",
            *source,
            *(["--no-deps"] if library.alone else []),
            "--python",
            _interpreter(library),
            "-",
        ],
        library.requirements[0],
    )
    pins = [line.strip() for line in text.splitlines() if line.strip()]
    own = re.compile(rf"{re.escape(library.distribution)}(==| @ )(.*)", re.IGNORECASE)
    (first,) = (pin for pin in pins if own.fullmatch(pin))
    needs = library.needs if library.alone else tuple(pin for pin in pins if pin != first)
    known = LIBRARIES.get(library.name)
    if known is not None and known.requirements[0].lower() == first.lower():
        return known
    version = first.rpartition("==")[2] if "==" in first else first.rpartition("@")[2][:8]
    return replace(library, version=version, exact=first, needs=needs)


def _build(folder: Path, python: str, interpreter: Path, library: Library) -> None:
    quiet = _quiet()
    _call([*quiet, "venv", "--quiet", "--clear", "--python", python, str(folder)])
    # Wheels where there are wheels: building source takes long and needs compilers.
    source = [word for name in _from_source(library) for word in ("--no-binary", name)]
    alone = ["--no-deps"] if library.alone else []
    _call(
        [
            *quiet,
            "pip",
            "install",
            "--quiet",
            "--only-binary",
            ":all:",
            *source,
            *alone,
            "--python",
            str(interpreter),
            *library.requirements,
        ]
    )


def _tool() -> str:
    with _FINDING:
        try:
            import uv

            return uv.find_uv_bin()
        except ImportError as error:
            raise EnvironmentBuildError(extras.advice(error) or str(error)) from None
        except FileNotFoundError as error:
            raise EnvironmentBuildError(f"uv is not installed: {error}") from None


def _quiet() -> list[str]:
    return [_tool(), "--no-progress", "--color", "never"]


def _from_source(library: Library) -> tuple[str, ...]:
    """Return what is built: what has no wheels, and what comes from a branch."""
    branch = (library.distribution,) if " @ " in library.requirements[0] else ()
    return (*library.from_source, *branch)


def _call(command: Sequence[str], given: str = "") -> str:
    try:
        done = subprocess.run(
            command, input=given.encode(), capture_output=True, timeout=_BUILD_SECONDS, check=False
        )
    except subprocess.TimeoutExpired:
        raise EnvironmentBuildError(f"uv took longer than {_BUILD_SECONDS} s") from None
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip()
        raise EnvironmentBuildError(f"uv failed: {said[-2000:] or done.returncode}")
    return done.stdout.decode("utf-8", "replace")
