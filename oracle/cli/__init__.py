"""The command line: `dporacle COMMAND`.

Each command stands in a module of its own, imported when it is called, so that asking for one
number does not load the whole judge.
"""

from __future__ import annotations

import importlib

import click

from dporacle import __version__

__all__ = ["main"]

COMMANDS = {
    "accuracy": "dporacle.cli.calculators:accuracy",
    "adapter-check": "dporacle.cli.adapter_check:adapter_check",
    "audit": "dporacle.cli.audit:audit",
    "conform": "dporacle.cli.conform:conform",
    "delta": "dporacle.cli.calculators:delta",
    "epsilon": "dporacle.cli.calculators:epsilon",
    "experiment": "dporacle.cli.experiment:experiment",
    "map": "dporacle.cli.map:map_",
    "prove": "dporacle.cli.prove:prove",
    "rank-one": "dporacle.cli.rank_one:rank_one",
    "report": "dporacle.cli.report:report",
    "sigma": "dporacle.cli.calculators:sigma",
    "specimens": "dporacle.cli.specimens:specimens",
    "statements": "dporacle.cli.statements:statements",
    "vectors": "dporacle.cli.vectors:vectors",
}
"""Command -> where its click command stands."""


class _LazyGroup(click.Group):
    """A group that imports a command's module when the command is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(COMMANDS)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        if cmd_name not in COMMANDS:
            return None
        module, _, attribute = COMMANDS[cmd_name].partition(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_LazyGroup)
@click.version_option(__version__, prog_name="dporacle")
def main() -> None:
    """Judge the Gaussian mechanism: calculators, audits, conformance runs, certified vectors."""
