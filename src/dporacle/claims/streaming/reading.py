"""Rows of JSON lines, CSV and Parquet: cut into parts, and read without rounding a number.

A part is bytes of whole lines, or a row group of a Parquet file. What stands in a text is the exact
number that is written; a float64 column of a Parquet file has exact binary numbers. A row that
cannot be read is INVALID, with the reason, and the rows around it are decided all the same.

Each quantity of a claim is stated once: by a column, or for all rows of the source. No column is
passed over: one that no quantity has is refused, unless it is named among those to ignore.
"""

import csv
import json
import math
import shlex
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from operator import attrgetter
from typing import IO, Any

import msgspec
import numpy as np

from dporacle import arguments
from dporacle.claims.mechanisms.record import Neighbours
from dporacle.vocabulary.relations import RELATIONS

COLUMNS = ("epsilon", "delta", "sigma", "noise_multiplier", "sensitivity", "neighbours")
"""What a row may say.

`noise_multiplier` is σ over the sensitivity, in place of `sigma` and `sensitivity`; `neighbours`
is the relation of the sensitivity and of the claim.
"""

FORMATS = {".jsonl": "jsonl", ".ndjson": "jsonl", ".csv": "csv", ".parquet": "parquet"}
"""The formats, by a file's suffix."""

_PIECE = 4 << 20  # bytes of text that are read at a time
_LONGEST = 1 << 16  # bytes of a line
_ROWS = 1 << 16  # rows of a Parquet file that are read at a time
_EXPONENT = 400  # magnitudes that are read; float64 ends before
_NUMBERS = ("epsilon", "delta", "sigma", "sensitivity")
_EMPTY = b" \t\r\n"
_MARK = b"\xef\xbb\xbf"  # that some editors begin a file with


class StreamError(ValueError):
    """A source that cannot be read as rows at all."""


@dataclass(frozen=True)
class Source:
    """Where rows come from, and what is said of all of them.

    Attributes:
        name: a path, or "-" for standard input.
        kind: "jsonl", "csv" or "parquet".
        columns: quantity -> the name of its column. Such a column has to be there; a quantity
            that is not named here may have the column of its own name.
        stated: quantity -> what it is in every row; then there is no column of it.
        ignored: columns that are passed over; of CSV and Parquet each has to be there.

    Raises:
        ValueError: naming the quantity, if one is unknown, out of its domain or stated twice.
    """

    name: str
    kind: str
    columns: Mapping[str, str] = field(default_factory=dict)
    stated: Mapping[str, arguments.Exact] = field(default_factory=dict)
    ignored: Collection[str] = ()

    def __post_init__(self) -> None:
        """Refuse what contradicts itself."""
        if self.kind not in FORMATS.values():
            known = ", ".join(sorted(set(FORMATS.values())))
            raise ValueError(f"kind must be one of {known}, got {self.kind!r}")
        if isinstance(self.ignored, str):
            raise ValueError(f"ignored must be several names, got {self.ignored!r}")
        for quantity in (*self.columns, *self.stated):
            if quantity not in COLUMNS:
                raise ValueError(f"{quantity!r} is none of {', '.join(COLUMNS)}")
            if quantity in self.columns and quantity in self.stated:
                raise ValueError(f"{quantity} has a column, and is stated for all rows")
            if self.columns.get(quantity) in self.ignored:
                raise ValueError(f"{quantity} has the column {self.columns[quantity]!r}, which is "
                                 "to be ignored")  # fmt: skip
        if len(set(self.columns.values())) < len(self.columns):
            raise ValueError("two quantities have the same column")
        _exact(self.stated)

    def about(self) -> dict[str, Any]:
        """Return what decides how its rows are read, ready for JSON."""
        numbers = {n: str(_number(n, v)) for n, v in self.stated.items() if n != "neighbours"}
        return {
            "columns": dict(self.columns),
            "stated": {**self.stated, **numbers},
            "ignored": sorted(self.ignored),
        }

    def layout(self, names: Sequence[str], what: str = "column") -> dict[str, str]:
        """Return the quantities that stand in columns, with their columns.

        Args:
            names: the columns that are there.
            what: what a column is called in error messages.

        Raises:
            ValueError: if one of the names is unknown, or stands there twice; if a quantity is
                not stated, or stated twice; or if a column that is to be ignored is not there. A
                row of JSON may do without such a field: another row may have it.
        """
        for name in self.ignored if what == "column" else ():
            if name not in names:
                raise ValueError(
                    f"no {what} {name!r}, which is to be ignored; {_shown_names(what, names)}"
                )
        known = {quantity: quantity for quantity in COLUMNS if quantity not in self.columns}
        known |= {column: quantity for quantity, column in self.columns.items()}
        names = [name for name in names if name not in self.ignored]
        for name in names:
            if name not in known:
                raise ValueError(f"unknown {what} {name!r}{self._meant(name, known, names)}")
            if known[name] in self.stated:
                raise ValueError(
                    f"{known[name]} stands in the {what} {name!r}, and is stated for all rows"
                )
            if names.count(name) > 1:
                raise ValueError(f"two {what}s {name!r}")
        found = {known[name]: name for name in names if name in known}
        for quantity, column in self.columns.items():
            if quantity not in found:
                raise ValueError(
                    f"no {what} {column!r} for {quantity}; {_shown_names(what, names)}"
                )
        _check_whole({*found, *self.stated}, what, names)
        return found

    def _meant(self, name: str, known: Mapping[str, str], names: Sequence[str]) -> str:
        """Say what may be done about an unknown column."""
        from dporacle.claims.content_errors import guess

        if name in COLUMNS:
            told = f"; {name} is read from {self.columns[name]!r}"
        else:
            stated = {known[each] for each in names if each in known}
            told = guess(name, COLUMNS, stated.union(self.stated))
        word = shlex.quote(name)
        return (
            f"{told}; read it with --columns QUANTITY={word}, or leave it out with --ignore {word}"
        )


def _check_whole(said: Collection[str], what: str, names: Sequence[str]) -> None:
    """Require all that a claim is made of, once.

    Raises:
        ValueError: naming what is missing, or what says the same twice.
    """
    if "noise_multiplier" in said:
        for twice in ("sigma", "sensitivity"):
            if twice in said:
                raise ValueError(
                    f"noise_multiplier is σ over the sensitivity, and {twice} says it again: "
                    "leave one of them out"
                )
    else:
        for needed in ("sigma", "sensitivity"):
            if needed not in said:
                _miss(needed, what, names)
    for needed in ("epsilon", "delta", "neighbours"):
        if needed not in said:
            _miss(needed, what, names)


_TOLD = {
    "sigma": " (or noise_multiplier, σ over the sensitivity)",
    "neighbours": f" ({', '.join(RELATIONS)})",
}


def _miss(needed: str, what: str, names: Sequence[str]) -> None:
    option = needed.replace("_", "-")
    raise ValueError(
        f"{needed} is missing{_TOLD.get(needed, '')}: give a {what} {needed!r}, or --{option} for "
        f"all rows; {_shown_names(what, names)}"
    )


def _shown_names(what: str, names: Sequence[str]) -> str:
    return f"its {what}s are {', '.join(names[:20]) or 'none'}"


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
        floats: arrays of ε, δ, σ and the sensitivity; NaN in rows that cannot be read.
        exact: row -> the same numbers exactly.
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
        StreamError: if its columns are not those of claims, or it has a line without an end.
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
        rest += data
        lines = rest[: rest.rfind(b"\n") + 1]
        # Empty lines are held back: at the very end they are no rows.
        if kept := len(lines.rstrip(_EMPTY)):
            whole = lines[: lines.index(b"\n", kept) + 1]
            rest = rest[len(whole) :]
            yield _piece(source, whole, header, at)
            at += len(whole)
        if len(rest) == _PIECE:
            raise StreamError(f"{source.name}: a line of more than {_PIECE} bytes")
    if rest.strip(_EMPTY):
        yield _piece(source, rest, header, at)


def _piece(source: Source, content: bytes, header: tuple[str, ...], at: int) -> Piece:
    """Make a piece of lines that begin at a place; the first row of JSON names the columns.

    Raises:
        StreamError: if they are not those of claims.
    """
    end = at + len(content)
    if source.kind == "jsonl" and at == 0:
        content = content.removeprefix(_MARK)
        try:
            names = [name for name, _ in _object(content.splitlines()[0])]
        except ValueError:
            return Piece(source, content, header, end)  # a row that is invalid, among others
        _check_columns(source, names, "field")
    return Piece(source, content, header, end)


def _header(source: Source, line: bytes) -> tuple[str, ...]:
    try:
        names = next(csv.reader([line.decode("utf-8-sig")]), [])
    except (UnicodeDecodeError, csv.Error) as error:
        raise StreamError(f"{source.name}: line 1: {error}") from None
    header = tuple(name.strip() for name in names)
    for mark, what in ((";", "semicolons"), ("\t", "tabs"), ("|", "bars")):
        if len(header) == 1 and mark in header[0]:
            raise StreamError(f"{source.name}: its columns are separated by {what}; write commas")
    _check_columns(source, header)
    return header


def _check_columns(source: Source, names: Sequence[str], what: str = "column") -> None:
    try:
        source.layout(names, what)
    except ValueError as error:
        raise StreamError(f"{source.name}: {error}") from None


def rows_of(piece: Piece) -> Rows:
    """Read the rows of a piece."""
    if piece.source.kind == "parquet":
        return _of_parquet(piece)
    assert isinstance(piece.content, bytes)
    lines = piece.content.splitlines()
    if piece.source.kind == "jsonl":
        return _of_json(piece, piece.content, lines)
    return _of_csv(piece, piece.content, lines)


class _Pairs(list[tuple[str, Any]]):
    """An object of JSON; a name may stand in it twice."""


def _object(line: bytes) -> _Pairs:
    """Read a row of JSON lines, with numbers as they are written.

    Raises:
        ValueError: if it is no object.
    """
    try:
        content = json.loads(
            line, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=_Pairs
        )
    except (ValueError, RecursionError):
        raise ValueError("not JSON") from None
    if not isinstance(content, _Pairs):
        raise ValueError("not an object")
    return content


@cache
def _decoder(
    columns: tuple[tuple[str, str], ...], ignored: tuple[str, ...]
) -> msgspec.json.Decoder[Any]:
    fields: list[Any] = [
        (name, Neighbours if name == "neighbours" else float) for name, _ in columns
    ]
    passed = [(f"ignored_{place}", name) for place, name in enumerate(ignored)]
    fields += [(field, msgspec.Raw, msgspec.Raw()) for field, _ in passed]
    names = dict([*columns, *passed])
    kind = msgspec.defstruct("Row", fields, rename=names, gc=False, forbid_unknown_fields=True)
    return msgspec.json.Decoder(kind)


def _of_json(piece: Piece, content: bytes, lines: list[bytes]) -> Rows:
    source = piece.source
    known: dict[tuple[str, ...], dict[str, str] | ValueError] = {}  # rows are much alike

    def layout(names: tuple[str, ...]) -> dict[str, str]:
        if names not in known:
            try:
                known[names] = source.layout(names, "field")
            except ValueError as error:
                known[names] = ValueError(str(error))
        found = known[names]
        if isinstance(found, ValueError):
            raise ValueError(str(found))
        return found

    def said(row: int) -> dict[str, Any]:
        pairs = _object(lines[row])
        columns = layout(tuple(name for name, _ in pairs))
        content = dict(pairs)
        return {quantity: content[column] for quantity, column in columns.items()}

    def shown(row: int) -> str:
        return lines[row].decode()

    try:
        columns = layout(tuple(name for name, _ in _object(lines[0])))
        found = _decoder(tuple(columns.items()), tuple(source.ignored)).decode_lines(content)
        others = bool(source.ignored)
        if not _once(content, columns.values(), len(lines), others=others):
            raise ValueError("a name that stands twice")
        if len(found) != len(lines):
            raise ValueError("an empty line")
        held = {
            name: np.fromiter(map(attrgetter(name), found), np.float64, len(found))
            for name in columns
            if name != "neighbours"
        }
    except (msgspec.DecodeError, ValueError):
        return _one_by_one(source, said, len(lines), lambda row: _text(lines[row]))
    return _rows(source, _floats(source, held, len(lines)), said, shown)


def _once(content: bytes, names: Collection[str], rows: int, *, others: bool) -> bool:
    """Tell whether each name surely stands once in each row, given that it stands in each.

    Args:
        content: the rows.
        names: the names.
        rows: how many rows there are.
        others: whether other names and any texts may stand there too.
    """
    if not others:  # no name or value that is read has a colon
        return content.count(b":") == rows * len(names) and not any(":" in name for name in names)
    if b"\\" in content:  # an escape spells a name in another way
        return False
    spelt = (json.dumps(name, ensure_ascii=False).encode() for name in names)
    return all(content.count(each) == rows for each in spelt)


def _of_csv(piece: Piece, content: bytes, lines: list[bytes]) -> Rows:
    source, width = piece.source, len(piece.header)
    columns = source.layout(piece.header)
    places = {name: piece.header.index(column) for name, column in columns.items()}

    def said(row: int) -> dict[str, Any]:
        try:
            (cells,) = csv.reader([lines[row].decode("utf-8")], strict=True)
        except (UnicodeDecodeError, csv.Error, ValueError):
            raise ValueError("not a row of CSV") from None
        if len(cells) != width:
            raise ValueError(f"{len(cells)} cells, the header has {width}")
        return {name: cells[place].strip() for name, place in places.items()}

    def shown(row: int) -> str:
        return _text(lines[row])

    try:
        cells = _cells(content.replace(b"\r\n", b"\n"), len(lines), width)
        held = {
            name: np.fromiter(map(float, _plain(cells[place::width])), float, len(lines))
            for name, place in places.items()
            if name != "neighbours"
        }
        if "neighbours" in places:
            _check_words(word.decode() for word in set(cells[places["neighbours"] :: width]))
    except ValueError:
        return _one_by_one(source, said, len(lines), shown)
    return _rows(source, _floats(source, held, len(lines)), said, shown)


def _is_plain_text(content: bytes) -> bool:
    """Tell whether float and Decimal read no more than `arguments.parse`: no 4_0, no foreign 4."""
    return content.isascii() and b"_" not in content


def _plain(cells: list[bytes]) -> list[bytes]:
    """Return the cells of a column of numbers.

    Raises:
        ValueError: if float might read what is no number elsewhere.
    """
    if not _is_plain_text(b",".join(cells)):
        raise ValueError("not plain numbers")
    return cells


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
    _check_columns(source, list(file.schema_arrow.names))
    return file


def _of_parquet(piece: Piece) -> Rows:
    source = piece.source
    file = _parquet(source)
    columns = source.layout(list(file.schema_arrow.names))
    table = file.read_row_group(piece.content, columns=list(columns.values()), use_threads=False)
    held = {name: table.column(column) for name, column in columns.items()}

    def said(row: int) -> dict[str, Any]:
        return {name: column[row].as_py() for name, column in held.items()}

    def shown(row: int) -> str:
        # A float is shown as the float it is.
        found = said(row).items()
        return json.dumps({n: v.hex() if isinstance(v, float) else str(v) for n, v in found})

    numbers = {name: column for name, column in held.items() if name != "neighbours"}
    try:
        if any(column.null_count or not _is_plain(column.type) for column in numbers.values()):
            raise ValueError("texts, or rows without a number")
        if "neighbours" in held:
            _check_words(held["neighbours"].unique().to_pylist())
    except ValueError:
        return _one_by_one(source, said, table.num_rows, shown)
    arrays = {name: column.to_numpy().astype(np.float64) for name, column in numbers.items()}
    return _rows(source, _floats(source, arrays, table.num_rows), said, shown)


def _is_plain(kind: Any) -> bool:
    """Tell whether a type of Parquet has numbers whose nearest float64 numpy knows."""
    from pyarrow import types

    return bool(types.is_float64(kind) or types.is_integer(kind))


def _check_words(found: Iterable[object]) -> None:
    """Require that each is the name of a relation."""
    for word in found:
        if word not in RELATIONS:
            raise ValueError(_unknown_relation(word))


def _unknown_relation(word: object) -> str:
    from dporacle.claims.unknown_words import MEANT

    meant = MEANT.get(str(word).lower(), "")
    told = f"; is it {meant!r}?" if meant in RELATIONS else ""
    return f"neighbours must be one of {', '.join(RELATIONS)}, got {arguments.show(word)}{told}"


_Said = Callable[[int], dict[str, Any]]


def _floats(source: Source, held: Mapping[str, Any], rows: int) -> tuple[Any, ...]:
    """Return arrays of ε, δ, σ and the sensitivity, of what stands in columns or is stated."""
    numbers = {name: each for name, each in source.stated.items() if name != "neighbours"}
    stated = {
        name: np.full(rows, _nearest(_number(name, number))) for name, number in numbers.items()
    }
    arrays = {**stated, **held}
    if "noise_multiplier" in arrays:
        arrays |= {"sigma": arrays["noise_multiplier"], "sensitivity": np.ones(rows)}
    return tuple(arrays[name] for name in _NUMBERS)


def _rows(
    source: Source, floats: tuple[Any, ...], said: _Said, shown: Callable[[int], str]
) -> Rows:
    def exact(row: int) -> dict[str, Fraction]:
        return _exact({**source.stated, **said(row)})

    epsilon, delta, sigma, sensitivity = floats
    wrong = ~((epsilon >= 0) & (epsilon < math.inf) & (delta >= 0) & (delta <= 1))
    wrong |= ~((sigma > 0) & (sigma < math.inf) & (sensitivity > 0) & (sensitivity < math.inf))
    faults: dict[int, str] = {}
    for row in np.flatnonzero(wrong).tolist():
        try:
            exact(row)
        except ValueError as error:
            faults[row] = str(error)
    return Rows(floats, exact, shown, faults)


def _one_by_one(source: Source, said: _Said, count: int, shown: Callable[[int], str]) -> Rows:
    def exact(row: int) -> dict[str, Fraction]:
        return _exact({**source.stated, **said(row)})

    floats = tuple(np.full(count, np.nan) for _ in _NUMBERS)
    faults: dict[int, str] = {}
    for row in range(count):
        try:
            for name, number in exact(row).items():
                floats[_NUMBERS.index(name)][row] = _nearest(number)
        except ValueError as error:
            faults[row] = str(error)
    return Rows(floats, exact, shown, faults)


def _nearest(number: Fraction) -> float:
    try:
        return float(number)
    except OverflowError:
        return math.inf


def _exact(said: Mapping[str, Any]) -> dict[str, Fraction]:
    """Return the exact numbers of a row, with σ and sensitivity of a noise multiplier.

    Raises:
        ValueError: naming the quantity.
    """
    found = {name: _number(name, each) for name, each in said.items() if name != "neighbours"}
    if "neighbours" in said:
        _check_words([said["neighbours"]])
    for name, value in found.items():
        if value < 0 or (value == 0 and name not in {"epsilon", "delta"}):
            most = "at least 0" if name in {"epsilon", "delta"} else "positive"
            raise ValueError(f"{name} must be {most}")
        if name == "delta" and value > 1:
            raise ValueError("delta must be at most 1")
    if "noise_multiplier" in found:  # then σ is counted in sensitivities
        found |= {"sigma": found.pop("noise_multiplier"), "sensitivity": Fraction(1)}
    return found


def _number(name: str, value: Any) -> Fraction:
    if value is None:
        raise ValueError(f"{name} is missing")
    if isinstance(value, bool) or not isinstance(value, str | int | float | Decimal | Fraction):
        raise ValueError(f"{name} must be a number")
    if isinstance(value, float) and not math.isfinite(value):
        raise ValueError(f"{name} must be finite, got {value}")
    if isinstance(value, float | int | Fraction):
        return Fraction(value)
    text = str(value)
    if len(text) > _EXPONENT:
        raise ValueError(f"{name} is too long")
    if not _is_plain_text(text.encode("utf-8", "replace")):
        return arguments.parse(name, text)  # which refuses what Decimal would read
    try:
        written = Decimal(text)
    except InvalidOperation:
        return arguments.parse(name, text)  # 1/3, 0x1.8p-3
    if not written.is_finite():
        raise ValueError(f"{name} must be finite, got {text}")
    if written and abs(written.adjusted()) > _EXPONENT:
        raise ValueError(f"{name} must be 0 or of magnitude 10^±{_EXPONENT}")
    return Fraction(written)
