"""The names that packages had before they were wings or development's: found for one release.

`import dporacle.samplers` gives `dporacle.wings.samplers`, the same module, and says so. The
package asks here first of all: in the folder of a wing its modules would be found a second time.
"""

import importlib
import importlib.util
import warnings
from collections.abc import Mapping
from importlib.machinery import ModuleSpec
from types import ModuleType

_ROOT = "dporacle."


class _Loader:
    """Gives a module that is found under another name."""

    def __init__(self, name: str) -> None:
        self.name = name
        self.own: ModuleSpec | None = None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        """Return the module as it is."""
        warnings.warn(f"{spec.name} is {self.name}", DeprecationWarning, stacklevel=2)
        module = importlib.import_module(self.name)
        self.own = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Run nothing: it has run. What the import system wrote into it is taken back."""
        module.__spec__ = self.own


def found(name: str, moved: Mapping[str, str]) -> ModuleSpec | None:
    """Return where a package that has moved is now, or a module in it; None where it is not."""
    first, dot, rest = name.removeprefix(_ROOT).partition(".")
    new = f"{_ROOT}{moved[first]}{dot}{rest}"
    try:
        if importlib.util.find_spec(new) is None:
            return None
    except ImportError:  # a wing that is not there
        return None
    return ModuleSpec(name, _Loader(new))  # type: ignore[arg-type]
