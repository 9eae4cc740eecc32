"""Files of vectors: what is read, refused, exported and described."""

import contextlib
import json
import re
from pathlib import Path

import jsonschema
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from dporacle import vectors
from dporacle.cli import main
from dporacle.vectors import build, editions, notes, schema
from dporacle.vectors.vector_file import GROUPS, load
from support.cases import table


def _file(**changes):
    content = json.loads(build.render(load("accuracy")))
    content["vectors"] = content["vectors"][:2]
    content["refusals"] = content["refusals"][:1]
    content.update(changes)
    return json.dumps(content).encode()


def test_a_small_file_is_read():
    assert len(vectors.read(_file()).vectors) == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a file of vectors"),
        (b"\xff\xfe", "not a file of vectors"),
        (b'{"format":"\xff"}', "not a file of vectors"),
        (b"[" * 100_000, "not a file of vectors"),
        (b'{"a":' * 100_000, "not a file of vectors"),
        (_file(format="dporacle-vectors/3"), "format"),
        (_file(edition=0), "edition"),
        (_file(tolerances={}), "not explained"),
        (_file(surprise=1), "surprise"),
        (_file(rounding="nearest"), "rounding"),
        (_file(notes={}), "has no note"),
        (_file(vectors=[1]), "vectors"),
        (_file(vectors=[{"id": 1}]), "vectors"),
        (b"{" + b" " * (64 << 20), "at most"),
    ],
)
def test_a_bad_file_is_refused(data, message):
    with pytest.raises(ValueError, match=message):
        vectors.read(data)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [*table("a_bad_vector_is_refused"), ("low", "1" * 5000, "too|length")],
)
def test_a_bad_vector_is_refused(field, value, message):
    content = json.loads(_file())
    content["vectors"][0][field] = value
    with pytest.raises(ValueError, match=message):
        vectors.read(json.dumps(content).encode())


def test_an_id_that_stands_twice_is_refused():
    content = json.loads(_file())
    content["vectors"].append(content["vectors"][0])
    with pytest.raises(ValueError, match="appears twice"):
        vectors.read(json.dumps(content).encode())


@given(st.binary(max_size=200))
def test_noise_is_refused(data):
    with pytest.raises(ValueError, match="not a file of vectors"):
        vectors.read(data)


@given(st.data())
def test_a_damaged_file_is_read_or_refused(data):
    content = bytearray(_file())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ValueError):
        vectors.read(bytes(content))


def test_unknown_group_is_named():
    with pytest.raises(ValueError, match="sigmas"):
        vectors.load("sigmas")


@pytest.mark.thorough("every vector is written in every format")
def test_export(tmp_path):
    """What is exported needs nothing of this project: JSON, its schema, and the page."""
    result = CliRunner().invoke(main, ["vectors", "--export", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    validator = jsonschema.Draft202012Validator(
        json.loads((tmp_path / "out" / "vectors.schema.json").read_bytes())
    )
    for group in GROUPS:
        data = (tmp_path / "out" / f"{group}.json").read_bytes()
        assert vectors.read(data) == load(group)
        validator.validate(json.loads(data))
    page = (tmp_path / "out" / "README.md").read_text()
    for name in (*vectors.Vector.__struct_fields__, *vectors.VectorFile.__struct_fields__):
        assert f"`{name}`" in page or f'"{name}"' in page, name
    assert (tmp_path / "out" / f"edition-{editions.EDITION}.json").exists()


def test_the_page_has_the_tolerances():
    page = (Path(__file__).parents[1] / "vectors" / "README.md").read_text()
    for name, (relative, _) in notes.TOLERANCES.items():
        assert re.search(rf"^\| `{name}` \| ({re.escape(relative)})? ?\|", page, re.MULTILINE), name


def test_the_schema_is_printed_and_refuses_what_the_reader_refuses():
    result = CliRunner().invoke(main, ["vectors", "--schema"])
    printed = json.loads(result.output)
    assert printed == schema.schema()
    assert printed == json.loads(
        (Path(__file__).parents[1] / "vectors/vectors.schema.json").read_text()
    )
    jsonschema.Draft202012Validator.check_schema(printed)
    validator = jsonschema.Draft202012Validator(printed)
    assert validator.is_valid(json.loads(_file()))
    for change in (
        {"format": "dporacle-vectors/1"},
        {"surprise": 1},
        {"rounding": "nearest"},
        {"vectors": [{"id": 1}]},
        {"edition": 0},
    ):
        assert not validator.is_valid(json.loads(_file(**change)))
