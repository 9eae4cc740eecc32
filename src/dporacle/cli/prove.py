"""`dporacle prove`: statements over a whole continuum, proved by balls."""

from pathlib import Path
from typing import Any

import click

from dporacle.cli.numbers import ExactNumber, json_option

_EPILOG = """Exit status: 0 proved, 1 refuted (a certified counterexample is printed), 2 usage or a
file that is not an artefact, 3 undecided, 130 interrupted (--resume continues)."""

_NUMBER = ExactNumber()


@click.command(epilog=_EPILOG)
@click.argument("id_", metavar="[ID]", required=False)
@click.option("--list", "show_list", is_flag=True, help="List the theorems.")
@click.option(
    "--all", "run_all", is_flag=True, help="Run every theorem; status 0 if all end as expected."
)
@click.option("--formula", metavar="NAME", help="Decide that a formula is private on a rectangle.")
@click.option(
    "--epsilon", type=_NUMBER, nargs=2, metavar="LOW HIGH", help="Range of ε; 0 is an open end."
)
@click.option(
    "--delta", type=_NUMBER, nargs=2, metavar="LOW HIGH", help="Range of δ; 0 and 1 are open ends."
)
@click.option("--constant", type=_NUMBER, help="a in the formula linear, D√(2 ln(a/δ))/ε.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the artefact: *.jsonl or *.gz.",
)
@click.option("--resume", is_flag=True, help="Continue the --output file.")
@click.option(
    "--workers", type=click.IntRange(1), help="Number of processes; default: one per processor."
)
@click.option(
    "--verify",
    "artefact",
    metavar="FILE",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Check an artefact without searching.",
)
@json_option
def prove(id_: str | None, **options: Any) -> None:
    """Prove or refute the theorem ID over its whole continuous domain.

    The command bisects the domain into boxes until ball arithmetic decides each of them. Lemmas
    cover the rest of the domain. A second run with --verify checks the list of boxes without
    searching.
    """
    from dporacle.cli import proving

    proving.run(id_, **options)
