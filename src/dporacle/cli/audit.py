"""`dporacle audit`: verdicts on claims in files."""

from pathlib import Path
from typing import Any

import click

from dporacle.cli.options import Relation, options
from dporacle.vocabulary.relations import RELATIONS

_EPILOG = """Exit status: 0 every claim holds, 1 a claim is violated, 2 usage or a file that holds
no claims, 3 no claim is violated but one is undecided. With --register: 0 every verdict is the
recorded one, 1 one has changed. With --coq-check: also
1 if Coq's kernel refuses a verdict, and 3 if Coq is not installed."""

# By the files' names: their module would import the whole judge to print this help.
_EXAMPLES = sorted(
    file.stem for file in (Path(__file__).parents[1] / "claims" / "examples").glob("*.toml")
)


@click.command(epilog=_EPILOG)
@options("audit", neighbours=Relation(RELATIONS), example=_EXAMPLES)
def audit(
    paths: tuple[Path, ...],
    streamed: bool,
    columns: str | None,
    kind: str | None,
    output: Path | None,
    resume: bool,
    workers: int,
    **options: Any,
) -> None:
    """Prove or refute each claim of TOML or JSON files: HOLDS, VIOLATED or UNDECIDED.

    One claim about Gaussian noise needs no file: --epsilon 1 --delta 1e-5 --sigma 3.73.

    The margin says why a claim is UNDECIDED: claim and exact value agree in 1,500 digits; the claim
    is about replacing a record, but the sensitivity is for adding one; a composition does not say
    how its sensitivities are attained; a conversion is neither proved nor refuted; or the exact
    value is out of reach.
    """
    if streamed:
        others = ("as_json", "as_markdown", "quiet", "coq_file", "coq_check", "certificates")
        if not paths or any(options[name] for name in others):
            raise click.UsageError("give --stream with FILEs, and without other kinds of output")
        from dporacle.cli.stream import stream

        stream(paths, columns=columns, kind=kind, output=output, resume=resume, workers=workers)
        return
    if columns or kind or output or resume or workers > 1:
        raise click.UsageError(
            "--columns, --format, --output, --resume and --workers are for --stream"
        )
    from dporacle.cli import run_audit

    run_audit.run(paths, **options)
