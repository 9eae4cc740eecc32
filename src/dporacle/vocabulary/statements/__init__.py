"""The statement catalogue: what is claimed, whether it is true, and who witnesses it.

One row per statement of the sources, in one module per source. A row names the functions that
witness it; they stand under the same name in `reference/<group>.py`, `fast/<group>.py` and
`src/dporacle/enclosures/<group>.py`, its note in `proofs_notes/<group>.md` and its property tests,
marked with the statement's id, in `tests/`. A test holds every row to that.

Sources: BW18 is Balle & Wang, "Improving the Gaussian mechanism for differential privacy"
(2018); GN the lecture slides "Gaussian noise mechanism"; JL24 Ji & Li, "Less is more: revisiting
the Gaussian mechanism for differential privacy" (2024); GMA the note "Gaussian mechanism
accuracy" (2020); X rows are ours.
"""

from dporacle.vocabulary.discovery import modules
from dporacle.vocabulary.statements.row import WITNESSES, Statement, Status

__all__ = ["STATEMENTS", "WITNESSES", "Statement", "Status", "statement"]

STATEMENTS: tuple[Statement, ...] = tuple(
    row for each in modules(__name__) for row in getattr(each, "ROWS", ())
)
"""Every row, by source in alphabetical order."""


def statement(id: str) -> Statement:  # noqa: A002 - it is the field's name
    """Return the row of an id.

    Raises:
        KeyError: naming the id, if there is none.
    """
    for row in STATEMENTS:
        if row.id == id:
            return row
    raise KeyError(f"no statement {id!r}; there are {', '.join(row.id for row in STATEMENTS)}")
