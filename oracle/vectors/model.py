"""What a file of vectors is, read strictly.

Unknown fields, wrong types, numbers out of reach and repeated ids are errors; nothing in a file
is evaluated.
"""

from __future__ import annotations

import importlib.resources
from fractions import Fraction
from typing import Annotated, Final, Literal

import msgspec

from dporacle import arguments

__all__ = ["FORMAT", "GROUPS", "Refusal", "Vector", "VectorFile", "load", "read"]

FORMAT: Final = "dporacle-vectors/1"
"""The name and version of the format."""

GROUPS = (
    "calibrate_sigma",
    "delta_at_epsilon",
    "epsilon_at_delta",
    "accuracy",
    "alpha_at_accuracy",
    "sigma_at_accuracy",
    "classical_sigma",
)
"""The groups of vectors; each bears the name of the function that it is about."""

_MAX_BYTES = 64 << 20

Inputs = dict[str, float | Literal["nan", "inf", "-inf"]]
Text = Annotated[str, msgspec.Meta(max_length=4000)]


class _Strict(msgspec.Struct, forbid_unknown_fields=True, frozen=True, kw_only=True):
    """A record without unknown fields."""


class Vector(_Strict, frozen=True):
    """One exact input and its proved answer.

    Attributes:
        id: stable for ever; it spells the inputs.
        inputs: argument -> a float64, written so that it reads back to the same bits.
        inputs_hex: the same, as hexadecimal floats.
        low, high: decimals that enclose the exact answer; equal when it is exact.
        float64: the float64 on the safe side next to the exact answer (the smallest one above or
            the largest one below, as the file's `rounding` says); null when there is none.
        float64_hex: the same, as a hexadecimal float.
        flags: keys of the file's `notes`: why this case exists.
    """

    id: Text
    inputs: dict[str, float]
    inputs_hex: dict[str, Text]
    low: Text
    high: Text
    float64: float | None
    float64_hex: Text | None
    flags: tuple[Text, ...]

    def bounds(self) -> tuple[Fraction, Fraction]:
        """Return the enclosure's ends, exactly."""
        return arguments.parse("low", self.low), arguments.parse("high", self.high)


class Refusal(_Strict, frozen=True):
    """One input that must be refused with an error, never answered.

    Attributes:
        id: stable for ever; it spells the inputs.
        inputs: argument -> a number, or "nan", "inf", "-inf".
        argument: the argument that is wrong.
        flags: keys of the file's `notes`.
    """

    id: Text
    inputs: Inputs
    argument: Text
    flags: tuple[Text, ...]


class VectorFile(_Strict, frozen=True):
    """The vectors of one function.

    Attributes:
        format: the format's name and version.
        function: the function they are about.
        statements: ids of the catalogue's rows behind it.
        rounding: the safe side of the answer: "up" or "down".
        notes: flag -> why cases with this flag exist.
        vectors: the cases with an answer.
        refusals: the cases without one.
    """

    format: Literal["dporacle-vectors/1"]
    function: Text
    statements: tuple[Text, ...]
    rounding: Literal["up", "down"]
    notes: dict[Text, Text]
    vectors: tuple[Vector, ...]
    refusals: tuple[Refusal, ...]


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
    except msgspec.DecodeError as error:
        raise ValueError(f"not a file of vectors: {error}") from error
    _check(file)
    return file


def load(group: str) -> VectorFile:
    """Return the vectors of a function, as they ship with the package.

    Args:
        group: one of `GROUPS`.

    Raises:
        ValueError: if there is no such group.
    """
    if group not in GROUPS:
        raise ValueError(f"group must be one of {', '.join(GROUPS)}; got {group!r}")
    return read(
        (importlib.resources.files("dporacle.vectors") / "data" / f"{group}.json").read_bytes()
    )


def _check(file: VectorFile) -> None:
    seen: set[str] = set()
    cases: tuple[Vector | Refusal, ...] = (*file.vectors, *file.refusals)
    for case in cases:
        if case.id in seen:
            raise ValueError(f"the id {case.id!r} stands twice")
        seen.add(case.id)
        for flag in case.flags:
            if flag not in file.notes:
                raise ValueError(f"{case.id}: the flag {flag!r} has no note")
    for vector in file.vectors:
        low, high = vector.bounds()
        if low > high:
            raise ValueError(f"{vector.id}: low is above high")
        for name, number in vector.inputs.items():
            if arguments.parse(name, vector.inputs_hex.get(name, "")) != Fraction(number):
                raise ValueError(f"{vector.id}: inputs and inputs_hex differ in {name}")
        if (vector.float64 is None) != (vector.float64_hex is None):
            raise ValueError(f"{vector.id}: float64 and float64_hex differ")
        if vector.float64 is not None and vector.float64_hex is not None:
            if arguments.parse("float64_hex", vector.float64_hex) != Fraction(vector.float64):
                raise ValueError(f"{vector.id}: float64 and float64_hex differ")
            outside = vector.float64 < low if file.rounding == "up" else vector.float64 > high
            if outside:
                raise ValueError(f"{vector.id}: float64 is on the unsafe side of the enclosure")
