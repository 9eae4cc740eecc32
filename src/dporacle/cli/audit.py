"""`dporacle audit`: verdicts on claims in files."""

from pathlib import Path
from typing import Any

import click

from dporacle.cli.numbers import ExactNumber, quiet_option
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
@click.argument("paths", metavar="FILE...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--epsilon", type=ExactNumber(), help="A claim without a FILE: ε, at least 0.")
@click.option("--delta", type=ExactNumber(), help="… its δ, from 0 to 1.")
@click.option("--sigma", type=ExactNumber(), help="… its σ, of the Gaussian noise.")
@click.option("--noise-multiplier", type=ExactNumber(), help="… or σ over the sensitivity.")
@click.option(
    "--sensitivity",
    type=ExactNumber(),
    default="1",
    show_default=True,
    help="… its ℓ2-sensitivity.",
)
@click.option(
    "--neighbours",
    type=click.Choice(list(RELATIONS)),
    default="add-remove",
    show_default=True,
    help="… its neighbouring relation.",
)
@click.option(
    "--releases",
    type=click.IntRange(1, 10**9),
    default=1,
    show_default=True,
    help="… and its number of releases.",
)
@click.option(
    "--example",
    metavar="NAME",
    type=click.Choice(_EXAMPLES),
    help=f"Write an example with comments, NAME.toml, into this folder: {', '.join(_EXAMPLES)}.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--markdown", "as_markdown", is_flag=True, help="Print a Markdown table.")
@click.option(
    "--profile",
    type=click.Choice(["sp800-226"]),
    help="For each topic of NIST SP 800-226: print what the claims prove, state and leave open.",
)
@quiet_option
@click.option(
    "--certificates",
    metavar="FOLDER",
    type=click.Path(file_okay=False, path_type=Path),
    help="Write one certificate per claim (0001.json, …) into a new or empty folder.",
)
@click.option(
    "--coq",
    "coq_file",
    metavar="FILE.v",
    type=click.Path(dir_okay=False, path_type=Path),
    help="Write the verdicts as Coq theorems into a new file.",
)
@click.option("--coq-check", is_flag=True, help="Check the verdicts with Coq's kernel.")
@click.option(
    "--coq-pure", is_flag=True, help="Coq without machine integers and their axioms: slow."
)
@click.option(
    "--register",
    "of_register",
    is_flag=True,
    help="Prove the register of published claims again, instead of a FILE.",
)
@click.option(
    "--stream",
    "streamed",
    is_flag=True,
    help="FILE has one claim per row: JSON lines, CSV or Parquet (-: standard input).",
)
@click.option("--columns", metavar="epsilon=NAME,…", help="With --stream: your names of columns.")
@click.option(
    "--format",
    "kind",
    type=click.Choice(["jsonl", "csv", "parquet"]),
    help="With --stream: the format; default: from the file's name.",
)
@click.option(
    "-o",
    "--output",
    metavar="JOURNAL",
    type=click.Path(dir_okay=False, path_type=Path),
    help="With --stream: write every verdict to a new file.",
)
@click.option("--resume", is_flag=True, help="With --stream: continue the --output file.")
@click.option(
    "--workers", type=click.IntRange(1, 512), default=1, help="With --stream: number of processes."
)
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
    from dporacle.cli import auditing

    auditing.run(paths, **options)
