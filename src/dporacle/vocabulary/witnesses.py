"""Which module of a witness holds each of its functions: the statements say it."""

import functools
import importlib
import inspect
import sys
import warnings
from collections.abc import Callable, Mapping
from typing import Any

from dporacle.common import wing_files as wings
from dporacle.vocabulary.statements import STATEMENTS

RENAMED = {
    "rank_one_published_witness": "rank_one_published_inner_ball",
    "rank_one_witness_delta": "rank_one_inner_ball_delta",
}
"""What a function was called -> its name; the old one goes with the next release."""


def module_of(group: str, witness: str) -> str:
    """Return the full name of a witness's module of a group of statements.

    The enclosures of the papers' groups stand in the wing itself. The two witnesses at the top of
    the repository have a folder for them.
    """
    if group not in wings.PAPERS:
        return f"dporacle.{witness}.{group}"
    wing = "wings.papers.enclosures" if witness == "enclosures" else f"{witness}.papers"
    return f"dporacle.{wing}.{group}"


def lacking(statement: str) -> str:
    """Return the wing that has a statement's functions, where it is missing; else nothing.

    Args:
        statement: its id, to which a variant may add a word: JL24.L2.reversed.
    """
    if not wings.left_out():
        return ""
    groups = {row.id: row.group for row in STATEMENTS}
    stem = statement if statement in groups else statement.rpartition(".")[0]
    return "dporacle.wings.papers" if groups.get(stem) in wings.left_out() else ""


def homes(witness: str, **others: str) -> dict[str, str]:
    """Return function -> the module of a witness that holds it, in alphabetical order.

    Where the papers' wing is missing, its functions are too.

    Args:
        witness: reference, fast or enclosures.
        others: functions of this witness that belong to no statement, and their groups.
    """
    groups = {
        name: row.group
        for row in STATEMENTS
        if witness not in row.holes and not row.experiments
        for name in row.functions
    } | others
    return {
        name: module_of(group, witness)
        for name, group in sorted(groups.items())
        if group not in wings.left_out()
    }


def exports(
    package: str,
    modules: Mapping[str, str],
    dressed: Callable[[Callable[..., Any]], Callable[..., Any]],
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's `__getattr__` and `__dir__`: a function's module is imported when needed.

    Args:
        package: its full name.
        modules: function -> the full name of its module, as `homes` returns it.
        dressed: makes of a module's function the one that the package has.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - it becomes the package's
        if (now := RENAMED.get(name)) in modules:
            words = f"{package}.{name} is {now}; the old name goes with the next release"
            warnings.warn(words, DeprecationWarning, stacklevel=2)
            name = str(now)
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(modules[name])
        found = dressed(getattr(module, name))
        setattr(sys.modules[package], name, found)  # one object, found at once the next time
        return found

    def __dir__() -> list[str]:  # noqa: N807
        return sorted({*vars(sys.modules[package]), *modules})

    return __getattr__, __dir__


def showing(
    package: str, show: Callable[[Any, int], Any]
) -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Return what makes a witness's answers print the digits that were asked for.

    Args:
        package: the witness's, where the function is found again.
        show: gives an answer and its number of digits a type that prints them.
    """

    def dressed(function: Callable[..., Any]) -> Callable[..., Any]:
        asked = inspect.signature(function).parameters.get("digits")
        if asked is None:
            return found_in(package, function)

        @functools.wraps(function)
        def wrapped(*args: Any, **given: Any) -> Any:
            answer = function(*args, **given)
            digits = given.get("digits", asked.default)
            if type(answer) in (tuple, list):
                return type(answer)(show(each, digits) for each in answer)
            return show(answer, digits)

        return found_in(package, wrapped)

    return dressed


def found_in(package: str, function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that says where callers find it."""
    function.__module__ = package
    return function
