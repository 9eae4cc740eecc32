"""What the site's pages show of a witness's function: the signature and docstring of its row."""

import importlib
import inspect
from typing import Any

import griffe

_READ = {"witness", "by_kernel", "of_steps"}  # what decorates a function whose row says the rest


class CallersView(griffe.Extension):
    """Replace what stands in the file by what a caller sees."""

    def on_function_instance(self, *, func: griffe.Function, **_: Any) -> None:
        """Look at a function of a witness as it is when it is imported."""
        if _READ & {each.value.canonical_name.rpartition(".")[2] for each in func.decorators}:
            found = getattr(importlib.import_module(func.parent.path), func.name)
            func.docstring = griffe.Docstring(inspect.getdoc(found), parent=func)
            taken = inspect.signature(found).parameters
            for name in [each.name for each in func.parameters if each.name not in taken]:
                del func.parameters[name]
            for name, each in taken.items():
                shown = func.parameters[name]
                shown.annotation = each.annotation
                shown.kind = griffe.ParameterKind.keyword_only
                if each.default is not inspect.Parameter.empty:
                    shown.default = repr(each.default)
