"""Whole products beside the core: each is a folder with its commands, pictures and tests.

    >>> from dporacle.wings import samplers

The core imports none of them and works without any: what a wing adds, its `wing.json` says. They
do not import each other either.
"""

import importlib
from typing import Any

from dporacle.common import wing_files as _rows

_NAMES = tuple(
    each.package.rpartition(".")[2]
    for each in _rows.present()
    if each.package.startswith(f"{__name__}.")
)


def __getattr__(name: str) -> Any:
    if name in _NAMES:
        return importlib.import_module(f"{__name__}.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*(name for name in globals() if name.startswith("__")), *_NAMES})
