"""Dear truths: answers of the exact witnesses, stored as long as what computed them is the same.

In `make test` the functions of `reference` and of the enclosures, and those of `_MORE`, read a
dear answer from `tests/data/truths.json` if the sources that computed it are those of today, and
compute it otherwise. `make truths` stores what was computed. `make test-all` reads nothing, nor
does a test that changes what it tries by `monkeypatch`.
"""

from __future__ import annotations

import ast
import dataclasses
import functools
import hashlib
import importlib
import importlib.util
import inspect
import json
import sys
import threading
import time
from collections.abc import Callable, Generator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import flint
import mpmath
import pytest
from flint import arb

from dporacle.enclosures.arithmetic.balls import precision
from dporacle.enclosures.batches.scheme import Interval
from dporacle.vocabulary.witnesses import homes

PATH = Path(__file__).resolve().parent.parent / "data" / "truths.json"
DEAR = 0.05  # processor seconds; what costs less is not stored

_COMPUTES = (
    *("enclosures", "reference", "arguments", "ieee754", "interface"),
    "wings.papers.enclosures",
)
"""What an answer rests on. The vocabulary computes nothing, and a default stands in the key."""

_MORE = {
    "subsampled_gaussian": ("delta_of", "epsilon_of", "sigma_of", "noise_of"),
    "batches": ("batches_delta", "batches_epsilon"),
    "batches.balls_and_bins": ("delta", "epsilon", "one_epoch_delta"),
    "batches.clones": ("hidden_epsilon", "labelled_epsilon"),
    "batches.fixed_size": ("delta", "epsilon"),
    "batches.poisson_ends": ("epsilon",),
    "batches.shuffled": ("delta", "epsilon", "lower", "upper_epsilon"),
    "batches.shuffled_once": ("delta", "epsilon"),
    "batches.with_replacement": ("delta", "epsilon"),
}
"""Module of the enclosures -> what it answers, which no statement names."""

_Function = Callable[..., Any]


class Store:
    """The stored answers of a run of tests, and how many of them were read."""

    def __init__(self, config: pytest.Config, *, write: bool) -> None:
        stored = PATH.read_text("utf-8") if PATH.exists() else "{}"
        self.known: dict[str, Any] = json.loads(stored)
        self.is_written = write
        self.found: dict[str, Any] = {}  # in this run, read or computed
        self.read = self.computed = 0
        self.is_open = True
        self._inside = threading.local()
        self._config = config

    def serve(self) -> None:
        """Let the exact witnesses answer from here."""
        names = [
            (module.removeprefix("dporacle."), name)
            for witness in ("reference", "enclosures")
            for name, module in homes(witness).items()
        ]
        names += [(f"enclosures.{home}", name) for home, own in _MORE.items() for name in own]
        functions = [getattr(importlib.import_module(f"dporacle.{a}"), b) for a, b in names]
        served = {id(function): (function, self.wrapped(function)) for function in functions}
        for module in [each for name, each in sys.modules.items() if name.startswith("dporacle.")]:
            for name, value in list(vars(module).items()):
                if id(value) in served:
                    setattr(module, name, served[id(value)][1])

    def wrapped(self, function: _Function) -> _Function:
        """Return a function that answers what is stored, and else what the function does."""
        home = inspect.unwrap(function).__globals__["__name__"]
        name = f"{home.removeprefix('dporacle.')}.{function.__name__}"

        @functools.wraps(function)
        def asked(*placed: Any, **given: Any) -> Any:
            if not (self.is_open and _is_spelled([*placed, *given.values()])):
                return function(*placed, **given)
            words = ", ".join([*map(repr, placed), *(f"{k}={v!r}" for k, v in given.items())])
            key = f"{name}({_short(words)})"
            stored = self.known.get(key)
            if stored is not None and stored["sources"] == digest(home):
                self.read += 1
                self.found[key] = stored
                return _unpacked(stored["answer"])
            begin, within = time.process_time(), getattr(self._inside, "asked", False)
            self._inside.asked = True
            try:
                answer = function(*placed, **given)
            finally:
                self._inside.asked = within
            # What is part of another answer is stored with that.
            is_dear = not within and time.process_time() - begin >= DEAR
            if is_dear and (packed := _packed(answer)) is not None:
                self.computed += 1
                self.found[key] = {"sources": digest(home), "answer": packed}
            return answer

        return asked

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.is_open = "monkeypatch" not in getattr(item, "fixturenames", ())
        return (yield)

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
                f"{json.dumps(key, ensure_ascii=False)}: {json.dumps(self.found[key])}"
                for key in sorted(self.found)
            )
            PATH.write_text("{\n" + ",\n".join(lines) + "\n}\n", "utf-8")
            terminalreporter.write_line(f"{len(self.found)} stored in {PATH}")


def _is_spelled(value: Any) -> bool:
    """Whether `repr` tells a value from all others, as it does no ball, long array or function."""
    match value:
        case None | str() | int() | float() | Fraction() | Decimal():
            return True
        case list() | tuple():
            return all(map(_is_spelled, value))
        case dict():
            return all(map(_is_spelled, value.items()))
    fields = dataclasses.fields(value) if dataclasses.is_dataclass(value) else ()
    return bool(fields) and all(_is_spelled(getattr(value, each.name)) for each in fields)


def _short(arguments: str) -> str:
    return arguments if len(arguments) < 400 else hashlib.sha256(arguments.encode()).hexdigest()


def _packed(answer: Any) -> Any:
    """Return an answer as JSON, exactly, or None: numbers are m·2^e, or fractions."""
    match answer:
        case arb():
            return {"ball": [_bits(answer.mid()), _bits(answer.rad())]}
        case mpmath.mpf():
            sign, mantissa, power, _ = answer._mpf_
            return {"mpf": f"{'-' * sign}{int(mantissa):x} {power}"} if mantissa else None
        case Fraction():
            return {"fraction": str(answer)}
        case Interval():
            parts = [_packed(Fraction(each)) for each in (answer.low, answer.high)]
            return {"interval": [*parts, answer.exact]}
        case tuple():
            parts = [_packed(each) for each in answer]
            return None if None in parts or type(answer) is not tuple else {"tuple": parts}
    return None


def _bits(number: arb) -> str:
    mantissa, power = number.man_exp()
    return f"{int(mantissa):x} {int(power)}"


def _unpacked(packed: dict[str, Any]) -> Any:
    ((kind, value),) = packed.items()
    match kind:
        case "ball":
            with precision(64 + 4 * max(map(len, value))):
                middle, radius = (arb(m) * arb(2) ** e for m, e in map(_read, value))
                return arb(middle, radius)  # the radius may be rounded up, in its 30th bit
        case "mpf":
            return mpmath.mp.make_mpf(mpmath.libmp.from_man_exp(*_read(value)))
        case "fraction":
            return Fraction(value)
        case "interval":
            return Interval(_unpacked(value[0]), _unpacked(value[1]), exact=value[2])
    return tuple(map(_unpacked, value))


def _read(bits: str) -> tuple[int, int]:
    mantissa, power = bits.split()
    return int(mantissa, 16), int(power)


@functools.cache
def digest(module: str) -> str:
    """Return a hash of all sources that compute what a module does, and of the arithmetic below."""
    made = hashlib.sha256(f"{flint.__version__} {mpmath.__version__}".encode())
    for name in sorted(closure(module)):
        made.update(name.encode() + b"\0" + source(name).encode() + b"\0")
    return made.hexdigest()[:16]


@functools.cache
def source(module: str) -> str:
    """Return the text of a module."""
    return Path(str(importlib.import_module(module).__file__)).read_text("utf-8")


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
    computes = tuple(f"dporacle.{each}" for each in _COMPUTES)
    return [name for name in found if name.startswith(computes) and _is_module(name)]


@functools.cache
def _is_module(name: str) -> bool:
    try:
        return importlib.util.find_spec(name) is not None
    except ModuleNotFoundError:
        return False
