"""`dporacle audit`: verdicts on claims in files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from dporacle.cli.numbers import ExactNumber, quiet_option
from dporacle.vocabulary.relations import RELATIONS

__all__ = ["audit"]

_EPILOG = """Exit status: 0 every claim holds, 1 a claim is violated, 2 usage or a file that holds
no claims, 3 no claim is violated but one is undecided. With --register: 0 every verdict is the
recorded one, 1 one has changed. With --coq-check: also
1 if Coq's kernel refuses a verdict, and 3 if Coq is not installed."""

# By the files' names: their module would import the whole judge to print this help.
_EXAMPLES = sorted(
    file.stem for file in (Path(__file__).parents[1] / "claims" / "examples").glob("*.toml")
)


@click.command(epilog=_EPILOG)
@click.argument("paths", metavar="FILE...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--epsilon", type=ExactNumber(), help="Claim without a FILE: its ε, from 0 on …")
@click.option("--delta", type=ExactNumber(), help="… its δ, from 0 to 1 …")
@click.option("--sigma", type=ExactNumber(), help="… σ of the Gaussian noise that was added …")
@click.option("--noise-multiplier", type=ExactNumber(), help="… or σ over the sensitivity …")
@click.option(
    "--sensitivity",
    type=ExactNumber(),
    default="1",
    show_default=True,
    help="… the ℓ2-sensitivity …",
)
@click.option(
    "--neighbours",
    type=click.Choice(list(RELATIONS)),
    default="add-remove",
    show_default=True,
    help="… the relation of both …",
)
@click.option(
    "--releases",
    type=click.IntRange(1, 10**9),
    default=1,
    show_default=True,
    help="… and how many such releases there are.",
)
@click.option(
    "--example",
    type=click.Choice(_EXAMPLES),
    help="Write a FILE with comments to start from, NAME.toml, into this folder.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a Markdown table.")
@quiet_option
@click.option(
    "--certificates",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write a certificate per claim, 0001.json and so on, into a new or empty folder.",
)
@click.option(
    "--coq",
    "coq_file",
    metavar="FILE.v",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the verdicts as theorems of Coq into a new file.",
)
@click.option(
    "--coq-check", is_flag=True, help="Let Coq's kernel check the verdicts, theorem by theorem."
)
@click.option(
    "--coq-pure",
    is_flag=True,
    help="Let Coq compute without machine integers: slow, and without their axioms.",
)
@click.option(
    "--register",
    "of_register",
    is_flag=True,
    help="Prove the register of published claims anew, instead of a FILE.",
)
@click.option(
    "--stream",
    "streamed",
    is_flag=True,
    help="Read a claim per row of JSON lines, CSV or Parquet (- is standard input) …",
)
@click.option(
    "--columns", metavar="epsilon=NAME,…", help="… with columns of other names than ours …"
)
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "csv", "parquet"]),
    help="… in this format, whatever the names of the files …",
)
@click.option(
    "--output",
    metavar="JOURNAL",
    type=click.Path(dir_okay=False, path_type=Path),
    help="… into a new file with every verdict …",
)
@click.option("--resume", is_flag=True, help="… or go on with one …")
@click.option("--workers", type=click.IntRange(1, 512), default=1, help="… in so many processes.")
@click.option("--schema", "show_schema", is_flag=True, help="Print the JSON Schema of a FILE.")
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

    UNDECIDED is a claim that is met to 1,500 digits, one about replacing a record whose mechanism
    states the sensitivity for adding one and needs less than twice that, a conversion that is
    neither proved nor refuted, or one that is out of reach. The margin says which.
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
    from dporacle.cli import auditing

    auditing.run(paths, **options)
