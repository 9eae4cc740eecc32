"""The neighbouring relations: which data sets differ in one record, and what follows from which."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Literal

Neighbours = Literal["add-remove", "replace-one", "zero-out"]
"""The names of the relations."""


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

DIRECTIONS: Mapping[str, Neighbours] = {"add": "add-remove", "remove": "add-remove"}
"""One direction of a relation -> the relation: the record is in the second data set, or the first.
"""

SHORT: Mapping[str, str] = {
    "add-remove": "add or remove",
    "add": "add a record",
    "remove": "remove a record",
    "replace-one": "replace one",
    "zero-out": "zero out",
}
"""Relation, or one direction of it -> what stands in front of its line in a list."""

FORMER: Mapping[str, str] = {"both": "add-remove", "replace": "replace-one"}
"""A word that commands had for a relation, and still take -> its name."""

ENCLOSED: Mapping[str, str] = {
    **{name: name for name in (*RELATIONS, *DIRECTIONS)},
    **{name: word for word, name in FORMER.items()},
}
"""Relation, or a direction of one -> the word of the enclosures for it."""
