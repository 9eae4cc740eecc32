"""`dporacle report`: a page from the JSON of a conformance run."""

from __future__ import annotations

from pathlib import Path

import click

__all__ = ["report"]

_PATH = click.Path(dir_okay=False, path_type=Path)


@click.command()
@click.argument("source", metavar="FILE.json", type=click.Path(dir_okay=False, path_type=Path))
@click.option("-o", "--output", "page", type=_PATH, help="Write the HTML page.")
@click.option("--markdown", type=_PATH, help="Write a summary in Markdown.")
@click.option("--badge", type=_PATH, help="Write the JSON of a badge (shields.io's endpoint).")
def report(source: Path, page: Path | None, markdown: Path | None, badge: Path | None) -> None:
    """Make a report from the JSON that `dporacle conform --output FILE.json` wrote.

    The page is one file that needs no network. Without an option the summary is printed.
    """
    from dporacle import report as reports

    try:
        document = reports.read(source.read_bytes())
    except OSError as error:
        raise click.UsageError(f"cannot read {source}: {error.strerror}") from None
    except ValueError as error:
        raise click.UsageError(f"{source}: {error}") from None
    wanted = (
        (page, reports.render),
        (markdown, reports.markdown),
        (badge, reports.badge),
    )
    for path, make in wanted:
        if path is not None:
            try:
                path.write_text(make(document), encoding="utf-8")
            except OSError as error:
                raise click.UsageError(f"cannot write {path}: {error.strerror}") from None
    if not any(path for path, _ in wanted):
        click.echo(reports.markdown(document), nl=False)
