"""Heat maps: pickups from a file that the user has, or a synthetic one with a stated law."""

import csv
import math
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

import numpy as np
import numpy.typing as npt

from dporacle.common.randomness import generator

Grid = npt.NDArray[np.float64]

SIDE = 89
"""Cells along each side of the grid (JL24.F1)."""

BOX = (40.63, 40.86, -74.07, -73.76)
"""South, north, west and east end of the grid, in degrees: fixed beforehand, since a box that
followed the data would tell of them."""

START, END = datetime(2014, 4, 1, 0, 11), datetime(2014, 4, 3, 23, 57)
"""The first and the last minute of the window (JL24.F1)."""

BASE = "B02512"
"""The base whose pickups are counted where a file has several."""

_COLUMNS = (("Date/Time", "Lat", "Lon"), ("pickup_datetime", "latitude", "longitude"))
_FORMATS = ("%m/%d/%Y %H:%M:%S", "%Y-%m-%dT%H:%M:%S", "%Y-%m-%d %H:%M:%S")
_MOST_LINES = 10**7


@dataclass(frozen=True, slots=True)
class HeatMap:
    """Counts on a grid.

    Attributes:
        counts: SIDE × SIDE, the north row first.
        source: where they are from.
        outside: how many records lay outside the box and are not counted.
    """

    counts: Grid
    source: str
    outside: int


def read_pickups(path: Path) -> HeatMap:
    """Read pickups from a CSV file and count them on the grid.

    The header names a time, a latitude and a longitude, either as Date/Time, Lat, Lon (the files
    of "Uber pickups in New York City", FiveThirtyEight) or as pickup_datetime, latitude,
    longitude. Records outside START to END, and those of another Base than B02512 where there is
    such a column, are left out. One record changes one count by 1: the ℓ2-sensitivity is 1.

    Args:
        path: the file, at most 10^7 lines.

    Raises:
        OSError: if it cannot be read.
        ValueError: naming the line that is not such a record, or if no record is left.
    """
    counts = np.zeros((SIDE, SIDE))
    taken = outside = 0
    with path.open(newline="", encoding="utf-8-sig") as file:
        reader = csv.reader(file, strict=True)
        try:
            header = next(reader, None)
            columns = _columns(path, header)
            for number, record in enumerate(reader, start=2):
                if number > _MOST_LINES:
                    raise ValueError(f"{path} has more than {_MOST_LINES} lines")
                if len(record) != len(header or ()):
                    raise ValueError(f"{path}, line {number}: {len(record)} fields")
                time, latitude, longitude, base = (
                    record[each] if each is not None else BASE for each in columns
                )
                where = f"{path}, line {number}"
                moment = _moment(where, time)
                north = _degrees(where, "latitude", latitude, 90)
                east = _degrees(where, "longitude", longitude, 180)
                if base.strip() != BASE or not START <= moment <= END:
                    continue
                cell = _cell(north, east)
                if cell is None:
                    outside += 1
                else:
                    counts[cell] += 1
                    taken += 1
        except (csv.Error, UnicodeDecodeError) as error:
            raise ValueError(f"{path} is not a CSV file: {error}") from error
    if not taken:
        raise ValueError(f"{path} has no pickup from {START} to {END} within the box")
    return HeatMap(counts, f"{taken} pickups of {path.name}", outside)


def _columns(path: Path, header: list[str] | None) -> tuple[int, int, int, int | None]:
    names = [each.strip() for each in header or ()]
    for time, north, east in _COLUMNS:
        if all(names.count(each) == 1 for each in (time, north, east)):
            base = names.index("Base") if names.count("Base") == 1 else None
            return names.index(time), names.index(north), names.index(east), base
    wanted = " or ".join(", ".join(each) for each in _COLUMNS)
    raise ValueError(f"{path} needs a header with {wanted}; it has {', '.join(names) or 'none'}")


def _moment(where: str, text: str) -> datetime:
    for form in _FORMATS:
        try:
            return datetime.strptime(text.strip(), form)
        except ValueError:
            continue
    raise ValueError(f"{where}: {text[:40]!r} is not a time such as 4/1/2014 0:11:00")


def _degrees(where: str, name: str, text: str, most: int) -> float:
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not abs(value) <= most:
        raise ValueError(f"{where}: {name} {text[:40]!r} is not a number from -{most} to {most}")
    return value


def _cell(north: float, east: float) -> tuple[int, int] | None:
    south_end, north_end, west_end, east_end = BOX
    down = (north_end - north) / (north_end - south_end) * SIDE
    across = (east - west_end) / (east_end - west_end) * SIDE
    if not (0 <= down < SIDE and 0 <= across < SIDE):
        return None
    return int(down), int(across)


# Share, centre (row, column) and spread (row, column) of each hot spot, in units of the side.
_SPOTS = (
    (0.45, (0.42, 0.30), (0.14, 0.030)),
    (0.20, (0.60, 0.26), (0.05, 0.030)),
    (0.12, (0.70, 0.42), (0.06, 0.060)),
    (0.08, (0.92, 0.93), (0.01, 0.010)),
    (0.05, (0.36, 0.62), (0.01, 0.012)),
)
_SHARE_EVERYWHERE = 0.10


def synthetic_heat_map(*, seed: int, pickups: int = 3829) -> HeatMap:
    """Draw a heat map: independent Poisson counts, five hot spots on an even background.

    A cell's mean is `pickups` times a mixture of five Gaussian densities (0.90 in all, cut off
    at the grid's edge) and the even density (0.10), taken at the cell's centre.

    Args:
        seed: of the random generator.
        pickups: the expected number, but for what is cut off at the edge.
    """
    centres = (np.arange(SIDE) + 0.5) / SIDE
    down, across = np.meshgrid(centres, centres, indexing="ij")
    density = np.full((SIDE, SIDE), _SHARE_EVERYWHERE)
    for share, (row, column), (tall, wide) in _SPOTS:
        square = ((down - row) / tall) ** 2 + ((across - column) / wide) ** 2
        density += share * np.exp(-square / 2) / (2 * np.pi * tall * wide)
    counts = (
        generator("synthetic heat map", seed).poisson(pickups * density / SIDE**2).astype(float)
    )
    return HeatMap(counts, f"{int(counts.sum())} synthetic pickups", 0)
