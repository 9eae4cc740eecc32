"""What `dporacle audit` does: its options stand in a module that is quick to import."""

import json
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import click

from dporacle import claims
from dporacle.claims import AuditVerdict, judge
from dporacle.claims.files import field
from dporacle.claims.listing import folded
from dporacle.claims.mechanisms import MECHANISMS
from dporacle.cli import doing
from dporacle.cli.verdict_table import list_width, print_verdicts
from dporacle.common import wing_files as wings
from dporacle.common.exit_status import ExitStatus
from dporacle.vocabulary.hypotheses import Hypothesis, hypothesis


class _NotRunError(click.ClickException):
    """Coq could not be run."""

    exit_code = ExitStatus.NO_ANSWER


HEADINGS = ("claim", "verdict", "Coq's kernel")
"""The columns of a table of answers."""


@dataclass(frozen=True, slots=True)
class KernelReport:
    """What Coq's kernel says about verdicts.

    Attributes:
        rows: a row for each under `HEADINGS`.
        summary: how many are proved, refused and not covered.
        refused: whether one is refused.
    """

    rows: tuple[tuple[str, ...], ...]
    summary: str
    refused: bool


@dataclass(frozen=True, slots=True)
class Coq:
    """What is asked for.

    Attributes:
        file: where to write the theorems, if anywhere.
        check: whether Coq is to check them.
        pure: whether Coq is to compute without machine integers.
    """

    file: Path | None
    check: bool
    pure: bool

    def work(self, verdicts: Sequence[AuditVerdict]) -> KernelReport | None:
        """Write and check the theorems; None if they are not to be checked."""
        if not (self.file or self.check):
            return None
        # Most audits ask nothing of this wing, and write nothing.
        from dporacle.common import files

        checking, writing = wings.module("coq", "checking"), wings.module("coq", "writing")
        rows = writing.theorems(verdicts, pure=self.pure)
        if self.file:
            try:
                files.write(self.file, writing.theorem_file(rows, pure=self.pure), new=True)
            except OSError as error:
                raise click.UsageError(f"cannot write {self.file}: {error.strerror}") from None
        if not self.check:
            return None
        try:
            checked = checking.check(rows, pure=self.pure)
        except wings.module("coq", "development").CoqError as error:
            raise _NotRunError(str(error)) from None
        cells = tuple(
            (judge.plain(row.claim), str(row.verdict), judge.plain(checked.word(row)))
            for row in rows
        )
        return KernelReport(cells, checking.summary(checked), bool(checked.refused))


_TYPED = ("epsilon", "delta", "sigma", "noise_multiplier", "mechanism")


def check_one(paths: tuple[Path, ...], **options: Any) -> None:
    """Refuse what names no claims, or names them in two ways."""
    typed = any(options[name] is not None for name in _TYPED)
    if paths and typed:
        told = next(name for name in _TYPED if options[name] is not None).replace("_", "-")
        raise click.UsageError(f"--{told} is a claim without a FILE: leave it out, or the FILE")
    if sum([options["of_register"], bool(paths), typed]) != 1:
        raise click.UsageError(
            "name at least one FILE, or give --register, or a claim: --epsilon, --delta and "
            "--sigma, or --mechanism KIND; only one of them; "
            "`dporacle audit --example dp-report` writes a FILE to start from"
        )


def run(
    paths: tuple[Path, ...],
    *,
    as_json: bool,
    as_markdown: bool,
    as_table: bool,
    as_prose: bool,
    quiet: bool,
    certificates: Path | None,
    coq_file: Path | None,
    coq_check: bool,
    coq_pure: bool,
    of_register: bool,
    show_schema: bool,
    example: str | None,
    profile: str | None,
    **options: Any,
) -> None:
    """Audit what the options name, and exit with the status of the verdicts."""
    if show_schema:
        click.echo(json.dumps(claims.schema(), indent=2, ensure_ascii=False))
        return
    if example is not None:
        _write_example(example)
        return
    forms = {
        "--json": as_json,
        "--markdown": as_markdown,
        "--table": as_table,
        "--prose": as_prose,
        "--quiet": quiet,
    }
    if sum(forms.values()) > 1:
        raise click.UsageError(f"give only one of {', '.join(forms)}")
    coq = Coq(coq_file, check=coq_check, pure=coq_pure)
    if coq_check and (as_json or as_markdown or as_prose):
        raise click.UsageError("give --coq-check without --json, --markdown and --prose")
    if coq_pure and not (coq_file or coq_check):
        raise click.UsageError("give --coq-pure with --coq or --coq-check")
    if profile and (of_register or coq_check or any(forms.values())):
        raise click.UsageError("give --profile with FILEs, and without other kinds of output")
    if of_register:
        _register(
            as_json=as_json,
            as_markdown=as_markdown,
            as_table=as_table,
            quiet=quiet,
            certificates=certificates,
            coq=coq,
        )
        return
    if paths:
        verdicts = []
        every = _load_all(paths)
        for place, claim in enumerate(every, 1):
            doing(f"{judge.plain(claim.id)}, {place} of {len(every)}")
            verdicts.append(claims.audit(claim))
    else:
        claim, assumed = _typed(options)
        verdicts = [claims.audit(claim, assumed=assumed)]
    if certificates:
        _write(certificates, verdicts)
    refused = _ask(coq, verdicts, as_table=as_table)
    if coq.check:
        pass
    elif profile:
        from dporacle.claims import topics
        from dporacle.cli.headed_lines import line

        for each in topics.of_claims(verdicts):
            line(f"{each.name:16} {each.level:13}", each.note, 30)
    elif as_json:
        from dporacle.claims.report import to_json

        click.echo(to_json(verdicts))
    elif as_markdown:
        from dporacle.claims.report import to_markdown

        click.echo(to_markdown(verdicts))
    elif as_prose:
        from dporacle.claims.prose import paragraph

        folds = (folded(paragraph(each), list_width()) for each in verdicts)
        click.echo("\n\n".join(map("\n".join, folds)))
    else:
        _show(verdicts, quiet=quiet, as_table=as_table)
    sys.exit(ExitStatus.FINDING if refused else judge.exit_status(verdicts))


def _register(
    *,
    as_json: bool,
    as_markdown: bool,
    as_table: bool,
    quiet: bool,
    certificates: Path | None,
    coq: Coq,
) -> None:
    from dporacle.claims import register
    from dporacle.claims.register import page

    published = register.load()
    proved = register.prove(published, doing)
    if certificates:
        _write(certificates, [one.verdict for one in proved])
    refused = _ask(coq, [one.verdict for one in proved], as_table=as_table)
    if coq.check:
        pass
    elif as_json:
        click.echo(page.to_json(proved))
    elif as_markdown:
        click.echo(page.to_markdown(proved, published.absent))
    else:
        if not quiet:
            cells = [page.cells(one) for one in proved]
            print_verdicts(page.HEADINGS, cells, verdict_at=page.VERDICT_AT, as_table=as_table)
        click.echo(register.summary(proved))
    changed = any(one.changed for one in proved)
    sys.exit(ExitStatus.FINDING if refused or changed else ExitStatus.FINE)


def _ask(coq: Coq, verdicts: list[claims.AuditVerdict], *, as_table: bool) -> bool:
    """Write and check theorems where asked; return whether Coq refuses one."""
    answer = coq.work(verdicts)
    if answer is None:
        return False
    print_verdicts(HEADINGS, answer.rows, verdict_at=1, as_table=as_table)
    click.echo(answer.summary)
    return answer.refused


def _typed(options: dict[str, Any]) -> tuple[claims.Claim, tuple[Hypothesis, ...]]:
    """Return the claim that the options make, and what is taken for granted of it."""
    if options["mechanism"] is not None:
        return _stated(options["mechanism"], options)
    if options["fields"]:
        raise click.UsageError("--field is for a --mechanism, whose kind must be named")
    noise = {name: options[name] for name in ("sigma", "noise_multiplier")}
    noise = {name: value for name, value in noise.items() if value is not None}
    said = {name: options[name] for name in ("epsilon", "delta")}
    if len(noise) == 2:
        raise click.UsageError("give --sigma or --noise-multiplier, and only one of them")
    if not noise or None in said.values():
        raise click.UsageError(
            "a claim without a FILE needs --epsilon, --delta and --sigma or --noise-multiplier"
        )
    relation = options["neighbours"] or "add-remove"
    sensitivity, times = options["sensitivity"], options["releases"]
    assumed = []
    if sensitivity is None and "sigma" in noise:
        assumed.append(hypothesis("sensitivity-one"))
        sensitivity = 1
    if times is None:
        assumed.append(hypothesis("made-once"))
    release = {"kind": "gaussian", "neighbours": relation, **noise}
    if sensitivity is not None:
        release["sensitivity"] = sensitivity
    return _claim(release, {**said, "neighbours": relation}, times), tuple(assumed)


def _stated(kind: str, options: dict[str, Any]) -> tuple[claims.Claim, tuple[Hypothesis, ...]]:
    """Return the claim about a mechanism whose fields the options state, as a file would."""
    other = ("sigma", "noise_multiplier", "sensitivity")
    if told := next((name for name in other if options[name] is not None), None):
        raise click.UsageError(
            f"--{told.replace('_', '-')} is of a claim about Gaussian noise: "
            f"a --mechanism has --field {told}=…"
        )
    said = {name: options[name] for name in ("epsilon", "delta", "neighbours")}
    if None in said.values() and kind in MECHANISMS:  # else the claim's reader names the kinds
        raise click.UsageError(
            f"a claim about --mechanism {kind} needs --epsilon, --delta and --neighbours, "
            f"and its fields{_such_as(kind)}"
        )
    mechanism: dict[str, Any] = {"kind": kind}
    for each in options["fields"]:
        name, separator, text = each.partition("=")
        if not (separator and name):
            raise click.UsageError(f"--field must be NAME=VALUE, got {each!r}")
        if name in mechanism:
            raise click.UsageError(f"--field names {name!r} twice, or it is --mechanism")
        try:
            mechanism[name] = field(text)
        except ValueError as error:
            raise click.UsageError(f"--field {name}: {error}") from None
    said = {name: value for name, value in said.items() if value is not None}
    claim = _claim(mechanism, said, options["releases"])
    # A kind with `times` says itself how often it is made, or has a condition of its own.
    is_said = options["releases"] is not None or "times" in MECHANISMS[kind].__struct_fields__
    return claim, () if is_said else (hypothesis("made-once"),)


def _such_as(kind: str) -> str:
    """Return the fields of an example of a mechanism, as options; nothing if there is none."""
    found = MECHANISMS.get(kind)
    if found is None:
        return ""
    values = {
        name: value if isinstance(value, str) and field(value) == value else json.dumps(value)
        for name, value in found.example.items()
    }
    words = (f"--field {shlex.quote(f'{name}={value}')}" for name, value in values.items())
    return f", such as {' '.join(words)}"


def _claim(mechanism: dict[str, Any], said: dict[str, Any], times: int | None) -> claims.Claim:
    """Return the claim that a mechanism, made so many times, is (ε, δ)-DP."""
    content = {"id": "the claim", "mechanism": mechanism, "asserts": {"kind": "privacy", **said}}
    if times not in {None, 1}:
        content["mechanism"] = {"kind": "composition", "releases": [mechanism], "times": times}
    try:
        return claims.make(content)
    except ValueError as error:
        raise click.UsageError(str(error)) from None


def _write_example(name: str) -> None:
    from dporacle.claims import examples
    from dporacle.common import files

    path = Path(f"{name}.toml")
    try:
        files.write(path, examples.read(name), new=True)
    except FileExistsError:
        raise click.UsageError(
            f"{path} is there already, and stays as it is; move it, or work in another folder"
        ) from None
    except OSError as error:
        raise click.UsageError(f"cannot write {path}: {error.strerror}") from None
    click.echo(f"wrote {path}: {examples.EXAMPLES[name]}; prove it: dporacle audit {path}")


def _load_all(paths: tuple[Path, ...]) -> list[claims.Claim]:
    """Read all files, or say what is wrong with each of them."""
    found: list[claims.Claim] = []
    wrong: list[str] = []
    for path in paths:
        try:
            found += claims.load(path).claims
        except OSError as error:
            wrong.append(f"{path}: {error.strerror}")
        except ValueError as error:
            wrong.append(str(error))
    if wrong:
        raise click.UsageError("\n".join(wrong))
    return found


def _write(folder: Path, verdicts: list[claims.AuditVerdict]) -> None:
    from dporacle.common import files

    try:
        folder.mkdir(parents=True, exist_ok=True)
        if any(folder.iterdir()):
            raise click.UsageError(f"--certificates needs a new or an empty folder, got {folder}")
        for number, verdict in enumerate(verdicts, 1):
            text = json.dumps(claims.certificate(verdict), indent=2)
            files.write(folder / f"{number:04}.json", text + "\n")
    except OSError as error:
        raise click.UsageError(f"cannot write to {folder}: {error.strerror}") from None


def _show(verdicts: list[claims.AuditVerdict], *, quiet: bool, as_table: bool) -> None:
    if quiet:
        click.echo(judge.summary(verdicts))
        return
    headings, *rows = judge.table(verdicts)
    print_verdicts(headings, rows, verdict_at=judge.VERDICT_AT, as_table=as_table)
    click.echo("\n".join(folded(judge.ending(verdicts), list_width())))
