"""Claims in files: read exactly, or refused with file, line and field; never a crash or a hang."""

import contextlib
import json
import re
import time
import tomllib
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dporacle import claims
from dporacle.claims import files, line_numbers
from dporacle.claims.assertions.formula import FORMULAS
from support.cases import table

TOML = (Path(__file__).parent / "data" / "claims.toml").read_text("utf-8")


def content() -> dict[str, object]:
    return tomllib.loads(TOML)


JSON = json.dumps(content(), indent=1)
TENTH = Fraction(1, 10)


def test_numbers_are_what_is_written() -> None:
    first, second, third, fourth, *_, last = claims.read(TOML.encode()).claims
    assert fourth.mechanism.published.delta == Fraction(1, 10**6)
    assert last.asserts.at == {"rho": 1, "delta": Fraction(1, 100)}
    assert first.mechanism.sigma == Fraction(373, 100)
    assert first.mechanism.mu_squared() == Fraction(100, 373) ** 2
    assert second.mechanism.mu_squared() == 3 * (Fraction(6, 7) + TENTH)
    assert second.mechanism.releases[1].sensitivity == Fraction(3, 4)
    assert second.mechanism.releases[1].variance() == Fraction(9, 16) / TENTH
    assert third.asserts.delta == Fraction(1, 100_000)


def test_toml_and_json_say_the_same() -> None:
    assert claims.read(JSON.encode(), is_json=True) == claims.read(TOML.encode())


def test_files_are_read_by_their_name(tmp_path: object) -> None:
    for name, text in (("c.toml", TOML), ("c.json", JSON)):
        (tmp_path / name).write_text(text)
        assert len(claims.load(tmp_path / name).claims) == 7


def test_a_mapping_makes_a_claim_and_its_floats_are_binary() -> None:
    made = claims.make(content()["claims"][0])
    assert made.asserts.delta == Fraction(1e-5) != Fraction(1, 100_000)
    with pytest.raises(ValueError, match="neighbours"):
        claims.make({**content()["claims"][0], "mechanism": {"kind": "gaussian"}})


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        *table("a_bad_toml_is_refused"),
        ("3.73", '"' + "1" * 2701 + '"', "line 8: .*sigma: .*too long"),
        ("3.73", "1" * 5000, "out of range|too long"),
        ("3.73", "0x" + "f" * 5000, "line 8: .*sigma.*(many digits|between 2)"),
        ("3.73", "[" * 100_000, "nested too deeply"),
        ("sigma = 3.73", "x" + ".x" * 50_000 + "=1", "line 8: a key of 16"),
    ],
)
def test_a_bad_toml_is_refused(old: str, new: str, message: str) -> None:
    assert old in TOML
    start = time.monotonic()
    with pytest.raises(ValueError, match=message) as caught:
        claims.read(TOML.replace(old, new, 1).encode(), name="c.toml")
    assert str(caught.value).startswith("c.toml: ")
    assert max(map(len, str(caught.value).splitlines())) < 400
    assert time.monotonic() - start < 5


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        *table("a_bad_json_is_refused"),
        ("3.73", "1" * 100_000, r"line 9: .*sigma: .*too long"),
        ("3.73", "[" * 100_000, "line 9: nested more"),
        ("3.73", '{"a":' * 100_000, "line 9: nested more"),
    ],
)
def test_a_bad_json_is_refused(old: str, new: str, message: str) -> None:
    with pytest.raises(ValueError, match=message) as caught:
        claims.read(JSON.replace(old, new, 1).encode(), name="c.json", is_json=True)
    assert str(caught.value).startswith("c.json: ")


@pytest.mark.parametrize("is_json", [False, True])
def test_bytes_that_are_no_claims(is_json: bool, tmp_path: object) -> None:
    with pytest.raises(ValueError, match=r"c: line 3: not UTF-8"):
        claims.read(b"\n\n\xff", name="c", is_json=is_json)
    with pytest.raises(ValueError, match="at most"):
        claims.read(b" " * (files.MAX_BYTES + 1), is_json=is_json)
    huge = tmp_path / ("huge.json" if is_json else "huge.toml")
    with huge.open("wb") as stream:
        stream.truncate(100_000_000)
    with pytest.raises(ValueError, match=re.escape(str(huge))):
        claims.load(huge)


@given(st.binary(max_size=200), st.booleans())
def test_noise_is_refused(data: bytes, is_json: bool) -> None:
    with pytest.raises(ValueError, match="claims: "):
        claims.read(data, is_json=is_json)


@given(st.data(), st.booleans())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject, is_json: bool) -> None:
    damaged = bytearray((JSON if is_json else TOML).encode())
    for _ in range(data.draw(st.integers(1, 4))):
        damaged[data.draw(st.integers(0, len(damaged) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ValueError):
        claims.read(bytes(damaged), is_json=is_json)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner),
    max_leaves=8,
)


@given(st.data(), VALUES)
def test_any_value_in_any_place_is_read_or_refused(data: st.DataObject, value: object) -> None:
    whole = content()
    place: object = whole
    while True:
        keys = sorted(place) if isinstance(place, dict) else range(len(place))
        key = data.draw(st.sampled_from(list(keys)))
        if not isinstance(place[key], dict | list) or data.draw(st.booleans()):
            break
        place = place[key]
    place[key] = value
    with contextlib.suppress(ValueError):
        claims.read(json.dumps(whole).encode(), is_json=True)


def test_places_of_both_notations_agree_on_what_is_there() -> None:
    toml, from_json = dict(line_numbers.toml_places(TOML)), dict(line_numbers.json_places(JSON))
    assert toml["$.claims[1].mechanism.releases[1].order"] == 29
    assert from_json.keys() - toml.keys() <= {
        *(f"$.claims[2].asserts.{k}" for k in ("kind", "name", "epsilon", "delta")),
        *(f"$.claims[4].asserts.{k}" for k in ("kind", "at_most", "alpha", "queries")),
        *(f"$.claims[4].mechanism.{k}" for k in ("kind", "rho", "sensitivity", "neighbours")),
        "$.claims[4].mechanism",
    } | {path for path in from_json if re.fullmatch(r"\$\.claims|.*\.releases|.*asserts", path)}


def test_the_schema_names_every_field() -> None:
    schema = claims.schema()
    assert schema["$ref"].endswith("ClaimFile")
    assert set(schema["$defs"]) >= {
        "Claim",
        "Composition",
        "GaussianMechanism",
        "Formula",
        "Privacy",
    }
    assert schema["$defs"]["GaussianMechanism"]["additionalProperties"] is False
    json.dumps(schema)
    assert set(FORMULAS) == set(schema["$defs"]["Formula"]["properties"]["name"]["enum"])


@pytest.mark.parametrize(
    ("field", "wrong", "meant"),
    [("name", "clasical", "classical"), ("kind", "formla", "formula"), ("name", "zzz", None)],
)
def test_a_misspelt_word_is_guessed(field: str, wrong: str, meant: str | None) -> None:
    said = {"kind": "formula", "name": "classical", "epsilon": 1, "delta": "0.1", field: wrong}
    content = {"format": "dporacle-claims/1", "claims": [{"id": "a", "asserts": said}]}
    with pytest.raises(ValueError, match=f"word '{wrong}'") as found:
        files.read(json.dumps(content).encode(), is_json=True)
    assert str(found.value).endswith(f"; is it '{meant}'?") == (meant is not None)
