"""The certified vectors: what the command makes, what another witness says, what is refused."""

import contextlib
import hashlib
import json
import math
import re
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path

import jsonschema
import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from hypothesis import example, given
from hypothesis import strategies as st

from dporacle import enclosures, fast, reference, vectors
from dporacle.cli import main
from dporacle.vectors import build, cases, editions, notes, rounded, schema, verify
from dporacle.vectors.check import Grade, check, grade
from dporacle.vectors.rounded import FLOAT32, FLOAT64
from dporacle.vectors.vector_file import GROUPS, Vector
from dporacle.vocabulary import QUANTITIES
from support.exact import ulps_above

# What the float64 witness may give, in floats from the vector's, in the first edition's groups.
# ε is only as good as its conditioning, dε/d ln δ; at these inputs that is 5 floats at most.
FAST_ULPS = {"sigma_at_accuracy": -2, "epsilon_at_delta": 5}
FIRST = GROUPS[:7]
# And in the others, relatively, as its modules state it: below and above the exact value.
SIGMA, RISK = 2.0**-48, 2.0**-44
FAST_RELATIVE = {
    "zcdp_rho": (0, SIGMA),
    "zcdp_sigma": (0, SIGMA),
    "zcdp_delta": (0, 2.0**-38),
    "rho_epsilon": (0, SIGMA),
    "rho_sigma": (0, SIGMA),
    "rdp": (0, SIGMA),
    "rdp_delta": (0, 2.0**-38),
    "gdp_tradeoff": (2.0**-38, 0),
    "gdp_delta": (0, 2.0**-51),  # two units in the last place, as delta_at_epsilon
    "gdp_epsilon": (0, 5 * 2.0**-52),  # its conditioning, as for epsilon_at_delta
    "repeated_mu": (0, 2.0**-46),
    "repeated_sigma": (0, 8 * 2.0**-52),
    "repeated_delta": (0, 2.0**-52 * (4 * (60**2 + 3) + 2)),  # 4·2^-52 in μ, magnified by w² + 3
    "repeated_epsilon": (0, 2.0**-47),  # dε/d ln μ = μ/m(w) < μ(w + 1), a few times ε here
    "max_error_quantile": (0, 64 * 2.0**-52),
    "max_error_probability": (0, 2.0**-40),
    "max_error_bound": (0, SIGMA),
    "discrete_delta_at_epsilon": (0, 2.0**-36),
    "discrete_calibrate_sigma": (0, 2.0**-34),
    "discrete_tail": (2.0**-40, 2.0**-40),
    "discrete_accuracy": (0, 0),
    "discrete_variance": (2.0**-40, 2.0**-40),
    "laplace_calibrate_scale": (0, 16 * 2.0**-52),
    "laplace_delta_at_epsilon": (0, 16 * 2.0**-52),
    # A difference: 2^-50 of Δ/b, which is eight times ε where the two agree to 53 bits. That
    # it is no more than this elsewhere, tests/test_laplace.py says.
    "laplace_epsilon_at_delta": (0, 8.0),
    "laplace_accuracy": (0, 16 * 2.0**-52),
    "laplace_alpha_at_accuracy": (0, 16 * 2.0**-52),
    "laplace_scale_at_accuracy": (16 * 2.0**-52, 0),
    "laplace_max_error_quantile": (0, 64 * 2.0**-52),
    "laplace_max_error_probability": (0, 32 * 2.0**-52),
    "laplace_rdp": (0, 16 * 2.0**-52),
    "laplace_zcdp_rho": (0, 16 * 2.0**-52),
    "laplace_repeated_delta": (0, 2.0**-39),
    "laplace_gaussian_delta": (0, 2.0**-38),  # inputs 2^-48 worse, magnified by ε·w/μ < 1000
    "pinsker_sigma": (0, 2.0**-52),
    "dwork_2006_sigma": (0, SIGMA),
    "dwork_roth_sigma": (0, SIGMA),
    "vinterbo_sigma": (0, SIGMA),
    "plrv_tail_sigma": (0, SIGMA),
    "bayes_risk": (SIGMA, SIGMA),
    "james_stein_prior_risk": (SIGMA, SIGMA),
    "james_stein_risk": (SIGMA, 2.0**-48 * 10**4),  # 2^-48 of dσ², and the risk is at least 2σ²/2
    "positive_part_risk": (2.0**-33 * 100, 2.0**-33 * 100),
    "soft_threshold_coordinate_risk": (RISK, RISK),
    "universal_threshold": (SIGMA, SIGMA),
}
LEAST = Fraction(1, 10**290)  # below it, float64 has fewer digits, and the modules state nothing
FIRST_EDITION = "da34575c59dcfcdf4c563b7ffe3b8ea2c1d48283eb440ebaadfbc44a96c83fe7"
load = cache(vectors.load)
NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


@pytest.mark.parametrize("group", GROUPS)
def test_files_are_what_the_command_makes(group: str) -> None:
    assert build.render(build.build(group)) == build.render(load(group))


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("part", range(4))
def test_the_reference_confirms_every_vector(group: str, part: int) -> None:
    file = load(group)
    complaints = [verify.disagreement(file, vector) for vector in file.vectors[part::4]]
    assert not [complaint for complaint in complaints if complaint]


def changed(vector: Vector, name: str, **changes: object) -> Vector:
    """The vector with a part of its rounding changed."""
    part = msgspec.structs.replace(vector.rounded[name], **changes)
    return msgspec.structs.replace(vector, rounded={**vector.rounded, name: part})


@pytest.mark.parametrize("group", GROUPS)
def test_a_wrong_vector_is_found(group: str) -> None:
    file = load(group)
    usual = (v for v in file.vectors if 1e-30 < Fraction(v.low) < Fraction(v.high) < 10**30)
    whole = (v for v in file.vectors if v.low == v.high != "0")
    vector = [*whole, *(v for v in usual if v.high != "1")][-1]
    shifted = str(Decimal(vector.high) * (1 + Decimal("1e-20")))
    moved = msgspec.structs.replace(vector, low=shifted, high=shifted)
    assert "outside" in (verify.disagreement(file, moved) or "")
    wide = msgspec.structs.replace(vector, low=str(Decimal(vector.low) * (1 - Decimal("1e-20"))))
    assert "wider" in (verify.disagreement(file, wide) or "")
    for direction in (-math.inf, math.inf):
        off = math.nextafter(vector.float64, direction)
        wrong = msgspec.structs.replace(vector, float64=off, float64_hex=off.hex())
        assert "float64" in (verify.disagreement(file, wrong) or "")
    for name, step in (("float64", 2.0**-52), ("float32", 2.0**-23)):
        part = vector.rounded[name]
        for change in (
            {"down": part.up * (1 + step)},
            {"down": part.down * (1 - 4 * step)},
            {"up": part.down * (1 - step)},
            {"up": part.up * (1 + 4 * step)},
            {"nearest": "up" if part.nearest == "down" else "down"},
            {"up": None},
        ):
            if part.nearest == "exact":
                change = {"down": part.down / 2}
            assert name in (verify.disagreement(file, changed(vector, name, **change)) or ""), (
                change
            )


@pytest.mark.parametrize("group", FIRST)
def test_the_float64_witness_meets_the_vectors(group: str) -> None:
    file = load(group)
    function = getattr(fast, group)
    allowed = FAST_ULPS.get(group, 2)
    for vector in file.vectors:
        if vector.float64 is None or vector.float64 == 0 < Fraction(vector.high):
            continue
        value = function(**vector.inputs)
        off = ulps_above(value, vector.float64)
        assert min(0, allowed) <= off <= max(0, allowed), vector.id


@pytest.mark.parametrize("group", GROUPS[7:])
def test_the_float64_witness_meets_the_wider_vectors(group: str) -> None:
    below, above = (Fraction(each) for each in FAST_RELATIVE[group])
    for vector in load(group).vectors:
        low, high = vector.bounds()
        if vector.float64 is None or 0 < high < LEAST:
            continue
        value = Fraction(float(QUANTITIES[group].of(fast)(**vector.inputs)))
        # A unit in the last place on top, as `above` and `below` end with the next float64.
        assert low * (1 - below) <= value <= max(high, Fraction(vector.float64)) * (1 + above), (
            vector.id
        )


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("witness", [fast, reference, enclosures])
def test_every_witness_refuses_the_refusals(group: str, witness: object) -> None:
    for refusal in load(group).refusals:
        inputs = {name: NUMBERS.get(value, value) for name, value in refusal.inputs.items()}
        with pytest.raises(ValueError, match=refusal.argument):
            QUANTITIES[group].of(witness)(**inputs)


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


def _file(**changes: object) -> bytes:
    content = json.loads(build.render(load("accuracy")))
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


def test_export(tmp_path: Path) -> None:
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


def test_the_page_stands_in_docs_too() -> None:
    ours = Path(__file__).parents[1]
    page = (ours / "oracle/vectors/data/README.md").read_text()
    assert (ours / "docs/vectors.md").read_text() == page
    for name, (relative, _) in notes.TOLERANCES.items():
        assert re.search(rf"^\| `{name}` \| ({re.escape(relative)})? ?\|", page, re.MULTILINE), name


def test_the_schema_is_printed_and_refuses_what_the_reader_refuses() -> None:
    result = CliRunner().invoke(main, ["vectors", "--schema"])
    printed = json.loads(result.output)
    assert printed == schema.schema()
    assert printed == json.loads(
        (Path(__file__).parents[1] / "docs/vectors.schema.json").read_text()
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
    text = (Path(__file__).parents[1] / "docs/vectors_changelog.md").read_text()
    for number in range(1, editions.EDITION + 1):
        cases = sum(map(len, editions.edition(number).ids.values()))
        assert f"## Edition {number}" in text
        assert f"{cases:,} cases" in text


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(-3, 3))
@example(5e-324, 1)
@example(1.7976931348623157e308, 1)
@example(2.0**-150, 0)
@example(3.4028234663852886e38, 1)
@example(3.4028235677973366e38, 0)  # halfway to what would be the next float32
def test_rounding_is_that_of_the_hardware(value: float, parts: int) -> None:
    """Against numpy's conversions and nextafter, at a float, its neighbours, and between."""
    exact = Fraction(value) + parts * Fraction(math.ulp(value)) / 4
    try:
        nearest = float(exact)
    except OverflowError:
        nearest = math.inf if exact > 0 else -math.inf
    _matches(exact, FLOAT64, nearest)
    if parts == 0:  # one rounding only
        with np.errstate(over="ignore"):
            _matches(exact, FLOAT32, float(np.float32(value)))


def _matches(exact: Fraction, form: rounded.Format, nearest: float) -> None:
    down, up = form.down(exact), form.up(exact)
    assert down is None or down <= exact
    assert up is None or exact <= up
    which = {"down": down, "up": up, "exact": up}[form.nearest(exact)]
    if math.isinf(nearest):
        assert which is None
    else:
        assert which == Fraction(nearest)
    single = form is FLOAT32
    if up is not None and down is not None and up != down:
        after = (
            np.nextafter(np.float32(float(down)), np.float32(math.inf))
            if single
            else math.nextafter(float(down), math.inf)
        )
        assert Fraction(float(after)) == up


def test_grades() -> None:
    file = load("calibrate_sigma")
    core = next(v for v in file.vectors if v.id == "epsilon=1;delta=1e-05;sensitivity=1")
    safe = core.float64
    assert safe is not None
    assert grade(file, core, safe) is Grade.EXACT
    assert grade(file, core, core.float64_hex) is Grade.EXACT
    assert grade(file, core, safe + 3 * math.ulp(safe)) is Grade.TIGHT
    assert grade(file, core, safe * (1 + 9e-10)) is Grade.ACCEPTABLE
    assert grade(file, core, safe * (1 + 2e-9)) is Grade.CONSERVATIVE
    assert grade(file, core, math.nextafter(safe, 0)) is Grade.VIOLATING
    assert grade(file, core, math.inf) is Grade.NO_ANSWER
    assert grade(file, core, None) is Grade.NO_ANSWER
    single = core.rounded["float32"]
    assert grade(file, core, single.up, format="float32") is Grade.EXACT
    assert grade(file, core, np.float32(single.up), format="float32") is Grade.EXACT
    assert grade(file, core, single.up + 2.0**-21, format="float32") is Grade.TIGHT
    assert grade(file, core, single.down, format="float32") is Grade.VIOLATING
    beyond = next(v for v in file.vectors if v.float64 is None)
    assert grade(file, beyond, math.inf) is Grade.EXACT
    assert grade(file, beyond, 1e308) is Grade.VIOLATING
    down = load("sigma_at_accuracy")
    for vector in down.vectors:
        if vector.float64 is None:
            continue
        assert grade(down, vector, vector.float64) is Grade.EXACT
        assert grade(down, vector, vector.rounded["float64"].up) is not Grade.TIGHT


@pytest.mark.parametrize("group", GROUPS)
def test_every_rounding_gets_its_grade(group: str) -> None:
    file = load(group)
    for vector in file.vectors:
        for name, part in vector.rounded.items():
            up = file.rounding == "up"
            safe, other = (part.up, part.down) if up else (part.down, part.up)
            if safe is not None:
                assert grade(file, vector, safe, format=name) is Grade.EXACT
            if other is not None and part.nearest != "exact":
                assert grade(file, vector, other, format=name) is Grade.VIOLATING


def test_the_declared_tolerance_can_be_asked_for() -> None:
    file = load("calibrate_sigma")
    core = next(v for v in file.vectors if v.tolerance == "core")
    hard = next(v for v in file.vectors if v.tolerance == "hard")
    for vector, factor in ((core, 1e-9), (hard, 1e-6)):
        good, bad = (vector.float64 * (1 + factor * each) for each in (0.9, 1.1))
        assert check(file, vector, good, excess="declared").result == "safe"
        assert check(file, vector, bad, excess="declared").result == "loose"
