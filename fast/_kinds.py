"""What the float64 functions may be given, for type checkers."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Any, Protocol, TypeVar

import numpy as np
from numpy.typing import NDArray


class _Table(Protocol):
    """A pandas or xarray object of one table."""

    def to_numpy(self) -> Any: ...


class _Tables(Protocol):
    """An xarray data set."""

    @property
    def data_vars(self) -> Any: ...


Scalar = int | float | Fraction | Decimal | np.integer[Any] | np.floating[Any]
"""One number; text is none here."""

Single = Scalar | NDArray[np.float32]
"""Where every array is of float32, so is the answer."""

Double = Scalar | Sequence[Scalar] | Sequence[Sequence[Scalar]] | NDArray[Any]
"""Where one is not, it is of float64."""

Labelled = TypeVar("Labelled", bound=_Table | _Tables)
"""What comes back with its labels."""
