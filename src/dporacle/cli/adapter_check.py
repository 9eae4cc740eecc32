"""`dporacle adapter-check`: tell an adapter's author what is wrong with it."""

import json
import math
import shlex
import sys

import click
from rich.text import Text

from dporacle.cli import tables
from dporacle.cli.options import options
from dporacle.common.exit_status import ExitStatus
from dporacle.conformance.ask import adapter_check as checkup
from dporacle.conformance.protocol_schema import protocol_schema

_MARKS = {True: ("ok   ", "green"), False: ("WRONG", "bold red"), None: ("note ", "yellow")}


@click.command(epilog="Exit status: 0 nothing is wrong, 1 something is, 2 usage.")
@options("adapter-check")
def adapter_check(
    command: str | None, timeout: float, schema: bool, as_json: bool, quiet: bool
) -> None:
    """Try each rule of the conformance protocol on an adapter.

    COMMAND is one argument, as for `dporacle conform --adapter`. It does not judge the
    library's answers.
    """
    if schema:
        click.echo(json.dumps(protocol_schema(), indent=1, ensure_ascii=False))
        return
    if command is None:
        raise click.UsageError("give the adapter's COMMAND, or --schema")
    if not math.isfinite(timeout):
        raise click.UsageError(f"--timeout must be a finite number of seconds, got {timeout}")
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise click.UsageError(f"{command!r}: {error}") from None
    if not words:
        raise click.UsageError("the command is empty")
    console = tables.console(120)
    wrong, rules = False, []
    for tried in checkup.check(words, timeout=timeout):
        wrong |= tried.good is False
        if not as_json and not (quiet and tried.good is not False):
            console.print(_text(tried))
        said = {"rule": tried.rule, "good": tried.good, "words": tried.words, "line": tried.line}
        rules.append(said)
    if as_json:
        tables.echo_json({"wrong": wrong, "rules": rules})
    sys.exit(ExitStatus.FINDING if wrong else ExitStatus.FINE)


def _text(tried: checkup.TriedRule) -> Text:
    mark, style = _MARKS[tried.good]
    text = Text()
    text.append(mark, style=style)
    text.append(f"  {_plain(tried.rule)}")
    if tried.words:
        text.append(f"\n         {_plain(tried.words)}")
    if tried.line and tried.good is not True:
        text.append(f"\n         line: {_plain(tried.line)}", style="dim")
    return text


def _plain(text: str) -> str:
    """Return an adapter's words without control characters."""
    return "".join(c if c.isprintable() else "?" for c in text)
