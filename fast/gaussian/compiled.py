"""The optional compiled kernel: the bits of the Python formulas, some ten times sooner.

`_compiled.c` has the operations of the formulas, in their order, for what the tables hold; what it
leaves is computed in Python. Where it was not built, or `DPORACLE_COMPILED=0` is set before
`dporacle.fast` is imported, everything is computed in Python: no answer depends on it.
"""

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

from dporacle.fast import tables
from dporacle.fast.gaussian import epsilon, implied, mills, profile, start
from dporacle.fast.gaussian.calibrate import MU_ERROR
from dporacle.fast.gaussian.delta import ERRORS
from dporacle.fast.gaussian.loss import ABOVE, NEARBY, WIDE

_library: Any
try:
    from dporacle.fast.gaussian import _compiled as _library
except ImportError:
    _library = None


def load(library: Any) -> None:
    """Give a compiled module the tables and constants of the formulas."""
    constants = {
        "NEAR": profile.NEAR,
        "LEAST": mills.LEAST,
        "PER_LN2": start.PER_LN2,
        "TABLE_END": start.TABLE_END,
        "TINY": implied.TINY,
        "CLOSE": implied.CLOSE,
        "SHORT": implied.SHORT,
        "SMALL": implied.SMALL,
        "MU_ERROR": MU_ERROR,
        "WIDE_ERROR": ERRORS[WIDE],
        "NEARBY_ERROR": ERRORS[NEARBY],
        "ABOVE_ERROR": ERRORS[ABOVE],
        "EPSILON_CLOSE": epsilon.CLOSE,
        "SURE": epsilon.SURE,
        "PROFILE_ERROR": epsilon.PROFILE_ERROR,
        "PRODUCT_ERROR": epsilon.PRODUCT_ERROR,
    }
    rows = tables.MILLS, tables.SLOPE, tables.EXP, tables.LOG, tables.START
    library.load(*rows, {**vars(tables), **constants})


if _library is not None:
    load(_library)


def built() -> bool:
    """Return whether there is a compiled kernel."""
    return _library is not None


def _left(*_: Any) -> float:
    return math.nan


_One = Callable[[Any, Any, Any], float]
sigma_one: _One = _left
delta_one: _One = _left
epsilon_one: _One = _left
"""σ, δ and ε of three plain numbers; NaN where it is left to Python, as is all that is refused."""

_on = False


def _use(on: bool) -> None:
    global sigma_one, delta_one, epsilon_one, _on
    _on = on and built()
    sigma_one = _library.sigma_one if _on else _left
    delta_one = _library.delta_one if _on else _left
    epsilon_one = _library.epsilon_one if _on else _left


@contextmanager
def used(on: bool) -> Iterator[None]:
    """Compute with the kernel where there is one, or without it, in this process, for a while."""
    before = _on
    _use(on)
    try:
        yield
    finally:
        _use(before)


def many(name: str, python: Callable[..., Any], *arrays: Any) -> Any:
    """Return what a function of arrays does, by the kernel as far as it goes."""
    if not _on:
        return python(*arrays)
    out = np.empty(arrays[0].shape)
    if getattr(_library, name)(*arrays, out):
        left = np.flatnonzero(np.isnan(out))
        out[left] = python(*(array[left] for array in arrays))
    return out


_use(os.environ.get("DPORACLE_COMPILED") != "0")
