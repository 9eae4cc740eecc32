"""Ids, flags and editions of the vectors."""

import hashlib
from fractions import Fraction
from importlib import import_module
from pathlib import Path

import click
import msgspec
import pytest

from dporacle.vectors import cases, editions
from dporacle.vectors.vector_file import GROUPS, load

FIRST_EDITION = "da34575c59dcfcdf4c563b7ffe3b8ea2c1d48283eb440ebaadfbc44a96c83fe7"


def test_flags_and_ids() -> None:
    assert {note for group in GROUPS for note in load(group).notes} == set(cases.NOTES)
    for group in GROUPS:
        file = load(group)
        assert all(vector.flags for vector in file.vectors)
        assert all(
            Fraction(float.fromhex(text)) == Fraction(vector.inputs[name])
            for vector in file.vectors
            for name, text in vector.inputs_hex.items()
        )


def test_the_hard_corners_are_there() -> None:
    ids = {vector.id for vector in load("calibrate_sigma").vectors}
    for epsilon in ("0", "1e-300", "1e-12", "700", "709.7", "709.79", "710", "800", "10000"):
        for delta in ("5e-324", "1e-300", "1e-100", "1e-16", "0.5", "0.9", "0.9999999999999999"):
            for sensitivity in ("1e-300", "1e-10", "1", "1000000", "1e+300"):
                assert f"epsilon={epsilon};delta={delta};sensitivity={sensitivity}" in ids


def _published() -> dict[tuple[str, str], int]:
    return {
        (group, each): number
        for number in range(1, editions.EDITION + 1)
        for group, ids in editions.edition(number).ids.items()
        for each in ids
    }


def test_no_id_ever_vanishes_and_none_is_unrecorded() -> None:
    there = {
        (group, case.id): case.edition
        for group in GROUPS
        for case in (*load(group).vectors, *load(group).refusals)
    }
    assert there == _published()
    assert sum(len(ids) for ids in editions.edition(1).ids.values()) == 1130
    # Of the first edition's list itself, so that it cannot be cut along with the files.
    text = "\n".join(sorted(f"{g}/{i}" for (g, i), number in there.items() if number == 1))
    assert hashlib.sha256(text.encode()).hexdigest() == FIRST_EDITION


def test_an_id_spells_its_inputs() -> None:
    for group in GROUPS:
        file = load(group)
        for case in (*file.vectors, *file.refusals):
            spelt = dict(part.split("=") for part in case.id.split(";"))
            assert list(spelt) == list(case.inputs)
            for name, value in case.inputs.items():
                assert float(spelt[name]) == float(value) or "nan" in case.id


def test_every_edition_is_in_the_changelog() -> None:
    text = (Path(__file__).parents[1] / "vectors/CHANGELOG.md").read_text()
    for number in range(1, editions.EDITION + 1):
        cases = sum(map(len, editions.edition(number).ids.values()))
        assert f"## Edition {number}" in text
        assert f"{cases:,} cases" in text


def test_the_changelog_counts_the_newest_edition() -> None:
    command = import_module("dporacle.cli.vectors")
    newest = {}
    for group in GROUPS:
        cases_ = (*load(group).vectors, *load(group).refusals)
        newest[group] = tuple(each.id for each in cases_ if each.edition == editions.EDITION)
    before = (Path(__file__).parents[1] / "vectors/CHANGELOG.md").read_bytes()
    assert command._counted(newest) == before
    count = sum(map(len, newest.values()))
    newest["calibrate_sigma"] += ("one more",)
    assert command._counted(newest) == before.replace(
        f"{count:,} cases".encode(), f"{count + 1:,} cases".encode()
    )


def test_a_new_vector_that_is_contradicted_is_refused() -> None:
    command = import_module("dporacle.cli.vectors")
    file = load("laplace_delta_at_epsilon")
    first = file.vectors[0]
    wrong = msgspec.structs.replace(first, low=first.high + "1", high=first.high + "1")
    spoiled = msgspec.structs.replace(file, vectors=(wrong, *file.vectors[1:3]))
    command._confirm(spoiled, {first.id})  # it stands already, and is confirmed elsewhere
    with pytest.raises(click.ClickException, match="laplace_delta_at_epsilon"):
        command._confirm(spoiled, set())
