"""What the error budget assumes of the machine, and that the tables are what they should be."""

import math
from fractions import Fraction
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from dporacle.fast import tables
from support.files import module_at

TOOLS = Path(__file__).resolve().parents[2] / "tools"


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    return module_at(TOOLS / "make_fast_tables.py")


def test_tables_are_regenerated(maker: ModuleType) -> None:
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


def test_start_table_is_regenerated(maker: ModuleType) -> None:
    cells = [0, 3, 100, 417, 700]
    with np.errstate(all="ignore"):
        rows = maker.start_rows(cells)
    for cell, row in zip(cells, rows, strict=True):
        assert row == pytest.approx(tables.START[cell], rel=1e-5, abs=1e-6)
    assert len(tables.START) == maker.start_count()


def numbers(n: int) -> np.ndarray:
    rng = np.random.default_rng(3)
    return np.ldexp(rng.uniform(1, 2, n), rng.integers(-900, 900, n))


def test_arithmetic_is_correctly_rounded() -> None:
    """+ − × ÷ and √ of arrays have the bits of exact arithmetic rounded to nearest."""
    a, b = numbers(3000), numbers(3000)
    b = np.where(np.arange(3000) % 2, b, a * np.random.default_rng(4).uniform(0.5, 2, 3000))
    pairs = list(zip(map(Fraction, a.tolist()), map(Fraction, b.tolist()), strict=True))

    def rounded(x: Fraction) -> float:
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


def test_products_and_sums_are_not_fused() -> None:
    a, b = numbers(2000), numbers(2000) * 0 + 1 + 2.0**-30
    product = a * b
    with np.errstate(all="ignore"):
        assert np.array_equal(a * b - product, np.zeros(2000))


def test_subnormals_are_kept() -> None:
    tiny = np.array([5e-324, 1e-310, 2.0**-1022])
    assert np.array_equal(tiny * 1.0, tiny)
    assert (tiny / 1.0 + 0.0).min() == 5e-324
    mantissa, exponent = np.frexp(tiny)
    assert mantissa.min() == 0.5
    assert np.array_equal(np.ldexp(mantissa, exponent), tiny)
    assert [math.frexp(x) for x in tiny.tolist()] == list(
        zip(mantissa.tolist(), exponent.tolist(), strict=True)
    )


def test_shifts_round_once() -> None:
    x = np.random.default_rng(5).uniform(1, 2, 2000)
    for n in (-1030, -1060, -1073, -1074, -1075, 1000):
        exact = [float(Fraction(v) * Fraction(2) ** n) for v in x.tolist()]
        with np.errstate(all="ignore"):
            assert np.ldexp(x, n).tolist() == exact
        assert [math.ldexp(v, n) for v in x.tolist()] == exact
