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
from dporacle.claims import assertions, files, lines

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
        ("3.73", "nan", r"c\.toml: line 8: claims\[0\]\.mechanism\.sigma: .*finite"),
        ("3.73", "-inf", "line 8: .*sigma: .*finite"),
        ("3.73", "1e999999999", "line 8: .*sigma: .*exponent"),
        ("3.73", '"1e400"', r"line 8: .*sigma: .*magnitude"),
        ("3.73", "0", "line 8: .*sigma must be positive"),
        ("3.73", "true", "line 8: .*sigma: must be a number"),
        ("3.73", "[1]", "line 8: .*sigma: must be a number, got a list"),
        ("3.73", "1979-05-27", "line 8: .*sigma: must be a number"),
        ("3.73", '"3,73"', "line 8: .*sigma: .*finite number"),
        ("3.73", '"' + "1" * 2701 + '"', "line 8: .*sigma: .*too long"),
        ("3.73", "1" * 5000, "out of range|too long"),
        ("3.73", "0x" + "f" * 5000, "line 8: .*sigma.*(many digits|magnitude)"),
        ("3.73", "[" * 100_000, "nested too deeply"),
        ("3.73", "3.73 3.73", "line 8: not TOML"),
        ("sigma = 3.73", "sigma = 1\nsigma = 2", "line 9: not TOML"),
        ("sigma = 3.73", "sigma = 1\nsgima = 2", "line 9: .*unknown field `sgima`"),
        ("sigma = 3.73", "", r"line 6: claims\[0\]\.mechanism: sigma or noise_multiplier"),
        ("sigma = 3.73", "x" + ".x" * 50_000 + "=1", "line 8: a key of 16"),
        ("sensitivity = 1", "", "line 6: .*sensitivity_squared must be given"),
        ('id = "privacy"', "id = 1.5", r"line 4: claims\[0\]\.id: Expected `str`, got a number"),
        ('id = "privacy"', 'id = "several"', "'several' twice"),
        ("times = 3", "times = 0", r"line 21: claims\[1\]\.mechanism\.times"),
        ("times = 3", "times = 3.5", r"line 21: claims\[1\]\.mechanism\.times: .*a number"),
        ("order = 2", "order = 1", r"line 29: claims\[1\]\.mechanism\.releases\[1\]\.order"),
        ("delta = 1e-5", "delta = 1.5", r"line 14: claims\[0\]\.asserts\.delta must|delta must"),
        ("claims/1", "claims/2", "line 1: format"),
        ('"classical"', '"classic"', r"line 41: claims\[2\]\.asserts"),
        ('kind = "rdp"', 'kind = "rank-one"', r"claims\[1\]\.mechanism\.releases\[1\].*rank-one"),
        ('kind = "rdp"', 'kind = "composition"', r"releases\[1\].*unknown field `order`"),
        ("dimension = 4", "dimension = 4.0", r"line 47: claims\[3\]\.mechanism\.dimension"),
        (
            "dimension = 4",
            "dimension = 2",
            r"line 47: claims\[3\]\.mechanism\.dimension: dimension must",
        ),
        ("epsilon = 0.5", "epsilon = 1e999999999", r"line 51: claims\[3\].*published\.epsilon"),
        ("[claims.mechanism.published]", "[claims.mechanism.other]", "unknown field `other`"),
        ("rho = 0.5, ", "", r"line 61: claims\[4\]\.mechanism.*sigma or sigma_squared or rho"),
        ("queries = 7", "queries = 0", r"line 62: claims\[4\]\.asserts\.queries"),
        ("rho = 1\n", "rho = nan\n", r"line 72: claims\[5\]\.asserts\.given\.rho: .*finite"),
        ('"GN.T1"', '"GN.T9"', r"line 78: claims\[6\]\.asserts\.statement"),
        ("delta = 0.01", "gamma = 0.01", r"claims\[6\]\.asserts.*: at must have rho, delta"),
        (
            "delta = 0.01",
            "delta = 1",
            r"line 81: claims\[6\]\.asserts\.at\.delta: at\.delta must be",
        ),
        ("\n[[claims]]", "\nclaims = 1\n[[claims]]", "line 4: not TOML"),
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
        ("3.73", "NaN", "NaN"),
        ("3.73", "-Infinity", "Infinity"),
        ("3.73", "1e999999999", r"line 9: claims\[0\]\.mechanism\.sigma: .*exponent"),
        ("3.73", "1" * 100_000, r"line 9: .*sigma: .*too long"),
        ("3.73", "null", "line 9: .*sigma: must be a number"),
        ("3.73", '{"a": 1}', "line 9: .*sigma: must be a number, got a table"),
        ("3.73", "[" * 100_000, "line 9: nested more"),
        ("3.73", '{"a":' * 100_000, "line 9: nested more"),
        ('"sigma": 3.73', '"sigma": 3,\n"sigma": 3', r"line 10: .*mechanism\.sigma stands twice"),
        ('"sigma": 3.73', '"sigma": 3, "s\\u0069gma": 3', "stands twice"),
        ('"sigma"', '"sgima"', "line 9: .*unknown field `sgima`"),
        ("3.73,", "3.73", "line 10: not JSON"),
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
    toml, from_json = dict(lines.toml_places(TOML)), dict(lines.json_places(JSON))
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
    assert set(schema["$defs"]) >= {"Claim", "Composition", "Gaussian", "Formula", "Privacy"}
    assert schema["$defs"]["Gaussian"]["additionalProperties"] is False
    json.dumps(schema)
    assert set(assertions.FORMULAS) == set(schema["$defs"]["Formula"]["properties"]["name"]["enum"])


@pytest.mark.parametrize(
    ("field", "wrong", "meant"),
    [("name", "clasical", "classical"), ("kind", "formla", "formula"), ("name", "zzz", None)],
)
def test_a_misspelt_word_is_guessed(field: str, wrong: str, meant: str | None) -> None:
    said = {"kind": "formula", "name": "classical", "epsilon": 1, "delta": "0.1", field: wrong}
    content = {"format": "dporacle-claims/1", "claims": [{"id": "a", "asserts": said}]}
    with pytest.raises(ValueError, match=f"alue '{wrong}'") as found:
        files.read(json.dumps(content).encode(), is_json=True)
    assert str(found.value).endswith(f"; is it '{meant}'?") == (meant is not None)
