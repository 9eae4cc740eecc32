"""Arrays that have labels: pandas in, pandas out; xarray in, xarray out; with their labels.

Neither is imported here: a caller who passes such an array has imported it.
"""

import sys
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np


def labelled(function: Callable[..., Any], given: Mapping[str, Any]) -> Any:
    """Call a function of plain arrays, and give its answer the labels of its arguments.

    Args:
        function: takes the names of `given` as keywords.
        given: its arguments.

    Raises:
        ValueError: if the labels of two arguments differ.
    """
    for library, relabel in (("xarray", _xarray), ("pandas", _pandas)):
        if (module := sys.modules.get(library)) is not None:
            kinds = _kinds(module)
            if any(_is(value, kinds) for value in given.values()):
                return relabel(module, function, given, kinds)
    return function(**given)


def _kinds(module: Any) -> tuple[type, ...]:
    names = ("DataArray", "Dataset", "Variable", "Series", "DataFrame")
    return tuple(getattr(module, name) for name in names if hasattr(module, name))


def _is(value: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, kinds)


def _xarray(
    module: Any, ask: Callable[..., Any], given: Mapping[str, Any], kinds: tuple[type, ...]
) -> Any:
    """Broadcast by the names of dimensions; coordinates have to agree."""
    others = {name: value for name, value in given.items() if not _is(value, kinds)}
    names = [name for name in given if name not in others]

    answers: list[Any] = []

    def of_arrays(*arrays: Any) -> Any:
        answers.append(ask(**others, **dict(zip(names, arrays, strict=True))))
        return answers[-1][0] if isinstance(answers[-1], tuple) else answers[-1]

    def applied(function: Callable[..., Any]) -> Any:
        answer = module.apply_ufunc(function, *(given[name] for name in names), join="exact")
        # The answer is another quantity than what it was asked at.
        return answer.rename(None) if isinstance(answer, module.DataArray) else answer

    first = applied(of_arrays)
    if not answers or not isinstance(answers[0], tuple):
        return first
    # An interval: its other end is labelled as the first was, one variable after the other.
    rest = iter(answers)
    return first, applied(lambda *_: next(rest)[1])


def _pandas(
    module: Any, ask: Callable[..., Any], given: Mapping[str, Any], kinds: tuple[type, ...]
) -> Any:
    """Keep the labels of the first; the others have to have the same."""
    first = next(name for name, value in given.items() if _is(value, kinds))
    model: Any = given[first]
    plain = {}
    for name, value in given.items():
        plain[name] = value
        if _is(value, kinds):
            same = type(value) is type(model) and all(
                mine.equals(its) for mine, its in zip(model.axes, value.axes, strict=True)
            )
            if not same:
                raise ValueError(f"{name} must have the labels of {first}: align them first")
            plain[name] = value.to_numpy()
    answer = ask(**plain)

    def label(values: Any) -> Any:
        if np.shape(values) != model.shape:
            shape = np.shape(values)
            raise ValueError(f"{first} has shape {model.shape}, with the others it is {shape}")
        if isinstance(model, module.DataFrame):
            return module.DataFrame(values, index=model.index, columns=model.columns)
        return module.Series(values, index=model.index)

    return tuple(map(label, answer)) if isinstance(answer, tuple) else label(answer)
