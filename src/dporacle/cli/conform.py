"""`dporacle conform`: judge libraries."""

from pathlib import Path
from typing import Any

import click

from dporacle.cli.numbers import quiet_option
from dporacle.conformance.ask.power import POWER, SHARE
from dporacle.conformance.judge.harm_levels import LEVELS, Level

_EPILOG = """Exit status: 0 conformant, or no worse than known or allowed; 1 not conformant, or a
known failure has expired; 2 usage; 3 a library could not be run (even if another one is not
conformant), or nothing is wrong but too little was asked or answered to judge a function."""


@click.command(epilog=_EPILOG)
@click.argument("names", metavar="[LIBRARY[==VERSION|@main]]...", nargs=-1)
@click.option(
    "--adapter",
    "adapters",
    metavar="'COMMAND ...'",
    multiple=True,
    help="Judge a process that speaks the protocol; may be repeated.",
)
@click.option(
    "--python",
    metavar="FILE",
    type=click.Path(exists=True, dir_okay=False, path_type=Path),
    help="An interpreter that has the one LIBRARY already, such as its own checkout.",
)
@click.option("--json", "as_json", is_flag=True, help="Print everything as one JSON document.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the JSON document to a file, besides the table.",
)
@click.option(
    "--timeout",
    type=click.FloatRange(min=0, max=3600, min_open=True),
    default=5.0,
    show_default=True,
    help="Seconds of processor time for one answer; sleeping counts too.",
)
@click.option(
    "--budget",
    type=click.FloatRange(min=1, max=86_400),
    default=3600.0,
    show_default=True,
    help="Seconds of processor time for one library; the remaining questions are skipped.",
)
@click.option(
    "--function-budget",
    type=click.FloatRange(min=1, max=86_400),
    default=120.0,
    show_default=True,
    help="Seconds of processor time for one function of a library.",
)
@click.option(
    "--memory",
    type=click.FloatRange(min=0, max=1 << 20, min_open=True),
    default=8.0,
    show_default=True,
    help="GiB of memory for one library's processes.",
)
@click.option(
    "--workers",
    "jobs",
    type=click.IntRange(1, 64),
    default=2,
    show_default=True,
    help="Number of functions to ask at once.",
)
@click.option(
    "--power",
    type=click.FloatRange(min=0, max=0.999999, max_open=False),
    default=POWER,
    show_default=True,
    help="Ask so many fresh inputs that a fault is found with this probability …",
)
@click.option(
    "--share",
    type=click.FloatRange(min=1e-4, max=0.5),
    default=SHARE,
    show_default=True,
    help="… if it affects this share of the inputs.",
)
@click.option(
    "--random",
    "rounds",
    type=click.IntRange(0, 10_000),
    help="Instead of --power and --share: rounds of fresh inputs for each function. A slow "
    "function gets fewer.",
)
@click.option(
    "--seed",
    type=click.IntRange(0, 2**64 - 1),
    help="Repeat a run's fresh inputs; the report prints their seed.",
)
@click.option(
    "--fail-on",
    type=click.Choice([level.value for level in LEVELS]),
    metavar="LEVEL",
    default=Level.INVALID.value,
    show_default=True,
    help=f"Least harm that makes a function not conformant: {', '.join(LEVELS)}.",
)
@click.option(
    "--max-extra",
    metavar="PERCENT",
    type=click.FloatRange(min=0),
    help="Largest needless noise that is allowed on an everyday input, in percent; default: "
    "unlimited.",
)
@click.option(
    "--unsafe-ulp",
    metavar="ULP",
    type=click.FloatRange(min=0, max=1e6),
    default=0.0,
    show_default=True,
    help="Allowed error on the unsafe side, in last places: for libraries that round to nearest.",
)
@click.option(
    "--known-failures",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File of expected failures, as `dporacle baseline` writes it.",
)
@click.option("--list", "list_known", is_flag=True, help="Show the known adapters and stop.")
@click.option("--verbose", "-v", is_flag=True, help="Print every function and its worst cases.")
@quiet_option
def conform(names: tuple[str, ...], adapters: tuple[str, ...], **options: Any) -> None:
    """Ask libraries the same questions and judge every answer by interval arithmetic.

    Each LIBRARY runs in an isolated environment of its own, with a time limit on each answer.
    `self` means this project's own float64 functions. `all` means every known library.
    NAME==newest is the newest release. NAME@main is the main branch, if pip can build it.
    With --output, each result is written to the file as it comes.
    """
    from dporacle.cli import conforming

    conforming.run(names, adapters, **options)
