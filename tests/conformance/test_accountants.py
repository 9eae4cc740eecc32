"""Accountants that are asked and not judged."""

import math
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dporacle.conformance.libraries import accountants, environments
from dporacle.conformance.libraries.pinned import LIBRARIES, SELF
from dporacle.enclosures.arithmetic.rounding import bounds
from dporacle.enclosures.subsampled_gaussian import subsampled_epsilon

RUN = {"delta": 1e-5, "sigma": 2.0, "rate": 0.5, "steps": 20}


def test_their_answers_come_in_order_with_what_went_wrong(monkeypatch: pytest.MonkeyPatch) -> None:
    own = {"ours": (SELF, "fast.subsampled_epsilon")}
    monkeypatch.setattr(accountants, "ACCOUNTANTS", own)
    inputs = [RUN, {**RUN, "sigma": -1.0}, {**RUN, "steps": 40}]
    version, said = accountants.answers("ours", inputs, python=Path(sys.executable), timeout=20)
    assert version
    assert math.isnan(said[1].value)
    assert "sigma" in said[1].words
    for given, each in ((RUN, said[0]), (inputs[2], said[2])):
        assert not each.words
        assert 0 <= each.seconds < 20
        low, high = bounds(subsampled_epsilon(direction="both", **given))
        assert low <= each.value <= high * (1 + 1e-6)


def test_who_is_not_there_is_told(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    own = {"gone": (SELF, "fast.subsampled_epsilon")}
    monkeypatch.setattr(accountants, "ACCOUNTANTS", own)
    _, said = accountants.answers("gone", [RUN], python=tmp_path / "python", timeout=5)
    assert math.isnan(said[0].value)
    assert said[0].words


def test_a_library_is_there_in_its_environment_or_beside_us(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    library = LIBRARIES["dp-accounting"]
    absent = replace(library, distribution="dporacle-absent")
    assert environments.python_there(absent) is None
    assert environments.python_there(replace(library, distribution="numpy")) == Path(sys.executable)

    def build(folder: Path, python: str, interpreter: Path, library: object) -> None:
        interpreter.parent.mkdir(parents=True)
        interpreter.touch()

    monkeypatch.setattr(environments, "_build", build)
    made = environments.python_for(absent)
    assert environments.python_there(absent) == made
    (made.parents[1] / environments._DONE).unlink()  # interrupted
    assert environments.python_there(absent) is None
