"""Records that a file of claims is made of."""

import functools
import importlib
import operator
import pkgutil
import re
from collections.abc import Callable, Collection, Iterator, Mapping
from contextvars import ContextVar
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Annotated, Any, ClassVar, Generic, Self, TypeVar

import msgspec
from msgspec import UNSET

from dporacle import arguments
from dporacle.vocabulary.relations import Neighbours as Neighbours

_Record = TypeVar("_Record", bound="Strict")

_KIND = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*", re.ASCII)

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

    def __init__(
        self, package: str = "", where: Mapping[str, str] | None = None, *, folder: str = ""
    ) -> None:
        """Know where each stands.

        Args:
            package: the full name of the folder of the kinds.
            where: kind -> `module:Class` in the folder; of a class with a noun `module` is enough.
            folder: the full name of a folder in which a kind stands in the file of its name, so
                that a new file is a new kind.
        """
        self._where: dict[str, str] = {}
        self._found: dict[str, type[_Record]] = {}
        self._folder = folder
        self.add(package, where or {})

    def add(self, package: str, where: Mapping[str, str]) -> None:
        """Know where more of them stand, in another folder."""
        self._where |= {kind: f"{package}.{each}" for kind, each in where.items()}

    def __getitem__(self, kind: str) -> type[_Record]:
        """Return the class of a kind, imported.

        Raises:
            KeyError: if there is no such kind.
        """
        if kind in self._found:
            return self._found[kind]
        where = self._where.get(kind) or self._of_its_name(kind)
        name, _, class_name = where.partition(":")
        try:
            module = importlib.import_module(name)
        except ModuleNotFoundError as error:
            if error.name != name or kind in self._where:
                raise  # what is there lacks something that it needs
            raise KeyError(kind) from None
        kinds = {kind: getattr(module, class_name)} if class_name else _named_in(module)
        self._found[kind] = kinds[kind]
        return self._found[kind]

    def _of_its_name(self, kind: str) -> str:
        """Return the full name of the module that a kind has if a file of the folder is its own."""
        if not self._folder or not _KIND.fullmatch(kind):
            raise KeyError(kind)
        return f"{self._folder}.{kind.replace('-', '_')}"

    def __iter__(self) -> Iterator[str]:
        """Iterate over the kinds; the files of the folder are imported, no others."""
        kinds = set(self._where)
        if self._folder:
            for each in pkgutil.iter_modules(importlib.import_module(self._folder).__path__):
                kinds.update(_named_in(importlib.import_module(f"{self._folder}.{each.name}")))
        return iter(sorted(kinds))

    def __len__(self) -> int:
        """Return how many there are."""
        return sum(1 for _ in self)

    def union(self) -> Any:
        """Return the type of all of them together."""
        return functools.reduce(operator.or_, self.values())

    def called(self, name: str) -> type[_Record] | None:
        """Return the class of a name; None if no kind is called so."""
        return next((each for each in self.values() if each.__name__ == name), None)


def _named_in(module: ModuleType) -> dict[str, Any]:
    """Return the kinds that stand in a module: its classes with a noun of their own."""
    return {
        str(each.__struct_config__.tag): each
        for each in vars(module).values()
        if isinstance(each, type)
        and issubclass(each, Strict)
        and each.__module__ == module.__name__
        and vars(each).get("noun")
    }
