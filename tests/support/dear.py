"""Parameters whose proofs take many seconds: they are left to `make test-all`."""

from collections.abc import Iterable
from typing import Any

import pytest

from dporacle.vocabulary import QUANTITIES

_THOROUGH = pytest.mark.thorough("balls of several seconds each")
_FEW_DIGITS = 45  # a vector of a dear quantity is certified to fewer


def dear(*values: Any) -> Any:
    """The parameters of a test, which are dear."""
    return pytest.param(*values, marks=_THOROUGH)


def quantities(names: Iterable[str]) -> list[Any]:
    """Names of quantities as parameters; those are dear whose vectors have few digits."""
    return [dear(name) if QUANTITIES[name].certified < _FEW_DIGITS else name for name in names]
