"""The certified vectors: what the command makes, what another witness says, what is refused."""

import contextlib
import json
import math
from decimal import Decimal
from fractions import Fraction

import msgspec
import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from dporacle import enclosures, fast, reference, vectors
from dporacle.cli import main
from dporacle.vectors import build, cases, verify
from dporacle.vectors.model import GROUPS
from support.exact import ulps_above

# What the float64 witness may give, in floats from the vector's.
# ε is only as good as its conditioning, dε/d ln δ; at these inputs that is 5 floats at most.
FAST_ULPS = {"sigma_at_accuracy": -2, "epsilon_at_delta": 5}
NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


@pytest.mark.parametrize("group", GROUPS)
def test_files_are_what_the_command_makes(group: str) -> None:
    assert build.render(build.build(group)) == build.render(vectors.load(group))


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("part", range(4))
def test_the_reference_confirms_every_vector(group: str, part: int) -> None:
    file = vectors.load(group)
    complaints = [verify.disagreement(file, vector) for vector in file.vectors[part::4]]
    assert not [complaint for complaint in complaints if complaint]


@pytest.mark.parametrize("group", GROUPS)
def test_a_wrong_vector_is_found(group: str) -> None:
    file = vectors.load(group)
    vector = next(v for v in file.vectors if v.low != v.high and v.high not in {"0", "1"})
    shifted = str(Decimal(vector.high) * (1 + Decimal("1e-39")))
    moved = msgspec.structs.replace(vector, low=shifted, high=shifted)
    assert "outside" in (verify.disagreement(file, moved) or "")
    wide = msgspec.structs.replace(vector, low=str(Decimal(vector.low) * (1 - Decimal("1e-20"))))
    assert "wider" in (verify.disagreement(file, wide) or "")
    for direction in (-math.inf, math.inf):
        off = math.nextafter(vector.float64, direction)
        wrong = msgspec.structs.replace(vector, float64=off, float64_hex=off.hex())
        assert "float64" in (verify.disagreement(file, wrong) or "")


@pytest.mark.parametrize("group", GROUPS)
def test_the_float64_witness_meets_the_vectors(group: str) -> None:
    file = vectors.load(group)
    function = getattr(fast, group)
    allowed = FAST_ULPS.get(group, 2)
    for vector in file.vectors:
        if vector.float64 is None or vector.float64 == 0 < Fraction(vector.high):
            continue
        value = function(**vector.inputs)
        off = ulps_above(value, vector.float64)
        assert min(0, allowed) <= off <= max(0, allowed), vector.id


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("witness", [fast, reference, enclosures])
def test_every_witness_refuses_the_refusals(group: str, witness: object) -> None:
    for refusal in vectors.load(group).refusals:
        inputs = {name: NUMBERS.get(value, value) for name, value in refusal.inputs.items()}
        with pytest.raises(ValueError, match=refusal.argument):
            getattr(witness, group)(**inputs)


def test_flags_and_ids() -> None:
    assert {note for group in GROUPS for note in vectors.load(group).notes} == set(cases.NOTES)
    for group in GROUPS:
        file = vectors.load(group)
        assert all(vector.flags for vector in file.vectors)
        assert all(
            Fraction(float.fromhex(text)) == Fraction(vector.inputs[name])
            for vector in file.vectors
            for name, text in vector.inputs_hex.items()
        )


def test_the_hard_corners_are_there() -> None:
    ids = {vector.id for vector in vectors.load("calibrate_sigma").vectors}
    for epsilon in ("0", "1e-300", "1e-12", "700", "709.7", "709.79", "710", "800", "10000"):
        for delta in ("5e-324", "1e-300", "1e-100", "1e-16", "0.5", "0.9", "0.9999999999999999"):
            for sensitivity in ("1e-300", "1e-10", "1", "1000000", "1e+300"):
                assert f"epsilon={epsilon};delta={delta};sensitivity={sensitivity}" in ids


def _file(**changes: object) -> bytes:
    content = json.loads(build.render(vectors.load("accuracy")))
    content["vectors"] = content["vectors"][:2]
    content["refusals"] = content["refusals"][:1]
    content.update(changes)
    return json.dumps(content).encode()


def test_a_small_file_is_read() -> None:
    assert len(vectors.read(_file()).vectors) == 2


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"", "not a file of vectors"),
        (b"\xff\xfe", "not a file of vectors"),
        (b"[" * 100_000, "not a file of vectors"),
        (b'{"a":' * 100_000, "not a file of vectors"),
        (_file(format="dporacle-vectors/2"), "format"),
        (_file(surprise=1), "surprise"),
        (_file(rounding="nearest"), "rounding"),
        (_file(notes={}), "has no note"),
        (_file(vectors=[1]), "vectors"),
        (_file(vectors=[{"id": 1}]), "vectors"),
        (b"{" + b" " * (64 << 20), "at most"),
    ],
)
def test_a_bad_file_is_refused(data: bytes, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        vectors.read(data)


@pytest.mark.parametrize(
    ("field", "value", "message"),
    [
        ("low", "1" * 5000, "too|length"),
        ("low", "1e999999999", "exponent"),
        ("low", "nan", "finite number"),
        ("low", "__import__('os')", "finite number"),
        ("low", "2", "above high"),
        ("float64", "1", "float64"),
        ("float64", None, "differ"),
        ("float64", 1e-330, "differ|unsafe"),
        ("inputs", {"alpha": 0.25, "sigma": 1.0}, "differ in"),
        ("inputs", {"alpha": True, "sigma": 1.0}, "alpha|inputs"),
        ("inputs_hex", {"alpha": "0x1p-1", "sigma": "0x1p+99999999"}, "sigma|alpha"),
        ("flags", ["unheard-of"], "has no note"),
    ],
)
def test_a_bad_vector_is_refused(field: str, value: object, message: str) -> None:
    content = json.loads(_file())
    content["vectors"][0][field] = value
    with pytest.raises(ValueError, match=message):
        vectors.read(json.dumps(content).encode())


def test_an_id_that_stands_twice_is_refused() -> None:
    content = json.loads(_file())
    content["vectors"].append(content["vectors"][0])
    with pytest.raises(ValueError, match="stands twice"):
        vectors.read(json.dumps(content).encode())


@given(st.binary(max_size=200))
def test_noise_is_refused(data: bytes) -> None:
    with pytest.raises(ValueError, match="not a file of vectors"):
        vectors.read(data)


@given(st.data())
def test_a_damaged_file_is_read_or_refused(data: st.DataObject) -> None:
    content = bytearray(_file())
    for _ in range(data.draw(st.integers(1, 3))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(ValueError):
        vectors.read(bytes(content))


def test_unknown_group_is_named() -> None:
    with pytest.raises(ValueError, match="sigmas"):
        vectors.load("sigmas")


def test_export(tmp_path: object) -> None:
    result = CliRunner().invoke(main, ["vectors", "--export", str(tmp_path / "out")])
    assert result.exit_code == 0, result.output
    for group in GROUPS:
        assert vectors.read((tmp_path / "out" / f"{group}.json").read_bytes()) == vectors.load(
            group
        )
