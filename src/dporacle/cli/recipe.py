"""`dporacle recipe`: what a library's maintainers put into their own repository."""

from pathlib import Path

import click

from dporacle.cli.options import options
from dporacle.common import files


@click.command(epilog="Exit status: 0 written, 2 usage.")
@options("recipe")
def recipe(
    name: str | None, own_tests: bool, harness: bool, commit: str | None, output: Path | None
) -> None:
    """Write what the maintainers of a known library put into their own repository.

    By default that is a workflow that judges the library as it stands there, with a guide: it
    compares with the library's own baseline, and fails if an answer becomes worse. With --tests
    it is test files with exact values, in the style of that repository, which need nothing of
    dporacle. With --harness it is a workflow that judges the library there and publishes the
    result file, which `dporacle history` reads at its address.
    """
    from dporacle.conformance.libraries import library_tests, pinned
    from dporacle.conformance.libraries import recipe as recipes

    if own_tests and harness:
        raise click.UsageError("--tests and --harness write different files: ask for one")
    if commit is not None and not harness:
        raise click.UsageError("--commit is for --harness")
    if name is None:
        known = library_tests.known() if own_tests else pinned.LIBRARIES
        raise click.UsageError(f"name a LIBRARY; known are {', '.join(sorted(known))}")
    try:
        library = pinned.find(name)
        if own_tests:
            found = library_tests.files(library.name)
        elif harness:
            found = recipes.harness(library, commit=commit)
        else:
            found = recipes.files(library)
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
        click.echo(f"wrote {output / path}")
