"""The statement catalogue: what is claimed, whether it is true, and who witnesses it.

One row per statement of the sources, in one file per source; a file of quantities may have those
that are about it alone. A row names the functions that
witness it; they stand under the same name in `reference/<group>.py`, `fast/<group>.py` and
`src/dporacle/enclosures/<group>.py`, or in the papers' wing. Its note is
`proofs_notes/<group>.md`; its property tests, marked with the statement's id, stand in `tests/`.
A test holds every row to that.

Sources: BW18 is Balle & Wang, "Improving the Gaussian mechanism for differential privacy"
(2018); GN the lecture slides "Gaussian noise mechanism"; JL24 Ji & Li, "Less is more: revisiting
the Gaussian mechanism for differential privacy" (2024); GMA the note "Gaussian mechanism
accuracy" (2020); X rows are ours.
"""

from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from dporacle.vocabulary.quantities import CONTRACTS, FILES, QUANTITIES
from dporacle.vocabulary.reading import rows_of

WITNESSES = ("reference", "fast", "enclosures")
"""The subpackages that witness a statement."""

REASONS = {
    "unaudited": "no audited library computes it; the property tests hold it on every witness",
    "experiment": "the vectors of the functions that this experiment calls stand in their rows",
    "judge": "no function of its own: `dporacle audit` decides it by enclosures of others",
    "bound": "an inequality, no function of its own: the ε of shuffled batches are bounded by it",
    "bounded": "no audited library bounds shuffled batches; the property tests hold it",
    "claim": "no function answers it: it turns a claim into others, whose quantities have vectors",
}
"""Why several rows have no vectors, or no function in a witness."""


class Status(StrEnum):
    """What is known about a statement's truth."""

    TRUE = "true"
    FALSE = "false"
    PARTLY = "true on part of its domain"


@dataclass(frozen=True, slots=True, kw_only=True)
class Statement:
    """A row of the catalogue.

    Attributes:
        id: the stable name, used in code, notes, vectors and reports.
        group: the file name of its witnesses and its note; of its note alone if it is an
            experiment, whose functions stand in the groups of the statements behind them.
        says: the statement, in a line.
        status: whether it is true.
        functions: the public functions that witness it; those whose rows name it first need not
            be listed.
        experiments: what `dporacle experiment` calls it, if it is one.
        holes: witness -> why it has none of these functions.
        no_vectors: why no certified vectors carry it, where none do.
    """

    id: str
    group: str
    says: str
    status: Status
    functions: tuple[str, ...] = ()
    experiments: tuple[str, ...] = ()
    holes: dict[str, str] = field(default_factory=dict)
    no_vectors: str = ""

    def __post_init__(self) -> None:
        """Add the functions whose rows name it first."""
        rows = (row for row in CONTRACTS.values() if row.statements[0] == self.id)
        found = dict.fromkeys((*self.functions, *(row.function or row.name for row in rows)))
        object.__setattr__(self, "functions", tuple(found))

    @property
    def vectors(self) -> tuple[str, ...]:
        """The groups of certified vectors that carry it: those whose row names it."""
        return tuple(
            row.name for row in QUANTITIES.values() if row.vectors and self.id in row.statements
        )


def read(path: Path, part: str = "rows") -> Iterator[Statement]:
    """Yield the statements of a file.

    Args:
        path: the file's.
        part: which of its rows they are.

    Raises:
        KeyError, TypeError, ValueError: if a row has another shape.
    """
    for row in rows_of(path.stem, path.parent, part):
        status, why, holes = (row.pop(key, "") for key in ("status", "no_vectors", "holes"))
        if isinstance(holes, str):  # one reason for all
            holes = dict.fromkeys(WITNESSES, REASONS[holes]) if holes else {}
        listed = {key: tuple(each) for key, each in row.items() if isinstance(each, list)}
        yield Statement(
            **row | listed, status=Status(status), holes=holes, no_vectors=REASONS.get(why, why)
        )


_PARTS = [(path, "rows") for path in Path(__file__).parent.glob("*.json")] + [
    (path, "statements") for path in FILES
]

STATEMENTS: tuple[Statement, ...] = tuple(
    row
    for path, part in sorted(_PARTS, key=lambda each: (each[0].stem, each[1]))
    for row in read(path, part)
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
