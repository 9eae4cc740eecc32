"""`dporacle recipe`: how a library's maintainers run the judge in their own integration."""

from pathlib import Path

import click

from dporacle.cli.options import options
from dporacle.common import files


@click.command(epilog="Exit status: 0 written, 2 usage.")
@options("recipe")
def recipe(name: str, output: Path | None) -> None:
    """Write a workflow that judges a known library in its own repository, with a guide.

    The workflow installs the library as it stands there, and compares with the library's own
    baseline: it fails if an answer becomes worse.
    """
    from dporacle.conformance.libraries import pinned
    from dporacle.conformance.libraries import recipe as recipes

    try:
        found = recipes.files(pinned.find(name))
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    for path, text in found.items():
        if output is None:
            click.echo(f"# {path}\n\n{text}")
            continue
        try:
            (output / path).parent.mkdir(parents=True, exist_ok=True)
            files.write(output / path, text)
        except OSError as error:
            raise click.UsageError(f"cannot write {output / path}: {error.strerror}") from None
