"""What stands in the modules of a folder, found without a list of them.

A statement's source, an identity, the cases of a mechanism: to add one is to add a file.
"""

import importlib
import pkgutil
from collections.abc import Iterator
from types import ModuleType


def modules(package: str, *, prefix: str = "") -> Iterator[ModuleType]:
    """Yield the modules of a package in alphabetical order, imported.

    Args:
        package: its full name; what is inside its folders is not looked at.
        prefix: of the names of the modules wanted.
    """
    folder = importlib.import_module(package).__path__
    for name in sorted(each.name for each in pkgutil.iter_modules(folder)):
        if name.startswith(prefix):
            yield importlib.import_module(f"{package}.{name}")
