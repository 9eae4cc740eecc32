"""Rows of JSON lines, CSV and Parquet: cut into parts, and read without rounding a number.

A part is bytes of whole lines, or a row group of a Parquet file. What stands in a text is the exact
number that is written; a float64 column of a Parquet file has exact binary numbers. A row that
cannot be read is INVALID, with the reason, and the rows around it are decided all the same.
"""

import csv
import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from operator import attrgetter
from typing import IO, Any

import msgspec
import numpy as np

from dporacle import arguments

COLUMNS = ("epsilon", "delta", "sigma", "sensitivity")
"""What a claim is about; `sensitivity` may be absent, and is then 1."""

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet"}
"""The formats, by a file's suffix."""

_PIECE = 4 << 20  # bytes of text that are read at a time
_LONGEST = 1 << 16  # bytes of a line
_ROWS = 1 << 16  # rows of a Parquet file that are read at a time
_EXPONENT = 400  # magnitudes that are read; float64 ends before
_DEFAULT = {"sensitivity": "1"}


class StreamError(ValueError):
    """A source that cannot be read as rows at all."""


@dataclass(frozen=True)
class Source:
    """Where rows come from.

    Attributes:
        name: a path, or "-" for standard input.
        kind: "jsonl", "csv" or "parquet".
        columns: quantity -> the name of its column.
    """

    name: str
    kind: str
    columns: Mapping[str, str]


@dataclass(frozen=True)
class Piece:
    """A part of a source, to be decided by itself, on any machine that can read the source.

    Attributes:
        source: the source.
        content: the bytes of its lines; for Parquet, the number of the row group.
        header: the CSV's columns.
        end: where the next piece begins.
    """

    source: Source
    content: bytes | int
    header: tuple[str, ...]
    end: int


@dataclass
class Rows:
    """What a piece says, as the nearest float64, and exactly for each row that is asked.

    Attributes:
        floats: an array for each of `COLUMNS`; NaN in rows that cannot be read.
        exact: row -> the exact numbers.
        shown: row -> how it stands there, as JSON.
        faults: row -> why it cannot be read.
    """

    floats: tuple[Any, ...]
    exact: Callable[[int], dict[str, Fraction]]
    shown: Callable[[int], str]
    faults: dict[int, str]


def pieces(source: Source, stream: IO[bytes] | None, position: int = 0) -> Iterator[Piece]:
    """Cut a source from a position on.

    Args:
        source: the source.
        stream: its bytes, from the beginning; None for Parquet.
        position: the `end` of the last piece that is done.

    Raises:
        StreamError: if it has no such columns, or a line without an end.
        OSError: if it cannot be read.
    """
    if source.kind == "parquet":
        groups = _parquet(source).num_row_groups
        yield from (Piece(source, place, (), place + 1) for place in range(position, groups))
        return
    assert stream is not None
    header: tuple[str, ...] = ()
    at = 0
    if source.kind == "csv":
        first = stream.readline(_LONGEST + 1)
        header, at = _header(source, first), len(first)
    if position > at:
        if stream.seekable():
            stream.seek(position)
        else:
            while at < position and (skipped := stream.read(min(_PIECE, position - at))):
                at += len(skipped)
        at = position
    rest = b""
    # A piece depends on where it begins alone: who goes on later cuts as who never stopped.
    while data := stream.read(_PIECE - len(rest)):
        whole, newline, rest = (rest + data).rpartition(b"\n")
        if newline:
            at += len(whole) + 1
            yield Piece(source, whole + newline, header, at)
        if len(rest) == _PIECE:
            raise StreamError(f"{source.name}: a line of more than {_PIECE} bytes")
    if rest:
        yield Piece(source, rest, header, at + len(rest))


def _header(source: Source, line: bytes) -> tuple[str, ...]:
    try:
        names = tuple(next(csv.reader([line.decode("utf-8-sig")]), []))
    except (UnicodeDecodeError, csv.Error) as error:
        raise StreamError(f"{source.name}: line 1: {error}") from None
    _check_columns(source, names)
    return names


def _check_columns(source: Source, names: Sequence[str]) -> None:
    for quantity, column in source.columns.items():
        if column not in names and quantity not in _DEFAULT:
            shown = ", ".join(names[:20]) or "none"
            raise StreamError(
                f"{source.name}: no column {column!r} for {quantity}; its columns are {shown}"
            )
        if names.count(column) > 1:
            raise StreamError(f"{source.name}: two columns {column!r}")


def rows_of(piece: Piece) -> Rows:
    """Read the rows of a piece."""
    if piece.source.kind == "parquet":
        return _of_parquet(piece)
    assert isinstance(piece.content, bytes)
    lines = piece.content.splitlines()
    if piece.source.kind == "jsonl":
        return _of_json(piece, piece.content, lines)
    return _of_csv(piece, piece.content, lines)


@cache
def _decoder(columns: tuple[tuple[str, str], ...]) -> msgspec.json.Decoder[Any]:
    fields: list[Any] = [
        (name, float, 1.0) if name in _DEFAULT else (name, float) for name, _ in columns
    ]
    kind = msgspec.defstruct("Row", fields, rename=dict(columns), gc=False)
    return msgspec.json.Decoder(kind)


def _of_json(piece: Piece, content: bytes, lines: list[bytes]) -> Rows:
    columns = piece.source.columns

    def said(row: int) -> dict[str, Any]:
        try:
            content = json.loads(lines[row], parse_float=str, parse_int=str, parse_constant=str)
        except (ValueError, RecursionError):
            raise ValueError("not JSON") from None
        if not isinstance(content, dict):
            raise ValueError("not an object")
        return {n: content.get(c, _DEFAULT.get(n)) for n, c in columns.items()}

    try:
        found = _decoder(tuple(columns.items())).decode_lines(content)
        if len(found) != len(lines):
            raise ValueError  # an empty line
        floats = tuple(
            np.fromiter(map(attrgetter(name), found), np.float64, len(found)) for name in COLUMNS
        )
    except (msgspec.DecodeError, ValueError):
        return _one_by_one(said, len(lines), lambda row: _text(lines[row]))
    return _rows(floats, said, lambda row: lines[row].decode())


def _of_csv(piece: Piece, content: bytes, lines: list[bytes]) -> Rows:
    places = {
        name: piece.header.index(column)
        for name, column in piece.source.columns.items()
        if column in piece.header
    }

    def said(row: int) -> dict[str, Any]:
        try:
            (cells,) = csv.reader([lines[row].decode("utf-8")], strict=True)
        except (UnicodeDecodeError, csv.Error, ValueError):
            raise ValueError("not a row of CSV") from None
        if len(cells) != len(piece.header):
            raise ValueError(f"{len(cells)} cells, the header has {len(piece.header)}")
        return {n: cells[places[n]] if n in places else _DEFAULT[n] for n in COLUMNS}

    try:
        cells = _cells(content.replace(b"\r\n", b"\n"), len(lines), len(piece.header))
        floats = tuple(
            np.fromiter(map(float, cells[places[name] :: len(piece.header)]), float, len(lines))
            if name in places
            else np.ones(len(lines))
            for name in COLUMNS
        )
    except ValueError:
        return _one_by_one(said, len(lines), lambda row: _text(lines[row]))
    return _rows(floats, said, lambda row: _text(lines[row]))


def _cells(content: bytes, rows: int, width: int) -> list[bytes]:
    """Return the cells of a plain table, row by row.

    Raises:
        ValueError: if a cell is quoted, or a row has another length.
    """
    content = content.removesuffix(b"\n")
    marks = np.frombuffer(content, np.uint8)
    ends = marks[(marks == ord(",")) | (marks == ord("\n"))] == ord("\n")
    if b'"' in content or len(ends) != rows * width - 1 or ends.sum() != rows - 1:
        raise ValueError("not a plain table")
    if not ends[width - 1 :: width].all():
        raise ValueError("a row of another length")
    return content.replace(b"\n", b",").split(b",")


def _text(line: bytes) -> str:
    return msgspec.json.encode(line.decode("utf-8", "replace")).decode()


def _parquet(source: Source) -> Any:
    from pyarrow import ArrowException, parquet

    try:
        file = parquet.ParquetFile(source.name)
    except ArrowException as error:
        raise StreamError(f"{source.name}: not Parquet: {str(error).splitlines()[0]}") from None
    _check_columns(source, file.schema_arrow.names)
    return file


def _of_parquet(piece: Piece) -> Rows:
    file = _parquet(piece.source)
    present = {n: c for n, c in piece.source.columns.items() if c in file.schema_arrow.names}
    table = file.read_row_group(piece.content, columns=list(present.values()), use_threads=False)
    held = {name: table.column(column) for name, column in present.items()}

    def said(row: int) -> dict[str, Any]:
        return {n: held[n][row].as_py() if n in held else _DEFAULT[n] for n in COLUMNS}

    def shown(row: int) -> str:
        # A float is shown as the float it is.
        found = said(row).items()
        return json.dumps({n: v.hex() if isinstance(v, float) else str(v) for n, v in found})

    if any(column.null_count or str(column.type) != "double" for column in held.values()):
        return _one_by_one(said, table.num_rows, shown)
    floats = tuple(
        held[name].to_numpy() if name in held else np.ones(table.num_rows) for name in COLUMNS
    )
    return _rows(floats, said, shown)


_Said = Callable[[int], dict[str, Any]]


def _rows(floats: tuple[Any, ...], said: _Said, shown: Callable[[int], str]) -> Rows:
    epsilon, delta, sigma, sensitivity = floats
    wrong = ~((epsilon >= 0) & (epsilon < math.inf) & (delta >= 0) & (delta <= 1))
    wrong |= ~((sigma > 0) & (sigma < math.inf) & (sensitivity > 0) & (sensitivity < math.inf))
    faults: dict[int, str] = {}
    for row in np.flatnonzero(wrong).tolist():
        try:
            _exact(said(row))
        except ValueError as error:
            faults[row] = str(error)
    return Rows(floats, lambda row: _exact(said(row)), shown, faults)


def _one_by_one(said: _Said, count: int, shown: Callable[[int], str]) -> Rows:
    floats = tuple(np.full(count, np.nan) for _ in COLUMNS)
    faults: dict[int, str] = {}
    for row in range(count):
        try:
            for name, number in _exact(said(row)).items():
                floats[COLUMNS.index(name)][row] = _nearest(number)
        except ValueError as error:
            faults[row] = str(error)
    return Rows(floats, lambda row: _exact(said(row)), shown, faults)


def _nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _exact(said: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return the exact numbers of a row.

    Raises:
        ValueError: naming the quantity.
    """
    found = {name: _number(name, value) for name, value in said.items()}
    for name, value in found.items():
        if value < 0 or (value == 0 and name in ("sigma", "sensitivity")):
            most = "at least 0" if name in ("epsilon", "delta") else "positive"
            raise ValueError(f"{name} must be {most}")
    if found["delta"] > 1:
        raise ValueError("delta must be at most 1")
    return found


def _number(name: str, value: Any) -> Fraction:
    if value is None:
        raise ValueError(f"{name} is missing")
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal):
        raise ValueError(f"{name} must be a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}")
    if isinstance(value, float | int):
        return Fraction(value)
    text = str(value)
    if len(text) > _EXPONENT:
        raise ValueError(f"{name} is too long")
    try:
        written = Decimal(text)
    except InvalidOperation:
        return arguments.parse(name, text)  # 1/3, 0x1.8p-3
    if not written.is_finite():
        raise ValueError(f"{name} must be finite, got {text}")
    if written and abs(written.adjusted()) > _EXPONENT:
        raise ValueError(f"{name} must be 0 or of magnitude 10^±{_EXPONENT}")
    return Fraction(written)
