"""The few operations that floats and arrays do differently; the formulas are written once.

A formula that is written with `+ - * /` and a `Kernel` runs on floats (`SCALAR`) and on
arrays (`ARRAY`). Every operation here is exact or correctly rounded by IEEE 754, so that both
give the same bits, on every machine.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np


class Table(tuple[tuple[float, ...], ...]):
    """A table of rows: looked up row by row for floats, column by column for arrays."""

    columns: tuple[Any, ...]

    def __new__(cls, rows: tuple[tuple[float, ...], ...]) -> Table:
        """Keep the rows, and their columns as arrays."""
        table = super().__new__(cls, rows)
        table.columns = tuple(np.array(column) for column in zip(*rows, strict=True))
        return table


class Kernel(Protocol):
    """What a formula needs besides arithmetic."""

    def sqrt(self, x: Any) -> Any:
        """Return √x, correctly rounded."""

    def integer(self, x: Any) -> Any:
        """Return an integral x as an integer."""

    def scale(self, x: Any, n: Any) -> Any:
        """Return x·2ⁿ."""

    def parts(self, x: Any) -> tuple[Any, Any]:
        """Return m ∈ [1/2, 1) and n with x = m·2ⁿ."""

    def where(self, condition: Any, yes: Any, no: Any) -> Any:
        """Return `yes` where the condition holds, else `no`."""

    def row(self, table: Table, index: Any) -> Sequence[Any]:
        """Return the numbers in a row of a table."""

    def clip(self, index: Any, low: int, high: int) -> Any:
        """Return an index moved into [low, high]."""

    def larger(self, a: Any, b: Any) -> Any:
        """Return the larger of two numbers."""

    def next_up(self, x: Any) -> Any:
        """Return the next float64 above."""

    def any(self, condition: Any) -> bool:
        """Return whether the condition holds for some element."""


class _Scalar:
    sqrt = staticmethod(math.sqrt)
    integer = staticmethod(int)
    parts = staticmethod(math.frexp)
    any = staticmethod(bool)
    larger = staticmethod(max)
    row = staticmethod(operator.getitem)

    @staticmethod
    def clip(index: int, low: int, high: int) -> int:
        return low if index < low else (index if index < high else high)

    @staticmethod
    def next_up(x: float) -> float:
        return math.nextafter(x, math.inf)

    @staticmethod
    def scale(x: float, n: int) -> float:
        try:
            return math.ldexp(x, n)
        except OverflowError:
            return math.copysign(math.inf, x)

    @staticmethod
    def where(condition: Any, yes: Any, no: Any) -> Any:
        return yes if condition else no


class _Array:
    sqrt = staticmethod(np.sqrt)
    parts = staticmethod(np.frexp)
    scale = staticmethod(np.ldexp)
    larger = staticmethod(np.maximum)
    where = staticmethod(np.where)

    @staticmethod
    def clip(index: Any, low: int, high: int) -> Any:
        return np.minimum(np.maximum(index, low), high)

    @staticmethod
    def next_up(x: Any) -> Any:
        return np.nextafter(x, np.inf)

    @staticmethod
    def any(condition: Any) -> bool:
        return bool(condition.any())

    @staticmethod
    def integer(x: Any) -> Any:
        return x.astype(np.int32)

    @staticmethod
    def row(table: Table, index: Any) -> Sequence[Any]:
        return [column.take(index) for column in table.columns]


SCALAR: Kernel = _Scalar()
ARRAY: Kernel = _Array()
