"""Dear truths, asked of the enclosures once: stored as long as what computed them is the same.

    from support import truths
    truths.subsampled_delta(epsilon=1, sigma=2, rate=0.01, steps=1000, direction="add", digits=20)

A test that compares another witness with balls asks here; one that tries the enclosures themselves
asks them. `make test` reads answers from `tests/data/truths.json`, if the sources that computed
them are those of today; `make truths` stores anew what takes long. `make test-all` reads nothing.
"""

from __future__ import annotations

import ast
import functools
import hashlib
import importlib.util
import inspect
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import flint
import pytest
from flint import arb

from dporacle import enclosures
from dporacle.enclosures.arithmetic.balls import precision

PATH = Path(__file__).resolve().parent.parent / "data" / "truths.json"
DEAR = 0.1  # processor seconds; what costs less is not stored

_COMPUTES = ("dporacle.enclosures", "dporacle.arguments", "dporacle.ieee754", "dporacle.interface")
"""What an answer rests on. The vocabulary computes nothing, and a default stands in the key."""


def __getattr__(name: str) -> Callable[..., Any]:
    function = getattr(enclosures, name)
    return lambda **given: Store.present.answer(name, function, given)


class Store:
    """The stored answers of a run of tests, and how many of them were read."""

    present: Store

    def __init__(self, config: pytest.Config, *, read: bool, write: bool) -> None:
        stored = PATH.read_text("utf-8") if read and PATH.exists() else "{}"
        self.known: dict[str, Any] = json.loads(stored)
        self.is_written = write
        self.found: dict[str, Any] = {}
        self.read = self.computed = 0
        self._config = config
        Store.present = self

    def answer(self, name: str, function: Callable[..., Any], given: dict[str, Any]) -> Any:
        """Return what a function of the enclosures answers."""
        bound = inspect.signature(function).bind(**given)
        bound.apply_defaults()
        key = f"{name} {sorted(bound.arguments.items())!r}"
        of_today = digest(name)
        stored = self.known.get(key)
        if stored is not None and stored["sources"] == of_today:
            self.read += 1
            return _shown(_unpacked(stored["ends"]), bound.arguments.get("digits"))
        begin = time.process_time()
        ball = function(**given)
        if time.process_time() - begin >= DEAR:
            self.computed += 1
            self.found[key] = {"sources": of_today, "ends": _packed(ball)}
        return ball

    def pytest_sessionfinish(self) -> None:
        if hasattr(self._config, "workeroutput"):  # pytest-xdist sends it to the controller
            self._config.workeroutput["truths"] = json.dumps([self.read, self.computed, self.found])

    @pytest.hookimpl(optionalhook=True)
    def pytest_testnodedown(self, node: Any) -> None:
        read, computed, found = json.loads(
            getattr(node, "workeroutput", {}).get("truths", "[0,0,{}]")
        )
        self.read += read
        self.computed += computed
        self.found |= found

    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        if self.read or self.computed:
            terminalreporter.write_line(
                f"dear truths: {self.read} read from the store, {self.computed} computed"
            )
        if self.is_written:
            lines = (
                f"{json.dumps(key)}: {json.dumps(self.found[key])}" for key in sorted(self.found)
            )
            PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
            terminalreporter.write_line(f"{len(self.found)} stored in {PATH}")


def _packed(ball: arb) -> list[str]:
    """Return midpoint and radius, exactly: m·2^e each."""
    return [f"{int(m):x} {int(e)}" for m, e in (ball.mid().man_exp(), ball.rad().man_exp())]


def _unpacked(ends: list[str]) -> arb:
    with precision(64 + 4 * max(map(len, ends))):
        middle, radius = (arb(int(m, 16)) * arb(2) ** int(e) for m, e in map(str.split, ends))
        return arb(middle, radius)  # the radius may be rounded up, in its 30th bit


def _shown(ball: arb, digits: int | None) -> arb:
    from dporacle.enclosures.arithmetic.shown import show

    return ball if digits is None else show(ball, digits)


@functools.cache
def digest(function: str) -> str:
    """Return a hash of all sources that compute a function of the enclosures."""
    return sources_digest(tuple(sorted(closure(home(function)))))


def home(function: str) -> str:
    """Return the module that holds a function of the enclosures."""
    return str(inspect.unwrap(getattr(enclosures, function)).__globals__["__name__"])


def sources_digest(modules: tuple[str, ...]) -> str:
    """Return a hash of the sources of modules, and of the arithmetic below them."""
    made = hashlib.sha256(flint.__version__.encode())
    for name in modules:
        made.update(name.encode() + b"\0" + source(name).encode() + b"\0")
    return made.hexdigest()[:16]


def source(module: str) -> str:
    """Return the text of a module."""
    return inspect.getsource(importlib.import_module(module))


def closure(module: str) -> set[str]:
    """Return the modules that compute what a module does: it, and all that it imports."""
    found: set[str] = set()
    left = [module]
    while left:
        name = left.pop()
        if name not in found:
            found.add(name)
            left += _imported(name)
    return found


@functools.cache
def _imported(module: str) -> list[str]:
    found = []
    for node in ast.walk(ast.parse(source(module))):
        if isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [node.module, *(f"{node.module}.{each.name}" for each in node.names)]
        elif isinstance(node, ast.Import):
            found += [each.name for each in node.names]
    return [name for name in found if name.startswith(_COMPUTES) and _is_module(name)]


def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
