"""A stream of claims: parts decided on any executor, in order, with a journal to resume from."""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import Executor, Future
from contextlib import ExitStack
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import IO, Any

import numpy as np

from dporacle.claims.mechanisms.mechanism import ATTAINED
from dporacle.claims.streaming.deciding import HOLDS, LETTERS, VIOLATED, by_balls, by_floats
from dporacle.claims.streaming.reading import Piece, Source, StreamError, pieces, rows_of
from dporacle.common.exit_status import ExitStatus
from dporacle.verdicts import Verdict

_ADVANCE = 2  # parts that wait for each worker
_VIOLATED = f'"verdict":"VIOLATED","reason":"the true delta is larger","supposes":"{ATTAINED}"'
_UNDECIDED = '"verdict":"UNDECIDED","reason":"the exact value agrees with delta to 1,500 digits"'


@dataclass
class Counts:
    """How many rows got which verdict."""

    holds: int = 0
    violated: int = 0
    undecided: int = 0
    invalid: int = 0
    by_balls: int = 0

    def add(self, other: Counts) -> None:
        """Add the counts of another part."""
        for name in self.__dataclass_fields__:
            setattr(self, name, getattr(self, name) + getattr(other, name))

    @property
    def rows(self) -> int:
        """All of them."""
        return self.holds + self.violated + self.undecided + self.invalid

    def status(self) -> ExitStatus:
        """Return what the command exits with."""
        if self.violated:
            return ExitStatus.FINDING
        nothing = not self.rows  # as of a file that was cut off: no claim is no claim that holds
        return (
            ExitStatus.NO_ANSWER if self.undecided or self.invalid or nothing else ExitStatus.FINE
        )


@dataclass
class PartVerdicts:
    """The verdicts on one part of a source.

    Attributes:
        source: the source's name.
        first: the number of its first row, from 1.
        end: where the next part begins.
        verdicts: a letter a row: Holds, Violated, Undecided, Invalid.
        listed: the rows that do not hold: the place, and as JSON the verdict, why, and the row.
        counts: the same counted.
    """

    source: str
    first: int
    end: int
    verdicts: str
    listed: list[tuple[int, str]] = field(default_factory=list)
    counts: Counts = field(default_factory=Counts)

    def lines(self, prefix: str = "") -> Iterator[str]:
        """Yield a line of JSON for each row that does not hold."""
        for row, said in self.listed:
            yield f'{{{prefix}"row":{self.first + row},{said}}}\n'


def decided(piece: Piece) -> PartVerdicts:
    """Decide the rows of one piece; they are numbered from 1 here."""
    rows = rows_of(piece)
    found, value = by_floats(*rows.floats)
    letters = np.frombuffer(b"?HV", np.uint8)[found]
    part = PartVerdicts(piece.source.name, 1, piece.end, "")
    part.counts.holds = int((found == HOLDS).sum())
    part.counts.violated = int((found == VIOLATED).sum())
    rest = np.flatnonzero(found != HOLDS)
    for row, code, near in zip(
        rest.tolist(), found[rest].tolist(), value[rest].tolist(), strict=True
    ):
        if code == VIOLATED:
            said = f'{_VIOLATED},"true_delta":{near:.6g}'
        elif row in rows.faults:
            part.counts.invalid += 1
            letters[row] = ord("I")
            said = f'"verdict":"INVALID","reason":{json.dumps(rows.faults[row])}'
        else:
            verdict = by_balls(**rows.exact(row))
            part.counts.by_balls += 1
            letters[row] = ord(LETTERS[verdict])
            if verdict is Verdict.HOLDS:
                part.counts.holds += 1
                continue
            if verdict is Verdict.VIOLATED:
                part.counts.violated += 1
                said = f'{_VIOLATED},"true_delta":{near:.6g}' if near > 0 else _VIOLATED
            else:
                part.counts.undecided += 1
                said = _UNDECIDED
        part.listed.append((row, f'{said},"row_says":{rows.shown(row)}'))
    part.verdicts = letters.tobytes().decode("ascii")
    return part


def audit_stream(
    sources: Sequence[Source],
    *,
    executor: Executor | None = None,
    workers: int = 1,
    done: Mapping[int, tuple[int, int]] = MappingProxyType({}),
) -> Iterator[PartVerdicts]:
    """Decide all rows of the sources, one after another, in order.

    Args:
        sources: what to read.
        executor: anything with the interface of `concurrent.futures`; here and now without one.
        workers: how many of its workers to keep busy; memory grows with it, not with the rows.
        done: for each source that was begun before, by its place: where it goes on, and how many
            of its rows are done.

    Raises:
        StreamError: naming the source, if it cannot be read as rows.
        OSError: if it cannot be read.
    """
    for place, source in enumerate(sources):
        position, rows = done.get(place, (0, 0))
        with ExitStack() as stack:
            for part in _mapped(
                executor, workers, pieces(source, _opened(source, stack), position)
            ):
                part.first = rows + 1
                rows += part.counts.rows
                yield part


def _opened(source: Source, stack: ExitStack) -> IO[bytes] | None:
    if source.kind == "parquet":
        return None
    if source.name == "-":
        return sys.stdin.buffer
    return stack.enter_context(Path(source.name).open("rb"))


def _mapped(
    executor: Executor | None, workers: int, todo: Iterator[Piece]
) -> Iterator[PartVerdicts]:
    if executor is None:
        yield from map(decided, todo)
        return
    waiting: deque[Future[PartVerdicts]] = deque()
    try:
        for piece in todo:
            waiting.append(executor.submit(decided, piece))
            if len(waiting) >= _ADVANCE * workers:
                yield waiting.popleft().result()
        while waiting:
            yield waiting.popleft().result()
    finally:
        for each in waiting:
            each.cancel()


class Journal:
    """A file of JSON lines: the rows that do not hold, and after each part that it is done.

    What is written after the last complete part is not believed: a run that was killed goes on
    behind that part, and every row is in the file once.
    """

    def __init__(self, path: Path, sources: Sequence[Source], *, resume: bool) -> None:
        """Open a new journal, or an old one to go on.

        Raises:
            StreamError: if it is there already, or is about something else.
            OSError: if it cannot be read or written.
        """
        self.counts = Counts()
        self.done: dict[int, tuple[int, int]] = {}
        self._sources = sources
        self._about = {
            "sources": [[s.name, s.kind, _size(s)] for s in sources],
            **sources[0].about(),
        }
        self._stream: IO[bytes]
        if resume:
            self._stream = path.open("r+b")
            try:
                self._read(path)
            except StreamError:
                self._stream.close()
                raise
        else:
            try:
                self._stream = path.open("xb")
            except FileExistsError:
                raise StreamError(f"{path} exists already; continue it with --resume") from None
            self._write({"stream": self._about})

    def _read(self, path: Path) -> None:
        good = at = 0
        for number, line in enumerate(self._stream):
            at += len(line)
            if number == 0 and line != _line({"stream": self._about}):
                raise StreamError(f"{path} is the journal of other sources or columns")
            if line.startswith(b'{"done":') and line.endswith(b"\n"):
                entry = json.loads(line)["done"]
                self.done[entry["source"]] = (entry["end"], entry["rows"])
                self.counts.add(Counts(**entry["counts"]))
                good = at
            elif number == 0:
                good = at
        if not good:
            raise StreamError(f"{path} is not the journal of a stream")
        self._stream.seek(good)
        self._stream.truncate()

    def add(self, part: PartVerdicts) -> None:
        """Write the verdicts of a part, so that a later kill does not lose them."""
        place = next(i for i, s in enumerate(self._sources) if s.name == part.source)
        self._stream.write("".join(part.lines(f'"source":{place},')).encode())
        rows = part.first - 1 + part.counts.rows
        mark = {
            "source": place,
            "end": part.end,
            "rows": rows,
            "counts": vars(part.counts),
            "verdicts": part.verdicts,
        }
        self._write({"done": mark})
        self._stream.flush()
        os.fsync(self._stream.fileno())
        self.counts.add(part.counts)

    def _write(self, entry: dict[str, Any]) -> None:
        self._stream.write(_line(entry))

    def close(self) -> None:
        """Close the file."""
        self._stream.close()


def _line(entry: dict[str, Any]) -> bytes:
    return json.dumps(entry, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def _size(source: Source) -> int | None:
    return None if source.name == "-" else Path(source.name).stat().st_size
