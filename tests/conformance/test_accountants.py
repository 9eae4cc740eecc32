"""Accountants that are asked and not judged."""

import math
import shutil
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from dporacle.conformance.libraries import accountants, environments
from dporacle.conformance.libraries.pinned import LIBRARIES, SELF, Library
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

    monkeypatch.setattr(environments, "_build", build)
    made = environments.python_for(absent)
    assert environments.python_there(absent) == made
    (made.parents[1] / environments._DONE).unlink()  # interrupted
    assert environments.python_there(absent) is None


def build(folder: Path, python: str, interpreter: Path, library: Library) -> None:
    """Make an environment as an installer leaves it: each distribution has a list of its files."""
    shutil.rmtree(folder, ignore_errors=True)
    interpreter.parent.mkdir(parents=True)
    interpreter.touch()
    for each in library.requirements:
        name, _, _ = each.replace(" @ ", "==").partition("==")
        packages = folder / "lib" / "python3.11" / "site-packages"
        module = packages / name.lower().replace("-", "_")
        module.mkdir(parents=True)
        (module / "__init__.py").touch()
        told = packages / f"{name.replace('-', '_')}-1.dist-info"
        told.mkdir()
        files = (
            f"../../../bin/{name},,\n{module.name}/__init__.py,sha256=x,0\n{told.name}/RECORD,,\n"
        )
        (told / "RECORD").write_text(files)


@pytest.mark.parametrize("gone", ["modules", "metadata", "another's modules"])
def test_an_environment_whose_packages_are_gone_is_built_again(
    gone: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    library = replace(LIBRARIES["dp-accounting"], distribution="Dporacle.Absent", needs=("a-b==1",))
    built = []

    def counted(folder: Path, python: str, interpreter: Path, library: Library) -> None:
        built.append(folder)
        build(folder, python, interpreter, library)

    monkeypatch.setattr(environments, "_build", counted)
    environments.python_for(library)
    made = environments.python_for(library)
    assert len(built) == 1
    packages = made.parents[1] / "lib" / "python3.11" / "site-packages"
    names = {
        "modules": "dporacle.absent",
        "metadata": "Dporacle.Absent-1.dist-info",
        "another's modules": "a_b",
    }
    shutil.rmtree(packages / names[gone])
    assert environments.python_there(library) is None
    assert environments.python_for(library) == made
    assert len(built) == 2
    assert environments.python_there(library) == made


def test_what_an_installer_left_out_is_named(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    library = replace(LIBRARIES["dp-accounting"], needs=("a-b==1",))

    def partly(folder: Path, python: str, interpreter: Path, library: Library) -> None:
        build(folder, python, interpreter, replace(library, needs=()))

    monkeypatch.setattr(environments, "_build", partly)
    for _ in range(2):
        with pytest.raises(environments.EnvironmentBuildError, match="was built without a-b"):
            environments.python_for(library)
