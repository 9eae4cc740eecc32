"""The command `dporacle`, as a script and as `python -m dporacle`.

Ctrl-C ends it without a traceback from the first line below to the last. Before that line, Python's
own start and the script that pip writes show one. While a command runs, the first Ctrl-C lets it
save what it has, and a second one ends it at once.
"""

# `signal` first loads enum, which takes longer than all before it.
import _signal as signal  # type: ignore[import-not-found]
import os

TYPE_CHECKING = False  # as in the package: typing is loaded after this
if TYPE_CHECKING:
    from collections.abc import Callable


def _leave(*_: object) -> None:
    os._exit(130)


def _interrupt(*_: object) -> None:
    signal.signal(signal.SIGINT, _leave)
    raise KeyboardInterrupt


# Else the caller has chosen what Ctrl-C does.
_IS_OURS = signal.getsignal(signal.SIGINT) is signal.default_int_handler
if _IS_OURS:
    signal.signal(signal.SIGINT, _leave)


def main() -> None:
    """Run the command line."""
    from dporacle import cli

    try:
        cli.main(prog_name="dporacle", begin=lambda: _handle(_interrupt))
    finally:
        _handle(_leave)


def _handle(handler: "Callable[..., None]") -> None:
    if _IS_OURS:
        signal.signal(signal.SIGINT, handler)


if __name__ == "__main__":
    main()
