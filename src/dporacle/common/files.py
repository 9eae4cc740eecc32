"""Files are written beside their place and put there whole: nobody finds an empty or a half one.

Whatever a command writes goes this way; an interrupt leaves what was there before. What is no
regular file, such as a device or a pipe, is written itself.
"""

import contextlib
import errno
import os
import stat
from collections.abc import Iterator
from pathlib import Path

_LONGEST = 100  # characters of a name, so that one beside it is not too long
_LIVE = (Path("/dev"), Path("/proc"))  # a name there stands for a stream that is open already


@contextlib.contextmanager
def beside(path: Path, *, new: bool = False) -> Iterator[Path]:
    """Yield a path to write to, with the same suffix; then put what was written in its place.

    Args:
        path: where the file is to stand; through a link, where the link points.
        new: whether there may be no such file yet.

    Raises:
        FileExistsError: if there is one.
        OSError: if it cannot be written.
    """
    target = path.resolve()
    there = _mode(path)
    if new and there is not None:
        raise FileExistsError(errno.EEXIST, os.strerror(errno.EEXIST), str(path))
    if there is not None and stat.S_ISDIR(there):
        raise IsADirectoryError(errno.EISDIR, os.strerror(errno.EISDIR), str(path))
    special = there is not None and not stat.S_ISREG(there)
    if special or any(each in path.absolute().parents for each in _LIVE):
        yield path
        return
    if there is not None and not os.access(target, os.W_OK):
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))
    part = target.with_name(f".{os.urandom(4).hex()}-{target.name[-_LONGEST:]}")
    try:
        part.touch(exist_ok=False)
    except OSError as error:
        if there is None:
            raise OSError(error.errno, error.strerror, str(path)) from None
        yield target  # a file in a folder where no other can be made
        return
    try:
        yield part
        if there is not None:
            part.chmod(stat.S_IMODE(there))
        if new:
            _link(part, target)
        else:
            part.replace(target)
    finally:
        part.unlink(missing_ok=True)


def write(path: Path, content: str | bytes, *, new: bool = False) -> None:
    """Write a whole file; the arguments and errors are those of `beside`."""
    data = content.encode() if isinstance(content, str) else content
    with beside(path, new=new) as part:
        part.write_bytes(data)


def check(path: Path) -> None:
    """Raise an OSError if a file could not be written there; nothing is changed."""
    with contextlib.suppress(_NotNowError), beside(path) as part:
        if part != path or os.access(path, os.W_OK):
            raise _NotNowError
        raise PermissionError(errno.EACCES, os.strerror(errno.EACCES), str(path))


class _NotNowError(Exception):
    """Nothing is to be written."""


def _mode(path: Path) -> int | None:
    try:
        return path.stat().st_mode
    except FileNotFoundError:
        return None


def _link(part: Path, target: Path) -> None:
    """Give a file its name, unless another one has it by now."""
    try:
        target.hardlink_to(part)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        with target.open("xb"):
            part.replace(target)
