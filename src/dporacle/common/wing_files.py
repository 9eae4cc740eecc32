"""What the core offers, and what the wings add to it: products beside it, found without a list.

A wing is a folder of `dporacle.wings`, and `dporacle.dev` is one in a checkout. Its `wing.json`
has, as `core.json` does for the core,

- `commands`: command -> where its click command stands in the folder, and what it is for,
- `options` and `examples`: theirs; `dporacle.cli.options` says how they are written,
- `mechanisms`: those that claims may be about -> the module of each. The core names those alone
  that stand in no file of their own name in `claims/mechanisms`.

The core imports a wing only when somebody asks for what it adds, and works without any of them.
"""

import importlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any, Final

PAPERS: Final = frozenset(
    {"accuracy_loss", "denoising", "finite_mechanism", "minimax", "rank_one_gaussian"}
)
"""The groups that no noise of today's libraries needs: what papers say beside it, a wing."""

_ROOT = "dporacle"
_PACKAGE: Final = Path(__file__).parents[1]
_FILE, _CORE = "wing.json", "core.json"


@dataclass(frozen=True, slots=True)
class Wing:
    """What the core offers or one wing adds: the rows of its file; any other key is an error.

    Attributes:
        package: its full name.
        commands: command -> where it stands, and what it is for.
        options: command -> its options.
        examples: command -> what it may be called with.
        mechanisms: kind of a mechanism -> the module of its class.
    """

    package: str
    commands: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    options: Mapping[str, Any] = field(default_factory=dict)
    examples: Mapping[str, list[str]] = field(default_factory=dict)
    mechanisms: Mapping[str, str] = field(default_factory=dict)

    def find(self, where: str) -> Any:
        """Return what stands at `module:attribute` of its folder, imported."""
        module, _, attribute = where.partition(":")
        return getattr(importlib.import_module(f"{self.package}.{module}"), attribute)


@cache
def present() -> tuple[Wing, ...]:
    """Return the wings that are there, in alphabetical order, and the development's last."""
    paths = [*sorted(_PACKAGE.glob(f"wings/*/{_FILE}")), *_PACKAGE.glob(f"dev/{_FILE}")]
    return tuple(map(_read, paths))


@cache
def offering() -> tuple[Wing, ...]:
    """Return the core, and the wings that are there."""
    return (_read(_PACKAGE / _CORE), *present())


def _read(path: Path) -> Wing:
    package = ".".join([_ROOT, *path.parent.relative_to(_PACKAGE).parts])
    return Wing(package, **json.loads(path.read_text(encoding="utf-8")))


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
