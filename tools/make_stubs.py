"""Write what a type checker sees of the float64 witness: floats in, a float out; else anything.

    python tools/make_stubs.py

Each function that takes numbers or arrays is overloaded, from its own signature. A test fails
where the file is not what this makes of the functions.
"""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

from dporacle import fast

STUB = Path(__file__).resolve().parent.parent / "fast" / "_typed.pyi"
_HEAD = '''"""Written by tools/make_stubs.py: numbers in, a float out; arrays in, arrays out."""

from collections.abc import Sequence
from typing import Any, overload

import numpy as np

from dporacle.arguments import Exact
from dporacle.fast._broadcast import Numbers

'''
_LIKE_ITS_MODULE = "accuracy"  # mypy would take the package's for the module
_SCALAR_OR_ARRAY = ("Any", "Number")
_FLOATS = {"Any": "float", "tuple[Any, Any]": "tuple[float, float]"}


def text() -> str:
    """Return the stub, as it is formatted."""
    names = sorted(fast.__all__)
    listed = "".join(f'    "{name}",\n' for name in names if name != _LIKE_ITS_MODULE)
    parts = [
        _HEAD,
        f"__all__ = [\n{listed}]\n\n",
        *(_function(name) for name in names),
    ]
    return subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(STUB), "-"],
        input="".join(parts),
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _function(name: str) -> str:
    signature = inspect.signature(getattr(fast, name))
    taken = {each.name: str(each.annotation) for each in signature.parameters.values()}
    given = str(signature.return_annotation)
    plain = _definition(name, signature, taken, given)
    numbers = [key for key, kind in taken.items() if kind in _SCALAR_OR_ARRAY]
    if given not in _FLOATS or not numbers or "Numbers" in taken.values():
        return plain
    exact = taken | dict.fromkeys(numbers, "Exact")
    return "".join(
        f"@overload\n{each}"
        for each in (_definition(name, signature, exact, _FLOATS[given]), plain)
    )


def _definition(name: str, signature: inspect.Signature, kinds: dict[str, str], given: str) -> str:
    parts = [
        f"{key}: {'Any' if kind == 'Number' else kind}"
        + ("" if signature.parameters[key].default is inspect.Parameter.empty else " = ...")
        for key, kind in kinds.items()
    ]
    return f"def {name}({'*, ' if parts else ''}{', '.join(parts)}) -> {given}: ...\n"


if __name__ == "__main__":
    STUB.write_text(text(), encoding="utf-8")
