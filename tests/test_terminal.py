"""What commands print: readable at any width, whole as JSON, nothing but the end when quiet."""

import contextlib
import json
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from rich.cells import cell_len
from rich.console import Console
from rich.table import Table

from dporacle.cli import COMMANDS, main, tables
from dporacle.cli.examples import EXAMPLES
from dporacle.conformance.grade.runs import judgement
from dporacle.conformance.judge.outcomes import JudgedCase, Outcome
from dporacle.conformance.libraries import pinned
from dporacle.conformance.protocol import Capabilities, Function
from dporacle.conformance.run.runner import Fresh, FunctionResult
from dporacle.conformance.run.runner import TargetResult as Judged
from dporacle.regions import catalogue
from dporacle.report import terminal
from dporacle.vectors import GROUPS
from dporacle.vocabulary.statements import STATEMENTS
from support.dear import mostly_dear

ROOT = Path(__file__).resolve().parent.parent

# Listings, and names of each that a reader has to type.
LISTINGS: dict[str, list[str]] = {
    "statements --verbose --root .": [row.id for row in STATEMENTS],
    "vectors --verbose": list(GROUPS),
    "conform --list": list(pinned.LIBRARIES),
    "prove --list": list(catalogue()),
    "audit examples/report.toml": ["privacy", "accuracy"],
    "rank-one private --dimension 3 --digits 5": ["3"],
}
# They write what they find, in formats of their own, and print no results besides.
WRITERS = {"baseline", "demo", "report", "plot", "recipe"}


def _run(words: str, columns: int | None = None) -> Result:
    env = {"NO_COLOR": "1", "COLUMNS": None if columns is None else str(columns)}
    with contextlib.chdir(ROOT):
        result = CliRunner().invoke(main, words.split(), env=env, catch_exceptions=False)
    assert result.exit_code in {0, 1}, result.output
    return result


@pytest.mark.parametrize("columns", mostly_dear([40, 60, 80, 120], 4))
@pytest.mark.parametrize("words", LISTINGS)
def test_listings_fit_and_cut_no_name(words: str, columns: int) -> None:
    text = _run(words, columns).stdout
    assert max(cell_len(line) for line in text.splitlines()) <= columns
    for name in LISTINGS[words]:
        if len(name) <= columns:
            assert name in text
    assert "…" not in text.replace("2, …", "")


@pytest.mark.parametrize("words", ["vectors", "statements"])
def test_a_long_listing_is_a_screen_unless_all_is_asked_for(words: str) -> None:
    lines = _run(words, 80).stdout.splitlines()
    assert len(lines) <= 24
    assert max(map(cell_len, lines)) <= 80
    assert "--verbose" in lines[-1]
    assert len(_run(f"{words} --verbose", 80).stdout.splitlines()) > 100


@pytest.mark.parametrize("words", LISTINGS)
def test_listings_as_json_say_as_much(words: str) -> None:
    text = _run(f"{words} --json").stdout
    json.loads(text)
    for name in LISTINGS[words]:
        assert f'"{name}"' in text or f": {name}" in text


def _commands(
    group: click.Group, path: tuple[str, ...] = ()
) -> Iterator[tuple[str, click.Command]]:
    context = click.Context(group)
    for name in group.list_commands(context):
        command = group.get_command(context, name)
        assert command is not None
        if isinstance(command, click.Group):
            yield from _commands(command, (*path, name))
        else:
            yield " ".join((*path, name)), command


EVERY = dict(_commands(main))  # type: ignore[arg-type]


@pytest.mark.parametrize("name", EVERY)
def test_every_command_has_json_and_help_of_every_option(name: str) -> None:
    command = EVERY[name]
    options = {each for parameter in command.params for each in parameter.opts}
    if name.split()[-1] not in WRITERS:
        assert "--json" in options
    shown = CliRunner().invoke(main, [*name.split(), "--help"], env={"COLUMNS": "60"})
    assert shown.exit_code == 0
    assert max(map(len, shown.output.splitlines())) <= 80
    assert f"dporacle {name}" in shown.output.partition("Examples:")[2]
    assert not options & {"--jobs", "--processes"}, "number of processes: --workers"
    assert "--budget" not in options or name == "conform", "of time, never of risk"
    assert command.help
    for parameter in command.params:
        if isinstance(parameter, click.Option):
            assert parameter.help, f"{name} {parameter.opts}"


def test_the_list_of_commands_is_that_of_the_modules() -> None:
    assert set(COMMANDS) == {name.split()[0] for name in EVERY}


def test_quiet_prints_the_last_line_alone() -> None:
    file = ROOT / "examples" / "report.toml"
    quiet = _run(f"audit {file} --quiet")
    assert quiet.exit_code == 1
    assert quiet.stdout == "1 HOLDS, 1 VIOLATED\n"
    assert _run(f"audit {file}").stdout.endswith(quiet.stdout)
    both = CliRunner().invoke(main, ["audit", str(file), "--quiet", "--json"])
    assert both.exit_code == 2


def _judged() -> Judged:
    function = Function("calibrate_gaussian_noise", "calibrate_sigma", ["epsilon", "delta"])
    case = JudgedCase(
        case="calibrate_sigma/x",
        quantity="calibrate_sigma",
        arguments={"epsilon": "0x1p+0"},
        outcome=Outcome.TIGHT,
    )
    said = Capabilities("", 2, "a-library-of-a-long-name", "1.2.3", [function])
    return Judged(
        "a-library", said.name, said.version, said.language, [FunctionResult(function, [case])]
    )


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_the_table_of_a_conformance_run_fits(columns: int) -> None:
    console = Console(width=columns, record=True, quiet=False, file=None, no_color=True)
    with console.capture() as captured:
        terminal.show(judgement([_judged()], fresh=Fresh(rounds=0, seed=1)), console, verbose=True)
    text = captured.get()
    assert max(cell_len(line) for line in text.splitlines()) <= columns
    assert "a-library-of-a-long-name" in text
    assert "calibrate_gaussian_noise" in text
    with console.capture() as captured:
        terminal.show(judgement([_judged()], fresh=Fresh(rounds=0, seed=1)), console)
    text = captured.get()
    assert max(cell_len(line) for line in text.splitlines()) <= columns
    assert text.startswith("1 not judged\na-library-of-a-long-name 1.2.3  1 not judged\n")
    assert "\nnot judged  a-library-of-a-long-name 1.2.3" in text, "with the reason"
    with console.capture() as captured:
        terminal.show(judgement([_judged()], fresh=Fresh(rounds=0, seed=1)), console, quiet=True)
    assert captured.get() == "1 function: 1 not judged\n", "which grade and state both say"


def test_a_table_that_is_too_wide_becomes_blocks() -> None:
    table = Table("name", "meaning", "", title="Things")
    table.add_row("a_name_that_is_typed", "words " * 12, "[bold]x[/]")
    table.add_row("b", "", "y")
    for width, blocks in ((40, True), (200, False)):
        console = Console(width=width, no_color=True)
        with console.capture() as captured:
            tables.show(console, table)
        text = captured.get()
        assert ("meaning: words" in text) is blocks
        assert "Things" in text
        assert "a_name_that_is_typed" in text


@pytest.mark.parametrize("line", [line for lines in EXAMPLES.values() for line in lines])
def test_the_examples_of_the_help_can_be_called(line: str) -> None:
    """Every word but a file's is one that the command takes."""
    name, *words = shlex.split(line)
    command = main.get_command(click.Context(main), name)
    assert command is not None
    for word in words:
        if isinstance(command, click.Group) and word in command.commands:
            command = command.commands[word]
    known = {option for each in command.params for option in each.opts}
    used = {word for word in words if word.startswith("-")}
    assert used <= known
    needed = [set(each.opts) for each in command.params if each.required]
    assert all(used & names for names in needed if min(names)[0] == "-")


def test_every_command_has_an_example() -> None:
    for name in COMMANDS:
        command = main.get_command(click.Context(main), name)
        assert command is not None
        for _ in range(2):  # asked for again, it is there once
            text = CliRunner().invoke(main, [name, "--help"]).output
            assert text.count("Examples:") == 1, name
            assert "\\b" not in text, name
            assert f"  dporacle {name}" in text, name


def test_a_shell_completes_commands_and_options() -> None:
    for words, place, found in (("dporacle si", 1, "sigma"), ("dporacle sigma --de", 2, "--delta")):
        asked = {"COMP_WORDS": words, "COMP_CWORD": str(place)}
        done = subprocess.run(
            [str(Path(sys.executable).with_name("dporacle"))],
            env=os.environ | asked | {"_DPORACLE_COMPLETE": "bash_complete"},
            capture_output=True,
            text=True,
            check=False,
        )
        assert found in done.stdout
