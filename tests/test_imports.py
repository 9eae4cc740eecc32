"""Importing one witness loads no other, and nothing called reference or fast is installed."""

import ast
import importlib
import importlib.util
import inspect
import os
import re
import subprocess
import sys
import tomllib
import warnings
from pathlib import Path

import pytest

import dporacle
from dporacle.vocabulary.statements import WITNESSES
from dporacle.vocabulary.witnesses import RENAMED

ROOT = Path(__file__).parents[1]
PACKAGE = ROOT / "src" / "dporacle"
HEAVY = {
    "dporacle": {"numpy", "scipy", "mpmath", "flint", "click", "rich"},
    "dporacle.arguments": {"numpy", "scipy", "mpmath", "flint"},
    "dporacle.reference": {"numpy", "scipy", "flint", "dporacle.fast", "dporacle.enclosures"},
    "dporacle.fast": {"mpmath", "flint", "dporacle.reference", "dporacle.enclosures"},
    "dporacle.enclosures": {"numpy", "scipy", "mpmath", "dporacle.reference", "dporacle.fast"},
}


@pytest.mark.parametrize("module", HEAVY)
def test_import_is_light(module: str) -> None:
    code = f"import sys, {module}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert not HEAVY[module] & set(loaded.stdout.split())


@pytest.mark.parametrize("name", ["reference", "fast"])
def test_no_bare_names_are_installed(name: str) -> None:
    found = importlib.util.find_spec(name)
    assert found is None or "site-packages" not in str(found.origin)


@pytest.mark.parametrize(("old", "new"), RENAMED.items())
def test_a_function_is_found_under_its_old_name_for_one_release(old: str, new: str) -> None:
    holders = [importlib.import_module(f"dporacle.{witness}") for witness in WITNESSES]
    holders = [each for each in holders if hasattr(each, new)]
    assert holders
    for each in holders:
        with pytest.deprecated_call(match=new):
            assert getattr(each, old) is getattr(each, new)
        assert old not in dir(each)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("samplers", "wings.samplers"),
        ("samplers.laws", "wings.samplers.laws"),
        ("sampler_plot", "wings.samplers.plots"),
        ("dp_sgd_plot", "plots.dp_sgd"),
        ("matrix_files", "mechanisms.matrix_files"),
        ("recorded_batches", "wings.recorded_batches"),
        ("registry", "wings.registry"),
        ("papers.rank_one", "wings.papers.rank_one"),
        ("coq", "wings.coq"),
    ],
)
def test_a_wing_is_found_under_its_old_name_for_one_release(old: str, new: str) -> None:
    for name in [each for each in sys.modules if f"{each}.".startswith(f"dporacle.{old}.")]:
        del sys.modules[name]
    now = importlib.import_module(f"dporacle.{new}")
    own = now.__spec__
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        assert importlib.import_module(f"dporacle.{old}") is now
    assert f"dporacle.{old} is dporacle.{new}" in {str(each.message) for each in said}
    assert {each.category for each in said} == {DeprecationWarning}
    assert now.__spec__ is own
    with pytest.raises(ModuleNotFoundError):
        importlib.import_module(f"dporacle.{old}.nothing")


def test_completion_offers_what_is_there_and_loads_nothing() -> None:
    code = (
        "import sys, dporacle; offered = dir(dporacle); loaded = {*sys.modules};"
        "print('numpy' in loaded, 'dporacle.claims' in loaded, *offered)"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout
    numpy, claims, *offered = told.split()
    assert (numpy, claims) == ("False", "False")
    public = {name for name in offered if not name.startswith("__")}
    packages = {"claims", "enclosures", "fast", "frozen", "plots", "reference", "risk", "wings"}
    assert public == {*packages, *dporacle.__all__}
    for name in public:
        assert getattr(dporacle, name) is not None
    for witness in WITNESSES:
        found = importlib.import_module(f"dporacle.{witness}")
        assert {*found.__all__} <= {*dir(found)}


def test_what_needs_an_extra_is_no_attribute_without_it() -> None:
    code = (
        "import sys, inspect; sys.modules['matplotlib'] = None; import dporacle;"
        "print('plots' in dict(inspect.getmembers(dporacle)), hasattr(dporacle, 'risk'));"
        "from dporacle import plots"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert done.stdout.split() == ["False", "True"]
    assert "ModuleNotFoundError" in done.stderr


@pytest.mark.parametrize("witness", WITNESSES)
def test_help_says_what_every_argument_may_be(witness: str) -> None:
    package = importlib.import_module(f"dporacle.{witness}")
    for name in ("laplace_rdp", "repeated_delta", "group_mu", "sample_size", "projected_sigma"):
        function = getattr(package, name)
        said = inspect.getdoc(function) or ""
        for argument in inspect.signature(function).parameters:
            assert f"\n    {argument}: " in said, (name, argument)
        assert "\nRaises:\n    TypeError, ValueError: if an argument is not" in said
    rdp = inspect.getdoc(package.laplace_rdp) or ""
    assert "    sensitivity: D, the ℓ1-sensitivity, in (0, ∞); 1 if it is left out." in rdp
    for function, given, words in (
        ("laplace_rdp", {"order": 2}, "needs scale=: b: the scale of Laplace noise"),
        ("laplace_rdp", {"order": 2, "scale": 1, "b": 1}, "has no argument 'b': order=, scale=, "),
        ("subsampled_delta", dict.fromkeys(("epsilon", "sigma", "rate", "steps"), 1), "direction"),
        ("group_mu", {"mu": 1, "size": "2"}, "size must be"),  # a value, not the call
    ):
        with pytest.raises(TypeError, match=words) as told:
            getattr(package, function)(**given)
        assert function != "subsampled_delta" or '"replace"' in str(told.value)
    with pytest.raises(TypeError, match=r"calibrate_sigma\(\) takes its arguments by name: eps"):
        package.calibrate_sigma(1, 1e-5)


def test_the_drawing_of_the_house_is_the_contract() -> None:
    rows = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    layers = rows["tool"]["importlinter"]["contracts"][0]["layers"]
    rooms = {each.strip() for layer in layers for each in re.split("[|:]", layer)}
    # The contracts find a room that is not drawn, an arrow up and a circle.
    there = {path.stem for path in PACKAGE.iterdir() if path.suffix in ("", ".py")}
    assert rooms == there - {"__init__", "__pycache__", "py"}
    assert len(rooms) <= 30, "a head holds no more: put small files into a folder"
    drawing = "\n".join(["```", *layers, "```"])
    assert drawing in (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_no_room_asks_the_face_of_the_package() -> None:
    """`dporacle/__init__.py` hands names on: what it has them from, and asks it, is in a circle."""
    rooms = {path.stem for path in PACKAGE.iterdir()}
    above = {"adapters", "cli", "wings"}  # its users
    for file in PACKAGE.rglob("*.py"):
        if not above & {*file.relative_to(PACKAGE).parts}:
            taken = [
                each.name
                for node in ast.walk(ast.parse(file.read_text(encoding="utf-8")))
                if isinstance(node, ast.ImportFrom) and node.module == "dporacle"
                for each in node.names
            ]
            assert set(taken) <= rooms, file


def test_a_wheel_has_every_folder_but_the_development() -> None:
    rows = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    found = {
        ".".join(Path(folder).relative_to(ROOT / "src").parts)
        for folder, _, files in os.walk(ROOT / "src" / "dporacle", followlinks=True)
        if "__init__.py" in files
    }
    inside = {name for name in found if name.startswith("dporacle.dev")}
    assert inside >= {"dporacle.dev", "dporacle.dev.specimens", "dporacle.dev.exploration"}
    assert {*rows["tool"]["setuptools"]["packages"]} == found - inside


def test_links_show_the_package_as_it_is_installed() -> None:
    """Mypy and the contracts read `src/dporacle`; an installation has these folders elsewhere."""
    rows = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    folders = rows["tool"]["setuptools"]["package-dir"]
    assert folders.pop("dporacle") == "src/dporacle"
    for package, folder in folders.items():
        link = ROOT.joinpath("src", *package.split("."))
        assert link.resolve() == ROOT / folder
