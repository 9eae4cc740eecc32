"""Modules that belong to no package: tools, and pages' code."""

import importlib.util
import sys
from pathlib import Path
from types import ModuleType


def module_at(path: Path, name: str = "") -> ModuleType:
    """Run a file as a module of its own name, or of another, which its dataclasses look up."""
    spec = importlib.util.spec_from_file_location(name or path.stem, path)
    assert spec is not None
    assert spec.loader is not None
    module = sys.modules[spec.name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
