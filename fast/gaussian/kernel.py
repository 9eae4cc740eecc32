"""Rows of tables, and whole numbers, for arrays."""

from __future__ import annotations

from typing import Any

import numpy as np


class Table(tuple[tuple[float, ...], ...]):
    """A table of rows, looked up column by column."""

    columns: tuple[Any, ...]

    def __new__(cls, rows: tuple[tuple[float, ...], ...]) -> Table:
        """Keep the rows, and their columns as arrays."""
        table = super().__new__(cls, rows)
        table.columns = tuple(np.array(column) for column in zip(*rows, strict=True))
        return table


def row(table: Table, index: Any) -> list[Any]:
    """Return the numbers in rows of a table."""
    return [column.take(index) for column in table.columns]


def integer(x: Any) -> Any:
    """Return an integral x as an integer."""
    return x.astype(np.int32)
