"""`dporacle audit --stream`: verdicts on rows of claims, in bounded memory."""

import json
import sys
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import click

from dporacle.claims.streaming import (
    COLUMNS,
    FORMATS,
    Counts,
    Journal,
    Source,
    StreamError,
    audit_stream,
)


def stream(
    paths: tuple[Path, ...],
    *,
    columns: str | None,
    ignored: tuple[str, ...],
    stated: dict[str, Any],
    kind: str | None,
    output: Path | None,
    resume: bool,
    workers: int,
) -> None:
    """Decide the rows of the files, and exit with the status of the verdicts.

    Args:
        paths: the files, or "-".
        columns: the names of columns, as written.
        ignored: the columns that are passed over.
        stated: quantity -> what it is in every row; None of those that rows state.
        kind: the format, if it is not told by a file's name.
        output: the journal.
        resume: whether it goes on.
        workers: the number of processes.
    """
    if resume and output is None:
        raise click.UsageError("give --resume with --output, the journal to go on with")
    if len({str(path) for path in paths}) < len(paths):
        raise click.UsageError("a FILE is named twice")
    said = {name: each for name, each in stated.items() if each is not None}
    try:
        sources = [
            Source(str(path), kind or _kind(path), _columns(columns), said, ignored)
            for path in paths
        ]
    except ValueError as error:
        raise click.UsageError(str(error)) from None
    if any(source.name == "-" and source.kind == "parquet" for source in sources):
        raise click.UsageError("Parquet cannot be read from standard input")
    try:
        counts = _run(sources, output, resume=resume, workers=workers)
    except BrokenPipeError:  # the reader of the verdicts has gone
        raise
    except (StreamError, OSError) as error:
        file, strerror = (getattr(error, name, None) for name in ("filename", "strerror"))
        told = f"{file}: {strerror}" if file and strerror else strerror or str(error)
        raise click.UsageError(told) from None
    except BrokenProcessPool:
        hint = "; go on with --resume" if output else ""
        raise click.ClickException(f"a worker was killed{hint}") from None
    click.echo(_summary(counts), err=output is None)
    sys.exit(counts.status())


def _run(sources: list[Source], output: Path | None, *, resume: bool, workers: int) -> Counts:
    with ExitStack() as stack:
        journal = Journal(output, sources, resume=resume) if output else None
        if journal:
            stack.callback(journal.close)
        pool = stack.enter_context(ProcessPoolExecutor(workers)) if workers > 1 else None
        counts = journal.counts if journal else Counts()
        done = journal.done if journal else {}
        for part in audit_stream(sources, executor=pool, workers=workers, done=done):
            if journal:
                journal.add(part)
                continue
            counts.add(part.counts)
            file = f'"file":{json.dumps(part.source)},' if len(sources) > 1 else ""
            click.echo("".join(part.lines(file)), nl=False)
        return counts


def _columns(given: str | None) -> dict[str, str]:
    """Read `epsilon=eps,delta=d`."""
    found: dict[str, str] = {}
    for word in given.split(",") if given else ():
        name, separator, column = word.partition("=")
        if not separator or name not in COLUMNS or not column:
            raise click.UsageError(
                f"--columns must be like epsilon=eps,delta=d with names of {', '.join(COLUMNS)}, "
                f"got {word!r}"
            )
        if name in found or column in found.values():
            raise click.UsageError("--columns names a column twice")
        found[name] = column
    return found


def _kind(path: Path) -> str:
    kind = FORMATS.get(path.suffix.lower())
    if kind is None:
        raise click.UsageError(f"{path}: name its --format, or a file *{', *'.join(FORMATS)}")
    return kind


def _summary(counts: Counts) -> str:
    words = {
        "HOLDS": counts.holds,
        "VIOLATED": counts.violated,
        "UNDECIDED": counts.undecided,
        "INVALID": counts.invalid,
    }
    said = ", ".join(f"{count:,} {word}" for word, count in words.items() if count) or "no rows"
    if counts.holds:  # no column says how often a release is made
        said += "; a row HOLDS if its release is made once"
    return f"{said}; {counts.by_balls:,} of {counts.rows:,} decided by balls, the rest in float64"
