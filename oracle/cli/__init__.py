"""The command line: `dporacle`. Each subcommand is imported when it is used."""

from __future__ import annotations

import importlib
from typing import ClassVar

import click

__all__ = ["main"]


class _LazyGroup(click.Group):
    """A group that imports a command's module when the command is asked for."""

    commands_by_name: ClassVar[dict[str, str]] = {"conform": "dporacle.cli.conform"}

    def list_commands(self, ctx: click.Context) -> list[str]:
        return sorted(self.commands_by_name)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        module = self.commands_by_name.get(cmd_name)
        if module is None:
            return None
        command = getattr(importlib.import_module(module), cmd_name)
        assert isinstance(command, click.Command)
        return command


@click.group(cls=_LazyGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="dporacle")
def main() -> None:
    """Decide whether what somebody says about a Gaussian mechanism is true."""
