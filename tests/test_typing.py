"""What a type checker sees: a float in is a float out, an array in an array out."""

import ast
import importlib
import inspect
import runpy
import subprocess
import sys
from pathlib import Path

import pytest

PATH = Path(__file__).parents[1] / "tools" / "make_stubs.py"
TOOL = runpy.run_path(str(PATH))

USER = """
from decimal import Decimal
from fractions import Fraction
from typing import Any, assert_type

import numpy as np
from numpy.typing import NDArray

import dporacle
from dporacle import enclosures, fast, reference

class Table:  # as pandas and xarray have it
    def to_numpy(self, copy: bool = False) -> Any:
        return np.zeros(3)


assert_type(dporacle.calibrate_sigma(epsilon=1, delta=1e-5), float)
assert_type(dporacle.calibrate_sigma(epsilon=1.0, delta=1e-5, exact=True), float)
assert_type(dporacle.calibrate_sigma(epsilon=Decimal("0.1"), delta=Fraction(1, 3)), float)
assert_type(dporacle.delta_at_epsilon(epsilon=1.0, sigma=4), float)
assert_type(dporacle.accuracy(alpha=0.05, sigma=4.0), float)
assert_type(fast.zcdp_epsilon(rho=0.5, delta=1e-5), float)
assert_type(dporacle.sigma_at_accuracy(accuracy=1, alpha=0.05), float)
assert_type(fast.zcdp_sigma(rho=1), float)
assert_type(fast.laplace_repeated_delta(epsilon=1.0, scale=2.0, releases=3), float)
assert_type(fast.rank_one_psi(delta=1e-5, dimension=10), float)

several = np.linspace(0.0, 1.0, 5)
assert_type(dporacle.delta_at_epsilon(epsilon=several, sigma=4.0), NDArray[np.float64])
assert_type(dporacle.calibrate_sigma(epsilon=1.0, delta=[0.1, 0.2]), NDArray[np.float64])
assert_type(fast.gdp_delta(epsilon=several, mu=1), NDArray[np.float64])
dporacle.delta_at_epsilon(epsilon=several, sigma=4.0).shape
assert_type(fast.gdp_delta(epsilon=several.astype(np.float32), mu=1), NDArray[np.float32])
assert_type(fast.gdp_delta(epsilon=np.float32(0.5), mu=1), float)
assert_type(fast.laplace_rdp(order=Table(), scale=1), Table)
assert_type(dporacle.accuracy(alpha=0.05, sigma=Table()), Table)
interval = fast.rank_one_delta_interval(epsilon=several, sigma_star=1.0, dimension=10)
assert_type(interval, tuple[NDArray[np.float64], NDArray[np.float64]])

reference.accuracy(alpha=Fraction(1, 20), sigma=4.0, digits=30)
enclosures.laplace_rdp(order=2, scale=Decimal("0.1"))
"""

WRONG = """
import dporacle
from dporacle import enclosures, reference

dporacle.calibrate_sigma(1.0, 1e-5)
x: str = dporacle.delta_at_epsilon(epsilon=1.0, sigma=4)
dporacle.accuracy(alpha="0.05", sigma=1.0)
enclosures.laplace_rdp(order=2, b=1)
reference.zcdp_rho(mu=[1.0])
"""


@pytest.mark.thorough("mypy")
def test_a_float_in_is_a_float_out(tmp_path):
    TOOL["write"]()  # those of this checkout may be older than its functions
    for name, text in (("user.py", USER), ("wrong.py", WRONG)):
        (tmp_path / name).write_text(text, encoding="utf-8")
    # From elsewhere: as a user of the installed package, without this repository's settings.
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", "--config-file=", "user.py", "wrong.py"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    errors = [line for line in done.stdout.splitlines() if "error:" in line]
    assert [line.partition(":")[0] for line in errors] == ["wrong.py"] * len(errors), errors
    assert {int(line.split(":")[1]) for line in errors} == {5, 6, 7, 8, 9}
    assert any("No overload variant" in line for line in errors)
    assert any("Incompatible types in assignment" in line for line in errors)


def test_a_stub_says_what_help_says() -> None:
    """They are made without an import of a witness: of its source, and of the rows."""
    for name in TOOL["FOLDERS"]:
        witness, made = importlib.import_module(name), TOOL["functions"](name)
        assert sorted(made) == sorted(witness.__all__)
        for function, seen in made.items():
            own = getattr(witness, function)
            assert inspect.signature(seen) == inspect.signature(own), (name, function)
            assert inspect.getdoc(seen) == inspect.getdoc(own), (name, function)
        words = {
            node.name: ast.get_docstring(node)
            for node in ast.parse(TOOL["text"](name)).body
            if isinstance(node, ast.FunctionDef)
        }
        assert words == {each: inspect.getdoc(getattr(witness, each)) for each in made}


def test_stubs_are_made_with_the_standard_library_alone() -> None:
    """An installation makes them before there is anything else."""
    code = f"import runpy, sys; runpy.run_path({str(PATH)!r})['text']('dporacle.fast')"
    code += "\nprint(*{each.partition('.')[0] for each in sys.modules} - sys.stdlib_module_names)"
    run = [sys.executable, "-S", "-c", code]
    done = subprocess.run(run, capture_output=True, text=True, check=True)
    assert set(done.stdout.split()) == {"__main__", "dporacle"}
