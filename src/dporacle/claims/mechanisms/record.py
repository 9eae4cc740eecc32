"""Records that a file of claims is made of."""

from collections.abc import Callable, Collection
from contextvars import ContextVar
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any, ClassVar, Self

import msgspec
from msgspec import UNSET

from dporacle import arguments
from dporacle.vocabulary.relations import Neighbours as Neighbours

Unit = Annotated[str, msgspec.Meta(max_length=100)]

FOLDER: ContextVar[Path | None] = ContextVar("folder of the claims", default=None)
"""Where the file is that is being read: no other folder's files may be named in it."""


class LineReading:
    """How a mechanism reads records of its own; `dporacle.claims.files`, which knows, says how.

    Attributes:
        line: reads a line of JSON as a record of a type, without some fields; a ValueError names
            the field.
    """

    line: ClassVar[Callable[[Any, bytes, Collection[str]], Any]]


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
