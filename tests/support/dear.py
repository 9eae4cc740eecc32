"""Parameters whose proofs take many seconds: `make test` leaves them out, or every change."""

from collections.abc import Iterable, Mapping
from typing import Any

import pytest

from dporacle.vocabulary import QUANTITIES

_THOROUGH = pytest.mark.thorough("balls of several seconds each")
_FEW_DIGITS = 45  # a vector of a dear quantity is certified to fewer


def dear(*values: Any) -> Any:
    """The parameters of a test, which are dear."""
    return pytest.param(*values, marks=_THOROUGH)


def night(*values: Any, why: str) -> Any:
    """The parameters of a test that `make deep` runs, and no change."""
    return pytest.param(*values, marks=pytest.mark.deep(why))


def mostly_dear(values: Iterable[Any], every: int) -> list[Any]:
    """Parameters, of which `make test` takes one in so many."""
    rows = [each if isinstance(each, tuple | list) else (each,) for each in values]
    return [dear(*row) if index % every else pytest.param(*row) for index, row in enumerate(rows)]


def dear_if(name: str, names: Iterable[str]) -> Any:
    """A name as a parameter, which is dear if it is one of these."""
    return dear(name) if name in names else name


def rows() -> list[Any]:
    """All quantities as parameters, with their names."""
    return [
        pytest.param(row, id=name, marks=[_THOROUGH] * (row.certified < _FEW_DIGITS))
        for name, row in QUANTITIES.items()
    ]


def one_of_each_cost(names: Iterable[str], of: Mapping[str, Any]) -> list[Any]:
    """Names of quantities as parameters: all usual ones, and a dear one for each of its rounds.

    For what does not depend on which quantity it is, and takes a dear one seconds.
    """
    names = list(names)
    chosen = {of[name].rounds: name for name in names if of[name].rounds is not None}
    usual = [name for name in names if of[name].rounds is None]
    few = {name for name in usual if of[name].certified < _FEW_DIGITS}
    return [*(dear_if(name, few) for name in usual), *map(dear, chosen.values())]


def quantities(
    names: Iterable[str], of: Mapping[str, Any] = QUANTITIES, *, every: int = 1
) -> list[Any]:
    """Names of quantities as parameters; those are dear whose vectors have few digits.

    Of the others `make test` takes one in so many.
    """
    usual = [name for name in names if of[name].certified >= _FEW_DIGITS][::every]
    return [name if name in usual else dear(name) for name in names]
