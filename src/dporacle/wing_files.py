"""What the wings add to the core: whole products beside it, found without a list of them.

A wing is a folder of `dporacle.wings`, and `dporacle.dev` is one in a checkout. Its `wing.json` has

- `commands`: command -> where its click command stands in the wing, and what it is for,
- `options` and `examples`: theirs, as the command line's own files have them,
- `mechanisms`: those that claims may be about, by where each stands.

The core imports a wing only when somebody asks for what it adds, and works without any of them.
"""

import importlib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

PAPERS: Final = frozenset(
    {"accuracy_loss", "denoising", "finite_mechanism", "minimax", "rank_one_gaussian"}
)
"""The groups that no noise of today's libraries needs: what papers say beside it, a wing."""

_ROOT = "dporacle"
_PACKAGE: Final = Path(__file__).parent
_FILE = "wing.json"


@dataclass(frozen=True, slots=True)
class Wing:
    """What one wing adds.

    Attributes:
        package: its full name.
        rows: what its file says.
    """

    package: str
    rows: Mapping[str, Any]

    def get(self, kind: str) -> Any:
        """Return its rows of a kind; none if it adds none."""
        return self.rows.get(kind, {})

    def find(self, where: str) -> Any:
        """Return what stands at `module:attribute` of the wing, imported."""
        module, _, attribute = where.partition(":")
        return getattr(importlib.import_module(f"{self.package}.{module}"), attribute)


@cache
def present() -> tuple[Wing, ...]:
    """Return the wings that are there, in alphabetical order, and the development's last."""
    return tuple(
        Wing(
            ".".join([_ROOT, *path.parent.relative_to(_PACKAGE).parts]),
            json.loads(path.read_text(encoding="utf-8")),
        )
        for path in [*sorted(_PACKAGE.glob(f"wings/*/{_FILE}")), *_PACKAGE.glob(f"dev/{_FILE}")]
    )


def added(kind: str) -> Iterator[tuple[Wing, str, Any]]:
    """Yield the rows of a kind: the wing of each, its name and what it says."""
    for wing in present():
        for name, row in wing.get(kind).items():
            yield wing, name, row


@cache
def is_there(name: str) -> bool:
    """Tell whether the package has a wing."""
    return (_PACKAGE / "wings" / name / _FILE).is_file()


@cache
def left_out() -> frozenset[str]:
    """Return the groups of statements whose functions are missing, with their wing."""
    return frozenset() if is_there("papers") else PAPERS


def module(wing: str, name: str) -> ModuleType:
    """Return a module of a wing, imported.

    Args:
        wing: its name.
        name: the module's, in the wing.

    Raises:
        ModuleNotFoundError: if the wing is not there.
    """
    package = f"{_ROOT}.wings.{wing}"
    if not is_there(wing):
        raise ModuleNotFoundError(f"this needs {package}, which is not installed", name=package)
    return importlib.import_module(f"{package}.{name}")
