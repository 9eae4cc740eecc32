"""Files under names that say nothing, so that a library cannot tell by them that it is judged."""

import atexit
import shutil
import tempfile
from functools import cache
from pathlib import Path


@cache
def _folder() -> Path:
    """Return a folder that is removed when this process ends."""
    folder = Path(tempfile.mkdtemp())
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def copied(file: Path, name: str) -> Path:
    """Return a copy of a file, with this name."""
    copy = Path(tempfile.mkdtemp(dir=_folder())) / name
    shutil.copyfile(file, copy)
    return copy


@cache
def linked(folder: Path) -> Path:
    """Return a link to a folder: a path to what is in it that does not have its name."""
    link = Path(tempfile.mkdtemp(dir=_folder())) / "venv"
    link.symlink_to(folder, target_is_directory=True)
    return link
