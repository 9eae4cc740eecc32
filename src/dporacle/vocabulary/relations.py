"""The neighbouring relations: which data sets differ in one record, and what follows from which."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Relation:
    """A neighbouring relation.

    Attributes:
        name: what claims call it.
        meaning: when two data sets are neighbours.
        reaches: relation -> in how many steps of this one its neighbours are reached, at most.
    """

    name: str
    meaning: str
    reaches: Mapping[str, int] = field(default_factory=dict)


RELATIONS = {
    row.name: row
    for row in (
        Relation(
            name="add-remove",
            meaning="one has a record that the other has not",
            reaches={"replace-one": 2},
        ),
        Relation(name="replace-one", meaning="one record is another one"),
        Relation(
            name="zero-out",
            meaning="one record is replaced by one that contributes nothing",
            reaches={"replace-one": 2},
        ),
    )
}
"""Every relation by its name.

Between add-remove and zero-out nothing follows: where a record is missing, what is known to all,
such as their number, may be another one.
"""

NORMS: Mapping[str, int] = {"add-remove": 1, "add": 1, "remove": 1, "zero-out": 1, "replace-one": 2}
"""Relation, or one direction of it -> how many clipping norms it moves a sum by, at most."""
