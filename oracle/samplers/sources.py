"""Where draws come from: a function, a file of draws, or a program that writes them."""

from __future__ import annotations

import csv
import itertools
import subprocess
from collections.abc import Iterator, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol, Self

import numpy as np
from numpy.typing import NDArray

__all__ = ["Batch", "DrawsFile", "ProgramSource", "Source"]

Rows = NDArray[np.float64]


@dataclass(frozen=True)
class Batch:
    """Which draws are wanted.

    Attributes:
        index: the number of the batch, from 0.
        start: how many rows were in the batches before it.
        rows: how many rows it has.
        dimension: numbers in a row.
        seed: the seed of the run.
    """

    index: int
    start: int
    rows: int
    dimension: int
    seed: int

    def generator(self) -> np.random.Generator:
        """Return a generator of this batch alone, the same wherever it is drawn."""
        return np.random.default_rng([self.seed, self.index, 0])


class Source(Protocol):
    """Draws the noise of one batch, of shape (rows, dimension); fewer rows at the end."""

    def __call__(self, batch: Batch, /) -> Rows:
        """Return the draws."""


class DrawsFile:
    """Draws that stand in a file: `.npy`, `.csv` or `.parquet`, a row to a line."""

    def __init__(self, path: Path) -> None:
        """Open the file.

        Raises:
            ValueError: if it does not hold a table of real numbers.
        """
        readers = {".npy": _npy, ".csv": _csv, ".parquet": _parquet}
        if path.suffix not in readers:
            raise ValueError(f"file must end in {', '.join(readers)}, got {path.name!r}")
        table = readers[path.suffix](path)
        if table.ndim == 1:
            table = table[:, None]
        if table.ndim != 2 or not table.size or table.dtype.kind not in "fiu":
            raise ValueError(
                f"{path.name} must hold a table of real numbers, "
                f"got shape {table.shape} of {table.dtype}"
            )
        self._table = table

    @property
    def rows(self) -> int:
        """How many rows it holds."""
        return len(self._table)

    @property
    def dimension(self) -> int:
        """Numbers in a row."""
        return int(self._table.shape[1])

    def __call__(self, batch: Batch, /) -> Rows:
        """Return the rows of a batch; none after the last."""
        rows = self._table[batch.start : batch.start + batch.rows]
        return np.asarray(rows, dtype=np.float64)


def _npy(path: Path) -> NDArray[np.generic]:
    try:
        table: NDArray[np.generic] = np.load(path, mmap_mode="r", allow_pickle=False)
    except (ValueError, EOFError) as error:
        raise ValueError(f"{path.name} is not a .npy file of numbers: {error}") from None
    return table


def _csv(path: Path) -> NDArray[np.generic]:
    rows: list[list[float]] = []
    with path.open(newline="", encoding="utf-8") as handle:
        for number, line in enumerate(csv.reader(handle), 1):
            try:
                rows.append([float(cell) for cell in line])
            except ValueError:
                if number > 1:  # the first line may be a heading
                    raise ValueError(f"{path.name}: line {number} is no row of numbers") from None
            if rows and len(rows[-1]) != len(rows[0]):
                raise ValueError(f"{path.name}: line {number} has another length than the first")
    return np.array(rows)


def _parquet(path: Path) -> NDArray[np.generic]:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ValueError("a .parquet file takes the package pyarrow, which is not here") from None
    table = parquet.read_table(path)
    return np.column_stack([column.to_numpy() for column in table.columns])


class ProgramSource(AbstractContextManager["ProgramSource"]):
    """A program that releases a value with noise as often as it is asked.

    It reads `ROWS DIMENSION VALUE` in a line and writes ROWS·DIMENSION float64, little-endian. It
    is started once; what it keeps between requests is part of what is audited.
    """

    def __init__(self, command: Sequence[str], *, value: float = 0.0) -> None:
        """Start the program.

        Args:
            command: the program and its arguments.
            value: the exact answer to which it adds noise.
        """
        self._value = value
        self._child = subprocess.Popen(list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._child.kill()
        self._child.communicate()

    def __call__(self, batch: Batch, /) -> Rows:
        """Return the draws.

        Raises:
            ValueError: if the program ends before it has written all of them.
        """
        assert self._child.stdin is not None
        assert self._child.stdout is not None
        wanted = 8 * batch.rows * batch.dimension
        try:
            self._child.stdin.write(f"{batch.rows} {batch.dimension} {self._value!r}\n".encode())
            self._child.stdin.flush()
        except BrokenPipeError:
            raise ValueError("the program ended before it was asked") from None
        got = b"".join(itertools.takewhile(bool, self._pieces(wanted)))
        if len(got) < wanted:
            raise ValueError(f"the program wrote {len(got)} bytes where {wanted} were asked")
        return np.frombuffer(got, dtype="<f8").reshape(batch.rows, batch.dimension)

    def _pieces(self, wanted: int) -> Iterator[bytes]:
        assert self._child.stdout is not None
        while wanted:
            piece = self._child.stdout.read(wanted)
            wanted -= len(piece)
            yield piece
