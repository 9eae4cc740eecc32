"""What `dporacle audit` asks of Coq."""

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from dporacle import files
from dporacle.claims import AuditVerdict, report
from dporacle.exit_status import ExitStatus


class _NotRunError(click.ClickException):
    """Coq could not be run."""

    exit_code = ExitStatus.NO_ANSWER


HEADINGS = ("claim", "verdict", "Coq's kernel")
"""The columns of a table of answers."""


@dataclass(frozen=True, slots=True)
class Answer:
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

    def work(self, verdicts: Sequence[AuditVerdict]) -> Answer | None:
        """Write and check the theorems; None if they are not to be checked."""
        if not (self.file or self.check):
            return None
        from dporacle.coq import checking, writing  # most audits ask nothing of it
        from dporacle.coq.development import CoqError

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
        except CoqError as error:
            raise _NotRunError(str(error)) from None
        cells = tuple(
            (report.plain(row.claim), str(row.verdict), report.plain(checked.word(row)))
            for row in rows
        )
        return Answer(cells, checking.summary(checked), bool(checked.refused))
