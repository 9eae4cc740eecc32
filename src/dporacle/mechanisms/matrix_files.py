"""Matrices in files: .npy, .npz, CSV and Matrix Market, read exactly.

What a file says of its size is looked at before its numbers are, so that a file which is too large
or no strategy matrix is refused at once.
"""

import math
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from decimal import Context, Decimal, InvalidOperation
from fractions import Fraction
from itertools import islice
from pathlib import Path
from typing import IO, Any

import numpy as np

from dporacle import arguments
from dporacle.enclosures.matrix.strategies import Dense, Toeplitz

MOST_COLUMNS = 4096
MOST_ROWS = 2 * MOST_COLUMNS
_MOST_BYTES = 1 << 30
_SHORT = 1 << 16  # bytes
_WHOLE = Context(prec=20_000)
_DIGITS = 1300  # of an exponent: 2^±4096 is about 10^±1233

_Number = int | Decimal | Fraction
_Entries = dict[int, dict[int, _Number]]  # column -> row -> a number that is not 0


def read(path: Path) -> Dense | Toeplitz:
    """Return the strategy matrix in a file, by the end of the file's name.

    Raises:
        OSError: if the file cannot be read.
        ValueError: saying what is wrong with it.
    """
    readers = {".npy": _npy, ".npz": _npz, ".csv": _csv, ".mtx": _market}
    if path.suffix.lower() not in readers:
        raise ValueError(f"{path.name}: the name must end in one of {', '.join(readers)}")
    if path.exists() and not path.is_file():  # a pipe might never end
        raise ValueError(f"{path.name}: not a regular file")
    try:
        return readers[path.suffix.lower()](path)
    except UnicodeDecodeError:
        raise ValueError(f"{path.name}: not text in UTF-8") from None
    except (zipfile.BadZipFile, EOFError, KeyError) as error:
        raise ValueError(f"{path.name}: not a readable archive: {error}") from None
    except (ValueError, TypeError) as error:
        raise ValueError(f"{path.name}: {error}") from None


def _sized(rows: int, columns: int) -> None:
    if not rows or not columns:
        raise ValueError(f"the matrix is empty: {rows} rows, {columns} columns")
    if columns > MOST_COLUMNS or rows > MOST_ROWS:
        raise ValueError(
            f"the matrix has {rows} rows and {columns} columns, {rows * columns:,} entries: at "
            f"most {MOST_ROWS} rows and {MOST_COLUMNS} columns are read"
        )
    if rows < columns:
        raise ValueError(
            f"wrong shape, {rows} rows and {columns} columns: a matrix has a column for each step "
            "and at least as many rows, in the order of release"
        )


def _npy(path: Path) -> Dense | Toeplitz:
    with path.open("rb") as file:
        return _array(file)


def _array(file: IO[bytes]) -> Dense | Toeplitz:
    _shaped(*_header(file))
    file.seek(0)
    return strategy(np.load(file, allow_pickle=False))


def _header(file: IO[bytes]) -> tuple[tuple[int, ...], np.dtype[Any]]:
    try:
        version = np.lib.format.read_magic(file)
    except ValueError:
        raise ValueError("not an array of numpy: it does not begin as a .npy file does") from None
    reader = {
        (1, 0): np.lib.format.read_array_header_1_0,
        (2, 0): np.lib.format.read_array_header_2_0,
    }.get(version)
    if reader is None:
        raise ValueError(f"version {version} of the format is not known")
    shape, _, dtype = reader(file)
    return shape, dtype


def _shaped(shape: tuple[int, ...], dtype: np.dtype[Any]) -> None:
    if len(shape) != 2:
        raise ValueError(f"wrong shape, {shape}: a matrix has rows and columns")
    if dtype.kind not in "fiub" or dtype.itemsize > 8:
        raise ValueError(f"entries must be real numbers of at most 64 bits, got {dtype}")
    _sized(*shape)


def _npz(path: Path) -> Dense | Toeplitz:
    with zipfile.ZipFile(path) as archive:
        names = archive.namelist()
        if {"data.npy", "shape.npy", "format.npy"} <= {*names}:
            return _sparse(path, archive)
        if len(names) != 1:
            raise ValueError(f"one matrix is wanted, the archive has {', '.join(names) or 'none'}")
        with archive.open(names[0]) as file:
            return _array(file)


def _sparse(path: Path, archive: zipfile.ZipFile) -> Dense | Toeplitz:
    """Return a matrix that scipy.sparse wrote."""
    import scipy.sparse

    sizes = {info.filename: info.file_size for info in archive.infolist()}
    if sizes["shape.npy"] > _SHORT:
        raise ValueError(f"shape.npy has {sizes['shape.npy']:,} bytes")
    with archive.open("shape.npy") as file:
        shape = tuple(int(each) for each in np.load(file, allow_pickle=False))
    with archive.open("data.npy") as file:
        dtype = _header(file)[1]
    _shaped(shape, dtype)
    for name, size in sizes.items():
        if size > _SHORT + 32 * math.prod(shape):
            raise ValueError(f"{name} has {size:,} bytes, more than such a matrix needs")
    found: Any = scipy.sparse.load_npz(path)
    if found.format in ("csr", "csc", "bsr"):  # indices outside would be written to
        found.check_format(full_check=True)
    return strategy(found.toarray())


def strategy(matrix: np.ndarray[Any, Any]) -> Dense | Toeplitz:
    """Return the strategy of an array, whose floats are the dyadic numbers that they are.

    Raises:
        ValueError: saying what is wrong with it.
    """
    _shaped(matrix.shape, matrix.dtype)
    rows, columns = matrix.shape
    if matrix.dtype.kind == "f":
        bad = np.argwhere(~np.isfinite(matrix))
        if len(bad):
            i, j = bad[0]
            raise ValueError(f"the entry in row {i}, column {j} is {matrix[i, j]}, not a number")
        matrix = matrix.astype(np.float64, copy=False)
    elif matrix.dtype.kind == "b":
        matrix = matrix.astype(np.int64)
    filled = matrix != 0
    empty = np.flatnonzero(~filled.any(axis=0))
    if len(empty):
        raise ValueError(_EMPTY.format(empty[0]))
    starts = filled.argmax(axis=0)
    ends = rows - filled[::-1].argmax(axis=0)
    _ordered(rows, columns, starts.tolist())
    if rows == columns and _decreasing(matrix):
        first = matrix[:, 0].tolist()
        return Toeplitz([Fraction(each) for each in first], columns)
    power = 0
    if matrix.dtype.kind == "f":
        power = max(0, _least_power(matrix[filled]))
    found = []
    for j in range(columns):
        entries = matrix[starts[j] : ends[j], j].tolist()
        if matrix.dtype.kind == "f":
            entries = [_scaled(each, power) for each in entries]
        found.append((int(starts[j]), entries))
    return Dense(found, 1 << power)


_EMPTY = "column {} is zero: the contribution of that step reaches no row"


def _least_power(entries: np.ndarray[Any, Any]) -> int:
    """Return the least p for which all floats are integers over 2^p."""
    mantissas, exponents = np.frexp(entries)
    whole = np.ldexp(mantissas, 53).astype(np.int64)
    zeros = np.frexp((whole & -whole).astype(np.float64))[1] - 1  # at their ends, in binary
    return int((53 - zeros - exponents).max())


def _scaled(value: float, power: int) -> int:
    top, bottom = value.as_integer_ratio()
    return int((top << power) // bottom)


def _ordered(rows: int, columns: int, starts: Sequence[int]) -> None:
    """Refuse a matrix whose rows would need contributions of later steps."""
    for j, start in enumerate(starts):
        if rows == columns and start < j:
            raise ValueError(
                f"not lower triangular: the entry in row {start}, column {j} is not 0, so that a "
                "row needs a later step's contribution"
            )
        if j and start < starts[j - 1]:
            raise ValueError(
                f"the rows are not in the order of release: column {j} begins in row {start}, "
                f"column {j - 1} in row {starts[j - 1]}"
            )


def _decreasing(matrix: np.ndarray[Any, Any]) -> bool:
    """Whether it is lower triangular Toeplitz of c₀ ≥ c₁ ≥ … ≥ 0; it is lower triangular."""
    first = matrix[:, 0]
    if (first < 0).any() or (first[1:] > first[:-1]).any():
        return False
    return all(np.array_equal(matrix[j:, j], first[: len(first) - j]) for j in range(len(first)))


def _csv(path: Path) -> Dense | Toeplitz:
    """Read numbers as they are written: 0.1 is one tenth."""
    _small(path)
    entries: _Entries = {}
    columns = rows = 0
    with path.open(encoding="utf-8-sig") as file:
        for line in file:
            if not line.strip():
                continue
            cells = line.split(",") if rows == 0 or "," in line else [line]
            if not rows:
                columns = len(cells)
                _sized(max(columns, 1), columns)
            if len(cells) != columns:
                raise ValueError(f"wrong shape: row {rows} has {len(cells)} entries, not {columns}")
            if rows == MOST_ROWS:
                raise ValueError(f"at most {MOST_ROWS} rows are read")
            for j, cell in enumerate(cells):
                if value := _written(cell, rows, j):
                    entries.setdefault(j, {})[rows] = value
            rows += 1
    return _assembled(entries, rows, columns)


def _small(path: Path) -> None:
    size = path.stat().st_size
    if size > _MOST_BYTES:
        raise ValueError(f"{size:,} bytes are more than {_MOST_BYTES:,}")


_PLAIN = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,4})?", re.ASCII)


def _written(text: str, row: int, column: int) -> _Number:
    text = text.strip()
    if text in ("0", "0.0"):
        return 0
    if len(text) <= 400 and _PLAIN.fullmatch(text):
        try:
            value = Decimal(text)
        except InvalidOperation:  # its exponent is beyond what a Decimal has
            value = Decimal("NaN")
        if value.is_finite() and (not value or abs(value.adjusted()) < _DIGITS):
            return value
    return arguments.parse(f"the entry in row {row}, column {column}", text)


def _assembled(entries: _Entries, rows: int, columns: int) -> Dense | Toeplitz:
    """Return the strategy of exact numbers, by column and row."""
    _sized(rows, columns)
    for j in range(columns):
        if not entries.get(j):
            raise ValueError(_EMPTY.format(j))
    _ordered(rows, columns, [min(entries[j]) for j in range(columns)])
    decimals, denominators = 0, {1}
    for column in entries.values():
        for value in column.values():
            if isinstance(value, Decimal):
                decimals = max(decimals, -int(value.as_tuple().exponent))
            elif isinstance(value, Fraction):
                denominators.add(value.denominator)
    if len(denominators) > 10_000:
        raise ValueError(f"more than {10_000:,} different denominators")
    unit = math.lcm(10**decimals, *denominators)
    if unit.bit_length() > 1 << 14:
        raise ValueError("the common denominator of the entries has more than 16,384 bits")
    rest = unit // 10**decimals

    def whole(value: _Number) -> int:
        if isinstance(value, Decimal):
            scaled: int = int(_WHOLE.scaleb(value, decimals)) * rest
            return scaled
        return int(value * unit)

    found = []
    for j in range(columns):
        column = entries[j]
        start = min(column)
        found.append((start, [whole(column.get(i, 0)) for i in range(start, max(column) + 1)]))
    first = found[0][1]
    down = all(a >= b for a, b in zip(first, [*first[1:], 0], strict=True))
    if rows == columns and down and _shifted(found, columns):
        return Toeplitz([Fraction(each, unit) for each in first], columns)
    return Dense(found, unit)


def _shifted(found: Sequence[tuple[int, list[int]]], size: int) -> bool:
    first = found[0][1] + [0] * (size - len(found[0][1]))
    return found[0][0] == 0 and all(
        start == j and [*each, *[0] * (size - j - len(each))] == first[: size - j]
        for j, (start, each) in enumerate(found)
    )


def _market(path: Path) -> Dense | Toeplitz:
    _small(path)
    with path.open(encoding="utf-8") as file:
        words = file.readline().lower().split()
        if len(words) != 5 or words[:2] != ["%%matrixmarket", "matrix"]:
            raise ValueError("its first line is not that of a matrix in Matrix Market's format")
        _, _, layout, kind, symmetry = words
        if layout not in ("array", "coordinate") or kind not in ("real", "integer", "pattern"):
            raise ValueError(f"{layout} of {kind} entries is not read")
        if symmetry != "general":
            raise ValueError(f"a {symmetry} matrix is not lower triangular: say general")
        lines = (line.split() for line in file if line.strip() and not line.startswith("%"))
        sizes = next(lines, [])
        wanted = 2 if layout == "array" else 3
        if len(sizes) != wanted or not all(each.isdecimal() for each in sizes):
            raise ValueError(f"must have {wanted} sizes, got {' '.join(sizes)[:60]!r}")
        rows, columns, *count = map(int, sizes)
        _sized(rows, columns)
        entries: _Entries = {}
        found = _listed(lines, rows, columns) if layout == "array" else _placed(lines, kind)
        many = count[0] if count else rows * columns
        seen = set()
        for i, j, value in islice(found, many):
            if not (0 <= i < rows and 0 <= j < columns):
                raise ValueError(f"there is no row {i + 1}, column {j + 1}")
            if (i, j) in seen:
                raise ValueError(f"row {i + 1}, column {j + 1} is there twice")
            seen.add((i, j))
            if value:
                entries.setdefault(j, {})[i] = value
        if len(seen) != many or next(found, None) is not None:
            raise ValueError(f"must have {many} entries, and has another number")
    return _assembled(entries, rows, columns)


def _listed(
    lines: Iterable[list[str]], rows: int, columns: int
) -> Iterator[tuple[int, int, _Number]]:
    for place, line in enumerate(lines):
        j, i = divmod(place, rows)
        if len(line) != 1 or j >= columns:
            raise ValueError(f"one entry a line is wanted, {rows * columns} in all")
        yield i, j, _written(line[0], i, j)


def _placed(lines: Iterable[list[str]], kind: str) -> Iterator[tuple[int, int, _Number]]:
    wanted = 2 if kind == "pattern" else 3
    for line in lines:
        if len(line) != wanted or not (line[0].isdecimal() and line[1].isdecimal()):
            raise ValueError(f"must be row, column and value, got {' '.join(line)[:60]!r}")
        i, j = int(line[0]) - 1, int(line[1]) - 1
        yield i, j, _written(line[2], i, j) if kind != "pattern" else 1
