"""The formal appendix: each statement with its formula, its code and its verdict, side by side.

    python tools/formal_appendix.py > appendix.md

For a reader with the papers in hand. The code is the reference's, without its docstrings, with the
functions of its own file that it calls; the verdict is the catalogue's, with the theorem that
`dporacle prove` proves of it and the line of the errata, where there is one.
"""

import ast
import importlib
import inspect
import re
import sys
import textwrap
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

from dporacle.regions import catalogue
from dporacle.vocabulary import QUANTITIES
from dporacle.vocabulary.statements import STATEMENTS, Statement, Status
from dporacle.vocabulary.witnesses import module_of

ROOT = Path(__file__).resolve().parent.parent
_SIGNS = {Status.TRUE: "✔", Status.FALSE: "✖", Status.PARTLY: "◐"}


def page() -> str:
    """Return the page, in Markdown."""
    parts = ["# Formal appendix\n", (__doc__ or "").split("\n\n", 2)[2]]
    for source in dict.fromkeys(row.id.split(".")[0] for row in STATEMENTS):
        parts.append(f"## {source}\n")
        parts += [_statement(row) for row in STATEMENTS if row.id.split(".")[0] == source]
    return "\n".join(parts)


def _statement(row: Statement) -> str:
    lines = [
        f"### {row.id}\n",
        f"**Statement.** {_plain(row.says)}.\n",
        f"**Verdict.** {_SIGNS[row.status]} {row.status}. "
        + " ".join(_verdicts(row))
        + f" [Note](../proofs_notes/{row.group}.md).\n",
    ]
    if row.experiments:
        commands = ", ".join(f"`dporacle experiment {name}`" for name in row.experiments)
        lines.append(f"**Experiment.** {commands}.\n")
        return "\n".join(lines)
    if "reference" in row.holes:
        lines.append(f"**Formula.** The reference has none: {_plain(row.holes['reference'])}.\n")
        return "\n".join(lines)
    for name in row.functions:
        function = getattr(importlib.import_module(module_of(row.group, "reference")), name)
        said = (inspect.getdoc(function) or "").split("\n\n")[0].replace("\n", " ")
        lines.append(f"**Formula.** `{name}`: {_plain(said.removeprefix('Return '))}\n")
        if name in QUANTITIES:
            lines.append(f"As a quantity: {_plain(QUANTITIES[name].exact)}.\n")
        lines.append(textwrap.indent(_code(function), "    ") + "\n")
    return "\n".join(lines)


def _verdicts(row: Statement) -> Iterator[str]:
    proved = [each.id for each in _theorems() if _about(each.id) == row.id]
    if proved:
        commands = ", ".join(f"`dporacle prove {name}`" for name in proved)
        yield f"Over its whole domain, or where it says: {commands}."
    for line in _errata().split("\n"):
        cells = [each.strip() for each in line.split(" | ")]
        if cells[0] == f"| {row.id}" and len(cells) > 2:
            yield f"Wrong: {cells[1]}. Counterexample: {cells[2]}."


@cache
def _theorems() -> tuple[Any, ...]:
    return tuple(catalogue().values())


def _about(name: str) -> str:
    """The statement of a theorem: its id, or that up to the second dot."""
    ids = sorted((row.id for row in STATEMENTS), key=len, reverse=True)
    return next((each for each in ids if name == each or name.startswith(f"{each}.")), "")


@cache
def _errata() -> str:
    return (ROOT / "proofs_notes" / "errata.md").read_text(encoding="utf-8")


def _code(function: Any) -> str:
    """A function without its docstring, after the private ones of its file that it calls."""
    function = inspect.unwrap(function)
    module = sys.modules[function.__globals__["__name__"]]
    tree = ast.parse(inspect.getsource(module))
    defined = {node.name: node for node in tree.body if isinstance(node, ast.FunctionDef)}
    wanted, waiting = [], [function.__code__.co_name]
    while waiting:
        name = waiting.pop(0)
        if name not in defined or name in wanted:
            continue
        wanted.append(name)
        called = {node.id for node in ast.walk(defined[name]) if isinstance(node, ast.Name)}
        waiting += sorted(called & set(defined))
    return "\n\n".join(_shown(defined[name], module) for name in wanted)


def _shown(node: ast.FunctionDef, module: ModuleType) -> str:
    lines = inspect.getsource(module).split("\n")[node.lineno - 1 : node.end_lineno]
    if ast.get_docstring(node) is not None:
        text = node.body[0]
        assert text.end_lineno is not None
        del lines[text.lineno - node.lineno : text.end_lineno - node.lineno + 1]
    return "\n".join(line for line in lines if line.strip())


def _plain(text: str) -> str:
    """Text in which Markdown sees no emphasis and no cell."""
    return re.sub(r"([*_|])", r"\\\1", text).rstrip(".")


if __name__ == "__main__":
    print(page())
