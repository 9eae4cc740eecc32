"""Where draws come from: a function, a file of draws, or a sampler behind the protocol."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Protocol

import msgspec
import numpy as np
from numpy.typing import NDArray

from dporacle.common import randomness
from dporacle.conformance.process.adapter import AdapterDiedError, AdapterHungError, AdapterProcess
from dporacle.conformance.protocol import Capabilities, ProtocolError, Sampler
from dporacle.wings.samplers.laws import Law

Rows = NDArray[np.float64]


@dataclass(frozen=True)
class Batch:
    """Which draws are wanted.

    Attributes:
        index: the number of the batch, from 0.
        start: how many rows the batches before it were asked for.
        rows: how many rows it has.
        dimension: numbers in a row.
        seed: the seed of the run.
        use: what the draws are for: each use has draws of its own.
        value: the exact answer of which releases are wanted, in each coordinate; 0: noise alone.
        request: which part of the batch it is, if that is drawn in several calls.
        fresh: whether a program has to draw it in a process that has drawn nothing before.
    """

    index: int
    start: int
    rows: int
    dimension: int
    seed: int
    use: str = "audit"
    value: float = 0.0
    request: int = 0
    fresh: bool = False

    def generator(self) -> np.random.Generator:
        """Return a generator of this batch, or part, alone, the same wherever it is drawn."""
        part = (self.request,) if self.request else ()
        return randomness.generator("draws", self.use, self.seed, self.index, *part)

    def parts(self, rows: int) -> list[Batch]:
        """Return the batch in parts of so many rows each, the last one shorter."""
        return [
            replace(self, start=self.start + at, rows=min(rows, self.rows - at), request=number)
            for number, at in enumerate(range(0, self.rows, rows))
        ]


class NoiseSource(Protocol):
    """Draws the noise of one batch, of shape (rows, dimension); fewer rows at the end."""

    def __call__(self, batch: Batch, /) -> Rows:
        """Return the draws."""


@dataclass(frozen=True, kw_only=True)
class NaiveSource:
    """The baseline: numpy's noise added to a value in float64, without any care for its bits.

    Attributes:
        law: of the noise.
        value: the exact answer to which it is added.
    """

    law: Law
    value: float = 0.0

    def __call__(self, batch: Batch, /) -> Rows:
        """Return the draws, by the batch's own generator."""
        noise = self.law.draw(batch.rows, batch.generator())
        return self.law.released(noise, self.value + batch.value)


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
        if path.exists() and not path.is_file():  # a pipe has no end, and cannot be read again
            raise ValueError(f"{path.name} is not a regular file")
        try:
            table = readers[path.suffix](path)
        except OSError as error:
            raise ValueError(f"{path.name} cannot be read: {error}") from None
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
    number = 0
    try:
        with path.open(newline="", encoding="utf-8") as handle:
            for number, line in enumerate(csv.reader(handle), 1):
                try:
                    rows.append([float(cell) for cell in line])
                except ValueError:
                    if number > 1:  # the first line may be a heading
                        words = f"{path.name}: line {number} is not a row of numbers"
                        raise ValueError(words) from None
                if rows and len(rows[-1]) != len(rows[0]):
                    words = f"{path.name}: line {number} has another length than the first"
                    raise ValueError(words)
    except UnicodeDecodeError as error:
        raise ValueError(f"{path.name} is not text in UTF-8: {error}") from None
    except csv.Error as error:  # a field over 131,072 characters, a NUL
        raise ValueError(f"{path.name}: line {number + 1} cannot be read: {error}") from None
    return np.array(rows)


def _parquet(path: Path) -> NDArray[np.generic]:
    try:
        import pyarrow.parquet as parquet
    except ImportError:
        raise ValueError(
            "a .parquet file needs the package pyarrow, which is not installed"
        ) from None
    from pyarrow import ArrowException

    try:
        table = parquet.read_table(path)
    except (ArrowException, OSError, ValueError) as error:
        raise ValueError(f"{path.name} is not a Parquet file that can be read: {error}") from None
    if not table.num_columns:
        raise ValueError(f"{path.name} must hold a table of real numbers, got no column")
    return np.column_stack([column.to_numpy() for column in table.columns])


class SourceError(Exception):
    """The sampler could not be asked, or failed: nothing follows about its noise."""


@dataclass(frozen=True, kw_only=True)
class AdapterSource(AbstractContextManager["AdapterSource"]):
    """A sampler behind the conformance protocol (`docs/protocol.md`): releases of one value.

    Its process is started when it is first asked, once in each process that draws, and goes on
    from batch to batch: what a sampler keeps between requests is part of what is audited. A fresh
    batch is drawn by a process of its own, which ends with it.

    Attributes:
        command: the adapter's program and its arguments.
        law: what the noise is claimed to be.
        sampler: the sampler's name; empty for the first that claims this law.
        value: the exact answer to which it adds noise.
        environment: the program's environment variables; ours if None.
        memory: gibibytes of address space that its processes may take.
        timeout: seconds of patience for a batch.
    """

    command: tuple[str, ...]
    law: Law
    sampler: str = ""
    value: float = 0.0
    environment: tuple[tuple[str, str], ...] | None = None
    memory: int = 8
    timeout: float = 300.0

    def __exit__(self, *_: object) -> None:
        running = _RUNNING.pop(self._key, None)
        if running is not None:
            running[0].close()

    def start(self) -> None:
        """Start its process, if this process has not yet.

        Raises:
            SourceError: if that fails, or the adapter has no such sampler.
        """
        self._running()

    @property
    def about(self) -> tuple[Capabilities, Sampler]:
        """What the adapter says of itself, and the sampler that is asked."""
        _, said, sampler = self._running()
        return said, sampler

    def __call__(self, batch: Batch, /) -> Rows:
        """Return the draws.

        Raises:
            SourceError: if the adapter has no such sampler, fails, or breaks the protocol.
        """
        if not batch.fresh:
            return self._releases(self._running(), batch)
        running = self._begun()
        try:
            return self._releases(running, batch)
        finally:
            running[0].close()

    def _releases(self, running: _Running, batch: Batch) -> Rows:
        process, _, sampler = running
        parameters = {name: self.law.parameters[name] for name in sampler.parameters}
        shape = (batch.rows, batch.dimension)
        value = self.value + batch.value
        return _drawn(process, sampler, parameters, value, shape, self.timeout)

    @property
    def _key(self) -> AdapterSource:
        """The same for all values: one process releases them all."""
        return replace(self, value=0.0)

    def _running(self) -> _Running:
        key = self._key
        if key not in _RUNNING:
            _RUNNING[key] = self._begun()
        return _RUNNING[key]

    def _begun(self) -> _Running:
        process = AdapterProcess(
            self.command,
            environment=None if self.environment is None else dict(self.environment),
            memory_limit=self.memory << 30,
        )
        try:
            said = process.start(timeout=_START, samplers=True)
            return process, said, self._chosen(said)
        except (*_FAILURES, SourceError) as error:
            process.close()
            raise SourceError(str(error)) from None

    def _chosen(self, said: Capabilities) -> Sampler:
        name = self.law.name
        fits = [each for each in said.samplers if each.law == name]
        if self.sampler:
            fits = [each for each in fits if each.name == self.sampler]
        if not fits:
            has = ", ".join(f"{each.name!r} ({each.law})" for each in said.samplers) or "none"
            wanted = f"sampler {self.sampler!r}" if self.sampler else "sampler"
            raise SourceError(f"{said.name} has no {wanted} of the law {name!r}; it has {has}")
        unknown = set(fits[0].parameters) - set(self.law.parameters)
        if unknown:
            raise SourceError(
                f"{fits[0].name} takes {sorted(unknown)}, which the claim of {name} does not have"
            )
        return fits[0]


class BlackBox(AbstractContextManager["BlackBox"]):
    """A sampler behind the protocol of which nothing need be known, asked for several values."""

    def __init__(
        self, command: Sequence[str], *, sampler: str = "", parameters: Mapping[str, float]
    ) -> None:
        """Start the adapter.

        Args:
            command: its program and arguments.
            sampler: the sampler's name; empty for the first.
            parameters: what it is given.

        Raises:
            ValueError: if the command is empty.
            SourceError: if it does not start, or has no such sampler, or takes other parameters.
        """
        if not command:
            raise ValueError("command is empty")
        self._parameters = dict(parameters)
        self._process = AdapterProcess(command)
        try:
            said = self._process.start(timeout=_START, samplers=True)
            fits = [each for each in said.samplers if sampler in ("", each.name)]
            if not fits:
                raise SourceError(f"{said.name} has no sampler {sampler!r}")
            if sorted(fits[0].parameters) != sorted(parameters):
                takes = ", ".join(fits[0].parameters)
                raise SourceError(f"{fits[0].name} takes {takes}, not {', '.join(parameters)}")
        except (*_FAILURES, SourceError) as error:
            self._process.close()
            raise SourceError(str(error)) from None
        self._sampler = fits[0]

    def __exit__(self, *_: object) -> None:
        self._process.close()

    def release(self, value: float, count: int, dimension: int) -> Rows:
        """Return so many releases of a value.

        Raises:
            SourceError: if the adapter fails, or breaks the protocol.
        """
        most = max(1, _AT_ONCE // dimension)
        parts = [min(most, count - begun) for begun in range(0, count, most)]
        return np.concatenate(
            [
                _drawn(
                    self._process, self._sampler, self._parameters, value, (rows, dimension), _LONG
                )
                for rows in parts
            ]
        )


def _drawn(
    process: AdapterProcess,
    sampler: Sampler,
    parameters: Mapping[str, float],
    value: float,
    shape: tuple[int, int],
    timeout: float,
) -> Rows:
    try:
        ending, drawn = process.draw(
            sampler.name,
            parameters,
            value=value,
            rows=shape[0],
            dimension=shape[1],
            timeout=timeout,
        )
    except _FAILURES as error:
        raise SourceError(f"{sampler.name}: {error}") from None
    for name in ("refused", "error", "skip"):
        words = getattr(ending, name)
        if words is not msgspec.UNSET:
            raise SourceError(f"{sampler.name} drew nothing: {name}: {words}")
    return np.frombuffer(drawn, dtype="<f8").reshape(shape)


_START, _LONG = 120.0, 300.0
_AT_ONCE = 1 << 15
_FAILURES = (AdapterDiedError, AdapterHungError, ProtocolError)
_Running = tuple[AdapterProcess, Capabilities, Sampler]
_RUNNING: dict[AdapterSource, _Running] = {}
