"""What the error budget assumes of the machine, and that the tables are what they should be."""

import math
import os
import platform
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from dporacle import fast
from dporacle.fast import tables
from support.dear import mostly_dear
from support.files import module_at

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture(scope="module")
def maker():
    return module_at(TOOLS / "make_fast_tables.py")


def test_tables_are_regenerated(maker):
    for cell in range(0, 1024, 97):
        assert tuple(maker.mills_row(cell)) == tables.MILLS[cell]
    for cell in range(0, 512, 51):
        assert tuple(maker.slope_row(cell)) == tables.SLOPE[cell]
    assert len(tables.MILLS) == maker.MILLS_CELLS * maker.OCTAVES
    assert len(tables.SLOPE) == maker.SLOPE_CELLS * maker.OCTAVES
    for cell in range(64):
        assert tuple(maker.exp_row(cell)) == tables.EXP[cell]
    for cell in range(128):
        assert tuple(maker.log_row(cell)) == tables.LOG[cell]
    assert tuple(maker.constants()) == tables.CONSTANTS[0]


def test_start_table_is_regenerated(maker):
    cells = [0, 3, 100, 417, 700]
    with np.errstate(all="ignore"):
        rows = maker.start_rows(cells)
    for cell, row in zip(cells, rows, strict=True):
        assert row == pytest.approx(tables.START[cell], rel=1e-5, abs=1e-6)
    assert len(tables.START) == maker.start_count()


def numbers(n):
    rng = np.random.default_rng(3)
    return np.ldexp(rng.uniform(1, 2, n), rng.integers(-900, 900, n))


def test_arithmetic_is_correctly_rounded():
    """+ − × ÷ and √ of arrays have the bits of exact arithmetic rounded to nearest."""
    a, b = numbers(3000), numbers(3000)
    b = np.where(np.arange(3000) % 2, b, a * np.random.default_rng(4).uniform(0.5, 2, 3000))
    pairs = list(zip(map(Fraction, a.tolist()), map(Fraction, b.tolist()), strict=True))

    def rounded(x):
        try:
            return float(x)
        except OverflowError:
            return math.inf

    with np.errstate(over="ignore", under="ignore"):
        assert (a + b).tolist() == [rounded(x + y) for x, y in pairs]
        assert (a - b).tolist() == [rounded(x - y) for x, y in pairs]
        assert (a * b).tolist() == [rounded(x * y) for x, y in pairs]
        assert (a / b).tolist() == [rounded(x / y) for x, y in pairs]
    for x, root in zip(a.tolist(), np.sqrt(a).tolist(), strict=True):
        assert math.sqrt(x) == root
        low = Fraction(math.nextafter(root, 0)) + Fraction(root)
        high = Fraction(math.nextafter(root, math.inf)) + Fraction(root)
        assert low * low <= 4 * Fraction(x) <= high * high


def test_products_and_sums_are_not_fused():
    a, b = numbers(2000), numbers(2000) * 0 + 1 + 2.0**-30
    product = a * b
    with np.errstate(all="ignore"):
        assert np.array_equal(a * b - product, np.zeros(2000))


def test_subnormals_are_kept():
    tiny = np.array([5e-324, 1e-310, 2.0**-1022])
    assert np.array_equal(tiny * 1.0, tiny)
    assert (tiny / 1.0 + 0.0).min() == 5e-324
    mantissa, exponent = np.frexp(tiny)
    assert mantissa.min() == 0.5
    assert np.array_equal(np.ldexp(mantissa, exponent), tiny)
    assert [math.frexp(x) for x in tiny.tolist()] == list(
        zip(mantissa.tolist(), exponent.tolist(), strict=True)
    )


def test_shifts_round_once():
    x = np.random.default_rng(5).uniform(1, 2, 2000)
    for n in (-1030, -1060, -1073, -1074, -1075, 1000):
        exact = [float(Fraction(v) * Fraction(2) ** n) for v in x.tolist()]
        with np.errstate(all="ignore"):
            assert np.ldexp(x, n).tolist() == exact
        assert [math.ldexp(v, n) for v in x.tolist()] == exact


STATES = """
import ctypes, contextlib, math, random
from fractions import Fraction

LIBRARY = ctypes.CDLL("libm.so.6")
STATES = {"up": 0x4000, "down": 0x2000, "to zero": 0x6000, "flush": 0x8000, "zeros": 0x40}
STATES["both"] = STATES["flush"] | STATES["zeros"]  # as -ffast-math has it

@contextlib.contextmanager
def changed(bits):
    "Set bits of the register that rules the processor's float64 arithmetic."
    kept, other = ctypes.create_string_buffer(32), ctypes.create_string_buffer(32)
    LIBRARY.fegetenv(kept), LIBRARY.fegetenv(other)
    old = int.from_bytes(other.raw[28:], "little")
    other[28:32] = (old | bits).to_bytes(4, "little")
    LIBRARY.fesetenv(other)
    try:
        yield
    finally:
        LIBRARY.fesetenv(kept)
"""
CALLS = """
import inspect
import numpy as np
from dporacle import arguments, enclosures, fast
from dporacle.common import ieee754
from dporacle.enclosures.arithmetic import rounding
from dporacle.dev.exploration.inputs import FUNCTIONS, draw

tiny = [2.0**-1074, 2.0**-1030]
wanted = {name: draw(random.Random(1), name) for name in fast.__all__ if name in FUNCTIONS}
bounds = [name for name in fast.__all__ if "sample" not in name]  # a draw is no bound
def numbers(name):  # asked in time, whatever they are
    return dict.fromkeys(inspect.signature(getattr(fast, name)).parameters, 1.0)

asked = [(name, getattr(fast, name), wanted.get(name) or numbers(name)) for name in bounds]
ones = np.ones(3)
for name in ("calibrate_sigma", "delta_at_epsilon", "epsilon_at_delta"):
    function = getattr(fast, name)
    some = {"sigma": 2.0, "epsilon": 0.7, "delta": 1e-5}
    given = {each: x for each, x in some.items() if each in wanted[name]}
    asked += [(name, function, given), (name, function, {k: x * ones for k, x in given.items()})]
asked += [("exact", arguments.exact, {"name": "x", "value": each}) for each in tiny]
asked += [("above", rounding.float_above, {"value": Fraction(each) / 3}) for each in tiny]
for state, bits in STATES.items():
    for name, function, given in asked:
        with changed(bits):
            try:
                answer = function(**given)
            except FloatingPointError as error:
                assert "processor" in str(error)
            else:
                assert name == "exact" and answer in map(Fraction, tiny), (state, name, given)
    assert ieee754.sound()
assert fast.calibrate_sigma(epsilon=1.0, delta=1e-5) > 3.7
print(len(asked) * len(STATES))
"""
IMPORTS = """
for bits in STATES.values():
    with changed(bits):
        try:
            import dporacle.fast
        except FloatingPointError:
            continue
    raise AssertionError(bits)
import dporacle.fast
print(dporacle.fast.calibrate_sigma(epsilon=1.0, delta=1e-5).hex())
"""

on_linux = pytest.mark.skipif(
    not (sys.platform == "linux" and platform.machine() == "x86_64"),
    reason="the register is set as this system's C library has it",
)


def said(code, **environment):
    command = [sys.executable, "-c", STATES + code]
    found = subprocess.run(
        command, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert found.returncode == 0, found.stderr
    return found.stdout


@on_linux
@pytest.mark.parametrize("kernel", mostly_dear(["1", "0"], 2))
def test_nothing_is_said_where_the_processor_computes_otherwise(kernel):
    """Every function of the package, scalars and arrays, with the compiled kernel and without."""
    assert int(said(CALLS, DPORACLE_COMPILED=kernel)) > 700


@on_linux
def test_nothing_is_imported_then(tmp_path):
    """Python would keep the constants of modules that were compiled so."""
    found = said(IMPORTS, PYTHONPYCACHEPREFIX=str(tmp_path))
    assert found.strip() == fast.calibrate_sigma(epsilon=1.0, delta=1e-5).hex()
