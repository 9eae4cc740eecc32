"""The certified vectors: what the command makes, what another witness says, what is refused."""

import errno
import math
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from dporacle import enclosures, fast, reference
from dporacle.cli import main
from dporacle.cli import vectors as command
from dporacle.common.exit_status import ExitStatus
from dporacle.identities import IDENTITIES, PROFILES
from dporacle.vectors import build, cases, vector_file, verify
from dporacle.vectors.vector_file import GROUPS, Vector, VectorFile, load
from dporacle.vocabulary import QUANTITIES
from support.dear import mostly_dear, night, quantities
from support.exact import ulps_above

# What the float64 witness may give, in floats from the vector's, in the first edition's groups.
# ε is only as good as its conditioning, dε/d ln δ; at these inputs that is 5 floats at most.
FAST_ULPS = {"sigma_at_accuracy": -2, "epsilon_at_delta": 5}
FIRST = GROUPS[:7]
CHEAP = {"single-step", "no-sampling"}  # closed forms
LEAST = Fraction(1, 10**290)  # below it, float64 has fewer digits, and the modules state nothing
NUMBERS = {"nan": math.nan, "inf": math.inf, "-inf": -math.inf}


@pytest.mark.parametrize("group", quantities(GROUPS))
def test_files_are_what_the_command_makes(group: str) -> None:
    assert build.render(build.build(group)) == build.render(load(group))


FURTHER = [night(part, why="`vectors --verify` is the same for all of them") for part in (1, 2, 3)]


@pytest.mark.parametrize("group", quantities(GROUPS))
@pytest.mark.parametrize("part", [0, *FURTHER])
def test_the_reference_confirms_every_vector(group: str, part: int) -> None:
    file = load(group)
    chosen = file.vectors[part::4]
    if QUANTITIES[group].certified < 45:  # seconds each: all of them by `vectors --verify`
        chosen = tuple(each for each in chosen if CHEAP & {*each.flags})
        if part == 0:
            others = [each for each in file.vectors if not CHEAP & {*each.flags}]
            chosen += tuple(sorted(others, key=_work)[:1])
    complaints = [verify.disagreement(file, vector) for vector in chosen]
    assert not [complaint for complaint in complaints if complaint]


def _work(vector: Vector) -> float:
    """What rises with the time of a proof: the steps, batches and records of a vector."""
    return math.prod(value for value in vector.inputs.values() if value >= 2)


def _kinds() -> dict[tuple[object, ...], str]:
    """One group of vectors for each way in which `verify` looks at a vector."""
    return {
        (
            group in IDENTITIES,
            group in PROFILES,
            load(group).rounding,
            QUANTITIES[group].certified,
            any(each.low == each.high for each in load(group).vectors),
        ): group
        for group in reversed(GROUPS)
        if not QUANTITIES[group].ends
    }


def changed(vector: Vector, name: str, **changes: object) -> Vector:
    """The vector with a part of its rounding changed."""
    part = msgspec.structs.replace(vector.rounded[name], **changes)
    return msgspec.structs.replace(vector, rounded={**vector.rounded, name: part})


@pytest.mark.parametrize("group", quantities(_kinds().values(), every=3))
def test_a_wrong_vector_is_found(group: str) -> None:
    file = load(group)
    usual = (v for v in file.vectors if 1e-30 < Fraction(v.low) < Fraction(v.high) < 10**30)
    whole = (v for v in file.vectors if v.low == v.high != "0")
    vector = sorted(  # what is computed in the shortest time stands last
        [*whole, *(v for v in usual if v.high != "1")],
        key=lambda v: (bool(CHEAP & {*v.flags}), -v.inputs.get("dimension", 0)),
    )[-1]
    shifted = str(Decimal(vector.high) * (1 + Decimal("1e-20")))
    moved = msgspec.structs.replace(vector, low=shifted, high=shifted)
    assert "outside" in (verify.disagreement(file, moved) or "")
    width = max(Decimal("1e-20"), Decimal(10) ** (6 - QUANTITIES[group].certified))
    wide = msgspec.structs.replace(vector, low=str(Decimal(vector.low) * (1 - width)))
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


@pytest.mark.parametrize("name", [name for name, row in QUANTITIES.items() if row.ends])
def test_a_wrong_end_is_found(name: str) -> None:
    """Of two proved ends the one on the safe side has another formula too."""
    file = load(name)
    told = {"all-batches", "one-batch", "composition"}
    vector = next(v for v in file.vectors if told & {*v.flags})
    assert verify.disagreement(file, vector) is None
    apart = Decimal("1e-6") + 2 * Decimal(QUANTITIES[name].apart)
    high = str(Decimal(vector.high) * (1 + apart))
    moved = msgspec.structs.replace(vector, high=high)
    assert "another formula" in (verify.disagreement(file, moved) or "")
    turned = msgspec.structs.replace(vector, low=high)
    assert "two ends" in (verify.disagreement(file, turned) or "")
    for part in ("float64", "float32"):
        for end, way in (("down", -math.inf), ("up", math.inf)):
            off = getattr(vector.rounded[part], end)
            off += math.copysign(2 * abs(off) * (2.0**-52 if part == "float64" else 2.0**-23), way)
            wrong = changed(vector, part, **{end: off})
            assert part in (verify.disagreement(file, wrong) or "")
    off = math.nextafter(vector.float64, math.inf)
    wrong = msgspec.structs.replace(vector, float64=off)
    assert "float64" in (verify.disagreement(file, wrong) or "")


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


@pytest.mark.parametrize("group", mostly_dear(GROUPS[7:], 3))
def test_the_float64_witness_meets_the_wider_vectors(group: str) -> None:
    below, above = (Fraction(each) for each in QUANTITIES[group].float64_error)
    for vector in load(group).vectors:
        low, high = vector.bounds()
        if vector.float64 is None or 0 < high < LEAST:
            continue
        value = Fraction(float(QUANTITIES[group].of(fast)(**vector.inputs)))
        # A unit in the last place on top, as `above` and `below` end with the next float64.
        most = max(high, Fraction(vector.float64))
        unit = QUANTITIES[group].error_unit(vector.inputs, most)
        assert low - below * unit <= value <= most + above * unit, vector.id


@pytest.mark.parametrize("group", GROUPS)
@pytest.mark.parametrize("witness", [fast, reference, enclosures])
def test_every_witness_refuses_the_refusals(group: str, witness: object) -> None:
    for refusal in load(group).refusals:
        inputs = {name: NUMBERS.get(value, value) for name, value in refusal.inputs.items()}
        with pytest.raises(ValueError, match=refusal.argument):
            QUANTITIES[group].of(witness)(**inputs)


def test_a_row_without_cases_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever writes the row of a quantity first is told what is missing; nothing is at fault."""
    group = GROUPS[0]

    def unmade(name: str) -> VectorFile:
        if name == group:
            raise FileNotFoundError(errno.ENOENT, "it has no vectors yet", f"{name}.json")
        return load(name)

    cases.cases_of.cache_clear()
    monkeypatch.setattr(cases, "load", unmade)
    monkeypatch.setattr(command, "load", unmade)
    with pytest.raises(cases.NoCasesError, match=f"{group} has a row and no cases"):
        build.build(group)
    done = CliRunner().invoke(main, ["vectors", "--check"])
    assert done.exit_code == ExitStatus.USAGE
    assert f"{group} has a row and no cases" in " ".join(done.output.split())
    cases.cases_of.cache_clear()


def test_a_group_whose_file_is_not_there_says_what_makes_it(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(vector_file.importlib.resources, "files", lambda package: tmp_path)
    with pytest.raises(FileNotFoundError, match="make add-check"):
        load.__wrapped__(GROUPS[0])
