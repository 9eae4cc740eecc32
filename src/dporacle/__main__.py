"""The command `dporacle`, as a script and as `python -m dporacle`.

Ctrl-C ends it without a traceback from its first lines to its last.
"""

# `signal` first loads enum, which takes longer than all before it.
import _signal as signal  # type: ignore[import-not-found]
import os

__all__ = ["main"]


def _leave(*_: object) -> None:
    os._exit(130)


_ORDERLY = signal.getsignal(signal.SIGINT)
if _ORDERLY is signal.default_int_handler:  # else the caller has chosen what Ctrl-C does
    signal.signal(signal.SIGINT, _leave)


def main() -> None:
    """Run the command line."""
    from dporacle import cli

    try:
        cli.main(prog_name="dporacle", begin=lambda: signal.signal(signal.SIGINT, _ORDERLY))
    finally:
        if _ORDERLY is signal.default_int_handler:
            signal.signal(signal.SIGINT, _leave)


if __name__ == "__main__":
    main()
