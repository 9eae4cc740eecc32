"""Records that a file of claims is made of."""

import functools
import importlib
import operator
from collections.abc import Callable, Collection, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

import msgspec
from msgspec import UNSET

from dporacle import arguments
from dporacle.vocabulary.relations import Neighbours as Neighbours

_Record = TypeVar("_Record", bound="Strict")

Unit = Annotated[str, msgspec.Meta(max_length=100)]

FOLDER: ContextVar[Path | None] = ContextVar("folder of the claims", default=None)
"""Where the file is that is being read: no other folder's files may be named in it."""


class LineReading:
    """How a mechanism reads records of its own; `dporacle.claims.files`, which knows, says how.

    Attributes:
        line: reads a line of JSON as a record of one of some kinds, without some fields, and with
            what its kind has where they are left out; a ValueError names the field.
    """

    line: ClassVar[
        Callable[[Mapping[str, type], bytes, Collection[str], Mapping[str, Mapping[str, Any]]], Any]
    ]


class Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A record without unknown fields."""

    def stated(self) -> Self:
        """Return itself with every number that a default stands for."""
        return self

    def _one_of(self, *names: str) -> None:
        """Require that one of these positive numbers is given, and only one."""
        # By identity: fractions take long to see that they are no number of another kind.
        values = {name: getattr(self, name) for name in names}
        given = [name for name, each in values.items() if each is not None and each is not UNSET]
        if len(given) != 1:
            raise ValueError(f"{' or '.join(names)} must be given, and only one of them")
        for name in given:
            if isinstance(values[name], Fraction):
                arguments.positive(name, values[name])


class Kinds(Mapping[str, type[_Record]], Generic[_Record]):
    """The kinds of record that a file may name, each imported when it is needed: kind -> class."""

    def __init__(self, package: str = "", where: Mapping[str, str] | None = None) -> None:
        """Know where each stands.

        Args:
            package: the full name of the folder of the kinds.
            where: kind -> `module:Class` in the folder.
        """
        self._where: dict[str, str] = {}
        self.add(package, where or {})

    def add(self, package: str, where: Mapping[str, str]) -> None:
        """Know where more of them stand, in another folder."""
        self._where |= {kind: f"{package}.{each}" for kind, each in where.items()}

    def __getitem__(self, kind: str) -> type[_Record]:
        """Return the class of a kind, imported."""
        module, _, name = self._where[kind].partition(":")
        found: type[_Record] = getattr(importlib.import_module(module), name)
        return found

    def __iter__(self) -> Iterator[str]:
        """Iterate over the kinds; none is imported."""
        return iter(self._where)

    def __len__(self) -> int:
        """Return how many there are."""
        return len(self._where)

    def union(self) -> Any:
        """Return the type of all of them together."""
        return functools.reduce(operator.or_, self.values())

    def called(self, name: str) -> type[_Record] | None:
        """Return the class of a name; None if no kind is called so."""
        found = (kind for kind, each in self._where.items() if each.partition(":")[2] == name)
        kind = next(found, None)
        return None if kind is None else self[kind]
