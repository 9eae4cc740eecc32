"""Write what a type checker and an editor see of the witnesses: signatures and docstrings.

    python tools/make_stubs.py

An exact witness gives its own numbers. The float64 one gives a float for numbers, an array for
arrays, and what has labels comes back as what it was. An installation makes these files; git has
none of them. They are made of the source as text, and of the rows of the vocabulary: nothing but
the standard library is needed, and no witness is imported. A test sets each signature and docstring
against those of the function itself.
"""

import ast
import functools
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "src"))

from dporacle import interface  # noqa: E402
from dporacle.vocabulary.domains import FLOAT_STEPS  # noqa: E402
from dporacle.vocabulary.functions import rows_of  # noqa: E402
from dporacle.vocabulary.witnesses import homes  # noqa: E402

FOLDERS = {
    "dporacle.fast": ROOT / "fast",
    "dporacle.reference": ROOT / "reference",
    "dporacle.enclosures": ROOT / "src" / "dporacle" / "enclosures",
}
"""A witness -> where its source stands."""

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

_PUBLIC = {"witness", "of_steps", "by_kernel"}
"""Decorators that make a public function of a formula and its rows."""


def text(witness: str) -> str:
    """Return the stub of a witness.

    Args:
        witness: its full name.
    """
    described = sorted(functions(witness).items())
    listed = "".join(f'    "{name}",\n' for name, _ in described)
    parts = [
        '"""Made by tools/make_stubs.py."""\n',
        _HEADS[witness],
        f"\n__all__ = [\n{listed}]\n\n",
        *(each for name, function in described for each in _definitions(name, function)),
    ]
    return "".join(parts)


def functions(witness: str) -> dict[str, Callable[..., Any]]:
    """Return the functions of a witness without what they compute, by name."""
    tree = _tree(FOLDERS[witness] / "__init__.py")
    (call,) = (
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call) and ast.unparse(node.func) == "homes"
    )
    others = {str(each.arg): ast.literal_eval(each.value) for each in call.keywords}
    return {
        name: _function(module, name)
        for name, module in homes(witness.rpartition(".")[2], **others).items()
    }


def _function(module: str, name: str) -> Callable[..., Any]:
    """Return a function as callers see it, from its definition or from where it is imported."""
    for node in _tree(_file(module)).body:
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return _public(module, node)
        if isinstance(node, ast.ImportFrom) and name in {
            each.asname or each.name for each in node.names
        }:
            (original,) = (each.name for each in node.names if name in (each.asname, each.name))
            return _function(str(node.module), original)
    raise LookupError(f"{module} has no function {name}")


def _public(module: str, node: ast.FunctionDef) -> Callable[..., Any]:
    """Return what the decorators make of a function, of which one says how it is called."""
    hollow = _hollow(module, node)
    decorators = {ast.unparse(each).partition("(")[0] for each in node.decorator_list}
    if not decorators & _PUBLIC:
        return hollow
    if not module.startswith("dporacle.fast."):
        return interface.witness(hollow)
    rows = rows_of(node.name, FLOAT_STEPS if "of_steps" in decorators else {})
    kinds = {
        key: {"Array": "Number"}.get(kind, kind) for key, kind in hollow.__annotations__.items()
    }
    return interface.called(hollow, rows, kinds, hollow)


def _hollow(module: str, node: ast.FunctionDef) -> Callable[..., Any]:
    """Return a function with the signature and the docstring of a definition, and nothing else."""
    said = ast.Expr(ast.Constant(ast.get_docstring(node, clean=False) or ""))
    bare = ast.FunctionDef(node.name, node.args, [said], [], node.returns)
    future = ast.ImportFrom("__future__", [ast.alias("annotations")], 0)
    whole = ast.fix_missing_locations(ast.Module([future, bare], []))
    names: dict[str, Any] = {"__name__": module}
    exec(compile(whole, module, "exec"), names)  # a line of ours, without its body
    made = names[node.name]
    assert callable(made)
    return made


@functools.cache
def _tree(path: Path) -> ast.Module:
    return ast.parse(path.read_text(encoding="utf-8"))


def _file(module: str) -> Path:
    for package, folder in {**FOLDERS, "dporacle": ROOT / "src" / "dporacle"}.items():
        if module.startswith(f"{package}."):
            path = folder.joinpath(*module.removeprefix(f"{package}.").split("."))
            return path.with_suffix(".py") if not path.is_dir() else path / "__init__.py"
    raise LookupError(f"{module} is none of ours")


def _definitions(name: str, function: Callable[..., Any]) -> Iterator[str]:
    signature = inspect.signature(function)
    taken = {each.name: str(each.annotation) for each in signature.parameters.values()}
    given = str(signature.return_annotation).replace("Real", "ShownReal")
    said = inspect.getdoc(function) or ""
    numbers = [key for key, kind in taken.items() if kind == "Number"]
    if not numbers or "Numbers" in taken.values() or given not in ("Any", "tuple[Any, Any]"):
        plain = taken | dict.fromkeys(numbers, "Double")
        yield _definition(name, signature, plain, given, said)
        return
    for kind, answer in _KINDS:
        shown = answer if given == "Any" else f"tuple[{answer}, {answer}]"
        overloaded = taken | dict.fromkeys(numbers, kind)
        yield "@overload\n" + _definition(name, signature, overloaded, shown, said)


def _definition(
    name: str, signature: inspect.Signature, kinds: dict[str, str], given: str, said: str
) -> str:
    parts = [
        f"{key}: {kind}" + ("" if default is inspect.Parameter.empty else f" = {default!r}")
        for key, kind in kinds.items()
        for default in [signature.parameters[key].default]
    ]
    head = f"def {name}({'*, ' if parts else ''}{', '.join(parts)}) -> {given}:\n"
    quoted = f'r"""{said}\n"""' if "\n" in said else f'r"""{said}"""'
    return head + textwrap.indent(quoted, "    ") + "\n\n"


def write(folders: dict[str, Path] = FOLDERS) -> list[Path]:
    """Write the stubs of the witnesses, where they are not already what they should be.

    Args:
        folders: a witness -> where its stub is to stand.
    """
    paths = []
    for witness, folder in folders.items():
        made, path = text(witness), folder / "__init__.pyi"
        paths.append(path)
        if not path.is_file() or path.read_text(encoding="utf-8") != made:
            path.write_text(made, encoding="utf-8")
    return paths


if __name__ == "__main__":
    write()
