"""`dporacle audit`: verdicts on claims in files."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from dporacle.cli.options import RelationChoice, options
from dporacle.vocabulary.relations import RELATIONS

_EPILOG = """Exit status: 0 every claim holds, 1 a claim is violated, 2 usage or a file that holds
no claims, 3 no claim is violated but one is undecided. With --register: 0 every verdict is the
recorded one, 1 one has changed. With --coq-check: also
1 if Coq's kernel refuses a verdict, and 3 if Coq is not installed."""

# By the files' names: their module would import the whole judge to print this help.
_EXAMPLES = sorted(
    file.stem for file in (Path(__file__).parents[1] / "claims" / "examples").glob("*.toml")
)


_FORMS = {"as_json", "as_markdown", "as_table", "quiet"}
_SHOWN = _FORMS | {"certificates", "coq_file", "coq_check", "coq_pure"}
_OF_ROWS = {"epsilon", "delta", "sigma", "noise_multiplier", "sensitivity", "neighbours"}
_READ = {
    "--schema": {"show_schema"},
    "--example": {"example"},
    "--stream": {"paths", "streamed", "columns", "ignored", "kind", "output", "resume", "workers"}
    | _OF_ROWS,
    "--register": {"of_register"} | _SHOWN,
    "a FILE": {"paths", "profile", "as_prose"} | _SHOWN,
    "a claim without a FILE": {"releases", "mechanism", "fields", "profile", "as_prose"}
    | _OF_ROWS
    | _SHOWN,
}
"""What is audited -> the arguments that are read then; every other one would say nothing."""


def _only_one(_: click.Context, param: click.Parameter, given: Sequence[Any]) -> Any:
    """Return what an option is given; one that stands twice decides nothing."""
    if len(given) > 1:
        raise click.UsageError(f"{param.opts[0]} is given {len(given)} times")
    return given[0] if given else None


@click.command(epilog=_EPILOG)
@options("audit", only_one=_only_one, neighbours=RelationChoice(RELATIONS), example=_EXAMPLES)
def audit(
    paths: tuple[Path, ...],
    streamed: bool,
    columns: str | None,
    ignored: tuple[str, ...],
    kind: str | None,
    output: Path | None,
    resume: bool,
    workers: int,
    **options: Any,
) -> None:
    """Prove or refute each claim of TOML or JSON files: HOLDS, VIOLATED or UNDECIDED.

    One claim about Gaussian noise needs no file: --epsilon 1 --delta 1e-5 --sigma 3.73. About
    another mechanism it has --mechanism KIND, its fields and --neighbours.

    The margin says why a claim is UNDECIDED: claim and exact value agree in 1,500 digits; the claim
    is about replacing a record, but the sensitivity is for adding one; a composition does not say
    how its sensitivities are attained; a conversion is neither proved nor refuted; or the exact
    value is out of reach.
    """
    if streamed:
        if not paths or any(options[name] for name in (*_SHOWN, "as_prose")):
            raise click.UsageError("give --stream with FILEs, and without other kinds of output")
        _refuse_unread("--stream")
        from dporacle.cli.stream import stream

        stated = {name: options[name] for name in _OF_ROWS}
        stream(
            paths,
            columns=columns,
            ignored=ignored,
            stated=stated,
            kind=kind,
            output=output,
            resume=resume,
            workers=workers,
        )
        return
    from dporacle.cli import run_audit

    kinds = (("show_schema", "--schema"), ("example", "--example"), ("of_register", "--register"))
    asked = next((what for name, what in kinds if options[name]), None)
    if asked in {None, "--register"}:
        run_audit.check_one(paths, **options)
    _refuse_unread(asked or ("a FILE" if paths else "a claim without a FILE"))
    run_audit.run(paths, **options)


def _refuse_unread(what: str) -> None:
    """Refuse options that would not be read: whoever gives one means something by it."""
    context = click.get_current_context()
    for parameter in context.command.params:
        assert parameter.name is not None
        source = context.get_parameter_source(parameter.name)
        if parameter.name in _READ[what] or source is not ParameterSource.COMMANDLINE:
            continue
        name = parameter.opts[0] if parameter.opts[0].startswith("-") else "a FILE"
        others = [kind for kind, read in _READ.items() if parameter.name in read]
        places = [each for each in others if each != name]
        from dporacle.cli.headed_lines import enumerated

        said = enumerated(places) if places else "itself"
        raise click.UsageError(f"{name} is not used with {what}: it is for {said}")
