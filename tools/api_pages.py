"""What the site's pages show of a witness's function: the signature and docstring of its row."""

from __future__ import annotations

import importlib
import inspect
from typing import Any

import griffe


class Rows(griffe.Extension):
    """Replace what stands in the file by what a caller sees."""

    def on_function_instance(self, *, func: griffe.Function, **_: Any) -> None:
        """Look at a function of a witness as it is when it is imported."""
        if {"witness"} & {each.value.canonical_name for each in func.decorators}:
            found = getattr(importlib.import_module(func.parent.path), func.name)
            func.docstring = griffe.Docstring(inspect.getdoc(found), parent=func)
            for name, each in inspect.signature(found).parameters.items():
                shown = func.parameters[name]
                shown.annotation = each.annotation
                if each.default is not inspect.Parameter.empty:
                    shown.default = repr(each.default)
