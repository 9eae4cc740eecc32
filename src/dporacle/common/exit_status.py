"""What a command's exit status says: one meaning each, for every command.

A status is a promise to whoever runs the command in a script: 1 says that something was found, and
nothing else does. `true_status` keeps the promise where the command itself cannot: when it is
interrupted, when its output cannot be written, and when it fails.
"""

import codecs
import contextlib
import errno
import io
import os
import sys
import traceback
from collections.abc import Callable
from enum import IntEnum

import click


class ExitStatus(IntEnum):
    """The exit statuses of all commands."""

    FINE = 0
    """Done, and nothing is wrong but what the caller expects or allows."""
    FINDING = 1
    """Something is wrong: violated, refuted, not conformant, not as it should be."""
    USAGE = 2
    """The command line, or a file that it names, is not as it must be."""
    NO_ANSWER = 3
    """Undecided, or it could not be run."""
    OUTPUT = 4
    """What was found could not be written."""
    FAULT = 70
    """An error in this program."""
    INTERRUPTED = 130
    """Interrupted by Ctrl-C."""


def true_status(command: Callable[[], None]) -> int:
    r"""Run a command of click's and return its exit status, after all output has been written.

    Text that the terminal's encoding lacks is written as `\uXXXX`, which JSON reads too.
    """
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors=_ESCAPED)
    try:
        status = _run(command)
        if sys.stdout is None:
            raise ValueError("standard output is closed")
        sys.stdout.flush()
    except (OSError, ValueError) as error:  # ValueError: standard output is closed
        file = getattr(error, "filename", None)
        _say(f"Error: {file or 'output'}: {getattr(error, 'strerror', None) or error}", error)
        _let_go(sys.stdout)
        return ExitStatus.OUTPUT if file is None else ExitStatus.USAGE
    except KeyboardInterrupt:
        return ExitStatus.INTERRUPTED
    return status


def _run(command: Callable[[], None]) -> int:
    try:
        command()
        return ExitStatus.FINE
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except SystemExit as stop:
        if isinstance(stop.__context__, BrokenPipeError):  # rich makes 1 of it
            raise stop.__context__ from None
        return stop.code if isinstance(stop.code, int) else ExitStatus.FAULT
    except (click.Abort, KeyboardInterrupt):
        _say("interrupted")
        return ExitStatus.INTERRUPTED
    except click.UsageError as error:
        error.show()
        return ExitStatus.USAGE
    except click.ClickException as error:
        error.show()
        return ExitStatus.NO_ANSWER
    except OSError:
        raise
    except Exception as error:
        # An integral of flint says so only when it has ended.
        if isinstance(error, SystemError) and isinstance(error.__cause__, KeyboardInterrupt):
            _say("interrupted")
            return ExitStatus.INTERRUPTED
        _say(f"{traceback.format_exc()}Error: this is a fault of dporacle, not a finding")
        return ExitStatus.FAULT


def _say(text: str, error: Exception | None = None) -> None:
    """Tell the standard error stream, unless a reader has merely gone away."""
    if getattr(error, "errno", None) != errno.EPIPE:
        with contextlib.suppress(OSError, ValueError):
            click.echo(text, err=True)


def _let_go(stream: object) -> None:
    """Let the rest of a stream's buffer go nowhere, or Python fails once more at its end."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())  # type: ignore[attr-defined]


def _escaped(error: UnicodeError) -> tuple[str, int]:
    assert isinstance(error, UnicodeEncodeError)
    units = error.object[error.start : error.end].encode("utf-16-be", "surrogatepass")
    pairs = zip(units[::2], units[1::2], strict=True)
    return "".join(f"\\u{high:02x}{low:02x}" for high, low in pairs), error.end


_ESCAPED = "dporacle.escaped"
codecs.register_error(_ESCAPED, _escaped)
