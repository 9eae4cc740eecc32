"""`dporacle conform`: judge libraries."""

from typing import Any

import click

from dporacle.cli.options import options
from dporacle.conformance.ask.power import POWER, SHARE
from dporacle.conformance.judge.harm_levels import LEVELS

_EPILOG = """Exit status: 0 conformant, or no worse than known or allowed; 1 not conformant, or a
known failure has expired; 2 usage; 3 a library could not be run (even if another one is not
conformant), or nothing is wrong but too little was asked or answered to judge a function."""


@click.command(epilog=_EPILOG)
@options("conform", power=POWER, share=SHARE, fail_on=[level.value for level in LEVELS])
def conform(names: tuple[str, ...], adapters: tuple[str, ...], **options: Any) -> None:
    """Ask libraries the same questions and judge every answer by interval arithmetic.

    Each LIBRARY runs in an isolated environment of its own, with a time limit on each answer.
    `self` means this project's own float64 functions. `all` means every known library.
    NAME==newest is the newest release. NAME@main is the main branch, if pip can build it.
    With --output, each result is written to the file as it comes.
    """
    from dporacle.cli import run_conform

    run_conform.run(names, adapters, **options)
