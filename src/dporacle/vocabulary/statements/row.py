"""What a row of the catalogue is."""

from dataclasses import dataclass, field
from enum import StrEnum

from dporacle.vocabulary.quantities import QUANTITIES

WITNESSES = ("reference", "fast", "enclosures")
"""The subpackages that witness a statement."""

UNAUDITED = "no audited library computes it; the property tests hold it on every witness"
EXPERIMENT = "it is an experiment; the vectors of the functions that it calls stand in their rows"


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
        functions: the public functions that witness it; those of the quantities that name it first
            need not be listed.
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
        """Add the functions of its quantities."""
        rows = (row for row in QUANTITIES.values() if row.statements[0] == self.id)
        found = dict.fromkeys((*self.functions, *(row.function or row.name for row in rows)))
        object.__setattr__(self, "functions", tuple(found))

    @property
    def vectors(self) -> tuple[str, ...]:
        """The groups of certified vectors that carry it: those whose row names it."""
        return tuple(
            row.name for row in QUANTITIES.values() if row.vectors and self.id in row.statements
        )
