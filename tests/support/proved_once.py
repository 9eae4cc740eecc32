"""A dear truth is proved once in a process, however many tests ask for it.

The functions of `reference` and of the enclosures, and those of `_MORE`, answer again what they
have answered, if it took them long: a command, a function of Python and a claim that are compared
rest on one proof. A test that changes what it tries by `monkeypatch` is answered anew.
"""

from __future__ import annotations

import dataclasses
import functools
import importlib
import inspect
import sys
import time
from collections.abc import Callable, Generator
from decimal import Decimal
from fractions import Fraction
from typing import Any

import flint
import mpmath
import pytest
from flint import arb

from dporacle.enclosures.batches.scheme import Interval
from dporacle.vocabulary.witnesses import homes

DEAR = 0.02  # processor seconds; what costs less is not kept

_MORE = {
    "subsampled_gaussian": ("delta_of", "epsilon_of", "sigma_of", "noise_of"),
    "batches": ("batches_delta", "batches_epsilon"),
    "batches.balls_and_bins": ("delta", "epsilon", "one_epoch_delta"),
    "batches.capped": ("delta", "epsilon"),
    "batches.clones": ("hidden_epsilon", "labelled_epsilon"),
    "batches.fixed_size": ("delta", "epsilon"),
    "batches.poisson_ends": ("epsilon",),
    "batches.shuffled": ("delta", "epsilon", "lower", "upper_epsilon"),
    "batches.shuffled_once": ("delta", "epsilon"),
    "batches.with_replacement": ("delta", "epsilon"),
}
"""Module of the enclosures -> what it answers, which no statement names."""

_Function = Callable[..., Any]


class ProvedOnce:
    """What a process has proved, and need not prove again."""

    def __init__(self) -> None:
        self.known: dict[tuple[object, ...], Any] = {}
        self.is_open = True

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
        """Return a function that answers what is known, and else what the function does."""
        home = inspect.unwrap(function).__globals__["__name__"]

        @functools.wraps(function)
        def asked(*placed: Any, **given: Any) -> Any:
            if not (self.is_open and _is_spelled([*placed, *given.values()])):
                return function(*placed, **given)
            words = (*map(repr, placed), *(f"{k}={v!r}" for k, v in sorted(given.items())))
            key = (home, function.__name__, words, flint.ctx.prec, mpmath.mp.prec)
            if key in self.known:
                return self.known[key]
            begin = time.process_time()
            answer = function(*placed, **given)
            if time.process_time() - begin >= DEAR and _is_constant(answer):
                self.known[key] = answer
            return answer

        return asked

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Generator[None, object, object]:
        self.is_open = "monkeypatch" not in getattr(item, "fixturenames", ())
        return (yield)


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


def _is_constant(answer: Any) -> bool:
    """Whether nobody who is given an answer can change it."""
    if isinstance(answer, tuple):
        return all(map(_is_constant, answer))
    return isinstance(answer, (arb, mpmath.mpf, Fraction, Interval, int, float))
