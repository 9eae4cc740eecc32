"""Test files for a library's own repository, in its style, with exact values pinned inside.

A template says how a test file of that repository looks. The tables in it are filled here: from the
certified vectors where they have the case, and otherwise with the enclosure of the exact value. A
number is written only if its enclosure decides the nearest float64.
"""

import tomllib
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cache
from importlib import metadata, resources
from typing import Any

import msgspec

from dporacle import vectors
from dporacle.vocabulary import QUANTITIES

_DIGITS = 25


class ExactTable(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A table of exact values in a test file.

    Attributes:
        name: what stands for it in the template, alone on a line between two `@`.
        quantity: what its values are.
        row: what stands there for each input, with the inputs by their names and `exact`.
        inputs: the inputs of each row.
    """

    name: str
    quantity: str
    row: str
    inputs: tuple[dict[str, float | int], ...]


class LibraryTest(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """A test file for a library's own repository.

    Attributes:
        path: where it belongs, in a checkout of that repository.
        template: its template.
        tables: its exact values.
    """

    path: str
    template: str
    tables: tuple[ExactTable, ...]


@cache
def known() -> Mapping[str, tuple[LibraryTest, ...]]:
    """Return the test files of each library that has some, by its name."""
    text = (resources.files(__package__) / "library_tests.toml").read_text("utf-8")
    return msgspec.convert(tomllib.loads(text), dict[str, tuple[LibraryTest, ...]])


def files(name: str) -> dict[str, str]:
    """Return a library's test files, by their paths in a checkout of its repository.

    Args:
        name: a library.

    Raises:
        ValueError: if there is no test file for it.
    """
    if name not in known():
        raise ValueError(f"no test file for {name}; there are for {', '.join(sorted(known()))}")
    return dict(_files(name))


@cache
def _files(name: str) -> Mapping[str, str]:
    return {each.path: _filled(each) for each in known()[name]}


def exact(quantity: str, inputs: Mapping[str, float | int]) -> float:
    """Return the float64 nearest to an exact value, proved.

    Args:
        quantity: what is asked.
        inputs: its arguments, as exact float64 numbers.

    Raises:
        ValueError: if the enclosure does not decide it.
    """
    low, high = map(float, _bounds(quantity, inputs))
    if low != high:
        raise ValueError(f"{quantity} at {dict(inputs)}: the nearest float64 is not decided")
    return low


def _bounds(quantity: str, inputs: Mapping[str, float | int]) -> tuple[Fraction, Fraction]:
    row = QUANTITIES[quantity]
    if row.vectors:
        for vector in vectors.load(quantity).vectors:
            if vector.inputs == inputs:
                return vector.bounds()
    from dporacle import enclosures
    from dporacle.enclosures.arithmetic import rounding

    given: dict[str, Any] = {
        name: number if name in row.counts else Fraction(number) for name, number in inputs.items()
    }
    if row.arithmetic != "integer":
        given["digits"] = _DIGITS
    return rounding.bounds(row.of(enclosures)(**given))


def _filled(test: LibraryTest) -> str:
    text = (resources.files(__package__) / "templates" / test.template).read_text("utf-8")
    tables = {f"@{each.name}@": _lines(each) for each in test.tables}
    told = f"Made by dporacle {metadata.version('dporacle')}, which proves each number."
    lines: list[str] = []
    for line in text.replace("@PROVENANCE@", told).splitlines():
        indent = line[: len(line) - len(line.lstrip())]
        lines += [indent + each for each in tables.pop(line.strip(), [line.lstrip()])]
    if tables:
        raise ValueError(f"{test.template} has no line {', '.join(tables)}")
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _lines(table: ExactTable) -> Sequence[str]:
    def lines(inputs: Mapping[str, Any]) -> list[str]:
        said = {name: repr(number) for name, number in inputs.items()}
        return table.row.format(**said, exact=repr(exact(table.quantity, inputs))).splitlines()

    return [line for inputs in table.inputs for line in lines(inputs)]
