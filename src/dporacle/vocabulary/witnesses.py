"""Which module of a witness holds each of its functions: the statements say it."""

import functools
import importlib
import inspect
import re
import sys
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

from dporacle.vocabulary.statements import STATEMENTS

PAPERS = frozenset(
    {"accuracy_loss", "denoising", "finite_mechanism", "minimax", "rank_one_gaussian"}
)
"""The groups that no noise of today's libraries needs: what papers say beside it."""

RENAMED = {
    "rank_one_published_witness": "rank_one_published_inner_ball",
    "rank_one_witness_delta": "rank_one_inner_ball_delta",
}
"""What a function was called -> its name; the old one goes with the next release."""

_Function = TypeVar("_Function", bound=Callable[..., Any])
_ENTRY = re.compile(r"^    (\w+): (.*(?:\n      .*)*)", re.MULTILINE)  # an argument of a docstring


def module_of(group: str) -> str:
    """Return the module of a group of statements, the same in every witness."""
    return f"papers.{group}" if group in PAPERS else group


def homes(witness: str, **others: str) -> dict[str, str]:
    """Return function -> the module of a witness that holds it, in alphabetical order.

    Args:
        witness: reference, fast or enclosures.
        others: functions of this witness that belong to no statement, and their modules.
    """
    found = {
        name: module_of(row.group)
        for row in STATEMENTS
        if witness not in row.holes and not row.experiments
        for name in row.functions
    }
    return dict(sorted({**found, **others}.items()))


def exports(
    package: str,
    modules: Mapping[str, str],
    dressed: Callable[[Callable[..., Any]], Callable[..., Any]] = lambda function: function,
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return a package's `__getattr__` and `__dir__`: a function's module is imported when needed.

    Args:
        package: its full name.
        modules: function -> module, as `homes` returns it.
        dressed: makes of a module's function the one that the package has.
    """

    def __getattr__(name: str) -> Any:  # noqa: N807 - it becomes the package's
        if (now := RENAMED.get(name)) in modules:
            words = f"{package}.{name} is {now}; the old name goes with the next release"
            warnings.warn(words, DeprecationWarning, stacklevel=2)
            name = str(now)
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = importlib.import_module(f"{package}.{modules[name]}")
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
        function = explained(function, package)
        asked = inspect.signature(function).parameters.get("digits")
        if asked is None:
            return function

        @functools.wraps(function)
        def wrapped(*args: Any, **given: Any) -> Any:
            answer = function(*args, **given)
            digits = given.get("digits", asked.default)
            if type(answer) in (tuple, list):
                return type(answer)(show(each, digits) for each in answer)
            return show(answer, digits)

        wrapped.__module__ = package
        return wrapped

    return dressed


def explained(function: _Function, package: str) -> _Function:
    """Return the function whose errors say which arguments there are, and what they may be.

    Args:
        function: takes its arguments by name.
        package: where it is found again.
    """

    @functools.wraps(function)
    def wrapped(*placed: Any, **given: Any) -> Any:
        try:
            return function(*placed, **given)
        except TypeError:
            if words := _miscalled(function, placed, given):
                raise TypeError(f"{function.__name__}() {words}") from None
            raise

    wrapped.__module__ = package
    return cast("_Function", wrapped)


def _miscalled(
    function: Callable[..., Any], placed: Sequence[Any], given: Mapping[str, Any]
) -> str:
    taken = inspect.signature(function).parameters
    named = {name for name, each in taken.items() if each.kind is each.KEYWORD_ONLY}
    if named != taken.keys():
        return ""
    unknown = [f"has no argument {name!r}" for name in given if name not in taken]
    if unknown or placed:
        what = unknown[0] if unknown else "takes its arguments by name"
        return f"{what}: {', '.join(f'{name}=' for name in taken)}"
    told = dict(_ENTRY.findall(inspect.getdoc(function) or ""))
    for name, each in taken.items():
        if each.default is each.empty and name not in given:
            return f"needs {name}=: {' '.join(told.get(name, 'there is no default').split())}"
    return ""
