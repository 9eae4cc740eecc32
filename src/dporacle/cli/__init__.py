"""The command line: `dporacle COMMAND`.

Each command stands in a module of its own, imported when it is called, so that asking for one
number does not load the whole judge.
"""

import difflib
import gc
import os
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

import click

from dporacle.cli.examples import with_examples
from dporacle.common import wing_files as wings
from dporacle.common.exit_status import true_status

__all__ = ["PLAIN_TERMINALS", "doing", "looked_at", "main"]

# What a command loads stays: looking for garbage among it takes a fifth of the time.
gc.set_threshold(50_000)

PLAIN_TERMINALS = ("dumb", "unknown")
"""What TERM says of a terminal that has no colours and erases nothing."""

_NAME = "dporacle"
_RESTS_ON = ("python-flint", "mpmath", "numpy", "scipy")

COMMANDS = {name: about for each in wings.offering() for name, (_, about) in each.commands.items()}
"""Command -> what it is for; those of the wings that are there among them."""

_IN_A_CHECKOUT = ("specimens",)
"""The commands of the development, which no installation has."""


_MEANT = {
    "--group": "",
    "--std": "--sigma",
    "--stddev": "--sigma",
    "--sd": "--sigma",
    "--noise": "--sigma",
    "--scale": "--sigma",
    "--sigma": "--noise-multiplier",
    "--noise-multiplier": "--sigma",
    "--eps": "--epsilon",
    "--users": "--group",
    "--group-size": "--group",
    "--records-per-user": "--group",
    "--confidence": "--alpha",
    "--sample-rate": "--sampling-rate",
    "--rate": "--sampling-rate",
    "--iterations": "--steps",
    "--clip": "--sensitivity",
    "--clipping-norm": "--sensitivity",
    "--neighbors": "--neighbours",
    "--relation": "--neighbours",
}
"""Another name of an option -> the option, or what it was renamed to."""


def _no_such_option(error: click.NoSuchOption) -> click.NoSuchOption:
    """Return the error with the option of the command that was meant, where that is known."""
    if error.ctx is None:
        return error
    known = {name for option in error.ctx.command.params for name in option.opts}
    meant = error.option_name
    for _ in range(2):
        meant = _MEANT.get(meant, "")
        if meant in known:
            words = f"No such option {error.option_name!r}. Did you mean {meant!r}?"
            return click.NoSuchOption(error.option_name, words, ctx=error.ctx)
    if error.option_name in _MEANT:  # what is only spelt alike is not meant
        return click.NoSuchOption(error.option_name, ctx=error.ctx)
    return error


def _without_a_value(error: click.BadOptionUsage, name: str) -> click.BadOptionUsage:
    """Return the error with the words that the option of a command takes, where it takes words."""
    command = _found(name) if name in COMMANDS else None
    for option in command.params if isinstance(command, click.Command) else ():
        words = getattr(option.type, "choices", ())
        if error.option_name in option.opts and words:
            text = f"{error.message.rstrip('.')}: one of {', '.join(words)}."
            return click.BadOptionUsage(error.option_name, text, ctx=error.ctx)
    return error


def _found(name: str) -> object:
    (its,) = (each for each in wings.offering() if name in each.commands)
    return its.find(its.commands[name][0])


def doing(text: str) -> None:
    """Say what the command is doing now, where somebody looks on."""
    if watched := sys.modules.get(f"{__name__}.heartbeat"):
        watched.doing(text)


@contextmanager
def resting() -> Iterator[None]:
    """Show nothing of it meanwhile: something else shows its progress."""
    if watched := sys.modules.get(f"{__name__}.heartbeat"):
        with watched.resting():
            yield
    else:
        yield


def looked_at() -> bool:
    """Return whether standard error is a terminal, on which a line can be erased.

    A file is none where colours are asked for (FORCE_COLOR), as for the logs of services.
    """
    terminal = sys.stderr is not None and sys.stderr.isatty()
    return terminal and os.environ.get("TERM", "") not in PLAIN_TERMINALS


def _progress(command: str) -> AbstractContextManager[None]:
    """Show that a slow command is at work, where somebody looks on."""
    if not looked_at():
        return nullcontext()
    from dporacle.cli.heartbeat import heartbeat  # with threads, which most runs do without

    return heartbeat(command)


class _LazyGroup(click.Group):
    """A group that imports a command's module when the command is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        command = _found(cmd_name)
        assert isinstance(command, click.Command)
        return with_examples(cmd_name, command)

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        begin: Callable[[], object] = bool,
        **extra: Any,
    ) -> Any:
        """Run a command and exit with the status that is true of it.

        `begin` is called as soon as an interruption is caught.
        """
        if not standalone_mode or f"_{_NAME.upper()}_COMPLETE" in os.environ:
            return super().main(args, prog_name, complete_var, standalone_mode, **extra)
        words = list(sys.argv[1:] if args is None else args)

        name = next((word for word in words if word in COMMANDS), _NAME)

        def command() -> None:
            begin()
            try:
                with self.make_context(prog_name or _NAME, words, **extra) as ctx, _progress(name):
                    self.invoke(ctx)
            except click.NoSuchOption as error:
                raise _no_such_option(error) from None
            except click.BadOptionUsage as error:
                raise _without_a_value(error, name) from None
            except ImportError as error:
                from dporacle.common import extras

                if advice := extras.advice(error):
                    raise click.ClickException(advice) from error
                raise

        sys.exit(true_status(command))

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Return the command of the first word, or suggest one that is spelt alike."""
        if args[0] in _IN_A_CHECKOUT and args[0] not in COMMANDS:
            ctx.fail(
                f"{args[0]!r} is for a checkout of the project: an installation lacks it. "
                "In the checkout, `pip install -e .` has it."
            )
        near = difflib.get_close_matches(args[0], COMMANDS)
        if args[0] not in COMMANDS and near:
            ctx.fail(f"No such command {args[0]!r}. Did you mean {' or '.join(near)}?")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """List the commands without importing any."""
        with formatter.section("Commands"):
            formatter.write_dl([(name, COMMANDS[name]) for name in self.list_commands(ctx)])


_EPILOG = """Exit status of every command: 0 nothing is wrong, 1 something is (violated, refuted,
not conformant), 2 wrong usage, 3 undecided or not run, 4 the output could not be written (also: the
reader of a pipe has gone), 70 a fault of dporacle, 130 interrupted."""


def _show_version(ctx: click.Context, _: click.Parameter, wanted: bool) -> None:
    """Print the versions of this package and of the libraries that its numbers rest on."""
    if not wanted or ctx.resilient_parsing:
        return
    from importlib import metadata

    from dporacle.common.version import VERSION

    versions = [f"{name} {metadata.version(name)}" for name in _RESTS_ON]
    python = ".".join(map(str, sys.version_info[:3]))
    click.echo(f"{_NAME} {VERSION} (Python {python}, {', '.join(versions)})")
    ctx.exit()


@click.group(cls=_LazyGroup, epilog=_EPILOG)
@click.option(
    "--version",
    is_flag=True,
    is_eager=True,
    expose_value=False,
    callback=_show_version,
    help="Print the versions of dporacle and of what it rests on.",
)
def main() -> None:
    """Check statements about differential privacy: claims, trainings, libraries, drawn noise."""
