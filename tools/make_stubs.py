"""Write what a type checker sees of the witnesses, from the signatures of their functions.

    python tools/make_stubs.py

An exact witness gives its own numbers. The float64 one gives a float for numbers, an array for
arrays, and what has labels comes back as what it was. A test fails where the files are not what
this makes of the functions.
"""

import inspect
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

from dporacle import enclosures, fast, reference

ROOT = Path(__file__).resolve().parent.parent
STUBS = {
    ROOT / "fast" / "__init__.pyi": fast,
    ROOT / "reference" / "__init__.pyi": reference,
    ROOT / "src" / "dporacle" / "enclosures" / "__init__.pyi": enclosures,
}
_HEADS = {
    "dporacle.fast": """
# What is given decides in this order.
# mypy: disable-error-code="overload-overlap"
from collections.abc import Sequence
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from dporacle.fast._broadcast import Numbers
from dporacle.fast._kinds import Double, Labelled, Scalar, Single
""",
    "dporacle.reference": """
from typing import Any

from dporacle.arguments import Exact
from dporacle.reference.numerics.shown import ShownReal
""",
    "dporacle.enclosures": """
from collections.abc import Callable
from typing import Any

from flint import arb

from dporacle.arguments import Exact
""",
}
_KINDS = (
    ("Scalar", "float"),
    ("Single", "NDArray[np.float32]"),
    ("Double", "NDArray[np.float64]"),
    ("Labelled | Double", "Labelled"),
)


def text(path: Path) -> str:
    """Return a stub, as it is formatted."""
    witness = STUBS[path]
    names = sorted(witness.__all__)
    listed = "".join(f'    "{name}",\n' for name in names)
    parts = [
        '"""Written by tools/make_stubs.py."""\n',
        _HEADS[witness.__name__],
        f"\n__all__ = [\n{listed}]\n\n",
        *(each for name in names for each in _definitions(witness, name)),
    ]
    return subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(path), "-"],
        input="".join(parts),
        capture_output=True,
        text=True,
        check=True,
    ).stdout


def _definitions(witness: ModuleType, name: str) -> Iterator[str]:
    signature = inspect.signature(getattr(witness, name))
    taken = {each.name: str(each.annotation) for each in signature.parameters.values()}
    given = str(signature.return_annotation).replace("Real", "ShownReal")
    numbers = [key for key, kind in taken.items() if kind == "Number"]
    if not numbers or "Numbers" in taken.values() or given not in ("Any", "tuple[Any, Any]"):
        plain = taken | dict.fromkeys(numbers, "Double")
        yield _definition(name, signature, plain, given)
        return
    for kind, answer in _KINDS:
        shown = answer if given == "Any" else f"tuple[{answer}, {answer}]"
        overloaded = taken | dict.fromkeys(numbers, kind)
        yield "@overload\n" + _definition(name, signature, overloaded, shown)


def _definition(name: str, signature: inspect.Signature, kinds: dict[str, str], given: str) -> str:
    parts = [
        f"{key}: {kind}"
        + ("" if signature.parameters[key].default is inspect.Parameter.empty else " = ...")
        for key, kind in kinds.items()
    ]
    return f"def {name}({'*, ' if parts else ''}{', '.join(parts)}) -> {given}: ...\n"


if __name__ == "__main__":
    for path in STUBS:
        path.write_text(text(path), encoding="utf-8")
