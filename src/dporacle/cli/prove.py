"""`dporacle prove`: statements over a whole continuum, proved by balls."""

from typing import Any

import click

from dporacle.cli.options import options

_EPILOG = """Exit status: 0 proved, 1 refuted (a certified counterexample is printed), 2 usage or a
file that is not an artefact, 3 undecided, 130 interrupted (--resume continues)."""


@click.command(epilog=_EPILOG)
@options("prove")
def prove(id_: str | None, **options: Any) -> None:
    """Prove or refute the theorem ID over its whole continuous domain.

    The command bisects the domain into boxes until ball arithmetic decides each of them. Lemmas
    cover the rest of the domain. A second run with --verify checks the list of boxes without
    searching.
    """
    from dporacle.cli import run_prove

    run_prove.run(id_, **options)
