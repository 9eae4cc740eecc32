"""`dporacle conform`: judge libraries."""

from typing import Any

import click

from dporacle.cli.options import options
from dporacle.conformance.ask.power import POWER, SHARE
from dporacle.conformance.judge.harm_levels import LEVELS, Level, least_harm

_EPILOG = """Exit status: 0 conformant, or no worse than known or allowed; 1 not conformant, or a
known failure has expired; 2 usage; 3 a library could not be run (even if another one is not
conformant), or nothing is wrong but too little was asked or answered to judge a function."""


class Harm(click.ParamType):  # type: ignore[type-arg]  # no type argument before click 8.2
    """A level of harm, or a share of the promise."""

    name = "harm"
    choices = tuple(level.value for level in LEVELS)

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> Level | float:
        """Read what was given."""
        try:
            return least_harm(value) if isinstance(value, str) else value
        except ValueError as error:
            self.fail(str(error), param, ctx)


@click.command(epilog=_EPILOG)
@options("conform", power=POWER, share=SHARE, fail_on=Harm())
def conform(names: tuple[str, ...], adapters: tuple[str, ...], **options: Any) -> None:
    """Ask libraries the same questions and judge every answer by interval arithmetic.

    Each LIBRARY runs in an isolated environment of its own, with a time limit on each answer.
    `self` means this project's own float64 functions. `all` means every known library.
    NAME==newest is the newest release. NAME@main is the main branch, if pip can build it.
    With --output, each result is written to the file as it comes.
    """
    from dporacle.cli import run_conform

    run_conform.run(names, adapters, **options)
