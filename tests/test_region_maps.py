"""Maps: every box says the truth, and the picture is drawn."""

import json
from fractions import Fraction
from functools import cache

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

from dporacle import regions
from dporacle.cli import main
from dporacle.enclosures import calibrate_sigma
from dporacle.enclosures.arithmetic import rounding
from dporacle.regions import CALIBRATIONS, artefact
from dporacle.regions.maps import chart, read_label

EPSILON, DELTA = (Fraction(1, 100), Fraction(30)), (Fraction(1, 10**12), Fraction(9, 10))
LOOSE = (10, 50)


@cache
def drawn(name):
    return chart(name, epsilon=EPSILON, delta=DELTA, loose=LOOSE, fineness=5, workers=1)


def band_of(name, epsilon, delta):
    """The band by the exact σ, twice where its enclosure leaves a choice."""
    closed = rounding.bounds(CALIBRATIONS[name].sigma(epsilon=epsilon, delta=delta, digits=20))
    exact = rounding.bounds(calibrate_sigma(epsilon=epsilon, delta=delta, digits=20))
    low, high = closed[0] / exact[1], closed[1] / exact[0]
    levels = [Fraction(1), *(1 + Fraction(level, 100) for level in LOOSE)]
    return [sum(ratio >= level for level in levels) - 1 for ratio in (low, high)]


@settings(max_examples=40)
@given(u=st.floats(0, 1), v=st.floats(0, 1))
@pytest.mark.parametrize("name", ["classical", "dwork-2006", "vinterbo-2020", "root-sum"])
@pytest.mark.statement("X.CF")
def test_labels_are_true(name, u, v):
    point = []
    for (low, high), t in ((EPSILON, u), (DELTA, v)):
        inside = Fraction(float(low) * float(high / low) ** t)
        point.append(min(max(inside, low), high))
    labels = [
        read_label(leaf.label)
        for leaf in drawn(name).run.leaves
        if all(low <= x <= high for x, (low, high) in zip(point, leaf.box, strict=True))
    ]
    assert labels
    for least, most in labels:
        for band in band_of(name, *point):
            assert least <= band <= most


def test_shares_add_up_and_bands_are_in_words():
    made = drawn("classical")
    bands = made.bands()
    assert sum(band.share for band in bands) == pytest.approx(1, abs=1e-12)
    assert sum(band.boxes for band in bands) == len(made.run.leaves)
    words = {(band.least, band.most): band.says for band in bands}
    assert words[-1, -1] == "violated: not (ε,δ)-DP"
    assert words[0, 0] == "private, with at most 10 % more noise than needed"
    assert words[2, 2] == "private, with more than 50 % more noise than needed"
    assert words[-1, 0] == "not decided: violated, or at most 10 % more noise than needed"
    assert made.words(-1, 2) == "not decided: private or not"
    assert len(set(words.values())) == len(words)
    assert made.words(1, 2).endswith("(edge of two bands)")
    plain = chart(
        "zcdp-conversion", epsilon=(1, 2), delta=(1e-5, 1e-4), loose=(), fineness=1, workers=1
    )
    assert [band.says for band in plain.bands()] == ["private"]


def test_a_map_is_an_artefact(tmp_path):
    path = tmp_path / "map.jsonl"
    artefact.write(path, drawn("classical").run)
    assert regions.verify(path).faults == ()
    text = path.read_text()
    path.write_text(text.replace(',"-1"]', ',"0"]', 1))
    assert "balls do not prove" in regions.verify(path).faults[0]


def test_wrong_arguments_are_named():
    for changes, says in (
        ({"loose": (50, 10)}, "rising levels"),
        ({"loose": (0,)}, "loose must be positive"),
        ({"fineness": 0}, "fineness must be from 1 to 12"),
        ({"epsilon": (1, 1)}, "must rise from above 0"),
        ({"delta": (0, 0.5)}, "delta of a map must rise"),
    ):
        asked = {"epsilon": (1, 2), "delta": (1e-5, 1e-4), "fineness": 2, **changes}
        with pytest.raises(ValueError, match=says):
            chart("classical", **asked)


def test_command_line(tmp_path):
    options = ["--fineness", "3", "--workers", "1", "--loose", "20"]
    found = CliRunner().invoke(main, ["map", "classical", *options, "--json"])
    assert found.exit_code == 0, found.output
    shown = json.loads(found.output)
    assert shown["loose"] == ["20"]
    assert {band["least"] for band in shown["bands"]} == {-1, 0, 1}
    boxes = tmp_path / "map.jsonl.gz"
    found = CliRunner().invoke(main, ["map", "classical", *options, "--boxes", str(boxes)])
    assert "violated: not (ε,δ)-DP" in found.output
    assert regions.verify(boxes).faults == ()


@pytest.mark.parametrize("suffix", ["png", "svg"])
def test_picture(suffix, tmp_path):
    output = tmp_path / f"map.{suffix}"
    command = ["map", "classical", "--fineness", "3", "--workers", "1", "--output", str(output)]
    found = CliRunner().invoke(main, command)
    assert found.exit_code == 0, found.output
    content = output.read_bytes()
    assert content.startswith(b"\x89PNG" if suffix == "png" else b"<?xml")


def test_the_old_names_of_a_proof_and_its_status_still_work():
    with pytest.warns(DeprecationWarning, match="ProofStatus"):
        assert regions.Status is regions.ProofStatus
    with pytest.warns(DeprecationWarning, match="ProofRun"):
        assert regions.Run is regions.ProofRun
    with pytest.raises(AttributeError, match="Statuses"):
        _ = regions.Statuses
