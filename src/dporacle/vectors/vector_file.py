"""What a file of vectors is, read strictly.

Unknown fields, wrong types, numbers out of reach and repeated ids are errors; nothing in a file
is evaluated.
"""

import errno
import functools
import importlib.resources
from fractions import Fraction
from typing import Annotated, Final, Literal

import msgspec

from dporacle import arguments
from dporacle.common import notebook
from dporacle.vocabulary import QUANTITIES

FORMAT: Final = "dporacle-vectors/2"
"""The name and version of the format."""

GROUPS = tuple(row.name for row in QUANTITIES.values() if row.vectors)
"""The groups of vectors; each bears the name of the function that it is about."""

_MAX_BYTES = 64 << 20
_SHOWN = 10  # in a notebook

Number = int | float
Inputs = dict[str, Number | Literal["nan", "inf", "-inf"]]
Natural = Annotated[int, msgspec.Meta(ge=1)]
Text = Annotated[str, msgspec.Meta(max_length=4000)]


class _Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A record without unknown fields."""


class Rounded(_Strict, frozen=True):
    """The exact answer, correctly rounded to one binary format.

    Attributes:
        down: the largest number of the format at most the exact answer; null below all of them.
        up: the smallest one at least the exact answer; null above all of them.
        down_hex, up_hex: the same, as hexadecimal floats.
        nearest: which of the two is nearest (ties to even; up from null means infinity), or
            "exact" where they are one.
    """

    down: float | None
    down_hex: Text | None
    up: float | None
    up_hex: Text | None
    nearest: Literal["down", "up", "exact"]


class Tolerance(_Strict, frozen=True):
    """A class of tolerance.

    Attributes:
        relative: the largest relative error on the safe side that is acceptable, in decimal.
        meaning: what is in the class.
    """

    relative: Text
    meaning: Text


class Vector(_Strict, frozen=True):
    """One exact input and its proved answer.

    Attributes:
        id: stable for ever; it spells the inputs.
        edition: the first edition of the vectors that has it.
        inputs: argument -> a float64, written so that it reads back to the same bits; an integer
            where the argument counts something.
        inputs_hex: the same, as hexadecimal floats.
        low, high: decimals that enclose the exact answer; equal when it is exact.
        float64: the float64 on the safe side next to the exact answer (the smallest one above or
            the largest one below, as the file's `rounding` says); null when there is none.
        float64_hex: the same, as a hexadecimal float.
        rounded: "float64" and "float32" -> the exact answer, rounded in each direction.
        tolerance: a key of the file's `tolerances`: how far an answer may lie on the safe side.
        flags: keys of the file's `notes`: why this case exists.
    """

    id: Text
    edition: Natural
    inputs: dict[Text, Number]
    inputs_hex: dict[Text, Text]
    low: Text
    high: Text
    float64: float | None
    float64_hex: Text | None
    rounded: dict[Literal["float64", "float32"], Rounded]
    tolerance: Text
    flags: tuple[Text, ...]

    def bounds(self) -> tuple[Fraction, Fraction]:
        """Return the enclosure's ends, exactly."""
        return arguments.parse("low", self.low), arguments.parse("high", self.high)

    def _repr_html_(self) -> str:
        return notebook.facts(
            (
                *((name, repr(number)) for name, number in self.inputs.items()),
                ("at least", self.low),
                ("at most", self.high),
                ("float64", self.float64),
                ("tolerance", self.tolerance),
                ("flags", ", ".join(self.flags)),
            ),
            caption=self.id,
        )


class Refusal(_Strict, frozen=True):
    """One input that must be refused with an error, never answered.

    Attributes:
        id: stable for ever; it spells the inputs.
        edition: the first edition of the vectors that has it.
        inputs: argument -> a number, or "nan", "inf", "-inf".
        argument: the argument that is wrong.
        flags: keys of the file's `notes`.
    """

    id: Text
    edition: Natural
    inputs: Inputs
    argument: Text
    flags: tuple[Text, ...]


class VectorFile(_Strict, frozen=True):
    """The vectors of one function.

    Attributes:
        format: the format's name and version.
        edition: the edition of the vectors; a later one has more of them, and none less.
        function: the function they are about.
        statements: ids of the catalogue's rows behind it.
        rounding: the safe side of the answer: "up" or "down".
        harm: what an answer on the other side is.
        notes: flag -> why cases with this flag exist.
        tolerances: class -> how exact the answers of its vectors can be expected to be.
        vectors: the cases with an answer.
        refusals: the cases without one.
    """

    format: Literal["dporacle-vectors/2"]
    edition: Natural
    function: Text
    statements: tuple[Text, ...]
    rounding: Literal["up", "down"]
    harm: Text
    notes: dict[Text, Text]
    tolerances: dict[Text, Tolerance]
    vectors: tuple[Vector, ...]
    refusals: tuple[Refusal, ...]

    def _repr_html_(self) -> str:
        names = list(self.vectors[0].inputs) if self.vectors else []
        rows = [
            (*(each.inputs[name] for name in names), each.float64, ", ".join(each.flags))
            for each in self.vectors[:_SHOWN]
        ]
        caption = (
            f"{self.function}: {len(self.vectors)} vectors and {len(self.refusals)} refusals, "
            f"float64 rounded {self.rounding}; the first {len(rows)} vectors"
        )
        return notebook.table((*names, "float64", "flags"), rows, caption=caption)


def read(data: bytes) -> VectorFile:
    """Read a file of vectors.

    Raises:
        ValueError: saying where and what, if it is not one.
    """
    if len(data) > _MAX_BYTES:
        raise ValueError(f"a file of vectors has at most {_MAX_BYTES} bytes, got {len(data)}")
    try:
        file = msgspec.json.decode(data, type=VectorFile)
    except RecursionError as error:
        raise ValueError("not a file of vectors: nested too deeply") from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise ValueError(f"not a file of vectors: {error}") from error
    _check(file)
    return file


@functools.cache
def load(group: str) -> VectorFile:
    """Return the vectors of a function, as they ship with the package; they are read once.

    Args:
        group: one of `GROUPS`.

    Raises:
        ValueError: if there is no such group.
        FileNotFoundError: if its vectors have not been made yet.
    """
    if group not in GROUPS:
        raise ValueError(f"group must be one of {', '.join(GROUPS)}; got {group!r}")
    file = importlib.resources.files("dporacle.vectors.data") / f"{group}.json"
    try:
        return read(file.read_bytes())
    except FileNotFoundError:
        told = "the quantity's row has no vectors yet; `make add-check` makes them of its cases"
        raise FileNotFoundError(errno.ENOENT, told, str(file)) from None


def _check(file: VectorFile) -> None:
    seen: set[str] = set()
    cases: tuple[Vector | Refusal, ...] = (*file.vectors, *file.refusals)
    for case in cases:
        if case.id in seen:
            raise ValueError(f"the id {case.id!r} appears twice")
        seen.add(case.id)
        for flag in case.flags:
            if flag not in file.notes:
                raise ValueError(f"{case.id}: the flag {flag!r} has no note")
    for vector in file.vectors:
        _check_vector(file, vector)


def _check_vector(file: VectorFile, vector: Vector) -> None:
    low, high = vector.bounds()
    if low > high:
        raise ValueError(f"{vector.id}: low is above high")
    if vector.tolerance not in file.tolerances:
        raise ValueError(f"{vector.id}: the tolerance {vector.tolerance!r} is not explained")
    for name, number in vector.inputs.items():
        if arguments.parse(name, vector.inputs_hex.get(name, "")) != Fraction(number):
            raise ValueError(f"{vector.id}: inputs and inputs_hex differ in {name}")
    _same(vector.id, "float64", vector.float64, vector.float64_hex)
    if vector.float64 is not None:
        outside = vector.float64 < low if file.rounding == "up" else vector.float64 > high
        if outside:
            raise ValueError(f"{vector.id}: float64 is on the unsafe side of the enclosure")
    if set(vector.rounded) != {"float64", "float32"}:
        raise ValueError(f"{vector.id}: rounded has float64 and float32")
    for name, each in vector.rounded.items():
        _same(vector.id, f"rounded.{name}.down", each.down, each.down_hex)
        _same(vector.id, f"rounded.{name}.up", each.up, each.up_hex)
        if (each.down is not None and each.down > high) or (each.up is not None and each.up < low):
            raise ValueError(f"{vector.id}: rounded.{name} does not hold the enclosure")


def _same(case: str, name: str, number: float | None, text: str | None) -> None:
    differ = (number is None) != (text is None)
    if number is not None and text is not None:
        differ = arguments.parse(f"{name}_hex", text) != Fraction(number)
    if differ:
        raise ValueError(f"{case}: {name} and {name}_hex differ")
